/* The whole table of common dtypes, as PyTorch documents it and with what is added to it. */
#include <criterion/criterion.h>

#include "ir/dtype.h"
#include "promotion.h"

enum { N = 15 };
#define NONE TN_DT_NONE
#define B TN_DT_BOOL
#define C TN_DT_U8
#define V TN_DT_U16
#define W TN_DT_U32
#define X TN_DT_U64
#define R TN_DT_I8
#define S TN_DT_I16
#define I TN_DT_I32
#define L TN_DT_I64
#define H TN_DT_F16
#define Z TN_DT_BF16
#define F TN_DT_F32
#define D TN_DT_F64
#define P TN_DT_F8E4M3FN
#define Q TN_DT_F8E5M2
#define O NONE

/* clang-format off */
static const tn_dt order[N] = {B, C, V, W, X, R, S, I, L, H, Z, F, D, P, Q};
static const tn_dt table[N][N] = {
    /*         B  C  V  W  X  R  S  I  L  H  Z  F  D  P  Q */
    /* B */   {B, C, V, W, X, R, S, I, L, H, Z, F, D, O, O},
    /* u8 */  {C, C, V, W, X, S, S, I, L, H, Z, F, D, O, O},
    /* u16 */ {V, V, V, W, X, I, I, I, L, H, Z, F, D, O, O},
    /* u32 */ {W, W, W, W, X, L, L, L, L, H, Z, F, D, O, O},
    /* u64 */ {X, X, X, X, X, O, O, O, O, H, Z, F, D, O, O},
    /* i8 */  {R, S, I, L, O, R, S, I, L, H, Z, F, D, O, O},
    /* i16 */ {S, S, I, L, O, S, S, I, L, H, Z, F, D, O, O},
    /* i32 */ {I, I, I, L, O, I, I, I, L, H, Z, F, D, O, O},
    /* i64 */ {L, L, L, L, O, L, L, L, L, H, Z, F, D, O, O},
    /* f16 */ {H, H, H, H, H, H, H, H, H, H, F, F, D, O, O},
    /* bf16 */{Z, Z, Z, Z, Z, Z, Z, Z, Z, F, Z, F, D, O, O},
    /* f32 */ {F, F, F, F, F, F, F, F, F, F, F, F, D, O, O},
    /* f64 */ {D, D, D, D, D, D, D, D, D, D, D, D, D, O, O},
    /* e4m3 */{O, O, O, O, O, O, O, O, O, O, O, O, O, P, O},
    /* e5m2 */{O, O, O, O, O, O, O, O, O, O, O, O, O, O, Q},
};
/* clang-format on */

Test(promotion, common_dtypes_are_those_of_the_table) {
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++) {
            tn_dtype common;
            const int found = tn_common_dtype(tn_dt_to_dtype(order[i]), tn_dt_to_dtype(order[k]),
                                              &common);
            const char *a = tn_dt_text(order[i]), *b = tn_dt_text(order[k]);
            cr_assert(found == (table[i][k] != NONE), "%s with %s", a, b);
            if (!found) continue;
            cr_assert(tn_dt_from_dtype(common) == table[i][k], "%s with %s: expected %s, found %s",
                      a, b, tn_dt_text(table[i][k]), tn_dtype_name(common));
        }
    }
}

static tn_dt promoted(tn_dt axes, tn_dt scalar, tn_dt number) {
    tn_promotion p = {0};
    tn_dtype out;
    if (axes != NONE) tn_promotion_tensor(&p, tn_dt_to_dtype(axes), 1);
    if (scalar != NONE) tn_promotion_tensor(&p, tn_dt_to_dtype(scalar), 0);
    if (number != NONE) tn_promotion_number(&p, tn_dt_to_dtype(number));
    return tn_promotion_result(&p, &out) ? tn_dt_from_dtype(out) : NONE;
}

/* A class below has a say by its kind alone; a number that is a float counts as f32. */
Test(promotion, classes_rank_above_dtypes) {
    static const struct {
        tn_dt axes, scalar, number, expected;
    } cases[] = {
        {R, L, O, R}, {R, O, L, R}, {R, F, O, F}, {R, D, O, D}, {R, O, D, F}, {B, R, O, R},
        {B, O, L, L}, {B, O, B, B}, {H, D, O, H}, {Z, O, D, Z}, {H, L, D, H}, {O, R, L, R},
        {O, R, D, F}, {O, D, L, D}, {O, B, L, L}, {R, L, D, F}, {B, R, D, F}, {C, R, O, C},
        {X, R, O, X}, {P, O, D, P}, {P, O, L, P}, {P, D, O, P}, {I, P, O, O}, {B, L, D, F},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tn_dt found = promoted(cases[i].axes, cases[i].scalar, cases[i].number);
        cr_assert(found == cases[i].expected, "case %zu: expected %d, found %d", i,
                  (int)cases[i].expected, (int)found);
    }
}
