/* acme::swish: x * sigmoid(beta * x), for floats.
 *
 * It has both a kernel and a lowering. Called alone, or in a graph that keeps it opaque, the
 * kernel runs; where fusing pays, Tenon builds the lowering into its own loops instead, and
 * x is neither written to memory nor read back. */
#include "acme.h"

static tn_code swish_meta(const tn_meta_context *m) {
    const tn_tensor *x;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    TN_REQUIRE(m->cb, tn_is_float(x->dtype), "x: expected floats, found %s",
               tn_dtype_name(x->dtype));
    return tn_meta_like(m, 0, x);
}

/* x / (1 + e^(-beta * x)): one quotient instead of a sigmoid and a product. Narrow floats
 * are computed in f32 and rounded once. */
static tn_code swish_lower(const tn_lower_context *l) {
    const tn_value given = tn_lower_arg(l, 0);
    const tn_dtype dtype = tn_lower_dtype(l, given);
    const tn_value x = dtype.bits < 32 ? tn_lower_cast(l, given, tn_dtype_of_F32()) : given;
    const tn_value by = tn_lower_mul(l, x, tn_lower_scalar_like(l, x, l->args[1]));
    const tn_value e = tn_lower_exp(l, tn_lower_neg(l, by));
    const tn_value below = tn_lower_add(l, tn_lower_float_like(l, x, 1.0), e);
    l->results[0] = tn_lower_cast(l, tn_lower_div(l, x, below), dtype);
    return TN_OK;
}

static float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static uint32_t to_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* e^t, within 2 units in the last place; NaN stays. What swish loses far below 0 is the
 * rounding of beta * x, which e^t magnifies. e^t = 2^n e^r with n the integer nearest
 * t / log 2. Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits, whatever
 * they are for NaN. 2^n goes in as two factors, since 2^128 is needed and does not exist. */
ACME_INLINE float exp_of(float t) {
    const float magic = 12582912.0f;
    t = t > 104.0f ? 104.0f : t;
    t = t < -104.0f ? -104.0f : t;
    const float rounded = t * 1.44269504f + magic;
    const float n = rounded - magic;
    const float r = (t - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691e-4f;
    p = p * r + 1.3981999e-3f;
    p = p * r + 8.3334519e-3f;
    p = p * r + 4.1665796e-2f;
    p = p * r + 1.6666665e-1f;
    p = p * r + 5.0000001e-1f;
    p = p * r * r + r + 1.0f;
    const uint32_t power = to_bits(rounded) - to_bits(magic) + 256;
    const uint32_t half = power >> 1; /* n / 2 + 128 */
    return p * from_bits((half - 1) << 23) * from_bits((power - half - 1) << 23);
}

ACME_INLINE void swish_any(const float *restrict x, float *restrict y, int64_t n, float beta) {
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] / (1.0f + exp_of(-beta * x[i]));
}
ACME_FOR_EACH_CPU(swish, (const float *x, float *y, int64_t n, float beta), (x, y, n, beta))

static tn_code swish_accept(const tn_run_context *ctx, const tn_problem *problem) {
    const tn_dtype dtype = problem->args[0].v.tensor->dtype;
    TN_DECLINE_UNLESS(ctx->cb, tn_same_dtype(dtype, tn_dtype_of_F32()),
                      "the kernel is for f32, x is %s", tn_dtype_name(dtype));
    return TN_OK;
}

struct swish_call {
    const float *x;
    float *y;
    float beta;
};

static tn_code swish_body(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    const struct swish_call *c = arg;
    (void)worker;
    swish(c->x + begin, c->y + begin, end - begin, c->beta);
    return TN_OK;
}

static tn_code swish_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    const tn_tensor *x = call->args[0].v.tensor;
    (void)state;
    struct swish_call c = {tn_data(x), tn_data(call->results[0].v.tensor),
                           (float)call->args[1].v.f};
    return ctx->parallel_for(ctx, tn_numel(x), ACME_GRAIN, swish_body, &c);
}

static const tn_kernel cpu = {TN_SIZED(tn_kernel), .device_type = TN_DEVICE_CPU,
                              .accept = swish_accept, .run = swish_run};
static const tn_kernel *const kernels[] = {&cpu};

const tn_op_desc acme_swish = {
    TN_SIZED(tn_op_desc),
    .schema = ACME_SWISH,
    .doc = "x * sigmoid(beta * x).",
    .meta = swish_meta,
    .kernels = kernels,
    .n_kernels = TN_COUNT(kernels),
    .traits = TN_TRAIT_DETERMINISTIC | TN_TRAIT_CAPTURE_SAFE | TN_TRAIT_ZERO_SIZE_OK |
              TN_TRAIT_POINTWISE,
    .lower = swish_lower,
};
