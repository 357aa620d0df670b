/* Types: Tensor(a!)?[2]? and the rest. */
#include <string.h>

#include "base/near.h"
#include "base/number.h"
#include "schema/schema_internal.h"

enum { ALIAS_NAMES = 16 };

typedef struct alias_set {
    tn_token names[ALIAS_NAMES];
    uint32_t count;
    bool any; /* '*': then the names say nothing more */
} alias_set;

static bool alias_set_has(const alias_set *set, const tn_token *name) {
    for (uint32_t i = 0; i < set->count; i++) {
        const tn_token *other = &set->names[i];
        if (other->length == name->length && memcmp(other->text, name->text, name->length) == 0) {
            return true;
        }
    }
    return false;
}

/* a, a|b, * */
static tn_status parse_alias_set(tn_lexer *lexer, alias_set *set) {
    *set = (alias_set){0};
    bool more = true;
    while (more) {
        bool any = false;
        TN_TRY(tn_lexer_take(lexer, "*", &any));
        set->any |= any;
        if (!any) {
            tn_token name = lexer->token;
            if (name.kind != TN_TOKEN_NAME) {
                return tn_lexer_unexpected(lexer, "the name of an alias set, or '*'");
            }
            if (!alias_set_has(set, &name)) {
                if (set->count == ALIAS_NAMES) {
                    return tn_lexer_error(lexer, &name, "more than %d alias sets", ALIAS_NAMES);
                }
                set->names[set->count++] = name;
            }
            TN_TRY(tn_lexer_next(lexer));
        }
        TN_TRY(tn_lexer_take(lexer, "|", &more));
    }
    return NULL;
}

static char *alias_set_text(const alias_set *set, tn_arena *arena) {
    if (set->any) return tn_arena_strdup(arena, "*");
    size_t length = 0;
    for (uint32_t i = 0; i < set->count; i++)
        length += set->names[i].length + 1;
    char *text = tn_arena_alloc(arena, length);
    if (text == NULL) return NULL;
    char *at = text;
    for (uint32_t i = 0; i < set->count; i++) {
        if (i > 0) *at++ = '|';
        memcpy(at, set->names[i].text, set->names[i].length);
        at += set->names[i].length;
    }
    return text; /* zeroed, so it ends in a NUL */
}

/* "(a! -> b|c)", at its '('. */
static tn_status parse_alias(tn_lexer *lexer, tn_arena *arena, tn_schema_type *type) {
    alias_set before, after;
    bool changes = false;
    TN_TRY(tn_lexer_next(lexer));
    TN_TRY(parse_alias_set(lexer, &before));
    TN_TRY(tn_lexer_take(lexer, "!", &type->writes));
    TN_TRY(tn_lexer_take(lexer, "->", &changes));
    type->alias = alias_set_text(&before, arena);
    if (type->alias == NULL) return tn_status_no_memory();
    if (changes) {
        TN_TRY(parse_alias_set(lexer, &after));
        type->alias_after = alias_set_text(&after, arena);
        if (type->alias_after == NULL) return tn_status_no_memory();
    }
    return tn_lexer_expect(lexer, ")", "after the alias set");
}

const char *tn__alias_next(const char **at, size_t *out_length) {
    const char *name = *at;
    if (name == NULL || name[0] == '\0') return NULL;
    *out_length = strcspn(name, "|");
    *at = name[*out_length] == '|' ? name + *out_length + 1 : name + *out_length;
    return name;
}

bool tn__alias_has(const char *set, const char *name, size_t length) {
    size_t n = 0;
    for (const char *at = set, *other; (other = tn__alias_next(&at, &n)) != NULL;) {
        if (n == length && memcmp(other, name, length) == 0) return true;
    }
    return false;
}

static bool sets_meet(const char *a, const char *b) {
    if (a == NULL || b == NULL) return false;
    if (strcmp(a, "*") == 0 || strcmp(b, "*") == 0) return true;
    size_t length = 0;
    for (const char *at = a, *name; (name = tn__alias_next(&at, &length)) != NULL;) {
        if (tn__alias_has(b, name, length)) return true;
    }
    return false;
}

bool tn_schema_types_alias(const tn_schema_type *a, const tn_schema_type *b) {
    return sets_meet(a->alias, b->alias) || sets_meet(a->alias, b->alias_after) ||
           sets_meet(a->alias_after, b->alias) || sets_meet(a->alias_after, b->alias_after);
}

/* "<acme::cache>", at its '<'. The name may have parts joined by "::" or '.'. */
static tn_status parse_handle_type(tn_lexer *lexer, tn_arena *arena, tn_schema_type *type) {
    char name[128];
    size_t length = 0;
    TN_TRY(tn_lexer_next(lexer));
    bool wants_name = true;
    while (wants_name || tn_lexer_at(lexer, "::") || tn_lexer_at(lexer, ".")) {
        tn_token part = lexer->token;
        if (wants_name && part.kind != TN_TOKEN_NAME) {
            return tn_lexer_unexpected(lexer, "the name of the handle's type");
        }
        if (part.length >= sizeof name - length) {
            return tn_lexer_error(lexer, &part, "a handle's type name has at most %zu characters",
                                  sizeof name - 1);
        }
        memcpy(name + length, part.text, part.length);
        length += part.length;
        wants_name = !wants_name;
        TN_TRY(tn_lexer_next(lexer));
    }
    type->handle_type = tn_arena_strndup(arena, name, length);
    if (type->handle_type == NULL) return tn_status_no_memory();
    return tn_lexer_expect(lexer, ">", "after the handle's type");
}

static tn_status unknown_type(const tn_lexer *lexer) {
    static const char *const kinds[] = {
#define TEXT(name, text) text,
        TN_SCHEMA_TYPE_LIST(TEXT)
#undef TEXT
    };
    const tn_token *token = &lexer->token;
    tn_near near;
    tn_near_init(&near, token->text, token->length);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        tn_near_offer(&near, kinds[i]);
    char hint[TN_NEAR_TEXT];
    int shown = token->length < 40 ? (int)token->length : 40;
    return tn_lexer_error(lexer, token,
                          "unknown type '%.*s'%s; the types are Tensor, int, float, bool, str, "
                          "Scalar, ScalarType, Device, and Handle<%.*s> for an object of another "
                          "library",
                          shown, token->text, tn_near_hint(&near, hint), shown, token->text);
}

static tn_status parse_kind(tn_lexer *lexer, tn_schema_kind *out_kind) {
    static const struct {
        const char *text;
        tn_schema_kind kind;
    } kinds[] = {
#define KIND(name, text) {text, TN_SCHEMA_##name},
        TN_SCHEMA_TYPE_LIST(KIND)
#undef KIND
            {"SymInt", TN_SCHEMA_INT},
    };
    const tn_token *token = &lexer->token;
    if (tn_lexer_at(lexer, "...")) {
        return tn_lexer_error(lexer, token,
                              "a variable number of arguments is not part of the "
                              "language; take a list, as in Tensor[] xs");
    }
    if (token->kind != TN_TOKEN_NAME) return tn_lexer_unexpected(lexer, "a type");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (tn_lexer_at_name(lexer, kinds[i].text)) {
            *out_kind = kinds[i].kind;
            return tn_lexer_next(lexer);
        }
    }
    return unknown_type(lexer);
}

/* "[]" or "[n]", at its '['. */
static tn_status parse_list(tn_lexer *lexer, tn_schema_type *type) {
    TN_TRY(tn_lexer_next(lexer));
    type->is_list = true;
    type->element_is_optional = type->is_optional;
    type->is_optional = false;
    type->list_length = TN_SCHEMA_LIST_ANY;
    tn_token token = lexer->token;
    if (token.kind == TN_TOKEN_INT) {
        int64_t n = 0;
        if (!tn_int_parse(token.text, token.length, &n) || n > TN_SCHEMA_MAX_LIST_LENGTH) {
            return tn_lexer_error(lexer, &token, "a list has at most %d elements",
                                  TN_SCHEMA_MAX_LIST_LENGTH);
        }
        type->list_length = (int32_t)n;
        TN_TRY(tn_lexer_next(lexer));
    }
    TN_TRY(tn_lexer_expect(lexer, "]", "or a length"));
    if (tn_lexer_at(lexer, "(") || tn_lexer_at(lexer, "!")) {
        return tn_lexer_error(
            lexer, &lexer->token,
            "a list itself has no alias set; its elements may, as in Tensor(a)[]");
    }
    return tn_lexer_take(lexer, "?", &type->is_optional);
}

tn_status tn__schema_parse_type(tn_lexer *lexer, tn_arena *arena, tn_schema_type *out_type) {
    tn_schema_type type = {0};
    TN_TRY(parse_kind(lexer, &type.kind));
    if (type.kind == TN_SCHEMA_HANDLE && tn_lexer_at(lexer, "<")) {
        TN_TRY(parse_handle_type(lexer, arena, &type));
    }
    if (tn_lexer_at(lexer, "(") || tn_lexer_at(lexer, "!")) {
        if (type.kind != TN_SCHEMA_TENSOR) {
            return tn_lexer_error(lexer, &lexer->token, "only a Tensor has an alias set");
        }
        if (tn_lexer_at(lexer, "(")) {
            TN_TRY(parse_alias(lexer, arena, &type));
        } else {
            TN_TRY(tn_lexer_take(lexer, "!", &type.writes));
        }
    }
    TN_TRY(tn_lexer_take(lexer, "?", &type.is_optional));
    if (tn_lexer_at(lexer, "[")) TN_TRY(parse_list(lexer, &type));
    if (tn_lexer_at(lexer, "[")) {
        return tn_lexer_error(lexer, &lexer->token, "lists of lists are not part of the language");
    }
    if (tn_lexer_at(lexer, "?")) {
        return tn_lexer_error(lexer, &lexer->token, "the type is optional already");
    }
    *out_type = type;
    return NULL;
}
