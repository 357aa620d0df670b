/* Sizes in lowerings, and parts that several ops here share. */
#ifndef TN_SHAPE_DIMS_H
#define TN_SHAPE_DIMS_H

#include "axes.h"

static inline tn_dim tn_size(const tn_lower_context *l, int64_t n) {
    return l->api->dim_const(l->b, n);
}
static inline tn_dim tn_size_of(const tn_lower_context *l, tn_arg arg) {
    return l->api->dim_arg(l->b, arg);
}
static inline tn_dim tn_size_add(const tn_lower_context *l, tn_dim x, tn_dim y) {
    return l->api->dim_op(l->b, TN_DIM_ADD, x, y);
}
static inline tn_dim tn_size_sub(const tn_lower_context *l, tn_dim x, tn_dim y) {
    return l->api->dim_op(l->b, TN_DIM_SUB, x, y);
}
static inline tn_dim tn_size_mul(const tn_lower_context *l, tn_dim x, tn_dim y) {
    return l->api->dim_op(l->b, TN_DIM_MUL, x, y);
}
/* The product of n sizes. */
static inline tn_dim tn_size_product(const tn_lower_context *l, const tn_dim *dims, int32_t n) {
    tn_dim product = tn_size(l, 1);
    for (int32_t i = 0; i < n; i++)
        product = tn_size_mul(l, product, dims[i]);
    return product;
}

static inline int64_t tn_product(const int64_t *extents, int32_t n) {
    int64_t product = 1;
    for (int32_t i = 0; i < n; i++)
        product *= extents[i];
    return product;
}

/* x at size places of one axis: begin, begin + step, ... */
tn_value tn__cut(const tn_lower_context *l, tn_value x, int32_t axis, tn_dim begin, tn_dim size,
                 int64_t step);
/* x without an axis of extent 1. */
tn_value tn__drop_axis(const tn_lower_context *l, tn_value x, int32_t axis);
/* x with an axis of extent 1 put in at `axis`. */
tn_value tn__put_axis(const tn_lower_context *l, tn_value x, int32_t axis);

#endif
