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

const tn_math_kernel *tn_math_kernels_native(int *count, int *lanes);
const tn_math_kernel *tn_math_kernels_v3(int *count, int *lanes);
const tn_math_kernel *tn_math_kernels_v2(int *count, int *lanes);
const tn_math_kernel *tn_math_kernels_base(int *count, int *lanes);

#endif
