/* What a plugin built against a newer header may look like to this host: larger
 * structs, a device, a primitive, a trait and an extension that are not known. */
#define SCHEMA "newer::twice(Tensor x) -> Tensor"
#define PLUGIN "newer"
#define ADJUSTS
#include "plugins/sample.h"

static tn_code accept(const tn_run_context *ctx, const tn_problem *p, uint32_t config) {
    (void)p;
    (void)config;
    return ctx->cb->fail(ctx->cb, TN_DECLINED, "never");
}

static tn_code configure(const tn_run_context *ctx, const tn_problem *p, uint32_t config,
                         void *state, tn_launch *out) {
    (void)state;
    (void)out;
    return accept(ctx, p, config);
}

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    static const tn_extension optional = {sizeof optional, 0, NULL, "tenon.later.v1"};
    static const tn_kernel other = {.struct_size = sizeof other, .device_type = 77};
    static const tn_kernel *kernels[] = {&other, NULL};
    static const tn_template unknown = {
        TN_SIZED(tn_template),        .name = "t",    .op = "prim::of_a_later_opset",
        .device_type = TN_DEVICE_CPU, .n_configs = 1, .accept = accept,
        .configure = configure};
    static const tn_template *const templates[] = {&unknown};
    static struct {
        tn_op_desc known;
        uint64_t later_slots[4];
    } larger;
    static const tn_op_desc *const ops[] = {&larger.known};
    kernels[1] = kernel;
    op->kernels = kernels;
    op->n_kernels = 2;
    op->traits |= 1u << 20;
    op->extensions = &optional;
    larger.known = *op;
    larger.known.struct_size = sizeof larger;
    larger.later_slots[0] = 1;
    plugin->ops = ops;
    plugin->templates = templates;
    plugin->n_templates = 1;
}
