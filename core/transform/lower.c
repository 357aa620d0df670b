/* Decides for each op whether its lowering takes its place. */
#include <string.h>

#include "transform/passes.h"
#include "transform/rewrite.h"

/* Lowerings may call ops that are lowered in turn; a cycle among them ends here. */
#define MOST_ROUNDS 16

typedef struct choice {
    tn_decision_kind kind; /* INLINE, OPAQUE, or NONE: impossible */
    tn_reason why;
    const char *detail;
} choice;

static bool has_lowering(const struct tn_op *op) {
    return op->desc->lower != NULL || op->desc->lowering_text != NULL;
}

static bool has_kernel(const struct tn_op *op, tn_device device) {
    return device.type == TN_DEVICE_CUDA ? op->cuda != NULL : op->cpu != NULL;
}

static bool has_template(const struct tn_op *op, tn_device device) {
    for (uint32_t i = 0; i < op->desc->n_templates; i++) {
        if (op->desc->templates[i]->device_type == device.type) return true;
    }
    return false;
}

/* Whether primitives can express every tensor of the node. */
static bool known_dtypes(const tn_ir_graph *graph, const tn_ir_node *node) {
    for (uint32_t i = 0; i < node->n_operands; i++) {
        if (graph->values[node->operands[i]].type.dt == TN_DT_NONE) return false;
    }
    for (uint32_t i = 0; i < node->n_results; i++) {
        if (graph->values[node->results[i]].type.dt == TN_DT_NONE) return false;
    }
    return true;
}

/* What is legal, before any wish. */
static tn_reason inline_legality(const tn_ir_graph *graph, const tn_ir_node *node) {
    if (!has_lowering(node->op)) return TN_REASON_NO_LOWERING;
    if (!known_dtypes(graph, node)) return TN_REASON_UNKNOWN_DTYPE;
    return TN_REASON_OK;
}

static int asks(const tn_pass_options *o, const tn_ir_node *node, tn_decision_kind kind) {
    return tn_rules_ask(o->rules, o->source, node->origin, kind);
}

static choice choose(const tn_ir_graph *graph, const tn_pass_options *o, const tn_ir_node *node) {
    tn_reason legal = inline_legality(graph, node);
    bool can_inline = legal == TN_REASON_OK;
    bool can_call = has_kernel(node->op, o->device) || has_template(node->op, o->device);
    int want_inline = asks(o, node, TN_DECISION_INLINE);
    int want_opaque = asks(o, node, TN_DECISION_OPAQUE);
    if (o->interpret && can_inline) {
        return (choice){TN_DECISION_INLINE, TN_REASON_OK, "the reference runs primitives"};
    }
    if (want_inline > 0) {
        if (can_inline) return (choice){TN_DECISION_INLINE, TN_REASON_FORCED, NULL};
        return (choice){TN_DECISION_NONE, legal, "inline is forced"};
    }
    if (want_opaque > 0) {
        if (can_call) return (choice){TN_DECISION_OPAQUE, TN_REASON_FORCED, NULL};
        return (choice){TN_DECISION_NONE, TN_REASON_NO_KERNEL, "opaque is forced"};
    }
    if (want_inline < 0) can_inline = false;
    if (want_opaque < 0) can_call = false;
    if (!can_inline && !can_call) {
        bool forbidden = want_inline < 0 || want_opaque < 0;
        return (choice){TN_DECISION_NONE, forbidden ? TN_REASON_FORBIDDEN : TN_REASON_NO_KERNEL,
                        forbidden ? "nothing else is left" : tn_reason_text(legal)};
    }
    if (!can_inline) {
        return (choice){TN_DECISION_OPAQUE, want_inline < 0 ? TN_REASON_FORBIDDEN : legal, NULL};
    }
    /* A template's host is worth more than its loops: contractions are. */
    if (can_call && has_template(node->op, o->device)) {
        return (choice){TN_DECISION_OPAQUE, TN_REASON_KERNEL_WINS, NULL};
    }
    return (choice){TN_DECISION_INLINE, TN_REASON_SAVES_BYTES, NULL};
}

/* Only the node that the user wrote is explained, not what its lowering calls. */
static bool is_source_node(const tn_pass_options *o, const tn_ir_node *node) {
    return o->source != NULL && o->source->nodes[node->origin]->op == node->op;
}

static tn_status impossible(const tn_ir_node *node, const choice *c) {
    return tn_status_make(TN_UNSUPPORTED, "op %s of plugin %s: %s%s%s", node->schema->full_name,
                          node->op->owner->plugin_name, tn_reason_text(c->why),
                          c->detail != NULL ? ": " : "", c->detail != NULL ? c->detail : "");
}

static tn_status inline_node(tn_rewrite *rw, const tn_pass_options *o, const tn_ir_node *node,
                             bool decompose, bool *out_declined, char detail[256]) {
    tn_arena scratch;
    tn_arena_init(&scratch, o->allocator);
    tn_arg *args = tn_arena_array(&scratch, node->schema->n_params, sizeof *args);
    tn_type *types = tn_arena_array(&scratch, node->n_results, sizeof *types);
    tn_vid *results = tn_arena_array(&scratch, node->n_results, sizeof *results);
    tn_status status = NULL;
    if (args == NULL || types == NULL || results == NULL) {
        status = tn_status_no_memory();
        goto done;
    }
    for (uint32_t i = 0; i < node->n_results; i++) {
        types[i] = rw->in->values[node->results[i]].type;
    }
    TN_TRY_GOTO(status, tn_rewrite_args(rw, node, args), done);
    TN_TRY_GOTO(status,
                tn_lowering_run(rw->out, o, node->op, args, decompose, node->origin, types,
                                node->n_results, results, out_declined, detail),
                done);
    for (uint32_t i = 0; !*out_declined && i < node->n_results; i++) {
        rw->map[node->results[i]] = results[i];
    }
done:
    tn_arena_deinit(&scratch);
    return status;
}

/* Whether the nodes made since `first` contract anything: generated loops reach a few
 * percent of what a library's matrix product does. */
static bool contracts(const tn_ir_graph *graph, uint32_t first) {
    for (uint32_t i = first; i < graph->n_nodes; i++) {
        if (graph->nodes[i]->prim == TN_PRIM_MATMUL) return true;
    }
    return false;
}

static tn_status lower_op(tn_rewrite *rw, const tn_pass_options *o, const tn_ir_node *node,
                          bool *inlined) {
    char detail[256] = "";
    choice c = choose(rw->in, o, node);
    if (tn_schema_mutates(node->schema)) {
        return tn_status_make(TN_UNSUPPORTED,
                              "op %s of plugin %s writes an argument, which graphs do not support "
                              "yet: use the form that returns a new tensor",
                              node->schema->full_name, node->op->owner->plugin_name);
    }
    if (c.kind == TN_DECISION_NONE) return impossible(node, &c);
    if (c.kind == TN_DECISION_INLINE) {
        bool declined = false;
        uint32_t first = rw->out->n_nodes;
        TN_TRY(inline_node(rw, o, node, false, &declined, detail));
        bool kernel_wins = !declined && !o->interpret && c.why != TN_REASON_FORCED &&
                           asks(o, node, TN_DECISION_OPAQUE) >= 0 &&
                           has_kernel(node->op, o->device) && contracts(rw->out, first);
        if (kernel_wins) { /* what the lowering made is dead, and pruned */
            c = (choice){TN_DECISION_OPAQUE, TN_REASON_KERNEL_WINS, NULL};
        } else if (!declined) {
            *inlined = true;
        } else {
            if (c.why == TN_REASON_FORCED || !has_kernel(node->op, o->device)) {
                c.why = TN_REASON_LOWERING_DECLINED;
                c.detail = detail;
                return impossible(node, &c);
            }
            c = (choice){TN_DECISION_OPAQUE, TN_REASON_LOWERING_DECLINED, detail};
        }
    }
    if (is_source_node(o, node)) {
        TN_TRY(tn_decision_set(o->log, node->origin, c.kind, c.why, c.detail));
        if (c.kind == TN_DECISION_OPAQUE) {
            TN_TRY(tn_decision_refuse(o->log, node->origin, TN_DECISION_INLINE, c.why, c.detail));
        }
    }
    return c.kind == TN_DECISION_OPAQUE ? tn_rewrite_copy(rw, node) : NULL;
}

static tn_status lower_round(const tn_ir_graph *graph, const tn_pass_options *o, bool *inlined,
                             tn_ir_graph **out_graph) {
    tn_rewrite rw;
    tn_status status = tn_rewrite_begin(&rw, graph, o->allocator);
    for (uint32_t i = 0; status == NULL && i < graph->n_nodes; i++) {
        const tn_ir_node *node = graph->nodes[i];
        status = node->op != NULL ? lower_op(&rw, o, node, inlined) : tn_rewrite_copy(&rw, node);
        if (status != NULL && node->n_results > 0) {
            status = tn_status_annotate(status, "%%%s: ", graph->values[node->results[0]].name);
        }
    }
    if (status == NULL) status = tn_rewrite_finish(&rw, out_graph);
    tn_rewrite_end(&rw);
    return status;
}

tn_status tn_pass_lower(const tn_ir_graph *graph, const tn_pass_options *options,
                        tn_ir_graph **out_graph) {
    tn_ir_graph *made = NULL;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool inlined = false;
        tn_ir_graph *next = NULL;
        tn_status status = lower_round(made != NULL ? made : graph, options, &inlined, &next);
        tn_ir_destroy(made);
        if (status != NULL) return status;
        made = next;
        if (!inlined) {
            *out_graph = made;
            return NULL;
        }
    }
    tn_ir_destroy(made);
    return tn_status_make(TN_PLUGIN,
                          "graph @%s: lowerings still call ops after %d rounds: do two of them "
                          "call each other?",
                          graph->name, MOST_ROUNDS);
}

static tn_status decompose_round(const tn_ir_graph *graph, const tn_pass_options *o, bool *changed,
                                 tn_ir_graph **out_graph) {
    tn_rewrite rw;
    char detail[256];
    tn_status status = tn_rewrite_begin(&rw, graph, o->allocator);
    for (uint32_t i = 0; status == NULL && i < graph->n_nodes; i++) {
        const tn_ir_node *node = graph->nodes[i];
        bool opaque_forced = node->op != NULL && asks(o, node, TN_DECISION_OPAQUE) > 0;
        bool declined = node->op == NULL || node->op->desc->decompose == NULL || opaque_forced;
        if (!declined) {
            status = inline_node(&rw, o, node, true, &declined, detail);
            *changed |= !declined;
            if (status == NULL && !declined && is_source_node(o, node)) {
                status = tn_decision_set(o->log, node->origin, TN_DECISION_INLINE, TN_REASON_OK,
                                         "decomposed into other ops");
            }
        }
        if (status == NULL && declined) status = tn_rewrite_copy(&rw, node);
    }
    if (status == NULL) status = tn_rewrite_finish(&rw, out_graph);
    tn_rewrite_end(&rw);
    return status;
}

tn_status tn_pass_decompose(const tn_ir_graph *graph, const tn_pass_options *options,
                            tn_ir_graph **out_graph) {
    tn_ir_graph *made = NULL;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool changed = false;
        tn_ir_graph *next = NULL;
        tn_status status = decompose_round(made != NULL ? made : graph, options, &changed, &next);
        tn_ir_destroy(made);
        if (status != NULL) return status;
        made = next;
        if (!changed) {
            *out_graph = made;
            return NULL;
        }
    }
    tn_ir_destroy(made);
    return tn_status_make(TN_PLUGIN, "graph @%s: decompositions call each other", graph->name);
}
