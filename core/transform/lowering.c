/* Runs one lowering and holds it to what meta said. */
#include <stdio.h>
#include <string.h>

#include "ir/text.h"
#include "transform/builder.h"
#include "transform/passes.h"

typedef struct lowering {
    tn_builder b;
    tn_op_callback callback;
    const struct tn_op *op;
    const tn_arg *args;
    uint32_t n_results;
    tn_value *results;
} lowering;

static tn_status run_function(lowering *l, tn_lower_fn fn, const char *what) {
    tn_lower_context context = {.struct_size = sizeof context,
                                .cb = &l->callback.cb,
                                .api = tn_builder_functions(),
                                .b = &l->b,
                                .args = l->args,
                                .n_args = l->op->schema->n_params,
                                .n_results = l->n_results,
                                .results = l->results,
                                .opset = TN_OPSET_VERSION};
    tn_code code = fn(&context);
    if (l->b.error != NULL) {
        tn_status status = l->b.error;
        l->b.error = NULL;
        return tn_status_annotate(status, "plugin %s: op %s: %s: ", l->op->owner->plugin_name,
                                  l->op->schema->full_name, what);
    }
    if (l->b.declined) return NULL;
    if (code == TN_DECLINED) {
        l->b.declined = true;
        snprintf(l->b.detail, sizeof l->b.detail, "%.255s", l->callback.message);
        return NULL;
    }
    return tn_op_callback_status(&l->callback, l->op, what, code);
}

/* The tensor arguments in order; absent ones are left out. */
static tn_status collect(lowering *l, const tn_arg *args, uint32_t n, tn_vid *out, uint32_t *used) {
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].tag == TN_TAG_VALUE) out[(*used)++] = (tn_vid)(args[i].v.value.id - 1);
        if (args[i].tag == TN_TAG_LIST) {
            TN_TRY(collect(l, args[i].v.list, args[i].count, out, used));
        }
    }
    return NULL;
}

static tn_status run_text(lowering *l, const char *text) {
    uint32_t n = 0, most = 0;
    for (uint32_t i = 0; i < l->op->schema->n_params; i++) {
        most += l->args[i].tag == TN_TAG_LIST ? l->args[i].count : 1;
    }
    tn_vid *operands = tn_arena_array(&l->b.scratch, most, sizeof *operands);
    tn_vid *outs = tn_arena_array(&l->b.scratch, l->n_results, sizeof *outs);
    if (operands == NULL || outs == NULL) return tn_status_no_memory();
    TN_TRY(collect(l, l->args, l->op->schema->n_params, operands, &n));
    char file[256];
    snprintf(file, sizeof file, "lowering of %s", l->op->schema->full_name);
    tn_status status = tn_ir_parse_lowering(l->b.graph, &l->b.ops, l->b.options->device, text,
                                            strlen(text), file, l->op->schema, l->args, operands, n,
                                            l->b.origin, outs, l->n_results);
    if (tn_status_code(status) == TN_DECLINED) {
        l->b.declined = true;
        snprintf(l->b.detail, sizeof l->b.detail, "%s", tn_status_message(status));
        tn_status_ignore(status);
        return NULL;
    }
    TN_TRY(status);
    for (uint32_t i = 0; i < l->n_results; i++)
        l->results[i].id = 1 + (uint64_t)outs[i];
    return NULL;
}

static tn_status check_result(lowering *l, uint32_t i, const tn_type *meta) {
    const tn_ir_graph *graph = l->b.graph;
    const char *plugin = l->op->owner->plugin_name, *op = l->op->schema->full_name;
    if (l->results[i].id == 0 || l->results[i].id > graph->n_values) {
        return tn_status_make(TN_PLUGIN, "plugin %s: op %s: lowering: result %u was not set",
                              plugin, op, i);
    }
    const tn_type *found = &graph->values[l->results[i].id - 1].type;
    bool same = found->dt == meta->dt && found->rank == meta->rank &&
                memcmp(found->shape, meta->shape, (size_t)meta->rank * sizeof(int64_t)) == 0;
    if (same) return NULL;
    tn_strbuf text;
    tn_strbuf_init(&text, l->b.options->allocator);
    tn_strbuf_text(&text, "expected ");
    tn_ir_print_type(graph, meta, &text);
    tn_strbuf_text(&text, " as its meta function says, found ");
    tn_ir_print_type(graph, found, &text);
    tn_status status = tn_status_make(TN_PLUGIN, "plugin %s: op %s: lowering: result %u: %s",
                                      plugin, op, i, tn_strbuf_cstr(&text));
    tn_strbuf_deinit(&text);
    return status;
}

tn_status tn_lowering_run(tn_ir_graph *graph, const tn_pass_options *options,
                          const struct tn_op *op, const tn_arg *args, bool decompose,
                          uint32_t origin, const tn_type *result_types, uint32_t n_results,
                          tn_vid *out_values, bool *out_declined, char detail[256]) {
    lowering l = {.op = op, .args = args, .n_results = n_results};
    tn_builder_init(&l.b, graph, options, op, origin);
    tn_op_callback_init(&l.callback, options->allocator);
    tn_status status = NULL;
    l.results = tn_arena_array(&l.b.scratch, n_results, sizeof *l.results);
    if (l.results == NULL) {
        status = tn_status_no_memory();
        goto done;
    }
    if (decompose) {
        status = run_function(&l, op->desc->decompose, "decomposition");
    } else if (op->desc->lower != NULL) {
        status = run_function(&l, op->desc->lower, "lowering");
    } else {
        status = tn_status_annotate(run_text(&l, op->desc->lowering_text),
                                    "plugin %s: ", op->owner->plugin_name);
    }
    *out_declined = l.b.declined;
    snprintf(detail, 256, "%s", l.b.declined ? l.b.detail : "");
    if (status != NULL || l.b.declined) goto done;
    for (uint32_t i = 0; i < n_results; i++) {
        TN_TRY_GOTO(status, check_result(&l, i, &result_types[i]), done);
        out_values[i] = (tn_vid)(l.results[i].id - 1);
    }
done:
    tn_op_callback_deinit(&l.callback);
    tn_builder_deinit(&l.b);
    return status;
}
