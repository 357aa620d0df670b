/* Graphs of bench/problems against a copy of as many bytes, in one run. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct job {
    tn_executable *executable;
    tn_arg *inputs, *outputs;
    uint32_t n_inputs, n_outputs;
} job;

static void run_job(void *arg) {
    job *j = arg;
    bench_check("run", tn_executable_run(j->executable, NULL, j->inputs, j->n_inputs, j->outputs,
                                         j->n_outputs));
}

static char *read_text(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (f == NULL || text == NULL || fread(text, 1, (1 << 20) - 1, f) == 0) {
        fprintf(stderr, "bench: %s cannot be read\n", path);
        exit(1);
    }
    fclose(f);
    return text;
}

static double directive(const char *text, const char *key) {
    const char *at = strstr(text, key);
    return at != NULL ? strtod(at + strlen(key), NULL) : 0;
}

static void open_job(tn_context *context, tn_graph *graph, job *j) {
    tn_plan *plan;
    j->n_inputs = tn_graph_input_count(graph);
    j->n_outputs = tn_graph_output_count(graph);
    j->inputs = calloc(j->n_inputs + 1, sizeof *j->inputs);
    j->outputs = calloc(j->n_outputs + 1, sizeof *j->outputs);
    for (uint32_t i = 0; i < j->n_inputs; i++) {
        tn_tensor *t = bench_tensor(context, tn_graph_input_spec(graph, i), i + 1);
        j->inputs[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = t};
    }
    bench_check("compile", tn_compile(graph, NULL, &j->executable));
    bench_check("plan", tn_executable_plan(j->executable, j->inputs, j->n_inputs, &plan));
    for (uint32_t i = 0; i < j->n_outputs; i++) {
        tn_tensor *t = bench_tensor(context, tn_plan_output_spec(plan, i), 7);
        j->outputs[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = t};
    }
    tn_plan_release(plan);
}

static void close_job(tn_context *context, job *j) {
    for (uint32_t i = 0; i < j->n_inputs; i++)
        tn_tensor_free(context, j->inputs[i].v.tensor);
    for (uint32_t i = 0; i < j->n_outputs; i++)
        tn_tensor_free(context, j->outputs[i].v.tensor);
    tn_executable_release(j->executable);
    free(j->inputs);
    free(j->outputs);
}

/* Copy and problem by turns of a tenth of a second, and the median of the turns' ratios: the
 * machine is shared, what memory gives drifts by a third within seconds, and the two must see
 * the same of it. */
static double measure_share(bench_copy *copy, job *j, double bytes, double *out_milliseconds) {
    enum { ROUNDS = 15 };
    double times[ROUNDS], shares[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        const double rate = bench_copy_rate(copy, 0.1);
        times[i] = bench_measure(run_job, j, 0.1, 3).median;
        shares[i] = bytes / rate / times[i];
    }
    *out_milliseconds = 1e3 * bench_median(times, ROUNDS);
    return bench_median(shares, ROUNDS);
}

static void run_problem(tn_context *context, const char *path, const char *name, cJSON *rows) {
    char *text = read_text(path);
    tn_graph *graph;
    tn_plan *plan;
    job j;
    tn_plan_stats stats = {.struct_size = sizeof stats};
    bench_check(path, tn_graph_parse(context, text, strlen(text), path, &graph));
    open_job(context, graph, &j);
    bench_check("plan", tn_executable_plan(j.executable, j.inputs, j.n_inputs, &plan));
    bench_check("stats", tn_plan_get_stats(plan, &stats));
    tn_plan_release(plan);
    bench_copy *copy = bench_copy_create(context, 2, 128u << 20);
    double milliseconds,
        share = measure_share(copy, &j, (double)stats.bytes_minimum, &milliseconds);
    bench_copy_destroy(copy);
    bench_report(rows, &(bench_row){.name = name,
                                    .milliseconds = milliseconds,
                                    .ratio = share,
                                    .target = directive(text, "# share: "),
                                    .at_least = true,
                                    .unit = "of copy"});
    close_job(context, &j);
    tn_graph_release(graph);
    free(text);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void bench_problems(tn_context *context, const char *folder, const char *filter, cJSON *rows) {
    char *names[256];
    size_t n = 0;
    DIR *dir = opendir(folder);
    struct dirent *e;
    while (dir != NULL && n < 256 && (e = readdir(dir)) != NULL) {
        const char *dot = strrchr(e->d_name, '.');
        if (dot == NULL || strcmp(dot, ".tn") != 0) continue;
        if (filter == NULL || strstr(e->d_name, filter) != NULL) names[n++] = strdup(e->d_name);
    }
    if (dir != NULL) closedir(dir);
    qsort(names, n, sizeof names[0], by_name);
    for (size_t i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        names[i][strlen(names[i]) - 3] = 0;
        run_problem(context, path, names[i], rows);
        free(names[i]);
    }
}
