/* A folder of the test's own, and the few files the tests put there. */
#ifndef TN_TESTS_DEVICE_CPU_SCRATCH_H
#define TN_TESTS_DEVICE_CPU_SCRATCH_H

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

typedef struct scratch {
    char path[256];
} scratch;

static inline scratch scratch_make(void) {
    scratch s;
    const char *root = getenv("TMPDIR");
    snprintf(s.path, sizeof s.path, "%s/tenon-test-XXXXXX", root && root[0] == '/' ? root : "/tmp");
    cr_assert_not_null(mkdtemp(s.path));
    return s;
}

static inline int scratch_remove_one(const char *path, const struct stat *info, int kind,
                                     struct FTW *at) {
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static inline void scratch_remove(const scratch *s) {
    nftw(s->path, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* s/name; lent until the fourth call after. */
static inline const char *scratch_file(const scratch *s, const char *name) {
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", s->path, name);
    return path;
}

static inline void scratch_write(const char *path, const void *data, size_t size, mode_t mode) {
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f, "cannot write %s", path);
    cr_assert_eq(fwrite(data, 1, size, f), size);
    fclose(f);
    chmod(path, mode);
}

static inline const char *scratch_script(const scratch *s, const char *name, const char *text) {
    const char *path = scratch_file(s, name);
    scratch_write(path, text, strlen(text), 0755);
    return path;
}

static inline bool scratch_exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

static inline void expect_ok(tn_status status) {
    cr_assert_null(status, "%s", tn_status_message(status));
}

/* The status is a failure of this code that says `part`. */
static inline void expect_failure(tn_status status, tn_code code, const char *part) {
    cr_assert_not_null(status, "expected a failure that says '%s'", part);
    cr_assert_eq(tn_status_code(status), code, "code %d: %s", tn_status_code(status),
                 tn_status_message(status));
    cr_assert(strstr(tn_status_message(status), part), "'%s' is not in: %s", part,
              tn_status_message(status));
    tn_status_free(status);
}

#endif
