/* A table of ops made straight from schemas, with no plugin and no catalog: what
 * tests of graphs, text and passes need. Knows no test framework.
 *
 * tn_test_ops_create fills it with (all in namespace test):
 *
 *   relu(Tensor x) -> Tensor
 *   add(Tensor a, Tensor b, *, Scalar alpha=1) -> Tensor
 *   scale(Tensor x, float beta=1.0) -> Tensor
 *   norm(Tensor x, *, float ord=2.0, int[] dims=[], bool keepdim=False) -> Tensor
 *   reshape(Tensor x, int[] shape) -> Tensor
 *   topk(Tensor x, int k, int dim=-1) -> (Tensor values, Tensor indices)
 *   split(Tensor x, int[] sizes, int dim=0) -> Tensor[]
 *   cat(Tensor[] xs, int dim=0) -> Tensor
 *   linear(Tensor x, Tensor w, Tensor? bias=None) -> Tensor
 *   pick(Tensor a, Tensor? b, Tensor? c) -> Tensor
 *   fill_(Tensor(a!) x, float value) -> ()
 *   make(int[] shape, *, str mode="none", ScalarType dtype=f32, Device? device=None)
 *     -> Tensor
 *   make.like(Tensor x) -> Tensor
 *   over(Tensor a, Tensor b) -> Tensor
 *   over.f(Tensor a, float b) -> Tensor
 *   over.n(Tensor a, int[] b) -> Tensor
 *   over.t(Tensor a, Scalar b, int c=0) -> Tensor
 *   names(Tensor(a!) self, int op, float stream, Tensor name) -> Tensor
 *
 * Their meta functions are as plain as the schemas suggest: elementwise ones
 * give the first tensor's shape and dtype, norm reduces the axes given, linear
 * multiplies [..., k] by [n, k]. None has a kernel. */
#ifndef TN_TESTS_TEST_OPS_H
#define TN_TESTS_TEST_OPS_H

#include "ir/op.h"

typedef struct tn_test_op {
    tn_op op; /* first: what the table hands out */
    tn_op_desc desc;
    struct tn_test_ops *table;
} tn_test_op;

typedef struct tn_test_ops {
    tn_op_table table; /* pass &ops->table */
    const tn_allocator *allocator;
    tn_op_owner owner; /* plugin "test" 1.0.0 of "test.so" */
    tn_test_op **ops;
    size_t n, cap;
    int64_t references; /* retained and not released; atomic */
} tn_test_ops;

TN_MUST_USE tn_status tn_test_ops_create(const tn_allocator *allocator, tn_test_ops **out_ops);
/* Without any op. */
TN_MUST_USE tn_status tn_test_ops_create_empty(const tn_allocator *allocator,
                                               tn_test_ops **out_ops);
/* Adds one more; desc is copied, its strings are borrowed. */
TN_MUST_USE tn_status tn_test_ops_add(tn_test_ops *ops, const tn_op_desc *desc);
/* NULL when there is none of this name. */
tn_test_op *tn_test_ops_find(tn_test_ops *ops, const char *name);
void tn_test_ops_destroy(tn_test_ops *ops); /* NULL is fine */

/* Meta of ops whose result is like their first tensor argument. */
tn_code tn_test_meta_like(const tn_meta_context *m);

#endif
