/* Other shapes for the same elements. */
#include "shape.h"

#include "dims.h"

/* -------------------------------------------------------- reshape, unflatten */

/* Fills in the -1 among n extents that hold `elements` together. */
static tn_code fill_extents(const tn_callback *cb, int64_t *extents, uint32_t n, int64_t elements) {
    int64_t product = 1;
    int32_t open = -1;
    for (uint32_t i = 0; i < n; i++) {
        TN_REQUIRE(cb, extents[i] >= -1, "extent %u is %lld", (unsigned)i, (long long)extents[i]);
        if (extents[i] >= 0) {
            TN_REQUIRE(cb, !__builtin_mul_overflow(product, extents[i], &product),
                       "the extents are too large");
            continue;
        }
        TN_REQUIRE(cb, open < 0, "two extents are -1; only one can be worked out");
        open = (int32_t)i;
    }
    if (open >= 0) {
        TN_REQUIRE(cb, product != 0, "an extent of -1 beside one of 0 could be anything");
        extents[open] = elements / product;
        product *= extents[open];
    }
    TN_REQUIRE(cb, product == elements, "%lld elements do not fill the shape, which takes %lld",
               (long long)elements, (long long)product);
    return TN_OK;
}

static tn_code reshape_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    uint32_t n;
    TN_CHECK(tn_get_ints(m->cb, m->args, m->n_args, 1, shape, TN_LOWER_MAX_RANK, &n));
    TN_CHECK(fill_extents(m->cb, shape, n, tn_numel(self)));
    return tn_meta_contiguous(m, 0, self->dtype, (int32_t)n, shape);
}

static int is_open(const tn_arg *item) {
    return item->tag == TN_TAG_INT && item->v.i == -1;
}

/* The sizes of a list, the -1 among them worked out from how many elements they hold. */
static void read_sizes(const tn_lower_context *l, const tn_arg *list, tn_dim elements,
                       tn_dim *out) {
    tn_dim product = tn_size(l, 1);
    for (uint32_t i = 0; i < list->count; i++) {
        if (is_open(&list->v.list[i])) continue;
        out[i] = tn_size_of(l, list->v.list[i]);
        product = tn_size_mul(l, product, out[i]);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (!is_open(&list->v.list[i])) continue;
        out[i] = l->api->dim_op(l->b, TN_DIM_FLOORDIV, elements, product);
    }
}

static tn_code reshape_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    tn_dim own[TN_LOWER_MAX_RANK], shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, x, own);
    read_sizes(l, &l->args[1], tn_size_product(l, own, rank), shape);
    l->results[0] = tn_lower_reshape(l, x, shape, l->args[1].count);
    return TN_OK;
}

static tn_code unflatten_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK], sizes[TN_LOWER_MAX_RANK];
    uint32_t n;
    int32_t axis;
    TN_REQUIRE(m->cb, self->ndim > 0, "self has no axis");
    TN_CHECK(tn_normalize_axis(m->cb, m->args[1].v.i, self->ndim, &axis));
    TN_CHECK(tn_get_ints(m->cb, m->args, m->n_args, 2, sizes, TN_LOWER_MAX_RANK, &n));
    TN_REQUIRE(m->cb, n > 0 && self->ndim - 1 + (int32_t)n <= TN_LOWER_MAX_RANK,
               "%u sizes; there must be one at least, and %d axes at most in the end", (unsigned)n,
               TN_LOWER_MAX_RANK);
    TN_CHECK(fill_extents(m->cb, sizes, n, self->shape[axis]));
    memcpy(shape, self->shape, (size_t)axis * sizeof *shape);
    memcpy(shape + axis, sizes, n * sizeof *shape);
    memcpy(shape + axis + n, self->shape + axis + 1,
           (size_t)(self->ndim - axis - 1) * sizeof *shape);
    return tn_meta_contiguous(m, 0, self->dtype, self->ndim - 1 + (int32_t)n, shape);
}

static tn_code unflatten_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    const uint32_t n = l->args[2].count;
    tn_dim own[TN_LOWER_MAX_RANK], shape[2 * TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, x, own);
    int32_t axis;
    TN_CHECK(tn_lower_axis(l, 1, rank, &axis));
    memcpy(shape, own, (size_t)axis * sizeof *shape);
    read_sizes(l, &l->args[2], own[axis], shape + axis);
    memcpy(shape + axis + n, own + axis + 1, (size_t)(rank - axis - 1) * sizeof *shape);
    l->results[0] = tn_lower_reshape(l, x, shape, (uint32_t)rank - 1 + n);
    return TN_OK;
}

/* ------------------------------------------------------------------ flatten */

static tn_code flatten_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t first, last, n = 0;
    TN_CHECK(tn_normalize_axis(m->cb, m->args[1].v.i, self->ndim, &first));
    TN_CHECK(tn_normalize_axis(m->cb, m->args[2].v.i, self->ndim, &last));
    TN_REQUIRE(m->cb, first <= last, "start_dim, %d, is behind end_dim, %d", (int)first, (int)last);
    for (int32_t i = 0; i < first; i++)
        shape[n++] = self->shape[i];
    shape[n++] = self->ndim == 0 ? 1 : tn_product(self->shape + first, last - first + 1);
    for (int32_t i = last + 1; i < self->ndim; i++)
        shape[n++] = self->shape[i];
    return tn_meta_contiguous(m, 0, self->dtype, n, shape);
}

static tn_code flatten_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    tn_dim own[TN_LOWER_MAX_RANK], shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, x, own);
    int32_t first, last, n = 0;
    TN_CHECK(tn_lower_axis(l, 1, rank, &first));
    TN_CHECK(tn_lower_axis(l, 2, rank, &last));
    for (int32_t i = 0; i < first; i++)
        shape[n++] = own[i];
    shape[n++] = tn_size_product(l, own + first, rank == 0 ? 0 : last - first + 1);
    for (int32_t i = last + 1; i < rank; i++)
        shape[n++] = own[i];
    l->results[0] = tn_lower_reshape(l, x, shape, (uint32_t)n);
    return TN_OK;
}

/* ------------------------------------------------------- squeeze, unsqueeze */

static tn_code squeeze_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t n = 0;
    tn_axes axes;
    TN_CHECK(tn_meta_axes(m, 1, self->ndim, &axes));
    if (m->args[1].tag == TN_TAG_LIST && m->args[1].count == 0) axes.mask = 0;
    for (int32_t i = 0; i < self->ndim; i++) {
        if (!(axes.mask >> i & 1u) || self->shape[i] != 1) shape[n++] = self->shape[i];
    }
    return tn_meta_contiguous(m, 0, self->dtype, n, shape);
}

static tn_code squeeze_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    const tn_dim one = tn_size(l, 1);
    tn_dim own[TN_LOWER_MAX_RANK], shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, x, own);
    int32_t n = 0;
    tn_axes axes;
    TN_CHECK(tn_lower_axes(l, 1, rank, &axes));
    if (l->args[1].tag == TN_TAG_LIST && l->args[1].count == 0) axes.mask = 0;
    for (int32_t i = 0; i < rank; i++) {
        if (!(axes.mask >> i & 1u) || !l->api->dim_equal(l->b, own[i], one)) shape[n++] = own[i];
    }
    l->results[0] = n == rank ? x : tn_lower_reshape(l, x, shape, (uint32_t)n);
    return TN_OK;
}

static tn_code unsqueeze_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t axis;
    TN_REQUIRE(m->cb, self->ndim < TN_LOWER_MAX_RANK, "self has %d axes already", (int)self->ndim);
    TN_CHECK(tn_normalize_axis(m->cb, m->args[1].v.i, self->ndim + 1, &axis));
    memcpy(shape, self->shape, (size_t)axis * sizeof *shape);
    shape[axis] = 1;
    memcpy(shape + axis + 1, self->shape + axis, (size_t)(self->ndim - axis) * sizeof *shape);
    return tn_meta_contiguous(m, 0, self->dtype, self->ndim + 1, shape);
}

static tn_code unsqueeze_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    int32_t axis;
    TN_CHECK(tn_lower_axis(l, 1, tn_lower_rank(l, x) + 1, &axis));
    l->results[0] = tn__put_axis(l, x, axis);
    return TN_OK;
}

tn_value tn__put_axis(const tn_lower_context *l, tn_value x, int32_t axis) {
    tn_dim shape[TN_LOWER_MAX_RANK + 1];
    const int32_t rank = tn_lower_shape(l, x, shape);
    memmove(shape + axis + 1, shape + axis, (size_t)(rank - axis) * sizeof *shape);
    shape[axis] = tn_size(l, 1);
    return tn_lower_reshape(l, x, shape, (uint32_t)rank + 1);
}

tn_value tn__drop_axis(const tn_lower_context *l, tn_value x, int32_t axis) {
    tn_dim shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, x, shape);
    memmove(shape + axis, shape + axis + 1, (size_t)(rank - axis - 1) * sizeof *shape);
    return tn_lower_reshape(l, x, shape, (uint32_t)rank - 1);
}

/* ------------------------------------------------------------------- expand */

static tn_code expand_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t size[TN_LOWER_MAX_RANK];
    uint32_t n;
    TN_CHECK(tn_get_ints(m->cb, m->args, m->n_args, 1, size, TN_LOWER_MAX_RANK, &n));
    const int32_t added = (int32_t)n - self->ndim;
    TN_REQUIRE(m->cb, added >= 0, "%u sizes for %d axes: there must be one for each at least",
               (unsigned)n, (int)self->ndim);
    for (int32_t i = 0; i < (int32_t)n; i++) {
        const int64_t own = i < added ? 1 : self->shape[i - added];
        TN_REQUIRE(m->cb, size[i] >= 0 || (size[i] == -1 && i >= added),
                   "size %d is %lld; -1 keeps an extent that self has", (int)i, (long long)size[i]);
        if (size[i] == -1) size[i] = own;
        TN_REQUIRE(m->cb, own == size[i] || own == 1,
                   "axis %d of self has extent %lld: it cannot become %lld", (int)(i - added),
                   (long long)own, (long long)size[i]);
    }
    return tn_meta_contiguous(m, 0, self->dtype, (int32_t)n, size);
}

static tn_code expand_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    const tn_arg *list = &l->args[1];
    const int32_t n = (int32_t)list->count, added = n - tn_lower_rank(l, x);
    tn_dim size[TN_LOWER_MAX_RANK];
    for (int32_t i = 0; i < n; i++) {
        size[i] = is_open(&list->v.list[i]) ? tn_lower_dim(l, x, i - added)
                                            : tn_size_of(l, list->v.list[i]);
    }
    l->results[0] = tn_lower_broadcast_to(l, x, size, n);
    return TN_OK;
}

static tn_code contiguous_meta(const tn_meta_context *m) {
    return tn_meta_like(m, 0, m->args[0].v.tensor);
}

static tn_code contiguous_lower(const tn_lower_context *l) {
    l->results[0] = tn_lower_arg(l, 0);
    return TN_OK;
}

TN_DEFINE_OPS(TN_VIEW_OPS)
