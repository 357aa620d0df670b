/* Numbers from and to text, the same in every locale. Nothing here allocates. */
#ifndef TN_BASE_NUMBER_H
#define TN_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of text[0 .. length) as [+-] digits, decimal; false when it is anything
 * else or does not fit. */
bool tn_int_parse(const char *text, size_t length, int64_t *out);

/* All of text[0 .. length) as digits with an optional sign, point and exponent,
 * or as inf or nan, rounded to nearest even; false when it is anything
 * else. What is too large becomes infinity, too small zero. */
bool tn_double_parse(const char *text, size_t length, double *out);

/* The longest text that tn_double_format writes, with its NUL. */
#define TN_DOUBLE_TEXT_SIZE 32
/* Shortest decimal text that reads back as exactly this double (of those, the
 * closest), always with a '.', an exponent, or one of inf, -inf, nan, so that
 * it stays a float. Returns its length. */
size_t tn_double_format(double value, char out[TN_DOUBLE_TEXT_SIZE]);

#endif
