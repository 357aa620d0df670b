#include "transform/inline.h"

#define MOST_ROUNDS 16

bool tn__is_source_node(const tn_pass_options *o, const tn_ir_node *node) {
    return o->source != NULL && o->source->nodes[node->origin]->op == node->op;
}

tn_status tn__inline_node(tn_rewrite *rw, const tn_pass_options *o, const tn_ir_node *node,
                          bool decompose, bool *out_declined, bool *made_ops, char detail[256]) {
    tn_arena scratch;
    uint32_t first = rw->out->n_nodes;
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
    for (uint32_t i = first; i < rw->out->n_nodes; i++)
        *made_ops |= rw->out->nodes[i]->op != NULL;
done:
    tn_arena_deinit(&scratch);
    return status;
}

tn_status tn__until_settled(const tn_ir_graph *graph, const tn_pass_options *o, tn__round_fn round,
                            const char *cycle, tn_ir_graph **out_graph) {
    tn_ir_graph *made = NULL;
    for (int i = 0; i < MOST_ROUNDS; i++) {
        bool again = false;
        tn_ir_graph *next = NULL;
        tn_status status = round(made != NULL ? made : graph, o, &again, &next);
        tn_ir_destroy(made);
        if (status != NULL) return status;
        made = next;
        if (!again) {
            *out_graph = made;
            return NULL;
        }
    }
    tn_ir_destroy(made);
    return tn_status_make(TN_PLUGIN, "graph @%s: after %d rounds %s", graph->name, MOST_ROUNDS,
                          cycle);
}
