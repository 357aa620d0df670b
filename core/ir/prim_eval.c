/* One element of every elementwise primitive, made by compiling the bodies of
 * tenon/opset.h four times: in float, in double, in integers and in bool. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ir/prim.h"

/* A body's a / b must be one rounding in its own type. */
_Static_assert(FLT_EVAL_METHOD == 0, "float arithmetic has excess precision here");

/* The dialect that all kinds share. A mask is an int, 0 or 1. */
#define SEL(mask, x, y) ((mask) ? (x) : (y))
#define MAND(m, n) ((int)(m) & (int)(n))
#define MOR(m, n) ((int)(m) | (int)(n))
#define MXOR(m, n) ((int)(m) ^ (int)(n))
#define MNOT(m) (!(m))

/* What `result` of the list turns a body into. */
#define RESULT_BOOL(out, body) (out).u = (body) ? 1 : 0
/* Only asked for where the primitive is defined: see tn_prim_eval. */
#define TN_NO_BODY LIT(0)

/* ------------------------------------------------------------------ floats */

static uint32_t f32_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static float f32_from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static uint64_t f64_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static double f64_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float and_f32(float x, float y) {
    return f32_from_bits(f32_bits(x) & f32_bits(y));
}
static double and_f64(double x, double y) {
    return f64_from_bits(f64_bits(x) & f64_bits(y));
}
static float or_f32(float x, float y) {
    return f32_from_bits(f32_bits(x) | f32_bits(y));
}
static double or_f64(double x, double y) {
    return f64_from_bits(f64_bits(x) | f64_bits(y));
}

#define LT(x, y) ((x) < (y))
#define LE(x, y) ((x) <= (y))
#define GT(x, y) ((x) > (y))
#define GE(x, y) ((x) >= (y))
#define EQ(x, y) ((x) == (y))
#define NE(x, y) ((x) != (y))
#define ISNAN(x) (isnan(x) ? 1 : 0)
#define LIT(x) ((REAL)(x))
#define BAND(x, y) _Generic((x), float : and_f32, double : and_f64)((x), (y))
#define BOR(x, y) _Generic((x), float : or_f32, double : or_f64)((x), (y))
/* Of f32 too the function is that of double, rounded: half an ulp, or exact. */
#define OF_1(function, x) ((REAL)function((double)(x)))
#define OF_2(function, x, y) ((REAL)function((double)(x), (double)(y)))
#define FABS(x) OF_1(fabs, x)
#define FLOOR(x) OF_1(floor, x)
#define CEIL(x) OF_1(ceil, x)
#define TRUNC(x) OF_1(trunc, x)
#define RINT(x) OF_1(nearbyint, x)
#define SQRT(x) OF_1(sqrt, x)
#define EXP(x) OF_1(exp, x)
#define EXP2(x) OF_1(exp2, x)
#define EXPM1(x) OF_1(expm1, x)
#define LOG(x) OF_1(log, x)
#define LOG2(x) OF_1(log2, x)
#define LOG10(x) OF_1(log10, x)
#define LOG1P(x) OF_1(log1p, x)
#define SIN(x) OF_1(sin, x)
#define COS(x) OF_1(cos, x)
#define TAN(x) OF_1(tan, x)
#define ASIN(x) OF_1(asin, x)
#define ACOS(x) OF_1(acos, x)
#define ATAN(x) OF_1(atan, x)
#define SINH(x) OF_1(sinh, x)
#define COSH(x) OF_1(cosh, x)
#define TANH(x) OF_1(tanh, x)
#define ASINH(x) OF_1(asinh, x)
#define ACOSH(x) OF_1(acosh, x)
#define ATANH(x) OF_1(atanh, x)
#define ERF(x) OF_1(erf, x)
#define ERFC(x) OF_1(erfc, x)
#define ATAN2(x, y) OF_2(atan2, x, y)
#define POW(x, y) OF_2(pow, x, y)
#define FMOD(x, y) OF_2(fmod, x, y)
#define COPYSIGN(x, y) OF_2(copysign, x, y)
/* Not through double: that would round twice. */
#define FMA(x, y, z) _Generic((x), float : fmaf, double : fma)((x), (y), (z))

#define RESULT_SAME(out, body) (out).f = (double)(body)
#define CASE(id, number, name, arity, result, f, i, b_, doc)                                       \
    case number:                                                                                   \
        RESULT_##result(out, f);                                                                   \
        break;

#define REAL float
static tn_scalar eval_f32(uint32_t id, float a, float b, float c) {
    tn_scalar out = {.u = 0};
    switch (id) { TN_PRIM_ELEMENTWISE(CASE) }
    return out;
}
#undef REAL
#define REAL double
static tn_scalar eval_f64(uint32_t id, double a, double b, double c) {
    tn_scalar out = {.u = 0};
    switch (id) { TN_PRIM_ELEMENTWISE(CASE) }
    return out;
}
#undef REAL

#undef RESULT_SAME
#undef CASE
#undef LT
#undef LE
#undef GT
#undef GE
#undef EQ
#undef NE
#undef LIT
#undef BAND
#undef BOR

/* ---------------------------------------------------------------- integers */

/* Every integer is computed in uint64_t, where + - * are right modulo 2^bits and
 * never undefined. A dialect function first brings its operands to the value
 * that their low bits have in the dtype: `wrap` of the enclosing function. */
typedef struct int_type {
    unsigned bits;
    bool is_signed;
} int_type;

static uint64_t int_wrap(int_type t, uint64_t x) {
    const unsigned unused = 64u - t.bits;
    const uint64_t high = x << unused;
    return t.is_signed ? (uint64_t)((int64_t)high >> unused) : high >> unused;
}
static uint64_t int_low(int_type t, uint64_t x) {
    return x & UINT64_MAX >> (64u - t.bits);
}
static bool int_negative(int_type t, uint64_t x) {
    return t.is_signed && (int64_t)int_wrap(t, x) < 0;
}
static int int_less(int_type t, uint64_t x, uint64_t y) {
    x = int_wrap(t, x);
    y = int_wrap(t, y);
    return t.is_signed ? (int64_t)x < (int64_t)y : x < y;
}
static int int_equal(int_type t, uint64_t x, uint64_t y) {
    return int_low(t, x) == int_low(t, y);
}
static uint64_t int_abs(int_type t, uint64_t x) {
    x = int_wrap(t, x);
    return int_negative(t, x) ? 0 - x : x;
}
/* Through magnitudes: no quotient of two of them overflows. */
static uint64_t int_quotient(int_type t, uint64_t x, uint64_t y) {
    if (int_low(t, y) == 0) return UINT64_MAX;
    const uint64_t q = int_abs(t, x) / int_abs(t, y);
    return int_negative(t, x) != int_negative(t, y) ? 0 - q : q;
}
static uint64_t int_remainder(int_type t, uint64_t x, uint64_t y) {
    if (int_low(t, y) == 0) return x;
    const uint64_t r = int_abs(t, x) % int_abs(t, y);
    return int_negative(t, x) ? 0 - r : r;
}
static bool int_count_inside(int_type t, uint64_t n) {
    return !int_negative(t, n) && int_wrap(t, n) < t.bits;
}
static uint64_t int_shift_left(int_type t, uint64_t x, uint64_t n) {
    return int_count_inside(t, n) ? x << int_wrap(t, n) : 0;
}
static uint64_t int_shift_right(int_type t, uint64_t x, uint64_t n) {
    const uint64_t sign = int_negative(t, x) ? UINT64_MAX : 0;
    if (!int_count_inside(t, n)) return sign;
    x = int_wrap(t, x);
    return t.is_signed ? (uint64_t)((int64_t)x >> int_wrap(t, n)) : x >> int_wrap(t, n);
}
static uint64_t int_ones(int_type t, uint64_t x) {
    return (uint64_t)__builtin_popcountll(int_low(t, x));
}
static uint64_t int_leading_zeros(int_type t, uint64_t x) {
    x = int_low(t, x);
    return x == 0 ? t.bits : (uint64_t)__builtin_clzll(x) - (64u - t.bits);
}

#define LIT(x) ((uint64_t)(int64_t)(x))
#define LT(x, y) int_less(type, (x), (y))
#define GT(x, y) int_less(type, (y), (x))
#define LE(x, y) MNOT(int_less(type, (y), (x)))
#define GE(x, y) MNOT(int_less(type, (x), (y)))
#define EQ(x, y) int_equal(type, (x), (y))
#define NE(x, y) MNOT(int_equal(type, (x), (y)))
#define BAND(x, y) ((x) & (y))
#define BOR(x, y) ((x) | (y))
#define BXOR(x, y) ((x) ^ (y))
#define BNOT(x) (~(x))
#define IDIV(x, y) int_quotient(type, (x), (y))
#define IREM(x, y) int_remainder(type, (x), (y))
#define IABS(x) int_abs(type, (x))
#define SHL(x, n) int_shift_left(type, (x), (n))
#define SHR(x, n) int_shift_right(type, (x), (n))
#define POPCNT(x) int_ones(type, (x))
#define CLZ(x) int_leading_zeros(type, (x))

#define RESULT_SAME(out, body) (out).u = int_wrap(type, (body))
#define CASE(id, number, name, arity, result, f, i, b_, doc)                                       \
    case number: RESULT_##result(out, i); break;

static tn_scalar eval_int(uint32_t id, int_type type, uint64_t a, uint64_t b, uint64_t c) {
    tn_scalar out = {.u = 0};
    switch (id) { TN_PRIM_ELEMENTWISE(CASE) }
    return out;
}

#undef RESULT_SAME
#undef CASE
#undef LT
#undef LE
#undef GT
#undef GE
#undef EQ
#undef NE
#undef BNOT

/* ------------------------------------------------------------------- bools */

#define LT(x, y) ((x) < (y))
#define LE(x, y) ((x) <= (y))
#define GT(x, y) ((x) > (y))
#define GE(x, y) ((x) >= (y))
#define EQ(x, y) ((x) == (y))
#define NE(x, y) ((x) != (y))
#define BNOT(x) ((x) ^ 1u)

#define RESULT_SAME(out, body) (out).u = (body)
#define CASE(id, number, name, arity, result, f, i, b_, doc)                                       \
    case number: RESULT_##result(out, b_); break;

static tn_scalar eval_bool(uint32_t id, uint64_t a, uint64_t b) {
    tn_scalar out = {.u = 0};
    switch (id) { TN_PRIM_ELEMENTWISE(CASE) }
    return out;
}

tn_scalar tn_prim_eval(uint32_t id, tn_dt dt, const tn_scalar *operands) {
    const tn_prim_info *info = tn_prim_get(id);
    const tn_scalar a = operands[0];
    const tn_scalar b = info->arity > 1 ? operands[1] : a;
    const tn_scalar c = info->arity > 2 ? operands[2] : a;
    if (dt == TN_DT_F64) return eval_f64(id, a.f, b.f, c.f);
    if (tn_dt_is_float(dt)) return eval_f32(id, (float)a.f, (float)b.f, (float)c.f);
    if (dt == TN_DT_BOOL) return eval_bool(id, a.u, b.u);
    const int_type type = {(unsigned)tn_dt_size(dt) * 8u, tn_dt_is_signed(dt)};
    return eval_int(id, type, a.u, b.u, c.u);
}
