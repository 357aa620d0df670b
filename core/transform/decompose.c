/* Ops that state a decomposition become the ops it names. */
#include "transform/inline.h"

static tn_status decompose_round(const tn_ir_graph *graph, const tn_pass_options *o, bool *changed,
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
            status = tn__inline_node(&rw, o, node, true, &declined, detail);
            *changed |= !declined;
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

tn_status tn_pass_decompose(const tn_ir_graph *graph, const tn_pass_options *options,
                            tn_ir_graph **out_graph) {
    return tn__until_settled(graph, options, decompose_round, "decompositions call each other",
                             out_graph);
}
