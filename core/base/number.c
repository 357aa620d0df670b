#include "base/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ integers */

bool tn_int_parse(const char *text, size_t length, int64_t *out) {
    size_t i = 0;
    bool negative = false;
    if (i < length && (text[i] == '+' || text[i] == '-')) negative = text[i++] == '-';
    if (i == length) return false;
    int64_t value = 0; /* built below zero, where there is room for INT64_MIN */
    for (; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        if (__builtin_mul_overflow(value, (int64_t)10, &value)) return false;
        if (__builtin_sub_overflow(value, (int64_t)(text[i] - '0'), &value)) return false;
    }
    if (!negative && __builtin_sub_overflow((int64_t)0, value, &value)) return false;
    *out = value;
    return true;
}

/* ------------------------------------------------------------- text to double */

/* 768 digits and one more for "and something follows" decide the rounding of
 * any decimal number, so longer ones need not be kept whole. */
enum { MAX_DIGITS = 768, EXPONENT_LIMIT = 100000 };

typedef struct decimal {
    char digits[MAX_DIGITS + 1];
    int count;
    int64_t exponent; /* the value is 0.digits * 10^exponent */
    bool negative;
} decimal;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void decimal_add(decimal *d, char digit, bool after_point) {
    if (d->count == 0 && digit == '0') {
        if (after_point) d->exponent--;
        return;
    }
    if (!after_point) d->exponent++;
    if (d->count < MAX_DIGITS) {
        d->digits[d->count++] = digit;
    } else if (digit != '0') {
        d->digits[MAX_DIGITS] = '1';
    }
}

/* text[i ..) after the sign. */
static bool decimal_scan(decimal *d, const char *text, size_t length, size_t i) {
    bool any = false, after_point = false;
    d->digits[MAX_DIGITS] = '0';
    for (; i < length; i++) {
        if (is_digit(text[i])) {
            decimal_add(d, text[i], after_point);
            any = true;
        } else if (text[i] == '.' && !after_point) {
            after_point = true;
        } else {
            break;
        }
    }
    if (!any) return false;
    if (i == length) return true;
    if (text[i] != 'e' && text[i] != 'E') return false;
    i++;
    bool negative = false;
    if (i < length && (text[i] == '+' || text[i] == '-')) negative = text[i++] == '-';
    if (i == length) return false;
    int64_t exponent = 0;
    for (; i < length; i++) {
        if (!is_digit(text[i])) return false;
        if (exponent < INT64_MAX / 100) exponent = exponent * 10 + (text[i] - '0');
    }
    d->exponent += negative ? -exponent : exponent;
    return true;
}

static double decimal_value(const decimal *d) {
    /* "0." digits "e" exponent: strtod rounds correctly, in the C locale. */
    char text[MAX_DIGITS + 32];
    size_t length = 0;
    text[length++] = '0';
    text[length++] = '.';
    memcpy(text + length, d->digits, (size_t)d->count);
    length += (size_t)d->count;
    if (d->count == MAX_DIGITS) text[length++] = d->digits[MAX_DIGITS];
    if (d->count == 0) text[length++] = '0';
    int64_t exponent = d->exponent;
    if (exponent > EXPONENT_LIMIT) exponent = EXPONENT_LIMIT;
    if (exponent < -EXPONENT_LIMIT) exponent = -EXPONENT_LIMIT;
    text[length++] = 'e';
    if (exponent < 0) text[length++] = '-';
    uint32_t magnitude = (uint32_t)(exponent < 0 ? -exponent : exponent);
    for (uint32_t unit = EXPONENT_LIMIT; unit; unit /= 10)
        text[length++] = (char)('0' + magnitude / unit % 10);
    text[length] = '\0';
    int saved = errno;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = strtod_l(text, NULL, c_locale);
    freelocale(c_locale);
    errno = saved;
    return value;
}

bool tn_double_parse(const char *text, size_t length, double *out) {
    size_t i = 0;
    bool negative = false;
    if (i < length && (text[i] == '+' || text[i] == '-')) negative = text[i++] == '-';
    double value;
    if (length - i == 3 && memcmp(text + i, "inf", 3) == 0) {
        value = (double)INFINITY;
    } else if (length - i == 3 && memcmp(text + i, "nan", 3) == 0) {
        value = (double)NAN;
    } else {
        decimal d = {.count = 0};
        if (!decimal_scan(&d, text, length, i)) return false;
        value = decimal_value(&d);
    }
    *out = negative ? -value : value;
    return true;
}

/* ------------------------------------------------------------- double to text */

/* Unsigned integers of up to 1280 bits: enough for a double's mantissa scaled
 * by any power of ten that its exponent can ask for. Little end first. */
enum { BIG_WORDS = 40 };
typedef struct big {
    uint32_t word[BIG_WORDS];
    int count; /* without leading zeros */
} big;

static big big_from(uint64_t value) {
    big b = {.count = 0};
    for (; value; value >>= 32)
        b.word[b.count++] = (uint32_t)value;
    return b;
}

static void big_multiply(big *b, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < b->count; i++) {
        carry += (uint64_t)b->word[i] * factor;
        b->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) b->word[b->count++] = (uint32_t)carry;
}

static void big_multiply_pow10(big *b, int exponent) {
    for (; exponent >= 9; exponent -= 9)
        big_multiply(b, 1000000000u);
    for (; exponent > 0; exponent--)
        big_multiply(b, 10);
}

static void big_shift(big *b, int bits) {
    for (; bits >= 31; bits -= 31)
        big_multiply(b, 1u << 31);
    big_multiply(b, 1u << bits);
}

static int big_compare(const big *a, const big *b) {
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
    }
    return 0;
}

static big big_sum(const big *a, const big *b) {
    big sum = {.count = a->count > b->count ? a->count : b->count};
    uint64_t carry = 0;
    for (int i = 0; i < sum.count; i++) {
        carry += (uint64_t)a->word[i] + b->word[i];
        sum.word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) sum.word[sum.count++] = (uint32_t)carry;
    return sum;
}

/* a -= b, where a >= b. */
static void big_subtract(big *a, const big *b) {
    int64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        int64_t difference = (int64_t)a->word[i] - b->word[i] - borrow;
        borrow = difference < 0;
        a->word[i] = (uint32_t)difference;
    }
    while (a->count && !a->word[a->count - 1])
        a->count--;
}

/* The free-format algorithm of Burger and Dybvig, "Printing Floating-Point
 * Numbers Quickly and Accurately" (1996): with value = r / s and its neighbours
 * half-way at (r - low) / s and (r + high) / s, digits are produced until what
 * is left lies within those bounds. */
typedef struct generator {
    big r, s, low, high;
    bool even; /* the bounds themselves round to value */
} generator;

static bool reaches_high(const generator *g) {
    big sum = big_sum(&g->r, &g->high);
    return big_compare(&sum, &g->s) >= (g->even ? 0 : 1);
}

/* mantissa * 2^exponent > 0. Returns k with value / 10^k in [0.1, 1). */
static int generator_init(generator *g, uint64_t mantissa, int exponent, bool narrow_below) {
    int up = exponent > 0 ? exponent : 0;
    int down = exponent < 0 ? -exponent : 0;
    int widen = narrow_below ? 2 : 1;
    g->even = mantissa % 2 == 0;
    g->r = big_from(mantissa);
    big_shift(&g->r, up + widen);
    g->s = big_from(1);
    big_shift(&g->s, down + widen);
    g->low = big_from(1);
    big_shift(&g->low, up);
    g->high = big_from(1);
    big_shift(&g->high, up + widen - 1);

    int bits = 64 - __builtin_clzll(mantissa);
    int k = (int)ceil((exponent + bits - 1) * 0.30102999566398120 - 1e-10);
    if (k >= 0) {
        big_multiply_pow10(&g->s, k);
    } else {
        big_multiply_pow10(&g->r, -k);
        big_multiply_pow10(&g->low, -k);
        big_multiply_pow10(&g->high, -k);
    }
    /* The estimate is right or one too small. */
    if (reaches_high(g)) return k + 1;
    big_multiply(&g->r, 10);
    big_multiply(&g->low, 10);
    big_multiply(&g->high, 10);
    return k;
}

static int generator_digits(generator *g, char digits[20]) {
    int count = 0;
    for (;;) {
        int digit = 0;
        while (big_compare(&g->r, &g->s) >= 0) {
            big_subtract(&g->r, &g->s);
            digit++;
        }
        bool at_low = big_compare(&g->r, &g->low) < (g->even ? 1 : 0);
        bool at_high = reaches_high(g);
        if (at_low || at_high) {
            big twice = big_sum(&g->r, &g->r);
            if (at_high && (!at_low || big_compare(&twice, &g->s) >= 0)) digit++;
            digits[count++] = (char)('0' + digit);
            return count;
        }
        digits[count++] = (char)('0' + digit);
        big_multiply(&g->r, 10);
        big_multiply(&g->low, 10);
        big_multiply(&g->high, 10);
    }
}

/* 0.digits * 10^exponent, as people write it: a point where it is near, an
 * exponent where it is far. */
static size_t format_digits(const char *digits, int count, int exponent, char *out) {
    char *p = out;
    if (exponent > -5 && exponent <= 17) {
        /* i counts digits; the point stands before digit `exponent`, and at
         * least one digit on either side of it. */
        int first = exponent < 1 ? exponent - 1 : 0;
        int last = count > exponent ? count : exponent + 1;
        for (int i = first; i < last; i++) {
            if (i == exponent) *p++ = '.';
            *p++ = i >= 0 && i < count ? digits[i] : '0';
        }
        return (size_t)(p - out);
    }
    *p++ = digits[0];
    if (count > 1) {
        *p++ = '.';
        memcpy(p, digits + 1, (size_t)count - 1);
        p += count - 1;
    }
    *p++ = 'e';
    int power = exponent - 1;
    if (power < 0) *p++ = '-';
    int magnitude = power < 0 ? -power : power;
    for (int unit = magnitude >= 100 ? 100 : magnitude >= 10 ? 10 : 1; unit; unit /= 10)
        *p++ = (char)('0' + magnitude / unit % 10);
    return (size_t)(p - out);
}

size_t tn_double_format(double value, char out[TN_DOUBLE_TEXT_SIZE]) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52 & 0x7ff);
    char *p = out;
    if (biased == 0x7ff && fraction) {
        memcpy(out, "nan", 4);
        return 3;
    }
    if (bits >> 63) *p++ = '-';
    if (biased == 0x7ff) {
        memcpy(p, "inf", 3);
        p += 3;
    } else if (biased == 0 && fraction == 0) {
        memcpy(p, "0.0", 3);
        p += 3;
    } else {
        generator g;
        char digits[20];
        uint64_t mantissa = biased ? fraction | UINT64_C(1) << 52 : fraction;
        int exponent = generator_init(&g, mantissa, (biased ? biased : 1) - 1075,
                                      fraction == 0 && biased > 1);
        int count = generator_digits(&g, digits);
        p += format_digits(digits, count, exponent, p);
    }
    *p = '\0';
    return (size_t)(p - out);
}
