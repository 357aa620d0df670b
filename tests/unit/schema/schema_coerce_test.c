#include "unit/schema/schema_fixture.h"

static tn_arena arena;
static tn_strbuf out;

static void setup(void) {
    tn_arena_init(&arena, tn_allocator_system());
    tn_strbuf_init(&out, tn_allocator_system());
}

static void teardown(void) {
    tn_strbuf_deinit(&out);
    tn_arena_deinit(&arena);
}

TestSuite(schema_coerce, .init = setup, .fini = teardown);

/* value coerced to type, printed; or the message. */
static const char *coerced(const char *type, const char *value_text) {
    char text[256];
    snprintf(text, sizeof text, "t::f(%s x) -> ()", type);
    tn_schema *s = schema_of(text);
    tn_arg value, result;
    tn_status status = call_text_value(value_text, strlen(value_text), &arena, &value);
    cr_assert_null(status, "%s", tn_status_message(status));
    tn_strbuf_clear(&out);
    status = tn_schema_coerce(&s->params[0].type, &value, &arena, &result);
    if (status) {
        cr_assert_eq(tn_status_code(status), TN_INVALID);
        tn_strbuf_text(&out, tn_status_message(status));
    } else {
        tn_schema_print_value(&result, &out);
    }
    tn_status_free(status);
    tn_schema_free(s);
    return tn_strbuf_cstr(&out);
}

#define FITS(type, value, expected)                                                                \
    cr_assert_str_eq(coerced(type, value), expected, "%s as %s: %s", value, type, out.data)
#define REFUSES(type, value, message)                                                              \
    cr_assert_str_eq(coerced(type, value), message, "%s as %s: %s", value, type, out.data)

Test(schema_coerce, what_fits_as_it_is) {
    FITS("Tensor", "%x", "tensor");
    FITS("int", "3", "3");
    FITS("int", "$5", "dim");
    FITS("float", "2.5", "2.5");
    FITS("bool", "True", "True");
    FITS("str", "'s'", "\"s\"");
    FITS("Scalar", "3", "3");
    FITS("Scalar", "3.0", "3.0");
    FITS("Scalar", "False", "False");
    FITS("Scalar", "$5", "dim");
    FITS("ScalarType", "f32", "f32");
    FITS("Device", "cuda:1", "cuda:1");
    FITS("Handle", "@acme", "handle");
    FITS("Handle<acme>", "@acme", "handle");
}

Test(schema_coerce, ints_become_floats_and_nothing_else_changes) {
    FITS("float", "2", "2.0");
    FITS("float", "-9223372036854775808", "-9.223372036854776e18");
    FITS("float[]", "[1, 2.5, 3]", "[1.0, 2.5, 3.0]");
    FITS("Scalar[]", "[1, 2.5, True]", "[1, 2.5, True]");
    REFUSES("int", "2.0", "expected int, found float 2.0; a float never becomes an int");
    REFUSES("int", "True", "expected int, found bool True; a bool is not a number");
    REFUSES("float", "False", "expected float, found bool False; a bool is not a number");
    REFUSES("float", "$5", "expected float, found a size that is not known yet");
    REFUSES("bool", "1", "expected bool, found int 1");
    REFUSES("bool", "0.0", "expected bool, found float 0.0");
    REFUSES("str", "1", "expected str, found int 1");
    REFUSES("str", "f32", "expected str, found dtype f32");
    REFUSES("Tensor", "1", "expected Tensor, found int 1");
    REFUSES("Scalar", "%x", "expected Scalar, found a tensor");
    REFUSES("Scalar", "'1'", "expected Scalar, found str \"1\"");
    REFUSES("ScalarType", "cpu", "expected ScalarType, found device cpu");
    REFUSES("Device", "'cpu'", "expected Device, found str \"cpu\"");
    REFUSES("Handle<acme>", "@other", "expected Handle<acme>, found a handle of type other");
    REFUSES("Handle<acme>", "%x", "expected Handle<acme>, found a tensor");
}

Test(schema_coerce, none) {
    FITS("int?", "None", "None");
    FITS("int[]?", "None", "None");
    FITS("Tensor?[]", "[None, %x]", "[None, tensor]");
    FITS("int?", "0", "0");
    REFUSES("int", "None", "expected int, found None; only an optional type (with '?') takes None");
    REFUSES("int[]", "None",
            "expected int[], found None; only an optional type (with '?') takes None");
    REFUSES("int?[]", "None",
            "expected int?[], found None; only an optional type (with '?') takes None");
    REFUSES("int[]?", "[None]",
            "expected int[]?, found None at index 0; only an optional type (with '?') takes None");
}

Test(schema_coerce, lists) {
    FITS("int[]", "[]", "[]");
    FITS("int[2]", "[1, 2]", "[1, 2]");
    FITS("int[]", "[1, $5]", "[1, dim]");
    FITS("float?[]", "[None, 1]", "[None, 1.0]");
    FITS("str[]", "['a', 'b']", "[\"a\", \"b\"]");
    REFUSES("int[2]", "[1]", "expected int[2], found a list of 1: [1]");
    REFUSES("int[2]", "[]", "expected int[2], found a list of 0: []");
    REFUSES("int[]", "[1, 'x', 2]", "expected int[], found str \"x\" at index 1");
    REFUSES("int[]", "[1.5]",
            "expected int[], found float 1.5 at index 0; a float never becomes an int");
    REFUSES("float[]", "[1, 2, True]",
            "expected float[], found bool True at index 2; a bool is not a number");
    REFUSES("int", "[1]", "expected int, found a list of 1: [1]");
    REFUSES("Tensor[]", "[%x, 1]", "expected Tensor[], found int 1 at index 1");
}

Test(schema_coerce, one_number_for_a_list) {
    FITS("int[3]", "7", "[7, 7, 7]");
    FITS("int[]", "7", "[7]");
    FITS("int[0]", "7", "[]");
    FITS("int[2]", "$5", "[dim, dim]");
    FITS("float[2]", "1", "[1.0, 1.0]");
    FITS("bool[2]", "True", "[True, True]");
    FITS("Scalar[2]", "1.5", "[1.5, 1.5]");
    FITS("int[2]?", "7", "[7, 7]");
    FITS("int?[2]", "7", "[7, 7]");
    REFUSES("int[2]", "1.5", "expected int[2], found float 1.5; a float never becomes an int");
    REFUSES("int[2]", "True", "expected int[2], found bool True; a bool is not a number");
    REFUSES("Tensor[]", "%x", "expected Tensor[], found a tensor");
    REFUSES("str[]", "'x'", "expected str[], found str \"x\"");
    REFUSES("ScalarType[]", "f32", "expected ScalarType[], found dtype f32");
}

/* Values that break the promises of their tags. */
Test(schema_coerce, malformed_values) {
    tn_handle nameless = {.type_name = NULL};
    static const struct {
        const char *type;
        tn_arg value;
        const char *message;
    } cases[] = {
        {"Tensor", {.tag = TN_TAG_TENSOR}, "expected Tensor, found a null tensor"},
        {"str", {.tag = TN_TAG_STRING}, "expected str, found a null string"},
        {"bool", {.tag = TN_TAG_BOOL, .v.i = 2}, "expected bool, found bool with the value 2"},
        {"Scalar",
         {.tag = TN_TAG_BOOL, .v.i = -1},
         "expected Scalar, found bool with the value -1"},
        {"int[]", {.tag = TN_TAG_LIST, .count = 2}, "expected a list, found a null list of 2"},
        {"int", {.tag = 12}, "expected int, found a value with the unknown tag 12"},
        {"int", {.tag = UINT32_MAX}, "expected int, found a value with the unknown tag 4294967295"},
        {"int[]", {.tag = 12}, "expected int[], found a value with the unknown tag 12"},
        {"Handle", {.tag = TN_TAG_HANDLE}, "expected Handle, found a null handle"},
    };
    for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
        bool last = i == sizeof cases / sizeof *cases;
        tn_arg value = {.tag = TN_TAG_HANDLE, .v.handle = &nameless}, result;
        char text[64];
        snprintf(text, sizeof text, "t::f(%s x) -> ()", last ? "Handle<a>" : cases[i].type);
        tn_schema *s = schema_of(text);
        tn_status status = tn_schema_coerce(&s->params[0].type, last ? &value : &cases[i].value,
                                            &arena, &result);
        cr_assert_str_eq(tn_status_message(status),
                         last ? "expected Handle<a>, found a null handle" : cases[i].message);
        tn_status_free(status);
        tn_schema_free(s);
    }
}

/* A list is borrowed when all of it fits, and never written. */
Test(schema_coerce, lists_are_borrowed_or_made_anew) {
    tn_schema *s = schema_of("t::f(float[] x) -> ()");
    tn_arg items[] = {{.tag = TN_TAG_FLOAT, .v.f = 1}, {.tag = TN_TAG_FLOAT, .v.f = 2}};
    tn_arg list = {.tag = TN_TAG_LIST, .count = 2, .v.list = items}, result;
    cr_assert_null(tn_schema_coerce(&s->params[0].type, &list, &arena, &result));
    cr_assert_eq(result.v.list, items);
    cr_assert_eq(arena.total, 0);
    items[1] = (tn_arg){.tag = TN_TAG_INT, .v.i = 3};
    cr_assert_null(tn_schema_coerce(&s->params[0].type, &list, &arena, &result));
    cr_assert_neq(result.v.list, items);
    cr_assert_eq(result.v.list[1].v.f, 3.0);
    cr_assert_eq(items[1].tag, TN_TAG_INT);
    tn_schema_free(s);
}
