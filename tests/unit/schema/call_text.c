#include "unit/schema/call_text.h"

#include <string.h>

#include "schema/literal.h"

enum { CALL_MAX = 80 };

tn_tensor call_text_tensor;

static tn_status read_handle(tn_lexer *lexer, tn_arena *arena, tn_arg *out) {
    tn_handle *handle = tn_arena_alloc(arena, sizeof *handle);
    char *name = tn_arena_strndup(arena, lexer->token.text, lexer->token.length);
    if (!handle || !name) return tn_status_no_memory();
    handle->struct_size = sizeof *handle;
    handle->type_name = name;
    *out = (tn_arg){.tag = TN_TAG_HANDLE, .v.handle = handle};
    return tn_lexer_next(lexer);
}

static tn_status read_atom(tn_lexer *lexer, tn_arena *arena, tn_arg *out) {
    bool tensor = false, handle = false, dim = false;
    TN_TRY(tn_lexer_take(lexer, "%", &tensor));
    TN_TRY(tn_lexer_take(lexer, "@", &handle));
    TN_TRY(tn_lexer_take(lexer, "$", &dim));
    if (tensor) {
        *out = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &call_text_tensor};
        return tn_lexer_next(lexer);
    }
    if (handle) return read_handle(lexer, arena, out);
    TN_TRY(tn_literal_atom(lexer, arena, out));
    if (dim) *out = (tn_arg){.tag = TN_TAG_DIM, .v.dim = {(uint64_t)out->v.i}};
    return NULL;
}

static tn_status read_value(tn_lexer *lexer, tn_arena *arena, tn_arg *out) {
    if (!tn_lexer_at(lexer, "[")) return read_atom(lexer, arena, out);
    tn_arg items[CALL_MAX];
    uint32_t count = 0;
    TN_TRY(tn_lexer_next(lexer));
    bool more = !tn_lexer_at(lexer, "]");
    while (more && count < CALL_MAX) {
        TN_TRY(read_atom(lexer, arena, &items[count++]));
        TN_TRY(tn_lexer_take(lexer, ",", &more));
    }
    const tn_arg *list = tn_arena_copy(arena, items, count * sizeof *items);
    if (!list) return tn_status_no_memory();
    *out = (tn_arg){.tag = TN_TAG_LIST, .count = count, .v.list = list};
    return tn_lexer_expect(lexer, "]", "after the list");
}

tn_status call_text_value(const char *text, size_t length, tn_arena *arena, tn_arg *out_value) {
    tn_lexer lexer;
    TN_TRY(tn_lexer_init(&lexer, "value", text, length, false));
    TN_TRY(read_value(&lexer, arena, out_value));
    return lexer.token.kind == TN_TOKEN_END ? NULL : tn_lexer_unexpected(&lexer, "the end");
}

/* Whether "name =" comes next. */
static bool at_keyword(const tn_lexer *lexer) {
    tn_lexer ahead = *lexer;
    if (lexer->token.kind != TN_TOKEN_NAME) return false;
    tn_status status = tn_lexer_next(&ahead);
    tn_status_ignore(status);
    return !status && tn_lexer_at(&ahead, "=");
}

tn_status call_text_bind(const tn_schema *schema, const char *text, size_t length, tn_arena *arena,
                         tn_arg *out_args) {
    tn_lexer lexer;
    tn_arg args[CALL_MAX];
    tn_attr named[CALL_MAX];
    uint32_t n_args = 0, n_named = 0;
    TN_TRY(tn_lexer_init(&lexer, "call", text, length, false));
    bool more = lexer.token.kind != TN_TOKEN_END;
    while (more && n_args < CALL_MAX && n_named < CALL_MAX) {
        if (at_keyword(&lexer)) {
            tn_attr *attr = &named[n_named++];
            attr->name = tn_arena_strndup(arena, lexer.token.text, lexer.token.length);
            if (!attr->name) return tn_status_no_memory();
            TN_TRY(tn_lexer_next(&lexer));
            TN_TRY(tn_lexer_next(&lexer));
            TN_TRY(read_value(&lexer, arena, &attr->value));
        } else {
            TN_TRY(read_value(&lexer, arena, &args[n_args++]));
        }
        TN_TRY(tn_lexer_take(&lexer, ",", &more));
    }
    if (lexer.token.kind != TN_TOKEN_END) return tn_lexer_unexpected(&lexer, "the end of the call");
    return tn_schema_bind(schema, args, n_args, named, n_named, arena, out_args);
}
