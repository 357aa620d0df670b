/* What a product costs by its template's tiles, and by the op's own kernel: round numbers from
 * measurements, for a choice between two that are often close. */
#ifndef TN_LINALG_GEMM_ESTIMATE_H
#define TN_LINALG_GEMM_ESTIMATE_H

#include "gemm_tile.h"

/* ways: TN_GEMM_COMPUTE_..., of the tiling. */
double tn__gemm_estimate_tiles(const tn_gemm_tiling *tiling, uint32_t ways, uint32_t threads);
double tn__gemm_estimate_kernel(const tn_tensor *a, const tn_tensor *b, uint32_t threads);
/* How often each element of a, or of b, is loaded. */
double tn__gemm_times(const tn_gemm_tiling *tiling, int of_b);

#endif
