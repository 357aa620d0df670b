/* acme::median_filter: at each place of the last axis the median of the 2 * radius + 1
 * elements around it; beyond either end the element at that end is repeated. NaN where any
 * of them is NaN; -0 counts as below +0.
 *
 * It has no lowering: primitives do not say it well. Tenon calls the kernel as it is and
 * fuses what lies on either side.
 *
 * A median moves elements and computes nothing, so the kernel works on their bits, and one
 * body serves f16, bf16, f32 and f64. A window is kept sorted while it slides: one element
 * leaves, one enters. */
#include "acme.h"

#define MAX_RADIUS 32767

static int is_known(tn_dtype dtype) {
    return tn_same_dtype(dtype, tn_dtype_of_F16()) || tn_same_dtype(dtype, tn_dtype_of_BF16()) ||
           tn_same_dtype(dtype, tn_dtype_of_F32()) || tn_same_dtype(dtype, tn_dtype_of_F64());
}

static tn_code median_meta(const tn_meta_context *m) {
    const tn_tensor *x;
    int64_t radius;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    TN_CHECK(tn_get_int(m->cb, m->args, m->n_args, 1, &radius));
    TN_REQUIRE(m->cb, is_known(x->dtype), "x: expected f16, bf16, f32 or f64, found %s",
               tn_dtype_name(x->dtype));
    TN_REQUIRE(m->cb, radius >= 0 && radius <= MAX_RADIUS, "radius: expected 0 to %d, found %lld",
               MAX_RADIUS, (long long)radius);
    return tn_meta_like(m, 0, x);
}

/* ---- elements as integers that sort as the numbers do ---- */

struct format {
    uint32_t bits;
    uint64_t sign, infinity; /* as bits */
};

static struct format format_of(tn_dtype dtype) {
    const uint64_t one = 1;
    const uint32_t fraction = dtype.code == TN_TYPE_BFLOAT ? 7
                              : dtype.bits == 16           ? 10
                              : dtype.bits == 32           ? 23
                                                           : 52;
    const struct format f = {dtype.bits, one << (dtype.bits - 1),
                             (one << (dtype.bits - 1)) - (one << fraction)};
    return f;
}

static uint64_t load(const struct format *f, const char *row, int64_t index) {
    uint16_t b16;
    uint32_t b32;
    uint64_t b64;
    switch (f->bits) {
    case 16: memcpy(&b16, row + index * 2, 2); return b16;
    case 32: memcpy(&b32, row + index * 4, 4); return b32;
    default: memcpy(&b64, row + index * 8, 8); return b64;
    }
}

static void store(const struct format *f, char *row, int64_t index, uint64_t bits) {
    const uint16_t b16 = (uint16_t)bits;
    const uint32_t b32 = (uint32_t)bits;
    switch (f->bits) {
    case 16: memcpy(row + index * 2, &b16, 2); break;
    case 32: memcpy(row + index * 4, &b32, 4); break;
    default: memcpy(row + index * 8, &bits, 8); break;
    }
}

static int is_nan(const struct format *f, uint64_t bits) {
    return (bits & (f->sign - 1)) > f->infinity;
}
/* Negative ones are turned over, positive ones go above them. */
static uint64_t key_of(const struct format *f, uint64_t bits) {
    return bits & f->sign ? ~bits & (f->sign | (f->sign - 1)) : bits | f->sign;
}
static uint64_t bits_of(const struct format *f, uint64_t key) {
    return key & f->sign ? key & (f->sign - 1) : ~key & (f->sign | (f->sign - 1));
}

/* ---- the window ---- */

struct window {
    uint64_t *keys; /* those that are no NaN, sorted */
    int64_t n_keys, n_nans;
};

/* The first place whose key is not below. */
static int64_t window_find(const struct window *w, uint64_t key) {
    int64_t low = 0, high = w->n_keys;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (w->keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void window_add(struct window *w, const struct format *f, uint64_t bits) {
    if (is_nan(f, bits)) {
        w->n_nans++;
        return;
    }
    const uint64_t key = key_of(f, bits);
    const int64_t at = window_find(w, key);
    memmove(w->keys + at + 1, w->keys + at, (size_t)(w->n_keys - at) * sizeof *w->keys);
    w->keys[at] = key;
    w->n_keys++;
}

/* bits were added before. */
static void window_remove(struct window *w, const struct format *f, uint64_t bits) {
    if (is_nan(f, bits)) {
        w->n_nans--;
        return;
    }
    const int64_t at = window_find(w, key_of(f, bits));
    w->n_keys--;
    memmove(w->keys + at, w->keys + at + 1, (size_t)(w->n_keys - at) * sizeof *w->keys);
}

/* ---- the kernel ---- */

struct median_call {
    struct format format;
    const char *x;
    char *y;
    uint64_t *keys; /* a window for each worker */
    int64_t columns, radius;
};

static int64_t clamp(int64_t i, int64_t n) {
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* Elements [begin, end) of one row. */
static void filter_row(const struct median_call *c, const char *x, char *y, int64_t begin,
                       int64_t end, uint64_t *keys) {
    const struct format *f = &c->format;
    const uint64_t nan = f->infinity | (f->infinity >> 1); /* quiet, positive */
    const int64_t n = c->columns, r = c->radius;
    struct window w = {keys, 0, 0};
    for (int64_t i = begin - r; i <= begin + r; i++)
        window_add(&w, f, load(f, x, clamp(i, n)));
    for (int64_t i = begin; i < end; i++) {
        if (i > begin) {
            window_remove(&w, f, load(f, x, clamp(i - r - 1, n)));
            window_add(&w, f, load(f, x, clamp(i + r, n)));
        }
        store(f, y, i, w.n_nans > 0 ? nan : bits_of(f, keys[r]));
    }
}

/* A chunk may begin and end inside rows. */
static tn_code median_body(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    const struct median_call *c = arg;
    uint64_t *keys = c->keys + (int64_t)worker * (2 * c->radius + 1);
    while (begin < end) {
        const int64_t row = begin / c->columns, first = begin % c->columns;
        const int64_t rest = c->columns - first;
        const int64_t take = end - begin < rest ? end - begin : rest;
        const int64_t offset = row * c->columns * (c->format.bits / 8);
        filter_row(c, c->x + offset, c->y + offset, first, first + take, keys);
        begin += take;
    }
    return TN_OK;
}

static tn_code median_workspace(const tn_run_context *ctx, const tn_problem *problem, void *state,
                                tn_workspace *out) {
    const uint64_t keys = 2 * (uint64_t)problem->args[1].v.i + 1;
    (void)state;
    out->bytes = ctx->threads * keys * sizeof(uint64_t);
    return TN_OK;
}

static tn_code median_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    const tn_tensor *x = call->args[0].v.tensor;
    (void)state;
    struct median_call c = {.format = format_of(x->dtype),
                            .x = tn_data(x),
                            .y = tn_data(call->results[0].v.tensor),
                            .keys = ctx->workspace,
                            .columns = x->ndim > 0 ? x->shape[x->ndim - 1] : 1,
                            .radius = call->args[1].v.i};
    /* Every chunk fills its window anew: let it be worth that. */
    const int64_t grain = 4096 + 16 * c.radius;
    return ctx->parallel_for(ctx, tn_numel(x), grain, median_body, &c);
}

static const tn_kernel cpu = {TN_SIZED(tn_kernel), .device_type = TN_DEVICE_CPU,
                              .workspace = median_workspace, .run = median_run};
static const tn_kernel *const kernels[] = {&cpu};

const tn_op_desc acme_median_filter = {
    TN_SIZED(tn_op_desc),
    .schema = ACME_MEDIAN_FILTER,
    .doc = "The median of 2 * radius + 1 elements along the last axis, ends repeated.",
    .meta = median_meta,
    .kernels = kernels,
    .n_kernels = TN_COUNT(kernels),
    .traits = TN_TRAIT_DETERMINISTIC | TN_TRAIT_CAPTURE_SAFE | TN_TRAIT_ZERO_SIZE_OK,
};
