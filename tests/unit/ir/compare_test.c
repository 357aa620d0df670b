#include "ir/compare.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/allocator.h"

static int64_t shape[2], ones[2] = {1, 1};

static tn_tensor tensor(const void *data, tn_dt dt, int64_t n) {
    shape[0] = n;
    return (tn_tensor){.data = (void *)data,
                       .device = {TN_DEVICE_CPU, 0},
                       .ndim = 1,
                       .dtype = tn_dt_to_dtype(dt),
                       .shape = shape,
                       .strides = ones};
}

static tn_comparison compare(const void *a, const void *b, tn_dt dt, int64_t n, tn_tolerance t) {
    const tn_tensor x = tensor(a, dt, n), y = tensor(b, dt, n);
    tn_comparison c;
    cr_assert_null(tn_compare(&x, &y, &t, &c));
    cr_assert_eq(c.n, n);
    cr_assert_eq(c.close, c.n_far == 0);
    return c;
}

static void assert_prints(const tn_comparison *c, const char *expected) {
    tn_strbuf s;
    tn_strbuf_init(&s, tn_allocator_system());
    tn_comparison_print(c, shape, 1, &s);
    cr_expect_str_eq((char *)tn_strbuf_cstr(&s), (char *)expected);
    tn_strbuf_deinit(&s);
}

Test(compare, nan_zero_and_infinity) {
    const float a[] = {NAN, 0.0f, INFINITY, -INFINITY, 1.0f};
    const float same[] = {-NAN, -0.0f, INFINITY, -INFINITY, 1.0f};
    tn_comparison c = compare(a, same, TN_DT_F32, 5, (tn_tolerance){0});
    cr_expect(c.close && c.max_ulp == 0 && c.first_far == -1 && c.worst == -1);
    assert_prints(&c, "5 elements are equal");
    c = compare(a, same, TN_DT_F32, 5, (tn_tolerance){.zero_signs = true});
    cr_expect(!c.close && c.n_far == 1 && c.first_far == 1);

    const float other[] = {1.0f, 0.0f, -INFINITY, 3.4e38f, NAN};
    c = compare(a, other, TN_DT_F32, 5, (tn_tolerance){.abs = 1e30, .rel = 1e30});
    cr_expect_eq(c.n_far, 4, "no tolerance lets NaN or infinity pass for a number");
    cr_expect_eq(c.n_nan, 2);
    cr_expect_eq(c.first_far, 0);
}

Test(compare, counts_values_between) {
    const float a[] = {1.0f, 1.0f, 0x1p-149f, -0x1p-149f};
    const float b[] = {nextafterf(1, 2), 1.0f, 0.0f, 0x1p-149f};
    tn_comparison c = compare(a, b, TN_DT_F32, 4, (tn_tolerance){.ulp = 2});
    cr_expect(c.close && c.max_ulp == 2 && c.worst == 3);
    c = compare(a, b, TN_DT_F32, 4, (tn_tolerance){.ulp = 1});
    cr_expect(c.n_far == 1 && c.first_far == 3);

    const uint16_t largest = 0x7bff, infinity = 0x7c00;
    cr_expect(compare(&largest, &infinity, TN_DT_F16, 1, (tn_tolerance){.ulp = 1}).close);
    cr_expect(!compare(&largest, &infinity, TN_DT_F16, 1, (tn_tolerance){.abs = 1e9}).close);
    const uint8_t e4m3[] = {0x7e, 0x08}, next[] = {0x7d, 0x07};
    cr_expect_eq(compare(e4m3, next, TN_DT_F8E4M3FN, 2, (tn_tolerance){0}).max_ulp, 1);
    const double low = -1.7e308, high = 1.7e308;
    cr_expect_gt(compare(&low, &high, TN_DT_F64, 1, (tn_tolerance){0}).max_ulp, UINT64_C(1) << 63);
}

Test(compare, absolute_relative_and_norm) {
    const double a[] = {100.0, 0.0, -4.0}, b[] = {101.0, 0.5, -4.5};
    tn_comparison c = compare(a, b, TN_DT_F64, 3, (tn_tolerance){.rel = 0.125});
    cr_expect(c.n_far == 1 && c.first_far == 1 && c.max_abs == 1.0 && c.max_rel == 0.125);
    cr_expect(compare(a, b, TN_DT_F64, 3, (tn_tolerance){.abs = 1.0}).close);
    cr_expect(compare(a, b, TN_DT_F64, 3, (tn_tolerance){.norm = 0.01}).close);
    cr_expect_eq(compare(a, b, TN_DT_F64, 3, (tn_tolerance){.norm = 0.006}).n_far, 1);
    /* An infinity is no measure of what a small difference is. */
    const double wide[] = {INFINITY, 1.0}, near[] = {INFINITY, 1.5};
    cr_expect_eq(compare(wide, near, TN_DT_F64, 2, (tn_tolerance){.norm = 0.1}).n_far, 1);
}

Test(compare, integers) {
    const int64_t a[] = {INT64_MIN, 5, -7}, b[] = {INT64_MAX, 5, -6};
    tn_comparison c = compare(a, b, TN_DT_I64, 3, (tn_tolerance){0});
    cr_expect(c.n_far == 2 && c.first_far == 0 && c.worst == 0 && c.max_abs == 0x1p64);
    cr_expect_eq(compare(a, b, TN_DT_I64, 3, (tn_tolerance){.abs = 1}).n_far, 1);
    const uint64_t big = UINT64_MAX, less = UINT64_MAX - 1;
    cr_expect_eq(compare(&big, &less, TN_DT_U64, 1, (tn_tolerance){0}).max_abs, 1.0);
    const bool yes = true, no = false;
    cr_expect(!compare(&yes, &no, TN_DT_BOOL, 1, tn_tolerance_for(TN_DT_BOOL)).close);
}

Test(compare, defaults_grow_as_precision_shrinks) {
    static const tn_dt dts[] = {TN_DT_F64, TN_DT_F32, TN_DT_F16, TN_DT_BF16};
    for (int i = 1; i < 4; i++)
        cr_expect_gt(tn_tolerance_for(dts[i]).rel, tn_tolerance_for(dts[i - 1]).rel);
    cr_expect_eq(tn_tolerance_for(TN_DT_I32).abs, 0);
    cr_expect_eq(tn_tolerance_for(TN_DT_F8E5M2).ulp, 1);
}

Test(compare, strided_tensors_by_coordinate) {
    const float a[] = {0, 1, 2, 3, 4, 5}, b[] = {0, 3, 1, 4, 9, 5};
    int64_t extents[] = {2, 3}, rows[] = {3, 1}, columns[] = {1, 2};
    tn_tensor x = tensor(a, TN_DT_F32, 6), y = tensor(b, TN_DT_F32, 6);
    x.ndim = y.ndim = 2;
    x.shape = y.shape = extents;
    x.strides = rows;
    y.strides = columns;
    tn_comparison c;
    tn_strbuf s;
    cr_assert_null(tn_compare(&x, &y, &(tn_tolerance){0}, &c));
    tn_strbuf_init(&s, tn_allocator_system());
    tn_comparison_print(&c, extents, 2, &s);
    cr_expect_str_eq((char *)tn_strbuf_cstr(&s),
                     "1 of 6 elements differ: first at [0,2], expected 2.0, found 9.0; at most "
                     "7.0 apart, 3.5 relative, 17825792 ulp");
    tn_strbuf_deinit(&s);
}

Test(compare, says_what_is_worst) {
    const float a[] = {1, 2, 3}, b[] = {1.5f, 2, NAN};
    tn_comparison c = compare(a, b, TN_DT_F32, 3, (tn_tolerance){0});
    assert_prints(&c, "2 of 3 elements differ: first at [0], expected 1.0, found 1.5; worst at "
                      "[2], expected 3.0, found nan; at most 0.5 apart, 0.5 relative, 4194304 "
                      "ulp; 1 NaN on one side only");
    c = compare(a, b, TN_DT_F32, 2, (tn_tolerance){.abs = 1});
    assert_prints(&c, "2 elements are close: at most 0.5 apart, 0.5 relative, 4194304 ulp");
    const bool yes = true, no = false;
    c = compare(&yes, &no, TN_DT_BOOL, 1, (tn_tolerance){0});
    assert_prints(&c, "1 of 1 elements differ: first at [0], expected true, found false; at most "
                      "1.0 apart, 1.0 relative");
}

Test(compare, refuses_different_tensors) {
    const float a[4] = {0};
    int64_t other[] = {3};
    tn_tensor x = tensor(a, TN_DT_F32, 4), y = tensor(a, TN_DT_F32, 4);
    tn_comparison c;
    const tn_tolerance t = {0};
    y.shape = other;
    tn_status status = tn_compare(&x, &y, &t, &c);
    cr_expect_eq(tn_status_code(status), TN_INVALID);
    cr_expect_str_eq((char *)tn_status_message(status),
                     "nothing to compare: expected f32[4], found f32[3]");
    tn_status_free(status);
    x.dtype = y.dtype = (tn_dtype){TN_TYPE_COMPLEX, 64, 1};
    y.shape = shape;
    status = tn_compare(&x, &y, &t, &c);
    cr_expect_eq(tn_status_code(status), TN_INVALID);
    tn_status_free(status);
}

Test(compare, nothing_is_equal_to_nothing) {
    const tn_comparison c = compare(NULL, NULL, TN_DT_F32, 0, (tn_tolerance){0});
    cr_expect(c.close);
    assert_prints(&c, "0 elements are equal");
}
