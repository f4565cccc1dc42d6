#include "rebuild/preview.h"

#include "base/text.h"

#include <string.h>

#define BASE64_BYTES ((GD_N_PIXELS + 2) / 3 * 4)
/* Around the pixels of an example stand less than 160 bytes, around the examples less than 512. */
#define EXAMPLE_BYTES (BASE64_BYTES + 160)
#define FRAME_BYTES 512

static const char head[] =
    "{\n"
    "  \"dataset\": \"MNIST\",\n"
    "  \"encoding\": \"base64 uint8, row-major 784 bytes, black=0 white=255\",\n"
    "  \"examples\": [\n";

static const char tail[] =
    "  ],\n"
    "  \"selection\": \"First 20 browser training examples: two of each digit, no outcome "
    "selection.\",\n"
    "  \"shape\": [\n"
    "    28,\n"
    "    28\n"
    "  ],\n"
    "  \"split\": \"train\"\n"
    "}\n";

size_t gd_preview_bound(uint32_t n_examples) {
  return FRAME_BYTES + (size_t)n_examples * EXAMPLE_BYTES;
}

static uint8_t *put_text(uint8_t *out, const char *text) {
  size_t n = strlen(text);
  memcpy(out, text, n);
  return out + n;
}

static uint8_t *put_number_line(uint8_t *out, const char *key, uint32_t number) {
  char digits[GD_TEXT_U64_BYTES];
  gd_text_u64(digits, number);
  out = put_text(out, "      \"");
  out = put_text(out, key);
  out = put_text(out, "\": ");
  out = put_text(out, digits);
  return put_text(out, ",\n");
}

/* RFC 4648, section 4: three bytes become four characters of six bits, the rest is filled up with
 * '='. */
static uint8_t *put_base64(uint8_t *out, const uint8_t *bytes, uint32_t n) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (uint32_t i = 0; i < n; i += 3) {
    uint32_t n_left = n - i;
    uint32_t group = (uint32_t)bytes[i] << 16;
    group |= n_left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
    group |= n_left > 2 ? (uint32_t)bytes[i + 2] : 0;
    *out++ = (uint8_t)alphabet[group >> 18];
    *out++ = (uint8_t)alphabet[group >> 12 & 63];
    *out++ = n_left > 1 ? (uint8_t)alphabet[group >> 6 & 63] : '=';
    *out++ = n_left > 2 ? (uint8_t)alphabet[group & 63] : '=';
  }
  return out;
}

static uint8_t *put_example(uint8_t *out, const gd_split *split, uint32_t i) {
  out = put_text(out, "    {\n");
  out = put_number_line(out, "browser_index", i);
  out = put_number_line(out, "label", gd_split_labels(split)[i]);
  out = put_number_line(out, "original_index", gd_split_index(split, i));
  out = put_text(out, "      \"pixels\": \"");
  out = put_base64(out, gd_split_pixels(split) + (size_t)GD_N_PIXELS * i, GD_N_PIXELS);
  return put_text(out, "\"\n    }");
}

size_t gd_preview_write(const gd_split *split, uint32_t n_examples, uint8_t *out) {
  uint8_t *end = put_text(out, head);
  for (uint32_t i = 0; i < n_examples; i++) {
    end = put_example(end, split, i);
    end = put_text(end, i + 1 < n_examples ? ",\n" : "\n");
  }
  end = put_text(end, tail);
  return (size_t)(end - out);
}
