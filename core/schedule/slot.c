/* Slots of templates, and how a loop over a value runs in the coordinates of one. */
#include <stdio.h>

#include "schedule/plan.h"

const tn_slot *tn__find_slot(const tn_template *t, int32_t kind, int32_t operand,
                             uint32_t *out_index) {
    for (uint32_t i = 0; i < t->n_slots; i++) {
        if (t->slots[i]->kind != kind || t->slots[i]->operand != operand) continue;
        if (out_index) *out_index = i;
        return t->slots[i];
    }
    return NULL;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_identifier(const char *name) {
    if (!is_letter(name[0])) return false;
    for (; *name; name++)
        if (!is_letter(*name) && (*name < '0' || *name > '9')) return false;
    return true;
}

static const char *dtype_text(tn_dtype dtype) {
    tn_dt dt = tn_dt_from_dtype(dtype);
    return dt == TN_DT_NONE ? "no dtype of primitives" : tn_dt_text(dt);
}

bool tn__slot_fits(const tn_slot *slot, uint32_t index, tn_dt dt, char detail[256]) {
    tn_dt own = tn_dt_from_dtype(slot->dtype);
    if (slot->rank < 1 || slot->rank > TN_MAX_RANK)
        snprintf(detail, 256, "slot %.64s has rank %d; 1 to %d are possible", slot->name,
                 slot->rank, TN_MAX_RANK);
    else if (slot->accumulators > 1)
        snprintf(detail, 256, "slot %.64s hands over %d values a coordinate; this host takes one",
                 slot->name, slot->accumulators);
    else if (!is_identifier(slot->name))
        snprintf(detail, 256, "slot \"%.64s\" has a name that is no identifier of C", slot->name);
    else if (index >= 64)
        snprintf(detail, 256, "slot %.64s is number %u of its template; at most 64 are possible",
                 slot->name, index + 1);
    else if (own == TN_DT_NONE || (own != dt && own != tn_dt_compute(dt)))
        snprintf(detail, 256, "slot %.64s takes %s, but a value of %s is handed over as %s",
                 slot->name, dtype_text(slot->dtype), tn_dt_text(dt),
                 tn_dt_text(tn_dt_compute(dt)));
    else
        return true;
    return false;
}

tn_status tn__host(tn__plan *plan, uint32_t unit_id, const tn_type *type, tn__coords coords,
                   const tn_slot *slot, tn__hosting **out) {
    tn__index *index = &plan->space.index;
    tn__hosting *hosting = tn_arena_alloc(&plan->arena, sizeof *hosting);
    if (!hosting) return tn_status_no_memory();
    *hosting = (tn__hosting){.rank = (uint32_t)slot->rank,
                             .prologues = {TN_NONE, TN_NONE, TN_NONE}};
    /* The linear place of an element, from the slot's coordinates. */
    tn__ix linear = 0;
    for (uint32_t i = 0; i < hosting->rank; i++)
        hosting->extents[i] = 1;
    for (int32_t i = 0; i < type->rank; i++) {
        int32_t axis = (int32_t)hosting->rank - type->rank + i;
        hosting->extents[axis < 0 ? 0 : axis] *= type->shape[i];
    }
    for (uint32_t i = 0; i < hosting->rank; i++)
        linear = tn__ix_add(index, tn__ix_scale(index, linear, hosting->extents[i]),
                            tn__ix_axis(index, i, hosting->extents[i]));
    /* The unit's axes are the digits of the same number (tn__coords_cover). */
    const tn__unit *unit = &plan->units.data[unit_id];
    int64_t strides[TN_MAX_RANK], digits[TN_MAX_RANK], constant;
    tn_shape_strides(type->shape, type->rank, strides);
    tn__ix of_unit = tn__coords_address(&plan->space, coords, strides, 0);
    if (!tn__ix_affine(index, of_unit, digits, &constant))
        return tn_status_make(TN_INTERNAL, "scheduler: a template's kernel that does not cover");
    for (uint32_t a = 0; a < unit->n_axes; a++) {
        if (unit->extents[a] == 1) continue;
        int64_t place = digits[a] < 0 ? -digits[a] : digits[a];
        tn__ix digit = tn__ix_mod(index, tn__ix_div(index, linear, place), unit->extents[a]);
        if (digits[a] < 0)
            digit = tn__ix_offset(index, tn__ix_scale(index, digit, -1), unit->extents[a] - 1);
        hosting->axes[a] = digit;
    }
    plan->units.data[unit_id].hosting = *out = hosting;
    return tn__index_status(index);
}
