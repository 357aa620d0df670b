/* Cases of ops as text: tensors, then a call (or several), run through the public
 * interface alone.
 *
 *   a = f32[2,2] 1 2 3 4              an input and its elements, row-major; true and
 *   b = i32[3] strides=[-1] 1 2 3     false, inf, -inf and nan too; what it is in memory
 *   c = f32[4,3] seed 7               random in [-2, 2), the same every time
 *   force opaque:tn::matmul           a rule for the runs on the CPU
 *   %h = tn::matmul(%a, %b)           statements of graph text; the last may be a bare
 *   tn::add(%h, %b, alpha=2)          call, and its results are the case's
 *
 * What comes out is a line for each result, "f32[2,2] 1 2 3 4", floats with six
 * significant digits, as the reference computes it (of more than 64 elements the first four); or "error: ..." with the message.
 * The CPU then computes the same fused, eager and strict, and for each that is not within
 * what `tenon run --check` allows (strict: not equal to the strict reference) there is a
 * line more that says so. */
#ifndef TN_TESTS_OP_CASE_H
#define TN_TESTS_OP_CASE_H

#include "base/strbuf.h"
#include "tenon/tenon.h"

typedef struct tn_op_cases {
    tn_context *context;
    bool cpu; /* run on the CPU too */
} tn_op_cases;

/* Appends what the case gives; for tn_golden_lines_check, self is a tn_op_cases. */
void tn_op_case_run(void *self, const char *input, size_t length, tn_strbuf *out);

#endif
