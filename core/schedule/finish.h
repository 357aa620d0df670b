/* Turning a unit into a tn_loop: the state shared by finish.c, axes.c and
 * levels.c. One loop at a time. */
#ifndef TN_SCHEDULE_FINISH_H
#define TN_SCHEDULE_FINISH_H

#include "schedule/plan.h"

/* While a loop is finished, tn_kx_node.ix and tn_loop_store.ix are tn__ix of the
 * planning run, and .guard is a tn__guard; tn__axes_apply makes them the loop's. */
typedef struct tn__mark {
    uint32_t round, id;
} tn__mark;
typedef struct tn__finish {
    tn__plan *plan;
    uint32_t unit;
    uint32_t inner; /* the axes that are inner in the end */
    /* The axes of the loop, before any are joined: the unit's, or a template slot's,
     * and then map gives the unit's as functions of them. */
    uint32_t n_axes;
    const int64_t *extents;
    const tn__ix *map;
    TN_VEC(tn_kx_node) exprs;
    TN_VEC(tn_loop_slot) slots;
    TN_VEC(tn_loop_store) stores;
    TN_VEC(tn_ix_node) ixs;
    TN_VEC(tn_guard) guards;
    tn__intern kx_table, ix_table;
    /* By number in the planning run; valid when the round agrees. */
    TN_VEC(tn__mark) expr_marks, sum_marks, guard_marks;
    uint32_t round;
    /* For each axis of the unit the loop axis that it became a part of, and whether
     * it is the innermost part, which carries the coefficient. */
    uint32_t axis_of[TN_MAX_RANK];
    bool carries[TN_MAX_RANK];
} tn__finish;

void tn__finish_init(tn__finish *f, tn__plan *plan);
void tn__finish_deinit(tn__finish *f);
/* The finished loop of a unit, in the schedule's arena. */
TN_MUST_USE tn_status tn__finish_loop(tn__finish *f, uint32_t unit, uint32_t id,
                                      tn_loop **out_loop);

/* The expression made of a planning expression, once visited. */
uint32_t tn__finish_kx(tn__finish *f, uint32_t expr);
/* Chooses the loop's axes, joins neighbours that are always stepped through
 * together (unless `keep_axes`: all of them, in order), and rewrites every index
 * expression. */
TN_MUST_USE tn_status tn__axes_apply(tn__finish *f, tn_loop *loop, bool keep_axes);
/* Levels, stages, what is held, and the bytes moved. */
TN_MUST_USE tn_status tn__levels_apply(tn__finish *f, tn_loop *loop);

#endif
