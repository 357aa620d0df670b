/* Tensors that own their storage, from a runtime's memory. */
#ifndef TN_RUNTIME_TENSOR_NEW_H
#define TN_RUNTIME_TENSOR_NEW_H

#include "runtime/runtime.h"

/* Contiguous, aligned to 64 bytes; zeroed on request. */
TN_MUST_USE tn_status tn_tensor_new(tn_runtime *rt, tn_dtype dtype, int32_t ndim,
                                    const int64_t *shape, bool zeroed, tn_tensor **out_tensor);
void tn_tensor_delete(tn_runtime *rt, tn_tensor *tensor); /* NULL is fine */

#endif
