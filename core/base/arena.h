/* Memory that is freed all at once. Not thread-safe: one owner at a time.
 * Pointers stay valid until reset or deinit. */
#ifndef TN_BASE_ARENA_H
#define TN_BASE_ARENA_H

#include <stddef.h>

#include "tenon/tenon.h"

typedef struct tn_arena_block tn_arena_block;
typedef struct tn_arena {
    const tn_allocator *allocator;
    tn_arena_block *blocks; /* newest first */
    char *next, *end;       /* what is left of the newest */
    size_t total;           /* bytes handed out */
} tn_arena;

/* Allocates nothing yet. */
void tn_arena_init(tn_arena *arena, const tn_allocator *allocator);
void tn_arena_deinit(tn_arena *arena);
/* Frees all but the first block. */
void tn_arena_reset(tn_arena *arena);

/* Zeroed, aligned to 16. NULL when there is no memory. A size of 0 gives a
 * valid pointer to nothing. */
void *tn_arena_alloc(tn_arena *arena, size_t size);
void *tn_arena_array(tn_arena *arena, size_t count, size_t size); /* overflow-checked */
void *tn_arena_copy(tn_arena *arena, const void *data, size_t size);
char *tn_arena_strdup(tn_arena *arena, const char *text);
char *tn_arena_strndup(tn_arena *arena, const char *text, size_t length); /* adds the NUL */

#endif
