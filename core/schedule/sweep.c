/* The walk over all values, users before operands. */
#include "schedule/plan.h"

static tn_prim_class klass_of(const tn_ir_node *node) {
    return tn_prim_get(node->prim)->klass;
}

static tn_status load_all(tn__plan *plan) {
    for (size_t i = 0; i < plan->needs.len; i++)
        TN_TRY(tn__need_load(plan, &plan->needs.data[i]));
    return NULL;
}

static tn_status inline_all(tn__plan *plan) {
    for (size_t i = 0; i < plan->needs.len; i++)
        TN_TRY(tn__need_inline(plan, &plan->needs.data[i]));
    return NULL;
}

static bool wants_store(const tn__plan *plan, tn_vid value) {
    for (uint32_t w = plan->values[value].first_want; w != TN_NONE; w = plan->wants.data[w].next)
        if (plan->wants.data[w].kind != TN__WANT_OPERAND) return true;
    return false;
}

/* A value that lies in memory whatever happens: a graph input, an op's result. */
static tn_status visit_resident(tn__plan *plan, tn_vid value) {
    TN_TRY(tn__operands_serve(plan, value));
    TN_TRY(tn__needs_collect(plan, value, true));
    return wants_store(plan, value) ? tn__store_value(plan, value, TN__STORE_COPY) : load_all(plan);
}

static tn_status visit_empty(tn__plan *plan, tn_vid value) {
    tn__value *v = &plan->values[value];
    if (!tn__has_wants(plan, value)) return NULL;
    TN_TRY(tn__place_new(plan, value, tn__type(plan, value), &v->home));
    v->why_stored = TN_REASON_ZERO_SIZE;
    return tn__operands_serve(plan, value);
}

/* ----------------------------------------------------------------- primitives */

/* A kernel without inner axes that needs a value computed from a reduction over its
 * remaining axes will reduce over them: say so now, so that the value counts as one
 * of the rows and not of the points. */
static void anticipate(tn__plan *plan, tn_vid value, const tn__need *need) {
    const tn__unit *unit = &plan->units.data[need->unit];
    uint32_t axes = tn__coords_get(&plan->space, need->coords)->axes;
    tn__coords at;
    tn__reduction reduction;
    if (unit->inner || axes == tn__unit_axes(unit, false)) return;
    const tn_ir_node *node = tn__find_reduction(plan, value, need->coords, &at);
    if (!node ||
        tn__legal_reduce(plan, node, need->unit, at, need->guard, &reduction) != TN_REASON_OK ||
        reduction.new_axes || !reduction.n ||
        !tn__profit_reduce(plan, node, need->unit, &reduction))
        return;
    tn__reduction_commit(plan, need->unit, &reduction);
}

static tn_reason reduce_reason(tn__plan *plan, const tn_ir_node *node) {
    const tn__need *need = plan->needs.data;
    tn__reduction reduction;
    if (plan->needs.len > 1) return TN_REASON_MULTIPLE_USERS;
    tn_reason reason = tn__legal_reduce(plan, node, need->unit, need->coords, need->guard,
                                        &reduction);
    if (reason != TN_REASON_OK) return reason;
    return tn__profit_reduce(plan, node, need->unit, &reduction) ? TN_REASON_OK
                                                                 : TN_REASON_COSTS_MORE;
}

/* Why a primitive's result must be stored; OK when each need is better inlined. */
static tn_reason why_store(tn__plan *plan, tn_vid value, const tn_ir_node *node) {
    uint32_t n_units = 0, exprs[8];
    size_t n = plan->needs.len;
    for (uint32_t w = plan->values[value].first_want; w != TN_NONE; w = plan->wants.data[w].next)
        return plan->wants.data[w].kind == TN__WANT_OUTPUT    ? TN_REASON_IS_OUTPUT
               : plan->wants.data[w].kind == TN__WANT_OPERAND ? TN_REASON_OPAQUE_NEIGHBOUR
                                                              : TN_REASON_SAVES_BYTES;
    for (size_t i = 0; i < n; i++) {
        const tn__need *need = &plan->needs.data[i];
        bool again = false;
        for (size_t j = 0; j < i && j < 8; j++)
            again |= plan->needs.data[j].unit == need->unit;
        n_units += !again;
        if (i < 8) exprs[i] = need->expr;
        if (!plan->options->fuse && plan->units.data[need->unit].origin != node->origin)
            return TN_REASON_EAGER;
        if (plan->units.data[need->unit].weight > TN__MAX_WEIGHT) return TN_REASON_TOO_LARGE;
    }
    if (node->prim == TN_PRIM_CONCAT && tn__concat_parts(plan, node) > TN__MAX_PARTS)
        return TN_REASON_TOO_LARGE;
    if (klass_of(node) == TN_PRIM_CLASS_REDUCE) return reduce_reason(plan, node);
    if (n > 8) return TN_REASON_MULTIPLE_USERS;
    for (size_t i = 0; i < n; i++)
        anticipate(plan, value, &plan->needs.data[i]);
    if (tn__profit_repeat(plan, value, exprs, (uint32_t)n, n_units)) return TN_REASON_OK;
    return n == 1 ? TN_REASON_COSTS_MORE : TN_REASON_MULTIPLE_USERS;
}

static tn_status visit_free(tn__plan *plan, tn_vid value, const tn_ir_node *node) {
    if (klass_of(node) == TN_PRIM_CLASS_VIEW) TN_TRY(tn__operands_through_view(plan, value));
    TN_TRY(tn__needs_collect(plan, value, false));
    plan->values[value].as_view = klass_of(node) == TN_PRIM_CLASS_VIEW;
    if (!tn__has_wants(plan, value)) {
        uint8_t repeats = plan->values[value].repeats;
        for (uint32_t i = 0; i < node->n_operands; i++)
            if (plan->values[node->operands[i]].repeats < repeats)
                plan->values[node->operands[i]].repeats = repeats;
        return inline_all(plan);
    }
    bool done;
    TN_TRY(tn__prologue_visit(plan, value, &done));
    if (done) return NULL;
    plan->values[value].why_stored = why_store(plan, value, node);
    TN_TRY(tn__store_value(plan, value, TN__STORE_VIEW));
    return tn__operands_serve(plan, value);
}

/* The needs of a placed value were collected before it had a home: they are loads,
 * and what else wants it gets copies. */
static tn_status visit_placed(tn__plan *plan, tn_vid value, const tn_ir_node *node,
                              bool *out_done) {
    tn_reason reason = tn__placed_reason(plan, value, node);
    *out_done = reason == TN_REASON_OK;
    if (reason == TN_REASON_FORBIDDEN && tn__concat_parts(plan, node) > TN__MAX_PARTS)
        return tn_status_make(TN_UNSUPPORTED,
                              "%%%s: placed is forbidden, but %s: a kernel chooses from at most %d "
                              "parts, found %u",
                              plan->graph->values[value].name, tn_reason_text(TN_REASON_TOO_LARGE),
                              TN__MAX_PARTS, tn__concat_parts(plan, node));
    if (!*out_done) return tn__refuse(plan, node->origin, TN_DECISION_PLACED, reason, NULL);
    TN_TRY(tn__place_parts(plan, value, node));
    if (wants_store(plan, value))
        TN_TRY(tn__store_value(plan, value, TN__STORE_COPY));
    else
        TN_TRY(load_all(plan));
    return tn__operands_serve(plan, value);
}

static tn_status visit_primitive(tn__plan *plan, tn_vid value, const tn_ir_node *node) {
    tn__value *v = &plan->values[value];
    if (v->numel == 0) return visit_empty(plan, value);
    if (tn__prim_cost(node->prim) == 0) return visit_free(plan, value, node);
    TN_TRY(tn__needs_collect(plan, value, true));
    if (plan->needs.len == 0 && !tn__has_wants(plan, value)) return NULL;
    bool done;
    TN_TRY(tn__prologue_visit(plan, value, &done));
    if (done) return NULL;
    v->why_stored = why_store(plan, value, node);
    if (node->prim == TN_PRIM_CONCAT && v->why_stored != TN_REASON_OK) {
        TN_TRY(visit_placed(plan, value, node, &done));
        if (done) return NULL;
    }
    if (v->why_stored != TN_REASON_OK) {
        TN_TRY(tn__store_value(plan, value, TN__STORE_VALUE));
        return tn__operands_serve(plan, value);
    }
    uint8_t repeats = (uint8_t)(v->repeats + (plan->needs.len > 1));
    for (uint32_t i = 0; i < node->n_operands; i++)
        if (plan->values[node->operands[i]].repeats < repeats)
            plan->values[node->operands[i]].repeats = repeats;
    return inline_all(plan);
}

/* ------------------------------------------------------------------------ ops */

static bool same_strides(const tn_type *type, const int64_t *strides) {
    int64_t dense[TN_MAX_RANK];
    const int64_t *own = type->strides ? type->strides : dense;
    tn_shape_strides(type->shape, type->rank, dense);
    for (int32_t i = 0; i < type->rank; i++)
        if (type->shape[i] > 1 && own[i] != strides[i]) return false;
    return true;
}

/* A result is written where the caller wants it, or into the larger value that it is a
 * part of, if the op lays it out like that. */
static tn_status result_home(tn__plan *plan, tn_vid value, uint32_t unit) {
    tn__value *v = &plan->values[value];
    const tn_type *type = tn__type(plan, value);
    for (uint32_t *at = &v->first_want; *at != TN_NONE; at = &plan->wants.data[*at].next) {
        tn__want want = plan->wants.data[*at];
        if (want.kind == TN__WANT_OPERAND) continue;
        if (want.kind == TN__WANT_OUTPUT) TN_TRY(tn__place_output(plan, want.index, &want.place));
        if (!same_strides(type, want.place.strides)) continue;
        *at = want.next;
        v->home = want.place;
        return want.kind == TN__WANT_OUTPUT ? NULL : tn__unit_wait(plan, want.unit, unit);
    }
    uint32_t buffer;
    TN_TRY(tn__buffer_add(plan, TN_BUFFER_TEMP, 0, value, type, &buffer));
    v->home = (tn__place){.buffer = buffer, .strides = plan->buffers.data[buffer].strides};
    return NULL;
}

static tn_status visit_result(tn__plan *plan, uint32_t unit, uint32_t index, tn_vid value) {
    tn__value *v = &plan->values[value];
    TN_TRY(result_home(plan, value, unit));
    v->owner = unit;
    v->stored = true;
    const tn_type *type = tn__type(plan, value);
    size_t bytes = (size_t)type->rank * sizeof(int64_t);
    tn_operand result = {.buffer = v->home.buffer,
                         .rank = type->rank,
                         .shape = tn_arena_copy(&plan->schedule->arena, type->shape, bytes),
                         .strides = v->home.strides,
                         .offset = v->home.offset};
    if (!result.shape) return tn_status_no_memory();
    plan->units.data[unit].results[index] = result;
    return visit_resident(plan, value);
}

static tn_status visit_op(tn__plan *plan, const tn_ir_node *node) {
    bool needed = (node->op->desc->traits & TN_TRAIT_HAS_EFFECTS) != 0, done = false;
    for (uint32_t i = 0; i < node->n_results; i++) {
        const tn__value *v = &plan->values[node->results[i]];
        needed |= v->first_demand != TN_NONE || v->first_want != TN_NONE;
    }
    if (needed) TN_TRY(tn__template_visit(plan, node, &done));
    if (!needed || done) return NULL;
    uint32_t unit;
    TN_TRY(tn__unit_add(plan, TN__UNIT_CALL, node->origin, node->id + 1, &unit));
    TN_TRY(tn__call_init(plan, unit, node));
    for (uint32_t i = 0; i < node->n_results; i++)
        TN_TRY(visit_result(plan, unit, i, node->results[i]));
    return NULL;
}

tn_status tn__sweep(tn__plan *plan) {
    const tn_ir_graph *graph = plan->graph;
    for (uint32_t n = graph->n_nodes; n-- > 0;) {
        const tn_ir_node *node = graph->nodes[n];
        if (!node->prim)
            TN_TRY(visit_op(plan, node));
        else
            for (uint32_t i = node->n_results; i-- > 0;)
                TN_TRY(visit_primitive(plan, node->results[i], node));
        TN_TRY(tn__index_status(&plan->space.index));
    }
    for (uint32_t i = graph->n_inputs; i-- > 0;) {
        tn_vid value = graph->inputs[i];
        uint32_t buffer;
        TN_TRY(tn__buffer_add(plan, TN_BUFFER_INPUT, i, value, tn__type(plan, value), &buffer));
        tn__value *v = &plan->values[value];
        v->home = (tn__place){.buffer = buffer, .strides = plan->buffers.data[buffer].strides};
        if (v->numel == 0)
            TN_TRY(tn__operands_serve(plan, value));
        else
            TN_TRY(visit_resident(plan, value));
    }
    return tn__index_status(&plan->space.index);
}
