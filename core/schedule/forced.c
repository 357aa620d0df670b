/* Whether what the rules force came about; if not, why, and what to do about it. */

#include "schedule/plan.h"

/* What may help against a reason. */
static const char *next_step(tn_reason why) {
    switch (why) {
    case TN_REASON_FORBIDDEN: return "drop the rule that forbids it";
    case TN_REASON_EAGER: return "run it fused, and not strict, or drop the rule";
    case TN_REASON_MULTIPLE_USERS:
    case TN_REASON_IS_OUTPUT: return "compute it once more for each who needs it, or drop the rule";
    case TN_REASON_NOT_POINTWISE:
    case TN_REASON_DOMAIN_MISMATCH:
    case TN_REASON_NOT_AFFINE: return "force inline instead, or drop the rule";
    case TN_REASON_NO_TEMPLATE:
    case TN_REASON_OPAQUE_NEIGHBOUR:
    case TN_REASON_TEMPLATE_DECLINED:
    case TN_REASON_SLOT_UNFIT:
        return "drop the rule, or use an op that `tenon ops` says has a template";
    default: return "drop the rule, or name a node for which `tenon explain` says it is possible";
    }
}

static const tn_refusal *find_refusal(const tn_decision *d, tn_decision_kind kind) {
    for (uint32_t i = 0; i < d->n_refusals; i++)
        if (d->refusals[i].what == kind) return &d->refusals[i];
    return NULL;
}

static bool uses(const tn_ir_node *user, const tn_ir_node *node) {
    for (uint32_t i = 0; i < user->n_operands; i++)
        for (uint32_t k = 0; k < node->n_results; k++)
            if (user->operands[i] == node->results[k]) return true;
    return false;
}

/* An op that is called or runs by a template: a rule that names it means what would be
 * compiled into it. */
static bool is_host(const tn_decision *d, tn_decision_kind kind) {
    return (kind == TN_DECISION_EPILOGUE || kind == TN_DECISION_PROLOGUE) &&
           (d->kind == TN_DECISION_TEMPLATE || d->kind == TN_DECISION_OPAQUE ||
            d->kind == TN_DECISION_NATIVE);
}

static bool hosts(const tn__plan *plan, uint32_t id, tn_decision_kind kind) {
    const tn_decision_log *log = plan->options->log;
    if (log->items[id].kind != TN_DECISION_TEMPLATE) return false;
    for (uint32_t i = 0; i < plan->options->source->n_nodes; i++)
        if (log->items[i].kind == kind && log->items[i].step == log->items[id].step) return true;
    return false;
}

/* The refusal of a neighbour: of who uses the host's result, or makes its operands. */
static const tn_refusal *find_neighbour(const tn__plan *plan, uint32_t id, tn_decision_kind kind) {
    const tn_ir_graph *source = plan->options->source;
    for (uint32_t i = 0; i < source->n_nodes; i++) {
        bool near = kind == TN_DECISION_EPILOGUE ? uses(source->nodes[i], source->nodes[id])
                                                 : uses(source->nodes[id], source->nodes[i]);
        const tn_refusal *r = near ? find_refusal(&plan->options->log->items[i], kind) : NULL;
        if (r) return r;
    }
    return NULL;
}

/* Where nobody considered it. */
static const char *never(tn_decision_kind kind, bool host) {
    switch (kind) {
    case TN_DECISION_VIEW: return "its result is no plain strided view of its operand";
    case TN_DECISION_PLACED: return "it joins nothing, and its producers write where they are told";
    case TN_DECISION_EPILOGUE:
        return host ? "no pointwise op reads its result that could be compiled into it"
                    : "it reads no result of an op that has a template";
    case TN_DECISION_PROLOGUE:
        return host ? "no pointwise op makes an operand of it that could be compiled into it"
                    : "no op that has a template reads its result as an operand";
    case TN_DECISION_NATIVE: return "no library call that follows an op here has it built in";
    default: return tn_reason_text(TN_REASON_NO_TEMPLATE);
    }
}

static tn_status unmet(const tn__plan *plan, uint32_t id, const tn_rule *rule) {
    const tn_ir_graph *source = plan->options->source;
    const tn_ir_node *node = source->nodes[id];
    const tn_decision *d = &plan->options->log->items[id];
    bool host = is_host(d, rule->kind);
    const tn_refusal *refusal = host ? find_neighbour(plan, id, rule->kind)
                                     : find_refusal(d, rule->kind);
    tn_reason why = refusal ? refusal->why : TN_REASON_NO_TEMPLATE;
    const char *detail = refusal ? refusal->detail : NULL;
    const char *reason = refusal ? tn_reason_text(why) : never(rule->kind, host);
    return tn_status_make(
        TN_UNSUPPORTED, "%%%s = %s: force %s%s%s%s is not met, it is %s: %s%s%s: %s",
        node->n_results ? source->values[node->results[0]].name : "", node->schema->full_name,
        tn_decision_text(rule->kind),
        rule->value ? ":%"
        : rule->op  ? ":"
                    : "",
        rule->value ? rule->value : "", rule->op ? rule->op : "", tn_decision_text(d->kind), reason,
        detail ? ", " : "", detail ? detail : "", next_step(why));
}

/* Of one rule, which names an op or a value: obeyed for each node that it names; one that
 * names none, for at least one node. */
static tn_status check_rule(const tn__plan *plan, tn_rule *rule) {
    const tn_rules *rules = plan->options->rules;
    const tn_ir_graph *source = plan->options->source;
    const tn_rules one = {.items = rule, .n = 1};
    bool scoped = rule->op || rule->value, met = false;
    uint32_t first_refused = TN_NO_NODE;
    for (uint32_t i = 0; i < source->n_nodes; i++) {
        const tn_decision *d = &plan->options->log->items[i];
        if (d->kind == TN_DECISION_DEAD || d->kind == TN_DECISION_FOLDED ||
            tn_rules_ask(&one, source, i, rule->kind) <= 0 ||
            tn_rules_ask(rules, source, i, rule->kind) <= 0)
            continue;
        if (d->kind == rule->kind || (is_host(d, rule->kind) && hosts(plan, i, rule->kind)))
            met = true;
        else if (scoped)
            return unmet(plan, i, rule);
        else if (first_refused == TN_NO_NODE && find_refusal(d, rule->kind))
            first_refused = i;
    }
    return met || first_refused == TN_NO_NODE ? NULL : unmet(plan, first_refused, rule);
}

tn_status tn__forced_check(const tn__plan *plan) {
    const tn_rules *rules = plan->options->rules;
    for (uint32_t r = 0; rules && r < rules->n; r++) {
        tn_rule *rule = &rules->items[r];
        /* Inlining and calling are lower's to check. */
        if (!rule->force || rule->kind == TN_DECISION_INLINE || rule->kind == TN_DECISION_OPAQUE)
            continue;
        TN_TRY(check_rule(plan, rule));
    }
    return NULL;
}
