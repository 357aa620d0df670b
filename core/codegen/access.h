/* An index expression as a renderer wants it: a constant, a step along each axis
 * of the loop, and what is left over. Private to codegen. */
#ifndef TN_CODEGEN_ACCESS_H
#define TN_CODEGEN_ACCESS_H

#include "schedule/loop.h"

/* factor * node, where node is a DIV, MOD or VALUE. */
typedef struct tn__access_term {
    int64_t factor;
    tn_ix node;
    uint32_t axes;
    uint32_t level; /* of tn__nest: where it can be computed */
} tn__access_term;

/* offset + sum of step[a] * (coordinate of axis a) + sum of terms. */
typedef struct tn__access {
    uint32_t id; /* among those of a nest */
    int64_t offset;
    int64_t step[TN_MAX_RANK];
    tn__access_term *terms;
    uint32_t n_terms;
    uint32_t axes;      /* bit a: depends on axis a, in whatever way */
    uint32_t term_axes; /* bit a: some term does */
    bool has_value;     /* some term is or contains a VALUE */
    int64_t lo, hi;     /* bounds of the whole */
} tn__access;

/* expr_axes: for VALUE, the axes that each expression depends on (those before
 * the one that is asked about are filled in). */
TN_MUST_USE tn_status tn__access_make(const tn_loop *loop, tn_ix ix, const uint32_t *expr_axes,
                                      tn_arena *arena, tn__access *out);

/* The axes that the values inside ix depend on: the union of their expr_axes. */
uint32_t tn__ix_value_axes(const tn_loop *loop, tn_ix ix, const uint32_t *expr_axes);
/* The greatest level[e] of the values e inside ix. */
uint32_t tn__ix_value_level(const tn_loop *loop, tn_ix ix, const uint32_t *level);
/* ors stages into use[e] for each value e inside ix. */
void tn__ix_mark_values(const tn_loop *loop, tn_ix ix, uint64_t stages, uint64_t *use);

#endif
