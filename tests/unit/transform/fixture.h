/* A graph with every input described from its declared type, and the passes run on
 * it: what tests of this folder share. */
#ifndef TN_TESTS_TRANSFORM_FIXTURE_H
#define TN_TESTS_TRANSFORM_FIXTURE_H

#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "support/test_ops.h"
#include "transform/passes.h"

static tn_prim_schemas *prims;
static tn_test_ops *ops;

/* Named sizes become 2, 3, 5, 7... in order, so that no two are equal. */
static int64_t number_of(int64_t extent) {
    static const int64_t primes[] = {2, 3, 5, 7, 11, 13};
    return tn_is_sym(extent) ? primes[tn_sym_index(extent) % 6] : extent;
}

static tn_status bind(const tn_allocator *a, const tn_ir_graph *source,
                      const tn_pass_options *options, tn_ir_graph **out) {
    tn_tensor tensors[16];
    const tn_tensor *pointers[16];
    int64_t shapes[16][TN_MAX_RANK];
    (void)a;
    for (uint32_t i = 0; i < source->n_inputs; i++) {
        const tn_type *type = &source->values[source->inputs[i]].type;
        for (int32_t k = 0; k < type->rank; k++)
            shapes[i][k] = number_of(type->shape[k]);
        tensors[i] = (tn_tensor){.device = {TN_DEVICE_CPU, 0},
                                 .ndim = type->rank,
                                 .dtype = type->dtype,
                                 .shape = shapes[i],
                                 .strides = type->strides};
        pointers[i] = &tensors[i];
    }
    return tn_pass_bind(source, options, pointers, source->n_inputs, out);
}

/* Runs every pass up to and including `last`; verifies after each. */
static tn_status run_passes(const tn_allocator *a, const char *text, size_t length,
                            const char *file, const char *last, tn_decision_log *log,
                            tn_ir_graph **out) {
    tn_ir_graph *source, *graph = NULL;
    uint32_t n;
    const tn_pass *passes = tn_passes(&n);
    tn_arena arena;
    tn_decision_log own = {0};
    tn_arena_init(&arena, a);
    TN_TRY(tn_ir_parse(a, prims, &ops->table, text, length, file, &source));
    tn_status status = NULL;
    if (log == NULL) {
        status = tn_decision_log_init(&own, &arena, source->n_nodes);
        log = &own;
    }
    tn_pass_options options = {.allocator = a,
                               .ops = &ops->table,
                               .device = {TN_DEVICE_CPU, 0},
                               .source = source,
                               .log = log};
    for (uint32_t i = 0; status == NULL && i < n; i++) {
        tn_ir_graph *next = NULL;
        status = passes[i].run == NULL ? bind(a, source, &options, &next)
                                       : passes[i].run(graph, &options, &next);
        if (status == NULL && next != NULL) {
            status = tn_ir_verify(next, true);
            tn_ir_destroy(graph);
            graph = next;
        }
        if (strcmp(passes[i].name, last) == 0) break;
    }
    tn_ir_destroy(source);
    tn_arena_deinit(&arena);
    if (status != NULL) {
        tn_ir_destroy(graph);
        graph = NULL;
    }
    *out = graph;
    return status;
}

#endif
