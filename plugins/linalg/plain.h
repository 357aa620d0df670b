/* Matrix products in f64 and in integers, which wrap: blocked loops that compilers
 * vectorize. */
#ifndef TN_LINALG_PLAIN_H
#define TN_LINALG_PLAIN_H

#include "tenon/plugin.h"

typedef struct tn_plain_product {
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, b_row, b_column, c_row; /* strides in elements */
} tn_plain_product;

/* c[m,n] = a[m,k] @ b[k,n]; dtype is f64 or an integer. */
void tn__plain_gemm(const tn_plain_product *p, tn_dtype dtype);

#endif
