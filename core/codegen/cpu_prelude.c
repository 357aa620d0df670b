#include "codegen/cpu_prelude.h"

#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "base/hash.h"

/* Made by the build from the files in prelude/, in order. */
extern const char tn__cpu_prelude_bytes[];
extern const size_t tn__cpu_prelude_size;

enum { MAX_SECTIONS = 256, SLOTS = 1024, NAME_LIMIT = 64 };
static const char marker[] = "//@ ";
enum { MARKER_LENGTH = sizeof marker - 1 };

typedef struct span {
    const char *at;
    size_t length;
} span;

typedef struct section {
    span name, needs, text;
    bool wanted;
} section;

typedef struct contents {
    section sections[MAX_SECTIONS];
    uint32_t count;
    uint16_t slots[SLOTS]; /* 1 + section, by hash of its name; 0: free */
} contents;

const char *tn_cpu_prelude_text(size_t *out_length) {
    *out_length = tn__cpu_prelude_size;
    return tn__cpu_prelude_bytes;
}

/* ----------------------------------------------------------------- sections */

static uint16_t *slot_of(contents *c, span name) {
    size_t at = tn_hash64(name.at, name.length, 0) % SLOTS;
    for (;; at = (at + 1) % SLOTS) {
        uint16_t *slot = &c->slots[at];
        if (!*slot) return slot;
        span other = c->sections[*slot - 1].name;
        if (other.length == name.length && memcmp(other.at, name.at, name.length) == 0) return slot;
    }
}

/* "//@ name: needs" lines cut the text; what comes before the first is for people. */
static tn_status read_contents(contents *c) {
    const char *end = tn__cpu_prelude_bytes + tn__cpu_prelude_size;
    for (const char *at = tn__cpu_prelude_bytes; at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end) line_end = end;
        if (line_end - at > MARKER_LENGTH && memcmp(at, marker, MARKER_LENGTH) == 0) {
            const char *name = at + MARKER_LENGTH;
            const char *colon = memchr(name, ':', (size_t)(line_end - name));
            if (!colon || c->count == MAX_SECTIONS)
                return tn_status_make(TN_INTERNAL, "the CPU prelude is malformed at '%.*s'",
                                      (int)(line_end - at), at);
            if (c->count)
                c->sections[c->count - 1].text.length = (size_t)(at -
                                                                 c->sections[c->count - 1].text.at);
            section *s = &c->sections[c->count++];
            s->name = (span){name, (size_t)(colon - name)};
            s->needs = (span){colon + 1, (size_t)(line_end - colon - 1)};
            s->text = (span){line_end + 1, (size_t)(end - line_end - 1)};
            *slot_of(c, s->name) = (uint16_t)c->count;
        }
        at = line_end + 1;
    }
    return NULL;
}

static bool want(contents *c, span name) {
    uint16_t found = *slot_of(c, name);
    if (!found) return false;
    section *s = &c->sections[found - 1];
    if (s->wanted) return true;
    s->wanted = true;
    for (size_t i = 0; i < s->needs.length;) {
        size_t length = 0;
        while (i + length < s->needs.length && s->needs.at[i + length] != ' ')
            length++;
        if (length) want(c, (span){s->needs.at + i, length});
        i += length + 1;
    }
    return true;
}

/* -------------------------------------------------------------------- names */

static bool starts(span s, const char *with) {
    size_t n = strlen(with);
    return s.length >= n && memcmp(s.at, with, n) == 0;
}

/* The section named by these three, one after another, where there is one. */
static bool want_joined(contents *c, const char *prefix, span middle, const char *suffix) {
    char name[NAME_LIMIT];
    int length = snprintf(name, sizeof name, "%s%.*s%s", prefix, (int)middle.length, middle.at,
                          suffix);
    return length > 0 && length < NAME_LIMIT && want(c, (span){name, (size_t)length});
}

/* The section that defines tn_<name>, by the rules in cpu_core.inc. */
static void want_function(contents *c, span name) {
    static const char *const memory[] = {"load_", "store_", "gather_", "raw_"};
    if (want(c, name)) return; /* exp_f32, round_f16 */
    for (size_t i = 0; i + 4 <= name.length; i++) {
        if (memcmp(name.at + i, "_to_", 4) == 0 &&
            want_joined(c, "", (span){name.at, i}, "_to_any"))
            return;
    }
    size_t tail = name.length;
    while (tail && name.at[tail - 1] != '_')
        tail--;
    span dtype = {name.at + tail, name.length - tail};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        if (starts(name, memory[i])) {
            want_joined(c, "mem_", dtype, "");
            return;
        }
    }
    if (starts(name, "dec_") || starts(name, "enc_"))
        want_joined(c, "bits_", dtype, "");
    else if (starts(name, "iota_"))
        want_joined(c, "iota", (span){name.at, 0}, "");
    else if (starts(name, "ordered_"))
        want_joined(c, "ordered", (span){name.at, 0}, "");
    else if (starts(name, "stream_"))
        want_joined(c, "memory", (span){name.at, 0}, "");
    else
        want_joined(c, "ops_", dtype, "");
}

static bool is_word(char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
           ch == '_';
}

static void want_names(contents *c, const char *code, size_t length) {
    for (size_t i = 0; i < length;) {
        if (!is_word(code[i])) {
            i++;
            continue;
        }
        size_t n = 1;
        while (i + n < length && is_word(code[i + n]))
            n++;
        span word = {code + i, n};
        if (starts(word, "tn_") && n < NAME_LIMIT) want_function(c, (span){word.at + 3, n - 3});
        i += n;
    }
}

tn_status tn_cpu_prelude_append(tn_strbuf *out, uint32_t lanes, const char *code, size_t length) {
    contents *c = tn_alloc_zero(out->allocator, sizeof *c);
    if (!c) return tn_status_no_memory();
    tn_status status = read_contents(c);
    if (!status) {
        if (lanes) tn_strbuf_printf(out, "#define TN_W %u\n", lanes);
        want(c, (span){"core", 4});
        want(c, (span){"loop", 4});
        want_names(c, code, length);
        for (uint32_t i = 0; i < c->count; i++) {
            if (c->sections[i].wanted)
                tn_strbuf_bytes(out, c->sections[i].text.at, c->sections[i].text.length);
        }
        status = tn_strbuf_status(out);
    }
    tn_free(out->allocator, c, sizeof *c);
    return status;
}
