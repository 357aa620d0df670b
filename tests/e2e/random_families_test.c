/* Random graphs of three kinds, each built on purpose where random_graphs_test.c meets it by
 * chance: products with pointwise work before and behind, reductions of rows and columns with
 * values that are no numbers, and concatenations of many. Every one on every path of
 * support/graph_case.h.
 *
 * TN_RANDOM_FAMILIES=FIRST:COUNT runs other seeds. A graph stays in
 * TN_BINARY_DIR/random_families/KIND-SEED.tn if it fails. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocator.h"
#include "support/graph_case.h"

#define TEXT 16384
#define MOST_RANK 6
#define NARROW "# tolerance: 0.1\n"

typedef struct shape {
    int32_t rank;
    int64_t at[MOST_RANK];
} shape;

typedef struct maker {
    uint64_t state;
    char notes[TEXT], head[TEXT], body[TEXT], results[TEXT];
    uint32_t n_inputs, n_values;
    const char *dtype;
} maker;

static uint32_t draw(maker *m, uint32_t n) {
    m->state ^= m->state << 13;
    m->state ^= m->state >> 7;
    m->state ^= m->state << 17;
    return (uint32_t)(m->state >> 33) % n;
}

static bool chance(maker *m, uint32_t n) {
    return draw(m, n) == 0;
}

__attribute__((format(printf, 2, 3))) static void put(char *text, const char *format, ...) {
    size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    int more = vsnprintf(text + n, TEXT - n, format, args);
    va_end(args);
    cr_assert_lt(n + (size_t)more + 1, (size_t)TEXT);
}

static void put_list(char *text, const int64_t *items, int32_t n) {
    put(text, "[");
    for (int32_t i = 0; i < n; i++)
        put(text, "%s%lld", i > 0 ? "," : "", (long long)items[i]);
    put(text, "]");
}

/* Axes in memory in another order, some backwards, some repeated, maybe with gaps. */
static void put_strides(maker *m, uint32_t input, const shape *s) {
    int64_t steps[MOST_RANK], step = 1 + chance(m, 3);
    uint32_t turn = draw(m, (uint32_t)s->rank);
    for (int32_t k = s->rank; k-- > 0;) {
        int32_t at = (int32_t)(((uint32_t)k + turn) % (uint32_t)s->rank);
        uint32_t kind = draw(m, 8);
        steps[at] = kind == 0 ? 0 : kind == 1 ? -step : step;
        step *= s->at[at] > 0 ? s->at[at] : 1;
    }
    put(m->notes, "# strides %%x%u: ", input);
    put_list(m->notes, steps, s->rank);
    put(m->notes, "\n");
}

static uint32_t add_input(maker *m, const char *dtype, const shape *s) {
    put(m->head, "%s%%x%u: %s", m->n_inputs > 0 ? ", " : "", m->n_inputs, dtype);
    put_list(m->head, s->at, s->rank);
    if (s->rank > 0 && chance(m, 3)) put_strides(m, m->n_inputs, s);
    return m->n_inputs++;
}

/* A line that makes the next value; its name goes to `name`. */
__attribute__((format(printf, 3, 4))) static void line(maker *m, char name[16], const char *format,
                                                       ...) {
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(name, 16, "%%v%u", m->n_values++);
    put(m->body, "  %s = %s\n", name, text);
}

static void give_back(maker *m, const char *name) {
    put(m->results, "%s%s", m->results[0] != 0 ? ", " : "", name);
}

static void start(maker *m, uint64_t seed) {
    static const char *const dtypes[] = {"f32", "f32", "f32", "bf16", "f16", "f64"};
    m->state = seed * 0x9E3779B97F4A7C15u + 3;
    m->n_inputs = m->n_values = 0;
    m->notes[0] = m->head[0] = m->body[0] = m->results[0] = 0;
    for (int i = 0; i < 8; i++)
        draw(m, 2);
    m->dtype = dtypes[draw(m, 6)];
}

static bool is_narrow(const maker *m) {
    return strcmp(m->dtype, "bf16") == 0 || strcmp(m->dtype, "f16") == 0;
}

/* The shape, with some of its extents 1 and maybe without its first axes. */
static shape broadcast(maker *m, const shape *s) {
    shape out = *s;
    for (int32_t k = 0; k < out.rank; k++)
        if (chance(m, 2)) out.at[k] = 1;
    int32_t cut = chance(m, 2) ? (int32_t)draw(m, (uint32_t)out.rank + 1) : 0;
    memmove(out.at, out.at + cut, (size_t)(out.rank - cut) * sizeof out.at[0]);
    out.rank -= cut;
    return out;
}

/* One pointwise op on `name`, of the same shape. */
static void pointwise(maker *m, char name[16], const shape *s) {
    static const char *const unary[] = {"tn::tanh", "tn::silu", "tn::relu",
                                        "tn::neg",  "tn::gelu", "tn::clone"};
    static const char *const binary[] = {"tn::mul", "tn::add", "tn::sub", "tn::maximum"};
    char before[16];
    memcpy(before, name, sizeof before);
    switch (draw(m, 4)) {
    case 0:
    case 1: line(m, name, "%s(%s)", unary[draw(m, 6)], before); break;
    case 2: line(m, name, "%s(%s, 0.5)", binary[draw(m, 3)], before); break;
    default: {
        shape other = broadcast(m, s);
        uint32_t x = add_input(m, m->dtype, &other);
        line(m, name, "%s(%s, %%x%u)", binary[draw(m, 4)], before, x);
    }
    }
}

/* ------------------------------------------------------------------- products */

static int64_t extent(maker *m) {
    static const int64_t extents[] = {1, 1, 2, 3, 7, 16, 17, 31, 33, 64, 65, 130, 257, 0};
    return extents[draw(m, chance(m, 6) ? 14 : 13)];
}

/* A factor of these extents: an input of any float or small integer, maybe turned, then
 * pointwise work. */
static void factor(maker *m, const shape *s, char name[16]) {
    static const char *const narrow[] = {"i8", "u8", "bf16", "f16", "f8e5m2", "f8e4m3fn", "i32"};
    bool turned = chance(m, 3), converted = chance(m, 4);
    shape in = *s;
    bool padded = !turned && s->at[s->rank - 1] > 2 && chance(m, 4);
    if (padded) in.at[s->rank - 1] -= 2;
    if (turned) {
        in.at[s->rank - 1] = s->at[s->rank - 2];
        in.at[s->rank - 2] = s->at[s->rank - 1];
    }
    uint32_t x = add_input(m, converted ? narrow[draw(m, 7)] : m->dtype, &in);
    snprintf(name, 16, "%%x%u", x);
    char before[16];
    bool late = chance(m, 2);
    if (turned && !late) line(m, name, "tn::transpose(%%x%u, -2, -1)", x);
    memcpy(before, name, sizeof before);
    if (converted) line(m, name, "tn::to(%s, %s)", before, m->dtype);
    memcpy(before, name, sizeof before);
    if (padded)
        line(m, name, "tn::constant_pad_nd(%s, [%s], 0.5)", before, chance(m, 2) ? "1, 1" : "2, 0");
    memcpy(before, name, sizeof before);
    if (chance(m, 8)) line(m, name, "tn::flip(%s, [-1])", before);
    const shape *now = turned && late ? &in : s;
    for (uint32_t i = draw(m, 4); i > 0; i--)
        pointwise(m, name, now);
    memcpy(before, name, sizeof before);
    if (turned && late) line(m, name, "tn::transpose(%s, -2, -1)", before);
}

static void product(maker *m) {
    static const char *const rules[] = {"force: prologue",  "force: epilogue",  "force: native",
                                        "forbid: prologue", "forbid: epilogue", "forbid: native"};
    int32_t batches = (int32_t)draw(m, 4);
    shape y = {.rank = batches + 2}, a, b;
    int64_t rows = extent(m), terms = extent(m), columns = extent(m);
    char left[16], right[16], result[16];
    bool same = chance(m, 6);
    if (same) rows = columns = terms;
    for (int32_t k = 0; k < batches; k++)
        y.at[k] = 1 + (int64_t)draw(m, 3);
    y.at[batches] = rows;
    y.at[batches + 1] = columns;
    a = b = y;
    a.at[batches + 1] = b.at[batches] = terms;
    for (int32_t k = 0; k < batches && !same; k++) {
        if (chance(m, 3)) *(chance(m, 2) ? &a.at[k] : &b.at[k]) = 1;
    }
    for (int32_t k = 0; k < batches; k++)
        y.at[k] = a.at[k] > b.at[k] ? a.at[k] : b.at[k];
    if (!same && batches > 0 && chance(m, 3)) {
        b.rank = 2;
        memmove(b.at, b.at + batches, 2 * sizeof b.at[0]);
        for (int32_t k = 0; k < batches; k++)
            y.at[k] = a.at[k];
    }
    /* Of a sum of many that is rounded, tanh is taken. */
    if (is_narrow(m)) put(m->notes, NARROW);
    factor(m, &a, left);
    if (same)
        memcpy(right, left, sizeof right);
    else
        factor(m, &b, right);
    line(m, result, "tn::matmul(%s, %s)", left, right);
    if (chance(m, 6)) give_back(m, result);
    for (uint32_t i = draw(m, 4); i > 0; i--)
        pointwise(m, result, &y);
    give_back(m, result);
    if (chance(m, 5)) give_back(m, left);
    if (chance(m, 5)) give_back(m, right);
    for (uint32_t i = draw(m, 3); i > 0; i--)
        put(m->notes, "# %s\n", rules[draw(m, 6)]);
}

/* ----------------------------------------------------- rows and columns reduced */

/* Where all values are near 1000 a mean that is off by its last bit shows. */
static void put_values(maker *m, uint32_t input) {
    static const char *const odd[] = {"nan", "inf", "-inf", "-inf", "1e4", "-0.0", "0"};
    put(m->notes, "# input %%x%u: [", input);
    uint32_t n = 1 + draw(m, 40), kinds = draw(m, is_narrow(m) ? 7 : 8);
    for (uint32_t i = 0; i < n; i++) {
        put(m->notes, "%s", i > 0 ? ", " : "");
        if (kinds < 7 && chance(m, 1 + draw(m, 6)))
            put(m->notes, "%s", odd[draw(m, 2) ? kinds : draw(m, 7)]);
        else
            put(m->notes, "%s%d.%02u", kinds == 7 ? "100" : "", (int)draw(m, 4), draw(m, 100));
    }
    put(m->notes, "]\n");
    if (kinds == 7) put(m->notes, "# tolerance: 1e-3\n");
}

static void reduction(maker *m) {
    static const int64_t extents[] = {1,  2,  3,  4,  5,  7,   8,   9,   15,   16,
                                      17, 31, 32, 33, 35, 255, 256, 257, 4095, 4097};
    static const char *const forms[] = {
        "tn::softmax(%s, %d)", "tn::log_softmax(%s, %d)", "tn::logsumexp(%s, [%d], True)",
        "tn::var(%s, [%d])",   "tn::std(%s, [%d])",       "tn::_safe_softmax(%s, %d)",
        "tn::amax(%s, [%d])",  "tn::mean(%s, [%d])",      "tn::var(%s, [%d], correction=0)"};
    shape s = {.rank = 1 + (int32_t)draw(m, 3)};
    int64_t count = 1;
    char h[16], y[16], z[16], text[128];
    for (int32_t k = 0; k < s.rank; k++) {
        do
            s.at[k] = extents[draw(m, 20)];
        while (count * s.at[k] > 40000);
        count *= s.at[k];
    }
    uint32_t x = add_input(m, m->dtype, &s);
    /* What an op rounds is divided by a deviation that may be small. */
    if (is_narrow(m)) put(m->notes, NARROW);
    if (!chance(m, 3)) put_values(m, x);
    snprintf(h, sizeof h, "%%x%u", x);
    for (uint32_t i = draw(m, 3) / 2 * draw(m, 3); i > 0; i--)
        pointwise(m, h, &s);
    for (uint32_t i = 1 + draw(m, 3); i > 0; i--) {
        int32_t axis = (int32_t)draw(m, (uint32_t)s.rank);
        if (chance(m, 4)) {
            char v[16];
            snprintf(v, sizeof v, "%%v%u", m->n_values++);
            snprintf(z, sizeof z, "%%v%u", m->n_values++);
            put(m->body, "  %s, %s = tn::var_mean(%s, [%d], keepdim=True)\n", v, z, h, axis);
            give_back(m, v);
            line(m, y, "tn::sub(%s, %s)", h, z);
        } else if (chance(m, 4)) {
            shape w = {.rank = s.rank - axis};
            memcpy(w.at, s.at + axis, (size_t)w.rank * sizeof w.at[0]);
            uint32_t scale = add_input(m, m->dtype, &w);
            text[0] = 0;
            snprintf(text, sizeof text, "%s", chance(m, 2) ? "tn::layer_norm" : "tn::rms_norm");
            put(m->body, "  %%v%u = %s(%s, ", m->n_values, text, h);
            put_list(m->body, w.at, w.rank);
            put(m->body, ", %%x%u)\n", scale);
            snprintf(y, sizeof y, "%%v%u", m->n_values++);
        } else {
            const char *form = forms[draw(m, 9)];
            size_t end = strcspn(form, "%");
            /* form names the operand, then the axis */
            const char *rest = form + end + 2;
            size_t middle = strcspn(rest, "%");
            line(m, y, "%.*s%s%.*s%d%s", (int)end, form, h, (int)middle, rest, (int)axis,
                 rest + middle + 2);
        }
        if (chance(m, 3)) {
            memcpy(z, y, sizeof z);
            line(m, y, "tn::mul(%s, 0.25)", z);
        }
        give_back(m, y);
    }
    if (chance(m, 3)) give_back(m, h);
}

/* ------------------------------------------------------------- concatenations */

static void joined(maker *m) {
    static const int64_t extents[] = {0, 1, 2, 3, 8, 17, 40};
    shape s = {.rank = 1 + (int32_t)draw(m, 3)}, whole;
    for (int32_t k = 0; k < s.rank; k++)
        s.at[k] = extents[1 + draw(m, 6)];
    int32_t axis = (int32_t)draw(m, (uint32_t)s.rank);
    uint32_t n = 1 + draw(m, 14), inputs = 1 + draw(m, 3);
    char name[16], list[TEXT] = "", shared[16] = "";
    shape parts[3];
    for (uint32_t i = 0; i < inputs; i++) {
        parts[i] = s;
        parts[i].at[axis] = extents[draw(m, 7)];
        add_input(m, m->dtype, &parts[i]);
    }
    whole = s;
    whole.at[axis] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = draw(m, inputs);
        snprintf(name, sizeof name, "%%x%u", x);
        if (shared[0] != 0 && chance(m, 4)) {
            memcpy(name, shared, sizeof name);
            x = 0;
        } else {
            for (uint32_t k = draw(m, 3); k > 0; k--)
                pointwise(m, name, &parts[x]);
            if (x == 0) memcpy(shared, name, sizeof shared);
        }
        if (chance(m, 8)) give_back(m, name);
        put(list, "%s%s", i > 0 ? ", " : "", name);
        whole.at[axis] += parts[x].at[axis];
    }
    line(m, name, "tn::cat([%s], %d)", list, (int)axis);
    give_back(m, name);
    if (chance(m, 8)) give_back(m, name);
    if (chance(m, 2)) pointwise(m, name, &whole);
    if (chance(m, 3)) {
        char once[16];
        memcpy(once, name, sizeof once);
        line(m, name, "tn::cat([%s, %s, %%x0], %d)", once, once, (int)axis);
        whole.at[axis] = 2 * whole.at[axis] + parts[0].at[axis];
    }
    if (chance(m, 3)) {
        char once[16];
        memcpy(once, name, sizeof once);
        line(m, name, "%s(%s, [%d])", chance(m, 2) ? "tn::sum" : "tn::flip", once, (int)axis);
    }
    give_back(m, name);
}

/* ------------------------------------------------------------------------ runs */

/* A rule may ask for what cannot be. */
static bool is_possible(const tn_graph_report *report) {
    return strstr(tn_strbuf_cstr(&report->problems), " is not met, it is ") == NULL;
}

static uint32_t run_seed(const char *kind, void (*make)(maker *), uint64_t seed,
                         tn_strbuf *problems) {
    static maker m;
    char path[1024];
    tn_graph_report report;
    start(&m, seed);
    make(&m);
    snprintf(path, sizeof path, TN_BINARY_DIR "/random_families/%s-%llu.tn", kind,
             (unsigned long long)seed);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "cannot write %s", path);
    fprintf(file, "%sgraph @random(%s) {\n%s  return %s\n}\n", m.notes, m.head, m.body, m.results);
    fclose(file);
    tn_graph_case_run(path, &report);
    bool failed = report.problems.length > 0 && is_possible(&report);
    if (failed)
        tn_strbuf_text(problems, tn_strbuf_cstr(&report.problems));
    else
        remove(path);
    tn_strbuf_deinit(&report.problems);
    return failed;
}

static void run(const char *kind, void (*make)(maker *), uint64_t count) {
    const char *other = getenv("TN_RANDOM_FAMILIES");
    uint64_t first = 1;
    uint32_t failed = 0;
    tn_strbuf problems;
    if (other != NULL) {
        char *end;
        first = strtoull(other, &end, 10);
        count = *end == ':' ? strtoull(end + 1, NULL, 10) : 1;
    }
    mkdir(TN_BINARY_DIR "/random_families", 0777);
    tn_strbuf_init(&problems, tn_allocator_system());
    for (uint64_t seed = first; seed < first + count; seed++)
        failed += run_seed(kind, make, seed, &problems);
    cr_assert_eq(failed, 0, "%u of %llu graphs (in " TN_BINARY_DIR "/random_families):\n%s", failed,
                 (unsigned long long)count, tn_strbuf_cstr(&problems));
    tn_strbuf_deinit(&problems);
}

Test(random_families, products) {
    run("product", product, 8);
}

Test(random_families, reductions) {
    run("reduction", reduction, 8);
}

Test(random_families, concatenations) {
    run("joined", joined, 6);
}
