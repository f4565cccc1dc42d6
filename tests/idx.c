/* The parts of the rebuild: IDX files, the permutation, the selection. */
#include "rebuild/idx.h"
#include "base/bytes.h"
#include "base/sha256.h"
#include "base/text.h"
#include "dataset/format.h"
#include "rebuild/permutation.h"
#include "rebuild/selection.h"

#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { N_ITEMS = 3, IMAGES_BYTES = 16 + 784 * N_ITEMS, LABELS_BYTES = 8 + N_ITEMS };

static void make_images(uint8_t file[IMAGES_BYTES]) {
  static const uint8_t header[16] = {0, 0, 8, 3, 0, 0, 0, N_ITEMS, 0, 0, 0, 28, 0, 0, 0, 28};
  memset(file, 7, IMAGES_BYTES);
  memcpy(file, header, sizeof header);
}

static void make_labels(uint8_t file[LABELS_BYTES]) {
  static const uint8_t labels[LABELS_BYTES] = {0, 0, 8, 1, 0, 0, 0, N_ITEMS, 0, 5, 9};
  memcpy(file, labels, LABELS_BYTES);
}

/* Checks n bytes of a file, in a block of exactly that size. */
static gd_status check(gd_idx_kind kind, const uint8_t *file, size_t n, gd_report *report) {
  gd_checklist checks = {0};
  uint8_t *copy = support_exact(file, n);
  gd_status status = gd_idx_check(kind, copy, n, N_ITEMS, &checks, report);
  assert_ptr_equal(gd_checklist_first_fault(&checks) == NULL ? NULL : report,
                   status == GD_OK ? NULL : report);
  free(copy);
  return status;
}

static void refuse(gd_idx_kind kind, const uint8_t *file, size_t n, gd_status status,
                   uint64_t offset, const char *expected, const char *found) {
  gd_report report;
  assert_string_equal(gd_status_name(check(kind, file, n, &report)), gd_status_name(status));
  assert_int_equal(report.offset, offset);
  assert_string_equal(report.expected, expected);
  assert_string_equal(report.found, found);
}

static void accepts_good_files(void **state) {
  (void)state;
  uint8_t images[IMAGES_BYTES];
  uint8_t labels[LABELS_BYTES];
  gd_report report;
  make_images(images);
  make_labels(labels);
  assert_int_equal(gd_idx_bytes(GD_IDX_IMAGES, 60000), 47040016);
  assert_int_equal(gd_idx_bytes(GD_IDX_LABELS, 60000), 60008);
  assert_int_equal(check(GD_IDX_IMAGES, images, IMAGES_BYTES, &report), GD_OK);
  assert_int_equal(check(GD_IDX_LABELS, labels, LABELS_BYTES, &report), GD_OK);
}

static void refuses_bad_images(void **state) {
  (void)state;
  uint8_t good[IMAGES_BYTES];
  uint8_t labels[LABELS_BYTES];
  uint8_t bad[IMAGES_BYTES + 1] = {0};
  make_images(good);
  make_labels(labels);

  memcpy(bad, good, IMAGES_BYTES);
  bad[3] = 1;
  refuse(GD_IDX_IMAGES, bad, IMAGES_BYTES, GD_IDX_WRONG_MAGIC, 0, "0x00000803 (images)",
         "0x00000801 (labels)");
  bad[0] = 0x1f;
  refuse(GD_IDX_IMAGES, bad, IMAGES_BYTES, GD_IDX_WRONG_MAGIC, 0, "0x00000803 (images)",
         "0x1f000801");
  memcpy(bad, good, IMAGES_BYTES);
  bad[7] = 4;
  refuse(GD_IDX_IMAGES, bad, IMAGES_BYTES, GD_IDX_WRONG_COUNT, 4, "3", "4");
  memset(bad + 4, 255, 4);
  refuse(GD_IDX_IMAGES, bad, IMAGES_BYTES, GD_IDX_WRONG_COUNT, 4, "3", "4294967295");
  memcpy(bad, good, IMAGES_BYTES);
  bad[11] = 27;
  refuse(GD_IDX_IMAGES, bad, IMAGES_BYTES, GD_IDX_WRONG_DIMENSIONS, 8, "28 x 28", "27 x 28");
  memcpy(bad, good, IMAGES_BYTES);
  memset(bad + 12, 255, 4);
  refuse(GD_IDX_IMAGES, bad, IMAGES_BYTES, GD_IDX_WRONG_DIMENSIONS, 12, "28 x 28",
         "28 x 4294967295");
  memcpy(bad, good, IMAGES_BYTES);
  refuse(GD_IDX_IMAGES, bad, IMAGES_BYTES - 1, GD_IDX_TRUNCATED, IMAGES_BYTES - 1, "2368", "2367");
  refuse(GD_IDX_IMAGES, bad, IMAGES_BYTES + 1, GD_IDX_TRAILING, IMAGES_BYTES, "2368", "2369");
  for (size_t n = 0; n < 16; n++) {
    gd_report report;
    assert_int_equal(check(GD_IDX_IMAGES, good, n, &report), GD_IDX_TRUNCATED);
  }
}

static void refuses_bad_labels(void **state) {
  (void)state;
  uint8_t bad[LABELS_BYTES];
  make_labels(bad);
  bad[10] = 10;
  refuse(GD_IDX_LABELS, bad, LABELS_BYTES, GD_LABEL_OUT_OF_RANGE, 10, "0 to 9", "10");
  refuse(GD_IDX_LABELS, bad, LABELS_BYTES - 1, GD_IDX_TRUNCATED, LABELS_BYTES - 1, "11", "10");
  bad[3] = 3;
  refuse(GD_IDX_LABELS, bad, LABELS_BYTES, GD_IDX_WRONG_MAGIC, 0, "0x00000801 (labels)",
         "0x00000803 (images)");
}

/* The 10,000th number of the default seed is part of ISO C++'s [rand.predef]; the first five are in
 * mt19937ar.out's successors everywhere. */
static void gives_the_twister_s_numbers(void **state) {
  (void)state;
  static const uint32_t first[] = {3499211612u, 581869302u, 3890346734u, 3586334585u, 545404204u};
  gd_mt19937 generator;
  uint32_t last = 0;
  gd_mt19937_init(&generator, 5489);
  for (unsigned i = 0; i < 10000; i++) {
    last = gd_mt19937_next(&generator);
    if (i < 5) {
      assert_int_equal(last, first[i]);
    }
  }
  assert_int_equal(last, 4123659995u);
}

static void assert_pool(const uint32_t *pool, uint32_t n, const char *expected) {
  gd_sha256 hash;
  uint8_t digest[GD_SHA256_BYTES];
  char text[GD_SHA256_TEXT_BYTES];
  gd_sha256_init(&hash);
  for (uint32_t i = 0; i < n; i++) {
    uint8_t bytes[8];
    gd_store_u64_le(bytes, pool[i]);
    gd_sha256_update(&hash, bytes, sizeof bytes);
  }
  gd_sha256_read(&hash, digest);
  gd_text_hex(text, digest, sizeof digest);
  assert_string_equal(text, expected);
}

/* The parent split of the published experiment, by the manifest's digests. */
static void permutes_as_torch(void **state) {
  (void)state;
  uint32_t *permutation = support_block(60000 * sizeof *permutation);
  gd_permutation(20260909, 60000, permutation);
  assert_pool(permutation, 50000,
              "1083febc455815d0a5d7e9a387b9744d8b456a344b7088c7a9ca1235dade5fdf");
  assert_pool(permutation + 50000, 10000,
              "90bec5b643d05f06c9863616b685340f4bdb8a5647dbd51ecf30523f138d9b98");
  free(permutation);
}

static void permutes_small_numbers(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 20; n++) {
    uint32_t *permutation = (uint32_t *)(void *)support_exact(NULL, n * sizeof *permutation);
    uint32_t found = 0;
    gd_permutation(n, n, permutation);
    for (uint32_t i = 0; i < n; i++) {
      assert_true(permutation[i] < n);
      found |= 1u << permutation[i];
    }
    assert_int_equal(found, (1u << n) - 1);
    free(permutation);
  }
}

static void selects_in_the_pool_s_order(void **state) {
  (void)state;
  /* Image i shows digit (i / 2) % 10; the pool runs backwards and leaves out images 0 to 3. */
  uint8_t labels[60];
  uint32_t pool[56];
  uint32_t chosen[20];
  gd_report report;
  for (uint32_t i = 0; i < 60; i++) {
    labels[i] = (uint8_t)(i / 2 % 10);
  }
  for (uint32_t i = 0; i < 56; i++) {
    pool[i] = 59 - i;
  }
  assert_int_equal(gd_select_balanced(labels, pool, 56, 2, chosen, &report), GD_OK);
  for (uint32_t digit = 0; digit < 10; digit++) {
    assert_int_equal(chosen[digit], 41 + 2 * digit);
    assert_int_equal(chosen[10 + digit], 40 + 2 * digit);
  }
  assert_int_equal(gd_select_balanced(labels, NULL, 60, 2, chosen, &report), GD_OK);
  for (uint32_t digit = 0; digit < 10; digit++) {
    assert_int_equal(chosen[digit], 2 * digit);
    assert_int_equal(chosen[10 + digit], 2 * digit + 1);
  }
}

static void says_which_digit_is_scarce(void **state) {
  (void)state;
  uint8_t labels[40];
  uint32_t chosen[40];
  gd_report report;
  for (uint32_t i = 0; i < 40; i++) {
    labels[i] = (uint8_t)(i % 10);
  }
  labels[7] = 8;
  assert_int_equal(gd_select_balanced(labels, NULL, 40, 4, chosen, &report), GD_TOO_FEW_OF_A_DIGIT);
  assert_string_equal(report.expected, "4 images of digit 7");
  assert_string_equal(report.found, "3");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accepts_good_files),          cmocka_unit_test(refuses_bad_images),
      cmocka_unit_test(refuses_bad_labels),          cmocka_unit_test(gives_the_twister_s_numbers),
      cmocka_unit_test(permutes_as_torch),           cmocka_unit_test(permutes_small_numbers),
      cmocka_unit_test(selects_in_the_pool_s_order), cmocka_unit_test(says_which_digit_is_scarce),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
