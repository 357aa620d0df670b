/* Every elementwise primitive on every dtype it is defined on, over all
 * combinations of edge values, against the model of prim_model.h. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conformance/edges.h"
#include "ir/prim.h"
#include "prim_model.h"

static bool is_body(const tn_prim_info *info) {
    return info->klass == TN_PRIM_CLASS_ELEMENTWISE && info->id < TN_PRIM_SELECT;
}

static bool is_defined(const tn_prim_info *info, tn_dt dt) {
    return tn_dt_is_float(dt) ? info->on_float : tn_dt_is_int(dt) ? info->on_int : info->on_bool;
}

static __int128 widen(tn_dt dt, tn_scalar value) {
    return tn_dt_is_signed(dt) ? (__int128)value.i : (__int128)value.u;
}

static int64_t order(double x, bool is_double) {
    int64_t bits;
    if (is_double) {
        memcpy(&bits, &x, 8);
        return bits < 0 ? INT64_MIN - bits : bits;
    }
    const float narrow = (float)x;
    int32_t narrow_bits;
    memcpy(&narrow_bits, &narrow, 4);
    return narrow_bits < 0 ? INT32_MIN - (int64_t)narrow_bits : narrow_bits;
}

/* Equal to the bit where the model is exact and on NaN, infinities and zeros;
 * else off by at most one value, of f64 two: glibc's own bound. */
static bool float_agrees(tn_dt dt, double found, double expected, bool exact) {
    if (isnan(expected)) return isnan(found);
    if (isnan(found)) return false;
    if (exact || isinf(expected)) return found == expected && signbit(found) == signbit(expected);
    if (expected == 0 && found == 0) return signbit(found) == signbit(expected);
    const bool is_double = dt == TN_DT_F64;
    const int64_t apart = order(found, is_double) - order(expected, is_double);
    return llabs(apart) <= (is_double ? 2 : 1);
}

static void check_float(const tn_prim_info *info, tn_dt dt, const tn_scalar *x) {
    const double args[3] = {x[0].f, x[1].f, x[2].f};
    const tn_scalar found = tn_prim_eval(info->id, dt, x);
    if (info->result_bool) {
        cr_assert_eq(found.u, tn_model_float_bool(info->id, args) ? 1 : 0, "%s %s(%a, %a)",
                     info->name, tn_dt_text(dt), args[0], args[1]);
        return;
    }
    bool exact;
    const long double wide = tn_model_float(info->id, dt, args, &exact);
    const double expected = dt == TN_DT_F64 ? (double)wide : (double)(float)wide;
    cr_assert(float_agrees(dt, found.f, expected, exact),
              "%s %s(%a, %a, %a): expected %a, found %a", info->name, tn_dt_text(dt), args[0],
              args[1], args[2], expected, found.f);
    cr_assert(dt == TN_DT_F64 || isnan(found.f) || found.f == (double)(float)found.f,
              "%s: not of the compute type", info->name);
}

static void check_int(const tn_prim_info *info, tn_dt dt, const tn_scalar *x) {
    const __int128 args[3] = {widen(dt, x[0]), widen(dt, x[1]), widen(dt, x[2])};
    const __int128 wide = tn_model_int(info->id, dt, args);
    const tn_dt result = info->result_bool ? TN_DT_BOOL : dt;
    const tn_scalar low = {.u = (uint64_t)wide};
    const tn_scalar expected = result == TN_DT_BOOL ? low : tn_scalar_cast(low, TN_DT_U64, result);
    const tn_scalar found = tn_prim_eval(info->id, dt, x);
    cr_assert_eq(found.u, expected.u,
                 "%s %s(%" PRId64 ", %" PRId64 ", %" PRId64 "): expected %" PRId64
                 ", found %" PRId64,
                 info->name, tn_dt_text(dt), x[0].i, x[1].i, x[2].i, expected.i, found.i);
}

static void check_all(const tn_prim_info *info, tn_dt dt) {
    tn_scalar edges[TN_EDGES_MAX], x[3];
    const int n = tn_edges(dt, edges);
    const int n_b = info->arity > 1 ? n : 1, n_c = info->arity > 2 ? n : 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n_b; j++) {
            for (int k = 0; k < n_c; k++) {
                x[0] = edges[i];
                x[1] = edges[j];
                x[2] = edges[k];
                if (tn_dt_is_float(dt))
                    check_float(info, dt, x);
                else
                    check_int(info, dt, x);
            }
        }
    }
}

static void check_dtype(tn_dt dt) {
    int checked = 0;
    for (uint32_t p = 0; p < tn_prim_count(); p++) {
        const tn_prim_info *info = tn_prim_at(p);
        if (!is_body(info) || !is_defined(info, dt)) continue;
        check_all(info, dt);
        checked++;
    }
    cr_assert_gt(checked, 8);
}

/* One test a dtype. */
#define TEST_OF(name)                                                                              \
    Test(prim_eval, of_##name) {                                                                   \
        check_dtype(TN_DT_##name);                                                                 \
    }
TEST_OF(BOOL)
TEST_OF(U8)
TEST_OF(U16)
TEST_OF(U32)
TEST_OF(U64)
TEST_OF(I8)
TEST_OF(I16)
TEST_OF(I32)
TEST_OF(I64)
TEST_OF(F16)
TEST_OF(BF16)
TEST_OF(F32)
TEST_OF(F64)
TEST_OF(F8E4M3FN)
TEST_OF(F8E5M2)

/* ------------------------------------------------- properties and fixed points */

static double eval_f(uint32_t prim, tn_dt dt, double a, double b, double c) {
    const tn_scalar x[3] = {{.f = a}, {.f = b}, {.f = c}};
    return tn_prim_eval(prim, dt, x).f;
}
static int64_t eval_i(uint32_t prim, tn_dt dt, int64_t a, int64_t b) {
    const tn_scalar x[3] = {{.i = a}, {.i = b}, {.i = 0}};
    return tn_prim_eval(prim, dt, x).i;
}

/* All 65536 pairs of 8-bit integers: quotient and remainder belong together. */
Test(prim_eval, division_of_every_i8_and_u8) {
    for (int a = -128; a < 128; a++) {
        for (int b = -128; b < 128; b++) {
            const int64_t q = eval_i(TN_PRIM_FLOORDIV, TN_DT_I8, a, b);
            const int64_t m = eval_i(TN_PRIM_MOD, TN_DT_I8, a, b);
            const int64_t t = eval_i(TN_PRIM_TRUNCDIV, TN_DT_I8, a, b);
            const int64_t r = eval_i(TN_PRIM_REM, TN_DT_I8, a, b);
            const int64_t up = eval_i(TN_PRIM_CEILDIV, TN_DT_I8, a, b);
            if (b == 0) {
                cr_assert(q == -1 && t == -1 && up == -1 && m == a && r == a);
                continue;
            }
            cr_assert_eq((int8_t)(q * b + m), a, "%d %d", a, b);
            cr_assert_eq((int8_t)(t * b + r), a, "%d %d", a, b);
            cr_assert(b > 0 ? m >= 0 && m < b : m <= 0 && m > b, "%d %d", a, b);
            cr_assert(llabs(r) < abs(b) && (r == 0 || (r < 0) == (a < 0)), "%d %d", a, b);
            cr_assert_eq(up, m == 0 ? q : q + 1, "%d %d", a, b);
            const int ua = a + 128, ub = b + 128;
            if (ub == 0) continue;
            cr_assert_eq(eval_i(TN_PRIM_FLOORDIV, TN_DT_U8, ua, ub), ua / ub);
            cr_assert_eq(eval_i(TN_PRIM_MOD, TN_DT_U8, ua, ub), ua % ub);
            cr_assert_eq(eval_i(TN_PRIM_CEILDIV, TN_DT_U8, ua, ub), (ua + ub - 1) / ub);
        }
    }
}

Test(prim_eval, exact_where_promised) {
    for (int e = -1074; e < 1024; e++) {
        cr_assert_eq(eval_f(TN_PRIM_EXP2, TN_DT_F64, e, 0, 0), ldexp(1.0, e), "%d", e);
        cr_assert_eq(eval_f(TN_PRIM_LOG2, TN_DT_F64, ldexp(1.0, e), 0, 0), e, "%d", e);
    }
    for (int e = -149; e < 128; e++) {
        cr_assert_eq(eval_f(TN_PRIM_EXP2, TN_DT_F32, e, 0, 0), ldexp(1.0, e), "%d", e);
        cr_assert_eq(eval_f(TN_PRIM_LOG2, TN_DT_F32, ldexp(1.0, e), 0, 0), e, "%d", e);
    }
    cr_expect_eq(eval_f(TN_PRIM_POW, TN_DT_F32, 1.0, NAN, 0), 1.0);
    cr_expect_eq(eval_f(TN_PRIM_POW, TN_DT_F32, NAN, 0.0, 0), 1.0);
    cr_expect_eq(eval_f(TN_PRIM_POW, TN_DT_F32, -2.0, 3.0, 0), -8.0);
    cr_expect_eq(eval_f(TN_PRIM_POW, TN_DT_F32, -0.0, -3.0, 0), -INFINITY);
}

Test(prim_eval, one_rounding_in_fma) {
    /* a*b = 1 + 2^-23 + 2^-46; adding 2^-24 makes a tie but for the last bit. */
    const double a = 1.0 + 0x1p-23, c = 0x1p-24 - 0x1p-23;
    cr_expect_eq(eval_f(TN_PRIM_FMA, TN_DT_F32, a, 1.0 + 0x1p-23, c),
                 (double)fmaf((float)a, (float)a, (float)c));
    /* Rounded to double first this is a tie of f32, and would round down. */
    const double big = 0x1p23 + 1, tiny = 0x1p-60;
    cr_expect_eq(eval_f(TN_PRIM_FMA, TN_DT_F32, big, 0.5, tiny), 0x1p22 + 0.5);
    const double x = 0x1.000002p0, y = 0x1.000002p-1;
    cr_expect_eq(eval_f(TN_PRIM_FMA, TN_DT_F32, x, y, 0x1p-100),
                 (double)fmaf((float)x, (float)y, 0x1p-100f));
}

Test(prim_eval, operators_round_in_their_own_type) {
    /* NUM-17: 82/41 and 533/41 are exact, and reciprocals would not be. */
    cr_expect_eq(eval_f(TN_PRIM_DIV, TN_DT_F32, 533.0, 41.0, 0), 13.0);
    cr_expect_eq(eval_f(TN_PRIM_ADD, TN_DT_F32, 16777216.0, 1.0, 0), 16777216.0);
    cr_expect_eq(eval_f(TN_PRIM_ADD, TN_DT_F64, 16777216.0, 1.0, 0), 16777217.0);
    /* f16 computes in f32: the caller rounds. */
    cr_expect_eq(eval_f(TN_PRIM_ADD, TN_DT_F16, 2048.0, 1.0, 0), 2049.0);
    cr_expect_eq(eval_f(TN_PRIM_MUL, TN_DT_F16, 300.0, 300.0, 0), 90000.0);
}

Test(prim_eval, signed_zeros_of_extremes_whatever_the_order) {
    static const tn_dt dts[] = {TN_DT_F16, TN_DT_BF16, TN_DT_F32, TN_DT_F64};
    for (int k = 0; k < 4; k++) {
        cr_expect(signbit(eval_f(TN_PRIM_MIN, dts[k], -0.0, 0.0, 0)));
        cr_expect(signbit(eval_f(TN_PRIM_MIN, dts[k], 0.0, -0.0, 0)));
        cr_expect(!signbit(eval_f(TN_PRIM_MAX, dts[k], -0.0, 0.0, 0)));
        cr_expect(!signbit(eval_f(TN_PRIM_MAX, dts[k], 0.0, -0.0, 0)));
    }
}
