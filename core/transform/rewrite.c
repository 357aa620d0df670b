#include "transform/rewrite.h"

#include <string.h>

#include "base/allocator.h"

tn_status tn_rewrite_begin_empty(tn_rewrite *rw, const tn_ir_graph *in,
                                 const tn_allocator *allocator) {
    *rw = (tn_rewrite){.in = in, .allocator = allocator};
    rw->map = tn_alloc_array(allocator, in->n_values + 1, sizeof *rw->map);
    if (rw->map == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < in->n_values; i++)
        rw->map[i] = TN_NO_VALUE;
    return tn_ir_create(allocator, in->prim_schemas, in->name, &rw->out);
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
    const tn_allocator *a = rw->allocator;
    size_t n_args = node->schema->n_params, n = node->n_results;
    tn_arg *args = tn_alloc_array(a, n_args + 1, sizeof *args);
    tn_type *types = tn_alloc_array(a, n + 1, sizeof *types);
    const char **names = tn_alloc_array(a, n + 1, sizeof *names);
    tn_status status = NULL;
    if (args == NULL || types == NULL || names == NULL) {
        status = tn_status_no_memory();
        goto done;
    }
    TN_TRY_GOTO(status, tn_rewrite_args(rw, node, args), done);
    for (size_t i = 0; i < n; i++) {
        const tn_ir_value *value = &rw->in->values[node->results[i]];
        types[i] = value->type;
        /* A replaced node may have left the name to something it made. */
        bool taken = tn_ir_find_value(rw->out, value->name, strlen(value->name)) != TN_NO_VALUE;
        names[i] = taken ? NULL : value->name;
    }
    tn_ir_node *copy;
    TN_TRY_GOTO(status,
                tn_ir_add_node(rw->out,
                               &(tn_ir_node_desc){.prim = node->prim,
                                                  .op = node->op,
                                                  .args = args,
                                                  .n_results = node->n_results,
                                                  .result_types = types,
                                                  .result_names = names,
                                                  .origin = node->origin,
                                                  .line = node->line,
                                                  .column = node->column},
                               &copy),
                done);
    for (size_t i = 0; i < n; i++)
        rw->map[node->results[i]] = copy->results[i];
done:
    tn_free(a, args, (n_args + 1) * sizeof *args);
    tn_free(a, types, (n + 1) * sizeof *types);
    tn_free(a, names, (n + 1) * sizeof *names);
    return status;
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
