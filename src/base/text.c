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

void gd_text_hex(char *out, const uint8_t *bytes, size_t n) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < n; i++) {
    out[2 * i] = digits[bytes[i] >> 4];
    out[2 * i + 1] = digits[bytes[i] & 15];
  }
  out[2 * n] = '\0';
}
