#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char usage[] =
    "usage: tenon-bench --acme FILE.so --problems FOLDER [--only NAME] [--json FILE]\n"
    "\n"
    "  Measures the problems of a folder against a copy of the same bytes, tn::matmul\n"
    "  against oneDNN, and compile times, side by side in one run.\n"
    "  --only NAME   problems whose name contains it; \"matmul\", \"compile\" for those\n";

static void write_json(const char *path, cJSON *root) {
    char *text = cJSON_Print(root);
    FILE *f = fopen(path, "w");
    if (text == NULL || f == NULL || fputs(text, f) < 0 || fputc('\n', f) == EOF ||
        fclose(f) != 0) {
        perror(path);
        exit(1);
    }
    cJSON_free(text);
}

int main(int argc, char **argv) {
    const char *acme = NULL, *problems = NULL, *only = NULL, *json = NULL;
    for (int i = 1; i < argc; i++) {
        const char **into = NULL;
        if (strcmp(argv[i], "--acme") == 0) into = &acme;
        if (strcmp(argv[i], "--problems") == 0) into = &problems;
        if (strcmp(argv[i], "--only") == 0) into = &only;
        if (strcmp(argv[i], "--json") == 0) into = &json;
        if (into == NULL || i + 1 == argc) {
            bool help = strcmp(argv[i], "--help") == 0;
            fputs(usage, help ? stdout : stderr);
            return help ? 0 : 2;
        }
        *into = argv[++i];
    }
    if (acme == NULL || problems == NULL) {
        fputs(usage, stderr);
        return 2;
    }
    const tn_context_options options = {.struct_size = sizeof options};
    tn_context *context;
    cJSON *root = cJSON_CreateObject();
    cJSON *rows = cJSON_AddArrayToObject(root, "rows");
    cJSON_AddStringToObject(root, "tenon", tn_version());
    bench_check("context", tn_context_create(&options, &context));
    bench_check("plugin", tn_plugin_load(context, acme, NULL));
    bool all = only == NULL;
    bench_problems(context, problems, only, rows);
    if (all || strstr("matmul", only) != NULL) bench_matmul(context, rows);
    if (all || strstr("compile", only) != NULL) bench_compile(acme, rows);
    tn_context_release(context);
    if (json != NULL) write_json(json, root);
    cJSON_Delete(root);
    return 0;
}
