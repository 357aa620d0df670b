/* Powers, and quotients with a rounding mode. */
#include "elementwise.h"

#include "operands.h"
#include "quotient.h"

static tn_code pow_meta(const tn_meta_context *m) {
    static const tn_rule rule = {2, TN_RESULT_COMMON, TN_TAKES_NUMBER, NULL};
    const tn_arg *exponent = &m->args[1];
    tn_dtype common;
    TN_CHECK(tn_meta_common(m, 0, 2, &common));
    TN_REQUIRE(m->cb, tn_kind(common) != 1 || exponent->tag != TN_TAG_INT || exponent->v.i >= 0,
               "integers have no power %lld: convert them to a float with tn::to",
               (long long)exponent->v.i);
    return tn_rule_meta(m, &rule);
}

static tn_value int_like(const tn_lower_context *l, tn_value x, int64_t value) {
    return tn_lower_scalar_like(l, x, tn_arg_int(value));
}

/* By squaring: bit k of the exponent says whether x^(2^k) is a factor. Below zero only 1 and
 * -1 have a power that is not 0. */
static tn_value integers(const tn_lower_context *l, tn_value x, tn_value e) {
    const tn_dtype dtype = tn_lower_dtype(l, x);
    const int is_signed = dtype.code == TN_TYPE_INT, bits = dtype.bits - is_signed;
    const tn_value zero = int_like(l, x, 0), one = int_like(l, x, 1);
    tn_value power = one, square = x;
    for (int k = 0; k < bits; k++) {
        const tn_value bit = tn_lower_and(l, e, int_like(l, x, (int64_t)((uint64_t)1 << k)));
        const tn_value is_set = tn_lower_ne(l, bit, zero);
        power = tn_lower_select(l, is_set, tn_lower_mul(l, power, square), power);
        if (k + 1 < bits) square = tn_lower_mul(l, square, square);
    }
    if (!is_signed) return power;
    const tn_value minus = int_like(l, x, -1);
    const tn_value is_odd = tn_lower_ne(l, tn_lower_and(l, e, one), zero);
    const tn_value of_minus = tn_lower_select(l, is_odd, minus, one);
    tn_value below = tn_lower_select(l, tn_lower_eq(l, x, minus), of_minus, zero);
    below = tn_lower_select(l, tn_lower_eq(l, x, one), one, below);
    return tn_lower_select(l, tn_lower_lt(l, e, zero), below, power);
}

static tn_code pow_lower(const tn_lower_context *l) {
    const tn_dtype common = tn_lower_common(l, 0, 2);
    tn_value v[TN_MOST_OPERANDS];
    tn_lower_operands(l, 0, 2, common, v);
    l->results[0] = tn_is_float(common) ? tn_lower_pow(l, v[0], v[1]) : integers(l, v[0], v[1]);
    return TN_OK;
}

/* x^n by squaring, for a known n > 0. */
static tn_value known_power(const tn_lower_context *l, tn_value x, uint64_t n) {
    tn_value power = x, square = x;
    int have = 0;
    for (; n != 0; n >>= 1) {
        if (n & 1) power = have ? tn_lower_mul(l, power, square) : square;
        have |= (int)(n & 1);
        if (n > 1) square = tn_lower_mul(l, square, square);
    }
    return power;
}

/* The exponents that PyTorch computes without a logarithm; false for any other. */
static int special_float(const tn_lower_context *l, tn_value x, double e, tn_value *out) {
    const tn_value one = tn_lower_float_like(l, x, 1.0);
    if (e == 0.0)
        *out = one;
    else if (e == 0.5)
        *out = tn_lower_sqrt(l, x);
    else if (e == -0.5)
        *out = tn_lower_rsqrt(l, x);
    else if (e == 1.0 || e == 2.0 || e == 3.0)
        *out = known_power(l, x, (uint64_t)e);
    else if (e == -1.0)
        *out = tn_lower_div(l, one, x);
    else if (e == -2.0)
        *out = tn_lower_div(l, one, tn_lower_mul(l, x, x));
    else
        return 0;
    return 1;
}

static tn_code pow_number_lower(const tn_lower_context *l) {
    const tn_dtype common = tn_lower_common(l, 0, 2);
    const tn_arg *exponent = &l->args[1];
    if (exponent->tag != TN_TAG_INT && exponent->tag != TN_TAG_FLOAT) return pow_lower(l);
    tn_value x = tn_lower_operand(l, 0, common);
    const double e = exponent->tag == TN_TAG_INT ? (double)exponent->v.i : exponent->v.f;
    if (!tn_is_float(common)) {
        const uint64_t n = (uint64_t)exponent->v.i; /* meta: not below 0 */
        l->results[0] = n == 0 ? int_like(l, x, 1) : known_power(l, x, n);
        return TN_OK;
    }
    tn_value wide = tn_lower_cast(l, x, tn_wide(common)), y;
    if (!special_float(l, wide, e, &y)) return pow_lower(l);
    l->results[0] = tn_lower_cast(l, y, common);
    return TN_OK;
}

/* ---------------------------------------------------------------- quotients */

enum { MODE_TRUE, MODE_FLOOR, MODE_TRUNC, MODE_UNKNOWN };

static int mode_of(const tn_arg *arg) {
    if (arg->tag == TN_TAG_NONE) return MODE_TRUE;
    if (strcmp(arg->v.str, "floor") == 0) return MODE_FLOOR;
    return strcmp(arg->v.str, "trunc") == 0 ? MODE_TRUNC : MODE_UNKNOWN;
}

static tn_code div_mode_meta(const tn_meta_context *m) {
    static const tn_rule rounded = {2, TN_RESULT_COMMON, TN_TAKES_NUMBER, NULL};
    static const tn_rule plain = {2, TN_RESULT_FLOAT, TN_TAKES_ALL, NULL};
    const int mode = mode_of(&m->args[2]);
    TN_REQUIRE(m->cb, mode != MODE_UNKNOWN,
               "rounding_mode is \"%s\"; None, \"floor\" and \"trunc\" are known",
               m->args[2].v.str);
    return tn_rule_meta(m, mode == MODE_TRUE ? &plain : &rounded);
}

static tn_code div_mode_lower(const tn_lower_context *l) {
    const int mode = mode_of(&l->args[2]);
    const tn_dtype common = tn_lower_common(l, 0, 2);
    const int is_float = tn_is_float(common);
    tn_value v[TN_MOST_OPERANDS];
    tn_lower_operands(l, 0, 2, mode == MODE_TRUE && !is_float ? tn_dtype_of_F32() : common, v);
    if (mode == MODE_FLOOR) {
        l->results[0] = tn__quotient_floor(l, v[0], v[1]);
    } else if (mode == MODE_TRUNC && !is_float) {
        l->results[0] = tn_lower_truncdiv(l, v[0], v[1]);
    } else {
        const tn_value quotient = tn_lower_div(l, v[0], v[1]);
        l->results[0] = mode == MODE_TRUNC ? tn_lower_trunc(l, quotient) : quotient;
    }
    return TN_OK;
}

TN_DEFINE_OPS(TN_POWER_OPS)
