/* One split (train, validation, test, test-full): it arrives in pieces at its final place, is
 * hashed on the way, checked against the manifest's expectation, and then stays where it is. */
#ifndef GD_DATASET_SPLIT_H
#define GD_DATASET_SPLIT_H

#include "base/arena.h"
#include "base/gzip.h"
#include "base/sha256.h"
#include "base/status.h"
#include "dataset/check.h"
#include "dataset/format.h"

#include <stdbool.h>
#include <stdint.h>

/* No collection is larger: bounds the memory that a wrong manifest can ask for. */
#define GD_MAX_COLLECTION (1u << 24)

/* What the manifest says about a split. The page fills it byte by byte: fixed widths, no padding.
 */
typedef struct gd_expectation {
  uint32_t bytes;    /* of the file */
  uint32_t gz_bytes; /* of the compressed file */
  uint32_t n_images;
  uint32_t class_counts[GD_N_CLASSES];
  uint32_t n_collection; /* images of the source collection that the indices point into */
  uint32_t is_balanced;  /* 1: image i is a picture of digit i mod 10; 0: any order */
  uint8_t sha256[GD_SHA256_BYTES];
  uint8_t gz_sha256[GD_SHA256_BYTES];    /* of the compressed file */
  uint8_t index_sha256[GD_SHA256_BYTES]; /* of the indices alone, as they stand in the file */
  char id[16];                           /* "train"; NUL-terminated */
} gd_expectation;

/* Says whether the expectation agrees with itself: bytes as the layout of n_images, class counts
 * that add up to n_images (and are equal where balanced), n_images <= n_collection <=
 * GD_MAX_COLLECTION, an id that ends. MANIFEST_INCONSISTENT, or SIZE_OVERFLOW. */
gd_status gd_expectation_check(const gd_expectation *expectation, gd_report *report);

typedef enum gd_split_state {
  GD_SPLIT_LOADING,
  GD_SPLIT_VERIFIED,
  GD_SPLIT_REFUSED
} gd_split_state;

/* Fields are for reading; only the functions below change them. */
typedef struct gd_split {
  gd_expectation expected;
  gd_layout layout; /* of expected.n_images: no offset is ever taken from the file */
  gd_split_state state;
  uint8_t *bytes;    /* (expected.bytes) the file at its final place, 64-byte aligned */
  uint32_t n_bytes;  /* arrived */
  uint32_t n_hashed; /* of those, from the first on */
  gd_sha256 hash;    /* of those */
  uint64_t n_gz_bytes;
  gd_sha256 gz_hash;
  gd_gunzip *gunzip; /* used where the browser cannot decompress */
  bool uses_gunzip;
  uint8_t *is_member; /* one bit for each image of the collection: the split holds it */
  gd_checklist checks;
} gd_split;

/* Bytes of arena that gd_split_take needs: the file, and some 100 kB. Faults of
 * gd_expectation_check. */
gd_status gd_split_memory(const gd_expectation *expectation, size_t *bytes, gd_report *report);

/* Checks the expectation, copies it, takes the memory, and waits for the first byte. Everything
 * belongs to the arena, the gd_split being the first piece: to give a split up, give up its block.
 * OUT_OF_MEMORY where the arena has no room; faults of gd_expectation_check. On failure *out is
 * NULL. */
gd_status gd_split_take(gd_arena *arena, const gd_expectation *expectation, gd_split **out,
                        gd_report *report);

/* Where the next raw bytes go, and for how many there is room. */
uint8_t *gd_split_room(gd_split *split, uint32_t *room_bytes);

/* n raw bytes have been written at the room. With n > room_bytes nothing is read and
 * the load ends with TOO_LONG. A refused split stays refused: WRONG_STATE. */
gd_status gd_split_append(gd_split *split, uint32_t n, gd_report *report);

/* Hashes raw bytes that have arrived, up to n_bytes = `end`. Whoever loads decides when, so that it can be done beside
 * the rest: another thread may call it while this one appends, inflates, or reads n_bytes; nothing else may go on then.
 * gd_split_finish hashes what is left. */
void gd_split_hash(gd_split *split, uint32_t end);

/* n compressed bytes have passed by: counts and hashes them. TOO_LONG at the first byte too many.
 */
gd_status gd_split_gzip_hash(gd_split *split, const uint8_t *bytes, uint32_t n, gd_report *report);

/* Decompresses n compressed bytes into the room (does not count or hash
 * the compressed bytes: gd_split_gzip_hash does). Faults of gd_gunzip_feed; after one the
 * compressed bytes can still be hashed to their end, so that gd_split_finish tells whether the file
 * arrived as the manifest knows it; but TOO_LONG ends the load. Not to be mixed with
 * gd_split_append in one load: WRONG_STATE. */
gd_status gd_split_inflate(gd_split *split, const uint8_t *bytes, uint32_t n, gd_report *report);

/* After the last byte: makes every check (dataset/verify.h lists them) and enters it into
 * split->checks. Returns the first fault, in that order; the split is then refused, otherwise it is
 * verified. `was_gzip`: compressed bytes passed by, and are checked too. */
gd_status gd_split_finish(gd_split *split, bool was_gzip, gd_report *report);

/* Of a verified split: (n_images, 784) pixels, (n_images) labels, 64-byte and 1-byte aligned. */
const uint8_t *gd_split_pixels(const gd_split *split);
const uint8_t *gd_split_labels(const gd_split *split);

/* Of a verified split: where image i stands in its source collection. */
uint32_t gd_split_index(const gd_split *split, uint32_t i);

/* Says whether two verified splits share no image: SPLITS_OVERLAP names the first index of b that
 * is in a too, at its offset in b. Collections of different sizes are different collections, whose
 * indices have nothing to do with each other. WRONG_STATE where one is not verified. */
gd_status gd_split_check_disjoint(const gd_split *a, const gd_split *b, gd_report *report);

#endif
