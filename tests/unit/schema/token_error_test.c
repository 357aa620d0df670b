#include <criterion/criterion.h>
#include <string.h>

#include "schema/token.h"

static void assert_error_at(const char *text, size_t at, const char *message) {
    tn_lexer lexer = {.file = "file.tn", .text = text, .length = strlen(text)};
    tn_token token = {.kind = TN_TOKEN_PUNCT, .text = text + at, .length = 1};
    tn_status status = tn_lexer_error(&lexer, &token, "bad %d", 7);
    cr_assert_eq(tn_status_code(status), TN_PARSE);
    cr_assert_str_eq(tn_status_message(status), message);
    tn_status_free(status);
}

Test(token_error, lines_and_columns_count_from_one) {
    assert_error_at("abc", 0, "file.tn:1:1: bad 7\n  abc\n  ^");
    assert_error_at("abc", 2, "file.tn:1:3: bad 7\n  abc\n    ^");
    assert_error_at("abc", 3, "file.tn:1:4: bad 7\n  abc\n     ^");
    assert_error_at("ab\ncd\n", 4, "file.tn:2:2: bad 7\n  cd\n   ^");
    assert_error_at("ab\ncd\n", 6, "file.tn:3:1: bad 7\n  \n  ^");
    assert_error_at("ab\ncd", 2, "file.tn:1:3: bad 7\n  ab\n    ^");
    assert_error_at("", 0, "file.tn:1:1: bad 7\n  \n  ^");
}

Test(token_error, columns_count_characters) {
    assert_error_at("\xc3\xa9x", 2, "file.tn:1:2: bad 7\n  \xc3\xa9x\n   ^");
    assert_error_at("\xe6\x97\xa5\xf0\x9f\x98\x80x", 7,
                    "file.tn:1:3: bad 7\n  \xe6\x97\xa5\xf0\x9f\x98\x80x\n    ^");
}

/* What is shown can go to a terminal or into JSON. */
Test(token_error, stray_and_control_bytes_are_not_shown) {
    assert_error_at("\x01\t\x7f\x1bx", 4, "file.tn:1:5: bad 7\n      x\n      ^");
    assert_error_at("\xff\x80x", 2, "file.tn:1:3: bad 7\n  ??x\n    ^");
    assert_error_at("\xc3", 0, "file.tn:1:1: bad 7\n  ?\n  ^");
    assert_error_at("\xe6\x97x", 2, "file.tn:1:3: bad 7\n  ??x\n    ^");
    assert_error_at("\xc0\xafx", 2, "file.tn:1:3: bad 7\n  ??x\n    ^");
}

/* Whatever the length of the line and the place in it, the place is shown, with
 * the caret under it, and little more. */
Test(token_error, long_lines_are_cut_around_the_place) {
    enum { LENGTH = 400 };
    char text[LENGTH + 1];
    for (size_t length = 90; length <= LENGTH; length += 31) {
        for (size_t i = 0; i < length; i++)
            text[i] = (char)('a' + i % 26);
        text[length] = '\0';
        for (size_t at = 0; at < length; at++) {
            tn_lexer lexer = {.file = "f", .text = text, .length = length};
            tn_token token = {.kind = TN_TOKEN_NAME, .text = text + at, .length = 1};
            tn_status status = tn_lexer_error(&lexer, &token, "bad");
            const char *message = tn_status_message(status);
            const char *line = strchr(message, '\n') + 1;
            const char *caret_line = strchr(line, '\n') + 1;
            const char *caret = strchr(caret_line, '^');
            cr_assert_eq(line[caret - caret_line], text[at], "at %zu of %zu: %s", at, length,
                         message);
            cr_assert_leq(caret_line - line, 2 + 3 + 100 + 3 + 1);
            tn_status_free(status);
        }
    }
}

Test(token_error, cutting_keeps_characters_whole) {
    char text[3 * 200 + 1];
    for (size_t i = 0; i < 200; i++)
        memcpy(text + 3 * i, "\xe6\x97\xa5", 3);
    text[600] = '\0';
    for (size_t at = 0; at <= 200; at++) {
        tn_lexer lexer = {.file = "f", .text = text, .length = 600};
        tn_token token = {.kind = TN_TOKEN_NAME, .text = text + 3 * at, .length = 0};
        tn_status status = tn_lexer_error(&lexer, &token, "bad");
        cr_assert_null(strchr(tn_status_message(status), '?'), "%s", tn_status_message(status));
        tn_status_free(status);
    }
}

Test(token_error, long_messages_are_cut) {
    char word[2000];
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    tn_lexer lexer = {.file = "f", .text = "x", .length = 1};
    tn_token token = {.kind = TN_TOKEN_NAME, .text = lexer.text, .length = 1};
    tn_status status = tn_lexer_error(&lexer, &token, "%s", word);
    cr_assert_lt(strlen(tn_status_message(status)), 600);
    tn_status_free(status);
}

Test(token_error, unexpected_says_what_is_there) {
    static const struct {
        const char *text, *found;
    } cases[] = {
        {"", "f:1:1: expected it, found the end\n  \n  ^"},
        {"name", "f:1:1: expected it, found 'name'\n  name\n  ^"},
        {"->", "f:1:1: expected it, found '->'\n  ->\n  ^"},
        {"12", "f:1:1: expected it, found the number 12\n  12\n  ^"},
        {"1.5", "f:1:1: expected it, found the number 1.5\n  1.5\n  ^"},
        {"'s'", "f:1:1: expected it, found a string\n  's'\n  ^"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tn_lexer lexer;
        cr_assert_null(tn_lexer_init(&lexer, "f", cases[i].text, strlen(cases[i].text), false));
        tn_status status = tn_lexer_unexpected(&lexer, "it");
        cr_assert_str_eq(tn_status_message(status), cases[i].found);
        tn_status_free(status);
    }
}
