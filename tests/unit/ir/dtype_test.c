#include "ir/dtype.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static tn_scalar f(double value) {
    return (tn_scalar){.f = value};
}
static tn_scalar i(int64_t value) {
    return (tn_scalar){.i = value};
}
static tn_scalar u(uint64_t value) {
    return (tn_scalar){.u = value};
}

Test(dtype, list_is_in_the_permanent_order) {
    static const char *const texts[] = {"bool", "u8",  "u16", "u32",      "u64",
                                        "i8",   "i16", "i32", "i64",      "f16",
                                        "bf16", "f32", "f64", "f8e4m3fn", "f8e5m2"};
    static const size_t sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 1, 1};
    cr_assert_eq((int)TN_DT_COUNT, 15);
    for (int k = 0; k < TN_DT_COUNT; k++) {
        const tn_dt dt = (tn_dt)k;
        cr_expect_str_eq(tn_dt_text(dt), texts[k]);
        cr_expect_eq(tn_dt_parse(texts[k], strlen(texts[k])), dt);
        cr_expect_eq(tn_dt_from_dtype(tn_dt_to_dtype(dt)), dt);
        cr_expect_eq(tn_dt_size(dt), sizes[k], "%s", texts[k]);
        cr_expect_eq(tn_dt_is_float(dt), strchr(texts[k], 'f') != NULL, "%s", texts[k]);
        cr_expect_eq(tn_dt_is_int(dt), texts[k][0] == 'u' || texts[k][0] == 'i', "%s", texts[k]);
        cr_expect_eq(tn_dt_is_signed(dt), texts[k][0] != 'u' && k != 0, "%s", texts[k]);
    }
    cr_expect_eq(tn_dt_compute(TN_DT_F8E5M2), TN_DT_F32);
    cr_expect_eq(tn_dt_compute(TN_DT_BF16), TN_DT_F32);
    cr_expect_eq(tn_dt_compute(TN_DT_F64), TN_DT_F64);
    cr_expect_eq(tn_dt_compute(TN_DT_U8), TN_DT_U8);
}

Test(dtype, others_are_none_of_ours) {
    cr_expect_eq(tn_dt_from_dtype((tn_dtype){TN_TYPE_FLOAT, 32, 4}), TN_DT_NONE);
    cr_expect_eq(tn_dt_from_dtype((tn_dtype){TN_TYPE_COMPLEX, 64, 1}), TN_DT_NONE);
    cr_expect_eq(tn_dt_from_dtype((tn_dtype){TN_TYPE_INT, 4, 1}), TN_DT_NONE);
    cr_expect_eq(tn_dt_parse("f3", 2), TN_DT_NONE);
    cr_expect_eq(tn_dt_parse("f321", 4), TN_DT_NONE);
    cr_expect_eq(tn_dt_parse("f32,", 3), TN_DT_F32);
    cr_expect_str_eq(tn_dt_text(TN_DT_NONE), "?");
}

/* ----------------------------------------------- formats of narrow floats */

typedef struct format {
    tn_dt dt;
    int exponent_bits, mantissa_bits, bias;
    uint32_t largest; /* code of the largest finite number */
    bool has_infinity;
} format;
static const format formats[] = {
    {TN_DT_F16, 5, 10, 15, 0x7bff, true},
    {TN_DT_BF16, 8, 7, 127, 0x7f7f, true},
    {TN_DT_F8E4M3FN, 4, 3, 7, 0x7e, false},
    {TN_DT_F8E5M2, 5, 2, 15, 0x7b, true},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static double decode(tn_dt dt, uint32_t code) {
    const uint16_t wide = (uint16_t)code;
    const uint8_t narrow = (uint8_t)code;
    return tn_scalar_load(dt, tn_dt_size(dt) == 2 ? (const void *)&wide : &narrow).f;
}
static uint32_t encode(tn_dt dt, double value) {
    uint16_t wide = 0;
    uint8_t narrow = 0;
    tn_scalar_store(dt, tn_dt_size(dt) == 2 ? (void *)&wide : &narrow, f(value));
    return tn_dt_size(dt) == 2 ? wide : narrow;
}
/* By the definition of a binary format, with pow. */
static double expected_value(const format *t, uint32_t code) {
    const uint32_t exponent = code >> t->mantissa_bits;
    const double fraction = (code & ((1u << t->mantissa_bits) - 1)) / pow(2.0, t->mantissa_bits);
    if (exponent == 0) return fraction * pow(2.0, 1 - t->bias);
    return (1.0 + fraction) * pow(2.0, (double)exponent - t->bias);
}

Test(dtype, every_code_of_narrow_floats_is_what_the_format_says) {
    for (int k = 0; k < FORMATS; k++) {
        const format *t = &formats[k];
        const uint32_t sign = 1u << (t->exponent_bits + t->mantissa_bits);
        for (uint32_t code = 0; code < sign; code++) {
            const double value = decode(t->dt, code), negative = decode(t->dt, code | sign);
            if (code <= t->largest) {
                cr_assert_eq(value, expected_value(t, code), "%s %x", tn_dt_text(t->dt), code);
                cr_assert_eq(encode(t->dt, value), code, "%s %x", tn_dt_text(t->dt), code);
                cr_assert_eq(encode(t->dt, negative), code | sign, "%s %x", tn_dt_text(t->dt),
                             code);
                cr_assert(signbit(negative) && negative == -value);
            } else if (t->has_infinity && code == t->largest + 1) {
                cr_assert(isinf(value) && value > 0 && isinf(negative) && negative < 0);
                cr_assert_eq(encode(t->dt, value), code);
            } else {
                cr_assert(isnan(value) && isnan(negative), "%s %x", tn_dt_text(t->dt), code);
                cr_assert(isnan(decode(t->dt, encode(t->dt, value))));
            }
        }
    }
}

/* Between neighbours the midpoint goes to the even code, and anything beside it
 * to the nearer one, however near the midpoint it is. */
Test(dtype, narrow_floats_round_once_to_nearest_even) {
    for (int k = 0; k < FORMATS; k++) {
        const format *t = &formats[k];
        for (uint32_t code = 0; code < t->largest; code++) {
            const double low = decode(t->dt, code), high = decode(t->dt, code + 1);
            const double middle = low + (high - low) / 2;
            const uint32_t even = (code & 1) != 0 ? code + 1 : code;
            cr_assert_eq(encode(t->dt, middle), even, "%s %x", tn_dt_text(t->dt), code);
            cr_assert_eq(encode(t->dt, nextafter(middle, INFINITY)), code + 1, "%s %x",
                         tn_dt_text(t->dt), code);
            cr_assert_eq(encode(t->dt, nextafter(middle, 0)), code, "%s %x", tn_dt_text(t->dt),
                         code);
        }
    }
}

Test(dtype, overflow_of_narrow_floats) {
    cr_expect_eq(encode(TN_DT_F16, 65519.999), 0x7bff);
    cr_expect_eq(encode(TN_DT_F16, 65520.0), 0x7c00);
    cr_expect_eq(encode(TN_DT_F16, -1e300), 0xfc00);
    cr_expect_eq(encode(TN_DT_F8E5M2, 61439.0), 0x7b);
    cr_expect_eq(encode(TN_DT_F8E5M2, 61440.0), 0x7c);
    cr_expect_eq(encode(TN_DT_F8E4M3FN, 464.0), 0x7e); /* a tie: 448 is the even one */
    cr_expect_eq(encode(TN_DT_F8E4M3FN, 464.0001), 0x7f);
    cr_expect_eq(encode(TN_DT_F8E4M3FN, -1e9), 0xff);
    cr_expect_eq(encode(TN_DT_F8E4M3FN, INFINITY), 0x7f);
    cr_expect_eq(encode(TN_DT_BF16, 3.3895313892515355e38), 0x7f7f);
    cr_expect_eq(encode(TN_DT_BF16, 3.4e38), 0x7f80);
    cr_expect_eq(encode(TN_DT_F16, 1e-300), 0);
    cr_expect_eq(encode(TN_DT_F16, -5e-324), 0x8000);
    cr_expect_eq(encode(TN_DT_F16, 2.98023223876953125e-8), 0); /* half the smallest: even */
}

Test(dtype, f64_to_f16_does_not_pass_through_f32) {
    /* In f32 this would be the tie 1 + 2^-11, and then 1. */
    const double value = 1.0 + 0x1p-11 + 0x1p-40;
    cr_expect_eq((float)value, 1.0f + 0x1p-11f);
    cr_expect_eq(tn_scalar_cast(f(value), TN_DT_F64, TN_DT_F16).f, 1.0 + 0x1p-10);
    cr_expect_eq(tn_scalar_cast(f(1.0 + 0x1p-8 + 0x1p-40), TN_DT_F64, TN_DT_BF16).f, 1.0 + 0x1p-7);
}

Test(dtype, nan_stays_nan_and_keeps_its_sign) {
    for (int k = 0; k < FORMATS; k++) {
        const double value = tn_float_round(copysign(NAN, -1.0), formats[k].dt);
        cr_expect(isnan(value) && signbit(value), "%s", tn_dt_text(formats[k].dt));
    }
    /* A payload in bits that f16 lacks must not turn into infinity. */
    const uint64_t bits = UINT64_C(0x7ff0000000000001);
    double low;
    memcpy(&low, &bits, 8);
    cr_expect_eq(encode(TN_DT_F16, low), 0x7e00);
}

Test(dtype, named_conversions_are_the_same) {
    for (uint32_t code = 0; code <= 0xffff; code++) {
        const float half = tn_f16_to_f32((uint16_t)code), brain = tn_bf16_to_f32((uint16_t)code);
        const uint32_t brain_bits = code << 16;
        float direct;
        memcpy(&direct, &brain_bits, 4);
        if (!isnan(half)) cr_assert_eq(tn_f32_to_f16(half), code);
        if (!isnan(direct)) cr_assert(brain == direct && tn_f32_to_bf16(brain) == code);
        cr_assert_eq(isnan(direct) != 0, isnan(brain) != 0);
    }
}

/* ------------------------------------------------------------------ casts */

Test(dtype, float_to_integer_saturates_and_truncates) {
    static const struct {
        tn_dt to;
        double value;
        int64_t expected; /* u64: as its bits */
    } cases[] = {
        {TN_DT_I8, 127.9, 127},
        {TN_DT_I8, 128.0, 127},
        {TN_DT_I8, -128.9, -128},
        {TN_DT_I8, -1e30, -128},
        {TN_DT_U8, 255.999, 255},
        {TN_DT_U8, 256.0, 255},
        {TN_DT_U8, -0.999, 0},
        {TN_DT_U8, -5.0, 0},
        {TN_DT_I16, 40000.0, 32767},
        {TN_DT_U16, 65535.5, 65535},
        {TN_DT_I32, 2147483647.5, 2147483647},
        {TN_DT_I32, 2147483648.0, 2147483647},
        {TN_DT_I32, -2147483648.9, INT32_MIN},
        {TN_DT_U32, 4294967295.5, 4294967295},
        {TN_DT_U32, 4294967296.0, 4294967295},
        {TN_DT_I64, 9223372036854774784.0, 9223372036854774784},
        {TN_DT_I64, 9223372036854775808.0, INT64_MAX},
        {TN_DT_I64, -9223372036854775808.0, INT64_MIN},
        {TN_DT_I64, -INFINITY, INT64_MIN},
        {TN_DT_U64, 9223372036854775808.0, INT64_MIN},
        {TN_DT_U64, 18446744073709549568.0, -2048},
        {TN_DT_U64, 18446744073709551616.0, -1},
        {TN_DT_U64, INFINITY, -1},
        {TN_DT_U64, -1.0, 0},
        {TN_DT_I32, -0.0, 0},
        {TN_DT_I32, -2.7, -2},
        {TN_DT_I64, 0.99999, 0},
        {TN_DT_I8, NAN, 0},
        {TN_DT_U64, NAN, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        cr_expect_eq(tn_scalar_cast(f(cases[k].value), TN_DT_F64, cases[k].to).i, cases[k].expected,
                     "%g to %s", cases[k].value, tn_dt_text(cases[k].to));
}

Test(dtype, integer_to_integer_wraps) {
    cr_expect_eq(tn_scalar_cast(i(-1), TN_DT_I32, TN_DT_U8).u, 255);
    cr_expect_eq(tn_scalar_cast(i(-1), TN_DT_I8, TN_DT_U64).u, UINT64_MAX);
    cr_expect_eq(tn_scalar_cast(i(200), TN_DT_I16, TN_DT_I8).i, -56);
    cr_expect_eq(tn_scalar_cast(u(UINT64_MAX), TN_DT_U64, TN_DT_I64).i, -1);
    cr_expect_eq(tn_scalar_cast(u(4294967295u), TN_DT_U32, TN_DT_I64).i, 4294967295);
    cr_expect_eq(tn_scalar_cast(u(1), TN_DT_BOOL, TN_DT_I8).i, 1);
}

Test(dtype, integer_to_float_rounds_once) {
    cr_expect_eq(tn_scalar_cast(i(16777217), TN_DT_I32, TN_DT_F32).f, 16777216.0);
    cr_expect_eq(tn_scalar_cast(i(16777219), TN_DT_I32, TN_DT_F32).f, 16777220.0);
    /* The nearest double is a tie of f32, which would then go to even. */
    const int64_t above_tie = (INT64_C(1) << 60) + (INT64_C(1) << 36) + 1;
    cr_expect_eq(tn_scalar_cast(i(above_tie), TN_DT_I64, TN_DT_F32).f, 0x1p60 + 0x1p37);
    cr_expect_eq(tn_scalar_cast(i(-above_tie), TN_DT_I64, TN_DT_F32).f, -0x1p60 - 0x1p37);
    cr_expect_eq(
        tn_scalar_cast(i((INT64_C(1) << 60) + (INT64_C(1) << 52) + 1), TN_DT_I64, TN_DT_BF16).f,
        0x1p60 + 0x1p53);
    cr_expect_eq(tn_scalar_cast(u(UINT64_MAX), TN_DT_U64, TN_DT_F64).f, 0x1p64);
    cr_expect_eq(tn_scalar_cast(u(UINT64_MAX), TN_DT_U64, TN_DT_F32).f, 0x1p64);
    cr_expect_eq(tn_scalar_cast(u(UINT64_C(1) << 63), TN_DT_U64, TN_DT_F64).f, 0x1p63);
    cr_expect_eq(tn_scalar_cast(i(INT64_MIN), TN_DT_I64, TN_DT_F32).f, -0x1p63);
    cr_expect_eq(tn_scalar_cast(i(INT64_MIN), TN_DT_I64, TN_DT_F64).f, -0x1p63);
    cr_expect_eq(tn_scalar_cast(i(2049), TN_DT_I32, TN_DT_F16).f, 2048.0);
    cr_expect_eq(tn_scalar_cast(i(65520), TN_DT_I32, TN_DT_F16).f, INFINITY);
    cr_expect(isnan(tn_scalar_cast(i(1000), TN_DT_I32, TN_DT_F8E4M3FN).f));
    cr_expect_eq(tn_scalar_cast(u(1), TN_DT_BOOL, TN_DT_BF16).f, 1.0);
}

Test(dtype, to_bool_is_not_zero) {
    cr_expect_eq(tn_scalar_cast(f(NAN), TN_DT_F32, TN_DT_BOOL).u, 1);
    cr_expect_eq(tn_scalar_cast(f(-0.0), TN_DT_F32, TN_DT_BOOL).u, 0);
    cr_expect_eq(tn_scalar_cast(f(1e-45), TN_DT_F32, TN_DT_BOOL).u, 1);
    cr_expect_eq(tn_scalar_cast(i(256), TN_DT_I32, TN_DT_BOOL).u, 1);
    cr_expect_eq(tn_scalar_cast(i(0), TN_DT_I64, TN_DT_BOOL).u, 0);
}

Test(dtype, load_and_store_keep_integers) {
    for (int k = TN_DT_U8; k <= TN_DT_I64; k++) {
        const tn_dt dt = (tn_dt)k;
        unsigned char bytes[8] = {0}, back[9] = {0};
        for (size_t b = 0; b < tn_dt_size(dt); b++)
            bytes[b] = (unsigned char)(0x81 + b);
        back[tn_dt_size(dt)] = 0x55;
        const tn_scalar value = tn_scalar_load(dt, bytes);
        cr_expect_eq(value.i < 0, tn_dt_is_signed(dt) || dt == TN_DT_U64, "%s", tn_dt_text(dt));
        tn_scalar_store(dt, back, value);
        cr_expect_arr_eq(back, bytes, tn_dt_size(dt));
        cr_expect_eq(back[tn_dt_size(dt)], 0x55, "%s wrote too much", tn_dt_text(dt));
    }
    unsigned char two = 2, out = 7;
    cr_expect_eq(tn_scalar_load(TN_DT_BOOL, &two).u, 1);
    tn_scalar_store(TN_DT_BOOL, &out, u(256));
    cr_expect_eq(out, 1);
}
