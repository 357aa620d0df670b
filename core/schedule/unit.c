#include "schedule/plan.h"

/* Beyond this many visited units a search for a cycle gives up and says yes,
 * which costs a fusion and keeps planning linear. */
#define MAX_VISITS 2048

tn_status tn__unit_add(tn__plan *plan, tn__unit_kind kind, uint32_t origin, uint32_t key,
                       uint32_t *out_unit) {
    uint32_t id = (uint32_t)plan->units.len;
    tn__unit unit = {.kind = kind,
                     .parent = id,
                     .origin = origin,
                     .key = key,
                     .first_store = TN_NONE,
                     .last_store = TN_NONE,
                     .first_wait = TN_NONE,
                     .step = TN_NONE};
    if (!tn_vec_push(plan->allocator, &plan->units, unit)) return tn_status_no_memory();
    *out_unit = id;
    return NULL;
}

uint32_t tn__unit_root(tn__plan *plan, uint32_t unit) {
    tn__unit *units = plan->units.data;
    while (units[unit].parent != unit) {
        units[unit].parent = units[units[unit].parent].parent;
        unit = units[unit].parent;
    }
    return unit;
}

static tn_status push_waits(tn__plan *plan, uint32_t unit) {
    for (uint32_t w = plan->units.data[unit].first_wait; w != TN_NONE;
         w = plan->waits.data[w].next) {
        uint32_t before = tn__unit_root(plan, plan->waits.data[w].unit);
        if (plan->units.data[before].stamp == plan->stamp) continue;
        plan->units.data[before].stamp = plan->stamp;
        if (!tn_vec_push(plan->allocator, &plan->stack, before)) return tn_status_no_memory();
    }
    return NULL;
}

tn_status tn__unit_mark(tn__plan *plan, uint32_t from, bool *out_complete) {
    from = tn__unit_root(plan, from);
    plan->stamp++;
    plan->stack.len = 0;
    *out_complete = false;
    plan->units.data[from].stamp = plan->stamp;
    TN_TRY(push_waits(plan, from));
    for (uint32_t visits = 0; plan->stack.len; visits++) {
        if (visits == MAX_VISITS) return NULL;
        TN_TRY(push_waits(plan, plan->stack.data[--plan->stack.len]));
    }
    *out_complete = true;
    return NULL;
}

tn_status tn__unit_reaches(tn__plan *plan, uint32_t from, uint32_t to, bool *out) {
    bool complete;
    TN_TRY(tn__unit_mark(plan, from, &complete));
    *out = !complete || tn__unit_get(plan, to)->stamp == plan->stamp;
    return NULL;
}

tn_status tn__unit_wait(tn__plan *plan, uint32_t unit, uint32_t before) {
    unit = tn__unit_root(plan, unit);
    before = tn__unit_root(plan, before);
    if (unit == before) return NULL;
    tn__unit *u = &plan->units.data[unit];
    if (u->first_wait != TN_NONE &&
        tn__unit_root(plan, plan->waits.data[u->first_wait].unit) == before)
        return NULL;
    tn__wait wait = {before, u->first_wait};
    if (!tn_vec_push(plan->allocator, &plan->waits, wait)) return tn_status_no_memory();
    u->first_wait = (uint32_t)plan->waits.len - 1;
    return NULL;
}

void tn__unit_merge(tn__plan *plan, uint32_t into, uint32_t other) {
    tn__unit *a = &plan->units.data[into], *b = &plan->units.data[other];
    b->parent = into;
    for (; a->n_axes < b->n_axes; a->n_axes++)
        a->extents[a->n_axes] = b->extents[a->n_axes];
    a->inner |= b->inner;
    a->weight += b->weight;
    a->n_reductions += b->n_reductions;
    a->n_stores += b->n_stores;
    if (a->key < b->key) a->key = b->key;
    if (b->first_store != TN_NONE) {
        if (a->last_store == TN_NONE)
            a->first_store = b->first_store;
        else
            plan->stores.data[a->last_store].next = b->first_store;
        a->last_store = b->last_store;
    }
    if (b->first_wait == TN_NONE) return;
    uint32_t last = b->first_wait;
    while (plan->waits.data[last].next != TN_NONE)
        last = plan->waits.data[last].next;
    plan->waits.data[last].next = a->first_wait;
    a->first_wait = b->first_wait;
}

tn_status tn__unit_store(tn__plan *plan, uint32_t unit, uint32_t expr, tn_vid value,
                         tn__coords coords, tn__place place) {
    tn__unit *u = tn__unit_get(plan, unit);
    tn__store store = {expr, value, coords, place, TN_NONE};
    if (!tn_vec_push(plan->allocator, &plan->stores, store)) return tn_status_no_memory();
    uint32_t id = (uint32_t)plan->stores.len - 1;
    if (u->last_store == TN_NONE)
        u->first_store = id;
    else
        plan->stores.data[u->last_store].next = id;
    u->last_store = id;
    u->n_stores++;
    return NULL;
}

uint32_t tn__unit_axes(const tn__unit *unit, bool parallel_only) {
    uint32_t all = 0;
    for (uint32_t a = 0; a < unit->n_axes; a++)
        if (unit->extents[a] != 1) all |= UINT32_C(1) << a;
    return parallel_only ? all & ~unit->inner : all;
}

int64_t tn__unit_points(const tn__unit *unit, bool parallel_only) {
    int64_t points = 1;
    for (uint32_t a = 0; a < unit->n_axes; a++)
        if (!(parallel_only && unit->inner >> a & 1) &&
            __builtin_mul_overflow(points, unit->extents[a], &points))
            return INT64_MAX;
    return points;
}
