/* Elements of any float up to f32, to f32 and back. */
#ifndef TN_LINALG_WIDEN_H
#define TN_LINALG_WIDEN_H

#include "tenon/util.h"

/* Elements first, first + step, ... of a tensor's memory. */
void tn__widen(tn_dtype dtype, const void *data, int64_t first, int64_t step, int64_t n,
               float *out);
/* n of them, to the nearest, from element `first` on. */
void tn__narrow(tn_dtype dtype, const float *from, int64_t n, void *data, int64_t first);

#endif
