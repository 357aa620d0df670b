#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "host/probe.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *tn_version(void) {
    return TEXT(TN_VERSION_MAJOR) "." TEXT(TN_VERSION_MINOR) "." TEXT(TN_VERSION_PATCH);
}

tn_status tn__options_read(void *to, size_t size, const void *from, const char *what) {
    uint32_t given;
    if (from == NULL) return NULL;
    memcpy(&given, from, sizeof given);
    if (given < 16 || given > 65536) {
        return tn_status_make(TN_INVALID, "%s: struct_size is %u: set it to sizeof the struct",
                              what, given);
    }
    memcpy(to, from, given < size ? given : size);
    return NULL;
}

void tn__options_write(void *to, const void *from, size_t size) {
    uint32_t given;
    memcpy(&given, to, sizeof given);
    size_t n = given < size ? given : size;
    const size_t header = sizeof(uint32_t);
    if (n > header) memcpy((char *)to + header, (const char *)from + header, n - header);
}

static void log_to_stderr(void *self, int32_t level, const char *message) {
    (void)self;
    if (level > TN_LOG_WARN) return;
    fprintf(stderr, "tenon: %s: %s\n", level == TN_LOG_ERROR ? "error" : "warning", message);
}

static tn_status make_objects(tn_context *c, const tn_context_options *o) {
    const tn_cpu_objects_options options = {.compiler = o->compiler,
                                            .cache_dir = o->cache_dir,
                                            .cache_bytes = o->cache_bytes,
                                            .no_cache = (o->flags & TN_CONTEXT_NO_CACHE) != 0,
                                            .no_compiler = (o->flags & TN_CONTEXT_NO_COMPILER) != 0,
                                            .log = c->rt.log,
                                            .log_self = c->rt.log_self};
    return tn_cpu_objects_create(&c->allocator, &options, &c->rt.objects);
}

static tn_status probe(void *self, const struct tn_op *op) {
    return tn__probe_op(self, op);
}

static tn_status fill(tn_context *c, const tn_context_options *o) {
    const tn_allocator *a = &c->allocator;
    c->flags = o->flags;
    c->rt.allocator = a;
    c->rt.log = o->log != NULL ? o->log : log_to_stderr;
    c->rt.log_self = o->log_self;
    TN_TRY(tn_prim_schemas_create(a, &c->prim_schemas));
    c->rt.prim_schemas = c->prim_schemas;
    TN_TRY(tn_catalog_create(a, &c->catalog));
    c->rt.ops = tn_catalog_table(c->catalog);
    TN_TRY(tn_pool_create(a, o->threads, &c->rt.pool));
    TN_TRY(tn_cpu_memory_create(a, NULL, &c->rt.memory));
    TN_TRY(make_objects(c, o));
    TN_TRY(tn_dispatch_create(&c->rt, &c->dispatch));
    const tn_loader_options loader = {.plugin_path = o->plugin_path,
                                      .log = c->rt.log,
                                      .log_self = c->rt.log_self,
                                      .probe = probe,
                                      .probe_self = &c->rt};
    TN_TRY(tn_loader_create(a, c->catalog, &loader, &c->loader));
    if (o->flags & TN_CONTEXT_NO_BUILTINS) return NULL;
    return tn__load_builtins(c);
}

static void destroy(tn_context *c) {
    tn_allocator a = c->allocator;
    tn_dispatch_destroy(c->dispatch);
    tn_catalog_destroy(c->catalog);
    tn_loader_destroy(c->loader);
    tn_cpu_objects_destroy(c->rt.objects);
    tn_cpu_memory_destroy(c->rt.memory);
    tn_pool_destroy(c->rt.pool);
    tn_prim_schemas_destroy(c->prim_schemas);
    tn_free(&a, c, sizeof *c);
}

tn_status tn_context_create(const tn_context_options *options, tn_context **out_context) {
    tn_context_options o = {0};
    *out_context = NULL;
    TN_TRY(tn__options_read(&o, sizeof o, options, "tn_context_options"));
    const tn_allocator *a = o.allocator != NULL ? o.allocator : tn_allocator_system();
    if (a->reallocate == NULL) {
        return tn_status_make(TN_INVALID, "tn_context_options: the allocator has no reallocate");
    }
    tn_context *c = tn_alloc_zero(a, sizeof *c);
    if (c == NULL) return tn_status_no_memory();
    c->allocator = *a;
    atomic_init(&c->references, 1);
    tn_status status = fill(c, &o);
    if (status != NULL) {
        destroy(c);
        return status;
    }
    *out_context = c;
    return NULL;
}

void tn_context_retain(tn_context *context) {
    atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
}

void tn_context_release(tn_context *context) {
    if (context == NULL) return;
    if (atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel) == 1) {
        destroy(context);
    }
}
