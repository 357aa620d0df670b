#include "base/json.h"

#include <criterion/criterion.h>
#include <math.h>

#include "base/allocator.h"

static tn_strbuf out;
static tn_json j;

static void setup(void) {
    tn_strbuf_init(&out, tn_allocator_system());
    tn_json_init(&j, &out);
}

static void teardown(void) {
    tn_strbuf_deinit(&out);
}

TestSuite(json, .init = setup, .fini = teardown);

Test(json, nests_and_indents) {
    tn_json_object(&j, NULL);
    tn_json_text(&j, "name", "mlp");
    tn_json_array(&j, "dims");
    tn_json_int(&j, NULL, 4);
    tn_json_int(&j, NULL, INT64_MIN);
    tn_json_end_array(&j);
    tn_json_object(&j, "inner");
    tn_json_bool(&j, "yes", true);
    tn_json_bool(&j, "no", false);
    tn_json_end_object(&j);
    tn_json_double(&j, "x", 0.5);
    tn_json_end_object(&j);
    cr_assert_str_eq(tn_strbuf_cstr(&out), "{\n"
                                           "  \"name\": \"mlp\",\n"
                                           "  \"dims\": [\n"
                                           "    4,\n"
                                           "    -9223372036854775808\n"
                                           "  ],\n"
                                           "  \"inner\": {\n"
                                           "    \"yes\": true,\n"
                                           "    \"no\": false\n"
                                           "  },\n"
                                           "  \"x\": 0.5\n"
                                           "}\n");
}

Test(json, empty_scopes) {
    tn_json_object(&j, NULL);
    tn_json_array(&j, "a");
    tn_json_end_array(&j);
    tn_json_object(&j, "o");
    tn_json_end_object(&j);
    tn_json_end_object(&j);
    cr_assert_str_eq(tn_strbuf_cstr(&out), "{\n  \"a\": [],\n  \"o\": {}\n}\n");
}

Test(json, escapes) {
    tn_json_text(&j, NULL, "\"\\\n\t\x01\x7f\xc3\xa9");
    cr_assert_str_eq(tn_strbuf_cstr(&out), "\"\\\"\\\\\\n\\u0009\\u0001\\u007f\xc3\xa9\"");
}

Test(json, bytes_that_are_no_utf8_are_replaced) {
    /* A stray continuation, an overlong '/', a surrogate, a cut-off sequence. */
    tn_json_text(&j, NULL, "a\x80z\xc0\xafz\xed\xa0\x80z\xe2\x82");
    cr_assert_str_eq(tn_strbuf_cstr(&out), "\"a\\ufffdz\\ufffd\\ufffdz\\ufffd\\ufffd\\ufffdz"
                                           "\\ufffd\\ufffd\"");
}

Test(json, longer_utf8_is_kept) {
    tn_json_text(&j, NULL, "\xe2\x82\xac \xf0\x9f\x99\x82");
    cr_assert_str_eq(tn_strbuf_cstr(&out), "\"\xe2\x82\xac \xf0\x9f\x99\x82\"");
}

Test(json, numbers_without_a_form_are_strings) {
    tn_json_array(&j, NULL);
    tn_json_double(&j, NULL, (double)NAN);
    tn_json_double(&j, NULL, -(double)INFINITY);
    tn_json_text(&j, NULL, NULL);
    tn_json_end_array(&j);
    cr_assert_str_eq(tn_strbuf_cstr(&out), "[\n  \"nan\",\n  \"-inf\",\n  null\n]\n");
}
