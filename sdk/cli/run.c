#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "session.h"

/* How close an output came to the reference. */
typedef struct difference {
    double max_abs, max_rel, tolerance;
    int64_t first; /* flat index of the first element beyond, -1: none */
    double expected, found;
} difference;

typedef struct result {
    const char *name;
    cli_array array, reference;
    tn_tensor tensor;
    int64_t strides[CLI_MAX_RANK];
    difference diff;
} result;

typedef struct timing {
    double median, best;
    int64_t runs;
} timing;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Relative to the largest magnitude of the output, since sums cancel: 2^-(bits of
 * the fraction) times what a chain of roundings may add up to. Integers and bools
 * must agree exactly. */
static double tolerance_of(tn_dtype t) {
    if (!cli_dtype_is_float(t)) return 0;
    if (t.bits == 64) return 1e-12;
    if (t.bits == 32) return 2e-5;
    if (t.code == TN_TYPE_BFLOAT) return 2e-2;
    return t.bits == 16 ? 2e-3 : 0.15;
}

static difference compare(const cli_array *found, const cli_array *expected) {
    difference d = {.tolerance = tolerance_of(found->dtype), .first = -1};
    double scale = 0;
    int64_t n = cli_array_count(found);
    for (int64_t i = 0; i < n; i++) {
        double e = fabs(cli_element_get(expected->dtype, expected->data, i));
        if (isfinite(e) && e > scale) scale = e;
    }
    for (int64_t i = 0; i < n; i++) {
        double f = cli_element_get(found->dtype, found->data, i);
        double e = cli_element_get(expected->dtype, expected->data, i);
        bool same = f == e || (isnan(f) && isnan(e));
        double error = same ? 0 : fabs(f - e);
        bool beyond = !same && !(error <= d.tolerance * scale);
        if (error > d.max_abs) d.max_abs = error;
        if (e != 0 && error / fabs(e) > d.max_rel) d.max_rel = error / fabs(e);
        if (beyond && d.first < 0) {
            d.first = i;
            d.expected = e;
            d.found = f;
        }
    }
    return d;
}

static int make_outputs(cli_session *s, tn_executable *e, result *results, tn_arg *args) {
    tn_plan *plan;
    cli_error error = {""};
    tn_status status = tn_executable_plan(e, s->args, s->n_inputs, &plan);
    if (status != NULL) return cli_report("plan", status);
    for (uint32_t i = 0; i < s->n_outputs; i++) {
        const tn_tensor *spec = tn_plan_output_spec(plan, i);
        result *r = &results[i];
        r->name = tn_graph_output_name(s->graph, i);
        if (!cli_array_make(&r->array, spec->dtype, spec->ndim, spec->shape, &error)) {
            fprintf(stderr, "tenon: output %%%s: %s\n", r->name, error.text);
            tn_plan_release(plan);
            return CLI_FAILED;
        }
        memcpy(r->strides, spec->strides, (size_t)spec->ndim * sizeof *r->strides);
        r->tensor = (tn_tensor){.data = r->array.data,
                                .device = {TN_DEVICE_CPU, 0},
                                .ndim = spec->ndim,
                                .dtype = spec->dtype,
                                .shape = r->array.shape,
                                .strides = r->strides};
        args[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &r->tensor};
    }
    tn_plan_release(plan);
    return CLI_OK;
}

static int execute(cli_session *s, tn_executable *e, tn_arg *outputs) {
    tn_status status = tn_executable_run(e, NULL, s->args, s->n_inputs, outputs, s->n_outputs);
    return status == NULL ? CLI_OK : cli_report("run", status);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int measure(cli_session *s, tn_executable *e, tn_arg *outputs, timing *t) {
    int64_t n = s->options->time;
    double *seconds = calloc((size_t)n, sizeof *seconds);
    if (seconds == NULL) {
        fprintf(stderr, "tenon: no memory\n");
        return CLI_FAILED;
    }
    int code = CLI_OK;
    for (int64_t i = 0; code == CLI_OK && i < n; i++) {
        double start = now();
        code = execute(s, e, outputs);
        seconds[i] = now() - start;
    }
    qsort(seconds, (size_t)n, sizeof *seconds, by_value);
    *t = (timing){seconds[n / 2], seconds[0], n};
    free(seconds);
    return code;
}

/* Runs the reference into each result's `reference` and compares. */
static int check(cli_session *s, result *results, bool *differs) {
    tn_executable *e;
    result *expected = calloc((size_t)s->n_outputs + 1, sizeof *expected);
    tn_arg *args = calloc((size_t)s->n_outputs + 1, sizeof *args);
    int code = expected == NULL || args == NULL ? CLI_FAILED
                                                : cli_session_compile(s, TN_TARGET_REFERENCE, &e);
    if (code == CLI_OK) {
        code = make_outputs(s, e, expected, args);
        if (code == CLI_OK) code = execute(s, e, args);
        tn_executable_release(e);
    }
    for (uint32_t i = 0; expected != NULL && i < s->n_outputs; i++) {
        results[i].reference = expected[i].array;
        if (code != CLI_OK) continue;
        results[i].diff = compare(&results[i].array, &results[i].reference);
        *differs |= results[i].diff.first >= 0;
    }
    free(expected);
    free(args);
    return code;
}

static int write_outputs(const cli_session *s, const result *results) {
    cli_error error = {""};
    const char *folder = s->options->outputs;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "tenon: %s: %s\n", folder, strerror(errno));
        return CLI_FAILED;
    }
    for (uint32_t i = 0; i < s->n_outputs; i++) {
        char path[4096];
        int n = snprintf(path, sizeof path, "%s/%s.npy", folder, results[i].name);
        if (n < 0 || (size_t)n >= sizeof path) {
            fprintf(stderr, "tenon: %s: the path is too long\n", folder);
            return CLI_FAILED;
        }
        if (!cli_npy_write(path, &results[i].array, &error)) {
            fprintf(stderr, "tenon: %s\n", error.text);
            return CLI_FAILED;
        }
    }
    return CLI_OK;
}

static void print_values(const cli_array *a) {
    int64_t n = cli_array_count(a);
    printf(" =");
    for (int64_t i = 0; i < n && i < 6; i++) {
        char number[CLI_NUMBER_TEXT];
        printf(" %s", cli_number_text(cli_element_get(a->dtype, a->data, i), 6, number));
    }
    printf(n > 6 ? " ...\n" : "\n");
}

static void print_difference(const difference *d) {
    char abs[CLI_NUMBER_TEXT], rel[CLI_NUMBER_TEXT], expected[CLI_NUMBER_TEXT],
        found[CLI_NUMBER_TEXT];
    if (d->first < 0) {
        printf("  agrees with the reference: largest error %s, relative %s\n",
               cli_number_text(d->max_abs, 3, abs), cli_number_text(d->max_rel, 3, rel));
        return;
    }
    printf("  DIFFERS from the reference at element %lld: expected %s, found %s "
           "(largest error %s, tolerance %.3g of the largest magnitude)\n",
           (long long)d->first, cli_number_text(d->expected, 9, expected),
           cli_number_text(d->found, 9, found), cli_number_text(d->max_abs, 3, abs), d->tolerance);
}

static void print_text(const cli_session *s, const result *results, tn_plan *plan,
                       const timing *t) {
    for (uint32_t i = 0; i < s->n_outputs; i++) {
        char type[256];
        const result *r = &results[i];
        cli_type_text(r->array.dtype, r->array.rank, r->array.shape, type, sizeof type);
        printf("%%%s: %s", r->name, type);
        print_values(&r->array);
        if (s->options->check) print_difference(&r->diff);
    }
    tn_plan_stats stats = {.struct_size = sizeof stats};
    tn_status_free(tn_plan_get_stats(plan, &stats));
    if (t->runs == 0) return;
    printf("%lld runs: median %.3f ms, best %.3f ms; %u generated kernels, %u opaque calls, "
           "%u templates; %.1f MB moved of %.1f MB at least, %.1f GB/s\n",
           (long long)t->runs, 1e3 * t->median, 1e3 * t->best, stats.kernels, stats.opaque_calls,
           stats.template_calls, 1e-6 * (double)stats.bytes_moved,
           1e-6 * (double)stats.bytes_minimum, 1e-9 * (double)stats.bytes_moved / t->median);
}

static void add_number(cJSON *object, const char *name, double value) {
    if (isfinite(value)) {
        cJSON_AddNumberToObject(object, name, value);
    } else {
        cJSON_AddStringToObject(object, name, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    }
}

static void add_stats(cJSON *root, tn_plan *plan, const timing *t) {
    tn_plan_stats stats = {.struct_size = sizeof stats};
    tn_status_free(tn_plan_get_stats(plan, &stats));
    cJSON_AddNumberToObject(root, "kernels", stats.kernels);
    cJSON_AddNumberToObject(root, "opaque_calls", stats.opaque_calls);
    cJSON_AddNumberToObject(root, "template_calls", stats.template_calls);
    cJSON_AddNumberToObject(root, "bytes_moved", (double)stats.bytes_moved);
    cJSON_AddNumberToObject(root, "bytes_minimum", (double)stats.bytes_minimum);
    cJSON_AddNumberToObject(root, "peak_bytes", (double)stats.peak_bytes);
    cJSON_AddNumberToObject(root, "plan_seconds", stats.plan_seconds);
    cJSON_AddNumberToObject(root, "compile_seconds", stats.compile_seconds);
    if (t->runs == 0) return;
    cJSON_AddNumberToObject(root, "runs", (double)t->runs);
    cJSON_AddNumberToObject(root, "median_seconds", t->median);
    cJSON_AddNumberToObject(root, "best_seconds", t->best);
}

static int print_json(const cli_session *s, const result *results, tn_plan *plan, const timing *t) {
    cJSON *root = cJSON_CreateObject();
    cJSON *outputs = cJSON_AddArrayToObject(root, "outputs");
    for (uint32_t i = 0; i < s->n_outputs; i++) {
        const result *r = &results[i];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", r->name);
        cJSON_AddStringToObject(o, "dtype", tn_dtype_text(r->array.dtype));
        cJSON *shape = cJSON_AddArrayToObject(o, "shape");
        for (int32_t k = 0; k < r->array.rank; k++) {
            cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)r->array.shape[k]));
        }
        if (s->options->check) {
            cJSON_AddBoolToObject(o, "agrees", r->diff.first < 0);
            add_number(o, "max_abs_error", r->diff.max_abs);
            add_number(o, "max_rel_error", r->diff.max_rel);
        }
        cJSON_AddItemToArray(outputs, o);
    }
    add_stats(root, plan, t);
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    if (text == NULL) {
        fprintf(stderr, "tenon: no memory\n");
        return CLI_FAILED;
    }
    printf("%s\n", text);
    cJSON_free(text);
    return CLI_OK;
}

static int report(cli_session *s, tn_executable *e, const result *results, const timing *t) {
    tn_plan *plan;
    if (s->options->quiet) return CLI_OK;
    tn_status status = tn_executable_plan(e, s->args, s->n_inputs, &plan);
    if (status != NULL) return cli_report("plan", status);
    int code = CLI_OK;
    if (s->options->json) {
        code = print_json(s, results, plan, t);
    } else {
        print_text(s, results, plan, t);
    }
    tn_plan_release(plan);
    return code;
}

static int run_with(cli_session *s, tn_executable *e, result *results, tn_arg *args) {
    timing t = {0};
    bool differs = false;
    int code = make_outputs(s, e, results, args);
    if (code == CLI_OK) code = execute(s, e, args);
    if (code == CLI_OK && s->options->time > 0) code = measure(s, e, args, &t);
    if (code == CLI_OK && s->options->check) code = check(s, results, &differs);
    if (code == CLI_OK && s->options->outputs != NULL) code = write_outputs(s, results);
    if (code == CLI_OK) code = report(s, e, results, &t);
    if (code != CLI_OK || !differs) return code;
    for (uint32_t i = 0; i < s->n_outputs; i++) {
        if (results[i].diff.first < 0) continue;
        fprintf(stderr, "tenon: check: output %%%s differs from the reference\n", results[i].name);
    }
    return CLI_FAILED;
}

int cli_run(const cli_options *options) {
    cli_session s;
    tn_executable *e = NULL;
    int32_t target = TN_TARGET_CPU;
    if (strcmp(options->device, "reference") == 0) {
        target = TN_TARGET_REFERENCE;
    } else if (strcmp(options->device, "cpu") != 0) {
        fprintf(stderr, "tenon: --device: expected cpu or reference, found \"%s\"\n",
                options->device);
        return CLI_USAGE;
    }
    int code = cli_session_open(&s, options, true);
    if (code == CLI_OK) code = cli_session_compile(&s, target, &e);
    if (code == CLI_OK) {
        result *results = calloc((size_t)s.n_outputs + 1, sizeof *results);
        tn_arg *args = calloc((size_t)s.n_outputs + 1, sizeof *args);
        code = results == NULL || args == NULL ? CLI_FAILED : run_with(&s, e, results, args);
        for (uint32_t i = 0; results != NULL && i < s.n_outputs; i++) {
            cli_array_free(&results[i].array);
            cli_array_free(&results[i].reference);
        }
        free(results);
        free(args);
    }
    tn_executable_release(e);
    cli_session_close(&s);
    return code;
}
