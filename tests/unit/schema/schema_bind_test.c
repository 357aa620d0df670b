#include "support/failing_allocator.h"
#include "unit/schema/schema_fixture.h"

#define F "t::f(Tensor x, int n, float eps=1e-6, *, bool keep=False, str mode) -> Tensor"

Test(schema_bind, position_keyword_default) {
    assert_call(F, "%x, 1, mode='m'", "tensor, 1, 1e-6, False, \"m\"");
    assert_call(F, "%x, 1, 2, mode='m', keep=True", "tensor, 1, 2.0, True, \"m\"");
    assert_call(F, "mode='m', eps=3.5, n=1, x=%x", "tensor, 1, 3.5, False, \"m\"");
    assert_call("t::f() -> ()", "", "");
    assert_call("t::f(int a=1, int[2] b=3) -> ()", "", "1, [3, 3]");
    assert_call("t::f(int a=1, int[2] b=3) -> ()", "b=4", "1, [4, 4]");
}

Test(schema_bind, python_rules) {
    assert_call(F, "%x, 1, 2.5, True, mode='m'",
                "t::f: takes at most 3 arguments by position, found 4; 'keep' is keyword-only: "
                "write keep=...");
    assert_call("t::f(int a) -> ()", "1, 2", "t::f: takes at most 1 argument, found 2");
    assert_call("t::f() -> ()", "1", "t::f: takes at most 0 arguments, found 1");
    assert_call(F, "%x, 1, x=%y, mode='m'",
                "t::f: argument 'x' is given twice, by position and by keyword");
    assert_call(F, "%x, n=1, n=2, mode='m'", "t::f: argument 'n' is given twice, both by keyword");
    assert_call(F, "%x, 1, kep=True",
                "t::f: no argument is called 'kep' (did you mean keep?); the schema is " F);
    assert_call(F, "%x, 1, zzz=True", "t::f: no argument is called 'zzz'; the schema is " F);
    assert_call(F, "", "t::f: argument 'x' (Tensor) is missing");
    assert_call(F, "%x, mode='m'", "t::f: argument 'n' (int) is missing");
    assert_call(F, "%x, 1", "t::f: argument 'mode' (str) is missing");
}

Test(schema_bind, misfits_name_operator_and_argument) {
    assert_call(F, "%x, 1.5, mode='m'",
                "t::f: argument 'n': expected int, found float 1.5; a float never becomes an int");
    assert_call(F, "%x, 1, mode=3", "t::f: argument 'mode': expected str, found int 3");
    assert_call("ns::g.over(int[2] k) -> ()", "[1, 2, 3]",
                "ns::g.over: argument 'k': expected int[2], found a list of 3: [1, 2, 3]");
    assert_call("t::f(Tensor x) -> ()", "None",
                "t::f: argument 'x': expected Tensor, found None; only an optional type (with '?') "
                "takes None");
}

/* All 64 parameters, each by position, keyword or default. */
Test(schema_bind, as_many_as_there_can_be) {
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text, "t::f(");
    for (unsigned i = 0; i < TN_SCHEMA_MAX_PARAMS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%sint p%u=%u", i ? ", " : "", i,
                                 i);
    snprintf(text + used, sizeof text - used, ") -> ()");
    tn_schema *s = schema_of(text);
    tn_arena arena;
    tn_arena_init(&arena, tn_allocator_system());
    tn_arg args[TN_SCHEMA_MAX_PARAMS], bound[TN_SCHEMA_MAX_PARAMS];
    for (unsigned i = 0; i < TN_SCHEMA_MAX_PARAMS; i++)
        args[i] = (tn_arg){.tag = TN_TAG_INT, .v.i = 100 + i};
    for (uint32_t n = 0; n <= TN_SCHEMA_MAX_PARAMS; n++) {
        tn_attr last = {"p63", {.tag = TN_TAG_INT, .v.i = -1}};
        bool twice = n == TN_SCHEMA_MAX_PARAMS;
        tn_status status = tn_schema_bind(s, args, n, &last, 1, &arena, bound);
        cr_assert_eq(status != NULL, twice, "%u: %s", n, tn_status_message(status));
        tn_status_free(status);
        if (twice) continue;
        for (uint32_t i = 0; i < 63; i++)
            cr_assert_eq(bound[i].v.i, (i < n ? 100 : 0) + (int64_t)i);
        cr_assert_eq(bound[63].v.i, -1);
    }
    cr_assert_null(tn_schema_bind(s, args, TN_SCHEMA_MAX_PARAMS, NULL, 0, &arena, bound));
    cr_assert_eq(bound[63].v.i, 163);
    tn_arena_deinit(&arena);
    tn_schema_free(s);
}

Test(schema_bind, malformed_calls) {
    tn_schema *s = schema_of("t::f(int a=1) -> ()");
    tn_arena arena;
    tn_arena_init(&arena, tn_allocator_system());
    tn_arg bound[1], args[1] = {{.tag = 99}};
    tn_attr nameless = {NULL, {.tag = TN_TAG_INT}};
    tn_status status = tn_schema_bind(s, NULL, 0, &nameless, 1, &arena, bound);
    cr_assert_str_eq(tn_status_message(status), "t::f: a named argument has no name");
    tn_status_free(status);
    status = tn_schema_bind(s, args, 1, NULL, 0, &arena, bound);
    cr_assert_str_eq(tn_status_message(status),
                     "t::f: argument 'a': expected int, found a value with the unknown tag 99");
    tn_status_free(status);
    status = tn_schema_bind(s, args, UINT32_MAX, NULL, 0, &arena, bound);
    cr_assert_str_eq(tn_status_message(status), "t::f: takes at most 1 argument, found 4294967295");
    tn_status_free(status);
    tn_arena_deinit(&arena);
    tn_schema_free(s);
}

/* Dispatch binds every call: nothing is allocated unless a list has to be made. */
Test(schema_bind, allocates_nothing) {
    tn_schema *s = schema_of("t::f(Tensor x, float eps=1, int[2] k=1, *, Scalar alpha=1, "
                             "Tensor[] more=[], str mode='m') -> Tensor");
    tn_failing_allocator counting;
    tn_failing_allocator_init(&counting);
    tn_arena arena;
    tn_arena_init(&arena, &counting.allocator);
    tn_arg two[] = {{.tag = TN_TAG_INT, .v.i = 1}, {.tag = TN_TAG_INT, .v.i = 2}};
    tn_arg args[] = {{.tag = TN_TAG_TENSOR, .v.tensor = &call_text_tensor},
                     {.tag = TN_TAG_INT, .v.i = 2},
                     {.tag = TN_TAG_LIST, .count = 2, .v.list = two}};
    tn_attr named[] = {{"mode", {.tag = TN_TAG_STRING, .v.str = ""}},
                       {"alpha", {.tag = TN_TAG_FLOAT, .v.f = 2}}};
    tn_arg bound[6];
    cr_assert_null(tn_schema_bind(s, args, 3, named, 2, &arena, bound));
    cr_assert_null(tn_schema_bind(s, args, 1, NULL, 0, &arena, bound));
    cr_assert_eq(counting.allocations, 0);
    cr_assert_eq(bound[2].v.list, s->params[2].default_value.v.list);
    args[2] = (tn_arg){.tag = TN_TAG_INT, .v.i = 2};
    cr_assert_null(tn_schema_bind(s, args, 3, NULL, 0, &arena, bound));
    cr_assert_eq(counting.allocations, 1);
    tn_arena_deinit(&arena);
    cr_assert_null(tn_failing_allocator_problem(&counting));
    tn_failing_allocator_deinit(&counting);
    tn_schema_free(s);
}
