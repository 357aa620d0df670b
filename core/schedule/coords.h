/* Where a value is read: vectors of index expressions, guards, and how both go
 * backwards through the primitives that move data. Vectors and guards are
 * interned, so equal ones have equal numbers. Failures stick in the index, as
 * there. */
#ifndef TN_SCHEDULE_COORDS_H
#define TN_SCHEDULE_COORDS_H

#include "schedule/index.h"

typedef uint32_t tn__coords;
#define TN__COORDS_EMPTY 0u /* of a 0-d value */
typedef struct tn__coords_data {
    const tn__ix *items;
    uint32_t n;
    uint32_t axes; /* bit a: depends on axis a */
    bool has_value;
} tn__coords_data;

/* A conjunction of lo <= ix < hi, sorted by ix, one term each. */
typedef uint32_t tn__guard;
#define TN__GUARD_ALWAYS 0u
#define TN__GUARD_NEVER 1u
typedef struct tn__guard_term {
    tn__ix ix;
    int64_t lo, hi;
} tn__guard_term;
typedef struct tn__guard_data {
    const tn__guard_term *terms;
    uint32_t n;
    uint32_t axes;
} tn__guard_data;

typedef struct tn__space {
    tn__index index;
    tn_arena *arena;
    const tn_allocator *allocator;
    TN_VEC(tn__coords_data) coords;
    TN_VEC(tn__guard_data) guards;
    tn__intern coords_table, guard_table;
} tn__space;

TN_MUST_USE tn_status tn__space_init(tn__space *space, const tn_allocator *allocator,
                                     tn_arena *arena);
void tn__space_deinit(tn__space *space);

tn__coords tn__coords_make(tn__space *space, const tn__ix *items, uint32_t n);
static inline const tn__coords_data *tn__coords_get(const tn__space *space, tn__coords coords) {
    return &space->coords.data[coords];
}
static inline const tn__guard_data *tn__guard_get(const tn__space *space, tn__guard guard) {
    return &space->guards.data[guard];
}
/* guard and lo <= ix < hi; what the ranges prove is left out. */
tn__guard tn__guard_and(tn__space *space, tn__guard guard, tn__ix ix, int64_t lo, int64_t hi);

/* Whether coordinates go through the primitive without a guard: broadcast,
 * permute, reshape, slice, flip, window. */
bool tn__prim_is_view(uint32_t prim);
/* The coordinates in the operand (of that type) of a view's element. Types have
 * no extent of 0. */
tn__coords tn__coords_through(tn__space *space, const tn_ir_node *view, const tn_type *operand,
                              const tn_type *result, tn__coords coords);
/* offset + sum of coordinate * stride. */
tn__ix tn__coords_address(tn__space *space, tn__coords coords, const int64_t *strides,
                          int64_t offset);
/* Whether coords visit each element of a row-major shape once, in whatever order, as
 * the axes (with those extents) run; `axes` receives the axes that take part. */
bool tn__coords_cover(tn__space *space, tn__coords coords, const int64_t *shape,
                      const int64_t *extents, uint32_t n_axes, uint32_t *out_axes);

#endif
