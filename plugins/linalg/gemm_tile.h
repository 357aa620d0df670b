/* A matrix product by tiles: what one worker makes at once and keeps in its cache. */
#ifndef TN_LINALG_GEMM_TILE_H
#define TN_LINALG_GEMM_TILE_H

#include "gemm_shape.h"

typedef struct tn_gemm_tiling {
    tn_gemm_shape shape;
    tn_dtype dtype;            /* of the operands: a float up to f32 */
    int64_t rows, columns;     /* of a tile; those at the edges are smaller */
    int64_t n_rows, n_columns; /* tiles of a batch */
    int64_t items;             /* tiles */
    int copies_a, copies_b;    /* what sgemm cannot read as it lies is copied, tile by tile */
    uint64_t scratch_bytes;
} tn_gemm_tiling;

/* Scratch of a worker beyond which tiles are no help. */
#define TN_GEMM_MOST_SCRATCH (UINT64_C(64) << 20)

/* flags are TN_RUN_...: what must have the same bits each time does not depend on threads,
 * and for strict runs not on strides either, so that each product is the same sequence of
 * operations in every plan. copies: as if both operands had to be copied, the most that any
 * layout needs. Without elements there are no items. */
void tn__gemm_tiling_make(tn_gemm_tiling *tiling, const tn_tensor *a, const tn_tensor *b,
                          uint32_t flags, uint32_t threads, int copies);

/* Where a tile lies: rows count through all batches. */
typedef struct tn_gemm_tile {
    int64_t row, rows, column, columns;
} tn_gemm_tile;
/* Makes tile `item` at the start of scratch, row-major without gaps. Never fails. */
void tn__gemm_tile_make(const tn_gemm_tiling *tiling, int64_t item, const void *a, const void *b,
                        void *scratch, tn_gemm_tile *out);

#endif
