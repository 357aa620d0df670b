#include "transform/passes.h"
#include "transform/rewrite.h"

/* Nodes whose results nobody uses vanish; inputs stay. */
static tn_status prune(const tn_ir_graph *graph, const tn_pass_options *options,
                       const uint8_t *live, tn_ir_graph **out_graph) {
    tn_rewrite rw;
    tn_status status = tn_rewrite_begin(&rw, graph, options->allocator);
    for (uint32_t i = 0; status == NULL && i < graph->n_nodes; i++) {
        if (live[i]) {
            status = tn_rewrite_copy(&rw, graph->nodes[i]);
        } else {
            status = tn__note_dead(options, graph->nodes[i]);
        }
    }
    if (status == NULL) status = tn_rewrite_finish(&rw, out_graph);
    tn_rewrite_end(&rw);
    return status;
}

tn_status tn__note_dead(const tn_pass_options *options, const tn_ir_node *node) {
    if (options->log == NULL || node->op == NULL) return NULL;
    return tn_decision_set(options->log, node->origin, TN_DECISION_DEAD, TN_REASON_OK, NULL);
}

tn_status tn_pass_prune(const tn_ir_graph *graph, const tn_pass_options *options,
                        tn_ir_graph **out_graph) {
    size_t size = (size_t)graph->n_values + graph->n_nodes + 1;
    uint8_t *live = tn_alloc_array(options->allocator, size, 1);
    if (live == NULL) return tn_status_no_memory();
    uint8_t *nodes = live + graph->n_values;
    tn_status status = NULL;
    *out_graph = NULL;
    if (tn_rewrite_live(graph, NULL, NULL, live, nodes) < graph->n_nodes) {
        status = prune(graph, options, nodes, out_graph);
    }
    tn_free(options->allocator, live, size);
    return status;
}
