/* A concatenation that nobody makes: its parts are stored straight into it. */
#include "schedule/plan.h"

/* Below this many elements one kernel that chooses between the parts is cheaper than
 * a kernel for each; above TN__MAX_PARTS parts it never is. */
#define SMALL_CONCAT 4096

uint32_t tn__concat_parts(const tn__plan *plan, const tn_ir_node *node) {
    uint32_t parts = 0;
    for (uint32_t i = 0; i < node->n_operands; i++)
        parts += plan->values[node->operands[i]].numel != 0;
    return parts;
}

/* Whether the part will be computed, and not just copied. */
static bool is_computed(const tn__plan *plan, tn_vid value) {
    const tn_ir_node *node = tn__def(plan, value);
    return node && (!node->prim || tn__prim_cost(node->prim) > 0);
}

static bool profit_placed(const tn__plan *plan, tn_vid value, const tn_ir_node *node) {
    uint32_t parts = tn__concat_parts(plan, node), computed = 0;
    for (uint32_t i = 0; i < node->n_operands; i++) {
        if (plan->values[node->operands[i]].numel == 0) continue;
        computed += is_computed(plan, node->operands[i]);
    }
    /* Copies alone are one kernel until they are large. */
    int64_t least = computed ? SMALL_CONCAT : 4 * SMALL_CONCAT;
    return parts > 1 && (parts > TN__MAX_PARTS || plan->values[value].numel >= least);
}

tn_reason tn__placed_reason(tn__plan *plan, tn_vid value, const tn_ir_node *node) {
    int asked = tn_rules_ask(plan->options->rules, plan->options->source, node->origin,
                             TN_DECISION_PLACED);
    /* Of many parts there is no other way, in eager mode neither. */
    if (!plan->options->fuse && tn__concat_parts(plan, node) <= TN__MAX_PARTS)
        return TN_REASON_EAGER;
    if (asked < 0) return TN_REASON_FORBIDDEN;
    return asked > 0 || profit_placed(plan, value, node) ? TN_REASON_OK : TN_REASON_COSTS_MORE;
}

/* Takes the want that decides where the concatenation lies: an output; a buffer of its
 * own when a call takes it or nobody says; else inside of a larger one. */
static tn_status take_place(tn__plan *plan, tn_vid value, uint32_t join, tn__place *out) {
    tn__value *v = &plan->values[value];
    uint32_t *best = NULL;
    bool operand = false;
    for (uint32_t *at = &v->first_want; *at != TN_NONE; at = &plan->wants.data[*at].next) {
        const tn__want *want = &plan->wants.data[*at];
        operand |= want->kind == TN__WANT_OPERAND;
        if (want->kind == TN__WANT_OUTPUT) best = at;
        if (want->kind == TN__WANT_PLACE && !best) best = at;
    }
    if (!best || (operand && plan->wants.data[*best].kind == TN__WANT_PLACE))
        return tn__place_new(plan, value, tn__type(plan, value), out);
    tn__want want = plan->wants.data[*best];
    *best = want.next;
    if (want.kind == TN__WANT_OUTPUT) return tn__place_output(plan, want.index, out);
    *out = want.place;
    return tn__unit_wait(plan, want.unit, join);
}

tn_status tn__place_parts(tn__plan *plan, tn_vid value, const tn_ir_node *node) {
    tn__value *v = &plan->values[value];
    uint32_t join, axis = (uint32_t)tn_ir_attr_int(node, "axis");
    TN_TRY(tn__unit_add(plan, TN__UNIT_JOIN, node->origin, node->id + 1, &join));
    TN_TRY(take_place(plan, value, join, &v->home));
    v->owner = join;
    v->stored = v->placed = true;
    int64_t begin = 0;
    for (uint32_t i = 0; i < node->n_operands; i++) {
        int64_t extent = tn__type(plan, node->operands[i])->shape[axis];
        tn__want want = {.kind = TN__WANT_PLACE, .unit = join, .place = v->home};
        want.place.offset += begin * v->home.strides[axis];
        begin += extent;
        if (extent) TN_TRY(tn__want_add(plan, node->operands[i], want));
    }
    return NULL;
}
