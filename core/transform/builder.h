/* The host's side of tn_builder_api: what a lowering or decomposition builds with.
 * Appends typed nodes to a graph. One lowering, one thread. */
#ifndef TN_TRANSFORM_BUILDER_H
#define TN_TRANSFORM_BUILDER_H

#include "base/vec.h"
#include "ir/graph.h"
#include "transform/passes.h"

struct tn_builder {
    tn_ir_graph *graph; /* values are tn_value{1 + vid} */
    const tn_pass_options *options;
    const struct tn_op *op; /* whose lowering runs */
    tn_op_table ops;        /* names as that op means them */
    uint32_t origin;
    tn_status error;      /* the first; everything after it does nothing */
    bool declined;        /* the lowering needs what this host does not know */
    char detail[256];     /* why */
    TN_VEC(int64_t) dims; /* tn_dim{1 + index} */
    tn_arena scratch;
};

void tn_builder_init(tn_builder *b, tn_ir_graph *graph, const tn_pass_options *options,
                     const struct tn_op *op, uint32_t origin);
void tn_builder_deinit(tn_builder *b); /* frees the error too, if it is still there */
const tn_builder_api *tn_builder_functions(void);

#endif
