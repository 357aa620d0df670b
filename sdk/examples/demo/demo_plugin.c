/* Part 1: a plugin is inspected, then loaded, into a host that has never heard of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

/* How many of the host's files have this word in them, in code or data. */
static int count_files_with(const demo *d, const char *word) {
    const size_t length = strlen(word);
    const demo anywhere = {.folder = "/"};
    int count = 0;
    for (int i = 0; i < d->n_host; i++) {
        size_t n;
        char *bytes = demo_file_read(&anywhere, d->host[i], &n);
        bool found = false;
        for (size_t at = 0; !found && at + length <= n; at++)
            found = memcmp(bytes + at, word, length) == 0;
        count += found;
        free(bytes);
    }
    return count;
}

static bool print_op(void *self, const tn_op_info *op) {
    (void)self;
    if (strcmp(op->plugin_name, "acme") != 0) return true;
    demo_line("", "%s: %s%s", op->schema,
              op->flags & TN_OP_HAS_LOWERING ? "lowering" : "no lowering",
              op->flags & TN_OP_HAS_CPU ? ", CPU kernel" : "");
    return true;
}

void demo_plugin(demo *d) {
    const tn_op *op;
    tn_plugin_info *info;
    char path[4096];
    demo_heading("1. A plugin that this host knows nothing of");

    tn_status unknown = tn_op_lookup(d->context, "acme::swish", &op);
    demo_line("before", "%s", tn_status_message(unknown));
    demo_expect(d, tn_status_code(unknown) == TN_NOT_FOUND, "acme::swish to be unknown");
    tn_status_free(unknown);
    const int files = count_files_with(d, "acme");
    demo_line("source",
              "the host has none of it: \"acme\" occurs in %d of its %d files "
              "(libtenon.so and the plugins that come with it)",
              files, d->n_host);
    demo_expect(d, files == 0, "the host's files not to know acme");

    snprintf(path, sizeof path, "%s/acme.so", d->plugins);
    demo_must(tn_plugin_inspect(d->context, path, &info), "inspecting acme.so");
    demo_line("file", "%s, %llu bytes", info->path, (unsigned long long)info->bytes);
    demo_line("sha256", "%s", info->sha256);
    demo_line("note", "plugin %s %s, needs ABI %u; read from the file, before any of its code ran",
              info->name, info->version, info->abi_needed);
    /* What was inspected is what gets loaded, or nothing. */
    const tn_plugin_options options = {.struct_size = sizeof options, .sha256 = info->sha256};
    demo_must(tn_plugin_load(d->context, path, &options), "loading acme.so");
    demo_line("loaded", "by that hash; %u ops:", info->n_ops);
    demo_must(tn_ops_visit(d->context, print_op, NULL), "listing ops");
    tn_plugin_info_free(info);
}
