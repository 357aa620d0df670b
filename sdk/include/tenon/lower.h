/* SPDX-License-Identifier: Apache-2.0
 *
 * tenon/lower.h: inline wrappers for those who write lowerings, one for each
 * primitive of tenon/opset.h, and the broadcasting and promotion that primitives
 * themselves never do. Nothing here is part of the binary contract. C99, C++11.
 *
 * A lowering, in full:
 *
 *     static tn_code swish_lower(const tn_lower_context *l) {
 *         tn_value x = tn_lower_arg(l, 0);
 *         tn_value beta = tn_lower_scalar_like(l, x, l->args[1]);
 *         tn_value gate = tn_lower_sigmoid(l, tn_lower_mul(l, x, beta));
 *         l->results[0] = tn_lower_mul(l, x, gate);
 *         return TN_OK;
 *     }
 *
 * Errors stick in the builder (tn_builder_api says how), so nothing is checked
 * step by step: a function that is given an invalid value returns one.
 *
 * As text (tn_op_desc.lowering_text) the same lowering is graph text that names
 * its opset; T is any dtype, ... any leading axes, $beta an argument of the op:
 *
 *     opset 1
 *     graph @swish(%x: T[...]) {
 *       %c = prim::constant(value=$beta, dtype=T)
 *       %b = prim::broadcast(%c, shape=[...], axes=[])
 *       ...
 *     }
 */
#ifndef TENON_LOWER_H
#define TENON_LOWER_H

#include "tenon/opset.h"
#include "tenon/util.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TN_LOWER_MAX_RANK 16

/* --------------------------------------------------------------- arguments */

/* A tensor argument; an invalid value where it is None. */
static inline tn_value tn_lower_arg(const tn_lower_context *l, uint32_t index) {
    tn_value none = {0};
    if (index >= l->n_args || l->args[index].tag != TN_TAG_VALUE) return none;
    return l->args[index].v.value;
}
static inline int tn_lower_is_none(const tn_lower_context *l, uint32_t index) {
    return tn_is_none(l->args, l->n_args, index);
}
static inline int32_t tn_lower_rank(const tn_lower_context *l, tn_value v) {
    return l->api->rank(l->b, v);
}
static inline tn_dtype tn_lower_dtype(const tn_lower_context *l, tn_value v) {
    return l->api->dtype(l->b, v);
}
static inline tn_dim tn_lower_dim(const tn_lower_context *l, tn_value v,
                                  int32_t axis) {
    return l->api->dim(l->b, v, axis);
}
/* The extents of v; returns its rank. */
static inline int32_t tn_lower_shape(const tn_lower_context *l, tn_value v,
                                     tn_dim out[TN_LOWER_MAX_RANK]) {
    const int32_t rank = tn_lower_rank(l, v);
    for (int32_t i = 0; i < rank; i++)
        out[i] = tn_lower_dim(l, v, i);
    return rank;
}

/* -------------------------------------------------------------- attributes */

static inline tn_arg tn_arg_int(int64_t i) {
    tn_arg arg;
    memset(&arg, 0, sizeof arg);
    arg.tag = TN_TAG_INT;
    arg.v.i = i;
    return arg;
}
static inline tn_arg tn_arg_float(double f) {
    tn_arg arg = tn_arg_int(0);
    arg.tag = TN_TAG_FLOAT;
    arg.v.f = f;
    return arg;
}
static inline tn_arg tn_arg_bool(int value) {
    tn_arg arg = tn_arg_int(value != 0);
    arg.tag = TN_TAG_BOOL;
    return arg;
}
static inline tn_arg tn_arg_dim(tn_dim d) {
    tn_arg arg = tn_arg_int(0);
    arg.tag = TN_TAG_DIM;
    arg.v.dim = d;
    return arg;
}
static inline tn_arg tn_arg_value(tn_value v) {
    tn_arg arg = tn_arg_int(0);
    arg.tag = TN_TAG_VALUE;
    arg.v.value = v;
    return arg;
}
static inline tn_arg tn_arg_dtype(tn_dtype t) {
    tn_arg arg = tn_arg_int(0);
    arg.tag = TN_TAG_DTYPE;
    arg.v.dtype = t;
    return arg;
}
static inline tn_arg tn_arg_list(const tn_arg *items, uint32_t count) {
    tn_arg arg = tn_arg_int(0);
    arg.tag = TN_TAG_LIST;
    arg.count = count;
    arg.v.list = items;
    return arg;
}
/* Lists in the caller's storage of `count` items. */
static inline tn_arg tn_arg_ints(const int64_t *values, uint32_t count,
                                 tn_arg *storage) {
    for (uint32_t i = 0; i < count; i++)
        storage[i] = tn_arg_int(values[i]);
    return tn_arg_list(storage, count);
}
static inline tn_arg tn_arg_dims(const tn_dim *dims, uint32_t count,
                                 tn_arg *storage) {
    for (uint32_t i = 0; i < count; i++)
        storage[i] = tn_arg_dim(dims[i]);
    return tn_arg_list(storage, count);
}
static inline tn_attr tn_attr_named(const char *name, tn_arg value) {
    tn_attr attr;
    attr.name = name;
    attr.value = value;
    return attr;
}

/* -------------------------------------------------------------- primitives */

static inline tn_value tn_lower_emit(const tn_lower_context *l, uint32_t prim,
                                     const tn_value *ins, uint32_t n_ins,
                                     const tn_attr *attrs, uint32_t n_attrs) {
    tn_value out = {0};
    (void)l->api->emit(l->b, prim, ins, n_ins, attrs, n_attrs, &out, 1);
    return out;
}

#define TN_LOWER_1(name, ID)                                                   \
    static inline tn_value tn_lower_##name(const tn_lower_context *l,          \
                                           tn_value a) {                       \
        return tn_lower_emit(l, TN_PRIM_##ID, &a, 1, NULL, 0);                 \
    }
#define TN_LOWER_2(name, ID)                                                   \
    static inline tn_value tn_lower_##name(const tn_lower_context *l,          \
                                           tn_value a, tn_value b) {           \
        tn_value ins[2];                                                       \
        ins[0] = a;                                                            \
        ins[1] = b;                                                            \
        return tn_lower_emit(l, TN_PRIM_##ID, ins, 2, NULL, 0);                \
    }
#define TN_LOWER_3(name, ID)                                                   \
    static inline tn_value tn_lower_##name(                                    \
        const tn_lower_context *l, tn_value a, tn_value b, tn_value c) {       \
        tn_value ins[3];                                                       \
        ins[0] = a;                                                            \
        ins[1] = b;                                                            \
        ins[2] = c;                                                            \
        return tn_lower_emit(l, TN_PRIM_##ID, ins, 3, NULL, 0);                \
    }
/* clang-format off */
TN_LOWER_2(add, ADD) TN_LOWER_2(sub, SUB) TN_LOWER_2(mul, MUL) TN_LOWER_2(div, DIV)
TN_LOWER_2(floordiv, FLOORDIV) TN_LOWER_2(ceildiv, CEILDIV) TN_LOWER_2(truncdiv, TRUNCDIV)
TN_LOWER_2(mod, MOD) TN_LOWER_2(rem, REM) TN_LOWER_1(neg, NEG) TN_LOWER_1(abs, ABS)
TN_LOWER_1(sign, SIGN) TN_LOWER_2(max, MAX) TN_LOWER_2(min, MIN) TN_LOWER_3(clamp, CLAMP)
TN_LOWER_3(fma, FMA) TN_LOWER_2(copysign, COPYSIGN) TN_LOWER_1(floor, FLOOR)
TN_LOWER_1(ceil, CEIL) TN_LOWER_1(trunc, TRUNC) TN_LOWER_1(round, ROUND) TN_LOWER_1(sqrt, SQRT)
TN_LOWER_1(rsqrt, RSQRT) TN_LOWER_1(exp, EXP) TN_LOWER_1(exp2, EXP2) TN_LOWER_1(expm1, EXPM1)
TN_LOWER_1(log, LOG) TN_LOWER_1(log2, LOG2) TN_LOWER_1(log10, LOG10) TN_LOWER_1(log1p, LOG1P)
TN_LOWER_2(pow, POW) TN_LOWER_1(sin, SIN) TN_LOWER_1(cos, COS) TN_LOWER_1(tan, TAN)
TN_LOWER_1(asin, ASIN) TN_LOWER_1(acos, ACOS) TN_LOWER_1(atan, ATAN) TN_LOWER_2(atan2, ATAN2)
TN_LOWER_1(sinh, SINH) TN_LOWER_1(cosh, COSH) TN_LOWER_1(tanh, TANH) TN_LOWER_1(asinh, ASINH)
TN_LOWER_1(acosh, ACOSH) TN_LOWER_1(atanh, ATANH) TN_LOWER_1(erf, ERF) TN_LOWER_1(erfc, ERFC)
TN_LOWER_2(eq, EQ) TN_LOWER_2(ne, NE) TN_LOWER_2(lt, LT) TN_LOWER_2(le, LE) TN_LOWER_2(gt, GT)
TN_LOWER_2(ge, GE) TN_LOWER_1(isnan, ISNAN) TN_LOWER_1(isinf, ISINF)
TN_LOWER_1(isfinite, ISFINITE) TN_LOWER_2(and, AND) TN_LOWER_2(or, OR) TN_LOWER_2(xor, XOR)
TN_LOWER_1(not, NOT) TN_LOWER_2(shl, SHL) TN_LOWER_2(shr, SHR) TN_LOWER_1(popcount, POPCOUNT)
TN_LOWER_1(clz, CLZ) TN_LOWER_3(select, SELECT) TN_LOWER_2(matmul, MATMUL)
/* clang-format on */
#undef TN_LOWER_1
#undef TN_LOWER_2
#undef TN_LOWER_3

    /* v itself when it has that dtype already. */
    static inline tn_value
    tn_lower_cast(const tn_lower_context *l, tn_value v, tn_dtype dtype) {
    tn_attr attr = tn_attr_named("dtype", tn_arg_dtype(dtype));
    if (tn_same_dtype(tn_lower_dtype(l, v), dtype)) return v;
    return tn_lower_emit(l, TN_PRIM_CAST, &v, 1, &attr, 1);
}
static inline tn_value tn_lower_bitcast(const tn_lower_context *l, tn_value v,
                                        tn_dtype dtype) {
    tn_attr attr = tn_attr_named("dtype", tn_arg_dtype(dtype));
    return tn_lower_emit(l, TN_PRIM_BITCAST, &v, 1, &attr, 1);
}
/* 0-d; a number made of sizes when value is tn_arg_dim. */
static inline tn_value tn_lower_constant(const tn_lower_context *l,
                                         tn_dtype dtype, tn_arg value) {
    return l->api->constant(l->b, dtype, value);
}
static inline tn_value tn_lower_iota(const tn_lower_context *l,
                                     const tn_dim *shape, uint32_t rank,
                                     int32_t axis, tn_dtype dtype) {
    tn_arg storage[TN_LOWER_MAX_RANK];
    tn_attr attrs[3];
    attrs[0] = tn_attr_named("shape", tn_arg_dims(shape, rank, storage));
    attrs[1] = tn_attr_named("axis", tn_arg_int(axis));
    attrs[2] = tn_attr_named("dtype", tn_arg_dtype(dtype));
    return tn_lower_emit(l, TN_PRIM_IOTA, NULL, 0, attrs, 3);
}
/* axes[i] is where axis i of v goes: as many as v has. */
static inline tn_value tn_lower_broadcast(const tn_lower_context *l, tn_value v,
                                          const tn_dim *shape, uint32_t rank,
                                          const int64_t *axes) {
    tn_arg storage[2][TN_LOWER_MAX_RANK];
    tn_attr attrs[2];
    attrs[0] = tn_attr_named("shape", tn_arg_dims(shape, rank, storage[0]));
    attrs[1] = tn_attr_named(
        "axes", tn_arg_ints(axes, (uint32_t)tn_lower_rank(l, v), storage[1]));
    return tn_lower_emit(l, TN_PRIM_BROADCAST, &v, 1, attrs, 2);
}
static inline tn_value tn_lower_permute(const tn_lower_context *l, tn_value v,
                                        const int64_t *perm) {
    tn_arg storage[TN_LOWER_MAX_RANK];
    tn_attr attr = tn_attr_named(
        "perm", tn_arg_ints(perm, (uint32_t)tn_lower_rank(l, v), storage));
    return tn_lower_emit(l, TN_PRIM_PERMUTE, &v, 1, &attr, 1);
}
static inline tn_value tn_lower_reshape(const tn_lower_context *l, tn_value v,
                                        const tn_dim *shape, uint32_t rank) {
    tn_arg storage[TN_LOWER_MAX_RANK];
    tn_attr attr = tn_attr_named("shape", tn_arg_dims(shape, rank, storage));
    return tn_lower_emit(l, TN_PRIM_RESHAPE, &v, 1, &attr, 1);
}
static inline tn_value tn_lower_slice(const tn_lower_context *l, tn_value v,
                                      const tn_dim *start, const tn_dim *size,
                                      const int64_t *step) {
    const uint32_t rank = (uint32_t)tn_lower_rank(l, v);
    tn_arg storage[3][TN_LOWER_MAX_RANK];
    tn_attr attrs[3];
    attrs[0] = tn_attr_named("start", tn_arg_dims(start, rank, storage[0]));
    attrs[1] = tn_attr_named("size", tn_arg_dims(size, rank, storage[1]));
    attrs[2] = tn_attr_named("step", tn_arg_ints(step, rank, storage[2]));
    return tn_lower_emit(l, TN_PRIM_SLICE, &v, 1, attrs, 3);
}
static inline tn_value tn_lower_pad(const tn_lower_context *l, tn_value v,
                                    tn_value value, const tn_dim *low,
                                    const tn_dim *high) {
    const uint32_t rank = (uint32_t)tn_lower_rank(l, v);
    tn_arg storage[2][TN_LOWER_MAX_RANK];
    tn_attr attrs[2];
    tn_value ins[2];
    ins[0] = v;
    ins[1] = value;
    attrs[0] = tn_attr_named("low", tn_arg_dims(low, rank, storage[0]));
    attrs[1] = tn_attr_named("high", tn_arg_dims(high, rank, storage[1]));
    return tn_lower_emit(l, TN_PRIM_PAD, ins, 2, attrs, 2);
}
static inline tn_value tn_lower_concat(const tn_lower_context *l,
                                       const tn_value *vs, uint32_t n,
                                       int32_t axis) {
    tn_attr attr = tn_attr_named("axis", tn_arg_int(axis));
    return tn_lower_emit(l, TN_PRIM_CONCAT, vs, n, &attr, 1);
}
static inline tn_value tn_lower_flip(const tn_lower_context *l, tn_value v,
                                     const int64_t *axes, uint32_t n_axes) {
    tn_arg storage[TN_LOWER_MAX_RANK];
    tn_attr attr = tn_attr_named("axes", tn_arg_ints(axes, n_axes, storage));
    return tn_lower_emit(l, TN_PRIM_FLIP, &v, 1, &attr, 1);
}
static inline tn_value tn_lower_take(const tn_lower_context *l, tn_value v,
                                     tn_value index, int32_t axis) {
    tn_attr attr = tn_attr_named("axis", tn_arg_int(axis));
    tn_value ins[2];
    ins[0] = v;
    ins[1] = index;
    return tn_lower_emit(l, TN_PRIM_TAKE, ins, 2, &attr, 1);
}
/* prim is TN_PRIM_SUM, PROD, REDUCE_MAX, REDUCE_MIN, ANY or ALL. The axes vanish. */
static inline tn_value tn_lower_reduce(const tn_lower_context *l, uint32_t prim,
                                       tn_value v, const int64_t *axes,
                                       uint32_t n_axes) {
    tn_arg storage[TN_LOWER_MAX_RANK];
    tn_attr attr = tn_attr_named("axes", tn_arg_ints(axes, n_axes, storage));
    return tn_lower_emit(l, prim, &v, 1, &attr, 1);
}
/* prim is TN_PRIM_ARGMAX or ARGMIN. */
static inline tn_value tn_lower_arg_reduce(const tn_lower_context *l,
                                           uint32_t prim, tn_value v,
                                           int32_t axis) {
    tn_attr attr = tn_attr_named("axis", tn_arg_int(axis));
    return tn_lower_emit(l, prim, &v, 1, &attr, 1);
}
static inline void tn_lower_mean_var(const tn_lower_context *l, tn_value v,
                                     const int64_t *axes, uint32_t n_axes,
                                     int64_t correction, tn_value *out_mean,
                                     tn_value *out_var) {
    tn_arg storage[TN_LOWER_MAX_RANK];
    tn_attr attrs[2];
    tn_value outs[2];
    memset(outs, 0, sizeof outs);
    attrs[0] = tn_attr_named("axes", tn_arg_ints(axes, n_axes, storage));
    attrs[1] = tn_attr_named("correction", tn_arg_int(correction));
    (void)l->api->emit(l->b, TN_PRIM_MEAN_VAR, &v, 1, attrs, 2, outs, 2);
    *out_mean = outs[0];
    *out_var = outs[1];
}
/* Calls an op: one of the plugin's own, or of a namespace its note requires. */
static inline tn_value tn_lower_call(const tn_lower_context *l, const char *op,
                                     const tn_arg *args, uint32_t n_args) {
    tn_value out = {0};
    (void)l->api->call(l->b, op, args, n_args, &out, 1);
    return out;
}

/* --------------------------------------------------------- in combinations */

/* A number in every place of v's shape, of v's dtype. */
static inline tn_value tn_lower_scalar_like(const tn_lower_context *l,
                                            tn_value v, tn_arg value) {
    tn_dim shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, v, shape);
    tn_value c = tn_lower_constant(l, tn_lower_dtype(l, v), value);
    return rank == 0 ? c
                     : tn_lower_broadcast(l, c, shape, (uint32_t)rank, NULL);
}
static inline tn_value tn_lower_float_like(const tn_lower_context *l,
                                           tn_value v, double value) {
    return tn_lower_scalar_like(l, v, tn_arg_float(value));
}
/* 1 / (1 + e^-a): exact limits at both ends, NaN stays. */
static inline tn_value tn_lower_sigmoid(const tn_lower_context *l, tn_value a) {
    tn_value one = tn_lower_float_like(l, a, 1.0);
    return tn_lower_div(
        l, one, tn_lower_add(l, one, tn_lower_exp(l, tn_lower_neg(l, a))));
}
/* v at a shape it broadcasts to by the usual rule: aligned at the last axis, an
 * extent of 1 stretches. */
static inline tn_value tn_lower_broadcast_to(const tn_lower_context *l,
                                             tn_value v, const tn_dim *shape,
                                             int32_t rank) {
    int64_t axes[TN_LOWER_MAX_RANK];
    const int32_t own = tn_lower_rank(l, v);
    int same = own == rank;
    for (int32_t i = 0; i < own; i++) {
        axes[i] = rank - own + i;
        same = same && l->api->dim_equal(l->b, tn_lower_dim(l, v, i), shape[i]);
    }
    return same ? v : tn_lower_broadcast(l, v, shape, (uint32_t)rank, axes);
}
/* The shape that n values broadcast to together; returns its rank. */
static inline int32_t tn_lower_common_shape(const tn_lower_context *l,
                                            const tn_value *vs, uint32_t n,
                                            tn_dim out[TN_LOWER_MAX_RANK]) {
    int32_t rank = 0;
    const tn_dim one = l->api->dim_const(l->b, 1);
    for (uint32_t i = 0; i < n; i++) {
        const int32_t own = tn_lower_rank(l, vs[i]);
        if (own > rank) rank = own;
    }
    for (int32_t axis = 0; axis < rank; axis++) {
        out[axis] = one;
        for (uint32_t i = 0; i < n; i++) {
            const int32_t own = axis - (rank - tn_lower_rank(l, vs[i]));
            if (own < 0) continue;
            const tn_dim d = tn_lower_dim(l, vs[i], own);
            if (!l->api->dim_equal(l->b, d, one)) out[axis] = d;
        }
    }
    return rank;
}
/* Brings n values to their common shape, in place. */
static inline void tn_lower_broadcast_together(const tn_lower_context *l,
                                               tn_value *vs, uint32_t n) {
    tn_dim shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_common_shape(l, vs, n, shape);
    for (uint32_t i = 0; i < n; i++)
        vs[i] = tn_lower_broadcast_to(l, vs[i], shape, rank);
}
/* A row spread over the shape of v again:
 * `row` is v reduced over axes (increasing). */
static inline tn_value tn_lower_spread(const tn_lower_context *l, tn_value row,
                                       tn_value v, const int64_t *axes,
                                       uint32_t n_axes) {
    tn_dim shape[TN_LOWER_MAX_RANK];
    int64_t kept[TN_LOWER_MAX_RANK];
    uint32_t n_kept = 0, next = 0;
    const int32_t rank = tn_lower_shape(l, v, shape);
    for (int32_t i = 0; i < rank; i++) {
        if (next < n_axes && axes[next] == i) {
            next++;
        } else {
            kept[n_kept++] = i;
        }
    }
    return tn_lower_broadcast(l, row, shape, (uint32_t)rank, kept);
}

#ifdef __cplusplus
}
#endif
#endif
