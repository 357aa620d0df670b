/* A node's arguments as a plugin sees them: in schema order, tensors as
 * descriptions. Used wherever a plugin callback is called for a node. */
#ifndef TN_IR_NODE_ARGS_H
#define TN_IR_NODE_ARGS_H

#include "ir/graph.h"

/* out_args: schema->n_params slots. Tensor arguments become TN_TAG_TENSOR with
 * data NULL, shape and strides (never NULL), in the arena. Every operand must be
 * typed and concrete. */
TN_MUST_USE tn_status tn_ir_node_meta_args(const tn_ir_graph *graph, const tn_schema *schema,
                                           const tn_arg *args, const tn_vid *operands,
                                           tn_device device, tn_arena *arena, tn_arg *out_args);
/* Types of an op's results, flattened, by its meta function. args are in schema
 * order with values as 1 + vid of `graph`, each typed and concrete. An absent
 * Tensor? result has a type that is not known. Everything returned is in the
 * arena. */
TN_MUST_USE tn_status tn_ir_op_types(const tn_ir_graph *graph, const struct tn_op *op,
                                     const tn_arg *args, tn_device device, tn_arena *arena,
                                     tn_type **out_types, uint32_t *out_n);
/* One type as such a description. NULL: no memory. */
tn_tensor *tn_type_to_tensor(const tn_type *type, tn_device device, tn_arena *arena);

/* A node's results as a problem has them: by the types of the graph, absent ones
 * NONE. */
TN_MUST_USE tn_status tn_ir_node_results(const tn_ir_graph *graph, const tn_ir_node *node,
                                         tn_device device, tn_arena *arena, tn_arg **out_results);

#endif
