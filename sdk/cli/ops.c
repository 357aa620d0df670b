#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "listing.h"
#include "session.h"

static void print_flags(uint32_t flags) {
    static const struct {
        uint32_t bit;
        const char *text;
    } names[] = {{TN_OP_HAS_LOWERING, "lowering"},
                 {TN_OP_HAS_DECOMPOSITION, "decomposition"},
                 {TN_OP_HAS_TEMPLATE, "template"},
                 {TN_OP_HAS_CPU, "cpu kernel"},
                 {TN_OP_HAS_CUDA, "cuda kernel"}};
    const char *before = "    ";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!(flags & names[i].bit)) continue;
        printf("%s%s", before, names[i].text);
        before = ", ";
    }
    if (flags == 0) printf("    nothing but its meta function");
}

static bool show_op(void *self, const tn_op_info *op) {
    cli_listing *l = self;
    if (l->filter != NULL && strstr(op->name, l->filter) == NULL) return true;
    l->shown++;
    if (l->json != NULL) {
        cJSON_AddItemToArray(l->json, cli_op_json(op));
        return true;
    }
    printf("%s\n", op->schema);
    if (op->doc[0] != 0) printf("    %s\n", op->doc);
    print_flags(op->flags);
    printf("; plugin %s %s\n", op->plugin_name, op->plugin_version);
    return true;
}

/* "tn::mul" is tn::mul and its overloads; "tn::mul.Scalar" is that one. */
static bool is_meant(const char *name, const char *filter) {
    size_t n = strlen(filter);
    return strncmp(name, filter, n) == 0 && (name[n] == 0 || name[n] == '.');
}

static bool show_whole_op(void *self, const tn_op_info *op) {
    cli_listing *l = self;
    if (!is_meant(op->name, l->filter)) return true;
    if (l->shown++ > 0) printf("\n");
    cli_op_print(op);
    return true;
}

static int list_ops(const cli_options *options, cli_listing *l) {
    tn_context *context = NULL;
    int code = cli_open_context(options, &context);
    tn_status status = NULL;
    if (code == CLI_OK && l->filter != NULL && l->json == NULL) {
        status = tn_ops_visit(context, show_whole_op, l);
    }
    if (code == CLI_OK && status == NULL && l->shown == 0) {
        status = tn_ops_visit(context, show_op, l);
    }
    tn_context_release(context);
    return status != NULL ? cli_report("ops", status) : code;
}

int cli_ops(const cli_options *options) {
    cli_listing l = {.filter = options->files.n > 0 ? options->files.items[0] : NULL};
    int code = CLI_OK;
    if (options->json) l.json = cJSON_CreateArray();
    if (options->primitives) {
        cli_list_primitives(&l);
    } else {
        code = list_ops(options, &l);
    }
    if (options->json && code == CLI_OK) {
        char *text = cJSON_Print(l.json);
        printf("%s\n", text != NULL ? text : "[]");
        cJSON_free(text);
    }
    cJSON_Delete(l.json);
    if (code != CLI_OK) return code;
    if (l.shown > 0 || l.filter == NULL) return CLI_OK;
    fprintf(stderr, "tenon: nothing has \"%s\" in its name\n", l.filter);
    return CLI_FAILED;
}
