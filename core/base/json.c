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

static void write_string(tn_strbuf *out, const char *text) {
    static const char hex[] = "0123456789abcdef";
    tn_strbuf_char(out, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            tn_strbuf_char(out, '\\');
            tn_strbuf_char(out, (char)c);
        } else if (c == '\n') {
            tn_strbuf_text(out, "\\n");
        } else if (c < 0x20 || c == 0x7f) {
            char escape[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
            tn_strbuf_bytes(out, escape, sizeof escape);
        } else {
            tn_strbuf_char(out, (char)c);
        }
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
