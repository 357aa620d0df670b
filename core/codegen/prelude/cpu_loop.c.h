/* SPDX-License-Identifier: Apache-2.0
 *
 * What generated loops need beside vectors: numbers, ranges of lanes, folding a
 * vector, reductions in a fixed order. Part of the prelude: see cpu_core.c.h. */
//@ loop: core
#define TN_EXPORT __attribute__((visibility("default")))
/* A number made at planning time: tn_scalar of core/ir/dtype.h. */
typedef union tn_num {
    tn_f64 f;
    tn_i64 i;
    tn_u64 u;
} tn_num;

/* Before and after every coordinate. */
#define TN_FIRST (-(1ll << 62))
#define TN_LAST (1ll << 62)
/* Whether vectors may be stored past the caches from here on. */
#define TN_ALIGNED(p) (((tn_u64)(p) & (TN_REGISTER - 1)) == 0)
/* d > 0. */
TN_INLINE tn_i64 tn_floor_mod(tn_i64 a, tn_i64 d) {
    tn_i64 r = a % d;
    return r < 0 ? r + d : r;
}
TN_INLINE tn_i64 tn_floor_div(tn_i64 a, tn_i64 d) {
    return (a - tn_floor_mod(a, d)) / d;
}

/* The coordinate of an argmax or argmin that has met nothing better yet. */
#define TN_UNSET_i32 0x7fffffff
#define TN_UNSET_i64 0x7fffffffffffffffll

//@ ordered: core
/* Reductions in the order of render.h. s holds n elements that wait, n less than
 * TN_W above TN_BLOCK, and has room for 16 more; t the 16 totals. Folds a block,
 * or at the end (n < TN_BLOCK) all there is; returns how many still wait. */
#define TN_BLOCK 4096
#define TN_DEFINE_ORDERED(T, V, OP, IDENTITY)                                                      \
    static tn_i64 tn_ordered_##OP##_##T(tn_##T *s, tn_i64 n, V *t) {                               \
        V part[16 / TN_W];                                                                         \
        tn_i64 end = n < TN_BLOCK ? n : TN_BLOCK;                                                  \
        for (int q = 0; q < 16 / TN_W; q++) part[q] = tn_lit_##T(IDENTITY);                        \
        for (; n < TN_BLOCK && n % 16; n++) s[n] = IDENTITY;                                       \
        for (tn_i64 k = 0; k < end; k += 16)                                                       \
            for (int q = 0; q < 16 / TN_W; q++)                                                    \
                part[q] = tn_p_##OP##_##T(part[q], tn_load_##T(s + k + q * TN_W));                 \
        for (int q = 0; q < 16 / TN_W; q++) t[q] = tn_p_##OP##_##T(t[q], part[q]);                 \
        if (n < TN_BLOCK) return 0;                                                                \
        for (tn_i64 k = TN_BLOCK; k < n; k++) s[k - TN_BLOCK] = s[k];                              \
        return n - TN_BLOCK;                                                                       \
    }
