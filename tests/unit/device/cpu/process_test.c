#include "device/cpu/process.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/allocator.h"
#include "scratch.h"

static const char *const no_variables[] = {NULL};

static tn_status run(const char *const *argv, uint32_t timeout_ms, size_t limit, tn_strbuf *out,
                     tn_cpu_process_end *end) {
    tn_strbuf_init(out, tn_allocator_system());
    tn_cpu_process process = {
        .argv = argv, .environ = no_variables, .timeout_ms = timeout_ms, .output_limit = limit};
    return tn_cpu_process_run(&process, out, end);
}

Test(process, output_of_both_streams_and_exit_code) {
    const char *const argv[] = {"/bin/sh", "-c", "echo out; echo err >&2; exit 7", NULL};
    tn_strbuf out;
    tn_cpu_process_end end;
    expect_ok(run(argv, 20000, 1000, &out, &end));
    cr_assert_str_eq(tn_strbuf_cstr(&out), "out\nerr\n");
    cr_assert_eq(end.exit_code, 7);
    cr_assert(!end.timed_out && !end.unknown && end.signal == 0);
    tn_strbuf_deinit(&out);
}

Test(process, output_beyond_the_limit_is_dropped_and_does_not_block) {
    const char *const argv[] = {
        "/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done", NULL};
    tn_strbuf out;
    tn_cpu_process_end end;
    expect_ok(run(argv, 60000, 100, &out, &end));
    cr_assert_eq(out.length, 100);
    cr_assert_eq(end.exit_code, 0);
    tn_strbuf_deinit(&out);
}

Test(process, standard_input_is_empty_and_signals_are_the_defaults) {
    signal(SIGTERM, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    const char *const argv[] = {"/bin/sh", "-c", "cat; kill -TERM $$; echo still here", NULL};
    tn_strbuf out;
    tn_cpu_process_end end;
    expect_ok(run(argv, 20000, 1000, &out, &end));
    cr_assert_str_eq(tn_strbuf_cstr(&out), "");
    cr_assert_eq(end.signal, SIGTERM);
    cr_assert_eq(end.exit_code, -1);
    tn_strbuf_deinit(&out);
}

Test(process, too_long_is_killed_with_its_children) {
    /* The shell's child would hold the pipe open for ever. */
    const char *const argv[] = {"/bin/sh", "-c", "tail -f /dev/null & echo $!; wait", NULL};
    tn_strbuf out;
    tn_cpu_process_end end;
    expect_ok(run(argv, 300, 1000, &out, &end));
    cr_assert(end.timed_out);
    cr_assert_eq(end.signal, SIGKILL);
    pid_t grandchild = (pid_t)strtol(tn_strbuf_cstr(&out), NULL, 10);
    cr_assert_gt(grandchild, 1, "%s", tn_strbuf_cstr(&out));
    /* Gone, or dying and not yet collected by init: it no longer sleeps. */
    char path[64], state = 'X';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)grandchild);
    FILE *f = fopen(path, "r");
    if (f) {
        if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1) state = 'X';
        fclose(f);
    }
    cr_assert_neq(state, 'S', "the grandchild lives");
    tn_strbuf_deinit(&out);
}

Test(process, ends_while_a_grandchild_keeps_the_pipe) {
    const char *const argv[] = {"/bin/sh", "-c", "tail -f /dev/null & echo $!", NULL};
    tn_strbuf out;
    tn_cpu_process_end end;
    expect_ok(run(argv, 30000, 1000, &out, &end));
    pid_t grandchild = (pid_t)strtol(tn_strbuf_cstr(&out), NULL, 10);
    cr_assert_gt(grandchild, 1);
    kill(grandchild, SIGKILL);
    cr_assert(!end.timed_out);
    cr_assert_eq(end.exit_code, 0);
    tn_strbuf_deinit(&out);
}

Test(process, no_such_program) {
    const char *const argv[] = {"/nonexistent/cc", NULL};
    tn_strbuf out;
    tn_cpu_process_end end;
    expect_failure(run(argv, 1000, 1000, &out, &end), TN_NOT_FOUND, "/nonexistent/cc");
    tn_strbuf_deinit(&out);
}

Test(process, reaped_by_the_host_is_unknown) {
    signal(SIGCHLD, SIG_IGN); /* the kernel reaps */
    const char *const argv[] = {"/bin/sh", "-c", "echo done", NULL};
    tn_strbuf out;
    tn_cpu_process_end end;
    expect_ok(run(argv, 20000, 1000, &out, &end));
    cr_assert(end.unknown);
    cr_assert_str_eq(tn_strbuf_cstr(&out), "done\n");
    tn_strbuf_deinit(&out);
}

Test(process, many_leave_no_descriptor_behind) {
    const char *const argv[] = {"/bin/true", NULL};
    int before = dup(0);
    close(before);
    for (int i = 0; i < 50; i++) {
        tn_strbuf out;
        tn_cpu_process_end end;
        expect_ok(run(argv, 20000, 10, &out, &end));
        tn_strbuf_deinit(&out);
    }
    int after = dup(0);
    close(after);
    cr_assert_eq(before, after);
}
