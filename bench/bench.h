/* What the benchmark programs share: a clock, medians, memory that is like what Tenon
 * uses, and the copy that everything is measured against. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/tenon.h"

double bench_now(void);
/* Calls work until `seconds` have passed and at least `least` times, after a warm-up,
 * and gives the median and the fastest. */
typedef struct bench_time {
    double median, best;
    int runs;
} bench_time;
/* Sorts the values. */
double bench_median(double *values, int n);
bench_time bench_measure(void (*work)(void *arg), void *arg, double seconds, int least);

/* A parallel copy on `threads` threads of this program, each with its part. */
typedef struct bench_copy bench_copy;
bench_copy *bench_copy_create(tn_context *context, uint32_t threads, size_t bytes);
void bench_copy_destroy(bench_copy *copy);
/* Bytes read plus bytes written a second: the faster of plain and streaming stores. */
double bench_copy_rate(bench_copy *copy, double seconds);

void bench_fail(const char *what, tn_status status) __attribute__((noreturn));
void bench_check(const char *what, tn_status status);
/* An input or output filled with reproducible numbers. */
tn_tensor *bench_tensor(tn_context *context, const tn_tensor *spec, uint64_t seed);

/* One line of the table; ratio is what counts, target what it should be (0: none),
 * at_least says which side is good. */
typedef struct bench_row {
    const char *name;
    double milliseconds, ratio, target;
    bool at_least;
    const char *unit; /* of the ratio: "of copy", "x oneDNN" */
} bench_row;
void bench_report(cJSON *rows, const bench_row *row);

/* The parts. Each appends rows. */
void bench_problems(tn_context *context, const char *folder, const char *filter, cJSON *rows);
void bench_matmul(tn_context *context, cJSON *rows);
void bench_compile(const char *acme, cJSON *rows);

#endif
