#include "schema/schema_internal.h"
#include "unit/schema/schema_fixture.h"

typedef void (*print_fn)(const tn_arg *value, tn_strbuf *out);

static void assert_prints(print_fn print, tn_arg value, const char *expected) {
    tn_strbuf out;
    tn_strbuf_init(&out, tn_allocator_system());
    print(&value, &out);
    cr_assert_str_eq(tn_strbuf_cstr(&out), expected);
    tn_strbuf_deinit(&out);
}

#define PRINTS(expected, ...) assert_prints(tn_schema_print_value, (tn_arg){__VA_ARGS__}, expected)
#define DESCRIBES(expected, ...) assert_prints(tn__value_describe, (tn_arg){__VA_ARGS__}, expected)

/* SCH-11: the text of a float cannot be taken for an int's. */
Test(schema_print, floats_stay_floats) {
    PRINTS("2.0", .tag = TN_TAG_FLOAT, .v.f = 2);
    PRINTS("-0.0", .tag = TN_TAG_FLOAT, .v.f = -0.0);
    PRINTS("1e300", .tag = TN_TAG_FLOAT, .v.f = 1e300);
    PRINTS("2", .tag = TN_TAG_INT, .v.i = 2);
    static const double values[] = {
        1,     100,  123456789, 1e15,   1e16, 1e17, 1e22,     1e23,
        1e100, 1e-5, 1e-7,      5e-324, 3e0,  -7.0, 16777216, 9007199254740992};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        tn_strbuf out;
        tn_strbuf_init(&out, tn_allocator_system());
        tn_arg value = {.tag = TN_TAG_FLOAT, .v.f = values[i]};
        tn_schema_print_value(&value, &out);
        tn_arena arena;
        tn_arena_init(&arena, tn_allocator_system());
        tn_arg again;
        cr_assert_null(call_text_value(out.data, out.length, &arena, &again));
        cr_assert_eq(again.tag, TN_TAG_FLOAT, "%s", out.data);
        cr_assert_eq(again.v.f, values[i], "%s", out.data);
        tn_arena_deinit(&arena);
        tn_strbuf_deinit(&out);
    }
}

Test(schema_print, every_tag) {
    tn_arg items[] = {{.tag = TN_TAG_INT, .v.i = 1}, {.tag = TN_TAG_NONE}};
    tn_tensor tensor = {0};
    tn_handle handle = {.type_name = "acme::cache"};
    PRINTS("None", .tag = TN_TAG_NONE);
    PRINTS("True", .tag = TN_TAG_BOOL, .v.i = 1);
    PRINTS("False", .tag = TN_TAG_BOOL, .v.i = 0);
    PRINTS("\"a\\\"b\"", .tag = TN_TAG_STRING, .count = 3, .v.str = "a\"b");
    PRINTS("f32", .tag = TN_TAG_DTYPE, .v.dtype = {TN_TYPE_FLOAT, 32, 1});
    PRINTS("cuda:2", .tag = TN_TAG_DEVICE, .v.device = {TN_DEVICE_CUDA, 2});
    PRINTS("[1, None]", .tag = TN_TAG_LIST, .count = 2, .v.list = items);
    PRINTS("[]", .tag = TN_TAG_LIST);
    PRINTS("tensor", .tag = TN_TAG_TENSOR, .v.tensor = &tensor);
    PRINTS("handle", .tag = TN_TAG_HANDLE, .v.handle = &handle);
    PRINTS("value", .tag = TN_TAG_VALUE, .v.value = {7});
    PRINTS("dim", .tag = TN_TAG_DIM, .v.dim = {7});
    PRINTS("tag 77", .tag = 77);
}

/* What a caller may get wrong is printed, not followed. */
Test(schema_print, malformed_values) {
    tn_arg inner = {.tag = TN_TAG_LIST, .count = 3, .v.list = NULL};
    PRINTS("[[...]]", .tag = TN_TAG_LIST, .count = 1, .v.list = &inner);
    PRINTS("[]", .tag = TN_TAG_LIST, .count = 5, .v.list = NULL);
    PRINTS("a null string", .tag = TN_TAG_STRING, .count = 5, .v.str = NULL);
}

Test(schema_print, descriptions) {
    tn_tensor tensor = {0};
    tn_handle handle = {.type_name = "acme::cache"}, nameless = {0};
    tn_arg items[200];
    for (int i = 0; i < 200; i++)
        items[i] = (tn_arg){.tag = TN_TAG_INT, .v.i = 1000 + i};
    char word[200];
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    DESCRIBES("None", .tag = TN_TAG_NONE);
    DESCRIBES("int -3", .tag = TN_TAG_INT, .v.i = -3);
    DESCRIBES("float 2.0", .tag = TN_TAG_FLOAT, .v.f = 2);
    DESCRIBES("bool True", .tag = TN_TAG_BOOL, .v.i = 1);
    DESCRIBES("bool with the value 2", .tag = TN_TAG_BOOL, .v.i = 2);
    DESCRIBES("str \"x\"", .tag = TN_TAG_STRING, .count = 1, .v.str = "x");
    DESCRIBES("a null string", .tag = TN_TAG_STRING);
    DESCRIBES("dtype i8", .tag = TN_TAG_DTYPE, .v.dtype = {TN_TYPE_INT, 8, 1});
    DESCRIBES("device cpu", .tag = TN_TAG_DEVICE, .v.device = {TN_DEVICE_CPU, 0});
    DESCRIBES("a list of 2: [1000, 1001]", .tag = TN_TAG_LIST, .count = 2, .v.list = items);
    DESCRIBES("a list of 200: [1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, ...]",
              .tag = TN_TAG_LIST, .count = 200, .v.list = items);
    DESCRIBES("str \"wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww\"...", .tag = TN_TAG_STRING,
              .count = 199, .v.str = word);
    DESCRIBES("a tensor", .tag = TN_TAG_TENSOR, .v.tensor = &tensor);
    DESCRIBES("a null tensor", .tag = TN_TAG_TENSOR);
    DESCRIBES("a tensor", .tag = TN_TAG_VALUE);
    DESCRIBES("a size that is not known yet", .tag = TN_TAG_DIM);
    DESCRIBES("a handle of type acme::cache", .tag = TN_TAG_HANDLE, .v.handle = &handle);
    DESCRIBES("a null handle", .tag = TN_TAG_HANDLE, .v.handle = &nameless);
    DESCRIBES("a null handle", .tag = TN_TAG_HANDLE);
    DESCRIBES("a value with the unknown tag 12", .tag = 12);
}

Test(schema_print, cutting_a_string_keeps_characters_whole) {
    char text[3 * 40 + 2] = "";
    for (int offset = 0; offset < 3; offset++) {
        size_t length = 0;
        for (int i = 0; i < offset; i++)
            text[length++] = 'x';
        for (int i = 0; i < 39; i++, length += 3)
            memcpy(text + length, "\xe6\x97\xa5", 3);
        tn_arg value = {.tag = TN_TAG_STRING, .count = (uint32_t)length, .v.str = text};
        tn_strbuf out;
        tn_strbuf_init(&out, tn_allocator_system());
        tn__value_describe(&value, &out);
        cr_assert_str_eq(out.data + out.length - 7, "\xe6\x97\xa5\"...");
        tn_strbuf_deinit(&out);
    }
}
