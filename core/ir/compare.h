/* How far two tensors are apart: what `tenon run --check`, load-time probes and
 * tests decide by. Pure; any thread. */
#ifndef TN_IR_COMPARE_H
#define TN_IR_COMPARE_H

#include "base/strbuf.h"
#include "ir/dtype.h"

/* An element is close when any of these holds:
 *   both are NaN, or both are equal (zeros of either sign, unless zero_signs);
 *   both are finite and |found - expected| <= abs + rel * |expected|
 *                                             + norm * the largest finite |expected|;
 *   neither is NaN and at most ulp values of the dtype lie from one to the other,
 *   infinity counting as the one after the largest.
 * Integers and bools are close when |found - expected| <= abs. All zeros: equal. */
typedef struct tn_tolerance {
    double abs, rel, norm;
    uint64_t ulp;
    bool zero_signs;
} tn_tolerance;

/* For results that two implementations computed in different orders, with
 * different functions of stated accuracy, and with narrow floats held in f32 for a
 * while: what `tenon run --check` allows. Integers and bools: equal. */
tn_tolerance tn_tolerance_for(tn_dt dt);

typedef struct tn_comparison {
    bool close;        /* every element */
    int64_t n;         /* elements */
    int64_t n_far;     /* not close */
    int64_t n_nan;     /* where one is NaN and the other is not */
    double max_abs;    /* over elements that are finite in both; 0 when none */
    double max_rel;    /* |found - expected| / |expected|; over expected != 0 */
    uint64_t max_ulp;  /* over elements that are NaN in neither; floats only */
    int64_t first_far; /* row-major; -1: none */
    int64_t worst;     /* with the greatest ulp, integers: difference; -1: all equal */
    tn_dt dt;
    tn_scalar first_expected, first_found, worst_expected, worst_found;
} tn_comparison;

/* Tensors in host memory, of any strides. INVALID when their dtypes or shapes
 * differ, or the dtype is none of opset 1. */
TN_MUST_USE tn_status tn_compare(const tn_tensor *expected, const tn_tensor *found,
                                 const tn_tolerance *tolerance, tn_comparison *out);

/* "2 of 6 elements differ: first at [0,1], expected 1.0, found 1.5; worst at [1,2], expected
 * 2.0, found 8.0; at most 6.0 apart, 3.0 relative, 16777216 ulp; 1 NaN on one side
 * only", or "6 elements are equal" or "... are close: at most ...". shape is the
 * tensors'. */
void tn_comparison_print(const tn_comparison *comparison, const int64_t *shape, int32_t rank,
                         tn_strbuf *out);

#endif
