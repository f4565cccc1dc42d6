/* A small GDMNIST1 file, written byte by byte from the format's description and not by the library,
 * with the expectation that it meets. */
#ifndef GD_TESTS_SAMPLE_H
#define GD_TESTS_SAMPLE_H

#include "dataset/split.h"

#include <stdint.h>

enum {
  SAMPLE_IMAGES = 30, /* leaves two bytes of padding */
  SAMPLE_COLLECTION = 1000,
  SAMPLE_LABELS_AT = 32 + 784 * SAMPLE_IMAGES,
  SAMPLE_PADDING_AT = SAMPLE_LABELS_AT + SAMPLE_IMAGES,
  SAMPLE_INDICES_AT = SAMPLE_PADDING_AT + 2,
  SAMPLE_BYTES = SAMPLE_INDICES_AT + 4 * SAMPLE_IMAGES
};

typedef struct sample {
  uint8_t bytes[SAMPLE_BYTES];
  gd_expectation expectation; /* gz_bytes, gz_sha256 are 0 until sample_compress */
  uint8_t gz[2 * SAMPLE_BYTES];
} sample;

/* Interleaved digits, random pixels, the indices first_index, first_index + 7, … */
void sample_make(sample *made, uint64_t seed, uint32_t first_index);

/* Makes the expectation's digests fit the bytes again, after a change: of the whole file, of the
 * indices. */
void sample_rehash(sample *made);

/* Compresses the bytes as they are into gz, and sets gz_bytes and gz_sha256. */
void sample_compress(sample *made);

/* A split that waits for its first byte, in memory of its own; its file's place is a block of
 * exactly the expected size, so that a sanitizer sees a byte too far. */
gd_split *sample_open(const gd_expectation *expectation);
void sample_close(gd_split *split);

/* Puts n bytes into the room (a copy of them is read) and says so. */
gd_status sample_append(gd_split *split, const uint8_t *bytes, uint32_t n, gd_report *report);

/* Loads all bytes of the sample, uncompressed, and finishes. */
gd_status sample_load(gd_split *split, const sample *made, gd_report *report);

#endif
