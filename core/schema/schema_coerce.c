/* Fitting a value to a type. */
#include "base/arena.h"
#include "schema/schema_internal.h"
#include "schema/value_fit.h"

/* One element, converted where the type allows it. */
static bool atom_convert(const tn_schema_type *type, bool optional, const tn_arg *value,
                         tn_arg *out) {
    if (tn__atom_fits(type, optional, value)) {
        *out = *value;
        return true;
    }
    if (type->kind == TN_SCHEMA_FLOAT && value->tag == TN_TAG_INT) {
        *out = (tn_arg){.tag = TN_TAG_FLOAT, .v.f = (double)value->v.i};
        return true;
    }
    return false;
}

/* Whether one T given for a list of T stands for a list of it. */
static bool spreads(const tn_schema_type *type) {
    return type->kind == TN_SCHEMA_INT || type->kind == TN_SCHEMA_FLOAT ||
           type->kind == TN_SCHEMA_BOOL || type->kind == TN_SCHEMA_SCALAR;
}

static const char *misfit_hint(const tn_schema_type *type, const tn_arg *found) {
    bool number = type->kind == TN_SCHEMA_INT || type->kind == TN_SCHEMA_FLOAT;
    if (found->tag == TN_TAG_NONE) return "; only an optional type (with '?') takes None";
    if (found->tag == TN_TAG_BOOL && number) return "; a bool is not a number";
    if (found->tag == TN_TAG_FLOAT && number) return "; a float never becomes an int";
    return "";
}

/* index: of the element found, -1 when it is the value as a whole. */
static tn_status misfit(const tn_schema_type *type, const tn_arg *found, int64_t index,
                        const tn_allocator *allocator) {
    tn_strbuf expected, given;
    tn_strbuf_init(&expected, allocator);
    tn_strbuf_init(&given, allocator);
    tn_schema_print_type(type, &expected);
    tn__value_describe(found, &given);
    if (index >= 0) {
        tn_strbuf_printf(&given, " at index %lld", (long long)index);
    }
    tn_status status = tn_strbuf_status(&expected);
    if (status == NULL) status = tn_strbuf_status(&given);
    if (status == NULL) {
        status = tn_status_make(TN_INVALID, "expected %s, found %s%s", tn_strbuf_cstr(&expected),
                                tn_strbuf_cstr(&given), misfit_hint(type, found));
    }
    tn_strbuf_deinit(&expected);
    tn_strbuf_deinit(&given);
    return status;
}

/* A list whose elements do not all fit as they are, from element `first` on. */
static tn_status convert_list(const tn_schema_type *type, const tn_arg *value, uint32_t first,
                              tn_arena *arena, tn_arg *out) {
    for (uint32_t i = first; i < value->count; i++) {
        const tn_arg *element = &value->v.list[i];
        tn_arg converted;
        if (!atom_convert(type, type->element_is_optional, element, &converted)) {
            return misfit(type, element, i, arena->allocator);
        }
    }
    tn_arg *list = tn_arena_array(arena, value->count, sizeof *list);
    if (list == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < value->count; i++) {
        atom_convert(type, type->element_is_optional, &value->v.list[i], &list[i]);
    }
    *out = (tn_arg){.tag = TN_TAG_LIST, .count = value->count, .v.list = list};
    return NULL;
}

static tn_status coerce_list(const tn_schema_type *type, const tn_arg *value, tn_arena *arena,
                             tn_arg *out) {
    if (!tn__is_well_formed(value)) {
        return tn_status_make(TN_INVALID, "expected a list, found a null list of %u",
                              (unsigned)value->count);
    }
    if (type->list_length >= 0 && value->count != (uint32_t)type->list_length) {
        return misfit(type, value, -1, arena->allocator);
    }
    for (uint32_t i = 0; i < value->count; i++) {
        if (!tn__atom_fits(type, type->element_is_optional, &value->v.list[i])) {
            return convert_list(type, value, i, arena, out);
        }
    }
    *out = *value;
    return NULL;
}

/* One T for T[n] or T[]. */
static tn_status coerce_spread(const tn_schema_type *type, const tn_arg *value, tn_arena *arena,
                               tn_arg *out) {
    tn_arg element;
    if (!spreads(type) || !atom_convert(type, false, value, &element)) {
        return misfit(type, value, -1, arena->allocator);
    }
    uint32_t n = type->list_length >= 0 ? (uint32_t)type->list_length : 1;
    tn_arg *list = tn_arena_array(arena, n, sizeof *list);
    if (list == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < n; i++)
        list[i] = element;
    *out = (tn_arg){.tag = TN_TAG_LIST, .count = n, .v.list = list};
    return NULL;
}

tn_status tn_schema_coerce(const tn_schema_type *type, const tn_arg *value, tn_arena *arena,
                           tn_arg *out_value) {
    if (!type->is_list) {
        if (atom_convert(type, type->is_optional, value, out_value)) return NULL;
        return misfit(type, value, -1, arena->allocator);
    }
    if (value->tag == TN_TAG_LIST) return coerce_list(type, value, arena, out_value);
    if (value->tag == TN_TAG_NONE && type->is_optional) {
        *out_value = *value;
        return NULL;
    }
    return coerce_spread(type, value, arena, out_value);
}
