/* Ops whose meta function, kernel and lowering do not say the same. Each takes a f32 tensor
 * and promises one like it; each breaks that in its own way. */
#include "tenon/lower.h"
#include "tenon/note.h"

/* X(id, schema, doc): the ops whose lie is in the kernel. */
#define KERNEL_LIES(X)                                                                             \
    X(longer, "lying::longer(Tensor x) -> Tensor", "Writes an element more than it promised.")     \
    X(wider, "lying::wider(Tensor x) -> Tensor", "Promises f32 and writes f64.")                   \
    X(shorter, "lying::shorter(Tensor x) -> Tensor", "Leaves the last element unwritten.")         \
    X(meddling, "lying::meddling(Tensor x) -> Tensor", "Changes its argument unannounced.")        \
    X(failing, "lying::failing(Tensor x) -> Tensor", "Its kernel fails, and says why.")
#define NONSENSE "lying::nonsense(Tensor x) -> Tensor"
#define TURNING "lying::turning(Tensor x) -> Tensor"
#define UNEQUAL "lying::unequal(Tensor x) -> Tensor"

#define NOTE_LINE(id, schema, doc) TN_NOTE_OP(schema)
TN_PLUGIN_NOTE("lying", "1.0.0",
               TN_NOTE_OP(NONSENSE) TN_NOTE_OP(TURNING) TN_NOTE_OP(UNEQUAL) KERNEL_LIES(NOTE_LINE));

/* Small enough that what `wider` writes too much stays where a host that checks looks. */
#define MOST 512

static tn_code like_meta(const tn_meta_context *m) {
    const tn_tensor *x;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    TN_REQUIRE(m->cb, tn_same_dtype(x->dtype, tn_dtype_of_F32()), "x: expected f32, found %s",
               tn_dtype_name(x->dtype));
    TN_REQUIRE(m->cb, tn_numel(x) >= 1 && tn_numel(x) <= MOST,
               "x: expected 1 to %d elements, found %lld", MOST, (long long)tn_numel(x));
    return tn_meta_like(m, 0, x);
}

static tn_code nonsense_meta(const tn_meta_context *m) {
    const int64_t shape[] = {-7};
    return tn_meta_contiguous(m, 0, tn_dtype_of_F32(), 1, shape);
}

/* ---- kernels ---- */

static float *data_of(const tn_arg *arg) {
    return tn_data(arg->v.tensor);
}

static tn_code longer_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    const float *x = data_of(&call->args[0]);
    float *y = data_of(&call->results[0]);
    const int64_t n = tn_numel(call->args[0].v.tensor);
    (void)ctx;
    (void)state;
    for (int64_t i = 0; i <= n; i++)
        y[i] = i < n ? x[i] : 0;
    return TN_OK;
}

static tn_code wider_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    const float *x = data_of(&call->args[0]);
    char *y = tn_data(call->results[0].v.tensor);
    const int64_t n = tn_numel(call->args[0].v.tensor);
    (void)ctx;
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        const double wide = x[i];
        memcpy(y + i * 8, &wide, sizeof wide);
    }
    return TN_OK;
}

static tn_code shorter_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    const float *x = data_of(&call->args[0]);
    float *y = data_of(&call->results[0]);
    const int64_t n = tn_numel(call->args[0].v.tensor);
    (void)ctx;
    (void)state;
    for (int64_t i = 0; i < n - 1; i++)
        y[i] = x[i];
    return TN_OK;
}

static tn_code meddling_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    float *x = data_of(&call->args[0]);
    float *y = data_of(&call->results[0]);
    const int64_t n = tn_numel(call->args[0].v.tensor);
    (void)ctx;
    (void)state;
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i];
    x[0] += 1;
    return TN_OK;
}

static tn_code failing_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    (void)state;
    return tn_fail(ctx->cb, TN_IO, "the table for %lld elements could not be read",
                   (long long)tn_numel(call->args[0].v.tensor));
}

static tn_code twice_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    const float *x = data_of(&call->args[0]);
    float *y = data_of(&call->results[0]);
    const int64_t n = tn_numel(call->args[0].v.tensor);
    (void)ctx;
    (void)state;
    for (int64_t i = 0; i < n; i++)
        y[i] = 2 * x[i];
    return TN_OK;
}

/* ---- lowerings ---- */

/* Another dtype than meta said, where there are more elements than a host tries when it
 * loads a plugin: it would refuse one that lies there. */
static tn_code turning_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    const int32_t rank = tn_lower_rank(l, x);
    int64_t n = 1;
    for (int32_t i = 0; i < rank; i++)
        n *= l->api->dim_value(l->b, tn_lower_dim(l, x, i));
    l->results[0] = n > 48 ? tn_lower_cast(l, x, tn_dtype_of_F64()) : x;
    return TN_OK;
}

/* Another value than the kernel computes: nothing about one of them is wrong, so it takes
 * a comparison of both. */
static tn_code thrice_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    l->results[0] = tn_lower_mul(l, x, tn_lower_float_like(l, x, 3.0));
    return TN_OK;
}

/* ---- descriptions ---- */

#define KERNEL(id)                                                                                 \
    static const tn_kernel id##_cpu = {TN_SIZED(tn_kernel), .device_type = TN_DEVICE_CPU,          \
                                       .run = id##_run};                                           \
    static const tn_kernel *const id##_kernels[] = {&id##_cpu};
#define KERNEL_LIE(id, schema_, doc_)                                                              \
    KERNEL(id)                                                                                     \
    static const tn_op_desc id = {TN_SIZED(tn_op_desc), .schema = schema_,       .doc = doc_,      \
                                  .meta = like_meta,    .kernels = id##_kernels, .n_kernels = 1};
KERNEL_LIES(KERNEL_LIE)
KERNEL(twice)

static const tn_op_desc nonsense = {TN_SIZED(tn_op_desc),
                                    .schema = NONSENSE,
                                    .doc = "Its meta function promises -7 elements.",
                                    .meta = nonsense_meta,
                                    .kernels = twice_kernels,
                                    .n_kernels = 1};
static const tn_op_desc turning = {TN_SIZED(tn_op_desc), .schema = TURNING,
                                   .doc = "Promises f32; its lowering gives f64, of more than 48.",
                                   .meta = like_meta, .lower = turning_lower};
static const tn_op_desc unequal = {TN_SIZED(tn_op_desc),
                                   .schema = UNEQUAL,
                                   .doc = "Its kernel doubles, its lowering triples.",
                                   .meta = like_meta,
                                   .kernels = twice_kernels,
                                   .n_kernels = 1,
                                   .lower = thrice_lower};

#define POINTER(id, schema, doc) &id,
static const tn_op_desc *const ops[] = {&nonsense, &turning, &unequal, KERNEL_LIES(POINTER)};

const tn_plugin *tenon_plugin_query(uint32_t host_abi) {
    static const tn_plugin plugin = {TN_SIZED(tn_plugin),    .abi_needed = TN_ABI_NEEDED,
                                     .n_ops = TN_COUNT(ops), .name = "lying",
                                     .version = "1.0.0",     .ops = ops};
    return host_abi < TN_ABI_NEEDED ? NULL : &plugin;
}
