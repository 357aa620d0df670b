/* The loops of a kernel, by form (nest.h). Each stage of a ROW is
 *
 *     accumulators; for inner axes { for j by copies of vectors {...} rest {...} }; results
 *
 * and a COLUMN runs all its stages for each group of columns. The rest of a row,
 * or of the columns, is the same code on one vector of which m0 lanes count. */
#include "codegen/kernel.h"

/* ------------------------------------------------------------------ numbers */

const char *tn__scratch(tn__kernel *k, uint64_t bytes) {
    const char *offset = tn__int(k->w, (int64_t)k->scratch_bytes);
    k->scratch_bytes += (bytes + 63) & ~UINT64_C(63);
    return offset;
}

/* ------------------------------------------------------------------- scopes */

static void forget(tn__kernel *k, uint32_t level) {
    tn__index_forget(k->w, level);
    for (uint32_t g = 0; g < k->loop->n_guards; g++)
        if (k->guard_level[g] > level) k->guard_level[g] = 0;
}

static void end_scope(tn__kernel *k, uint32_t level) {
    tn__line(k->w, "}");
    forget(k, level);
}

/* Names for what is already known of the indexes that deeper levels use in the
 * loops of a stage. */
static void name_indexes(tn__kernel *k) {
    const tn_loop *loop = k->loop;
    for (uint32_t e = 0; e < loop->n_exprs; e++) {
        const tn_kx_node *expr = &loop->exprs[e];
        bool point = k->nest->form == TN__FORM_POINT;
        uint64_t use = point ? k->nest->use[e] | k->nest->row_use[e]
                             : k->nest->use[e] >> k->stage & 1;
        if (!use || k->nest->level[e] <= k->level) continue;
        if (expr->kind == TN_KX_LOAD || expr->kind == TN_KX_INDEX)
            tn__index_name(k->w, &k->nest->loads[e], k->level);
    }
    for (uint32_t s = 0; s < loop->n_stores; s++) {
        const tn_loop_store *store = &loop->stores[s];
        bool here = store->level == TN_LEVEL_FULL ? store->stage == k->stage
                                                  : k->nest->form == TN__FORM_POINT;
        if (here) tn__index_name(k->w, &k->nest->stores[s], k->level);
    }
}

/* ---------------------------------------------------------------- expressions */

/* Whether a value is made before the loops of k->stage: that is its stage, or it is a
 * load that has no array to keep it from then on. */
static bool is_made_here(const tn__kernel *k, uint32_t e) {
    if (k->loop->exprs[e].stage == k->stage) return true;
    return tn__nest_is_reloaded(k->nest, e) && (k->nest->row_use[e] >> k->stage & 1);
}

/* What runs once a parallel point, before the loops of k->stage. */
static void write_row_level(tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        if (!(k->nest->use[e] | k->nest->row_use[e]) || tn__nest_is_full(k->nest, e)) continue;
        if (k->nest->level[e] == k->level && is_made_here(k, e)) tn__write_expr(k, e);
    }
}

/* What changes along inner axes, in the loops of k->stage. */
static void write_full_level(tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        if (k->nest->level[e] != k->level || !(k->nest->use[e] >> k->stage & 1)) continue;
        if (tn__nest_is_full(k->nest, e) || tn__nest_is_reloaded(k->nest, e)) tn__write_expr(k, e);
    }
}

const char *tn__column_at(tn__kernel *k, const char *array, uint32_t copy) {
    return tn__text(k->w, "%s + (j - jb%s)", array, tn__copy_offset(k, copy));
}

static const char *held_at(tn__kernel *k, uint32_t e, uint32_t copy) {
    const char *j = k->nest->form == TN__FORM_COLUMN ? "j - jb" : "j";
    const char *at = tn__index_add(k->w, k->flat, "1", j);
    return tn__text(k->w, "held%u + (%s%s)", k->row_of[e], at, tn__copy_offset(k, copy));
}

static void reread_held(tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        if (!(k->nest->reread[e] >> k->stage & 1)) continue;
        for (uint32_t u = 0; u < k->copies; u++)
            tn__line(k->w, "const %s %s = tn_load_%s(%s);", tn__vector_type(k->loop->exprs[e].dt),
                     tn__value(k, e, u), tn__reg(k->loop->exprs[e].dt), held_at(k, e, u));
    }
}

/* At the end of a row, no more than the row: its neighbour may still be needed. */
static void keep_held(tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        if (!k->nest->reread[e] || !(k->nest->use[e] >> k->stage & 1)) continue;
        const char *t = tn__reg(k->loop->exprs[e].dt);
        for (uint32_t u = 0; u < k->copies; u++) {
            const char *at = held_at(k, e, u), *value = tn__value(k, e, u);
            if (k->masked)
                tn__line(k->w, "tn_store_part_%s(%s, %s, m%u);", t, at, value, u);
            else
                tn__line(k->w, "tn_store_%s(%s, %s);", t, at, value);
        }
    }
}

static void write_stores(tn__kernel *k, tn_level level) {
    for (uint32_t s = 0; s < k->loop->n_stores; s++) {
        const tn_loop_store *store = &k->loop->stores[s];
        if (store->level != level) continue;
        if (level == TN_LEVEL_FULL && store->stage != k->stage) continue;
        tn__write_store(k, s);
    }
}

/* The columns' values that this stage, or this row of columns, needs. */
static void read_columns(tn__kernel *k, const uint64_t *use) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        const tn_kx_node *expr = &k->loop->exprs[e];
        uint32_t made = expr->stage + (expr->kind == TN_KX_REDUCE);
        if (!k->array[e] || !(use[e] >> k->stage & 1)) continue;
        if (use == k->nest->row_use && made == k->stage) continue;
        for (uint32_t u = 0; u < k->copies; u++)
            tn__line(k->w, "const %s %s = tn_load_%s(%s);", tn__vector_type(expr->dt),
                     tn__value(k, e, u), tn__reg(expr->dt), tn__column_at(k, k->array[e], u));
    }
}

static bool reduces(const tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++)
        if (k->loop->exprs[e].kind == TN_KX_REDUCE && k->loop->exprs[e].stage == k->stage)
            return true;
    return false;
}

/* Whether the loops of k->stage also do the last stage of the row before. */
static bool is_late_host(const tn__kernel *k) {
    return k->nest->form == TN__FORM_ROW && k->late_host == k->stage;
}

static void write_late_point(tn__kernel *k) {
    uint32_t stage = k->stage;
    if (!is_late_host(k)) return;
    tn__line(k->w, "if (late) {");
    k->stage = k->loop->n_stages - 1;
    tn__late_open_values(k);
    reread_held(k);
    write_full_level(k);
    write_stores(k, TN_LEVEL_FULL);
    k->stage = stage;
    tn__line(k->w, "}");
}

/* The innermost body of a stage: one inner point in every lane of every copy. */
static void write_inner_point(tn__kernel *k) {
    if (k->masked && k->nest->form == TN__FORM_ROW && reduces(k))
        tn__line(k->w, "const vmask q0 = tn_mask_first(m0);");
    if (k->nest->form == TN__FORM_COLUMN) read_columns(k, k->nest->use);
    write_late_point(k);
    reread_held(k);
    write_full_level(k);
    tn__fetch_write(k);
    keep_held(k);
    write_stores(k, TN_LEVEL_FULL);
    tn__reduce_step(k);
}

/* ------------------------------------------------------------------ vectors */

typedef void (*write_body)(tn__kernel *k);

/* The store whose vectors are to be aligned; TN_NONE: none goes past the caches. */
static uint32_t find_stream(const tn__kernel *k) {
    uint32_t stage = is_late_host(k) ? k->loop->n_stages - 1 : k->stage;
    for (uint32_t s = 0; s < k->loop->n_stores; s++) {
        const tn_loop_store *store = &k->loop->stores[s];
        bool here = store->level != TN_LEVEL_FULL || store->stage == stage;
        if (here && tn__store_can_stream(k, s)) return s;
    }
    return TN_NONE;
}

static void declare_streams(tn__kernel *k, uint32_t first) {
    uint32_t stage = is_late_host(k) ? k->loop->n_stages - 1 : k->stage;
    tn__declare_cut(k, first);
    for (uint32_t s = first; s < k->loop->n_stores; s++) {
        const tn_loop_store *store = &k->loop->stores[s];
        bool here = store->level != TN_LEVEL_FULL || store->stage == stage;
        if (here && tn__store_can_stream(k, s)) tn__declare_stream(k, s);
    }
}

/* The vector axis from j to `end`, one vector at a time, any of which may be cut. */
static void write_cut_vectors(tn__kernel *k, const char *end, write_body body) {
    uint32_t copies = k->copies, level = k->level;
    k->level = k->nest->vector_level;
    k->copies = 1;
    k->masked = true;
    tn__line(k->w, "for (; j < %s; j += TN_W) {", end);
    tn__line(k->w, "const tn_i64 m0 = tn_min(%s - j, TN_W);", end);
    body(k);
    end_scope(k, k->level);
    k->masked = false;
    k->copies = copies;
    k->level = level;
}

static void write_whole_vectors(tn__kernel *k, write_body body) {
    uint32_t level = k->level;
    k->level = k->nest->vector_level;
    const char *stride = k->copies == 1 ? "TN_W" : tn__text(k->w, "%u * TN_W", k->copies);
    tn__line(k->w, "for (; j + %s <= jn; j += %s) {", stride, stride);
    body(k);
    end_scope(k, k->level);
    k->level = level;
}

/* From j to jn: by k->copies vectors at a time, then the rest. Where results go past
 * the caches, first a cut vector up to where they are aligned. */
static void write_vectors(tn__kernel *k, write_body body) {
    uint32_t stream = find_stream(k);
    if (stream == TN_NONE) {
        write_whole_vectors(k, body);
        write_cut_vectors(k, "jn", body);
        return;
    }
    declare_streams(k, stream);
    tn__line(k->w, "for (;; cut = jn) {");
    write_cut_vectors(k, "cut", body);
    tn__line(k->w, "if ((j = cut) == jn) break;");
    write_whole_vectors(k, body);
    end_scope(k, k->nest->vector_level);
}

/* -------------------------------------------------------------- inner axes */

/* r0 * n1 + r1: the number of the inner point, without the vector axis of a ROW. */
static void number_points(tn__kernel *k) {
    const char *number = "";
    for (uint32_t l = 2; l < k->nest->vector_level; l++) {
        uint32_t axis = k->nest->order[l];
        const char *r = tn__coordinate(k->w, axis);
        number = *number ? tn__text(k->w, "(%s) * %s + %s", number, k->extent[axis], r) : r;
    }
    const char *length = k->nest->form == TN__FORM_ROW ? k->extent[k->nest->vector] : k->block;
    k->number = *number ? number : "0";
    k->flat = *number ? tn__text(k->w, "(%s) * %s", number, length) : "0";
}

/* A COLUMN's stage that only reduces takes a group of rows at a time: accumulators stay in
 * registers for the group, and memory sees several rows at once. A sum of squares of 8192 rows
 * and a scaled copy: 0.59 of a copy row by row, 0.63 by four, 0.65 by eight. */
static bool is_grouped(const tn__kernel *k) {
    if (k->nest->form != TN__FORM_COLUMN || k->loop->strict || !reduces(k)) return false;
    for (uint32_t s = 0; s < k->loop->n_stores; s++)
        if (k->loop->stores[s].level == TN_LEVEL_FULL && k->loop->stores[s].stage == k->stage)
            return false;
    return true;
}

/* Rows [rb, rn) of one vector of columns. */
static void write_group(tn__kernel *k) {
    uint32_t level = k->level, row_level = k->nest->vector_level - 1;
    const char *r = tn__coordinate(k->w, k->nest->order[row_level]);
    bool online = tn__online_is_here(k);
    read_columns(k, k->nest->use);
    online ? tn__online_begin(k) : tn__reduce_group_begin(k);
    tn__line(k->w, "for (tn_i64 %s = rb; %s < rn; %s++) {", r, r, r);
    k->level = row_level;
    write_full_level(k);
    name_indexes(k);
    k->level = k->nest->vector_level;
    reread_held(k);
    write_full_level(k);
    tn__fetch_write(k);
    keep_held(k);
    online ? tn__online_step(k, r) : tn__reduce_step(k);
    end_scope(k, row_level);
    k->level = level;
    online ? tn__online_end(k) : tn__reduce_group_end(k);
}

/* The innermost two axes of a grouped stage: the rows, and the columns within a group. */
static void write_groups(tn__kernel *k) {
    uint32_t axis = k->nest->order[k->nest->vector_level - 1];
    bool online = tn__online_is_here(k);
    tn__line(k->w, "for (tn_i64 rb = 0; rb < %s; rb += %d) {", k->extent[axis], TN_GROUP);
    tn__line(k->w, "const tn_i64 rn = tn_min(rb + %d, %s);", TN_GROUP, k->extent[axis]);
    if (online) tn__online_numbers(k);
    number_points(k);
    tn__line(k->w, "tn_i64 j = jb;");
    write_vectors(k, write_group);
    tn__reduce_row(k);
    if (online) {
        k->stage++;
        tn__reduce_row(k);
        k->stage--;
        tn__line(k->w, "seen += rn - rb;");
    }
    tn__line(k->w, "}");
}

/* The inner loops of a stage from `level` in. */
static void write_inner(tn__kernel *k, uint32_t level) {
    uint32_t outer = k->level;
    if (k->grouped && level + 1 == k->nest->vector_level) {
        write_groups(k);
        return;
    }
    if (level == k->nest->vector_level) {
        bool row = k->nest->form == TN__FORM_ROW;
        number_points(k);
        tn__line(k->w, "tn_i64 j = %s;", row ? "0" : "jb");
        if (row) tn__line(k->w, "const tn_i64 jn = %s;", k->extent[k->nest->vector]);
        write_vectors(k, write_inner_point);
        tn__reduce_row(k);
        return;
    }
    uint32_t axis = k->nest->order[level];
    const char *r = tn__coordinate(k->w, axis);
    tn__line(k->w, "for (tn_i64 %s = 0; %s < %s; %s++) {", r, r, k->extent[axis], r);
    k->level = level;
    write_full_level(k);
    name_indexes(k);
    write_inner(k, level + 1);
    end_scope(k, level);
    k->level = outer;
}

static void write_stage(tn__kernel *k) {
    name_indexes(k);
    tn__line(k->w, "{");
    if (is_late_host(k)) tn__late_open_places(k);
    write_inner(k, 2);
    if (is_late_host(k)) tn__late_close_places(k);
    end_scope(k, 2);
}

void tn__write_late_rest(tn__kernel *k) {
    if (k->late_host == TN_NONE) return;
    k->stage = k->loop->n_stages - 1;
    k->level = 1;
    k->copies = tn__choose_copies(k, tn__stage_cost(k, k->stage));
    tn__line(k->w, "if (late) {");
    tn__late_open_values(k);
    tn__late_open_places(k);
    write_inner(k, 2);
    tn__late_close_places(k);
    end_scope(k, 2);
    k->copies = 1;
}

/* --------------------------------------------------------------------- forms */

static void write_row_item(tn__kernel *k) {
    for (k->stage = 0; k->stage < k->loop->n_stages; k->stage++) {
        write_row_level(k);
        if (k->late_host != TN_NONE && k->stage + 1 == k->loop->n_stages) {
            tn__late_keep(k);
            continue;
        }
        k->copies = tn__choose_copies(k, tn__stage_cost(k, k->stage));
        k->accumulators = k->copies;
        tn__reduce_begin(k);
        tn__reduce_count(k);
        write_stage(k);
        tn__reduce_end(k);
        k->copies = 1;
    }
    write_row_level(k);
    write_stores(k, TN_LEVEL_ROW);
}

/* One vector of columns, between the loops of two stages. */
static void write_columns(tn__kernel *k) {
    read_columns(k, k->nest->row_use);
    if (k->stage > 0) {
        k->stage--;
        tn__reduce_end(k);
        k->stage++;
    }
    write_row_level(k);
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        const tn_kx_node *expr = &k->loop->exprs[e];
        uint32_t made = expr->stage + (expr->kind == TN_KX_REDUCE);
        if (k->array[e] && made == k->stage)
            tn__line(k->w, "tn_store_%s(%s, %s);", tn__reg(expr->dt),
                     tn__column_at(k, k->array[e], 0), tn__value(k, e, 0));
    }
    if (k->stage == k->loop->n_stages) {
        write_stores(k, TN_LEVEL_ROW);
        return;
    }
    if (!tn__online_is_done(k)) tn__reduce_begin(k);
    if (!tn__online_is_here(k)) return;
    k->stage++;
    tn__reduce_begin(k);
    k->stage--;
}

static void count_steps(tn__kernel *k) {
    tn__reduce_count(k);
    if (!tn__online_is_here(k)) return;
    k->stage++;
    tn__reduce_count(k);
    k->stage--;
    tn__online_count(k);
}

static void write_column_item(tn__kernel *k) {
    for (k->stage = 0; k->stage <= k->loop->n_stages; k->stage++) {
        k->accumulators = k->copies = 1;
        tn__line(k->w, "{");
        tn__line(k->w, "tn_i64 j = jb;");
        write_cut_vectors(k, "jn", write_columns);
        end_scope(k, 2);
        if (k->stage == k->loop->n_stages) return;
        if (tn__online_is_done(k)) continue;
        k->grouped = is_grouped(k);
        k->copies = k->grouped ? 1 : tn__choose_copies(k, tn__stage_cost(k, k->stage));
        k->accumulators = k->copies;
        count_steps(k);
        write_stage(k);
        k->grouped = false;
    }
}

static void write_point(tn__kernel *k) {
    tn__fetch_write(k);
    write_row_level(k);
    write_stores(k, TN_LEVEL_ROW);
    write_stores(k, TN_LEVEL_FULL);
}

static void write_point_row(tn__kernel *k) {
    name_indexes(k);
    tn__line(k->w, "tn_i64 j = jb;");
    k->copies = tn__choose_copies(k, tn__stage_cost(k, 0));
    while (k->nest->tiled && k->copies > 1 && k->copies * k->lanes > k->nest->block)
        k->copies /= 2;
    write_vectors(k, write_point);
    k->copies = 1;
}

static void write_tile(tn__kernel *k) {
    const char *c = tn__coordinate(k->w, k->nest->tile);
    name_indexes(k);
    tn__line(k->w, "const tn_i64 ub = t * %s, un = tn_min(ub + %s, %s);", k->tile_block,
             k->tile_block, k->extent[k->nest->tile]);
    tn__tile_fill(k);
    tn__line(k->w, "for (tn_i64 %s = ub; %s < un; %s++) {", c, c, c);
    k->level = 2;
    write_row_level(k);
    write_point_row(k);
    end_scope(k, 2);
    k->level = 1;
    tn__tile_store(k);
}

void tn__write_item(tn__kernel *k) {
    k->level = 1;
    k->stage = 0;
    k->copies = 1;
    tn__fetch_choose(k);
    if (k->nest->form == TN__FORM_ROW) {
        write_row_item(k);
        return;
    }
    tn__line(k->w, "const tn_i64 jb = q * %s, jn = tn_min(jb + %s, %s);", k->block, k->block,
             k->extent[k->nest->vector]);
    write_row_level(k);
    if (k->nest->tiled)
        write_tile(k);
    else if (k->nest->form == TN__FORM_POINT)
        write_point_row(k);
    else
        write_column_item(k);
}

void tn__write_run(tn__kernel *k) {
    k->level = 1;
    k->stage = 0;
    k->copies = 1;
    write_row_level(k);
    write_point_row(k);
}
