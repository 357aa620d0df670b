/* One suite of checks that every backend passes: the reference interpreter, each
 * device, each mode. A backend joins with one file (see reference_test.c): it
 * fills in a tn_conformance_backend and names it in TN_CONFORMANCE_TESTS.
 *
 * A check is a graph of primitives as text, its inputs, and what must come out:
 * written by hand (worked examples, public fault cases), or else computed by
 * tn_interp_prim. Inputs are laid out as the graph says (any strides), between
 * guards; outputs hold a pattern of NaN before the run. After it the outputs must
 * be close enough, the guards and the inputs unchanged.
 *
 * How close: to the bit where IEEE 754 or integers settle the result (NaN is
 * NaN, zeros keep their sign); within the backend's own bound for functions such
 * as exp; within what reordering may change for sums of arbitrary numbers. */
#ifndef TN_TESTS_CONFORMANCE_H
#define TN_TESTS_CONFORMANCE_H

#include "base/strbuf.h"
#include "ir/dtype.h"

/* What a backend is known not to do. A check that it refuses with TN_UNSUPPORTED
 * passes only if it is listed; one that is listed and passes is a failure. */
typedef struct tn_conformance_gap {
    const char *check;  /* the beginning of its name */
    const char *reason; /* for the summary */
} tn_conformance_gap;

typedef struct tn_conformance_backend {
    const char *name;
    void *self;
    /* Rounds narrow floats after each primitive; else only casts and outputs. */
    bool strict;
    /* Parses, compiles and runs. Tensors follow the graph's order and lie in host
     * memory; outputs are contiguous. May be called from several processes. */
    tn_status (*run_graph)(void *self, const char *text, const tn_tensor *const *inputs,
                           uint32_t n_inputs, tn_tensor *const *outputs, uint32_t n_outputs);
    /* The greatest error, in values of dt, of an elementwise primitive that is not
     * exact. NULL: 4 for f32 and f64, 1 for narrower ones. */
    uint64_t (*function_ulp)(void *self, uint32_t prim, tn_dt dt);
    const tn_conformance_gap *gaps;
    uint32_t n_gaps;
} tn_conformance_backend;

uint32_t tn_conformance_count(void);
/* "elementwise.add.strided", "example.slice_negative_step", "NUM-01.maximum"; lent
 * until the next call on this thread. */
const char *tn_conformance_name(uint32_t index);
/* NULL when the check passes, or is a known gap. The message has everything that
 * is needed to look into it: the graph, the output, the elements. */
TN_MUST_USE tn_status tn_conformance_run(const tn_conformance_backend *backend, uint32_t index);

/* The groups that tests are made of: X(suite, backend, name, beginning and end of
 * the names of its checks). Together they are every check. */
#define TN_CONFORMANCE_GROUPS(X, suite, backend)                                                   \
    X(suite, backend, elementwise_flat, "elementwise.", ".flat")                                   \
    X(suite, backend, elementwise_shapes, "elementwise.", ".shapes")                               \
    X(suite, backend, elementwise_strided, "elementwise.", ".strided")                             \
    X(suite, backend, cast, "cast.", "")                                                           \
    X(suite, backend, move, "move.", "")                                                           \
    X(suite, backend, reduce, "reduce.", "")                                                       \
    X(suite, backend, matmul, "matmul.", "")                                                       \
    X(suite, backend, examples, "example.", "")                                                    \
    X(suite, backend, numeric_cases, "NUM-", "")                                                   \
    X(suite, backend, reduction_cases, "RED-", "")

/* Runs the checks with this beginning and end of their name and appends what
 * failed. Returns how many there are. The fault cases that are right, and the gaps,
 * go to the summary of `./dev test`. */
uint32_t tn_conformance_run_group(const tn_conformance_backend *backend, const char *beginning,
                                  const char *end, tn_strbuf *out_failures);

/* One Criterion test a group, for a file that includes Criterion and
 * base/allocator.h: TN_CONFORMANCE_TESTS(cpu_fused, my_backend) */
#define TN_CONFORMANCE_TESTS(suite, backend)                                                       \
    TN_CONFORMANCE_GROUPS(TN_CONFORMANCE_TEST, suite, backend)
#define TN_CONFORMANCE_TEST(suite, backend, name, beginning, end)                                  \
    Test(suite, name) {                                                                            \
        tn_strbuf failures;                                                                        \
        tn_strbuf_init(&failures, tn_allocator_system());                                          \
        cr_assert_gt(tn_conformance_run_group(&(backend), beginning, end, &failures), 0);          \
        cr_assert_eq(failures.length, 0, "%s", tn_strbuf_cstr(&failures));                         \
        tn_strbuf_deinit(&failures);                                                               \
    }

#endif
