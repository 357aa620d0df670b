#include "schema/token.h"

#include <stdio.h>
#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_part(char c) {
    return is_name_start(c) || is_digit(c);
}

/* The character at position i, or NUL past the end (a NUL in the text is no
 * token's part, so the two need not be told apart). */
static char char_at(const tn_lexer *lexer, size_t i) {
    return i < lexer->length ? lexer->text[i] : '\0';
}

static size_t skip_blank(const tn_lexer *lexer, size_t i) {
    while (i < lexer->length) {
        char c = lexer->text[i];
        if (c == '#' && lexer->comments) {
            while (i < lexer->length && lexer->text[i] != '\n')
                i++;
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            i++;
        } else {
            break;
        }
    }
    return i;
}

static tn_token token_make(const tn_lexer *lexer, tn_token_kind kind, size_t begin, size_t end) {
    return (tn_token){.kind = kind, .text = lexer->text + begin, .length = end - begin};
}

static size_t skip_digits(const tn_lexer *lexer, size_t i) {
    while (is_digit(char_at(lexer, i)))
        i++;
    return i;
}

static tn_status read_number(tn_lexer *lexer, size_t begin) {
    tn_token_kind kind = TN_TOKEN_INT;
    size_t end = skip_digits(lexer, begin);
    /* "1..." is a number and an ellipsis. */
    if (char_at(lexer, end) == '.' && char_at(lexer, end + 1) != '.') {
        kind = TN_TOKEN_FLOAT;
        end = skip_digits(lexer, end + 1);
    }
    if (char_at(lexer, end) == 'e' || char_at(lexer, end) == 'E') {
        char sign = char_at(lexer, end + 1);
        size_t digits = end + (sign == '+' || sign == '-' ? 2 : 1);
        if (is_digit(char_at(lexer, digits))) {
            kind = TN_TOKEN_FLOAT;
            end = skip_digits(lexer, digits);
        }
    }
    if (is_name_part(char_at(lexer, end))) {
        while (is_name_part(char_at(lexer, end)))
            end++;
        tn_token bad = token_make(lexer, kind, begin, end);
        return tn_lexer_error(lexer, &bad, "'%.*s' is neither a number nor a name",
                              bad.length < 40 ? (int)bad.length : 40, bad.text);
    }
    lexer->token = token_make(lexer, kind, begin, end);
    lexer->position = end;
    return NULL;
}

static tn_status read_string(tn_lexer *lexer, size_t begin) {
    char quote = lexer->text[begin];
    size_t end = begin + 1;
    while (end < lexer->length && lexer->text[end] != quote) {
        char c = lexer->text[end];
        if (c == '\0') {
            tn_token bad = token_make(lexer, TN_TOKEN_STRING, end, end + 1);
            return tn_lexer_error(lexer, &bad, "a string cannot hold a NUL byte");
        }
        if (c == '\n') break;
        /* What an escape means is tn_lexer_string's matter. */
        end += c == '\\' && char_at(lexer, end + 1) != '\n' ? 2 : 1;
    }
    if (char_at(lexer, end) != quote) {
        tn_token bad = token_make(lexer, TN_TOKEN_STRING, begin, begin + 1);
        return tn_lexer_error(lexer, &bad,
                              "the string that starts here lacks its closing %c on "
                              "this line; write a line break as \\n",
                              quote);
    }
    lexer->token = token_make(lexer, TN_TOKEN_STRING, begin, end + 1);
    lexer->position = end + 1;
    return NULL;
}

static size_t punct_length(const tn_lexer *lexer, size_t i) {
    static const char singles[] = "()[]{}<>,=*!|?:.-+%@$";
    char c = lexer->text[i];
    if (c == ':' && char_at(lexer, i + 1) == ':') return 2;
    if (c == '-' && char_at(lexer, i + 1) == '>') return 2;
    if (c == '.' && char_at(lexer, i + 1) == '.' && char_at(lexer, i + 2) == '.') return 3;
    return c != '\0' && strchr(singles, c) != NULL ? 1 : 0;
}

tn_status tn_lexer_next(tn_lexer *lexer) {
    size_t begin = skip_blank(lexer, lexer->position);
    if (begin == lexer->length) {
        /* Right after the last token, where a message should point. */
        lexer->token = token_make(lexer, TN_TOKEN_END, lexer->position, lexer->position);
        lexer->position = begin;
        return NULL;
    }
    char c = lexer->text[begin];
    if (is_digit(c) || (c == '.' && is_digit(char_at(lexer, begin + 1)))) {
        return read_number(lexer, begin);
    }
    if (c == '"' || c == '\'') return read_string(lexer, begin);
    size_t end = begin;
    tn_token_kind kind = TN_TOKEN_NAME;
    if (is_name_start(c)) {
        while (is_name_part(char_at(lexer, end)))
            end++;
    } else {
        kind = TN_TOKEN_PUNCT;
        end += punct_length(lexer, begin);
    }
    if (end == begin) {
        tn_token bad = token_make(lexer, TN_TOKEN_PUNCT, begin, begin + 1);
        if (c > ' ' && c < 0x7f) return tn_lexer_error(lexer, &bad, "unexpected '%c'", c);
        return tn_lexer_error(lexer, &bad,
                              "unexpected byte 0x%02x; names are made of A-Z, a-z, 0-9 and _",
                              (unsigned)(unsigned char)c);
    }
    lexer->token = token_make(lexer, kind, begin, end);
    lexer->position = end;
    return NULL;
}

tn_status tn_lexer_init(tn_lexer *lexer, const char *file, const char *text, size_t length,
                        bool comments) {
    *lexer = (tn_lexer){.file = file,
                        .text = text != NULL ? text : "",
                        .length = text != NULL ? length : 0,
                        .comments = comments};
    lexer->token = token_make(lexer, TN_TOKEN_END, 0, 0);
    return tn_lexer_next(lexer);
}

static bool token_is(const tn_token *token, tn_token_kind kind, const char *text) {
    return token->kind == kind && token->length == strlen(text) &&
           memcmp(token->text, text, token->length) == 0;
}

bool tn_lexer_at(const tn_lexer *lexer, const char *punct) {
    return token_is(&lexer->token, TN_TOKEN_PUNCT, punct);
}

bool tn_lexer_at_name(const tn_lexer *lexer, const char *name) {
    return token_is(&lexer->token, TN_TOKEN_NAME, name);
}

tn_status tn_lexer_take(tn_lexer *lexer, const char *punct, bool *out_taken) {
    *out_taken = tn_lexer_at(lexer, punct);
    return *out_taken ? tn_lexer_next(lexer) : NULL;
}

tn_status tn_lexer_expect(tn_lexer *lexer, const char *punct, const char *where) {
    if (tn_lexer_at(lexer, punct)) return tn_lexer_next(lexer);
    char what[96];
    snprintf(what, sizeof what, "'%s'%s%s", punct, where[0] != '\0' ? " " : "", where);
    return tn_lexer_unexpected(lexer, what);
}

static int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Decodes the escape at text[0] == '\\'; returns its length, 0 when it is none. */
static size_t read_escape(const char *text, const char *end, char *out) {
    static const char names[] = "\\\"'abfnrtv";
    static const char values[] = "\\\"'\a\b\f\n\r\t\v";
    if (text[1] == 'x' && end - text >= 4 && hex_digit(text[2]) >= 0 && hex_digit(text[3]) >= 0) {
        *out = (char)(hex_digit(text[2]) * 16 + hex_digit(text[3]));
        return 4;
    }
    const char *found = strchr(names, text[1]);
    if (text[1] == '\0' || found == NULL) return 0;
    *out = values[found - names];
    return 2;
}

tn_status tn_lexer_string(const tn_lexer *lexer, const tn_token *string, tn_arena *arena,
                          const char **out_text, size_t *out_length) {
    const char *at = string->text + 1;
    const char *end = string->text + string->length - 1;
    char *out = tn_arena_alloc(arena, string->length);
    if (out == NULL) return tn_status_no_memory();
    size_t length = 0;
    while (at < end) {
        char c = *at;
        size_t used = 1;
        if (c == '\\') {
            used = read_escape(at, end, &c);
            tn_token bad = {.kind = TN_TOKEN_STRING, .text = at, .length = 2};
            if (used == 0) {
                return tn_lexer_error(lexer, &bad,
                                      "unknown escape; a string may hold \\\\ \\\" \\' \\a \\b \\f "
                                      "\\n \\r \\t \\v and \\xHH");
            }
            if (c == '\0') return tn_lexer_error(lexer, &bad, "a string cannot hold a NUL byte");
        }
        out[length++] = c;
        at += used;
    }
    out[length] = '\0';
    *out_text = out;
    *out_length = length;
    return NULL;
}
