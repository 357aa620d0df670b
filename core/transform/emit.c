#include "transform/emit.h"

static tn_vid emit(tn_emitter *e, uint32_t prim, const tn_vid *operands, uint32_t n,
                   const tn_attr *attrs, uint32_t n_attrs) {
    tn_vid out = TN_NO_VALUE;
    if (e->status != NULL) return TN_NO_VALUE;
    e->status = tn_ir_emit(e->graph, prim, operands, n, attrs, n_attrs, e->origin, &out, 1);
    return e->status == NULL ? out : TN_NO_VALUE;
}

/* An int[] in storage of TN_MAX_RANK items. */
static tn_arg ints(const int64_t *values, uint32_t n, tn_arg *storage) {
    for (uint32_t i = 0; i < n; i++)
        storage[i] = (tn_arg){.tag = TN_TAG_INT, .v.i = values[i]};
    return (tn_arg){.tag = TN_TAG_LIST, .count = n, .v.list = storage};
}

tn_vid tn_emit_unary(tn_emitter *e, uint32_t prim, tn_vid a) {
    return emit(e, prim, &a, 1, NULL, 0);
}

tn_vid tn_emit_binary(tn_emitter *e, uint32_t prim, tn_vid a, tn_vid b) {
    tn_vid operands[2] = {a, b};
    return emit(e, prim, operands, 2, NULL, 0);
}

tn_vid tn_emit_cast(tn_emitter *e, tn_vid a, tn_dt dt) {
    if (e->status != NULL || e->graph->values[a].type.dt == dt) return a;
    tn_attr attr = {"dtype", {.tag = TN_TAG_DTYPE, .v.dtype = tn_dt_to_dtype(dt)}};
    return emit(e, TN_PRIM_CAST, &a, 1, &attr, 1);
}

tn_vid tn_emit_size(tn_emitter *e, int64_t n, tn_dt dt) {
    tn_attr attrs[2] = {{"value", {.tag = TN_TAG_INT, .v.i = n}},
                        {"dtype", {.tag = TN_TAG_DTYPE, .v.dtype = tn_dt_to_dtype(dt)}}};
    return emit(e, TN_PRIM_SIZE, NULL, 0, attrs, 2);
}

tn_vid tn_emit_sum(tn_emitter *e, tn_vid a, const int64_t *axes, uint32_t n_axes) {
    tn_arg storage[TN_MAX_RANK];
    tn_attr attr = {"axes", ints(axes, n_axes, storage)};
    return emit(e, TN_PRIM_SUM, &a, 1, &attr, 1);
}

tn_vid tn_emit_broadcast(tn_emitter *e, tn_vid a, const int64_t *shape, int32_t rank,
                         const int64_t *axes, uint32_t n_axes) {
    tn_arg storage[2][TN_MAX_RANK];
    tn_attr attrs[2] = {{"shape", ints(shape, (uint32_t)rank, storage[0])},
                        {"axes", ints(axes, n_axes, storage[1])}};
    return emit(e, TN_PRIM_BROADCAST, &a, 1, attrs, 2);
}

tn_vid tn_emit_permute(tn_emitter *e, tn_vid a, const int64_t *perm, int32_t rank) {
    tn_arg storage[TN_MAX_RANK];
    tn_attr attr = {"perm", ints(perm, (uint32_t)rank, storage)};
    return emit(e, TN_PRIM_PERMUTE, &a, 1, &attr, 1);
}

tn_vid tn_emit_reshape(tn_emitter *e, tn_vid a, const int64_t *shape, int32_t rank) {
    tn_arg storage[TN_MAX_RANK];
    tn_attr attr = {"shape", ints(shape, (uint32_t)rank, storage)};
    return emit(e, TN_PRIM_RESHAPE, &a, 1, &attr, 1);
}

tn_vid tn_emit_pad(tn_emitter *e, tn_vid a, tn_vid value, const int64_t *low, const int64_t *high,
                   int32_t rank) {
    tn_arg storage[2][TN_MAX_RANK];
    tn_vid operands[2] = {a, value};
    tn_attr attrs[2] = {{"low", ints(low, (uint32_t)rank, storage[0])},
                        {"high", ints(high, (uint32_t)rank, storage[1])}};
    return emit(e, TN_PRIM_PAD, operands, 2, attrs, 2);
}

tn_vid tn_emit_constant(tn_emitter *e, tn_arg value, tn_dt dt) {
    tn_attr attrs[2] = {{"value", value},
                        {"dtype", {.tag = TN_TAG_DTYPE, .v.dtype = tn_dt_to_dtype(dt)}}};
    return emit(e, TN_PRIM_CONSTANT, NULL, 0, attrs, 2);
}

tn_vid tn_emit_iota(tn_emitter *e, const int64_t *shape, int32_t rank, int64_t axis, tn_dt dt) {
    tn_arg storage[TN_MAX_RANK];
    tn_attr attrs[3] = {{"shape", ints(shape, (uint32_t)rank, storage)},
                        {"axis", {.tag = TN_TAG_INT, .v.i = axis}},
                        {"dtype", {.tag = TN_TAG_DTYPE, .v.dtype = tn_dt_to_dtype(dt)}}};
    return emit(e, TN_PRIM_IOTA, NULL, 0, attrs, 3);
}

tn_vid tn_emit_select(tn_emitter *e, tn_vid condition, tn_vid a, tn_vid b) {
    tn_vid operands[3] = {condition, a, b};
    return emit(e, TN_PRIM_SELECT, operands, 3, NULL, 0);
}

tn_vid tn_emit_reduce(tn_emitter *e, uint32_t prim, tn_vid a, const int64_t *axes,
                      uint32_t n_axes) {
    tn_arg storage[TN_MAX_RANK];
    tn_attr attr = {"axes", ints(axes, n_axes, storage)};
    if (prim == TN_PRIM_ARGMAX || prim == TN_PRIM_ARGMIN)
        attr = (tn_attr){"axis", {.tag = TN_TAG_INT, .v.i = axes[0]}};
    return emit(e, prim, &a, 1, &attr, 1);
}
