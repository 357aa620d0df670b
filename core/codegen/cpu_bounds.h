/* How far a function of the dialect may be from the exact result on the CPU, in
 * units of the last place of that result, over all operands whatever the target's
 * instructions. tests/unit/codegen/cpu_math_test.c measures them; `tenon ops
 * --primitives` prints them. Functions that are not listed are exact or correctly
 * rounded: arithmetic, comparisons, rounding, sqrt, fma, fmod. */
#ifndef TN_CODEGEN_CPU_BOUNDS_H
#define TN_CODEGEN_CPU_BOUNDS_H

/* X(PRIMITIVE, function, arity, ulps of f32, ulps of f64) */
#define TN_CPU_BOUND_LIST(X)                                                                       \
    X(EXP, exp, 1, 1.0, 1.0)                                                                       \
    X(EXP2, exp2, 1, 1.25, 1.25)                                                                   \
    X(EXPM1, expm1, 1, 1.25, 1.25)                                                                 \
    X(LOG, log, 1, 1.0, 1.0)                                                                       \
    X(LOG2, log2, 1, 1.5, 1.0)                                                                     \
    X(LOG10, log10, 1, 0.51, 1.5)                                                                  \
    X(LOG1P, log1p, 1, 1.0, 1.0)                                                                   \
    X(POW, pow, 2, 0.51, 1.5)                                                                      \
    X(SIN, sin, 1, 1.75, 1.0)                                                                      \
    X(COS, cos, 1, 1.75, 1.0)                                                                      \
    X(TAN, tan, 1, 0.51, 2.5)                                                                      \
    X(ASIN, asin, 1, 0.51, 1.0)                                                                    \
    X(ACOS, acos, 1, 0.51, 1.0)                                                                    \
    X(ATAN, atan, 1, 0.51, 2.0)                                                                    \
    X(ATAN2, atan2, 2, 0.51, 2.5)                                                                  \
    X(SINH, sinh, 1, 0.51, 2.5)                                                                    \
    X(COSH, cosh, 1, 0.51, 2.0)                                                                    \
    X(TANH, tanh, 1, 1.5, 2.0)                                                                     \
    X(ASINH, asinh, 1, 0.51, 2.5)                                                                  \
    X(ACOSH, acosh, 1, 0.51, 3.0)                                                                  \
    X(ATANH, atanh, 1, 0.51, 2.5)                                                                  \
    X(ERF, erf, 1, 1.5, 1.5)                                                                       \
    X(ERFC, erfc, 1, 0.51, 5.0)

#endif
