/* Calls of ops, and what they are handed. */
#include "schedule/plan.h"

const tn_kernel *tn__kernel_of(const tn__plan *plan, const tn_ir_node *node) {
    return plan->options->device_type == TN_DEVICE_CUDA ? node->op->cuda : node->op->cpu;
}

static bool holds(const tn_arg *arg, uint32_t slot) {
    if (arg->tag == TN_TAG_VALUE) return arg->v.value.id == slot + UINT64_C(1);
    for (uint32_t i = 0; arg->tag == TN_TAG_LIST && i < arg->count; i++)
        if (holds(&arg->v.list[i], slot)) return true;
    return false;
}

uint32_t tn__parameter_of(const tn_ir_node *node, uint32_t slot) {
    uint32_t p = 0;
    while (p + 1 < node->schema->n_params && !holds(&node->args[p], slot))
        p++;
    return p;
}

/* What the callee takes for an operand: TN_LAYOUT_... */
static uint8_t layout_of(const tn__plan *plan, const tn_ir_node *node, uint32_t slot) {
    const tn_kernel *kernel = tn__kernel_of(plan, node);
    if (!kernel || !(kernel->flags & TN_KERNEL_STRIDED_INPUTS)) return TN_LAYOUT_CONTIGUOUS;
    uint32_t parameter = tn__parameter_of(node, slot);
    return node->op->desc->layouts && parameter < node->op->desc->n_layouts
               ? node->op->desc->layouts[parameter]
               : TN_LAYOUT_ANY;
}

tn_status tn__call_init(tn__plan *plan, uint32_t id, const tn_ir_node *node) {
    tn__space *space = &plan->space;
    tn_arena *arena = &plan->schedule->arena;
    tn__unit *unit = &plan->units.data[id];
    size_t n_operands = (size_t)node->n_operands + (unit->library ? unit->library->n_extra : 0);
    tn_operand *operands = tn_arena_array(arena, n_operands, sizeof *operands);
    tn_operand *results = tn_arena_array(arena, node->n_results, sizeof *results);
    if (!operands || !results) return tn_status_no_memory();
    unit->node = node;
    unit->operands = operands;
    unit->results = results;
    for (uint32_t i = 0; i < node->n_operands; i++) {
        const tn_type *type = tn__type(plan, node->operands[i]);
        tn__ix at[TN_MAX_RANK];
        uint32_t axis = 0;
        for (int32_t k = 0; k < type->rank; k++)
            at[k] = type->shape[k] == 1 ? 0 : tn__ix_axis(&space->index, axis++, type->shape[k]);
        tn__want want = {.kind = TN__WANT_OPERAND,
                         .unit = id,
                         .index = i,
                         .coords = tn__coords_make(space, at, (uint32_t)type->rank)};
        TN_TRY(tn__want_add(plan, node->operands[i], want));
    }
    if (!(node->op->desc->traits & TN_TRAIT_HAS_EFFECTS)) return NULL;
    uint32_t later = plan->last_effect;
    plan->last_effect = id;
    return later == TN_NONE ? NULL : tn__unit_wait(plan, later, id);
}

static const tn_type *operand_type(const tn__plan *plan, const tn__want *want) {
    const tn__unit *unit = &plan->units.data[want->unit];
    if (want->index >= unit->node->n_operands)
        return &unit->library->extra[want->index - unit->node->n_operands];
    return tn__type(plan, unit->node->operands[want->index]);
}

/* Whether the callee takes an operand with those strides. */
static bool accepts(const tn__plan *plan, const tn__want *want, const int64_t *strides) {
    const tn_type *type = operand_type(plan, want);
    const tn__unit *unit = &plan->units.data[want->unit];
    if (want->index >= unit->node->n_operands) return true;
    uint8_t layout = layout_of(plan, unit->node, want->index);
    int64_t dense[TN_MAX_RANK];
    tn_shape_strides(type->shape, type->rank, dense);
    for (int32_t i = 0; i < type->rank; i++)
        if (type->shape[i] == 0) return true;
    for (int32_t i = 0; i < type->rank; i++)
        if (type->shape[i] != 1 && strides[i] != dense[i] &&
            (layout == TN_LAYOUT_CONTIGUOUS ||
             (layout == TN_LAYOUT_LAST_UNIT && i == type->rank - 1)))
            return false;
    return true;
}

/* The operand as strides over its own shape, when the memory at `place` seen
 * through the want's coordinates is that, and the callee takes it. */
static bool view_of(tn__plan *plan, const tn__want *want, const tn__place *place,
                    int64_t out_strides[TN_MAX_RANK], int64_t *out_offset) {
    const tn_type *type = operand_type(plan, want);
    int64_t coefficients[TN_MAX_RANK];
    tn__ix address = tn__coords_address(&plan->space, want->coords, place->strides, place->offset);
    if (!tn__ix_affine(&plan->space.index, address, coefficients, out_offset)) return false;
    tn_shape_strides(type->shape, type->rank, out_strides);
    uint32_t axis = 0;
    for (int32_t i = 0; i < type->rank; i++)
        if (type->shape[i] != 1) out_strides[i] = coefficients[axis++];
    return accepts(plan, want, out_strides);
}

/* Whether it will lie in memory anyhow. */
static bool resident(const tn__plan *plan, tn_vid value) {
    for (;;) {
        const tn_ir_node *node = tn__def(plan, value);
        if (!node || !node->prim || tn__has_wants(plan, value)) return true;
        if (!tn__prim_is_view(node->prim)) return false;
        value = node->operands[0];
    }
}

tn_status tn__operands_through_view(tn__plan *plan, tn_vid value) {
    const tn_ir_node *view = tn__def(plan, value);
    tn_vid source = view->operands[0];
    const tn_type *type = tn__type(plan, source);
    if (plan->values[source].numel > plan->values[value].numel && !resident(plan, source))
        return NULL;
    int64_t dense[TN_MAX_RANK], strides[TN_MAX_RANK], offset;
    tn_shape_strides(type->shape, type->rank, dense);
    /* An input keeps its own strides; all else will be contiguous. */
    const tn__place place = {
        .strides = plan->graph->values[source].def == TN_NO_NODE && type->strides ? type->strides
                                                                                  : dense};
    for (uint32_t *at = &plan->values[value].first_want; *at != TN_NONE;) {
        tn__want want = plan->wants.data[*at];
        tn__want through = want;
        if (want.kind == TN__WANT_OPERAND)
            through.coords = tn__coords_through(&plan->space, view, type, tn__type(plan, value),
                                                want.coords);
        TN_TRY(tn__index_status(&plan->space.index));
        if (want.kind != TN__WANT_OPERAND || !view_of(plan, &through, &place, strides, &offset)) {
            at = &plan->wants.data[*at].next;
            continue;
        }
        *at = want.next;
        plan->values[value].as_view = plan->values[value].inlined = true;
        plan->values[value].reader = want.unit;
        TN_TRY(tn__want_add(plan, source, through));
        at = &plan->values[value].first_want; /* adding may have moved all wants */
    }
    return NULL;
}

static tn_status serve(tn__plan *plan, uint32_t want_id, const tn__place *place, uint32_t owner,
                       const int64_t *strides, int64_t offset) {
    tn__want *want = &plan->wants.data[want_id];
    const tn_type *type = operand_type(plan, want);
    size_t bytes = (size_t)type->rank * sizeof(int64_t);
    tn_arena *arena = &plan->schedule->arena;
    tn_operand operand = {.buffer = place->buffer,
                          .rank = type->rank,
                          .shape = tn_arena_copy(arena, type->shape, bytes),
                          .strides = tn_arena_copy(arena, strides, bytes),
                          .offset = offset};
    if (!operand.shape || !operand.strides) return tn_status_no_memory();
    want->owner = owner;
    plan->units.data[want->unit].operands[want->index] = operand;
    return owner == TN_NONE ? NULL : tn__unit_wait(plan, want->unit, owner);
}

static bool same_shape(const tn_type *a, const tn_type *b) {
    if (a->rank != b->rank) return false;
    for (int32_t i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i]) return false;
    return true;
}

/* An operand made for another callee that is the same, such as a copy. */
static const tn__want *find_served(const tn__plan *plan, tn_vid value, uint32_t want_id) {
    const tn__want *want = &plan->wants.data[want_id];
    for (uint32_t w = plan->values[value].first_want; w != want_id; w = plan->wants.data[w].next) {
        const tn__want *other = &plan->wants.data[w];
        if (other->kind == TN__WANT_OPERAND && other->coords == want->coords &&
            same_shape(operand_type(plan, other), operand_type(plan, want)) &&
            accepts(plan, want, plan->units.data[other->unit].operands[other->index].strides))
            return other;
    }
    return NULL;
}

/* A kernel that gathers the operand into a contiguous buffer. */
static tn_status copy(tn__plan *plan, const tn__want *want, tn_vid value, tn__place *out_place,
                      uint32_t *out_unit) {
    const tn_ir_node *node = plan->units.data[want->unit].node;
    tn_vid operand = want->index < node->n_operands ? node->operands[want->index] : value;
    const tn_type *type = operand_type(plan, want);
    TN_TRY(tn__unit_add(plan, TN__UNIT_LOOP, node->origin, node->id, out_unit));
    tn__unit *unit = &plan->units.data[*out_unit];
    tn__ix at[TN_MAX_RANK];
    for (int32_t i = 0; i < type->rank; i++) {
        at[i] = type->shape[i] == 1 ? 0
                                    : tn__ix_axis(&plan->space.index, unit->n_axes, type->shape[i]);
        if (type->shape[i] != 1) unit->extents[unit->n_axes++] = type->shape[i];
    }
    uint32_t expr;
    tn__coords coords = tn__coords_make(&plan->space, at, (uint32_t)type->rank);
    TN_TRY(tn__place_new(plan, operand, type, out_place));
    TN_TRY(tn__demand(plan, *out_unit, value, want->coords, TN__GUARD_ALWAYS, &expr));
    return tn__unit_store(plan, *out_unit, expr, operand, coords, *out_place);
}

tn_status tn__operands_serve(tn__plan *plan, tn_vid value) {
    tn__value *v = &plan->values[value];
    int64_t strides[TN_MAX_RANK], offset = 0;
    for (uint32_t w = v->first_want; w != TN_NONE; w = plan->wants.data[w].next) {
        tn__want want = plan->wants.data[w];
        if (want.kind != TN__WANT_OPERAND) continue;
        tn__place place = v->home;
        uint32_t owner = v->owner;
        if (!view_of(plan, &want, &place, strides, &offset)) {
            const tn__want *other = find_served(plan, value, w);
            const tn_type *type = operand_type(plan, &want);
            if (other) {
                tn_operand operand = plan->units.data[other->unit].operands[other->index];
                place.buffer = operand.buffer;
                owner = other->owner;
                offset = operand.offset;
                for (int32_t i = 0; i < type->rank; i++)
                    strides[i] = operand.strides[i];
            } else {
                TN_TRY(copy(plan, &want, value, &place, &owner));
                tn_shape_strides(type->shape, type->rank, strides);
                offset = 0;
            }
        }
        TN_TRY(serve(plan, w, &place, owner, strides, offset));
    }
    return tn__index_status(&plan->space.index);
}
