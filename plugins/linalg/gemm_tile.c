#include "gemm_tile.h"

#include "sgemm.h"
#include "widen.h"

/* Elements of a tile: half a megabyte, a quarter of what a core has for itself. */
#define TILE_ELEMENTS 131072
#define MOST_COLUMNS 1024
#define MOST_ROWS 256
/* Below this a tile reads its operands too often. */
#define LEAST_ROWS 32
#define LEAST_COLUMNS 128
/* A factor that is computed is computed again for each tile along the other one: then tiles are
 * as long as they may be on that side, and twice as large. */
#define LONGEST_SIDE 4096
#define LEAST_SIDE 64
/* Terms of a panel: that of b is then a megabyte, or less. */
#define MOST_TERMS 256
/* Threads that tiles are made for when bits must not depend on how many there are. */
#define SAME_THREADS 4

static int64_t ceil_div(int64_t x, int64_t y) {
    return (x + y - 1) / y;
}

/* n in parts of at most `most`, about equal, each but the last a multiple of 16. */
static int64_t part_of(int64_t n, int64_t most) {
    if (n <= most) return n;
    const int64_t part = ceil_div(ceil_div(n, ceil_div(n, most)), 16) * 16;
    return part < n ? part : n;
}

static int64_t between(int64_t n, int64_t least, int64_t most) {
    return n < least ? least : n > most ? most : n;
}

static void count(tn_gemm_tiling *t) {
    t->n_rows = ceil_div(t->shape.m, t->rows);
    t->n_columns = ceil_div(t->shape.n, t->columns);
    t->items = t->shape.batches * t->n_rows * t->n_columns;
}

static void cut_rows(tn_gemm_tiling *t, int64_t items, int64_t least) {
    count(t);
    while (t->items < items && t->rows > least) {
        t->rows = part_of(t->shape.m, between(t->rows / 2, least, t->rows));
        count(t);
    }
}

static void cut_columns(tn_gemm_tiling *t, int64_t items, int64_t least) {
    count(t);
    while (t->items < items && t->columns > least) {
        t->columns = part_of(t->shape.n, between(t->columns / 2, least, t->columns));
        count(t);
    }
}

/* A tile whose factors are in memory. */
static void choose_tile(tn_gemm_tiling *t, int64_t threads) {
    t->columns = part_of(t->shape.n, MOST_COLUMNS);
    t->rows = part_of(t->shape.m, between(TILE_ELEMENTS / t->columns, 1, MOST_ROWS));
    cut_rows(t, 2 * threads, LEAST_ROWS);
    cut_columns(t, threads, LEAST_COLUMNS);
}

/* Rows of a are computed, and all columns use them. */
static void choose_wide_tile(tn_gemm_tiling *t, int64_t threads) {
    t->columns = part_of(t->shape.n, LONGEST_SIDE);
    t->rows = part_of(t->shape.m, between(2 * TILE_ELEMENTS / t->columns, LEAST_SIDE, MOST_ROWS));
    cut_rows(t, threads, LEAST_ROWS);
    cut_columns(t, threads, LEAST_COLUMNS);
}

/* Columns of b are computed, and all rows use them. */
static void choose_tall_tile(tn_gemm_tiling *t, int64_t threads) {
    t->rows = part_of(t->shape.m, LONGEST_SIDE / 4);
    t->columns = part_of(t->shape.n,
                         between(2 * TILE_ELEMENTS / t->rows, LEAST_SIDE, MOST_COLUMNS));
    cut_columns(t, threads, LEAST_SIDE);
    cut_rows(t, threads, LEAST_ROWS);
}

static uint64_t aligned(int64_t elements) {
    return ((uint64_t)elements * sizeof(float) + 63) & ~(uint64_t)63;
}

/* b is read from memory anew for each panel unless it is there as a matrix, and sgemm cuts what
 * is there better than we do. */
static int64_t choose_terms(const tn_gemm_tiling *t) {
    return part_of(t->shape.k, MOST_TERMS);
}

void tn__gemm_tiling_make(tn_gemm_tiling *t, const tn_tensor *a, const tn_tensor *b, uint32_t flags,
                          uint32_t threads, uint32_t ways) {
    const int strict = (flags & TN_RUN_STRICT) != 0;
    memset(t, 0, sizeof *t);
    t->dtype = a->dtype;
    tn__gemm_shape_make(&t->shape, a, b);
    if (flags & (TN_RUN_STRICT | TN_RUN_DETERMINISTIC)) threads = SAME_THREADS;
    if (!strict) tn__gemm_shape_join(&t->shape);
    const tn_gemm_shape *s = &t->shape;
    if (s->batches == 0 || s->m == 0 || s->n == 0) return;
    if (ways == TN_GEMM_COMPUTE_A && !strict)
        choose_wide_tile(t, threads);
    else if (ways == TN_GEMM_COMPUTE_B && !strict)
        choose_tall_tile(t, threads);
    else
        choose_tile(t, threads);
    t->terms = choose_terms(t);
    t->scratch_bytes = aligned(t->rows * t->columns);
    const int all = strict || a->dtype.bits != 32;
    if (all || (ways & TN_GEMM_COMPUTE_A) || !tn__sgemm_takes(s->m, s->k, s->a.row, s->a.column)) {
        t->room_a = t->scratch_bytes;
        t->scratch_bytes += aligned(t->rows * t->terms);
    }
    if (all || (ways & TN_GEMM_COMPUTE_B) || !tn__sgemm_takes(s->k, s->n, s->b.row, s->b.column)) {
        t->room_b = t->scratch_bytes;
        t->scratch_bytes += aligned(t->terms * t->columns);
    }
}

static int next(const tn_gemm_tiling *t, tn_gemm_tile *tile) {
    tile->k = tile->k_end;
    tile->k_end = t->shape.k - tile->k < t->terms ? t->shape.k : tile->k + t->terms;
    return tile->k < tile->k_end;
}

static void first(const tn_gemm_tiling *t, int64_t item, tn_gemm_tile *out) {
    const tn_gemm_shape *s = &t->shape;
    const int64_t column = item % t->n_columns * t->columns;
    const int64_t row = item / t->n_columns % t->n_rows * t->rows;
    *out = (tn_gemm_tile){.batch = item / (t->n_columns * t->n_rows),
                          .row = row,
                          .row_end = s->m - row < t->rows ? s->m : row + t->rows,
                          .column = column,
                          .column_end = s->n - column < t->columns ? s->n : column + t->columns};
    out->batch_a = tn__gemm_batch_of(s, &s->a, out->batch);
    out->batch_b = tn__gemm_batch_of(s, &s->b, out->batch);
    next(t, out);
}

/* ------------------------------------------------------------------- panels */

static int64_t first_a(const tn_gemm_tiling *t, const tn_gemm_tile *tile) {
    const tn_gemm_matrix *a = &t->shape.a;
    return tn__gemm_offset(&t->shape, a, tile->batch) + tile->row * a->row + tile->k * a->column;
}

static int64_t first_b(const tn_gemm_tiling *t, const tn_gemm_tile *tile) {
    const tn_gemm_matrix *b = &t->shape.b;
    return tn__gemm_offset(&t->shape, b, tile->batch) + tile->k * b->row + tile->column * b->column;
}

static float *room(void *scratch, uint64_t offset) {
    return (float *)(void *)((char *)scratch + offset);
}

static void copy(const tn_gemm_tiling *t, const tn_gemm_matrix *matrix, const void *data,
                 int64_t from, int64_t rows, int64_t columns, float *to) {
    for (int64_t i = 0; i < rows; i++)
        tn__widen(t->dtype, data, from + i * matrix->row, matrix->column, columns,
                  to + i * columns);
}

static void load_a(const tn_gemm_tiling *t, const tn_gemm_tile *tile, const void *a,
                   void *scratch) {
    if (t->room_a == 0) return;
    copy(t, &t->shape.a, a, first_a(t, tile), tile->row_end - tile->row, tile->k_end - tile->k,
         room(scratch, t->room_a));
}

static void load_b(const tn_gemm_tiling *t, const tn_gemm_tile *tile, const void *b,
                   void *scratch) {
    if (t->room_b == 0) return;
    copy(t, &t->shape.b, b, first_b(t, tile), tile->k_end - tile->k,
         tile->column_end - tile->column, room(scratch, t->room_b));
}

/* For when oneDNN has no memory. */
static void multiply_plainly(int64_t rows, int64_t columns, int64_t k, const tn_sgemm_operand *a,
                             const tn_sgemm_operand *b, float *acc) {
    for (int64_t i = 0; i < rows; i++) {
        float *row = acc + i * columns;
        for (int64_t l = 0; l < k; l++) {
            const float x = a->data[i * a->row + l * a->column];
            for (int64_t j = 0; j < columns; j++)
                row[j] += x * b->data[l * b->row + j * b->column];
        }
    }
}

/* A panel in scratch, or that part of the factor where it is. */
static tn_sgemm_operand operand(const tn_gemm_matrix *matrix, const void *data, int64_t from,
                                int64_t columns, uint64_t offset, void *scratch) {
    if (offset != 0) return (tn_sgemm_operand){room(scratch, offset), columns, 1};
    return (tn_sgemm_operand){(const float *)data + from, matrix->row, matrix->column};
}

static void add(const tn_gemm_tiling *t, const tn_gemm_tile *tile, const void *a, const void *b,
                void *scratch) {
    const tn_gemm_shape *s = &t->shape;
    const int64_t rows = tile->row_end - tile->row, columns = tile->column_end - tile->column;
    const int64_t k = tile->k_end - tile->k;
    float *acc = scratch;
    const tn_sgemm_operand x = operand(&s->a, a, first_a(t, tile), k, t->room_a, scratch);
    const tn_sgemm_operand y = operand(&s->b, b, first_b(t, tile), columns, t->room_b, scratch);
    const int failed = tile->k == 0 ? tn__sgemm(rows, columns, k, &x, &y, acc, columns)
                                    : tn__sgemm_add(rows, columns, k, &x, &y, acc, columns);
    if (!failed) return;
    if (tile->k == 0) memset(acc, 0, (size_t)(rows * columns) * sizeof *acc);
    multiply_plainly(rows, columns, k, &x, &y, acc);
}

const tn_gemm_calls tn__gemm_calls = {first, load_a, load_b, add, next};
