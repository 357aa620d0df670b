/* Random graphs of ops and primitives, through the public interface, on every path of
 * support/graph_case.h. A graph grows a line at a time: a line that does not parse or
 * plan is dropped, for what it asks may be impossible. Integers agree to the bit; floats pass
 * through smooth functions only, so that rounding cannot grow into another answer.
 *
 * TN_RANDOM_GRAPHS=FIRST:COUNT runs other seeds. A graph stays in
 * TN_BINARY_DIR/random_graphs/SEED.tn if it fails. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocator.h"
#include "support/graph_case.h"

#define VALUES 24
#define TEXT 16384

typedef struct value {
    char name[16];
    int32_t rank;
    int64_t shape[16];
    tn_dtype dtype;
} value;

typedef struct grower {
    tn_context *context;
    uint64_t state;
    char head[TEXT], body[TEXT]; /* directives and signature; lines */
    value values[VALUES];
    uint32_t n_values, n_inputs;
    bool floats;
    const char *dtype;
} grower;

static uint32_t draw(grower *g, uint32_t n) {
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (uint32_t)(g->state >> 33) % n;
}

static const char *dtype_text(grower *g) {
    static const char *const floats[] = {"f32", "f32", "f32", "f64", "f16", "bf16"};
    static const char *const ints[] = {"i32", "i64", "i8", "u8", "i16", "u32", "bool"};
    return g->floats ? floats[draw(g, 6)] : ints[draw(g, 7)];
}

static void put(char *text, const char *more) {
    size_t n = strlen(text);
    cr_assert_lt(n + strlen(more) + 1, (size_t)TEXT);
    memcpy(text + n, more, strlen(more) + 1);
}

static void put_list(char *text, const int64_t *items, int32_t n) {
    char item[32];
    put(text, "[");
    for (int32_t i = 0; i < n; i++) {
        snprintf(item, sizeof item, "%s%lld", i > 0 ? "," : "", (long long)items[i]);
        put(text, item);
    }
    put(text, "]");
}

/* Most inputs share extents, so that ops of two find a partner. */
static void add_input(grower *g, const int64_t *common, int32_t rank) {
    value *v = &g->values[g->n_values];
    char line[128];
    *v = (value){.rank = rank};
    snprintf(v->name, sizeof v->name, "x%u", g->n_values);
    for (int32_t k = 0; k < rank; k++)
        v->shape[k] = draw(g, 4) == 0 ? 1 : common[k];
    uint32_t layout = draw(g, 5);
    if (layout < 3 && rank > 0) {
        /* A permutation of the axes in memory, some reversed, some repeated. */
        int64_t steps[16], step = draw(g, 3) == 0 ? 2 : 1;
        uint32_t turn = draw(g, (uint32_t)rank);
        for (int32_t k = rank; k-- > 0;) {
            int32_t at = (int32_t)(((uint32_t)k + turn) % (uint32_t)rank);
            uint32_t kind = draw(g, 6);
            steps[at] = kind == 0 ? 0 : kind == 1 ? -step : step;
            step *= v->shape[at] > 0 ? v->shape[at] : 1;
        }
        snprintf(line, sizeof line, "# strides %%%s: ", v->name);
        put(g->body, line);
        put_list(g->body, steps, rank);
        put(g->body, "\n");
    }
    snprintf(line, sizeof line, "%s%%%s: %s", g->n_values > 0 ? ", " : "", v->name, g->dtype);
    put(g->head, line);
    put_list(g->head, v->shape, rank);
    g->n_values++;
}

static void start(grower *g, uint64_t seed) {
    static const int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 70, 0};
    char directives[TEXT];
    int64_t common[16];
    g->state = seed * 0x9E3779B97F4A7C15u + 1;
    for (int i = 0; i < 8; i++)
        draw(g, 2);
    g->floats = draw(g, 2) == 0;
    g->dtype = dtype_text(g);
    g->n_values = 0;
    g->head[0] = g->body[0] = 0;
    int32_t rank = (int32_t)(draw(g, 12) == 0 ? 8 : draw(g, 5));
    uint32_t most = rank > 4 ? 3 : draw(g, 8) == 0 ? 12 : 11;
    for (int32_t k = 0; k < rank; k++)
        common[k] = extents[draw(g, most)];
    g->n_inputs = 1 + draw(g, 3);
    for (uint32_t i = 0; i < g->n_inputs; i++)
        add_input(g, common, rank);
    snprintf(directives, sizeof directives, "# skip: one more output\n%s%sgraph @random(%s) {\n",
             g->floats ? "" : "# exact\n", g->body, g->head);
    memcpy(g->head, directives, sizeof directives);
    g->body[0] = 0;
}

static const value *pick(grower *g) {
    return &g->values[draw(g, 3) == 0 ? draw(g, g->n_values) : g->n_values - 1];
}

static int32_t axis_of(grower *g, const value *v) {
    return v->rank > 0 ? (int32_t)draw(g, (uint32_t)v->rank) : 0;
}

static void call(char *line, const char *op, const value *v) {
    char text[64];
    snprintf(text, sizeof text, "%s(%%%s", op, v->name);
    put(line, text);
}

static void pointwise(grower *g, char *line) {
    static const char *const smooth[] = {"tn::tanh", "tn::sigmoid",  "tn::sin", "tn::silu",
                                         "tn::neg",  "tn::softplus", "tn::erf", "tn::gelu"};
    static const char *const unary[] = {"tn::neg",         "tn::abs",  "tn::square",
                                        "tn::bitwise_not", "tn::sign", "tn::relu",
                                        "tn::logical_not", "tn::clone"};
    call(line, (g->floats ? smooth : unary)[draw(g, 8)], pick(g));
    put(line, ")");
}

static void pair(grower *g, char *line) {
    static const char *const smooth[] = {"tn::add",     "tn::sub", "tn::mul", "tn::maximum",
                                         "tn::minimum", "tn::add", "tn::mul", "tn::rsub"};
    static const char *const ints[] = {
        "tn::add",          "tn::mul",       "tn::maximum", "tn::bitwise_xor",
        "tn::floor_divide", "tn::remainder", "tn::lt",      "tn::bitwise_left_shift"};
    char text[32];
    call(line, (g->floats ? smooth : ints)[draw(g, 8)], pick(g));
    snprintf(text, sizeof text, ", %%%s)", pick(g)->name);
    put(line, text);
}

static void cast(grower *g, char *line) {
    char text[64];
    const value *v = pick(g);
    if (draw(g, 2) == 0) {
        call(line, "tn::where", v);
        snprintf(text, sizeof text, ", %%%s, %%%s)", pick(g)->name, pick(g)->name);
    } else {
        call(line, "tn::to", v);
        snprintf(text, sizeof text, ", %s)", dtype_text(g));
    }
    put(line, text);
}

static void reverse_slice(grower *g, char *line) {
    const value *v = pick(g);
    int64_t begin[16], size[16], step[16];
    for (int32_t k = 0; k < v->rank; k++) {
        int64_t n = v->shape[k];
        step[k] = (int64_t)draw(g, 3) + 1;
        size[k] = n > 0 ? 1 + draw(g, (uint32_t)((n - 1) / step[k] + 1)) : 0;
        begin[k] = 0;
        if (draw(g, 2) == 0) {
            begin[k] = n - 1;
            step[k] = -step[k];
        }
    }
    call(line, "prim::slice", v);
    put(line, ", start=");
    put_list(line, begin, v->rank);
    put(line, ", size=");
    put_list(line, size, v->rank);
    put(line, ", step=");
    put_list(line, step, v->rank);
    put(line, ")");
}

static void pad(grower *g, char *line) {
    const value *v = pick(g);
    char text[64];
    int64_t sides[32];
    for (int32_t k = 0; k < 2 * v->rank; k++)
        sides[k] = (int64_t)draw(g, 5) - 1;
    call(line, "tn::constant_pad_nd", v);
    put(line, ", ");
    put_list(line, sides, 2 * v->rank);
    snprintf(text, sizeof text, ", %u)", draw(g, 3));
    put(line, text);
}

static void move(grower *g, char *line) {
    const value *v = pick(g);
    char text[96];
    int32_t a = axis_of(g, v), b = axis_of(g, v);
    static const char *const forms[] = {
        "tn::transpose(%%%s, %d, %d)", "tn::flip(%%%s, [%d])",
        "tn::unsqueeze(%%%s, %d)",     "tn::roll(%%%s, [2], [%d])",
        "tn::select(%%%s, %d, 0)",     "tn::slice(%%%s, %d, 1, -1, 2)",
        "tn::flatten(%%%s, %d)",       "tn::tril(%%%s, %d)",
        "tn::squeeze(%%%s)",           "prim::window(%%%s, axis=%d, size=2, step=1, dilation=2)"};
    snprintf(text, sizeof text, forms[draw(g, 10)], v->name, a, b);
    put(line, text);
}

static void join(grower *g, char *line) {
    const value *v = pick(g);
    char text[64];
    uint32_t n = 1 + draw(g, 3);
    bool stack = draw(g, 4) == 0;
    put(line, stack ? "tn::stack([" : "tn::cat([");
    for (uint32_t i = 0; i <= n; i++) {
        snprintf(text, sizeof text, "%s%%%s", i > 0 ? ", " : "",
                 draw(g, 2) == 0 ? v->name : pick(g)->name);
        put(line, text);
    }
    snprintf(text, sizeof text, "], %d)", axis_of(g, v));
    put(line, text);
}

static void reduce(grower *g, char *line) {
    static const char *const smooth[] = {"tn::sum",  "tn::mean", "tn::amax",
                                         "tn::amin", "tn::sum",  "tn::var"};
    static const char *const ints[] = {"tn::sum",  "tn::prod", "tn::amax",
                                       "tn::amin", "tn::any",  "tn::all"};
    const value *v = pick(g);
    char text[64];
    int64_t axes[16];
    int32_t n = 0;
    uint32_t form = draw(g, 4);
    if (form == 0 && v->rank > 0) {
        static const char *const rows[] = {"tn::softmax", "tn::argmax", "tn::log_softmax",
                                           "tn::argmin"};
        call(line, rows[g->floats ? 2 * draw(g, 2) : 1 + 2 * draw(g, 2)], v);
        snprintf(text, sizeof text, ", %d)", axis_of(g, v));
        put(line, text);
        return;
    }
    for (int32_t k = 0; k < v->rank; k++) {
        if (draw(g, 2) == 0) axes[n++] = k;
    }
    call(line, (g->floats ? smooth : ints)[draw(g, 6)], v);
    put(line, ", ");
    put_list(line, axes, n);
    put(line, draw(g, 2) == 0 ? ", True)" : ")");
}

/* Indices reach outside on both sides. */
static void take(grower *g, char *line) {
    const value *v = pick(g);
    char text[128];
    snprintf(text, sizeof text,
             "tn::arange.start_step(-2, 9, %u)\n  %%v%u = prim::take(%%%s, %%i%u, axis=%d)",
             1 + draw(g, 3), g->n_values, v->name, g->n_values, axis_of(g, v));
    put(line, text);
}

static void product(grower *g, char *line) {
    const value *a = pick(g);
    char text[64];
    call(line, "tn::matmul", a);
    snprintf(text, sizeof text, ", %%%s)", pick(g)->name);
    put(line, text);
}

static void full_text(const grower *g, const char *line, const char *result, char *out) {
    out[0] = 0;
    put(out, g->head);
    put(out, g->body);
    put(out, line);
    put(out, "  return ");
    put(out, result);
    put(out, "\n}\n");
}

/* What a line makes, by asking the reference for a plan of it. */
static tn_status describe(grower *g, const char *text, value *v) {
    tn_graph *graph;
    tn_executable *e = NULL;
    tn_plan *plan = NULL;
    tn_tensor tensors[4];
    int64_t steps[16];
    tn_arg args[4];
    TN_TRY(tn_graph_parse(g->context, text, strlen(text), "random", &graph));
    const tn_compile_options options = {.struct_size = sizeof options,
                                        .target = TN_TARGET_REFERENCE};
    tn_status status = tn_compile(graph, &options, &e);
    memset(steps, 0, sizeof steps);
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        tensors[i] = *tn_graph_input_spec(graph, i);
        tensors[i].strides = steps;
        args[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &tensors[i]};
    }
    if (status == NULL) status = tn_executable_plan(e, args, g->n_inputs, &plan);
    if (status == NULL) {
        const tn_tensor *spec = tn_plan_output_spec(plan, 0);
        int64_t count = 1;
        v->rank = spec->ndim;
        v->dtype = spec->dtype;
        for (int32_t k = 0; k < spec->ndim && k < 16; k++)
            count *= v->shape[k] = spec->shape[k];
        if (spec->ndim > 8 || count > 20000) status = tn_status_make(TN_UNSUPPORTED, "too large");
    }
    tn_plan_release(plan);
    tn_executable_release(e);
    tn_graph_release(graph);
    return status;
}

static bool grow(grower *g) {
    static void (*const makers[])(grower *, char *) = {pointwise, pair, pair,   cast, reverse_slice,
                                                       pad,       move, move,   join, reduce,
                                                       reduce,    take, product};
    char line[2048], text[3 * TEXT];
    char *at = line;
    uint32_t kind = draw(g, sizeof makers / sizeof makers[0]);
    value *v = &g->values[g->n_values];
    snprintf(line, sizeof line, "  %%%s%u = ", makers[kind] == take ? "i" : "v", g->n_values);
    snprintf(v->name, sizeof v->name, "v%u", g->n_values);
    at += strlen(line);
    makers[kind](g, at);
    put(line, "\n");
    char result[24];
    snprintf(result, sizeof result, "%%%s", v->name);
    full_text(g, line, result, text);
    tn_status status = describe(g, text, v);
    if (status != NULL) {
        if (getenv("TN_RANDOM_SHOW") != NULL) printf("%s  %s\n", line, tn_status_message(status));
        tn_status_free(status);
        return false;
    }
    put(g->body, line);
    g->n_values++;
    return true;
}

static void write_graph(grower *g, const char *path) {
    char text[3 * TEXT], results[256] = "", name[24];
    uint32_t n = 1 + draw(g, 4);
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s%%%s", i > 0 ? ", " : "",
                 i == 0 ? g->values[g->n_values - 1].name : g->values[draw(g, g->n_values)].name);
        put(results, name);
    }
    full_text(g, "", results, text);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "cannot write %s", path);
    fputs(text, file);
    fclose(file);
}

static uint32_t run_seed(tn_context *context, uint64_t seed, tn_strbuf *problems) {
    static grower g;
    char path[1024];
    tn_graph_report report;
    g.context = context;
    start(&g, seed);
    uint32_t lines = 3 + draw(&g, 12);
    for (uint32_t i = 0; i < 60 && lines > 0 && g.n_values + 1 < VALUES; i++)
        lines -= grow(&g);
    cr_assert_gt(g.n_values, g.n_inputs, "no line parses: are the tn:: plugins there?");
    snprintf(path, sizeof path, TN_BINARY_DIR "/random_graphs/%llu.tn", (unsigned long long)seed);
    write_graph(&g, path);
    tn_graph_case_run(path, &report);
    bool failed = report.problems.length > 0;
    if (failed) {
        tn_strbuf_text(problems, tn_strbuf_cstr(&report.problems));
    } else {
        remove(path);
    }
    tn_strbuf_deinit(&report.problems);
    return failed;
}

static void run(uint64_t first, uint64_t count) {
    const char *other = getenv("TN_RANDOM_GRAPHS");
    const tn_context_options options = {.struct_size = sizeof options, .threads = 1};
    tn_context *context = NULL;
    tn_strbuf problems;
    uint32_t failed = 0;
    if (other != NULL) {
        char *end;
        first = strtoull(other, &end, 10);
        count = *end == ':' ? strtoull(end + 1, NULL, 10) : 1;
    }
    mkdir(TN_BINARY_DIR "/random_graphs", 0777);
    cr_assert_null(tn_context_create(&options, &context));
    tn_strbuf_init(&problems, tn_allocator_system());
    for (uint64_t seed = first; seed < first + count; seed++)
        failed += run_seed(context, seed, &problems);
    tn_context_release(context);
    cr_assert_eq(failed, 0, "%u of %llu graphs (in " TN_BINARY_DIR "/random_graphs):\n%s", failed,
                 (unsigned long long)count, tn_strbuf_cstr(&problems));
    tn_strbuf_deinit(&problems);
}

Test(random_graphs, agree_on_every_path) {
    run(1, 24);
}
