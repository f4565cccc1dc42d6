/* Splits: the expectation must agree with itself, two splits must not share an image, and no file,
 * however wrong, makes the reader read what is not there. tests/verify.c goes through the faults.
 */
#include "dataset/split.h"

#include "sample.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static void refuse(const gd_expectation *expectation, gd_status status, const char *subject) {
  gd_report report;
  gd_arena arena;
  gd_split *split = NULL;
  size_t bytes = 0;
  assert_int_equal(gd_expectation_check(expectation, &report), status);
  assert_string_equal(report.subject, subject);
  assert_int_equal(gd_split_memory(expectation, &bytes, NULL), status);
  gd_arena_init(&arena, NULL, 0);
  assert_int_equal(gd_split_take(&arena, expectation, &split, NULL), status);
  assert_null(split);
}

static void refuses_contradictions(void **state) {
  (void)state;
  sample good;
  sample_make(&good, 1, 5);
  assert_int_equal(gd_expectation_check(&good.expectation, NULL), GD_OK);

  gd_expectation bad = good.expectation;
  bad.bytes += 4;
  refuse(&bad, GD_MANIFEST_INCONSISTENT, "bytes for this image count");

  bad = good.expectation;
  bad.n_images = 0;
  refuse(&bad, GD_MANIFEST_INCONSISTENT, "smallest image count");

  bad = good.expectation;
  bad.n_images = UINT32_MAX;
  refuse(&bad, GD_SIZE_OVERFLOW, "image count");

  bad = good.expectation;
  bad.n_collection = SAMPLE_IMAGES - 1;
  refuse(&bad, GD_MANIFEST_INCONSISTENT, "images of the collection");

  bad = good.expectation;
  bad.n_collection = UINT32_MAX;
  refuse(&bad, GD_MANIFEST_INCONSISTENT, "largest collection");

  bad = good.expectation;
  bad.class_counts[3]++;
  bad.class_counts[4]--;
  refuse(&bad, GD_MANIFEST_INCONSISTENT, "class count of a balanced split");
  bad.is_balanced = 0;
  assert_int_equal(gd_expectation_check(&bad, NULL), GD_OK);

  /* A sum that only fits after wrapping. */
  bad.class_counts[3] = UINT32_MAX;
  bad.class_counts[4] = 7;
  refuse(&bad, GD_MANIFEST_INCONSISTENT, "sum of the class counts");

  bad = good.expectation;
  memset(bad.id, 'x', sizeof bad.id);
  refuse(&bad, GD_MANIFEST_INCONSISTENT, "longest split id");
}

static void says_when_memory_is_short(void **state) {
  (void)state;
  sample good;
  gd_arena arena;
  gd_report report;
  size_t bytes = 0;
  gd_split *split = NULL;
  sample_make(&good, 1, 5);
  assert_int_equal(gd_split_memory(&good.expectation, &bytes, NULL), GD_OK);
  void *block = support_block(bytes);
  gd_arena_init(&arena, block, bytes - 64);
  assert_int_equal(gd_split_take(&arena, &good.expectation, &split, &report), GD_OUT_OF_MEMORY);
  assert_int_equal(report.status, GD_OUT_OF_MEMORY);
  assert_null(split);
  free(block);
}

static gd_split *load(uint32_t first_index, uint32_t n_collection) {
  sample made;
  sample_make(&made, 1, first_index);
  made.expectation.n_collection = n_collection;
  gd_split *split = sample_open(&made.expectation);
  assert_int_equal(sample_load(split, &made, NULL), GD_OK);
  return split;
}

static void finds_shared_images(void **state) {
  (void)state;
  gd_report report;
  gd_split *split = load(5, SAMPLE_COLLECTION);
  gd_split *apart = load(6, SAMPLE_COLLECTION);
  gd_split *overlapping = load(5 + 7 * 29, SAMPLE_COLLECTION); /* one index in common, the first */
  gd_split *elsewhere = load(5, SAMPLE_COLLECTION + 1);
  sample made;
  sample_make(&made, 1, 5);
  gd_split *unproven = sample_open(&made.expectation);
  assert_int_equal(gd_split_check_disjoint(split, apart, &report), GD_OK);
  assert_int_equal(gd_split_check_disjoint(split, elsewhere, &report), GD_OK);
  assert_int_equal(gd_split_check_disjoint(split, overlapping, &report), GD_SPLITS_OVERLAP);
  assert_int_equal(report.offset, SAMPLE_INDICES_AT);
  assert_string_equal(report.expected, "no index of sample");
  assert_string_equal(report.found, "208 in both");
  assert_int_equal(gd_split_check_disjoint(overlapping, split, &report), GD_SPLITS_OVERLAP);
  assert_int_equal(report.offset, SAMPLE_INDICES_AT + 4 * 29);
  assert_int_equal(gd_split_check_disjoint(split, unproven, &report), GD_WRONG_STATE);
  assert_int_equal(gd_split_check_disjoint(unproven, split, &report), GD_WRONG_STATE);
  sample_close(split);
  sample_close(apart);
  sample_close(overlapping);
  sample_close(elsewhere);
  sample_close(unproven);
}

/* Any value in any header field, with digests that fit: refused, and nothing is read elsewhere. */
static void survives_hostile_headers(void **state) {
  (void)state;
  static const uint32_t values[] = {0,          1,          27,           29,
                                    31,         33,         0x7fffffff,   0x80000000,
                                    0xfffffffc, 0xffffffff, SAMPLE_BYTES, SAMPLE_BYTES - 4};
  sample good;
  sample_make(&good, 1, 5);
  for (unsigned field = 8; field < 32; field += 4) {
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
      sample bad = good;
      gd_report report;
      for (unsigned byte = 0; byte < 4; byte++) {
        bad.bytes[field + byte] = (uint8_t)(values[i] >> (8 * byte));
      }
      sample_rehash(&bad);
      gd_split *split = sample_open(&bad.expectation);
      assert_int_not_equal(sample_load(split, &bad, &report), GD_OK);
      assert_int_equal(report.offset, field);
      sample_close(split);
    }
  }
}

/* Random damage anywhere: without rehashing always refused; with it, refused or only pixels and
 * indices have changed. */
static void survives_random_damage(void **state) {
  (void)state;
  uint64_t random = support_seed("survives_random_damage", 3);
  sample good;
  sample_make(&good, 1, 5);
  for (int round = 0; round < 1500; round++) {
    sample bad = good;
    uint32_t n_changes = 1 + support_below(&random, 4);
    uint32_t within = support_below(&random, 2) == 0 ? 32 : SAMPLE_BYTES;
    for (uint32_t i = 0; i < n_changes; i++) {
      bad.bytes[support_below(&random, within)] ^= (uint8_t)(1 + support_below(&random, 255));
    }
    int has_changed = memcmp(bad.bytes, good.bytes, SAMPLE_BYTES) != 0;
    gd_split *split = sample_open(&bad.expectation);
    assert_int_equal(sample_load(split, &bad, NULL), has_changed ? GD_WRONG_DIGEST : GD_OK);
    sample_close(split);

    sample_rehash(&bad);
    split = sample_open(&bad.expectation);
    if (sample_load(split, &bad, NULL) == GD_OK) {
      assert_memory_equal(bad.bytes, good.bytes, 32);
      assert_memory_equal(bad.bytes + SAMPLE_LABELS_AT, good.bytes + SAMPLE_LABELS_AT,
                          SAMPLE_INDICES_AT - SAMPLE_LABELS_AT);
    }
    sample_close(split);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses_contradictions), cmocka_unit_test(says_when_memory_is_short),
      cmocka_unit_test(finds_shared_images),    cmocka_unit_test(survives_hostile_headers),
      cmocka_unit_test(survives_random_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
