#include "base/gzip.h"
#include "base/gzip_memory.h"

#include <string.h>

#define LEVEL 9
#define MEMORY_LEVEL 8
#define UNKNOWN_SYSTEM 255
/* gzip's header without a name, and its trailer. */
#define WRAPPER_BYTES 18

size_t gd_gzip_bound(size_t n) {
  /* zlib's own bound for this window and memory level (deflateBound), gzip's wrapper on top. */
  return n + (n >> 12) + (n >> 14) + (n >> 25) + 7 + WRAPPER_BYTES;
}

/* Feeds and drains in pieces that zlib's 32-bit counts can express. */
static int deflate_all(z_stream *stream, size_t n, size_t out_bytes) {
  int code = Z_OK;
  while (code == Z_OK) {
    uInt in_piece = n > UINT32_MAX ? UINT32_MAX : (uInt)n;
    uInt out_piece = out_bytes > UINT32_MAX ? UINT32_MAX : (uInt)out_bytes;
    stream->avail_in = in_piece;
    stream->avail_out = out_piece;
    code = deflate(stream, n == in_piece ? Z_FINISH : Z_NO_FLUSH);
    n -= in_piece - stream->avail_in;
    out_bytes -= out_piece - stream->avail_out;
    if (code == Z_OK && out_bytes == 0) {
      return Z_BUF_ERROR;
    }
  }
  return code;
}

gd_status gd_gzip_deflate(gd_arena *arena, const uint8_t *bytes, size_t n, uint8_t *out,
                          size_t out_bytes, size_t *n_out) {
  gd_arena before = *arena;
  z_stream stream;
  gz_header header;
  memset(&stream, 0, sizeof stream);
  memset(&header, 0, sizeof header);
  header.os = UNKNOWN_SYSTEM;
  stream.zalloc = gd_gzip_take;
  stream.zfree = gd_gzip_give_back;
  stream.opaque = arena;
  stream.next_in = bytes;
  stream.next_out = out;
  *n_out = 0;
  int code = deflateInit2(&stream, LEVEL, Z_DEFLATED, GD_GZIP_WINDOW_BITS, MEMORY_LEVEL,
                          Z_DEFAULT_STRATEGY);
  if (code == Z_OK) {
    deflateSetHeader(&stream, &header);
    code = deflate_all(&stream, n, out_bytes);
  }
  *n_out = (size_t)(stream.next_out - out);
  *arena = before;
  return code == Z_STREAM_END ? GD_OK : code == Z_MEM_ERROR ? GD_OUT_OF_MEMORY : GD_TOO_LONG;
}
