/* What the work of a stage comes to, and how many vectors of it go side by side. */
#include "codegen/kernel.h"

static uint32_t prim_cost(uint32_t prim) {
    switch (prim) {
    case TN_PRIM_MAX:
    case TN_PRIM_MIN:
    case TN_PRIM_CLAMP:
    case TN_PRIM_DIV:
    case TN_PRIM_SQRT:
    case TN_PRIM_RSQRT: return 4;
    case TN_PRIM_FLOORDIV:
    case TN_PRIM_CEILDIV:
    case TN_PRIM_TRUNCDIV:
    case TN_PRIM_MOD:
    case TN_PRIM_REM: return 20;
    default: return prim >= TN_PRIM_EXP && prim <= TN_PRIM_ERFC ? 20 : 1;
    }
}

uint32_t tn__stage_cost(const tn__kernel *k, uint32_t stage) {
    uint32_t cost = 0;
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        const tn_kx_node *expr = &k->loop->exprs[e];
        bool point = k->nest->form == TN__FORM_POINT;
        bool here = expr->kind == TN_KX_REDUCE ? expr->stage == stage
                    : point                    ? k->nest->row_use[e] | k->nest->use[e]
                                               : k->nest->use[e] >> stage & 1;
        if (!here || (!tn__is_vector(k, e) && expr->kind != TN_KX_REDUCE)) continue;
        uint32_t own = expr->kind == TN_KX_PRIM     ? prim_cost(expr->prim)
                       : expr->kind == TN_KX_REDUCE ? 2
                                                    : 1;
        if (tn_dt_size(expr->dt) == 8) own *= 2;
        bool guarded = (expr->kind == TN_KX_LOAD || expr->kind == TN_KX_GUARD) &&
                       expr->guard != TN_NONE && tn__guard_is_vector(k, expr->guard);
        if (guarded ||
            (expr->kind == TN_KX_LOAD && tn__nest_is_vector(k->nest, k->nest->loads[e].term_axes)))
            own = 30;
        cost += own;
    }
    return cost;
}

/* Independent vectors an iteration: enough to hide latency, and no more text than
 * the compiler reads in a few milliseconds. Heavy work on a row overlaps with that on
 * the next vector anyhow, and with the memory of the next row the better the shorter
 * its loop is. */
uint32_t tn__choose_copies(const tn__kernel *k, uint32_t cost) {
    if (cost <= 12) return 4;
    if (cost <= TN_HEAVY_COST) return 2;
    return k->nest->form == TN__FORM_ROW || cost > 60 ? 1 : 2;
}
