/* The cases SCH that concern schemas and binding, and the kinds they stand for.
 * Calls are written as text (unit/schema/call_text.h). */
#include <criterion/hooks.h>
#include <stdlib.h>

#include "unit/schema/schema_fixture.h"

/* A line of the summary of `./dev test`. */
ReportHook(POST_ALL)(struct criterion_global_stats *stats) {
    const char *folder = getenv("TN_TEST_SUMMARY_DIR");
    char path[4096];
    if (!folder || snprintf(path, sizeof path, "%s/cases_schema.summary", folder) >= 4096) return;
    FILE *file = fopen(path, "a");
    if (!file) return;
    fprintf(file, "cases: schemas and binding (no device): %zu of %zu right\n", stats->tests_passed,
            stats->nb_tests);
    fclose(file);
}

static void assert_refused(const char *text) {
    tn_schema *schema = NULL;
    tn_status status = tn_schema_parse(tn_allocator_system(), text, strlen(text), &schema);
    cr_assert_eq(tn_status_code(status), TN_PARSE, "%s", text);
    cr_assert_null(schema);
    cr_assert_not_null(strstr(tn_status_message(status), "expected"), "%s",
                       tn_status_message(status));
    cr_assert_not_null(strchr(tn_status_message(status), '^'));
    tn_status_free(status);
}

/* "Optional" and "has a default" are independent. */
Test(cases_schema, SCH_01_optional_is_not_default) {
#define MISSING "t::f: argument 'n' (int?) is missing; it has no default: pass None to leave it out"
    assert_call("t::f(Tensor x, int? n) -> Tensor", "%x", MISSING);
    assert_call("t::f(Tensor x, int? n) -> Tensor", "%x, None", "tensor, None");
    assert_call("t::f(Tensor x, int? n=None) -> Tensor", "%x", "tensor, None");
    assert_call("t::f(Tensor x, int? n=None) -> Tensor", "%x, n=None", "tensor, None");
    assert_call("t::f(Tensor x, int? n=None) -> Tensor", "%x, n=0", "tensor, 0");
    /* A default of 0 is not None, nor an empty list, nor "". */
    assert_call("t::f(Tensor x, int? n=0) -> Tensor", "%x", "tensor, 0");
    assert_call("t::f(Tensor x, int? n=0) -> Tensor", "%x, None", "tensor, None");
    assert_call("t::f(int[]? n=[]) -> Tensor", "", "[]");
    assert_call("t::f(int[]? n=[]) -> Tensor", "n=None", "None");
    assert_call("t::f(str? n='') -> Tensor", "", "\"\"");
    assert_call("t::f(Tensor? n) -> Tensor", "",
                "t::f: argument 'n' (Tensor?) is missing; it has no default: pass None to leave it "
                "out");
}

Test(cases_schema, SCH_03_missing_names_are_diagnosed) {
    assert_refused("t::f(Tensor, int k) -> Tensor");
    assert_refused("t::f(Tensor x,,int k) -> Tensor");
    assert_refused("t::f(");
    /* Every beginning of a whole schema, and every one of its bytes left out. */
    const char *whole = "t::f.o(Tensor(a! -> *)? x, int[2] d=[0, 1], *, str s=\"q\\n\", "
                        "Handle<b::c> h) -> (Tensor(a) y, Tensor)";
    size_t length = strlen(whole);
    char text[256];
    for (size_t cut = 0; cut <= length; cut++) {
        tn_schema *s = NULL;
        tn_status status = tn_schema_parse(tn_allocator_system(), whole, cut, &s);
        cr_assert_eq(status == NULL, cut == length, "%.*s", (int)cut, whole);
        tn_status_free(status);
        tn_schema_free(s);
        if (cut == length) break;
        memcpy(text, whole, cut);
        memcpy(text + cut, whole + cut + 1, length - cut);
        tn_status_free(tn_schema_parse(tn_allocator_system(), text, length - 1, &s));
        tn_schema_free(s);
    }
}

Test(cases_schema, SCH_05_lists_do_not_mind_whitespace) {
    tn_schema *s = schema_of("t::f(Tensor x, int[] d=[0, 1], int[] e=[0,1], int[2] g=[-1,-2], "
                             "float[] h=[]) -> Tensor");
    cr_assert_eq(s->n_params, 5);
    cr_assert_str_eq(s->text, "t::f(Tensor x, int[] d=[0, 1], int[] e=[0, 1], int[2] g=[-1, -2], "
                              "float[] h=[]) -> Tensor");
    cr_assert_eq(s->params[4].default_value.tag, TN_TAG_LIST);
    cr_assert_eq(s->params[4].default_value.count, 0);
    tn_schema_free(s);
    assert_call("t::f(int[] d=[ 0 ,\t1,\n2 ], str[] e=['a, b',\"],\"]) -> ()", "",
                "[0, 1, 2], [\"a, b\", \"],\"]");
}

/* The names of arguments are data: none is ours. */
Test(cases_schema, SCH_07_no_name_collides) {
    assert_call("t::f(Tensor(a!) self, int op, float stream, Tensor name) -> ()",
                "self=%x, op=1, stream=2.0, name=%y", "tensor, 1, 2.0, tensor");
    assert_call("t::f(int schema, int args, int n_args, int named, int arena, int out_args) -> ()",
                "out_args=6, arena=5, named=4, n_args=3, args=2, schema=1", "1, 2, 3, 4, 5, 6");
    assert_call(
        "t::f(int None, int True, int inf, int f32, int cpu, int Tensor, int default) -> ()",
        "default=7, Tensor=6, cpu=5, f32=4, inf=3, True=2, None=1", "1, 2, 3, 4, 5, 6, 7");
}

Test(cases_schema, SCH_09_keyword_only_is_enforced) {
    const char *f = "t::f(Tensor x, *, bool ha=true) -> Tensor";
    assert_call(f, "%x, false",
                "t::f: takes at most 1 argument by position, found 2; 'ha' is keyword-only: write "
                "ha=...");
    assert_call(f, "%x, ha=false", "tensor, False");
    assert_call(f, "%x", "tensor, True");
    assert_call("t::f(*, int a) -> ()", "1",
                "t::f: takes at most 0 arguments by position, found 1; 'a' is keyword-only: write "
                "a=...");
}

/* A float is printed so that it is read as a float, and an int given where a float
 * is expected becomes one. */
Test(cases_schema, SCH_11_floats_stay_floats) {
    tn_schema *s = schema_of("t::norm(Tensor x, *, float ord=2.0, Scalar p=2.0, float q=2) -> ()");
    cr_assert_str_eq(s->text,
                     "t::norm(Tensor x, *, float ord=2.0, Scalar p=2.0, float q=2.0) -> ()");
    tn_schema *again = schema_of(s->text);
    for (uint32_t i = 1; i < 4; i++)
        cr_assert_eq(again->params[i].default_value.tag, TN_TAG_FLOAT);
    tn_schema_free(again);
    tn_schema_free(s);
    assert_call("t::norm(Tensor x, float ord, Scalar p) -> ()", "%x, 2, 2", "tensor, 2.0, 2");
    assert_call("t::norm(Tensor x, float ord, Scalar p) -> ()", "%x, 1e22, 1e22",
                "tensor, 1e22, 1e22");
}

/* None is a value in its place; nothing moves up. */
Test(cases_schema, SCH_13_none_keeps_its_place) {
    const char *f = "t::f(Tensor a, Tensor? b=None, int? c=None, Tensor?[] d=[]) -> ()";
    assert_call(f, "%a, None, 3", "tensor, None, 3, []");
    assert_call(f, "%a, c=3", "tensor, None, 3, []");
    assert_call(f, "%a, %b, None, [None, %d, None]", "tensor, tensor, None, [None, tensor, None]");
    assert_call(f, "%a, None, %c", "t::f: argument 'c': expected int?, found a tensor");
}

/* The part of SCH-17 that schemas share with graph text: strings. */
Test(cases_schema, SCH_17_strings) {
    assert_call("t::f(str a='single', str b=\"double\") -> ()", "", "\"single\", \"double\"");
    assert_call("t::f(str a=\"say \\\"hi\\\"\\n\") -> ()", "", "\"say \\\"hi\\\"\\n\"");
    tn_schema *s = NULL;
    const char *open = "t::f(str a=\"open) -> ()";
    tn_status status = tn_schema_parse(tn_allocator_system(), open, strlen(open), &s);
    cr_assert_str_eq(tn_status_message(status),
                     "schema:1:12: the string that starts here lacks its closing \" on this line; "
                     "write a line break as \\n\n"
                     "  t::f(str a=\"open) -> ()\n"
                     "             ^");
    tn_status_free(status);
}
