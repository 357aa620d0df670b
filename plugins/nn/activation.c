/* Smooth activations, of floats. */
#include "nn.h"

#include "wide.h"

static int is_tanh(const tn_arg *approximate) {
    return strcmp(approximate->v.str, "tanh") == 0;
}

static tn_code activation_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    TN_REQUIRE(m->cb, tn_is_float(self->dtype), "it takes floats, not %s",
               tn_dtype_name(self->dtype));
    if (m->n_args > 1 && m->args[1].tag == TN_TAG_STRING) {
        TN_REQUIRE(m->cb, is_tanh(&m->args[1]) || strcmp(m->args[1].v.str, "none") == 0,
                   "approximate is \"%s\"; \"none\" and \"tanh\" are known", m->args[1].v.str);
    }
    return tn_meta_like(m, 0, self);
}

static tn_value number(const tn_lower_context *l, tn_value like, double value) {
    return tn_lower_float_like(l, like, value);
}

/* x * sigmoid(by) as one quotient: no cancellation, right far from 0. */
static tn_value gated(const tn_lower_context *l, tn_value x, tn_value by) {
    const tn_value e = tn_lower_exp(l, tn_lower_neg(l, by));
    return tn_lower_div(l, x, tn_lower_add(l, number(l, x, 1.0), e));
}

/* With tanh(u) = 2 sigmoid(2u) - 1 the tanh form is x * sigmoid(2u), which keeps its digits
 * where 1 + tanh(u) would cancel. */
static tn_value gelu_tanh(const tn_lower_context *l, tn_value x) {
    const tn_value cube = tn_lower_mul(l, tn_lower_mul(l, x, x), x);
    const tn_value inner = tn_lower_add(l, x, tn_lower_mul(l, number(l, x, 0.044715), cube));
    const double twice_sqrt_2_over_pi = 1.5957691216057307117597842397375;
    return gated(l, x, tn_lower_mul(l, number(l, x, twice_sqrt_2_over_pi), inner));
}

static tn_value gelu(const tn_lower_context *l, tn_value x) {
    if (is_tanh(&l->args[1])) return gelu_tanh(l, x);
    const double sqrt_half = 0.70710678118654752440084436210485;
    const tn_value erf = tn_lower_erf(l, tn_lower_mul(l, x, number(l, x, sqrt_half)));
    const tn_value half = tn_lower_mul(l, number(l, x, 0.5), x);
    return tn_lower_mul(l, half, tn_lower_add(l, number(l, x, 1.0), erf));
}

static tn_value mish(const tn_lower_context *l, tn_value x) {
    return tn_lower_mul(l, x, tn_lower_tanh(l, tn_lower_log1p(l, tn_lower_exp(l, x))));
}

static tn_value elu_of(const tn_lower_context *l, tn_value x, tn_value alpha, tn_value scale,
                       tn_value input_scale) {
    const tn_value below = tn_lower_expm1(l, tn_lower_mul(l, x, input_scale));
    const tn_value y = tn_lower_mul(l, below, tn_lower_mul(l, alpha, scale));
    const tn_value is_below = tn_lower_lt(l, x, number(l, x, 0.0));
    return tn_lower_select(l, is_below, y, tn_lower_mul(l, x, scale));
}

static tn_value elu(const tn_lower_context *l, tn_value x) {
    return elu_of(l, x, tn_lower_scalar_like(l, x, l->args[1]),
                  tn_lower_scalar_like(l, x, l->args[2]), tn_lower_scalar_like(l, x, l->args[3]));
}

static tn_value selu(const tn_lower_context *l, tn_value x) {
    return elu_of(l, x, number(l, x, 1.6732632423543772848170429916717),
                  number(l, x, 1.0507009873554804934193349852946), number(l, x, 1.0));
}

static tn_value softplus(const tn_lower_context *l, tn_value x) {
    const tn_value beta = tn_lower_scalar_like(l, x, l->args[1]);
    const tn_value threshold = tn_lower_scalar_like(l, x, l->args[2]);
    const tn_value scaled = tn_lower_mul(l, x, beta);
    const tn_value soft = tn_lower_div(l, tn_lower_log1p(l, tn_lower_exp(l, scaled)), beta);
    return tn_lower_select(l, tn_lower_gt(l, scaled, threshold), x, soft);
}

static tn_value softsign(const tn_lower_context *l, tn_value x) {
    return tn_lower_div(l, x, tn_lower_add(l, number(l, x, 1.0), tn_lower_abs(l, x)));
}

static tn_value log_sigmoid(const tn_lower_context *l, tn_value x) {
    const tn_value e = tn_lower_exp(l, tn_lower_neg(l, tn_lower_abs(l, x)));
    return tn_lower_sub(l, tn_lower_min(l, x, number(l, x, 0.0)), tn_lower_log1p(l, e));
}

/* clamp(x + 3, 0, 6) */
static tn_value ramp(const tn_lower_context *l, tn_value x) {
    return tn_lower_clamp(l, tn_lower_add(l, x, number(l, x, 3.0)), number(l, x, 0.0),
                          number(l, x, 6.0));
}

static tn_value hardsigmoid(const tn_lower_context *l, tn_value x) {
    return tn_lower_div(l, ramp(l, x), number(l, x, 6.0));
}

static tn_value hardswish(const tn_lower_context *l, tn_value x) {
    return tn_lower_div(l, tn_lower_mul(l, x, ramp(l, x)), number(l, x, 6.0));
}

#define LOWER(OP, id, signature, doc, value)                                                       \
    static tn_code id##_lower(const tn_lower_context *l) {                                         \
        const tn_value self = tn_lower_arg(l, 0), x = tn_widen(l, self);                           \
        l->results[0] = tn_lower_cast(l, value, tn_lower_dtype(l, self));                          \
        return TN_OK;                                                                              \
    }
TN_ACTIVATION(LOWER, )

TN_DEFINE_OPS(TN_ACTIVATION_OPS)
