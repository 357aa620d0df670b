/* What became of each node of the source graph, for the decision log. */
#include "schedule/plan.h"

typedef struct fate {
    /* Primitives that stand for it: all, used, index maps and sources, sources. */
    uint32_t nodes, visited, views, sources;
    uint32_t unit; /* that computes its last value; TN_NONE */
    int64_t bytes_saved;
    uint32_t launches_saved;
    bool call, placed, stored;
    tn_reason why_stored;
} fate;

tn_status tn__refuse(tn__plan *plan, uint32_t origin, tn_decision_kind what, tn_reason why,
                     const char *detail) {
    tn_decision_log *log = plan->options->log;
    if (!log || origin >= log->n) return NULL;
    return tn_decision_refuse(log, origin, what, why, detail);
}

/* Values that another op, or the caller, reads. */
static bool *find_boundary(tn__plan *plan) {
    const tn_ir_graph *g = plan->graph;
    bool *boundary = tn_arena_array(&plan->arena, g->n_values, sizeof *boundary);
    if (!boundary) return NULL;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i]->n_operands; k++) {
            const tn_ir_node *def = tn__def(plan, g->nodes[i]->operands[k]);
            if (def && def->origin != g->nodes[i]->origin)
                boundary[g->nodes[i]->operands[k]] = true;
        }
    for (uint32_t i = 0; i < g->n_outputs; i++)
        boundary[g->outputs[i]] = true;
    return boundary;
}

static void add_value(tn__plan *plan, fate *f, tn_vid value, bool boundary) {
    const tn__value *v = &plan->values[value];
    bool visited = v->inlined || v->stored || v->placed;
    f->visited += visited;
    bool is_free = tn__def(plan, value)->prim && tn__prim_cost(tn__def(plan, value)->prim) == 0;
    f->views += is_free && !v->stored;
    f->sources += is_free && !v->as_view;
    if (!visited) return;
    f->placed |= v->placed;
    uint32_t unit = v->stored ? v->owner : v->reader;
    if (unit != TN_NONE) f->unit = tn__unit_root(plan, unit);
    if (!boundary) return;
    f->stored |= v->stored;
    if (v->stored && !v->placed)
        f->why_stored = v->why_stored;
    else if (!is_free) /* neither written nor read again */
        f->bytes_saved += 2 * v->numel * (int64_t)tn_dt_size(tn__type(plan, value)->dt);
}

static tn_status collect(tn__plan *plan, fate *fates, uint32_t n) {
    const bool *boundary = find_boundary(plan);
    if (!boundary) return tn_status_no_memory();
    for (uint32_t i = 0; i < n; i++)
        fates[i].unit = TN_NONE;
    for (uint32_t i = 0; i < plan->graph->n_nodes; i++) {
        const tn_ir_node *node = plan->graph->nodes[i];
        if (node->origin >= n) continue;
        fate *f = &fates[node->origin];
        f->nodes++;
        f->call |= !node->prim;
        for (uint32_t k = 0; k < node->n_results; k++)
            add_value(plan, f, node->results[k], boundary[node->results[k]]);
    }
    return NULL;
}

/* In each kernel every op but one saves a launch. */
static tn_status count_launches(tn__plan *plan, fate *fates, uint32_t n) {
    bool *taken = tn_arena_array(&plan->arena, plan->units.len, sizeof *taken);
    if (!taken) return tn_status_no_memory();
    for (uint32_t i = 0; i < n; i++) {
        fate *f = &fates[i];
        if (f->unit == TN_NONE || f->call || f->visited == f->views) continue;
        f->launches_saved = taken[f->unit];
        taken[f->unit] = true;
    }
    return NULL;
}

/* Whether what the source node computes is needed for an output. */
static bool *find_live(tn__plan *plan) {
    const tn_ir_graph *source = plan->options->source;
    bool *live = tn_arena_array(&plan->arena, source->n_nodes, sizeof *live);
    if (!live) return NULL;
    for (uint32_t i = 0; i < source->n_outputs; i++) {
        uint32_t def = source->values[source->outputs[i]].def;
        if (def != TN_NO_NODE) live[def] = true;
    }
    for (uint32_t i = source->n_nodes; i-- > 0;)
        for (uint32_t k = 0; live[i] && k < source->nodes[i]->n_operands; k++) {
            uint32_t def = source->values[source->nodes[i]->operands[k]].def;
            if (def != TN_NO_NODE) live[def] = true;
        }
    return live;
}

static tn_reason asked(const tn__plan *plan, uint32_t origin, tn_decision_kind kind) {
    const tn_schedule_options *o = plan->options;
    return tn_rules_ask(o->rules, o->source, origin, kind) > 0 ? TN_REASON_FORCED : TN_REASON_OK;
}

static tn_status log_one(tn__plan *plan, uint32_t origin, const fate *f, bool live) {
    tn_decision_log *log = plan->options->log;
    tn_decision *d = &log->items[origin];
    if (!live) return tn_decision_set(log, origin, TN_DECISION_DEAD, TN_REASON_OK, NULL);
    bool hosted = f->unit != TN_NONE && plan->units.data[f->unit].kind == TN__UNIT_TEMPLATE;
    bool library = f->unit != TN_NONE && plan->units.data[f->unit].library;
    if (library && (f->call || f->visited > f->views)) {
        tn_reason why = asked(plan, origin, TN_DECISION_NATIVE);
        TN_TRY(tn_decision_set(log, origin, TN_DECISION_NATIVE,
                               why == TN_REASON_OK ? TN_REASON_SAVES_BYTES : why, NULL));
    } else if (f->call && hosted) {
        TN_TRY(tn_decision_set(log, origin, TN_DECISION_TEMPLATE,
                               asked(plan, origin, TN_DECISION_TEMPLATE), NULL));
    } else if (f->call) {
        if (d->kind == TN_DECISION_NONE)
            TN_TRY(tn_decision_set(log, origin, TN_DECISION_OPAQUE, TN_REASON_NO_LOWERING, NULL));
    } else if (f->visited == 0) {
        tn_reason why = f->nodes ? TN_REASON_ZERO_SIZE : TN_REASON_OK;
        TN_TRY(tn_decision_set(log, origin, TN_DECISION_FOLDED, why, NULL));
    } else if (f->placed) {
        TN_TRY(tn_decision_set(log, origin, TN_DECISION_PLACED, TN_REASON_SAVES_BYTES, NULL));
    } else if (f->unit != TN_NONE && plan->units.data[f->unit].kind == TN__UNIT_PROLOGUE) {
        tn_reason why = asked(plan, origin, TN_DECISION_PROLOGUE);
        TN_TRY(tn_decision_set(log, origin, TN_DECISION_PROLOGUE,
                               why == TN_REASON_OK ? TN_REASON_SAVES_BYTES : why, NULL));
    } else if (hosted && f->visited > f->views) {
        tn_reason why = asked(plan, origin, TN_DECISION_EPILOGUE);
        TN_TRY(tn_decision_set(log, origin, TN_DECISION_EPILOGUE,
                               why == TN_REASON_OK ? TN_REASON_SAVES_BYTES : why, NULL));
    } else if (f->visited == f->views && f->sources < f->views) {
        TN_TRY(tn_decision_set(log, origin, TN_DECISION_VIEW, TN_REASON_INDEX_MAP_ONLY, NULL));
    } else {
        tn_reason why = d->kind == TN_DECISION_INLINE && d->why == TN_REASON_FORCED
                            ? TN_REASON_FORCED
                        : !plan->options->fuse                              ? TN_REASON_EAGER
                        : f->bytes_saved                                    ? TN_REASON_SAVES_BYTES
                        : f->launches_saved                                 ? TN_REASON_SAVES_LAUNCH
                        : f->stored && f->why_stored == TN_REASON_IS_OUTPUT ? TN_REASON_IS_OUTPUT
                                                                            : TN_REASON_OK;
        TN_TRY(tn_decision_set(log, origin, TN_DECISION_INLINE, why, NULL));
    }
    if (f->stored && !f->call && !f->placed && f->why_stored != TN_REASON_OK &&
        f->why_stored != TN_REASON_IS_OUTPUT && f->why_stored != TN_REASON_EAGER &&
        f->why_stored != TN_REASON_SAVES_BYTES)
        TN_TRY(tn_decision_refuse(log, origin, TN_DECISION_INLINE, f->why_stored,
                                  "with those that use it"));
    if (f->unit != TN_NONE && plan->units.data[f->unit].step != TN_NONE)
        d->step = plan->units.data[f->unit].step;
    d->bytes_saved = f->bytes_saved;
    d->launches_saved = f->launches_saved;
    return NULL;
}

tn_status tn__log_decisions(tn__plan *plan) {
    const tn_schedule_options *options = plan->options;
    if (!options->log || !options->source) return NULL;
    uint32_t n = options->log->n < options->source->n_nodes ? options->log->n
                                                            : options->source->n_nodes;
    fate *fates = tn_arena_array(&plan->arena, n, sizeof *fates);
    const bool *live = find_live(plan);
    if (!fates || !live) return tn_status_no_memory();
    TN_TRY(collect(plan, fates, n));
    TN_TRY(count_launches(plan, fates, n));
    for (uint32_t i = 0; i < n; i++)
        TN_TRY(log_one(plan, i, &fates[i], live[i]));
    return tn__forced_check(plan);
}
