/* The text in a note. What damaged files give is in tests/plugins. */
#include "loader/note_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"
#include "tenon/note.h"

#define GATE "acme::gate(Tensor x, Tensor y) -> Tensor"
#define HEAD "tenon-note 1\nplugin acme 1.2.0\nabi 1\npointer 8\n"

static tn_arena arena;
static tn_note_text note;

static void start(void) {
    tn_arena_init(&arena, tn_allocator_system());
}
static void stop(void) {
    tn_arena_deinit(&arena);
}
TestSuite(note_text, .init = start, .fini = stop);

static void assert_good(const char *text) {
    tn_status status = tn_note_text_parse(text, strlen(text) + 1, &arena, &note);
    cr_assert_null(status, "%s", tn_status_message(status));
}

static void assert_bad(const char *text, size_t size, tn_code code, const char *message) {
    tn_status status = tn_note_text_parse(text, size, &arena, &note);
    cr_assert_eq(tn_status_code(status), code, "%s", text);
    cr_assert_str_eq(tn_status_message(status), message);
    tn_status_free(status);
}

Test(note_text, what_the_macro_writes) {
    assert_good(TN_NOTE_TEXT("acme", "1.2.0",
                             TN_NOTE_REQUIRES("tn 1") TN_NOTE_OP(GATE) TN_NOTE_REQUIRES("nn 2")));
    cr_assert_str_eq(note.plugin, "acme");
    cr_assert_str_eq(note.version, "1.2.0");
    cr_assert_eq(note.abi, 1);
    cr_assert_eq(note.pointer_size, sizeof(void *));
    cr_assert_eq(note.cuda_major, 0);
    cr_assert_str_eq(note.sms, "");
    cr_assert_eq(note.n_requires, 2);
    cr_assert_str_eq(note.requires_ns[1], "nn 2");
    cr_assert_eq(note.n_schemas, 1);
    cr_assert_str_eq(note.schemas[0], GATE);
}

Test(note_text, every_key) {
    assert_good(HEAD "cuda 12\nsm 80 90a\nsanitizer address\nlater thing\nop " GATE "\n");
    cr_assert_eq(note.cuda_major, 12);
    cr_assert_str_eq(note.sms, "80 90a");
    cr_assert_str_eq(note.sanitizer, "address");
    assert_good(HEAD);
    cr_assert_eq(note.n_schemas, 0);
    assert_good(HEAD "op caf\xc3\xa9::f(Tensor x) -> Tensor\n");
}

Test(note_text, texts_that_are_none) {
#define BAD(text, code, message) assert_bad(text, sizeof text, code, message)
    BAD("", TN_PARSE, "its note does not end in a newline");
    assert_bad("", 0, TN_PARSE, "its note's text does not end in a NUL");
    assert_bad(HEAD, sizeof HEAD - 1, TN_PARSE, "its note's text does not end in a NUL");
    BAD("tenon-note 1", TN_PARSE, "its note does not end in a newline");
    BAD("tenon-note\n", TN_PARSE, "line 1 of its note is 'tenon-note', expected 'tenon-note 1'");
    BAD("tenon-note one\n", TN_PARSE,
        "line 1 of its note is 'tenon-note one', expected 'tenon-note 1'");
    BAD("tenon-note 2\n", TN_UNSUPPORTED,
        "its note is of format 2, this host reads format 1: use a newer host");
    BAD("tenon-note 1\n", TN_PARSE, "its note has no line 'plugin'");
    BAD("tenon-note 1\nplugin acme 1.2.0\nabi 1\n", TN_PARSE, "its note has no line 'pointer'");
    BAD("tenon-note 1\nplugin acme\n", TN_PARSE,
        "line 2 of its note is 'plugin acme', expected 'plugin NAME VERSION'");
    BAD("tenon-note 1\nplugin  1.0.0\n", TN_PARSE,
        "line 2 of its note is 'plugin  1.0.0', expected 'plugin NAME VERSION'");
    BAD(HEAD "\n", TN_PARSE, "line 5 of its note is '', expected 'KEY VALUE'");
    BAD(HEAD " x\n", TN_PARSE, "line 5 of its note is ' x', expected 'KEY VALUE'");
    BAD(HEAD "op \n", TN_PARSE, "line 5 of its note is 'op ', expected a value after the key");
    BAD(HEAD "abi 1\n", TN_PARSE, "line 5 of its note states 'abi' a second time");
    BAD(HEAD "cuda -1\n", TN_PARSE, "line 5 of its note is 'cuda -1', expected 'cuda MAJOR'");
    BAD(HEAD "cuda 4294967296\n", TN_PARSE,
        "line 5 of its note is 'cuda 4294967296', expected 'cuda MAJOR'");
    BAD(HEAD "!must 1\n", TN_UNSUPPORTED,
        "line 5 of its note has the key '!must', which must be understood but is not known to this "
        "host: use a newer one");
    BAD(HEAD "op a\tb\n", TN_PARSE, "line 5 of its note holds the control character 0x09");
}

static tn_status parse(void *self, const tn_allocator *allocator) {
    (void)self;
    tn_arena own;
    tn_arena_init(&own, allocator);
    static const char text[] = HEAD "requires tn 1\nop " GATE "\n";
    tn_note_text parsed;
    tn_status status = tn_note_text_parse(text, sizeof text, &own, &parsed);
    tn_arena_deinit(&own);
    return status;
}

Test(note_text, no_memory) {
    const char *problem = tn_sweep_allocations(parse, NULL, false, NULL);
    cr_assert_null(problem, "%s", problem);
}
