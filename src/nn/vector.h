/* Four floats at a time, the same bits on every target: wasm SIMD128, or the compiler's vector
 * extension natively.
 *
 * gd_v4_madd is where the two numerics part: a b + c rounds twice in mul-add, once in fused
 * (GD_FUSED). In wasm fused is a relaxed-SIMD instruction that an engine may round either way:
 * gd_self_check proves that it rounds once. */
#ifndef GD_NN_VECTOR_H
#define GD_NN_VECTOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define GD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GD_SANITIZED 1
#endif
#endif

/* GD_UNROLL stands before a loop whose vectors are to live in registers. Where every access is
 * checked anyway (the sanitizers), neither is forced: the same code compiles in seconds instead of
 * minutes. */
#if defined(GD_SANITIZED)
#define GD_INLINE static inline
#define GD_UNROLL
#define GD_NO_UNROLL
#elif defined(__clang__)
#define GD_INLINE static inline __attribute__((always_inline))
#define GD_UNROLL _Pragma("clang loop unroll(full)")
#define GD_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define GD_INLINE static inline __attribute__((always_inline))
#define GD_UNROLL _Pragma("GCC unroll 8")
#define GD_NO_UNROLL _Pragma("GCC unroll 1")
#endif

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>

typedef v128_t gd_v4;

GD_INLINE gd_v4 gd_v4_load(const float *from) {
  return wasm_v128_load(from);
}

GD_INLINE void gd_v4_store(float *to, gd_v4 value) {
  wasm_v128_store(to, value);
}

GD_INLINE gd_v4 gd_v4_load_splat(const float *from) {
  return wasm_v128_load32_splat(from);
}

GD_INLINE gd_v4 gd_v4_splat(float value) {
  return wasm_f32x4_splat(value);
}

GD_INLINE gd_v4 gd_v4_add(gd_v4 a, gd_v4 b) {
  return wasm_f32x4_add(a, b);
}

GD_INLINE gd_v4 gd_v4_mul(gd_v4 a, gd_v4 b) {
  return wasm_f32x4_mul(a, b);
}

GD_INLINE gd_v4 gd_v4_madd(gd_v4 a, gd_v4 b, gd_v4 c) {
#ifdef GD_FUSED
  return wasm_f32x4_relaxed_madd(a, b, c);
#else
  return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
#endif
}

/* x < 0 ? 0 : x, so that a NaN stays one and is noticed. */
GD_INLINE gd_v4 gd_v4_relu(gd_v4 x) {
  return wasm_f32x4_pmax(x, wasm_f32x4_const_splat(0.0f));
}

/* gate > 0 ? x : 0 */
GD_INLINE gd_v4 gd_v4_where_positive(gd_v4 gate, gd_v4 x) {
  return wasm_v128_and(x, wasm_f32x4_gt(gate, wasm_f32x4_const_splat(0.0f)));
}

/* |x| < limit ? 0 : x, so that a NaN stays one. */
GD_INLINE gd_v4 gd_v4_zero_below(gd_v4 x, float limit) {
  return wasm_v128_andnot(x, wasm_f32x4_lt(wasm_f32x4_abs(x), wasm_f32x4_splat(limit)));
}

/* Bit k of the result: whether lane k is not zero (a NaN is not). */
GD_INLINE uint32_t gd_v4_not_zero(gd_v4 x) {
  return wasm_i32x4_bitmask(wasm_f32x4_ne(x, wasm_f32x4_const_splat(0.0f)));
}

/* The bits of the integers first, first + 1, first + 2, first + 3. */
GD_INLINE gd_v4 gd_v4_count_from(uint32_t first) {
  return wasm_i32x4_add(wasm_i32x4_splat((int32_t)first), wasm_i32x4_const(0, 1, 2, 3));
}

/* Byte k of the result is byte order[k] of x, each 0..15. */
GD_INLINE gd_v4 gd_v4_permute(gd_v4 x, const uint8_t order[16]) {
#ifdef GD_FUSED
  return wasm_i8x16_relaxed_swizzle(
      x, wasm_v128_load(order)); /* of such an order the same, and shorter */
#else
  return wasm_i8x16_swizzle(x, wasm_v128_load(order));
#endif
}

/* Bit k of the result: whether byte k of 16 is not zero. */
GD_INLINE uint32_t gd_bytes_not_zero(const uint8_t *from) {
  return wasm_i8x16_bitmask(wasm_i8x16_ne(wasm_v128_load(from), wasm_i8x16_const_splat(0)));
}

#define GD_V4_SHUFFLE(a, b, i, j, k, l) wasm_i32x4_shuffle(a, b, i, j, k, l)

#else

typedef float gd_v4 __attribute__((vector_size(16)));
typedef int32_t gd_v4_lanes __attribute__((vector_size(16)));

GD_INLINE gd_v4 gd_v4_load(const float *from) {
  gd_v4 value;
  memcpy(&value, from, sizeof value);
  return value;
}

GD_INLINE void gd_v4_store(float *to, gd_v4 value) {
  memcpy(to, &value, sizeof value);
}

GD_INLINE gd_v4 gd_v4_splat(float value) {
  return (gd_v4){value, value, value, value};
}

GD_INLINE gd_v4 gd_v4_load_splat(const float *from) {
  return gd_v4_splat(*from);
}

GD_INLINE gd_v4 gd_v4_add(gd_v4 a, gd_v4 b) {
  return a + b;
}

GD_INLINE gd_v4 gd_v4_mul(gd_v4 a, gd_v4 b) {
  return a * b;
}

GD_INLINE gd_v4 gd_v4_madd(gd_v4 a, gd_v4 b, gd_v4 c) {
#ifdef GD_FUSED
  return (gd_v4){__builtin_fmaf(a[0], b[0], c[0]), __builtin_fmaf(a[1], b[1], c[1]),
                 __builtin_fmaf(a[2], b[2], c[2]), __builtin_fmaf(a[3], b[3], c[3])};
#else
  return a * b + c;
#endif
}

GD_INLINE gd_v4 gd_v4_relu(gd_v4 x) {
  const gd_v4_lanes negative = x < (gd_v4){0.0f, 0.0f, 0.0f, 0.0f};
  return (gd_v4)((gd_v4_lanes)x & ~negative);
}

GD_INLINE gd_v4 gd_v4_where_positive(gd_v4 gate, gd_v4 x) {
  const gd_v4_lanes positive = gate > (gd_v4){0.0f, 0.0f, 0.0f, 0.0f};
  return (gd_v4)((gd_v4_lanes)x & positive);
}

GD_INLINE gd_v4 gd_v4_zero_below(gd_v4 x, float limit) {
  const gd_v4_lanes is_small = (x < gd_v4_splat(limit)) & (x > gd_v4_splat(-limit));
  return (gd_v4)((gd_v4_lanes)x & ~is_small);
}

GD_INLINE uint32_t gd_v4_not_zero(gd_v4 x) {
  const gd_v4_lanes found = (x != gd_v4_splat(0.0f)) & (gd_v4_lanes){1, 2, 4, 8};
  return (uint32_t)(found[0] | found[1] | found[2] | found[3]);
}

GD_INLINE gd_v4 gd_v4_count_from(uint32_t first) {
  return (gd_v4)((gd_v4_lanes){0, 1, 2, 3} + (int32_t)first);
}

typedef uint8_t gd_v16_bytes __attribute__((vector_size(16)));

GD_INLINE gd_v4 gd_v4_permute(gd_v4 x, const uint8_t order[16]) {
  gd_v16_bytes to;
  for (int k = 0; k < 16; k++) {
    to[k] = ((gd_v16_bytes)x)[order[k]];
  }
  return (gd_v4)to;
}

GD_INLINE uint32_t gd_bytes_not_zero(const uint8_t *from) {
  gd_v16_bytes bytes;
  memcpy(&bytes, from, sizeof bytes);
  const gd_v16_bytes bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const gd_v16_bytes marked = (gd_v16_bytes)(bytes != 0) & bit;
  uint64_t halves[2];
  memcpy(halves, &marked, sizeof halves);
  /* The sum of a half's bytes, which share no bit, is in the product's highest byte. */
  return (uint32_t)(halves[0] * 0x0101010101010101u >> 56) |
         (uint32_t)(halves[1] * 0x0101010101010101u >> 56) << 8;
}

#ifdef __clang__
#define GD_V4_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define GD_V4_SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, (gd_v4_lanes){i, j, k, l})
#endif

#endif

/* rows[r][c] becomes rows[c][r]. */
GD_INLINE void gd_v4_transpose(gd_v4 rows[4]) {
  const gd_v4 ab_low = GD_V4_SHUFFLE(rows[0], rows[1], 0, 4, 1, 5);
  const gd_v4 ab_high = GD_V4_SHUFFLE(rows[0], rows[1], 2, 6, 3, 7);
  const gd_v4 cd_low = GD_V4_SHUFFLE(rows[2], rows[3], 0, 4, 1, 5);
  const gd_v4 cd_high = GD_V4_SHUFFLE(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = GD_V4_SHUFFLE(ab_low, cd_low, 0, 1, 4, 5);
  rows[1] = GD_V4_SHUFFLE(ab_low, cd_low, 2, 3, 6, 7);
  rows[2] = GD_V4_SHUFFLE(ab_high, cd_high, 0, 1, 4, 5);
  rows[3] = GD_V4_SHUFFLE(ab_high, cd_high, 2, 3, 6, 7);
}

/* One float, with the rounding of gd_v4_madd. In fused wasm there is no scalar instruction: the C
 * library's fmaf, which rounds once by its own arithmetic, serves the references, so that they do
 * not lean on the instruction under test. */
GD_INLINE float gd_scalar_madd(float a, float b, float c) {
#ifdef GD_FUSED
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

#endif
