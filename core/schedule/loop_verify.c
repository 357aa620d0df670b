/* The rules of loop.h, checked. */
#include <inttypes.h>

#include "schedule/loop.h"

#define FAIL(...) return tn_status_make(TN_INTERNAL, __VA_ARGS__)

static bool covers(const tn_ix_node *outer, int64_t lo, int64_t hi) {
    return outer->lo == INT64_MIN || outer->hi == INT64_MAX || (outer->lo <= lo && outer->hi >= hi);
}

static tn_status verify_ix(const tn_loop *loop, uint32_t id) {
    const tn_ix_node *n = &loop->ixs[id];
    bool has_operand = n->kind == TN_IX_ADD || n->kind == TN_IX_MUL || n->kind == TN_IX_DIV ||
                       n->kind == TN_IX_MOD;
    if (has_operand && (n->a >= id || (n->kind == TN_IX_ADD && n->b >= id)))
        FAIL("k%u: index %u uses a later one", loop->id, id);
    if ((n->kind == TN_IX_DIV || n->kind == TN_IX_MOD) && n->c <= 0)
        FAIL("k%u: index %u divides by %" PRId64, loop->id, id, n->c);
    if (n->kind == TN_IX_AXIS &&
        (n->a >= loop->n_axes || !covers(n, 0, loop->axes[n->a].extent - 1)))
        FAIL("k%u: index %u is no axis of the loop or has a wrong range", loop->id, id);
    if (n->kind == TN_IX_VALUE && (n->a >= loop->n_exprs || !(tn_dt_is_int(loop->exprs[n->a].dt))))
        FAIL("k%u: index %u takes its value from no integer", loop->id, id);
    if (n->kind == TN_IX_CONST && !covers(n, n->c, n->c))
        FAIL("k%u: index %u has a wrong range", loop->id, id);
    return NULL;
}

/* Level and stage that an index or guard forces on who uses it. */
typedef struct place {
    tn_level level;
    uint16_t stage;
} place;

static uint16_t ready(const tn_kx_node *e) {
    return (uint16_t)(e->stage + (e->kind == TN_KX_REDUCE));
}

static void at_least(place *p, tn_level level, uint16_t stage) {
    if (p->level < level) p->level = level;
    if (p->stage < stage) p->stage = stage;
}

static void place_ix(const tn_loop *loop, tn_ix ix, place *p) {
    const tn_ix_node *n = &loop->ixs[ix];
    if (n->kind == TN_IX_CONST) return;
    if (n->kind == TN_IX_AXIS) {
        at_least(p, n->a < loop->n_parallel ? TN_LEVEL_ROW : TN_LEVEL_FULL, 0);
        return;
    }
    if (n->kind == TN_IX_VALUE) {
        at_least(p, loop->exprs[n->a].level, ready(&loop->exprs[n->a]));
        return;
    }
    place_ix(loop, n->a, p);
    if (n->kind == TN_IX_ADD) place_ix(loop, n->b, p);
}

static tn_status verify_guard(const tn_loop *loop, uint32_t guard, place *p) {
    if (guard == TN_NONE) return NULL;
    if (guard >= loop->n_guards) FAIL("k%u: guard %u does not exist", loop->id, guard);
    for (uint32_t i = 0; i < loop->guards[guard].n_terms; i++) {
        const tn_guard_term *t = &loop->guards[guard].terms[i];
        if (t->ix >= loop->n_ixs || t->lo > t->hi)
            FAIL("k%u: guard %u is malformed", loop->id, guard);
        place_ix(loop, t->ix, p);
    }
    return NULL;
}

/* The VALUE expressions inside an index come before its user. */
static bool values_before(const tn_loop *loop, tn_ix ix, uint32_t user) {
    const tn_ix_node *n = &loop->ixs[ix];
    if (n->kind == TN_IX_CONST || n->kind == TN_IX_AXIS) return true;
    if (n->kind == TN_IX_VALUE) return n->a < user;
    return values_before(loop, n->a, user) &&
           (n->kind != TN_IX_ADD || values_before(loop, n->b, user));
}

static tn_status verify_expr(const tn_loop *loop, uint32_t id) {
    const tn_kx_node *e = &loop->exprs[id];
    place p = {TN_LEVEL_CONST, 0};
    bool has_ix = e->kind == TN_KX_LOAD || e->kind == TN_KX_INDEX;
    if (e->n_in > 3) FAIL("k%u: e%u has %u operands", loop->id, id, e->n_in);
    for (uint32_t i = 0; i < e->n_in; i++) {
        if (e->in[i] >= id) FAIL("k%u: e%u uses a later expression", loop->id, id);
        at_least(&p, loop->exprs[e->in[i]].level, ready(&loop->exprs[e->in[i]]));
    }
    if (has_ix) {
        if (e->ix >= loop->n_ixs || !values_before(loop, e->ix, id))
            FAIL("k%u: e%u has no index", loop->id, id);
        place_ix(loop, e->ix, &p);
    }
    TN_TRY(verify_guard(loop, e->guard, &p));
    if (e->kind == TN_KX_LOAD && (e->slot >= loop->n_slots || loop->slots[e->slot].dt != e->dt))
        FAIL("k%u: e%u loads from no slot of its dtype", loop->id, id);
    if (e->kind == TN_KX_LOAD && e->n_in && loop->exprs[e->in[0]].kind != TN_KX_CONST &&
        loop->exprs[e->in[0]].kind != TN_KX_PARAM)
        FAIL("k%u: e%u falls back on what is no constant", loop->id, id);
    if (e->kind == TN_KX_GUARD && e->guard == TN_NONE)
        FAIL("k%u: e%u guards nothing", loop->id, id);
    if (e->kind == TN_KX_REDUCE && loop->n_parallel == loop->n_axes)
        FAIL("k%u: e%u reduces without inner axes", loop->id, id);
    if (e->kind == TN_KX_REDUCE || e->kind == TN_KX_ACC) p.level = TN_LEVEL_ROW;
    if (e->level != p.level || e->stage != p.stage)
        FAIL("k%u: e%u is at level %d, stage %u, and belongs to %d, %u", loop->id, id,
             (int)e->level, e->stage, (int)p.level, p.stage);
    if (e->stage > loop->n_stages || (e->level == TN_LEVEL_FULL && e->stage >= loop->n_stages))
        FAIL("k%u: e%u is in no stage", loop->id, id);
    if (e->held && e->level != TN_LEVEL_FULL) FAIL("k%u: e%u is held outside", loop->id, id);
    return NULL;
}

static tn_status verify_store(const tn_loop *loop, uint32_t id) {
    const tn_loop_store *s = &loop->stores[id];
    place p = {TN_LEVEL_CONST, 0};
    if (s->value >= loop->n_exprs || s->ix >= loop->n_ixs)
        FAIL("k%u: store %u has no value or index", loop->id, id);
    const tn_kx_node *value = &loop->exprs[s->value];
    if (s->slot != TN_NONE && (s->slot >= loop->n_slots || !loop->slots[s->slot].written ||
                               loop->slots[s->slot].dt != value->dt))
        FAIL("k%u: store %u writes to no slot of its dtype", loop->id, id);
    place_ix(loop, s->ix, &p);
    TN_TRY(verify_guard(loop, s->guard, &p));
    at_least(&p, value->level, ready(value));
    if (p.level > s->level || p.stage > s->stage ||
        (s->level == TN_LEVEL_FULL && s->stage >= loop->n_stages) || s->level == TN_LEVEL_CONST)
        FAIL("k%u: store %u runs before its value is there", loop->id, id);
    return NULL;
}

tn_status tn_loop_verify(const tn_loop *loop) {
    if (loop->n_axes > TN_MAX_RANK || loop->n_parallel > loop->n_axes || loop->n_stages == 0)
        FAIL("k%u: malformed domain", loop->id);
    for (uint32_t a = 0; a < loop->n_axes; a++)
        if (loop->axes[a].extent < (a < loop->n_parallel))
            FAIL("k%u: axis %u has extent %" PRId64, loop->id, a, loop->axes[a].extent);
    if (loop->n_parallel == loop->n_axes && loop->n_stages != 1)
        FAIL("k%u: several stages without inner axes", loop->id);
    if (loop->n_stores == 0) FAIL("k%u: stores nothing", loop->id);
    for (uint32_t i = 0; i < loop->n_ixs; i++)
        TN_TRY(verify_ix(loop, i));
    for (uint32_t i = 0; i < loop->n_exprs; i++)
        TN_TRY(verify_expr(loop, i));
    for (uint32_t i = 0; i < loop->n_stores; i++)
        TN_TRY(verify_store(loop, i));
    return NULL;
}
