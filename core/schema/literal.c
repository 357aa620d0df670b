#include "schema/literal.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/vec.h"
#include "schema/value_names.h"

#define NUMBER_MAX 400 /* characters; longer ones are a mistake */

static tn_status parse_int(const tn_lexer *lexer, const tn_token *token, bool negative,
                           tn_arg *out) {
    char digits[NUMBER_MAX + 2];
    size_t length = 0;
    if (negative) digits[length++] = '-';
    if (token->length <= NUMBER_MAX) {
        memcpy(digits + length, token->text, token->length);
        length += token->length;
        if (tn_int_parse(digits, length, &out->v.i)) {
            out->tag = TN_TAG_INT;
            return NULL;
        }
    }
    return tn_lexer_error(lexer, token,
                          "this integer does not fit in 64 bits; a float is written "
                          "with a '.' or an exponent");
}

static tn_status parse_float(const tn_lexer *lexer, const tn_token *token, bool negative,
                             tn_arg *out) {
    double value = 0;
    if (token->length > NUMBER_MAX || !tn_double_parse(token->text, token->length, &value)) {
        return tn_lexer_error(lexer, token, "this number has more than %d characters", NUMBER_MAX);
    }
    if (isinf(value)) {
        return tn_lexer_error(lexer, token,
                              "this number is beyond the largest float; write inf "
                              "if infinity is meant");
    }
    *out = (tn_arg){.tag = TN_TAG_FLOAT, .v.f = negative ? -value : value};
    return NULL;
}

static tn_status parse_device(tn_lexer *lexer, tn_device device, tn_arg *out) {
    TN_TRY(tn_lexer_next(lexer));
    bool has_id = false, negative = false;
    TN_TRY(tn_lexer_take(lexer, ":", &has_id));
    if (has_id) {
        TN_TRY(tn_lexer_take(lexer, "-", &negative));
        tn_token token = lexer->token;
        if (token.kind != TN_TOKEN_INT) return tn_lexer_unexpected(lexer, "a device number");
        tn_arg id = {0};
        TN_TRY(parse_int(lexer, &token, negative, &id));
        if (id.v.i < INT32_MIN || id.v.i > INT32_MAX) {
            return tn_lexer_error(lexer, &token, "this device number does not fit in 32 bits");
        }
        device.id = (int32_t)id.v.i;
        TN_TRY(tn_lexer_next(lexer));
    }
    *out = (tn_arg){.tag = TN_TAG_DEVICE, .v.device = device};
    return NULL;
}

static bool find_constant(const tn_token *token, tn_arg *out) {
    static const struct {
        const char *text;
        tn_arg value;
    } constants[] = {
        {"None", {.tag = TN_TAG_NONE}},
        {"none", {.tag = TN_TAG_NONE}},
        {"True", {.tag = TN_TAG_BOOL, .v.i = 1}},
        {"true", {.tag = TN_TAG_BOOL, .v.i = 1}},
        {"False", {.tag = TN_TAG_BOOL, .v.i = 0}},
        {"false", {.tag = TN_TAG_BOOL, .v.i = 0}},
        {"inf", {.tag = TN_TAG_FLOAT, .v.f = (double)INFINITY}},
        {"nan", {.tag = TN_TAG_FLOAT, .v.f = (double)NAN}},
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (strlen(constants[i].text) == token->length &&
            memcmp(constants[i].text, token->text, token->length) == 0) {
            *out = constants[i].value;
            return true;
        }
    }
    return false;
}

static tn_status parse_name(tn_lexer *lexer, tn_arg *out) {
    const tn_token *token = &lexer->token;
    tn_dtype dtype;
    tn_device device;
    if (find_constant(token, out)) return tn_lexer_next(lexer);
    if (tn_dtype_read(token->text, token->length, &dtype)) {
        *out = (tn_arg){.tag = TN_TAG_DTYPE, .v.dtype = dtype};
        return tn_lexer_next(lexer);
    }
    if (tn_device_type_read(token->text, token->length, &device)) {
        return parse_device(lexer, device, out);
    }
    return tn_lexer_error(lexer, token,
                          "'%.*s' is no value; expected a number, a \"string\", True, False, None, "
                          "inf, nan, a dtype like f32 or a device like cuda:0",
                          token->length < 40 ? (int)token->length : 40, token->text);
}

static tn_status parse_negative(tn_lexer *lexer, tn_arg *out) {
    TN_TRY(tn_lexer_next(lexer));
    tn_token token = lexer->token;
    if (token.kind == TN_TOKEN_INT) {
        TN_TRY(parse_int(lexer, &token, true, out));
    } else if (token.kind == TN_TOKEN_FLOAT) {
        TN_TRY(parse_float(lexer, &token, true, out));
    } else if (tn_lexer_at_name(lexer, "inf")) {
        *out = (tn_arg){.tag = TN_TAG_FLOAT, .v.f = -(double)INFINITY};
    } else {
        return tn_lexer_unexpected(lexer, "a number after '-'");
    }
    return tn_lexer_next(lexer);
}

bool tn_literal_starts(const tn_lexer *lexer) {
    switch (lexer->token.kind) {
    case TN_TOKEN_NAME:
    case TN_TOKEN_INT:
    case TN_TOKEN_FLOAT:
    case TN_TOKEN_STRING: return true;
    case TN_TOKEN_PUNCT: return tn_lexer_at(lexer, "-") || tn_lexer_at(lexer, "[");
    case TN_TOKEN_END: break;
    }
    return false;
}

tn_status tn_literal_atom(tn_lexer *lexer, tn_arena *arena, tn_arg *out_value) {
    *out_value = (tn_arg){0};
    tn_token token = lexer->token;
    switch (token.kind) {
    case TN_TOKEN_NAME: return parse_name(lexer, out_value);
    case TN_TOKEN_INT: TN_TRY(parse_int(lexer, &token, false, out_value)); break;
    case TN_TOKEN_FLOAT: TN_TRY(parse_float(lexer, &token, false, out_value)); break;
    case TN_TOKEN_STRING: {
        size_t length = 0;
        TN_TRY(tn_lexer_string(lexer, &token, arena, &out_value->v.str, &length));
        if (length > UINT32_MAX) return tn_lexer_error(lexer, &token, "this string is too long");
        out_value->tag = TN_TAG_STRING;
        out_value->count = (uint32_t)length;
        break;
    }
    case TN_TOKEN_PUNCT:
        if (tn_lexer_at(lexer, "-")) return parse_negative(lexer, out_value);
        return tn_lexer_unexpected(lexer, "a value");
    case TN_TOKEN_END: return tn_lexer_unexpected(lexer, "a value");
    }
    return tn_lexer_next(lexer);
}

typedef TN_VEC(tn_arg) arg_vec;

static tn_status parse_items(tn_lexer *lexer, tn_arena *arena, arg_vec *items) {
    bool more = !tn_lexer_at(lexer, "]");
    while (more) {
        if (tn_lexer_at(lexer, "[")) {
            return tn_lexer_error(lexer, &lexer->token,
                                  "lists of lists are not part of the language");
        }
        tn_arg item;
        TN_TRY(tn_literal_atom(lexer, arena, &item));
        if (!tn_vec_push(arena->allocator, items, item)) return tn_status_no_memory();
        TN_TRY(tn_lexer_take(lexer, ",", &more));
    }
    return tn_lexer_expect(lexer, "]", "or ',' in the list");
}

tn_status tn_literal_parse(tn_lexer *lexer, tn_arena *arena, tn_arg *out_value) {
    if (!tn_lexer_at(lexer, "[")) return tn_literal_atom(lexer, arena, out_value);
    *out_value = (tn_arg){0};
    tn_token open = lexer->token;
    TN_TRY(tn_lexer_next(lexer));
    arg_vec items = {0};
    tn_status status = parse_items(lexer, arena, &items);
    if (status == NULL && items.len > UINT32_MAX) {
        status = tn_lexer_error(lexer, &open, "this list is too long");
    }
    if (status == NULL) {
        const tn_arg *list = tn_arena_copy(arena, items.data, items.len * sizeof *items.data);
        if (list == NULL) status = tn_status_no_memory();
        *out_value = (tn_arg){.tag = TN_TAG_LIST, .count = (uint32_t)items.len, .v.list = list};
    }
    tn_vec_free(arena->allocator, &items);
    return status;
}
