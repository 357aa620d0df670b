/* The conversions of plugins/common against those of core, which are tested on their own. */
#include <criterion/criterion.h>

#include "ir/dtype.h"
#include "narrow.h"

static float wide(tn_dt dt, uint32_t bits) {
    return (float)tn_scalar_load(dt, &(uint16_t){(uint16_t)bits}).f;
}

static bool same(float x, float y) {
    return tn_float_bits(x) == tn_float_bits(y) || (x != x && y != y);
}

Test(narrow, every_narrow_float_becomes_the_same_f32) {
    for (uint32_t i = 0; i < 65536; i++) {
        const uint16_t h = (uint16_t)i;
        cr_assert(same(tn_load_f16(h), wide(TN_DT_F16, i)), "f16 0x%04x", i);
        cr_assert(same(tn_load_bf16(h), wide(TN_DT_BF16, i)), "bf16 0x%04x", i);
    }
    for (uint32_t i = 0; i < 256; i++) {
        cr_assert(same(tn_load_f8((uint8_t)i, 0), wide(TN_DT_F8E4M3FN, i)), "e4m3fn 0x%02x", i);
        cr_assert(same(tn_load_f8((uint8_t)i, 1), wide(TN_DT_F8E5M2, i)), "e5m2 0x%02x", i);
    }
}

static void check_store(float x) {
    uint16_t h = 0;
    uint8_t b = 0;
    const tn_scalar value = {.f = x};
    tn_scalar_store(TN_DT_F16, &h, value);
    cr_assert(same(tn_load_f16(tn_store_f16(x)), tn_load_f16(h)), "f16 of %a", (double)x);
    tn_scalar_store(TN_DT_BF16, &h, value);
    cr_assert(same(tn_load_bf16(tn_store_bf16(x)), tn_load_bf16(h)), "bf16 of %a", (double)x);
    tn_scalar_store(TN_DT_F8E4M3FN, &b, value);
    cr_assert(same(tn_load_f8(tn_store_f8(x, 0), 0), tn_load_f8(b, 0)), "e4m3fn of %a", (double)x);
    tn_scalar_store(TN_DT_F8E5M2, &b, value);
    cr_assert(same(tn_load_f8(tn_store_f8(x, 1), 1), tn_load_f8(b, 1)), "e5m2 of %a", (double)x);
}

/* Every f32 whose low bits are all 0, all 1, a half or beside a half of a narrow step: each
 * exponent, each sign, ties and what is next to them. */
Test(narrow, f32_rounds_to_the_nearest_and_ties_to_even) {
    static const uint32_t low[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001, 0xffff};
    for (uint32_t high = 0; high < 65536; high++) {
        for (size_t i = 0; i < sizeof low / sizeof *low; i++) {
            check_store(tn_bits_float(high << 16 | low[i]));
        }
    }
}
