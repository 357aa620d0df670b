#include "gemm_tile.h"

#include "sgemm.h"
#include "widen.h"

/* Elements of a tile: a quarter of a megabyte, half of what a core has for itself. */
#define TILE_ELEMENTS 65536
#define MOST_COLUMNS 1024
#define MOST_ROWS 256
/* Below this a tile reads its operands too often. */
#define LEAST_ROWS 32
#define LEAST_COLUMNS 128
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

static void count(tn_gemm_tiling *t) {
    t->n_rows = ceil_div(t->shape.m, t->rows);
    t->n_columns = ceil_div(t->shape.n, t->columns);
    t->items = t->shape.batches * t->n_rows * t->n_columns;
}

static void choose_tile(tn_gemm_tiling *t, uint32_t threads) {
    const tn_gemm_shape *s = &t->shape;
    t->columns = part_of(s->n, MOST_COLUMNS);
    int64_t rows = TILE_ELEMENTS / t->columns;
    if (rows > MOST_ROWS) rows = MOST_ROWS;
    t->rows = part_of(s->m, rows);
    count(t);
    while (t->items < 2 * (int64_t)threads && t->rows > LEAST_ROWS) {
        t->rows = part_of(s->m, t->rows / 2);
        count(t);
    }
    while (t->items < (int64_t)threads && t->columns > LEAST_COLUMNS) {
        t->columns = part_of(s->n, t->columns / 2);
        count(t);
    }
}

static uint64_t aligned(int64_t elements) {
    return ((uint64_t)elements * sizeof(float) + 63) & ~(uint64_t)63;
}

void tn__gemm_tiling_make(tn_gemm_tiling *t, const tn_tensor *a, const tn_tensor *b, uint32_t flags,
                          uint32_t threads, int copies) {
    memset(t, 0, sizeof *t);
    t->dtype = a->dtype;
    tn__gemm_shape_make(&t->shape, a, b);
    if (flags & (TN_RUN_STRICT | TN_RUN_DETERMINISTIC)) threads = SAME_THREADS;
    if (flags & TN_RUN_STRICT)
        copies = 1;
    else
        tn__gemm_shape_join(&t->shape);
    const tn_gemm_shape *s = &t->shape;
    if (s->batches == 0 || s->m == 0 || s->n == 0) return;
    const int narrow = a->dtype.bits != 32;
    t->copies_a = copies || narrow || !tn__sgemm_takes(s->m, s->k, s->a.row, s->a.column);
    t->copies_b = copies || narrow || !tn__sgemm_takes(s->k, s->n, s->b.row, s->b.column);
    choose_tile(t, threads);
    t->scratch_bytes = aligned(t->rows * t->columns);
    if (t->copies_a) t->scratch_bytes += aligned(t->rows * s->k);
    if (t->copies_b) t->scratch_bytes += aligned(s->k * t->columns);
}

/* A part of a matrix, as sgemm reads it: where it is, or its copy in `room`. */
static tn_sgemm_operand operand(const tn_gemm_tiling *t, const tn_gemm_matrix *matrix,
                                const void *data, int64_t first, int64_t rows, int64_t columns,
                                float *room) {
    if (room == NULL) {
        return (tn_sgemm_operand){(const float *)data + first, matrix->row, matrix->column};
    }
    for (int64_t i = 0; i < rows; i++)
        tn__widen(t->dtype, data, first + i * matrix->row, matrix->column, columns,
                  room + i * columns);
    return (tn_sgemm_operand){room, columns, 1};
}

/* For when oneDNN has no memory. */
static void multiply_plainly(const tn_gemm_tile *tile, int64_t k, const tn_sgemm_operand *a,
                             const tn_sgemm_operand *b, float *acc) {
    for (int64_t i = 0; i < tile->rows; i++) {
        float *row = acc + i * tile->columns;
        memset(row, 0, (size_t)tile->columns * sizeof *row);
        for (int64_t l = 0; l < k; l++) {
            const float x = a->data[i * a->row + l * a->column];
            for (int64_t j = 0; j < tile->columns; j++)
                row[j] += x * b->data[l * b->row + j * b->column];
        }
    }
}

void tn__gemm_tile_make(const tn_gemm_tiling *t, int64_t item, const void *a, const void *b,
                        void *scratch, tn_gemm_tile *out) {
    const tn_gemm_shape *s = &t->shape;
    const int64_t column = item % t->n_columns * t->columns;
    const int64_t row = item / t->n_columns % t->n_rows * t->rows;
    const int64_t batch = item / (t->n_columns * t->n_rows);
    char *room = (char *)scratch + aligned(t->rows * t->columns);
    float *acc = scratch, *room_a = NULL, *room_b = NULL;
    *out = (tn_gemm_tile){.row = batch * s->m + row,
                          .rows = s->m - row < t->rows ? s->m - row : t->rows,
                          .column = column,
                          .columns = s->n - column < t->columns ? s->n - column : t->columns};
    if (t->copies_a) {
        room_a = (float *)(void *)room;
        room += aligned(t->rows * s->k);
    }
    if (t->copies_b) room_b = (float *)(void *)room;
    const tn_sgemm_operand x = operand(
        t, &s->a, a, tn__gemm_offset(s, &s->a, batch) + row * s->a.row, out->rows, s->k, room_a);
    const tn_sgemm_operand y = operand(t, &s->b, b,
                                       tn__gemm_offset(s, &s->b, batch) + column * s->b.column,
                                       s->k, out->columns, room_b);
    if (tn__sgemm(out->rows, out->columns, s->k, &x, &y, acc, out->columns))
        multiply_plainly(out, s->k, &x, &y, acc);
}
