/* Ops whose kernels do not take everything that the ops do: f32 alone. */
#include "tenon/lower.h"
#include "tenon/note.h"
#include "tenon/util.h"

#define PRODUCT "picky::product(Tensor a, Tensor b) -> Tensor"
#define TWICE "picky::twice(Tensor x) -> Tensor"
#define KEPT "picky::kept(Tensor x) -> Tensor"
#define TILED "picky::tiled(Tensor x) -> Tensor"

TN_PLUGIN_NOTE("picky", "1.0.0",
               TN_NOTE_OP(PRODUCT) TN_NOTE_OP(TWICE) TN_NOTE_OP(KEPT) TN_NOTE_OP(TILED));

static tn_code like_meta(const tn_meta_context *m) {
    const tn_tensor *x;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    TN_REQUIRE(m->cb, tn_is_float(x->dtype), "x: expected floats, found %s",
               tn_dtype_name(x->dtype));
    return tn_meta_like(m, 0, x);
}

static tn_code product_meta(const tn_meta_context *m) {
    const tn_tensor *a, *b;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &a));
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 1, &b));
    TN_REQUIRE(m->cb, tn_is_float(a->dtype) && tn_same_dtype(a->dtype, b->dtype),
               "expected floats of one dtype");
    TN_REQUIRE(m->cb, a->ndim == 2 && b->ndim == 2 && a->shape[1] == b->shape[0],
               "expected [m, k] and [k, n]");
    const int64_t shape[] = {a->shape[0], b->shape[1]};
    return tn_meta_contiguous(m, 0, a->dtype, 2, shape);
}

static tn_code accept(const tn_run_context *ctx, const tn_problem *problem) {
    const tn_tensor *x = problem->args[0].v.tensor;
    TN_DECLINE_UNLESS(ctx->cb, tn_is_contiguous(x), "x is not contiguous");
    TN_DECLINE_UNLESS(ctx->cb, tn_same_dtype(x->dtype, tn_dtype_of_F32()),
                      "the kernel is for f32, the first operand is %s", tn_dtype_name(x->dtype));
    return TN_OK;
}

static tn_code accept_tiles(const tn_run_context *ctx, const tn_problem *problem, uint32_t config) {
    (void)problem;
    return tn_fail(ctx->cb, TN_DECLINED, "configuration %u takes no problem at all", config);
}

static tn_code product_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    const tn_tensor *a = call->args[0].v.tensor, *b = call->args[1].v.tensor;
    const float *x = tn_data(a), *w = tn_data(b);
    float *y = tn_data(call->results[0].v.tensor);
    const int64_t k = a->shape[1], n = b->shape[1];
    (void)ctx;
    (void)state;
    for (int64_t i = 0; i < a->shape[0]; i++) {
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;
            for (int64_t t = 0; t < k; t++)
                sum += x[i * k + t] * w[t * n + j];
            y[i * n + j] = sum;
        }
    }
    return TN_OK;
}

static tn_code twice_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    const tn_tensor *x = call->args[0].v.tensor;
    const float *in = tn_data(x);
    float *out = tn_data(call->results[0].v.tensor);
    (void)ctx;
    (void)state;
    for (int64_t i = 0; i < tn_numel(x); i++)
        out[i] = 2 * in[i];
    return TN_OK;
}

static tn_code twice_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    l->results[0] = tn_lower_add(l, x, x);
    return TN_OK;
}

static const char product_text[] = "opset 1\n"
                                   "graph @product(%a: T[M,K], %b: T[K,N]) {\n"
                                   "  %y = prim::matmul(%a, %b)\n"
                                   "  return %y\n"
                                   "}\n";

static const tn_kernel product_cpu = {TN_SIZED(tn_kernel), .device_type = TN_DEVICE_CPU,
                                      .accept = accept, .run = product_run};
static const tn_kernel *const product_kernels[] = {&product_cpu};
static const tn_kernel twice_cpu = {TN_SIZED(tn_kernel), .device_type = TN_DEVICE_CPU,
                                    .accept = accept, .run = twice_run};
static const tn_kernel *const twice_kernels[] = {&twice_cpu};

static const char source[] = "static void TN_NAME(tiles)(const tn_work *work) {\n"
                             "    (void)work;\n"
                             "}\n";
static const tn_payload payload = {TN_SIZED(tn_payload), .kind = TN_CODE_C, .data = source,
                                   .bytes = sizeof source - 1, .entry = "tiles"};
static const tn_payload *const payloads[] = {&payload};
static const tn_slot epilogue = {
    TN_SIZED(tn_slot), .name = "epilogue", .kind = TN_SLOT_EPILOGUE,       .rank = 1,
    .accumulators = 1, .vector_width = 0,  .dtype = {TN_TYPE_FLOAT, 32, 1}};
static const tn_slot *const slots[] = {&epilogue};
static tn_code configure(const tn_run_context *ctx, const tn_problem *problem, uint32_t config,
                         void *state, tn_launch *out) {
    (void)problem, (void)config, (void)state, (void)out;
    return tn_fail(ctx->cb, TN_PLUGIN, "configured though it declined");
}
static const tn_template tiles = {TN_SIZED(tn_template), .name = "tiles",
                                  .op = "picky::tiled",  .device_type = TN_DEVICE_CPU,
                                  .payloads = payloads,  .n_payloads = 1,
                                  .n_slots = 1,          .slots = slots,
                                  .n_configs = 2,        .accept = accept_tiles,
                                  .configure = configure};
static const tn_template *const templates[] = {&tiles};

static const tn_op_desc product = {TN_SIZED(tn_op_desc),
                                   .schema = PRODUCT,
                                   .doc = "A product whose kernel should win where it can.",
                                   .meta = product_meta,
                                   .kernels = product_kernels,
                                   .n_kernels = 1,
                                   .lowering_text = product_text};
static const tn_op_desc twice = {TN_SIZED(tn_op_desc), .schema = TWICE,          .doc = "x + x.",
                                 .meta = like_meta,    .kernels = twice_kernels, .n_kernels = 1,
                                 .lower = twice_lower};
static const tn_op_desc kept = {
    TN_SIZED(tn_op_desc), .schema = KEPT,           .doc = "x + x, by kernel alone.",
    .meta = like_meta,    .kernels = twice_kernels, .n_kernels = 1};
static const tn_op_desc tiled = {
    TN_SIZED(tn_op_desc), .schema = TILED,      .doc = "x + x; its template never takes it.",
    .meta = like_meta,    .lower = twice_lower, .templates = templates,
    .n_templates = 1};
static const tn_op_desc *const ops[] = {&product, &twice, &kept, &tiled};

const tn_plugin *tenon_plugin_query(uint32_t host_abi) {
    static const tn_plugin plugin = {TN_SIZED(tn_plugin),    .abi_needed = TN_ABI_NEEDED,
                                     .n_ops = TN_COUNT(ops), .name = "picky",
                                     .version = "1.0.0",     .ops = ops};
    return host_abi < TN_ABI_NEEDED ? NULL : &plugin;
}
