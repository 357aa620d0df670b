#include "base/number.h"

#include <criterion/criterion.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_int(const char *text, bool good, int64_t expected) {
    int64_t value = 77;
    cr_expect_eq(tn_int_parse(text, strlen(text), &value), good, "'%s'", text);
    cr_expect_eq(value, good ? expected : 77, "'%s' gave %lld", text, (long long)value);
}

Test(number, integers) {
    check_int("0", true, 0);
    check_int("-0", true, 0);
    check_int("+12", true, 12);
    check_int("007", true, 7);
    check_int("9223372036854775807", true, INT64_MAX);
    check_int("-9223372036854775808", true, INT64_MIN);
    check_int("9223372036854775808", false, 0);
    check_int("-9223372036854775809", false, 0);
    check_int("99999999999999999999", false, 0);
    check_int("", false, 0);
    check_int("-", false, 0);
    check_int("1x", false, 0);
    check_int(" 1", false, 0);
    check_int("1.0", false, 0);
    check_int("0x10", false, 0);
    int64_t value;
    cr_assert(tn_int_parse("1234", 2, &value));
    cr_assert_eq(value, 12, "the length decides, not a NUL");
}

static void check_format(double value, const char *expected) {
    char text[TN_DOUBLE_TEXT_SIZE];
    size_t length = tn_double_format(value, text);
    cr_expect_str_eq(text, expected, "%a gave %s", value, text);
    cr_expect_eq(length, strlen(text));
}

Test(number, doubles_are_written_shortest) {
    check_format(0.0, "0.0");
    check_format(-0.0, "-0.0");
    check_format(1.0, "1.0");
    check_format(-2.5, "-2.5");
    check_format(0.1, "0.1");
    check_format(0.3, "0.3");
    check_format(0.1 + 0.2, "0.30000000000000004");
    check_format(1e-5, "0.00001");
    check_format(1.5e-6, "1.5e-6");
    check_format(100.0, "100.0");
    check_format(123456.75, "123456.75");
    check_format(1e16, "10000000000000000.0");
    check_format(1e17, "1e17");
    check_format(1e22, "1e22");
    check_format(1e23, "1e23");
    check_format(9007199254740993.0, "9007199254740992.0");
    check_format(5e-324, "5e-324");
    check_format(2.2250738585072014e-308, "2.2250738585072014e-308");
    check_format(2.225073858507201e-308, "2.225073858507201e-308");
    check_format(DBL_MAX, "1.7976931348623157e308");
    check_format(-DBL_MAX, "-1.7976931348623157e308");
    check_format((double)INFINITY, "inf");
    check_format(-(double)INFINITY, "-inf");
    check_format((double)NAN, "nan");
    /* At a power of two the gap below is half the gap above. */
    check_format(0x1p-44, "5.684341886080802e-14");
    check_format(9.5367431640625e-7, "9.5367431640625e-7");
    check_format((double)0.1f, "0.10000000149011612");
    check_format(1.2345678901234568e-300, "1.2345678901234568e-300");
}

static void check_parse(const char *text, bool good, double expected) {
    double value = 77;
    cr_expect_eq(tn_double_parse(text, strlen(text), &value), good, "'%s'", text);
    if (good) {
        cr_expect(memcmp(&value, &expected, sizeof value) == 0 || (isnan(value) && isnan(expected)),
                  "'%s' gave %a, not %a", text, value, expected);
    }
}

Test(number, doubles_are_read) {
    check_parse("0", true, 0.0);
    check_parse("-0.0", true, -0.0);
    check_parse("1", true, 1.0);
    check_parse("+1.5", true, 1.5);
    check_parse(".5", true, 0.5);
    check_parse("5.", true, 5.0);
    check_parse("1e3", true, 1000.0);
    check_parse("1E+3", true, 1000.0);
    check_parse("25e-1", true, 2.5);
    check_parse("0.000001e6", true, 1.0);
    check_parse("1000000e-6", true, 1.0);
    check_parse("1e400", true, (double)INFINITY);
    check_parse("-1e400", true, -(double)INFINITY);
    check_parse("1e-400", true, 0.0);
    check_parse("1e99999999999999999999999", true, (double)INFINITY);
    check_parse("1e-99999999999999999999999", true, 0.0);
    check_parse("0e99999999999999999999999", true, 0.0);
    check_parse("2.4703282292062328e-324", true, 5e-324);
    check_parse("2.4703282292062327e-324", true, 0.0);
    check_parse("9007199254740993", true, 9007199254740992.0);
    check_parse("9007199254740993.00000000000000000000000000001", true, 9007199254740994.0);
    check_parse("inf", true, (double)INFINITY);
    check_parse("-inf", true, -(double)INFINITY);
    check_parse("nan", true, (double)NAN);
    static const char *const bad[] = {"",      "-",     ".",     "e5",  "1e",    "1e+",
                                      "1..2",  "1.2.3", "0x1p3", "1 ",  " 1",    "1f",
                                      "infin", "NaN",   "+-1",   "1,5", "1e5.0", "--1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_parse(bad[i], false, 0);
}

Test(number, more_digits_than_are_kept_still_decide) {
    /* Just above, at, and below the half-way point between 1 and its successor,
     * told apart by the 2,000th digit. */
    char text[2100] = "1.00000000000000011102230246251565404236316680908203125";
    size_t length = strlen(text);
    memset(text + length, '0', 2000);
    text[length + 2000] = '\0';
    check_parse(text, true, 1.0);
    text[length + 1999] = '1';
    check_parse(text, true, 1.0000000000000002);
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ *state >> 29;
}

Test(number, any_double_survives_the_round_trip) {
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&state);
        if (i % 4 == 0) bits &= 0x800fffffffffffffu;                 /* subnormal */
        if (i % 4 == 1) bits &= 0xfff0000000000000u;                 /* a power of two */
        if (i % 4 == 2) bits = (bits & 0xfff) + 0x3ff0000000000000u; /* near 1 */
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value)) continue;
        char text[TN_DOUBLE_TEXT_SIZE], shorter[64];
        size_t length = tn_double_format(value, text);
        cr_assert_lt(length, TN_DOUBLE_TEXT_SIZE);
        cr_assert(tn_double_parse(text, length, &back), "%s", text);
        cr_assert_eq(memcmp(&back, &value, sizeof value), 0, "%a became %s", value, text);
        /* The C library's text of one digit less must not read back, and ours
         * has no more digits than it needs. */
        int digits = 0;
        for (const char *p = text; *p && *p != 'e'; p++)
            digits += *p >= '0' && *p <= '9' && (digits || *p != '0');
        bool positional = strchr(text, 'e') == NULL;
        if (digits > 1 && !positional && isfinite(value)) {
            snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
            cr_assert_neq(strtod(shorter, NULL), value, "%s is longer than %s", text, shorter);
        }
        snprintf(shorter, sizeof shorter, "%.17g", value);
        cr_assert(tn_double_parse(shorter, strlen(shorter), &back));
        cr_assert_eq(back, value, "%s", shorter);
    }
}

Test(number, the_locale_does_not_matter) {
    /* Whether or not the machine has a locale with a decimal comma, the texts
     * must be those of the C locale. */
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!setlocale(LC_ALL, names[i])) continue;
        check_format(1.5, "1.5");
        check_parse("1.5", true, 1.5);
        check_parse("1,5", false, 0);
    }
}
