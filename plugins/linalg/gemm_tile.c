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
#define LEAST_PANEL 64
/* Elements of a panel that is computed: a megabyte. */
#define PANEL_ELEMENTS 262144
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
    t->items = t->shape.batches * ceil_div(t->n_rows, t->area_rows) *
               ceil_div(t->n_columns, t->area_columns);
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

/* b is computed by columns, a few of them at once, and every row uses them. */
static void choose_column_tile(tn_gemm_tiling *t, uint32_t threads) {
    const tn_gemm_shape *s = &t->shape;
    int64_t most = PANEL_ELEMENTS / (s->k > 0 ? s->k : 1);
    if (most > MOST_COLUMNS) most = MOST_COLUMNS;
    if (most < LEAST_PANEL) most = LEAST_PANEL;
    t->columns = part_of(s->n, most);
    t->rows = part_of(s->m, MOST_ROWS);
    count(t);
    while (t->items < (int64_t)threads && t->columns > LEAST_PANEL) {
        t->columns = part_of(s->n, t->columns / 2);
        count(t);
    }
}

/* The tiles that share a panel which is computed: all of them, but for what keeps threads
 * busy. */
static void choose_area(tn_gemm_tiling *t, uint32_t threads, uint32_t ways) {
    const int only_a = (ways & TN_GEMM_COMPUTE_A) && !(ways & TN_GEMM_COMPUTE_B);
    int64_t *tiles = only_a ? &t->area_columns : &t->area_rows;
    if (!(ways & (TN_GEMM_COMPUTE_A | TN_GEMM_COMPUTE_B))) return;
    *tiles = only_a ? t->n_columns : t->n_rows;
    count(t);
    while (t->items<(int64_t)threads && * tiles> 1) {
        *tiles = ceil_div(*tiles, 2);
        count(t);
    }
}

static uint64_t aligned(int64_t elements) {
    return ((uint64_t)elements * sizeof(float) + 63) & ~(uint64_t)63;
}

void tn__gemm_tiling_make(tn_gemm_tiling *t, const tn_tensor *a, const tn_tensor *b, uint32_t flags,
                          uint32_t threads, uint32_t ways) {
    memset(t, 0, sizeof *t);
    t->dtype = a->dtype;
    t->area_rows = t->area_columns = 1;
    tn__gemm_shape_make(&t->shape, a, b);
    if (flags & (TN_RUN_STRICT | TN_RUN_DETERMINISTIC)) threads = SAME_THREADS;
    if (flags & TN_RUN_STRICT)
        ways |= TN_GEMM_COPY_BOTH;
    else
        tn__gemm_shape_join(&t->shape);
    const tn_gemm_shape *s = &t->shape;
    if (s->batches == 0 || s->m == 0 || s->n == 0) return;
    const int all = a->dtype.bits != 32 || (ways & TN_GEMM_COPY_BOTH);
    if ((ways & TN_GEMM_COMPUTE_B) && !(flags & TN_RUN_STRICT))
        choose_column_tile(t, threads);
    else
        choose_tile(t, threads);
    choose_area(t, threads, ways);
    t->scratch_bytes = aligned(t->rows * t->columns);
    if (all || (ways & TN_GEMM_COMPUTE_A) || !tn__sgemm_takes(s->m, s->k, s->a.row, s->a.column)) {
        t->room_a = t->scratch_bytes;
        t->scratch_bytes += aligned(t->rows * s->k);
    }
    if (all || (ways & TN_GEMM_COMPUTE_B) || !tn__sgemm_takes(s->k, s->n, s->b.row, s->b.column)) {
        t->room_b = t->scratch_bytes;
        t->scratch_bytes += aligned(s->k * t->columns);
    }
}

double tn__gemm_tiling_times(const tn_gemm_tiling *t, int of_b) {
    return of_b ? (double)ceil_div(t->n_rows, t->area_rows)
                : (double)ceil_div(t->n_columns, t->area_columns);
}

static void find_area(const tn_gemm_tiling *t, int64_t item, tn_gemm_area *out) {
    const tn_gemm_shape *s = &t->shape;
    const int64_t rows = t->rows * t->area_rows, columns = t->columns * t->area_columns;
    const int64_t n_columns = ceil_div(t->n_columns, t->area_columns);
    const int64_t n_rows = ceil_div(t->n_rows, t->area_rows);
    const int64_t column = item % n_columns * columns, row = item / n_columns % n_rows * rows;
    *out = (tn_gemm_area){.batch = item / (n_columns * n_rows),
                          .row = row,
                          .row_end = s->m - row < rows ? s->m : row + rows,
                          .column = column,
                          .column_end = s->n - column < columns ? s->n : column + columns};
    out->batch_a = tn__gemm_batch_of(s, &s->a, out->batch);
    out->batch_b = tn__gemm_batch_of(s, &s->b, out->batch);
}

static int64_t first_a(const tn_gemm_tiling *t, const tn_gemm_area *tile) {
    return tn__gemm_offset(&t->shape, &t->shape.a, tile->batch) + tile->row * t->shape.a.row;
}

static int64_t first_b(const tn_gemm_tiling *t, const tn_gemm_area *tile) {
    return tn__gemm_offset(&t->shape, &t->shape.b, tile->batch) + tile->column * t->shape.b.column;
}

static void copy(const tn_gemm_tiling *t, const tn_gemm_matrix *matrix, const void *data,
                 int64_t first, int64_t rows, int64_t columns, float *room) {
    for (int64_t i = 0; i < rows; i++)
        tn__widen(t->dtype, data, first + i * matrix->row, matrix->column, columns,
                  room + i * columns);
}

static void load_a(const tn_gemm_tiling *t, const tn_gemm_area *tile, const void *a,
                   void *scratch) {
    float *room = (float *)(void *)((char *)scratch + t->room_a);
    if (t->room_a == 0) return;
    copy(t, &t->shape.a, a, first_a(t, tile), tile->row_end - tile->row, t->shape.k, room);
}

static void load_b(const tn_gemm_tiling *t, const tn_gemm_area *tile, const void *b,
                   void *scratch) {
    float *room = (float *)(void *)((char *)scratch + t->room_b);
    if (t->room_b == 0) return;
    copy(t, &t->shape.b, b, first_b(t, tile), t->shape.k, tile->column_end - tile->column, room);
}

/* For when oneDNN has no memory. */
static void multiply_plainly(int64_t rows, int64_t columns, int64_t k, const tn_sgemm_operand *a,
                             const tn_sgemm_operand *b, float *acc) {
    for (int64_t i = 0; i < rows; i++) {
        float *row = acc + i * columns;
        memset(row, 0, (size_t)columns * sizeof *row);
        for (int64_t l = 0; l < k; l++) {
            const float x = a->data[i * a->row + l * a->column];
            for (int64_t j = 0; j < columns; j++)
                row[j] += x * b->data[l * b->row + j * b->column];
        }
    }
}

/* A panel in scratch, or the factor where it is. */
static tn_sgemm_operand operand(const tn_gemm_matrix *matrix, const void *data, int64_t first,
                                int64_t columns, uint64_t room, void *scratch) {
    if (room == 0)
        return (tn_sgemm_operand){(const float *)data + first, matrix->row, matrix->column};
    return (tn_sgemm_operand){(const float *)(void *)((char *)scratch + room), columns, 1};
}

static void multiply(const tn_gemm_tiling *t, const tn_gemm_area *tile, const void *a,
                     const void *b, void *scratch) {
    const tn_gemm_shape *s = &t->shape;
    const int64_t rows = tile->row_end - tile->row, columns = tile->column_end - tile->column;
    float *acc = scratch;
    const tn_sgemm_operand x = operand(&s->a, a, first_a(t, tile), s->k, t->room_a, scratch);
    const tn_sgemm_operand y = operand(&s->b, b, first_b(t, tile), columns, t->room_b, scratch);
    if (tn__sgemm(rows, columns, s->k, &x, &y, acc, columns))
        multiply_plainly(rows, columns, s->k, &x, &y, acc);
}

const tn_gemm_calls tn__gemm_calls = {find_area, load_a, load_b, multiply};
