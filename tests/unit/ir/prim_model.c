#include "prim_model.h"

#include <math.h>

/* The unused functions of a wide switch would each need a line: one table of
 * libm's long double functions instead. */
static const struct {
    uint32_t prim;
    long double (*function)(long double);
} functions[] = {
    {TN_PRIM_EXP, expl},     {TN_PRIM_EXP2, exp2l},   {TN_PRIM_EXPM1, expm1l},
    {TN_PRIM_LOG, logl},     {TN_PRIM_LOG2, log2l},   {TN_PRIM_LOG10, log10l},
    {TN_PRIM_LOG1P, log1pl}, {TN_PRIM_SIN, sinl},     {TN_PRIM_COS, cosl},
    {TN_PRIM_TAN, tanl},     {TN_PRIM_ASIN, asinl},   {TN_PRIM_ACOS, acosl},
    {TN_PRIM_ATAN, atanl},   {TN_PRIM_SINH, sinhl},   {TN_PRIM_COSH, coshl},
    {TN_PRIM_TANH, tanhl},   {TN_PRIM_ASINH, asinhl}, {TN_PRIM_ACOSH, acoshl},
    {TN_PRIM_ATANH, atanhl}, {TN_PRIM_ERF, erfl},     {TN_PRIM_ERFC, erfcl},
};

static double model_max(double a, double b) {
    if (isnan(a) || isnan(b)) return NAN;
    if (a == 0 && b == 0) return signbit(a) && signbit(b) ? -0.0 : 0.0;
    return a > b ? a : b;
}

static double model_min(double a, double b) {
    return -model_max(-a, -b);
}

/* As Python's %, and with the divisor's sign on a zero. */
static double model_mod(tn_dt dt, double a, double b) {
    const double r = fmod(a, b);
    if (isnan(r)) return r;
    if (r == 0) return signbit(b) ? -0.0 : 0.0;
    if (signbit(r) == signbit(b)) return r;
    return dt == TN_DT_F64 ? r + b : (double)((float)r + (float)b);
}

static double model_round(double a) {
    if (!(fabs(a) < 0x1p52)) return a;
    const double below = floor(a), rest = a - below;
    double result = below;
    if (rest > 0.5 || (rest == 0.5 && fmod(below, 2.0) != 0)) result = below + 1;
    return copysign(result, a);
}

static double model_clamp(double a, double b, double c) {
    if (isnan(a) || isnan(b) || isnan(c)) return NAN;
    double result = a;
    if (result < b) result = b;
    if (result > c) result = c;
    return result;
}

static double model_sign(double a) {
    return isnan(a) || a == 0 ? a : copysign(1.0, a);
}

/* One rounding of a*b + c, which no product of two f32, and no sum of it in long
 * double, gives by itself. */
static long double model_fma(tn_dt dt, const double *x) {
    return dt == TN_DT_F64 ? (long double)fma(x[0], x[1], x[2])
                           : (long double)fmaf((float)x[0], (float)x[1], (float)x[2]);
}

long double tn_model_float(uint32_t prim, tn_dt dt, const double *x, bool *out_exact) {
    const long double a = x[0], b = x[1];
    *out_exact = true;
    switch (prim) {
    /* Of two floats, double is exact enough for one rounding to f32, but of two
     * doubles only their own operator is. */
    case TN_PRIM_ADD: return x[0] + x[1];
    case TN_PRIM_SUB: return x[0] - x[1];
    case TN_PRIM_MUL: return x[0] * x[1];
    case TN_PRIM_DIV: return x[0] / x[1];
    case TN_PRIM_SQRT: return sqrt(x[0]);
    case TN_PRIM_MOD: return model_mod(dt, x[0], x[1]);
    case TN_PRIM_REM: return fmodl(a, b);
    case TN_PRIM_NEG: return copysignl(a, signbit(a) ? 1.0L : -1.0L);
    case TN_PRIM_ABS: return copysignl(a, 1.0L);
    case TN_PRIM_SIGN: return model_sign(x[0]);
    case TN_PRIM_MAX: return model_max(x[0], x[1]);
    case TN_PRIM_MIN: return model_min(x[0], x[1]);
    case TN_PRIM_CLAMP: return model_clamp(x[0], x[1], x[2]);
    case TN_PRIM_FMA: return model_fma(dt, x);
    case TN_PRIM_COPYSIGN: return signbit(b) ? -fabsl(a) : fabsl(a);
    case TN_PRIM_FLOOR: return floorl(a);
    case TN_PRIM_CEIL: return ceill(a);
    case TN_PRIM_TRUNC: return truncl(a);
    case TN_PRIM_ROUND: return model_round(x[0]);
    default: break;
    }
    *out_exact = false;
    if (prim == TN_PRIM_RSQRT) return 1.0L / sqrtl(a);
    if (prim == TN_PRIM_POW) return powl(a, b);
    if (prim == TN_PRIM_ATAN2) return atan2l(a, b);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (functions[i].prim == prim) return functions[i].function(a);
    __builtin_trap(); /* a primitive that the model does not know */
}

bool tn_model_float_bool(uint32_t prim, const double *x) {
    const bool unordered = isnan(x[0]) || isnan(x[1]);
    switch (prim) {
    case TN_PRIM_EQ: return !unordered && !islessgreater(x[0], x[1]);
    case TN_PRIM_NE: return unordered || islessgreater(x[0], x[1]);
    case TN_PRIM_LT: return isless(x[0], x[1]);
    case TN_PRIM_LE: return islessequal(x[0], x[1]);
    case TN_PRIM_GT: return isgreater(x[0], x[1]);
    case TN_PRIM_GE: return isgreaterequal(x[0], x[1]);
    case TN_PRIM_ISNAN: return fpclassify(x[0]) == FP_NAN;
    case TN_PRIM_ISINF: return fpclassify(x[0]) == FP_INFINITE;
    case TN_PRIM_ISFINITE: return fpclassify(x[0]) != FP_NAN && fpclassify(x[0]) != FP_INFINITE;
    default: __builtin_trap();
    }
}

/* Rounds the exact quotient: -1 toward minus infinity, 0 toward zero, 1 up. */
static __int128 divide(__int128 a, __int128 b, int direction) {
    if (b == 0) return -1;
    const __int128 q = a / b, r = a - q * b;
    if (r == 0 || direction == 0) return q;
    const bool negative = (a < 0) != (b < 0);
    if (direction < 0) return negative ? q - 1 : q;
    return negative ? q : q + 1;
}

/* x times 2^n, or divided by it downward; by steps, as no shift operator does. */
static __int128 shift(__int128 x, __int128 n, int bits, bool left) {
    if (n < 0 || n >= bits) return left || x >= 0 ? 0 : -1;
    for (; n > 0; n--)
        x = left ? (__int128)((unsigned __int128)x * 2) : divide(x, 2, -1);
    return x;
}

static int count_ones(__int128 x, int bits, bool leading_zeros) {
    int ones = 0, zeros = 0;
    bool leading = true;
    for (int k = bits - 1; k >= 0; k--) {
        const bool one = (x >> k & 1) != 0;
        ones += one;
        leading = leading && !one;
        zeros += leading;
    }
    return leading_zeros ? zeros : ones;
}

static __int128 model_int_bits(uint32_t prim, tn_dt dt, const __int128 *x) {
    const int bits = dt == TN_DT_BOOL ? 1 : (int)tn_dt_size(dt) * 8;
    switch (prim) {
    case TN_PRIM_AND: return x[0] & x[1];
    case TN_PRIM_OR: return x[0] | x[1];
    case TN_PRIM_XOR: return x[0] ^ x[1];
    case TN_PRIM_NOT: return dt == TN_DT_BOOL ? 1 - x[0] : -1 - x[0];
    case TN_PRIM_SHL: return shift(x[0], x[1], bits, true);
    case TN_PRIM_SHR: return shift(x[0], x[1], bits, false);
    case TN_PRIM_POPCOUNT: return count_ones(x[0], bits, false);
    case TN_PRIM_CLZ: return count_ones(x[0], bits, true);
    default: __builtin_trap();
    }
}

static __int128 model_int_compare(uint32_t prim, tn_dt dt, const __int128 *x) {
    switch (prim) {
    case TN_PRIM_EQ: return x[0] == x[1];
    case TN_PRIM_NE: return x[0] != x[1];
    case TN_PRIM_LT: return x[0] < x[1];
    case TN_PRIM_LE: return x[0] <= x[1];
    case TN_PRIM_GT: return x[0] > x[1];
    case TN_PRIM_GE: return x[0] >= x[1];
    case TN_PRIM_ISNAN:
    case TN_PRIM_ISINF: return 0;
    case TN_PRIM_ISFINITE: return 1;
    default: return model_int_bits(prim, dt, x);
    }
}

__int128 tn_model_int(uint32_t prim, tn_dt dt, const __int128 *x) {
    switch (prim) {
    case TN_PRIM_ADD: return x[0] + x[1];
    case TN_PRIM_SUB: return x[0] - x[1];
    case TN_PRIM_MUL: return (__int128)((unsigned __int128)x[0] * (unsigned __int128)x[1]);
    case TN_PRIM_FLOORDIV: return divide(x[0], x[1], -1);
    case TN_PRIM_CEILDIV: return divide(x[0], x[1], 1);
    case TN_PRIM_TRUNCDIV: return divide(x[0], x[1], 0);
    case TN_PRIM_MOD: return x[1] == 0 ? x[0] : x[0] - divide(x[0], x[1], -1) * x[1];
    case TN_PRIM_REM: return x[1] == 0 ? x[0] : x[0] - divide(x[0], x[1], 0) * x[1];
    case TN_PRIM_NEG: return -x[0];
    case TN_PRIM_ABS: return x[0] < 0 ? -x[0] : x[0];
    case TN_PRIM_SIGN: return (x[0] > 0) - (x[0] < 0);
    case TN_PRIM_MAX: return x[0] > x[1] ? x[0] : x[1];
    case TN_PRIM_MIN: return x[0] > x[1] ? x[1] : x[0];
    case TN_PRIM_CLAMP: {
        const __int128 raised = x[0] > x[1] ? x[0] : x[1];
        return raised > x[2] ? x[2] : raised;
    }
    case TN_PRIM_FMA:
        return (__int128)((unsigned __int128)x[0] * (unsigned __int128)x[1] +
                          (unsigned __int128)x[2]);
    case TN_PRIM_FLOOR:
    case TN_PRIM_CEIL:
    case TN_PRIM_TRUNC:
    case TN_PRIM_ROUND: return x[0];
    default: return model_int_compare(prim, dt, x);
    }
}
