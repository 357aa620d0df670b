/* Operands of a pointwise op, for its meta function and its lowering: a run of arguments,
 * each a tensor or a number, promoted to a common dtype and broadcast together. */
#ifndef TN_PLUGINS_OPERANDS_H
#define TN_PLUGINS_OPERANDS_H

#include "promotion.h"

#define TN_MOST_OPERANDS 4

/* -------------------------------------------------------------------- meta */

static inline void tn_meta_promotion(const tn_meta_context *m, uint32_t first, uint32_t count,
                                     tn_promotion *p) {
    for (uint32_t i = first; i < first + count; i++) {
        const tn_arg *arg = &m->args[i];
        switch (arg->tag) {
        case TN_TAG_TENSOR:
            tn_promotion_tensor(p, arg->v.tensor->dtype, arg->v.tensor->ndim);
            break;
        case TN_TAG_INT: tn_promotion_number(p, tn_dtype_of_I64()); break;
        case TN_TAG_FLOAT: tn_promotion_number(p, tn_dtype_of_F32()); break;
        case TN_TAG_BOOL: tn_promotion_number(p, tn_dtype_of_BOOL()); break;
        default: break; /* None */
        }
    }
}

/* The common dtype of arguments first .. first+count-1, those that are None left out. */
static inline tn_code tn_meta_common(const tn_meta_context *m, uint32_t first, uint32_t count,
                                     tn_dtype *out) {
    tn_promotion p = {0};
    tn_meta_promotion(m, first, count, &p);
    TN_REQUIRE(m->cb, tn_promotion_result(&p, out),
               "%s and %s have no common dtype: convert one with tn::to", tn_dtype_name(p.clash[0]),
               tn_dtype_name(p.clash[1]));
    return TN_OK;
}

/* Widens shape, which has `*ndim` axes, so that t broadcasts to it. */
static inline tn_code tn_broadcast_with(const tn_callback *cb, const tn_tensor *t, int32_t *ndim,
                                        int64_t shape[TN_LOWER_MAX_RANK]) {
    tn_tensor so_far = {.ndim = *ndim, .shape = shape};
    int64_t joined[TN_LOWER_MAX_RANK];
    TN_CHECK(tn_broadcast_shape(cb, &so_far, t, ndim, joined));
    memcpy(shape, joined, (size_t)*ndim * sizeof *shape);
    return TN_OK;
}

/* The shape that the tensors among the arguments broadcast to. */
static inline tn_code tn_meta_broadcast(const tn_meta_context *m, uint32_t first, uint32_t count,
                                        int32_t *out_ndim, int64_t shape[TN_LOWER_MAX_RANK]) {
    *out_ndim = 0;
    for (uint32_t i = first; i < first + count; i++) {
        if (m->args[i].tag != TN_TAG_TENSOR) continue;
        TN_CHECK(tn_broadcast_with(m->cb, m->args[i].v.tensor, out_ndim, shape));
    }
    return TN_OK;
}

/* ---------------------------------------------------------------- lowering */

/* A number: not a tensor of the call. */
static inline int tn_is_number(const tn_arg *arg) {
    return arg->tag == TN_TAG_INT || arg->tag == TN_TAG_FLOAT || arg->tag == TN_TAG_BOOL ||
           arg->tag == TN_TAG_DIM || arg->tag == TN_TAG_NUMBER;
}

/* The same as tn_meta_common. Meta has refused what has no answer. */
static inline tn_dtype tn_lower_common(const tn_lower_context *l, uint32_t first, uint32_t count) {
    tn_promotion p = {0};
    tn_dtype out;
    for (uint32_t i = first; i < first + count; i++) {
        const tn_arg *arg = &l->args[i];
        switch (arg->tag) {
        case TN_TAG_VALUE:
            tn_promotion_tensor(&p, tn_lower_dtype(l, arg->v.value),
                                tn_lower_rank(l, arg->v.value));
            break;
        case TN_TAG_NUMBER: tn_promotion_number(&p, tn_lower_dtype(l, arg->v.value)); break;
        case TN_TAG_INT:
        case TN_TAG_DIM: tn_promotion_number(&p, tn_dtype_of_I64()); break;
        case TN_TAG_FLOAT: tn_promotion_number(&p, tn_dtype_of_F32()); break;
        case TN_TAG_BOOL: tn_promotion_number(&p, tn_dtype_of_BOOL()); break;
        default: break;
        }
    }
    (void)tn_promotion_result(&p, &out);
    return out;
}

/* One argument as a value of dtype; a number becomes 0-d. */
static inline tn_value tn_lower_operand(const tn_lower_context *l, uint32_t index, tn_dtype dtype) {
    const tn_arg *arg = &l->args[index];
    return tn_is_number(arg) ? tn_lower_constant(l, dtype, *arg)
                             : tn_lower_cast(l, arg->v.value, dtype);
}

/* Arguments first .. first+count-1 at dtype and at their common shape. */
static inline void tn_lower_operands(const tn_lower_context *l, uint32_t first, uint32_t count,
                                     tn_dtype dtype, tn_value vs[TN_MOST_OPERANDS]) {
    for (uint32_t i = 0; i < count; i++)
        vs[i] = tn_lower_operand(l, first + i, dtype);
    tn_lower_broadcast_together(l, vs, count);
}

/* ------------------------------------------------------------------- rules */

/* What most pointwise ops need to say of themselves. */
typedef struct tn_rule {
    uint32_t n; /* operands: the first n arguments */
    enum {
        TN_RESULT_COMMON, /* the common dtype */
        TN_RESULT_FLOAT,  /* the same, but f32 for integers and bools */
        TN_RESULT_BOOL,   /* bool; computed in the common dtype */
        TN_RESULT_LOGIC   /* bool; each operand is asked whether it is not zero */
    } result;
    uint32_t takes;      /* TN_TAKES_... of the common dtype */
    const char *refusal; /* appended when it does not take it: "; do this instead" */
} tn_rule;
#define TN_TAKES_BOOL 1u
#define TN_TAKES_INT 2u
#define TN_TAKES_FLOAT 4u
#define TN_TAKES_NUMBER (TN_TAKES_INT | TN_TAKES_FLOAT)
#define TN_TAKES_ALL 7u

static inline tn_code tn_rule_check(const tn_callback *cb, const tn_rule *rule, tn_dtype common) {
    static const char *const names[8] = {"nothing",
                                         "bool",
                                         "integers",
                                         "bool and integers",
                                         "floats",
                                         "bool and floats",
                                         "integers and floats",
                                         "every dtype"};
    const int kind = tn_kind(common);
    TN_REQUIRE(cb, kind >= 0 && (rule->takes >> kind & 1u), "it takes %s, not %s%s",
               names[rule->takes & 7u], tn_dtype_name(common), rule->refusal ? rule->refusal : "");
    return TN_OK;
}

static inline tn_dtype tn_rule_compute(const tn_rule *rule, tn_dtype common) {
    if (rule->result == TN_RESULT_LOGIC) return tn_dtype_of_BOOL();
    return rule->result == TN_RESULT_FLOAT && tn_kind(common) < 2 ? tn_dtype_of_F32() : common;
}

static inline tn_code tn_rule_meta(const tn_meta_context *m, const tn_rule *rule) {
    tn_dtype common = tn_dtype_of_BOOL();
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t ndim;
    if (rule->result != TN_RESULT_LOGIC) {
        TN_CHECK(tn_meta_common(m, 0, rule->n, &common));
        TN_CHECK(tn_rule_check(m->cb, rule, common));
    }
    TN_CHECK(tn_meta_broadcast(m, 0, rule->n, &ndim, shape));
    return tn_meta_contiguous(
        m, 0, rule->result == TN_RESULT_BOOL ? tn_dtype_of_BOOL() : tn_rule_compute(rule, common),
        ndim, shape);
}

/* The operands as the rule wants them. */
static inline void tn_rule_operands(const tn_lower_context *l, const tn_rule *rule,
                                    tn_value vs[TN_MOST_OPERANDS]) {
    const tn_dtype common = tn_lower_common(l, 0, rule->n);
    tn_lower_operands(l, 0, rule->n, tn_rule_compute(rule, common), vs);
}

#endif
