/* Axis arguments of reductions and of ops on shapes: Python's numbering, duplicates refused,
 * None or an empty list meaning all axes where an op says so. */
#ifndef TN_PLUGINS_AXES_H
#define TN_PLUGINS_AXES_H

#include "tenon/lower.h"

typedef struct tn_axes {
    uint32_t n;
    int64_t axis[TN_LOWER_MAX_RANK]; /* increasing */
    uint32_t mask;
} tn_axes;

static inline void tn_axes_from_mask(tn_axes *axes, uint32_t mask) {
    axes->n = 0;
    axes->mask = mask;
    for (int i = 0; i < TN_LOWER_MAX_RANK; i++) {
        if (mask >> i & 1u) axes->axis[axes->n++] = i;
    }
}

/* A 0-d tensor has no axis, but 0 and -1 are taken for it, and are none. */
static inline tn_code tn_axes_from_ints(const tn_callback *cb, const int64_t *ints, uint32_t n,
                                        int32_t rank, tn_axes *out) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis;
        TN_CHECK(tn_normalize_axis(cb, ints[i], rank, &axis));
        TN_REQUIRE(cb, !(mask >> axis & 1u), "axis %d is named twice", (int)axis);
        mask |= 1u << axis;
    }
    tn_axes_from_mask(out, rank == 0 ? 0 : mask);
    return TN_OK;
}

static inline uint32_t tn_axes_every(int32_t rank) {
    return rank <= 0 ? 0u : (1u << rank) - 1u;
}

/* Argument `index`: an int, a list of ints or None, for a tensor of this rank; None and an
 * empty list are all axes. */
static inline tn_code tn_meta_axes(const tn_meta_context *m, uint32_t index, int32_t rank,
                                   tn_axes *out) {
    const tn_arg *arg = &m->args[index];
    int64_t ints[TN_LOWER_MAX_RANK];
    uint32_t n = 1;
    if (arg->tag == TN_TAG_INT) {
        ints[0] = arg->v.i;
    } else if (arg->tag == TN_TAG_NONE || arg->count == 0) {
        tn_axes_from_mask(out, tn_axes_every(rank));
        return TN_OK;
    } else {
        TN_CHECK(tn_get_ints(m->cb, m->args, m->n_args, index, ints, TN_LOWER_MAX_RANK, &n));
    }
    return tn_axes_from_ints(m->cb, ints, n, rank, out);
}

/* The number behind an int argument. */
static inline int64_t tn_lower_int(const tn_lower_context *l, tn_arg arg) {
    return arg.tag == TN_TAG_INT ? arg.v.i : l->api->dim_value(l->b, l->api->dim_arg(l->b, arg));
}

static inline int tn_lower_flag(const tn_lower_context *l, uint32_t index) {
    const tn_arg arg = l->args[index];
    return arg.tag == TN_TAG_BOOL ? arg.v.i != 0 : l->api->number_value(l->b, arg) != 0;
}

/* The same as tn_meta_axes, which has refused what is wrong. */
static inline tn_code tn_lower_axes(const tn_lower_context *l, uint32_t index, int32_t rank,
                                    tn_axes *out) {
    const tn_arg *arg = &l->args[index];
    int64_t ints[TN_LOWER_MAX_RANK];
    uint32_t n = arg->tag == TN_TAG_LIST ? arg->count : arg->tag != TN_TAG_NONE;
    if (n == 0) {
        tn_axes_from_mask(out, tn_axes_every(rank));
        return TN_OK;
    }
    TN_REQUIRE(l->cb, n <= TN_LOWER_MAX_RANK, "%u axes are too many", (unsigned)n);
    for (uint32_t i = 0; i < n; i++)
        ints[i] = tn_lower_int(l, arg->tag == TN_TAG_LIST ? arg->v.list[i] : *arg);
    return tn_axes_from_ints(l->cb, ints, n, rank, out);
}

/* One axis of a tensor of this rank, 0 for a 0-d one. */
static inline tn_code tn_lower_axis(const tn_lower_context *l, uint32_t index, int32_t rank,
                                    int32_t *out) {
    return tn_normalize_axis(l->cb, tn_lower_int(l, l->args[index]), rank, out);
}

/* The shape of t without the axes, or with extents of 1 in their place. */
static inline void tn_reduced_shape(const tn_tensor *t, const tn_axes *axes, int keepdim,
                                    int32_t *out_ndim, int64_t shape[TN_LOWER_MAX_RANK]) {
    int32_t n = 0;
    for (int32_t i = 0; i < t->ndim; i++) {
        const int gone = axes->mask >> i & 1u;
        if (!gone)
            shape[n++] = t->shape[i];
        else if (keepdim)
            shape[n++] = 1;
    }
    *out_ndim = n;
}

/* How many elements of x one result stands for. */
static inline tn_dim tn_lower_count(const tn_lower_context *l, tn_value x, const tn_axes *axes) {
    tn_dim n = l->api->dim_const(l->b, 1);
    for (uint32_t i = 0; i < axes->n; i++)
        n = l->api->dim_op(l->b, TN_DIM_MUL, n, tn_lower_dim(l, x, (int32_t)axes->axis[i]));
    return n;
}

/* y is x reduced over the axes: with extents of 1 in their place when keepdim. */
static inline tn_value tn_lower_keepdim(const tn_lower_context *l, tn_value y, tn_value x,
                                        const tn_axes *axes, int keepdim) {
    tn_dim shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, x, shape);
    if (!keepdim || axes->n == 0) return y;
    for (uint32_t i = 0; i < axes->n; i++)
        shape[axes->axis[i]] = l->api->dim_const(l->b, 1);
    return tn_lower_reshape(l, y, shape, (uint32_t)rank);
}

/* x reduced by prim over the axes; x itself when there are none. */
static inline tn_value tn_lower_reduce_axes(const tn_lower_context *l, uint32_t prim, tn_value x,
                                            const tn_axes *axes) {
    return tn_lower_reduce(l, prim, x, axes->axis, axes->n);
}

#endif
