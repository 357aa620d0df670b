/* A small plugin in which nothing is wrong: one op that doubles f32 tensors. A
 * bad plugin defines what it does otherwise and includes this.
 *
 *   PLUGIN VERSION SCHEMA        what the code says
 *   NOTE_PLUGIN NOTE_VERSION     what the note says, where that differs
 *   NOTE_BODY                    the whole body of the note
 *   NO_NOTE                      there is none
 *   TN_ABI_NEEDED                of both
 *   ADJUSTS                      it defines adjust(), below, to change the rest
 *   RETURN                       what the entry function returns
 *   ENTRY                        the name of the entry function */
#include "tenon/note.h"
#include "tenon/util.h"

#ifndef PLUGIN
#define PLUGIN "sample"
#endif
#ifndef VERSION
#define VERSION "1.2.3"
#endif
#ifndef SCHEMA
#define SCHEMA "sample::twice(Tensor x) -> Tensor"
#endif
#ifndef NOTE_PLUGIN
#define NOTE_PLUGIN PLUGIN
#endif
#ifndef NOTE_VERSION
#define NOTE_VERSION VERSION
#endif
#ifndef NOTE_BODY
#define NOTE_BODY TN_NOTE_OP(SCHEMA)
#endif
#ifndef RETURN
#define RETURN &plugin
#endif
#ifndef ENTRY
#define ENTRY tenon_plugin_query
#endif

#ifndef NO_NOTE
TN_PLUGIN_NOTE(NOTE_PLUGIN, NOTE_VERSION, NOTE_BODY);
#endif

static tn_code twice_meta(const tn_meta_context *m) {
    const tn_tensor *x;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
    TN_REQUIRE(m->cb, tn_same_dtype(x->dtype, tn_dtype_of_F32()), "x is %s, expected f32",
               tn_dtype_name(x->dtype));
    return tn_meta_like(m, 0, x);
}

static tn_code twice_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    (void)ctx;
    (void)state;
    const tn_tensor *x = call->args[0].v.tensor;
    const float *in = (const float *)tn_data(x);
    float *out = (float *)tn_data(call->results[0].v.tensor);
    for (int64_t i = 0; i < tn_numel(x); i++)
        out[i] = 2 * in[i];
    return TN_OK;
}

#ifdef ADJUSTS
static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel);
#endif

TN_PLUGIN_EXPORT const tn_plugin *ENTRY(uint32_t host_abi);
const tn_plugin *ENTRY(uint32_t host_abi) {
    static tn_kernel kernel;
    static const tn_kernel *const kernels[] = {&kernel, &kernel};
    static tn_op_desc op;
    static const tn_op_desc *const ops[] = {&op, &op};
    static tn_plugin plugin;
    TN_INIT(&kernel);
    kernel.device_type = TN_DEVICE_CPU;
    kernel.run = twice_run;
    TN_INIT(&op);
    op.schema = SCHEMA;
    op.meta = twice_meta;
    op.kernels = kernels;
    op.n_kernels = 1;
    op.traits = TN_TRAIT_DETERMINISTIC | TN_TRAIT_POINTWISE;
    TN_INIT(&plugin);
    plugin.abi_needed = TN_ABI_NEEDED;
    plugin.name = PLUGIN;
    plugin.version = VERSION;
    plugin.ops = ops;
    plugin.n_ops = 1;
#ifdef ADJUSTS
    adjust(&plugin, &op, &kernel);
#endif
    (void)host_abi;
    return RETURN;
}
