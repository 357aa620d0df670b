#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/allocator.h"

enum { ALIGNMENT = 16, FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

/* The block's memory follows its header. */
struct tn_arena_block {
    tn_arena_block *older;
    size_t size; /* of header and memory */
};
_Static_assert(sizeof(tn_arena_block) % ALIGNMENT == 0, "the memory after a header is aligned");

static char *block_memory(tn_arena_block *block) {
    return (char *)(block + 1);
}

void tn_arena_init(tn_arena *arena, const tn_allocator *allocator) {
    *arena = (tn_arena){.allocator = allocator};
}

static void free_blocks(tn_arena *arena, tn_arena_block *block, const tn_arena_block *keep) {
    while (block != keep) {
        tn_arena_block *older = block->older;
        tn_free(arena->allocator, block, block->size);
        block = older;
    }
}

void tn_arena_deinit(tn_arena *arena) {
    free_blocks(arena, arena->blocks, NULL);
    tn_arena_init(arena, arena->allocator);
}

void tn_arena_reset(tn_arena *arena) {
    tn_arena_block *first = arena->blocks;
    if (!first) return;
    while (first->older)
        first = first->older;
    free_blocks(arena, arena->blocks, first);
    arena->blocks = first;
    arena->next = block_memory(first);
    arena->end = (char *)first + first->size;
    arena->total = 0;
}

/* Blocks double up to a bound, so that small arenas stay small and large ones
 * ask the allocator rarely. */
static bool add_block(tn_arena *arena, size_t size) {
    size_t wanted = arena->blocks ? arena->blocks->size * 2 : FIRST_BLOCK;
    if (wanted > LARGEST_BLOCK) wanted = LARGEST_BLOCK;
    size_t needed;
    if (__builtin_add_overflow(size, sizeof(tn_arena_block), &needed)) return false;
    if (wanted < needed) wanted = needed;
    tn_arena_block *block = tn_alloc(arena->allocator, wanted);
    if (!block) return false;
    *block = (tn_arena_block){.older = arena->blocks, .size = wanted};
    arena->blocks = block;
    arena->next = block_memory(block);
    arena->end = (char *)block + wanted;
    return true;
}

static void *take(tn_arena *arena, size_t size) {
    size_t rounded;
    if (__builtin_add_overflow(size, (size_t)ALIGNMENT - 1, &rounded)) return NULL;
    rounded &= ~((size_t)ALIGNMENT - 1);
    if (!arena->blocks || (size_t)(arena->end - arena->next) < rounded) {
        if (!add_block(arena, rounded)) return NULL;
    }
    void *ptr = arena->next;
    arena->next += rounded;
    arena->total += size;
    return ptr;
}

void *tn_arena_alloc(tn_arena *arena, size_t size) {
    void *ptr = take(arena, size);
    if (ptr) memset(ptr, 0, size);
    return ptr;
}

void *tn_arena_array(tn_arena *arena, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    return tn_arena_alloc(arena, bytes);
}

void *tn_arena_copy(tn_arena *arena, const void *data, size_t size) {
    void *ptr = take(arena, size);
    if (ptr && size) memcpy(ptr, data, size);
    return ptr;
}

char *tn_arena_strndup(tn_arena *arena, const char *text, size_t length) {
    if (length == SIZE_MAX) return NULL;
    char *copy = take(arena, length + 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *tn_arena_strdup(tn_arena *arena, const char *text) {
    return tn_arena_strndup(arena, text, strlen(text));
}
