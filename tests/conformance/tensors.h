/* Tensors for checks: laid out by a type, between guards, filled and watched. */
#ifndef TN_TESTS_CONFORMANCE_TENSORS_H
#define TN_TESTS_CONFORMANCE_TENSORS_H

#include "check.h"
#include "ir/graph.h"

typedef struct tn_watched {
    tn_tensor tensor;
    int64_t shape[TN_MAX_RANK], strides[TN_MAX_RANK];
    tn_dt dt;
    int64_t n;            /* elements */
    unsigned char *block; /* guard, elements and gaps, guard */
    size_t size;          /* of block */
    unsigned char *copy;  /* of block, once kept */
} tn_watched;

/* Everything holds the byte 0xff: of floats that is NaN, of integers not 0. */
TN_MUST_USE tn_status tn_watched_init(tn_watched *w, const tn_type *type);
void tn_watched_deinit(tn_watched *w); /* of a zeroed one too */

/* The element at a row-major index. */
char *tn_watched_at(const tn_watched *w, int64_t index);
void tn_watched_fill(tn_watched *w, tn_source source, uint32_t input);
/* From the text of an example; INVALID when there are more or fewer. */
TN_MUST_USE tn_status tn_watched_parse(tn_watched *w, const char *text);

/* Remembers the block; later, what of it changed: the elements (of an input), or
 * what lies around them (of an output). */
TN_MUST_USE tn_status tn_watched_keep(tn_watched *w);
TN_MUST_USE tn_status tn_watched_check(const tn_watched *w, bool elements, const char *what);

#endif
