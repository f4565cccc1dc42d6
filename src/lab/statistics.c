#include "lab/statistics.h"

#include <math.h>

#define PI 3.14159265358979323846

/* C(n, k) 2^-n as a product of k ratios, kept near 1 by exact scaling: neither overflows nor
 * underflows on the way. */
static double binomial_term(uint32_t n, uint32_t k) {
  double value = 1;
  int exponent = 0;
  for (uint32_t i = 1; i <= k; i++) {
    int shift = 0;
    value = frexp(value * (n - k + i) / i, &shift);
    exponent += shift;
  }
  return ldexp(value, exponent - (int)n);
}

double gd_statistics_binomial(uint32_t a, uint32_t b) {
  uint32_t n = a + b;
  uint32_t k = a < b ? a : b;
  /* P(X <= k) = P(X = k) (1 + k/(n-k+1) + k (k-1)/((n-k+1) (n-k+2)) + ...): the largest first. */
  double ratio = 1;
  double sum = 1;
  for (uint32_t i = k; i > 0; i--) {
    ratio *= (double)i / (n - i + 1);
    sum += ratio;
  }
  double p = 2 * binomial_term(n, k) * sum;
  return p < 1 ? p : 1;
}

double gd_statistics_sign(uint32_t n_positive, uint32_t n_negative) {
  return gd_statistics_binomial(n_positive, n_negative);
}

/* The continued fraction of I_x(a, b), 26.5.8: 1/(1 + d_1/(1 + d_2/(1 + ...))). It converges fast
 * for x < (a + 1)/(a + b + 2). */
static double beta_fraction(double x, double a, double b) {
  const double tiny = 1e-300;
  double c = 1;
  double d = 0;
  double f = 1;
  for (int m = 0; m < 10000; m++) {
    int half = m / 2;
    double numerator = 1;
    if (m > 0 && m % 2 == 0) {
      numerator = half * (b - half) * x / ((a + m - 1) * (a + m));
    } else if (m > 0) {
      numerator = -(a + half) * (a + b + half) * x / ((a + m - 1) * (a + m));
    }
    d = 1 + numerator * d;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    c = 1 + numerator / c;
    c = fabs(c) < tiny ? tiny : c;
    f *= c * d;
    if (fabs(c * d - 1) < 1e-16) {
      break;
    }
  }
  return f - 1;
}

double gd_statistics_t_tails(double t, uint32_t df) {
  if (isnan(t)) {
    return NAN;
  }
  if (isinf(t)) {
    return 0;
  }
  double a = df / 2.0;
  double b = 0.5;
  double x = df / (df + t * t);
  double y = t * t / (df + t * t); /* 1 - x without cancellation */
  /* 1/B(df/2, 1/2), from B(1/2, 1/2) = pi or B(1, 1/2) = 2, and B(a + 1, 1/2) = B(a, 1/2) a/(a +
   * 1/2). */
  double inverse_beta = df % 2 == 1 ? 1 / PI : 0.5;
  for (double low = df % 2 == 1 ? 0.5 : 1; low < a; low += 1) {
    inverse_beta *= (low + 0.5) / low;
  }
  /* x^(df/2) without exp and log. */
  double root = sqrt(x);
  double power = 1;
  for (uint32_t i = 0; i < df; i++) {
    power *= root;
  }
  double front = power * sqrt(y) * inverse_beta;
  if (x < (a + 1) / (a + b + 2)) {
    return front * beta_fraction(x, a, b) / a;
  }
  return 1 - front * beta_fraction(y, b, a) / b;
}

double gd_statistics_t_quantile(double tails, uint32_t df) {
  double low = 0;
  double high = 1;
  while (gd_statistics_t_tails(high, df) > tails && high < 1e300) {
    low = high;
    high *= 2;
  }
  for (;;) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) {
      return high;
    }
    if (gd_statistics_t_tails(middle, df) > tails) {
      low = middle;
    } else {
      high = middle;
    }
  }
}

void gd_statistics_summarize(const double *values, uint32_t n, gd_summary *out) {
  double sum = 0;
  double squares = 0;
  *out = (gd_summary){n, NAN, NAN, NAN, NAN, NAN};
  if (n == 0) {
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    sum += values[i];
  }
  out->mean = sum / n;
  if (n == 1) {
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    double deviation = values[i] - out->mean;
    squares += deviation * deviation;
  }
  out->standard_deviation = sqrt(squares / (n - 1));
  out->half_width = gd_statistics_t_quantile(0.05, n - 1) * out->standard_deviation / sqrt(n);
  out->low = out->mean - out->half_width;
  out->high = out->mean + out->half_width;
}

void gd_statistics_pair(const double *baseline, const double *treatment, uint32_t n,
                        double *differences, gd_paired *out) {
  uint32_t n_positive = 0;
  uint32_t n_negative = 0;
  for (uint32_t i = 0; i < n; i++) {
    differences[i] = treatment[i] - baseline[i];
    n_positive += differences[i] > 0;
    n_negative += differences[i] < 0;
  }
  gd_statistics_summarize(differences, n, &out->difference);
  out->n_positive = n_positive;
  out->n_negative = n_negative;
  out->n_zero = n - n_positive - n_negative;
  out->sign_p = gd_statistics_sign(n_positive, n_negative);
  double sd = out->difference.standard_deviation;
  out->t = sd > 0 ? out->difference.mean / (sd / sqrt(n)) : NAN;
  out->t_p = sd > 0 ? gd_statistics_t_tails(out->t, n - 1) : NAN;
}
