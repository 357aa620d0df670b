/* Several tensors from one, and one from several. */
#include "shape.h"

#include "dims.h"
#include "promotion.h"

/* --------------------------------------------------------------- cat, stack */

/* A vector of nothing, which cat leaves out whatever the others' rank. */
static int is_nothing(const tn_tensor *t) {
    return t->ndim == 1 && t->shape[0] == 0;
}

static tn_code common_dtype(const tn_meta_context *m, const tn_arg *list, tn_dtype *out) {
    tn_promotion p = {0};
    for (uint32_t i = 0; i < list->count; i++)
        tn_promotion_tensor(&p, list->v.list[i].v.tensor->dtype, list->v.list[i].v.tensor->ndim);
    TN_REQUIRE(m->cb, tn_promotion_result(&p, out),
               "%s and %s have no common dtype: convert one with tn::to", tn_dtype_name(p.clash[0]),
               tn_dtype_name(p.clash[1]));
    return TN_OK;
}

static tn_dtype lower_common(const tn_lower_context *l) {
    tn_promotion p = {0};
    tn_dtype out;
    for (uint32_t i = 0; i < l->args[0].count; i++) {
        const tn_value v = l->args[0].v.list[i].v.value;
        tn_promotion_tensor(&p, tn_lower_dtype(l, v), tn_lower_rank(l, v));
    }
    (void)tn_promotion_result(&p, &out);
    return out;
}

static tn_code check_list(const tn_meta_context *m) {
    TN_REQUIRE(m->cb, m->args[0].count > 0, "tensors is an empty list");
    return TN_OK;
}

/* Like `first` but along the axis. */
static tn_code check_alike(const tn_meta_context *m, uint32_t i, const tn_tensor *first,
                           int32_t axis) {
    const tn_tensor *t = m->args[0].v.list[i].v.tensor;
    TN_REQUIRE(m->cb, t->ndim == first->ndim, "tensor %u has %d axes, the first %d", (unsigned)i,
               (int)t->ndim, (int)first->ndim);
    for (int32_t k = 0; k < t->ndim; k++) {
        TN_REQUIRE(m->cb, k == axis || t->shape[k] == first->shape[k],
                   "axis %d of tensor %u is %lld, of the first %lld", (int)k, (unsigned)i,
                   (long long)t->shape[k], (long long)first->shape[k]);
    }
    return TN_OK;
}

static tn_code cat_meta(const tn_meta_context *m) {
    const tn_arg *list = &m->args[0];
    const tn_tensor *first = NULL;
    int64_t shape[TN_LOWER_MAX_RANK], total = 0;
    tn_dtype dtype;
    int32_t axis;
    TN_CHECK(check_list(m));
    TN_CHECK(common_dtype(m, list, &dtype));
    for (uint32_t i = 0; i < list->count; i++) {
        const tn_tensor *t = list->v.list[i].v.tensor;
        TN_REQUIRE(m->cb, t->ndim > 0, "tensor %u has no axis: tn::stack puts one in", (unsigned)i);
        if (!first && !is_nothing(t)) first = t;
    }
    if (!first) first = list->v.list[0].v.tensor;
    TN_CHECK(tn_normalize_axis(m->cb, m->args[1].v.i, first->ndim, &axis));
    for (uint32_t i = 0; i < list->count; i++) {
        const tn_tensor *t = list->v.list[i].v.tensor;
        if (is_nothing(t)) continue;
        TN_CHECK(check_alike(m, i, first, axis));
        TN_REQUIRE(m->cb, !__builtin_add_overflow(total, t->shape[axis], &total),
                   "the extents along dim are too large together");
    }
    memcpy(shape, first->shape, (size_t)first->ndim * sizeof *shape);
    shape[axis] = total;
    return tn_meta_contiguous(m, 0, dtype, first->ndim, shape);
}

static tn_code cat_lower(const tn_lower_context *l) {
    const tn_arg *list = &l->args[0];
    const tn_dtype dtype = lower_common(l);
    const tn_dim zero = tn_size(l, 0);
    tn_value *vs = l->cb->scratch(l->cb, list->count * sizeof *vs);
    uint32_t n = 0;
    int32_t axis;
    if (!vs) return tn_fail(l->cb, TN_NO_MEMORY, "no memory for %u values", (unsigned)list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const tn_value v = list->v.list[i].v.value;
        const int nothing = tn_lower_rank(l, v) == 1 &&
                            l->api->dim_equal(l->b, tn_lower_dim(l, v, 0), zero);
        if (!nothing) vs[n++] = tn_lower_cast(l, v, dtype);
    }
    if (n == 0) vs[n++] = tn_lower_cast(l, list->v.list[0].v.value, dtype);
    TN_CHECK(tn_lower_axis(l, 1, tn_lower_rank(l, vs[0]), &axis));
    l->results[0] = n == 1 ? vs[0] : tn_lower_concat(l, vs, n, axis);
    return TN_OK;
}

static tn_code stack_meta(const tn_meta_context *m) {
    const tn_arg *list = &m->args[0];
    int64_t shape[TN_LOWER_MAX_RANK];
    tn_dtype dtype;
    int32_t axis;
    TN_CHECK(check_list(m));
    TN_CHECK(common_dtype(m, list, &dtype));
    const tn_tensor *first = list->v.list[0].v.tensor;
    for (uint32_t i = 1; i < list->count; i++)
        TN_CHECK(check_alike(m, i, first, -1));
    TN_REQUIRE(m->cb, first->ndim < TN_LOWER_MAX_RANK, "the tensors have %d axes already",
               (int)first->ndim);
    TN_CHECK(tn_normalize_axis(m->cb, m->args[1].v.i, first->ndim + 1, &axis));
    memcpy(shape, first->shape, (size_t)axis * sizeof *shape);
    shape[axis] = list->count;
    memcpy(shape + axis + 1, first->shape + axis, (size_t)(first->ndim - axis) * sizeof *shape);
    return tn_meta_contiguous(m, 0, dtype, first->ndim + 1, shape);
}

static tn_code stack_lower(const tn_lower_context *l) {
    const tn_arg *list = &l->args[0];
    const tn_dtype dtype = lower_common(l);
    tn_value *vs = l->cb->scratch(l->cb, list->count * sizeof *vs);
    int32_t axis;
    if (!vs) return tn_fail(l->cb, TN_NO_MEMORY, "no memory for %u values", (unsigned)list->count);
    TN_CHECK(tn_lower_axis(l, 1, tn_lower_rank(l, list->v.list[0].v.value) + 1, &axis));
    for (uint32_t i = 0; i < list->count; i++)
        vs[i] = tn__put_axis(l, tn_lower_cast(l, list->v.list[i].v.value, dtype), axis);
    l->results[0] = list->count == 1 ? vs[0] : tn_lower_concat(l, vs, list->count, axis);
    return TN_OK;
}

/* -------------------------------------------------------------------- split */

static tn_code set_piece(const tn_meta_context *m, uint32_t item, int32_t axis, int64_t extent) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    memcpy(shape, self->shape, (size_t)self->ndim * sizeof *shape);
    shape[axis] = extent;
    const tn_spec spec = tn_make_spec(self->dtype, self->ndim, shape);
    return m->set_item(m, 0, item, &spec);
}

static tn_code split_axis(const tn_meta_context *m, int32_t *out) {
    TN_REQUIRE(m->cb, m->args[0].v.tensor->ndim > 0, "self has no axis to split");
    return tn_normalize_axis(m->cb, m->args[2].v.i, m->args[0].v.tensor->ndim, out);
}

static tn_code equal_pieces(const tn_meta_context *m, int32_t axis, int64_t size, int64_t count) {
    const int64_t n = m->args[0].v.tensor->shape[axis];
    TN_REQUIRE(m->cb, count <= UINT16_MAX, "%lld pieces are too many", (long long)count);
    TN_CHECK(m->set_count(m, 0, (uint32_t)count));
    for (int64_t i = 0; i < count; i++) {
        const int64_t rest = n - i * size;
        TN_CHECK(set_piece(m, (uint32_t)i, axis, rest < size ? rest : size));
    }
    return TN_OK;
}

static tn_code split_meta(const tn_meta_context *m) {
    const int64_t size = m->args[1].v.i;
    int32_t axis;
    TN_CHECK(split_axis(m, &axis));
    const int64_t n = m->args[0].v.tensor->shape[axis];
    TN_REQUIRE(m->cb, size > 0 || (size == 0 && n == 0), "split_size is %lld", (long long)size);
    return equal_pieces(m, axis, size, n == 0 ? 1 : (n - 1) / size + 1);
}

static tn_code chunk_meta(const tn_meta_context *m) {
    const int64_t chunks = m->args[1].v.i;
    int32_t axis;
    TN_CHECK(split_axis(m, &axis));
    TN_REQUIRE(m->cb, chunks > 0, "chunks is %lld", (long long)chunks);
    const int64_t n = m->args[0].v.tensor->shape[axis];
    const int64_t size = n == 0 ? 0 : (n - 1) / chunks + 1;
    return equal_pieces(m, axis, size, n == 0 ? chunks : (n - 1) / size + 1);
}

static tn_code split_sizes_meta(const tn_meta_context *m) {
    const tn_arg *list = &m->args[1];
    int64_t total = 0;
    int32_t axis;
    TN_CHECK(split_axis(m, &axis));
    TN_CHECK(m->set_count(m, 0, list->count));
    for (uint32_t i = 0; i < list->count; i++) {
        const int64_t size = list->v.list[i].v.i;
        TN_REQUIRE(m->cb, size >= 0 && !__builtin_add_overflow(total, size, &total),
                   "split size %u is %lld", (unsigned)i, (long long)size);
        TN_CHECK(set_piece(m, i, axis, size));
    }
    TN_REQUIRE(m->cb, total == m->args[0].v.tensor->shape[axis],
               "the sizes are %lld together, axis %d is %lld", (long long)total, (int)axis,
               (long long)m->args[0].v.tensor->shape[axis]);
    return TN_OK;
}

/* Cuts off piece after piece of the axis; each is `size`, or what is left. */
static void cut_pieces(const tn_lower_context *l, tn_value x, int32_t axis, tn_dim size) {
    const tn_dim n = tn_lower_dim(l, x, axis);
    tn_dim at = tn_size(l, 0);
    for (uint32_t i = 0; i < l->n_results; i++) {
        const tn_dim own = l->api->dim_op(l->b, TN_DIM_MIN, size, tn_size_sub(l, n, at));
        l->results[i] = tn__cut(l, x, axis, at, own, 1);
        at = tn_size_add(l, at, own);
    }
}

static tn_code split_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    int32_t axis;
    TN_CHECK(tn_lower_axis(l, 2, tn_lower_rank(l, x), &axis));
    cut_pieces(l, x, axis, tn_size_of(l, l->args[1]));
    return TN_OK;
}

static tn_code chunk_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    int32_t axis;
    TN_CHECK(tn_lower_axis(l, 2, tn_lower_rank(l, x), &axis));
    const tn_dim n = tn_lower_dim(l, x, axis), chunks = tn_size_of(l, l->args[1]);
    cut_pieces(l, x, axis, l->api->dim_op(l->b, TN_DIM_CEILDIV, n, chunks));
    return TN_OK;
}

static tn_code split_sizes_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    tn_dim at = tn_size(l, 0);
    int32_t axis;
    TN_CHECK(tn_lower_axis(l, 2, tn_lower_rank(l, x), &axis));
    for (uint32_t i = 0; i < l->n_results; i++) {
        const tn_dim size = tn_size_of(l, l->args[1].v.list[i]);
        l->results[i] = tn__cut(l, x, axis, at, size, 1);
        at = tn_size_add(l, at, size);
    }
    return TN_OK;
}

static tn_code unbind_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t axis, n = 0;
    TN_REQUIRE(m->cb, self->ndim > 0, "self has no axis to take apart");
    TN_CHECK(tn_normalize_axis(m->cb, m->args[1].v.i, self->ndim, &axis));
    TN_REQUIRE(m->cb, self->shape[axis] <= UINT16_MAX, "%lld pieces are too many",
               (long long)self->shape[axis]);
    for (int32_t i = 0; i < self->ndim; i++)
        if (i != axis) shape[n++] = self->shape[i];
    const tn_spec spec = tn_make_spec(self->dtype, n, shape);
    TN_CHECK(m->set_count(m, 0, (uint32_t)self->shape[axis]));
    for (uint32_t i = 0; i < (uint32_t)self->shape[axis]; i++)
        TN_CHECK(m->set_item(m, 0, i, &spec));
    return TN_OK;
}

static tn_code unbind_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    int32_t axis;
    TN_CHECK(tn_lower_axis(l, 1, tn_lower_rank(l, x), &axis));
    for (uint32_t i = 0; i < l->n_results; i++) {
        const tn_value place = tn__cut(l, x, axis, tn_size(l, i), tn_size(l, 1), 1);
        l->results[i] = tn__drop_axis(l, place, axis);
    }
    return TN_OK;
}

/* ------------------------------------------------------------- repeat, roll */

static tn_code repeat_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t repeats[TN_LOWER_MAX_RANK];
    uint32_t n;
    TN_CHECK(tn_get_ints(m->cb, m->args, m->n_args, 1, repeats, TN_LOWER_MAX_RANK, &n));
    const int32_t added = (int32_t)n - self->ndim;
    TN_REQUIRE(m->cb, added >= 0, "%u repeats for %d axes: there must be one for each at least",
               (unsigned)n, (int)self->ndim);
    for (int32_t i = 0; i < (int32_t)n; i++) {
        const int64_t own = i < added ? 1 : self->shape[i - added];
        TN_REQUIRE(m->cb, repeats[i] >= 0, "repeat %d is %lld: it must not be negative", (int)i,
                   (long long)repeats[i]);
        TN_REQUIRE(m->cb, own == 0 || repeats[i] <= INT64_MAX / own,
                   "repeat %d is %lld: %lld times that do not fit in 63 bits", (int)i,
                   (long long)repeats[i], (long long)own);
        repeats[i] *= own;
    }
    return tn_meta_contiguous(m, 0, self->dtype, (int32_t)n, repeats);
}

/* Each axis as (copy, place), spread over the copies, and joined again. */
static tn_code repeat_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    const int32_t n = (int32_t)l->args[1].count, rank = tn_lower_rank(l, x), added = n - rank;
    tn_dim apart[TN_LOWER_MAX_RANK], joined[TN_LOWER_MAX_RANK];
    int64_t axes[TN_LOWER_MAX_RANK];
    TN_DECLINE_UNLESS(l->cb, n + rank <= TN_LOWER_MAX_RANK, "%d axes are too many to repeat",
                      (int)n);
    int32_t k = 0;
    for (int32_t i = 0; i < n; i++) {
        joined[i] = apart[k++] = tn_size_of(l, l->args[1].v.list[i]);
        if (i < added) continue;
        axes[i - added] = k;
        apart[k] = tn_lower_dim(l, x, i - added);
        joined[i] = tn_size_mul(l, joined[i], apart[k++]);
    }
    const tn_value spread = tn_lower_broadcast(l, x, apart, (uint32_t)k, axes);
    l->results[0] = tn_lower_reshape(l, spread, joined, (uint32_t)n);
    return TN_OK;
}

static tn_code roll_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    const uint32_t shifts = m->args[1].count, dims = m->args[2].count;
    tn_axes axes;
    TN_REQUIRE(m->cb, shifts == dims || (dims == 0 && shifts == 1),
               "%u shifts for %u dims; without dims one shift rolls all in row-major order",
               (unsigned)shifts, (unsigned)dims);
    if (dims > 0) TN_CHECK(tn_meta_axes(m, 2, self->ndim, &axes)); /* for its checks */
    return tn_meta_like(m, 0, self);
}

/* The last `shift` places of an axis first. */
static tn_value rolled(const tn_lower_context *l, tn_value x, int32_t axis, tn_arg shift) {
    const tn_dim n = tn_lower_dim(l, x, axis), zero = tn_size(l, 0);
    const tn_dim least = l->api->dim_op(l->b, TN_DIM_MAX, n, tn_size(l, 1));
    const tn_dim s = l->api->dim_op(l->b, TN_DIM_MOD, tn_size_of(l, shift), least);
    const tn_dim rest = tn_size_sub(l, n, s);
    const tn_value parts[2] = {tn__cut(l, x, axis, rest, s, 1), tn__cut(l, x, axis, zero, rest, 1)};
    return tn_lower_concat(l, parts, 2, axis);
}

static tn_code roll_lower(const tn_lower_context *l) {
    tn_value x = tn_lower_arg(l, 0);
    const tn_arg *shifts = &l->args[1], *dims = &l->args[2];
    tn_dim shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, x, shape);
    if (dims->count == 0) {
        const tn_dim n = tn_size_product(l, shape, rank);
        x = rolled(l, tn_lower_reshape(l, x, &n, 1), 0, shifts->v.list[0]);
        l->results[0] = tn_lower_reshape(l, x, shape, (uint32_t)rank);
        return TN_OK;
    }
    for (uint32_t i = 0; i < dims->count && rank > 0; i++) {
        int32_t axis;
        const int64_t dim = tn_lower_int(l, dims->v.list[i]);
        TN_CHECK(tn_normalize_axis(l->cb, dim, rank, &axis));
        x = rolled(l, x, axis, shifts->v.list[i]);
    }
    l->results[0] = x;
    return TN_OK;
}

TN_DEFINE_OPS(TN_JOIN_OPS)
