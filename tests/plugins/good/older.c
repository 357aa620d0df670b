/* What a plugin built against an older header may look like: structs that end
 * before the slots that came later, with anything behind them. */
#define SCHEMA "older::twice(Tensor x) -> Tensor"
#define PLUGIN "older"
#define ADJUSTS
#include "plugins/sample.h"

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    op->struct_size = offsetof(tn_op_desc, lower);
    op->lowering_text = "what lies behind the end is not read";
    op->n_layouts = 99;
    kernel->struct_size = offsetof(tn_kernel, release);
    plugin->struct_size = offsetof(tn_plugin, templates);
    plugin->n_templates = 1000;
}
