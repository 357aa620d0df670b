/* Runs Criterion tests without Criterion's runner, which cannot start under
 * ThreadSanitizer (it wants memory at an address that the sanitizer keeps for
 * itself) and has leaks of its own under LeakSanitizer. Linked into test programs
 * by the sanitizer presets; the tests and assertions are the same.
 *
 * Each test runs in a forked child, which ends through exit() so that the
 * sanitizers' last checks run, and passes when its assertions hold and it ends as
 * the test says (code 0 unless .exit_code or .signal). Takes --output=xml:FILE and
 * --filter=SUITE/TEST (with * and ?); other arguments mean nothing here. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sanitizers slow a test down. */
enum { TIMEOUT_FACTOR = 10, OWN_FAILURE = 199 };

/* What a child reports, in memory that it shares with the parent. */
typedef struct result {
    int failed, skipped;
} result;

static result *shared;
static struct criterion_test *current;
static struct criterion_suite *current_suite;
static void *parameter;
static sigjmp_buf abort_point;
static int can_abort;

/* The linker gathers what Test and TestSuite define. */
extern struct criterion_test *__start_cr_tst[] __attribute__((weak));
extern struct criterion_test *__stop_cr_tst[] __attribute__((weak));
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak));
extern struct criterion_suite *__stop_cr_sts[] __attribute__((weak));

/* ------------------------------------------ what tests call, in our version */

/* Criterion's own come from an arena that only its runner sets up. */
void *cr_malloc(size_t size) {
    return malloc(size);
}
void *cr_calloc(size_t count, size_t size) {
    return calloc(count, size);
}
void *cr_realloc(void *ptr, size_t size) {
    return realloc(ptr, size);
}
void cr_free(void *ptr) {
    free(ptr);
}

void criterion_send_assert(struct criterion_assert_stats *stats) {
    if (stats->passed) return;
    shared->failed = 1;
    fprintf(stderr, "%s:%u: assertion failed: %s\n", stats->file, stats->line, stats->message);
}

/* The same for the assertions of criterion/new/assert.h. */
static void print_node(const struct cri_assert_node *node) {
    if (node->repr && !node->pass) fprintf(stderr, "  false: %s\n", node->repr);
    for (size_t i = 0; i < CRI_ASSERT_MAX_PARAMS; i++) {
        const struct cri_assert_param *param = &node->params[i];
        if (!node->pass && param->name && param->data && param->type == CRI_ASSERT_RT_STR)
            fprintf(stderr, "    %s: %s\n", param->name, (const char *)param->data);
    }
    for (uint32_t i = 0; i < node->nchild; i++)
        print_node(&node->children[i]);
}

void cri_assert_node_send(const char *file, size_t line, struct cri_assert_node *tree) {
    shared->failed = 1;
    fprintf(stderr, "%s:%zu: assertion failed: %s\n", file, line,
            tree->message ? tree->message : "");
    print_node(tree);
}

void criterion_abort_test(void) {
    if (can_abort) siglongjmp(abort_point, 1);
    exit(OWN_FAILURE);
}

void criterion_continue_test(void) {
}

void criterion_skip_test(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "skipped: ");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    shared->skipped = 1;
    criterion_abort_test();
}

void criterion_test_die(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    exit(OWN_FAILURE);
}

void criterion_internal_test_setup(void) {
    if (current_suite && current_suite->data->init) current_suite->data->init();
    if (current->data->init) current->data->init();
}

void criterion_internal_test_main(void (*fn)(void)) {
    can_abort = 1;
    if (sigsetjmp(abort_point, 0) == 0) {
        if (current->data->kind_ == CR_TEST_PARAMETERIZED) {
            ((void (*)(void *))fn)(parameter);
        } else {
            fn();
        }
    }
    can_abort = 0;
}

void criterion_internal_test_teardown(void) {
    if (current->data->fini) current->data->fini();
    if (current_suite && current_suite->data->fini) current_suite->data->fini();
}

/* -------------------------------------------------------------------- runner */

typedef struct totals {
    int tests, failures, errors, skipped;
    FILE *cases; /* the <testcase> elements so far */
} totals;

static struct criterion_suite *find_suite(const char *name) {
    for (struct criterion_suite **s = __start_cr_sts; s < __stop_cr_sts; s++) {
        if (*s && strcmp((*s)->name, name) == 0) return *s;
    }
    return NULL;
}

static bool ended_as_expected(int status, int expected_signal, int expected_code) {
    if (expected_signal) return WIFSIGNALED(status) && WTERMSIG(status) == expected_signal;
    return WIFEXITED(status) && WEXITSTATUS(status) == expected_code;
}

static void run_one(totals *t, struct criterion_test *test) {
    current = test;
    current_suite = find_suite(test->category);
    *shared = (result){0};
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        double timeout = test->data->timeout;
        if (timeout <= 0 && current_suite) timeout = current_suite->data->timeout;
        if (timeout > 0) alarm((unsigned)(timeout * TIMEOUT_FACTOR) + 1);
        test->test();
        exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    int signal_wanted = test->data->signal, code_wanted = test->data->exit_code;
    if (current_suite && !signal_wanted) signal_wanted = current_suite->data->signal;
    if (current_suite && !code_wanted) code_wanted = current_suite->data->exit_code;
    bool good_end = ended_as_expected(status, signal_wanted, code_wanted);
    const char *verdict = shared->failed    ? "FAILED"
                          : !good_end       ? "ERRORED"
                          : shared->skipped ? "SKIPPED"
                                            : "PASSED";
    t->tests++;
    t->failures += shared->failed;
    t->errors += !shared->failed && !good_end;
    t->skipped += !shared->failed && good_end && shared->skipped;
    fprintf(t->cases, "    <testcase name=\"%s/%s\" status=\"%s\"/>\n", test->category, test->name,
            verdict);
    if (good_end && !shared->failed) return;
    fprintf(stderr, "[%s] %s::%s", verdict, test->category, test->name);
    if (WIFSIGNALED(status)) fprintf(stderr, " (signal %d)", WTERMSIG(status));
    if (WIFEXITED(status)) fprintf(stderr, " (exit code %d)", WEXITSTATUS(status));
    fputc('\n', stderr);
}

static void run_test(totals *t, struct criterion_test *test) {
    struct criterion_suite *suite = find_suite(test->category);
    if (test->data->disabled || (suite && suite->data->disabled)) {
        t->tests++;
        t->skipped++;
        fprintf(t->cases, "    <testcase name=\"%s\" status=\"SKIPPED\"/>\n", test->name);
        return;
    }
    if (test->data->kind_ != CR_TEST_PARAMETERIZED) {
        run_one(t, test);
        return;
    }
    struct criterion_test_params params = test->data->param_();
    for (size_t i = 0; i < params.length; i++) {
        parameter = (char *)params.params + i * params.size;
        run_one(t, test);
    }
    if (params.cleanup) params.cleanup(&params);
}

static void write_report(const char *path, const totals *t, const char *cases) {
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        exit(1);
    }
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites name=\"Criterion Tests\" tests=\"%d\" failures=\"%d\" errors=\"%d\" "
            "disabled=\"%d\">\n  <testsuite name=\"sanitized\">\n%s  </testsuite>\n</testsuites>\n",
            t->tests, t->failures, t->errors, t->skipped, cases);
    fclose(out);
}

int main(int argc, char **argv) {
    const char *report = NULL, *filter = "*";
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--output=xml:", 13) == 0) report = argv[i] + 13;
        if (strncmp(argv[i], "--filter=", 9) == 0) filter = argv[i] + 9;
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    char *cases = NULL;
    size_t size = 0;
    totals t = {.cases = open_memstream(&cases, &size)};
    for (struct criterion_test **test = __start_cr_tst; test < __stop_cr_tst; test++) {
        if (*test && fnmatch(filter, (*test)->data->identifier_, 0) == 0) run_test(&t, *test);
    }
    fclose(t.cases);
    if (report) write_report(report, &t, cases);
    free(cases);
    printf("Tested: %d | Failing: %d | Crashing: %d | Skipped: %d\n", t.tests, t.failures, t.errors,
           t.skipped);
    return t.failures || t.errors || !t.tests ? 1 : 0;
}
