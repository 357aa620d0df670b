/* The ops of this plugin. `dim` may be an int, a list or None wherever PyTorch has an
 * overload for it, so that one schema covers them. */
#ifndef TN_REDUCE_H
#define TN_REDUCE_H

#include "define.h"

/* clang-format off */
#define TN_SUM_OPS(OP)                                                                             \
OP(sum, "tn::sum(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", \
   "Sum; of integers and bools in i64.", sum_meta, sum_lower, TN_PURE)                             \
OP(prod, "tn::prod(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", \
   "Product; of integers and bools in i64.", sum_meta, prod_lower, TN_PURE)                        \
OP(mean, "tn::mean(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", \
   "Mean of floats.", mean_meta, mean_lower, TN_PURE)                                              \
OP(logsumexp, "tn::logsumexp(Tensor self, int[] dim, bool keepdim=False) -> Tensor",               \
   "log(sum(exp(x))) that does not overflow.", logsumexp_meta, logsumexp_lower, TN_PURE)

#define TN_EXTREME_OPS(OP)                                                                         \
OP(amax, "tn::amax(Tensor self, int[] dim=[], bool keepdim=False) -> Tensor",                      \
   "Largest; NaN if one is.", amax_meta, amax_lower, TN_PURE)                                      \
OP(amin, "tn::amin(Tensor self, int[] dim=[], bool keepdim=False) -> Tensor",                      \
   "Smallest; NaN if one is.", amax_meta, amin_lower, TN_PURE)                                     \
OP(max, "tn::max(Tensor self) -> Tensor",                                                          \
   "Largest of all; NaN if one is.", max_meta, max_lower, TN_PURE)                                 \
OP(min, "tn::min(Tensor self) -> Tensor",                                                          \
   "Smallest of all; NaN if one is.", max_meta, min_lower, TN_PURE)                                \
OP(max_dim, "tn::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", \
   "Largest along dim, and where the first of them is.", max_dim_meta, max_dim_lower, TN_PURE)     \
OP(min_dim, "tn::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", \
   "Smallest along dim, and where the first of them is.", max_dim_meta, min_dim_lower, TN_PURE)    \
OP(argmax, "tn::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",                 \
   "Where the first largest is, NaN being largest; None: in row-major order of all.",              \
   argmax_meta, argmax_lower, TN_PURE)                                                             \
OP(argmin, "tn::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",                 \
   "Where the first smallest is, NaN being smallest; None: in row-major order of all.",            \
   argmax_meta, argmin_lower, TN_PURE)                                                             \
OP(any, "tn::any(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",                     \
   "Whether one is not zero; u8 stays u8.", any_meta, any_lower, TN_PURE)                          \
OP(all, "tn::all(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",                     \
   "Whether none is zero; u8 stays u8.", any_meta, all_lower, TN_PURE)

#define TN_SPREAD_OPS(OP)                                                                          \
OP(var, "tn::var(Tensor self, int[]? dim=None, *, int correction=1, bool keepdim=False) -> Tensor", \
   "Variance; divides by max(0, n - correction).", var_meta, var_lower, TN_PURE)                   \
OP(std, "tn::std(Tensor self, int[]? dim=None, *, int correction=1, bool keepdim=False) -> Tensor", \
   "Standard deviation, in f64 inside.", var_meta, std_lower, TN_PURE)                             \
OP(var_mean, "tn::var_mean(Tensor self, int[]? dim=None, *, int correction=1, bool keepdim=False) -> (Tensor, Tensor)", \
   "Variance and mean.", var_mean_meta, var_mean_lower, TN_PURE)                                   \
OP(std_mean, "tn::std_mean(Tensor self, int[]? dim=None, *, int correction=1, bool keepdim=False) -> (Tensor, Tensor)", \
   "Standard deviation and mean.", var_mean_meta, std_mean_lower, TN_PURE)
/* clang-format on */

#endif
