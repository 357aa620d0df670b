/* Ops that state a decomposition become the ops it names. */
#include "transform/inline.h"

static tn_status decompose_round(const tn_ir_graph *graph, const tn_pass_options *o, bool *again,
                                 tn_ir_graph **out_graph) {
    tn_rewrite rw;
    char detail[256];
    tn_status status = tn_rewrite_begin(&rw, graph, o->allocator);
    for (uint32_t i = 0; status == NULL && i < graph->n_nodes; i++) {
        const tn_ir_node *node = graph->nodes[i];
        bool opaque_forced = node->op != NULL && tn_rules_ask(o->rules, o->source, node->origin,
                                                              TN_DECISION_OPAQUE) > 0;
        bool declined = node->op == NULL || node->op->desc->decompose == NULL || opaque_forced;
        if (!declined) {
            status = tn__inline_node(&rw, o, node, true, &declined, again, detail);
            if (status == NULL && !declined && tn__is_source_node(o, node)) {
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

static bool any_to_decompose(const tn_ir_graph *graph) {
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const struct tn_op *op = graph->nodes[i]->op;
        if (op != NULL && op->desc->decompose != NULL) return true;
    }
    return false;
}

tn_status tn_pass_decompose(const tn_ir_graph *graph, const tn_pass_options *options,
                            tn_ir_graph **out_graph) {
    *out_graph = NULL;
    if (!any_to_decompose(graph)) return NULL;
    return tn__until_settled(graph, options, decompose_round, "decompositions call each other",
                             out_graph);
}
