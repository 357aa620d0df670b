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
        for (int32_t i = 0; i < type->rank; i++) t->strides[i] = type->strides[i];
    } else {
        tn_shape_strides(type->shape, type->rank, t->strides);
    }
    return t;
}

static tn_status convert(const tn_ir_graph *graph, const tn_arg *in, const tn_vid *operands,
                         tn_device device, tn_arena *arena, tn_arg *out) {
    *out = *in;
    if (in->tag == TN_TAG_VALUE) {
        tn_vid value = operands[in->v.value.id - 1];
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
