/* Which files a name means, and which files are refused. */
#include "loader/policy.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocator.h"
#include "plugins/bad_files.h"
#include "support/failing_allocator.h"

static tn_test_folder folder, other;

static void start(void) {
    cr_assert(tn_test_folder_make(&folder));
    cr_assert(tn_test_folder_make(&other));
    cr_assert(tn_test_write(tn_test_path(&other, "acme.so"), "x", 1));
}
static void stop(void) {
    tn_test_folder_remove(&folder);
    tn_test_folder_remove(&other);
}
TestSuite(policy, .init = start, .fini = stop);

static void assert_resolves(const char *name, const char *plugin_path, const char *expected) {
    char *path;
    tn_status status = tn_plugin_resolve(tn_allocator_system(), name, plugin_path, &path);
    cr_assert_null(status, "%s", tn_status_message(status));
    cr_assert_str_eq(path, expected);
    tn_strfree(tn_allocator_system(), path);
}

static void assert_lost(const char *name, const char *plugin_path, tn_code code,
                        const char *message) {
    char *path;
    tn_status status = tn_plugin_resolve(tn_allocator_system(), name, plugin_path, &path);
    cr_assert_eq(tn_status_code(status), code, "%s", tn_status_message(status));
    cr_assert_null(path);
    cr_assert_str_eq(tn_status_message(status), message);
    tn_status_free(status);
}

/* PLG-19: a bare name is never looked for in the working directory. */
Test(policy, bare_names_and_paths) {
    char search[600], expected[300], message[1000];
    snprintf(search, sizeof search, "%s:%s", folder.path, other.path);
    snprintf(expected, sizeof expected, "%s/acme.so", other.path);
    assert_resolves("acme", search, expected);
    assert_resolves("acme.so", search, expected);
    assert_resolves(expected, NULL, expected);

    cr_assert_eq(chdir(other.path), 0);
    assert_resolves("./acme.so", NULL, expected);
    assert_lost("acme.so", NULL, TN_NOT_FOUND,
                "plugin acme.so: not found; tried no folder. A name without a '/' is looked for in "
                "the plugin path only; for a file in the working directory write ./acme.so");
    snprintf(message, sizeof message,
             "plugin acme.so: not found; tried %s/acme.so, %s/acme.so.so. A name without a '/' is "
             "looked for in the plugin path only; for a file in the working directory write "
             "./acme.so",
             folder.path, folder.path);
    assert_lost("acme.so", folder.path, TN_NOT_FOUND, message);
}

Test(policy, links_are_followed_first) {
    char expected[300];
    snprintf(expected, sizeof expected, "%s/acme.so", other.path);
    const char *link = tn_test_path(&folder, "link.so");
    cr_assert_eq(symlink(expected, link), 0);
    assert_resolves(link, NULL, expected);
    assert_resolves("link", folder.path, expected);
}

Test(policy, names_and_search_paths_that_are_none) {
    char search[600];
    assert_lost("", NULL, TN_INVALID, "the name of a plugin is empty");
    assert_lost(NULL, NULL, TN_INVALID, "the name of a plugin is empty");
    assert_lost("/no/such.so", NULL, TN_NOT_FOUND,
                "plugin /no/such.so: cannot be found: No such file or directory");
    assert_lost("acme", "plugins:/tmp", TN_INVALID,
                "plugin acme: the plugin path holds the folder 'plugins', but only absolute ones "
                "are searched");
    /* Empty entries are no working directory either. */
    snprintf(search, sizeof search, ":%s::", other.path);
    cr_assert_eq(chdir(other.path), 0);
    assert_lost("acme", "::", TN_NOT_FOUND,
                "plugin acme: not found; tried no folder. A name without a '/' is looked for in "
                "the plugin path only; for a file in the working directory write ./acme");
    char expected[300];
    snprintf(expected, sizeof expected, "%s/acme.so", other.path);
    assert_resolves("acme", search, expected);
}

static void assert_writers(const char *path, const char *culprit) {
    tn_status status = tn_plugin_check_writers(tn_allocator_system(), path);
    cr_assert_eq(status == NULL, culprit == NULL, "%s", tn_status_message(status));
    if (culprit) {
        cr_assert_eq(tn_status_code(status), TN_INVALID);
        cr_assert_not_null(strstr(tn_status_message(status), culprit), "%s",
                           tn_status_message(status));
    }
    tn_status_free(status);
}

Test(policy, what_everyone_may_write) {
    char path[300], culprit[400];
    snprintf(path, sizeof path, "%s/acme.so", other.path);
    assert_writers(path, NULL);
    cr_assert_eq(chmod(path, 0602), 0);
    snprintf(culprit, sizeof culprit, "everyone may write to the file %s;", path);
    assert_writers(path, culprit);
    cr_assert_eq(chmod(path, 0660), 0);
    assert_writers(path, NULL);

    /* The folder that holds it, whether sticky or not. */
    snprintf(culprit, sizeof culprit, "everyone may write to the folder %s;", other.path);
    cr_assert_eq(chmod(other.path, 0707), 0);
    assert_writers(path, culprit);
    cr_assert_eq(chmod(other.path, 01777), 0);
    assert_writers(path, culprit);
    cr_assert_eq(chmod(other.path, 0755), 0);

    /* A folder above it, unless sticky. */
    char above[300], below[330];
    snprintf(above, sizeof above, "%s/above", other.path);
    snprintf(below, sizeof below, "%s/below", above);
    cr_assert_eq(mkdir(above, 0755), 0);
    cr_assert_eq(mkdir(below, 0755), 0);
    snprintf(path, sizeof path, "%s/above/below/acme.so", other.path);
    cr_assert(tn_test_write(path, "x", 1));
    assert_writers(path, NULL);
    cr_assert_eq(chmod(above, 0707), 0);
    snprintf(culprit, sizeof culprit, "everyone may write to the folder %s;", above);
    assert_writers(path, culprit);
    cr_assert_eq(chmod(above, 01777), 0);
    assert_writers(path, NULL);
    unlink(path);
    rmdir(below);
}

Test(policy, sha256) {
    const char found[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const char other_hash[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    cr_assert_null(tn_plugin_check_sha256("/x.so", NULL, found));
    cr_assert_null(tn_plugin_check_sha256("/x.so", found, found));
    tn_status status = tn_plugin_check_sha256("/x.so", other_hash, found);
    cr_assert_eq(tn_status_code(status), TN_INVALID);
    cr_assert_str_eq(tn_status_message(status),
                     "plugin /x.so: its content has SHA-256 "
                     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855, expected "
                     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    tn_status_free(status);
    status = tn_plugin_check_sha256("/x.so", "abc", found);
    cr_assert_str_eq(tn_status_message(status),
                     "plugin /x.so: 'abc' is no SHA-256: 64 hexadecimal digits were expected");
    tn_status_free(status);
}

static tn_status resolve_and_check(void *self, const tn_allocator *allocator) {
    (void)self;
    char search[600];
    snprintf(search, sizeof search, "%s:%s", folder.path, other.path);
    char *path;
    TN_TRY(tn_plugin_resolve(allocator, "acme", search, &path));
    tn_status status = tn_plugin_check_writers(allocator, path);
    tn_strfree(allocator, path);
    return status;
}

Test(policy, no_memory) {
    const char *problem = tn_sweep_allocations(resolve_and_check, NULL, false, NULL);
    cr_assert_null(problem, "%s", problem);
}
