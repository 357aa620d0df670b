#include "transform/rewrite.h"

#include "base/allocator.h"

tn_status tn_rewrite_begin_empty(tn_rewrite *rw, const tn_ir_graph *in,
                                 const tn_allocator *allocator) {
    *rw = (tn_rewrite){.in = in, .allocator = allocator};
    rw->map = tn_alloc_array(allocator, in->n_values + 1, sizeof *rw->map);
    if (rw->map == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < in->n_values; i++)
        rw->map[i] = TN_NO_VALUE;
    TN_TRY(tn_ir_create(allocator, in->prim_schemas, in->name, &rw->out));
    return tn_ir_reserve(rw->out, in->n_values, in->n_nodes);
}

tn_status tn_rewrite_begin(tn_rewrite *rw, const tn_ir_graph *in, const tn_allocator *allocator) {
    TN_TRY(tn_rewrite_begin_empty(rw, in, allocator));
    for (uint32_t i = 0; i < in->n_inputs; i++) {
        const tn_ir_value *value = &in->values[in->inputs[i]];
        TN_TRY(tn_ir_add_input(rw->out, value->name, &value->type, &rw->map[in->inputs[i]]));
    }
    return NULL;
}

static tn_status map_arg(tn_rewrite *rw, const tn_ir_node *node, const tn_arg *in, tn_arg *out) {
    *out = *in;
    if (in->tag == TN_TAG_VALUE) {
        out->v.value.id = 1 + (uint64_t)rw->map[node->operands[in->v.value.id - 1]];
    } else if (in->tag == TN_TAG_LIST) {
        tn_arg *items = tn_arena_array(&rw->out->arena, in->count, sizeof *items);
        if (items == NULL) return tn_status_no_memory();
        for (uint32_t i = 0; i < in->count; i++) {
            TN_TRY(map_arg(rw, node, &in->v.list[i], &items[i]));
        }
        out->v.list = items;
    }
    return NULL;
}

tn_status tn_rewrite_args(tn_rewrite *rw, const tn_ir_node *node, tn_arg *out) {
    for (uint32_t i = 0; i < node->schema->n_params; i++) {
        TN_TRY(map_arg(rw, node, &node->args[i], &out[i]));
    }
    return NULL;
}

tn_status tn_rewrite_copy(tn_rewrite *rw, const tn_ir_node *node) {
    return tn_ir_copy_node(rw->out, rw->in, node, rw->map);
}

uint32_t tn_rewrite_live(const tn_ir_graph *graph, const tn_vid *same, const uint8_t *constants,
                         uint8_t *values, uint8_t *nodes) {
    uint32_t n_live = 0;
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        values[same == NULL ? graph->outputs[i] : same[graph->outputs[i]]] = 1;
    for (uint32_t i = graph->n_nodes; i-- > 0;) {
        const tn_ir_node *node = graph->nodes[i];
        bool live = node->op != NULL && (node->op->desc->traits & TN_TRAIT_HAS_EFFECTS) != 0;
        for (uint32_t r = 0; r < node->n_results; r++)
            live |= values[node->results[r]] != 0;
        nodes[i] = live;
        n_live += live;
        bool constant = constants != NULL && node->n_results > 0 && constants[node->results[0]];
        for (uint32_t k = 0; live && !constant && k < node->n_operands; k++)
            values[same == NULL ? node->operands[k] : same[node->operands[k]]] = 1;
    }
    return n_live;
}

tn_status tn_rewrite_finish(tn_rewrite *rw, tn_ir_graph **out_graph) {
    for (uint32_t i = 0; i < rw->in->n_outputs; i++) {
        TN_TRY(tn_ir_add_output(rw->out, rw->map[rw->in->outputs[i]]));
    }
    *out_graph = rw->out;
    rw->out = NULL;
    return NULL;
}

void tn_rewrite_end(tn_rewrite *rw) {
    if (rw->map != NULL) tn_free(rw->allocator, rw->map, (rw->in->n_values + 1) * sizeof *rw->map);
    tn_ir_destroy(rw->out);
}
