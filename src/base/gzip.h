/* gzip (RFC 1952) on zlib, whose every allocation comes out of the caller's arena. */
#ifndef GD_BASE_GZIP_H
#define GD_BASE_GZIP_H

#include "base/arena.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* ---- Decompression, streaming (gzip_inflate.c) ---- */

/* One gzip member on its way into one buffer. Belongs to the arena that it was taken from; there is
 * nothing to release, and it cannot be copied. */
typedef struct gd_gunzip gd_gunzip;

/* Takes a decompressor and all the memory that zlib will ask for; with a measuring arena *out is
 * NULL and only the size grows. OUT_OF_MEMORY where the arena has no room. */
gd_status gd_gunzip_take(gd_arena *arena, gd_gunzip **out);

/* Starts a stream whose decompressed bytes go straight to `room`, which stays the caller's and must
 * stay where it is until the stream ends. May be called again, after a fault too. */
void gd_gunzip_start(gd_gunzip *gunzip, uint8_t *room, size_t room_bytes);

/* Decompresses the next n compressed bytes (any n, 0 too). Faults, each with the offset in the
 * compressed stream at which it was noticed; after one, every call gives the same again:
 *   GZIP_CORRUPT    not gzip, an impossible code, or a wrong CRC or length at the end
 *   GZIP_TRAILING   bytes follow the member's end (a second member is refused too)
 *   TOO_LONG        more than room_bytes come out; nothing is written behind the room */
gd_status gd_gunzip_feed(gd_gunzip *gunzip, const uint8_t *bytes, size_t n, gd_report *report);

/* Bytes that stand in the room so far. */
size_t gd_gunzip_n_written(const gd_gunzip *gunzip);

/* Says whether the stream ended where it should: GZIP_TRUNCATED where more bytes are needed, and a
 * fault of gd_gunzip_feed again. */
gd_status gd_gunzip_finish(const gd_gunzip *gunzip, gd_report *report);

/* ---- Compression, in one call (gzip_deflate.c; not part of the engine) ---- */

/* Bytes that n bytes can become at most. */
size_t gd_gzip_bound(size_t n);

/* Compresses n bytes to `out` (room for out_bytes, gd_gzip_bound(n) always suffice) and writes the
 * length to *n_out. One zlib stream, level 9, memory level 8, window 15, header with no name, time
 * 0, unknown system (255): the bytes depend on zlib's version alone. zlib's memory is taken from
 * the arena and given back at the end. OUT_OF_MEMORY; TOO_LONG where `out` is too small. */
gd_status gd_gzip_deflate(gd_arena *arena, const uint8_t *bytes, size_t n, uint8_t *out,
                          size_t out_bytes, size_t *n_out);

/* Bytes of arena that gd_gzip_deflate needs. */
#define GD_GZIP_DEFLATE_MEMORY (288 * 1024)

#endif
