/* acme::bilinear_gate: x * gate * scale, for floats of one shape and dtype.
 *
 * Its lowering is text rather than a function: the same language as graphs, with T for the
 * dtype, ... for the extents and $scale for the argument. Each product is rounded to T. */
#include "acme.h"

static const char lowering[] = "opset 1\n"
                               "graph @bilinear_gate(%x: T[...], %gate: T[...]) {\n"
                               "  %one = prim::constant(value=$scale, dtype=T)\n"
                               "  %scale = prim::broadcast(%one, shape=[...], axes=[])\n"
                               "  %gated = prim::mul(%x, %gate)\n"
                               "  %y = prim::mul(%gated, %scale)\n"
                               "  return %y\n"
                               "}\n";

static tn_code gate_meta(const tn_meta_context *m) {
    const tn_tensor *x, *gate;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 1, &gate));
    TN_REQUIRE(m->cb, tn_is_float(x->dtype), "x: expected floats, found %s",
               tn_dtype_name(x->dtype));
    TN_REQUIRE(m->cb, tn_same_dtype(x->dtype, gate->dtype), "gate: expected %s as x has, found %s",
               tn_dtype_name(x->dtype), tn_dtype_name(gate->dtype));
    TN_REQUIRE(m->cb, x->ndim == gate->ndim, "gate: expected rank %d as x has, found %d",
               (int)x->ndim, (int)gate->ndim);
    for (int32_t i = 0; i < x->ndim; i++) {
        TN_REQUIRE(m->cb, x->shape[i] == gate->shape[i],
                   "gate: expected extent %lld at axis %d as x has, found %lld",
                   (long long)x->shape[i], (int)i, (long long)gate->shape[i]);
    }
    return tn_meta_like(m, 0, x);
}

ACME_INLINE void gate_any(const float *restrict x, const float *restrict gate, float *restrict y,
                          int64_t n, float scale) {
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] * gate[i] * scale;
}
ACME_FOR_EACH_CPU(gate, (const float *x, const float *gate, float *y, int64_t n, float scale),
                  (x, gate, y, n, scale))

static tn_code gate_accept(const tn_run_context *ctx, const tn_problem *problem) {
    const tn_dtype dtype = problem->args[0].v.tensor->dtype;
    TN_DECLINE_UNLESS(ctx->cb, tn_same_dtype(dtype, tn_dtype_of_F32()),
                      "the kernel is for f32, x is %s", tn_dtype_name(dtype));
    return TN_OK;
}

struct gate_call {
    const float *x, *gate;
    float *y;
    float scale;
};

static tn_code gate_body(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    const struct gate_call *c = arg;
    (void)worker;
    gate(c->x + begin, c->gate + begin, c->y + begin, end - begin, c->scale);
    return TN_OK;
}

static tn_code gate_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    const tn_tensor *x = call->args[0].v.tensor;
    (void)state;
    struct gate_call c = {tn_data(x), tn_data(call->args[1].v.tensor),
                          tn_data(call->results[0].v.tensor), (float)call->args[2].v.f};
    return ctx->parallel_for(ctx, tn_numel(x), ACME_GRAIN, gate_body, &c);
}

static const tn_kernel cpu = {TN_SIZED(tn_kernel), .device_type = TN_DEVICE_CPU,
                              .accept = gate_accept, .run = gate_run};
static const tn_kernel *const kernels[] = {&cpu};

const tn_op_desc acme_bilinear_gate = {
    TN_SIZED(tn_op_desc),
    .schema = ACME_BILINEAR_GATE,
    .doc = "x * gate * scale.",
    .meta = gate_meta,
    .kernels = kernels,
    .n_kernels = TN_COUNT(kernels),
    .traits = TN_TRAIT_DETERMINISTIC | TN_TRAIT_CAPTURE_SAFE | TN_TRAIT_ZERO_SIZE_OK |
              TN_TRAIT_POINTWISE,
    .lowering_text = lowering,
};
