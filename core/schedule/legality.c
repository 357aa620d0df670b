/* What may be done. Every answer is a reason; TN_REASON_OK means yes. */
#include "schedule/plan.h"

uint32_t tn__reduced_axes(const tn_ir_node *node) {
    if (node->prim == TN_PRIM_ARGMAX || node->prim == TN_PRIM_ARGMIN)
        return UINT32_C(1) << tn_ir_attr_int(node, "axis");
    int64_t axes[TN_MAX_RANK];
    uint32_t n = tn_ir_attr_ints(node, "axes", axes), set = 0;
    for (uint32_t i = 0; i < n; i++)
        set |= UINT32_C(1) << axes[i];
    return set;
}

/* Whether the set's axes make up these extents: one or several neighbours for each,
 * in order. */
static bool extents_match(const tn__unit *unit, uint32_t set, const int64_t *extents, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        int64_t product = 1;
        for (; product < extents[i] && set; set &= set - 1)
            if (__builtin_mul_overflow(product, unit->extents[__builtin_ctz(set)], &product))
                return false;
        if (product != extents[i]) return false;
    }
    return set == 0;
}

tn_reason tn__legal_reduce(tn__plan *plan, const tn_ir_node *node, uint32_t in_unit,
                           tn__coords coords, tn__guard guard, tn__reduction *out) {
    const tn__unit *unit = tn__unit_get(plan, in_unit);
    const tn_type *operand = tn__type(plan, node->operands[0]);
    uint32_t reduced = tn__reduced_axes(node);
    *out = (tn__reduction){.inner = unit->inner};
    for (uint32_t i = 0; i < (uint32_t)operand->rank; i++) {
        if (!(reduced >> i & 1) || operand->shape[i] == 1) continue;
        if (operand->shape[i] == 0) {
            out->n = 0;
            return TN_REASON_OK; /* the identity */
        }
        out->extents[out->n++] = operand->shape[i];
    }
    if (out->n == 0) return TN_REASON_OK;
    if (unit->kind != TN__UNIT_LOOP) return TN_REASON_NOT_POINTWISE;
    if (unit->n_reductions >= TN__MAX_REDUCTIONS) return TN_REASON_TOO_LARGE;
    uint32_t needs = tn__coords_get(&plan->space, coords)->axes |
                     tn__guard_get(&plan->space, guard)->axes;
    if (unit->inner) {
        if (needs & unit->inner) return TN_REASON_NEEDS_WHOLE_REDUCTION;
        return extents_match(unit, unit->inner, out->extents, out->n)
                   ? TN_REASON_OK
                   : TN_REASON_REDUCTION_MISMATCH;
    }
    uint32_t rest = tn__unit_axes(unit, false) & ~needs;
    if (rest) {
        out->inner = rest;
        return extents_match(unit, rest, out->extents, out->n) ? TN_REASON_OK
                                                               : TN_REASON_DOMAIN_MISMATCH;
    }
    if (unit->n_axes + out->n > TN_MAX_RANK) return TN_REASON_RANK;
    out->new_axes = out->n;
    for (uint32_t i = 0; i < out->n; i++)
        out->inner |= UINT32_C(1) << (unit->n_axes + i);
    return TN_REASON_OK;
}

void tn__reduction_commit(tn__plan *plan, uint32_t unit, const tn__reduction *reduction) {
    tn__unit *u = tn__unit_get(plan, unit);
    for (uint32_t i = 0; i < reduction->new_axes; i++)
        u->extents[u->n_axes++] = reduction->extents[i];
    u->inner = reduction->inner;
    u->n_reductions++;
}

tn_reason tn__legal_store(tn__plan *plan, uint32_t expr, uint32_t inner) {
    const tn__expr *e = &plan->exprs.data[expr];
    const tn__unit *unit = tn__unit_get(plan, e->unit);
    uint32_t axes;
    if (unit->kind != TN__UNIT_LOOP || e->guard != TN__GUARD_ALWAYS ||
        !tn__coords_cover(&plan->space, e->coords, tn__type(plan, e->value)->shape, unit->extents,
                          unit->n_axes, &axes))
        return TN_REASON_DOMAIN_MISMATCH;
    uint32_t all = tn__unit_axes(unit, false);
    if (axes != all && axes != (all & ~inner)) return TN_REASON_DOMAIN_MISMATCH;
    bool full = unit->n_stores >= TN__MAX_STORES || unit->weight > TN__MAX_WEIGHT;
    return full ? TN_REASON_TOO_LARGE : TN_REASON_OK;
}

/* A unit fits a domain when it runs over all of it or over its parallel part. */
static bool fits(const tn__unit *unit, uint32_t all, uint32_t inner) {
    uint32_t own = tn__unit_axes(unit, false);
    return own == all || (!unit->inner && own == (all & ~inner));
}

tn_status tn__legal_merge(tn__plan *plan, uint32_t a, uint32_t b, tn_reason *out) {
    const tn__unit *x = tn__unit_get(plan, a), *y = tn__unit_get(plan, b);
    const tn__unit *longer = x->n_axes >= y->n_axes ? x : y;
    uint32_t common = x->n_axes < y->n_axes ? x->n_axes : y->n_axes;
    *out = TN_REASON_DOMAIN_MISMATCH;
    if (x->kind != TN__UNIT_LOOP || y->kind != TN__UNIT_LOOP) return NULL;
    for (uint32_t i = 0; i < common; i++)
        if (x->extents[i] != y->extents[i]) return NULL;
    if (x->inner && y->inner && x->inner != y->inner) {
        *out = TN_REASON_REDUCTION_MISMATCH;
        return NULL;
    }
    uint32_t all = tn__unit_axes(longer, false), inner = x->inner | y->inner;
    if (!fits(x, all, inner) || !fits(y, all, inner)) return NULL;
    *out = TN_REASON_EAGER;
    if (!plan->options->fuse && x->origin != y->origin) return NULL;
    *out = TN_REASON_TOO_LARGE;
    if (x->weight + y->weight > TN__MAX_WEIGHT || x->n_stores + y->n_stores > TN__MAX_STORES ||
        x->n_reductions + y->n_reductions > TN__MAX_REDUCTIONS)
        return NULL;
    bool reaches;
    *out = TN_REASON_CYCLE;
    TN_TRY(tn__unit_reaches(plan, a, b, &reaches));
    if (reaches) return NULL;
    TN_TRY(tn__unit_reaches(plan, b, a, &reaches));
    if (!reaches) *out = TN_REASON_OK;
    return NULL;
}
