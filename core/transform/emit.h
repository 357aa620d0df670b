/* Short forms of tn_ir_emit for passes that build primitives. Errors stick, as in
 * a builder: after the first, every call gives TN_NO_VALUE. */
#ifndef TN_TRANSFORM_EMIT_H
#define TN_TRANSFORM_EMIT_H

#include "ir/graph.h"

typedef struct tn_emitter {
    tn_ir_graph *graph;
    uint32_t origin;
    tn_status status;
} tn_emitter;

tn_vid tn_emit_unary(tn_emitter *e, uint32_t prim, tn_vid a);
tn_vid tn_emit_binary(tn_emitter *e, uint32_t prim, tn_vid a, tn_vid b);
tn_vid tn_emit_cast(tn_emitter *e, tn_vid a, tn_dt dt); /* `a` itself if it is dt */
tn_vid tn_emit_size(tn_emitter *e, int64_t n, tn_dt dt);
tn_vid tn_emit_sum(tn_emitter *e, tn_vid a, const int64_t *axes, uint32_t n_axes);
/* Primitives with one or two int[] attributes: broadcast, permute, reshape. */
tn_vid tn_emit_broadcast(tn_emitter *e, tn_vid a, const int64_t *shape, int32_t rank,
                         const int64_t *axes, uint32_t n_axes);
tn_vid tn_emit_permute(tn_emitter *e, tn_vid a, const int64_t *perm, int32_t rank);

tn_vid tn_emit_reshape(tn_emitter *e, tn_vid a, const int64_t *shape, int32_t rank);
tn_vid tn_emit_pad(tn_emitter *e, tn_vid a, tn_vid value, const int64_t *low, const int64_t *high,
                   int32_t rank);
tn_vid tn_emit_constant(tn_emitter *e, tn_arg value, tn_dt dt);
tn_vid tn_emit_iota(tn_emitter *e, const int64_t *shape, int32_t rank, int64_t axis, tn_dt dt);
tn_vid tn_emit_select(tn_emitter *e, tn_vid condition, tn_vid a, tn_vid b);
/* Any reduction of one result; argmax and argmin take one axis. */
tn_vid tn_emit_reduce(tn_emitter *e, uint32_t prim, tn_vid a, const int64_t *axes, uint32_t n_axes);

#endif
