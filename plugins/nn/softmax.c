/* softmax and its kin along one axis. The largest element is taken out first, so that no
 * exponential overflows. NaN anywhere along the axis makes all of it NaN. */
#include "nn.h"

#include "axes.h"
#include "wide.h"

static tn_code softmax_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    tn_dtype dtype;
    int32_t axis;
    TN_CHECK(tn_get_dtype_or(m->cb, m->args, m->n_args, 2, self->dtype, &dtype));
    TN_REQUIRE(m->cb, tn_is_float(dtype), "it takes floats, not %s: state a float as dtype",
               tn_dtype_name(dtype));
    TN_CHECK(tn_normalize_axis(m->cb, m->args[1].v.i, self->ndim, &axis));
    return tn_meta_like_as(m, 0, self, dtype);
}

/* What all three begin with, wide. */
typedef struct start {
    tn_dtype dtype; /* of the result */
    tn_axes axes;
    tn_value x, most, shifted, e, sum;
} start;

static tn_code begin(const tn_lower_context *l, start *s) {
    const tn_value self = tn_lower_arg(l, 0);
    const int32_t rank = tn_lower_rank(l, self);
    s->dtype = tn_lower_is_none(l, 2) ? tn_lower_dtype(l, self) : l->args[2].v.dtype;
    TN_CHECK(tn_lower_axes(l, 1, rank, &s->axes));
    s->x = tn_widen(l, tn_lower_cast(l, self, s->dtype));
    s->most = tn_lower_reduce_axes(l, TN_PRIM_REDUCE_MAX, s->x, &s->axes);
    s->shifted = tn_lower_sub(l, s->x, tn_lower_spread(l, s->most, s->x, s->axes.axis, s->axes.n));
    s->e = tn_lower_exp(l, s->shifted);
    s->sum = tn_lower_reduce_axes(l, TN_PRIM_SUM, s->e, &s->axes);
    return TN_OK;
}

static tn_value spread(const tn_lower_context *l, const start *s, tn_value row) {
    return tn_lower_spread(l, row, s->x, s->axes.axis, s->axes.n);
}

/* e times the row's reciprocal: one division a row. A division an element, at 16
 * cycles a vector, takes longer than the memory does. */
static tn_value normalize(const tn_lower_context *l, const start *s) {
    const tn_value one = tn_lower_float_like(l, s->sum, 1.0);
    return tn_lower_mul(l, s->e, spread(l, s, tn_lower_div(l, one, s->sum)));
}

static tn_code softmax_lower(const tn_lower_context *l) {
    start s;
    TN_CHECK(begin(l, &s));
    const tn_value y = normalize(l, &s);
    l->results[0] = tn_lower_cast(l, y, s.dtype);
    return TN_OK;
}

static tn_code log_softmax_lower(const tn_lower_context *l) {
    start s;
    TN_CHECK(begin(l, &s));
    const tn_value y = tn_lower_sub(l, s.shifted, spread(l, &s, tn_lower_log(l, s.sum)));
    l->results[0] = tn_lower_cast(l, y, s.dtype);
    return TN_OK;
}

/* The maximum is -infinity only where all are: it is NaN where one is. */
static tn_code safe_softmax_lower(const tn_lower_context *l) {
    start s;
    TN_CHECK(begin(l, &s));
    const tn_value nothing = tn_lower_eq(l, s.most,
                                         tn_lower_float_like(l, s.most, -__builtin_inf()));
    const tn_value y = normalize(l, &s);
    const tn_value zero = tn_lower_float_like(l, y, 0.0);
    l->results[0] = tn_lower_cast(l, tn_lower_select(l, spread(l, &s, nothing), zero, y), s.dtype);
    return TN_OK;
}

TN_DEFINE_OPS(TN_SOFTMAX_OPS)
