#include "support/runtime_case.h"

static void silent(void *self, int32_t level, const char *message) {
    (void)self, (void)level, (void)message;
}

static tn_status fill(tn_test_runtime *t, const tn_allocator *a, bool compiler) {
    const tn_cpu_objects_options objects = {.no_cache = true, .no_compiler = !compiler};
    t->rt.allocator = a;
    t->rt.log = silent;
    TN_TRY(tn_test_ops_create_empty(a, &t->ops));
    t->rt.ops = t->ops->table;
    TN_TRY(tn_prim_schemas_create(a, &t->prim_schemas));
    t->rt.prim_schemas = t->prim_schemas;
    TN_TRY(tn_pool_create(a, 2, &t->rt.pool));
    TN_TRY(tn_cpu_memory_create(a, NULL, &t->rt.memory));
    return tn_cpu_objects_create(a, &objects, &t->rt.objects);
}

tn_status tn_test_runtime_create(const tn_allocator *a, bool compiler, tn_test_runtime **out) {
    *out = NULL;
    tn_test_runtime *t = tn_alloc_zero(a, sizeof *t);
    if (t == NULL) return tn_status_no_memory();
    tn_status status = fill(t, a, compiler);
    if (status != NULL) {
        tn_test_runtime_destroy(t);
        return status;
    }
    *out = t;
    return NULL;
}

void tn_test_runtime_destroy(tn_test_runtime *t) {
    if (t == NULL) return;
    tn_cpu_objects_destroy(t->rt.objects);
    tn_cpu_memory_destroy(t->rt.memory);
    tn_pool_destroy(t->rt.pool);
    tn_prim_schemas_destroy(t->prim_schemas);
    tn_test_ops_destroy(t->ops);
    tn_free(t->rt.allocator, t, sizeof *t);
}
