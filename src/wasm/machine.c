/* The engine's exports for what it runs on: see src/wasm/engine.c for the list. */
#include "nn/pool.h"
#include "nn/self_check.h"
#include "wasm/model.h"

static gd_pool *pool;
static void *pool_block;
static unsigned n_started = 1;

gd_pool *gd_engine_pool(void) {
  return pool;
}

GD_EXPORT(int32_t, self_check, (void)) {
  gd_report *report = gd_last_report();
  gd_arena arena;
  gd_arena_init_measuring(&arena);
  gd_status status = gd_self_check(&arena, pool, report);
  if (status != GD_OK) {
    return gd_result(status);
  }
  size_t bytes = arena.used;
  void *block = gd_block_allocate(bytes);
  if (block == NULL) {
    return gd_result(GD_OUT_OF_MEMORY);
  }
  gd_arena_init(&arena, block, bytes);
  status = gd_self_check(&arena, pool, report);
  gd_block_free(block);
  return gd_result(status);
}

static void stop_threads(void) {
  gd_pool_stop(pool);
  gd_block_free(pool_block);
  pool = NULL;
  pool_block = NULL;
  n_started = 1;
}

static gd_status start_threads(unsigned n) {
  gd_arena arena;
  gd_arena_init_measuring(&arena);
  gd_status status = gd_pool_start(&arena, n, &pool);
  if (status != GD_OK) {
    return status;
  }
  size_t bytes = arena.used;
  pool_block = gd_block_allocate(bytes);
  if (pool_block == NULL) {
    return GD_OUT_OF_MEMORY;
  }
  gd_arena_init(&arena, pool_block, bytes);
  return gd_pool_start(&arena, n, &pool);
}

static int32_t report_threads(unsigned n_most, unsigned n) {
  return gd_result(gd_report_numbers(gd_last_report(), GD_FIELD_OUT_OF_RANGE, GD_NO_OFFSET,
                                     "threads", n_most, n));
}

GD_EXPORT(int32_t, threads, (uint32_t n)) {
  if (n < 1 || n > GD_MAX_THREADS) {
    return report_threads(GD_MAX_THREADS, n);
  }
  stop_threads();
  gd_status status = n == 1 ? GD_OK : start_threads(n);
  if (status != GD_OK) {
    stop_threads();
    return gd_result(status);
  }
  n_started = n;
  return (int32_t)n;
}

/* Of a thread that JavaScript starts: as much as the first one has, for the kernels keep their tiles there. */
#define THREAD_STACK_BYTES (256 * 1024)

GD_EXPORT(void *, thread_stack, (void)) {
  uint8_t *stack = gd_block_allocate(THREAD_STACK_BYTES);
  return stack == NULL ? NULL : stack + THREAD_STACK_BYTES; /* stacks grow downwards */
}

#ifdef GD_THREADS
__asm__(".globaltype __stack_pointer, i32");

/* On an instance of its own; nothing here may need a stack before it is there. */
GD_EXPORT(void, thread_serve, (void *stack, uint32_t index)) {
  __asm__ volatile("local.get %0\n\tglobal.set __stack_pointer" : : "r"(stack));
  gd_thread_serve(index);
}
#endif

GD_EXPORT(int32_t, threads_use, (uint32_t n)) {
  if (n < 1 || n > n_started) {
    return report_threads(n_started, n);
  }
  if (pool != NULL) {
    gd_pool_use(pool, n);
  }
  return (int32_t)n;
}
