/* A template that lacks its functions. */
#define ADJUSTS
#include "plugins/sample.h"

static const tn_template bare = {TN_SIZED(tn_template), .name = "bare", .op = "sample::twice",
                                 .device_type = TN_DEVICE_CPU, .n_configs = 1};
static const tn_template *const templates[] = {&bare};

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)plugin;
    (void)kernel;
    op->templates = templates;
    op->n_templates = 1;
}
