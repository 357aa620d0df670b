/* Part 3: what Tenon decided about the nodes of one graph, and why, in its own words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

static const struct kind {
    const char *name, *meaning;
} kinds[] = {
    {"view", "no kernel: an index map"},
    {"inline", "its primitives are part of a generated kernel"},
    {"placed", "its producers write where the result belongs"},
    {"epilogue", "applied to a product while it is still in cache"},
    {"prologue", "applied to an operand as it is loaded"},
    {"native", "one library call has all of it built in"},
    {"opaque", "the plugin's own kernel"},
};

typedef struct text {
    char bytes[65536];
    size_t length;
} text;

static bool append(void *self, const char *bytes, size_t length) {
    text *t = self;
    const size_t room = sizeof t->bytes - 1 - t->length;
    if (length > room) length = room;
    memcpy(t->bytes + t->length, bytes, length);
    t->length += length;
    t->bytes[t->length] = '\0';
    return true;
}

static const char *next_line(const char *line) {
    const char *end = strchr(line, '\n');
    return end != NULL ? end + 1 : line + strlen(line);
}

/* A node is a line "%y = ...", what was decided about it the indented lines below, the
 * decision first and what was refused after it. Returns the first node with a line that
 * starts with `words` (the decision's line, or any), and an op that starts with `op`. */
static const char *find(const char *explained, const char *words, bool decision, const char *op) {
    const char *node = NULL;
    for (const char *line = explained; *line != '\0'; line = next_line(line)) {
        if (*line == '%') node = line;
        const char *equals = node != NULL ? strstr(node, " = ") : NULL;
        if (equals == NULL || *line != ' ' || strncmp(equals + 3, op, strlen(op)) != 0) continue;
        if (decision && line != next_line(node)) continue;
        const char *word = line + strspn(line, " ");
        const size_t length = strlen(words);
        if (strncmp(word, words, length) == 0 && strchr(": \n", word[length]) != NULL) return node;
    }
    return NULL;
}

static void print_node(const char *node) {
    const char *line = node;
    do {
        const char *end = next_line(line);
        demo_line("", "%.*s", (int)(end - line), line);
        line = end;
    } while (*line == ' ');
}

static void print_kind(demo *d, const struct kind *kind, const char *explained) {
    char refused[64];
    const char *node = find(explained, kind->name, true, "acme::"); /* these first */
    if (node == NULL) node = find(explained, kind->name, true, "");
    demo_line(kind->name, "%s%s", kind->meaning, node == NULL ? ": one was expected" : "");
    demo_expect(d, node != NULL, "a node that ends so");
    snprintf(refused, sizeof refused, "not %s", kind->name);
    if (node == NULL) node = find(explained, refused, false, "");
    if (node != NULL) print_node(node);
}

void demo_decisions(demo *d) {
    static text explained;
    demo_heading("3. What was decided, and why");
    demo_line("graph", "demo/decisions.tn; these lines are what `tenon explain` prints for it");
    tn_graph *graph = demo_graph_read(d, "demo/decisions.tn");
    /* On a CPU generated code beats what the library has built in, so that one is forced. */
    const char *const force[] = {"native:%k"};
    const demo_options options = {.force = force, .n_force = 1};
    tn_executable *executable = demo_compile(graph, &options);
    demo_tensors inputs = {.n = 0};
    for (uint32_t i = 0; i < tn_graph_input_count(graph); i++) {
        const tn_tensor *spec = tn_graph_input_spec(graph, i);
        demo_tensors_add(&inputs, demo_tensor_random(d, spec->ndim, spec->shape, i + 1, 1));
    }
    tn_plan *plan;
    demo_must(tn_executable_plan(executable, inputs.args, inputs.n, &plan), "planning");
    demo_must(tn_plan_explain(plan, TN_EXPLAIN_TEXT, append, &explained), "explaining");
    tn_plan_release(plan);

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        print_kind(d, &kinds[i], explained.bytes);
    demo_tensors_free(d, &inputs);
    tn_executable_release(executable);
    tn_graph_release(graph);
}
