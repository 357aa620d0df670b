/* Random lowered graphs: elementwise work, views, guards and gathers, reductions,
 * ops that are called, several outputs, values used often, extents of 0 and 1,
 * strided inputs. The seed decides everything. */
#ifndef TN_TESTS_RANDOM_GRAPH_H
#define TN_TESTS_RANDOM_GRAPH_H

#include "ir/interp.h"
#include "support/test_ops.h"

typedef struct tn_random_options {
    uint64_t seed;
    uint32_t n_nodes;
    bool narrow; /* bf16 values too: compare strictly */
    bool empty;  /* extents of 0 too */
    bool ops;    /* calls of test::relu, test::scale and test::turn too */
} tn_random_options;

/* Adds test::turn(Tensor x) -> Tensor, whose result has its axes in memory in reverse. */
TN_MUST_USE tn_status tn_random_add_ops(tn_test_ops *ops);

TN_MUST_USE tn_status tn_random_graph(const tn_allocator *allocator, const tn_prim_schemas *prims,
                                      tn_test_ops *ops, const tn_random_options *options,
                                      tn_ir_graph **out_graph);

/* Runs those ops; for tn_interp_options.run_op. */
TN_MUST_USE tn_status tn_random_run_op(void *self, const tn_ir_node *node,
                                       const tn_tensor *const *operands, tn_tensor *const *results);

#endif
