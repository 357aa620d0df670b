/* What a template does to an operand as it loads it. */
#include <stdio.h>

#include "schedule/plan.h"

typedef struct guest {
    uint32_t want;
    uint32_t unit;  /* the template's */
    uint32_t index; /* of its operand */
    tn_vid operand; /* the value, or a view of it */
    const tn_slot *slot;
    char detail[256]; /* "", or more about why not */
} guest;

tn_reason tn__prologue_slot(const tn__plan *plan, const tn_template *t, const tn_ir_node *node,
                            uint32_t index, const tn_slot **out, uint32_t *out_place,
                            char detail[256]) {
    uint32_t parameter = tn__parameter_of(node, index);
    detail[0] = 0;
    *out = tn_slot_find(t, TN_SLOT_PROLOGUE, (int32_t)parameter, out_place);
    if (!*out) {
        snprintf(detail, 256, "template %.64s has no slot for argument %s", t->name,
                 node->schema->params[parameter].name);
        return TN_REASON_SLOT_UNFIT;
    }
    if (index >= TN_MAX_PROLOGUES || node->args[parameter].tag != TN_TAG_VALUE) {
        snprintf(detail, 256, "slot %.64s is for a list, or for more than the first %d tensors",
                 (*out)->name, TN_MAX_PROLOGUES);
        return TN_REASON_SLOT_UNFIT;
    }
    return tn_slot_fits(*out, *out_place, tn__type(plan, node->operands[index])->dt, detail)
               ? TN_REASON_OK
               : TN_REASON_SLOT_UNFIT;
}

/* ---------------------------------------------------------------- legality */

/* Why the op that takes the value as an operand has no template to take more in. */
static tn_reason no_template(tn__plan *plan, uint32_t want, guest *g) {
    const tn_ir_node *node = plan->units.data[plan->wants.data[want].unit].node;
    const struct tn__no_template *no = &plan->no_template[node->id];
    if (no->why == TN_REASON_OK || no->why == TN_REASON_NO_TEMPLATE)
        return TN_REASON_OPAQUE_NEIGHBOUR;
    if (no->detail) snprintf(g->detail, sizeof g->detail, "%s", no->detail);
    return no->why;
}

/* The value, maybe through views, must be wanted by one template alone, and pass
 * through a slot. NO_TEMPLATE: it is no operand of anything, and never was a candidate. */
static tn_reason legal_prologue(tn__plan *plan, tn_vid value, guest *g) {
    const tn__value *v = &plan->values[value];
    uint32_t n_users = (uint32_t)plan->needs.len, call = TN_NONE;
    bool output = false;
    g->want = TN_NONE;
    for (uint32_t w = v->first_want; w != TN_NONE; w = plan->wants.data[w].next, n_users++) {
        const tn__want *want = &plan->wants.data[w];
        output |= want->kind == TN__WANT_OUTPUT;
        if (want->kind != TN__WANT_OPERAND) continue;
        call = w;
        if (tn__unit_get(plan, want->unit)->kind == TN__UNIT_TEMPLATE) g->want = w;
    }
    if (call == TN_NONE) return TN_REASON_NO_TEMPLATE;
    if (n_users > 1) return output ? TN_REASON_IS_OUTPUT : TN_REASON_MULTIPLE_USERS;
    if (g->want == TN_NONE) return no_template(plan, call, g);
    const tn__want *want = &plan->wants.data[g->want];
    g->unit = tn__unit_root(plan, want->unit);
    const tn__unit *unit = &plan->units.data[g->unit];
    g->index = want->index;
    g->operand = unit->node->operands[want->index];
    if (!tn__is_pointwise(tn__def(plan, value))) return TN_REASON_NOT_POINTWISE;
    uint32_t place;
    return tn__prologue_slot(plan, unit->hosting->template_, unit->node, want->index, &g->slot,
                             &place, g->detail);
}

/* ------------------------------------------------------------------ profit */

/* On a GPU only what is nearly free rides along; elsewhere the host has compared. */
static bool profit_prologue(const tn__plan *plan, tn_vid value, guest *g) {
    const tn__hosting *hosting = plan->units.data[g->unit].hosting;
    double bytes = (double)plan->values[value].numel *
                   (double)tn_dt_size(tn__type(plan, value)->dt);
    if (plan->options->device_type != TN_DEVICE_CPU)
        return tn__prim_cost(tn__def(plan, value)->prim) <= 1;
    if (hosting->takes >> g->index & 1) return true;
    snprintf(g->detail, sizeof g->detail,
             "template %.64s would lose more than a pass of its own, which moves %.4g KiB",
             hosting->template_->name, 2 * bytes / 1024);
    return false;
}

static int ask(const tn__plan *plan, uint32_t origin, const tn_ir_node *host) {
    return tn_rules_ask_either(plan->options->rules, plan->options->source, origin, host->origin,
                               TN_DECISION_PROLOGUE);
}

/* ---------------------------------------------------------------- attaching */

/* The operand lies nowhere: it is described as if contiguous. */
static tn_status describe(tn__plan *plan, const tn_type *type, tn_operand *out) {
    tn_arena *arena = &plan->schedule->arena;
    size_t bytes = (size_t)type->rank * sizeof(int64_t);
    int64_t *strides = tn_arena_alloc(arena, bytes);
    *out = (tn_operand){.buffer = TN_NONE,
                        .rank = type->rank,
                        .shape = tn_arena_copy(arena, type->shape, bytes),
                        .strides = strides};
    if (!out->shape || !strides) return tn_status_no_memory();
    tn_shape_strides(type->shape, type->rank, strides);
    return NULL;
}

/* A unit over the operand's elements, whose one store hands an element over. The want's
 * coordinates, which say what the operand sees of the value, run over the same axes. */
static tn_status attach(tn__plan *plan, tn_vid value, const guest *g) {
    const tn_ir_node *def = tn__def(plan, value);
    const tn_type *type = tn__type(plan, g->operand);
    tn__need need = {.coords = plan->wants.data[g->want].coords, .guard = TN__GUARD_ALWAYS};
    tn__hosting *hosting;
    tn__place nowhere = {.buffer = TN_NONE};
    tn__ix at[TN_MAX_RANK];
    TN_TRY(describe(plan, type, &plan->units.data[g->unit].operands[g->index]));
    TN_TRY(tn__unit_add(plan, TN__UNIT_PROLOGUE, def->origin, def->id + 1, &need.unit));
    tn__unit *unit = &plan->units.data[need.unit];
    for (int32_t i = 0; i < type->rank; i++) {
        at[i] = type->shape[i] == 1 ? 0
                                    : tn__ix_axis(&plan->space.index, unit->n_axes, type->shape[i]);
        if (type->shape[i] != 1) unit->extents[unit->n_axes++] = type->shape[i];
    }
    tn__coords own = tn__coords_make(&plan->space, at, (uint32_t)type->rank);
    TN_TRY(tn__host(plan, need.unit, type, own, g->slot, &hosting));
    TN_TRY(tn__demand(plan, need.unit, value, need.coords, need.guard, &need.expr));
    plan->values[value].first_demand = TN_NONE; /* it is met below */
    TN_TRY(tn__unit_store(plan, need.unit, need.expr, g->operand, own, nowhere));
    plan->units.data[g->unit].hosting->prologues[g->index] = need.unit;
    TN_TRY(tn__unit_wait(plan, g->unit, need.unit));
    return tn__need_inline(plan, &need);
}

tn_status tn__prologue_visit(tn__plan *plan, tn_vid value, bool *out_done) {
    guest g = {0};
    uint32_t origin = tn__def(plan, value)->origin;
    *out_done = false;
    if (!tn__has_wants(plan, value)) return NULL;
    tn_reason reason = legal_prologue(plan, value, &g);
    int asked = reason != TN_REASON_OK ? tn_rules_ask(plan->options->rules, plan->options->source,
                                                      origin, TN_DECISION_PROLOGUE)
                                       : ask(plan, origin, plan->units.data[g.unit].node);
    /* Who is no template's operand was never a candidate, unless somebody asks. */
    if (g.want == TN_NONE && asked <= 0) return NULL;
    if (reason == TN_REASON_OK && asked < 0) reason = TN_REASON_FORBIDDEN;
    if (reason == TN_REASON_OK && asked == 0 && plan->options->strict) reason = TN_REASON_EAGER;
    if (reason == TN_REASON_OK && asked == 0 && !profit_prologue(plan, value, &g))
        reason = TN_REASON_COSTS_MORE;
    if (reason != TN_REASON_OK)
        return tn__refuse(plan, origin, TN_DECISION_PROLOGUE, reason, g.detail);
    *out_done = true;
    return attach(plan, value, &g);
}
