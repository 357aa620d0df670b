/* Putting a whole value in memory: who stores it, where. */
#include "schedule/plan.h"

/* How many kernels are considered as the one that stores a value. */
#define OWNER_TRIES 8

tn_status tn__buffer_add(tn__plan *plan, tn_buffer_kind kind, uint32_t index, tn_vid value,
                         const tn_type *type, uint32_t *out_buffer) {
    tn_arena *arena = &plan->schedule->arena;
    size_t bytes = (size_t)type->rank * sizeof(int64_t);
    int64_t *strides = type->strides ? tn_arena_copy(arena, type->strides, bytes)
                                     : tn_arena_alloc(arena, bytes);
    const int64_t *shape = tn_arena_copy(arena, type->shape, bytes);
    if (!strides || !shape) return tn_status_no_memory();
    if (!type->strides) tn_shape_strides(shape, type->rank, strides);
    uint64_t size = ((uint64_t)type->dtype.bits * type->dtype.lanes + 7) / 8;
    uint64_t span = 1;
    for (int32_t i = 0; i < type->rank; i++) {
        if (shape[i] == 0) {
            span = 0;
            break;
        }
        uint64_t stride = strides[i] < 0 ? 0 - (uint64_t)strides[i] : (uint64_t)strides[i], reach;
        if (__builtin_mul_overflow((uint64_t)shape[i] - 1, stride, &reach) ||
            __builtin_add_overflow(span, reach, &span) || span > (uint64_t)INT64_MAX / 16)
            return tn_status_make(TN_UNSUPPORTED, "%%%s needs more memory than 64 bits address",
                                  plan->graph->values[value].name);
    }
    tn_buffer buffer = {.kind = kind,
                        .index = index,
                        .value = value,
                        .dtype = type->dtype,
                        .rank = type->rank,
                        .shape = shape,
                        .strides = strides,
                        .bytes = span * size,
                        .first_step = TN_NONE,
                        .last_step = TN_NONE};
    if (!tn_vec_push(plan->allocator, &plan->buffers, buffer)) return tn_status_no_memory();
    *out_buffer = (uint32_t)plan->buffers.len - 1;
    return NULL;
}

static tn__place whole(const tn__plan *plan, uint32_t buffer) {
    return (tn__place){.buffer = buffer, .strides = plan->buffers.data[buffer].strides};
}

tn_status tn__place_new(tn__plan *plan, tn_vid value, const tn_type *type, tn__place *out) {
    tn_type contiguous = *type;
    contiguous.strides = NULL;
    uint32_t buffer;
    TN_TRY(tn__buffer_add(plan, TN_BUFFER_TEMP, 0, value, &contiguous, &buffer));
    *out = whole(plan, buffer);
    return NULL;
}

tn_status tn__place_output(tn__plan *plan, uint32_t output, tn__place *out) {
    *out = whole(plan, plan->output_buffers[output]);
    return NULL;
}

tn_status tn__want_add(tn__plan *plan, tn_vid value, tn__want want) {
    want.next = plan->values[value].first_want;
    if (!tn_vec_push(plan->allocator, &plan->wants, want)) return tn_status_no_memory();
    plan->values[value].first_want = (uint32_t)plan->wants.len - 1;
    return NULL;
}

tn_status tn__need_load(tn__plan *plan, const tn__need *need) {
    tn__expr *e = &plan->exprs.data[need->expr];
    e->kind = TN__EXPR_LOAD;
    uint32_t owner = plan->values[e->value].owner;
    return owner == TN_NONE ? NULL : tn__unit_wait(plan, need->unit, owner);
}

tn_status tn__need_inline(tn__plan *plan, const tn__need *need) {
    const tn__expr *e = &plan->exprs.data[need->expr];
    tn__value *value = &plan->values[e->value];
    const tn_ir_node *node = tn__def(plan, e->value);
    value->inlined = true;
    value->reader = need->unit;
    if (tn_prim_get(node->prim)->klass == TN_PRIM_CLASS_REDUCE) {
        tn__reduction reduction;
        tn_reason reason = tn__legal_reduce(plan, node, need->unit, need->coords, need->guard,
                                            &reduction);
        if (reason != TN_REASON_OK)
            return tn_status_make(TN_INTERNAL, "scheduler: an illegal reduction was inlined: %s",
                                  tn_reason_text(reason));
        if (reduction.n) tn__reduction_commit(plan, need->unit, &reduction);
    }
    return tn__expand(plan, need->expr);
}

/* ---------------------------------------------------------- a new kernel */

#define REDUCTION_SEARCH 16

static const tn_ir_node *find_reduction(tn__plan *plan, tn_vid value, tn__coords coords,
                                        tn__coords *out, uint32_t *budget) {
    const tn_ir_node *node = tn__def(plan, value);
    if (!node || !node->prim || plan->values[value].numel == 0 || *budget == 0) return NULL;
    --*budget;
    switch (tn_prim_get(node->prim)->klass) {
    case TN_PRIM_CLASS_REDUCE: *out = coords; return node;
    case TN_PRIM_CLASS_VIEW:
        coords = tn__coords_through(&plan->space, node, tn__type(plan, node->operands[0]),
                                    tn__type(plan, value), coords);
        return find_reduction(plan, node->operands[0], coords, out, budget);
    case TN_PRIM_CLASS_ELEMENTWISE: break;
    default: return NULL;
    }
    for (uint32_t i = 0; i < node->n_operands; i++) {
        const tn_ir_node *found = find_reduction(plan, node->operands[i], coords, out, budget);
        if (found) return found;
    }
    return NULL;
}

const tn_ir_node *tn__find_reduction(tn__plan *plan, tn_vid value, tn__coords coords,
                                     tn__coords *out_coords) {
    uint32_t budget = REDUCTION_SEARCH;
    return find_reduction(plan, value, coords, out_coords, &budget);
}

static uint32_t add_axis(tn__unit *unit, int64_t extent) {
    unit->extents[unit->n_axes] = extent;
    return unit->n_axes++;
}

/* The extents of a shape cut where another shape of as many elements is cut too:
 * [N, C, HW] by [N, G, C/G*HW] is [N, G, C/G, HW]. False when the cuts do not nest, or
 * there would be too many axes. */
static bool refine(const tn_type *type, const tn_type *by, int64_t out[TN_MAX_RANK],
                   uint32_t *out_n) {
    int32_t i = type->rank, k = by ? by->rank : 0;
    int64_t left = 1, right = 1, parts[TN_MAX_RANK];
    uint32_t n = 0;
    /* From the last axis: what is left of the axis of each that is being cut. */
    while (i > 0 || left > 1) {
        if (left == 1) {
            left = type->shape[--i];
            continue;
        }
        while (right == 1 && k > 0)
            right = by->shape[--k];
        int64_t cut = right > 1 && right < left ? right : left;
        if (n == TN_MAX_RANK || left % cut || (right > 1 && right % cut)) return false;
        parts[n++] = cut;
        left /= cut;
        if (right > 1) right /= cut;
    }
    for (uint32_t p = 0; p < n; p++)
        out[p] = parts[n - 1 - p];
    *out_n = n;
    return true;
}

/* Gives the unit these axes; the value's coordinates along each of its own are one or
 * several of them. Axes of extent 1 take no part. */
static tn__coords lay_out(tn__plan *plan, tn__unit *unit, const tn_type *type,
                          const int64_t *extents, uint32_t n) {
    tn__index *index = &plan->space.index;
    tn__ix at[TN_MAX_RANK];
    unit->n_axes = 0;
    for (uint32_t i = 0; i < (uint32_t)type->rank; i++) {
        at[i] = 0;
        for (int64_t left = type->shape[i]; left > 1 && unit->n_axes < n;) {
            int64_t extent = extents[unit->n_axes];
            uint32_t axis = add_axis(unit, extent);
            at[i] = tn__ix_add(index, tn__ix_scale(index, at[i], extent),
                               tn__ix_axis(index, axis, extent));
            left /= extent;
        }
    }
    return tn__coords_make(&plan->space, at, (uint32_t)type->rank);
}

/* Domain of the value's own shape, cut finer where a reduction that the value is
 * computed from cuts the same elements in another way. */
static tn__coords own_domain(tn__plan *plan, tn__unit *unit, tn_vid value) {
    const tn_type *type = tn__type(plan, value);
    int64_t extents[TN_MAX_RANK];
    uint32_t n = 0;
    tn__coords at, own;
    refine(type, NULL, extents, &n);
    own = lay_out(plan, unit, type, extents, n);
    const tn_ir_node *node = tn__find_reduction(plan, value, own, &at);
    if (!node || plan->values[node->operands[0]].numel != plan->values[value].numel ||
        !refine(type, tn__type(plan, node->operands[0]), extents, &n) || n == unit->n_axes)
        return own;
    return lay_out(plan, unit, type, extents, n);
}

/* When the value is one element of a reduction's result each, the domain is what
 * is reduced, in the order of its axes, so that kernels which reduce the same
 * operand have the same domain. False: leave the domain as it is. */
static bool reduced_domain(tn__plan *plan, tn__unit *unit, tn_vid value, tn__coords *coords) {
    tn__coords at;
    const tn_ir_node *node = tn__find_reduction(plan, value, *coords, &at);
    if (!node) return false;
    const tn_type *operand = tn__type(plan, node->operands[0]);
    uint32_t reduced = tn__reduced_axes(node), renumbered[TN_MAX_RANK], seen = 0, kept = 0;
    tn__coords_data c = *tn__coords_get(&plan->space, at);
    if (plan->space.index.no_memory || plan->space.index.overflow) return false;
    tn__unit next = *unit;
    next.n_axes = 0;
    for (uint32_t i = 0; i < (uint32_t)operand->rank; i++) {
        if (operand->shape[i] == 0) return false;
        tn__ix ix = reduced >> i & 1 ? 0 : c.items[kept++];
        if (operand->shape[i] == 1) continue;
        uint32_t axis = add_axis(&next, operand->shape[i]);
        if (reduced >> i & 1) {
            next.inner |= UINT32_C(1) << axis;
            continue;
        }
        uint32_t old = tn__ix_plain_axis(&plan->space.index, ix);
        if (old == TN_NONE || unit->extents[old] != operand->shape[i]) return false;
        seen |= UINT32_C(1) << old;
        renumbered[old] = axis;
    }
    if (seen != tn__unit_axes(unit, false)) return false;
    tn__ix own[TN_MAX_RANK], map[TN_MAX_RANK] = {0};
    for (uint32_t old = 0; old < unit->n_axes; old++)
        map[old] = tn__ix_axis(&plan->space.index, renumbered[old], unit->extents[old]);
    c = *tn__coords_get(&plan->space, *coords);
    for (uint32_t i = 0; i < c.n; i++)
        own[i] = tn__ix_substitute(&plan->space.index, c.items[i], map);
    *unit = next;
    *coords = tn__coords_make(&plan->space, own, c.n);
    return true;
}

tn_status tn__needs_add_kernel(tn__plan *plan, tn_vid value, tn__unit_kind kind) {
    const tn_ir_node *node = tn__def(plan, value);
    tn__need need = {.guard = TN__GUARD_ALWAYS};
    TN_TRY(tn__unit_add(plan, kind, node ? node->origin : TN_NO_NODE, node ? node->id + 1 : 0,
                        &need.unit));
    tn__unit *unit = &plan->units.data[need.unit];
    need.coords = own_domain(plan, unit, value);
    if (kind == TN__UNIT_LOOP) reduced_domain(plan, unit, value, &need.coords);
    TN_TRY(tn__demand(plan, need.unit, value, need.coords, need.guard, &need.expr));
    plan->values[value].first_demand = TN_NONE; /* it is in plan->needs instead */
    return tn_vec_push(plan->allocator, &plan->needs, need) ? NULL : tn_status_no_memory();
}

/* ----------------------------------------------------------------- owners */

static tn_reason can_own(tn__plan *plan, tn_vid value, size_t at) {
    const tn__need *need = &plan->needs.data[at];
    const tn_ir_node *node = tn__def(plan, value);
    const tn__unit *unit = &plan->units.data[need->unit];
    if (!node || !node->prim) return tn__legal_store(plan, need->expr, unit->inner);
    if (!plan->options->fuse && unit->origin != node->origin) return TN_REASON_EAGER;
    tn__reduction reduction = {.inner = unit->inner};
    if (tn_prim_get(node->prim)->klass == TN_PRIM_CLASS_REDUCE) {
        tn_reason reason = tn__legal_reduce(plan, node, need->unit, need->coords, need->guard,
                                            &reduction);
        if (reason != TN_REASON_OK) return reason;
        if (!tn__profit_reduce(plan, node, need->unit, &reduction)) return TN_REASON_COSTS_MORE;
    }
    /* What it stores it cannot load: its other reads would be computed again. */
    for (size_t i = 0; i < plan->needs.len; i++)
        if (i != at && plan->needs.data[i].unit == need->unit && tn__prim_cost(node->prim))
            return TN_REASON_COSTS_MORE;
    return tn__legal_store(plan, need->expr, reduction.inner);
}

tn_status tn__may_wait_for(tn__plan *plan, tn_vid value, uint32_t unit, bool *out) {
    *out = false;
    bool complete;
    TN_TRY(tn__unit_mark(plan, unit, &complete));
    if (!complete) return NULL;
    for (size_t i = 0; i < plan->needs.len; i++) {
        const tn__need *need = &plan->needs.data[i];
        if (need->unit != unit && plan->units.data[need->unit].stamp == plan->stamp) return NULL;
    }
    for (uint32_t w = plan->values[value].first_want; w != TN_NONE; w = plan->wants.data[w].next)
        if (plan->wants.data[w].kind != TN__WANT_OUTPUT &&
            tn__unit_get(plan, plan->wants.data[w].unit)->stamp == plan->stamp)
            return NULL;
    *out = true;
    return NULL;
}

static tn_status choose_owner(tn__plan *plan, tn_vid value, size_t *out) {
    uint32_t tries = 0;
    for (size_t i = 0; i < plan->needs.len && tries < OWNER_TRIES; i++) {
        if (can_own(plan, value, i) != TN_REASON_OK) continue;
        tries++;
        bool fine;
        TN_TRY(tn__may_wait_for(plan, value, plan->needs.data[i].unit, &fine));
        *out = i;
        if (fine) return NULL;
    }
    TN_TRY(tn__needs_add_kernel(plan, value, TN__UNIT_LOOP));
    *out = plan->needs.len - 1;
    return NULL;
}

tn_status tn__add_stores(tn__plan *plan, tn_vid value, const tn__need *owner, bool own,
                         tn__place *out_home) {
    bool operand = false;
    tn__place home = {.buffer = TN_NONE}, part = home;
    tn__need to = *owner;
    for (uint32_t w = plan->values[value].first_want; w != TN_NONE; w = plan->wants.data[w].next) {
        tn__want want = plan->wants.data[w];
        tn__place place = want.place;
        if (want.kind == TN__WANT_OPERAND) {
            operand = true;
            continue;
        }
        /* What a full kernel does not store, others copy: they are needs like any. */
        if (tn__unit_get(plan, to.unit)->n_stores >= TN__MAX_STORES) {
            TN_TRY(tn__needs_add_kernel(plan, value, TN__UNIT_LOOP));
            to = plan->needs.data[plan->needs.len - 1];
        }
        if (want.kind == TN__WANT_OUTPUT) {
            TN_TRY(tn__place_output(plan, want.index, &place));
        } else {
            TN_TRY(tn__unit_wait(plan, want.unit, to.unit));
        }
        /* Only what the owner stores can be read by those that copy. */
        bool first = to.unit == owner->unit;
        if (first && want.kind == TN__WANT_OUTPUT) home = place;
        if (first && want.kind != TN__WANT_OUTPUT) part = place;
        TN_TRY(tn__unit_store(plan, to.unit, to.expr, value, to.coords, place));
    }
    if (home.buffer == TN_NONE && !operand) home = part;
    if (home.buffer == TN_NONE && own) {
        TN_TRY(tn__place_new(plan, value, tn__type(plan, value), &home));
        TN_TRY(tn__unit_store(plan, owner->unit, owner->expr, value, owner->coords, home));
    }
    *out_home = home;
    return NULL;
}

tn_status tn__store_value(tn__plan *plan, tn_vid value, tn__store_mode mode) {
    tn__value *v = &plan->values[value];
    size_t at;
    TN_TRY(choose_owner(plan, value, &at));
    tn__need owner = plan->needs.data[at];
    tn__place place;
    TN_TRY(tn__add_stores(plan, value, &owner, mode != TN__STORE_COPY, &place));
    if (mode != TN__STORE_COPY) {
        v->home = place;
        v->owner = owner.unit;
        v->stored = true;
    }
    for (size_t i = 0; i < plan->needs.len; i++) {
        bool load = mode == TN__STORE_COPY || (mode == TN__STORE_VALUE && i != at);
        TN_TRY(load ? tn__need_load(plan, &plan->needs.data[i])
                    : tn__need_inline(plan, &plan->needs.data[i]));
    }
    return NULL;
}
