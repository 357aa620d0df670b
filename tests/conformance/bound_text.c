#include "bound_text.h"

#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "transform/passes.h"

static tn_status find_no_op(void *self, const char *name, size_t length,
                            const struct tn_op **out_op) {
    (void)self;
    *out_op = NULL;
    return tn_status_make(TN_NOT_FOUND, "conformance graphs have primitives only, not %.*s",
                          (int)length, name);
}

/* The graph's own declarations as descriptions of its inputs: no sizes are named. */
static tn_status bind(tn_bound_text *t) {
    const tn_allocator *a = tn_allocator_system();
    const tn_ir_graph *g = t->source;
    const size_t n = (size_t)g->n_inputs + 1;
    tn_tensor *tensors = tn_alloc_array(a, n, sizeof *tensors);
    const tn_tensor **inputs = tn_alloc_array(a, n, sizeof *inputs);
    tn_status status = tn_status_no_memory();
    for (uint32_t i = 0; tensors != NULL && inputs != NULL && i < g->n_inputs; i++) {
        const tn_type *type = &g->values[g->inputs[i]].type;
        tensors[i] = (tn_tensor){.device = {TN_DEVICE_CPU, 0},
                                 .ndim = type->rank,
                                 .dtype = type->dtype,
                                 .shape = type->shape,
                                 .strides = type->strides};
        inputs[i] = &tensors[i];
    }
    if (tensors != NULL && inputs != NULL) {
        const tn_op_table ops = {.find = find_no_op};
        const tn_pass_options options = {.allocator = a, .ops = &ops, .device = {TN_DEVICE_CPU, 0}};
        status = tn_pass_bind(g, &options, inputs, g->n_inputs, &t->graph);
    }
    tn_free(a, tensors, n * sizeof *tensors);
    tn_free(a, (void *)inputs, n * sizeof *inputs);
    return status;
}

tn_status tn_bound_text_init(tn_bound_text *t, const char *text) {
    const tn_op_table ops = {.find = find_no_op};
    const tn_allocator *a = tn_allocator_system();
    *t = (tn_bound_text){0};
    tn_status status = tn_prim_schemas_create(a, &t->prims);
    if (status == NULL)
        status = tn_ir_parse(a, t->prims, &ops, text, strlen(text), "check", &t->source);
    if (status == NULL) status = bind(t);
    if (status != NULL) tn_bound_text_deinit(t);
    return status;
}

void tn_bound_text_deinit(tn_bound_text *t) {
    tn_ir_destroy(t->graph);
    tn_ir_destroy(t->source);
    tn_prim_schemas_destroy(t->prims);
    *t = (tn_bound_text){0};
}
