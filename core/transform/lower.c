/* Decides for each op whether its lowering takes its place. */
#include <string.h>

#include "transform/inline.h"

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

static tn_status impossible(const tn_ir_node *node, const choice *c) {
    return tn_status_make(TN_UNSUPPORTED, "op %s of plugin %s: %s%s%s", node->schema->full_name,
                          node->op->owner->plugin_name, tn_reason_text(c->why),
                          c->detail != NULL ? ": " : "", c->detail != NULL ? c->detail : "");
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
        TN_TRY(tn__inline_node(rw, o, node, false, &declined, detail));
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
    if (tn__is_source_node(o, node)) {
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
    return tn__until_settled(graph, options, lower_round,
                             "lowerings still call ops: do two of them call each other?",
                             out_graph);
}
