#include "base/allocator.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#undef realloc
#undef free
#undef aligned_alloc

enum { DEFAULT_ALIGNMENT = 16 };

static size_t min_size(size_t a, size_t b) {
    return a < b ? a : b;
}

static void *system_reallocate(void *self, void *ptr, size_t old_size, size_t new_size,
                               size_t alignment) {
    (void)self;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (alignment <= _Alignof(max_align_t)) return realloc(ptr, new_size);
    /* aligned_alloc wants a multiple of the alignment, and realloc would lose it. */
    if (new_size > SIZE_MAX - (alignment - 1)) return NULL;
    void *moved = aligned_alloc(alignment, (new_size + alignment - 1) & ~(alignment - 1));
    if (moved && ptr) {
        memcpy(moved, ptr, min_size(old_size, new_size));
        free(ptr);
    }
    return moved;
}

const tn_allocator *tn_allocator_system(void) {
    static const tn_allocator system_allocator = {NULL, system_reallocate};
    return &system_allocator;
}

void *tn_alloc_aligned(const tn_allocator *a, size_t size, size_t alignment) {
    /* A block of nothing is a block: NULL means that there is no memory. */
    return a->reallocate(a->self, NULL, 0, size ? size : 1, alignment);
}

void *tn_alloc(const tn_allocator *a, size_t size) {
    return tn_alloc_aligned(a, size, DEFAULT_ALIGNMENT);
}

void *tn_alloc_zero(const tn_allocator *a, size_t size) {
    void *ptr = tn_alloc(a, size);
    if (ptr) memset(ptr, 0, size);
    return ptr;
}

void *tn_alloc_array(const tn_allocator *a, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    return tn_alloc_zero(a, bytes);
}

void *tn_realloc(const tn_allocator *a, void *ptr, size_t old_size, size_t new_size) {
    if (!ptr) return tn_alloc(a, new_size);
    return a->reallocate(a->self, ptr, old_size ? old_size : 1, new_size ? new_size : 1,
                         DEFAULT_ALIGNMENT);
}

void tn_free(const tn_allocator *a, void *ptr, size_t size) {
    if (ptr) a->reallocate(a->self, ptr, size ? size : 1, 0, DEFAULT_ALIGNMENT);
}

char *tn_strdup(const tn_allocator *a, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = tn_alloc(a, size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

void tn_strfree(const tn_allocator *a, char *text) {
    if (text) tn_free(a, text, strlen(text) + 1);
}
