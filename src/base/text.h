/* The little text that a report needs, without the C library's formatted printing (which would
 * double the size of the wasm modules). */
#ifndef GD_BASE_TEXT_H
#define GD_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define GD_TEXT_U64_BYTES 21

/* Copies `text` (NULL: the empty text) into `out`, which holds out_bytes > 0, cut to fit, always
 * NUL-terminated. */
void gd_text_copy(char *out, size_t out_bytes, const char *text);

/* Adds `text` at the end of the NUL-terminated `out`, cut to fit. */
void gd_text_append(char *out, size_t out_bytes, const char *text);

/* Writes `value` in decimal digits, NUL-terminated. */
void gd_text_u64(char out[GD_TEXT_U64_BYTES], uint64_t value);

/* Writes a number as JavaScript would where it has at most 15 significant digits ("0.0001",
 * "-2.5", "NaN", "Infinity"), and rounded to 15 otherwise; to 6 where it is smaller than 1e-6 or
 * larger than 1e15. */
#define GD_TEXT_F64_BYTES 32
void gd_text_f64(char out[GD_TEXT_F64_BYTES], double value);

/* Writes n bytes as 2n lowercase hex digits and a NUL: out holds 2n + 1. */
void gd_text_hex(char *out, const uint8_t *bytes, size_t n);

#endif
