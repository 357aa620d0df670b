/* Inside core/ir: what the type rules of primitives share. A rule reads the
 * operands' types and the attributes, and sets each result once. */
#ifndef TN_IR_PRIM_INFER_H
#define TN_IR_PRIM_INFER_H

#include "ir/internal.h"

typedef struct tn__infer {
    const tn_prim_info *info;
    const tn_schema *schema;
    const tn_type *operands; /* typed, of our dtypes, every extent concrete */
    uint32_t n_operands;
    const tn_arg *args;
    tn_arena *arena;
    tn_type *results;
    uint32_t n_results;
} tn__infer;

/* INVALID: "prim::name: " and the message. */
TN_MUST_USE tn_status tn__infer_fail(const tn__infer *in, const char *fmt, ...)
    TN_PRINTF(2, 3) TN_FAILS;
/* "a", or "xs[2]" of a list. */
const char *tn__infer_operand(const tn__infer *in, uint32_t index, char out[40]);

/* Attributes. A list has exactly `expected` items, or at most TN_MAX_RANK where
 * that is negative. */
TN_MUST_USE tn_status tn__infer_int(const tn__infer *in, const char *name, int64_t *out);
TN_MUST_USE tn_status tn__infer_ints(const tn__infer *in, const char *name, int64_t expected,
                                     int64_t out[TN_MAX_RANK], int32_t *out_n);
TN_MUST_USE tn_status tn__infer_dtype(const tn__infer *in, tn_dt *out);
/* An attribute that is an axis of operand 0. */
TN_MUST_USE tn_status tn__infer_axis(const tn__infer *in, const char *name, int32_t *out);
/* Distinct axes within [0, rank); out_set[i] says whether i is one. */
TN_MUST_USE tn_status tn__infer_axes(const tn__infer *in, const char *name, int32_t rank,
                                     bool out_set[TN_MAX_RANK]);
/* The opset defines the primitive on operand i's dtype. */
TN_MUST_USE tn_status tn__infer_defined(const tn__infer *in, uint32_t i);
/* Operand i agrees with operand `first`. */
TN_MUST_USE tn_status tn__infer_same_dtype(const tn__infer *in, uint32_t first, uint32_t i);
TN_MUST_USE tn_status tn__infer_same_shape(const tn__infer *in, uint32_t first, uint32_t i);

/* Adds a result; the shape is copied and must be of a possible size. */
TN_MUST_USE tn_status tn__infer_result(tn__infer *in, tn_dt dt, const int64_t *shape, int32_t rank);

/* The rules, by class. */
TN_MUST_USE tn_status tn__infer_view(tn__infer *in);
TN_MUST_USE tn_status tn__infer_gather(tn__infer *in);
TN_MUST_USE tn_status tn__infer_reduce(tn__infer *in);

#endif
