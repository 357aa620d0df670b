/* How a loop over a value runs in the coordinates of a template's slot. */
#include "schedule/plan.h"

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
