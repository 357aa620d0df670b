#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "base/number.h"

void tn_strbuf_init(tn_strbuf *s, const tn_allocator *allocator) {
    *s = (tn_strbuf){.allocator = allocator};
}

void tn_strbuf_deinit(tn_strbuf *s) {
    tn_free(s->allocator, s->data, s->capacity);
    tn_strbuf_init(s, s->allocator);
}

void tn_strbuf_clear(tn_strbuf *s) {
    s->length = 0;
    s->failed = false;
    if (s->data) s->data[0] = '\0';
}

/* Room for `extra` bytes and a NUL. */
static bool reserve(tn_strbuf *s, size_t extra) {
    if (s->failed) return false;
    size_t needed;
    if (__builtin_add_overflow(s->length, extra, &needed) || needed >= SIZE_MAX / 2) {
        s->failed = true;
        return false;
    }
    if (needed < s->capacity) return true;
    size_t capacity = s->capacity ? s->capacity * 2 : 64;
    if (capacity <= needed) capacity = needed + 1;
    char *data = tn_realloc(s->allocator, s->data, s->capacity, capacity);
    if (!data) {
        s->failed = true;
        return false;
    }
    s->data = data;
    s->capacity = capacity;
    return true;
}

void tn_strbuf_bytes(tn_strbuf *s, const void *data, size_t length) {
    if (!reserve(s, length)) return;
    if (length) memcpy(s->data + s->length, data, length);
    s->length += length;
    s->data[s->length] = '\0';
}

void tn_strbuf_char(tn_strbuf *s, char c) {
    tn_strbuf_bytes(s, &c, 1);
}

void tn_strbuf_text(tn_strbuf *s, const char *text) {
    tn_strbuf_bytes(s, text, strlen(text));
}

void tn_strbuf_vprintf(tn_strbuf *s, const char *fmt, va_list args) {
    /* Most texts fit into what is there: format once, and again if not. */
    if (!reserve(s, 0)) return;
    va_list again;
    va_copy(again, args);
    size_t room = s->capacity - s->length;
    int length = vsnprintf(s->data + s->length, room, fmt, args);
    if (length >= 0 && (size_t)length >= room && reserve(s, (size_t)length)) {
        length = vsnprintf(s->data + s->length, (size_t)length + 1, fmt, again);
    }
    va_end(again);
    if (length < 0) s->failed = true;
    if (!s->failed) s->length += (size_t)length;
    s->data[s->length] = '\0';
}

void tn_strbuf_printf(tn_strbuf *s, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    tn_strbuf_vprintf(s, fmt, args);
    va_end(args);
}

void tn_strbuf_double(tn_strbuf *s, double value) {
    char text[TN_DOUBLE_TEXT_SIZE];
    tn_strbuf_bytes(s, text, tn_double_format(value, text));
}

void tn_strbuf_quoted(tn_strbuf *s, const char *text, size_t length) {
    static const char hex[] = "0123456789abcdef";
    tn_strbuf_char(s, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        switch (c) {
        case '"': tn_strbuf_text(s, "\\\""); break;
        case '\\': tn_strbuf_text(s, "\\\\"); break;
        case '\n': tn_strbuf_text(s, "\\n"); break;
        case '\t': tn_strbuf_text(s, "\\t"); break;
        case '\r': tn_strbuf_text(s, "\\r"); break;
        default:
            if (c < 0x20 || c == 0x7f) {
                char escape[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
                tn_strbuf_bytes(s, escape, sizeof escape);
            } else {
                tn_strbuf_char(s, (char)c);
            }
        }
    }
    tn_strbuf_char(s, '"');
}

const char *tn_strbuf_cstr(const tn_strbuf *s) {
    return s->data ? s->data : "";
}

char *tn_strbuf_steal(tn_strbuf *s) {
    char *text = NULL;
    /* tn_strfree tells the allocator strlen + 1, so give away just that much. */
    if (reserve(s, 0) && memchr(s->data, '\0', s->length) == NULL) {
        text = tn_realloc(s->allocator, s->data, s->capacity, s->length + 1);
    }
    if (text) {
        text[s->length] = '\0';
        s->data = NULL;
    }
    tn_strbuf_deinit(s);
    return text;
}

tn_status tn_strbuf_status(const tn_strbuf *s) {
    return s->failed ? tn_status_no_memory() : NULL;
}
