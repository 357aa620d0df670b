/* Templates: one of a primitive, with all slots that a product can have; one whose slot for its
 * operand no host can fill. */
#include "tenon/lower.h"
#include "tenon/note.h"
#include "tenon/template.h"
#include "tenon/util.h"

#define PRODUCT "hosted::product(Tensor a, Tensor b) -> Tensor"
#define SAME "hosted::same(Tensor x) -> Tensor"

TN_PLUGIN_NOTE("hosted", "1.0.0", TN_NOTE_OP(PRODUCT) TN_NOTE_OP(SAME));

static tn_code product_meta(const tn_meta_context *m) {
    const tn_tensor *a, *b;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &a));
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 1, &b));
    TN_REQUIRE(m->cb, a->ndim == 2 && b->ndim == 2 && a->shape[1] == b->shape[0],
               "expected [m, k] and [k, n]");
    const int64_t shape[] = {a->shape[0], b->shape[1]};
    return tn_meta_contiguous(m, 0, a->dtype, 2, shape);
}

static tn_code same_meta(const tn_meta_context *m) {
    const tn_tensor *x;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    return tn_meta_like(m, 0, x);
}

static const char product_text[] = "opset 1\n"
                                   "graph @product(%a: T[M,K], %b: T[K,N]) {\n"
                                   "  %y = prim::matmul(%a, %b)\n"
                                   "  return %y\n"
                                   "}\n";

/* --------------------------------------------------------- of prim::matmul, by rows */

static const char rows_text[] =
    "static void TN_NAME(rows)(const tn_work *work) {\n"
    "    const tn_i64 m = work->params[0].i, k = work->params[1].i, n = work->params[2].i;\n"
    "    const tn_f32 *b = work->params[4].p;\n"
    "    tn_f32 *acc = (tn_f32 *)(void *)work->scratch;\n"
    "    for (tn_i64 item = work->begin; item < work->end; item++) {\n"
    "        const tn_i64 batch = item / m;\n"
    "#ifdef TN_PROLOGUE_left\n"
    "        tn_f32 *row = acc + n;\n"
    "        TN_PROLOGUE_left(work, batch, item % m, 0, 1, k, row, k);\n"
    "#else\n"
    "        const tn_f32 *row = (const tn_f32 *)work->params[3].p + item * k;\n"
    "#endif\n"
    "        for (tn_i64 j = 0; j < n; j++) acc[j] = 0;\n"
    "        for (tn_i64 t = 0; t < k; t++)\n"
    "            for (tn_i64 j = 0; j < n; j++) acc[j] += row[t] * b[(batch * k + t) * n + j];\n"
    "        TN_EPILOGUE(work, batch, item % m, 0, n, acc);\n"
    "    }\n"
    "}\n";

static tn_code rows_accept(const tn_run_context *ctx, const tn_problem *p, uint32_t config) {
    const tn_tensor *a = p->args[0].v.tensor;
    (void)config;
    TN_DECLINE_UNLESS(ctx->cb, tn_same_dtype(a->dtype, tn_dtype_of_F32()), "it is for f32, not %s",
                      tn_dtype_name(a->dtype));
    TN_DECLINE_UNLESS(ctx->cb, a->shape[a->ndim - 1] != 13, "13 terms are unlucky");
    return TN_OK;
}

static tn_code rows_configure(const tn_run_context *ctx, const tn_problem *p, uint32_t config,
                              void *state, tn_launch *out) {
    const tn_tensor *a = p->args[0].v.tensor, *y = p->results[0].v.tensor;
    const int64_t m = y->shape[y->ndim - 2], n = y->shape[y->ndim - 1];
    const int64_t k = a->shape[a->ndim - 1];
    tn_param *params = ctx->cb->scratch(ctx->cb, 5 * sizeof *params);
    (void)config, (void)state;
    if (params == NULL) return ctx->cb->fail(ctx->cb, TN_NO_MEMORY, "no memory");
    params[0] = tn_param_number(m);
    params[1] = tn_param_number(k);
    params[2] = tn_param_number(n);
    params[3] = tn_param_argument(0);
    params[4] = tn_param_argument(1);
    out->grid[0] = (uint32_t)(tn_numel(y) / n);
    out->grid[1] = out->grid[2] = 1;
    out->shared_bytes = (uint32_t)((n + k) * 4);
    out->n_params = 5;
    out->params = params;
    return TN_OK;
}

#define F32                                                                                        \
    { TN_TYPE_FLOAT, 32, 1 }
static const tn_payload rows_payload = {TN_SIZED(tn_payload), .kind = TN_CODE_C, .data = rows_text,
                                        .bytes = sizeof rows_text - 1, .entry = "rows"};
static const tn_payload *const rows_payloads[] = {&rows_payload};
static const tn_slot rows_epilogue = {TN_SIZED(tn_slot), .name = "epilogue",
                                      .kind = TN_SLOT_EPILOGUE, .rank = 3, .dtype = F32};
static const tn_slot rows_left = {TN_SIZED(tn_slot), .name = "left", .kind = TN_SLOT_PROLOGUE,
                                  .rank = 3, .dtype = F32};
/* For f16 alone: values of f32 do not fit. */
static const tn_slot rows_right = {
    TN_SIZED(tn_slot), .name = "right", .kind = TN_SLOT_PROLOGUE,
    .operand = 1,      .rank = 3,       .dtype = {TN_TYPE_FLOAT, 16, 1}};
static const tn_slot *const rows_slots[] = {&rows_epilogue, &rows_left, &rows_right};
static const tn_template rows = {TN_SIZED(tn_template),
                                 .name = "rows",
                                 .op = "prim::matmul",
                                 .device_type = TN_DEVICE_CPU,
                                 .n_configs = 1,
                                 .payloads = rows_payloads,
                                 .n_payloads = 1,
                                 .slots = rows_slots,
                                 .n_slots = TN_COUNT(rows_slots),
                                 .accept = rows_accept,
                                 .configure = rows_configure};
static const tn_template *const templates[] = {&rows};

/* -------------------------------------------------- of an op, with a slot that is none */

static tn_code same_lower(const tn_lower_context *l) {
    l->results[0] = tn_lower_arg(l, 0);
    return TN_OK;
}

static tn_code same_accept(const tn_run_context *ctx, const tn_problem *p, uint32_t config) {
    (void)ctx, (void)p, (void)config;
    return TN_OK;
}

static const char same_text[] = "static void TN_NAME(same)(const tn_work *work) {\n"
                                "    (void)work;\n"
                                "}\n";
static const tn_payload same_payload = {TN_SIZED(tn_payload), .kind = TN_CODE_C, .data = same_text,
                                        .bytes = sizeof same_text - 1};
static const tn_payload *const same_payloads[] = {&same_payload};
static const tn_slot same_epilogue = {TN_SIZED(tn_slot),        .name = "epilogue",
                                      .kind = TN_SLOT_EPILOGUE, .rank = 2,
                                      .accumulators = 2,        .dtype = F32};
static const tn_slot *const same_slots[] = {&same_epilogue};
static const tn_template same_template = {TN_SIZED(tn_template),
                                          .name = "same",
                                          .op = "hosted::same",
                                          .device_type = TN_DEVICE_CPU,
                                          .n_configs = 1,
                                          .payloads = same_payloads,
                                          .n_payloads = 1,
                                          .slots = same_slots,
                                          .n_slots = 1,
                                          .accept = same_accept,
                                          .configure = rows_configure};
static const tn_template *const same_templates[] = {&same_template};

static const tn_op_desc product = {TN_SIZED(tn_op_desc), .schema = PRODUCT,
                                   .doc = "A product in terms of the primitive.",
                                   .meta = product_meta, .lowering_text = product_text};
static const tn_op_desc same = {TN_SIZED(tn_op_desc),
                                .schema = SAME,
                                .doc = "x; its template hands over two values at once.",
                                .meta = same_meta,
                                .lower = same_lower,
                                .templates = same_templates,
                                .n_templates = 1};
static const tn_op_desc *const ops[] = {&product, &same};

const tn_plugin *tenon_plugin_query(uint32_t host_abi) {
    static const tn_plugin plugin = {TN_SIZED(tn_plugin),    .abi_needed = TN_ABI_NEEDED,
                                     .n_ops = TN_COUNT(ops), .name = "hosted",
                                     .version = "1.0.0",     .ops = ops,
                                     .templates = templates, .n_templates = 1};
    return host_abi < TN_ABI_NEEDED ? NULL : &plugin;
}
