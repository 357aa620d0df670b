/* The axes of a finished loop, and index expressions in its own form. */
#include "schedule/finish.h"

/* ---------------------------------------------------------------- joining */

/* For neighbours (outer, next): whether every expression steps through both as
 * one axis, i.e. outer's coefficient is next's times next's extent. */
typedef struct joins {
    const tn__finish *f;
    const int64_t *extents;
    uint32_t order[TN_MAX_RANK]; /* unit axes in loop order */
    uint32_t n;
    bool joined[TN_MAX_RANK]; /* order[i] with order[i + 1] */
} joins;

static void check_sum(joins *j, tn__ix ix) {
    const tn__index *index = &j->f->plan->space.index;
    const tn__ix_sum *s = tn__ix_get(index, ix);
    int64_t coefficients[TN_MAX_RANK] = {0};
    for (uint32_t i = 0; i < s->n_terms; i++) {
        const tn__ix_atom *atom = &index->atoms.data[s->terms[i].atom];
        if (atom->kind == TN_IX_AXIS)
            coefficients[atom->a] = s->terms[i].coefficient;
        else if (atom->kind != TN_IX_VALUE)
            check_sum(j, atom->a);
    }
    for (uint32_t i = 0; i + 1 < j->n; i++) {
        int64_t outer = coefficients[j->order[i]], next = coefficients[j->order[i + 1]], product;
        if (__builtin_mul_overflow(next, j->extents[j->order[i + 1]], &product) || product != outer)
            j->joined[i] = false;
    }
}

static void check_guard(joins *j, tn__guard guard) {
    const tn__guard_data *g = tn__guard_get(&j->f->plan->space, guard);
    for (uint32_t i = 0; i < g->n; i++)
        check_sum(j, g->terms[i].ix);
}

static void find_joins(joins *j, bool keep) {
    const tn__finish *f = j->f;
    for (uint32_t i = 0; i + 1 < j->n; i++)
        j->joined[i] = !keep && (f->inner >> j->order[i] & 1) == (f->inner >> j->order[i + 1] & 1);
    for (size_t i = 0; i < f->exprs.len; i++) {
        const tn_kx_node *e = &f->exprs.data[i];
        if (e->kind == TN_KX_LOAD || e->kind == TN_KX_INDEX) check_sum(j, e->ix);
        if (e->kind == TN_KX_LOAD || e->kind == TN_KX_GUARD) check_guard(j, e->guard);
    }
    for (size_t i = 0; i < f->stores.len; i++)
        check_sum(j, f->stores.data[i].ix);
}

/* -------------------------------------------------------------- expressions */

static bool ix_eq(const void *self, const void *key, uint32_t id) {
    const tn_ix_node *a = &((const tn__finish *)self)->ixs.data[id], *b = key;
    return a->kind == b->kind && a->a == b->a && a->b == b->b && a->c == b->c && a->lo == b->lo &&
           a->hi == b->hi;
}

static tn_status ix_add(tn__finish *f, tn_ix_node node, tn_ix *out) {
    int64_t key[6] = {node.kind, node.a, node.b, node.c, node.lo, node.hi};
    uint32_t hash = tn__intern_hash(key, sizeof key, 0);
    tn__intern_slot *slot = tn__intern_find(&f->ix_table, hash, ix_eq, f, &node);
    if (!slot) return tn_status_no_memory();
    if (!slot->id_plus_1) {
        if (!tn_vec_push(f->plan->allocator, &f->ixs, node)) return tn_status_no_memory();
        tn__intern_put(&f->ix_table, slot, hash, (uint32_t)f->ixs.len - 1);
    }
    *out = slot->id_plus_1 - 1;
    return NULL;
}

static void set_range(tn_ix_node *node, bool unknown, int64_t lo, int64_t hi) {
    node->lo = unknown ? INT64_MIN : lo;
    node->hi = unknown ? INT64_MAX : hi;
}

static bool unknown(const tn_ix_node *node) {
    return node->lo == INT64_MIN || node->hi == INT64_MAX;
}

static tn_status ix_mul(tn__finish *f, tn_ix x, int64_t factor, tn_ix *out) {
    if (factor == 1) {
        *out = x;
        return NULL;
    }
    const tn_ix_node *n = &f->ixs.data[x];
    tn_ix_node node = {.kind = TN_IX_MUL, .a = x, .c = factor};
    int64_t lo = 0, hi = 0;
    bool bad = unknown(n) || __builtin_mul_overflow(factor > 0 ? n->lo : n->hi, factor, &lo) ||
               __builtin_mul_overflow(factor > 0 ? n->hi : n->lo, factor, &hi);
    set_range(&node, bad, lo, hi);
    return ix_add(f, node, out);
}

static tn_status ix_plus(tn__finish *f, tn_ix x, tn_ix y, tn_ix *out) {
    const tn_ix_node *a = &f->ixs.data[x], *b = &f->ixs.data[y];
    tn_ix_node node = {.kind = TN_IX_ADD, .a = x, .b = y};
    int64_t lo = 0, hi = 0;
    bool bad = unknown(a) || unknown(b) || __builtin_add_overflow(a->lo, b->lo, &lo) ||
               __builtin_add_overflow(a->hi, b->hi, &hi);
    set_range(&node, bad, lo, hi);
    return ix_add(f, node, out);
}

static tn_status convert(tn__finish *f, const tn_loop *loop, tn__ix ix, tn_ix *out);

static tn_status convert_atom(tn__finish *f, const tn_loop *loop, uint32_t id, tn_ix *out) {
    tn__ix_atom atom = f->plan->space.index.atoms.data[id];
    tn_ix_node node = {.kind = atom.kind, .c = atom.c, .lo = atom.lo, .hi = atom.hi};
    switch (atom.kind) {
    case TN_IX_AXIS:
        node.a = f->axis_of[atom.a];
        node.c = 0;
        node.hi = loop->axes[node.a].extent - 1;
        break;
    case TN_IX_VALUE: node.a = tn__finish_kx(f, atom.a); break;
    default: TN_TRY(convert(f, loop, atom.a, &node.a)); break;
    }
    return ix_add(f, node, out);
}

/* Terms of axes in loop order, then the others, then the constant. */
static tn_status convert_terms(tn__finish *f, const tn_loop *loop, const tn__ix_sum *s,
                               tn_ix *out) {
    const tn__ix_atom *atoms = f->plan->space.index.atoms.data;
    bool some = false;
    for (uint32_t axis = 0; axis <= loop->n_axes; axis++)
        for (uint32_t i = 0; i < s->n_terms; i++) {
            const tn__ix_atom *atom = &atoms[s->terms[i].atom];
            bool is_axis = atom->kind == TN_IX_AXIS;
            if (is_axis ? !f->carries[atom->a] || f->axis_of[atom->a] != axis
                        : axis != loop->n_axes)
                continue;
            tn_ix term;
            TN_TRY(convert_atom(f, loop, s->terms[i].atom, &term));
            TN_TRY(ix_mul(f, term, s->terms[i].coefficient, &term));
            if (some) TN_TRY(ix_plus(f, *out, term, &term));
            *out = term;
            some = true;
        }
    if (some && s->constant == 0) return NULL;
    tn_ix constant;
    TN_TRY(ix_add(
        f,
        (tn_ix_node){.kind = TN_IX_CONST, .c = s->constant, .lo = s->constant, .hi = s->constant},
        &constant));
    if (some) return ix_plus(f, *out, constant, out);
    *out = constant;
    return NULL;
}

static tn_status convert(tn__finish *f, const tn_loop *loop, tn__ix ix, tn_ix *out) {
    while (f->sum_marks.len <= ix)
        if (!tn_vec_push(f->plan->allocator, &f->sum_marks, (tn__mark){0}))
            return tn_status_no_memory();
    if (f->sum_marks.data[ix].round != f->round) {
        tn__ix_sum sum = *tn__ix_get(&f->plan->space.index, ix);
        TN_TRY(convert_terms(f, loop, &sum, out));
        f->sum_marks.data[ix] = (tn__mark){f->round, *out};
    }
    *out = f->sum_marks.data[ix].id;
    return NULL;
}

static tn_status convert_guard(tn__finish *f, const tn_loop *loop, tn__guard guard, uint32_t *out) {
    *out = TN_NONE;
    if (guard == TN__GUARD_ALWAYS) return NULL;
    while (f->guard_marks.len <= guard)
        if (!tn_vec_push(f->plan->allocator, &f->guard_marks, (tn__mark){0}))
            return tn_status_no_memory();
    if (f->guard_marks.data[guard].round != f->round) {
        tn__guard_data g = *tn__guard_get(&f->plan->space, guard);
        tn_guard made = {
            .terms = tn_arena_array(&f->plan->schedule->arena, g.n, sizeof *made.terms),
            .n_terms = g.n};
        if (!made.terms) return tn_status_no_memory();
        for (uint32_t i = 0; i < g.n; i++) {
            made.terms[i].lo = g.terms[i].lo;
            made.terms[i].hi = g.terms[i].hi;
            TN_TRY(convert(f, loop, g.terms[i].ix, &made.terms[i].ix));
        }
        if (!tn_vec_push(f->plan->allocator, &f->guards, made)) return tn_status_no_memory();
        f->guard_marks.data[guard] = (tn__mark){f->round, (uint32_t)f->guards.len - 1};
    }
    *out = f->guard_marks.data[guard].id;
    return NULL;
}

/* --------------------------------------------------------------------------- */

static void number_axes(tn__finish *f, tn_loop *loop, bool keep) {
    const int64_t *extents = f->extents;
    joins j = {.f = f, .extents = extents};
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t a = 0; a < f->n_axes; a++)
            if ((f->inner >> a & 1) == side) j.order[j.n++] = a;
    find_joins(&j, keep);
    for (uint32_t i = 0; i < j.n; i++) {
        uint32_t axis = j.order[i];
        bool starts = i == 0 || !j.joined[i - 1];
        if (starts)
            loop->axes[loop->n_axes++].extent = extents[axis];
        else
            loop->axes[loop->n_axes - 1].extent *= extents[axis];
        if (starts && !(f->inner >> axis & 1)) loop->n_parallel++;
        f->axis_of[axis] = loop->n_axes - 1;
        f->carries[axis] = i + 1 == j.n || !j.joined[i];
    }
}

tn_status tn__axes_apply(tn__finish *f, tn_loop *loop, bool keep_axes) {
    number_axes(f, loop, keep_axes);
    for (size_t i = 0; i < f->exprs.len; i++) {
        tn_kx_node *e = &f->exprs.data[i];
        bool has_ix = e->kind == TN_KX_LOAD || e->kind == TN_KX_INDEX;
        if (has_ix) TN_TRY(convert(f, loop, e->ix, &e->ix));
        TN_TRY(convert_guard(f, loop, e->guard, &e->guard));
    }
    for (size_t i = 0; i < f->stores.len; i++)
        TN_TRY(convert(f, loop, f->stores.data[i].ix, &f->stores.data[i].ix));
    return NULL;
}
