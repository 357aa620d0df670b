#include "codegen/nest.h"

#include <string.h>

/* A stage, and one after the last, is a bit of tn__nest.use. */
#define MAX_STAGES 63

static bool reduces_by_place(const tn_loop *loop) {
    for (uint32_t e = 0; e < loop->n_exprs; e++)
        if (loop->exprs[e].kind == TN_KX_REDUCE &&
            (loop->exprs[e].prim == TN_PRIM_ARGMAX || loop->exprs[e].prim == TN_PRIM_ARGMIN))
            return true;
    return false;
}

/* ------------------------------------------------------------- expressions */

static tn_status read_guards(tn__nest *nest, tn_arena *arena) {
    const tn_loop *loop = nest->loop;
    nest->guards = tn_arena_array(arena, loop->n_guards, sizeof *nest->guards);
    if (!nest->guards) return tn_status_no_memory();
    return NULL;
}

/* A guard is read when the first expression that has it is reached: by then the
 * values in it are known. */
static tn_status read_guard(tn__nest *nest, uint32_t g, tn_arena *arena) {
    const tn_guard *guard = &nest->loop->guards[g];
    tn__nest_guard *out = &nest->guards[g];
    if (out->terms) return NULL;
    out->terms = tn_arena_array(arena, guard->n_terms, sizeof *out->terms);
    if (!out->terms) return tn_status_no_memory();
    for (uint32_t i = 0; i < guard->n_terms; i++) {
        TN_TRY(tn__access_make(nest->loop, guard->terms[i].ix, nest->expr_axes, arena,
                               &out->terms[i]));
        out->axes |= out->terms[i].axes;
    }
    return NULL;
}

static tn_status read_expr(tn__nest *nest, uint32_t e, tn_arena *arena) {
    const tn_loop *loop = nest->loop;
    const tn_kx_node *expr = &loop->exprs[e];
    uint32_t axes = 0, inner = ((1u << loop->n_axes) - 1) & ~((1u << loop->n_parallel) - 1);
    for (uint32_t i = 0; i < expr->n_in; i++)
        if (expr->in[i] != TN_NONE) axes |= nest->expr_axes[expr->in[i]];
    if (expr->kind == TN_KX_LOAD || expr->kind == TN_KX_INDEX) {
        TN_TRY(tn__access_make(loop, expr->ix, nest->expr_axes, arena, &nest->loads[e]));
        axes |= nest->loads[e].axes;
    }
    if ((expr->kind == TN_KX_LOAD || expr->kind == TN_KX_GUARD) && expr->guard != TN_NONE) {
        TN_TRY(read_guard(nest, expr->guard, arena));
        axes |= nest->guards[expr->guard].axes;
    }
    if (expr->kind == TN_KX_REDUCE) axes &= ~inner;
    if (expr->kind == TN_KX_ACC) axes = (1u << loop->n_axes) - 1;
    nest->expr_axes[e] = axes;
    return NULL;
}

static tn_status read_all(tn__nest *nest, tn_arena *arena) {
    const tn_loop *loop = nest->loop;
    nest->loads = tn_arena_array(arena, loop->n_exprs, sizeof *nest->loads);
    nest->stores = tn_arena_array(arena, loop->n_stores, sizeof *nest->stores);
    nest->expr_axes = tn_arena_array(arena, loop->n_exprs, sizeof *nest->expr_axes);
    nest->level = tn_arena_array(arena, loop->n_exprs, sizeof *nest->level);
    nest->use = tn_arena_array(arena, loop->n_exprs, sizeof *nest->use);
    nest->row_use = tn_arena_array(arena, loop->n_exprs, sizeof *nest->row_use);
    nest->reread = tn_arena_array(arena, loop->n_exprs, sizeof *nest->reread);
    nest->is_index = tn_arena_array(arena, loop->n_exprs, sizeof *nest->is_index);
    if (!nest->loads || !nest->stores || !nest->expr_axes || !nest->level || !nest->use ||
        !nest->row_use || !nest->reread || !nest->is_index)
        return tn_status_no_memory();
    TN_TRY(read_guards(nest, arena));
    for (uint32_t e = 0; e < loop->n_exprs; e++)
        TN_TRY(read_expr(nest, e, arena));
    for (uint32_t s = 0; s < loop->n_stores; s++) {
        TN_TRY(tn__access_make(loop, loop->stores[s].ix, nest->expr_axes, arena, &nest->stores[s]));
        if (loop->stores[s].guard != TN_NONE)
            TN_TRY(read_guard(nest, loop->stores[s].guard, arena));
    }
    return NULL;
}

/* -------------------------------------------------------------------- axes */

static uint32_t renumber_set(const tn__nest *nest, uint32_t axes) {
    uint32_t out = 0;
    for (uint32_t a = 0; a < nest->loop->n_axes; a++)
        if (axes >> a & 1 && nest->axis_of[a] != TN_NONE) out |= 1u << nest->axis_of[a];
    return out;
}

typedef void (*visit_access)(tn__nest *nest, tn__access *access);

static void for_each_access(tn__nest *nest, visit_access visit) {
    const tn_loop *loop = nest->loop;
    for (uint32_t e = 0; e < loop->n_exprs; e++)
        if (loop->exprs[e].kind == TN_KX_LOAD || loop->exprs[e].kind == TN_KX_INDEX)
            visit(nest, &nest->loads[e]);
    for (uint32_t s = 0; s < loop->n_stores; s++)
        visit(nest, &nest->stores[s]);
    for (uint32_t g = 0; g < loop->n_guards; g++)
        for (uint32_t i = 0; nest->guards[g].terms && i < loop->guards[g].n_terms; i++)
            visit(nest, &nest->guards[g].terms[i]);
}

static void renumber_access(tn__nest *nest, tn__access *access) {
    int64_t step[TN_MAX_RANK] = {0};
    for (uint32_t a = 0; a < nest->loop->n_axes; a++)
        if (nest->axis_of[a] != TN_NONE) step[nest->axis_of[a]] = access->step[a];
    memcpy(access->step, step, sizeof step);
    access->axes = renumber_set(nest, access->axes);
    access->term_axes = renumber_set(nest, access->term_axes);
    for (uint32_t i = 0; i < access->n_terms; i++)
        access->terms[i].axes = renumber_set(nest, access->terms[i].axes);
    access->id = nest->n_accesses++;
}

/* Axes of extent 1 go, but for one on either side: a kernel for a single point
 * still has an axis, and a reduction over a single point still is one. A run keeps
 * all of them: they are its caller's. */
static void settle_axes(tn__nest *nest, bool run) {
    const tn_loop *loop = nest->loop;
    bool reduces = loop->n_axes > loop->n_parallel;
    for (uint32_t a = 0; a < loop->n_axes; a++) {
        bool inner = a >= loop->n_parallel, last = a + 1 == loop->n_axes;
        nest->axis_of[a] = TN_NONE;
        bool keep = reduces ? last && nest->n_axes == nest->n_parallel : last && !nest->n_axes;
        if (loop->axes[a].extent == 1 && !keep && !run) continue;
        nest->axis_of[a] = nest->n_axes;
        nest->extent[nest->n_axes++] = loop->axes[a].extent;
        if (!inner) nest->n_parallel = nest->n_axes;
    }
    for_each_access(nest, renumber_access);
    for (uint32_t e = 0; e < loop->n_exprs; e++)
        nest->expr_axes[e] = renumber_set(nest, nest->expr_axes[e]);
    for (uint32_t g = 0; g < loop->n_guards; g++)
        nest->guards[g].axes = renumber_set(nest, nest->guards[g].axes);
    if (nest->n_axes == 0) {
        nest->extent[0] = 1;
        nest->n_axes = nest->n_parallel = 1;
    }
}

/* --------------------------------------------------------------- the vectors */

/* What one access costs along an axis, for each element. */
static double access_cost(const tn__access *access, uint32_t axis, tn_dt dt, bool store) {
    double size = (double)tn_dt_size(dt);
    if (access->term_axes >> axis & 1) return 12 + 8 * size;
    int64_t step = access->step[axis];
    if (step == 0 && !store) return 0;
    if (step == 1) return size;
    if (step == -1) return size + 1;
    return store ? 10 + 12 * size : 6 + 8 * size;
}

static double axis_cost(const tn__nest *nest, uint32_t axis, uint32_t lanes) {
    const tn_loop *loop = nest->loop;
    double cost = 0, extent = (double)nest->extent[axis], overhead = 8;
    for (uint32_t e = 0; e < loop->n_exprs; e++) {
        const tn_kx_node *expr = &loop->exprs[e];
        if (expr->kind == TN_KX_LOAD)
            cost += access_cost(&nest->loads[e], axis, loop->slots[expr->slot].dt, false);
        else if (expr->kind == TN_KX_PRIM)
            cost += 1;
        else if (expr->kind == TN_KX_REDUCE && axis >= nest->n_parallel)
            overhead += 40;
    }
    for (uint32_t s = 0; s < loop->n_stores; s++)
        if (loop->stores[s].level == TN_LEVEL_FULL || nest->n_axes == nest->n_parallel)
            cost += access_cost(&nest->stores[s], axis, loop->slots[loop->stores[s].slot].dt, true);
    /* Columns keep their accumulators in memory. */
    if (axis < nest->n_parallel && nest->n_axes > nest->n_parallel) cost *= 1.25;
    if (extent <= 0) return cost;
    int64_t vectors = (nest->extent[axis] - 1) / lanes + 1;
    return (cost * (double)vectors * lanes + overhead) / extent;
}

static void choose_vector(tn__nest *nest, uint32_t lanes) {
    bool last_only = nest->loop->strict || reduces_by_place(nest->loop);
    double best = 0;
    nest->vector = TN_NONE;
    for (uint32_t a = nest->n_axes; a-- > 0;) {
        if (last_only && a >= nest->n_parallel && a + 1 < nest->n_axes) continue;
        double cost = axis_cost(nest, a, lanes);
        if (nest->vector != TN_NONE && cost >= best) continue;
        best = cost;
        nest->vector = a;
    }
    nest->form = nest->n_axes == nest->n_parallel   ? TN__FORM_POINT
                 : nest->vector >= nest->n_parallel ? TN__FORM_ROW
                                                    : TN__FORM_COLUMN;
}

/* Bytes of accesses that a tile along an axis would make contiguous. */
static uint64_t tiled_bytes(const tn__nest *nest) {
    const tn_loop *loop = nest->loop;
    uint64_t bytes = 0;
    for (uint32_t e = 0; e < loop->n_exprs; e++)
        if (loop->exprs[e].kind == TN_KX_LOAD && loop->exprs[e].guard == TN_NONE &&
            tn__nest_is_tiled(nest, &nest->loads[e]))
            bytes += tn_dt_size(loop->slots[loop->exprs[e].slot].dt);
    for (uint32_t s = 0; s < loop->n_stores; s++)
        if (loop->stores[s].guard == TN_NONE && tn__nest_is_tiled(nest, &nest->stores[s]))
            bytes += tn_dt_size(loop->slots[loop->stores[s].slot].dt);
    return bytes;
}

/* A side of a tile shorter than this is not worth the copy. */
#define LEAST_TILE 8
/* Bytes of a tile, and of a row of it along the vector axis: two lines, so that the
 * other side is long, which is how it is read from memory. */
#define TILE_BYTES 32768
#define TILE_ROW_BYTES 128

static void choose_tile(tn__nest *nest) {
    uint64_t best = 0;
    uint32_t axis = TN_NONE;
    if (nest->form != TN__FORM_POINT || nest->extent[nest->vector] < LEAST_TILE) return;
    nest->tiled = true;
    for (nest->tile = 0; nest->tile < nest->n_parallel; nest->tile++) {
        uint64_t bytes = nest->tile == nest->vector ? 0 : tiled_bytes(nest);
        if (bytes <= best || nest->extent[nest->tile] < LEAST_TILE) continue;
        best = bytes;
        axis = nest->tile;
    }
    nest->tile = axis;
    nest->tiled = axis != TN_NONE;
    if (!nest->tiled) return;
    /* As for elements of four bytes: of others a tile is shorter or longer. */
    nest->block = TILE_ROW_BYTES / 4;
    nest->tile_block = TILE_BYTES / TILE_ROW_BYTES * 4 / (int64_t)(best < 4 ? 4 : best);
    if (nest->tile_block < 32) nest->tile_block = 32;
}

/* ------------------------------------------------------------------ levels */

uint32_t tn__level_of(const tn__nest *nest, uint32_t axes) {
    uint32_t level = axes ? 1 : 0;
    for (uint32_t l = 2; l < nest->n_levels; l++)
        if (axes >> nest->order[l] & 1) level = l;
    return level;
}

/* Places the terms of an access; in COLUMN a value in one may be a vector though
 * its axes do not tell. */
static uint32_t place_access(tn__nest *nest, tn__access *access) {
    uint32_t level = 0;
    for (uint32_t i = 0; i < access->n_terms; i++) {
        tn__access_term *term = &access->terms[i];
        if (access->has_value)
            term->axes |= tn__ix_value_axes(nest->loop, term->node, nest->expr_axes);
        term->level = tn__level_of(nest, term->axes);
        uint32_t values = tn__ix_value_level(nest->loop, term->node, nest->level);
        if (values > term->level) term->level = values;
        access->term_axes |= term->axes;
        if (term->level > level) level = term->level;
    }
    access->axes |= access->term_axes;
    uint32_t axes_level = tn__level_of(nest, access->axes);
    return axes_level > level ? axes_level : level;
}

static uint32_t greater(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static void place_guard(tn__nest *nest, uint32_t g) {
    tn__nest_guard *guard = &nest->guards[g];
    for (uint32_t i = 0; i < nest->loop->guards[g].n_terms; i++) {
        guard->level = greater(guard->level, place_access(nest, &guard->terms[i]));
        guard->axes |= guard->terms[i].axes;
    }
}

static void place_expr(tn__nest *nest, uint32_t e) {
    const tn_kx_node *expr = &nest->loop->exprs[e];
    uint32_t axes = nest->expr_axes[e], level = 0;
    if (expr->kind == TN_KX_REDUCE) {
        /* Of what is the same in all columns too, it is made for each. */
        if (nest->form == TN__FORM_COLUMN) axes |= 1u << nest->vector;
        level = nest->form == TN__FORM_COLUMN ? nest->vector_level : 1;
    } else {
        for (uint32_t i = 0; i < expr->n_in; i++) {
            if (expr->in[i] == TN_NONE) continue;
            axes |= nest->expr_axes[expr->in[i]];
            level = greater(level, nest->level[expr->in[i]]);
        }
    }
    if (expr->kind == TN_KX_LOAD || expr->kind == TN_KX_INDEX) {
        level = greater(level, place_access(nest, &nest->loads[e]));
        axes |= nest->loads[e].axes;
    }
    if ((expr->kind == TN_KX_LOAD || expr->kind == TN_KX_GUARD) && expr->guard != TN_NONE) {
        place_guard(nest, expr->guard);
        level = greater(level, nest->guards[expr->guard].level);
        axes |= nest->guards[expr->guard].axes;
    }
    nest->expr_axes[e] = axes;
    nest->level[e] = greater(level, tn__level_of(nest, axes));
}

static void place(tn__nest *nest) {
    const tn_loop *loop = nest->loop;
    uint32_t level = 2;
    if (nest->tiled) nest->order[level++] = nest->tile;
    for (uint32_t a = nest->n_parallel; a < nest->n_axes; a++)
        if (a != nest->vector) nest->order[level++] = a;
    nest->vector_level = level;
    nest->n_levels = level + 1;
    nest->order[nest->vector_level] = nest->vector;
    for (uint32_t e = 0; e < loop->n_exprs; e++)
        place_expr(nest, e);
    for (uint32_t s = 0; s < loop->n_stores; s++) {
        place_access(nest, &nest->stores[s]);
        if (loop->stores[s].guard != TN_NONE) place_guard(nest, loop->stores[s].guard);
    }
}

/* --------------------------------------------------------------------- uses */

static void use_ix(tn__nest *nest, tn_ix ix, uint64_t *use, uint64_t stages) {
    tn__ix_mark_values(nest->loop, ix, stages, use);
    tn__ix_mark_values(nest->loop, ix, 1, nest->is_index);
}

static void use_guard(tn__nest *nest, uint32_t guard, uint64_t *use, uint64_t stages) {
    for (uint32_t i = 0; guard != TN_NONE && i < nest->loop->guards[guard].n_terms; i++)
        use_ix(nest, nest->loop->guards[guard].terms[i].ix, use, stages);
}

/* What expression e reads, through its index and guard too. */
static void use_operands(tn__nest *nest, uint32_t e, uint64_t *use, uint64_t stages) {
    const tn_kx_node *expr = &nest->loop->exprs[e];
    for (uint32_t i = 0; i < expr->n_in; i++)
        if (expr->in[i] != TN_NONE) use[expr->in[i]] |= stages;
    if (expr->kind == TN_KX_LOAD || expr->kind == TN_KX_INDEX) use_ix(nest, expr->ix, use, stages);
    if (expr->kind == TN_KX_LOAD || expr->kind == TN_KX_GUARD)
        use_guard(nest, expr->guard, use, stages);
}

static void use_stored(tn__nest *nest) {
    const tn_loop *loop = nest->loop;
    for (uint32_t s = 0; s < loop->n_stores; s++) {
        const tn_loop_store *store = &loop->stores[s];
        bool full = store->level == TN_LEVEL_FULL;
        uint64_t *use = full ? nest->use : nest->row_use;
        uint64_t stage = 1ull << (full ? store->stage : loop->n_stages);
        use[store->value] |= stage;
        use_ix(nest, store->ix, use, stage);
        use_guard(nest, store->guard, use, stage);
    }
}

/* Users come after operands, so one walk backwards finds every use. */
static void find_uses(tn__nest *nest) {
    use_stored(nest);
    for (uint32_t e = nest->loop->n_exprs; e-- > 0;) {
        const tn_kx_node *expr = &nest->loop->exprs[e];
        if (!nest->use[e] && !nest->row_use[e]) continue;
        if (expr->kind == TN_KX_REDUCE) {
            use_operands(nest, e, nest->use, 1ull << expr->stage);
        } else if (tn__nest_is_full(nest, e)) {
            uint64_t stages = nest->use[e], first = stages & -stages;
            if (tn__nest_is_held(nest, e)) {
                nest->reread[e] = stages & ~first;
                nest->use[e] = stages = first;
            }
            use_operands(nest, e, nest->use, stages);
        } else {
            use_operands(nest, e, nest->row_use, 1ull << expr->stage);
            if (tn__nest_is_reloaded(nest, e)) use_operands(nest, e, nest->use, nest->use[e]);
        }
    }
}

/* -------------------------------------------------------------------- blocks */

/* Elements of a block of a long pointwise row. */
#define POINT_BLOCK 4096
/* Columns: fewer than this read too little of each row for memory to be fast; more
 * gain nothing. In an ordered sum each has 32 partial results. */
#define LEAST_COLUMNS 128
#define MOST_COLUMNS 1024
#define ORDERED_COLUMNS 256
/* What a block is a multiple of: four vectors of the widest machine. */
#define COLUMN_MULTIPLE 64

static void choose_columns(tn__nest *nest, const tn__machine *machine) {
    double points = 1, others = 1, columns = (double)nest->extent[nest->vector];
    for (uint32_t a = 0; a < nest->n_axes; a++)
        if (a != nest->vector)
            *(a < nest->n_parallel ? &others : &points) *= (double)nest->extent[a];
    double fit = (double)machine->core_cache_bytes / 2 /
                 (sizeof(float) * (points > 1 ? points : 1));
    nest->block = MOST_COLUMNS;
    if (nest->loop->n_stages > 1 && fit >= LEAST_COLUMNS) {
        if (fit < MOST_COLUMNS) nest->block = (int64_t)fit / COLUMN_MULTIPLE * COLUMN_MULTIPLE;
        nest->hold_columns = true;
    }
    if (nest->loop->strict && nest->block > ORDERED_COLUMNS) nest->block = ORDERED_COLUMNS;
    while (nest->block > 2 * LEAST_COLUMNS &&
           others * columns < 2.0 * machine->threads * (double)nest->block)
        nest->block = nest->block / 2 / COLUMN_MULTIPLE * COLUMN_MULTIPLE;
}

static tn_status begin(const tn_loop *loop, bool run, tn_arena *arena, tn__nest *out) {
    *out = (tn__nest){.loop = loop, .block = POINT_BLOCK};
    if (loop->n_stages >= MAX_STAGES)
        return tn_status_make(TN_UNSUPPORTED,
                              "kernel k%u has %u stages; at most %d can be rendered", loop->id,
                              loop->n_stages, MAX_STAGES - 1);
    TN_TRY(read_all(out, arena));
    settle_axes(out, run);
    return NULL;
}

tn_status tn__nest_make(const tn_loop *loop, const tn__machine *machine, tn_arena *arena,
                        tn__nest *out) {
    TN_TRY(begin(loop, false, arena, out));
    choose_vector(out, machine->lanes);
    choose_tile(out);
    place(out);
    if (out->form == TN__FORM_COLUMN) choose_columns(out, machine);
    find_uses(out);
    tn__online_find(out);
    return NULL;
}

tn_status tn__nest_make_run(const tn_loop *loop, uint32_t vector, tn_arena *arena, tn__nest *out) {
    TN_TRY(begin(loop, true, arena, out));
    if (out->n_axes != out->n_parallel)
        return tn_status_make(TN_INTERNAL, "kernel k%u: a template's slot is no loop over rows",
                              loop->id);
    out->form = TN__FORM_POINT;
    out->vector = vector;
    place(out);
    find_uses(out);
    return NULL;
}
