#include "base/status.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

Test(status, null_is_ok) {
    cr_assert(eq(i32, tn_status_code(NULL), TN_OK));
    cr_assert(eq(str, (char *)tn_status_message(NULL), "ok"));
    tn_status_free(NULL);
    tn_status_ignore(NULL);
}

Test(status, carries_code_and_message) {
    tn_status status = tn_status_make(TN_PARSE, "line %d: '%s'", 7, "x");
    cr_assert(eq(i32, tn_status_code(status), TN_PARSE));
    cr_assert(eq(str, (char *)tn_status_message(status), "line 7: 'x'"));
    tn_status_free(status);
}

Test(status, long_messages_are_kept_whole) {
    char text[5000];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    tn_status status = tn_status_make(TN_IO, "%s!", text);
    cr_assert(eq(sz, strlen(tn_status_message(status)), sizeof text));
    tn_status_free(status);
}

Test(status, annotate_prefixes_and_keeps_the_code) {
    tn_status status = tn_status_make(TN_NOT_FOUND, "no op");
    status = tn_status_annotate(status, "plugin %s: ", "x.so");
    cr_assert(eq(i32, tn_status_code(status), TN_NOT_FOUND));
    cr_assert(eq(str, (char *)tn_status_message(status), "plugin x.so: no op"));
    tn_status_free(status);
    cr_assert(eq(ptr, tn_status_annotate(NULL, "never"), NULL));
}

Test(status, no_memory_needs_no_memory) {
    tn_status status = tn_status_no_memory();
    cr_assert(eq(ptr, status, tn_status_no_memory()), "always the same, so never allocated");
    cr_assert(eq(i32, tn_status_code(status), TN_NO_MEMORY));
    cr_assert(eq(str, (char *)tn_status_message(status), "out of memory"));
    tn_status_free(status);
    tn_status_free(status);
}

Test(status, an_annotated_no_memory_says_where) {
    tn_status status = tn_status_annotate(tn_status_no_memory(), "graph @g: ");
    cr_assert(eq(str, (char *)tn_status_message(status), "graph @g: out of memory"));
    tn_status_free(status);
}

static volatile int no_width = INT_MAX; /* volatile: compilers would see through it */

/* A width that no text can have makes formatting fail, as a lack of memory would
 * make what follows it fail. */
Test(status, a_message_that_cannot_be_made_leaves_the_code) {
    tn_status status = tn_status_make(TN_PARSE, "%*d%*d", no_width, 1, no_width, 2);
    cr_assert_eq(tn_status_code(status), TN_PARSE);
    cr_assert_str_eq(tn_status_message(status), "malformed text or file");
    tn_status_free(status);
    status = tn_status_make(TN_BUSY, "op x is in use");
    status = tn_status_annotate(status, "%*d%*d", no_width, 1, no_width, 2);
    cr_assert_eq(tn_status_code(status), TN_BUSY);
    cr_assert_str_eq(tn_status_message(status), "op x is in use", "the old message is kept");
    tn_status_free(status);
}

Test(status, join_keeps_the_first) {
    tn_status first = tn_status_make(TN_IO, "first");
    tn_status joined = tn_status_join(first, tn_status_make(TN_BUSY, "later"));
    cr_assert(eq(ptr, joined, first));
    tn_status_free(joined);
    tn_status later = tn_status_make(TN_BUSY, "later");
    cr_assert(eq(ptr, tn_status_join(NULL, later), later));
    tn_status_free(later);
}

Test(status, errno_is_explained) {
    tn_status status = tn_status_from_errno(ENOENT, "cannot open %s", "f.tn");
    cr_assert(eq(i32, tn_status_code(status), TN_NOT_FOUND));
    cr_assert(
        eq(str, (char *)tn_status_message(status), "cannot open f.tn: No such file or directory"));
    tn_status_free(status);
    status = tn_status_from_errno(ENOSPC, "w");
    cr_assert(eq(i32, tn_status_code(status), TN_IO));
    tn_status_free(status);
    status = tn_status_from_errno(ENOMEM, "w");
    cr_assert(eq(i32, tn_status_code(status), TN_NO_MEMORY));
    tn_status_free(status);
}

Test(status, a_failure_never_has_the_code_of_success) {
    tn_status status = tn_status_make(TN_OK, "odd");
    cr_assert(eq(i32, tn_status_code(status), TN_INTERNAL));
    tn_status_free(status);
}

static tn_status fails_at_once(int *reached) {
    TN_TRY(tn_status_make(TN_BUSY, "stop"));
    *reached = 1;
    return NULL;
}

static tn_status cleans_up(int *cleaned) {
    tn_status status = NULL;
    TN_TRY_GOTO(status, NULL, out);
    TN_TRY_GOTO(status, tn_status_make(TN_BUSY, "stop"), out);
    *cleaned = -1;
out:
    *cleaned += 1;
    return status;
}

Test(status, try_returns_the_failure) {
    int reached = 0, cleaned = 0;
    tn_status status = fails_at_once(&reached);
    cr_assert(eq(i32, tn_status_code(status), TN_BUSY));
    cr_assert(zero(i32, reached));
    tn_status_free(status);
    status = cleans_up(&cleaned);
    cr_assert(eq(i32, tn_status_code(status), TN_BUSY));
    cr_assert(eq(i32, cleaned, 1));
    tn_status_free(status);
}

Test(status, every_code_has_its_text) {
#define CHECK_TEXT(name, value, text)                                                              \
    cr_assert(eq(i32, TN_##name, value));                                                          \
    cr_assert(eq(str, (char *)tn_code_text(value), text));
    TN_CODE_LIST(CHECK_TEXT)
    cr_assert(eq(str, (char *)tn_code_text(12345), "unknown code"));
}
