/* Messages that point at a place in the text. Built on the stack: nothing here
 * can fail for want of memory. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "schema/token.h"

#define LINE_SHOWN 100 /* bytes of the line that a message shows at most */

/* The length of the valid UTF-8 sequence at text, 0 when there is none. (Overlong
 * forms pass: they are shown, not interpreted.) */
static size_t utf8_length(const unsigned char *text, size_t available) {
    size_t n = text[0] < 0x80                      ? 1
               : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
               : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
               : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                   : 0;
    if (n > available) return 0;
    for (size_t i = 1; i < n; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
    }
    return n;
}

/* Copies text for display: control bytes become spaces, stray bytes '?'. Returns
 * how many characters it is. out has room for length bytes and a NUL. */
static size_t show(const char *text, size_t length, char *out) {
    size_t characters = 0;
    for (size_t i = 0; i < length; characters++) {
        const unsigned char *at = (const unsigned char *)text + i;
        size_t n = utf8_length(at, length - i);
        if (n > 1) {
            memcpy(out + i, at, n);
        } else {
            out[i] = n == 0 ? '?' : (char)(*at < 0x20 || *at == 0x7f ? ' ' : *at);
            n = 1;
        }
        i += n;
    }
    out[length] = '\0';
    return characters;
}

static size_t count_characters(const char *text, size_t length) {
    size_t characters = 0;
    for (size_t i = 0; i < length; characters++) {
        size_t n = utf8_length((const unsigned char *)text + i, length - i);
        i += n == 0 ? 1 : n;
    }
    return characters;
}

static bool is_continuation(char c) {
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Where to cut a long line so that the place stays in sight. */
static void window(const char *text, size_t *begin, size_t *end, size_t at) {
    if (*end - *begin <= LINE_SHOWN) return;
    size_t lead = LINE_SHOWN * 6 / 10;
    if (at - *begin > lead)
        *begin = *end - (at - lead) > LINE_SHOWN ? at - lead : *end - LINE_SHOWN;
    while (*begin < at && is_continuation(text[*begin]))
        (*begin)++;
    if (*end - *begin > LINE_SHOWN) {
        *end = *begin + LINE_SHOWN;
        while (*end > at && is_continuation(text[*end]))
            (*end)--;
    }
}

static tn_status error_at(const tn_lexer *lexer, size_t at, const char *message) {
    size_t line_begin = at, line_end = at, line = 1;
    while (line_begin > 0 && lexer->text[line_begin - 1] != '\n')
        line_begin--;
    while (line_end < lexer->length && lexer->text[line_end] != '\n')
        line_end++;
    for (size_t i = 0; i < line_begin; i++)
        line += lexer->text[i] == '\n';
    size_t column = count_characters(lexer->text + line_begin, at - line_begin) + 1;

    size_t begin = line_begin, end = line_end;
    window(lexer->text, &begin, &end, at);
    char before[LINE_SHOWN + 1], after[LINE_SHOWN + 1];
    size_t indent = show(lexer->text + begin, at - begin, before);
    show(lexer->text + at, end - at, after);
    const char *cut_left = begin > line_begin ? "..." : "";
    const char *cut_right = end < line_end ? "..." : "";
    return tn_status_make(TN_PARSE, "%s:%zu:%zu: %s\n  %s%s%s%s\n  %*s^", lexer->file, line, column,
                          message, cut_left, before, after, cut_right,
                          (int)(indent + strlen(cut_left)), "");
}

tn_status tn_lexer_error(const tn_lexer *lexer, const tn_token *at, const char *fmt, ...) {
    char message[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    if (lexer->brief) return tn_status_make(TN_PARSE, "%s", message);
    return error_at(lexer, (size_t)(at->text - lexer->text), message);
}

tn_status tn_lexer_unexpected(const tn_lexer *lexer, const char *what) {
    const tn_token *token = &lexer->token;
    int shown = token->length < 40 ? (int)token->length : 40;
    switch (token->kind) {
    case TN_TOKEN_END: return tn_lexer_error(lexer, token, "expected %s, found the end", what);
    case TN_TOKEN_STRING: return tn_lexer_error(lexer, token, "expected %s, found a string", what);
    case TN_TOKEN_INT:
    case TN_TOKEN_FLOAT:
        return tn_lexer_error(lexer, token, "expected %s, found the number %.*s", what, shown,
                              token->text);
    case TN_TOKEN_NAME:
    case TN_TOKEN_PUNCT: break;
    }
    return tn_lexer_error(lexer, token, "expected %s, found '%.*s'", what, shown, token->text);
}
