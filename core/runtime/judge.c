#include "runtime/judge.h"

#include <stdio.h>

#include "ir/node_args.h"
#include "runtime/invoke.h"

static void make_dense(const tn_arg *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].tag == TN_TAG_LIST) make_dense(args[i].v.list, args[i].count);
        if (args[i].tag != TN_TAG_TENSOR) continue;
        tn_tensor *t = args[i].v.tensor;
        tn_shape_strides(t->shape, t->ndim, t->strides);
    }
}

static tn_status describe(const tn_asker *asker, const tn_ir_graph *graph, const tn_ir_node *node,
                          tn_device device, tn_arena *arena, tn_problem *out) {
    uint32_t n_args = node->schema->n_params;
    tn_arg *args = tn_arena_array(arena, n_args, sizeof *args), *results;
    if (args == NULL) return tn_status_no_memory();
    TN_TRY(
        tn_ir_node_meta_args(graph, node->schema, node->args, node->operands, device, arena, args));
    make_dense(args, n_args);
    TN_TRY(tn_ir_node_results(graph, node, device, arena, &results));
    *out = (tn_problem){.struct_size = sizeof *out,
                        .args = args,
                        .n_args = n_args,
                        .n_results = node->n_results,
                        .results = results,
                        .flags = asker->flags};
    return NULL;
}

/* What accept of a kernel or of a template answers: one of the two is NULL. */
static tn_status ask(const tn_asker *asker, const tn_ir_graph *graph, const tn_ir_node *node,
                     const tn_kernel *kernel, const tn_template *t, uint32_t config,
                     bool *out_accepted, char detail[256]) {
    tn_invocation inv;
    tn_arena arena;
    tn_problem problem;
    tn_invocation_init(&inv, asker->rt, node->op, asker->flags);
    tn_arena_init(&arena, asker->rt->allocator);
    tn_status status = describe(asker, graph, node, inv.ctx.device, &arena, &problem);
    if (status == NULL) {
        tn_code code = kernel != NULL ? kernel->accept(&inv.ctx, &problem)
                                      : t->accept(&inv.ctx, &problem, config);
        *out_accepted = code == TN_OK;
        if (code == TN_DECLINED) {
            snprintf(detail, 256, "%.255s", inv.callback.message);
        } else {
            status = tn_invocation_status(&inv, kernel != NULL ? "accept" : "template accept",
                                          code);
        }
    }
    tn_arena_deinit(&arena);
    tn_invocation_deinit(&inv);
    return status;
}

static tn_status ask_kernel(void *self, const tn_ir_graph *graph, const tn_ir_node *node,
                            const tn_kernel *kernel, bool *out_accepted, char detail[256]) {
    if (kernel->accept == NULL) return NULL;
    return ask(self, graph, node, kernel, NULL, 0, out_accepted, detail);
}

static tn_status ask_template(void *self, const tn_ir_graph *graph, const tn_ir_node *node,
                              const tn_template *t, uint32_t config, bool *out_accepted,
                              char detail[256]) {
    if (t->accept == NULL) return NULL;
    tn_status status = ask(self, graph, node, NULL, t, config, out_accepted, detail);
    return tn_status_annotate(status, "template %s: ", t->name);
}

/* Nonsense is taken for ignorance: whoever plans must be able to compare. */
static bool is_sane(const tn_template *t, const tn_estimate *e) {
    bool sane = e->seconds > 0 && e->seconds < 1e9 && e->kernel_seconds >= 0 &&
                e->kernel_seconds < 1e9;
    for (uint32_t i = 0; i < t->n_slots; i++) {
        sane = sane && e->times[i] >= 0 && e->times[i] < 1e9;
    }
    return sane;
}

static tn_status ask_estimate(void *self, const tn_ir_graph *graph, const tn_ir_node *node,
                              const tn_template *t, uint32_t config, uint64_t slots,
                              tn_estimate *out, bool *out_known) {
    const tn_asker *asker = self;
    tn_invocation inv;
    tn_arena arena;
    tn_problem problem;
    if (t->estimate == NULL) return NULL;
    tn_invocation_init(&inv, asker->rt, node->op, asker->flags);
    tn_arena_init(&arena, asker->rt->allocator);
    tn_status status = describe(asker, graph, node, inv.ctx.device, &arena, &problem);
    if (status == NULL) {
        problem.slots = slots;
        status = tn_invocation_status(&inv, "template estimate",
                                      t->estimate(&inv.ctx, &problem, config, out));
    }
    *out_known = status == NULL && is_sane(t, out);
    tn_arena_deinit(&arena);
    tn_invocation_deinit(&inv);
    return tn_status_annotate(status, "template %s: ", t->name);
}

/* The problem with the chain's operands after the op's own, and its result. */
static tn_status add_chain(tn_problem *p, const tn_type *extra, uint32_t n_extra,
                           const tn_type *result, tn_device device, tn_arena *arena) {
    tn_arg *args = tn_arena_array(arena, p->n_args + n_extra, sizeof *args);
    tn_arg *results = tn_arena_array(arena, 1, sizeof *results);
    if (args == NULL || results == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < p->n_args; i++) {
        args[i] = p->args[i];
    }
    for (uint32_t i = 0; i <= n_extra; i++) {
        tn_tensor *t = tn_type_to_tensor(i < n_extra ? &extra[i] : result, device, arena);
        if (t == NULL) return tn_status_no_memory();
        *(i < n_extra ? &args[p->n_args + i] : results) = (tn_arg){.tag = TN_TAG_TENSOR,
                                                                   .v.tensor = t};
    }
    p->args = args;
    p->n_args += n_extra;
    p->results = results;
    return NULL;
}

static tn_status ask_chain(const tn_native *native, tn_invocation *inv, const tn_problem *problem,
                           const tn_chain *chain, tn_estimate *out, bool *out_accepted,
                           char detail[256]) {
    tn_code code = native->accept(&inv->ctx, problem, chain);
    *out_accepted = code == TN_OK;
    if (code == TN_DECLINED) {
        snprintf(detail, 256, "%.255s", inv->callback.message);
        return NULL;
    }
    TN_TRY(tn_invocation_status(inv, "native accept", code));
    if (native->estimate == NULL) return NULL;
    return tn_invocation_status(inv, "native estimate",
                                native->estimate(&inv->ctx, problem, chain, out));
}

static tn_status ask_native(void *self, const tn_ir_graph *graph, const tn_ir_node *node,
                            const tn_native *native, const tn_chain *chain, const tn_type *extra,
                            uint32_t n_extra, const tn_type *result, tn_estimate *out,
                            bool *out_accepted, char detail[256]) {
    const tn_asker *asker = self;
    tn_invocation inv;
    tn_arena arena;
    tn_problem problem;
    tn_invocation_init(&inv, asker->rt, node->op, asker->flags);
    tn_arena_init(&arena, asker->rt->allocator);
    tn_status status = describe(asker, graph, node, inv.ctx.device, &arena, &problem);
    if (status == NULL) {
        status = add_chain(&problem, extra, n_extra, result, inv.ctx.device, &arena);
    }
    if (status == NULL) {
        status = ask_chain(native, &inv, &problem, chain, out, out_accepted, detail);
    }
    tn_arena_deinit(&arena);
    tn_invocation_deinit(&inv);
    return status;
}

tn_judge tn_judge_make(tn_asker *asker) {
    return (tn_judge){.self = asker,
                      .kernel = ask_kernel,
                      .template_ = ask_template,
                      .estimate = ask_estimate,
                      .native = ask_native};
}
