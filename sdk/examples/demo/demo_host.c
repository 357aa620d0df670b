#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "demo.h"

#define WIDTH 92
#define LABEL 14

void demo_must(tn_status status, const char *doing) {
    if (status == NULL) return;
    fflush(stdout);
    fprintf(stderr, "demo: %s: %s\n", doing, tn_status_message(status));
    tn_status_free(status);
    exit(EXIT_FAILURE);
}

void demo_heading(const char *text) {
    printf("\n%s\n", text);
    for (size_t i = 0; i < strlen(text); i++)
        putchar('-');
    putchar('\n');
}

void demo_line(const char *label, const char *format, ...) {
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("  %-*s", LABEL - 2, label);
    size_t column = LABEL;
    for (const char *word = text; *word != '\0';) {
        const size_t length = strcspn(word, " \n");
        if (column > LABEL && column + 1 + length > WIDTH) {
            printf("\n%*s", LABEL, "");
            column = LABEL;
        }
        column += (size_t)printf("%s%.*s", column > LABEL ? " " : "", (int)length, word);
        word += length;
        while (*word == ' ' || *word == '\n')
            word++;
    }
    putchar('\n');
}

void demo_expect(demo *d, bool holds, const char *what) {
    if (holds) return;
    d->misses++;
    demo_line("MISSED", "expected %s", what);
}

double demo_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double demo_median(const double *numbers, int n) {
    double sorted[DEMO_MOST_ROUNDS];
    memcpy(sorted, numbers, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    return sorted[n / 2];
}

char *demo_file_read(const demo *d, const char *name, size_t *out_length) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", d->folder, name);
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0, capacity = 0;
    while (file != NULL && !feof(file) && !ferror(file)) {
        capacity = capacity ? 2 * capacity : 65536;
        char *grown = realloc(text, capacity + 1);
        if (grown == NULL) break;
        text = grown;
        length += fread(text + length, 1, capacity - length, file);
    }
    if (file == NULL || text == NULL || !feof(file)) {
        fprintf(stderr, "demo: %s cannot be read\n", path);
        exit(EXIT_FAILURE);
    }
    fclose(file);
    text[length] = '\0';
    *out_length = length;
    return text;
}

tn_graph *demo_graph_read(const demo *d, const char *name) {
    size_t length;
    char *text = demo_file_read(d, name, &length);
    tn_graph *graph;
    demo_must(tn_graph_parse(d->context, text, length, name, &graph), "reading a graph");
    free(text);
    return graph;
}

tn_graph *demo_graph_parse(const demo *d, const char *text) {
    tn_graph *graph;
    demo_must(tn_graph_parse(d->context, text, strlen(text), "demo", &graph), "reading a graph");
    return graph;
}

tn_executable *demo_compile(tn_graph *graph, const demo_options *options) {
    tn_compile_options o = {.struct_size = sizeof o};
    tn_executable *executable;
    if (options != NULL) {
        o.target = options->target;
        o.mode = options->mode;
        o.flags = options->flags;
        o.force = options->force;
        o.n_force = options->n_force;
    }
    demo_must(tn_compile(graph, &o, &executable), "compiling a graph");
    return executable;
}
