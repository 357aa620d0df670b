/* Activations made of straight pieces; of integers too. */
#include "nn.h"

#include "promotion.h"

static tn_code relu_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    TN_REQUIRE(m->cb, !tn_is_bool(self->dtype), "it takes numbers, not bool");
    return tn_meta_like(m, 0, self);
}

static tn_code leaky_relu_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    TN_REQUIRE(m->cb, tn_is_float(self->dtype), "it takes floats, not %s",
               tn_dtype_name(self->dtype));
    return tn_meta_like(m, 0, self);
}

static tn_code relu_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    l->results[0] = tn_lower_max(l, x, tn_lower_scalar_like(l, x, tn_arg_int(0)));
    return TN_OK;
}

static tn_code between(const tn_lower_context *l, tn_arg low, tn_arg high) {
    const tn_value x = tn_lower_arg(l, 0);
    l->results[0] = tn_lower_clamp(l, x, tn_lower_scalar_like(l, x, low),
                                   tn_lower_scalar_like(l, x, high));
    return TN_OK;
}

static tn_code relu6_lower(const tn_lower_context *l) {
    return between(l, tn_arg_int(0), tn_arg_int(6));
}

static tn_code hardtanh_lower(const tn_lower_context *l) {
    return between(l, l->args[1], l->args[2]);
}

static tn_code leaky_relu_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    const tn_value above = tn_lower_gt(l, x, tn_lower_scalar_like(l, x, tn_arg_int(0)));
    const tn_value below = tn_lower_mul(l, x, tn_lower_scalar_like(l, x, l->args[1]));
    l->results[0] = tn_lower_select(l, above, x, below);
    return TN_OK;
}

TN_DEFINE_OPS(TN_RELU_OPS)
