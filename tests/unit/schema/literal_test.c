#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "schema/literal.h"

static tn_arena arena;

static void setup(void) {
    tn_arena_init(&arena, tn_allocator_system());
}

static void teardown(void) {
    tn_arena_deinit(&arena);
}

TestSuite(literal, .init = setup, .fini = teardown);

static tn_arg read_one(const char *text) {
    tn_lexer lexer;
    tn_arg value = {.tag = 99};
    tn_status status = tn_lexer_init(&lexer, "f", text, strlen(text), false);
    cr_assert_null(status, "%s", tn_status_message(status));
    cr_assert(tn_literal_starts(&lexer), "%s", text);
    status = tn_literal_parse(&lexer, &arena, &value);
    cr_assert_null(status, "%s", tn_status_message(status));
    cr_assert_eq(lexer.token.kind, TN_TOKEN_END, "%s", text);
    return value;
}

static void assert_float(const char *text, double expected) {
    tn_arg value = read_one(text);
    cr_assert_eq(value.tag, TN_TAG_FLOAT, "%s", text);
    cr_assert_eq(memcmp(&value.v.f, &expected, sizeof expected), 0, "%s", text);
}

static void assert_int(const char *text, int64_t expected) {
    tn_arg value = read_one(text);
    cr_assert_eq(value.tag, TN_TAG_INT, "%s", text);
    cr_assert_eq(value.v.i, expected, "%s", text);
}

Test(literal, integers) {
    assert_int("0", 0);
    assert_int("-0", 0);
    assert_int("42", 42);
    assert_int("- 42", -42);
    assert_int("9223372036854775807", INT64_MAX);
    assert_int("-9223372036854775808", INT64_MIN);
    assert_int("000000000000000000000000000000000000001", 1);
}

/* SCH-11: what is written as a float stays one. */
Test(literal, floats) {
    assert_float("2.0", 2.0);
    assert_float("2.", 2.0);
    assert_float(".5", 0.5);
    assert_float("-0.0", -0.0);
    assert_float("1e3", 1000.0);
    assert_float("-1.5e-3", -1.5e-3);
    assert_float("inf", (double)INFINITY);
    assert_float("-inf", -(double)INFINITY);
    assert_float("1e-500", 0.0);
    assert_float("0.1000000000000000055511151231257827", 0.1);
    tn_arg nan = read_one("nan");
    cr_assert(nan.tag == TN_TAG_FLOAT && isnan(nan.v.f));
}

Test(literal, constants) {
    cr_assert_eq(read_one("None").tag, TN_TAG_NONE);
    cr_assert_eq(read_one("none").tag, TN_TAG_NONE);
    tn_arg yes = read_one("True"), no = read_one("false");
    cr_assert(yes.tag == TN_TAG_BOOL && yes.v.i == 1);
    cr_assert(no.tag == TN_TAG_BOOL && no.v.i == 0);
}

Test(literal, strings) {
    tn_arg value = read_one("'a \"b\"'");
    cr_assert_eq(value.tag, TN_TAG_STRING);
    cr_assert_eq(value.count, 5);
    cr_assert_str_eq(value.v.str, "a \"b\"");
}

Test(literal, dtypes_and_devices) {
    tn_arg dtype = read_one("bf16");
    cr_assert(dtype.tag == TN_TAG_DTYPE && dtype.v.dtype.code == TN_TYPE_BFLOAT);
    tn_arg cuda = read_one("cuda:3"), cpu = read_one("cpu");
    cr_assert(cuda.tag == TN_TAG_DEVICE && cuda.v.device.type == TN_DEVICE_CUDA);
    cr_assert_eq(cuda.v.device.id, 3);
    cr_assert(cpu.tag == TN_TAG_DEVICE && cpu.v.device.type == TN_DEVICE_CPU);
    cr_assert_eq(read_one("cuda:-1").v.device.id, -1);
}

Test(literal, lists) {
    cr_assert_eq(read_one("[]").count, 0);
    tn_arg list = read_one("[1, 2.5, 'x', None, f32, cuda:1]");
    static const uint32_t tags[] = {TN_TAG_INT,  TN_TAG_FLOAT, TN_TAG_STRING,
                                    TN_TAG_NONE, TN_TAG_DTYPE, TN_TAG_DEVICE};
    cr_assert_eq(list.tag, TN_TAG_LIST);
    cr_assert_eq(list.count, 6);
    for (uint32_t i = 0; i < list.count; i++)
        cr_assert_eq(list.v.list[i].tag, tags[i]);
}

Test(literal, stops_after_the_value) {
    tn_lexer lexer;
    tn_arg value;
    cr_assert_null(tn_lexer_init(&lexer, "f", "[1] x", 5, false));
    cr_assert_null(tn_literal_parse(&lexer, &arena, &value));
    cr_assert(tn_lexer_at_name(&lexer, "x"));
    cr_assert_null(tn_lexer_init(&lexer, "f", "[1]", 3, false));
    tn_status status = tn_literal_atom(&lexer, &arena, &value);
    cr_assert_str_eq(tn_status_message(status), "f:1:1: expected a value, found '['\n  [1]\n  ^");
    tn_status_free(status);
}

Test(literal, what_can_start_one) {
    static const char *const no[] = {"", "(", "]", "%", "=", "+1"};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        tn_lexer lexer;
        tn_arg value;
        cr_assert_null(tn_lexer_init(&lexer, "f", no[i], strlen(no[i]), false));
        cr_assert(!tn_literal_starts(&lexer), "'%s'", no[i]);
        tn_status status = tn_literal_parse(&lexer, &arena, &value);
        cr_assert_eq(tn_status_code(status), TN_PARSE);
        tn_status_free(status);
    }
}

Test(literal, numbers_have_a_length) {
    char text[600];
    memset(text, '1', sizeof text);
    tn_lexer lexer;
    tn_arg value;
    text[300] = '.';
    cr_assert_null(tn_lexer_init(&lexer, "f", text, sizeof text, false));
    tn_status status = tn_literal_parse(&lexer, &arena, &value);
    cr_assert_eq(tn_status_code(status), TN_PARSE);
    cr_assert_not_null(strstr(tn_status_message(status), "more than 400 characters"));
    tn_status_free(status);
}
