#include "device/cpu/compiler.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/allocator.h"
#include "scratch.h"
#include "support/failing_allocator.h"

static const char source[] = "int tn_answer(int x) { return x * 6; }\n";

static tn_cpu_compiler *find(const char *command, uint32_t timeout_ms) {
    tn_cpu_compiler *compiler;
    tn_cpu_compiler_options options = {.command = command, .timeout_ms = timeout_ms};
    expect_ok(tn_cpu_compiler_find(tn_allocator_system(), &options, &compiler));
    return compiler;
}

static tn_status build(const tn_cpu_compiler *c, const char *root, const char *text,
                       tn_cpu_artifact *out) {
    return tn_cpu_compiler_build(c, root, "k", text, strlen(text), out);
}

/* A compiler that says who it is and then does as `body` says. */
static const char *fake(const scratch *s, const char *name, const char *body) {
    char text[1024];
    snprintf(text, sizeof text,
             "#!/bin/sh\nif [ \"$1\" = --version ]; then echo fake 1.0; exit 0; fi\n%s\n", body);
    return scratch_script(s, name, text);
}

Test(compiler, found_builds_and_loads) {
    scratch s = scratch_make();
    tn_cpu_compiler *c = find(NULL, 0);
    cr_assert_eq(tn_cpu_compiler_path(c)[0], '/');
    cr_assert_gt(strlen(tn_cpu_compiler_version(c)), 4);
    cr_assert(strstr(tn_cpu_compiler_identity(c), tn_cpu_compiler_version(c)));
    cr_assert(strstr(tn_cpu_compiler_identity(c), "-ffp-contract=off"));
    tn_cpu_artifact artifact;
    expect_ok(build(c, s.path, source, &artifact));
    struct stat info;
    cr_assert_eq(stat(artifact.folder, &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0700);
    void *handle = dlopen(artifact.path, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(handle, "%s", dlerror());
    int (*answer)(int);
    *(void **)&answer = dlsym(handle, "tn_answer");
    cr_assert_not_null(answer);
    tn_cpu_artifact_deinit(&artifact);
    cr_assert_eq(answer(7), 42); /* the file is gone, the code is not */
    dlclose(handle);
    cr_assert_eq(rmdir(s.path), 0, "something was left behind");
    tn_cpu_compiler_destroy(c);
}

Test(compiler, every_installed_one_works) {
    scratch s = scratch_make();
    const char *const names[] = {"gcc", "clang", "cc -O1", "  gcc\t-g0 "};
    int tried = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tn_cpu_compiler *c;
        tn_cpu_compiler_options options = {.command = names[i]};
        tn_status status = tn_cpu_compiler_find(tn_allocator_system(), &options, &c);
        if (tn_status_code(status) == TN_NOT_FOUND) {
            tn_status_free(status);
            continue;
        }
        expect_ok(status);
        tried++;
        tn_cpu_artifact artifact;
        expect_ok(build(c, s.path, source, &artifact));
        tn_cpu_artifact_deinit(&artifact);
        tn_cpu_compiler_destroy(c);
    }
    cr_assert_gt(tried, 0);
    scratch_remove(&s);
}

Test(compiler, none_is_a_status_of_its_own) {
    tn_cpu_compiler *c;
    tn_cpu_compiler_options options = {.command = "no-such-compiler-here"};
    expect_failure(tn_cpu_compiler_find(tn_allocator_system(), &options, &c), TN_NOT_FOUND,
                   "no-such-compiler-here");
    cr_assert_null(c);
    setenv("PATH", "/nonexistent", 1);
    setenv("CC", "strange-cc", 1);
    expect_failure(tn_cpu_compiler_find(tn_allocator_system(), NULL, &c), TN_NOT_FOUND,
                   "CC='strange-cc'");
    unsetenv("CC");
    expect_failure(tn_cpu_compiler_find(tn_allocator_system(), NULL, &c), TN_NOT_FOUND,
                   "cc, gcc and clang");
    /* The working folder is not searched. */
    scratch s = scratch_make();
    fake(&s, "cc", "exit 0");
    cr_assert_eq(chdir(s.path), 0);
    setenv("PATH", ":.:", 1);
    expect_failure(tn_cpu_compiler_find(tn_allocator_system(), NULL, &c), TN_NOT_FOUND, "no C");
    scratch_remove(&s);
}

Test(compiler, cc_variable_is_taken_first) {
    scratch s = scratch_make();
    setenv("CC", fake(&s, "mycc", "exit 0"), 1);
    tn_cpu_compiler *c = find(NULL, 0);
    cr_assert(strstr(tn_cpu_compiler_path(c), "mycc"));
    cr_assert_str_eq(tn_cpu_compiler_version(c), "fake 1.0");
    tn_cpu_compiler_destroy(c);
    scratch_remove(&s);
}

Test(compiler, what_answers_no_version_is_none) {
    scratch s = scratch_make();
    tn_cpu_compiler *c;
    tn_cpu_compiler_options options = {
        .command = scratch_script(&s, "mute", "#!/bin/sh\nexit 1\n")};
    expect_failure(tn_cpu_compiler_find(tn_allocator_system(), &options, &c), TN_NOT_FOUND,
                   "does not answer");
    options.command = scratch_script(&s, "stuck", "#!/bin/sh\nexec tail -f /dev/null\n");
    options.timeout_ms = 200;
    expect_failure(tn_cpu_compiler_find(tn_allocator_system(), &options, &c), TN_NOT_FOUND,
                   "does not answer");
    scratch_remove(&s);
}

Test(compiler, its_words_are_in_the_error) {
    scratch s = scratch_make();
    tn_cpu_compiler *c = find(NULL, 0);
    tn_cpu_artifact artifact;
    expect_failure(build(c, s.path, "int f(void) { return undeclared_thing; }\n", &artifact),
                   TN_INTERNAL, "undeclared_thing");
    cr_assert_null(artifact.folder);
    cr_assert_eq(rmdir(s.path), 0, "something was left behind");
    tn_cpu_compiler_destroy(c);
}

Test(compiler, stuck_killed_and_lying_ones) {
    scratch s = scratch_make();
    const struct {
        const char *body, *says;
        tn_code code;
    } cases[] = {
        {"touch $TMPDIR/half.s; exec tail -f /dev/null", "did not finish", TN_INTERNAL},
        {"kill -SEGV $$", "signal 11", TN_INTERNAL},
        {"exit 0", "exit 0", TN_INTERNAL}, /* and made nothing */
        {"echo 'a.s: No space left on device' >&2; exit 1", "no room", TN_IO},
    };
    scratch root = scratch_make();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tn_cpu_compiler *c = find(fake(&s, "cc1", cases[i].body), 300);
        tn_cpu_artifact artifact;
        expect_failure(build(c, root.path, source, &artifact), cases[i].code, cases[i].says);
        tn_cpu_compiler_destroy(c);
    }
    cr_assert_eq(rmdir(root.path), 0, "something was left behind");
    scratch_remove(&s);
}

Test(compiler, no_shell_reads_a_path) {
    scratch s = scratch_make();
    const char *odd = scratch_file(&s, "a b;touch pwned $(touch pwned)");
    cr_assert_eq(mkdir(odd, 0700), 0);
    cr_assert_eq(chdir(s.path), 0);
    tn_cpu_compiler *c = find(NULL, 0);
    tn_cpu_artifact artifact;
    expect_ok(build(c, odd, source, &artifact));
    tn_cpu_artifact_deinit(&artifact);
    cr_assert(!scratch_exists("pwned"));
    tn_cpu_compiler_destroy(c);
    scratch_remove(&s);
}

Test(compiler, environment_that_changes_code_is_not_passed) {
    scratch s = scratch_make();
    setenv("CPATH", "/evil", 1);
    setenv("GCC_COMPARE_DEBUG", "1", 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    tn_cpu_compiler *c = find(fake(&s, "cc", "env; exit 1"), 0);
    tn_cpu_artifact artifact;
    tn_status status = build(c, s.path, source, &artifact);
    cr_assert_not_null(status);
    const char *said = tn_status_message(status);
    cr_assert_null(strstr(said, "/evil"), "%s", said);
    cr_assert_null(strstr(said, "GCC_COMPARE_DEBUG"), "%s", said);
    tn_status_free(status);
    tn_cpu_compiler_destroy(c);
    /* The others are. */
    c = find(fake(&s, "cc", "echo \"$LC_ALL $TMPDIR $TN_PASSED\"; exit 1"), 0);
    setenv("TN_PASSED", "through", 1);
    char expected[512];
    snprintf(expected, sizeof expected, "C %s/tenon-", s.path);
    status = build(c, s.path, source, &artifact);
    cr_assert(strstr(tn_status_message(status), expected), "%s", tn_status_message(status));
    cr_assert(strstr(tn_status_message(status), "through"));
    tn_status_free(status);
    tn_cpu_compiler_destroy(c);
    scratch_remove(&s);
}

Test(compiler, a_folder_that_takes_nothing) {
    scratch s = scratch_make();
    tn_cpu_compiler *c = find(NULL, 0);
    tn_cpu_artifact artifact;
    tn_status status = build(c, scratch_file(&s, "not-there"), source, &artifact);
    cr_assert_not_null(status);
    cr_assert(strstr(tn_status_message(status), "not-there"), "%s", tn_status_message(status));
    tn_status_free(status);
    /* A file-size limit is a full disk that needs no privilege. */
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {10, 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    expect_failure(build(c, s.path, source, &artifact), TN_IO, "cannot write");
    cr_assert_eq(rmdir(s.path), 0, "something was left behind");
    tn_cpu_compiler_destroy(c);
}

static tn_status sweep_step(void *self, const tn_allocator *allocator) {
    const scratch *s = self;
    tn_cpu_compiler *c;
    tn_cpu_compiler_options options = {.command = scratch_file(s, "quick")};
    TN_TRY(tn_cpu_compiler_find(allocator, &options, &c));
    tn_cpu_artifact artifact;
    tn_status status = build(c, s->path, source, &artifact);
    if (!status) tn_cpu_artifact_deinit(&artifact);
    tn_cpu_compiler_destroy(c);
    return status;
}

Test(compiler, no_memory_anywhere) {
    scratch s = scratch_make();
    fake(&s, "quick", "while [ \"$1\" != -o ]; do shift; done; echo x >\"$2\"");
    const char *problem = tn_sweep_allocations(sweep_step, &s, false, NULL);
    cr_assert_null(problem, "%s", problem);
    scratch_remove(&s);
}
