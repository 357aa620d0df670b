/* The reference interpreter: slow, obvious, f64 inside. The oracle of every
 * test and of `tenon run --check`, and the device of last resort.
 *
 * Each primitive computes every float in double and then rounds the result: to
 * its dtype with `strict`, and otherwise to its compute dtype (sub-f32 floats
 * stay f32 between primitives, as in a fused kernel), while casts and outputs
 * always round to their dtype. Reductions and contractions accumulate in double
 * (integers wrap). Constants fold by the same code. */
#ifndef TN_IR_INTERP_H
#define TN_IR_INTERP_H

#include "ir/graph.h"

typedef struct tn_interp_options {
    bool strict;
    /* Runs a node that is an op: inputs have data, outputs are allocated,
     * contiguous or as their type declares. NULL: such a node is an error. */
    tn_status (*run_op)(void *self, const tn_ir_node *node, const tn_tensor *const *operands,
                        tn_tensor *const *results);
    void *self;
} tn_interp_options;

/* The graph is bound (every type known). Inputs and outputs may have any
 * strides; they are checked against the graph's types. */
TN_MUST_USE tn_status tn_interp_run(const tn_ir_graph *graph, const tn_interp_options *options,
                                    const tn_tensor *const *inputs, uint32_t n_inputs,
                                    tn_tensor *const *outputs, uint32_t n_outputs);

/* One primitive on contiguous operands into contiguous results, as the folder
 * uses it. */
TN_MUST_USE tn_status tn_interp_prim(const tn_ir_node *node, const tn_ir_graph *graph,
                                     const tn_allocator *allocator,
                                     const tn_tensor *const *operands, tn_tensor *const *results,
                                     bool strict);

#endif
