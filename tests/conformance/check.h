/* What the suite is made of; private to tests/conformance.
 *
 * In the text of a sweep, {T} is a dtype, {N} the number of combinations of its
 * edge values, and $ makes a name its own for each dtype; inputs, statements and
 * results of all dtypes make one graph. */
#ifndef TN_TESTS_CONFORMANCE_CHECK_H
#define TN_TESTS_CONFORMANCE_CHECK_H

#include "conformance.h"
#include "ir/graph.h"

/* A worked example: values in row-major order as text, "1 -0.0 nan true", where
 * "0..5" is 0 1 2 3 4 5 and "3*7" is 7 7 7. */
enum { TN_EXAMPLE_MAX = 5 };
typedef struct tn_example {
    const char *name;
    const char *graph; /* from the parenthesis of the inputs on */
    const char *inputs[TN_EXAMPLE_MAX];
    const char *outputs[TN_EXAMPLE_MAX];
    double rel; /* allowed; 0: to the bit */
} tn_example;

/* Where an input's numbers come from. */
typedef enum tn_source {
    TN_FROM_COMBINATIONS, /* of edge values: input k of a sweep takes digit k */
    TN_FROM_MIXED,        /* edge values and random numbers */
    TN_FROM_RANDOM,       /* floats in [-2, 2), any integers */
    TN_FROM_SMALL,        /* whole numbers of -4 .. 4 (unsigned: 0 .. 8) */
    TN_FROM_INDEX         /* -2 .. 6 */
} tn_source;

typedef enum tn_closeness {
    TN_CLOSE_EXACT,
    TN_CLOSE_FUNCTION, /* the backend's bound for the primitive */
    TN_CLOSE_SUM       /* a sum of arbitrary floats in another order */
} tn_closeness;

typedef enum tn_domain {
    TN_ON_FLOAT = 1,
    TN_ON_INT = 2,
    TN_ON_BOOL = 4,
    TN_ON_NUMBER = 3,
    TN_ON_ANY = 7
} tn_domain;

typedef struct tn_sweep {
    const char *name;
    const char *inputs;  /* "%x$: {T}[2,3], %i$: i64[2]" */
    const char *body;    /* "%y$ = prim::sum(%x$, axes=[0])" */
    const char *outputs; /* "%y$" */
    tn_domain domain;    /* 0: the text is complete, nothing stands for a dtype */
    uint32_t period;     /* input i takes sources[i % period]; 0: of how many there are */
    tn_source sources[3];
    tn_closeness closeness;
    uint32_t prim; /* of FUNCTION: whose bound */
} tn_sweep;

extern const tn_example tn_examples_move[], tn_examples_reduce[], tn_examples_other[];
extern const tn_example tn_cases_num[], tn_cases_red[];
extern const uint32_t tn_examples_move_count, tn_examples_reduce_count, tn_examples_other_count;
extern const uint32_t tn_cases_num_count, tn_cases_red_count;
extern const tn_sweep tn_sweeps_move[], tn_sweeps_reduce[];
extern const uint32_t tn_sweeps_move_count, tn_sweeps_reduce_count;

/* Three layouts of each elementwise primitive; casts from each dtype. */
enum { TN_LAYOUTS = 3 };
uint32_t tn_sweeps_elementwise_count(void);
uint32_t tn_sweeps_cast_count(void);
/* The text lives in `text`; the sweep points into it. */
void tn_sweeps_elementwise(uint32_t index, tn_strbuf *text, tn_sweep *out);
void tn_sweeps_cast(uint32_t index, tn_strbuf *text, tn_sweep *out);

TN_MUST_USE tn_status tn_example_run(const tn_conformance_backend *backend, const tn_example *e);
TN_MUST_USE tn_status tn_sweep_run(const tn_conformance_backend *backend, const tn_sweep *sweep);

#endif
