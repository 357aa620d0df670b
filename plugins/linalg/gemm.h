/* matmul on the CPU.
 *
 * f32 is oneDNN's dnnl_sgemm on slices of the result, each on one thread of the host's pool
 * with oneDNN's own threads switched off. It takes matrices with one unit stride, which
 * covers transposes and rows apart; other layouts, and floats narrower than f32, are first
 * copied to f32 in the workspace. f64 and integers are plain blocked loops. */
#ifndef TN_LINALG_GEMM_H
#define TN_LINALG_GEMM_H

#include "tenon/util.h"

tn_code tn__gemm_workspace(const tn_run_context *ctx, const tn_problem *problem, void *state,
                           tn_workspace *out);
tn_code tn__gemm_run(const tn_run_context *ctx, void *state, const tn_call *call);

#endif
