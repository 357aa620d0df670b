/* Sizes, and elements: the program converts floats by formula, core by bits. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "cli/array.h"
#include "ir/dtype.h"

static tn_dtype dtype(const char *text) {
    tn_dtype t;
    tn_status status = tn_dtype_parse(text, &t);
    cr_assert_null(status);
    return t;
}

/* As the format has it; any NaN is as good as another. */
static bool same(double a, double b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void stores_alike(const char *name, tn_dtype t, tn_dt dt, double value) {
    uint16_t here = 0, core = 0;
    cli_element_set(t, &here, 0, value);
    tn_scalar_store(dt, &core, (tn_scalar){.f = value});
    cr_assert(same(cli_element_get(t, &here, 0), cli_element_get(t, &core, 0)),
              "%s of %a: %#x here, %#x in core", name, value, here, core);
}

/* Every value of each format, the middle between neighbours and what lies just beside
 * it, and all that is beyond. */
Test(array, narrow_floats_as_core_has_them) {
    static const char *const all[] = {"f16", "bf16", "f8e4m3fn", "f8e5m2"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tn_dtype t = dtype(all[i]);
        tn_dt dt = tn_dt_from_dtype(t);
        cr_assert_neq(dt, TN_DT_NONE);
        for (uint32_t code = 0; code < 1u << t.bits; code++) {
            uint16_t bits = (uint16_t)code, next = (uint16_t)(code + 1);
            double value = cli_element_get(t, &bits, 0);
            cr_assert(same(value, tn_scalar_load(dt, &bits).f), "%s %#x", all[i], code);
            stores_alike(all[i], t, dt, value);
            double middle = value / 2 + cli_element_get(t, &next, 0) / 2;
            if (!isfinite(middle)) continue;
            stores_alike(all[i], t, dt, middle);
            stores_alike(all[i], t, dt, nextafter(middle, INFINITY));
            stores_alike(all[i], t, dt, nextafter(middle, -INFINITY));
        }
        static const double far[] = {448,   464,     465,   57344, 61439,    61440,
                                     65504, 65519.9, 65520, 1e300, INFINITY, 5e-324};
        for (size_t k = 0; k < sizeof far / sizeof far[0]; k++) {
            stores_alike(all[i], t, dt, far[k]);
            stores_alike(all[i], t, dt, -far[k]);
        }
    }
}

Test(array, sizes_that_do_not_fit) {
    static const struct {
        int32_t rank;
        int64_t shape[3];
    } all[] = {{1, {-1}},
               {2, {INT64_MAX, 2}},
               {3, {INT64_C(1) << 40, 0, INT64_C(1) << 40}},
               {1, {INT64_MAX / 4}}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        cli_array a;
        cli_error error = {""};
        cr_assert_not(cli_array_make(&a, dtype("f32"), all[i].rank, all[i].shape, &error));
        cr_assert(a.data == NULL && error.text[0] != 0);
    }
    cli_array a;
    cli_error error = {""};
    cr_assert(cli_array_make(&a, dtype("f32"), 2, (int64_t[]){5, 0}, &error));
    cr_assert(a.data == NULL && a.bytes == 0 && cli_array_count(&a) == 0);
}

Test(array, integers) {
    static const char *const all[] = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tn_dtype t = dtype(all[i]);
        int64_t storage[2] = {0, 0};
        double low = t.code == TN_TYPE_INT ? -100 : 0;
        cli_element_set(t, storage, 0, low);
        cli_element_set(t, storage, 1, 100);
        cr_assert_eq(cli_element_get(t, storage, 0), low, "%s", all[i]);
        cr_assert_eq(cli_element_get(t, storage, 1), 100, "%s", all[i]);
    }
}
