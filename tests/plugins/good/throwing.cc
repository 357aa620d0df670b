/* C++, and everything in it throws: the guards of tenon/util.h keep exceptions on
 * this side. */
#include <stdexcept>
#include <string>

#define PLUGIN "throwing"
#define SCHEMA "throwing::twice(Tensor x) -> Tensor"
#define ADJUSTS
#include "plugins/sample.h"

/* By rank: an exception of the standard's, no memory, an int, a reason on the
 * stack. */
static tn_code throwing_meta(const tn_meta_context *m) {
    TN_GUARD_BEGIN
    const tn_tensor *x;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    if (x->ndim == 1) throw std::runtime_error("meta broke");
    if (x->ndim == 2) throw std::bad_alloc();
    if (x->ndim == 3) throw 42;
    std::string reason = "rank ";
    reason += std::to_string(x->ndim);
    reason += " is not for me, and this text is longer than any small string";
    return m->cb->fail(m->cb, TN_UNSUPPORTED, reason.c_str());
    TN_GUARD_END(m->cb)
}

static tn_code throwing_run(const tn_run_context *ctx, void *, const tn_call *) {
    TN_GUARD_BEGIN
    throw std::out_of_range("kernel broke");
    TN_GUARD_END(ctx->cb)
}

static void throwing_release(const tn_run_context *, void *) {
    TN_GUARD_BEGIN
    throw std::runtime_error("release broke");
    TN_GUARD_END_VOID
}

static void adjust(tn_plugin *, tn_op_desc *op, tn_kernel *kernel) {
    op->meta = throwing_meta;
    kernel->run = throwing_run;
    kernel->release = throwing_release;
}
