/* matmul: what it is. How it is computed is in gemm.c. */
#include "linalg.h"

#include "gemm.h"
#include "gemm_template.h"
#include "operands.h"

tn_code tn__matmul_shape(const tn_callback *cb, const tn_tensor *a, const tn_tensor *b,
                         int32_t *out_ndim, int64_t shape[TN_LOWER_MAX_RANK]) {
    TN_REQUIRE(cb, a->ndim >= 1 && b->ndim >= 1,
               "both must have at least one axis; they have %d and %d", (int)a->ndim, (int)b->ndim);
    const int64_t inner_a = a->shape[a->ndim - 1];
    const int64_t inner_b = b->shape[b->ndim == 1 ? 0 : b->ndim - 2];
    TN_REQUIRE(cb, inner_a == inner_b,
               "the last axis of the first is %lld, the %s axis of the second %lld: they are "
               "summed over and must agree",
               (long long)inner_a, b->ndim == 1 ? "only" : "last but one", (long long)inner_b);
    const tn_tensor batch_a = {.ndim = a->ndim > 2 ? a->ndim - 2 : 0, .shape = a->shape};
    const tn_tensor batch_b = {.ndim = b->ndim > 2 ? b->ndim - 2 : 0, .shape = b->shape};
    TN_CHECK(tn_broadcast_shape(cb, &batch_a, &batch_b, out_ndim, shape));
    if (a->ndim > 1) shape[(*out_ndim)++] = a->shape[a->ndim - 2];
    if (b->ndim > 1) shape[(*out_ndim)++] = b->shape[b->ndim - 1];
    return TN_OK;
}

tn_code tn__matmul_meta(const tn_meta_context *m, uint32_t first) {
    const tn_tensor *a = m->args[first].v.tensor, *b = m->args[first + 1].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t ndim;
    TN_REQUIRE(m->cb, tn_same_dtype(a->dtype, b->dtype),
               "the factors are %s and %s: convert one with tn::to", tn_dtype_name(a->dtype),
               tn_dtype_name(b->dtype));
    TN_REQUIRE(m->cb, tn_kind(a->dtype) > 0, "it takes integers and floats, not %s",
               tn_dtype_name(a->dtype));
    TN_CHECK(tn__matmul_shape(m->cb, a, b, &ndim, shape));
    return tn_meta_contiguous(m, 0, a->dtype, ndim, shape);
}

static tn_code matmul_meta(const tn_meta_context *m) {
    return tn__matmul_meta(m, 0);
}

/* v with an axis of extent 1 put in at `axis`. */
static tn_value with_axis(const tn_lower_context *l, tn_value v, int32_t axis) {
    tn_dim shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, v, shape);
    memmove(shape + axis + 1, shape + axis, (size_t)(rank - axis) * sizeof *shape);
    shape[axis] = l->api->dim_const(l->b, 1);
    return tn_lower_reshape(l, v, shape, (uint32_t)rank + 1);
}

/* v, of at least two axes, with its leading axes broadcast to these. */
static tn_value with_batch(const tn_lower_context *l, tn_value v, const tn_dim *batch,
                           int32_t n_batch) {
    tn_dim shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_rank(l, v);
    memcpy(shape, batch, (size_t)n_batch * sizeof *shape);
    shape[n_batch] = tn_lower_dim(l, v, rank - 2);
    shape[n_batch + 1] = tn_lower_dim(l, v, rank - 1);
    return tn_lower_broadcast_to(l, v, shape, n_batch + 2);
}

/* The leading axes that a and b, of at least two axes each, broadcast to. */
static int32_t common_batch(const tn_lower_context *l, tn_value a, tn_value b,
                            tn_dim out[TN_LOWER_MAX_RANK]) {
    const int32_t na = tn_lower_rank(l, a) - 2, nb = tn_lower_rank(l, b) - 2;
    const int32_t n = na > nb ? na : nb;
    const tn_dim one = l->api->dim_const(l->b, 1);
    for (int32_t i = 0; i < n; i++) {
        const int32_t ia = i - (n - na), ib = i - (n - nb);
        out[i] = ia < 0 ? one : tn_lower_dim(l, a, ia);
        if (ib >= 0 && l->api->dim_equal(l->b, out[i], one)) out[i] = tn_lower_dim(l, b, ib);
    }
    return n;
}

static tn_code matmul_lower(const tn_lower_context *l) {
    tn_value a = tn_lower_arg(l, 0), b = tn_lower_arg(l, 1);
    const int a_is_row = tn_lower_rank(l, a) == 1, b_is_column = tn_lower_rank(l, b) == 1;
    tn_dim shape[TN_LOWER_MAX_RANK];
    if (a_is_row) a = with_axis(l, a, 0);
    if (b_is_column) b = with_axis(l, b, 1);
    int32_t n = common_batch(l, a, b, shape);
    const tn_value y = tn_lower_matmul(l, with_batch(l, a, shape, n), with_batch(l, b, shape, n));
    if (!a_is_row) shape[n++] = tn_lower_dim(l, y, tn_lower_rank(l, y) - 2);
    if (!b_is_column) shape[n++] = tn_lower_dim(l, y, tn_lower_rank(l, y) - 1);
    l->results[0] = a_is_row || b_is_column ? tn_lower_reshape(l, y, shape, (uint32_t)n) : y;
    return TN_OK;
}

static tn_code matmul_cost(const tn_callback *cb, const tn_problem *problem, double *out_bytes,
                           double *out_flops) {
    const tn_tensor *a = problem->args[0].v.tensor, *b = problem->args[1].v.tensor;
    const tn_tensor *y = problem->results[0].v.tensor;
    const double elements = (double)tn_numel(a) + (double)tn_numel(b) + (double)tn_numel(y);
    (void)cb;
    *out_bytes = elements * y->dtype.bits / 8;
    *out_flops = 2.0 * (double)tn_numel(y) * (double)a->shape[a->ndim - 1];
    return TN_OK;
}

static const tn_kernel cpu = {TN_SIZED(tn_kernel), .device_type = TN_DEVICE_CPU,
                              .flags = TN_KERNEL_STRIDED_INPUTS, .workspace = tn__gemm_workspace,
                              .run = tn__gemm_run};
static const tn_kernel *const kernels[] = {&cpu};
static const tn_template *const templates[] = {&tn__gemm_template};

const tn_op_desc tn__op_matmul = {TN_SIZED(tn_op_desc),
                                  .schema = TN_MATMUL_SCHEMA,
                                  .doc = "Product over the last axis of self and the last but one "
                                         "of other, by matrix, vector or batch.",
                                  .meta = matmul_meta,
                                  .kernels = kernels,
                                  .n_kernels = TN_COUNT(kernels),
                                  .traits = TN_PURE,
                                  .lower = matmul_lower,
                                  .templates = templates,
                                  .n_templates = TN_COUNT(templates),
                                  .cost = matmul_cost};
