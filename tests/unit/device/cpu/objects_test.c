#include "device/cpu/objects.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/allocator.h"
#include "scratch.h"
#include "support/failing_allocator.h"

static int warnings;
static char last_warning[1024];

static void note(void *self, int32_t level, const char *message) {
    (void)self;
    (void)level;
    __atomic_add_fetch(&warnings, 1, __ATOMIC_RELAXED);
    snprintf(last_warning, sizeof last_warning, "%s", message);
}

static tn_cpu_objects *make(const scratch *s, tn_cpu_objects_options options) {
    tn_cpu_objects *objects;
    if (s) options.cache_dir = s->path;
    options.log = note;
    expect_ok(tn_cpu_objects_create(tn_allocator_system(), &options, &objects));
    return objects;
}

static tn_status get(tn_cpu_objects *objects, const char *source, tn_cpu_object **out) {
    return tn_cpu_objects_get(objects, source, strlen(source), out);
}

static int call(const tn_cpu_object *object, const char *name) {
    int (*function)(void);
    *(void **)&function = tn_cpu_object_symbol(object, name);
    cr_assert_not_null(function, "no symbol %s", name);
    return function();
}

/* One kernel; n makes sources differ. */
static const char *source_of(int n) {
    static char text[4][128];
    static unsigned next;
    char *t = text[next++ % 4];
    snprintf(t, sizeof text[0], "int kernel(void) { return %d; }\n", n);
    return t;
}

static tn_cpu_objects_stats stats_of(tn_cpu_objects *objects) {
    tn_cpu_objects_stats stats;
    tn_cpu_objects_get_stats(objects, &stats);
    return stats;
}

Test(objects, compiled_once_and_shared_while_held) {
    scratch s = scratch_make();
    tn_cpu_objects *objects = make(&s, (tn_cpu_objects_options){0});
    cr_assert_str_eq(tn_cpu_objects_compiler(objects), "");
    tn_cpu_object *a, *b, *other;
    expect_ok(get(objects, source_of(1), &a));
    expect_ok(get(objects, source_of(1), &b));
    expect_ok(get(objects, source_of(2), &other));
    cr_assert_eq(a, b);
    cr_assert_eq(call(a, "kernel"), 1);
    cr_assert_eq(call(other, "kernel"), 2);
    cr_assert_null(tn_cpu_object_symbol(a, "no_such_kernel"));
    tn_cpu_objects_stats stats = stats_of(objects);
    cr_assert_eq(stats.compiles, 2);
    cr_assert_eq(stats.memory_hits, 1);
    cr_assert_eq(stats.loaded, 2);
    cr_assert_gt(stats.compile_seconds, 0);
    tn_cpu_object_release(a);
    cr_assert_eq(call(b, "kernel"), 1);
    tn_cpu_object_retain(b);
    tn_cpu_object_release(b);
    tn_cpu_object_release(b);
    cr_assert_eq(stats_of(objects).loaded, 1);
    expect_ok(get(objects, source_of(1), &a)); /* from the disk now */
    cr_assert_eq(stats_of(objects).cache_hits, 1);
    cr_assert_eq(call(a, "kernel"), 1);
    tn_cpu_object_release(a);
    tn_cpu_object_release(other);
    cr_assert(strlen(tn_cpu_objects_compiler_version(objects)) > 4);
    tn_cpu_objects_destroy(objects);
    cr_assert_eq(warnings, 0, "%s", last_warning);
    scratch_remove(&s);
}

Test(objects, the_next_run_finds_them_on_disk) {
    scratch s = scratch_make();
    tn_cpu_object *object;
    tn_cpu_objects *first = make(&s, (tn_cpu_objects_options){0});
    expect_ok(get(first, source_of(5), &object));
    tn_cpu_object_release(object);
    tn_cpu_objects_destroy(first);
    tn_cpu_objects *second = make(&s, (tn_cpu_objects_options){0});
    expect_ok(get(second, source_of(5), &object));
    cr_assert_eq(call(object, "kernel"), 5);
    cr_assert_eq(stats_of(second).compiles, 0);
    cr_assert_eq(stats_of(second).cache_hits, 1);
    tn_cpu_object_release(object);
    tn_cpu_objects_destroy(second);
    /* For another target it is another object. */
    tn_cpu_objects *third = make(&s, (tn_cpu_objects_options){.march = "x86-64"});
    expect_ok(get(third, source_of(5), &object));
    cr_assert_eq(stats_of(third).compiles, 1);
    tn_cpu_object_release(object);
    tn_cpu_objects_destroy(third);
    scratch_remove(&s);
}

Test(objects, a_damaged_entry_is_built_again) {
    scratch s = scratch_make();
    tn_cpu_objects *objects = make(&s, (tn_cpu_objects_options){0});
    tn_cpu_object *object;
    expect_ok(get(objects, source_of(5), &object));
    tn_cpu_object_release(object);
    char command[600];
    snprintf(command, sizeof command, "for f in %s/objects/*.so; do truncate -s 5000 $f; done",
             s.path);
    cr_assert_eq(system(command), 0);
    expect_ok(get(objects, source_of(5), &object));
    cr_assert_eq(call(object, "kernel"), 5);
    cr_assert_eq(stats_of(objects).compiles, 2);
    cr_assert_eq(warnings, 1);
    cr_assert(strstr(last_warning, "damaged"), "%s", last_warning);
    tn_cpu_object_release(object);
    tn_cpu_objects_destroy(objects);
    scratch_remove(&s);
}

Test(objects, no_compiler_is_not_found_every_time) {
    tn_cpu_object *object;
    tn_cpu_objects *objects = make(
        NULL, (tn_cpu_objects_options){.compiler = "no-such-cc", .no_cache = true});
    for (int i = 0; i < 3; i++) {
        expect_failure(tn_cpu_objects_available(objects), TN_NOT_FOUND, "no-such-cc");
        expect_failure(get(objects, source_of(1), &object), TN_NOT_FOUND, "no-such-cc");
        cr_assert_null(object);
    }
    tn_cpu_objects_destroy(objects);
    objects = make(NULL, (tn_cpu_objects_options){.no_compiler = true});
    expect_failure(get(objects, source_of(1), &object), TN_NOT_FOUND, "turned off");
    tn_cpu_objects_destroy(objects);
}

Test(objects, refused_source_can_be_asked_again) {
    scratch s = scratch_make();
    tn_cpu_objects *objects = make(&s, (tn_cpu_objects_options){0});
    tn_cpu_object *object;
    for (int i = 0; i < 2; i++)
        expect_failure(get(objects, "int f(void) { return nothing; }\n", &object), TN_INTERNAL,
                       "nothing");
    /* What is missing is an error at load, not a crash in the kernel. */
    expect_failure(get(objects, "int g(void); int f(void) { return g(); }\n", &object), TN_INTERNAL,
                   "cannot load");
    cr_assert_eq(stats_of(objects).failures, 3);
    cr_assert_eq(stats_of(objects).loaded, 0);
    tn_cpu_objects_destroy(objects);
    scratch_remove(&s);
}

Test(objects, a_symbol_of_the_host_does_not_replace_a_kernels) {
    scratch s = scratch_make();
    tn_cpu_objects *objects = make(&s, (tn_cpu_objects_options){0});
    tn_cpu_object *object;
    expect_ok(get(objects, "int getpid(void) { return -5; } int kernel(void) { return getpid(); }",
                  &object));
    cr_assert_eq(call(object, "kernel"), -5);
    tn_cpu_object_release(object);
    tn_cpu_objects_destroy(objects);
    scratch_remove(&s);
}

Test(objects, runs_on_when_the_cache_cannot) {
    scratch s = scratch_make();
    tn_cpu_object *object;
    scratch_write(scratch_file(&s, "objects"), "a file where the folder goes", 5, 0600);
    tn_cpu_objects *objects = make(&s, (tn_cpu_objects_options){0});
    for (int i = 0; i < 3; i++) {
        expect_ok(get(objects, source_of(i), &object));
        cr_assert_eq(call(object, "kernel"), i);
        tn_cpu_object_release(object);
    }
    cr_assert_eq(warnings, 1, "%d: %s", warnings, last_warning);
    tn_cpu_objects_destroy(objects);
    scratch_remove(&s);
}

Test(objects, builds_in_the_cache_where_the_temporary_folder_fails) {
    scratch s = scratch_make();
    setenv("TMPDIR", "/nonexistent/tmp", 1);
    tn_cpu_object *object;
    tn_cpu_objects *objects = make(&s, (tn_cpu_objects_options){0});
    expect_ok(get(objects, source_of(3), &object));
    cr_assert_eq(call(object, "kernel"), 3);
    tn_cpu_object_release(object);
    tn_cpu_objects_destroy(objects);
    objects = make(NULL, (tn_cpu_objects_options){.no_cache = true});
    expect_failure(get(objects, source_of(3), &object), TN_IO, "/nonexistent/tmp");
    tn_cpu_objects_destroy(objects);
    scratch_remove(&s);
}

Test(objects, a_full_disk_is_an_error_that_says_so) {
    scratch s = scratch_make();
    tn_cpu_object *object;
    tn_cpu_objects *objects = make(&s, (tn_cpu_objects_options){0});
    expect_ok(tn_cpu_objects_available(objects));
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {10, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    tn_status status = get(objects, source_of(3), &object);
    setrlimit(RLIMIT_FSIZE, &none);
    expect_failure(status, TN_IO, "cannot write");
    expect_ok(get(objects, source_of(3), &object)); /* room again */
    tn_cpu_object_release(object);
    tn_cpu_objects_destroy(objects);
    scratch_remove(&s);
}

enum { THREADS = 8 };
typedef struct asker {
    tn_cpu_objects *objects;
    const char *source;
    tn_cpu_object *object;
    tn_status status;
} asker;

static void *ask(void *self) {
    asker *a = self;
    a->status = get(a->objects, a->source, &a->object);
    return NULL;
}

Test(objects, many_threads_one_compile) {
    scratch s = scratch_make();
    tn_cpu_objects *objects = make(&s, (tn_cpu_objects_options){0});
    for (int bad = 0; bad < 2; bad++) {
        asker askers[THREADS];
        pthread_t threads[THREADS];
        const char *source = bad ? "int f(void) { return nothing; }\n" : source_of(1);
        uint64_t before = stats_of(objects).compiles;
        for (int i = 0; i < THREADS; i++) {
            askers[i] = (asker){.objects = objects, .source = source};
            cr_assert_eq(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < THREADS; i++) {
            if (bad) {
                expect_failure(askers[i].status, TN_INTERNAL, "nothing");
                continue;
            }
            expect_ok(askers[i].status);
            cr_assert_eq(askers[i].object, askers[0].object);
        }
        for (int i = 0; i < THREADS && !bad; i++)
            tn_cpu_object_release(askers[i].object);
        /* A failure is told to those who waited; who came later tried for himself. */
        uint64_t compiles = stats_of(objects).compiles - before;
        cr_assert(bad ? compiles >= 1 && compiles <= THREADS : compiles == 1, "%llu compiles",
                  (unsigned long long)compiles);
    }
    cr_assert_eq(stats_of(objects).loaded, 0);
    tn_cpu_objects_destroy(objects);
    scratch_remove(&s);
}

Test(objects, processes_share_the_cache) {
    scratch s = scratch_make();
    enum { PROCESSES = 4, KERNELS = 3 };
    pid_t children[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        cr_assert_geq(children[p], 0);
        if (children[p]) continue;
        tn_cpu_objects *objects;
        tn_cpu_objects_options options = {.cache_dir = s.path};
        int bad = tn_cpu_objects_create(tn_allocator_system(), &options, &objects) != NULL;
        for (int n = 0; n < KERNELS && !bad; n++) {
            tn_cpu_object *object;
            if (get(objects, source_of(n), &object)) _exit(1);
            int (*kernel)(void);
            *(void **)&kernel = tn_cpu_object_symbol(object, "kernel");
            bad = !kernel || kernel() != n;
            tn_cpu_object_release(object);
        }
        _exit(bad);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int state;
        cr_assert_eq(waitpid(children[p], &state, 0), children[p]);
        cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0);
    }
    tn_cpu_objects *objects = make(&s, (tn_cpu_objects_options){0});
    for (int n = 0; n < KERNELS; n++) {
        tn_cpu_object *object;
        expect_ok(get(objects, source_of(n), &object));
        tn_cpu_object_release(object);
    }
    cr_assert_eq(stats_of(objects).compiles, 0);
    cr_assert_eq(warnings, 0, "%s", last_warning);
    tn_cpu_objects_destroy(objects);
    scratch_remove(&s);
}

static tn_status sweep_step(void *self, const tn_allocator *allocator) {
    const scratch *s = self;
    tn_cpu_objects *objects;
    tn_cpu_objects_options options = {.cache_dir = s->path, .compiler = scratch_file(s, "quick")};
    TN_TRY(tn_cpu_objects_create(allocator, &options, &objects));
    tn_cpu_object *object;
    tn_status status = get(objects, source_of(1), &object);
    if (!status) tn_cpu_object_release(object);
    tn_cpu_objects_destroy(objects);
    return status;
}

Test(objects, no_memory_anywhere) {
    scratch s = scratch_make();
    /* A compiler that is quick: it copies what was compiled before. */
    tn_cpu_objects *objects = make(&s, (tn_cpu_objects_options){0});
    tn_cpu_object *object;
    expect_ok(get(objects, source_of(1), &object));
    tn_cpu_object_release(object);
    tn_cpu_objects_destroy(objects);
    char text[1000];
    snprintf(text, sizeof text, "mv %s/objects/*.so %s/made && truncate -s -48 %s/made", s.path,
             s.path, s.path);
    cr_assert_eq(system(text), 0);
    snprintf(text, sizeof text,
             "#!/bin/sh\n[ \"$1\" = --version ] && echo quick && exit\n"
             "while [ \"$1\" != -o ]; do shift; done; cp %s/made \"$2\"\n",
             s.path);
    scratch_script(&s, "quick", text);
    const char *problem = tn_sweep_allocations(sweep_step, &s, true, NULL);
    cr_assert_null(problem, "%s", problem);
    scratch_remove(&s);
}
