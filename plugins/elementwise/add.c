/* Sums and differences with a factor. */
#include "elementwise.h"

#include "operands.h"

/* A factor must be of the kind that the sum is in. */
static tn_code check_factor(const tn_callback *cb, const char *name, const tn_arg *factor,
                            tn_dtype common) {
    TN_REQUIRE(cb, factor->tag != TN_TAG_FLOAT || tn_kind(common) == 2,
               "%s is %g, a float, but the operands are %s: an integer is needed", name,
               factor->v.f, tn_dtype_name(common));
    TN_REQUIRE(cb, factor->tag != TN_TAG_BOOL || tn_is_bool(common),
               "%s is a bool, but the operands are %s: a number is needed", name,
               tn_dtype_name(common));
    return TN_OK;
}

static tn_code sum_meta(const tn_meta_context *m, uint32_t n, uint32_t takes, const char *refusal,
                        const char *factor) {
    const tn_rule rule = {n, TN_RESULT_COMMON, takes, refusal};
    tn_dtype common;
    TN_CHECK(tn_meta_common(m, 0, n, &common));
    TN_CHECK(check_factor(m->cb, factor, &m->args[n], common));
    return tn_rule_meta(m, &rule);
}

static tn_code add_meta(const tn_meta_context *m) {
    return sum_meta(m, 2, TN_TAKES_ALL, NULL, "alpha");
}

static tn_code sub_meta(const tn_meta_context *m) {
    for (uint32_t i = 0; i < 2; i++) {
        const tn_arg *arg = &m->args[i];
        const int is_bool = arg->tag == TN_TAG_TENSOR ? tn_is_bool(arg->v.tensor->dtype)
                                                      : arg->tag == TN_TAG_BOOL;
        TN_REQUIRE(m->cb, !is_bool,
                   "there is no difference of bools: to invert one use tn::logical_not, to tell "
                   "two apart tn::logical_xor, to count convert with tn::to");
    }
    return sum_meta(m, 2, TN_TAKES_NUMBER, NULL, "alpha");
}

static tn_code addcmul_meta(const tn_meta_context *m) {
    return sum_meta(m, 3, TN_TAKES_NUMBER, NULL, "value");
}

static tn_code addcdiv_meta(const tn_meta_context *m) {
    return sum_meta(m, 3, TN_TAKES_FLOAT, ": a quotient of integers is no integer", "value");
}

static int is_one(const tn_arg *arg) {
    return ((arg->tag == TN_TAG_INT || arg->tag == TN_TAG_BOOL) && arg->v.i == 1) ||
           (arg->tag == TN_TAG_FLOAT && arg->v.f == 1.0);
}

/* factor * x, both of x's dtype. */
static tn_value scaled(const tn_lower_context *l, const tn_arg *factor, tn_value x) {
    if (is_one(factor)) return x;
    const tn_value by = tn_lower_scalar_like(l, x, *factor);
    return tn_is_bool(tn_lower_dtype(l, x)) ? tn_lower_and(l, by, x) : tn_lower_mul(l, by, x);
}

/* The operands at their common dtype and shape. */
static void operands(const tn_lower_context *l, uint32_t n, tn_value vs[TN_MOST_OPERANDS]) {
    tn_lower_operands(l, 0, n, tn_lower_common(l, 0, n), vs);
}

static tn_code add_lower(const tn_lower_context *l) {
    tn_value v[TN_MOST_OPERANDS];
    operands(l, 2, v);
    const tn_value y = scaled(l, &l->args[2], v[1]);
    l->results[0] = tn_is_bool(tn_lower_dtype(l, y)) ? tn_lower_or(l, v[0], y)
                                                     : tn_lower_add(l, v[0], y);
    return TN_OK;
}

static tn_code sub_lower(const tn_lower_context *l) {
    tn_value v[TN_MOST_OPERANDS];
    operands(l, 2, v);
    l->results[0] = tn_lower_sub(l, v[0], scaled(l, &l->args[2], v[1]));
    return TN_OK;
}

static tn_code rsub_lower(const tn_lower_context *l) {
    tn_value v[TN_MOST_OPERANDS];
    operands(l, 2, v);
    l->results[0] = tn_lower_sub(l, v[1], scaled(l, &l->args[2], v[0]));
    return TN_OK;
}

static tn_code addcmul_lower(const tn_lower_context *l) {
    tn_value v[TN_MOST_OPERANDS];
    operands(l, 3, v);
    const tn_value product = tn_lower_mul(l, scaled(l, &l->args[3], v[1]), v[2]);
    l->results[0] = tn_lower_add(l, v[0], product);
    return TN_OK;
}

static tn_code addcdiv_lower(const tn_lower_context *l) {
    tn_value v[TN_MOST_OPERANDS];
    operands(l, 3, v);
    const tn_value quotient = tn_lower_div(l, scaled(l, &l->args[3], v[1]), v[2]);
    l->results[0] = tn_lower_add(l, v[0], quotient);
    return TN_OK;
}

TN_DEFINE_OPS(TN_ADD_OPS)
