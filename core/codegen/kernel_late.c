/* A ROW whose last stage does little but store what a heavy stage has kept: the stores wait
 * for memory while the heavy stage of the next row could compute. So the last stage of a row
 * runs in the loop of the next row's heavy stage, a vector at a time and just before the kept
 * row is overwritten there; the last row's follows the items. Softmax over the last axis, by
 * hand: 0.76 of a copy to 0.90.
 *
 * `late` says whether a row waits; late<e> are its values, late_x<id> where its results go. */
#include "codegen/kernel.h"

static uint32_t last_stage(const tn__kernel *k) {
    return k->loop->n_stages - 1;
}

static bool is_used_last(const tn__kernel *k, uint32_t e) {
    return k->nest->use[e] >> last_stage(k) & 1;
}

/* What the last stage reads is kept, the same for all rows, or one value of its row. */
static bool can_wait(const tn__kernel *k, uint32_t e) {
    const tn__nest *nest = k->nest;
    const tn_kx_node *expr = &k->loop->exprs[e];
    uint32_t rows = (1u << nest->n_parallel) - 1;
    if (nest->is_index[e]) return false;
    if (!tn__nest_is_full(nest, e)) return true;
    if (expr->kind == TN_KX_PRIM || expr->kind == TN_KX_CONST || expr->kind == TN_KX_PARAM)
        return true;
    return expr->kind == TN_KX_LOAD && expr->guard == TN_NONE && !nest->loads[e].n_terms &&
           !(nest->loads[e].axes & rows);
}

/* The one value that is kept; TN_NONE: none, or several, which may share a row. */
static uint32_t find_kept(const tn__kernel *k) {
    uint32_t kept = TN_NONE;
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        if (!k->nest->reread[e]) continue;
        if (kept != TN_NONE) return TN_NONE;
        kept = e;
    }
    return kept;
}

static bool stores_can_wait(const tn__kernel *k) {
    for (uint32_t s = 0; s < k->loop->n_stores; s++) {
        const tn_loop_store *store = &k->loop->stores[s];
        if (store->level != TN_LEVEL_FULL) continue;
        if (store->stage != last_stage(k) || store->guard != TN_NONE || k->nest->stores[s].n_terms)
            return false;
    }
    return true;
}

void tn__late_choose(tn__kernel *k) {
    const tn__nest *nest = k->nest;
    k->late_host = TN_NONE;
    uint32_t kept = find_kept(k);
    if (nest->form != TN__FORM_ROW || nest->vector_level != 2 || nest->n_parallel == 0 ||
        kept == TN_NONE || nest->reread[kept] != 1ull << last_stage(k) || !stores_can_wait(k))
        return;
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        const tn_kx_node *expr = &k->loop->exprs[e];
        if (is_used_last(k, e) && !can_wait(k, e)) return;
        if (expr->kind == TN_KX_REDUCE && expr->stage == last_stage(k)) return;
    }
    uint32_t host = (uint32_t)__builtin_ctzll(nest->use[kept]);
    if (tn__stage_cost(k, host) > TN_HEAVY_COST &&
        tn__stage_cost(k, last_stage(k)) < tn__stage_cost(k, host))
        k->late_host = host;
}

/* Values of a row, made before the last stage, that it uses. */
static bool is_carried(const tn__kernel *k, uint32_t e) {
    return is_used_last(k, e) && !tn__nest_is_full(k->nest, e) && k->nest->level[e] == 1;
}

typedef void (*visit)(tn__kernel *k, uint32_t number);

static void each_value(tn__kernel *k, visit body) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++)
        if (is_carried(k, e)) body(k, e);
}

static void each_store(tn__kernel *k, visit body) {
    for (uint32_t s = 0; s < k->loop->n_stores; s++)
        if (k->loop->stores[s].level == TN_LEVEL_FULL) body(k, s);
}

static void declare_value(tn__kernel *k, uint32_t e) {
    tn__line(k->w, "%s late%u = {0};", tn__vector_type(k->loop->exprs[e].dt), e);
}

static void declare_place(tn__kernel *k, uint32_t s) {
    tn__line(k->w, "tn_i64 late_x%u = 0;", k->nest->stores[s].id);
}

void tn__late_declare(tn__kernel *k) {
    if (k->late_host == TN_NONE) return;
    tn__line(k->w, "int late = 0;");
    each_value(k, declare_value);
    each_store(k, declare_place);
}

static void keep_value(tn__kernel *k, uint32_t e) {
    tn__line(k->w, "late%u = %s;", e, tn__value(k, e, 0));
}

static void keep_place(tn__kernel *k, uint32_t s) {
    const tn__access *access = &k->nest->stores[s];
    tn__line(k->w, "late_x%u = %s;", access->id, tn__index_at(k->w, access, 1));
}

void tn__late_keep(tn__kernel *k) {
    tn__line(k->w, "late = 1;");
    each_value(k, keep_value);
    each_store(k, keep_place);
}

static void open_place(tn__kernel *k, uint32_t s) {
    const tn__access *access = &k->nest->stores[s];
    tn__index_name_as(k->w, access, 1, tn__text(k->w, "late_x%u", access->id));
}

static void close_place(tn__kernel *k, uint32_t s) {
    tn__index_unname(k->w, &k->nest->stores[s], 1);
}

void tn__late_open_places(tn__kernel *k) {
    each_store(k, open_place);
}

void tn__late_close_places(tn__kernel *k) {
    each_store(k, close_place);
}

static void open_value(tn__kernel *k, uint32_t e) {
    tn__line(k->w, "const %s %s = late%u;", tn__vector_type(k->loop->exprs[e].dt),
             tn__value(k, e, 0), e);
}

void tn__late_open_values(tn__kernel *k) {
    each_value(k, open_value);
}
