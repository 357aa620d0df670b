/* What crosses files inside this folder. */
#ifndef TN_TRANSFORM_INTERNAL_H
#define TN_TRANSFORM_INTERNAL_H

#include "ir/graph.h"

/* Types of an op's results by its meta function. args are in schema order with
 * values as 1 + vid of `graph`; everything returned is in the arena. */
TN_MUST_USE tn_status tn__op_types(const tn_ir_graph *graph, const struct tn_op *op,
                                   const tn_arg *args, tn_device device, tn_arena *arena,
                                   tn_type **out_types, uint32_t *out_n);

#endif
