#include "support/op_case.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "ir/compare.h"
#include "ir/graph.h"

enum { MOST_INPUTS = 16, MOST_RESULTS = 8, MOST_RULES = 4, MOST_TEXT = 8192 };
enum { MOST_SHOWN = 64, FEW_SHOWN = 4 }; /* elements of a result */

typedef struct input {
    char name[64], type[128]; /* "f32[2,2]", with strides as the text has them */
    tn_tensor tensor;
    int64_t shape[16], strides[16];
    void *block;
} input;

typedef struct op_case {
    const tn_op_cases *cases;
    input inputs[MOST_INPUTS];
    uint32_t n_inputs;
    char rules[MOST_RULES][64]; /* to force */
    uint32_t n_rules;
    char body[MOST_TEXT];    /* statements */
    char results[MOST_TEXT]; /* "%r" or "%a, %b" */
    tn_strbuf *out;
} op_case;

/* Without the plugin's version and path, which are the machine's. */
static void problem(op_case *c, const char *text) {
    const char *rest = strstr(text, ".so): ");
    tn_strbuf_printf(c->out, "error: %s\n", rest != NULL ? rest + 6 : text);
}

static bool status_problem(op_case *c, tn_status status) {
    if (status == NULL) return false;
    problem(c, tn_status_message(status));
    tn_status_free(status);
    return true;
}

/* ------------------------------------------------------------------ inputs */

/* "[1, 2]" from *at on. */
static bool read_list(const char **at, int64_t out[16], int32_t *n) {
    const char *p = *at;
    *n = 0;
    if (*p++ != '[') return false;
    while (*p != ']') {
        char *end;
        if (*n == 16) return false;
        out[(*n)++] = strtoll(p, &end, 10);
        if (end == p) return false;
        p = end + strspn(end, ", ");
    }
    *at = p + 1;
    return true;
}

static int64_t count_of(const input *in) {
    int64_t n = 1;
    for (int32_t i = 0; i < in->tensor.ndim; i++)
        n *= in->shape[i];
    return n;
}

/* Element k in row-major order. */
static void *element(const tn_tensor *t, int64_t k) {
    int64_t offset = 0;
    for (int32_t i = t->ndim - 1; i >= 0; i--) {
        offset += k % t->shape[i] * t->strides[i];
        k /= t->shape[i];
    }
    return (char *)t->data + t->byte_offset + offset * (t->dtype.bits / 8);
}

/* Memory for all that the strides reach, with the first element where it must be. */
static bool make_block(input *in) {
    int64_t low = 0, high = 0, bytes = in->tensor.dtype.bits / 8;
    for (int32_t i = 0; i < in->tensor.ndim && count_of(in) > 0; i++) {
        const int64_t reach = (in->shape[i] - 1) * in->strides[i];
        *(reach < 0 ? &low : &high) += reach;
    }
    in->block = calloc((size_t)(high - low + 1), (size_t)bytes);
    in->tensor.data = in->block;
    in->tensor.byte_offset = (uint64_t)(-low * bytes);
    return in->block != NULL;
}

static bool read_type(input *in, const char **at) {
    const char *begin = *at, *open = strchr(begin, '[');
    int32_t n_strides;
    if (open == NULL) return false;
    const tn_dt dt = tn_dt_parse(begin, (size_t)(open - begin));
    if (dt == TN_DT_NONE) return false;
    in->tensor.dtype = tn_dt_to_dtype(dt);
    in->tensor.device = (tn_device){TN_DEVICE_CPU, 0};
    in->tensor.shape = in->shape;
    in->tensor.strides = in->strides;
    *at = open;
    if (!read_list(at, in->shape, &in->tensor.ndim)) return false;
    tn_shape_strides(in->shape, in->tensor.ndim, in->strides);
    if (strncmp(*at, " strides=", 9) == 0) {
        *at += 9;
        if (!read_list(at, in->strides, &n_strides) || n_strides != in->tensor.ndim) return false;
    }
    snprintf(in->type, sizeof in->type, "%.*s", (int)(*at - begin), begin);
    return make_block(in);
}

static bool read_element(tn_dt dt, const char *word, size_t length, void *to) {
    tn_scalar value = {0};
    if (length == 4 && memcmp(word, "true", 4) == 0) {
        value.i = 1;
    } else if (length == 5 && memcmp(word, "false", 5) == 0) {
        value.i = 0;
    } else if (tn_dt_is_float(dt)) {
        if (!tn_double_parse(word, length, &value.f)) return false;
    } else {
        char *end;
        value.i = word[0] == '-' ? strtoll(word, &end, 10) : (int64_t)strtoull(word, &end, 10);
        if (end != word + length) return false;
    }
    tn_scalar_store(dt, to, value);
    return true;
}

static void fill_random(const input *in, tn_dt dt, uint64_t seed) {
    const int64_t n = count_of(in);
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    for (int64_t k = 0; k < n; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double unit = (double)(state >> 40) / (double)(1 << 24);
        tn_scalar value = {.f = unit * 4 - 2};
        if (!tn_dt_is_float(dt)) value.i = (int64_t)(unit * (dt == TN_DT_BOOL ? 2 : 16));
        tn_scalar_store(dt, element(&in->tensor, k), value);
    }
}

/* "name = type elements". */
static bool read_input(op_case *c, const char *line) {
    if (c->n_inputs == MOST_INPUTS) return false;
    input *in = &c->inputs[c->n_inputs];
    const char *at = strstr(line, " = ");
    memset(in, 0, sizeof *in);
    snprintf(in->name, sizeof in->name, "%.*s", (int)(at - line), line);
    at += 3;
    if (!read_type(in, &at)) return false;
    c->n_inputs++;
    const tn_dt dt = tn_dt_from_dtype(in->tensor.dtype);
    at += strspn(at, " ");
    if (strncmp(at, "seed ", 5) == 0) {
        fill_random(in, dt, strtoull(at + 5, NULL, 10));
        return true;
    }
    const int64_t n = count_of(in);
    for (int64_t k = 0; k < n; k++) {
        const size_t length = strcspn(at, " ");
        if (!read_element(dt, at, length, element(&in->tensor, k))) return false;
        at += length;
        at += strspn(at, " ");
    }
    return *at == '\0';
}

/* ------------------------------------------------------------------- graph */

/* Appends a statement, and remembers the names that it defines. */
static void add_statement(op_case *c, const char *line) {
    const char *equals = strstr(line, " = ");
    const size_t used = strlen(c->body);
    const bool named = line[0] == '%' && equals != NULL;
    if (named) {
        snprintf(c->results, sizeof c->results, "%.*s", (int)(equals - line), line);
    } else {
        snprintf(c->results, sizeof c->results, "%%result");
    }
    snprintf(c->body + used, sizeof c->body - used, "  %s%s\n", named ? "" : "%result = ", line);
}

static bool read_case(op_case *c, const char *text, size_t length) {
    char line[MOST_TEXT];
    for (size_t at = 0; at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t n = end != NULL ? (size_t)(end - text) - at : length - at;
        snprintf(line, sizeof line, "%.*s", (int)n, text + at);
        at += n + 1;
        if (strncmp(line, "force ", 6) == 0 && c->n_rules < MOST_RULES) {
            snprintf(c->rules[c->n_rules++], sizeof c->rules[0], "%.63s", line + 6);
        } else if (isalpha((unsigned char)line[0]) && strstr(line, " = ") != NULL) {
            if (!read_input(c, line)) {
                problem(c, line);
                return false;
            }
        } else if (line[0] != '\0') {
            add_statement(c, line);
        }
    }
    return true;
}

static tn_status make_graph(op_case *c, tn_graph **out_graph) {
    char text[3 * MOST_TEXT];
    size_t used = (size_t)snprintf(text, sizeof text, "graph @case(");
    for (uint32_t i = 0; i < c->n_inputs; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%%%s: %s", i ? ", " : "",
                                 c->inputs[i].name, c->inputs[i].type);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, ") {\n%s  return %s\n}\n", c->body,
                             c->results);
    return tn_graph_parse(c->cases->context, text, used, "case", out_graph);
}

/* -------------------------------------------------------------------- runs */

typedef struct results {
    tn_tensor *tensors[MOST_RESULTS];
    uint32_t n;
} results;

static void free_results(const op_case *c, results *r) {
    for (uint32_t i = 0; i < r->n; i++)
        tn_tensor_free(c->cases->context, r->tensors[i]);
    r->n = 0;
}

static tn_status make_results(op_case *c, tn_executable *e, const tn_arg *inputs, results *out) {
    tn_plan *plan;
    tn_status status = tn_executable_plan(e, inputs, c->n_inputs, &plan);
    if (status != NULL) return status;
    for (uint32_t i = 0; status == NULL && i < out->n; i++) {
        const tn_tensor *spec = tn_plan_output_spec(plan, i);
        status = tn_tensor_create(c->cases->context, spec->device, spec->dtype, spec->ndim,
                                  spec->shape, &out->tensors[i]);
    }
    tn_plan_release(plan);
    return status;
}

static tn_status run(op_case *c, tn_graph *graph, int32_t target, int32_t mode, int32_t precision,
                     results *out) {
    const char *rules[MOST_RULES];
    for (uint32_t i = 0; i < c->n_rules; i++)
        rules[i] = c->rules[i];
    const tn_compile_options options = {.struct_size = sizeof options,
                                        .target = target,
                                        .mode = mode,
                                        .precision = precision,
                                        .force = rules,
                                        .n_force = target == TN_TARGET_CPU ? c->n_rules : 0,
                                        .flags = TN_COMPILE_POISON | TN_COMPILE_CHECKED};
    tn_executable *e;
    tn_arg inputs[MOST_INPUTS], outputs[MOST_RESULTS];
    memset(out, 0, sizeof *out);
    tn_status status = tn_compile(graph, &options, &e);
    if (status != NULL) return status;
    for (uint32_t i = 0; i < c->n_inputs; i++)
        inputs[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &c->inputs[i].tensor};
    out->n = tn_graph_output_count(graph);
    status = make_results(c, e, inputs, out);
    for (uint32_t i = 0; i < out->n; i++)
        outputs[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = out->tensors[i]};
    if (status == NULL) {
        status = tn_executable_run(e, NULL, inputs, c->n_inputs, outputs, out->n);
    }
    tn_executable_release(e);
    if (status != NULL) free_results(c, out);
    return status;
}

static void print_element(tn_strbuf *out, tn_dt dt, tn_scalar value) {
    if (dt == TN_DT_BOOL) {
        tn_strbuf_text(out, value.i ? " true" : " false");
    } else if (tn_dt_is_float(dt)) {
        if (isnan(value.f))
            tn_strbuf_text(out, " nan");
        else
            tn_strbuf_printf(out, " %.6g", value.f);
    } else if (tn_dt_is_signed(dt)) {
        tn_strbuf_printf(out, " %lld", (long long)value.i);
    } else {
        tn_strbuf_printf(out, " %llu", (unsigned long long)value.u);
    }
}

static void print_tensor(tn_strbuf *out, const tn_tensor *t) {
    const tn_dt dt = tn_dt_from_dtype(t->dtype);
    int64_t n = 1;
    tn_strbuf_printf(out, "%s[", tn_dt_text(dt));
    for (int32_t i = 0; i < t->ndim; i++) {
        tn_strbuf_printf(out, "%s%lld", i ? "," : "", (long long)t->shape[i]);
        n *= t->shape[i];
    }
    tn_strbuf_char(out, ']');
    for (int64_t k = 0; k < n && (n <= MOST_SHOWN || k < FEW_SHOWN); k++)
        print_element(out, dt, tn_scalar_load(dt, element(t, k)));
    tn_strbuf_text(out, n > MOST_SHOWN ? " ...\n" : "\n");
}

/* Says so when the CPU is not where the reference is. */
static void compare(op_case *c, tn_graph *graph, const results *expected, int32_t mode,
                    int32_t precision, const char *what) {
    results found;
    tn_status status = run(c, graph, TN_TARGET_CPU, mode, precision, &found);
    if (status != NULL) {
        tn_strbuf_printf(c->out, "%s: ", what);
        status_problem(c, status);
        return;
    }
    for (uint32_t i = 0; i < found.n; i++) {
        const tn_tensor *e = expected->tensors[i], *f = found.tensors[i];
        const tn_tolerance tolerance = tn_tolerance_for(tn_dt_from_dtype(f->dtype));
        tn_comparison comparison;
        tn_status compared = tn_compare(e, f, &tolerance, &comparison);
        if (compared == NULL && comparison.close) continue;
        tn_strbuf_printf(c->out, "%s: result %u: ", what, i);
        if (!status_problem(c, compared)) {
            tn_comparison_print(&comparison, f->shape, f->ndim, c->out);
            tn_strbuf_char(c->out, '\n');
        }
    }
    free_results(c, &found);
}

static void run_everywhere(op_case *c, tn_graph *graph) {
    results plain, strict;
    if (status_problem(
            c, run(c, graph, TN_TARGET_REFERENCE, TN_MODE_FUSED, TN_PRECISION_FUSED, &plain))) {
        return;
    }
    for (uint32_t i = 0; i < plain.n; i++)
        print_tensor(c->out, plain.tensors[i]);
    if (c->cases->cpu) {
        compare(c, graph, &plain, TN_MODE_FUSED, TN_PRECISION_FUSED, "cpu fused");
        compare(c, graph, &plain, TN_MODE_EAGER, TN_PRECISION_FUSED, "cpu eager");
    }
    free_results(c, &plain);
    if (status_problem(
            c, run(c, graph, TN_TARGET_REFERENCE, TN_MODE_FUSED, TN_PRECISION_STRICT, &strict))) {
        return;
    }
    if (c->cases->cpu) {
        compare(c, graph, &strict, TN_MODE_FUSED, TN_PRECISION_STRICT, "cpu strict");
    }
    free_results(c, &strict);
}

void tn_op_case_run(void *self, const char *text, size_t length, tn_strbuf *out) {
    op_case *c = calloc(1, sizeof *c);
    tn_graph *graph = NULL;
    if (c == NULL) return;
    c->cases = self;
    c->out = out;
    if (read_case(c, text, length) && !status_problem(c, make_graph(c, &graph))) {
        run_everywhere(c, graph);
    }
    tn_graph_release(graph);
    for (uint32_t i = 0; i < c->n_inputs; i++)
        free(c->inputs[i].block);
    free(c);
}
