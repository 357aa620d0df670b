/* Kernels that load and run, and break one rule each; and one that says how often states
 * were released. */
#include "tenon/note.h"
#include "tenon/util.h"

/* X(id, whether the result is bool rather than like x) */
#define OPS(X)                                                                                     \
    X(relabel, 0)                                                                                  \
    X(turn, 0)                                                                                     \
    X(truth, 1)                                                                                    \
    X(prepare_fails, 0)                                                                            \
    X(workspace_fails, 0)                                                                          \
    X(releases, 0)

#define SCHEMA_OF(id) "untidy::" #id "(Tensor x) -> Tensor"
#define NOTE_LINE(id, is_bool) TN_NOTE_OP(SCHEMA_OF(id))
TN_PLUGIN_NOTE("untidy", "1.0.0", OPS(NOTE_LINE));

static int state, released;

static tn_code like_meta(const tn_meta_context *m) {
    const tn_tensor *x;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    TN_REQUIRE(m->cb, tn_same_dtype(x->dtype, tn_dtype_of_F32()), "x: expected f32");
    return tn_meta_like(m, 0, x);
}

static tn_code bool_meta(const tn_meta_context *m) {
    const tn_tensor *x;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    return tn_meta_like_as(m, 0, x, tn_dtype_of_BOOL());
}

static void copy(const tn_call *call) {
    const tn_tensor *x = call->args[0].v.tensor;
    const float *in = tn_data(x);
    float *out = tn_data(call->results[0].v.tensor);
    for (int64_t i = 0; i < tn_numel(x); i++)
        out[i] = in[i];
}

/* As if the result were its own to describe. */
static tn_code relabel_run(const tn_run_context *ctx, void *s, const tn_call *call) {
    (void)ctx, (void)s;
    copy(call);
    call->results[0].v.tensor->dtype = tn_dtype_of_I32();
    return TN_OK;
}

static tn_code turn_run(const tn_run_context *ctx, void *s, const tn_call *call) {
    tn_tensor *x = call->args[0].v.tensor;
    (void)ctx, (void)s;
    copy(call);
    x->shape[0] = -x->shape[0];
    return TN_OK;
}

static tn_code truth_run(const tn_run_context *ctx, void *s, const tn_call *call) {
    const tn_tensor *y = call->results[0].v.tensor;
    unsigned char *out = tn_data(y);
    (void)ctx, (void)s;
    for (int64_t i = 0; i < tn_numel(y); i++)
        out[i] = (unsigned char)i;
    return TN_OK;
}

static tn_code prepare_fails_prepare(const tn_run_context *ctx, const tn_problem *problem,
                                     void **out_state) {
    (void)problem;
    *out_state = &state; /* freed again, had it been made */
    return tn_fail(ctx->cb, TN_IO, "the table could not be read");
}

static tn_code workspace_fails_prepare(const tn_run_context *ctx, const tn_problem *problem,
                                       void **out_state) {
    (void)ctx, (void)problem;
    *out_state = &state;
    return TN_OK;
}

static tn_code workspace_fails_workspace(const tn_run_context *ctx, const tn_problem *problem,
                                         void *s, tn_workspace *out) {
    (void)problem, (void)s, (void)out;
    return tn_fail(ctx->cb, TN_NO_MEMORY, "more than there is");
}

static void count_release(const tn_run_context *ctx, void *s) {
    (void)ctx;
    released += s == &state;
}

static tn_code releases_run(const tn_run_context *ctx, void *s, const tn_call *call) {
    (void)ctx, (void)s;
    copy(call);
    *(float *)tn_data(call->results[0].v.tensor) = (float)released;
    return TN_OK;
}

#define prepare_fails_run releases_run
#define workspace_fails_run releases_run
#define KERNEL(id, is_bool)                                                                        \
    static tn_kernel id##_cpu = {TN_SIZED(tn_kernel), .device_type = TN_DEVICE_CPU,                \
                                 .run = id##_run};                                                 \
    static const tn_kernel *const id##_kernels[] = {&id##_cpu};                                    \
    static const tn_op_desc id = {TN_SIZED(tn_op_desc), .schema = SCHEMA_OF(id),                   \
                                  .meta = (is_bool) ? bool_meta : like_meta,                       \
                                  .kernels = id##_kernels, .n_kernels = 1};
OPS(KERNEL)

#define POINTER(id, is_bool) &id,
static const tn_op_desc *const ops[] = {OPS(POINTER)};

const tn_plugin *tenon_plugin_query(uint32_t host_abi) {
    static const tn_plugin plugin = {TN_SIZED(tn_plugin),    .abi_needed = TN_ABI_NEEDED,
                                     .n_ops = TN_COUNT(ops), .name = "untidy",
                                     .version = "1.0.0",     .ops = ops};
    prepare_fails_cpu.prepare = prepare_fails_prepare;
    workspace_fails_cpu.prepare = workspace_fails_prepare;
    workspace_fails_cpu.workspace = workspace_fails_workspace;
    prepare_fails_cpu.release = workspace_fails_cpu.release = count_release;
    return host_abi < TN_ABI_NEEDED ? NULL : &plugin;
}
