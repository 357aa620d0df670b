/* Tensors of graph cases: made from lists of numbers, compared as doubles. */
#ifndef TN_TESTS_GRAPH_VALUES_H
#define TN_TESTS_GRAPH_VALUES_H

#include "base/strbuf.h"
#include "ir/dtype.h"
#include "tenon/tenon.h"

/* A tensor over a block of its own. */
typedef struct tn_value_tensor {
    tn_tensor t;
    int64_t shape[16], strides[16];
    char *block; /* ends where memory does */
    size_t bytes;
    char *pages;
    size_t pages_bytes;
} tn_value_tensor;

/* strides NULL: contiguous. The block covers what the strides reach. */
tn_status tn_value_make(tn_value_tensor *v, tn_dtype dtype, int32_t rank, const int64_t *shape,
                        const int64_t *strides);
void tn_value_free(tn_value_tensor *v);
int64_t tn_value_count(const tn_value_tensor *v);
double tn_value_get(const tn_value_tensor *v, int64_t flat);
void tn_value_set(tn_value_tensor *v, int64_t flat, double value);
/* Floats in [-2, 2) times scale, integers in [0, 5). */
void tn_value_random(tn_value_tensor *v, uint64_t seed, double scale);
/* Parses "[1, nan, -0.0]" (nested lists are flattened) into values, repeated to fill. */
tn_status tn_value_fill(tn_value_tensor *v, const char *list);
/* A relative tolerance for a dtype. */
double tn_value_tolerance(tn_dtype dtype);
/* Appends a line to out when they differ: exact to the bit but for NaNs, or within
 * tolerance times the largest magnitude of `expected`. Strides may differ. */
void tn_value_compare(const char *what, const tn_value_tensor *found,
                      const tn_value_tensor *expected, bool exact, double tolerance,
                      tn_strbuf *out);

#endif
