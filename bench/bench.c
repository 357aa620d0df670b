#include "bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int n) {
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[n / 2];
}

bench_time bench_measure(void (*work)(void *arg), void *arg, double seconds, int least) {
    enum { MOST = 4096 };
    static double times[MOST];
    int n = 0;
    work(arg);
    work(arg);
    double start = bench_now();
    while (n < MOST && (n < least || bench_now() - start < seconds)) {
        double t = bench_now();
        work(arg);
        times[n++] = bench_now() - t;
    }
    qsort(times, (size_t)n, sizeof times[0], by_value);
    return (bench_time){times[n / 2], times[0], n};
}

void bench_fail(const char *what, tn_status status) {
    fprintf(stderr, "bench: %s: %s\n", what, tn_status_message(status));
    tn_status_free(status);
    exit(1);
}

void bench_check(const char *what, tn_status status) {
    if (status != NULL) bench_fail(what, status);
}

tn_tensor *bench_tensor(tn_context *context, const tn_tensor *spec, uint64_t seed) {
    tn_tensor *t;
    uint64_t state = seed * 2654435761u + 12345;
    bench_check("tensor",
                tn_tensor_create(context, spec->device, spec->dtype, spec->ndim, spec->shape, &t));
    int64_t n = 1;
    for (int32_t i = 0; i < t->ndim; i++)
        n *= t->shape[i];
    if (t->dtype.code != TN_TYPE_FLOAT || t->dtype.bits != 32) return t;
    float *data = t->data;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        data[i] = (float)(int32_t)(state >> 33) / 1073741824.0f - 1;
    }
    return t;
}

/* -------------------------------------------------------------------- copy */

typedef struct part {
    bench_copy *copy;
    size_t begin, end;
    pthread_t thread;
} part;

struct bench_copy {
    tn_context *context;
    uint32_t threads;
    size_t bytes;
    tn_tensor *from, *to;
    part *parts;
    bool stream, stop;
    pthread_barrier_t barrier;
};

typedef float vec __attribute__((vector_size(16), aligned(16)));

static void copy_part(const part *p) {
    const char *from = (const char *)p->copy->from->data;
    char *to = p->copy->to->data;
    if (!p->copy->stream) {
        memcpy(to + p->begin, from + p->begin, p->end - p->begin);
        return;
    }
    for (size_t i = p->begin; i < p->end; i += sizeof(vec)) {
        vec v = *(const vec *)(const void *)(from + i);
#if defined(__x86_64__) /* SSE: every such machine has it, whatever this is compiled for */
        __asm__ volatile("movntps %1, %0" : "=m"(*(vec *)(void *)(to + i)) : "x"(v));
#else
        *(vec *)(void *)(to + i) = v;
#endif
    }
#if defined(__x86_64__)
    __asm__ volatile("sfence" ::: "memory");
#endif
}

static void *copy_thread(void *arg) {
    part *p = arg;
    for (;;) {
        pthread_barrier_wait(&p->copy->barrier);
        if (p->copy->stop) return NULL;
        copy_part(p);
        pthread_barrier_wait(&p->copy->barrier);
    }
}

bench_copy *bench_copy_create(tn_context *context, uint32_t threads, size_t bytes) {
    bench_copy *c = calloc(1, sizeof *c);
    int64_t n = (int64_t)bytes / 4;
    const tn_tensor spec = {
        .device = {TN_DEVICE_CPU, 0}, .ndim = 1, .dtype = {TN_TYPE_FLOAT, 32, 1}, .shape = &n};
    if (c == NULL) exit(1);
    c->context = context;
    c->threads = threads;
    c->bytes = bytes;
    c->from = bench_tensor(context, &spec, 1);
    c->to = bench_tensor(context, &spec, 2);
    c->parts = calloc(threads, sizeof *c->parts);
    pthread_barrier_init(&c->barrier, NULL, threads);
    for (uint32_t i = 0; i < threads; i++) {
        c->parts[i] = (part){.copy = c,
                             .begin = bytes / 64 * i / threads * 64,
                             .end = bytes / 64 * (i + 1) / threads * 64};
        if (i > 0) pthread_create(&c->parts[i].thread, NULL, copy_thread, &c->parts[i]);
    }
    return c;
}

static void copy_all(void *arg) {
    bench_copy *c = arg;
    pthread_barrier_wait(&c->barrier);
    copy_part(&c->parts[0]);
    pthread_barrier_wait(&c->barrier);
}

double bench_copy_rate(bench_copy *c, double seconds) {
    double best = 0;
    for (int s = 0; s < 2; s++) {
        c->stream = s == 1;
        bench_time t = bench_measure(copy_all, c, seconds / 2, 5);
        double rate = 2 * (double)c->bytes / t.median;
        if (rate > best) best = rate;
    }
    return best;
}

void bench_copy_destroy(bench_copy *c) {
    c->stop = true;
    pthread_barrier_wait(&c->barrier);
    for (uint32_t i = 1; i < c->threads; i++)
        pthread_join(c->parts[i].thread, NULL);
    pthread_barrier_destroy(&c->barrier);
    tn_tensor_free(c->context, c->from);
    tn_tensor_free(c->context, c->to);
    free(c->parts);
    free(c);
}

/* ------------------------------------------------------------------- table */

void bench_report(cJSON *rows, const bench_row *r) {
    bool met = r->target == 0 || (r->at_least ? r->ratio >= r->target : r->ratio <= r->target);
    printf("%-34s %10.3f ms  %6.3f %-14s", r->name, r->milliseconds, r->ratio, r->unit);
    if (r->target != 0) {
        printf(" (%s %.3g%s)", r->at_least ? "at least" : "at most", r->target,
               met ? "" : ": MISSED");
    }
    printf("\n");
    fflush(stdout);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", r->name);
    cJSON_AddNumberToObject(o, "milliseconds", r->milliseconds);
    cJSON_AddNumberToObject(o, "ratio", r->ratio);
    cJSON_AddStringToObject(o, "unit", r->unit);
    if (r->target != 0) {
        cJSON_AddNumberToObject(o, "target", r->target);
        cJSON_AddBoolToObject(o, "met", met);
    }
    cJSON_AddItemToArray(rows, o);
}
