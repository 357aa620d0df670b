/* A generated kernel, before any device is chosen: one loop nest (tn_loop; the
 * ABI calls a plugin's own kernel tn_kernel), the scalar
 * expressions evaluated in it, and the places they read and write. The
 * scheduler builds it, the renderers turn it into C or CUDA; nothing else
 * stands between them.
 *
 * Domain. axes[0 .. n_parallel) are independent: any order, any thread.
 * axes[n_parallel .. n_axes) are the inner axes: the one reduction domain of the
 * kernel (none in a pointwise kernel). For each parallel point the kernel runs
 * n_stages stages in order; a stage walks the whole inner domain once, feeding
 * the reductions and doing the inner stores that are assigned to it. With no
 * inner axes there is one stage and its body runs once a point.
 *
 * Expressions form a DAG in `exprs`, operands before users. Each has a level:
 *   CONST  the same everywhere
 *   ROW    depends on parallel axes alone (and on finished reductions)
 *   FULL   depends on inner axes: evaluated at each inner point of each stage
 *          that needs it (recomputed in later stages unless `held`)
 * and a stage: for FULL and ROW expressions the first stage in which it can be
 * evaluated, i.e. 0, or 1 + the greatest stage of a reduction it depends on (so
 * a ROW expression may be of stage n_stages: after the last). A REDUCE
 * runs in `stage` and its result, a ROW value, is ready in stage + 1.
 *
 * softmax over the last axis of x[8192,4096], as an example:
 *   axes  p0 8192 parallel; r0 4096 inner; 2+1 stages
 *   e0 FULL LOAD x[p0*4096 + r0]      e1 ROW REDUCE max e0       (stage 0)
 *   e2 FULL sub e0 e1   e3 FULL exp e2 (held)   e4 ROW REDUCE sum e3 (stage 1)
 *   e5 FULL div e3 e4   store y[p0*4096 + r0] = e5               (stage 2)
 *
 * Sizes are data, not code. Every constant in an index expression, every extent
 * and every guard bound is concrete here, and a renderer passes it to the kernel
 * as a parameter unless it is 0, 1 or -1; so kernels of different sizes share
 * their text. Parameters are numbered by place, never merged by value: two sizes
 * that happen to be equal today must not make different text tomorrow.
 *
 * Index expressions are int64; `lo` and `hi` bound their value over the whole
 * domain (inclusive; INT64_MIN and INT64_MAX: unknown), so a renderer may choose a
 * narrower type. Under a guard they hold where the guard holds; elsewhere a run-time
 * VALUE, and what is made of it, may be anything, so the arithmetic must wrap and
 * nothing may be read.
 *
 * Without inner axes every expression is CONST or ROW. A REDUCE may have a ROW or
 * CONST operand: the same element at each inner point. Its order is that of the
 * inner axes, row-major, however many they are: ARGMAX and ARGMIN give the number
 * of the inner point in that order.
 *
 * Memory: everything lives in the arena it was built in. Immutable once built. */
#ifndef TN_SCHEDULE_LOOP_H
#define TN_SCHEDULE_LOOP_H

#include "base/strbuf.h"
#include "ir/graph.h"

#define TN_NONE UINT32_MAX

/* ------------------------------------------------------ index expressions */

typedef uint32_t tn_ix; /* into tn_loop.ixs; operands before users, hash-consed */
typedef enum tn_ix_kind {
    TN_IX_CONST, /* c */
    TN_IX_AXIS,  /* the coordinate of axis a */
    TN_IX_ADD,   /* a + b */
    TN_IX_MUL,   /* a * c */
    TN_IX_DIV,   /* floor(a / c), c > 0 */
    TN_IX_MOD,   /* a - c * floor(a / c), c > 0 */
    TN_IX_VALUE  /* the integer value of expression a (a gather) */
} tn_ix_kind;
typedef struct tn_ix_node {
    tn_ix_kind kind;
    uint32_t a, b;
    int64_t c;
    int64_t lo, hi;
} tn_ix_node;

/* lo <= ix < hi for each of a list: a guard is their conjunction. */
typedef struct tn_guard_term {
    tn_ix ix;
    int64_t lo, hi;
} tn_guard_term;
typedef struct tn_guard {
    tn_guard_term *terms;
    uint32_t n_terms;
} tn_guard;

/* ------------------------------------------------------------ expressions */

typedef uint32_t tn_kx; /* into tn_loop.exprs */
typedef enum tn_kx_kind {
    TN_KX_LOAD,   /* element ix of slot `slot`; where the guard fails, in[0] (a
                     CONST or PARAM; TN_NONE: zero), and then nothing is read */
    TN_KX_CONST,  /* `value` */
    TN_KX_PARAM,  /* `value`, but passed at run time (numbers made of sizes) */
    TN_KX_INDEX,  /* ix, as dt */
    TN_KX_GUARD,  /* bool: whether the guard holds */
    TN_KX_PRIM,   /* elementwise primitive `prim` (select, cast, bitcast too) of in[] */
    TN_KX_REDUCE, /* `prim` (SUM PROD REDUCE_MAX REDUCE_MIN ANY ALL ARGMAX ARGMIN) of
                     in[0] over the inner axes */
    TN_KX_ACC     /* template epilogues: the accumulator at this coordinate */
} tn_kx_kind;
typedef enum tn_level { TN_LEVEL_CONST, TN_LEVEL_ROW, TN_LEVEL_FULL } tn_level;

typedef struct tn_kx_node {
    tn_kx_kind kind;
    tn_level level;
    tn_dt dt; /* of the value. Values of sub-f32 floats are f32 in registers. */
    /* The value is rounded to dt as soon as it is computed: casts to a sub-f32
     * float always, every sub-f32 result in a strict kernel. */
    bool rounded;
    bool held; /* FULL: kept in a scratch row instead of recomputed later */
    uint16_t stage;
    uint32_t prim;
    tn_kx in[3];
    uint32_t n_in;
    uint32_t slot;   /* LOAD */
    tn_ix ix;        /* LOAD, INDEX */
    uint32_t guard;  /* LOAD, GUARD: into guards, or TN_NONE */
    tn_scalar value; /* CONST, PARAM */
    tn_vid origin;   /* the graph value this computes, or TN_NO_VALUE */
} tn_kx_node;

/* A place in memory that the kernel reads or writes: one buffer of the
 * schedule. Offsets count elements from the start of the buffer's tensor. A written
 * slot may be read too, but no element that is written is: they are parts of one
 * larger value. */
typedef struct tn_loop_slot {
    uint32_t buffer; /* into tn_schedule.buffers */
    tn_dt dt;
    bool written;
} tn_loop_slot;

typedef struct tn_loop_store {
    uint32_t slot;
    tn_ix ix;       /* distinct points write distinct elements */
    uint32_t guard; /* TN_NONE, or only where it holds */
    tn_kx value;    /* rounded to the slot's dt; same dtype family */
    tn_level level; /* FULL: inside `stage`'s loop. ROW: once a parallel point */
    uint16_t stage;
} tn_loop_store;

typedef struct tn_loop_axis {
    int64_t extent; /* >= 1: empty domains never become kernels, except that inner
                       axes may be empty (reductions over nothing) */
} tn_loop_axis;

typedef struct tn_loop {
    uint32_t id; /* k0, k1, ... in the order they run */
    bool strict; /* canonical reduction order, rounding at every value */
    tn_loop_axis axes[TN_MAX_RANK];
    uint32_t n_axes, n_parallel;
    uint32_t n_stages;
    tn_ix_node *ixs;
    uint32_t n_ixs;
    tn_guard *guards;
    uint32_t n_guards;
    tn_kx_node *exprs;
    uint32_t n_exprs;
    tn_loop_slot *slots;
    uint32_t n_slots;
    tn_loop_store *stores;
    uint32_t n_stores;
    int64_t bytes_moved; /* modelled: distinct elements read and written */
} tn_loop;

/* The coefficient of an axis in an affine index expression; false when the
 * axis goes through a DIV, MOD or VALUE. Renderers use it to choose between
 * contiguous, broadcast, strided and gathered access. */
bool tn_ix_coefficient(const tn_loop *loop, tn_ix ix, uint32_t axis, int64_t *out_coefficient);
int64_t tn_ix_eval(const tn_loop *loop, tn_ix ix, const int64_t *coords); /* no VALUE inside */

void tn_loop_print(const tn_loop *loop, tn_strbuf *out);
/* Every rule above. For tests and debug builds. */
TN_MUST_USE tn_status tn_loop_verify(const tn_loop *loop);

#endif
