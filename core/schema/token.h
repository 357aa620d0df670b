/* The one tokenizer, for schemas and for graph text: names, numbers, strings and
 * punctuation, whitespace (and, when asked for, comments) between them.
 *
 *   name     [A-Za-z_][A-Za-z0-9_]*
 *   int      decimal digits; a sign is punctuation
 *   float    digits with a '.', an exponent or both; ".5" and "5." too
 *   string   "..." or '...', on one line, escapes \\ \" \' \a \b \f \n \r \t \v
 *            and \xHH; never a NUL byte
 *   punct    -> :: ... and each of ()[]{}<>,=*!|?:.-+%@$
 *
 * A lexer holds the current token; it borrows the text, allocates nothing and
 * is independent of the locale. Every error is
 *
 *   file:line:column: message
 *     the line
 *        ^
 *
 * with lines and columns counted from 1, columns in characters. */
#ifndef TN_SCHEMA_TOKEN_H
#define TN_SCHEMA_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"

typedef enum tn_token_kind {
    TN_TOKEN_END,
    TN_TOKEN_NAME,
    TN_TOKEN_INT,
    TN_TOKEN_FLOAT,
    TN_TOKEN_STRING, /* text includes the quotes */
    TN_TOKEN_PUNCT
} tn_token_kind;

typedef struct tn_token {
    tn_token_kind kind;
    const char *text; /* into the lexer's text, not NUL-terminated */
    size_t length;
} tn_token;

typedef struct tn_lexer {
    const char *file; /* for messages */
    const char *text;
    size_t length;
    size_t position; /* where the token after the current one is looked for */
    bool comments;   /* '#' to the end of the line is skipped */
    bool brief;      /* errors are the message alone: part of a larger one */
    tn_token token;  /* the current token */
} tn_lexer;

/* Reads the first token. */
TN_MUST_USE tn_status tn_lexer_init(tn_lexer *lexer, const char *file, const char *text,
                                    size_t length, bool comments);
/* Moves to the next token; at the end it stays there. */
TN_MUST_USE tn_status tn_lexer_next(tn_lexer *lexer);

/* Whether the current token is this punctuation, or this name. */
bool tn_lexer_at(const tn_lexer *lexer, const char *punct);
bool tn_lexer_at_name(const tn_lexer *lexer, const char *name);
/* Moves past the punctuation when it is there, and says whether it was. */
TN_MUST_USE tn_status tn_lexer_take(tn_lexer *lexer, const char *punct, bool *out_taken);
/* Moves past the punctuation, or fails: "expected ')' WHERE, found ...". where is
 * "after the parameters" or the like, or "". */
TN_MUST_USE tn_status tn_lexer_expect(tn_lexer *lexer, const char *punct, const char *where);

/* A TN_PARSE failure at a token (any part of the lexer's text will do). */
TN_MUST_USE tn_status tn_lexer_error(const tn_lexer *lexer, const tn_token *at, const char *fmt,
                                     ...) TN_PRINTF(3, 4);
/* "expected WHAT, found ..." at the current token. */
TN_MUST_USE tn_status tn_lexer_unexpected(const tn_lexer *lexer, const char *what);

/* What a string token stands for, as a NUL-terminated copy in the arena. */
TN_MUST_USE tn_status tn_lexer_string(const tn_lexer *lexer, const tn_token *string,
                                      tn_arena *arena, const char **out_text, size_t *out_length);

#endif
