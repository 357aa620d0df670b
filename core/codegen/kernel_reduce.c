/* Accumulators of reductions.
 *
 * In a ROW they are vectors, one for each copy: a<e>_<copy>; in a COLUMN arrays, a<e>,
 * with an element for each column. Floating sums are made in blocks of 256 steps whose
 * results go to totals, t<e>, so that the error stays small however many there are;
 * f<stage> counts the steps. argmax and argmin carry coordinates in i<e>. In a strict
 * kernel float sums and products follow the order that render.h states:
 *   ROW     values are queued in scratch, s<e>, and a full block is folded into the
 *           totals; v<e> counts those that wait
 *   COLUMN  sixteen arrays of partial results, taken in turns */
#include <math.h>

#include "codegen/kernel.h"

static const tn_kx_node *reduction(const tn__kernel *k, uint32_t e) {
    return &k->loop->exprs[e];
}

static bool is_here(const tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = &k->loop->exprs[e];
    return expr->kind == TN_KX_REDUCE && expr->stage == k->stage &&
           (k->nest->use[e] | k->nest->row_use[e]);
}

static bool is_arg(const tn_kx_node *expr) {
    return expr->prim == TN_PRIM_ARGMAX || expr->prim == TN_PRIM_ARGMIN;
}

/* The dtype that is compared or added up, as opposed to the result's. */
static tn_dt input_dt(const tn__kernel *k, const tn_kx_node *expr) {
    return k->loop->exprs[expr->in[0]].dt;
}

static bool is_float_sum(const tn__kernel *k, const tn_kx_node *expr) {
    return expr->prim == TN_PRIM_SUM && tn_dt_is_float(input_dt(k, expr));
}

static bool is_ordered(const tn__kernel *k, const tn_kx_node *expr) {
    return k->loop->strict && (expr->prim == TN_PRIM_SUM || expr->prim == TN_PRIM_PROD) &&
           tn_dt_is_float(input_dt(k, expr));
}

static bool is_blocked(const tn__kernel *k, const tn_kx_node *expr) {
    return is_float_sum(k, expr) && !is_ordered(k, expr);
}

static bool is_row(const tn__kernel *k) {
    return k->nest->form == TN__FORM_ROW;
}

static uint32_t combining_prim(const tn_kx_node *expr) {
    switch (expr->prim) {
    case TN_PRIM_SUM: return TN_PRIM_ADD;
    case TN_PRIM_PROD: return TN_PRIM_MUL;
    case TN_PRIM_REDUCE_MAX: return TN_PRIM_MAX;
    case TN_PRIM_REDUCE_MIN: return TN_PRIM_MIN;
    case TN_PRIM_ANY: return TN_PRIM_OR;
    default: return TN_PRIM_AND;
    }
}

static const char *combine(tn__kernel *k, const tn_kx_node *expr) {
    return tn__prim_call(k, combining_prim(expr), input_dt(k, expr));
}

static const char *identity(tn__kernel *k, const tn_kx_node *expr) {
    tn_dt dt = input_dt(k, expr);
    uint32_t bits = 8 * (uint32_t)tn_dt_size(dt);
    tn_scalar value = {.u = 0};
    bool largest = false;
    switch (expr->prim) {
    case TN_PRIM_SUM:
    case TN_PRIM_ANY: return "0";
    case TN_PRIM_PROD:
    case TN_PRIM_ALL: return "1";
    case TN_PRIM_REDUCE_MIN:
    case TN_PRIM_ARGMIN: largest = true; break;
    default: break;
    }
    if (tn_dt_is_float(dt))
        value.f = largest ? INFINITY : -INFINITY;
    else if (dt == TN_DT_BOOL)
        value.u = largest;
    else if (tn_dt_is_signed(dt))
        value.i = largest ? INT64_MAX >> (64 - bits) : INT64_MIN >> (64 - bits);
    else
        value.u = largest ? UINT64_MAX >> (64 - bits) : 0;
    return tn__literal(k, dt, value);
}

/* Coordinates in 32 bits where they fit: as many lanes as an f32 has. */
static tn_dt arg_dt(const tn__kernel *k) {
    int64_t points = 1;
    for (uint32_t a = k->nest->n_parallel; a < k->nest->n_axes; a++)
        if (__builtin_mul_overflow(points, k->nest->extent[a], &points)) return TN_DT_I64;
    return points < INT32_MAX ? TN_DT_I32 : TN_DT_I64;
}

/* ------------------------------------------------------------------- begin */

static void declare_array(tn__kernel *k, char name, uint32_t e, tn_dt dt, uint32_t n) {
    const char *t = tn__reg(dt);
    tn__line(
        k->w, "tn_%s *const %c%u = (tn_%s *)(scratch + %s);", t, name, e, t,
        tn__scratch(k, ((uint64_t)k->nest->block * n + k->lanes) * tn_dt_size(tn_dt_compute(dt))));
}

void tn__reduce_arrays(tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        if (!is_here(k, e)) continue;
        const tn_kx_node *expr = reduction(k, e);
        uint32_t n = is_ordered(k, expr) ? 16 : 1;
        declare_array(k, 'a', e, input_dt(k, expr), n);
        if (is_ordered(k, expr) || is_blocked(k, expr))
            declare_array(k, 't', e, input_dt(k, expr), n);
        if (is_arg(expr)) declare_array(k, 'i', e, arg_dt(k), 1);
    }
}

/* The vector of columns at j, of partial result q. */
static const char *column(tn__kernel *k, char name, uint32_t e, const char *q, uint32_t copy) {
    const char *part = *q ? tn__text(k->w, "%s * %s + ", q, k->block) : "";
    return tn__text(k->w, "%c%u + (%sj - jb%s)", name, e, part, tn__copy_offset(k, copy));
}

static void begin_columns(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = reduction(k, e);
    const char *t = tn__reg(input_dt(k, expr)), *id = identity(k, expr);
    bool ordered = is_ordered(k, expr);
    const char *q = ordered ? "q" : "";
    if (ordered) tn__line(k->w, "for (int q = 0; q < 16; q++) {");
    tn__line(k->w, "tn_store_%s(%s, tn_lit_%s(%s));", t, column(k, 'a', e, q, 0), t, id);
    if (ordered || is_blocked(k, expr))
        tn__line(k->w, "tn_store_%s(%s, tn_lit_%s(%s));", t, column(k, 't', e, q, 0), t, id);
    if (ordered) tn__line(k->w, "}");
    const char *i = tn_dt_text(arg_dt(k));
    if (is_arg(expr))
        tn__line(k->w, "tn_store_%s(%s, tn_lit_%s(TN_UNSET_%s));", i, column(k, 'i', e, "", 0), i,
                 i);
}

static void begin_queue(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = reduction(k, e);
    const char *t = tn__reg(input_dt(k, expr)), *v = tn__vector_type(input_dt(k, expr));
    uint64_t bytes = (TN_ORDERED_BLOCK + 16) * tn_dt_size(tn_dt_compute(input_dt(k, expr)));
    tn__line(k->w, "tn_%s *const s%u = (tn_%s *)(scratch + %s);", t, e, t, tn__scratch(k, bytes));
    tn__line(k->w, "tn_i64 v%u = 0;", e);
    tn__line(k->w, "%s t%u[16 / TN_W];", v, e);
    tn__line(k->w, "for (int q = 0; q < 16 / TN_W; q++) t%u[q] = tn_lit_%s(%s);", e, t,
             identity(k, expr));
}

static void begin_row(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = reduction(k, e);
    const char *t = tn__reg(input_dt(k, expr)), *v = tn__vector_type(input_dt(k, expr));
    const char *i = tn_dt_text(arg_dt(k));
    for (uint32_t u = 0; u < k->copies; u++) {
        tn__line(k->w, "%s a%u_%u = tn_lit_%s(%s);", v, e, u, t, identity(k, expr));
        if (is_arg(expr))
            tn__line(k->w, "%s i%u_%u = tn_lit_%s(TN_UNSET_%s);", tn__vector_type(arg_dt(k)), e, u,
                     i, i);
    }
    if (is_blocked(k, expr)) tn__line(k->w, "%s t%u = tn_lit_%s(0);", v, e, t);
}

void tn__reduce_begin(tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        if (!is_here(k, e)) continue;
        if (!is_row(k))
            begin_columns(k, e);
        else if (is_ordered(k, reduction(k, e)))
            begin_queue(k, e);
        else
            begin_row(k, e);
    }
}

static bool counts(const tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = reduction(k, e);
    return is_here(k, e) && (is_blocked(k, expr) || (is_ordered(k, expr) && !is_row(k)));
}

static bool counts_steps(const tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++)
        if (counts(k, e)) return true;
    return false;
}

void tn__reduce_count(tn__kernel *k) {
    if (counts_steps(k)) tn__line(k->w, "tn_i64 f%u = 0;", k->stage);
}

/* -------------------------------------------------------------------- steps */

static const char *better(tn__kernel *k, const tn_kx_node *expr, const char *x, const char *than) {
    tn_dt dt = input_dt(k, expr);
    const char *t = tn__reg(dt), *op = expr->prim == TN_PRIM_ARGMAX ? "gt" : "lt";
    const char *wins = tn__text(k->w, "tn_%s_%s(%s, %s)", op, t, x, than);
    if (!tn_dt_is_float(dt)) return wins;
    return tn__text(k->w, "tn_mor(%s, tn_mand(tn_isnan_%s(%s), tn_mnot(tn_isnan_%s(%s))))", wins, t,
                    x, t, than);
}

static void step_arg(tn__kernel *k, uint32_t e, uint32_t u, const char *value) {
    const tn_kx_node *expr = reduction(k, e);
    const char *i = tn_dt_text(arg_dt(k)), *a = tn__text(k->w, "a%u_%u", e, u);
    const char *wins = better(k, expr, value, a), *here;
    if (k->masked && is_row(k)) wins = tn__text(k->w, "tn_mand(q%u, %s)", u, wins);
    if (is_row(k))
        here = tn__text(k->w, "tn_iota_%s((tn_%s)(%s + j%s))", i, i, k->flat,
                        tn__copy_offset(k, u));
    else
        here = tn__text(k->w, "tn_lit_%s((tn_%s)(%s))", i, i, k->number);
    tn__line(k->w, "const vmask p%u_%u = %s;", e, u, wins);
    tn__line(k->w, "%s = tn_sel_%s(p%u_%u, %s, %s);", a, tn__reg(input_dt(k, expr)), e, u, value,
             a);
    tn__line(k->w, "i%u_%u = tn_sel_%s(p%u_%u, %s, i%u_%u);", e, u, i, e, u, here, e, u);
}

static void step_queue(tn__kernel *k, uint32_t e, uint32_t u, const char *value) {
    const tn_kx_node *expr = reduction(k, e);
    tn__line(k->w, "tn_store_%s(s%u + v%u, %s);", tn__reg(input_dt(k, expr)), e, e, value);
    if (k->masked)
        tn__line(k->w, "v%u += m%u;", e, u);
    else
        tn__line(k->w, "v%u += TN_W;", e);
    tn__line(k->w, "if (v%u >= TN_BLOCK) v%u = %s(s%u, v%u, t%u);", e, e,
             tn__ordered_call(k, combining_prim(expr), input_dt(k, expr)), e, e, e);
}

static void step_row(tn__kernel *k, uint32_t e, uint32_t u) {
    const tn_kx_node *expr = reduction(k, e);
    const char *t = tn__reg(input_dt(k, expr)), *value = tn__value(k, expr->in[0], u);
    if (is_arg(expr)) {
        step_arg(k, e, u, value);
    } else if (is_ordered(k, expr)) {
        step_queue(k, e, u, value);
    } else {
        if (k->masked)
            value = tn__text(k->w, "tn_sel_%s(q%u, %s, tn_lit_%s(%s))", t, u, value, t,
                             identity(k, expr));
        tn__line(k->w, "a%u_%u = %s(a%u_%u, %s);", e, u, combine(k, expr), e, u, value);
    }
}

static void step_group(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = reduction(k, e);
    const char *value = tn__value(k, expr->in[0], 0);
    if (is_arg(expr))
        step_arg(k, e, 0, value);
    else
        tn__line(k->w, "a%u_0 = %s(a%u_0, %s);", e, combine(k, expr), e, value);
}

void tn__reduce_group_begin(tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        if (!is_here(k, e)) continue;
        const tn_kx_node *expr = reduction(k, e);
        tn__line(k->w, "%s a%u_0 = tn_load_%s(%s);", tn__vector_type(input_dt(k, expr)), e,
                 tn__reg(input_dt(k, expr)), column(k, 'a', e, "", 0));
        if (is_arg(expr))
            tn__line(k->w, "%s i%u_0 = tn_load_%s(%s);", tn__vector_type(arg_dt(k)), e,
                     tn_dt_text(arg_dt(k)), column(k, 'i', e, "", 0));
    }
}

/* Lanes past the end are other columns, or none. */
void tn__reduce_group_end(tn__kernel *k) {
    const char *part = k->masked ? "_part" : "", *n = k->masked ? ", m0" : "";
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        if (!is_here(k, e)) continue;
        const tn_kx_node *expr = reduction(k, e);
        tn__line(k->w, "tn_store%s_%s(%s, a%u_0%s);", part, tn__reg(input_dt(k, expr)),
                 column(k, 'a', e, "", 0), e, n);
        if (is_arg(expr))
            tn__line(k->w, "tn_store%s_%s(%s, i%u_0%s);", part, tn_dt_text(arg_dt(k)),
                     column(k, 'i', e, "", 0), e, n);
    }
}

static void step_columns(tn__kernel *k, uint32_t e, uint32_t u) {
    const tn_kx_node *expr = reduction(k, e);
    const char *t = tn__reg(input_dt(k, expr)), *value = tn__value(k, expr->in[0], u);
    const char *i = tn_dt_text(arg_dt(k));
    const char *q = is_ordered(k, expr) ? tn__text(k->w, "(f%u & 15)", k->stage) : "";
    const char *at = column(k, 'a', e, q, u);
    /* Lanes past the end are other columns, or none. */
    const char *part = k->masked ? "_part" : "", *n = k->masked ? tn__text(k->w, ", m%u", u) : "";
    if (!is_arg(expr)) {
        tn__line(k->w, "tn_store%s_%s(%s, %s(tn_load_%s(%s), %s)%s);", part, t, at,
                 combine(k, expr), t, at, value, n);
        return;
    }
    tn__line(k->w, "%s a%u_%u = tn_load_%s(%s);", tn__vector_type(input_dt(k, expr)), e, u, t, at);
    tn__line(k->w, "%s i%u_%u = tn_load_%s(%s);", tn__vector_type(arg_dt(k)), e, u, i,
             column(k, 'i', e, "", u));
    step_arg(k, e, u, value);
    tn__line(k->w, "tn_store%s_%s(%s, a%u_%u%s);", part, t, at, e, u, n);
    tn__line(k->w, "tn_store%s_%s(%s, i%u_%u%s);", part, i, column(k, 'i', e, "", u), e, u, n);
}

/* Copies 0 .. n of a name joined by the combining function, as a balanced tree. */
static const char *tree(tn__kernel *k, const tn_kx_node *expr, uint32_t e, uint32_t from,
                        uint32_t n) {
    if (n == 1) return tn__text(k->w, "a%u_%u", e, from);
    const char *left = tree(k, expr, e, from, n / 2);
    return tn__text(k->w, "%s(%s, %s)", combine(k, expr), left,
                    tree(k, expr, e, from + n / 2, n - n / 2));
}

static void flush_row(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = reduction(k, e);
    tn__line(k->w, "t%u = %s(t%u, %s);", e, combine(k, expr), e,
             tree(k, expr, e, 0, k->accumulators));
    for (uint32_t u = 0; u < k->accumulators; u++)
        tn__line(k->w, "a%u_%u = tn_lit_%s(0);", e, u, tn__reg(input_dt(k, expr)));
}

void tn__reduce_step(tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++)
        for (uint32_t u = 0; is_here(k, e) && u < k->copies; u++)
            if (is_row(k))
                step_row(k, e, u);
            else if (k->grouped)
                step_group(k, e);
            else
                step_columns(k, e, u);
    if (!is_row(k) || !counts_steps(k)) return;
    tn__line(k->w, "if (!(++f%u & 255)) {", k->stage);
    for (uint32_t e = 0; e < k->loop->n_exprs; e++)
        if (counts(k, e)) flush_row(k, e);
    tn__line(k->w, "}");
}

/* Partial results of one vector of columns join its totals. */
static void flush_columns(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = reduction(k, e);
    const char *t = tn__reg(input_dt(k, expr)), *q = is_ordered(k, expr) ? "q" : "";
    const char *a = column(k, 'a', e, q, 0), *total = column(k, 't', e, q, 0);
    if (*q) tn__line(k->w, "for (int q = 0; q < 16; q++) {");
    tn__line(k->w, "tn_store_%s(%s, %s(tn_load_%s(%s), tn_load_%s(%s)));", t, total,
             combine(k, expr), t, total, t, a);
    tn__line(k->w, "tn_store_%s(%s, tn_lit_%s(%s));", t, a, t, identity(k, expr));
    if (*q) tn__line(k->w, "}");
}

void tn__reduce_row(tn__kernel *k) {
    if (is_row(k) || !counts_steps(k)) return;
    const char *steps = k->loop->strict ? "TN_BLOCK" : tn__text(k->w, "%d", 256 / TN_GROUP);
    tn__line(k->w, "if (!(++f%u & (%s - 1))) {", k->stage, steps);
    tn__line(k->w, "for (tn_i64 j = jb; j < jn; j += TN_W) {");
    for (uint32_t e = 0; e < k->loop->n_exprs; e++)
        if (counts(k, e)) flush_columns(k, e);
    tn__line(k->w, "}");
    tn__line(k->w, "}");
}

/* ---------------------------------------------------------------------- end */

static void declare(tn__kernel *k, uint32_t e, uint32_t u, const char *value) {
    const tn_kx_node *expr = reduction(k, e);
    const char *type = tn__vector_type(expr->dt), *t = tn__reg(expr->dt);
    if (expr->dt == TN_DT_F8E4M3FN && !is_arg(expr)) {
        /* It has no infinity to be the result over nothing. */
        const char *end = expr->prim == TN_PRIM_REDUCE_MAX ? "-" : "";
        if (expr->prim == TN_PRIM_REDUCE_MAX || expr->prim == TN_PRIM_REDUCE_MIN)
            value = tn__text(k->w,
                             "tn_sel_%s(tn_eq_%s(%s, tn_lit_%s(%s__builtin_inf())), "
                             "tn_lit_%s(%s448), %s)",
                             t, t, value, t, end, t, end, value);
    }
    if (expr->rounded && tn_dt_compute(expr->dt) != expr->dt)
        value = tn__text(k->w, "tn_round_%s(%s)", tn_dt_text(expr->dt), value);
    tn__line(k->w, "const %s %s = %s;", type, tn__value(k, e, u), value);
    tn__declare_as_index(k, e);
}

/* Joins candidate (x, xi) to (a<e>_0, i<e>_0): the better value, or of equals the
 * lower coordinate. */
static void join_arg(tn__kernel *k, uint32_t e, const char *x, const char *xi) {
    const tn_kx_node *expr = reduction(k, e);
    const char *t = tn__reg(input_dt(k, expr)), *i = tn_dt_text(arg_dt(k));
    const char *a = tn__text(k->w, "a%u_0", e);
    tn__line(k->w, "{");
    tn__line(k->w, "const %s x = %s;", tn__vector_type(input_dt(k, expr)), x);
    tn__line(k->w, "const %s xi = %s;", tn__vector_type(arg_dt(k)), xi);
    tn__line(k->w, "const vmask tie = tn_mand(tn_mnot(%s), tn_lt_%s(xi, i%u_0));",
             better(k, expr, a, "x"), i, e);
    tn__line(k->w, "const vmask w = tn_mor(%s, tie);", better(k, expr, "x", a));
    tn__line(k->w, "%s = tn_sel_%s(w, x, %s);", a, t, a);
    tn__line(k->w, "i%u_0 = tn_sel_%s(w, xi, i%u_0);", e, i, e);
    tn__line(k->w, "}");
}

static void end_arg(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = reduction(k, e);
    tn_dt dt = arg_dt(k);
    const char *i = tn_dt_text(dt), *found = tn__text(k->w, "i%u_0", e);
    for (uint32_t u = 1; is_row(k) && u < k->accumulators; u++)
        join_arg(k, e, tn__text(k->w, "a%u_%u", e, u), tn__text(k->w, "i%u_%u", e, u));
    for (uint32_t half = is_row(k) ? k->lanes / 2 : 0; half; half /= 2)
        join_arg(k, e, tn__text(k->w, "TN_EXCHANGE(a%u_0, TN_XOR%u)", e, half),
                 tn__text(k->w, "TN_EXCHANGE(i%u_0, TN_XOR%u)", e, half));
    if (!is_row(k)) {
        tn__line(k->w, "const %s i%u_0 = tn_load_%s(%s);", tn__vector_type(dt), e, i,
                 column(k, 'i', e, "", 0));
    }
    /* Nothing was better than the identity: all are equal to it. */
    const char *unset = tn__text(k->w, "tn_eq_%s(%s, tn_lit_%s(TN_UNSET_%s))", i, found, i, i);
    found = tn__text(k->w, "tn_sel_%s(%s, tn_lit_%s(0), %s)", i, unset, i, found);
    declare(k, e, 0, tn__cast(k, dt, expr->dt, found));
}

static void end_queue(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = reduction(k, e);
    const char *call = combine(k, expr);
    tn__line(k->w, "if (v%u) v%u = %s(s%u, v%u, t%u);", e, e,
             tn__ordered_call(k, combining_prim(expr), input_dt(k, expr)), e, e, e);
    for (uint32_t half = 8; half >= k->lanes; half /= 2)
        for (uint32_t q = 0; q < half / k->lanes; q++)
            tn__line(k->w, "t%u[%u] = %s(t%u[%u], t%u[%u]);", e, q, call, e, q, e,
                     q + half / k->lanes);
    tn__line(k->w, "TN_FOLD(%s, t%u[0]);", call, e);
    declare(k, e, 0, tn__text(k->w, "t%u[0]", e));
}

static void end_ordered_columns(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = reduction(k, e);
    const char *t = tn__reg(input_dt(k, expr)), *call = combine(k, expr);
    flush_columns(k, e);
    tn__line(k->w, "%s t%u_0[16];", tn__vector_type(input_dt(k, expr)), e);
    tn__line(k->w, "for (int q = 0; q < 16; q++) t%u_0[q] = tn_load_%s(%s);", e, t,
             column(k, 't', e, "q", 0));
    tn__line(k->w, "for (int h = 8; h; h /= 2)");
    tn__line(k->w, "    for (int q = 0; q < h; q++) t%u_0[q] = %s(t%u_0[q], t%u_0[q + h]);", e,
             call, e, e);
    declare(k, e, 0, tn__text(k->w, "t%u_0[0]", e));
}

static void end_row(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = reduction(k, e);
    if (is_blocked(k, expr)) flush_row(k, e);
    const char *all = is_blocked(k, expr) ? tn__text(k->w, "t%u", e)
                                          : tree(k, expr, e, 0, k->accumulators);
    tn__line(k->w, "a%u_0 = %s;", e, all);
    tn__line(k->w, "TN_FOLD(%s, a%u_0);", combine(k, expr), e);
    declare(k, e, 0, tn__text(k->w, "a%u_0", e));
}

static void end_columns(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = reduction(k, e);
    const char *t = tn__reg(input_dt(k, expr));
    const char *value = tn__text(k->w, "tn_load_%s(%s)", t, column(k, 'a', e, "", 0));
    if (is_blocked(k, expr))
        value = tn__text(k->w, "%s(tn_load_%s(%s), %s)", combine(k, expr), t,
                         column(k, 't', e, "", 0), value);
    declare(k, e, 0, tn__online_result(k, e, value));
}

void tn__reduce_end(tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        if (!is_here(k, e)) continue;
        const tn_kx_node *expr = reduction(k, e);
        if (is_arg(expr))
            end_arg(k, e);
        else if (is_ordered(k, expr))
            is_row(k) ? end_queue(k, e) : end_ordered_columns(k, e);
        else if (is_row(k))
            end_row(k, e);
        else
            end_columns(k, e);
    }
}
