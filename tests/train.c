/* One run on real images, natively: prints its digests, to be compared with those of the engine.
 *
 *   train-<numerics> TRAIN.bin VALIDATION.bin THREADS NUMBER...
 *
 * The files are splits; the numbers are those of a configuration, in the order of gd_config_check.
 * tests/engine-bits.test.mjs runs it. */
#include "base/text.h"
#include "lab/run.h"
#include "nn/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A split's bytes, the caller's to free; NULL where the file is not one of n_images. */
static uint8_t *read_split(const char *path, uint32_t n_images, gd_images *images) {
  gd_layout layout;
  FILE *file = fopen(path, "rb");
  if (file == NULL || gd_layout_of(n_images, &layout) != GD_OK) {
    return NULL;
  }
  uint8_t *bytes = malloc(layout.bytes);
  const size_t n = fread(bytes, 1, layout.bytes, file);
  const int is_whole = n == layout.bytes && fgetc(file) == EOF;
  fclose(file);
  if (!is_whole || memcmp(bytes, GD_MAGIC, GD_MAGIC_BYTES) != 0) {
    free(bytes);
    return NULL;
  }
  *images = (gd_images){bytes + layout.pixel_offset, bytes + layout.label_offset, n_images};
  return bytes;
}

static void print_digest(const char *name, const uint8_t digest[GD_SHA256_BYTES]) {
  char hex[GD_SHA256_TEXT_BYTES];
  gd_text_hex(hex, digest, GD_SHA256_BYTES);
  printf("%s %s\n", name, hex);
}

static gd_status start_pool(unsigned n_threads, gd_pool **pool) {
  static _Alignas(GD_ARENA_ALIGNMENT) uint8_t block[65536];
  gd_arena arena;
  gd_arena_init(&arena, block, sizeof block);
  return gd_pool_start(&arena, n_threads, pool);
}

static gd_status train(const gd_config *config, const gd_images *images, unsigned n_threads,
                       gd_report *report) {
  uint64_t bytes = 0;
  gd_arena arena;
  gd_run *run = NULL;
  gd_pool *pool = NULL;
  gd_status status = gd_run_bytes(config, images[1].n_images, &bytes, report);
  void *block = status == GD_OK ? aligned_alloc(GD_ARENA_ALIGNMENT, (size_t)bytes) : NULL;
  if (block == NULL) {
    return GD_OUT_OF_MEMORY;
  }
  gd_arena_init(&arena, block, (size_t)bytes);
  status = gd_run_create(&arena, config, &images[0], &images[1], NULL, &run, report);
  if (status == GD_OK) {
    status = start_pool(n_threads, &pool);
  }
  gd_run_event event = GD_EVENT_INITIALIZING;
  while (status == GD_OK && event != GD_EVENT_FINISHED) {
    status = gd_run_step(run, pool, &event, report);
  }
  if (status == GD_OK) {
    print_digest("initialization", run->initialization_sha256);
    print_digest("selected", run->selected_sha256);
    print_digest("final", run->final_sha256);
  }
  gd_pool_stop(pool);
  free(block);
  return status;
}

int main(int n_arguments, char **arguments) {
  double values[GD_N_CONFIG_VALUES];
  gd_config config;
  gd_images images[2];
  gd_report report = {0};
  if (n_arguments != 4 + GD_N_CONFIG_VALUES) {
    return 2;
  }
  for (int i = 0; i < GD_N_CONFIG_VALUES; i++) {
    values[i] = strtod(arguments[4 + i], NULL);
  }
  uint8_t *train_bytes = read_split(arguments[1], 10000, &images[0]);
  uint8_t *validation_bytes = read_split(arguments[2], 2000, &images[1]);
  const unsigned n_threads = (unsigned)strtoul(arguments[3], NULL, 10);
  gd_status status = train_bytes == NULL || validation_bytes == NULL ? GD_WRONG_MAGIC : GD_OK;
  if (status == GD_OK) {
    status = gd_config_check(values, &config, &report);
  }
  if (status == GD_OK) {
    status = train(&config, images, n_threads, &report);
  }
  if (status != GD_OK) {
    fprintf(stderr, "%s: %s\n", report.subject, gd_status_text(status));
  }
  free(train_bytes);
  free(validation_bytes);
  return status == GD_OK ? 0 : 1;
}
