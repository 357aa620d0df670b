/* Whether a value fits a type without conversion: what binding asks of each
 * argument of each call, and so inline. */
#ifndef TN_SCHEMA_VALUE_FIT_H
#define TN_SCHEMA_VALUE_FIT_H

#include <string.h>

#include "schema/schema.h"

/* Whether the value keeps what its tag promises. */
static inline bool tn__is_well_formed(const tn_arg *value) {
    switch (value->tag) {
    case TN_TAG_TENSOR: return value->v.tensor != NULL;
    case TN_TAG_BOOL: return value->v.i == 0 || value->v.i == 1;
    case TN_TAG_STRING: return value->v.str != NULL;
    case TN_TAG_HANDLE: return value->v.handle != NULL && value->v.handle->type_name != NULL;
    case TN_TAG_LIST: return value->count == 0 || value->v.list != NULL;
    default: return true;
    }
}

/* Which tags fit each kind as they are: a bit for each. */
static inline uint32_t tn__fitting_tags(tn_schema_kind kind) {
#define TN_TAG_BIT(name) (1u << TN_TAG_##name)
    static const uint32_t tags[] = {
        [TN_SCHEMA_TENSOR] = TN_TAG_BIT(TENSOR) | TN_TAG_BIT(VALUE),
        [TN_SCHEMA_INT] = TN_TAG_BIT(INT) | TN_TAG_BIT(DIM),
        [TN_SCHEMA_FLOAT] = TN_TAG_BIT(FLOAT),
        [TN_SCHEMA_BOOL] = TN_TAG_BIT(BOOL),
        [TN_SCHEMA_STR] = TN_TAG_BIT(STRING),
        [TN_SCHEMA_SCALAR] = TN_TAG_BIT(INT) | TN_TAG_BIT(FLOAT) | TN_TAG_BIT(BOOL) |
                             TN_TAG_BIT(DIM),
        [TN_SCHEMA_DTYPE] = TN_TAG_BIT(DTYPE),
        [TN_SCHEMA_DEVICE] = TN_TAG_BIT(DEVICE),
        [TN_SCHEMA_HANDLE] = TN_TAG_BIT(HANDLE),
    };
#undef TN_TAG_BIT
    return tags[kind];
}

/* Whether one element (of a list, or the value of a type that is no list) fits. */
static inline bool tn__atom_fits(const tn_schema_type *type, bool optional, const tn_arg *value) {
    if (value->tag == TN_TAG_NONE) return optional;
    if (value->tag > TN_TAG_DIM) return false;
    if ((tn__fitting_tags(type->kind) >> value->tag & 1u) == 0) return false;
    if (!tn__is_well_formed(value)) return false;
    return type->handle_type == NULL || strcmp(type->handle_type, value->v.handle->type_name) == 0;
}

#endif
