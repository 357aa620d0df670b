#include "gemm_tiled.h"

#include "gemm_tile.h"
#include "widen.h"

static void describe(const tn_run_context *ctx, const tn_arg *args, tn_gemm_tiling *out) {
    tn__gemm_tiling_make(out, args[0].v.tensor, args[1].v.tensor, ctx->flags, ctx->threads, 0);
}

int tn__gemm_tiled_takes(const tn_run_context *ctx, const tn_arg *args) {
    const tn_dtype t = args[0].v.tensor->dtype;
    tn_gemm_tiling tiling;
    if (!(ctx->flags & TN_RUN_STRICT) || !tn_is_float(t) || t.bits > 32) return 0;
    describe(ctx, args, &tiling);
    return tiling.items > 0;
}

uint64_t tn__gemm_tiled_workspace(const tn_run_context *ctx, const tn_arg *args) {
    tn_gemm_tiling tiling;
    describe(ctx, args, &tiling);
    return tiling.scratch_bytes * ctx->threads;
}

typedef struct job {
    tn_gemm_tiling tiling;
    const void *a, *b;
    void *c;
    char *scratch;
} job;

static tn_code run_tiles(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    const job *w = arg;
    void *scratch = w->scratch + worker * w->tiling.scratch_bytes;
    const tn_gemm_tiling *t = &w->tiling;
    for (int64_t item = begin; item < end; item++) {
        tn_gemm_tile tile;
        tn__gemm_calls.first(t, item, &tile);
        do {
            tn__gemm_calls.load_a(t, &tile, w->a, scratch);
            tn__gemm_calls.load_b(t, &tile, w->b, scratch);
            tn__gemm_calls.add(t, &tile, w->a, w->b, scratch);
        } while (tn__gemm_calls.next(t, &tile));
        const int64_t columns = tile.column_end - tile.column;
        for (int64_t row = tile.row; row < tile.row_end; row++)
            tn__narrow(t->dtype, (const float *)scratch + (row - tile.row) * columns, columns, w->c,
                       (tile.batch * t->shape.m + row) * t->shape.n + tile.column);
    }
    return TN_OK;
}

tn_code tn__gemm_tiled_run(const tn_run_context *ctx, const tn_call *call) {
    job w = {.a = tn_data(call->args[0].v.tensor),
             .b = tn_data(call->args[1].v.tensor),
             .c = tn_data(call->results[0].v.tensor),
             .scratch = ctx->workspace};
    describe(ctx, call->args, &w.tiling);
    return ctx->parallel_for(ctx, w.tiling.items, 1, run_tiles, &w);
}
