#include "loader/note_text.h"

#include <string.h>

#include "base/number.h"

enum { FORMAT = 1 };

typedef struct parser {
    const char *line; /* the current one, without its newline */
    size_t length;
    unsigned number;
    tn_arena *arena;
    tn_note_text note;
    unsigned seen; /* bits of the keys that may come once */
} parser;

static TN_MUST_USE tn_status malformed(const parser *p, const char *expected) {
    int shown = p->length > 80 ? 80 : (int)p->length;
    return tn_status_make(TN_PARSE, "line %u of its note is '%.*s', expected %s", p->number, shown,
                          p->line, expected);
}

/* ------------------------------------------------------------------- values */

typedef struct span {
    const char *text;
    size_t length;
} span;

static TN_MUST_USE tn_status keep(parser *p, span value, const char **out_text) {
    char *text = tn_arena_strndup(p->arena, value.text, value.length);
    if (!text) return tn_status_no_memory();
    *out_text = text;
    return NULL;
}

static TN_MUST_USE tn_status keep_number(parser *p, span value, const char *expected,
                                         uint32_t *out_number) {
    int64_t number;
    bool is_digits = value.length > 0 && value.text[0] >= '0' && value.text[0] <= '9';
    if (!is_digits || !tn_int_parse(value.text, value.length, &number) || number > UINT32_MAX) {
        return malformed(p, expected);
    }
    *out_number = (uint32_t)number;
    return NULL;
}

static TN_MUST_USE tn_status read_plugin(parser *p, span value) {
    const char *space = memchr(value.text, ' ', value.length);
    if (!space || space == value.text || space + 1 == value.text + value.length) {
        return malformed(p, "'plugin NAME VERSION'");
    }
    size_t length = (size_t)(space - value.text);
    TN_TRY(keep(p, (span){value.text, length}, &p->note.plugin));
    return keep(p, (span){space + 1, value.length - length - 1}, &p->note.version);
}

static TN_MUST_USE tn_status read_abi(parser *p, span value) {
    return keep_number(p, value, "'abi NUMBER'", &p->note.abi);
}

static TN_MUST_USE tn_status read_pointer(parser *p, span value) {
    return keep_number(p, value, "'pointer BYTES'", &p->note.pointer_size);
}

static TN_MUST_USE tn_status read_cuda(parser *p, span value) {
    return keep_number(p, value, "'cuda MAJOR'", &p->note.cuda_major);
}

static TN_MUST_USE tn_status read_sm(parser *p, span value) {
    return keep(p, value, &p->note.sms);
}

static TN_MUST_USE tn_status read_sanitizer(parser *p, span value) {
    return keep(p, value, &p->note.sanitizer);
}

static TN_MUST_USE tn_status read_requires(parser *p, span value) {
    return keep(p, value, &p->note.requires_ns[p->note.n_requires++]);
}

static TN_MUST_USE tn_status read_op(parser *p, span value) {
    return keep(p, value, &p->note.schemas[p->note.n_schemas++]);
}

/* --------------------------------------------------------------------- keys */

static const struct key {
    const char *name;
    bool repeats, required;
    tn_status (*read)(parser *p, span value);
} keys[] = {
    {"plugin", false, true, read_plugin},
    {"abi", false, true, read_abi},
    {"pointer", false, true, read_pointer},
    {"cuda", false, false, read_cuda},
    {"sm", false, false, read_sm},
    {"sanitizer", false, false, read_sanitizer},
    {"requires", true, false, read_requires},
    {"op", true, false, read_op},
};
enum { N_KEYS = sizeof keys / sizeof keys[0] };

static TN_MUST_USE tn_status read_line(parser *p) {
    const char *space = memchr(p->line, ' ', p->length);
    if (!space || space == p->line) return malformed(p, "'KEY VALUE'");
    size_t length = (size_t)(space - p->line);
    span value = {space + 1, p->length - length - 1};
    for (unsigned i = 0; i < N_KEYS; i++) {
        if (strlen(keys[i].name) != length || memcmp(keys[i].name, p->line, length)) continue;
        if (value.length == 0) return malformed(p, "a value after the key");
        if (!keys[i].repeats && (p->seen & (1u << i))) {
            return tn_status_make(TN_PARSE, "line %u of its note states '%s' a second time",
                                  p->number, keys[i].name);
        }
        p->seen |= 1u << i;
        return keys[i].read(p, value);
    }
    if (p->line[0] == '!') {
        return tn_status_make(TN_UNSUPPORTED,
                              "line %u of its note has the key '%.*s', which must be understood "
                              "but is not known to this host: use a newer one",
                              p->number, length > 40 ? 40 : (int)length, p->line);
    }
    return NULL;
}

static TN_MUST_USE tn_status read_format(parser *p) {
    static const char prefix[] = "tenon-note ";
    size_t skip = sizeof prefix - 1;
    uint32_t format;
    if (p->length <= skip || memcmp(p->line, prefix, skip) != 0) {
        return malformed(p, "'tenon-note 1'");
    }
    TN_TRY(keep_number(p, (span){p->line + skip, p->length - skip}, "'tenon-note 1'", &format));
    if (format != FORMAT) {
        return tn_status_make(TN_UNSUPPORTED,
                              "its note is of format %u, this host reads format %d: use a newer "
                              "host",
                              format, FORMAT);
    }
    return NULL;
}

/* ---------------------------------------------------------------------- text */

/* Lines of text, no control characters (nothing that a terminal would obey). */
static TN_MUST_USE tn_status check_bytes(const char *text, size_t length, uint32_t *out_lines) {
    uint32_t lines = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n') {
            lines++;
        } else if (c < 0x20 || c == 0x7f) {
            return tn_status_make(
                TN_PARSE, "line %u of its note holds the control character 0x%02x", lines + 1, c);
        }
    }
    if (length == 0 || text[length - 1] != '\n') {
        return tn_status_make(TN_PARSE, "its note does not end in a newline");
    }
    *out_lines = lines;
    return NULL;
}

tn_status tn_note_text_parse(const char *text, size_t size, tn_arena *arena,
                             tn_note_text *out_note) {
    size_t length = strnlen(text, size);
    if (length == size) return tn_status_make(TN_PARSE, "its note's text does not end in a NUL");
    uint32_t lines = 0;
    TN_TRY(check_bytes(text, length, &lines));
    parser p = {.arena = arena, .note = {.sms = "", .sanitizer = ""}};
    p.note.requires_ns = tn_arena_array(arena, lines, sizeof *p.note.requires_ns);
    p.note.schemas = tn_arena_array(arena, lines, sizeof *p.note.schemas);
    if (!p.note.requires_ns || !p.note.schemas) return tn_status_no_memory();
    for (const char *at = text; at < text + length; at = p.line + p.length + 1) {
        p.line = at;
        p.length = (size_t)((const char *)memchr(at, '\n', (size_t)(text + length - at)) - at);
        p.number++;
        TN_TRY(p.number == 1 ? read_format(&p) : read_line(&p));
    }
    for (unsigned i = 0; i < N_KEYS; i++) {
        if (keys[i].required && !(p.seen & (1u << i))) {
            return tn_status_make(TN_PARSE, "its note has no line '%s'", keys[i].name);
        }
    }
    *out_note = p.note;
    return NULL;
}
