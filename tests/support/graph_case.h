/* A graph in a file, with what goes in and what must come out, run on every path
 * there is through the public interface. Files are graph text whose first comments
 * are directives:
 *
 *   # plugin: acme              load TN_BINARY_DIR/test-plugins/acme.so
 *   # size: B=8                 a named size that no input states
 *   # input %x: [1, nan, -0.0]  values in row-major order, repeated as needed;
 *                               without it an input is random (but reproducible)
 *   # strides %x: [1, 2]        of the tensor handed in (0 and negative too)
 *   # expect %y: [1, 2]         what output %y must be
 *   # scale: 0.1                random floats are in [-2, 2) times this
 *   # exact                     to the bit (NaNs are alike): else within a tolerance
 *   # tolerance: 1e-3           of the largest magnitude, instead of the dtype's
 *   # error: words              it must fail, and the message must have these words;
 *                               may be repeated
 *   # kernels: 1                generated kernels at most, fused
 *   # opaque: 1                 calls of opaque kernels, fused
 *   # explain: %y epilogue      a decision that explain must state
 *   # force: epilogue:%m        rules; forbid likewise
 *   # skip: eager               a path this graph is not for (in a comment: why)
 *
 * The paths are reference, fused, eager, both of them strict, fused with poisoned
 * memory, and fused again with each value of the graph returned as well. Every one
 * must agree with the reference, and the two strict ones with each other to the bit.
 * Knows no test framework. */
#ifndef TN_TESTS_GRAPH_CASE_H
#define TN_TESTS_GRAPH_CASE_H

#include "base/strbuf.h"
#include "tenon/tenon.h"

typedef struct tn_graph_report {
    tn_strbuf problems; /* empty when all is well */
    uint32_t paths;     /* that ran */
} tn_graph_report;

/* Runs one file. */
void tn_graph_case_run(const char *path, tn_graph_report *report);
/* Runs every *.tn of a folder, in order of name; each problem names its file. filter
 * may be NULL, or how names begin. Returns how many files were run; out_failed counts
 * those with problems. */
uint32_t tn_graph_cases_run(const char *folder, const char *filter, tn_strbuf *out_problems,
                            uint32_t *out_failed);

#endif
