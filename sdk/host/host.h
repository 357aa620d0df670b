/* What the public handles are made of. Private to sdk/host. */
#ifndef TN_HOST_HOST_H
#define TN_HOST_HOST_H

#include "catalog/catalog.h"
#include "dispatch/call.h"
#include "loader/load.h"
#include "runtime/program.h"

struct tn_context {
    tn_allocator allocator;
    _Atomic uint32_t references;
    uint32_t flags;
    tn_prim_schemas *prim_schemas;
    tn_catalog *catalog;
    tn_loader *loader;
    tn_dispatch *dispatch;
    tn_runtime rt;
};

struct tn_graph {
    tn_context *context; /* retained */
    _Atomic uint32_t references;
    bool finished;
    tn_ir_graph *ir;
    tn_tensor *input_specs; /* made when finished */
};

struct tn_executable {
    tn_graph *graph; /* retained */
    _Atomic uint32_t references;
    tn_program *program;
    tn_cpu_objects_stats before; /* of the context when this was made */
};

/* A plan as applications hold it: core's, and the executable that owns its graph. */
struct tn_plan {
    tn_executable *executable; /* retained */
    tn_run_plan *plan;
};

/* A struct that the application may have compiled smaller or larger: copies what
 * both know into `to`, which the caller zeroed. INVALID when the size is nonsense. */
TN_MUST_USE tn_status tn__options_read(void *to, size_t size, const void *from, const char *what);
/* The same the other way, for structs that the application asked to be filled. */
void tn__options_write(void *to, const void *from, size_t size);

/* The tn:: plugins, in order of name. */
TN_MUST_USE tn_status tn__load_builtins(tn_context *context);

#endif
