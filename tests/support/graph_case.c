#include "support/graph_case.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "base/file.h"
#include "support/graph_values.h"

#define MOST 256

/* The directives of a file: lines "# key[ %name]: text". */
typedef struct directive {
    const char *key, *name, *text; /* name "" when there is none */
} directive;

typedef struct graph_case {
    const char *path;
    char *text; /* the file; the graph's text follows the comments as they are */
    directive directives[MOST];
    uint32_t n_directives;
    char *directive_text;
    tn_context *context;
    tn_strbuf *out;
    tn_graph_report *report;
    tn_value_tensor inputs[MOST], reference[MOST];
    tn_arg input_args[MOST];
    uint32_t n_inputs, n_outputs;
    bool exact;
    double tolerance; /* 0: the dtype's */
    double scale;     /* of random inputs */
} graph_case;

static void problem(graph_case *c, const char *where, tn_status status) {
    if (status == NULL) return;
    tn_strbuf_printf(c->out, "%s: %s: %s\n", c->path, where, tn_status_message(status));
    tn_status_free(status);
}

static const char *trim(char *text) {
    while (*text == ' ')
        text++;
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\r'))
        text[--n] = 0;
    return text;
}

static void read_directives(graph_case *c) {
    char *line = c->directive_text;
    while (line != NULL && *line == '#') {
        char *end = strchr(line, '\n');
        if (end != NULL) *end = 0;
        char *key = line + 1;
        while (*key == ' ')
            key++;
        char *colon = strchr(key, ':');
        size_t word = strcspn(key, " :");
        bool bare = strcmp(key, "exact") == 0;
        if ((colon != NULL || bare) && c->n_directives < MOST) {
            directive *d = &c->directives[c->n_directives++];
            *d = (directive){key, "", ""};
            if (!bare) {
                *colon = 0;
                d->text = trim(colon + 1);
                if (key[word] == ' ' && key[word + 1] == '%') d->name = trim(key + word + 2);
                key[word] = 0;
            }
        }
        line = end != NULL ? end + 1 : NULL;
    }
}

static const directive *find(const graph_case *c, const char *key, const char *name) {
    for (uint32_t i = 0; i < c->n_directives; i++) {
        const directive *d = &c->directives[i];
        if (strcmp(d->key, key) == 0 && (name == NULL || strcmp(d->name, name) == 0)) return d;
    }
    return NULL;
}

static bool skips(const graph_case *c, const char *path) {
    for (uint32_t i = 0; i < c->n_directives; i++) {
        const directive *d = &c->directives[i];
        if (strcmp(d->key, "skip") == 0 && strcmp(d->text, path) == 0) return true;
    }
    return false;
}

static tn_status open_context(graph_case *c) {
    const tn_context_options options = {.struct_size = sizeof options, .threads = 2};
    TN_TRY(tn_context_create(&options, &c->context));
    for (uint32_t i = 0; i < c->n_directives; i++) {
        if (strcmp(c->directives[i].key, "plugin") != 0) continue;
        char path[1024];
        snprintf(path, sizeof path, TN_BINARY_DIR "/test-plugins/%s.so", c->directives[i].text);
        TN_TRY(tn_plugin_load(c->context, path, NULL));
    }
    return NULL;
}

static int64_t size_of(const graph_case *c, const char *name) {
    size_t n = strlen(name);
    for (uint32_t i = 0; i < c->n_directives; i++) {
        const directive *d = &c->directives[i];
        if (strcmp(d->key, "size") == 0 && strncmp(d->text, name, n) == 0 && d->text[n] == '=') {
            return strtoll(d->text + n + 1, NULL, 10);
        }
    }
    return -1;
}

static tn_status make_input(graph_case *c, const tn_graph *graph, uint32_t i) {
    const tn_tensor *spec = tn_graph_input_spec(graph, i);
    const char *name = tn_graph_input_name(graph, i);
    const directive *strides = find(c, "strides", name), *values = find(c, "input", name);
    int64_t shape[16], steps[16];
    bool declared = false;
    int64_t step = 1;
    for (int32_t k = spec->ndim; k-- > 0;) {
        const char *dim = tn_graph_input_dim_name(graph, i, k);
        shape[k] = dim != NULL ? size_of(c, dim) : spec->shape[k];
        if (shape[k] < 0) return tn_status_make(TN_INVALID, "\"# size: %s=...\" is missing", dim);
        steps[k] = spec->strides[k];
        declared |= dim == NULL && shape[k] > 1 && steps[k] != step && steps[k] != 0;
        step *= shape[k] > 0 ? shape[k] : 1;
    }
    if (strides != NULL) {
        tn_value_tensor parsed;
        int64_t rank = spec->ndim;
        TN_TRY(tn_value_make(&parsed, (tn_dtype){TN_TYPE_FLOAT, 64, 1}, 1, &rank, NULL));
        tn_status status = tn_value_fill(&parsed, strides->text);
        for (int32_t k = 0; k < spec->ndim; k++)
            steps[k] = (int64_t)tn_value_get(&parsed, k);
        tn_value_free(&parsed);
        TN_TRY(status);
        declared = true;
    }
    TN_TRY(tn_value_make(&c->inputs[i], spec->dtype, spec->ndim, shape, declared ? steps : NULL));
    c->input_args[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &c->inputs[i].t};
    if (values != NULL) return tn_value_fill(&c->inputs[i], values->text);
    tn_value_random(&c->inputs[i], i + 1, c->scale);
    return NULL;
}

typedef struct run_options {
    const char *name;
    int32_t target, mode, precision;
    uint32_t flags;
    bool strided_outputs;
} run_options;

/* Eager runs have no neighbours to fuse with: only what concerns single ops is forced
 * there. */
static uint32_t collect_rules(const graph_case *c, const char *key, int32_t mode,
                              const char **out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_directives; i++) {
        const directive *d = &c->directives[i];
        bool single = strncmp(d->text, "opaque", 6) == 0 || strncmp(d->text, "inline", 6) == 0;
        if (strcmp(d->key, key) != 0 || (mode == TN_MODE_EAGER && !single)) continue;
        out[n++] = d->text;
    }
    return n;
}

static bool append(void *self, const char *text, size_t length) {
    tn_strbuf_bytes(self, text, length);
    return true;
}

/* "%y epilogue": the line of explain about %y must have the word. */
static void check_explain(graph_case *c, const tn_plan *plan) {
    tn_strbuf text;
    tn_strbuf_init(&text, tn_allocator_system());
    problem(c, "explain", tn_plan_explain(plan, TN_EXPLAIN_TEXT, append, &text));
    for (uint32_t i = 0; i < c->n_directives; i++) {
        const directive *d = &c->directives[i];
        if (strcmp(d->key, "explain") != 0) continue;
        size_t name = strcspn(d->text, " ");
        const char *word = d->text + name + strspn(d->text + name, " ");
        /* The decision is on the line after the node's. */
        char node[128], decision[128];
        snprintf(node, sizeof node, "\n%.*s = ", (int)name, d->text);
        snprintf(decision, sizeof decision, "    %s:", word);
        const char *at = strstr(tn_strbuf_cstr(&text), node);
        at = at != NULL ? strchr(at + 1, '\n') : NULL;
        bool found = at != NULL && strncmp(at + 1, decision, strlen(decision)) == 0;
        if (!found) {
            tn_strbuf_printf(c->out, "%s: explain does not say \"%s\":\n%s", c->path, d->text,
                             tn_strbuf_cstr(&text));
        }
    }
    tn_strbuf_deinit(&text);
}

static void check_counts(graph_case *c, const tn_plan *plan) {
    tn_plan_stats stats = {.struct_size = sizeof stats};
    problem(c, "stats", tn_plan_get_stats(plan, &stats));
    const directive *kernels = find(c, "kernels", NULL), *calls = find(c, "opaque", NULL);
    if (kernels != NULL && stats.kernels > (uint32_t)strtoul(kernels->text, NULL, 10)) {
        tn_strbuf_printf(c->out, "%s: expected %s generated kernels at most, found %u\n", c->path,
                         kernels->text, stats.kernels);
    }
    if (calls != NULL && stats.opaque_calls != (uint32_t)strtoul(calls->text, NULL, 10)) {
        tn_strbuf_printf(c->out, "%s: expected %s opaque calls, found %u\n", c->path, calls->text,
                         stats.opaque_calls);
    }
}

static tn_status compile(graph_case *c, tn_graph *graph, const run_options *o,
                         tn_executable **out) {
    const char *force[MOST], *forbid[MOST];
    bool decides = o->target != TN_TARGET_REFERENCE;
    const tn_compile_options options = {
        .struct_size = sizeof options,
        .target = o->target,
        .mode = o->mode,
        .precision = o->precision,
        .flags = o->flags,
        .force = force,
        .forbid = forbid,
        .n_force = decides ? collect_rules(c, "force", o->mode, force) : 0,
        .n_forbid = decides ? collect_rules(c, "forbid", o->mode, forbid) : 0};
    return tn_compile(graph, &options, out);
}

/* Runs a graph into fresh outputs. */
static tn_status run(graph_case *c, tn_graph *graph, const run_options *o,
                     tn_value_tensor *outputs) {
    tn_executable *e;
    tn_plan *plan = NULL;
    tn_arg args[MOST];
    TN_TRY(compile(c, graph, o, &e));
    uint32_t n = tn_graph_output_count(graph);
    tn_status status = tn_executable_plan(e, c->input_args, c->n_inputs, &plan);
    for (uint32_t i = 0; status == NULL && i < n; i++) {
        const tn_tensor *spec = tn_plan_output_spec(plan, i);
        int64_t steps[16], step = 1;
        for (int32_t k = 0; k < spec->ndim; k++) { /* column-major, with gaps */
            steps[k] = 2 * step;
            step *= spec->shape[k] > 0 ? spec->shape[k] : 1;
        }
        status = tn_value_make(&outputs[i], spec->dtype, spec->ndim, spec->shape,
                               o->strided_outputs ? steps : NULL);
        if (status == NULL) memset(outputs[i].block, 0xEE, outputs[i].bytes);
        args[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &outputs[i].t};
    }
    if (status == NULL) {
        status = tn_executable_run(e, NULL, c->input_args, c->n_inputs, args, n);
    }
    if (status == NULL && strcmp(o->name, "fused") == 0) {
        check_counts(c, plan);
        check_explain(c, plan);
    }
    tn_plan_release(plan);
    tn_executable_release(e);
    c->report->paths++;
    return status;
}

static void free_values(tn_value_tensor *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        tn_value_free(&values[i]);
}

static void compare_all(graph_case *c, const tn_graph *graph, const char *path,
                        const tn_value_tensor *found, const tn_value_tensor *expected, bool exact) {
    for (uint32_t i = 0; i < c->n_outputs; i++) {
        char what[256];
        double tolerance = c->tolerance > 0 ? c->tolerance : tn_value_tolerance(found[i].t.dtype);
        snprintf(what, sizeof what, "%s: %s: output %%%s", c->path, path,
                 tn_graph_output_name(graph, i));
        tn_value_compare(what, &found[i], &expected[i], exact, tolerance, c->out);
    }
}

/* What the file says must come out. */
static void check_expected(graph_case *c, const tn_graph *graph, const char *path,
                           const tn_value_tensor *found) {
    for (uint32_t i = 0; i < c->n_outputs; i++) {
        const directive *d = find(c, "expect", tn_graph_output_name(graph, i));
        tn_value_tensor expected;
        char what[256];
        if (d == NULL) continue;
        snprintf(what, sizeof what, "%s: %s: output %%%s", c->path, path, d->name);
        tn_status status = tn_value_make(&expected, found[i].t.dtype, found[i].t.ndim,
                                         found[i].shape, NULL);
        if (status == NULL) status = tn_value_fill(&expected, d->text);
        double tolerance = c->tolerance > 0 ? c->tolerance : tn_value_tolerance(found[i].t.dtype);
        if (status == NULL) {
            tn_value_compare(what, &found[i], &expected, c->exact, tolerance, c->out);
        }
        problem(c, what, status);
        tn_value_free(&expected);
    }
}

static const run_options paths[] = {
    {"reference", TN_TARGET_REFERENCE, TN_MODE_FUSED, TN_PRECISION_FUSED, 0, false},
    {"fused", TN_TARGET_CPU, TN_MODE_FUSED, TN_PRECISION_FUSED, TN_COMPILE_CHECKED, false},
    {"eager", TN_TARGET_CPU, TN_MODE_EAGER, TN_PRECISION_FUSED, 0, false},
    {"strict", TN_TARGET_CPU, TN_MODE_FUSED, TN_PRECISION_STRICT, 0, false},
    {"strict eager", TN_TARGET_CPU, TN_MODE_EAGER, TN_PRECISION_STRICT, 0, false},
    {"poisoned", TN_TARGET_CPU, TN_MODE_FUSED, TN_PRECISION_FUSED, TN_COMPILE_POISON, true},
    {"no reuse", TN_TARGET_CPU, TN_MODE_FUSED, TN_PRECISION_FUSED, TN_COMPILE_NO_REUSE, false},
};
#define N_PATHS (sizeof paths / sizeof paths[0])

static void run_paths(graph_case *c, tn_graph *graph) {
    tn_value_tensor strict[MOST] = {0};
    bool have_strict = false;
    for (size_t p = 0; p < N_PATHS; p++) {
        tn_value_tensor outputs[MOST] = {0};
        if (skips(c, paths[p].name)) continue;
        tn_status status = run(c, graph, &paths[p], outputs);
        if (status != NULL) {
            problem(c, paths[p].name, status);
            free_values(outputs, c->n_outputs);
            if (p == 0) break;
            continue;
        }
        check_expected(c, graph, paths[p].name, outputs);
        if (p == 0) {
            memcpy(c->reference, outputs, sizeof outputs);
            /* The tensors point into themselves. */
            for (uint32_t i = 0; i < c->n_outputs; i++) {
                c->reference[i].t.shape = c->reference[i].shape;
                c->reference[i].t.strides = c->reference[i].strides;
            }
            continue;
        }
        compare_all(c, graph, paths[p].name, outputs, c->reference, c->exact);
        if (strcmp(paths[p].name, "strict eager") == 0 && have_strict) {
            compare_all(c, graph, "strict against strict eager", outputs, strict, true);
        }
        if (strcmp(paths[p].name, "strict") == 0) {
            memcpy(strict, outputs, sizeof outputs);
            for (uint32_t i = 0; i < c->n_outputs; i++) {
                strict[i].t.shape = strict[i].shape;
                strict[i].t.strides = strict[i].strides;
            }
            have_strict = true;
            continue;
        }
        free_values(outputs, c->n_outputs);
    }
    free_values(strict, have_strict ? c->n_outputs : 0);
}

/* The text with one more value returned: every "%name =" (also "%a, %b =") in turn.
 * NULL after the last. */
static char *with_output(const graph_case *c, uint32_t nth) {
    const char *line = strstr(c->text, ") {"), *ret = NULL;
    char name[128] = "";
    while (line != NULL && (line = strchr(line, '\n')) != NULL) {
        line++;
        const char *p = line + strspn(line, " ");
        if (strncmp(p, "return", 6) == 0) ret = p;
        const char *end = strchr(p, '\n'), *equals = strchr(p, '=');
        if (*p != '%' || equals == NULL || (end != NULL && equals > end)) continue;
        for (const char *v = p; v != NULL && v < equals; v = strchr(v + 1, '%')) {
            if (nth-- == 0) snprintf(name, sizeof name, "%.*s", (int)strcspn(v, " ,="), v);
        }
    }
    if (name[0] == 0 || ret == NULL) return NULL;
    size_t n = strlen(c->text) + strlen(name) + 8;
    char *text = malloc(n);
    if (text == NULL) return NULL;
    size_t head = (size_t)(ret - c->text) + strlen("return");
    snprintf(text, n, "%.*s %s,%s", (int)head, c->text, name, c->text + head);
    return text;
}

/* An output more must not change the others. */
static void run_with_outputs(graph_case *c) {
    for (uint32_t nth = 0; nth < 40; nth++) {
        char *text = with_output(c, nth);
        tn_graph *graph = NULL;
        tn_value_tensor outputs[MOST] = {0};
        if (text == NULL) return;
        tn_status status = tn_graph_parse(c->context, text, strlen(text), c->path, &graph);
        const run_options options = {"one more output", TN_TARGET_CPU, 0, 0, 0, false};
        if (status == NULL) status = run(c, graph, &options, outputs);
        char where[256];
        snprintf(where, sizeof where, "with %%%s returned too",
                 graph != NULL ? tn_graph_output_name(graph, 0) : "?");
        if (status == NULL) {
            for (uint32_t i = 0; i < c->n_outputs; i++) {
                char what[512];
                double tolerance = c->tolerance > 0 ? c->tolerance
                                                    : tn_value_tolerance(outputs[i + 1].t.dtype);
                snprintf(what, sizeof what, "%s: %s: output %%%s", c->path, where,
                         tn_graph_output_name(graph, i + 1));
                tn_value_compare(what, &outputs[i + 1], &c->reference[i], c->exact, tolerance,
                                 c->out);
            }
        }
        problem(c, where, status);
        free_values(outputs, graph != NULL ? tn_graph_output_count(graph) : 0);
        tn_graph_release(graph);
        free(text);
    }
}

/* A file that must fail: at parse, plan or run. */
static void expect_error(graph_case *c, tn_status status) {
    if (status == NULL) {
        tn_strbuf_printf(c->out, "%s: expected an error, found none\n", c->path);
        return;
    }
    for (uint32_t i = 0; i < c->n_directives; i++) {
        const directive *d = &c->directives[i];
        if (strcmp(d->key, "error") != 0) continue;
        if (strstr(tn_status_message(status), d->text) == NULL) {
            tn_strbuf_printf(c->out, "%s: the error lacks \"%s\": %s\n", c->path, d->text,
                             tn_status_message(status));
        }
    }
    tn_status_free(status);
}

static void run_graph(graph_case *c) {
    tn_graph *graph = NULL;
    bool fails = find(c, "error", NULL) != NULL;
    tn_status status = tn_graph_parse(c->context, c->text, strlen(c->text), c->path, &graph);
    if (status == NULL) {
        c->n_inputs = tn_graph_input_count(graph);
        c->n_outputs = tn_graph_output_count(graph);
        for (uint32_t i = 0; status == NULL && i < c->n_inputs; i++) {
            status = make_input(c, graph, i);
        }
    }
    if (fails) {
        /* The same error on the reference and on the CPU. */
        for (size_t p = 0; status == NULL && p < 2; p++) {
            tn_value_tensor outputs[MOST] = {0};
            tn_status found = run(c, graph, &paths[p], outputs);
            free_values(outputs, c->n_outputs);
            expect_error(c, found);
        }
        if (status != NULL) expect_error(c, status);
    } else if (status != NULL) {
        problem(c, "graph", status);
    } else {
        run_paths(c, graph);
        if (!skips(c, "one more output")) run_with_outputs(c);
        free_values(c->reference, c->n_outputs);
    }
    free_values(c->inputs, c->n_inputs);
    tn_graph_release(graph);
}

void tn_graph_case_run(const char *path, tn_graph_report *report) {
    const tn_allocator *a = tn_allocator_system();
    graph_case *c = calloc(1, sizeof *c);
    tn_blob file = {0};
    tn_strbuf_init(&report->problems, a);
    report->paths = 0;
    if (c == NULL) abort();
    const char *slash = strrchr(path, '/');
    c->path = slash != NULL ? slash + 1 : path;
    c->out = &report->problems;
    c->report = report;
    tn_status status = tn_file_read(a, path, &file);
    if (status == NULL) {
        c->text = file.data;
        c->directive_text = strdup(file.data);
        read_directives(c);
        c->exact = find(c, "exact", NULL) != NULL;
        const directive *tolerance = find(c, "tolerance", NULL);
        if (tolerance != NULL) c->tolerance = strtod(tolerance->text, NULL);
        const directive *scale = find(c, "scale", NULL);
        c->scale = scale != NULL ? strtod(scale->text, NULL) : 1;
        status = open_context(c);
    }
    if (status == NULL) {
        run_graph(c);
    } else {
        problem(c, "start", status);
    }
    tn_context_release(c->context);
    free(c->directive_text);
    tn_blob_deinit(&file);
    free(c);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

uint32_t tn_graph_cases_run(const char *folder, const char *filter, tn_strbuf *out_problems,
                            uint32_t *out_failed) {
    char *names[1024];
    uint32_t n = 0;
    DIR *dir = opendir(folder);
    struct dirent *entry;
    *out_failed = 0;
    while (dir != NULL && (entry = readdir(dir)) != NULL && n < 1024) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".tn") != 0) continue;
        if (filter != NULL && strncmp(entry->d_name, filter, strlen(filter)) != 0) continue;
        names[n++] = strdup(entry->d_name);
    }
    if (dir != NULL) closedir(dir);
    qsort(names, n, sizeof *names, by_name);
    for (uint32_t i = 0; i < n; i++) {
        char path[2048];
        tn_graph_report report;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        tn_graph_case_run(path, &report);
        if (report.problems.length > 0) {
            tn_strbuf_text(out_problems, tn_strbuf_cstr(&report.problems));
            (*out_failed)++;
        }
        tn_strbuf_deinit(&report.problems);
        free(names[i]);
    }
    return n;
}
