#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "schema/token.h"

static tn_lexer start(const char *text) {
    tn_lexer lexer;
    tn_status status = tn_lexer_init(&lexer, "f", text, strlen(text), true);
    cr_assert_null(status, "%s", tn_status_message(status));
    return lexer;
}

/* The tokens as "kind:text kind:text ...". */
static void tokens(const char *text, char *out, size_t size) {
    static const char kinds[] = "enifsp";
    tn_lexer lexer = start(text);
    size_t used = 0;
    out[0] = '\0';
    while (lexer.token.kind != TN_TOKEN_END) {
        used += (size_t)snprintf(out + used, size - used, "%s%c:%.*s", used ? " " : "",
                                 kinds[lexer.token.kind], (int)lexer.token.length,
                                 lexer.token.text);
        tn_status status = tn_lexer_next(&lexer);
        cr_assert_null(status, "%s", tn_status_message(status));
    }
}

static void assert_tokens(const char *text, const char *expected) {
    char found[512];
    tokens(text, found, sizeof found);
    cr_assert_str_eq(found, expected, "%s", text);
}

static void assert_string(const char *text, const char *bytes, size_t length) {
    tn_lexer lexer = start(text);
    tn_arena arena;
    tn_arena_init(&arena, tn_allocator_system());
    const char *found = NULL;
    size_t found_length = 0;
    tn_token token = lexer.token;
    tn_status status = tn_lexer_string(&lexer, &token, &arena, &found, &found_length);
    cr_assert_null(status, "%s", tn_status_message(status));
    cr_assert_eq(found_length, length, "%s", text);
    cr_assert_eq(memcmp(found, bytes, length + 1), 0, "%s", text);
    tn_arena_deinit(&arena);
}

static void assert_init_error(const char *text, size_t length, const char *message) {
    tn_lexer lexer;
    tn_status status = tn_lexer_init(&lexer, "f", text, length, false);
    cr_assert_eq(tn_status_code(status), TN_PARSE);
    cr_assert_str_eq(tn_status_message(status), message);
    tn_status_free(status);
}

Test(token, kinds) {
    assert_tokens("", "");
    assert_tokens(" \t\r\n", "");
    assert_tokens("a _b C3 x::y", "n:a n:_b n:C3 n:x p::: n:y");
    assert_tokens("a.b->c", "n:a p:. n:b p:-> n:c");
    assert_tokens("()[]{}<>,=*!|?:.-+%@$",
                  "p:( p:) p:[ p:] p:{ p:} p:< p:> p:, p:= p:* p:! p:| p:? p:: p:. p:- p:+ p:% "
                  "p:@ p:$");
    assert_tokens(":::", "p::: p::");
    assert_tokens("-->", "p:- p:->");
    assert_tokens("....", "p:... p:.");
}

Test(token, numbers) {
    assert_tokens("0 12 007", "i:0 i:12 i:007");
    assert_tokens("1.5 .5 5. 1e3 1E-3 1.e+3 .5e0", "f:1.5 f:.5 f:5. f:1e3 f:1E-3 f:1.e+3 f:.5e0");
    assert_tokens("-1 +2.0", "p:- i:1 p:+ f:2.0");
    assert_tokens("1,2", "i:1 p:, i:2");
    assert_tokens("[1...]", "p:[ i:1 p:... p:]");
    assert_tokens("1.5.5", "f:1.5 f:.5");
    assert_tokens("1-2", "i:1 p:- i:2");
}

Test(token, strings) {
    assert_tokens("\"a b\" 'c\"'", "s:\"a b\" s:'c\"'");
    assert_tokens("\"\\\"\" '\\''", "s:\"\\\"\" s:'\\''");
    assert_tokens("\"# no comment\"", "s:\"# no comment\"");
    assert_string("\"\"", "", 0);
    assert_string("'it\\'s'", "it's", 4);
    assert_string("\"\\\\ \\\" \\' \\a\\b\\f\\n\\r\\t\\v\"", "\\ \" ' \a\b\f\n\r\t\v", 13);
    assert_string("\"\\x41\\xFf\\x1b!\"", "A\xff\x1b!", 4);
    assert_string("\"\xc3\xa9\"", "\xc3\xa9", 2);
}

Test(token, comments_only_when_asked_for) {
    assert_tokens("a # b ' \xff\n c #", "n:a n:c");
    tn_lexer lexer = start("#");
    cr_assert_eq(lexer.token.kind, TN_TOKEN_END);
    assert_init_error("#", 1, "f:1:1: unexpected '#'\n  #\n  ^");
}

Test(token, the_end_stays) {
    tn_lexer lexer = start("a");
    for (int i = 0; i < 3; i++)
        cr_assert_null(tn_lexer_next(&lexer));
    cr_assert_eq(lexer.token.kind, TN_TOKEN_END);
    cr_assert_eq(lexer.token.length, 0);
}

/* A sanitizer sees a read past the end of the block. */
Test(token, no_text_is_read_past_its_length) {
    const char *texts[] = {"a", "1",  "1.",  "1e",  "1e+", "\"a", "'",      "\"\\", "-",
                           ":", "..", "...", "x::", "\\",  "#a",  "\"\\x4", ".5",   "\xe2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t length = strlen(texts[i]);
        char *copy = malloc(length);
        memcpy(copy, texts[i], length);
        tn_lexer lexer;
        tn_status_free(tn_lexer_init(&lexer, "f", copy, length, true));
        free(copy);
    }
}

Test(token, questions) {
    tn_lexer lexer = start(":: name");
    bool taken = true;
    cr_assert(tn_lexer_at(&lexer, "::"));
    cr_assert(!tn_lexer_at(&lexer, ":"));
    cr_assert(!tn_lexer_at_name(&lexer, "::"));
    cr_assert_null(tn_lexer_take(&lexer, "->", &taken));
    cr_assert(!taken);
    cr_assert_null(tn_lexer_take(&lexer, "::", &taken));
    cr_assert(taken);
    cr_assert(tn_lexer_at_name(&lexer, "name"));
    cr_assert(!tn_lexer_at_name(&lexer, "nam"));
    cr_assert(!tn_lexer_at(&lexer, "name"));
    tn_status status = tn_lexer_expect(&lexer, ")", "after that");
    cr_assert_str_eq(tn_status_message(status),
                     "f:1:4: expected ')' after that, found 'name'\n  :: name\n     ^");
    tn_status_free(status);
}

Test(token, bad_bytes) {
    assert_init_error(";", 1, "f:1:1: unexpected ';'\n  ;\n  ^");
    assert_init_error("\0", 1,
                      "f:1:1: unexpected byte 0x00; names are made of A-Z, a-z, 0-9 and _\n   \n"
                      "  ^");
    assert_init_error("\xff", 1,
                      "f:1:1: unexpected byte 0xff; names are made of A-Z, a-z, 0-9 and _\n  ?\n"
                      "  ^");
    assert_init_error("\"a\0b\"", 5, "f:1:3: a string cannot hold a NUL byte\n  \"a b\"\n    ^");
    assert_init_error("12ab", 4, "f:1:1: '12ab' is neither a number nor a name\n  12ab\n  ^");
}
