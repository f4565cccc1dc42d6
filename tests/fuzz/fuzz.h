/* What a fuzz target is made of: LLVMFuzzerTestOneInput (libFuzzer's name for it) gets bytes from the
 * fuzzer, hands them to the library, and checks what must hold for any bytes. A broken rule aborts, so
 * that the fuzzer keeps the input. */
#ifndef GD_TESTS_FUZZ_H
#define GD_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

#define MUST(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: must hold: %s\n", __FILE__, __LINE__, #condition);                   \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

#endif
