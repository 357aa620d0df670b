#include "ir/decision.h"

#include <string.h>

#include "base/near.h"
#include "base/vec.h"

static const char *const decision_texts[] = {
#define TN_DECISION_TEXT(name, text, doc) text,
    TN_DECISION_LIST(TN_DECISION_TEXT)
#undef TN_DECISION_TEXT
};
static const char *const reason_texts[] = {
#define TN_REASON_TEXT(name, text) text,
    TN_REASON_LIST(TN_REASON_TEXT)
#undef TN_REASON_TEXT
};

const char *tn_decision_text(tn_decision_kind kind) {
    return (unsigned)kind < TN_DECISION_COUNT ? decision_texts[kind] : "unknown";
}

const char *tn_reason_text(tn_reason reason) {
    return (unsigned)reason < TN_REASON_COUNT ? reason_texts[reason] : "unknown";
}

/* -------------------------------------------------------------------- log */

tn_status tn_decision_log_init(tn_decision_log *log, tn_arena *arena, uint32_t n) {
    *log = (tn_decision_log){.arena = arena, .n = n};
    log->items = tn_arena_array(arena, n, sizeof *log->items);
    if (!log->items) return tn_status_no_memory();
    for (uint32_t i = 0; i < n; i++)
        log->items[i].step = TN_NO_NODE;
    return NULL;
}

static tn_status copy_detail(tn_decision_log *log, const char *detail, const char **out) {
    *out = NULL;
    if (!detail || !detail[0]) return NULL;
    *out = tn_arena_strdup(log->arena, detail);
    return *out ? NULL : tn_status_no_memory();
}

static tn_status check_origin(const tn_decision_log *log, uint32_t origin) {
    if (origin < log->n) return NULL;
    return tn_status_make(TN_INTERNAL, "a decision about node %u of a graph of %u nodes", origin,
                          log->n);
}

tn_status tn_decision_set(tn_decision_log *log, uint32_t origin, tn_decision_kind kind,
                          tn_reason why, const char *detail) {
    TN_TRY(check_origin(log, origin));
    const char *copy;
    TN_TRY(copy_detail(log, detail, &copy));
    tn_decision *d = &log->items[origin];
    d->kind = kind;
    d->why = why;
    d->detail = copy;
    return NULL;
}

/* The same refusal once, however often it was considered. */
tn_status tn_decision_refuse(tn_decision_log *log, uint32_t origin, tn_decision_kind what,
                             tn_reason why, const char *detail) {
    TN_TRY(check_origin(log, origin));
    tn_decision *d = &log->items[origin];
    for (uint32_t i = 0; i < d->n_refusals; i++)
        if (d->refusals[i].what == what && d->refusals[i].why == why) return NULL;
    tn_refusal refusal = {what, why, NULL};
    TN_TRY(copy_detail(log, detail, &refusal.detail));
    if (d->n_refusals == d->refusals_cap) {
        uint32_t cap = d->refusals_cap ? d->refusals_cap * 2 : 4;
        tn_refusal *grown = tn_arena_array(log->arena, cap, sizeof *grown);
        if (!grown) return tn_status_no_memory();
        if (d->n_refusals) memcpy(grown, d->refusals, d->n_refusals * sizeof *grown);
        d->refusals = grown;
        d->refusals_cap = cap;
    }
    d->refusals[d->n_refusals++] = refusal;
    return NULL;
}

/* ------------------------------------------------------------------ rules */

/* Decisions that a user can ask for; the others follow from the graph. */
static bool can_be_ruled(tn_decision_kind kind) {
    return kind != TN_DECISION_NONE && kind != TN_DECISION_FOLDED && kind != TN_DECISION_DEAD;
}

static tn_status unknown_kind(const tn_allocator *allocator, const char *text, size_t length) {
    tn_strbuf names;
    tn_strbuf_init(&names, allocator);
    for (uint32_t k = 0; k < TN_DECISION_COUNT; k++)
        if (can_be_ruled(k))
            tn_strbuf_printf(&names, "%s%s", names.length ? ", " : "", decision_texts[k]);
    tn_status status = tn_strbuf_status(&names);
    if (!status)
        status = tn_status_make(TN_INVALID,
                                "rule \"%s\": \"%.*s\" is no decision; expected one of %s, alone "
                                "or followed by :ns::op or :%%value",
                                text, (int)length, text, tn_strbuf_cstr(&names));
    tn_strbuf_deinit(&names);
    return status;
}

/* kind, kind:ns::op, kind:%value */
static tn_status parse_rule(tn_rules *rules, const char *text, bool force, tn_rule *out) {
    size_t length = strcspn(text, ":");
    const char *rest = text[length] ? text + length + 1 : NULL;
    *out = (tn_rule){.force = force};
    for (uint32_t k = 0; k < TN_DECISION_COUNT; k++)
        if (can_be_ruled(k) && strlen(decision_texts[k]) == length &&
            memcmp(decision_texts[k], text, length) == 0)
            out->kind = k;
    if (out->kind == TN_DECISION_NONE) return unknown_kind(rules->arena.allocator, text, length);
    if (!rest) return NULL;
    bool is_value = rest[0] == '%';
    if (!rest[is_value] || (!is_value && !strstr(rest, "::")))
        return tn_status_make(TN_INVALID,
                              "rule \"%s\": expected an op such as tn::add or a value such as "
                              "%%y after ':', found \"%s\"",
                              text, rest);
    const char *copy = tn_arena_strdup(&rules->arena, rest + is_value);
    if (!copy) return tn_status_no_memory();
    if (is_value)
        out->value = copy;
    else
        out->op = copy;
    return NULL;
}

tn_status tn_rules_parse(const tn_allocator *allocator, const char *const *force, uint32_t n_force,
                         const char *const *forbid, uint32_t n_forbid, tn_rules *out) {
    *out = (tn_rules){0};
    tn_arena_init(&out->arena, allocator);
    out->items = tn_arena_array(&out->arena, (size_t)n_force + n_forbid, sizeof *out->items);
    tn_status status = out->items ? NULL : tn_status_no_memory();
    for (uint32_t i = 0; i < n_force + n_forbid && !status; i++) {
        bool is_force = i < n_force;
        status = parse_rule(out, is_force ? force[i] : forbid[i - n_force], is_force,
                            &out->items[i]);
        if (!status) out->n++;
    }
    if (status) tn_rules_deinit(out);
    return status;
}

void tn_rules_deinit(tn_rules *rules) {
    tn_arena_deinit(&rules->arena);
    rules->items = NULL;
    rules->n = 0;
}

/* "ns::op" names all overloads, "ns::op.overload" one. */
static bool names_op(const char *name, const tn_schema *schema) {
    if (strcmp(name, schema->full_name) == 0) return true;
    size_t length = strcspn(schema->full_name, ".");
    return strlen(name) == length && memcmp(name, schema->full_name, length) == 0;
}

static bool names_result(const char *name, const tn_ir_graph *graph, const tn_ir_node *node) {
    for (uint32_t i = 0; i < node->n_results; i++)
        if (strcmp(graph->values[node->results[i]].name, name) == 0) return true;
    return false;
}

static bool speaks_of(const tn_rule *rule, const tn_ir_graph *source, uint32_t id) {
    if (id >= source->n_nodes) return false;
    const tn_ir_node *node = source->nodes[id];
    return (!rule->value || names_result(rule->value, source, node)) &&
           (!rule->op || names_op(rule->op, node->schema));
}

int tn_rules_ask_either(const tn_rules *rules, const tn_ir_graph *source, uint32_t node,
                        uint32_t other, tn_decision_kind kind) {
    int answer = 0, best = 0;
    if (!rules || !source) return 0;
    for (uint32_t i = 0; i < rules->n; i++) {
        const tn_rule *rule = &rules->items[i];
        int weight = rule->value ? 3 : rule->op ? 2 : 1;
        if (rule->kind != kind || weight < best ||
            (!speaks_of(rule, source, node) && !speaks_of(rule, source, other)))
            continue;
        best = weight;
        answer = rule->force ? 1 : -1;
    }
    return answer;
}

static tn_status check_value(const tn_ir_graph *source, const char *name) {
    tn_near near;
    char hint[TN_NEAR_TEXT];
    tn_near_init(&near, name, strlen(name));
    for (uint32_t i = 0; i < source->n_nodes; i++) {
        const tn_ir_node *node = source->nodes[i];
        if (names_result(name, source, node)) return NULL;
        for (uint32_t k = 0; k < node->n_results; k++)
            tn_near_offer(&near, source->values[node->results[k]].name);
    }
    bool input = tn_ir_find_value(source, name, strlen(name)) != TN_NO_VALUE;
    return tn_status_make(
        TN_INVALID, "rule about %%%s: graph @%s computes no value of this name%s%s", name,
        source->name, input ? ", which is an input's" : "", input ? "" : tn_near_hint(&near, hint));
}

static tn_status check_op(const tn_ir_graph *source, const tn_op_table *ops, const char *name) {
    const struct tn_op *candidates[TN_MAX_OVERLOADS];
    uint32_t n;
    for (uint32_t i = 0; i < source->n_nodes; i++)
        if (names_op(name, source->nodes[i]->schema)) return NULL;
    if (strncmp(name, "prim::", 6) == 0 && tn_prim_find(name + 6, strlen(name + 6))) return NULL;
    tn_status missing = tn_op_candidates(ops, name, strlen(name), candidates, &n);
    if (tn_status_code(missing) != TN_NOT_FOUND) return missing;
    tn_status status = tn_status_make(TN_INVALID, "rule about %s: %s", name,
                                      tn_status_message(missing));
    tn_status_free(missing);
    return status;
}

tn_status tn_rules_check(const tn_rules *rules, const tn_ir_graph *source, const tn_op_table *ops) {
    for (uint32_t i = 0; i < rules->n; i++) {
        const tn_rule *rule = &rules->items[i];
        if (rule->value) TN_TRY(check_value(source, rule->value));
        if (rule->op) TN_TRY(check_op(source, ops, rule->op));
    }
    return NULL;
}

int tn_rules_ask(const tn_rules *rules, const tn_ir_graph *source, uint32_t node,
                 tn_decision_kind kind) {
    return tn_rules_ask_either(rules, source, node, node, kind);
}
