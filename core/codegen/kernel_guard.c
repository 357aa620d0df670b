/* Guards: what does not depend on the vector axis is a condition; what bounds that axis
 * a range of it; anything else is tested lane by lane. */
#include "codegen/kernel.h"

/* The numbers of a guard's term, the same wherever it is tested. */
static const struct tn__bounds *bounds_of(tn__kernel *k, uint32_t guard, uint32_t term) {
    static const struct tn__bounds none = {"0", "0"};
    const tn_guard *g = &k->loop->guards[guard];
    struct tn__bounds **all = &k->bounds[guard];
    if (!*all) {
        *all = tn_arena_array(k->w->arena, g->n_terms, sizeof **all);
        if (!*all) {
            k->w->no_memory = true;
            return &none;
        }
        for (uint32_t i = 0; i < g->n_terms; i++)
            (*all)[i] = (struct tn__bounds){tn__step(k->w, g->terms[i].lo),
                                            tn__step(k->w, g->terms[i].hi)};
    }
    return &(*all)[term];
}

/* "x >= lo && x < hi" */
static const char *between(tn__kernel *k, const char *x, uint32_t guard, uint32_t term) {
    const struct tn__bounds *b = bounds_of(k, guard, term);
    return tn__text(k->w, "%s >= %s && %s < %s", x, b->lo, x, b->hi);
}

static bool term_is_vector(const tn__kernel *k, const tn__access *access) {
    return tn__nest_is_vector(k->nest, access->axes);
}

const char *tn__guard_condition(tn__kernel *k, uint32_t guard) {
    const tn_guard *g = &k->loop->guards[guard];
    const char *all = "";
    for (uint32_t i = 0; i < g->n_terms; i++) {
        const tn__access *access = &k->nest->guards[guard].terms[i];
        if (term_is_vector(k, access)) continue;
        const char *x = tn__text(k->w, "(%s)", tn__index_at(k->w, access, k->level));
        all = tn__text(k->w, "%s%s%s", all, *all ? " && " : "", between(k, x, guard, i));
    }
    return all;
}

bool tn__guard_is_vector(const tn__kernel *k, uint32_t guard) {
    for (uint32_t i = 0; i < k->loop->guards[guard].n_terms; i++)
        if (term_is_vector(k, &k->nest->guards[guard].terms[i])) return true;
    return false;
}

bool tn__guard_is_range(const tn__kernel *k, uint32_t guard) {
    for (uint32_t i = 0; i < k->loop->guards[guard].n_terms; i++) {
        const tn__access *access = &k->nest->guards[guard].terms[i];
        if (!term_is_vector(k, access)) continue;
        int64_t step = access->step[k->nest->vector];
        if (tn__nest_is_vector(k->nest, access->term_axes) || (step != 1 && step != -1))
            return false;
    }
    return true;
}

/* lo <= x + j < hi is lo - x <= j < hi - x; lo <= x - j < hi is
 * x - hi < j <= x - lo. */
void tn__declare_range(tn__kernel *k, uint32_t guard) {
    if (k->guard_level[guard]) return;
    const tn_guard *g = &k->loop->guards[guard];
    const char *condition = tn__guard_condition(k, guard);
    k->guard_level[guard] = k->level + 1;
    tn__line(k->w, "tn_i64 g%u = TN_FIRST, h%u = %s%sTN_LAST%s;", guard, guard, condition,
             *condition ? " ? " : "", *condition ? " : TN_FIRST" : "");
    for (uint32_t i = 0; i < g->n_terms; i++) {
        const tn__access *access = &k->nest->guards[guard].terms[i];
        if (!term_is_vector(k, access)) continue;
        const char *x = tn__index_at(k->w, access, k->level);
        const struct tn__bounds *b = bounds_of(k, guard, i);
        bool forward = access->step[k->nest->vector] == 1;
        const char *first = forward ? tn__text(k->w, "%s - (%s)", b->lo, x)
                                    : tn__text(k->w, "(%s) - %s + 1", x, b->hi);
        const char *end = forward ? tn__text(k->w, "%s - (%s)", b->hi, x)
                                  : tn__text(k->w, "(%s) - %s + 1", x, b->lo);
        tn__line(k->w, "g%u = tn_max(g%u, %s);", guard, guard, first);
        tn__line(k->w, "h%u = tn_min(h%u, %s);", guard, guard, end);
    }
}

const char *tn__lane_condition(tn__kernel *k, uint32_t guard, uint32_t copy) {
    if (guard == TN_NONE) return "";
    const tn_guard *g = &k->loop->guards[guard];
    const char *all = tn__guard_condition(k, guard);
    for (uint32_t i = 0; i < g->n_terms; i++) {
        const tn__access *access = &k->nest->guards[guard].terms[i];
        if (!term_is_vector(k, access)) continue;
        tn__lane_values(k->w, access, copy);
        tn__line(k->w, "const tn_i64 t%u_%u = %s;", guard, i,
                 tn__lane_index(k->w, access, k->level));
        const char *x = tn__text(k->w, "t%u_%u", guard, i);
        all = tn__text(k->w, "%s%s%s", all, *all ? " && " : "", between(k, x, guard, i));
    }
    return all;
}

void tn__lane_loop(tn__kernel *k, uint32_t copy) {
    tn__lane_begin(k->w);
    if (k->masked)
        tn__line(k->w, "for (int k = 0; k < (int)m%u; k++) {", copy);
    else
        tn__line(k->w, "for (int k = 0; k < TN_W; k++) {");
    tn__line(k->w, "const tn_i64 l = j%s + k;", tn__copy_offset(k, copy));
}

void tn__write_guard(tn__kernel *k, uint32_t e) {
    uint32_t guard = k->loop->exprs[e].guard;
    if (guard == TN_NONE || !tn__guard_is_vector(k, guard)) {
        const char *condition = guard == TN_NONE ? "" : tn__guard_condition(k, guard);
        const char *value = *condition ? condition : "1";
        for (uint32_t u = 0; u < (tn__is_vector(k, e) ? k->copies : 1); u++)
            tn__line(k->w, "const vmask %s = tn_lit_bool(%s);", tn__value(k, e, u), value);
        return;
    }
    bool range = tn__guard_is_range(k, guard);
    if (range) tn__declare_range(k, guard);
    for (uint32_t u = 0; u < k->copies; u++) {
        const char *name = tn__value(k, e, u);
        if (range) {
            tn__line(k->w, "const vmask %s = tn_mask_range(g%u - (j%s), h%u - (j%s));", name, guard,
                     tn__copy_offset(k, u), guard, tn__copy_offset(k, u));
            continue;
        }
        tn__line(k->w, "tn_bool %s_k[TN_W] = {0};", name);
        tn__lane_loop(k, u);
        const char *condition = tn__lane_condition(k, guard, u);
        tn__line(k->w, "%s_k[k] = %s;", name, condition);
        tn__line(k->w, "}");
        tn__line(k->w, "const vmask %s = tn_load_bool(%s_k);", name, name);
    }
}
