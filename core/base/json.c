#include "base/json.h"

#include <math.h>

void tn_json_init(tn_json *j, tn_strbuf *out) {
    *j = (tn_json){.out = out, .first = true};
}

static void new_line(tn_json *j) {
    tn_strbuf_char(j->out, '\n');
    for (uint32_t i = 0; i < j->depth; i++)
        tn_strbuf_text(j->out, "  ");
}

/* The length of the UTF-8 sequence at p, which ends with a NUL; 0 when there is
 * none that is valid (too long, a surrogate, above U+10FFFF, cut off). */
static size_t utf8_length(const unsigned char *p) {
    if (p[0] < 0x80) return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4) return 0;
    size_t length = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    unsigned char low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
    if (p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
    }
    return length;
}

static void write_string(tn_strbuf *out, const char *text) {
    static const char hex[] = "0123456789abcdef";
    const unsigned char *p = (const unsigned char *)text;
    tn_strbuf_char(out, '"');
    while (*p) {
        size_t length = utf8_length(p);
        if (length == 0) {
            tn_strbuf_text(out, "\\ufffd");
            length = 1;
        } else if (*p == '"' || *p == '\\') {
            tn_strbuf_char(out, '\\');
            tn_strbuf_char(out, (char)*p);
        } else if (*p == '\n') {
            tn_strbuf_text(out, "\\n");
        } else if (*p < 0x20 || *p == 0x7f) {
            char escape[6] = {'\\', 'u', '0', '0', hex[*p >> 4], hex[*p & 15]};
            tn_strbuf_bytes(out, escape, sizeof escape);
        } else {
            tn_strbuf_bytes(out, p, length);
        }
        p += length;
    }
    tn_strbuf_char(out, '"');
}

/* What comes before every value: the comma, the line, the key. */
static void begin_value(tn_json *j, const char *key) {
    if (!j->first) tn_strbuf_char(j->out, ',');
    if (j->depth) new_line(j);
    j->first = false;
    if (!key) return;
    write_string(j->out, key);
    tn_strbuf_text(j->out, ": ");
}

static void open_scope(tn_json *j, const char *key, char bracket) {
    begin_value(j, key);
    tn_strbuf_char(j->out, bracket);
    j->depth++;
    j->first = true;
}

static void close_scope(tn_json *j, char bracket) {
    bool empty = j->first;
    j->depth--;
    if (!empty) new_line(j);
    tn_strbuf_char(j->out, bracket);
    j->first = false;
    if (j->depth == 0) tn_strbuf_char(j->out, '\n');
}

void tn_json_object(tn_json *j, const char *key) {
    open_scope(j, key, '{');
}

void tn_json_array(tn_json *j, const char *key) {
    open_scope(j, key, '[');
}

void tn_json_end_object(tn_json *j) {
    close_scope(j, '}');
}

void tn_json_end_array(tn_json *j) {
    close_scope(j, ']');
}

void tn_json_text(tn_json *j, const char *key, const char *value) {
    begin_value(j, key);
    if (value) {
        write_string(j->out, value);
    } else {
        tn_strbuf_text(j->out, "null");
    }
}

void tn_json_int(tn_json *j, const char *key, int64_t value) {
    begin_value(j, key);
    tn_strbuf_printf(j->out, "%lld", (long long)value);
}

void tn_json_double(tn_json *j, const char *key, double value) {
    begin_value(j, key);
    bool quoted = !isfinite(value);
    if (quoted) tn_strbuf_char(j->out, '"');
    tn_strbuf_double(j->out, value);
    if (quoted) tn_strbuf_char(j->out, '"');
}

void tn_json_bool(tn_json *j, const char *key, bool value) {
    begin_value(j, key);
    tn_strbuf_text(j->out, value ? "true" : "false");
}
