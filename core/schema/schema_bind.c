/* A call's arguments, put in schema order by Python's rules. Dispatch calls this
 * for every op, so nothing here allocates unless it fails or makes a list. */
#include <string.h>

#include "base/arena.h"
#include "base/near.h"
#include "schema/schema_internal.h"
#include "schema/value_fit.h"

static const char *plural(uint32_t n) {
    return n == 1 ? "" : "s";
}

static tn_status misfit_argument(const tn_schema *schema, const tn_schema_param *param,
                                 tn_status status) {
    return tn_status_annotate(status, "%s: argument '%s': ", schema->full_name, param->name);
}

static tn_status too_many(const tn_schema *schema, uint32_t n_args) {
    const char *name = schema->full_name;
    if (schema->n_positional < schema->n_params) {
        const char *next = schema->params[schema->n_positional].name;
        return tn_status_make(TN_INVALID,
                              "%s: takes at most %u argument%s by position, found %u; '%s' is "
                              "keyword-only: write %s=...",
                              name, schema->n_positional, plural(schema->n_positional), n_args,
                              next, next);
    }
    return tn_status_make(TN_INVALID, "%s: takes at most %u argument%s, found %u", name,
                          schema->n_params, plural(schema->n_params), n_args);
}

static tn_status unknown_name(const tn_schema *schema, const char *name) {
    tn_near near;
    tn_near_init(&near, name, strlen(name));
    for (uint32_t i = 0; i < schema->n_params; i++) {
        tn_near_offer(&near, schema->params[i].name);
    }
    char hint[TN_NEAR_TEXT];
    return tn_status_make(TN_INVALID, "%s: no argument is called '%.128s'%s; the schema is %s",
                          schema->full_name, name, tn_near_hint(&near, hint), schema->text);
}

static tn_status given_twice(const tn_schema *schema, uint32_t index, uint32_t n_args) {
    return tn_status_make(TN_INVALID, "%s: argument '%s' is given twice, %s", schema->full_name,
                          schema->params[index].name,
                          index < n_args ? "by position and by keyword" : "both by keyword");
}

static tn_status missing(const tn_schema *schema, const tn_schema_param *param, tn_arena *arena) {
    tn_strbuf type;
    tn_strbuf_init(&type, arena->allocator);
    tn_schema_print_type(&param->type, &type);
    tn_status status = tn_strbuf_status(&type);
    if (status == NULL) {
        /* "Optional" says that None is a value, not that it is the default. */
        status = tn_status_make(TN_INVALID, "%s: argument '%s' (%s) is missing%s",
                                schema->full_name, param->name, tn_strbuf_cstr(&type),
                                param->type.is_optional ? "; it has no default: pass None to leave "
                                                          "it out"
                                                        : "");
    }
    tn_strbuf_deinit(&type);
    return status;
}

static inline tn_status bind_one(const tn_schema *schema, uint32_t index, const tn_arg *value,
                                 tn_arena *arena, tn_arg *out_args) {
    const tn_schema_param *param = &schema->params[index];
    if (!param->type.is_list && tn__atom_fits(&param->type, param->type.is_optional, value)) {
        out_args[index] = *value;
        return NULL;
    }
    tn_status status = tn_schema_coerce(&param->type, value, arena, &out_args[index]);
    return status == NULL ? NULL : misfit_argument(schema, param, status);
}

static tn_status bind_named(const tn_schema *schema, const tn_attr *attr, uint32_t n_args,
                            uint64_t *bound, tn_arena *arena, tn_arg *out_args) {
    if (attr->name == NULL) {
        return tn_status_make(TN_INVALID, "%s: a named argument has no name", schema->full_name);
    }
    int32_t index = tn_schema_find_param(schema, attr->name);
    if (index < 0) return unknown_name(schema, attr->name);
    uint64_t bit = UINT64_C(1) << index;
    if ((*bound & bit) != 0) return given_twice(schema, (uint32_t)index, n_args);
    *bound |= bit;
    return bind_one(schema, (uint32_t)index, &attr->value, arena, out_args);
}

tn_status tn_schema_bind(const tn_schema *schema, const tn_arg *args, uint32_t n_args,
                         const tn_attr *named, uint32_t n_named, tn_arena *arena,
                         tn_arg *out_args) {
    if (n_args > schema->n_positional) return too_many(schema, n_args);
    for (uint32_t i = 0; i < n_args; i++)
        TN_TRY(bind_one(schema, i, &args[i], arena, out_args));

    uint64_t bound = n_args < 64 ? (UINT64_C(1) << n_args) - 1 : UINT64_MAX;
    for (uint32_t i = 0; i < n_named; i++) {
        TN_TRY(bind_named(schema, &named[i], n_args, &bound, arena, out_args));
    }
    for (uint32_t i = n_args; i < schema->n_params; i++) {
        if ((bound >> i & 1u) != 0) continue;
        if (!schema->params[i].has_default) return missing(schema, &schema->params[i], arena);
        out_args[i] = schema->params[i].default_value;
    }
    return NULL;
}
