/* The reference interpreter: slow, obvious, f64 inside. The oracle of every
 * test and of `tenon run --check`, and the device of last resort.
 *
 * An elementwise primitive is its body (tn_prim_eval): computed in the compute
 * type, functions such as exp in double and rounded once. Reductions and
 * contractions accumulate in double (integers wrap); sums and variances also keep
 * what rounding takes. A result is then rounded to its dtype with `strict`, and
 * otherwise to its compute dtype: floats narrower than f32 stay f32 between
 * primitives, as in a fused kernel, while casts, constants, what an op is given
 * and outputs are always rounded to their dtype. Movement keeps every bit.
 * Constants fold by the same code. Any thread; the graph is only read. */
#ifndef TN_IR_INTERP_H
#define TN_IR_INTERP_H

#include "ir/graph.h"

typedef struct tn_interp_options {
    bool strict;
    /* Runs a node that is an op: operands have data, results are allocated,
     * contiguous or as their type declares, with NULL for an absent Tensor?
     * result. NULL: such a node is an error. */
    tn_status (*run_op)(void *self, const tn_ir_node *node, const tn_tensor *const *operands,
                        tn_tensor *const *results);
    void *self;
} tn_interp_options;

/* The graph is bound (every type known). Inputs and outputs are CPU tensors of
 * any strides; dtypes and shapes are checked against the graph's types. No output
 * may share memory with an input or another output. options may be NULL. Memory
 * comes from the graph's allocator; on failure outputs hold anything. */
TN_MUST_USE tn_status tn_interp_run(const tn_ir_graph *graph, const tn_interp_options *options,
                                    const tn_tensor *const *inputs, uint32_t n_inputs,
                                    tn_tensor *const *outputs, uint32_t n_outputs);

/* One primitive on tensors of any strides, of the node's types in `graph`; a float
 * narrower than f32 may be held in a tensor of f32, and `strict` then says whether
 * a result is rounded to its dtype all the same. */
TN_MUST_USE tn_status tn_interp_prim(const tn_ir_node *node, const tn_ir_graph *graph,
                                     const tn_allocator *allocator,
                                     const tn_tensor *const *operands, tn_tensor *const *results,
                                     bool strict);

#endif
