/* What one core can do at most with 128-bit vectors in this tab: 12 independent chains in registers,
 * no memory, and many steps for each of the loop's own instructions. Two operations a lane and step,
 * fused or as product and sum. */
#include <wasm_simd128.h>

#define N_CHAINS 12
#define N_UNROLLED 8
#define UNROLL _Pragma("clang loop unroll(full)")

/* A sum that depends on every chain, so that none is left out. */
static float total(const v128_t chains[N_CHAINS]) {
  v128_t sum = chains[0];
  for (int i = 1; i < N_CHAINS; i++) {
    sum = wasm_f32x4_add(sum, chains[i]);
  }
  return wasm_f32x4_extract_lane(sum, 0);
}

/* n steps of all chains, n a multiple of 8. The factors come as arguments: constants could be
 * folded. */
#define PEAK(NAME, STEP)                                                                           \
  __attribute__((export_name(#NAME))) float NAME(int n, float factor, float summand) {             \
    const v128_t a = wasm_f32x4_splat(factor);                                                     \
    const v128_t b = wasm_f32x4_splat(summand);                                                    \
    v128_t chains[N_CHAINS];                                                                       \
    UNROLL for (int i = 0; i < N_CHAINS; i++) {                                                    \
      chains[i] = wasm_f32x4_splat((float)i);                                                      \
    }                                                                                              \
    for (int k = 0; k < n; k += N_UNROLLED) {                                                      \
      UNROLL for (int u = 0; u < N_UNROLLED; u++) {                                                \
        UNROLL for (int i = 0; i < N_CHAINS; i++) {                                                \
          chains[i] = STEP(chains[i]);                                                             \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
    return total(chains);                                                                          \
  }

#define FUSED(x) wasm_f32x4_relaxed_madd(x, a, b)
#define MUL_ADD(x) wasm_f32x4_add(wasm_f32x4_mul(x, a), b)

float peak_fused(int n, float factor, float summand);
float peak_mul_add(int n, float factor, float summand);

PEAK(peak_fused, FUSED)
PEAK(peak_mul_add, MUL_ADD)
