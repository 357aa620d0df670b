#include "dispatch/call.h"

#include <string.h>

#include "dispatch/site.h"
#include "ir/node_args.h"
#include "runtime/tensor_new.h"

struct tn_dispatch {
    tn_runtime *rt;
    tn__sites sites;
};

tn_status tn_dispatch_create(tn_runtime *rt, tn_dispatch **out_dispatch) {
    tn_dispatch *d = tn_alloc_zero(rt->allocator, sizeof *d);
    if (d == NULL) return tn_status_no_memory();
    d->rt = rt;
    tn_status status = tn__sites_init(&d->sites, rt);
    if (status != NULL) {
        tn_free(rt->allocator, d, sizeof *d);
        return status;
    }
    *out_dispatch = d;
    return NULL;
}

void tn_dispatch_destroy(tn_dispatch *d) {
    if (d == NULL) return;
    tn__sites_deinit(&d->sites);
    tn_free(d->rt->allocator, d, sizeof *d);
}

uint64_t tn_dispatch_references(tn_dispatch *d, const tn_op_owner *owner) {
    return tn__sites_references(&d->sites, owner);
}

void tn_dispatch_forget(tn_dispatch *d, const tn_op_owner *owner) {
    tn__sites_forget(&d->sites, owner);
}

enum { FEW_OUTPUTS = 8 };

/* What a call is made of besides its data. */
typedef struct request {
    tn_dispatch *d;
    const struct tn_op *op;
    tn_arena arena; /* of what is large, and of what is made once a site */
    tn__key key;
    tn_arg *bound;       /* schema order; once a site */
    tn_tensor **outputs; /* flattened, present ones */
    uint32_t n_outputs;
    tn_tensor *few_outputs[FEW_OUTPUTS];
} request;

/* ------------------------------------------------------- the first of its kind */

/* The arguments with tensors replaced: by their descriptions without data, or by
 * values 1, 2... of a graph, in order. */
static tn_status replace(request *r, const tn_arg *in, bool by_values, uint64_t *next,
                         tn_arg *out) {
    *out = *in;
    if (in->tag == TN_TAG_TENSOR && by_values) {
        *out = (tn_arg){.tag = TN_TAG_VALUE, .v.value.id = ++*next};
    } else if (in->tag == TN_TAG_TENSOR) {
        tn_tensor *copy = tn_arena_copy(&r->arena, in->v.tensor, sizeof *copy);
        if (copy == NULL) return tn_status_no_memory();
        copy->data = NULL;
        copy->byte_offset = 0;
        out->v.tensor = copy;
    } else if (in->tag == TN_TAG_LIST) {
        tn_arg *items = tn_arena_array(&r->arena, in->count, sizeof *items);
        if (items == NULL) return tn_status_no_memory();
        for (uint32_t i = 0; i < in->count; i++) {
            TN_TRY(replace(r, &in->v.list[i], by_values, next, &items[i]));
        }
        out->v.list = items;
    }
    return NULL;
}

static tn_status replace_all(request *r, bool by_values, tn_arg **out_args) {
    uint32_t n = r->op->schema->n_params;
    uint64_t next = 0;
    tn_arg *args = tn_arena_array(&r->arena, n, sizeof *args);
    if (args == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < n; i++)
        TN_TRY(replace(r, &r->bound[i], by_values, &next, &args[i]));
    *out_args = args;
    return NULL;
}

/* Binds, and asks meta. */
static tn_status resolve(request *r, const tn_arg *args, uint32_t n_args, tn__kept *kept) {
    const tn_schema *schema = r->op->schema;
    tn_arg *meta;
    r->bound = tn_arena_array(&r->arena, schema->n_params, sizeof *r->bound);
    if (r->bound == NULL) return tn_status_no_memory();
    TN_TRY(tn_schema_bind(schema, args, n_args, NULL, 0, &r->arena, r->bound));
    TN_TRY(replace_all(r, false, &meta));
    TN_TRY(tn_op_infer(r->op, meta, (tn_device){TN_DEVICE_CPU, 0}, &kept->arena, &kept->results));
    kept->n_tensors = r->key.n_tensors;
    for (uint32_t i = 0; i < kept->results.n; i++)
        kept->n_outputs += kept->results.items[i].present;
    return NULL;
}

static tn_status make_graph(request *r, tn__kept *kept) {
    tn_runtime *rt = r->d->rt;
    TN_TRY(tn_ir_create(rt->allocator, rt->prim_schemas, r->op->schema->name, &kept->graph));
    for (uint32_t i = 0; i < r->key.n_tensors; i++) {
        const tn_tensor *t = r->key.tensors[i];
        const tn_type type = {.known = true,
                              .dt = tn_dt_from_dtype(t->dtype),
                              .dtype = t->dtype,
                              .rank = t->ndim,
                              .shape = t->shape};
        tn_vid input;
        TN_TRY(tn_ir_add_input(kept->graph, NULL, &type, &input));
    }
    tn_arg *args;
    TN_TRY(replace_all(r, true, &args));
    tn_ir_node *node;
    TN_TRY(tn_ir_add_node(
        kept->graph,
        &(tn_ir_node_desc){
            .op = r->op, .args = args, .n_results = kept->results.n, .origin = TN_NO_NODE},
        &node));
    for (uint32_t i = 0; i < kept->results.n; i++) {
        if (!kept->results.items[i].present) continue;
        TN_TRY(tn_ir_add_output(kept->graph, node->results[i]));
    }
    const tn_run_plan_options options = {.target = TN_TARGET_CPU, .eager = true};
    return tn_program_create(rt, kept->graph, &options, NULL, &kept->program);
}

static tn_status add_site(request *r, const tn_arg *args, uint32_t n_args, tn__site **out_site) {
    tn__kept *kept;
    TN_TRY(tn__kept_create(r->d->rt, &r->key, &kept));
    tn_status status = resolve(r, args, n_args, kept);
    if (status == NULL) status = make_graph(r, kept);
    if (status != NULL) {
        tn__kept_destroy(kept);
        return status;
    }
    return tn__sites_add(&r->d->sites, &r->key, kept, out_site);
}

/* Plans outside of every lock; threads that want the same plan wait for one of them. */
static tn_status make_plan(request *r, tn__kept *kept, tn_run_plan **out_plan) {
    tn_run_plan *plan, *none = NULL;
    TN_TRY(tn_program_plan(kept->program, r->key.tensors, r->key.n_tensors, &plan));
    if (!atomic_compare_exchange_strong(&kept->plan, &none, plan)) tn_run_plan_unref(plan);
    *out_plan = atomic_load(&kept->plan);
    return NULL;
}

/* -------------------------------------------------------------------- results */

static tn_status take_result(request *r, const tn_op_result *meta, tn_arg *out) {
    if (!meta->present) {
        if (out->tag == TN_TAG_NONE) return NULL;
        return tn_status_make(TN_INVALID, "op %s: this call has no such result",
                              r->op->schema->full_name);
    }
    if (out->tag == TN_TAG_NONE) {
        tn_tensor *t;
        TN_TRY(tn_tensor_new(r->d->rt, meta->dtype, meta->rank, meta->shape, false, &t));
        *out = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = t};
    }
    if (out->tag != TN_TAG_TENSOR || out->v.tensor == NULL) {
        return tn_status_make(TN_INVALID, "op %s: a result is no tensor", r->op->schema->full_name);
    }
    r->outputs[r->n_outputs++] = out->v.tensor;
    return NULL;
}

/* A list that the call allocates: items follow in one block. */
static tn_status take_list(request *r, const tn_op_result *items, uint32_t n, tn_arg *out) {
    tn_arg *list;
    if (out->tag == TN_TAG_NONE) {
        list = tn_alloc_array(r->d->rt->allocator, (size_t)n + 1, sizeof *list);
        if (list == NULL) return tn_status_no_memory();
        *out = (tn_arg){.tag = TN_TAG_LIST, .count = n, .v.list = list};
    } else if (out->tag != TN_TAG_LIST || out->count != n) {
        return tn_status_make(TN_INVALID, "op %s: expected a list of %u results",
                              r->op->schema->full_name, n);
    } else {
        list = tn_arena_copy(&r->arena, out->v.list, n * sizeof *list);
        if (list == NULL) return tn_status_no_memory();
        for (uint32_t i = 0; i < n; i++) {
            if (list[i].tag == TN_TAG_TENSOR || !items[i].present) continue;
            return tn_status_make(TN_INVALID, "op %s: item %u of a result's list is no tensor",
                                  r->op->schema->full_name, i);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        TN_TRY(take_result(r, &items[i], &list[i]));
    return NULL;
}

static tn_status take_results(request *r, const tn__kept *kept, tn_arg *outs, uint32_t n_outs) {
    const tn_schema *schema = r->op->schema;
    r->outputs = r->few_outputs;
    if (kept->n_outputs > FEW_OUTPUTS) {
        r->outputs = tn_arena_array(&r->arena, kept->n_outputs, sizeof *r->outputs);
        if (r->outputs == NULL) return tn_status_no_memory();
    }
    uint32_t item = 0;
    for (uint32_t i = 0; i < n_outs; i++) {
        const tn_op_result *first = &kept->results.items[item];
        if (schema->results[i].type.is_list) {
            TN_TRY(take_list(r, first, kept->results.counts[i], &outs[i]));
        } else {
            TN_TRY(take_result(r, first, &outs[i]));
        }
        item += kept->results.counts[i];
    }
    return NULL;
}

/* ----------------------------------------------------------------------- call */

static tn_status run_site(request *r, tn__kept *kept, tn_arg *outs, uint32_t n_outs) {
    TN_TRY(take_results(r, kept, outs, n_outs));
    tn_run_plan *plan = atomic_load_explicit(&kept->plan, memory_order_acquire);
    if (plan == NULL) TN_TRY(make_plan(r, kept, &plan));
    TN_TRY(tn_run_plan_check(plan, r->key.tensors, r->key.n_tensors, r->outputs, r->n_outputs));
    return tn_run_plan_run(plan, r->key.tensors, r->outputs);
}

static tn_status run(request *r, const tn_arg *args, uint32_t n_args, tn_arg *outs,
                     uint32_t n_outs) {
    TN_TRY(tn__key_make(&r->key, r->op, args, n_args, &r->arena));
    tn__site *s = tn__sites_pin(&r->d->sites, &r->key);
    if (s == NULL) TN_TRY(add_site(r, args, n_args, &s));
    tn_status status = run_site(r, s->kept, outs, n_outs);
    tn__sites_unpin(&r->d->sites, s);
    return status;
}

tn_status tn_dispatch_call(tn_dispatch *d, const struct tn_op *op, const tn_arg *args,
                           uint32_t n_args, tn_arg *outs, uint32_t n_outs) {
    if (n_outs != op->schema->n_results) {
        return tn_status_make(TN_INVALID, "op %s: expected %u results, found room for %u",
                              op->schema->full_name, op->schema->n_results, n_outs);
    }
    request r; /* large: the key is not cleared */
    r.d = d;
    r.op = op;
    r.n_outputs = 0;
    tn_arena_init(&r.arena, d->rt->allocator);
    bool given[TN_SCHEMA_MAX_RESULTS]; /* results that are the caller's */
    for (uint32_t i = 0; i < n_outs; i++)
        given[i] = outs[i].tag != TN_TAG_NONE;
    tn_status status = run(&r, args, n_args, outs, n_outs);
    for (uint32_t i = 0; status != NULL && i < n_outs; i++) {
        if (!given[i]) tn_dispatch_free_results(d->rt, &outs[i], 1);
    }
    tn_arena_deinit(&r.arena);
    return status;
}

void tn_dispatch_free_results(tn_runtime *rt, tn_arg *outs, uint32_t n_outs) {
    for (uint32_t i = 0; i < n_outs; i++) {
        if (outs[i].tag == TN_TAG_TENSOR) tn_tensor_delete(rt, outs[i].v.tensor);
        if (outs[i].tag == TN_TAG_LIST) {
            tn_arg *list;
            memcpy(&list, &outs[i].v.list, sizeof list); /* made here, so not const */
            tn_dispatch_free_results(rt, list, outs[i].count);
            tn_free(rt->allocator, list, ((size_t)outs[i].count + 1) * sizeof *list);
        }
        outs[i] = (tn_arg){.tag = TN_TAG_NONE};
    }
}
