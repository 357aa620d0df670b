/* Ops that say something of memory: results that are not row-major, a kernel that reads raw
 * strides, a size that is computed. */
#include "tenon/lower.h"
#include "tenon/note.h"
#include "tenon/util.h"

#define COLUMNS "strided::columns(Tensor x) -> Tensor"
#define RAW "strided::raw(Tensor x, int offset, int size, int step) -> Tensor"
#define EIGHTH "strided::eighth(Tensor x) -> Tensor"

TN_PLUGIN_NOTE("strided", "1.0.0", TN_NOTE_OP(COLUMNS) TN_NOTE_OP(RAW) TN_NOTE_OP(EIGHTH));

/* A copy whose last two axes lie the other way round in memory. */
static tn_code columns_meta(const tn_meta_context *m) {
    const tn_tensor *x;
    int64_t strides[16];
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    TN_REQUIRE(m->cb, x->ndim >= 2 && x->ndim <= 16 && tn_same_dtype(x->dtype, tn_dtype_of_F32()),
               "x: expected f32 of rank 2 to 16");
    const int32_t last = x->ndim - 1;
    int64_t step = x->shape[last] * x->shape[last - 1];
    strides[last - 1] = 1;
    strides[last] = x->shape[last - 1];
    for (int32_t i = last - 2; i >= 0; i--) {
        strides[i] = step;
        step *= x->shape[i];
    }
    tn_spec spec = tn_make_spec(x->dtype, x->ndim, x->shape);
    spec.strides = strides;
    return m->set(m, 0, &spec);
}

static int64_t place(const tn_tensor *t, int64_t index) {
    int64_t at = 0;
    for (int32_t i = t->ndim - 1; i >= 0; i--) {
        at += index % t->shape[i] * t->strides[i];
        index /= t->shape[i];
    }
    return at;
}

static tn_code columns_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    const tn_tensor *x = call->args[0].v.tensor, *y = call->results[0].v.tensor;
    const float *in = tn_data(x);
    float *out = tn_data(y);
    (void)ctx;
    (void)state;
    for (int64_t i = 0; i < tn_numel(x); i++)
        out[place(y, i)] = in[place(x, i)];
    return TN_OK;
}

/* Elements offset, offset + step ... of x as it lies in memory, row-major. */
static tn_code raw_meta(const tn_meta_context *m) {
    const tn_tensor *x;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    const int64_t size = m->args[2].v.i, offset = m->args[1].v.i, step = m->args[3].v.i;
    TN_REQUIRE(m->cb, tn_same_dtype(x->dtype, tn_dtype_of_F32()), "x: expected f32");
    TN_REQUIRE(m->cb, offset >= 0 && size >= 1 && step >= 0, "expected a slice of x");
    TN_REQUIRE(m->cb, offset + (size - 1) * step < tn_numel(x), "beyond the end of x");
    return tn_meta_contiguous(m, 0, x->dtype, 1, &size);
}

static tn_code raw_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    const float *in = tn_data(call->args[0].v.tensor);
    float *out = tn_data(call->results[0].v.tensor);
    (void)ctx;
    (void)state;
    for (int64_t i = 0; i < call->args[2].v.i; i++)
        out[i] = in[call->args[1].v.i + i * call->args[3].v.i];
    return TN_OK;
}

/* The first eighth, rounded down. */
static tn_code eighth_meta(const tn_meta_context *m) {
    const tn_tensor *x;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    TN_REQUIRE(m->cb, x->ndim == 1, "x: expected rank 1");
    const int64_t n = x->shape[0] / 8;
    return tn_meta_contiguous(m, 0, x->dtype, 1, &n);
}

static const char eighth_text[] =
    "opset 1\n"
    "graph @eighth(%x: T[n]) {\n"
    "  %y = prim::slice(%x, start=[0], size=[floordiv(n, 8)], step=[1])\n"
    "  return %y\n"
    "}\n";

static const tn_kernel columns_cpu = {TN_SIZED(tn_kernel), .device_type = TN_DEVICE_CPU,
                                      .flags = TN_KERNEL_STRIDED_INPUTS | TN_KERNEL_STRIDED_OUTPUTS,
                                      .run = columns_run};
static const tn_kernel *const columns_kernels[] = {&columns_cpu};
static const tn_kernel raw_cpu = {TN_SIZED(tn_kernel), .device_type = TN_DEVICE_CPU,
                                  .run = raw_run};
static const tn_kernel *const raw_kernels[] = {&raw_cpu};

static const tn_op_desc columns = {
    TN_SIZED(tn_op_desc), .schema = COLUMNS,          .doc = "x, column by column in memory.",
    .meta = columns_meta, .kernels = columns_kernels, .n_kernels = 1};
static const tn_op_desc raw = {
    TN_SIZED(tn_op_desc), .schema = RAW,          .doc = "Elements of x by their place in memory.",
    .meta = raw_meta,     .kernels = raw_kernels, .n_kernels = 1};
static const tn_op_desc eighth = {TN_SIZED(tn_op_desc), .schema = EIGHTH,
                                  .doc = "The first eighth of x.", .meta = eighth_meta,
                                  .lowering_text = eighth_text};
static const tn_op_desc *const ops[] = {&columns, &raw, &eighth};

const tn_plugin *tenon_plugin_query(uint32_t host_abi) {
    static const tn_plugin plugin = {TN_SIZED(tn_plugin),    .abi_needed = TN_ABI_NEEDED,
                                     .n_ops = TN_COUNT(ops), .name = "strided",
                                     .version = "1.0.0",     .ops = ops};
    return host_abi < TN_ABI_NEEDED ? NULL : &plugin;
}
