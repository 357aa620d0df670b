/* Decides for each op whether its lowering takes its place. */
#include <string.h>

#include "ir/slot.h"
#include "transform/inline.h"

typedef struct choice {
    tn_decision_kind kind; /* INLINE, OPAQUE, or NONE: impossible */
    tn_reason why;
    const char *detail;
    const char *wish; /* of NONE: what it contradicts; may be NULL */
} choice;

/* Who besides generated loops can run a node. */
typedef struct alternatives {
    bool kernel, template_;
    tn_reason refusal; /* of the kernel, or of the templates where there is none: OK if it runs */
    char detail[256];
} alternatives;

static bool has_lowering(const struct tn_op *op) {
    return op->desc->lower != NULL || op->desc->lowering_text != NULL;
}

/* A template joins when one of its configurations does. */
static tn_status ask_templates(const tn_ir_graph *graph, const tn_pass_options *o,
                               const tn_ir_node *node, alternatives *c) {
    const tn_op_desc *d = node->op->desc;
    char detail[256];
    for (uint32_t i = 0; i < d->n_templates && !c->template_; i++) {
        const tn_template *t = d->templates[i];
        if (t->device_type != o->device.type || node->n_results != 1) continue;
        for (uint32_t k = 0; k < t->n_configs && !c->template_; k++) {
            TN_TRY(tn_judge_template(o->judge, graph, node, t, k, &c->template_, detail));
        }
        bool fits = !c->template_ ||
                    tn_slot_stores(t, graph->values[node->results[0]].type.dt, detail);
        c->template_ = c->template_ && fits;
        if (c->template_ || c->refusal != TN_REASON_NO_KERNEL) continue;
        c->refusal = fits ? TN_REASON_TEMPLATE_DECLINED : TN_REASON_SLOT_UNFIT;
        memcpy(c->detail, detail, sizeof detail);
    }
    return NULL;
}

static tn_status ask_alternatives(const tn_ir_graph *graph, const tn_pass_options *o,
                                  const tn_ir_node *node, alternatives *c) {
    const tn_kernel *kernel = o->device.type == TN_DEVICE_CUDA ? node->op->cuda : node->op->cpu;
    *c = (alternatives){.refusal = TN_REASON_NO_KERNEL};
    if (kernel != NULL) {
        TN_TRY(tn_judge_kernel(o->judge, graph, node, kernel, &c->kernel, c->detail));
        c->refusal = c->kernel ? TN_REASON_OK : TN_REASON_KERNEL_DECLINED;
    }
    return ask_templates(graph, o, node, c);
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

static choice choose(const tn_ir_graph *graph, const tn_pass_options *o, const tn_ir_node *node,
                     const alternatives *c) {
    tn_reason legal = inline_legality(graph, node);
    bool can_inline = legal == TN_REASON_OK;
    bool can_call = c->kernel || c->template_;
    int want_inline = asks(o, node, TN_DECISION_INLINE);
    int want_opaque = asks(o, node, TN_DECISION_OPAQUE);
    if (o->interpret && can_inline) {
        return (choice){TN_DECISION_INLINE, TN_REASON_OK, "the reference runs primitives"};
    }
    if (want_inline > 0) {
        if (can_inline) return (choice){TN_DECISION_INLINE, TN_REASON_FORCED};
        return (choice){TN_DECISION_NONE, legal, NULL, "inline is forced"};
    }
    if (want_opaque > 0) {
        if (can_call) return (choice){TN_DECISION_OPAQUE, TN_REASON_FORCED};
        return (choice){TN_DECISION_NONE, c->refusal, c->detail, "opaque is forced"};
    }
    if (want_inline < 0) can_inline = false;
    if (want_opaque < 0) can_call = false;
    if (!can_inline && !can_call && (want_inline < 0 || want_opaque < 0)) {
        return (choice){TN_DECISION_NONE, TN_REASON_FORBIDDEN, "nothing else is left"};
    }
    if (!can_inline && !can_call) return (choice){TN_DECISION_NONE, legal};
    if (!can_inline) {
        return (choice){TN_DECISION_OPAQUE, want_inline < 0 ? TN_REASON_FORBIDDEN : legal};
    }
    /* A template's host is worth more than its loops: contractions are. */
    if (can_call && c->template_) return (choice){TN_DECISION_OPAQUE, TN_REASON_KERNEL_WINS};
    return (choice){TN_DECISION_INLINE, TN_REASON_SAVES_BYTES};
}

static tn_status impossible(const tn_ir_node *node, const choice *c, const alternatives *alt) {
    bool detailed = c->detail != NULL && c->detail[0] != 0;
    bool neither = !alt->kernel && !alt->template_ && c->why != alt->refusal;
    bool reasoned = neither && alt->detail[0] != 0;
    return tn_status_make(TN_UNSUPPORTED, "op %s of plugin %s: %s%s%s%s%s%s%s%s%s",
                          node->schema->full_name, node->op->owner->plugin_name,
                          c->wish != NULL ? c->wish : "", c->wish != NULL ? ", but " : "",
                          tn_reason_text(c->why), detailed ? ": " : "", detailed ? c->detail : "",
                          neither ? "; " : "", neither ? tn_reason_text(alt->refusal) : "",
                          reasoned ? ": " : "", reasoned ? alt->detail : "");
}

/* Whether the nodes made since `first` contract anything: generated loops reach a few
 * percent of what a library's matrix product does. */
static bool contracts(const tn_ir_graph *graph, uint32_t first) {
    for (uint32_t i = first; i < graph->n_nodes; i++) {
        if (graph->nodes[i]->prim == TN_PRIM_MATMUL) return true;
    }
    return false;
}

/* Runs the lowering, and then decides whether the op's kernel is better all the same. */
static tn_status try_inline(tn_rewrite *rw, const tn_pass_options *o, const tn_ir_node *node,
                            const alternatives *alt, choice *c, bool *made_ops, char detail[256]) {
    bool declined = false;
    uint32_t first = rw->out->n_nodes;
    TN_TRY(tn__inline_node(rw, o, node, false, &declined, made_ops, detail));
    bool may_call = alt->kernel && !o->interpret && c->why != TN_REASON_FORCED &&
                    asks(o, node, TN_DECISION_OPAQUE) >= 0;
    if (!declined) {
        if (!may_call || !contracts(rw->out, first)) return NULL;
        *c = (choice){TN_DECISION_OPAQUE, TN_REASON_KERNEL_WINS}; /* the rest is pruned */
        return NULL;
    }
    bool must_inline = !o->interpret &&
                       (c->why == TN_REASON_FORCED || asks(o, node, TN_DECISION_OPAQUE) < 0);
    if (alt->kernel && !must_inline) {
        *c = (choice){TN_DECISION_OPAQUE, TN_REASON_LOWERING_DECLINED, detail};
        return NULL;
    }
    c->wish = c->why == TN_REASON_FORCED ? "inline is forced"
              : must_inline              ? "opaque is forbidden"
                                         : NULL;
    c->kind = TN_DECISION_NONE;
    c->why = TN_REASON_LOWERING_DECLINED;
    c->detail = detail;
    return NULL;
}

static tn_status explain(const tn_pass_options *o, const tn_ir_node *node, const alternatives *alt,
                         const choice *c) {
    if (!tn__is_source_node(o, node)) return NULL;
    TN_TRY(tn_decision_set(o->log, node->origin, c->kind, c->why, c->detail));
    if (c->kind == TN_DECISION_OPAQUE) {
        return tn_decision_refuse(o->log, node->origin, TN_DECISION_INLINE, c->why, c->detail);
    }
    if (alt->kernel || alt->refusal == TN_REASON_NO_KERNEL) return NULL;
    return tn_decision_refuse(o->log, node->origin, TN_DECISION_OPAQUE, alt->refusal, alt->detail);
}

static tn_status lower_op(tn_rewrite *rw, const tn_pass_options *o, const tn_ir_node *node,
                          bool *made_ops) {
    char detail[256] = "";
    alternatives alt;
    if (tn_schema_mutates(node->schema)) {
        return tn_status_make(TN_UNSUPPORTED,
                              "op %s of plugin %s writes an argument, which graphs do not support "
                              "yet: use the form that returns a new tensor",
                              node->schema->full_name, node->op->owner->plugin_name);
    }
    TN_TRY(ask_alternatives(rw->in, o, node, &alt));
    choice c = choose(rw->in, o, node, &alt);
    if (c.kind == TN_DECISION_INLINE) TN_TRY(try_inline(rw, o, node, &alt, &c, made_ops, detail));
    if (c.kind == TN_DECISION_NONE) return impossible(node, &c, &alt);
    TN_TRY(explain(o, node, &alt, &c));
    return c.kind == TN_DECISION_OPAQUE ? tn_rewrite_copy(rw, node) : NULL;
}

static tn_status lower_round(const tn_ir_graph *graph, const tn_pass_options *o, bool *again,
                             tn_ir_graph **out_graph) {
    tn_rewrite rw;
    tn_status status = tn_rewrite_begin(&rw, graph, o->allocator);
    for (uint32_t i = 0; status == NULL && i < graph->n_nodes; i++) {
        const tn_ir_node *node = graph->nodes[i];
        status = node->op != NULL ? lower_op(&rw, o, node, again) : tn_rewrite_copy(&rw, node);
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
    bool any = false;
    *out_graph = NULL;
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        any |= graph->nodes[i]->op != NULL;
    if (!any) return NULL;
    return tn__until_settled(graph, options, lower_round,
                             "lowerings still call ops: do two of them call each other?",
                             out_graph);
}
