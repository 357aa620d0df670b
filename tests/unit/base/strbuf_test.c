#include "base/strbuf.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"

static tn_failing_allocator fa;
static tn_strbuf s;

static void setup(void) {
    tn_failing_allocator_init(&fa);
    tn_strbuf_init(&s, &fa.allocator);
}

static void teardown(void) {
    tn_strbuf_deinit(&s);
    const char *problem = tn_failing_allocator_problem(&fa);
    cr_assert_null(problem, "%s", problem);
    tn_failing_allocator_deinit(&fa);
}

TestSuite(strbuf, .init = setup, .fini = teardown);

Test(strbuf, empty_is_a_string) {
    cr_assert_str_eq(tn_strbuf_cstr(&s), "");
    cr_assert_null(s.data);
    char *text = tn_strbuf_steal(&s);
    cr_assert_str_eq(text, "");
    tn_strfree(&fa.allocator, text);
}

Test(strbuf, appends) {
    tn_strbuf_text(&s, "ab");
    tn_strbuf_char(&s, 'c');
    tn_strbuf_bytes(&s, "d\0e", 3);
    tn_strbuf_printf(&s, "%d-%s", 42, "x");
    cr_assert_eq(s.length, 10);
    cr_assert_arr_eq(s.data, "abcd\0e42-x", 11);
    tn_strbuf_clear(&s);
    cr_assert_str_eq(tn_strbuf_cstr(&s), "");
}

Test(strbuf, printf_longer_than_the_room) {
    char text[3000];
    memset(text, 'q', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    tn_strbuf_text(&s, "<");
    tn_strbuf_printf(&s, "%s%s", text, ">");
    cr_assert_eq(s.length, sizeof text + 1);
    cr_assert_eq(strlen(s.data), s.length);
    cr_assert_eq(s.data[s.length - 1], '>');
    /* A result of exactly the room that is left. */
    tn_strbuf_clear(&s);
    for (size_t n = 0; n < 200; n++) {
        tn_strbuf_printf(&s, "%.*s", (int)n, text);
        cr_assert_eq(strlen(s.data), s.length);
    }
    cr_assert_eq(s.length, 199 * 200 / 2);
}

Test(strbuf, quotes) {
    tn_strbuf_quoted(&s, "a\"b\\c\n\t\r\x01\x7f\xc3\xa9", 12);
    cr_assert_str_eq(tn_strbuf_cstr(&s), "\"a\\\"b\\\\c\\n\\t\\r\\x01\\x7f\xc3\xa9\"");
    tn_strbuf_clear(&s);
    tn_strbuf_quoted(&s, "a\0b", 3);
    cr_assert_str_eq(tn_strbuf_cstr(&s), "\"a\\x00b\"");
}

Test(strbuf, doubles) {
    tn_strbuf_double(&s, 0.1);
    tn_strbuf_char(&s, ' ');
    tn_strbuf_double(&s, -3);
    cr_assert_str_eq(tn_strbuf_cstr(&s), "0.1 -3.0");
}

Test(strbuf, stolen_text_is_the_callers) {
    tn_strbuf_text(&s, "mine");
    char *text = tn_strbuf_steal(&s);
    cr_assert_str_eq(text, "mine");
    cr_assert_str_eq(tn_strbuf_cstr(&s), "");
    tn_strfree(&fa.allocator, text);
    tn_strbuf_text(&s, "next");
    cr_assert_str_eq(tn_strbuf_cstr(&s), "next");
}

Test(strbuf, a_text_with_a_nul_cannot_be_stolen) {
    tn_strbuf_bytes(&s, "a\0b", 3);
    cr_assert_null(tn_strbuf_steal(&s));
}

Test(strbuf, a_failure_sticks_until_cleared) {
    tn_strbuf_text(&s, "kept");
    tn_failing_allocator_begin(&fa, 1, false);
    char text[200];
    memset(text, 'x', sizeof text);
    tn_strbuf_bytes(&s, text, sizeof text);
    tn_strbuf_text(&s, "!");
    cr_assert_str_eq(tn_strbuf_cstr(&s), "kept");
    tn_status status = tn_strbuf_status(&s);
    cr_assert_eq(tn_status_code(status), TN_NO_MEMORY);
    tn_status_free(status);
    tn_strbuf_clear(&s);
    tn_strbuf_text(&s, "again");
    cr_assert_null(tn_strbuf_status(&s));
    cr_assert_str_eq(tn_strbuf_cstr(&s), "again");
}

Test(strbuf, a_failed_printf_leaves_the_text_whole) {
    tn_strbuf_text(&s, "kept");
    tn_failing_allocator_begin(&fa, 1, false);
    tn_strbuf_printf(&s, "%200d", 1);
    cr_assert_str_eq(tn_strbuf_cstr(&s), "kept");
    cr_assert(s.failed);
    cr_assert_null(tn_strbuf_steal(&s));
}

static tn_status build(void *self, const tn_allocator *a) {
    (void)self;
    tn_strbuf local;
    tn_strbuf_init(&local, a);
    for (int i = 0; i < 300; i++)
        tn_strbuf_printf(&local, "line %d\n", i);
    tn_status status = tn_strbuf_status(&local);
    char *text = tn_strbuf_steal(&local);
    if (!status && !text) status = tn_status_no_memory();
    tn_strfree(a, text);
    tn_strbuf_deinit(&local);
    return status;
}

Test(strbuf, survives_running_out) {
    const char *problem = tn_sweep_allocations(build, NULL, false, NULL);
    cr_assert_null(problem, "%s", problem);
}
