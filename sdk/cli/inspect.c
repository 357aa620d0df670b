#include <cjson/cJSON.h>
#include <stdio.h>

#include "session.h"

static void print_text(const tn_plugin_info *p) {
    printf("%s\n  plugin      %s %s\n  abi         %u\n  sha256      %s\n  build id    %s\n"
           "  bytes       %llu\n",
           p->path, p->name, p->version, p->abi_needed, p->sha256,
           p->build_id[0] != 0 ? p->build_id : "none", (unsigned long long)p->bytes);
    if (p->cuda_major != 0) printf("  cuda        %u, for sm %s\n", p->cuda_major, p->sms);
    if (p->sanitizer[0] != 0) printf("  sanitizer   %s\n", p->sanitizer);
    for (uint32_t i = 0; i < p->n_requires; i++)
        printf("  requires    %s\n", p->requires_ns[i]);
    for (uint32_t i = 0; i < p->n_ops; i++)
        printf("  op          %s\n", p->schemas[i]);
    if (p->problem[0] != 0) printf("  PROBLEM     %s\n", p->problem);
}

static cJSON *to_json(const tn_plugin_info *p) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "path", p->path);
    cJSON_AddStringToObject(o, "name", p->name);
    cJSON_AddStringToObject(o, "version", p->version);
    cJSON_AddNumberToObject(o, "abi", p->abi_needed);
    cJSON_AddStringToObject(o, "sha256", p->sha256);
    cJSON_AddStringToObject(o, "build_id", p->build_id);
    cJSON_AddNumberToObject(o, "bytes", (double)p->bytes);
    cJSON_AddNumberToObject(o, "pointer_size", p->pointer_size);
    cJSON_AddNumberToObject(o, "cuda_major", p->cuda_major);
    cJSON_AddStringToObject(o, "sms", p->sms);
    cJSON_AddStringToObject(o, "sanitizer", p->sanitizer);
    cJSON *requires = cJSON_AddArrayToObject(o, "requires");
    for (uint32_t i = 0; i < p->n_requires; i++) {
        cJSON_AddItemToArray(requires, cJSON_CreateString(p->requires_ns[i]));
    }
    cJSON *ops = cJSON_AddArrayToObject(o, "ops");
    for (uint32_t i = 0; i < p->n_ops; i++) {
        cJSON_AddItemToArray(ops, cJSON_CreateString(p->schemas[i]));
    }
    cJSON_AddStringToObject(o, "problem", p->problem);
    return o;
}

int cli_inspect(const cli_options *options) {
    tn_context *context;
    const tn_context_options c = {.struct_size = sizeof c,
                                  .threads = 1,
                                  .flags = TN_CONTEXT_NO_BUILTINS | TN_CONTEXT_NO_CACHE};
    tn_status status = tn_context_create(&c, &context);
    if (status != NULL) return cli_report("context", status);
    cJSON *all = options->json ? cJSON_CreateArray() : NULL;
    int code = CLI_OK;
    for (uint32_t i = 0; i < options->files.n; i++) {
        tn_plugin_info *info;
        status = tn_plugin_inspect(context, options->files.items[i], &info);
        if (status != NULL) {
            code = cli_report("inspect", status);
            continue;
        }
        if (info->problem[0] != 0) code = CLI_FAILED;
        if (options->json) {
            cJSON_AddItemToArray(all, to_json(info));
        } else {
            print_text(info);
        }
        tn_plugin_info_free(info);
    }
    if (options->json) {
        char *text = cJSON_Print(all);
        printf("%s\n", text != NULL ? text : "[]");
        cJSON_free(text);
        cJSON_Delete(all);
    }
    tn_context_release(context);
    return code;
}
