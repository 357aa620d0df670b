#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "session.h"
#include "tenon/opset.h"

typedef struct listing {
    const char *filter; /* NULL: all */
    cJSON *json;        /* NULL: text */
    uint32_t shown;
} listing;

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
    listing *l = self;
    if (l->filter != NULL && strstr(op->name, l->filter) == NULL) return true;
    l->shown++;
    if (l->json != NULL) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", op->name);
        cJSON_AddStringToObject(o, "schema", op->schema);
        cJSON_AddStringToObject(o, "doc", op->doc);
        cJSON_AddStringToObject(o, "plugin", op->plugin_name);
        cJSON_AddStringToObject(o, "version", op->plugin_version);
        cJSON_AddBoolToObject(o, "lowering", (op->flags & TN_OP_HAS_LOWERING) != 0);
        cJSON_AddBoolToObject(o, "decomposition", (op->flags & TN_OP_HAS_DECOMPOSITION) != 0);
        cJSON_AddBoolToObject(o, "template", (op->flags & TN_OP_HAS_TEMPLATE) != 0);
        cJSON_AddBoolToObject(o, "cpu", (op->flags & TN_OP_HAS_CPU) != 0);
        cJSON_AddBoolToObject(o, "cuda", (op->flags & TN_OP_HAS_CUDA) != 0);
        cJSON_AddItemToArray(l->json, o);
        return true;
    }
    printf("%s\n", op->schema);
    if (op->doc[0] != 0) printf("    %s\n", op->doc);
    print_flags(op->flags);
    printf("; plugin %s %s\n", op->plugin_name, op->plugin_version);
    return true;
}

/* One primitive of opset.h. */
typedef struct primitive {
    const char *name, *text, *doc;
} primitive;

static bool show_primitive(listing *l, primitive p) {
    if (l->filter != NULL && strstr(p.name, l->filter) == NULL) return true;
    l->shown++;
    if (l->json != NULL) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", p.name);
        cJSON_AddStringToObject(o, "definition", p.text);
        cJSON_AddStringToObject(o, "doc", p.doc);
        cJSON_AddItemToArray(l->json, o);
    } else {
        printf("prim::%s%s\n    %s\n", p.name, p.text, p.doc);
    }
    return true;
}

static void show_primitives(listing *l) {
#define ELEMENTWISE(id, number, name, arity, result, f, i, b, doc)                                 \
    show_primitive(l, (primitive){name,                                                            \
                                  arity == 1   ? "(Tensor a) -> Tensor"                            \
                                  : arity == 2 ? "(Tensor a, Tensor b) -> Tensor"                  \
                                               : "(Tensor a, Tensor b, Tensor c) -> Tensor",       \
                                  doc});
#define STRUCTURAL(id, number, name, klass, arity, dtypes, schema, doc)                            \
    show_primitive(l, (primitive){name, schema, doc});
    TN_PRIM_ELEMENTWISE(ELEMENTWISE)
    TN_PRIM_STRUCTURAL(STRUCTURAL)
#undef ELEMENTWISE
#undef STRUCTURAL
}

int cli_ops(const cli_options *options) {
    listing l = {.filter = options->files.n > 0 ? options->files.items[0] : NULL};
    if (options->json) l.json = cJSON_CreateArray();
    if (options->primitives) {
        show_primitives(&l);
    } else {
        tn_context *context = NULL;
        int code = cli_open_context(options, &context);
        tn_status status = code == CLI_OK ? tn_ops_visit(context, show_op, &l) : NULL;
        tn_context_release(context);
        if (status != NULL) code = cli_report("ops", status);
        if (code != CLI_OK) {
            cJSON_Delete(l.json);
            return code;
        }
    }
    if (options->json) {
        char *text = cJSON_Print(l.json);
        printf("%s\n", text != NULL ? text : "[]");
        cJSON_free(text);
        cJSON_Delete(l.json);
    }
    if (l.shown > 0 || l.filter == NULL) return CLI_OK;
    fprintf(stderr, "tenon: nothing has \"%s\" in its name\n", l.filter);
    return CLI_FAILED;
}
