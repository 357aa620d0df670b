#include "ir/node_args.h"

tn_tensor *tn_type_to_tensor(const tn_type *type, tn_device device, tn_arena *arena) {
    tn_tensor *t = tn_arena_alloc(arena, sizeof *t);
    size_t bytes = (size_t)type->rank * sizeof(int64_t);
    if (t == NULL) return NULL;
    t->device = device;
    t->ndim = type->rank;
    t->dtype = type->dtype;
    t->shape = tn_arena_copy(arena, type->shape, bytes);
    t->strides = tn_arena_alloc(arena, bytes);
    if (t->shape == NULL || t->strides == NULL) return NULL;
    if (type->strides != NULL) {
        for (int32_t i = 0; i < type->rank; i++)
            t->strides[i] = type->strides[i];
    } else {
        tn_shape_strides(type->shape, type->rank, t->strides);
    }
    return t;
}

/* operands NULL: values are 1 + vid rather than 1 + slot. */
static tn_status convert(const tn_ir_graph *graph, const tn_arg *in, const tn_vid *operands,
                         tn_device device, tn_arena *arena, tn_arg *out) {
    *out = *in;
    if (in->tag == TN_TAG_VALUE) {
        uint64_t slot = in->v.value.id - 1;
        tn_vid value = operands ? operands[slot] : (tn_vid)slot;
        out->tag = TN_TAG_TENSOR;
        out->v.tensor = tn_type_to_tensor(&graph->values[value].type, device, arena);
        return out->v.tensor == NULL ? tn_status_no_memory() : NULL;
    }
    if (in->tag == TN_TAG_LIST) {
        tn_arg *items = tn_arena_array(arena, in->count, sizeof *items);
        if (items == NULL) return tn_status_no_memory();
        for (uint32_t i = 0; i < in->count; i++) {
            TN_TRY(convert(graph, &in->v.list[i], operands, device, arena, &items[i]));
        }
        out->v.list = items;
    }
    return NULL;
}

tn_status tn_ir_node_meta_args(const tn_ir_graph *graph, const tn_schema *schema,
                               const tn_arg *args, const tn_vid *operands, tn_device device,
                               tn_arena *arena, tn_arg *out_args) {
    for (uint32_t i = 0; i < schema->n_params; i++) {
        TN_TRY(convert(graph, &args[i], operands, device, arena, &out_args[i]));
    }
    return NULL;
}

tn_status tn_ir_node_results(const tn_ir_graph *graph, const tn_ir_node *node, tn_device device,
                             tn_arena *arena, tn_arg **out_results) {
    tn_arg *results = tn_arena_array(arena, node->n_results, sizeof *results);
    if (results == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < node->n_results; i++) {
        const tn_type *type = &graph->values[node->results[i]].type;
        if (!type->known) continue;
        tn_tensor *tensor = tn_type_to_tensor(type, device, arena);
        if (tensor == NULL) return tn_status_no_memory();
        results[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = tensor};
    }
    *out_results = results;
    return NULL;
}

static tn_type result_type(const tn_op_result *r) {
    if (!r->present) return (tn_type){0};
    tn_type type = {.known = true,
                    .dt = tn_dt_from_dtype(r->dtype),
                    .dtype = r->dtype,
                    .rank = r->rank,
                    .shape = r->shape,
                    .strides = r->strides};
    if (tn_type_is_contiguous(&type)) type.strides = NULL;
    return type;
}

tn_status tn_ir_op_types(const tn_ir_graph *graph, const struct tn_op *op, const tn_arg *args,
                         tn_device device, tn_arena *arena, tn_type **out_types, uint32_t *out_n) {
    uint32_t n = op->schema->n_params;
    tn_arg *meta = tn_arena_array(arena, n, sizeof *meta);
    if (meta == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < n; i++)
        TN_TRY(convert(graph, &args[i], NULL, device, arena, &meta[i]));
    tn_op_results results;
    TN_TRY(tn_op_infer(op, meta, device, arena, &results));
    tn_type *types = tn_arena_array(arena, results.n, sizeof *types);
    if (types == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < results.n; i++)
        types[i] = result_type(&results.items[i]);
    *out_types = types;
    *out_n = results.n;
    return NULL;
}
