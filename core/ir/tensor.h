/* Small questions about tensors in host memory. Pure. */
#ifndef TN_IR_TENSOR_H
#define TN_IR_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "tenon/plugin.h"

/* The address of element (0, 0, ...); NULL where data is. */
char *tn_tensor_first(const tn_tensor *t);
/* Elements, for extents that were checked. */
int64_t tn_tensor_numel(const tn_tensor *t);
/* Axes of extent 0 or 1 do not matter; no elements are contiguous. */
bool tn_tensor_is_contiguous(const tn_tensor *t);
/* The bytes from the first to past the last element in memory. */
void tn_tensor_span(const tn_tensor *t, char **out_first, uint64_t *out_bytes);
/* What an element's address must be a multiple of: the bytes of its component (of one
 * lane, of the real part), or the greatest power of two in them. */
uint32_t tn_dtype_alignment(tn_dtype dtype);
/* Copies the elements to or from contiguous memory. */
void tn_tensor_gather(const tn_tensor *from, void *to);
void tn_tensor_scatter(const tn_tensor *to, const void *from);

#endif
