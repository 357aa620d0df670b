#include <string.h>

#include "schema/schema_internal.h"
#include "schema/value_names.h"

/* Where tn__value_describe stops, in bytes of output. */
enum { DESCRIBE_LENGTH = 48 };

void tn_schema_print_type(const tn_schema_type *type, tn_strbuf *out) {
    static const char *const names[] = {
#define NAME(name, text) [TN_SCHEMA_##name] = (text),
        TN_SCHEMA_TYPE_LIST(NAME)
#undef NAME
    };
    tn_strbuf_text(out, names[type->kind]);
    if (type->handle_type != NULL) tn_strbuf_printf(out, "<%s>", type->handle_type);
    if (type->alias != NULL) {
        tn_strbuf_printf(out, "(%s%s", type->alias, type->writes ? "!" : "");
        if (type->alias_after != NULL) tn_strbuf_printf(out, " -> %s", type->alias_after);
        tn_strbuf_char(out, ')');
    } else if (type->writes) {
        tn_strbuf_char(out, '!');
    }
    if (type->is_list) {
        if (type->element_is_optional) tn_strbuf_char(out, '?');
        tn_strbuf_char(out, '[');
        if (type->list_length >= 0) tn_strbuf_printf(out, "%d", (int)type->list_length);
        tn_strbuf_char(out, ']');
    }
    if (type->is_optional) tn_strbuf_char(out, '?');
}

static void print_string(const tn_arg *value, tn_strbuf *out, uint32_t max) {
    const char *text = value->v.str;
    if (text == NULL) {
        tn_strbuf_text(out, "a null string");
        return;
    }
    uint32_t shown = value->count <= max ? value->count : max;
    /* Not through the middle of a character. */
    while (shown < value->count && shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80)
        shown--;
    tn_strbuf_quoted(out, text, shown);
    if (shown < value->count) tn_strbuf_text(out, "...");
}

static void print_atom(const tn_arg *value, tn_strbuf *out, uint32_t string_max) {
    switch (value->tag) {
    case TN_TAG_NONE: tn_strbuf_text(out, "None"); return;
    case TN_TAG_TENSOR: tn_strbuf_text(out, "tensor"); return;
    case TN_TAG_LIST: tn_strbuf_text(out, "[...]"); return; /* inside a list */
    case TN_TAG_INT: tn_strbuf_printf(out, "%lld", (long long)value->v.i); return;
    case TN_TAG_FLOAT: tn_strbuf_double(out, value->v.f); return;
    case TN_TAG_BOOL: tn_strbuf_text(out, value->v.i != 0 ? "True" : "False"); return;
    case TN_TAG_STRING: print_string(value, out, string_max); return;
    case TN_TAG_DTYPE: tn_dtype_write(value->v.dtype, out); return;
    case TN_TAG_DEVICE: tn_device_write(value->v.device, out); return;
    case TN_TAG_HANDLE: tn_strbuf_text(out, "handle"); return;
    case TN_TAG_VALUE: tn_strbuf_text(out, "value"); return;
    case TN_TAG_DIM: tn_strbuf_text(out, "dim"); return;
    default: tn_strbuf_printf(out, "tag %u", (unsigned)value->tag); return;
    }
}

static void print_value(const tn_arg *value, tn_strbuf *out, size_t max) {
    uint32_t string_max = max < UINT32_MAX ? (uint32_t)max : UINT32_MAX;
    if (value->tag != TN_TAG_LIST) {
        print_atom(value, out, string_max);
        return;
    }
    size_t begin = out->length;
    tn_strbuf_char(out, '[');
    for (uint32_t i = 0; i < value->count && value->v.list != NULL; i++) {
        if (i > 0) tn_strbuf_text(out, ", ");
        if (out->failed) return;
        if (out->length - begin > max) {
            tn_strbuf_text(out, "...");
            break;
        }
        print_atom(&value->v.list[i], out, string_max);
    }
    tn_strbuf_char(out, ']');
}

void tn_schema_print_value(const tn_arg *value, tn_strbuf *out) {
    print_value(value, out, SIZE_MAX);
}

/* "float 2.5", "a list of 3: [1, 2, 3]", "None", "a tensor" */
void tn__value_describe(const tn_arg *value, tn_strbuf *out) {
    switch (value->tag) {
    case TN_TAG_LIST: tn_strbuf_printf(out, "a list of %u: ", (unsigned)value->count); break;
    case TN_TAG_INT: tn_strbuf_text(out, "int "); break;
    case TN_TAG_FLOAT: tn_strbuf_text(out, "float "); break;
    case TN_TAG_BOOL:
        tn_strbuf_text(out, "bool ");
        if (value->v.i != 0 && value->v.i != 1) {
            tn_strbuf_printf(out, "with the value %lld", (long long)value->v.i);
            return;
        }
        break;
    case TN_TAG_STRING:
        if (value->v.str != NULL) tn_strbuf_text(out, "str ");
        break;
    case TN_TAG_DTYPE: tn_strbuf_text(out, "dtype "); break;
    case TN_TAG_DEVICE: tn_strbuf_text(out, "device "); break;
    case TN_TAG_TENSOR:
        tn_strbuf_text(out, value->v.tensor == NULL ? "a null tensor" : "a tensor");
        return;
    case TN_TAG_HANDLE:
        if (value->v.handle == NULL || value->v.handle->type_name == NULL) {
            tn_strbuf_text(out, "a null handle");
        } else {
            tn_strbuf_printf(out, "a handle of type %.64s", value->v.handle->type_name);
        }
        return;
    case TN_TAG_VALUE: tn_strbuf_text(out, "a tensor"); return;
    case TN_TAG_DIM: tn_strbuf_text(out, "a size that is not known yet"); return;
    case TN_TAG_NONE: break;
    default: tn_strbuf_printf(out, "a value with the unknown tag %u", (unsigned)value->tag); return;
    }
    print_value(value, out, DESCRIBE_LENGTH);
}

static void print_param(const tn_schema_param *param, tn_strbuf *out) {
    tn_schema_print_type(&param->type, out);
    tn_strbuf_printf(out, " %s", param->name);
    if (param->has_default) {
        tn_strbuf_char(out, '=');
        tn_schema_print_value(&param->default_value, out);
    }
}

static void print_result(const tn_schema_result *result, tn_strbuf *out) {
    tn_schema_print_type(&result->type, out);
    if (result->name != NULL) tn_strbuf_printf(out, " %s", result->name);
}

void tn__schema_print(const tn_schema *schema, tn_strbuf *out) {
    tn_strbuf_text(out, schema->full_name);
    tn_strbuf_char(out, '(');
    for (uint32_t i = 0; i < schema->n_params; i++) {
        if (i > 0) tn_strbuf_text(out, ", ");
        if (i == schema->n_positional) tn_strbuf_text(out, "*, ");
        print_param(&schema->params[i], out);
    }
    tn_strbuf_text(out, ") -> ");
    bool many = schema->n_results != 1;
    if (many) tn_strbuf_char(out, '(');
    for (uint32_t i = 0; i < schema->n_results; i++) {
        if (i > 0) tn_strbuf_text(out, ", ");
        print_result(&schema->results[i], out);
    }
    if (many) tn_strbuf_char(out, ')');
}
