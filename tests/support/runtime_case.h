/* What plans, programs and calls run on, over ops made straight from schemas: a
 * runtime with no host, no catalog and no disk cache. Knows no test framework. */
#ifndef TN_TESTS_RUNTIME_CASE_H
#define TN_TESTS_RUNTIME_CASE_H

#include "runtime/runtime.h"
#include "support/test_ops.h"

typedef struct tn_test_runtime {
    tn_runtime rt;
    tn_test_ops *ops; /* empty; add what the test calls */
    tn_prim_schemas *prim_schemas;
} tn_test_runtime;

/* Two threads. Without a compiler graphs run on the interpreter. */
TN_MUST_USE tn_status tn_test_runtime_create(const tn_allocator *allocator, bool compiler,
                                             tn_test_runtime **out_runtime);
void tn_test_runtime_destroy(tn_test_runtime *runtime); /* NULL is fine */

#endif
