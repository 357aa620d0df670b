/* The ops of this plugin. An entry of TN_ACTIVATION is
 *
 *     X(OP, id, signature, doc, value)
 *
 * with value what it gives, in primitives, for x, widened to f32 where narrower. */
#ifndef TN_NN_H
#define TN_NN_H

#include "define.h"

/* clang-format off */
#define TN_ACTIVATION(X, OP)                                                                       \
X(OP, gelu, "tn::gelu(Tensor self, *, str approximate=\"none\") -> Tensor",                        \
  "x * Phi(x); approximate \"tanh\" for the form with tanh.", gelu(l, x))                          \
X(OP, silu, "tn::silu(Tensor self) -> Tensor", "x * sigmoid(x).", gated(l, x, x))               \
X(OP, mish, "tn::mish(Tensor self) -> Tensor", "x * tanh(softplus(x)).", mish(l, x))               \
X(OP, elu, "tn::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", \
  "scale * x above 0, else scale * alpha * (e^(input_scale * x) - 1).", elu(l, x))                 \
X(OP, selu, "tn::selu(Tensor self) -> Tensor", "elu with the constants that keep a spread of 1.", selu(l, x)) \
X(OP, softplus, "tn::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",         \
  "log(1 + e^(beta * x)) / beta; x where beta * x is above the threshold.", softplus(l, x))        \
X(OP, softsign, "tn::softsign(Tensor self) -> Tensor", "x / (1 + |x|).", softsign(l, x))           \
X(OP, log_sigmoid, "tn::log_sigmoid(Tensor self) -> Tensor", "log(sigmoid(x)).", log_sigmoid(l, x)) \
X(OP, hardsigmoid, "tn::hardsigmoid(Tensor self) -> Tensor", "clamp(x + 3, 0, 6) / 6.", hardsigmoid(l, x)) \
X(OP, hardswish, "tn::hardswish(Tensor self) -> Tensor", "x * clamp(x + 3, 0, 6) / 6.", hardswish(l, x))

#define TN_ACTIVATION_OP(OP, id, signature, doc, value)                                            \
OP(id, signature, doc, activation_meta, id##_lower, TN_POINTWISE)
#define TN_ACTIVATION_OPS(OP) TN_ACTIVATION(TN_ACTIVATION_OP, OP)

#define TN_RELU_OPS(OP)                                                                            \
OP(relu, "tn::relu(Tensor self) -> Tensor", "max(x, 0).", relu_meta, relu_lower, TN_POINTWISE)     \
OP(relu6, "tn::relu6(Tensor self) -> Tensor", "clamp(x, 0, 6).", relu_meta, relu6_lower, TN_POINTWISE) \
OP(leaky_relu, "tn::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",                \
   "x above 0, else negative_slope * x.", leaky_relu_meta, leaky_relu_lower, TN_POINTWISE)         \
OP(hardtanh, "tn::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",           \
   "clamp(x, min_val, max_val).", relu_meta, hardtanh_lower, TN_POINTWISE)

#define TN_SOFTMAX_OPS(OP)                                                                         \
OP(softmax, "tn::softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",                 \
   "e^x over its sum along dim.", softmax_meta, softmax_lower, TN_PURE)                            \
OP(safe_softmax, "tn::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",      \
   "softmax, but 0 where all along dim is -infinity.", softmax_meta, safe_softmax_lower, TN_PURE)  \
OP(log_softmax, "tn::log_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",         \
   "log(softmax(x)).", softmax_meta, log_softmax_lower, TN_PURE)

#define TN_NORM_OPS(OP)                                                                            \
OP(layer_norm, "tn::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor", \
   "(x - mean) / sqrt(var + eps) * weight + bias over the last axes.",                             \
   layer_norm_meta, layer_norm_lower, TN_PURE)                                                     \
OP(rms_norm, "tn::rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor", \
   "x / sqrt(mean(x^2) + eps) * weight over the last axes; eps None is the dtype's.",              \
   rms_norm_meta, rms_norm_lower, TN_PURE)                                                         \
OP(group_norm, "tn::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor", \
   "Normalized over each of num_groups groups of axis 1 and all after it.",                        \
   group_norm_meta, group_norm_lower, TN_PURE)
/* clang-format on */

#endif
