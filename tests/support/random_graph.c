#include "support/random_graph.h"

#include <string.h>

#include "base/allocator.h"

#define MAX_VALUES 256

typedef struct maker {
    tn_ir_graph *graph;
    tn_test_ops *ops;
    const tn_random_options *options;
    uint64_t state;
    tn_vid values[MAX_VALUES];
    uint32_t n;
    uint32_t origin; /* of the primitives that are being made */
} maker;

static uint64_t bits(maker *m) {
    uint64_t z = (m->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t below(maker *m, uint32_t n) {
    return (uint32_t)(bits(m) % n);
}

static const tn_type *type_of(const maker *m, tn_vid v) {
    return &m->graph->values[v].type;
}

static bool is(const maker *m, tn_vid v, tn_dt dt) {
    return type_of(m, v)->dt == dt;
}

static tn_vid pick(maker *m) {
    /* Recent values more often, so that graphs are deep. */
    uint32_t back = below(m, 2) ? below(m, m->n < 4 ? m->n : 4) : below(m, m->n);
    return m->values[m->n - 1 - back];
}

static tn_attr ints_attr(const char *name, const int64_t *items, uint32_t n, tn_arg *room) {
    for (uint32_t i = 0; i < n; i++)
        room[i] = (tn_arg){.tag = TN_TAG_INT, .v.i = items[i]};
    return (tn_attr){name, {.tag = TN_TAG_LIST, .count = n, .v.list = room}};
}

static tn_attr int_attr(const char *name, int64_t value) {
    return (tn_attr){name, {.tag = TN_TAG_INT, .v.i = value}};
}

static tn_attr dtype_attr(tn_dt dt) {
    return (tn_attr){"dtype", {.tag = TN_TAG_DTYPE, .v.dtype = tn_dt_to_dtype(dt)}};
}

static tn_status emit(maker *m, uint32_t prim, const tn_vid *in, uint32_t n_in,
                      const tn_attr *attrs, uint32_t n_attrs, tn_vid *out) {
    TN_TRY(tn_ir_emit(m->graph, prim, in, n_in, attrs, n_attrs, m->origin, out, 1));
    if (m->n < MAX_VALUES) m->values[m->n++] = *out;
    return NULL;
}

/* ----------------------------------------------------------------- moves */

static tn_status reshape(maker *m, tn_vid x, const int64_t *shape, uint32_t n, tn_vid *out) {
    tn_arg room[TN_MAX_RANK];
    tn_attr attr = ints_attr("shape", shape, n, room);
    return emit(m, TN_PRIM_RESHAPE, &x, 1, &attr, 1, out);
}

/* Some other way to write the same number of elements. */
static tn_status random_reshape(maker *m, tn_vid x, tn_vid *out) {
    const tn_type *t = type_of(m, x);
    int64_t shape[TN_MAX_RANK];
    uint32_t n = 0;
    for (int32_t i = 0; i < t->rank; i++) {
        int64_t extent = t->shape[i];
        if (n && below(m, 3) == 0) {
            shape[n - 1] *= extent;
            continue;
        }
        for (int64_t f = 2; f <= 3; f++)
            if (extent > f && extent % f == 0 && below(m, 2) && n < 5) {
                shape[n++] = f;
                extent /= f;
            }
        shape[n++] = extent;
        if (below(m, 5) == 0 && n < 5) shape[n++] = 1;
    }
    return reshape(m, x, shape, n, out);
}

static tn_status permute(maker *m, tn_vid x, tn_vid *out) {
    int64_t perm[TN_MAX_RANK];
    tn_arg room[TN_MAX_RANK];
    uint32_t n = (uint32_t)type_of(m, x)->rank;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = below(m, i + 1);
        perm[i] = perm[j];
        perm[j] = i;
    }
    tn_attr attr = ints_attr("perm", perm, n, room);
    return emit(m, TN_PRIM_PERMUTE, &x, 1, &attr, 1, out);
}

static tn_status slice(maker *m, tn_vid x, tn_vid *out) {
    const tn_type *t = type_of(m, x);
    int64_t start[TN_MAX_RANK], size[TN_MAX_RANK], step[TN_MAX_RANK];
    tn_arg room[3][TN_MAX_RANK];
    uint32_t n = (uint32_t)t->rank;
    for (uint32_t i = 0; i < n; i++) {
        int64_t extent = t->shape[i];
        size[i] = extent;
        start[i] = 0;
        step[i] = 1;
        if (extent < 2 || below(m, 2)) continue;
        size[i] = 1 + below(m, (uint32_t)extent);
        step[i] = size[i] > 1 && (size[i] - 1) * 2 < extent && below(m, 2) ? 2 : 1;
        start[i] = below(m, (uint32_t)(extent - (size[i] - 1) * step[i]));
        if (below(m, 3) == 0) { /* backwards over the same elements */
            start[i] += (size[i] - 1) * step[i];
            step[i] = -step[i];
        }
    }
    tn_attr attrs[3] = {ints_attr("start", start, n, room[0]), ints_attr("size", size, n, room[1]),
                        ints_attr("step", step, n, room[2])};
    return emit(m, TN_PRIM_SLICE, &x, 1, attrs, 3, out);
}

static tn_status flip(maker *m, tn_vid x, tn_vid *out) {
    int64_t axes[TN_MAX_RANK];
    tn_arg room[TN_MAX_RANK];
    uint32_t n = 0;
    for (int32_t i = 0; i < type_of(m, x)->rank; i++)
        if (below(m, 2)) axes[n++] = i;
    tn_attr attr = ints_attr("axes", axes, n, room);
    return emit(m, TN_PRIM_FLIP, &x, 1, &attr, 1, out);
}

static tn_status window(maker *m, tn_vid x, tn_vid *out) {
    const tn_type *t = type_of(m, x);
    if (t->rank == 0 || t->rank > 3) return random_reshape(m, x, out);
    int64_t axis = below(m, (uint32_t)t->rank), extent = t->shape[axis];
    int64_t size = extent > 2 ? 1 + below(m, 3) : extent ? 1 : 0, dilation = 1 + below(m, 2);
    if (size == 0) return random_reshape(m, x, out);
    if ((size - 1) * dilation + 1 > extent) dilation = 1;
    tn_attr attrs[4] = {int_attr("axis", axis), int_attr("size", size),
                        int_attr("step", 1 + below(m, 2)), int_attr("dilation", dilation)};
    return emit(m, TN_PRIM_WINDOW, &x, 1, attrs, 4, out);
}

static tn_status pad(maker *m, tn_vid x, tn_vid *out) {
    const tn_type *t = type_of(m, x);
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK];
    tn_arg room[2][TN_MAX_RANK];
    uint32_t n = (uint32_t)t->rank;
    tn_vid in[2] = {x, TN_NO_VALUE};
    for (uint32_t i = 0; i < n; i++) {
        low[i] = below(m, 3) == 0;
        high[i] = below(m, 3);
    }
    for (uint32_t i = 0; i < m->n && below(m, 2); i++) /* a computed value, sometimes */
        if (type_of(m, m->values[i])->rank == 0 && is(m, m->values[i], t->dt)) in[1] = m->values[i];
    if (in[1] == TN_NO_VALUE) {
        tn_attr value[2] = {{"value", {.tag = TN_TAG_INT, .v.i = below(m, 3)}}, dtype_attr(t->dt)};
        TN_TRY(emit(m, TN_PRIM_CONSTANT, NULL, 0, value, 2, &in[1]));
    }
    tn_attr attrs[2] = {ints_attr("low", low, n, room[0]), ints_attr("high", high, n, room[1])};
    return emit(m, TN_PRIM_PAD, in, 2, attrs, 2, out);
}

static tn_status concat(maker *m, tn_vid x, tn_vid *out) {
    const tn_type *t = type_of(m, x);
    if (t->rank == 0) return random_reshape(m, x, out);
    tn_vid parts[3] = {x, x, x};
    uint32_t n = 1;
    int64_t axis = below(m, (uint32_t)t->rank);
    for (uint32_t i = m->n; i-- > 0 && n < 3;) {
        const tn_type *o = type_of(m, m->values[i]);
        bool fits = o->dt == t->dt && o->rank == t->rank;
        for (int32_t k = 0; fits && k < t->rank; k++)
            fits = k == axis || o->shape[k] == t->shape[k];
        if (fits && below(m, 2)) parts[n++] = m->values[i];
    }
    tn_attr attr = int_attr("axis", axis);
    return emit(m, TN_PRIM_CONCAT, parts, n, &attr, 1, out);
}

/* Indices come from data: some are out of range. */
static tn_status take(maker *m, tn_vid x, tn_vid *out) {
    const tn_type *t = type_of(m, x);
    if (t->rank == 0 || t->rank > 3) return random_reshape(m, x, out);
    for (uint32_t i = m->n; i-- > 0;) {
        const tn_type *o = type_of(m, m->values[i]);
        if ((o->dt != TN_DT_I32 && o->dt != TN_DT_I64) || o->rank + t->rank > 5) continue;
        tn_vid in[2] = {x, m->values[i]};
        tn_attr attr = int_attr("axis", below(m, (uint32_t)t->rank));
        return emit(m, TN_PRIM_TAKE, in, 2, &attr, 1, out);
    }
    return flip(m, x, out);
}

static tn_status broadcast(maker *m, tn_vid x, const int64_t *shape, const int64_t *axes,
                           uint32_t rank, uint32_t n, tn_vid *out) {
    tn_arg room[2][TN_MAX_RANK];
    tn_attr attrs[2] = {ints_attr("shape", shape, rank, room[0]),
                        ints_attr("axes", axes, n, room[1])};
    return emit(m, TN_PRIM_BROADCAST, &x, 1, attrs, 2, out);
}

static tn_status random_broadcast(maker *m, tn_vid x, tn_vid *out) {
    const tn_type *t = type_of(m, x);
    int64_t shape[TN_MAX_RANK], axes[TN_MAX_RANK];
    uint32_t rank = 0;
    if (t->rank > 3) return permute(m, x, out);
    for (int32_t i = 0; i < t->rank; i++) {
        if (below(m, 3) == 0) shape[rank++] = 1 + below(m, 4);
        axes[i] = rank;
        shape[rank++] = t->shape[i] == 1 ? 1 + below(m, 4) : t->shape[i];
    }
    if (below(m, 3) == 0) shape[rank++] = 1 + below(m, 4);
    return broadcast(m, x, shape, axes, rank, (uint32_t)t->rank, out);
}

/* ------------------------------------------------------------------- work */

/* x over the shape of y, when it fits numpy's way. */
static tn_status align(maker *m, tn_vid x, tn_vid y, bool *fits, tn_vid *out) {
    const tn_type *a = type_of(m, x), *b = type_of(m, y);
    int64_t axes[TN_MAX_RANK], shape[TN_MAX_RANK];
    *fits = a->rank <= b->rank;
    for (int32_t i = 0; *fits && i < a->rank; i++) {
        axes[i] = b->rank - a->rank + i;
        *fits = a->shape[i] == 1 || a->shape[i] == b->shape[axes[i]];
    }
    bool same = *fits && a->rank == b->rank;
    for (int32_t i = 0; same && i < a->rank; i++)
        same = a->shape[i] == b->shape[i];
    *out = x;
    if (!*fits || same) return NULL;
    for (int32_t i = 0; i < b->rank; i++)
        shape[i] = b->shape[i];
    return broadcast(m, x, shape, axes, (uint32_t)b->rank, (uint32_t)a->rank, out);
}

static tn_status unary(maker *m, tn_vid x, tn_vid *out) {
    static const uint32_t floats[] = {TN_PRIM_NEG, TN_PRIM_ABS,   TN_PRIM_EXP,  TN_PRIM_TANH,
                                      TN_PRIM_SIN, TN_PRIM_FLOOR, TN_PRIM_SIGN, TN_PRIM_RSQRT};
    static const uint32_t ints[] = {TN_PRIM_NEG, TN_PRIM_ABS, TN_PRIM_NOT, TN_PRIM_SIGN};
    tn_dt dt = type_of(m, x)->dt;
    uint32_t prim = dt == TN_DT_BOOL     ? TN_PRIM_NOT
                    : tn_dt_is_float(dt) ? floats[below(m, 8)]
                                         : ints[below(m, 4)];
    return emit(m, prim, &x, 1, NULL, 0, out);
}

static tn_status cast(maker *m, tn_vid x, tn_vid *out) {
    static const tn_dt dts[] = {TN_DT_F32,  TN_DT_F32, TN_DT_I32, TN_DT_I64,
                                TN_DT_BOOL, TN_DT_F64, TN_DT_U8,  TN_DT_BF16};
    tn_attr attr = dtype_attr(dts[below(m, m->options->narrow ? 8 : 7)]);
    return emit(m, TN_PRIM_CAST, &x, 1, &attr, 1, out);
}

static tn_status binary(maker *m, tn_vid x, tn_vid *out) {
    static const uint32_t numbers[] = {TN_PRIM_ADD, TN_PRIM_SUB, TN_PRIM_MUL, TN_PRIM_MAX,
                                       TN_PRIM_MIN, TN_PRIM_LT,  TN_PRIM_EQ,  TN_PRIM_FLOORDIV};
    static const uint32_t bools[] = {TN_PRIM_AND, TN_PRIM_OR, TN_PRIM_XOR};
    tn_dt dt = type_of(m, x)->dt;
    uint32_t prim = dt == TN_DT_BOOL ? bools[below(m, 3)] : numbers[below(m, 8)];
    if (prim == TN_PRIM_FLOORDIV && tn_dt_is_float(dt)) prim = TN_PRIM_DIV;
    for (uint32_t tries = 0; tries < 12; tries++) {
        tn_vid y = pick(m), in[2];
        bool fits;
        if (!is(m, y, dt)) continue;
        if (type_of(m, y)->rank > type_of(m, x)->rank) {
            tn_vid t = x;
            x = y;
            y = t;
        }
        in[0] = x;
        TN_TRY(align(m, y, x, &fits, &in[1]));
        if (fits) return emit(m, prim, in, 2, NULL, 0, out);
    }
    return unary(m, x, out);
}

static tn_status select(maker *m, tn_vid x, tn_vid *out) {
    for (uint32_t tries = 0; tries < 20; tries++) {
        tn_vid c = pick(m), y = pick(m), in[3] = {0, x, 0};
        bool fits_c, fits_y = false;
        if (!is(m, c, TN_DT_BOOL) || !is(m, y, type_of(m, x)->dt)) continue;
        TN_TRY(align(m, c, x, &fits_c, &in[0]));
        if (fits_c) TN_TRY(align(m, y, x, &fits_y, &in[2]));
        if (fits_y) return emit(m, TN_PRIM_SELECT, in, 3, NULL, 0, out);
    }
    return unary(m, x, out);
}

static tn_status source(maker *m, tn_vid *out) {
    int64_t shape[3];
    tn_arg room[3];
    uint32_t n = 1 + below(m, 2);
    for (uint32_t i = 0; i < n; i++)
        shape[i] = 1 + below(m, 5);
    tn_attr attrs[3] = {ints_attr("shape", shape, n, room), int_attr("axis", below(m, n)),
                        dtype_attr(below(m, 2) ? TN_DT_F32 : TN_DT_I32)};
    return emit(m, TN_PRIM_IOTA, NULL, 0, attrs, 3, out);
}

/* Often followed by what softmax and norms do: back over the shape it came from. */
static tn_status reduce(maker *m, tn_vid x, tn_vid *out) {
    static const uint32_t folds[] = {TN_PRIM_SUM, TN_PRIM_REDUCE_MAX, TN_PRIM_REDUCE_MIN,
                                     TN_PRIM_PROD};
    const tn_type t = *type_of(m, x);
    int64_t axes[TN_MAX_RANK], kept[TN_MAX_RANK], shape[TN_MAX_RANK];
    tn_arg room[TN_MAX_RANK];
    uint32_t n = 0, n_kept = 0, one = t.rank ? below(m, (uint32_t)t.rank) : 0;
    bool arg = t.rank && t.shape[one] > 0 && t.dt != TN_DT_BOOL && below(m, 6) == 0;
    for (uint32_t i = 0; i < (uint32_t)t.rank; i++) {
        shape[i] = t.shape[i];
        if (arg ? i == one : i == one || below(m, 4) == 0)
            axes[n++] = i;
        else
            kept[n_kept++] = i;
    }
    tn_attr attr = arg ? int_attr("axis", one) : ints_attr("axes", axes, n, room);
    uint32_t prim = arg                  ? (below(m, 2) ? TN_PRIM_ARGMAX : TN_PRIM_ARGMIN)
                    : t.dt == TN_DT_BOOL ? (below(m, 2) ? TN_PRIM_ANY : TN_PRIM_ALL)
                                         : folds[below(m, 4)];
    tn_vid v;
    TN_TRY(emit(m, prim, &x, 1, &attr, 1, &v));
    *out = v;
    if (arg || below(m, 3) == 0 || t.rank > 4) return NULL;
    if (below(m, 2)) TN_TRY(unary(m, v, &v));
    TN_TRY(broadcast(m, v, shape, kept, (uint32_t)t.rank, n_kept, &v));
    tn_vid in[2] = {x, v};
    return emit(m, t.dt == TN_DT_BOOL ? TN_PRIM_XOR : TN_PRIM_SUB, in, 2, NULL, 0, out);
}

/* What group norms do: reduce x written in another shape, and back. */
static tn_status group_reduce(maker *m, tn_vid x, tn_vid *out) {
    const tn_type t = *type_of(m, x);
    int64_t shape[TN_MAX_RANK], original[TN_MAX_RANK], kept[TN_MAX_RANK], grouped[TN_MAX_RANK];
    tn_arg room[TN_MAX_RANK];
    tn_vid r, v;
    TN_TRY(random_reshape(m, x, &r));
    uint32_t n = (uint32_t)type_of(m, r)->rank;
    for (int32_t i = 0; i < t.rank; i++)
        original[i] = t.shape[i];
    if (n == 0) return unary(m, x, out);
    for (uint32_t i = 0; i < n; i++) {
        shape[i] = type_of(m, r)->shape[i];
        kept[i] = i;
        grouped[i] = i;
    }
    uint32_t first = below(m, n), last = first + 1 + below(m, n - first), n_kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (i < first || i >= last) kept[n_kept++] = i;
    tn_attr attr = ints_attr("axes", grouped + first, last - first, room);
    TN_TRY(emit(m, t.dt == TN_DT_BOOL ? TN_PRIM_ANY : TN_PRIM_REDUCE_MAX, &r, 1, &attr, 1, &v));
    if (below(m, 3) == 0) TN_TRY(unary(m, v, &v));
    TN_TRY(broadcast(m, v, shape, kept, n, n_kept, &v));
    TN_TRY(reshape(m, v, original, (uint32_t)t.rank, &v));
    tn_vid in[2] = {x, v};
    return emit(m, t.dt == TN_DT_BOOL ? TN_PRIM_XOR : TN_PRIM_SUB, in, 2, NULL, 0, out);
}

static tn_status call(maker *m, tn_vid x) {
    static const char *const names[] = {"test::scale", "test::relu", "test::turn"};
    tn_test_op *op = tn_test_ops_find(m->ops, names[below(m, 3)]);
    if (!op) op = tn_test_ops_find(m->ops, "test::relu"); /* turn was not added */
    tn_arg args[2] = {{.tag = TN_TAG_VALUE, .v.value.id = 1 + (uint64_t)x},
                      {.tag = TN_TAG_FLOAT, .v.f = 2.0}};
    tn_type type = *type_of(m, x);
    type.strides = NULL; /* bind asks the meta function */
    tn_ir_node_desc desc = {
        .op = &op->op, .args = args, .n_results = 1, .result_types = &type, .origin = TN_NO_NODE};
    tn_ir_node *node;
    TN_TRY(tn_ir_add_node(m->graph, &desc, &node));
    if (m->n < MAX_VALUES) m->values[m->n++] = node->results[0];
    return NULL;
}

static int64_t numel(const maker *m, tn_vid v) {
    return tn_type_numel(type_of(m, v));
}

static tn_status step(maker *m) {
    tn_vid x = pick(m), out;
    if (numel(m, x) > 600) { /* keep it small */
        if (numel(m, x) > 20000) return source(m, &out);
        return reduce(m, x, &out);
    }
    if (m->n + 8 > MAX_VALUES) return NULL;
    switch (below(m, m->options->ops ? 27 : 25)) {
    case 0:
    case 1:
    case 2: return unary(m, x, &out);
    case 3:
    case 4:
    case 5:
    case 6:
    case 7: return binary(m, x, &out);
    case 8:
    case 9: return select(m, x, &out);
    case 10: return cast(m, x, &out);
    case 11: return source(m, &out);
    case 12:
    case 13: return random_reshape(m, x, &out);
    case 14: return permute(m, x, &out);
    case 15: return slice(m, x, &out);
    case 16: return flip(m, x, &out);
    case 17: return window(m, x, &out);
    case 18: return pad(m, x, &out);
    case 19: return concat(m, x, &out);
    case 20: return take(m, x, &out);
    case 21: return random_broadcast(m, x, &out);
    case 22:
    case 23: return reduce(m, x, &out);
    case 24: return group_reduce(m, x, &out);
    default: return call(m, x);
    }
}

static tn_status add_inputs(maker *m) {
    static const tn_dt dts[] = {TN_DT_F32, TN_DT_F32, TN_DT_I32, TN_DT_BOOL, TN_DT_BF16};
    static const int64_t extents[] = {2, 3, 4, 6, 1, 5, 12, 0};
    int64_t shape[3], strides[3], common[3];
    for (uint32_t k = 0; k < 3; k++)
        common[k] = extents[below(m, m->options->empty ? 8 : 7)];
    for (uint32_t i = 0, n = 2 + below(m, 3); i < n; i++) {
        tn_dt dt = dts[i == 0 ? 0 : below(m, m->options->narrow ? 5 : 4)];
        tn_type type = {.known = true,
                        .dt = dt,
                        .dtype = tn_dt_to_dtype(dt),
                        .rank = (int32_t)below(m, 4),
                        .shape = shape};
        /* Trailing axes agree, so that values broadcast with one another. */
        for (int32_t k = 0; k < type.rank; k++)
            shape[k] = below(m, 8) == 0 ? 1 : common[3 - type.rank + k];
        if (type.rank == 2 && below(m, 2)) { /* column major, sometimes backwards */
            strides[0] = below(m, 2) ? -1 : 1;
            strides[1] = shape[0] + 1;
            type.strides = strides;
        }
        if (type.rank == 1 && below(m, 4) == 0) {
            strides[0] = 0;
            type.strides = strides;
        }
        TN_TRY(tn_ir_add_input(m->graph, NULL, &type, &m->values[m->n++]));
    }
    return NULL;
}

static tn_status make(maker *m) {
    TN_TRY(add_inputs(m));
    for (uint32_t i = 0; i < m->options->n_nodes; i++) {
        /* Several primitives in a row stand for one op of the source graph. */
        if (i == 0 || below(m, 3) == 0) m->origin = m->graph->n_nodes;
        TN_TRY(step(m));
    }
    for (uint32_t i = 0, n = 1 + below(m, 4); i < n; i++)
        TN_TRY(tn_ir_add_output(m->graph, pick(m)));
    return NULL;
}

tn_status tn_random_graph(const tn_allocator *allocator, const tn_prim_schemas *prims,
                          tn_test_ops *ops, const tn_random_options *options,
                          tn_ir_graph **out_graph) {
    maker m = {.ops = ops, .options = options, .state = options->seed};
    TN_TRY(tn_ir_create(allocator, prims, "random", &m.graph));
    tn_status status = make(&m);
    if (status)
        tn_ir_destroy(m.graph);
    else
        *out_graph = m.graph;
    return status;
}

/* ---------------------------------------------------------------- the ops */

static tn_code turn_meta(const tn_meta_context *m) {
    const tn_tensor *x = m->args[0].v.tensor;
    int64_t strides[TN_MAX_RANK], next = 1;
    for (int32_t i = 0; i < x->ndim; i++) {
        strides[i] = next;
        next *= x->shape[i] > 1 ? x->shape[i] : 1;
    }
    tn_spec spec = {.struct_size = sizeof spec,
                    .dtype = x->dtype,
                    .ndim = x->ndim,
                    .shape = x->shape,
                    .strides = strides};
    return m->set(m, 0, &spec);
}

tn_status tn_random_add_ops(tn_test_ops *ops) {
    const tn_op_desc turn = {
        .struct_size = sizeof turn, .schema = "test::turn(Tensor x) -> Tensor", .meta = turn_meta};
    return tn_test_ops_add(ops, &turn);
}

tn_status tn_random_run_op(void *self, const tn_ir_node *node, const tn_tensor *const *operands,
                           tn_tensor *const *results) {
    (void)self;
    const tn_tensor *x = operands[0];
    tn_tensor *y = results[0];
    tn_dt dt = tn_dt_from_dtype(x->dtype);
    size_t size = tn_dt_size(dt);
    bool scale = strcmp(node->schema->full_name, "test::scale") == 0;
    int64_t at[TN_MAX_RANK] = {0}, n = 1;
    for (int32_t i = 0; i < x->ndim; i++)
        n *= x->shape[i];
    for (int64_t k = 0; k < n; k++) {
        int64_t in = 0, out = 0;
        for (int32_t i = 0; i < x->ndim; i++) {
            in += at[i] * x->strides[i];
            out += at[i] * y->strides[i];
        }
        tn_scalar v = tn_scalar_load(dt, (char *)x->data + x->byte_offset + in * (int64_t)size);
        if (tn_dt_is_float(dt))
            v.f = scale ? v.f * 2 : v.f > 0 ? v.f : 0;
        else
            v.i = scale     ? (dt != TN_DT_BOOL && v.i < 1000 && v.i > -1000 ? v.i * 2 : v.i)
                  : v.i > 0 ? v.i
                            : 0;
        tn_scalar_store(dt, (char *)y->data + y->byte_offset + out * (int64_t)size, v);
        for (int32_t i = x->ndim; i-- > 0;) {
            if (++at[i] < x->shape[i]) break;
            at[i] = 0;
        }
    }
    return NULL;
}
