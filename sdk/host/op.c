#include <string.h>

#include "host/host.h"

tn_status tn_op_lookup(tn_context *context, const char *name, const tn_op **out_op) {
    *out_op = NULL;
    TN_TRY(tn_catalog_find(context->catalog, name, strlen(name), out_op));
    (*out_op)->retain(*out_op);
    return NULL;
}

void tn_op_release(tn_context *context, const tn_op *op) {
    (void)context;
    if (op != NULL) op->release(op);
}

tn_status tn_call_op(tn_context *context, const tn_op *op, void *stream, const tn_arg *args,
                     uint32_t n_args, tn_arg *outs, uint32_t n_outs) {
    if (stream != NULL) return tn_status_make(TN_INVALID, "the CPU has no streams: pass NULL");
    return tn_dispatch_call(context->dispatch, op, args, n_args, outs, n_outs);
}

void tn_results_free(tn_context *context, tn_arg *outs, uint32_t n_outs) {
    tn_dispatch_free_results(&context->rt, outs, n_outs);
}

typedef struct visitor {
    bool (*visit)(void *self, const tn_op_info *op);
    void *self;
} visitor;

static bool visit_op(void *self, const struct tn_op *op) {
    const visitor *v = self;
    const tn_op_desc *d = op->desc;
    bool lowers = d->lower != NULL || d->lowering_text != NULL;
    const tn_op_info info = {.struct_size = sizeof info,
                             .name = op->schema->full_name,
                             .schema = op->schema->text,
                             .doc = d->doc != NULL ? d->doc : "",
                             .plugin_name = op->owner->plugin_name,
                             .plugin_version = op->owner->plugin_version,
                             .plugin_path = op->owner->plugin_path,
                             .plugin_sha256 = op->owner->plugin_sha256,
                             .desc = d,
                             .traits = d->traits,
                             .flags = (lowers ? TN_OP_HAS_LOWERING : 0) |
                                      (op->cpu != NULL ? TN_OP_HAS_CPU : 0) |
                                      (op->cuda != NULL ? TN_OP_HAS_CUDA : 0) |
                                      (d->n_templates > 0 ? TN_OP_HAS_TEMPLATE : 0) |
                                      (d->decompose != NULL ? TN_OP_HAS_DECOMPOSITION : 0)};
    return v->visit(v->self, &info);
}

tn_status tn_ops_visit(tn_context *context, bool (*visit)(void *self, const tn_op_info *op),
                       void *self) {
    visitor v = {visit, self};
    tn_catalog_visit(context->catalog, visit_op, &v);
    return NULL;
}
