/* What a context provides to everything that plans and runs. Filled once by the
 * host and shared; every part is safe from any thread. */
#ifndef TN_RUNTIME_RUNTIME_H
#define TN_RUNTIME_RUNTIME_H

#include <stdatomic.h>

#include "base/allocator.h"
#include "base/pool.h"
#include "device/cpu/memory.h"
#include "device/cpu/objects.h"
#include "ir/graph.h"

typedef struct tn_runtime {
    const tn_allocator *allocator;
    tn_log_fn log;
    void *log_self;
    const tn_prim_schemas *prim_schemas;
    tn_op_table ops;
    tn_pool *pool;
    tn_cpu_objects *objects;
    tn_cpu_memory *memory; /* of tensors and intermediates */
    atomic_bool said_no_compiler;
} tn_runtime;

void tn_runtime_log(tn_runtime *rt, int32_t level, const char *fmt, ...) TN_PRINTF(3, 4);

#endif
