/* Elements chosen by other elements. What a negative or too large index names is 0: a
 * result must not depend on when it is looked at, so there is no error then. */
#include "shape.h"

#include "dims.h"

static tn_code check_index(const tn_meta_context *m, uint32_t index, const char *name) {
    const tn_dtype t = m->args[index].v.tensor->dtype;
    TN_REQUIRE(m->cb, t.code == TN_TYPE_INT && t.bits >= 32, "%s is %s; it must be i32 or i64",
               name, tn_dtype_name(t));
    return TN_OK;
}

static tn_code index_select_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor, *index = m->args[2].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t axis;
    TN_REQUIRE(m->cb, self->ndim > 0, "self has no axis to choose from");
    TN_CHECK(check_index(m, 2, "index"));
    TN_REQUIRE(m->cb, index->ndim <= 1,
               "index has %d axes; it must be a vector: tn::gather and "
               "tn::embedding take others",
               (int)index->ndim);
    TN_CHECK(tn_normalize_axis(m->cb, m->args[1].v.i, self->ndim, &axis));
    memcpy(shape, self->shape, (size_t)self->ndim * sizeof *shape);
    shape[axis] = index->ndim == 0 ? 1 : index->shape[0];
    return tn_meta_contiguous(m, 0, self->dtype, self->ndim, shape);
}

static tn_code index_select_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    tn_value index = tn_lower_arg(l, 2);
    int32_t axis;
    TN_CHECK(tn_lower_axis(l, 1, tn_lower_rank(l, x), &axis));
    if (tn_lower_rank(l, index) == 0) index = tn__put_axis(l, index, 0);
    l->results[0] = tn_lower_take(l, x, index, axis);
    return TN_OK;
}

static tn_code embedding_meta(const tn_meta_context *m) {
    const tn_tensor *weight = m->args[0].v.tensor, *indices = m->args[1].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK + 1];
    TN_REQUIRE(m->cb, weight->ndim == 2, "weight has %d axes; it must have 2", (int)weight->ndim);
    TN_CHECK(check_index(m, 1, "indices"));
    memcpy(shape, indices->shape, (size_t)indices->ndim * sizeof *shape);
    shape[indices->ndim] = weight->shape[1];
    return tn_meta_contiguous(m, 0, weight->dtype, indices->ndim + 1, shape);
}

static tn_code embedding_lower(const tn_lower_context *l) {
    l->results[0] = tn_lower_take(l, tn_lower_arg(l, 0), tn_lower_arg(l, 1), 0);
    return TN_OK;
}

/* ------------------------------------------------------------------- gather */

static tn_code gather_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor, *index = m->args[2].v.tensor;
    int32_t axis;
    TN_CHECK(check_index(m, 2, "index"));
    TN_REQUIRE(m->cb, index->ndim == self->ndim, "index has %d axes, self %d", (int)index->ndim,
               (int)self->ndim);
    TN_CHECK(tn_normalize_axis(m->cb, m->args[1].v.i, self->ndim, &axis));
    for (int32_t i = 0; i < self->ndim; i++) {
        TN_REQUIRE(m->cb, i == axis || index->shape[i] <= self->shape[i],
                   "axis %d of index, %lld, is beyond that of self, %lld", (int)i,
                   (long long)index->shape[i], (long long)self->shape[i]);
    }
    return tn_meta_like_as(m, 0, index, self->dtype);
}

/* Where each element lies in self, row-major: its own coordinates, but index along the
 * axis; -1 where that is outside. */
static tn_value linear_places(const tn_lower_context *l, tn_value x, tn_value index, int32_t axis) {
    const tn_dtype i64 = tn_dtype_of_I64();
    tn_dim shape[TN_LOWER_MAX_RANK], own[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, index, shape);
    (void)tn_lower_shape(l, x, own);
    const tn_value wide = tn_lower_cast(l, index, i64);
    tn_value at = tn_lower_scalar_like(l, wide, tn_arg_int(0));
    for (int32_t i = 0; i < rank; i++) {
        const tn_value place = i == axis ? wide : tn_lower_iota(l, shape, (uint32_t)rank, i, i64);
        const tn_dim extent = own[i];
        at = tn_lower_mul(l, at, tn_lower_scalar_like(l, at, tn_arg_dim(extent)));
        at = tn_lower_add(l, at, place);
    }
    const tn_value zero = tn_lower_scalar_like(l, wide, tn_arg_int(0));
    const tn_value n = tn_lower_scalar_like(l, wide, tn_arg_dim(own[axis]));
    const tn_value inside = tn_lower_and(l, tn_lower_ge(l, wide, zero), tn_lower_lt(l, wide, n));
    return tn_lower_select(l, inside, at, tn_lower_scalar_like(l, wide, tn_arg_int(-1)));
}

static tn_code gather_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0), index = tn_lower_arg(l, 2);
    tn_dim shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, x, shape);
    int32_t axis;
    TN_CHECK(tn_lower_axis(l, 1, rank, &axis));
    const tn_dim n = tn_size_product(l, shape, rank);
    const tn_value flat = tn_lower_reshape(l, x, &n, 1);
    if (rank == 0) { /* both are one element */
        l->results[0] = tn_lower_take(l, flat, index, 0);
        return TN_OK;
    }
    l->results[0] = tn_lower_take(l, flat, linear_places(l, x, index, axis), 0);
    return TN_OK;
}

TN_DEFINE_OPS(TN_INDEX_OPS)
