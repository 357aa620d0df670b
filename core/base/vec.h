/* A typed growing array: TN_VEC(int) v = {0}; `if (!tn_vec_push(a, &v, 3))` is
 * out of memory. Elements move when it grows. */
#ifndef TN_BASE_VEC_H
#define TN_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

#include "tenon/tenon.h"

#define TN_VEC(type)                                                                               \
    struct {                                                                                       \
        type *data;                                                                                \
        size_t len, cap;                                                                           \
    }

/* Makes room for `extra` more elements. */
bool tn_vec_grow(const tn_allocator *a, void **data, size_t *cap, size_t len, size_t extra,
                 size_t elem_size);

#define tn_vec_reserve(a, v, extra)                                                                \
    tn_vec_grow((a), (void **)&(v)->data, &(v)->cap, (v)->len, (extra), sizeof *(v)->data)
#define tn_vec_push(a, v, ...)                                                                     \
    (tn_vec_reserve((a), (v), 1) ? ((v)->data[(v)->len++] = (__VA_ARGS__), true) : false)
#define tn_vec_free(a, v)                                                                          \
    do {                                                                                           \
        tn_free((a), (v)->data, (v)->cap * sizeof *(v)->data);                                     \
        (v)->data = NULL;                                                                          \
        (v)->len = (v)->cap = 0;                                                                   \
    } while (0)

#include "base/allocator.h"

#endif
