/* Other dtypes, and tensors like another. */
#include "elementwise.h"

#include "operands.h"

static tn_code to_meta(const tn_meta_context *m) {
    return tn_meta_like_as(m, 0, m->args[0].v.tensor, m->args[1].v.dtype);
}

static tn_code to_lower(const tn_lower_context *l) {
    l->results[0] = tn_lower_cast(l, tn_lower_arg(l, 0), l->args[1].v.dtype);
    return TN_OK;
}

static tn_code clone_meta(const tn_meta_context *m) {
    return tn_meta_like(m, 0, m->args[0].v.tensor);
}

static tn_code clone_lower(const tn_lower_context *l) {
    l->results[0] = tn_lower_arg(l, 0);
    return TN_OK;
}

/* The dtype argument at `index`, or self's. */
static tn_code like_meta(const tn_meta_context *m, uint32_t index) {
    const tn_tensor *self = m->args[0].v.tensor;
    tn_dtype dtype;
    TN_CHECK(tn_get_dtype_or(m->cb, m->args, m->n_args, index, self->dtype, &dtype));
    return tn_meta_like_as(m, 0, self, dtype);
}

static tn_code like_lower(const tn_lower_context *l, uint32_t dtype_index, tn_arg fill) {
    const tn_value self = tn_lower_arg(l, 0);
    const tn_dtype dtype = tn_lower_is_none(l, dtype_index) ? tn_lower_dtype(l, self)
                                                            : l->args[dtype_index].v.dtype;
    tn_dim shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, self, shape);
    const tn_value value = tn_lower_constant(l, dtype, fill);
    l->results[0] = tn_lower_broadcast_to(l, value, shape, rank);
    return TN_OK;
}

static tn_code full_like_meta(const tn_meta_context *m) {
    return like_meta(m, 2);
}

static tn_code zeros_like_meta(const tn_meta_context *m) {
    return like_meta(m, 1);
}

static tn_code full_like_lower(const tn_lower_context *l) {
    return like_lower(l, 2, l->args[1]);
}

static tn_code zeros_like_lower(const tn_lower_context *l) {
    return like_lower(l, 1, tn_arg_int(0));
}

static tn_code ones_like_lower(const tn_lower_context *l) {
    return like_lower(l, 1, tn_arg_int(1));
}

TN_DEFINE_OPS(TN_CONVERT_OPS)
