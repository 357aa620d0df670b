/* Host memory through the allocator that the application gave (tn_allocator in
 * tenon/tenon.h). It is passed, never global; objects keep the one they were
 * made with. Every function returns NULL, and changes nothing, when there is no
 * memory. Sizes are checked for overflow. */
#ifndef TN_BASE_ALLOCATOR_H
#define TN_BASE_ALLOCATOR_H

#include <stddef.h>

#include "tenon/tenon.h"

/* malloc and free. Thread-safe. */
const tn_allocator *tn_allocator_system(void);

void *tn_alloc(const tn_allocator *a, size_t size); /* aligned to 16 */
void *tn_alloc_zero(const tn_allocator *a, size_t size);
void *tn_alloc_array(const tn_allocator *a, size_t count, size_t size); /* zeroed */
void *tn_alloc_aligned(const tn_allocator *a, size_t size, size_t alignment);
/* old_size is the size the block was made with. */
void *tn_realloc(const tn_allocator *a, void *ptr, size_t old_size, size_t new_size);
void tn_free(const tn_allocator *a, void *ptr, size_t size); /* NULL is fine */
char *tn_strdup(const tn_allocator *a, const char *text);
void tn_strfree(const tn_allocator *a, char *text);

#endif
