/* Index expressions while a schedule is made: canonical sums, hash-consed, so
 * that equal numbers mean equal expressions.
 *
 * An expression is a sum  c + k1*atom1 + k2*atom2 + ...  with distinct atoms in
 * order of their number and no zero coefficient. An atom is the coordinate of an
 * axis, a floor division or a modulo of a sum, or a run-time value. Two axes of
 * the same place and extent are one atom whatever the kernel, so expressions of
 * kernels with equal domains can be compared.
 *
 * Simplification is exact over the whole domain: every rule holds for all
 * coordinates within the axes' extents (and for all run-time values within their
 * stated range). In particular linearizing what was delinearized gives the
 * original back.
 *
 * Failures stick: after one (no memory, or arithmetic beyond 64 bits) every
 * function returns expression 0, the constant 0, and tn__index_status says what
 * happened. */
#ifndef TN_SCHEDULE_INDEX_H
#define TN_SCHEDULE_INDEX_H

#include "base/arena.h"
#include "base/status.h"
#include "base/vec.h"
#include "schedule/intern.h"
#include "schedule/loop.h"

typedef uint32_t tn__ix; /* 0 is the constant 0 */

typedef struct tn__ix_term {
    uint32_t atom;
    int64_t coefficient;
} tn__ix_term;
typedef struct tn__ix_sum {
    int64_t constant;
    int64_t lo, hi; /* bounds, inclusive; INT64_MIN and INT64_MAX: unknown */
    const tn__ix_term *terms;
    uint32_t n_terms;
    uint32_t axes; /* bit a: depends on axis a */
    bool has_mod, has_value;
} tn__ix_sum;
typedef struct tn__ix_atom {
    tn_ix_kind kind; /* AXIS, DIV, MOD, VALUE */
    uint32_t a;      /* AXIS: which; DIV, MOD: the sum; VALUE: the expression */
    int64_t c;       /* AXIS: its extent; DIV, MOD: the divisor */
    int64_t lo, hi;
    uint32_t axes;
    bool has_value;
} tn__ix_atom;

typedef struct tn__index {
    tn_arena *arena;
    TN_VEC(tn__ix_sum) sums;
    TN_VEC(tn__ix_atom) atoms;
    tn__intern sum_table, atom_table;
    TN_VEC(tn__ix_term) scratch;
    const tn_allocator *allocator;
    bool no_memory, overflow;
} tn__index;

TN_MUST_USE tn_status tn__index_init(tn__index *index, const tn_allocator *allocator,
                                     tn_arena *arena);
void tn__index_deinit(tn__index *index);
TN_MUST_USE tn_status tn__index_status(const tn__index *index);

tn__ix tn__ix_const(tn__index *index, int64_t value);
/* Extent 1 gives the constant 0. */
tn__ix tn__ix_axis(tn__index *index, uint32_t axis, int64_t extent);
/* axes: those the value depends on. */
tn__ix tn__ix_value(tn__index *index, uint32_t expression, int64_t lo, int64_t hi, uint32_t axes);
tn__ix tn__ix_add(tn__index *index, tn__ix x, tn__ix y);
tn__ix tn__ix_scale(tn__index *index, tn__ix x, int64_t factor);
tn__ix tn__ix_offset(tn__index *index, tn__ix x, int64_t amount);
/* Floor division and its remainder; divisor > 0. */
tn__ix tn__ix_div(tn__index *index, tn__ix x, int64_t divisor);
tn__ix tn__ix_mod(tn__index *index, tn__ix x, int64_t divisor);

/* x with the coordinate of each axis a replaced by map[a]. The run-time values in it
 * stay as they are. */
tn__ix tn__ix_substitute(tn__index *index, tn__ix x, const tn__ix *map);

static inline const tn__ix_sum *tn__ix_get(const tn__index *index, tn__ix x) {
    return &index->sums.data[x];
}
static inline bool tn__ix_is_const(const tn__index *index, tn__ix x) {
    return index->sums.data[x].n_terms == 0;
}
/* The axis when x is exactly one axis' coordinate; TN_NONE otherwise. */
uint32_t tn__ix_plain_axis(const tn__index *index, tn__ix x);
/* Whether x is constant + sum of axes; coefficients (0 where absent) by axis. */
bool tn__ix_affine(const tn__index *index, tn__ix x, int64_t out_coefficients[TN_MAX_RANK],
                   int64_t *out_constant);
/* Value at a point; no VALUE inside. For tests and verification. */
int64_t tn__ix_at(const tn__index *index, tn__ix x, const int64_t *coords);

int64_t tn__floor_div(int64_t a, int64_t b); /* b > 0 */

#endif
