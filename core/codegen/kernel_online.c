/* Two reductions in one walk down the columns (online.c), a group of rows at a time: what is
 * reduced is kept in `kept` while the first is made, then the second is. `seen` rows came
 * before. */
#include "codegen/kernel.h"

bool tn__online_is_here(const tn__kernel *k) {
    const tn__online *online = &k->nest->online;
    return online->kind != TN__ONLINE_NONE && k->loop->exprs[online->first].stage == k->stage;
}

bool tn__online_is_done(const tn__kernel *k) {
    const tn__online *online = &k->nest->online;
    return online->kind != TN__ONLINE_NONE && k->loop->exprs[online->second].stage == k->stage;
}

static tn_dt value_dt(const tn__kernel *k) {
    return k->loop->exprs[k->loop->exprs[k->nest->online.first].in[0]].dt;
}

/* tn_p_<prim>(x, y) */
static const char *call(tn__kernel *k, uint32_t prim, const char *x, const char *y) {
    return tn__text(k->w, "%s(%s, %s)", tn__prim_call(k, prim, value_dt(k)), x, y);
}

static const char *exp_of_difference(tn__kernel *k, const char *x, const char *y) {
    const char *difference = call(k, TN_PRIM_SUB, x, y);
    return tn__text(k->w, "%s(%s)", tn__prim_call(k, TN_PRIM_EXP, value_dt(k)), difference);
}

static const char *array(tn__kernel *k, char name, tn_kx e) {
    return tn__text(k->w, "%c%u + (j - jb)", name, e);
}

static void store(tn__kernel *k, const char *at, const char *value) {
    const char *t = tn__reg(value_dt(k));
    if (k->masked)
        tn__line(k->w, "tn_store_part_%s(%s, %s, m0);", t, at, value);
    else
        tn__line(k->w, "tn_store_%s(%s, %s);", t, at, value);
}

void tn__online_count(tn__kernel *k) {
    tn__line(k->w, "tn_i64 seen = 0;");
}

void tn__online_numbers(tn__kernel *k) {
    if (k->nest->online.kind != TN__ONLINE_SQUARES) return;
    const char *t = tn__reg(value_dt(k));
    tn__line(k->w, "const tn_%s before = (tn_%s)seen, here = (tn_%s)(rn - rb);", t, t, t);
    tn__line(k->w, "const tn_%s part = before * here / (before + here), each = 1 / here;", t);
    tn__line(k->w, "const tn_%s past = seen ? 1 / before : 0;", t);
}

void tn__online_begin(tn__kernel *k) {
    const tn__online *online = &k->nest->online;
    const char *v = tn__vector_type(value_dt(k)), *t = tn__reg(value_dt(k));
    tn__line(k->w, "%s kept[%d];", v, TN_GROUP);
    if (online->kind == TN__ONLINE_EXP_SUM) {
        tn__line(k->w, "const %s was = tn_load_%s(%s);", v, t, array(k, 'a', online->first));
        tn__line(k->w, "%s a%u_0 = was;", v, online->first);
    } else {
        tn__line(k->w, "%s a%u_0 = tn_lit_%s(0);", v, online->first, t);
    }
}

void tn__online_step(tn__kernel *k, const char *row) {
    const tn__online *online = &k->nest->online;
    const char *value = tn__value(k, k->loop->exprs[online->first].in[0], 0);
    const char *a = tn__text(k->w, "a%u_0", online->first);
    tn__line(k->w, "kept[%s - rb] = %s;", row, value);
    bool max = online->kind == TN__ONLINE_EXP_SUM;
    tn__line(k->w, "%s = %s;", a, call(k, max ? TN_PRIM_MAX : TN_PRIM_ADD, a, value));
}

/* Where all values so far are -inf the maximum is no number to subtract: they add nothing
 * now, and tn__online_result makes the NaN that is due if no other comes. */
static void end_exp_sum(tn__kernel *k) {
    const tn__online *online = &k->nest->online;
    const char *v = tn__vector_type(value_dt(k)), *t = tn__reg(value_dt(k));
    const char *now = tn__text(k->w, "a%u_0", online->first);
    const char *a = array(k, 'a', online->second), *total = array(k, 't', online->second);
    tn__line(k->w,
             "const %s base = tn_sel_%s(tn_eq_%s(%s, tn_lit_%s(-__builtin_inf())), "
             "tn_lit_%s(0), %s);",
             v, t, t, now, t, t, now);
    tn__line(k->w, "const %s scale = tn_sel_%s(tn_eq_%s(was, %s), tn_lit_%s(1), %s);", v, t, t, now,
             t, exp_of_difference(k, "was", "base"));
    tn__line(k->w, "%s sum = tn_lit_%s(0);", v, t);
    tn__line(k->w, "for (tn_i64 g = 0; g < rn - rb; g++) sum = %s;",
             call(k, TN_PRIM_ADD, "sum", exp_of_difference(k, "kept[g]", "base")));
    store(k, array(k, 'a', online->first), now);
    store(k, total, call(k, TN_PRIM_MUL, tn__text(k->w, "tn_load_%s(%s)", t, total), "scale"));
    const char *scaled = call(k, TN_PRIM_MUL, tn__text(k->w, "tn_load_%s(%s)", t, a), "scale");
    store(k, a, call(k, TN_PRIM_ADD, scaled, "sum"));
}

static void end_squares(tn__kernel *k) {
    const tn__online *online = &k->nest->online;
    const char *v = tn__vector_type(value_dt(k)), *t = tn__reg(value_dt(k));
    const char *sum = array(k, 'a', online->first), *total = array(k, 't', online->first);
    const char *a = array(k, 'a', online->second);
    const char *group = tn__text(k->w, "a%u_0", online->first);
    tn__line(k->w, "const %s mean = %s * each, old = tn_load_%s(%s);", v, group, t, sum);
    tn__line(k->w, "%s off = tn_lit_%s(0), sum = tn_lit_%s(0);", v, t, t);
    tn__line(k->w, "if (seen) off = mean - (tn_load_%s(%s) + old) * past;", t, total);
    tn__line(k->w, "for (tn_i64 g = 0; g < rn - rb; g++) {");
    tn__line(k->w, "const %s from = kept[g] - mean;", v);
    tn__line(k->w, "sum = sum + from * from;");
    tn__line(k->w, "}");
    store(k, sum, tn__text(k->w, "old + %s", group));
    store(k, a, tn__text(k->w, "tn_load_%s(%s) + (sum + off * off * part)", t, a));
}

void tn__online_end(tn__kernel *k) {
    if (k->nest->online.kind == TN__ONLINE_EXP_SUM)
        end_exp_sum(k);
    else
        end_squares(k);
}

const char *tn__online_result(tn__kernel *k, tn_kx e, const char *value) {
    const tn__online *online = &k->nest->online;
    if (online->kind != TN__ONLINE_EXP_SUM || e != online->second) return value;
    const char *t = tn__reg(value_dt(k));
    return tn__text(k->w,
                    "tn_sel_%s(tn_eq_%s(tn_load_%s(%s), tn_lit_%s(-__builtin_inf())), "
                    "tn_lit_%s(__builtin_nan(\"\")), %s)",
                    t, t, t, array(k, 'a', online->first), t, t, value);
}
