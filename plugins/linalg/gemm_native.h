/* matmul with what oneDNN's own product has built in behind it: sums and products with a tensor
 * or a number, and tanh, in f32. */
#ifndef TN_LINALG_GEMM_NATIVE_H
#define TN_LINALG_GEMM_NATIVE_H

#include "tenon/plugin.h"

extern const tn_native tn__gemm_native;

#endif
