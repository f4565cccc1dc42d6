/* exp and log in double, by additions, multiplications and divisions alone, so that every engine
 * and every C library gives the same bits. Both are within 1 ulp of the correctly rounded result
 * (tests/test_elementary.c sweeps them). */
#ifndef GD_NN_ELEMENTARY_H
#define GD_NN_ELEMENTARY_H

/* e^x. Overflow gives infinity, underflow rounds gradually to zero, NaN gives NaN. */
double gd_exp(double x);

/* The natural logarithm. log(0) = -infinity, a negative x or NaN gives NaN. */
double gd_log(double x);

#endif
