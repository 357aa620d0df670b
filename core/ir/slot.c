#include "ir/slot.h"

#include <stdio.h>

const tn_slot *tn_slot_find(const tn_template *t, int32_t kind, int32_t operand,
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

bool tn_slot_fits(const tn_slot *slot, uint32_t index, tn_dt dt, char detail[256]) {
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

bool tn_slot_stores(const tn_template *t, tn_dt dt, char detail[256]) {
    uint32_t index;
    const tn_slot *slot = tn_slot_find(t, TN_SLOT_EPILOGUE, 0, &index);
    if (slot) return tn_slot_fits(slot, index, dt, detail);
    snprintf(detail, 256, "template %.64s has no slot for its result", t->name);
    return false;
}
