/* The ops that are matmul with something around it. As decompositions, so that whatever is
 * done for matmul, its templates included, is done for them. */
#include "linalg.h"

#include "operands.h"

static tn_code check_rank(const tn_meta_context *m, uint32_t index, const char *name,
                          int32_t rank) {
    const tn_tensor *t = m->args[index].v.tensor;
    TN_REQUIRE(m->cb, t->ndim == rank, "%s has %d axes; it must have %d", name, (int)t->ndim,
               (int)rank);
    return TN_OK;
}

static tn_code mm_meta(const tn_meta_context *m) {
    TN_CHECK(check_rank(m, 0, "self", 2));
    TN_CHECK(check_rank(m, 1, "mat2", 2));
    return tn__matmul_meta(m, 0);
}

/* No broadcasting of batches here. */
static tn_code check_batches(const tn_meta_context *m, uint32_t first) {
    const tn_tensor *a = m->args[first].v.tensor, *b = m->args[first + 1].v.tensor;
    TN_REQUIRE(m->cb, a->shape[0] == b->shape[0],
               "there are %lld and %lld matrices: tn::matmul broadcasts them",
               (long long)a->shape[0], (long long)b->shape[0]);
    return TN_OK;
}

static tn_code bmm_meta(const tn_meta_context *m) {
    TN_CHECK(check_rank(m, 0, "self", 3));
    TN_CHECK(check_rank(m, 1, "mat2", 3));
    TN_CHECK(check_batches(m, 0));
    return tn__matmul_meta(m, 0);
}

static tn_code mv_meta(const tn_meta_context *m) {
    TN_CHECK(check_rank(m, 0, "self", 2));
    TN_CHECK(check_rank(m, 1, "vec", 1));
    return tn__matmul_meta(m, 0);
}

static tn_code dot_meta(const tn_meta_context *m) {
    TN_CHECK(check_rank(m, 0, "self", 1));
    TN_CHECK(check_rank(m, 1, "tensor", 1));
    return tn__matmul_meta(m, 0);
}

static tn_value matmul(const tn_lower_context *l, tn_value a, tn_value b) {
    const tn_arg args[2] = {tn_arg_value(a), tn_arg_value(b)};
    return tn_lower_call(l, "tn::matmul", args, 2);
}

static tn_code product_lower(const tn_lower_context *l) {
    l->results[0] = matmul(l, tn_lower_arg(l, 0), tn_lower_arg(l, 1));
    return TN_OK;
}

/* ------------------------------------------------------------------ linear */

static tn_code linear_meta(const tn_meta_context *m) {
    const tn_tensor *input = m->args[0].v.tensor, *weight = m->args[1].v.tensor, *bias;
    int64_t shape[TN_LOWER_MAX_RANK], turned[2], strides[2] = {0, 0};
    int32_t ndim;
    TN_CHECK(tn_get_tensor_or_null(m->cb, m->args, m->n_args, 2, &bias));
    TN_REQUIRE(m->cb, weight->ndim == 2 || weight->ndim == 1,
               "weight has %d axes; it must have 1 or 2", (int)weight->ndim);
    TN_REQUIRE(m->cb, tn_same_dtype(input->dtype, weight->dtype),
               "input is %s, weight %s: convert one with tn::to", tn_dtype_name(input->dtype),
               tn_dtype_name(weight->dtype));
    TN_REQUIRE(m->cb, tn_kind(input->dtype) > 0, "it takes integers and floats, not %s",
               tn_dtype_name(input->dtype));
    tn_tensor w = *weight;
    if (weight->ndim == 2) {
        turned[0] = weight->shape[1];
        turned[1] = weight->shape[0];
        w.shape = turned;
        w.strides = strides;
    }
    TN_CHECK(tn__matmul_shape(m->cb, input, &w, &ndim, shape));
    if (bias) {
        const int32_t before = ndim;
        TN_REQUIRE(m->cb, tn_same_dtype(input->dtype, bias->dtype),
                   "input is %s, bias %s: convert one with tn::to", tn_dtype_name(input->dtype),
                   tn_dtype_name(bias->dtype));
        TN_REQUIRE(m->cb,
                   bias->ndim == weight->ndim - 1 &&
                       (bias->ndim == 0 || bias->shape[0] == weight->shape[0]),
                   "bias has %d axes%s; it must be one number for each row of weight",
                   (int)bias->ndim, bias->ndim == 1 ? " of another extent" : "");
        TN_CHECK(tn_broadcast_with(m->cb, bias, &ndim, shape));
        TN_REQUIRE(m->cb, ndim == before, "bias has more axes than the product");
    }
    return tn_meta_contiguous(m, 0, input->dtype, ndim, shape);
}

static tn_code linear_lower(const tn_lower_context *l) {
    static const int64_t turn[2] = {1, 0};
    tn_value weight = tn_lower_arg(l, 1);
    if (tn_lower_rank(l, weight) == 2) weight = tn_lower_permute(l, weight, turn);
    tn_value y = matmul(l, tn_lower_arg(l, 0), weight);
    if (!tn_lower_is_none(l, 2)) {
        tn_dim shape[TN_LOWER_MAX_RANK];
        const int32_t rank = tn_lower_shape(l, y, shape);
        y = tn_lower_add(l, y, tn_lower_broadcast_to(l, tn_lower_arg(l, 2), shape, rank));
    }
    l->results[0] = y;
    return TN_OK;
}

/* ------------------------------------------------------------------- addmm */

/* beta and alpha must be of the kind that the product is of. */
static tn_code check_factor(const tn_meta_context *m, uint32_t index, const char *name) {
    const tn_arg *factor = &m->args[index];
    const tn_dtype dtype = m->args[0].v.tensor->dtype;
    TN_REQUIRE(m->cb, factor->tag != TN_TAG_FLOAT || tn_is_float(dtype),
               "%s is %g, a float, but the operands are %s: an integer is needed", name,
               factor->v.f, tn_dtype_name(dtype));
    return TN_OK;
}

static tn_code added_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor, *a = m->args[1].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t ndim, joined;
    TN_REQUIRE(m->cb, tn_same_dtype(self->dtype, a->dtype),
               "self is %s, the factors are %s: convert one with tn::to",
               tn_dtype_name(self->dtype), tn_dtype_name(a->dtype));
    TN_CHECK(check_factor(m, 3, "beta"));
    TN_CHECK(check_factor(m, 4, "alpha"));
    TN_CHECK(tn__matmul_shape(m->cb, a, m->args[2].v.tensor, &ndim, shape));
    int64_t widened[TN_LOWER_MAX_RANK];
    memcpy(widened, shape, sizeof widened);
    joined = ndim;
    TN_CHECK(tn_broadcast_with(m->cb, self, &joined, widened));
    TN_REQUIRE(m->cb, joined == ndim && memcmp(widened, shape, (size_t)ndim * sizeof *shape) == 0,
               "self does not broadcast to the shape of the product");
    return tn__matmul_meta(m, 1);
}

static tn_code addmm_meta(const tn_meta_context *m) {
    TN_CHECK(check_rank(m, 1, "mat1", 2));
    TN_CHECK(check_rank(m, 2, "mat2", 2));
    return added_meta(m);
}

static tn_code baddbmm_meta(const tn_meta_context *m) {
    TN_CHECK(check_rank(m, 1, "batch1", 3));
    TN_CHECK(check_rank(m, 2, "batch2", 3));
    TN_CHECK(check_batches(m, 1));
    return added_meta(m);
}

static int is_number(const tn_arg *arg, double value) {
    return (arg->tag == TN_TAG_INT && (double)arg->v.i == value) ||
           (arg->tag == TN_TAG_FLOAT && arg->v.f == value);
}

static tn_value scaled(const tn_lower_context *l, const tn_arg *factor, tn_value x) {
    return is_number(factor, 1.0) ? x : tn_lower_mul(l, tn_lower_scalar_like(l, x, *factor), x);
}

/* With beta 0 self, which may hold NaN, has no part. */
static tn_code addmm_lower(const tn_lower_context *l) {
    tn_dim shape[TN_LOWER_MAX_RANK];
    tn_value y = scaled(l, &l->args[4], matmul(l, tn_lower_arg(l, 1), tn_lower_arg(l, 2)));
    if (!is_number(&l->args[3], 0.0)) {
        const int32_t rank = tn_lower_shape(l, y, shape);
        const tn_value self = tn_lower_broadcast_to(l, tn_lower_arg(l, 0), shape, rank);
        y = tn_lower_add(l, scaled(l, &l->args[3], self), y);
    }
    l->results[0] = y;
    return TN_OK;
}

#define DEFINE(id, schema_, doc_, meta_, lower_, traits_)                                          \
    const tn_op_desc tn__op_##id = {                                                               \
        TN_SIZED(tn_op_desc), .schema = schema_,   .doc = doc_,                                    \
        .meta = meta_,        .decompose = lower_, .traits = (traits_)};
TN_DECLARE_OPS(TN_PRODUCT_OPS)
TN_PRODUCT_OPS(DEFINE)
