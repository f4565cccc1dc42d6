#include "base/text.h"

#include <string.h>

void gd_text_copy(char *out, size_t out_bytes, const char *text) {
  out[0] = '\0';
  gd_text_append(out, out_bytes, text);
}

void gd_text_append(char *out, size_t out_bytes, const char *text) {
  size_t used = strlen(out);
  if (text == NULL) {
    return;
  }
  while (*text != '\0' && used + 1 < out_bytes) {
    out[used++] = *text++;
  }
  out[used] = '\0';
}

void gd_text_u64(char out[GD_TEXT_U64_BYTES], uint64_t value) {
  char reversed[GD_TEXT_U64_BYTES];
  size_t n = 0;
  do {
    reversed[n++] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  for (size_t i = 0; i < n; i++) {
    out[i] = reversed[n - 1 - i];
  }
  out[n] = '\0';
}

/* Writes digits (n of them, the first before the point if `exponent` is 0) without trailing zeros,
 * the point `exponent` places further right. */
static void write_digits(char *out, uint64_t digits, int n, int exponent) {
  char all[GD_TEXT_U64_BYTES] = {0};
  gd_text_u64(all, digits);
  while (n > 1 && all[n - 1] == '0') {
    n--;
  }
  if (exponent < 0) {
    *out++ = '0';
    *out++ = '.';
    for (int i = -1; i > exponent; i--) {
      *out++ = '0';
    }
  }
  for (int i = 0; i < n || i <= exponent; i++) {
    *out++ = i < n ? all[i] : '0';
    if (i == exponent && i + 1 < n) {
      *out++ = '.';
    }
  }
  *out = '\0';
}

void gd_text_f64(char out[GD_TEXT_F64_BYTES], double value) {
  if (value != value) {
    gd_text_copy(out, GD_TEXT_F64_BYTES, "NaN");
    return;
  }
  if (value == 0) {
    gd_text_copy(out, GD_TEXT_F64_BYTES, "0");
    return;
  }
  if (value < 0) {
    *out++ = '-';
    value = -value;
  }
  if (value > 1.7976931348623157e308) {
    gd_text_copy(out, GD_TEXT_F64_BYTES - 1, "Infinity");
    return;
  }
  /* value = lead * 10^exponent with 1 <= lead < 10. */
  int exponent = 0;
  double lead = value;
  for (; lead >= 10; exponent++) {
    lead /= 10;
  }
  for (; lead < 1; exponent--) {
    lead *= 10;
  }
  int is_plain = exponent >= -6 && exponent < 15;
  int n = is_plain ? 15 : 6;
  double scaled = is_plain ? value : lead;
  int shift = is_plain ? n - 1 - exponent : n - 1;
  double scale = 1; /* 10^shift: exact up to 10^22 */
  for (int i = 0; i < shift; i++) {
    scale *= 10;
  }
  uint64_t digits = (uint64_t)(scaled * scale + 0.5);
  uint64_t limit = is_plain ? 1000000000000000u : 1000000u;
  if (digits >= limit) { /* rounded up to the next power of ten */
    digits /= 10;
    exponent++;
  }
  write_digits(out, digits, n, is_plain ? exponent : 0);
  if (!is_plain) {
    char power[GD_TEXT_U64_BYTES];
    gd_text_u64(power, (uint64_t)(exponent < 0 ? -exponent : exponent));
    gd_text_append(out, GD_TEXT_F64_BYTES - 1, exponent < 0 ? "e-" : "e+");
    gd_text_append(out, GD_TEXT_F64_BYTES - 1, power);
  }
}

void gd_text_hex(char *out, const uint8_t *bytes, size_t n) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < n; i++) {
    out[2 * i] = digits[bytes[i] >> 4];
    out[2 * i + 1] = digits[bytes[i] & 15];
  }
  out[2 * n] = '\0';
}
