#include "base/vec.h"

#include <stdint.h>
#include <string.h>

bool tn_vec_grow(const tn_allocator *a, void **data, size_t *cap, size_t len, size_t extra,
                 size_t elem_size) {
    size_t needed;
    if (__builtin_add_overflow(len, extra, &needed)) return false;
    if (needed <= *cap) return true;
    size_t grown = *cap < 4 ? 8 : *cap;
    if (!__builtin_mul_overflow(grown, (size_t)2, &grown) && grown < needed) grown = needed;
    size_t bytes;
    if (grown < needed || __builtin_mul_overflow(grown, elem_size, &bytes)) return false;
    /* *data is really a T *; copying its bytes is right whatever T is. */
    void *old;
    memcpy(&old, data, sizeof old);
    void *moved = tn_realloc(a, old, *cap * elem_size, bytes);
    if (!moved) return false;
    memcpy(data, &moved, sizeof moved);
    *cap = grown;
    return true;
}
