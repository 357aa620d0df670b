/* A growing string. A failed allocation sticks: later appends do nothing, and
 * tn_strbuf_status reports it, so that a printer checks once at the end. */
#ifndef TN_BASE_STRBUF_H
#define TN_BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct tn_strbuf {
    const tn_allocator *allocator;
    char *data; /* NUL-terminated once anything was appended; else NULL */
    size_t length, capacity;
    bool failed;
} tn_strbuf;

void tn_strbuf_init(tn_strbuf *s, const tn_allocator *allocator);
void tn_strbuf_deinit(tn_strbuf *s);
void tn_strbuf_clear(tn_strbuf *s); /* keeps the memory, and forgets a failure */
void tn_strbuf_char(tn_strbuf *s, char c);
void tn_strbuf_text(tn_strbuf *s, const char *text);
void tn_strbuf_bytes(tn_strbuf *s, const void *data, size_t length);
void tn_strbuf_printf(tn_strbuf *s, const char *fmt, ...) TN_PRINTF(2, 3);
void tn_strbuf_vprintf(tn_strbuf *s, const char *fmt, va_list args) TN_PRINTF(2, 0);
/* Shortest decimal text that reads back as exactly this double, always with a
 * '.', an exponent, or one of inf, -inf, nan, so that it stays a float. */
void tn_strbuf_double(tn_strbuf *s, double value);
/* In double quotes; escapes \" \\ \n \t \r and other control bytes as \xHH. */
void tn_strbuf_quoted(tn_strbuf *s, const char *text, size_t length);
/* "" when empty; never NULL. Valid until the next append. */
const char *tn_strbuf_cstr(const tn_strbuf *s);
/* Gives the text away (free with tn_strfree); leaves s empty. NULL on failure. */
char *tn_strbuf_steal(tn_strbuf *s);
TN_MUST_USE tn_status tn_strbuf_status(const tn_strbuf *s);

#endif
