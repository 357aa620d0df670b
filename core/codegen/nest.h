/* A loop as the CPU walks it: axes of extent 1 left out, the axis of the vectors
 * chosen, and every expression placed at the outermost level where it can be
 * computed. Nothing here is text yet. Private to codegen.
 *
 * Levels, outermost first:
 *   0      the function
 *   1      a work item: all parallel axes but the vector axis
 *   2...   the inner axes but the vector axis, in order; a POINT may be tiled instead
 *   last   vectors
 */
#ifndef TN_CODEGEN_NEST_H
#define TN_CODEGEN_NEST_H

#include "codegen/access.h"

/* What the choices depend on; nothing is 0. */
typedef struct tn__machine {
    uint32_t lanes, threads;
    uint64_t core_cache_bytes, shared_cache_bytes;
} tn__machine;

typedef enum tn__form {
    TN__FORM_POINT, /* no inner axes; vectors along a parallel axis */
    TN__FORM_ROW,   /* vectors along an inner axis */
    TN__FORM_COLUMN /* inner axes, but vectors along a parallel axis: a work item is a
                       block of columns, walked row by row, and what a point has of
                       its own (accumulators, results) lies in an array */
} tn__form;

typedef struct tn__nest_guard {
    tn__access *terms; /* as in tn_guard, same order */
    uint32_t axes, level;
} tn__nest_guard;

/* A COLUMN's second reduction that is made in the walk of the first: online.c. */
typedef enum tn__online_kind {
    TN__ONLINE_NONE,
    TN__ONLINE_EXP_SUM,
    TN__ONLINE_SQUARES
} tn__online_kind;
typedef struct tn__online {
    tn__online_kind kind;
    tn_kx first, second;
} tn__online;

typedef struct tn__nest {
    const tn_loop *loop;
    int64_t extent[TN_MAX_RANK];
    uint32_t n_axes, n_parallel; /* there is always one */
    /* Of a loop's axis: its number here, or TN_NONE when it is left out, and then
     * its coordinate is 0. */
    uint32_t axis_of[TN_MAX_RANK];
    uint32_t n_accesses;
    tn__access *loads; /* by expression: LOAD and INDEX */
    tn__access *stores;
    tn__nest_guard *guards;
    uint32_t *expr_axes; /* by expression: a set of axes of the nest */
    uint32_t *level;     /* by expression */
    tn__form form;
    uint32_t vector; /* axis */
    int64_t block;   /* POINT and COLUMN: of the vector axis, in a work item */
    /* POINT: some accesses are contiguous along axis `tile` and far apart along the
     * vector axis. A work item is a tile of both, and those accesses go through a copy
     * of it in scratch, transposed. */
    bool tiled;
    uint32_t tile;
    int64_t tile_block;
    bool hold_columns; /* a block of columns fits the cache */
    tn__online online;
    uint32_t vector_level, n_levels;
    uint32_t order[TN_MAX_RANK + 2]; /* the axis of each level from 2 */
    /* What needs an expression: bit s of use[e] for the loops of stage s, of
     * row_use[e] for what runs once a parallel point, before the loops of stage s. */
    uint64_t *use, *row_use;
    uint64_t *reread;   /* bit s: stage s reads the scratch row of e, which is held */
    uint64_t *is_index; /* by expression: not 0 when an index expression uses it */
} tn__nest;

TN_MUST_USE tn_status tn__nest_make(const tn_loop *loop, const tn__machine *machine,
                                    tn_arena *arena, tn__nest *out);

/* A pointwise loop of which a caller asks for runs along axis `vector`, with the other
 * coordinates given: every axis stays, whatever its extent. */
TN_MUST_USE tn_status tn__nest_make_run(const tn_loop *loop, uint32_t vector, tn_arena *arena,
                                        tn__nest *out);

/* Finds nest->online; everything else of the nest is made. */
void tn__online_find(tn__nest *nest);

/* The outermost level where all of these axes are known. */
uint32_t tn__level_of(const tn__nest *nest, uint32_t axes);
static inline bool tn__nest_is_vector(const tn__nest *nest, uint32_t axes) {
    return axes >> nest->vector & 1;
}
static inline uint32_t tn__nest_inner(const tn__nest *nest) {
    return ((1u << nest->n_axes) - 1) & ~((1u << nest->n_parallel) - 1);
}
static inline bool tn__nest_is_tiled(const tn__nest *nest, const tn__access *access) {
    int64_t step = access->step[nest->vector];
    return nest->tiled && access->step[nest->tile] == 1 && (step < -1 || step > 1) &&
           !access->n_terms;
}
/* Whether it changes along inner axes, so that each stage evaluates it. */
static inline bool tn__nest_is_full(const tn__nest *nest, uint32_t e) {
    return nest->expr_axes[e] & tn__nest_inner(nest);
}
/* Once a parallel point, but a vector: in a COLUMN, with an array of its own. */
static inline bool tn__nest_is_column(const tn__nest *nest, uint32_t e) {
    return nest->form == TN__FORM_COLUMN && !tn__nest_is_full(nest, e) &&
           tn__nest_is_vector(nest, nest->expr_axes[e]);
}
/* Values with a scratch row: those that the loop holds; in a COLUMN what is loaded
 * too, but nothing where it would not stay in cache. What is the same for all lanes,
 * or moves with an outer axis alone, is cheaper to make again. */
static inline bool tn__nest_is_held(const tn__nest *nest, uint32_t e) {
    const tn_kx_node *expr = &nest->loop->exprs[e];
    bool column = nest->form == TN__FORM_COLUMN;
    bool wanted = column ? nest->hold_columns && (expr->held || expr->kind == TN_KX_LOAD)
                         : expr->held;
    return wanted && tn__nest_is_full(nest, e) && nest->level[e] + 1 == nest->n_levels &&
           tn__nest_is_vector(nest, nest->expr_axes[e]);
}
/* A column's value that is loaded again wherever it is needed, without an array. */
static inline bool tn__nest_is_reloaded(const tn__nest *nest, uint32_t e) {
    const tn_kx_node *expr = &nest->loop->exprs[e];
    return tn__nest_is_column(nest, e) && expr->kind == TN_KX_LOAD && expr->guard == TN_NONE &&
           !nest->loads[e].n_terms;
}

#endif
