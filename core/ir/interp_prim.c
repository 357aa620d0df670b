/* One primitive: tensors checked against the graph's types, then dispatched. */
#include <inttypes.h>

#include "base/allocator.h"
#include "ir/internal.h"
#include "ir/interp.h"
#include "ir/interp_exec.h"

enum { FEW_OPERANDS = 4 };

/* A tensor is what the type says; a narrow float may be kept in f32. */
static tn_status check(const tn__exec *e, const char *what, uint32_t index, const tn_tensor *tensor,
                       const tn_type *type) {
    tn_type found = {.known = true,
                     .dt = tn_dt_from_dtype(tensor->dtype),
                     .dtype = tensor->dtype,
                     .rank = tensor->ndim,
                     .shape = tensor->shape};
    tn_type expected = *type;
    if (found.dt == tn_dt_compute(type->dt)) expected.dtype = found.dtype;
    char text_a[TN__TYPE_TEXT], text_b[TN__TYPE_TEXT];
    if (!tn__type_equal(&expected, &found))
        return tn_status_make(TN_INVALID, "prim::%s: %s %" PRIu32 ": expected %s, found %s",
                              e->info->name, what, index, tn__type_text(NULL, type, text_a),
                              tn__type_text(NULL, &found, text_b));
    if (tensor->data == NULL && tn_type_numel(type) != 0)
        return tn_status_make(TN_INVALID, "prim::%s: %s %" PRIu32 ": expected %s, found no data",
                              e->info->name, what, index, tn__type_text(NULL, type, text_a));
    return NULL;
}

static tn_status prepare(tn__exec *e, tn__strided *in, const tn_ir_graph *graph,
                         const tn_tensor *const *operands, tn_tensor *const *results) {
    const tn_ir_node *node = e->node;
    for (uint32_t i = 0; i < node->n_operands; i++) {
        const tn_type *type = &graph->values[node->operands[i]].type;
        TN_TRY(check(e, "operand", i, operands[i], type));
        tn__strided_init(&in[i], operands[i], type->dt);
    }
    for (uint32_t i = 0; i < node->n_results; i++) {
        const tn_type *type = &graph->values[node->results[i]].type;
        TN_TRY(check(e, "result", i, results[i], type));
        tn__strided_init(&e->out[i], results[i], type->dt);
    }
    e->in = in;
    return NULL;
}

static tn_status dispatch(const tn__exec *e) {
    switch (e->info->klass) {
    case TN_PRIM_CLASS_ELEMENTWISE: tn__exec_elementwise(e); return NULL;
    case TN_PRIM_CLASS_SOURCE: tn__exec_source(e); return NULL;
    case TN_PRIM_CLASS_VIEW: tn__exec_view(e); return NULL;
    case TN_PRIM_CLASS_GATHER: tn__exec_gather(e); return NULL;
    case TN_PRIM_CLASS_REDUCE: tn__exec_reduce(e); return NULL;
    case TN_PRIM_CLASS_CONTRACT: return tn__exec_matmul(e);
    }
    return tn_status_make(TN_INTERNAL, "no way to run primitives of class %d", (int)e->info->klass);
}

tn_status tn_interp_prim(const tn_ir_node *node, const tn_ir_graph *graph,
                         const tn_allocator *allocator, const tn_tensor *const *operands,
                         tn_tensor *const *results, bool strict) {
    tn__exec e = {
        .node = node, .info = tn_prim_get(node->prim), .allocator = allocator, .strict = strict};
    if (e.info == NULL || node->n_results > TN__EXEC_MAX_RESULTS)
        return tn_status_make(TN_INVALID, "node %" PRIu32 " is not a primitive of opset %d",
                              node->id, TN_OPSET_VERSION);
    tn__strided few[FEW_OPERANDS], *in = few;
    if (node->n_operands > FEW_OPERANDS) {
        in = tn_alloc_array(allocator, node->n_operands, sizeof *in);
        if (in == NULL) return tn_status_no_memory();
    }
    tn_status status = prepare(&e, in, graph, operands, results);
    if (status == NULL) status = dispatch(&e);
    if (in != few) tn_free(allocator, in, node->n_operands * sizeof *in);
    return status;
}
