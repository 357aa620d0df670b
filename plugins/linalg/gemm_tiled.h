/* matmul's own kernel in strict runs: by the tiles of its template, so that a product has the
 * same bits with an epilogue and without, whatever the layout of its factors. */
#ifndef TN_LINALG_GEMM_TILED_H
#define TN_LINALG_GEMM_TILED_H

#include "tenon/util.h"

/* Whether the run is strict, and tiles can make this product. */
int tn__gemm_tiled_takes(const tn_run_context *ctx, const tn_arg *args);
uint64_t tn__gemm_tiled_workspace(const tn_run_context *ctx, const tn_arg *args);
/* The result has elements. */
tn_code tn__gemm_tiled_run(const tn_run_context *ctx, const tn_call *call);

#endif
