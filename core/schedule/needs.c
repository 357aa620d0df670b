/* Everything that needs one value, sorted and without repetition. */
#include "schedule/plan.h"

/* How many kernels with the same coordinates one more is tried against. */
#define MERGE_TRIES 4

static bool before(const tn__need *a, const tn__need *b) {
    if (a->coords != b->coords) return a->coords < b->coords;
    if (a->unit != b->unit) return a->unit < b->unit;
    if (a->guard != b->guard) return a->guard < b->guard;
    return a->expr < b->expr;
}

static void sift(tn__need *heap, size_t at, size_t n) {
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(&heap[child], &heap[child + 1])) child++;
        if (!before(&heap[at], &heap[child])) return;
        tn__need t = heap[at];
        heap[at] = heap[child];
        heap[child] = t;
    }
}

static void sort(tn__need *needs, size_t n) {
    if (n < 12) {
        for (size_t i = 1; i < n; i++) {
            tn__need t = needs[i];
            size_t j = i;
            for (; j > 0 && before(&t, &needs[j - 1]); j--)
                needs[j] = needs[j - 1];
            needs[j] = t;
        }
        return;
    }
    for (size_t i = n / 2; i-- > 0;)
        sift(needs, i, n);
    for (size_t i = n; i-- > 1;) {
        tn__need t = needs[0];
        needs[0] = needs[i];
        needs[i] = t;
        sift(needs, 0, i);
    }
}

/* Tries each kernel of a run of equal coordinates against those before it. */
static tn_status merge_run(tn__plan *plan, tn_vid value, size_t begin, size_t end, bool *merged) {
    tn__need *needs = plan->needs.data;
    for (size_t i = begin + 1; i < end; i++) {
        uint32_t tries = 0;
        for (size_t j = i; j-- > begin && tries < MERGE_TRIES;) {
            uint32_t a = tn__unit_root(plan, needs[j].unit), b = tn__unit_root(plan, needs[i].unit);
            if (a == b) break;
            tries++;
            tn_reason reason;
            if (!tn__profit_merge(plan, a, b, value)) continue;
            TN_TRY(tn__legal_merge(plan, a, b, &reason));
            if (reason != TN_REASON_OK) continue;
            tn__unit_merge(plan, a < b ? a : b, a < b ? b : a);
            *merged = true;
            break;
        }
    }
    return NULL;
}

static void alias(tn__plan *plan, uint32_t expr, uint32_t to) {
    tn__expr *e = &plan->exprs.data[expr];
    e->kind = TN__EXPR_ALIAS;
    e->in[0] = to;
    e->n_in = 1;
}

/* Makes one need of those that are the same: a guarded evaluation at the same
 * coordinates may be replaced by an unguarded one, which comes first in order. */
static void unify(tn__plan *plan) {
    tn__need *needs = plan->needs.data;
    size_t n = 0, run = 0;
    for (size_t i = 0; i < plan->needs.len; i++) {
        tn__need need = needs[i];
        if (n == 0 || needs[run].coords != need.coords || needs[run].unit != need.unit) run = n;
        if (run < n && (needs[run].guard == TN__GUARD_ALWAYS || needs[n - 1].guard == need.guard))
            alias(plan, need.expr,
                  needs[run].guard == TN__GUARD_ALWAYS ? needs[run].expr : needs[n - 1].expr);
        else
            needs[n++] = need;
    }
    plan->needs.len = n;
}

static tn_status merge_units(tn__plan *plan, tn_vid value) {
    size_t n = plan->needs.len;
    bool merged = false;
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1;
             end < n && plan->needs.data[end].coords == plan->needs.data[begin].coords;)
            end++;
        TN_TRY(merge_run(plan, value, begin, end, &merged));
    }
    if (!merged) return NULL;
    for (size_t i = 0; i < n; i++)
        plan->needs.data[i].unit = tn__unit_root(plan, plan->needs.data[i].unit);
    sort(plan->needs.data, n);
    return NULL;
}

tn_status tn__needs_collect(tn__plan *plan, tn_vid value, bool merge) {
    plan->needs.len = 0;
    for (uint32_t e = plan->values[value].first_demand; e != TN_NONE;
         e = plan->exprs.data[e].next) {
        const tn__expr *x = &plan->exprs.data[e];
        tn__need need = {e, tn__unit_root(plan, x->unit), x->coords, x->guard};
        if (!tn_vec_push(plan->allocator, &plan->needs, need)) return tn_status_no_memory();
    }
    plan->values[value].first_demand = TN_NONE;
    sort(plan->needs.data, plan->needs.len);
    if (merge) TN_TRY(merge_units(plan, value));
    unify(plan);
    return NULL;
}
