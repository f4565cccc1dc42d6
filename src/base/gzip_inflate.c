#include "base/gzip.h"
#include "base/gzip_memory.h"
#include "base/text.h"

#include <string.h>

/* zlib's inflate asks for its state (9.6 kB on 64-bit machines) and, once, for a window of 32 kB.
 */
#define INFLATE_MEMORY (48 * 1024)

struct gd_gunzip {
  z_stream stream;
  uint8_t *memory; /* INFLATE_MEMORY bytes for zlib, used anew by each stream */
  gd_arena arena;  /* over that memory */
  uint64_t n_read; /* compressed bytes taken in; zlib's own counter may have 32 bits */
  size_t n_written;
  size_t room_bytes;
  gd_report fault; /* status OK while there is none */
  int has_ended;
};

gd_status gd_gunzip_take(gd_arena *arena, gd_gunzip **out) {
  gd_gunzip *gunzip = gd_arena_take(arena, 1, sizeof *gunzip);
  uint8_t *memory = gd_arena_take(arena, 1, INFLATE_MEMORY);
  *out = NULL;
  if (arena->failed) {
    return GD_OUT_OF_MEMORY;
  }
  if (gunzip != NULL) {
    memset(gunzip, 0, sizeof *gunzip);
    gunzip->memory = memory;
    gd_gunzip_start(gunzip, NULL, 0);
    *out = gunzip;
  }
  return GD_OK;
}

static gd_status fail(gd_gunzip *gunzip, gd_status status, const char *expected,
                      const char *found) {
  return gd_report_fault(&gunzip->fault, status, gunzip->n_read, "gzip stream", expected, found);
}

void gd_gunzip_start(gd_gunzip *gunzip, uint8_t *room, size_t room_bytes) {
  z_stream *stream = &gunzip->stream;
  memset(stream, 0, sizeof *stream);
  gd_arena_init(&gunzip->arena, gunzip->memory, INFLATE_MEMORY);
  stream->zalloc = gd_gzip_take;
  stream->zfree = gd_gzip_give_back;
  stream->opaque = &gunzip->arena;
  stream->next_out = room;
  gunzip->n_read = 0;
  gunzip->n_written = 0;
  gunzip->room_bytes = room_bytes;
  gunzip->has_ended = 0;
  gd_report_fault(&gunzip->fault, GD_OK, GD_NO_OFFSET, "", "", "");
  if (inflateInit2(stream, GD_GZIP_WINDOW_BITS) != Z_OK) {
    fail(gunzip, GD_OUT_OF_MEMORY, "memory for zlib", "too little");
  }
}

/* One call of zlib. Where the room is full it gets one byte of ours instead: the end of the stream
 * (end code, CRC, length) needs none, and what does is too long. */
static gd_status inflate_once(gd_gunzip *gunzip) {
  z_stream *stream = &gunzip->stream;
  size_t left = gunzip->room_bytes - gunzip->n_written;
  uInt given = left > UINT32_MAX ? UINT32_MAX : (uInt)left;
  uInt n_in = stream->avail_in;
  uint8_t spare = 0;
  uint8_t *place = stream->next_out;
  if (left == 0) {
    stream->next_out = &spare;
    given = 1;
  }
  stream->avail_out = given;
  int code = inflate(stream, Z_NO_FLUSH);
  size_t n_out = given - stream->avail_out;
  gunzip->n_read += n_in - stream->avail_in;
  if (left == 0) {
    stream->next_out = place;
    if (n_out > 0) {
      return fail(gunzip, GD_TOO_LONG, "the end of the data", "more bytes than there is room for");
    }
  }
  gunzip->n_written += n_out;
  switch (code) {
  case Z_STREAM_END:
    gunzip->has_ended = 1;
    return GD_OK;
  case Z_OK:
  case Z_BUF_ERROR: /* nothing more can be done with these bytes: not a fault */
    return GD_OK;
  case Z_MEM_ERROR:
    return fail(gunzip, GD_OUT_OF_MEMORY, "memory for zlib", "too little");
  default:
    return fail(gunzip, GD_GZIP_CORRUPT, "a gzip stream (RFC 1952)",
                stream->msg != NULL ? stream->msg : "no such stream");
  }
}

gd_status gd_gunzip_feed(gd_gunzip *gunzip, const uint8_t *bytes, size_t n, gd_report *report) {
  z_stream *stream = &gunzip->stream;
  gd_status status = gunzip->fault.status;
  while (status == GD_OK && n > 0 && !gunzip->has_ended) {
    uInt piece = n > UINT32_MAX ? UINT32_MAX : (uInt)n;
    stream->next_in = bytes;
    stream->avail_in = piece;
    do {
      status = inflate_once(gunzip);
    } while (status == GD_OK && !gunzip->has_ended &&
             (stream->avail_in > 0 || stream->avail_out == 0));
    piece -= stream->avail_in;
    bytes += piece;
    n -= piece;
  }
  if (status == GD_OK && n > 0) {
    char found[GD_TEXT_U64_BYTES + 16] = "";
    gd_text_u64(found, n);
    gd_text_append(found, sizeof found, " more bytes");
    status = fail(gunzip, GD_GZIP_TRAILING, "the end of the file", found);
  }
  if (status != GD_OK && report != NULL) {
    *report = gunzip->fault;
  }
  return status;
}

size_t gd_gunzip_n_written(const gd_gunzip *gunzip) {
  return gunzip->n_written;
}

gd_status gd_gunzip_finish(const gd_gunzip *gunzip, gd_report *report) {
  if (gunzip->fault.status != GD_OK) {
    if (report != NULL) {
      *report = gunzip->fault;
    }
    return gunzip->fault.status;
  }
  return gunzip->has_ended ? GD_OK
                           : gd_report_fault(report, GD_GZIP_TRUNCATED, gunzip->n_read,
                                             "gzip stream", "more bytes", "the end of the file");
}
