/* What runs where in a finished loop: levels, stages, what is held, and how many
 * bytes move. */
#include "schedule/finish.h"

/* Work of one element that is worth keeping in cache rather than doing again. */
#define HOLD_COST 12

typedef struct info {
    tn_level level;
    uint16_t stage;
    bool known;
} info;

typedef struct levels {
    tn_loop *loop;
    info *ixs;        /* by tn_ix */
    uint32_t *cost;   /* by tn_kx: work of one point, of its FULL part */
    uint64_t *needed; /* by tn_kx: the stages, as a set, that evaluate it */
} levels;

static void raise_to(info *to, tn_level level, uint16_t stage) {
    if (to->level < level) to->level = level;
    if (to->stage < stage) to->stage = stage;
}

/* When the value of an expression is there: of a reduction after its stage. */
static uint16_t ready(const tn_kx_node *e) {
    return (uint16_t)(e->stage + (e->kind == TN_KX_REDUCE));
}

static info ix_info(levels *l, tn_ix ix) {
    if (l->ixs[ix].known) return l->ixs[ix];
    const tn_ix_node *n = &l->loop->ixs[ix];
    info out = {.level = TN_LEVEL_CONST, .known = true};
    if (n->kind == TN_IX_AXIS) {
        out.level = n->a < l->loop->n_parallel ? TN_LEVEL_ROW : TN_LEVEL_FULL;
    } else if (n->kind == TN_IX_VALUE) {
        raise_to(&out, l->loop->exprs[n->a].level, ready(&l->loop->exprs[n->a]));
    } else if (n->kind != TN_IX_CONST) {
        info a = ix_info(l, n->a);
        raise_to(&out, a.level, a.stage);
        if (n->kind == TN_IX_ADD) {
            info b = ix_info(l, n->b);
            raise_to(&out, b.level, b.stage);
        }
    }
    return l->ixs[ix] = out;
}

static void set_level(levels *l, tn_kx_node *e) {
    info out = {.level = TN_LEVEL_CONST}, ix;
    if (e->kind == TN_KX_LOAD || e->kind == TN_KX_INDEX) {
        ix = ix_info(l, e->ix);
        raise_to(&out, ix.level, ix.stage);
    }
    if (e->guard != TN_NONE)
        for (uint32_t i = 0; i < l->loop->guards[e->guard].n_terms; i++) {
            ix = ix_info(l, l->loop->guards[e->guard].terms[i].ix);
            raise_to(&out, ix.level, ix.stage);
        }
    for (uint32_t i = 0; i < e->n_in; i++)
        raise_to(&out, l->loop->exprs[e->in[i]].level, ready(&l->loop->exprs[e->in[i]]));
    if (e->kind == TN_KX_ACC) out.level = TN_LEVEL_ROW;
    e->level = out.level;
    e->stage = out.stage;
}

/* A reduction runs in the stage of its operand; its result is there after it. */
static void set_levels(levels *l) {
    tn_loop *loop = l->loop;
    uint16_t last = 0;
    for (uint32_t i = 0; i < loop->n_exprs; i++) {
        tn_kx_node *e = &loop->exprs[i];
        set_level(l, e);
        if (e->kind != TN_KX_REDUCE) continue;
        e->level = TN_LEVEL_ROW;
        if (last < e->stage) last = e->stage;
    }
    for (uint32_t i = 0; i < loop->n_stores; i++) {
        tn_loop_store *s = &loop->stores[i];
        const tn_kx_node *value = &loop->exprs[s->value];
        info ix = ix_info(l, s->ix);
        s->stage = ready(value);
        if (s->stage < ix.stage) s->stage = ix.stage;
        if (s->level == TN_LEVEL_FULL && last < s->stage) last = s->stage;
    }
    loop->n_stages = last + 1u;
}

/* ------------------------------------------------------------------- held */

static uint32_t own_cost(const tn_kx_node *e) {
    switch (e->kind) {
    case TN_KX_PRIM: return tn__prim_cost(e->prim);
    case TN_KX_LOAD: return e->dt == TN_DT_F8E4M3FN || e->dt == TN_DT_F8E5M2 ? 12 : 1;
    default: return 0;
    }
}

static int64_t inner_points(const tn_loop *loop) {
    int64_t n = 1;
    for (uint32_t a = loop->n_parallel; a < loop->n_axes; a++)
        n *= loop->axes[a].extent;
    return n;
}

static void need(levels *l, tn_kx kx, uint64_t stages) {
    if (l->loop->exprs[kx].level == TN_LEVEL_FULL) l->needed[kx] |= stages;
}

/* The run-time values that an index is made of. */
static void need_ix(levels *l, tn_ix ix, uint64_t stages) {
    const tn_ix_node *n = &l->loop->ixs[ix];
    if (n->kind == TN_IX_VALUE) need(l, n->a, stages);
    if (n->kind == TN_IX_CONST || n->kind == TN_IX_AXIS || n->kind == TN_IX_VALUE) return;
    need_ix(l, n->a, stages);
    if (n->kind == TN_IX_ADD) need_ix(l, n->b, stages);
}

static void need_inputs(levels *l, const tn_kx_node *e, uint64_t stages) {
    for (uint32_t i = 0; i < e->n_in; i++)
        need(l, e->in[i], stages);
    if (e->kind == TN_KX_LOAD || e->kind == TN_KX_INDEX) need_ix(l, e->ix, stages);
    if (e->guard == TN_NONE) return;
    for (uint32_t i = 0; i < l->loop->guards[e->guard].n_terms; i++)
        need_ix(l, l->loop->guards[e->guard].terms[i].ix, stages);
}

/* From users to operands: what is evaluated in several stages and is dear enough
 * is held, and then its operands are not needed in the later ones. */
static void choose_held(levels *l, int64_t budget) {
    tn_loop *loop = l->loop;
    int64_t points = inner_points(loop);
    for (uint32_t i = 0; i < loop->n_exprs; i++) {
        const tn_kx_node *e = &loop->exprs[i];
        l->cost[i] = own_cost(e);
        for (uint32_t k = 0; k < e->n_in && e->level == TN_LEVEL_FULL; k++)
            if (loop->exprs[e->in[k]].level == TN_LEVEL_FULL && l->cost[i] < HOLD_COST)
                l->cost[i] += l->cost[e->in[k]];
    }
    for (uint32_t i = 0; i < loop->n_stores; i++)
        if (loop->stores[i].level == TN_LEVEL_FULL &&
            loop->exprs[loop->stores[i].value].level == TN_LEVEL_FULL)
            l->needed[loop->stores[i].value] |= UINT64_C(1) << loop->stores[i].stage;
    for (uint32_t i = loop->n_exprs; i-- > 0;) {
        tn_kx_node *e = &loop->exprs[i];
        if (e->kind == TN_KX_REDUCE) need_inputs(l, e, UINT64_C(1) << e->stage);
        if (e->level != TN_LEVEL_FULL || e->kind == TN_KX_REDUCE) continue;
        uint64_t stages = l->needed[i], first = stages & (0 - stages);
        int64_t bytes = points * (int64_t)tn_dt_size(tn_dt_compute(e->dt));
        if (stages != first && l->cost[i] >= HOLD_COST && bytes <= budget) {
            e->held = true;
            budget -= bytes;
            stages = first;
        }
        need_inputs(l, e, stages);
    }
}

/* ------------------------------------------------------------------ bytes */

static uint32_t axes_of(const tn_loop *loop, tn_ix ix) {
    const tn_ix_node *n = &loop->ixs[ix];
    switch (n->kind) {
    case TN_IX_CONST: return 0;
    case TN_IX_AXIS: return UINT32_C(1) << n->a;
    case TN_IX_VALUE: return UINT32_MAX; /* anywhere: as many as there are points */
    case TN_IX_ADD: return axes_of(loop, n->a) | axes_of(loop, n->b);
    default: return axes_of(loop, n->a);
    }
}

/* Distinct elements that an index takes while the axes run, at most `limit`. */
static int64_t distinct(const tn_loop *loop, tn_ix ix, int64_t limit) {
    uint32_t axes = axes_of(loop, ix);
    int64_t n = 1;
    for (uint32_t a = 0; a < loop->n_axes; a++)
        if (axes >> a & 1 && (n > limit / loop->axes[a].extent))
            return limit;
        else if (axes >> a & 1)
            n *= loop->axes[a].extent;
    return n < limit ? n : limit;
}

static int64_t elements(const tn_buffer *buffer) {
    int64_t n = 1;
    for (int32_t i = 0; i < buffer->rank; i++)
        n *= buffer->shape[i];
    return n;
}

/* Each element of a buffer that a loop reads, however often, and each it writes. */
static int64_t bytes_moved(const tn__plan *plan, const tn_loop *loop) {
    int64_t total = 0;
    for (uint32_t slot = 0; slot < loop->n_slots; slot++) {
        int64_t limit = elements(&plan->buffers.data[loop->slots[slot].buffer]);
        int64_t read = 0, written = 0;
        for (uint32_t i = 0; i < loop->n_exprs && read < limit; i++)
            if (loop->exprs[i].kind == TN_KX_LOAD && loop->exprs[i].slot == slot)
                read += distinct(loop, loop->exprs[i].ix, limit - read);
        for (uint32_t i = 0; i < loop->n_stores && written < limit; i++)
            if (loop->stores[i].slot == slot)
                written += distinct(loop, loop->stores[i].ix, limit - written);
        int64_t size = (int64_t)tn_dt_size(loop->slots[slot].dt);
        uint64_t *most = &plan->most_read[loop->slots[slot].buffer];
        if (*most < (uint64_t)(read * size)) *most = (uint64_t)(read * size);
        total += (read + written) * size;
    }
    return total;
}

tn_status tn__levels_apply(tn__finish *f, tn_loop *loop) {
    tn__plan *plan = f->plan;
    tn_arena *arena = &plan->arena;
    uint64_t cache = plan->options->cache_bytes ? plan->options->cache_bytes : UINT64_C(1) << 20;
    levels l = {.loop = loop,
                .ixs = tn_arena_array(arena, loop->n_ixs, sizeof *l.ixs),
                .cost = tn_arena_array(arena, loop->n_exprs, sizeof *l.cost),
                .needed = tn_arena_array(arena, loop->n_exprs, sizeof *l.needed)};
    if (!l.ixs || !l.cost || !l.needed) return tn_status_no_memory();
    set_levels(&l);
    if (loop->n_stages > 1 && loop->n_stages <= 64) choose_held(&l, (int64_t)(cache / 2));
    loop->bytes_moved = bytes_moved(plan, loop);
    return NULL;
}
