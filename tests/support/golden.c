#include "support/golden.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "base/file.h"

static const char separator[] = "====\n";

/* Where the line "====" is, or NULL. */
static const char *find_separator(const char *text) {
    for (const char *at = text; (at = strstr(at, separator)) != NULL; at++)
        if (at == text || at[-1] == '\n') return at;
    return NULL;
}

static void bless(const char *path, const char *input, size_t length, const tn_strbuf *found,
                  tn_strbuf *report) {
    tn_strbuf text;
    tn_strbuf_init(&text, tn_allocator_system());
    tn_strbuf_bytes(&text, input, length);
    tn_strbuf_text(&text, separator);
    tn_strbuf_bytes(&text, tn_strbuf_cstr(found), found->length);
    tn_status status = tn_file_write_atomic(path, text.data, text.length);
    if (status) tn_strbuf_printf(report, "%s: %s\n", path, tn_status_message(status));
    tn_status_free(status);
    tn_strbuf_deinit(&text);
}

static void run_file(const char *path, tn_golden_fn fn, void *self, tn_strbuf *report) {
    tn_blob blob;
    tn_status status = tn_file_read(tn_allocator_system(), path, &blob);
    if (status) {
        tn_strbuf_printf(report, "%s: %s\n", path, tn_status_message(status));
        tn_status_free(status);
        return;
    }
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *end = find_separator(blob.data);
    const char *expected = end ? end + strlen(separator) : "";
    size_t length = end ? (size_t)(end - blob.data) : blob.size;
    tn_strbuf found;
    tn_strbuf_init(&found, tn_allocator_system());
    status = fn(self, name, blob.data, length, &found);
    if (status) {
        tn_strbuf_clear(&found);
        tn_strbuf_printf(&found, "%s\n", tn_status_message(status));
        tn_status_free(status);
    }
    if (strcmp(tn_strbuf_cstr(&found), expected) != 0) {
        if (getenv("TENON_BLESS"))
            bless(path, blob.data, length, &found, report);
        else
            tn_strbuf_printf(report, "%s: expected\n%s\nfound\n%s\n", path, expected,
                             tn_strbuf_cstr(&found));
    }
    tn_strbuf_deinit(&found);
    tn_blob_deinit(&blob);
}

void tn_golden_run(const char *folder, const char *suffix, tn_golden_fn fn, void *self,
                   tn_strbuf *report) {
    char pattern[4096];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/*.%s", folder, suffix);
    if (glob(pattern, 0, NULL, &files) != 0) {
        tn_strbuf_printf(report, "%s: there are no such files\n", pattern);
        return;
    }
    for (size_t i = 0; i < files.gl_pathc; i++)
        run_file(files.gl_pathv[i], fn, self, report);
    globfree(&files);
}
