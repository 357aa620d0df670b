#include "unit/registry/catalog/plugins.h"

#include <stdio.h>
#include <string.h>

static tn_code meta(const tn_meta_context *m) {
    (void)m;
    return TN_OK;
}

static tn_code run(const tn_run_context *ctx, void *state, const tn_call *call) {
    (void)ctx;
    (void)state;
    (void)call;
    return TN_OK;
}

static const tn_kernel kernel = {
    .struct_size = sizeof kernel, .device_type = TN_DEVICE_CPU, .run = run};
static const tn_kernel *const kernels[] = {&kernel};

void tn_test_plugin_init(tn_test_plugin_desc *p, const char *name, const char *version,
                         const char *const *schemas) {
    static char paths[64][128];
    static unsigned next;
    char *path = paths[next++ % 64];
    snprintf(path, 128, "/plugins/%s-%s.so", name, version);
    memset(p, 0, sizeof *p);
    uint32_t n = 0;
    for (; schemas[n] && n < TN_TEST_MOST_OPS; n++) {
        p->ops[n] = (tn_op_desc){.struct_size = sizeof(tn_op_desc),
                                 .schema = schemas[n],
                                 .meta = meta,
                                 .kernels = kernels,
                                 .n_kernels = 1};
        p->op_list[n] = &p->ops[n];
    }
    p->plugin = (tn_plugin){.struct_size = sizeof(tn_plugin),
                            .abi_needed = 1,
                            .n_ops = n,
                            .name = name,
                            .version = version,
                            .ops = p->op_list};
    p->source = (tn_catalog_source){.path = path, .plugin = &p->plugin};
}

tn_status tn_test_plugin_join(tn_catalog *catalog, const tn_test_plugin_desc *p,
                              tn_catalog_plugin **out_plugin) {
    TN_TRY(tn_catalog_prepare(catalog, &p->source, out_plugin));
    tn_status status = tn_catalog_commit(catalog, *out_plugin);
    if (status) tn_catalog_discard(catalog, *out_plugin);
    return status;
}
