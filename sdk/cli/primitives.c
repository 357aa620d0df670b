#include <stdio.h>
#include <string.h>

#include "listing.h"

static const struct {
    uint32_t bit;
    const char *text;
} dtypes[] = {
    {TN_PRIMITIVE_ON_FLOAT, "float"}, {TN_PRIMITIVE_ON_INT, "int"}, {TN_PRIMITIVE_ON_BOOL, "bool"}};

static void print_row(const tn_primitive_info *p) {
    char types[32] = "", bound[48] = "-";
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        size_t n = strlen(types);
        if (!(p->flags & dtypes[i].bit)) continue;
        snprintf(types + n, sizeof types - n, "%s%s", n > 0 ? " " : "", dtypes[i].text);
    }
    if (p->ulps_f32 > 0) {
        snprintf(bound, sizeof bound, "%.3g, %.3g", p->ulps_f32, p->ulps_f64);
    }
    printf("prim::%-18s %-12s %-5u %-15s %s\n", p->name, p->kind, p->arity,
           types[0] != 0 ? types : "-", bound);
    printf("    %s\n    %s\n", p->schema, p->doc);
}

static cJSON *to_json(const tn_primitive_info *p) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", p->name);
    cJSON_AddNumberToObject(o, "number", p->number);
    cJSON_AddStringToObject(o, "kind", p->kind);
    cJSON_AddNumberToObject(o, "arity", p->arity);
    cJSON *types = cJSON_AddArrayToObject(o, "dtypes");
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        if (p->flags & dtypes[i].bit) {
            cJSON_AddItemToArray(types, cJSON_CreateString(dtypes[i].text));
        }
    }
    cJSON_AddBoolToObject(o, "gives_bool", (p->flags & TN_PRIMITIVE_GIVES_BOOL) != 0);
    cJSON_AddStringToObject(o, "schema", p->schema);
    cJSON_AddStringToObject(o, "doc", p->doc);
    cJSON *bounds = cJSON_AddObjectToObject(o, "ulps");
    cJSON_AddNumberToObject(bounds, "f32", p->ulps_f32);
    cJSON_AddNumberToObject(bounds, "f64", p->ulps_f64);
    return o;
}

static bool show(void *self, const tn_primitive_info *p) {
    cli_listing *l = self;
    char name[64];
    snprintf(name, sizeof name, "prim::%s", p->name);
    if (l->filter != NULL && strstr(name, l->filter) == NULL) return true;
    if (l->json != NULL) {
        cJSON_AddItemToArray(l->json, to_json(p));
    } else {
        if (l->shown == 0) {
            printf("%-24s %-12s %-5s %-15s %s\n", "name", "kind", "arity", "dtypes",
                   "ulps on the CPU: f32, f64 (-: each operation correctly rounded)");
        }
        print_row(p);
    }
    l->shown++;
    return true;
}

void cli_list_primitives(cli_listing *listing) {
    tn_primitives_visit(show, listing);
}
