/* The ops of this plugin. All but matmul are stated in terms of it. */
#ifndef TN_LINALG_H
#define TN_LINALG_H

#include "define.h"

/* clang-format off */
#define TN_PRODUCT_OPS(OP)                                                                         \
OP(mm, "tn::mm(Tensor self, Tensor mat2) -> Tensor",                                               \
   "Product of two matrices.", mm_meta, product_lower, TN_PURE)                                    \
OP(bmm, "tn::bmm(Tensor self, Tensor mat2) -> Tensor",                                             \
   "Product of two batches of matrices.", bmm_meta, product_lower, TN_PURE)                        \
OP(mv, "tn::mv(Tensor self, Tensor vec) -> Tensor",                                                \
   "Product of a matrix and a vector.", mv_meta, product_lower, TN_PURE)                           \
OP(dot, "tn::dot(Tensor self, Tensor tensor) -> Tensor",                                           \
   "Inner product of two vectors.", dot_meta, product_lower, TN_PURE)                              \
OP(linear, "tn::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",                 \
   "input @ weight.T + bias.", linear_meta, linear_lower, TN_PURE)                                 \
OP(addmm, "tn::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", \
   "beta * self + alpha * (mat1 @ mat2); with beta 0 self is not read.",                           \
   addmm_meta, addmm_lower, TN_PURE)                                                               \
OP(baddbmm, "tn::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", \
   "beta * self + alpha * (batch1 @ batch2); with beta 0 self is not read.",                       \
   baddbmm_meta, addmm_lower, TN_PURE)
/* clang-format on */

#define TN_MATMUL_SCHEMA "tn::matmul(Tensor self, Tensor other) -> Tensor"
extern const tn_op_desc tn__op_matmul;

/* The meta function of matmul, for arguments `first` and `first + 1`. */
tn_code tn__matmul_meta(const tn_meta_context *m, uint32_t first);
/* Its result's shape. */
tn_code tn__matmul_shape(const tn_callback *cb, const tn_tensor *a, const tn_tensor *b,
                         int32_t *out_ndim, int64_t shape[TN_LOWER_MAX_RANK]);

#endif
