/* Two reductions of which the second needs the result of the first take two walks over
 * memory. Some take one: with what is known of the first so far the second is begun, and
 * corrected when more is known.
 *
 *   EXP_SUM  sum of exp(x - max of x)        the sum so far times exp(max before - max now)
 *   SQUARES  sum of (x - mean of x) squared  those of a group of rows about its own mean, and
 *                                            the mean's distance from the mean so far: Chan,
 *                                            Golub and LeVeque. Nothing cancels.
 *
 * Only where rows are read from memory again in each stage, and nothing else happens in
 * either. With TN_GROUP rows at a time the corrections are a small part of the work: over the
 * first axis of 8192 by 4096, layer_norm 0.45 to 0.67 of a copy, softmax 0.36 to 0.42. */
#include "codegen/nest.h"

static const tn_kx_node *prim(const tn_loop *loop, tn_kx e, uint32_t which) {
    const tn_kx_node *expr = &loop->exprs[e];
    return expr->kind == TN_KX_PRIM && expr->prim == which && !expr->rounded ? expr : NULL;
}

static bool is_reduction(const tn_loop *loop, tn_kx e, uint32_t which, tn_kx of) {
    const tn_kx_node *expr = &loop->exprs[e];
    return expr->kind == TN_KX_REDUCE && expr->prim == which && expr->in[0] == of &&
           !expr->rounded && tn_dt_is_float(expr->dt);
}

static double points(const tn__nest *nest) {
    double n = 1;
    for (uint32_t a = nest->n_parallel; a < nest->n_axes; a++)
        n *= (double)nest->extent[a];
    return n;
}

/* exp(x - max of x) */
static bool match_exp(const tn__nest *nest, tn_kx e, tn__online *out) {
    const tn_loop *loop = nest->loop;
    const tn_kx_node *exp = prim(loop, e, TN_PRIM_EXP);
    const tn_kx_node *sub = exp ? prim(loop, exp->in[0], TN_PRIM_SUB) : NULL;
    if (!sub || !is_reduction(loop, sub->in[1], TN_PRIM_REDUCE_MAX, sub->in[0])) return false;
    *out = (tn__online){.kind = TN__ONLINE_EXP_SUM, .first = sub->in[1]};
    return true;
}

/* (x - sum of x / n) squared, n being how many there are */
static bool match_square(const tn__nest *nest, tn_kx e, tn__online *out) {
    const tn_loop *loop = nest->loop;
    const tn_kx_node *mul = prim(loop, e, TN_PRIM_MUL);
    const tn_kx_node *sub = mul && mul->in[0] == mul->in[1] ? prim(loop, mul->in[0], TN_PRIM_SUB)
                                                            : NULL;
    const tn_kx_node *mean = sub ? prim(loop, sub->in[1], TN_PRIM_DIV) : NULL;
    if (!mean || !is_reduction(loop, mean->in[0], TN_PRIM_SUM, sub->in[0])) return false;
    const tn_kx_node *n = &loop->exprs[mean->in[1]];
    if ((n->kind != TN_KX_CONST && n->kind != TN_KX_PARAM) || n->value.f != points(nest))
        return false;
    *out = (tn__online){.kind = TN__ONLINE_SQUARES, .first = mean->in[0]};
    return true;
}

/* Whether the stages of both have nothing else to do. */
static bool is_alone(const tn__nest *nest, const tn__online *online) {
    const tn_loop *loop = nest->loop;
    uint32_t first = loop->exprs[online->first].stage, second = loop->exprs[online->second].stage;
    tn_kx x = loop->exprs[online->first].in[0];
    if (second != first + 1 || !tn__nest_is_full(nest, x) || nest->level[x] != nest->vector_level ||
        !tn__nest_is_vector(nest, nest->expr_axes[x]))
        return false;
    for (uint32_t e = 0; e < loop->n_exprs; e++) {
        const tn_kx_node *expr = &loop->exprs[e];
        if (expr->kind != TN_KX_REDUCE || e == online->first || e == online->second) continue;
        if ((nest->use[e] | nest->row_use[e]) && (expr->stage == first || expr->stage == second))
            return false;
    }
    for (uint32_t s = 0; s < loop->n_stores; s++)
        if (loop->stores[s].level == TN_LEVEL_FULL &&
            (loop->stores[s].stage == first || loop->stores[s].stage == second))
            return false;
    return true;
}

void tn__online_find(tn__nest *nest) {
    const tn_loop *loop = nest->loop;
    nest->online.kind = TN__ONLINE_NONE;
    if (nest->form != TN__FORM_COLUMN || loop->strict || nest->hold_columns || points(nest) < 1)
        return;
    for (uint32_t e = 0; e < loop->n_exprs; e++) {
        const tn_kx_node *expr = &loop->exprs[e];
        tn__online found;
        if (expr->kind != TN_KX_REDUCE || !(nest->use[e] | nest->row_use[e])) continue;
        if (!is_reduction(loop, e, TN_PRIM_SUM, expr->in[0])) continue;
        if (!match_exp(nest, expr->in[0], &found) && !match_square(nest, expr->in[0], &found))
            continue;
        found.second = e;
        if (!is_alone(nest, &found)) continue;
        nest->online = found;
        return;
    }
}
