/* exp: x = k ln 2 + r with |r| <= (ln 2)/2; e^x = 2^k (1 + r + r^2 q(r)), q the Taylor series of
 * (e^r - 1 - r) / r^2, cut where the next term is under 2^-57. ln 2 stands as a high part of 32
 * bits (so that k times it is exact) and the rest.
 *
 * log: x = 2^k m with m in [sqrt(1/2), sqrt 2); with f = m - 1 and s = f / (2 + f),
 * log(1 + f) = 2 atanh(s) = 2 s + s R(s^2), R the series 2/3 z + 2/5 z^2 + ... And since 2 s = f -
 * s f, log(1 + f) = f - (f^2/2 - s (f^2/2 + R)), whose largest term f is exact. */
#include "nn/elementary.h"

#include <stdint.h>
#include <string.h>

#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33

static uint64_t bits_of(double x) {
  uint64_t bits = 0;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double of_bits(uint64_t bits) {
  double x = 0.0;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* 2^k for k in -1022..1023 */
static double power_of_two(int k) {
  return of_bits((uint64_t)(1023 + k) << 52);
}

double gd_exp(double x) {
  static const double q[] = {1.0 / 2,          1.0 / 6,        1.0 / 24,        1.0 / 120,
                             1.0 / 720,        1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                             1.0 / 3628800,    1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
                             1.0 / 87178291200};
  if (x != x) {
    return x;
  }
  if (x > 710.0) {
    return __builtin_inf();
  }
  if (x < -746.0) {
    return 0.0;
  }
  const double k_real = x * 0x1.71547652b82fep+0;
  const int k = (int)(k_real < 0 ? k_real - 0.5 : k_real + 0.5);
  const double high = x - k * LN2_HIGH;
  const double low = k * LN2_LOW;
  const double r = high - low;
  /* What the subtraction above rounded off, put back where it counts most. */
  const double lost = (high - r) - low;
  double sum = 0.0;
  for (int i = (int)(sizeof q / sizeof *q) - 1; i >= 0; i--) {
    sum = sum * r + q[i];
  }
  const double value = 1.0 + (r + (lost + r * r * sum));
  if (k > 1023) {
    return value * 0x1p1023 * power_of_two(k - 1023);
  }
  if (k < -1021) {
    /* One rounding only: the first factor keeps the value normal. */
    return value * power_of_two(k + 512) * 0x1p-512;
  }
  return value * power_of_two(k);
}

double gd_log(double x) {
  if (x != x || x < 0.0) {
    return __builtin_nan("");
  }
  if (x == 0.0) {
    return -__builtin_inf();
  }
  if (bits_of(x) == bits_of(__builtin_inf())) {
    return x;
  }
  int k = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    k = -54;
  }
  uint64_t bits = bits_of(x);
  k += (int)(bits >> 52) - 1023;
  double m = of_bits((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  if (m > 0x1.6a09e667f3bcdp+0) {
    m *= 0.5;
    k++;
  }
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double series = 0.0;
  for (int n = 12; n >= 1; n--) {
    series = series * z + 2.0 / (2 * n + 1);
  }
  const double half_square = 0.5 * f * f;
  return k * LN2_HIGH - ((half_square - (s * (half_square + z * series) + k * LN2_LOW)) - f);
}
