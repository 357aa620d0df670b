#include "base/file.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"

static char folder[] = "/tmp/tenon-file-XXXXXX";
static char path[PATH_MAX];

static void setup(void) {
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/data", folder);
}

static int entries(void) {
    int count = 0;
    DIR *dir = opendir(folder);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2;
}

static void teardown(void) {
    unlink(path);
    cr_assert_eq(rmdir(folder), 0, "something was left in %s", folder);
}

TestSuite(file, .init = setup, .fini = teardown);

static void check(tn_status status, tn_code code, const char *part) {
    cr_assert_eq(tn_status_code(status), code, "%s", tn_status_message(status));
    cr_assert_not_null(strstr(tn_status_message(status), part), "%s", tn_status_message(status));
    tn_status_free(status);
}

Test(file, writes_and_reads) {
    static char data[100000];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 31);
    tn_blob blob;
    for (size_t size = 0; size <= sizeof data; size = size * 3 + 1) {
        cr_assert_null(tn_file_write_atomic(path, data, size));
        cr_assert_null(tn_file_read(tn_allocator_system(), path, &blob));
        cr_assert_eq(blob.size, size);
        cr_assert_eq(memcmp(blob.data, data, size), 0);
        cr_assert_eq(blob.data[size], '\0');
        tn_blob_deinit(&blob);
        tn_blob_deinit(&blob);
    }
    cr_assert_eq(entries(), 1);
    struct stat info;
    cr_assert_eq(stat(path, &info), 0);
    cr_assert_eq(info.st_mode & 022, 0, "nobody else can write it");
}

Test(file, reads_what_has_no_size) {
    tn_blob blob;
    cr_assert_null(tn_file_read(tn_allocator_system(), "/proc/self/maps", &blob));
    cr_assert_gt(blob.size, 0);
    cr_assert_eq(strlen(blob.data), blob.size);
    tn_blob_deinit(&blob);
}

Test(file, errors_name_the_path) {
    tn_blob blob;
    check(tn_file_read(tn_allocator_system(), "/no/such/file", &blob), TN_NOT_FOUND,
          "/no/such/file: No such file or directory");
    cr_assert_null(blob.data);
    tn_blob_deinit(&blob);
    check(tn_file_read(tn_allocator_system(), "/tmp", &blob), TN_IO, "/tmp: it is a folder");
    check(tn_file_write_atomic("/no/such/file", "x", 1), TN_NOT_FOUND, "/no/such/file");
}

Test(file, a_failed_write_leaves_the_old_file_and_no_litter) {
    cr_assert_null(tn_file_write_atomic(path, "old", 3));
    /* As a full disk does, but without one: no file may grow beyond 4 KiB. */
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, RLIM_INFINITY});
    static char data[10000];
    check(tn_file_write_atomic(path, data, sizeof data), TN_IO, "cannot write 10000 bytes to");
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    cr_assert_eq(entries(), 1);
    tn_blob blob;
    cr_assert_null(tn_file_read(tn_allocator_system(), path, &blob));
    cr_assert_str_eq(blob.data, "old");
    tn_blob_deinit(&blob);
}

Test(file, a_failed_rename_leaves_no_litter) {
    cr_assert_eq(mkdir(path, 0700), 0);
    check(tn_file_write_atomic(path, "x", 1), TN_IO, path);
    cr_assert_eq(entries(), 1);
    rmdir(path);
}

Test(file, a_path_too_long_is_an_error) {
    static char long_path[PATH_MAX + 100];
    memset(long_path, 'a', sizeof long_path - 1);
    check(tn_file_write_atomic(long_path, "x", 1), TN_IO, "name too long");
    check(tn_dir_create(long_path), TN_IO, "name too long");
    check(tn_dir_create(""), TN_NOT_FOUND, "''");
}

Test(file, makes_folders) {
    char deep[PATH_MAX + 32];
    snprintf(deep, sizeof deep, "%s/a//b/c/", folder);
    cr_assert_null(tn_dir_create(deep));
    cr_assert_null(tn_dir_create(deep));
    struct stat info;
    cr_assert_eq(stat(deep, &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0700);
    for (const char *part = "/a//b/c\0/a//b\0/a\0"; *part; part += strlen(part) + 1) {
        snprintf(deep, sizeof deep, "%s%s", folder, part);
        cr_assert_eq(rmdir(deep), 0);
    }
    cr_assert_null(tn_file_write_atomic(path, "x", 1));
    check(tn_dir_create(path), TN_IO, "a file of that name exists");
}

Test(file, the_cache_folder_follows_the_environment) {
    char *dir = NULL;
    setenv("XDG_CACHE_HOME", "/x/cache", 1);
    setenv("HOME", "/h", 1);
    cr_assert_null(tn_cache_dir_default(tn_allocator_system(), &dir));
    cr_assert_str_eq(dir, "/x/cache/tenon");
    tn_strfree(tn_allocator_system(), dir);
    setenv("XDG_CACHE_HOME", "relative", 1);
    cr_assert_null(tn_cache_dir_default(tn_allocator_system(), &dir));
    cr_assert_str_eq(dir, "/h/.cache/tenon");
    tn_strfree(tn_allocator_system(), dir);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    check(tn_cache_dir_default(tn_allocator_system(), &dir), TN_NOT_FOUND, "XDG_CACHE_HOME");
    cr_assert_null(dir);
}

static tn_status read_both(void *self, const tn_allocator *a) {
    (void)self;
    tn_blob blob;
    tn_status status = tn_file_read(a, path, &blob);
    tn_blob_deinit(&blob);
    if (status) return status;
    status = tn_file_read(a, "/proc/self/status", &blob);
    tn_blob_deinit(&blob);
    char *dir = NULL;
    setenv("HOME", "/h", 1);
    if (!status) status = tn_cache_dir_default(a, &dir);
    tn_strfree(a, dir);
    return status;
}

Test(file, survives_running_out) {
    cr_assert_null(tn_file_write_atomic(path, "content", 7));
    const char *problem = tn_sweep_allocations(read_both, NULL, false, NULL);
    cr_assert_null(problem, "%s", problem);
}
