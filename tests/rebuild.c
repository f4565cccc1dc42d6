/* The rebuild from end to end, on small files made here: what comes out is compared with what this
 * file selects and writes by itself, and every step that fails ends the rebuild. */
#include "rebuild/rebuild.h"
#include "base/gzip.h"
#include "rebuild/idx.h"
#include "rebuild/permutation.h"
#include "rebuild/preview.h"

#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum {
  N_TRAINING = 400,
  N_TRAIN_POOL = 300,
  N_TEST = 120,
  MAX_FILE = 16 + 784 * N_TRAINING,
  MAX_IMAGES = N_TEST > 100 ? N_TEST : 100,
  MAX_SPLIT = 32 + 789 * MAX_IMAGES + 3
};

typedef struct file {
  uint8_t bytes[MAX_FILE];
  size_t n;
} file;

/* In the order of the plan: training images, training labels, test images, test labels. */
static file plain[GD_N_SOURCES];
static file gz[GD_N_SOURCES];
static uint8_t splits[GD_N_SPLITS][MAX_SPLIT];
static gd_rebuild_plan plan;

static const uint32_t n_items[GD_N_SOURCES] = {N_TRAINING, N_TRAINING, N_TEST, N_TEST};
static const uint32_t n_per_digit[GD_N_SPLITS] = {10, 2, 5, 0};

static void put_u32_be(uint8_t *at, uint32_t value) {
  for (unsigned i = 0; i < 4; i++) {
    at[i] = (uint8_t)(value >> (24 - 8 * i));
  }
}

static void put_u32_le(uint8_t *at, uint32_t value) {
  for (unsigned i = 0; i < 4; i++) {
    at[i] = (uint8_t)(value >> (8 * i));
  }
}

static size_t compress(const uint8_t *bytes, size_t n, uint8_t *out, size_t out_bytes) {
  gd_arena arena;
  size_t n_out = 0;
  void *block = support_block(GD_GZIP_DEFLATE_MEMORY);
  gd_arena_init(&arena, block, GD_GZIP_DEFLATE_MEMORY);
  if (gd_gzip_deflate(&arena, bytes, n, out, out_bytes, &n_out) != GD_OK) {
    abort();
  }
  free(block);
  return n_out;
}

/* Pixels of few kinds, so that the compressed file is smaller; labels so that no digit is scarce.
 */
static void make_files(void) {
  uint64_t random = 7;
  for (unsigned source = 0; source < GD_N_SOURCES; source++) {
    file *made = &plain[source];
    int is_images = source % 2 == 0;
    put_u32_be(made->bytes, is_images ? 0x803 : 0x801);
    put_u32_be(made->bytes + 4, n_items[source]);
    put_u32_be(made->bytes + 8, 28);
    put_u32_be(made->bytes + 12, 28);
    made->n = is_images ? 16 + (size_t)784 * n_items[source] : 8 + n_items[source];
    for (size_t i = is_images ? 16 : 8; i < made->n; i++) {
      made->bytes[i] = is_images ? (uint8_t)(support_below(&random, 4) * 80)
                                 : (uint8_t)((i + support_below(&random, 3)) % 10);
    }
    gz[source].n = compress(made->bytes, made->n, gz[source].bytes, sizeof gz[source].bytes);
    gd_md5 md5;
    gd_md5_init(&md5);
    gd_md5_update(&md5, gz[source].bytes, gz[source].n);
    gd_md5_read(&md5, plan.originals[source].md5);
    gd_sha256_of(gz[source].bytes, gz[source].n, plan.originals[source].sha256);
    plan.originals[source].bytes = (uint32_t)gz[source].n;
  }
}

/* The k-th image of a digit in a pool, searched for from the start each time. */
static uint32_t find_image(const uint32_t *pool, uint32_t n_pool, const uint8_t *labels,
                           uint32_t digit, uint32_t k) {
  for (uint32_t i = 0; i < n_pool; i++) {
    if (labels[pool[i]] == digit && k-- == 0) {
      return pool[i];
    }
  }
  abort();
}

static void make_split(unsigned number, const char *id, const uint32_t *pool, uint32_t n_pool) {
  gd_expectation *expected = &plan.splits[number];
  const uint8_t *images = plain[number < GD_REBUILD_TEST ? 0 : 2].bytes + 16;
  const uint8_t *labels = plain[number < GD_REBUILD_TEST ? 1 : 3].bytes + 8;
  uint32_t n = number == GD_REBUILD_TEST_FULL ? n_pool : 10 * n_per_digit[number];
  uint32_t labels_at = 32 + 784 * n;
  uint32_t indices_at = (labels_at + n + 3) / 4 * 4;
  uint8_t *out = splits[number];
  memcpy(out, "GDMNIST1", 8);
  put_u32_le(out + 8, n);
  put_u32_le(out + 12, 28);
  put_u32_le(out + 16, 28);
  put_u32_le(out + 20, 32);
  put_u32_le(out + 24, labels_at);
  put_u32_le(out + 28, indices_at);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t image =
        number == GD_REBUILD_TEST_FULL ? pool[i] : find_image(pool, n_pool, labels, i % 10, i / 10);
    memcpy(out + 32 + (size_t)784 * i, images + (size_t)784 * image, 784);
    out[labels_at + i] = labels[image];
    put_u32_le(out + indices_at + (size_t)4 * i, image);
    expected->class_counts[labels[image]]++;
  }
  expected->bytes = indices_at + 4 * n;
  expected->n_images = n;
  expected->n_collection = number < GD_REBUILD_TEST ? N_TRAINING : N_TEST;
  expected->is_balanced = number != GD_REBUILD_TEST_FULL;
  gd_sha256_of(out, expected->bytes, expected->sha256);
  gd_sha256_of(out + indices_at, (size_t)4 * n, expected->index_sha256);
  strncpy(expected->id, id, sizeof expected->id - 1);

  uint8_t *packed = support_exact(NULL, 2 * MAX_SPLIT);
  expected->gz_bytes = (uint32_t)compress(out, expected->bytes, packed, (size_t)2 * MAX_SPLIT);
  gd_sha256_of(packed, expected->gz_bytes, expected->gz_sha256);
  free(packed);
}

static void hash_pool(const uint32_t *pool, uint32_t n, uint8_t digest[GD_SHA256_BYTES]) {
  gd_sha256 hash;
  gd_sha256_init(&hash);
  for (uint32_t i = 0; i < n; i++) {
    uint8_t bytes[8] = {0};
    put_u32_le(bytes, pool[i]);
    gd_sha256_update(&hash, bytes, sizeof bytes);
  }
  gd_sha256_read(&hash, digest);
}

static gd_rebuild *begin(const gd_rebuild_plan *wanted) {
  size_t bytes = 0;
  gd_arena arena;
  gd_rebuild *rebuild = NULL;
  assert_int_equal(gd_rebuild_memory(wanted, &bytes, NULL), GD_OK);
  gd_arena_init(&arena, support_block(bytes), bytes);
  assert_int_equal(gd_rebuild_take(&arena, wanted, &rebuild, NULL), GD_OK);
  assert_int_equal(arena.used, bytes);
  assert_int_equal(rebuild->next, 0);
  return rebuild;
}

static int source_of(gd_rebuild_step step) {
  return step <= GD_STEP_TRAINING_LABELS ? (int)step : (int)(step - GD_STEP_TEST_IMAGES + 2);
}

/* The next step, with the file that it may want. */
static gd_status advance(gd_rebuild *rebuild, const file files[GD_N_SOURCES], gd_report *report) {
  gd_rebuild_step step = rebuild->next;
  if (!gd_rebuild_step_takes_file(step)) {
    return gd_rebuild_work(rebuild, step, report);
  }
  const file *source = &files[source_of(step)];
  uint8_t *copy = support_exact(source->bytes, source->n);
  gd_status status = gd_rebuild_accept(rebuild, step, copy, source->n, report);
  free(copy);
  return status;
}

/* Until it is done or refused. */
static gd_status run(gd_rebuild *rebuild, const file files[GD_N_SOURCES], gd_report *report) {
  gd_status status = GD_OK;
  while (status == GD_OK && rebuild->next < GD_N_STEPS) {
    status = advance(rebuild, files, report);
    assert_true(rebuild->checks.n_checks > 0);
    assert_true((gd_checklist_first_fault(&rebuild->checks) == NULL) == (status == GD_OK));
  }
  return status;
}

static int set_up(void **state) {
  (void)state;
  uint32_t pools[N_TRAINING];
  uint32_t test[N_TEST];
  make_files();
  gd_permutation(11, N_TRAINING, pools); /* has a test of its own */
  for (uint32_t i = 0; i < N_TEST; i++) {
    test[i] = i;
  }
  plan.seed = 11;
  plan.n_train_pool = N_TRAIN_POOL;
  plan.n_preview = 20;
  hash_pool(pools, N_TRAIN_POOL, plan.train_pool_sha256);
  hash_pool(pools + N_TRAIN_POOL, N_TRAINING - N_TRAIN_POOL, plan.validation_pool_sha256);
  make_split(GD_REBUILD_TRAIN, "train", pools, N_TRAIN_POOL);
  make_split(GD_REBUILD_VALIDATION, "validation", pools + N_TRAIN_POOL, N_TRAINING - N_TRAIN_POOL);
  make_split(GD_REBUILD_TEST, "test", test, N_TEST);
  make_split(GD_REBUILD_TEST_FULL, "test-full", test, N_TEST);

  /* What the preview is comes from the library; the real one is compared with the manifest's digest
   * when the dataset is built. */
  gd_rebuild *rebuild = begin(&plan);
  if (run(rebuild, plain, NULL) != GD_WRONG_PREVIEW_SIZE) {
    return -1;
  }
  plan.preview_bytes = (uint32_t)rebuild->preview_bytes;
  gd_sha256_of(rebuild->preview, rebuild->preview_bytes, plan.preview_sha256);
  free(rebuild);
  return 0;
}

static void assert_outputs(const file files[GD_N_SOURCES]) {
  gd_report report;
  gd_rebuild *rebuild = begin(&plan);
  unsigned n_splits = 0;
  while (rebuild->next < GD_N_STEPS) {
    gd_rebuild_step step = rebuild->next;
    assert_int_equal(advance(rebuild, files, &report), GD_OK);
    const gd_split *split = gd_rebuild_split_of(rebuild, step);
    if (split != NULL) {
      const gd_expectation *expected = &plan.splits[n_splits];
      assert_memory_equal(split->bytes, splits[n_splits], expected->bytes);
      assert_int_equal(rebuild->gz_bytes, expected->gz_bytes);
      assert_int_equal(split->state, GD_SPLIT_VERIFIED);
      assert_true(rebuild->checks.n_checks >= 15);
      n_splits++;
    }
  }
  assert_int_equal(n_splits, GD_N_SPLITS);
  free(rebuild);
}

static void rebuilds_from_plain_files(void **state) {
  (void)state;
  assert_outputs(plain);
}

static void rebuilds_from_originals(void **state) {
  (void)state;
  assert_outputs(gz);
}

static void names_its_steps(void **state) {
  (void)state;
  assert_string_equal(gd_rebuild_step_id(GD_STEP_TRAINING_IMAGES), "training-images");
  assert_string_equal(gd_rebuild_step_id(GD_STEP_TEST_FULL), "test-full");
  assert_string_equal(gd_rebuild_step_id((gd_rebuild_step)GD_N_STEPS), "done");
  assert_string_equal(gd_rebuild_step_id((gd_rebuild_step)GD_STEP_REFUSED), "refused");
  assert_string_equal(gd_rebuild_step_id((gd_rebuild_step)99), "no step");
}

/* At every point every step but the due one is refused, and does no harm: so no test file is
 * accepted before train, validation and the preview are done. */
static void keeps_the_order(void **state) {
  (void)state;
  gd_report report;
  gd_rebuild *rebuild = begin(&plan);
  while (rebuild->next < GD_N_STEPS) {
    for (unsigned step = 0; step <= GD_STEP_REFUSED + 1; step++) {
      int is_due = step == rebuild->next;
      if (!(is_due && gd_rebuild_step_takes_file((gd_rebuild_step)step))) {
        assert_int_equal(
            gd_rebuild_accept(rebuild, (gd_rebuild_step)step, plain[0].bytes, plain[0].n, &report),
            GD_WRONG_STATE);
        assert_string_equal(report.expected, gd_rebuild_step_id(rebuild->next));
      }
      if (!(is_due && !gd_rebuild_step_takes_file((gd_rebuild_step)step))) {
        assert_int_equal(gd_rebuild_work(rebuild, (gd_rebuild_step)step, &report), GD_WRONG_STATE);
      }
    }
    assert_int_equal(advance(rebuild, plain, &report), GD_OK);
  }
  assert_int_equal(gd_rebuild_work(rebuild, (gd_rebuild_step)GD_N_STEPS, &report), GD_WRONG_STATE);
  free(rebuild);
}

/* One file changed: the step that must refuse it, with which status. */
static void refuse_file(const file *files, gd_rebuild_step step, gd_status status,
                        uint64_t offset) {
  gd_report report;
  gd_rebuild *rebuild = begin(&plan);
  while (rebuild->next != step) {
    assert_int_equal(advance(rebuild, files, &report), GD_OK);
  }
  assert_string_equal(gd_status_name(advance(rebuild, files, &report)), gd_status_name(status));
  assert_int_equal(report.offset, offset);
  assert_int_equal(rebuild->next, GD_STEP_REFUSED);
  for (unsigned other = 0; other <= GD_STEP_REFUSED; other++) {
    assert_int_equal(gd_rebuild_work(rebuild, (gd_rebuild_step)other, &report), GD_WRONG_STATE);
  }
  free(rebuild);
}

static file *copy_files(const file from[GD_N_SOURCES]) {
  return (file *)(void *)support_exact(from, GD_N_SOURCES * sizeof(file));
}

static void refuses_bad_plain_files(void **state) {
  (void)state;
  file *files = copy_files(plain);
  files[0].n--;
  refuse_file(files, GD_STEP_TRAINING_IMAGES, GD_IDX_TRUNCATED, plain[0].n - 1);
  files[0].n = 0;
  refuse_file(files, GD_STEP_TRAINING_IMAGES, GD_IDX_TRUNCATED, 0);
  files[0] = plain[2]; /* the test images under the training images' name */
  refuse_file(files, GD_STEP_TRAINING_IMAGES, GD_IDX_WRONG_COUNT, 4);
  files[0] = plain[0];
  files[1] = plain[0]; /* images as labels */
  refuse_file(files, GD_STEP_TRAINING_LABELS, GD_IDX_WRONG_MAGIC, 0);
  files[1] = plain[1];
  files[3].n++;
  refuse_file(files, GD_STEP_TEST_LABELS, GD_IDX_TRAILING, plain[3].n);
  files[3] = plain[3];
  files[3].bytes[8 + 33] = 200;
  refuse_file(files, GD_STEP_TEST_LABELS, GD_LABEL_OUT_OF_RANGE, 8 + 33);
  free(files);
}

/* Well-formed, but not MNIST: the splits' digests tell. */
static void refuses_other_data(void **state) {
  (void)state;
  file *files = copy_files(plain);
  uint32_t first = gd_idx_header_bytes(GD_IDX_IMAGES);
  for (uint32_t i = 0; i < N_TRAINING; i++) {
    files[0].bytes[first + (size_t)784 * i] ^= 1;
  }
  gd_report report;
  gd_rebuild *rebuild = begin(&plan);
  assert_int_equal(run(rebuild, files, &report), GD_WRONG_DIGEST);
  assert_string_equal(report.subject, "SHA-256");
  free(rebuild);

  files[0] = plain[0];
  memset(files[1].bytes + 8, 3, N_TRAINING); /* nothing but threes */
  refuse_file(files, GD_STEP_TRAIN, GD_TOO_FEW_OF_A_DIGIT, GD_NO_OFFSET);
  free(files);
}

static void refuses_bad_originals(void **state) {
  (void)state;
  file *files = copy_files(gz);
  gd_rebuild_plan kept = plan;
  files[0].n--;
  refuse_file(files, GD_STEP_TRAINING_IMAGES, GD_SOURCE_WRONG_SIZE, gz[0].n - 1);
  files[0].n++;
  files[0].bytes[gz[0].n / 2] ^= 1;
  refuse_file(files, GD_STEP_TRAINING_IMAGES, GD_SOURCE_WRONG_MD5, GD_NO_OFFSET);
  files[0] = gz[0];
  plan.originals[0].sha256[0] ^= 1;
  refuse_file(files, GD_STEP_TRAINING_IMAGES, GD_SOURCE_WRONG_DIGEST, GD_NO_OFFSET);
  plan = kept;

  /* A damaged file that the manifest means: decompression tells. Its last four bytes are the length
   * (RFC 1952). */
  files[0].bytes[gz[0].n - 1] ^= 1;
  gd_md5 md5;
  gd_md5_init(&md5);
  gd_md5_update(&md5, files[0].bytes, files[0].n);
  gd_md5_read(&md5, plan.originals[0].md5);
  gd_sha256_of(files[0].bytes, files[0].n, plan.originals[0].sha256);
  refuse_file(files, GD_STEP_TRAINING_IMAGES, GD_GZIP_CORRUPT, gz[0].n);
  plan = kept;

  /* Larger than the file should be, once decompressed. */
  files[0] = gz[0];
  files[1] = gz[0];
  plan.originals[1] = plan.originals[0];
  refuse_file(files, GD_STEP_TRAINING_LABELS, GD_IDX_TRAILING, plain[1].n);
  plan = kept;
  free(files);
}

/* The plan's own digests. */
static void finds_wrong_digests(void **state) {
  (void)state;
  gd_rebuild_plan kept = plan;
  plan.seed++;
  refuse_file(plain, GD_STEP_POOLS, GD_WRONG_POOL_DIGEST, GD_NO_OFFSET);
  plan = kept;
  plan.validation_pool_sha256[5] ^= 1;
  refuse_file(plain, GD_STEP_POOLS, GD_WRONG_POOL_DIGEST, GD_NO_OFFSET);
  plan = kept;
  plan.preview_sha256[0] ^= 1;
  refuse_file(plain, GD_STEP_PREVIEW, GD_WRONG_PREVIEW_DIGEST, GD_NO_OFFSET);
  plan = kept;
  plan.splits[GD_REBUILD_VALIDATION].gz_sha256[0] ^= 1;
  refuse_file(plain, GD_STEP_VALIDATION, GD_WRONG_GZIP_DIGEST, GD_NO_OFFSET);
  plan = kept;
  plan.splits[GD_REBUILD_TEST].sha256[0] ^= 1;
  refuse_file(plain, GD_STEP_TEST, GD_WRONG_DIGEST, GD_NO_OFFSET);
  plan = kept;
  plan.splits[GD_REBUILD_TEST_FULL].index_sha256[0] ^= 1;
  refuse_file(plain, GD_STEP_TEST_FULL, GD_WRONG_INDEX_DIGEST,
              plan.splits[GD_REBUILD_TEST_FULL].bytes - 4 * N_TEST);
  plan = kept;
}

static void refuse_plan(const gd_rebuild_plan *bad, const char *subject) {
  gd_report report;
  size_t bytes = 0;
  gd_arena arena;
  gd_rebuild *rebuild = NULL;
  assert_int_equal(gd_rebuild_memory(bad, &bytes, &report), GD_MANIFEST_INCONSISTENT);
  assert_string_equal(report.subject, subject);
  gd_arena_init(&arena, NULL, 0);
  assert_int_equal(gd_rebuild_take(&arena, bad, &rebuild, NULL), GD_MANIFEST_INCONSISTENT);
  assert_null(rebuild);
}

static void refuses_contradicting_plans(void **state) {
  (void)state;
  gd_rebuild_plan bad = plan;
  bad.splits[GD_REBUILD_VALIDATION].n_collection++;
  refuse_plan(&bad, "training collection of validation");
  bad = plan;
  bad.splits[GD_REBUILD_TEST].n_collection++;
  refuse_plan(&bad, "test collection of test-full");
  bad = plan;
  bad.splits[GD_REBUILD_TEST].n_collection++;
  bad.splits[GD_REBUILD_TEST_FULL].n_collection++;
  refuse_plan(&bad, "images of test-full");
  bad = plan;
  bad.splits[GD_REBUILD_TEST].is_balanced = 0;
  refuse_plan(&bad, "balance of a split");
  bad = plan;
  bad.n_train_pool = N_TRAINING + 1;
  refuse_plan(&bad, "images of the train pool");
  bad = plan;
  bad.n_preview = 101;
  refuse_plan(&bad, "images of the preview");
  bad = plan;
  bad.splits[GD_REBUILD_TRAIN].bytes++;
  refuse_plan(&bad, "bytes for this image count");
}

static void says_when_memory_is_short(void **state) {
  (void)state;
  size_t bytes = 0;
  gd_arena arena;
  gd_rebuild *rebuild = NULL;
  assert_int_equal(gd_rebuild_memory(&plan, &bytes, NULL), GD_OK);
  void *block = support_block(bytes);
  for (size_t given = 0; given < bytes; given += bytes / 7) {
    gd_arena_init(&arena, block, given);
    assert_int_equal(gd_rebuild_take(&arena, &plan, &rebuild, NULL), GD_OUT_OF_MEMORY);
    assert_null(rebuild);
  }
  free(block);
}

/* Of one example: how the text is indented, and where its values come from. */
static void writes_the_preview(void **state) {
  (void)state;
  gd_report report;
  gd_rebuild *rebuild = begin(&plan);
  while (rebuild->next <= GD_STEP_PREVIEW) {
    assert_int_equal(advance(rebuild, plain, &report), GD_OK);
  }
  static const char head[] = "{\n  \"dataset\": \"MNIST\",\n"
                             "  \"encoding\": \"base64 uint8, row-major 784 bytes, black=0 "
                             "white=255\",\n  \"examples\": [\n    {\n"
                             "      \"browser_index\": 0,\n      \"label\": 0,\n"
                             "      \"original_index\": ";
  static const char tail[] = "\"\n    }\n  ],\n  \"selection\": \"First 20 browser training "
                             "examples: two of each digit, no outcome selection.\",\n"
                             "  \"shape\": [\n    28,\n    28\n  ],\n"
                             "  \"split\": \"train\"\n}\n";
  const uint8_t *text = rebuild->preview;
  size_t n = rebuild->preview_bytes;
  assert_memory_equal(text, head, sizeof head - 1);
  assert_memory_equal(text + n - (sizeof tail - 1), tail, sizeof tail - 1);
  assert_true(n <= gd_preview_bound(plan.n_preview));
  assert_int_equal(strtoul((const char *)text + sizeof head - 1, NULL, 10),
                   gd_split_index(rebuild->splits[GD_REBUILD_TRAIN], 0));
  free(rebuild);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rebuilds_from_plain_files),
      cmocka_unit_test(rebuilds_from_originals),
      cmocka_unit_test(names_its_steps),
      cmocka_unit_test(keeps_the_order),
      cmocka_unit_test(refuses_bad_plain_files),
      cmocka_unit_test(refuses_other_data),
      cmocka_unit_test(refuses_bad_originals),
      cmocka_unit_test(finds_wrong_digests),
      cmocka_unit_test(refuses_contradicting_plans),
      cmocka_unit_test(says_when_memory_is_short),
      cmocka_unit_test(writes_the_preview),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
