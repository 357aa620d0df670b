#include "schedule/finish.h"

#include <string.h>

void tn__finish_init(tn__finish *f, tn__plan *plan) {
    *f = (tn__finish){.plan = plan};
    tn__intern_init(&f->kx_table, plan->allocator);
    tn__intern_init(&f->ix_table, plan->allocator);
}

void tn__finish_deinit(tn__finish *f) {
    const tn_allocator *a = f->plan->allocator;
    tn_vec_free(a, &f->exprs);
    tn_vec_free(a, &f->slots);
    tn_vec_free(a, &f->stores);
    tn_vec_free(a, &f->ixs);
    tn_vec_free(a, &f->guards);
    tn_vec_free(a, &f->expr_marks);
    tn_vec_free(a, &f->sum_marks);
    tn_vec_free(a, &f->guard_marks);
    tn__intern_deinit(&f->kx_table);
    tn__intern_deinit(&f->ix_table);
}

/* ------------------------------------------------- common subexpressions */

static uint64_t scalar_bits(tn_scalar s) {
    return s.u;
}

static bool kx_eq(const void *self, const void *key, uint32_t id) {
    const tn_kx_node *a = &((const tn__finish *)self)->exprs.data[id], *b = key;
    return a->kind == b->kind && a->dt == b->dt && a->prim == b->prim && a->in[0] == b->in[0] &&
           a->in[1] == b->in[1] && a->in[2] == b->in[2] && a->slot == b->slot && a->ix == b->ix &&
           a->guard == b->guard && scalar_bits(a->value) == scalar_bits(b->value);
}

/* PARAM is the exception: equal numbers of today need not be equal tomorrow. */
static tn_status kx_add(tn__finish *f, tn_kx_node node, uint32_t *out) {
    uint64_t key[6] = {(uint64_t)node.kind << 32 | node.dt,
                       (uint64_t)node.prim << 32 | node.in[0],
                       (uint64_t)node.in[1] << 32 | node.in[2],
                       (uint64_t)node.slot << 32 | node.ix,
                       node.guard,
                       scalar_bits(node.value)};
    uint32_t hash = tn__intern_hash(key, sizeof key, 0);
    tn__intern_slot *slot = tn__intern_find(&f->kx_table, hash, kx_eq, f, &node);
    if (!slot) return tn_status_no_memory();
    if (slot->id_plus_1 && node.kind != TN_KX_PARAM) {
        *out = slot->id_plus_1 - 1;
        return NULL;
    }
    if (!tn_vec_push(f->plan->allocator, &f->exprs, node)) return tn_status_no_memory();
    *out = (uint32_t)f->exprs.len - 1;
    if (!slot->id_plus_1) tn__intern_put(&f->kx_table, slot, hash, *out);
    return NULL;
}

static tn_status slot_of(tn__finish *f, uint32_t buffer, bool written, uint32_t *out) {
    for (uint32_t i = 0; i < f->slots.len; i++) {
        if (f->slots.data[i].buffer != buffer) continue;
        f->slots.data[i].written |= written;
        *out = i;
        return NULL;
    }
    tn_loop_slot slot = {buffer, tn_dt_from_dtype(f->plan->buffers.data[buffer].dtype), written};
    if (!tn_vec_push(f->plan->allocator, &f->slots, slot)) return tn_status_no_memory();
    *out = (uint32_t)f->slots.len - 1;
    return NULL;
}

/* --------------------------------------------------------------- visiting */

static tn__ix mapped(tn__finish *f, tn__ix ix) {
    return f->map ? tn__ix_substitute(&f->plan->space.index, ix, f->map) : ix;
}

static tn__guard mapped_guard(tn__finish *f, tn__guard guard) {
    tn__space *space = &f->plan->space;
    if (!f->map || guard == TN__GUARD_NEVER) return guard;
    tn__guard_data g = *tn__guard_get(space, guard);
    tn__guard out = TN__GUARD_ALWAYS;
    for (uint32_t i = 0; i < g.n; i++)
        out = tn__guard_and(space, out, mapped(f, g.terms[i].ix), g.terms[i].lo, g.terms[i].hi);
    return out;
}

static tn_status visit(tn__finish *f, uint32_t expr, uint32_t *out);

/* The run-time values inside an index expression. */
static tn_status visit_ix(tn__finish *f, tn__ix ix) {
    const tn__index *index = &f->plan->space.index;
    if (!tn__ix_get(index, ix)->has_value) return NULL;
    for (uint32_t i = 0; i < tn__ix_get(index, ix)->n_terms; i++) {
        tn__ix_atom atom = index->atoms.data[tn__ix_get(index, ix)->terms[i].atom];
        uint32_t ignored;
        if (atom.kind == TN_IX_VALUE)
            TN_TRY(visit(f, atom.a, &ignored));
        else if (atom.has_value)
            TN_TRY(visit_ix(f, atom.a));
    }
    return NULL;
}

static tn_status visit_guard(tn__finish *f, tn__guard guard) {
    for (uint32_t i = 0; i < tn__guard_get(&f->plan->space, guard)->n; i++)
        TN_TRY(visit_ix(f, tn__guard_get(&f->plan->space, guard)->terms[i].ix));
    return NULL;
}

static tn_status visit_load(tn__finish *f, const tn__expr *x, uint32_t fallback, uint32_t *out) {
    tn__plan *plan = f->plan;
    tn__place home = plan->values[x->value].home;
    tn_kx_node node = {.kind = TN_KX_LOAD,
                       .dt = x->dt,
                       .in = {fallback, TN_NONE, TN_NONE},
                       .n_in = fallback != TN_NONE,
                       .guard = mapped_guard(f, x->guard),
                       .origin = x->value};
    if (x->dt == TN_DT_NONE)
        return tn_status_make(TN_UNSUPPORTED,
                              "%%%s must be copied, but no primitive knows its dtype",
                              plan->graph->values[x->value].name);
    node.ix = mapped(f, tn__coords_address(&plan->space, x->coords, home.strides, home.offset));
    TN_TRY(tn__index_status(&plan->space.index));
    TN_TRY(slot_of(f, home.buffer, false, &node.slot));
    TN_TRY(visit_guard(f, node.guard));
    TN_TRY(visit_ix(f, node.ix));
    return kx_add(f, node, out);
}

/* select(guard, load under that guard, literal) is one guarded load. */
static tn_status visit_select(tn__finish *f, const tn__expr *x, bool *done, uint32_t *out) {
    const tn__expr *e = f->plan->exprs.data;
    uint32_t condition = tn__expr_resolve(f->plan, x->in[0]);
    uint32_t then = tn__expr_resolve(f->plan, x->in[1]);
    uint32_t other = tn__expr_resolve(f->plan, x->in[2]);
    *done = e[condition].kind == TN__EXPR_GUARD && e[then].kind == TN__EXPR_LOAD &&
            e[then].guard == e[condition].guard &&
            (e[other].kind == TN__EXPR_CONST || e[other].kind == TN__EXPR_PARAM);
    if (!*done) return NULL;
    bool zero = e[other].kind == TN__EXPR_CONST && e[other].constant.u == 0;
    uint32_t fallback = TN_NONE;
    tn__expr load = e[then];
    if (!zero) TN_TRY(visit(f, other, &fallback));
    return visit_load(f, &load, fallback, out);
}

static tn_status visit_node(tn__finish *f, const tn__expr *x, uint32_t *out) {
    bool sub_f32 = tn_dt_is_float(x->dt) && tn_dt_compute(x->dt) != x->dt;
    tn_kx_node node = {.dt = x->dt,
                       .prim = x->prim,
                       .in = {TN_NONE, TN_NONE, TN_NONE},
                       .n_in = x->n_in,
                       .ix = mapped(f, x->ix),
                       .guard = mapped_guard(f, x->guard),
                       .value = x->constant,
                       .origin = x->value};
    switch (x->kind) {
    case TN__EXPR_LOAD: return visit_load(f, x, TN_NONE, out);
    case TN__EXPR_CONST: node.kind = TN_KX_CONST; break;
    case TN__EXPR_PARAM: node.kind = TN_KX_PARAM; break;
    case TN__EXPR_INDEX:
        node.kind = TN_KX_INDEX;
        TN_TRY(visit_ix(f, node.ix));
        break;
    case TN__EXPR_GUARD:
        node.kind = node.guard == TN__GUARD_ALWAYS ? TN_KX_CONST : TN_KX_GUARD;
        node.value.i = 1;
        TN_TRY(visit_guard(f, node.guard));
        break;
    case TN__EXPR_ACC:
        node.kind = TN_KX_ACC;
        node.rounded = sub_f32 && f->plan->options->strict;
        break;
    case TN__EXPR_PRIM:
    case TN__EXPR_REDUCE:
        node.kind = x->kind == TN__EXPR_PRIM ? TN_KX_PRIM : TN_KX_REDUCE;
        node.rounded = sub_f32 && (f->plan->options->strict || x->prim == TN_PRIM_CAST);
        for (uint32_t i = 0; i < x->n_in; i++)
            TN_TRY(visit(f, x->in[i], &node.in[i]));
        break;
    default:
        return tn_status_make(TN_INTERNAL, "scheduler: a demand on %%%s was never met",
                              f->plan->graph->values[x->value].name);
    }
    if (x->kind != TN__EXPR_GUARD) node.guard = TN__GUARD_ALWAYS;
    return kx_add(f, node, out);
}

static tn_status visit(tn__finish *f, uint32_t expr, uint32_t *out) {
    expr = tn__expr_resolve(f->plan, expr);
    if (f->expr_marks.data[expr].round == f->round) {
        *out = f->expr_marks.data[expr].id;
        return NULL;
    }
    tn__expr x = f->plan->exprs.data[expr];
    bool done = false;
    if (x.kind == TN__EXPR_PRIM && x.prim == TN_PRIM_SELECT)
        TN_TRY(visit_select(f, &x, &done, out));
    if (!done) TN_TRY(visit_node(f, &x, out));
    f->expr_marks.data[expr] = (tn__mark){f->round, *out};
    return NULL;
}

uint32_t tn__finish_kx(tn__finish *f, uint32_t expr) {
    return f->expr_marks.data[tn__expr_resolve(f->plan, expr)].id;
}

/* ------------------------------------------------------------------ stores */

static tn_status visit_stores(tn__finish *f, const tn__unit *unit) {
    tn__plan *plan = f->plan;
    for (uint32_t s = unit->first_store; s != TN_NONE; s = plan->stores.data[s].next) {
        const tn__store *store = &plan->stores.data[s];
        tn_loop_store out = {.guard = TN_NONE};
        TN_TRY(visit(f, store->expr, &out.value));
        out.slot = TN_NONE; /* a prologue hands its element over */
        if (store->place.buffer != TN_NONE) {
            TN_TRY(slot_of(f, store->place.buffer, true, &out.slot));
            out.ix = mapped(f, tn__coords_address(&plan->space, store->coords, store->place.strides,
                                                  store->place.offset));
        }
        TN_TRY(tn__index_status(&plan->space.index));
        out.level = tn__coords_get(&plan->space, store->coords)->axes & f->inner ? TN_LEVEL_FULL
                                                                                 : TN_LEVEL_ROW;
        if (!tn_vec_push(plan->allocator, &f->stores, out)) return tn_status_no_memory();
    }
    return NULL;
}

/* Inner axes are for reductions, and for values that are one a row. */
static uint32_t needed_inner(const tn__finish *f, const tn__unit *unit) {
    bool rows = false, points = false;
    for (size_t i = 0; i < f->exprs.len; i++)
        if (f->exprs.data[i].kind == TN_KX_REDUCE) return unit->inner;
    for (size_t i = 0; i < f->stores.len; i++) {
        rows |= f->stores.data[i].level == TN_LEVEL_ROW;
        points |= f->stores.data[i].level == TN_LEVEL_FULL;
    }
    return rows && points ? unit->inner : 0;
}

static tn_status begin(tn__finish *f, uint32_t unit) {
    tn__plan *plan = f->plan;
    f->unit = unit;
    const tn__unit *u = &plan->units.data[unit];
    f->inner = u->inner;
    f->n_axes = u->hosting ? u->hosting->rank : u->n_axes;
    f->extents = u->hosting ? u->hosting->extents : u->extents;
    f->map = u->hosting ? u->hosting->axes : NULL;
    f->exprs.len = f->slots.len = f->stores.len = f->ixs.len = f->guards.len = 0;
    tn__intern_clear(&f->kx_table);
    tn__intern_clear(&f->ix_table);
    f->round++;
    while (f->expr_marks.len < plan->exprs.len)
        if (!tn_vec_push(plan->allocator, &f->expr_marks, (tn__mark){0}))
            return tn_status_no_memory();
    return NULL;
}

tn_status tn__finish_loop(tn__finish *f, uint32_t unit, uint32_t id, tn_loop **out_loop) {
    tn__plan *plan = f->plan;
    tn_arena *arena = &plan->schedule->arena;
    TN_TRY(begin(f, unit));
    const tn__unit *u = &plan->units.data[unit];
    if (tn__unit_points(u, false) == INT64_MAX)
        return tn_status_make(TN_UNSUPPORTED, "a kernel would run over more than 2^63 points");
    TN_TRY(visit_stores(f, u));
    uint32_t inner = needed_inner(f, u);
    if (inner != f->inner) {
        f->inner = inner;
        for (size_t i = 0; i < f->stores.len; i++)
            f->stores.data[i].level = TN_LEVEL_ROW;
    }
    tn_loop *loop = tn_arena_alloc(arena, sizeof *loop);
    if (!loop) return tn_status_no_memory();
    loop->id = id;
    loop->strict = plan->options->strict;
    TN_TRY(tn__axes_apply(f, loop, u->hosting != NULL));
    loop->exprs = tn_arena_copy(arena, f->exprs.data, f->exprs.len * sizeof *loop->exprs);
    loop->slots = tn_arena_copy(arena, f->slots.data, f->slots.len * sizeof *loop->slots);
    loop->stores = tn_arena_copy(arena, f->stores.data, f->stores.len * sizeof *loop->stores);
    loop->ixs = tn_arena_copy(arena, f->ixs.data, f->ixs.len * sizeof *loop->ixs);
    loop->guards = tn_arena_copy(arena, f->guards.data, f->guards.len * sizeof *loop->guards);
    if (!loop->exprs || !loop->slots || !loop->stores || !loop->ixs || !loop->guards)
        return tn_status_no_memory();
    loop->n_exprs = (uint32_t)f->exprs.len;
    loop->n_slots = (uint32_t)f->slots.len;
    loop->n_stores = (uint32_t)f->stores.len;
    loop->n_ixs = (uint32_t)f->ixs.len;
    loop->n_guards = (uint32_t)f->guards.len;
    TN_TRY(tn__levels_apply(f, loop));
    *out_loop = loop;
    return NULL;
}
