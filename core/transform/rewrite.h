/* How a pass builds its result: the input graph is walked in order, each value
 * is mapped to one of the output graph, and nodes are copied or replaced. */
#ifndef TN_TRANSFORM_REWRITE_H
#define TN_TRANSFORM_REWRITE_H

#include "base/allocator.h"
#include "ir/graph.h"

typedef struct tn_rewrite {
    const tn_ir_graph *in;
    tn_ir_graph *out; /* NULL once given away */
    tn_vid *map;      /* by value of in; TN_NO_VALUE until set */
    const tn_allocator *allocator;
} tn_rewrite;

/* An empty output graph of the same name, nothing mapped. */
TN_MUST_USE tn_status tn_rewrite_begin_empty(tn_rewrite *rw, const tn_ir_graph *in,
                                             const tn_allocator *allocator);
/* And with the inputs copied and mapped: for bound graphs. */
TN_MUST_USE tn_status tn_rewrite_begin(tn_rewrite *rw, const tn_ir_graph *in,
                                       const tn_allocator *allocator);
/* Copies a node with mapped operands, types, names and origin. */
TN_MUST_USE tn_status tn_rewrite_copy(tn_rewrite *rw, const tn_ir_node *node);
/* Which nodes outputs and effects need: values (n_values of them, zeroed) and nodes get
 * 1 where they do. same, by value, is what is used in its place; a node whose first
 * result is marked in constants needs no operands; both may be NULL. The number of
 * nodes needed. */
uint32_t tn_rewrite_live(const tn_ir_graph *graph, const tn_vid *same, const uint8_t *constants,
                         uint8_t *values, uint8_t *nodes);
/* A node's arguments for the output graph: values are 1 + mapped vid. out: one
 * slot for each parameter; lists come from out's arena. */
TN_MUST_USE tn_status tn_rewrite_args(tn_rewrite *rw, const tn_ir_node *node, tn_arg *out);
/* Adds the outputs and gives the graph away. */
TN_MUST_USE tn_status tn_rewrite_finish(tn_rewrite *rw, tn_ir_graph **out_graph);
/* Frees what is left; always called last. */
void tn_rewrite_end(tn_rewrite *rw);

#endif
