#include "options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { FLAG, TEXT, NUMBER, LIST } kind;

typedef struct option {
    const char *name;     /* without the dashes */
    const char *argument; /* NULL: a flag */
    const char *doc;
    kind kind;
    size_t offset;
    int64_t most; /* of a NUMBER */
} option;

#define AT(field) offsetof(cli_options, field)
static const option table[] = {
    {"input", "NAME=FILE", "an input: FILE.npy or FILE.safetensors:TENSOR", LIST, AT(inputs)},
    {"size", "NAME=N", "a named size that no given input fixes", LIST, AT(sizes)},
    {"seed", "N", "inputs that are not given are random from this (0)", NUMBER, AT(seed),
     INT64_MAX},
    {"outputs", "DIR", "write each output to DIR/NAME.npy", TEXT, AT(outputs)},
    {"device", "NAME", "cpu (default) or reference", TEXT, AT(device)},
    {"mode", "NAME", "fused (default) or eager: op by op, nothing fused", TEXT, AT(mode)},
    {"precision", "NAME", "fused (default) or strict: round as unfused runs do", TEXT,
     AT(precision)},
    {"plugin", "FILE.so", "load a plugin; may be repeated", LIST, AT(plugins)},
    {"check", NULL, "compare with the reference; exit 1 when it differs", FLAG, AT(check)},
    {"checked", NULL, "verify what opaque kernels do: writes, reads, promises", FLAG, AT(checked)},
    {"poison", NULL, "fill memory with NaN patterns first", FLAG, AT(poison)},
    {"time", "N", "run N times and report the median", NUMBER, AT(time), 1000000},
    {"threads", "N", "threads of the CPU (one per core)", NUMBER, AT(threads), 4096},
    {"force", "RULE", "DECISION[:op or %value], e.g. epilogue or opaque:acme::swish", LIST,
     AT(force)},
    {"forbid", "RULE", "the same, forbidden", LIST, AT(forbid)},
    {"dump", "PASS", "print the graph after a pass, \"all\" for each", TEXT, AT(dump)},
    {"cache", "DIR", "where compiled kernels are kept", TEXT, AT(cache_dir)},
    {"no-cache", NULL, "neither read nor write compiled kernels", FLAG, AT(no_cache)},
    {"primitives", NULL, "list the primitives instead of the ops", FLAG, AT(primitives)},
    {"json", NULL, "print JSON for programs", FLAG, AT(json)},
    {"dot", NULL, "print a picture of the decisions for graphviz", FLAG, AT(dot)},
    {"quiet", NULL, "print errors only", FLAG, AT(quiet)},
    {"help", NULL, "this text", FLAG, AT(help)},
};
#define COUNT (sizeof table / sizeof table[0])

static bool accepted(const cli_command *command, const char *name) {
    const char *at = command->accepts;
    size_t n = strlen(name);
    if (strcmp(name, "help") == 0) return true;
    while ((at = strstr(at, name)) != NULL) {
        bool starts = at == command->accepts || at[-1] == ' ';
        if (starts && (at[n] == ' ' || at[n] == 0)) return true;
        at += n;
    }
    return false;
}

static bool append(cli_list *list, const char *text) {
    const char **items = realloc(list->items, (list->n + 1) * sizeof *items);
    if (items == NULL) return false;
    list->items = items;
    list->items[list->n++] = text;
    return true;
}

static const option *find(const cli_command *command, const char *name, size_t length) {
    for (size_t i = 0; i < COUNT; i++) {
        bool same = strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0;
        if (same && accepted(command, table[i].name)) return &table[i];
    }
    return NULL;
}

static bool store(const option *o, const char *value, cli_options *out, cli_error *error) {
    char *field = (char *)out + o->offset;
    char *end;
    switch (o->kind) {
    case FLAG: *(bool *)field = true; return true;
    case TEXT: memcpy(field, &value, sizeof value); return true;
    case LIST: return append((cli_list *)(void *)field, value) || cli_fail(error, "no memory");
    case NUMBER:
        errno = 0;
        int64_t n = strtoll(value, &end, 10);
        if (errno != 0 || end == value || *end != 0 || n < 0) {
            return cli_fail(error, "--%s: expected a whole number from 0, found \"%.100s\"",
                            o->name, value);
        }
        if (n > o->most) {
            return cli_fail(error, "--%s: at most %lld, found %s", o->name, (long long)o->most,
                            value);
        }
        memcpy(field, &n, sizeof n);
        return true;
    }
    return false;
}

bool cli_options_parse(const cli_command *command, int argc, char **argv, cli_options *out,
                       cli_error *error) {
    *out = (cli_options){.device = "cpu", .mode = "fused", .precision = "fused"};
    bool only_files = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (only_files || word[0] != '-' || word[1] == 0) {
            if (!append(&out->files, word)) return cli_fail(error, "no memory");
            continue;
        }
        if (strcmp(word, "--") == 0) {
            only_files = true;
            continue;
        }
        if (strcmp(word, "-h") == 0) word = "--help";
        const char *name = word + (word[1] == '-' ? 2 : 1);
        const char *equals = strchr(name, '=');
        size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
        const option *o = word[1] == '-' ? find(command, name, length) : NULL;
        if (o == NULL) {
            return cli_fail(error, "unknown option %s: see `tenon %s --help`", word, command->name);
        }
        const char *value = equals != NULL ? equals + 1 : NULL;
        if (o->kind == FLAG && value != NULL)
            return cli_fail(error, "--%s takes no value", o->name);
        if (o->kind != FLAG && value == NULL) {
            if (i + 1 >= argc) return cli_fail(error, "--%s needs %s", o->name, o->argument);
            value = argv[++i];
        }
        if (!store(o, value, out, error)) return false;
    }
    if (out->help) return true;
    if (out->files.n < command->min_files || out->files.n > command->max_files) {
        return cli_fail(error, "usage: tenon %s %s", command->name, command->usage);
    }
    return true;
}

void cli_options_free(cli_options *o) {
    cli_list *lists[] = {&o->files, &o->plugins, &o->inputs, &o->sizes, &o->force, &o->forbid};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]->items);
}

void cli_help(const cli_command *command) {
    printf("usage: tenon %s %s\n\n%s\n\n", command->name, command->usage, command->help);
    for (size_t i = 0; i < COUNT; i++) {
        char left[48];
        if (!accepted(command, table[i].name)) continue;
        snprintf(left, sizeof left, "--%s%s%s", table[i].name, table[i].argument != NULL ? " " : "",
                 table[i].argument != NULL ? table[i].argument : "");
        printf("  %-20s %s\n", left, table[i].doc);
    }
}
