/* What a template does to an operand as it loads it. */
#include "schedule/plan.h"

typedef struct guest {
    uint32_t want;
    uint32_t unit; /* the template's */
    const tn_slot *slot;
} guest;

/* The operand must be the whole value as it is, wanted by nobody else, and loaded
 * through a slot. */
static tn_reason legal_prologue(tn__plan *plan, tn_vid value, guest *g) {
    const tn__value *v = &plan->values[value];
    g->want = v->first_want;
    if (g->want == TN_NONE || plan->wants.data[g->want].kind != TN__WANT_OPERAND)
        return TN_REASON_NO_TEMPLATE;
    const tn__want *want = &plan->wants.data[g->want];
    g->unit = tn__unit_root(plan, want->unit);
    const tn__unit *unit = &plan->units.data[g->unit];
    if (unit->kind != TN__UNIT_TEMPLATE) return TN_REASON_OPAQUE_NEIGHBOUR;
    if (want->next != TN_NONE) return TN_REASON_MULTIPLE_USERS;
    if (unit->node->operands[want->index] != value) return TN_REASON_NOT_POINTWISE;
    int32_t parameter = (int32_t)tn__parameter_of(unit->node, want->index);
    g->slot = tn__find_slot(unit->hosting->template_, TN_SLOT_PROLOGUE, parameter);
    if (!g->slot || want->index >= 3 || g->slot->rank < 1 || g->slot->rank > TN_MAX_RANK)
        return TN_REASON_NO_TEMPLATE;
    if (tn_prim_get(tn__def(plan, value)->prim)->klass == TN_PRIM_CLASS_REDUCE)
        return TN_REASON_NOT_POINTWISE;
    return TN_REASON_OK;
}

/* A contraction loads an operand once for each panel of the other, and computes it as
 * often: on the CPU a pass of its own costs less. On a GPU only what is nearly free
 * rides along. */
static bool profit_prologue(const tn__plan *plan, tn_vid value) {
    return plan->options->device_type != TN_DEVICE_CPU &&
           tn__prim_cost(tn__def(plan, value)->prim) <= 1;
}

static int ask(const tn__plan *plan, uint32_t origin) {
    return tn_rules_ask(plan->options->rules, plan->options->source, origin, TN_DECISION_PROLOGUE);
}

/* The template loads nothing for the operand: it is described as if contiguous. */
static tn_status describe(tn__plan *plan, tn_vid value, tn_operand *out) {
    const tn_type *type = tn__type(plan, value);
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

static tn_status attach(tn__plan *plan, tn_vid value, const guest *g) {
    uint32_t index = plan->wants.data[g->want].index;
    tn__hosting *hosting;
    tn__place nowhere = {.buffer = TN_NONE};
    TN_TRY(describe(plan, value, &plan->units.data[g->unit].operands[index]));
    TN_TRY(tn__needs_add_kernel(plan, value, TN__UNIT_PROLOGUE));
    tn__need need = plan->needs.data[plan->needs.len - 1];
    TN_TRY(tn__host(plan, need.unit, tn__type(plan, value), need.coords, g->slot, &hosting));
    TN_TRY(tn__unit_store(plan, need.unit, need.expr, value, need.coords, nowhere));
    plan->units.data[g->unit].hosting->prologues[index] = need.unit;
    TN_TRY(tn__unit_wait(plan, g->unit, need.unit));
    return tn__need_inline(plan, &need);
}

tn_status tn__prologue_visit(tn__plan *plan, tn_vid value, bool *out_done) {
    guest g = {0};
    uint32_t origin = tn__def(plan, value)->origin;
    *out_done = false;
    if (!tn__has_wants(plan, value)) return NULL;
    tn_reason reason = legal_prologue(plan, value, &g);
    int asked = ask(plan, origin);
    /* Who is no template's operand was never a candidate, unless somebody asks. */
    if (reason == TN_REASON_NO_TEMPLATE && asked <= 0) return NULL;
    if (reason == TN_REASON_OPAQUE_NEIGHBOUR && asked <= 0) return NULL;
    if (reason == TN_REASON_OK && asked < 0) reason = TN_REASON_FORBIDDEN;
    if (reason == TN_REASON_OK && asked == 0 && plan->options->strict) reason = TN_REASON_EAGER;
    if (reason == TN_REASON_OK && asked == 0 && !profit_prologue(plan, value))
        reason = TN_REASON_COSTS_MORE;
    if (reason != TN_REASON_OK) return tn__refuse(plan, origin, TN_DECISION_PROLOGUE, reason, NULL);
    *out_done = true;
    return attach(plan, value, &g);
}
