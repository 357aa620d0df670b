#include "dispatch/call.h"

#include <string.h>

#include "base/vec.h"
#include "ir/node_args.h"
#include "runtime/tensor_new.h"

/* A graph of one call, and its program. Calls under way hold it, so that it may be
 * forgotten meanwhile. */
typedef struct site {
    tn_ir_graph *graph;
    tn_program *program;
    _Atomic uint32_t references;
} site;

/* Then all are forgotten: shapes that never come back must not fill the memory. */
#define MOST_SITES 1024

struct tn_dispatch {
    tn_runtime *rt;
    pthread_mutex_t lock; /* over sites and map */
    TN_VEC(site *) sites;
    tn_map map; /* digest to 1 + index in sites */
};

tn_status tn_dispatch_create(tn_runtime *rt, tn_dispatch **out_dispatch) {
    tn_dispatch *d = tn_alloc_zero(rt->allocator, sizeof *d);
    if (d == NULL) return tn_status_no_memory();
    if (pthread_mutex_init(&d->lock, NULL) != 0) {
        tn_free(rt->allocator, d, sizeof *d);
        return tn_status_no_memory();
    }
    d->rt = rt;
    tn_map_init(&d->map, rt->allocator);
    *out_dispatch = d;
    return NULL;
}

static void site_unref(tn_dispatch *d, site *s) {
    if (atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) != 1) return;
    tn_program_destroy(s->program);
    tn_ir_destroy(s->graph);
    tn_free(d->rt->allocator, s, sizeof *s);
}

/* The lock is held. */
static void forget_sites(tn_dispatch *d) {
    for (size_t i = 0; i < d->sites.len; i++)
        site_unref(d, d->sites.data[i]);
    d->sites.len = 0;
    tn_map_deinit(&d->map);
    tn_map_init(&d->map, d->rt->allocator);
}

void tn_dispatch_clear(tn_dispatch *d) {
    pthread_mutex_lock(&d->lock);
    forget_sites(d);
    pthread_mutex_unlock(&d->lock);
}

void tn_dispatch_destroy(tn_dispatch *d) {
    if (d == NULL) return;
    tn_dispatch_clear(d);
    tn_map_deinit(&d->map);
    tn_vec_free(d->rt->allocator, &d->sites);
    pthread_mutex_destroy(&d->lock);
    tn_free(d->rt->allocator, d, sizeof *d);
}

/* What a call is made of besides its data. */
typedef struct request {
    tn_dispatch *d;
    const struct tn_op *op;
    tn_arena arena;
    tn_arg *bound;             /* schema order */
    const tn_tensor **tensors; /* the tensor arguments, in order */
    uint32_t n_tensors;
    tn_op_results results; /* by meta */
    tn_tensor **outputs;   /* flattened, present ones */
    uint32_t n_outputs;
} request;

static void hash_arg(tn_hasher *h, const tn_arg *arg) {
    tn_hasher_u64(h, (uint64_t)arg->tag << 32 | arg->count);
    switch (arg->tag) {
    case TN_TAG_LIST:
        for (uint32_t i = 0; i < arg->count; i++)
            hash_arg(h, &arg->v.list[i]);
        break;
    case TN_TAG_STRING: tn_hasher_bytes(h, arg->v.str, arg->count); break;
    case TN_TAG_DTYPE: tn_hasher_bytes(h, &arg->v.dtype, sizeof arg->v.dtype); break;
    case TN_TAG_TENSOR: {
        const tn_tensor *t = arg->v.tensor;
        tn_hasher_bytes(h, &t->dtype, sizeof t->dtype);
        tn_hasher_bytes(h, t->shape, (size_t)t->ndim * sizeof *t->shape);
        break;
    }
    default: tn_hasher_u64(h, (uint64_t)arg->v.i); break;
    }
}

static uint32_t count_tensors(const tn_arg *args, uint32_t n) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].tag == TN_TAG_TENSOR) found++;
        if (args[i].tag == TN_TAG_LIST) found += count_tensors(args[i].v.list, args[i].count);
    }
    return found;
}

static void collect_tensors(request *r, const tn_arg *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].tag == TN_TAG_TENSOR) r->tensors[r->n_tensors++] = args[i].v.tensor;
        if (args[i].tag == TN_TAG_LIST) collect_tensors(r, args[i].v.list, args[i].count);
    }
}

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

static tn_status resolve(request *r, const tn_arg *args, uint32_t n_args) {
    const tn_schema *schema = r->op->schema;
    tn_arg *meta;
    r->bound = tn_arena_array(&r->arena, schema->n_params, sizeof *r->bound);
    if (r->bound == NULL) return tn_status_no_memory();
    TN_TRY(tn_schema_bind(schema, args, n_args, NULL, 0, &r->arena, r->bound));
    r->tensors = tn_arena_array(&r->arena, count_tensors(r->bound, schema->n_params),
                                sizeof *r->tensors);
    if (r->tensors == NULL) return tn_status_no_memory();
    collect_tensors(r, r->bound, schema->n_params);
    for (uint32_t i = 0; i < r->n_tensors; i++) {
        if (r->tensors[i] != NULL && r->tensors[i]->strides != NULL) continue;
        return tn_status_make(TN_INVALID, "op %s: tensor argument %u: %s", schema->full_name, i,
                              r->tensors[i] == NULL ? "is NULL" : "its strides are NULL");
    }
    TN_TRY(replace_all(r, false, &meta));
    return tn_op_infer(r->op, meta, (tn_device){TN_DEVICE_CPU, 0}, &r->arena, &r->results);
}

static tn_status fill_site(request *r, site *s) {
    tn_runtime *rt = r->d->rt;
    TN_TRY(tn_ir_create(rt->allocator, rt->prim_schemas, r->op->schema->name, &s->graph));
    for (uint32_t i = 0; i < r->n_tensors; i++) {
        const tn_tensor *t = r->tensors[i];
        const tn_type type = {.known = true,
                              .dt = tn_dt_from_dtype(t->dtype),
                              .dtype = t->dtype,
                              .rank = t->ndim,
                              .shape = t->shape};
        tn_vid input;
        TN_TRY(tn_ir_add_input(s->graph, NULL, &type, &input));
    }
    tn_arg *args;
    TN_TRY(replace_all(r, true, &args));
    tn_ir_node *node;
    TN_TRY(tn_ir_add_node(
        s->graph,
        &(tn_ir_node_desc){
            .op = r->op, .args = args, .n_results = r->results.n, .origin = TN_NO_NODE},
        &node));
    for (uint32_t i = 0; i < r->results.n; i++) {
        if (!r->results.items[i].present) continue;
        TN_TRY(tn_ir_add_output(s->graph, node->results[i]));
    }
    const tn_run_plan_options options = {.target = TN_TARGET_CPU, .eager = true};
    return tn_program_create(rt, s->graph, &options, NULL, &s->program);
}

static tn_status make_site(request *r, tn_digest key, site **out_site) {
    tn_dispatch *d = r->d;
    if (d->sites.len >= MOST_SITES) forget_sites(d);
    site *s = tn_alloc_zero(d->rt->allocator, sizeof *s);
    if (s == NULL) return tn_status_no_memory();
    atomic_init(&s->references, 1);
    tn_status status = fill_site(r, s);
    if (status == NULL && !tn_vec_reserve(d->rt->allocator, &d->sites, 1)) {
        status = tn_status_no_memory();
    }
    if (status == NULL && !tn_map_set(&d->map, &key, sizeof key, d->sites.len + 1)) {
        status = tn_status_no_memory();
    }
    if (status != NULL) {
        site_unref(d, s);
        return status;
    }
    d->sites.data[d->sites.len++] = s;
    *out_site = s;
    return NULL;
}

/* The caller gets a reference. */
static tn_status find_site(request *r, site **out_site) {
    tn_hasher h;
    tn_hasher_init(&h);
    tn_hasher_bytes(&h, &r->op, sizeof r->op); /* a site retains its op */
    for (uint32_t i = 0; i < r->op->schema->n_params; i++)
        hash_arg(&h, &r->bound[i]);
    tn_digest key = tn_hasher_digest(&h);
    uint64_t index;
    tn_status status = NULL;
    pthread_mutex_lock(&r->d->lock);
    if (tn_map_get(&r->d->map, &key, sizeof key, &index)) {
        *out_site = r->d->sites.data[index - 1];
    } else {
        status = make_site(r, key, out_site);
    }
    if (status == NULL) {
        atomic_fetch_add_explicit(&(*out_site)->references, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&r->d->lock);
    return status;
}

/* One result: the caller's tensor, or a new one put into `out`. */
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

static tn_status take_results(request *r, tn_arg *outs, uint32_t n_outs) {
    const tn_schema *schema = r->op->schema;
    if (n_outs != schema->n_results) {
        return tn_status_make(TN_INVALID, "op %s: expected %u results, found room for %u",
                              schema->full_name, schema->n_results, n_outs);
    }
    r->outputs = tn_arena_array(&r->arena, r->results.n, sizeof *r->outputs);
    if (r->outputs == NULL) return tn_status_no_memory();
    uint32_t item = 0;
    for (uint32_t i = 0; i < n_outs; i++) {
        const tn_op_result *first = &r->results.items[item];
        if (schema->results[i].type.is_list) {
            TN_TRY(take_list(r, first, r->results.counts[i], &outs[i]));
        } else {
            TN_TRY(take_result(r, first, &outs[i]));
        }
        item += r->results.counts[i];
    }
    return NULL;
}

static tn_status run(request *r, const tn_arg *args, uint32_t n_args, tn_arg *outs,
                     uint32_t n_outs) {
    site *s;
    TN_TRY(resolve(r, args, n_args));
    TN_TRY(take_results(r, outs, n_outs));
    TN_TRY(find_site(r, &s));
    tn_status status = tn_program_run(s->program, r->tensors, r->n_tensors, r->outputs,
                                      r->n_outputs);
    site_unref(r->d, s);
    return status;
}

tn_status tn_dispatch_call(tn_dispatch *d, const struct tn_op *op, const tn_arg *args,
                           uint32_t n_args, tn_arg *outs, uint32_t n_outs) {
    request r = {.d = d, .op = op};
    tn_arena_init(&r.arena, d->rt->allocator);
    uint64_t given = 0; /* results that are the caller's */
    for (uint32_t i = 0; i < n_outs && i < 64; i++) {
        if (outs[i].tag != TN_TAG_NONE) given |= UINT64_C(1) << i;
    }
    tn_status status = run(&r, args, n_args, outs, n_outs);
    for (uint32_t i = 0; status != NULL && i < n_outs && i < 64; i++) {
        if (!(given >> i & 1)) tn_dispatch_free_results(d->rt, &outs[i], 1);
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
