/* A graph of primitives from text, every value typed: inputs have the extents and
 * strides that the text states. */
#ifndef TN_TESTS_CONFORMANCE_BOUND_TEXT_H
#define TN_TESTS_CONFORMANCE_BOUND_TEXT_H

#include "ir/graph.h"

typedef struct tn_bound_text {
    tn_prim_schemas *prims;
    tn_ir_graph *source, *graph; /* as parsed, and bound */
} tn_bound_text;

TN_MUST_USE tn_status tn_bound_text_init(tn_bound_text *t, const char *text);
void tn_bound_text_deinit(tn_bound_text *t); /* after a failed init too */

#endif
