/* Statistics over a few repetitions. Portable arithmetic only: + - * /, sqrt, and the project's own
 * exp and log, so that every engine prints the same digits. */
#ifndef GD_LAB_STATISTICS_H
#define GD_LAB_STATISTICS_H

#include <stdint.h>

/* n numbers in short. With n = 0 all are NaN; with n = 1 only the mean is a number. */
typedef struct gd_summary {
  double n;
  double mean;
  double standard_deviation; /* divisor n - 1 */
  double half_width;         /* of the two-sided 95 % interval: t(0.975, n - 1) sd / sqrt(n) */
  double low;                /* mean - half_width */
  double high;               /* mean + half_width */
} gd_summary;

/* Mean and deviation in two passes; Student, The probable error of a mean, Biometrika 6 (1908)
 * 1-25. */
void gd_statistics_summarize(const double *values, uint32_t n, gd_summary *out);

/* Paired differences treatment - baseline of n pairs, their summary, and the sign test. */
typedef struct gd_paired {
  gd_summary difference;
  double n_positive;
  double n_negative;
  double n_zero; /* left out of the sign test */
  double sign_p; /* exact, two-sided */
  double t;      /* mean / (sd / sqrt(n)); NaN where sd is 0 or n < 2 */
  double t_p;    /* two-sided */
} gd_paired;

void gd_statistics_pair(const double *baseline, const double *treatment, uint32_t n,
                        gd_paired *out);

/* Exact sign test: W. J. Conover, Practical Nonparametric Statistics, 3rd ed. (1999), section 3.4.
 * The same two-sided binomial(n, 1/2) probability as McNemar's exact test: min(1, 2 P(X <= min)).
 */
double gd_statistics_sign(uint32_t n_positive, uint32_t n_negative);

/* Student's t with `df` >= 1 degrees of freedom: P(T <= t), by the regularized incomplete beta
 * function (Abramowitz and Stegun 26.7.1 and 26.5.8). */
double gd_statistics_t_cdf(double t, double df);

/* The t with P(T <= t) = probability, 0.5 <= probability < 1, by bisection on the above. */
double gd_statistics_t_quantile(double probability, double df);

/* Regularized incomplete beta function I_x(a, b), a, b multiples of 1/2, 0 <= x <= 1: continued
 * fraction, Abramowitz and Stegun 26.5.8 in Lentz's form (W. J. Lentz, Applied Optics 15 (1976)
 * 668-671). */
double gd_statistics_beta(double x, double a, double b);

#endif
