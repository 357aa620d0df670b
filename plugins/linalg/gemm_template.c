#include "gemm_template.h"

#include "gemm_estimate.h"
#include "gemm_native.h"
#include "tenon/template.h"
#include "tenon/util.h"

/* Multiplications that are worth another thread. */
#define LEAST_WORK 65536

/* The structs are tn_gemm_tile and tn_gemm_calls. */
static const char source[] =
    "typedef struct TN_NAME(tile) {\n"
    "    tn_i64 batch, batch_a, batch_b, row, row_end, column, column_end, k, k_end;\n"
    "} TN_NAME(tile);\n"
    "typedef struct TN_NAME(calls) {\n"
    "    void (*first)(const void *tiling, tn_i64 item, TN_NAME(tile) *out);\n"
    "    void (*load_a)(const void *tiling, const TN_NAME(tile) *t, const void *a, void "
    "*scratch);\n"
    "    void (*load_b)(const void *tiling, const TN_NAME(tile) *t, const void *b, void "
    "*scratch);\n"
    "    void (*add)(const void *tiling, const TN_NAME(tile) *t, const void *a, const void *b,\n"
    "                void *scratch);\n"
    "    int (*next)(const void *tiling, TN_NAME(tile) *t);\n"
    "} TN_NAME(calls);\n"
    "typedef struct TN_NAME(gemm) {\n"
    "    const TN_NAME(calls) *calls;\n"
    "    const void *tiling, *a, *b;\n"
    "    tn_i64 m, all_rows, room_a, room_b;\n"
    "} TN_NAME(gemm);\n"
    "#ifdef TN_PROLOGUE_a\n"
    "static void TN_NAME(load_a)(const tn_work *work, const TN_NAME(gemm) *g,\n"
    "                            const TN_NAME(tile) *t) {\n"
    "    const tn_i64 terms = t->k_end - t->k;\n"
    "    tn_f32 *to = (tn_f32 *)(void *)(work->scratch + g->room_a);\n"
    "    tn_i64 row = t->batch_a * g->all_rows + t->row, left = t->row_end - t->row;\n"
    "    while (left > 0) {\n"
    "        const tn_i64 in_batch = g->m - row % g->m, rows = in_batch < left ? in_batch : left;\n"
    "        TN_PROLOGUE_a(work, row / g->m, row % g->m, t->k, rows, terms, to, terms);\n"
    "        row += rows, left -= rows, to += rows * terms;\n"
    "    }\n"
    "}\n"
    "#else\n"
    "static void TN_NAME(load_a)(const tn_work *work, const TN_NAME(gemm) *g,\n"
    "                            const TN_NAME(tile) *t) {\n"
    "    g->calls->load_a(g->tiling, t, g->a, work->scratch);\n"
    "}\n"
    "#endif\n"
    "static void TN_NAME(load_b)(const tn_work *work, const TN_NAME(gemm) *g,\n"
    "                            const TN_NAME(tile) *t) {\n"
    "#ifdef TN_PROLOGUE_b\n"
    "    tn_f32 *to = (tn_f32 *)(void *)(work->scratch + g->room_b);\n"
    "    const tn_i64 columns = t->column_end - t->column;\n"
    "    TN_PROLOGUE_b(work, t->batch_b, t->k, t->column, t->k_end - t->k, columns, to, columns);\n"
    "#else\n"
    "    g->calls->load_b(g->tiling, t, g->b, work->scratch);\n"
    "#endif\n"
    "}\n"
    "static void TN_NAME(run)(const tn_work *work) {\n"
    "    const tn_word *p = work->params;\n"
    "    const TN_NAME(gemm) g = {p[0].p, p[1].p, p[2].p, p[3].p, p[4].i, p[5].i, p[6].i, "
    "p[7].i};\n"
    "    for (tn_i64 item = work->begin; item < work->end; item++) {\n"
    "        const tn_f32 *acc = (const tn_f32 *)(const void *)work->scratch;\n"
    "        TN_NAME(tile) t;\n"
    "        g.calls->first(g.tiling, item, &t);\n"
    "        do {\n"
    "            TN_NAME(load_a)(work, &g, &t);\n"
    "            TN_NAME(load_b)(work, &g, &t);\n"
    "            g.calls->add(g.tiling, &t, g.a, g.b, work->scratch);\n"
    "        } while (g.calls->next(g.tiling, &t));\n"
    "        const tn_i64 columns = t.column_end - t.column, first = t.batch * g.all_rows;\n"
    "        for (tn_i64 row = first + t.row; row < first + t.row_end; row++, acc += columns)\n"
    "            TN_EPILOGUE(work, row / g.m, row % g.m, t.column, columns, acc);\n"
    "    }\n"
    "}\n";

/* Places among the slots. */
enum { SLOT_EPILOGUE, SLOT_A, SLOT_B };

static uint32_t ways_of(const tn_problem *problem) {
    return (problem->slots >> SLOT_A & 1 ? TN_GEMM_COMPUTE_A : 0u) |
           (problem->slots >> SLOT_B & 1 ? TN_GEMM_COMPUTE_B : 0u);
}

static void describe(const tn_run_context *ctx, const tn_problem *problem, uint32_t ways,
                     tn_gemm_tiling *out) {
    tn__gemm_tiling_make(out, problem->args[0].v.tensor, problem->args[1].v.tensor,
                         ctx->flags | problem->flags, ctx->threads, ways);
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
    describe(ctx, problem, 0, &tiling);
    TN_DECLINE_UNLESS(ctx->cb, tiling.items <= UINT32_MAX, "there are %lld tiles, too many",
                      (long long)tiling.items);
    return TN_OK;
}

static tn_code prepare(const tn_run_context *ctx, const tn_problem *problem, uint32_t config,
                       void **out_state) {
    (void)config;
    tn_gemm_tiling *tiling = ctx->allocate(ctx, sizeof *tiling, 64);
    if (tiling == NULL) return ctx->cb->fail(ctx->cb, TN_NO_MEMORY, "no memory");
    describe(ctx, problem, ways_of(problem), tiling);
    *out_state = tiling;
    return TN_OK;
}

static tn_code configure(const tn_run_context *ctx, const tn_problem *problem, uint32_t config,
                         void *state, tn_launch *out) {
    const tn_gemm_tiling *t = state;
    const tn_tensor *y = problem->results[0].v.tensor;
    const int64_t numbers[] = {y->shape[y->ndim - 2], t->shape.m, (int64_t)t->room_a,
                               (int64_t)t->room_b};
    tn_param *params = ctx->cb->scratch(ctx->cb, (4 + TN_COUNT(numbers)) * sizeof *params);
    (void)config;
    if (params == NULL) return ctx->cb->fail(ctx->cb, TN_NO_MEMORY, "no memory");
    params[0] = tn_param_address(&tn__gemm_calls);
    params[1] = tn_param_address(t);
    params[2] = tn_param_argument(0);
    params[3] = tn_param_argument(1);
    for (uint32_t i = 0; i < TN_COUNT(numbers); i++)
        params[4 + i] = tn_param_number(numbers[i]);
    const double each = (double)t->rows * (double)t->columns * (double)t->shape.k;
    out->grid[0] = (uint32_t)t->items;
    out->grid[1] = out->grid[2] = 1;
    out->grain = each >= LEAST_WORK ? 1 : 1 + (uint32_t)(LEAST_WORK / (each + 1));
    out->shared_bytes = (uint32_t)t->scratch_bytes;
    out->n_params = 4 + TN_COUNT(numbers);
    out->params = params;
    out->cost = tn__gemm_estimate_tiles(t, ways_of(problem), ctx->threads);
    return TN_OK;
}

static tn_code estimate(const tn_run_context *ctx, const tn_problem *problem, uint32_t config,
                        tn_estimate *out) {
    tn_gemm_tiling t;
    (void)config;
    describe(ctx, problem, ways_of(problem), &t);
    out->seconds = tn__gemm_estimate_tiles(&t, ways_of(problem), ctx->threads);
    out->kernel_seconds = tn__gemm_estimate_kernel(problem->args[0].v.tensor,
                                                   problem->args[1].v.tensor, ctx->threads);
    out->times[SLOT_A] = tn__gemm_times(&t, 0);
    out->times[SLOT_B] = tn__gemm_times(&t, 1);
    return TN_OK;
}

static void release(const tn_run_context *ctx, void *state) {
    ctx->deallocate(ctx, state, sizeof(tn_gemm_tiling));
}

static const tn_payload payload = {TN_SIZED(tn_payload), .kind = TN_CODE_C,
                                   .data = source,       .bytes = sizeof source - 1,
                                   .entry = "run",       .dialect = TN_TEMPLATE_C_DIALECT};
static const tn_payload *const payloads[] = {&payload};
static const tn_slot epilogue = {
    TN_SIZED(tn_slot), .name = "epilogue", .kind = TN_SLOT_EPILOGUE,       .operand = 0,
    .rank = 3,         .accumulators = 1,  .dtype = {TN_TYPE_FLOAT, 32, 1}};
static const tn_slot prologue_a = {
    TN_SIZED(tn_slot), .name = "a",       .kind = TN_SLOT_PROLOGUE,       .operand = 0,
    .rank = 3,         .accumulators = 1, .dtype = {TN_TYPE_FLOAT, 32, 1}};
static const tn_slot prologue_b = {
    TN_SIZED(tn_slot), .name = "b",       .kind = TN_SLOT_PROLOGUE,       .operand = 1,
    .rank = 3,         .accumulators = 1, .dtype = {TN_TYPE_FLOAT, 32, 1}};
static const tn_slot *const slots[] = {&epilogue, &prologue_a, &prologue_b};

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
                                       .release = release,
                                       .native = &tn__gemm_native,
                                       .estimate = estimate};
