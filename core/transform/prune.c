#include "transform/passes.h"
#include "transform/rewrite.h"

/* Nodes whose results nobody uses vanish; inputs stay. */
static tn_status prune(tn_rewrite *rw, const tn_pass_options *options, uint8_t *live) {
    const tn_ir_graph *graph = rw->in;
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        live[graph->outputs[i]] = 1;
    for (uint32_t i = graph->n_nodes; i-- > 0;) {
        const tn_ir_node *node = graph->nodes[i];
        bool used = node->op != NULL && (node->op->desc->traits & TN_TRAIT_HAS_EFFECTS) != 0;
        for (uint32_t r = 0; r < node->n_results; r++)
            used |= live[node->results[r]] != 0;
        for (uint32_t k = 0; used && k < node->n_operands; k++)
            live[node->operands[k]] = 1;
    }
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const tn_ir_node *node = graph->nodes[i];
        bool used = node->op != NULL && (node->op->desc->traits & TN_TRAIT_HAS_EFFECTS) != 0;
        for (uint32_t r = 0; r < node->n_results; r++)
            used |= live[node->results[r]] != 0;
        if (used) {
            TN_TRY(tn_rewrite_copy(rw, node));
        } else if (options->log != NULL && node->op != NULL) {
            TN_TRY(
                tn_decision_set(options->log, node->origin, TN_DECISION_DEAD, TN_REASON_OK, NULL));
        }
    }
    return NULL;
}

tn_status tn_pass_prune(const tn_ir_graph *graph, const tn_pass_options *options,
                        tn_ir_graph **out_graph) {
    tn_rewrite rw;
    uint8_t *live = tn_alloc_array(options->allocator, graph->n_values + 1, 1);
    tn_status status = tn_rewrite_begin(&rw, graph, options->allocator);
    if (status == NULL && live == NULL) status = tn_status_no_memory();
    if (status == NULL) status = prune(&rw, options, live);
    if (status == NULL) status = tn_rewrite_finish(&rw, out_graph);
    tn_rewrite_end(&rw);
    tn_free(options->allocator, live, graph->n_values + 1);
    return status;
}
