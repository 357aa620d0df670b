/* Loads and stores: whole vectors where memory is contiguous along the vector
 * axis, strided ones where it is regular, else lane by lane. */
#include <string.h>

#include "codegen/kernel.h"

/* -------------------------------------------------------------------- loads */

typedef struct place {
    const char *memory; /* "f32": of the slot */
    const char *index;  /* of the element, without the vector axis */
    const char *step;   /* along the vector axis */
    bool lanewise;      /* not a regular step: lane by lane */
    uint32_t slot;
    const tn__access *access;
} place;

static place place_of(tn__kernel *k, const tn__access *access, uint32_t slot) {
    place p = {.memory = tn_dt_text(k->loop->slots[slot].dt), .slot = slot, .access = access};
    p.step = tn__index_step(k->w, access);
    p.lanewise = tn__nest_is_vector(k->nest, access->term_axes);
    p.index = tn__index_at(k->w, access, k->level);
    return p;
}

/* The address of lane 0 of a copy. */
static const char *address(tn__kernel *k, const place *p, uint32_t copy) {
    const char *offset = tn__copy_offset(k, copy);
    bool unit = strcmp(p->step, "1") == 0;
    const char *j = *offset ? tn__text(k->w, unit ? "j%s" : "(j%s)", offset) : "j";
    return tn__text(k->w, "b%u + (%s)", p->slot, tn__index_add(k->w, p->index, p->step, j));
}

/* The whole copy, no guard. */
static const char *load_text(tn__kernel *k, const place *p, uint32_t copy) {
    const char *at = address(k, p, copy);
    const char *t = p->memory;
    if (strcmp(p->step, "0") == 0) return tn__text(k->w, "tn_load_one_%s(%s)", t, at);
    if (strcmp(p->step, "1") == 0)
        return k->masked ? tn__text(k->w, "tn_load_part_%s(%s, m%u)", t, at, copy)
                         : tn__text(k->w, "tn_load_%s(%s)", t, at);
    if (k->masked) return tn__text(k->w, "tn_load_step_part_%s(%s, %s, m%u)", t, at, p->step, copy);
    if (strcmp(p->step, "-1") == 0) return tn__text(k->w, "tn_load_back_%s(%s)", t, at);
    return tn__text(k->w, "tn_load_step_%s(%s, %s)", t, at, p->step);
}

static const char *fallback(tn__kernel *k, const tn_kx_node *expr) {
    if (expr->n_in && expr->in[0] != TN_NONE) return tn__value(k, expr->in[0], 0);
    return tn__text(k->w, "(%s){0}", tn__vector_type(expr->dt));
}

/* Lane by lane: where the guard fails, and past the end, nothing is read. */
static void load_lanes(tn__kernel *k, uint32_t e, const place *p, uint32_t copy,
                       const char *declare) {
    const tn_kx_node *expr = &k->loop->exprs[e];
    const char *name = tn__value(k, e, copy);
    tn__line(k->w, "tn_i64 %s_i[TN_W] = {0};", name);
    tn__line(k->w, "tn_bool %s_k[TN_W] = {0};", name);
    tn__lane_loop(k, copy);
    const char *condition = tn__lane_condition(k, expr->guard, copy);
    tn__lane_values(k->w, p->access, copy);
    const char *index = tn__lane_index(k->w, p->access, k->level);
    if (*condition) {
        tn__line(k->w, "if (%s) {", condition);
        tn__line(k->w, "%s_k[k] = 1;", name);
        tn__line(k->w, "%s_i[k] = %s;", name, index);
        tn__line(k->w, "}");
    } else {
        tn__line(k->w, "%s_k[k] = 1;", name);
        tn__line(k->w, "%s_i[k] = %s;", name, index);
    }
    tn__line(k->w, "}");
    tn__line(k->w, "const vmask %s_m = tn_load_bool(%s_k);", name, name);
    const char *got = tn__text(k->w, "tn_gather_mask_%s(b%u, tn_load_i64(%s_i), %s_m)", p->memory,
                               p->slot, name, name);
    if (*condition)
        tn__line(k->w, "%s%s = tn_sel_%s(%s_m, %s, %s);", declare, name, tn__reg(expr->dt), name,
                 got, fallback(k, expr));
    else
        tn__line(k->w, "%s%s = %s;", declare, name, got);
}

static void load_range(tn__kernel *k, uint32_t e, const place *p, uint32_t copy) {
    const tn_kx_node *expr = &k->loop->exprs[e];
    const char *name = tn__value(k, e, copy), *offset = tn__copy_offset(k, copy);
    uint32_t g = expr->guard;
    tn__line(k->w, "%s %s = %s;", tn__vector_type(expr->dt), name, fallback(k, expr));
    if (!k->masked) {
        tn__line(k->w, "if (j%s >= g%u && j%s + TN_W <= h%u) {", offset, g, offset, g);
        tn__line(k->w, "%s = %s;", name, load_text(k, p, copy));
        tn__line(k->w, "} else if (j%s + TN_W > g%u && j%s < h%u) {", offset, g, offset, g);
    } else {
        tn__line(k->w, "if (j%s + TN_W > g%u && j%s < h%u) {", offset, g, offset, g);
    }
    load_lanes(k, e, p, copy, "");
    tn__line(k->w, "}");
}

static void load_uniform(tn__kernel *k, uint32_t e, const place *p) {
    const tn_kx_node *expr = &k->loop->exprs[e];
    const char *condition = expr->guard == TN_NONE ? "" : tn__guard_condition(k, expr->guard);
    const char *load = tn__text(k->w, "tn_load_one_%s(b%u + (%s))", p->memory, p->slot, p->index);
    if (*condition) load = tn__text(k->w, "%s ? %s : %s", condition, load, fallback(k, expr));
    tn__line(k->w, "const %s e%u = %s;", tn__vector_type(expr->dt), e, load);
}

void tn__write_fetch(tn__kernel *k, uint32_t e) {
    uint32_t slot = k->loop->exprs[e].slot;
    uint32_t bytes = k->lanes * (uint32_t)tn_dt_size(k->loop->slots[slot].dt);
    place p = place_of(k, &k->nest->loads[e], slot);
    p.index = tn__index_add(k->w, p.index, "1", k->fetch[e]);
    for (uint32_t u = 0; u < k->copies; u++)
        for (uint32_t line = 0; line < bytes; line += 64)
            if ((u * bytes + line) % 64 == 0)
                tn__line(k->w, "__builtin_prefetch(%s%s, 0, %d);", address(k, &p, u),
                         line ? tn__text(k->w, " + %u", line * k->lanes / bytes) : "",
                         k->fetch_near ? 3 : 2);
}

/* -------------------------------------------------------------------- tiles */

static bool load_is_tiled(const tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = &k->loop->exprs[e];
    return expr->kind == TN_KX_LOAD && expr->guard == TN_NONE &&
           (k->nest->use[e] | k->nest->row_use[e]) &&
           tn__nest_is_tiled(k->nest, &k->nest->loads[e]);
}

static bool store_is_tiled(const tn__kernel *k, uint32_t s) {
    return k->loop->stores[s].guard == TN_NONE && tn__nest_is_tiled(k->nest, &k->nest->stores[s]);
}

static void declare_tile(tn__kernel *k, char name, uint32_t id, tn_dt dt) {
    uint64_t elements = (uint64_t)(k->nest->block * k->nest->tile_block) + k->lanes;
    tn__line(k->w, "tn_%s *const %c%u = (tn_%s *)(scratch + %s);", tn_dt_text(dt), name, id,
             tn_dt_text(dt), tn__scratch(k, elements * tn_dt_size(dt)));
}

void tn__tile_declare(tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++)
        if (load_is_tiled(k, e)) declare_tile(k, 'y', e, k->loop->slots[k->loop->exprs[e].slot].dt);
    for (uint32_t s = 0; s < k->loop->n_stores; s++)
        if (store_is_tiled(k, s))
            declare_tile(k, 'z', s, k->loop->slots[k->loop->stores[s].slot].dt);
}

/* Where a tile starts in memory. */
static const char *tile_corner(tn__kernel *k, const place *p) {
    const char *index = tn__index_add(k->w, p->index, "1", "ub");
    return tn__text(k->w, "b%u + (%s)", p->slot, tn__index_add(k->w, index, p->step, "jb"));
}

void tn__tile_fill(tn__kernel *k) {
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        if (!load_is_tiled(k, e)) continue;
        place p = place_of(k, &k->nest->loads[e], k->loop->exprs[e].slot);
        tn__line(k->w, "tn_transpose_%s(y%u, %s, %s, %s, un - ub, jn - jb);", p.memory, e, k->block,
                 tile_corner(k, &p), p.step);
    }
}

void tn__tile_store(tn__kernel *k) {
    for (uint32_t s = 0; s < k->loop->n_stores; s++) {
        if (!store_is_tiled(k, s)) continue;
        place p = place_of(k, &k->nest->stores[s], k->loop->stores[s].slot);
        tn__line(k->w, "tn_transpose_%s(%s, %s, z%u, %s, jn - jb, un - ub);", p.memory,
                 tile_corner(k, &p), p.step, s, k->block);
    }
}

/* The place of a copy in a tile. */
static const char *in_tile(tn__kernel *k, char name, uint32_t id, uint32_t copy) {
    return tn__text(k->w, "%c%u + ((%s - ub) * %s + j - jb%s)", name, id,
                    tn__coordinate(k->w, k->nest->tile), k->block, tn__copy_offset(k, copy));
}

void tn__write_load(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = &k->loop->exprs[e];
    if (load_is_tiled(k, e)) {
        for (uint32_t u = 0; u < k->copies; u++)
            tn__line(k->w, "const %s %s = tn_load_%s(%s);", tn__vector_type(expr->dt),
                     tn__value(k, e, u), tn_dt_text(k->loop->slots[expr->slot].dt),
                     in_tile(k, 'y', e, u));
        return;
    }
    place p = place_of(k, &k->nest->loads[e], expr->slot);
    if (!tn__is_vector(k, e)) {
        load_uniform(k, e, &p);
        return;
    }
    const char *type = tn__vector_type(expr->dt);
    bool guarded = expr->guard != TN_NONE, ranged = false;
    if (guarded && tn__guard_is_vector(k, expr->guard)) {
        ranged = tn__guard_is_range(k, expr->guard) && !p.lanewise;
        p.lanewise |= !ranged;
    }
    if (ranged) tn__declare_range(k, expr->guard);
    const char *condition = guarded && !p.lanewise && !ranged ? tn__guard_condition(k, expr->guard)
                                                              : "";
    for (uint32_t u = 0; u < k->copies; u++) {
        if (ranged)
            load_range(k, e, &p, u);
        else if (p.lanewise)
            load_lanes(k, e, &p, u, tn__text(k->w, "const %s ", type));
        else if (*condition)
            tn__line(k->w, "const %s %s = %s ? %s : %s;", type, tn__value(k, e, u), condition,
                     load_text(k, &p, u), fallback(k, expr));
        else
            tn__line(k->w, "const %s %s = %s;", type, tn__value(k, e, u), load_text(k, &p, u));
    }
}

/* ------------------------------------------------------------------- stores */

static const char *store_text(tn__kernel *k, const place *p, const char *value, uint32_t copy) {
    const char *at = address(k, p, copy), *t = p->memory;
    if (strcmp(p->step, "1") == 0)
        return k->masked ? tn__text(k->w, "tn_store_part_%s(%s, %s, m%u)", t, at, value, copy)
                         : tn__text(k->w, "tn_store_%s(%s, %s)", t, at, value);
    return k->masked ? tn__text(k->w, "tn_store_step_part_%s(%s, %s, %s, m%u)", t, at, p->step,
                                value, copy)
                     : tn__text(k->w, "tn_store_step_%s(%s, %s, %s)", t, at, p->step, value);
}

bool tn__store_can_stream(const tn__kernel *k, uint32_t s) {
    const tn_loop_store *store = &k->loop->stores[s];
    const tn__access *access = &k->nest->stores[s];
    bool looped = store->level == TN_LEVEL_FULL || k->nest->form == TN__FORM_POINT;
    return k->stream && store->slot != TN_NONE && looped && store->guard == TN_NONE &&
           access->step[k->nest->vector] == 1 && !tn__nest_is_vector(k->nest, access->term_axes) &&
           tn_dt_size(k->loop->slots[store->slot].dt) >= 4;
}

void tn__declare_cut(tn__kernel *k, uint32_t s) {
    place p = place_of(k, &k->nest->stores[s], k->loop->stores[s].slot);
    tn__line(k->w, "tn_i64 cut = %s ? tn_min(jn, j + TN_TO_ALIGNED(%s)) : j;", k->stream,
             address(k, &p, 0));
}

void tn__declare_stream(tn__kernel *k, uint32_t s) {
    place p = place_of(k, &k->nest->stores[s], k->loop->stores[s].slot);
    tn__line(k->w, "const int fresh%u = %s && TN_TO_ALIGNED(%s + (cut - j)) == 0;", s, k->stream,
             address(k, &p, 0));
}

static void store_lanes(tn__kernel *k, uint32_t s, const place *p, const char *value,
                        uint32_t copy) {
    tn__line(k->w, "tn_%s s%u_%u[TN_W];", p->memory, s, copy);
    tn__line(k->w, "tn_store_%s(s%u_%u, %s);", p->memory, s, copy, value);
    tn__lane_loop(k, copy);
    const char *condition = tn__lane_condition(k, k->loop->stores[s].guard, copy);
    tn__lane_values(k->w, p->access, copy);
    tn__line(k->w, "%s%s%sb%u[%s] = s%u_%u[k];", *condition ? "if (" : "", condition,
             *condition ? ") " : "", p->slot, tn__lane_index(k->w, p->access, k->level), s, copy);
    tn__line(k->w, "}");
}

static void store_range(tn__kernel *k, uint32_t s, const place *p, const char *value,
                        uint32_t copy) {
    uint32_t g = k->loop->stores[s].guard;
    const char *offset = tn__copy_offset(k, copy);
    if (!k->masked) {
        tn__line(k->w, "if (j%s >= g%u && j%s + TN_W <= h%u) {", offset, g, offset, g);
        tn__line(k->w, "%s;", store_text(k, p, value, copy));
        tn__line(k->w, "} else if (j%s + TN_W > g%u && j%s < h%u) {", offset, g, offset, g);
    } else {
        tn__line(k->w, "if (j%s + TN_W > g%u && j%s < h%u) {", offset, g, offset, g);
    }
    store_lanes(k, s, p, value, copy);
    tn__line(k->w, "}");
}

/* A prologue hands its element over. */
static void store_element(tn__kernel *k, uint32_t value) {
    const char *t = tn_dt_text(k->element_dt);
    for (uint32_t u = 0; u < k->copies; u++)
        tn__line(k->w, "tn_store_%s%s(%s + (j - jb%s), %s%s);", k->masked ? "part_" : "", t,
                 k->element, tn__copy_offset(k, u), tn__value(k, value, u),
                 k->masked ? tn__text(k->w, ", m%u", u) : "");
}

void tn__write_store(tn__kernel *k, uint32_t s) {
    const tn_loop_store *store = &k->loop->stores[s];
    if (store->slot == TN_NONE) {
        store_element(k, store->value);
        return;
    }
    const tn__access *access = &k->nest->stores[s];
    if (store_is_tiled(k, s)) {
        for (uint32_t u = 0; u < k->copies; u++)
            tn__line(k->w, "tn_store_%s(%s, %s);", tn_dt_text(k->loop->slots[store->slot].dt),
                     in_tile(k, 'z', s, u), tn__value(k, store->value, u));
        return;
    }
    place p = place_of(k, access, store->slot);
    bool guarded = store->guard != TN_NONE;
    bool vector_guard = guarded && tn__guard_is_vector(k, store->guard);
    const char *condition = guarded && !vector_guard ? tn__guard_condition(k, store->guard) : "";
    const char *open = *condition ? tn__text(k->w, "if (%s) ", condition) : "";
    if (!tn__nest_is_vector(k->nest, access->axes)) {
        /* One element: the vector axis, if there is one here, has extent 1. */
        tn__line(k->w, "%stn_store_part_%s(b%u + (%s), %s, 1);", open, p.memory, p.slot, p.index,
                 tn__value(k, store->value, 0));
        return;
    }
    bool ranged = vector_guard && tn__guard_is_range(k, store->guard) && !p.lanewise;
    p.lanewise |= vector_guard && !ranged;
    if (ranged) tn__declare_range(k, store->guard);
    for (uint32_t u = 0; u < k->copies; u++) {
        const char *value = tn__value(k, store->value, u);
        if (ranged)
            store_range(k, s, &p, value, u);
        else if (p.lanewise) {
            tn__line(k->w, "{");
            store_lanes(k, s, &p, value, u);
            tn__line(k->w, "}");
        } else if (!k->masked && tn__store_can_stream(k, s)) {
            tn__line(k->w, "if (fresh%u) tn_store_stream_%s(%s, %s);", s, p.memory,
                     address(k, &p, u), value);
            tn__line(k->w, "else %s;", store_text(k, &p, value, u));
        } else
            tn__line(k->w, "%s%s;", open, store_text(k, &p, value, u));
    }
}
