/* Statistics over a few repetitions. Portable arithmetic only (+ - * /, sqrt, scaling by powers of
 * two), so that every engine prints the same digits. */
#ifndef GD_LAB_STATISTICS_H
#define GD_LAB_STATISTICS_H

#include <stdint.h>

/* n numbers in short. Of none, all but n are NaN; of one, only the mean is a number. All doubles,
 * so that JavaScript reads it as one array. */
#define GD_SUMMARY_COLUMNS(X)                                                                      \
  X(n, "n")                                                                                        \
  X(mean, "mean")                                                                                  \
  X(standard_deviation, "sd") /* divisor n - 1 */                                                  \
  X(half_width, "halfWidth")  /* of the 95 % interval: t sd / sqrt(n), P(|T| >= t) = 0.05 */       \
  X(low, "low")               /* mean - half_width */                                              \
  X(high, "high")             /* mean + half_width */

typedef struct gd_summary {
#define GD_SUMMARY_FIELD(name, id) double name;
  GD_SUMMARY_COLUMNS(GD_SUMMARY_FIELD)
#undef GD_SUMMARY_FIELD
} gd_summary;

/* Mean and deviation in two passes; the interval: Student, The probable error of a mean, Biometrika
 * 6 (1908) 1-25. */
void gd_statistics_summarize(const double *values, uint32_t n, gd_summary *out);

/* Paired differences treatment - baseline of n pairs: their summary, then */
#define GD_PAIRED_COLUMNS(X)                                                                       \
  X(n_positive, "nPositive")                                                                       \
  X(n_negative, "nNegative")                                                                       \
  X(n_zero, "nZero")      /* left out of the sign test */                                          \
  X(sign_p, "signPValue") /* exact, two-sided */                                                   \
  X(t, "t")               /* mean / (sd / sqrt(n)); NaN where sd is 0 or n < 2 */                  \
  X(t_p, "tPValue")       /* two-sided; NaN with t */

typedef struct gd_paired {
  gd_summary difference;
#define GD_PAIRED_FIELD(name, id) double name;
  GD_PAIRED_COLUMNS(GD_PAIRED_FIELD)
#undef GD_PAIRED_FIELD
} gd_paired;

/* Writes the n differences into the caller's `differences` too. No value may be NaN. */
void gd_statistics_pair(const double *baseline, const double *treatment, uint32_t n,
                        double *differences, gd_paired *out);

/* Exact sign test: W. J. Conover, Practical Nonparametric Statistics, 3rd ed. (1999), section 3.4.
 */
double gd_statistics_sign(uint32_t n_positive, uint32_t n_negative);

/* The chance that a + b tosses of a fair coin split at least as unevenly as a to b:
 * min(1, 2 P(X <= min(a, b))), X binomial(a + b, 1/2); 1 where a + b = 0. Relative error below
 * (a + b) 2^-51. */
double gd_statistics_binomial(uint32_t a, uint32_t b);

/* Student's t with df >= 1 degrees of freedom: P(|T| >= |t|) = I_x(df/2, 1/2), x = df/(df + t^2):
 * Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.1; the incomplete beta
 * function by its continued fraction, 26.5.8, in Lentz's form (W. J. Lentz, Applied Optics 15
 * (1976) 668-671). NaN for t = NaN. */
double gd_statistics_t_tails(double t, uint32_t df);

/* The t >= 0 with P(|T| >= t) = tails, 0 < tails <= 1, by bisection on the above. */
double gd_statistics_t_quantile(double tails, uint32_t df);

#endif
