/* A matrix product by tiles: what one worker makes at once and keeps in its cache. A tile is
 * the sum of products of panels, a few hundred of the terms at a time, so that a factor which
 * has to be copied or computed is never there as a whole. */
#ifndef TN_LINALG_GEMM_TILE_H
#define TN_LINALG_GEMM_TILE_H

#include "gemm_shape.h"

typedef struct tn_gemm_tiling {
    tn_gemm_shape shape;
    tn_dtype dtype;            /* of the operands: a float up to f32 */
    int64_t rows, columns;     /* of a tile; those at the edges are smaller */
    int64_t terms;             /* of a panel; the last has fewer */
    int64_t n_rows, n_columns; /* tiles of a batch */
    int64_t items;             /* tiles */
    /* Where the panels of a tile lie in scratch, in bytes; 0: the factor is read where it
     * is. Otherwise it is copied there, or computed. */
    uint64_t room_a, room_b;
    uint64_t scratch_bytes;
} tn_gemm_tiling;

/* Ways in which a factor may have to be had. */
enum {
    TN_GEMM_COMPUTE_A = 1, /* a is no matrix in memory: what loads it computes it */
    TN_GEMM_COMPUTE_B = 2
};

/* flags are TN_RUN_...: what must have the same bits each time does not depend on threads,
 * and for strict runs not on strides either nor on what is computed, so that each product is
 * the same sequence of operations in every plan. Without elements there are no items. */
void tn__gemm_tiling_make(tn_gemm_tiling *tiling, const tn_tensor *a, const tn_tensor *b,
                          uint32_t flags, uint32_t threads, uint32_t ways);

/* A tile, and the terms [k, k_end) of its sums that are next: rows [row, row_end) of batch
 * number `batch`, and columns. */
typedef struct tn_gemm_tile {
    int64_t batch;
    int64_t batch_a, batch_b; /* the same among the batches that a, and b, have */
    int64_t row, row_end, column, column_end;
    int64_t k, k_end;
} tn_gemm_tile;

/* What a template's payload calls, with the scratch of one worker: `first` once for a tile;
 * then for all panels load_a and load_b, unless the payload computes them, and `add`, which
 * adds the product to the tile, or begins it; until `next` says that there are no more. The
 * tile is row-major without gaps at the start of scratch. None can fail. */
typedef struct tn_gemm_calls {
    void (*first)(const tn_gemm_tiling *tiling, int64_t item, tn_gemm_tile *out);
    void (*load_a)(const tn_gemm_tiling *tiling, const tn_gemm_tile *tile, const void *a,
                   void *scratch);
    void (*load_b)(const tn_gemm_tiling *tiling, const tn_gemm_tile *tile, const void *b,
                   void *scratch);
    void (*add)(const tn_gemm_tiling *tiling, const tn_gemm_tile *tile, const void *a,
                const void *b, void *scratch);
    int (*next)(const tn_gemm_tiling *tiling, tn_gemm_tile *tile);
} tn_gemm_calls;
extern const tn_gemm_calls tn__gemm_calls;

#endif
