#include "nn/thread.h"

#include <stddef.h>

#ifdef GD_THREADS
#ifdef __wasm__

typedef struct desk {
  atomic_uint is_busy;
  void (*work)(void *);
  void *argument;
} desk;

static desk desks[GD_MAX_THREADS];

gd_status gd_thread_start(unsigned index, void (*work)(void *), void *argument) {
  desk *its = &desks[index];
  its->work = work;
  its->argument = argument;
  atomic_store(&its->is_busy, 1);
  gd_thread_wake(&its->is_busy);
  return GD_OK;
}

void gd_thread_join(unsigned index) {
  while (atomic_load(&desks[index].is_busy) != 0) {
    gd_thread_sleep(&desks[index].is_busy, 1);
  }
}

void gd_thread_serve(unsigned index) {
  desk *its = &desks[index];
  for (;;) {
    while (atomic_load(&its->is_busy) == 0) {
      gd_thread_sleep(&its->is_busy, 0);
    }
    its->work(its->argument);
    atomic_store(&its->is_busy, 0);
    gd_thread_wake(&its->is_busy);
  }
}

/* JavaScript's Atomics.wait (web/instance.js): WebAssembly's own instruction may sleep at a wrong address in V8 11.3's
 * baseline code, for ever. */
__attribute__((import_module("env"), import_name("gd_thread_sleep"))) void
js_thread_sleep(atomic_uint *place, unsigned value);

void gd_thread_sleep(atomic_uint *place, unsigned value) {
  js_thread_sleep(place, value);
}

void gd_thread_wake(atomic_uint *place) {
  __builtin_wasm_memory_atomic_notify((int *)place, GD_MAX_THREADS);
}

#else

#include <pthread.h>

typedef struct job {
  pthread_t thread;
  void (*work)(void *);
  void *argument;
} job;

static job jobs[GD_MAX_THREADS];
/* Of all sleepers at all places: they are few, and sleep seldom. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *carry_out(void *argument) {
  job *mine = argument;
  mine->work(mine->argument);
  return NULL;
}

gd_status gd_thread_start(unsigned index, void (*work)(void *), void *argument) {
  job *its = &jobs[index];
  its->work = work;
  its->argument = argument;
  return pthread_create(&its->thread, NULL, carry_out, its) == 0 ? GD_OK : GD_OUT_OF_MEMORY;
}

void gd_thread_join(unsigned index) {
  pthread_join(jobs[index].thread, NULL);
}

void gd_thread_sleep(atomic_uint *place, unsigned value) {
  pthread_mutex_lock(&mutex);
  if (atomic_load(place) == value) {
    pthread_cond_wait(&changed, &mutex);
  }
  pthread_mutex_unlock(&mutex);
}

void gd_thread_wake(atomic_uint *place) {
  (void)place;
  pthread_mutex_lock(&mutex);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

#endif
#endif
