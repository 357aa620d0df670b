#include "schedule/coords.h"

#include <string.h>

static bool coords_eq(const void *self, const void *key, uint32_t id) {
    const tn__coords_data *a = &((const tn__space *)self)->coords.data[id], *k = key;
    return a->n == k->n && (a->n == 0 || memcmp(a->items, k->items, a->n * sizeof *a->items) == 0);
}

static bool guard_eq(const void *self, const void *key, uint32_t id) {
    const tn__guard_data *a = &((const tn__space *)self)->guards.data[id], *k = key;
    if (a->n != k->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].ix != k->terms[i].ix || a->terms[i].lo != k->terms[i].lo ||
            a->terms[i].hi != k->terms[i].hi)
            return false;
    return true;
}

static bool stuck(const tn__space *space) {
    return space->index.no_memory || space->index.overflow;
}

tn__coords tn__coords_make(tn__space *space, const tn__ix *items, uint32_t n) {
    if (stuck(space)) return 0;
    tn__coords_data data = {.items = items, .n = n};
    uint32_t hash = tn__intern_hash(items, n * sizeof *items, n);
    tn__intern_slot *slot = tn__intern_find(&space->coords_table, hash, coords_eq, space, &data);
    if (slot && slot->id_plus_1) return slot->id_plus_1 - 1;
    for (uint32_t i = 0; i < n; i++) {
        data.axes |= tn__ix_get(&space->index, items[i])->axes;
        data.has_value |= tn__ix_get(&space->index, items[i])->has_value;
    }
    data.items = tn_arena_copy(space->arena, items, n * sizeof *items);
    if (!slot || !data.items || !tn_vec_push(space->allocator, &space->coords, data)) {
        space->index.no_memory = true;
        return 0;
    }
    tn__intern_put(&space->coords_table, slot, hash, (uint32_t)space->coords.len - 1);
    return (tn__coords)space->coords.len - 1;
}

static tn__guard guard_make(tn__space *space, const tn__guard_term *terms, uint32_t n) {
    if (stuck(space)) return 0;
    tn__guard_data data = {.terms = terms, .n = n};
    uint32_t hash = n;
    for (uint32_t i = 0; i < n; i++) {
        int64_t parts[3] = {terms[i].ix, terms[i].lo, terms[i].hi};
        hash = tn__intern_hash(parts, sizeof parts, hash);
    }
    tn__intern_slot *slot = tn__intern_find(&space->guard_table, hash, guard_eq, space, &data);
    if (slot && slot->id_plus_1) return slot->id_plus_1 - 1;
    for (uint32_t i = 0; i < n; i++)
        data.axes |= tn__ix_get(&space->index, terms[i].ix)->axes;
    data.terms = tn_arena_copy(space->arena, terms, n * sizeof *terms);
    if (!slot || !data.terms || !tn_vec_push(space->allocator, &space->guards, data)) {
        space->index.no_memory = true;
        return 0;
    }
    tn__intern_put(&space->guard_table, slot, hash, (uint32_t)space->guards.len - 1);
    return (tn__guard)space->guards.len - 1;
}

tn_status tn__space_init(tn__space *space, const tn_allocator *allocator, tn_arena *arena) {
    *space = (tn__space){.allocator = allocator, .arena = arena};
    tn__intern_init(&space->coords_table, allocator);
    tn__intern_init(&space->guard_table, allocator);
    tn_status status = tn__index_init(&space->index, allocator, arena);
    if (status) return status;
    tn__coords_make(space, NULL, 0);
    guard_make(space, NULL, 0);
    /* No integer is at once >= 1 and < 0: only NEVER has such a term. */
    guard_make(space, &(tn__guard_term){0, 1, 0}, 1);
    return tn__index_status(&space->index);
}

void tn__space_deinit(tn__space *space) {
    tn__index_deinit(&space->index);
    tn_vec_free(space->allocator, &space->coords);
    tn_vec_free(space->allocator, &space->guards);
    tn__intern_deinit(&space->coords_table);
    tn__intern_deinit(&space->guard_table);
}

tn__guard tn__guard_and(tn__space *space, tn__guard guard, tn__ix ix, int64_t lo, int64_t hi) {
    if (stuck(space) || guard == TN__GUARD_NEVER) return guard;
    /* Bounds of x + c are bounds of x, and then one term with the others of x. */
    int64_t constant = tn__ix_get(&space->index, ix)->constant, low, high;
    if (constant && !__builtin_sub_overflow(lo, constant, &low) &&
        !__builtin_sub_overflow(hi, constant, &high)) {
        ix = tn__ix_offset(&space->index, ix, -constant);
        lo = low;
        hi = high;
    }
    const tn__ix_sum *s = tn__ix_get(&space->index, ix);
    bool unknown = s->lo == INT64_MIN || s->hi == INT64_MAX;
    if (!unknown && s->lo >= lo && s->hi < hi) return guard;
    if (lo >= hi || (!unknown && (s->hi < lo || s->lo >= hi))) return TN__GUARD_NEVER;
    const tn__guard_data *old = tn__guard_get(space, guard);
    tn__guard_term *terms = tn_arena_array(space->arena, old->n + 1u, sizeof *terms);
    if (!terms) {
        space->index.no_memory = true;
        return 0;
    }
    uint32_t n = 0, i = 0;
    for (; i < old->n && old->terms[i].ix < ix; i++)
        terms[n++] = old->terms[i];
    tn__guard_term term = {ix, lo, hi};
    if (i < old->n && old->terms[i].ix == ix) {
        if (old->terms[i].lo > term.lo) term.lo = old->terms[i].lo;
        if (old->terms[i].hi < term.hi) term.hi = old->terms[i].hi;
        i++;
    }
    if (term.lo >= term.hi) return TN__GUARD_NEVER;
    terms[n++] = term;
    for (; i < old->n; i++)
        terms[n++] = old->terms[i];
    return guard_make(space, terms, n);
}

/* ------------------------------------------------------------------ views */

bool tn__prim_is_view(uint32_t prim) {
    switch (prim) {
    case TN_PRIM_BROADCAST:
    case TN_PRIM_PERMUTE:
    case TN_PRIM_RESHAPE:
    case TN_PRIM_SLICE:
    case TN_PRIM_FLIP:
    case TN_PRIM_WINDOW: return true;
    default: return false;
    }
}

/* Groups of axes whose extents have equal products map on their own, so that
 * division meets no more axes than it must. */
static void through_reshape(tn__index *p, const tn_type *from, const tn_type *to, const tn__ix *in,
                            tn__ix *out) {
    int32_t i = to->rank, j = from->rank;
    while (i > 0 || j > 0) {
        if (i > 0 && to->shape[i - 1] == 1) {
            i--;
            continue;
        }
        if (j > 0 && from->shape[j - 1] == 1) {
            out[--j] = 0;
            continue;
        }
        if (i == 0 || j == 0) return; /* counts differ: excluded by the verifier */
        int32_t i_end = i, j_end = j;
        int64_t to_count = to->shape[--i], from_count = from->shape[--j];
        while (to_count != from_count && (to_count < from_count ? i > 0 : j > 0)) {
            if (to_count < from_count)
                to_count *= to->shape[--i];
            else
                from_count *= from->shape[--j];
        }
        tn__ix linear = in[i];
        for (int32_t k = i + 1; k < i_end; k++)
            linear = tn__ix_add(p, tn__ix_scale(p, linear, to->shape[k]), in[k]);
        for (int32_t k = j_end - 1; k > j; k--) {
            out[k] = tn__ix_mod(p, linear, from->shape[k]);
            linear = tn__ix_div(p, linear, from->shape[k]);
        }
        out[j] = linear;
    }
}

static void through_slice(tn__index *p, const tn_ir_node *view, const tn__ix *in, uint32_t n,
                          tn__ix *out) {
    int64_t start[TN_MAX_RANK], step[TN_MAX_RANK];
    tn_ir_attr_ints(view, "start", start);
    tn_ir_attr_ints(view, "step", step);
    for (uint32_t i = 0; i < n; i++)
        out[i] = tn__ix_offset(p, tn__ix_scale(p, in[i], step[i]), start[i]);
}

static void through_window(tn__index *p, const tn_ir_node *view, const tn__ix *in, uint32_t n,
                           tn__ix *out) {
    uint32_t axis = (uint32_t)tn_ir_attr_int(view, "axis");
    for (uint32_t i = 0; i < n; i++)
        out[i] = in[i];
    out[axis] = tn__ix_add(p, tn__ix_scale(p, in[axis], tn_ir_attr_int(view, "step")),
                           tn__ix_scale(p, in[n], tn_ir_attr_int(view, "dilation")));
}

tn__coords tn__coords_through(tn__space *space, const tn_ir_node *view, const tn_type *operand,
                              const tn_type *result, tn__coords coords) {
    tn__index *p = &space->index;
    const tn__ix *in = tn__coords_get(space, coords)->items;
    tn__ix out[TN_MAX_RANK] = {0};
    int64_t attr[TN_MAX_RANK];
    uint32_t n = (uint32_t)operand->rank;
    if (stuck(space)) return 0;
    switch (view->prim) {
    case TN_PRIM_BROADCAST:
        tn_ir_attr_ints(view, "axes", attr);
        for (uint32_t i = 0; i < n; i++)
            out[i] = operand->shape[i] == 1 ? 0 : in[attr[i]];
        break;
    case TN_PRIM_PERMUTE:
        tn_ir_attr_ints(view, "perm", attr);
        for (uint32_t i = 0; i < n; i++)
            out[attr[i]] = in[i];
        break;
    case TN_PRIM_RESHAPE: through_reshape(p, operand, result, in, out); break;
    case TN_PRIM_SLICE: through_slice(p, view, in, n, out); break;
    case TN_PRIM_FLIP: {
        for (uint32_t i = 0; i < n; i++)
            out[i] = in[i];
        uint32_t count = tn_ir_attr_ints(view, "axes", attr);
        for (uint32_t i = 0; i < count; i++)
            out[attr[i]] = tn__ix_offset(p, tn__ix_scale(p, in[attr[i]], -1),
                                         operand->shape[attr[i]] - 1);
        break;
    }
    default: through_window(p, view, in, n, out); break;
    }
    return tn__coords_make(space, out, n);
}

tn__ix tn__coords_address(tn__space *space, tn__coords coords, const int64_t *strides,
                          int64_t offset) {
    tn__coords_data c = *tn__coords_get(space, coords);
    tn__ix address = tn__ix_const(&space->index, offset);
    for (uint32_t i = 0; i < c.n; i++)
        if (c.items[i])
            address = tn__ix_add(&space->index, address,
                                 tn__ix_scale(&space->index, c.items[i], strides[i]));
    return address;
}

bool tn__coords_cover(tn__space *space, tn__coords coords, const int64_t *shape,
                      const int64_t *extents, uint32_t n_axes, uint32_t *out_axes) {
    uint32_t rank = tn__coords_get(space, coords)->n;
    int64_t strides[TN_MAX_RANK], coefficients[TN_MAX_RANK], constant, count = 1;
    tn_shape_strides(shape, (int32_t)rank, strides);
    for (uint32_t i = 0; i < rank; i++)
        count *= shape[i];
    tn__ix linear = tn__coords_address(space, coords, strides, 0);
    if (!tn__ix_affine(&space->index, linear, coefficients, &constant)) return false;
    /* Coefficients must be the place values of a mixed radix number; an axis that runs
     * backwards starts at its end. */
    uint32_t used = 0;
    int64_t place = 1;
    for (bool found = true; found;) {
        found = false;
        for (uint32_t a = 0; a < n_axes && !found; a++) {
            bool back = coefficients[a] == -place;
            if ((coefficients[a] != place && !back) || used >> a & 1 || extents[a] == 1) continue;
            if (back) constant -= place * (extents[a] - 1);
            used |= UINT32_C(1) << a;
            if (__builtin_mul_overflow(place, extents[a], &place)) return false;
            found = true;
        }
    }
    *out_axes = used;
    return constant == 0 && place == count && used == tn__ix_get(&space->index, linear)->axes;
}
