/* What cpu_math_test runs: see cpu_math_kernels.c. */
#ifndef TN_TESTS_CPU_MATH_KERNELS_H
#define TN_TESTS_CPU_MATH_KERNELS_H

#include "codegen/cpu_bounds.h"

/* Those with a bound, and those that are exact or correctly rounded. */
#define TN_MATH_FUNCTIONS(X)                                                                       \
    TN_CPU_BOUND_LIST(X)                                                                           \
    X(SQRT, sqrt, 1, 0.5, 0.5)                                                                     \
    X(FLOOR, floor, 1, 0, 0)                                                                       \
    X(CEIL, ceil, 1, 0, 0)                                                                         \
    X(TRUNC, trunc, 1, 0, 0)                                                                       \
    X(ROUND, rint, 1, 0, 0)                                                                        \
    X(REM, fmod, 2, 0, 0)

typedef void (*tn_math_run)(const void *x, const void *y, void *out, long n);
typedef struct tn_math_kernel {
    const char *name;
    int arity;
    double f32_bound, f64_bound;
    tn_math_run f32, f64;
} tn_math_kernel;

typedef void (*tn_math_fma)(const void *x, const void *y, const void *z, void *out, long n);
typedef struct tn_math_set {
    const tn_math_kernel *list; /* in the order of TN_MATH_FUNCTIONS */
    int count, lanes;
    tn_math_fma fma_f32, fma_f64;
} tn_math_set;

extern const tn_math_set tn_math_native, tn_math_v3, tn_math_v2, tn_math_base;

#endif
