#include "support/golden_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "base/file.h"

enum { PROBLEM_SIZE = 8192 };

static _Thread_local char problem[PROBLEM_SIZE];

typedef struct golden {
    tn_golden_lines_fn fn;
    void *self;
    const char *path;
    tn_strbuf blessed; /* the file as it would be now */
    tn_strbuf input, expected, found;
    unsigned line, case_line, cases;
    bool in_output; /* past the input of the case */
} golden;

/* Each line of text with the mark before it. */
static void add_marked(tn_strbuf *out, char mark, const tn_strbuf *text) {
    const char *at = tn_strbuf_cstr(text);
    while (*at) {
        size_t length = strcspn(at, "\n");
        tn_strbuf_char(out, mark);
        if (length) tn_strbuf_char(out, ' ');
        tn_strbuf_bytes(out, at, length);
        tn_strbuf_char(out, '\n');
        at += length + (at[length] == '\n');
    }
}

static void end_case(golden *g) {
    if (!g->input.length) return;
    g->cases++;
    /* The last line break belongs to the file, not to the input. */
    g->fn(g->self, g->input.data, g->input.length - 1, &g->found);
    if (g->found.length && g->found.data[g->found.length - 1] != '\n') {
        tn_strbuf_char(&g->found, '\n');
    }
    if (strcmp(tn_strbuf_cstr(&g->found), tn_strbuf_cstr(&g->expected)) != 0) {
        size_t used = strlen(problem);
        snprintf(problem + used, PROBLEM_SIZE - used, "%s:%u: expected\n%sfound\n%s", g->path,
                 g->case_line, tn_strbuf_cstr(&g->expected), tn_strbuf_cstr(&g->found));
    }
    add_marked(&g->blessed, '<', &g->input);
    add_marked(&g->blessed, '>', &g->found);
    tn_strbuf_clear(&g->input);
    tn_strbuf_clear(&g->expected);
    tn_strbuf_clear(&g->found);
    g->in_output = false;
}

/* "< text" or "<" alone, without the mark. */
static void add_line(tn_strbuf *to, const char *line, size_t length) {
    size_t skip = length > 1 && line[1] == ' ' ? 2 : 1;
    tn_strbuf_bytes(to, line + skip, length - skip);
    tn_strbuf_char(to, '\n');
}

static void take_line(golden *g, const char *line, size_t length) {
    g->line++;
    char mark = length ? line[0] : '\0';
    if (mark == '>' && g->input.length) {
        g->in_output = true;
        add_line(&g->expected, line, length);
        return;
    }
    if (mark != '<' || g->in_output) end_case(g);
    if (mark == '<') {
        if (!g->input.length) g->case_line = g->line;
        add_line(&g->input, line, length);
        return;
    }
    if (mark != '\0' && mark != '#') {
        snprintf(problem, PROBLEM_SIZE, "%s:%u: a line starts with '#', '<' or '>'", g->path,
                 g->line);
    }
    tn_strbuf_bytes(&g->blessed, line, length);
    tn_strbuf_char(&g->blessed, '\n');
}

static void run(golden *g, const tn_blob *file) {
    const char *at = file->data, *end = file->data + file->size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        take_line(g, at, length);
        at += length + (stop != NULL);
    }
    end_case(g);
}

const char *tn_golden_lines_check(const char *path, tn_golden_lines_fn fn, void *self,
                                  unsigned *out_cases) {
    const tn_allocator *allocator = tn_allocator_system();
    golden g = {.fn = fn, .self = self, .path = path};
    tn_strbuf *texts[] = {&g.blessed, &g.input, &g.expected, &g.found};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        tn_strbuf_init(texts[i], allocator);
    problem[0] = '\0';
    tn_blob file;
    tn_status status = tn_file_read(allocator, path, &file);
    if (!status) {
        run(&g, &file);
        tn_blob_deinit(&file);
        const char *bless = getenv("TENON_BLESS");
        if (bless && strcmp(bless, "1") == 0) {
            problem[0] = '\0';
            status = tn_file_write_atomic(path, g.blessed.data, g.blessed.length);
        }
    }
    if (status) snprintf(problem, PROBLEM_SIZE, "%s", tn_status_message(status));
    tn_status_free(status);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        tn_strbuf_deinit(texts[i]);
    *out_cases = g.cases;
    return problem[0] ? problem : NULL;
}
