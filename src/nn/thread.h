/* Threads and how they wait for each other: what a pool (nn/pool.h) is made of. Only builds with GD_THREADS have them.
 * Natively they are the system's. In WebAssembly JavaScript owns them: it gives workers of its own to the library, each by
 * a call of gd_thread_serve on an instance of the same module over the same memory. */
#ifndef GD_NN_THREAD_H
#define GD_NN_THREAD_H

#include "base/status.h"

#include <stdatomic.h>

#define GD_MAX_THREADS 16

/* Calls work(argument) on thread `index` (1..GD_MAX_THREADS - 1), which must not be at work. In WebAssembly this begins
 * when JavaScript has given that thread, be it later. OUT_OF_MEMORY where the system refuses the thread. */
gd_status gd_thread_start(unsigned index, void (*work)(void *), void *argument);

/* Returns when the work of thread `index` has ended, and the thread has no more to do with its argument. */
void gd_thread_join(unsigned index);

/* Sleeps while *place is `value`. May return early: look again. */
void gd_thread_sleep(atomic_uint *place, unsigned value);

/* Wakes all who sleep at this place; call it after the place has got another value. */
void gd_thread_wake(atomic_uint *place);

#ifdef __wasm__
/* The calling worker is thread `index` from now on. Never returns: JavaScript ends the worker. */
void gd_thread_serve(unsigned index);
#endif

#endif
