/* Ops that a template runs, and what is compiled into it. */
#include <stdio.h>

#include "schedule/plan.h"

typedef struct host {
    const tn_ir_node *node;
    tn_vid result;
    const tn_template *template_;
    uint32_t config;
    const tn_slot *epilogue;
    uint32_t epilogue_index;
    uint32_t takes; /* operands that it is expected to compute */
} host;

static int ask(const tn__plan *plan, uint32_t origin, tn_decision_kind kind) {
    return tn_rules_ask(plan->options->rules, plan->options->source, origin, kind);
}

/* The first configuration of the first template that takes the problem; *out_why
 * and detail say why there is none. */
static tn_status find_template(tn__plan *plan, host *h, tn_reason *out_why, char detail[256]) {
    *out_why = TN_REASON_NO_TEMPLATE;
    detail[0] = 0;
    for (uint32_t i = 0; i < h->node->op->desc->n_templates; i++) {
        const tn_template *t = h->node->op->desc->templates[i];
        uint32_t index;
        const tn_slot *slot = tn_slot_find(t, TN_SLOT_EPILOGUE, 0, &index);
        if (t->device_type != plan->options->device_type || !slot) continue;
        if (!tn_slot_fits(slot, index, tn__type(plan, h->result)->dt, detail)) {
            *out_why = TN_REASON_SLOT_UNFIT;
            continue;
        }
        for (uint32_t config = 0; config < t->n_configs; config++) {
            bool accepted;
            TN_TRY(tn_judge_template(plan->options->judge, plan->graph, h->node, t, config,
                                     &accepted, detail));
            *out_why = accepted ? TN_REASON_OK : TN_REASON_TEMPLATE_DECLINED;
            if (!accepted) continue;
            h->template_ = t;
            h->config = config;
            h->epilogue = slot;
            h->epilogue_index = index;
            return NULL;
        }
    }
    return NULL;
}

/* Whether the op's own kernel can run the node instead. */
static tn_status is_callable(const tn__plan *plan, const tn_ir_node *node, bool *out) {
    const tn_kernel *kernel = tn__kernel_of(plan, node);
    char detail[256];
    *out = false;
    if (!kernel) return NULL;
    return tn_judge_kernel(plan->options->judge, plan->graph, node, kernel, out, detail);
}

/* ---------------------------------------------------------------- legality */

/* Whether the kernel of a need can be the epilogue: it runs over the result's own
 * elements, once each, and nobody waits in a circle. */
static tn_status legal_epilogue(tn__plan *plan, const host *h, size_t at, tn_reason *out) {
    const tn__need *need = &plan->needs.data[at];
    const tn__unit *unit = &plan->units.data[need->unit];
    bool fine;
    *out = TN_REASON_NOT_POINTWISE;
    if (unit->kind != TN__UNIT_LOOP || unit->inner ||
        tn__legal_store(plan, need->expr, 0) != TN_REASON_OK)
        return NULL;
    for (size_t i = 0; i < plan->needs.len; i++)
        if (i != at && plan->needs.data[i].unit == need->unit) return NULL;
    *out = TN_REASON_CYCLE;
    TN_TRY(tn__may_wait_for(plan, h->result, need->unit, &fine));
    if (fine) *out = TN_REASON_OK;
    return NULL;
}

/* ------------------------------------------------------------------- wishes */

/* What the rules say of the host and of all ops that the kernel computes. Forbidding
 * wins. */
static int wish(tn__plan *plan, const host *h, uint32_t unit) {
    const tn_rules *rules = plan->options->rules;
    if (!rules || rules->n == 0) return 0;
    int most = ask(plan, h->node->origin, TN_DECISION_EPILOGUE);
    for (uint32_t i = h->node->id + 1; i < plan->graph->n_nodes && most >= 0; i++) {
        const tn_ir_node *node = plan->graph->nodes[i];
        const tn__value *v = &plan->values[node->results[0]];
        uint32_t computes = v->stored ? v->owner : v->reader;
        if (computes == TN_NONE || tn__unit_root(plan, computes) != unit) continue;
        int answer = ask(plan, node->origin, TN_DECISION_EPILOGUE);
        if (answer < 0 || answer > most) most = answer;
    }
    return most;
}

/* ----------------------------------------------------------------- hosting */

/* The need's kernel becomes the template's step; others who need the result load
 * what it stores. */
static tn_status attach(tn__plan *plan, const host *h, size_t at) {
    tn__need need = plan->needs.data[at];
    tn__value *v = &plan->values[h->result];
    tn__hosting *hosting;
    TN_TRY(
        tn__host(plan, need.unit, tn__type(plan, h->result), need.coords, h->epilogue, &hosting));
    hosting->template_ = h->template_;
    hosting->config = h->config;
    hosting->takes = h->takes;
    tn__unit *unit = &plan->units.data[need.unit];
    unit->kind = TN__UNIT_TEMPLATE;
    if (unit->key < h->node->id + 1) unit->key = h->node->id + 1;
    TN_TRY(tn__call_init(plan, need.unit, h->node));
    plan->exprs.data[need.expr].kind = TN__EXPR_ACC;
    v->inlined = true;
    v->reader = v->owner = need.unit;
    if (plan->needs.len > 1 || tn__has_wants(plan, h->result)) {
        TN_TRY(tn__add_stores(plan, h->result, &need, true, &v->home));
        v->stored = true;
    }
    for (size_t i = 0; i < plan->needs.len; i++)
        if (i != at) TN_TRY(tn__need_load(plan, &plan->needs.data[i]));
    return tn__operands_serve(plan, h->result);
}

static tn_status refuse_epilogue(tn__plan *plan, const host *h, size_t at, tn_reason why,
                                 const char *detail) {
    uint32_t origin = plan->units.data[plan->needs.data[at].unit].origin;
    for (uint32_t u = plan->first_user[h->result]; u != TN_NONE; u = plan->next_user[u])
        TN_TRY(tn__refuse(plan, plan->graph->nodes[plan->users[u]]->origin, TN_DECISION_EPILOGUE,
                          why, detail));
    return tn__refuse(plan, origin, TN_DECISION_EPILOGUE, why, detail);
}

static const char *pass_text(const tn__plan *plan, const host *h, char text[256]) {
    double bytes = (double)plan->values[h->result].numel *
                   (double)tn_dt_size(tn__type(plan, h->result)->dt);
    snprintf(text, 256,
             "template %.64s would lose more than a pass of its own, which moves %.4g KiB",
             h->template_->name, 2 * bytes / 1024);
    return text;
}

/* Whether some kernel may be the epilogue. */
static tn_status may_have_epilogue(tn__plan *plan, const host *h, bool *out) {
    *out = false;
    for (size_t i = 0; i < plan->needs.len && !*out; i++) {
        tn_reason reason;
        TN_TRY(legal_epilogue(plan, h, i, &reason));
        *out = reason == TN_REASON_OK && wish(plan, h, plan->needs.data[i].unit) >= 0;
    }
    return NULL;
}

/* The first need whose kernel may and should be the epilogue. `hosted`: the template runs
 * in any case; `profit`: it is expected to pay. */
static tn_status choose_epilogue(tn__plan *plan, const host *h, bool callable, bool hosted,
                                 bool profit, size_t *out_at) {
    char text[256];
    *out_at = SIZE_MAX;
    for (size_t i = 0; i < plan->needs.len; i++) {
        tn_reason reason;
        TN_TRY(legal_epilogue(plan, h, i, &reason));
        int wanted = wish(plan, h, plan->needs.data[i].unit);
        const char *detail = NULL;
        if (reason == TN_REASON_OK && wanted < 0) reason = TN_REASON_FORBIDDEN;
        if (reason == TN_REASON_OK && wanted == 0 && !hosted && !profit) {
            reason = TN_REASON_COSTS_MORE;
            detail = pass_text(plan, h, text);
        }
        if (reason == TN_REASON_OK && wanted == 0 && plan->options->strict && callable && !hosted) {
            reason = TN_REASON_EAGER;
            detail = "strict keeps the kernel that eager runs call";
        }
        if (reason == TN_REASON_OK) {
            *out_at = i;
            return NULL;
        }
        TN_TRY(refuse_epilogue(plan, h, i, reason, detail));
    }
    return NULL;
}

/* Nothing is compiled into calls: says so to those who read the result. */
static tn_status refuse_all(tn__plan *plan, const host *h, tn_reason why, const char *detail) {
    for (size_t i = 0; i < plan->needs.len; i++)
        if (plan->units.data[plan->needs.data[i].unit].kind == TN__UNIT_LOOP)
            TN_TRY(refuse_epilogue(plan, h, i, why, detail));
    return NULL;
}

/* Puts the needs back, for whoever decides next. */
static void restore_needs(tn__plan *plan, tn_vid value) {
    for (size_t i = 0; i < plan->needs.len; i++) {
        uint32_t expr = plan->needs.data[i].expr;
        plan->exprs.data[expr].next = plan->values[value].first_demand;
        plan->values[value].first_demand = expr;
    }
}

/* Why the template that was found may not run the node, whatever it would be good for. */
static tn_status legal_host(tn__plan *plan, const host *h, bool callable, tn_reason *why,
                            char detail[256]) {
    const tn_ir_node *node = h->node;
    bool banned = ask(plan, node->origin, TN_DECISION_TEMPLATE) < 0;
    bool called = callable && ask(plan, node->origin, TN_DECISION_OPAQUE) > 0;
    if (*why == TN_REASON_OK && (banned || called)) {
        *why = TN_REASON_FORBIDDEN;
        snprintf(detail, 256, "the template of %s; %s", node->schema->full_name,
                 banned ? "template is forbidden" : "opaque is forced");
    }
    if (callable || *why == TN_REASON_OK || *why == TN_REASON_NO_TEMPLATE) return NULL;
    return tn_status_make(TN_UNSUPPORTED,
                          "%%%s = %s: the op has no kernel of its own, and its template cannot run "
                          "it: %s%s%s: force inline if it has a lowering",
                          plan->graph->values[h->result].name, node->schema->full_name,
                          tn_reason_text(*why), detail[0] ? ", " : "", detail);
}

/* What the template is used for: an epilogue (a need), or a store of its own when it runs
 * anyhow (`*out_alone`), or nothing. */
static tn_status choose(tn__plan *plan, host *h, tn_reason why, const char *detail, bool callable,
                        size_t *out_at, bool *out_alone) {
    *out_at = SIZE_MAX;
    *out_alone = false;
    bool hosted = !callable || ask(plan, h->node->origin, TN_DECISION_TEMPLATE) > 0;
    if (why != TN_REASON_OK)
        return refuse_all(plan, h, why == TN_REASON_NO_TEMPLATE ? TN_REASON_OPAQUE_NEIGHBOUR : why,
                          detail);
    bool pays = false;
    if (!plan->options->fuse) {
        TN_TRY(refuse_all(plan, h, TN_REASON_EAGER, NULL));
    } else {
        bool epilogue;
        tn__host_choice c = {.node = h->node,
                             .template_ = h->template_,
                             .config = h->config,
                             .epilogue_index = h->epilogue_index};
        TN_TRY(may_have_epilogue(plan, h, &epilogue));
        TN_TRY(tn__host_choose(plan, &c, epilogue));
        h->takes = c.takes;
        hosted |= c.forced;
        pays = c.pays;
        TN_TRY(choose_epilogue(plan, h, callable, hosted, pays, out_at));
    }
    *out_alone = *out_at == SIZE_MAX && (hosted || (pays && !plan->options->strict));
    return NULL;
}

/* What is called instead, and why, for those who ask when its operands are looked at. */
static tn_status decline(tn__plan *plan, const host *h, tn_reason why, const char *detail) {
    struct tn__no_template *no = &plan->no_template[h->node->id];
    restore_needs(plan, h->result);
    no->why = why;
    if (!detail[0]) return NULL;
    no->detail = tn_arena_strdup(&plan->arena, detail);
    return no->detail ? NULL : tn_status_no_memory();
}

tn_status tn__template_visit(tn__plan *plan, const tn_ir_node *node, bool *out_done) {
    host h = {.node = node};
    char detail[256];
    tn_reason why;
    size_t at;
    bool alone, callable;
    *out_done = false;
    if (node->n_results != 1 || plan->values[node->results[0]].numel == 0) return NULL;
    h.result = node->results[0];
    TN_TRY(find_template(plan, &h, &why, detail));
    TN_TRY(is_callable(plan, node, &callable));
    TN_TRY(legal_host(plan, &h, callable, &why, detail));
    TN_TRY(tn__needs_collect(plan, h.result, true));
    TN_TRY(tn__native_visit(plan, node, out_done));
    if (*out_done) return NULL;
    TN_TRY(choose(plan, &h, why, detail, callable, &at, &alone));
    if (at == SIZE_MAX && !alone) return decline(plan, &h, why, detail);
    if (alone) {
        TN_TRY(tn__needs_add_kernel(plan, h.result, TN__UNIT_LOOP));
        at = plan->needs.len - 1;
    }
    *out_done = true;
    return attach(plan, &h, at);
}
