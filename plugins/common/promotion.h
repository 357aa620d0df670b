/* PyTorch's rule of which dtype an operation on unlike operands is done in.
 *
 * Operands fall in three classes: tensors with axes, 0-d tensors, and numbers (an int
 * counts as i64, a float as f32, a bool as bool). Within a class the common dtype is the
 * least that holds all. A lower class changes the result only when its kind is higher, in
 * the order bool, integer, float: i32[3] + 2 is i32, i32[3] + 2.5 is f32, bf16[3] + f64[]
 * is bf16. Every operand is then converted to the result as by the primitive cast.
 *
 * u16, u32 and u64 join as one expects (with a signed type: the least signed type that
 * holds both; u64 has none), where PyTorch refuses. f8 types join nothing but numbers. */
#ifndef TN_PLUGINS_PROMOTION_H
#define TN_PLUGINS_PROMOTION_H

#include "tenon/lower.h"

/* 0 bool, 1 integer, 2 float, -1 none of these. */
static inline int tn_kind(tn_dtype t) {
    if (t.lanes != 1) return -1;
    if (t.code == TN_TYPE_BOOL) return 0;
    return tn_is_integer(t) ? 1 : tn_is_float(t) ? 2 : -1;
}

static inline int tn_is_bool(tn_dtype t) {
    return tn_kind(t) == 0;
}

static inline int tn_is_f8(tn_dtype t) {
    return t.code == TN_TYPE_F8_E4M3FN || t.code == TN_TYPE_F8_E5M2;
}

/* What floats are computed in: f32 for those narrower. */
static inline tn_dtype tn_wide(tn_dtype t) {
    return tn_is_float(t) && t.bits < 32 ? tn_dtype_of_F32() : t;
}

static inline int tn_common_integer(tn_dtype a, tn_dtype b, tn_dtype *out) {
    if (a.code == b.code) {
        *out = a.bits > b.bits ? a : b;
        return 1;
    }
    const tn_dtype s = a.code == TN_TYPE_INT ? a : b, u = a.code == TN_TYPE_INT ? b : a;
    const uint8_t bits = s.bits > u.bits ? s.bits : (uint8_t)(u.bits * 2);
    if (u.bits == 64) return 0;
    *out = tn_make_dtype(TN_TYPE_INT, bits);
    return 1;
}

/* The least dtype that holds a and b; 0 when there is none. */
static inline int tn_common_dtype(tn_dtype a, tn_dtype b, tn_dtype *out) {
    const int ka = tn_kind(a), kb = tn_kind(b);
    *out = ka >= kb ? a : b;
    if (tn_same_dtype(a, b)) return 1;
    if (ka < 0 || kb < 0 || tn_is_f8(a) || tn_is_f8(b)) return 0;
    if (ka != kb) return 1;
    if (ka == 1) return tn_common_integer(a, b, out);
    if (a.bits == b.bits) *out = tn_dtype_of_F32(); /* f16 and bf16 */
    if (a.bits != b.bits) *out = a.bits > b.bits ? a : b;
    return 1;
}

/* Operands seen so far, by class: tensors with axes, 0-d tensors, numbers. */
typedef struct tn_promotion {
    tn_dtype dtype[3];
    int seen[3];
    tn_dtype clash[2]; /* the first two without a common dtype */
    int failed;
} tn_promotion;

static inline void tn_promotion_join(tn_promotion *p, int group, tn_dtype dtype) {
    tn_dtype joined = dtype;
    if (p->seen[group] && !tn_common_dtype(p->dtype[group], dtype, &joined) && !p->failed) {
        p->failed = 1;
        p->clash[0] = p->dtype[group];
        p->clash[1] = dtype;
    }
    p->dtype[group] = joined;
    p->seen[group] = 1;
}

static inline void tn_promotion_tensor(tn_promotion *p, tn_dtype dtype, int32_t rank) {
    tn_promotion_join(p, rank > 0 ? 0 : 1, dtype);
}

/* A dtype of a number that is known at run time only. */
static inline void tn_promotion_number(tn_promotion *p, tn_dtype dtype) {
    tn_promotion_join(p, 2, tn_kind(dtype) == 2 ? tn_dtype_of_F32() : dtype);
}

/* The common dtype; 0 when there is none, and clash says of what. */
static inline int tn_promotion_result(tn_promotion *p, tn_dtype *out) {
    tn_dtype result = p->dtype[2];
    int seen = p->seen[2];
    for (int group = 1; group >= 0 && !p->failed; group--) {
        if (!p->seen[group]) continue;
        const tn_dtype own = p->dtype[group];
        tn_dtype joined = own;
        if (seen && tn_kind(result) > tn_kind(own) && !tn_common_dtype(own, result, &joined)) {
            p->failed = 1;
            p->clash[0] = own;
            p->clash[1] = result;
        }
        result = joined;
        seen = 1;
    }
    *out = result;
    return !p->failed;
}

#endif
