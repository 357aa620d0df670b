#include "gemm_template.h"

#include "gemm_tile.h"
#include "tenon/template.h"
#include "tenon/util.h"

/* Multiplications that are worth another thread. */
#define LEAST_WORK 65536
/* Multiplications of one thread in a second, for an estimate. */
#define PRODUCTS_A_SECOND 3e10

/* The structs are tn_gemm_tile and the pointer type of tn__gemm_tile_make. */
static const char source[] =
    "typedef struct TN_NAME(tile) {\n"
    "    tn_i64 row, rows, column, columns;\n"
    "} TN_NAME(tile);\n"
    "typedef void (*TN_NAME(make))(const void *tiling, tn_i64 item, const void *a, const void *b,\n"
    "                              void *scratch, TN_NAME(tile) *out);\n"
    "static void TN_NAME(gemm)(const tn_work *work) {\n"
    "    const TN_NAME(make) make = (TN_NAME(make))work->params[0].u;\n"
    "    const void *tiling = work->params[1].p, *a = work->params[2].p, *b = work->params[3].p;\n"
    "    const tn_i64 m = work->params[4].i;\n"
    "    const tn_f32 *acc = (const tn_f32 *)(const void *)work->scratch;\n"
    "    for (tn_i64 item = work->begin; item < work->end; item++) {\n"
    "        TN_NAME(tile) tile;\n"
    "        make(tiling, item, a, b, work->scratch, &tile);\n"
    "        for (tn_i64 i = 0; i < tile.rows; i++) {\n"
    "            const tn_i64 row = tile.row + i;\n"
    "            TN_EPILOGUE(work, row / m, row % m, tile.column, tile.columns,\n"
    "                        acc + i * tile.columns);\n"
    "        }\n"
    "    }\n"
    "}\n";

static void describe(const tn_run_context *ctx, const tn_problem *problem, int copies,
                     tn_gemm_tiling *out) {
    tn__gemm_tiling_make(out, problem->args[0].v.tensor, problem->args[1].v.tensor,
                         ctx->flags | problem->flags, ctx->threads, copies);
}

static tn_code accept(const tn_run_context *ctx, const tn_problem *problem, uint32_t config) {
    const tn_tensor *a = problem->args[0].v.tensor, *b = problem->args[1].v.tensor;
    (void)config;
    TN_DECLINE_UNLESS(ctx->cb, a->ndim >= 2 && b->ndim >= 2,
                      "a factor is a vector, of which nothing is worth keeping in cache");
    TN_DECLINE_UNLESS(ctx->cb, tn_is_float(a->dtype) && a->dtype.bits <= 32,
                      "it takes floats up to f32, not %s", tn_dtype_name(a->dtype));
    TN_DECLINE_UNLESS(ctx->cb, tn_numel(problem->results[0].v.tensor) > 0,
                      "the result has no elements");
    tn_gemm_tiling tiling;
    describe(ctx, problem, 1, &tiling);
    TN_DECLINE_UNLESS(ctx->cb,
                      tiling.items <= UINT32_MAX && tiling.scratch_bytes <= TN_GEMM_MOST_SCRATCH,
                      "sums of %lld products: operands of a tile do not fit in scratch",
                      (long long)tiling.shape.k);
    return TN_OK;
}

static tn_code prepare(const tn_run_context *ctx, const tn_problem *problem, uint32_t config,
                       void **out_state) {
    (void)config;
    tn_gemm_tiling *tiling = ctx->allocate(ctx, sizeof *tiling, 64);
    if (tiling == NULL) return ctx->cb->fail(ctx->cb, TN_NO_MEMORY, "no memory");
    describe(ctx, problem, 0, tiling);
    *out_state = tiling;
    return TN_OK;
}

static tn_code configure(const tn_run_context *ctx, const tn_problem *problem, uint32_t config,
                         void *state, tn_launch *out) {
    const tn_gemm_tiling *t = state;
    const tn_tensor *y = problem->results[0].v.tensor;
    tn_param *params = ctx->cb->scratch(ctx->cb, 5 * sizeof *params);
    (void)config;
    if (params == NULL) return ctx->cb->fail(ctx->cb, TN_NO_MEMORY, "no memory");
    params[0] = tn_param_number((int64_t)(uintptr_t)&tn__gemm_tile_make);
    params[1] = tn_param_address(t);
    params[2] = tn_param_argument(0);
    params[3] = tn_param_argument(1);
    params[4] = tn_param_number(y->shape[y->ndim - 2]);
    const double each = (double)t->rows * (double)t->columns * (double)t->shape.k;
    out->grid[0] = (uint32_t)t->items;
    out->grid[1] = out->grid[2] = 1;
    out->grain = each >= LEAST_WORK ? 1 : 1 + (uint32_t)(LEAST_WORK / (each + 1));
    out->shared_bytes = (uint32_t)t->scratch_bytes;
    out->n_params = 5;
    out->params = params;
    out->cost = each * (double)t->items / (PRODUCTS_A_SECOND * ctx->threads);
    return TN_OK;
}

static void release(const tn_run_context *ctx, void *state) {
    ctx->deallocate(ctx, state, sizeof(tn_gemm_tiling));
}

static const tn_payload payload = {TN_SIZED(tn_payload), .kind = TN_CODE_C,
                                   .data = source,       .bytes = sizeof source - 1,
                                   .entry = "gemm",      .dialect = TN_TEMPLATE_C_DIALECT};
static const tn_payload *const payloads[] = {&payload};
static const tn_slot epilogue = {
    TN_SIZED(tn_slot), .name = "epilogue", .kind = TN_SLOT_EPILOGUE,       .operand = 0,
    .rank = 3,         .accumulators = 1,  .dtype = {TN_TYPE_FLOAT, 32, 1}};
static const tn_slot *const slots[] = {&epilogue};

const tn_template tn__gemm_template = {TN_SIZED(tn_template),
                                       .name = "gemm",
                                       .op = "tn::matmul",
                                       .device_type = TN_DEVICE_CPU,
                                       .payloads = payloads,
                                       .n_payloads = TN_COUNT(payloads),
                                       .n_slots = TN_COUNT(slots),
                                       .slots = slots,
                                       .n_configs = 1,
                                       .accept = accept,
                                       .prepare = prepare,
                                       .configure = configure,
                                       .release = release};
