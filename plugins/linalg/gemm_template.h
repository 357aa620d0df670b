/* matmul with an epilogue: tiles of f32 accumulators, handed over row by row while they
 * are in cache. */
#ifndef TN_LINALG_GEMM_TEMPLATE_H
#define TN_LINALG_GEMM_TEMPLATE_H

#include "tenon/plugin.h"

extern const tn_template tn__gemm_template;

#endif
