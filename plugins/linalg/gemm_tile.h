/* A matrix product by tiles: what one worker makes at once and keeps in its cache. Tiles are
 * grouped in areas, the work items: a factor that is computed rather than loaded is computed
 * once for all tiles of an area that use it. */
#ifndef TN_LINALG_GEMM_TILE_H
#define TN_LINALG_GEMM_TILE_H

#include "gemm_shape.h"

typedef struct tn_gemm_tiling {
    tn_gemm_shape shape;
    tn_dtype dtype;                  /* of the operands: a float up to f32 */
    int64_t rows, columns;           /* of a tile; those at the edges are smaller */
    int64_t n_rows, n_columns;       /* tiles of a batch */
    int64_t area_rows, area_columns; /* tiles of an area; those at the edges have fewer */
    int64_t items;                   /* areas */
    /* Where the panels of a tile lie in scratch, in bytes; 0: the factor is read where it
     * is. Otherwise it is copied there, or computed. */
    uint64_t room_a, room_b;
    uint64_t scratch_bytes;
} tn_gemm_tiling;

/* Scratch of a worker beyond which tiles are no help. */
#define TN_GEMM_MOST_SCRATCH (UINT64_C(64) << 20)

/* Ways in which a factor may have to be had. */
enum {
    TN_GEMM_COPY_BOTH = 1, /* as if both had to be copied, the most that any layout needs */
    TN_GEMM_COMPUTE_A = 2, /* a is no matrix in memory: what loads it computes it */
    TN_GEMM_COMPUTE_B = 4
};

/* flags are TN_RUN_...: what must have the same bits each time does not depend on threads,
 * and for strict runs not on strides either nor on what is computed, so that each product is
 * the same sequence of operations in every plan. Without elements there are no items. */
void tn__gemm_tiling_make(tn_gemm_tiling *tiling, const tn_tensor *a, const tn_tensor *b,
                          uint32_t flags, uint32_t threads, uint32_t ways);
/* How often each element of a, or of b, is computed. */
double tn__gemm_tiling_times(const tn_gemm_tiling *tiling, int of_b);

/* An area, or a tile of one: rows [row, row_end) of batch number `batch`, and columns. */
typedef struct tn_gemm_area {
    int64_t batch;
    int64_t batch_a, batch_b; /* the same among the batches that a, and b, have */
    int64_t row, row_end, column, column_end;
} tn_gemm_area;

/* What a template's payload calls, in an order of its own, all with the scratch of one worker:
 * the area; for its tiles the panels, unless computed; the product, row-major without gaps at
 * the start of scratch. None can fail. */
typedef struct tn_gemm_calls {
    void (*area)(const tn_gemm_tiling *tiling, int64_t item, tn_gemm_area *out);
    void (*load_a)(const tn_gemm_tiling *tiling, const tn_gemm_area *tile, const void *a,
                   void *scratch);
    void (*load_b)(const tn_gemm_tiling *tiling, const tn_gemm_area *tile, const void *b,
                   void *scratch);
    void (*multiply)(const tn_gemm_tiling *tiling, const tn_gemm_area *tile, const void *a,
                     const void *b, void *scratch);
} tn_gemm_calls;
extern const tn_gemm_calls tn__gemm_calls;

#endif
