#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/graph.h"
#include "ir/internal.h"

#define LENGTH(array) (int32_t)(sizeof(array) / sizeof *(array))
#define TYPE(...)                                                                                  \
    ((tn_type){.known = true,                                                                      \
               .dt = TN_DT_F32,                                                                    \
               .dtype = {TN_TYPE_FLOAT, 32, 1},                                                    \
               .rank = LENGTH(((int64_t[]){__VA_ARGS__})),                                         \
               .shape = (int64_t[]){__VA_ARGS__}})

static const int64_t huge = INT64_C(1) << 62;

Test(type, numel) {
    tn_type scalar = {.known = true, .rank = 0};
    cr_assert_eq(tn_type_numel(&scalar), 1);
    cr_assert_eq(tn_type_numel(&TYPE(2, 3, 4)), 24);
    cr_assert_eq(tn_type_numel(&TYPE(2, 0, 4)), 0);
    cr_assert_eq(tn_type_numel(&TYPE(huge, 2)), -1);
    cr_assert_eq(tn_type_numel(&TYPE(huge, 4, 0)), 0);
    cr_assert_eq(tn_type_numel(&TYPE(2, tn_sym(0))), -1);
}

static bool contiguous(tn_type type, int64_t *strides) {
    type.strides = strides;
    return tn_type_is_contiguous(&type);
}

Test(type, contiguity_ignores_axes_of_extent_0_and_1) {
    cr_assert(contiguous(TYPE(2, 3), NULL));
    cr_assert(contiguous(TYPE(2, 3), (int64_t[]){3, 1}));
    cr_assert_not(contiguous(TYPE(2, 3), (int64_t[]){1, 2}));
    cr_assert_not(contiguous(TYPE(2, 3), (int64_t[]){0, 1}));
    cr_assert(contiguous(TYPE(2, 1, 3), (int64_t[]){3, 77, 1}));
    cr_assert(contiguous(TYPE(2, 0, 3), (int64_t[]){9, 9, 9}));
    cr_assert(contiguous(TYPE(1), (int64_t[]){-5}));
    cr_assert_not(contiguous(TYPE(3), (int64_t[]){-1}));
}

Test(type, contiguity_of_named_sizes_is_claimed_only_where_it_is_sure) {
    cr_assert(contiguous(TYPE(tn_sym(0), 3), (int64_t[]){3, 1}));
    cr_assert_not(contiguous(TYPE(2, tn_sym(0)), (int64_t[]){3, 1}));
    cr_assert_not(contiguous(TYPE(tn_sym(0), 3), (int64_t[]){4, 1}));
}

Test(type, strides_of_a_shape) {
    int64_t strides[3];
    tn_shape_strides((int64_t[]){2, 3, 4}, 3, strides);
    cr_assert_arr_eq(strides, ((int64_t[]){12, 4, 1}), sizeof strides);
    tn_shape_strides((int64_t[]){2, 0, 4}, 3, strides);
    cr_assert_arr_eq(strides, ((int64_t[]){4, 4, 1}), sizeof strides);
}

static tn_code check(tn_type type, int64_t *strides) {
    type.strides = strides;
    tn_status status = tn__type_check(&type);
    tn_code code = tn_status_code(status);
    tn_status_free(status);
    return code;
}

Test(type, check_refuses_what_would_overflow) {
    cr_assert_eq(check(TYPE(2, 3), NULL), TN_OK);
    cr_assert_eq(check(TYPE(huge / 4), NULL), TN_OK);
    cr_assert_eq(check(TYPE(huge / 2), NULL), TN_INVALID);
    cr_assert_eq(check(TYPE(huge, 0, 4), NULL), TN_INVALID, "its strides would not fit");
    cr_assert_eq(check(TYPE(2, tn_sym(3)), NULL), TN_OK);
    cr_assert_eq(check(TYPE(3), (int64_t[]){huge / 8}), TN_OK);
    cr_assert_eq(check(TYPE(3), (int64_t[]){-huge / 8}), TN_OK);
    cr_assert_eq(check(TYPE(3), (int64_t[]){huge / 2}), TN_INVALID);
    cr_assert_eq(check(TYPE(3), (int64_t[]){INT64_MIN}), TN_INVALID);
    cr_assert_eq(check(TYPE(1), (int64_t[]){INT64_MIN}), TN_OK);
    tn_type deep = TYPE(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    cr_assert_eq(check(deep, NULL), TN_INVALID);
    deep.rank = -1;
    cr_assert_eq(check(deep, NULL), TN_INVALID);
}

Test(type, equal_looks_at_dtype_and_shape) {
    tn_type a = TYPE(2, 3), b = TYPE(2, 3);
    b.strides = (int64_t[]){1, 2};
    cr_assert(tn__type_equal(&a, &b));
    b.dtype.bits = 64;
    cr_assert_not(tn__type_equal(&a, &b));
    cr_assert_not(tn__type_equal(&a, &TYPE(2)));
    cr_assert_not(tn__type_equal(&a, &TYPE(2, 4)));
    cr_assert_not(tn__type_equal(&a, &(tn_type){0}));
    cr_assert(tn__type_equal(&(tn_type){0}, &(tn_type){0}));
}

Test(type, text_is_cut_and_not_overrun) {
    char text[TN__TYPE_TEXT];
    cr_assert_str_eq(tn__type_text(NULL, &TYPE(2, tn_sym(0)), text), "f32[2,?]");
    cr_assert_str_eq(tn__type_text(NULL, &(tn_type){0}, text), "a value without a type");
    tn_type odd = TYPE(1);
    odd.dt = TN_DT_NONE;
    odd.dtype = (tn_dtype){TN_TYPE_COMPLEX, 64, 1};
    cr_assert_str_eq(tn__type_text(NULL, &odd, text), "c64[1]");
    int64_t shape[16];
    for (int i = 0; i < 16; i++)
        shape[i] = INT64_MAX;
    tn_type large = {.known = true, .dt = TN_DT_F32, .rank = 16, .shape = shape};
    tn__type_text(NULL, &large, text);
    cr_assert_lt(strlen(text), TN__TYPE_TEXT);
    cr_assert_str_eq(text + strlen(text) - 3, "...");
}
