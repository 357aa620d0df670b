#include "gemm_estimate.h"

#include "sgemm.h"

/* Of one thread, in a second: multiplications; bytes of what is in memory, by the kernel and by
 * tiles, which read it in shorter runs; bytes of copies that are written and read again, and how
 * many threads keep memory busy. */
#define PRODUCTS 60e9
#define KERNEL_BYTES 25e9
#define TILE_BYTES 20e9
#define COPY_BYTES 16e9
#define CACHE_BYTES 60e9
#define MEMORY_THREADS 8
/* Seconds for an element of a panel, copied or computed, and for a tile. */
#define COPIED 1.5e-10
#define COMPUTED 1e-10
#define TILE 1e-6

static double larger(double x, double y) {
    return x > y ? x : y;
}

static double memory_threads(uint32_t threads) {
    return threads < MEMORY_THREADS ? threads : MEMORY_THREADS;
}

/* Elements of a matrix with all batches that it has of its own. */
static double elements(const tn_gemm_shape *s, const tn_gemm_matrix *matrix, int64_t rows,
                       int64_t columns) {
    double n = (double)rows * (double)columns;
    for (int32_t i = 0; i < s->n_batch; i++)
        if (matrix->batch[i] != 0) n *= (double)s->batch[i];
    return n;
}

static double products(const tn_gemm_shape *s) {
    return (double)s->batches * (double)s->m * (double)s->n * (double)s->k;
}

double tn__gemm_times(const tn_gemm_tiling *t, int of_b) {
    const tn_gemm_shape *s = &t->shape;
    const double own = of_b ? elements(s, &s->b, 1, 1) : elements(s, &s->a, 1, 1);
    return (double)(of_b ? t->n_rows : t->n_columns) * (double)s->batches / own;
}

double tn__gemm_estimate_tiles(const tn_gemm_tiling *t, uint32_t ways, uint32_t threads) {
    const tn_gemm_shape *s = &t->shape;
    const int by_a = (ways & TN_GEMM_COMPUTE_A) != 0, by_b = (ways & TN_GEMM_COMPUTE_B) != 0;
    const double size = t->dtype.bits / 8.0, results = (double)s->batches * (double)(s->m * s->n);
    const double a = elements(s, &s->a, s->m, s->k), b = elements(s, &s->b, s->k, s->n);
    const double reads = size * ((by_a ? 0 : a) + (by_b ? 0 : b));
    double seconds = products(s) / (PRODUCTS * threads) * (1 + 2.0 / (double)t->rows);
    seconds = larger(seconds, reads / (TILE_BYTES * memory_threads(threads)));
    seconds += results * 2 * sizeof(float) / (CACHE_BYTES * threads);
    seconds += (double)t->items * TILE / threads;
    if (t->room_a) seconds += a * tn__gemm_times(t, 0) * (by_a ? COMPUTED : COPIED) / threads;
    if (t->room_b) seconds += b * tn__gemm_times(t, 1) * (by_b ? COMPUTED : COPIED) / threads;
    return seconds;
}

double tn__gemm_estimate_kernel(const tn_tensor *a, const tn_tensor *b, uint32_t threads) {
    tn_gemm_shape s;
    tn__gemm_shape_make(&s, a, b);
    tn__gemm_shape_join(&s);
    const double size = a->dtype.bits / 8.0, results = (double)s.batches * (double)(s.m * s.n);
    const double of_a = elements(&s, &s.a, s.m, s.k), of_b = elements(&s, &s.b, s.k, s.n);
    const int narrow = a->dtype.bits != 32;
    double seconds = products(&s) / (PRODUCTS * threads), copied = 0;
    seconds = larger(seconds, size * (of_a + of_b) / (KERNEL_BYTES * memory_threads(threads)));
    if (narrow || !tn__sgemm_takes(s.m, s.k, s.a.row, s.a.column)) copied += of_a * (size + 8);
    if (narrow || !tn__sgemm_takes(s.k, s.n, s.b.row, s.b.column)) copied += of_b * (size + 8);
    if (narrow) copied += results * 8;
    return seconds + copied / (COPY_BYTES * memory_threads(threads));
}
