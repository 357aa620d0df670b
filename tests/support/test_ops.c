#include "support/test_ops.h"

#include <string.h>

#include "base/near.h"
#include "base/vec.h"

/* ------------------------------------------------------------------- table */

static tn_test_ops *table_of(const struct tn_op *op) {
    return ((const tn_test_op *)(const void *)op)->table;
}

static void retain(const struct tn_op *op) {
    __atomic_add_fetch(&table_of(op)->references, 1, __ATOMIC_RELAXED);
}

static void release(const struct tn_op *op) {
    __atomic_sub_fetch(&table_of(op)->references, 1, __ATOMIC_RELAXED);
}

static tn_status find(void *self, const char *name, size_t length, const struct tn_op **out_op) {
    tn_test_ops *ops = self;
    tn_near near;
    char hint[TN_NEAR_TEXT];
    tn_near_init(&near, name, length);
    for (size_t i = 0; i < ops->n; i++) {
        const char *full = ops->ops[i]->op.schema->full_name;
        if (strlen(full) == length && memcmp(full, name, length) == 0) {
            *out_op = &ops->ops[i]->op;
            return NULL;
        }
        tn_near_offer(&near, full);
    }
    *out_op = NULL;
    return tn_status_make(TN_NOT_FOUND, "there is no op %.*s%s", (int)(length < 64 ? length : 64),
                          name, tn_near_hint(&near, hint));
}

static bool comes_before(const struct tn_op *a, const struct tn_op *b) {
    return strcmp(a->schema->full_name, b->schema->full_name) < 0;
}

static uint32_t overloads(void *self, const char *name, size_t length, const struct tn_op **out,
                          uint32_t capacity) {
    tn_test_ops *ops = self;
    uint32_t n = 0;
    for (size_t i = 0; i < ops->n; i++) {
        const struct tn_op *op = &ops->ops[i]->op;
        const char *full = op->schema->full_name;
        if (strncmp(full, name, length) != 0 || (full[length] != 0 && full[length] != '.'))
            continue;
        if (memchr(name, '.', length) != NULL || n == capacity) return 0;
        uint32_t at = n++;
        for (; at > 0 && comes_before(op, out[at - 1]); at--)
            out[at] = out[at - 1];
        out[at] = op;
    }
    return n;
}

tn_test_op *tn_test_ops_find(tn_test_ops *ops, const char *name) {
    for (size_t i = 0; i < ops->n; i++)
        if (strcmp(ops->ops[i]->op.schema->full_name, name) == 0) return ops->ops[i];
    return NULL;
}

static void free_op(tn_test_ops *ops, tn_test_op *op) {
    tn_schema_free((tn_schema *)op->op.schema);
    tn_free(ops->allocator, op, sizeof *op);
}

tn_status tn_test_ops_add(tn_test_ops *ops, const tn_op_desc *desc) {
    tn_schema *schema;
    TN_TRY(tn_schema_parse(ops->allocator, desc->schema, strlen(desc->schema), &schema));
    tn_test_op *op = tn_alloc_zero(ops->allocator, sizeof *op);
    if (!op) {
        tn_schema_free(schema);
        return tn_status_no_memory();
    }
    op->desc = *desc;
    op->table = ops;
    op->op = (tn_op){.schema = schema,
                     .desc = &op->desc,
                     .owner = &ops->owner,
                     .identity = {tn_hash64(schema->text, strlen(schema->text), 0), 0},
                     .retain = retain,
                     .release = release};
    for (uint32_t i = 0; i < desc->n_kernels; i++)
        if (desc->kernels[i]->device_type == TN_DEVICE_CPU) op->op.cpu = desc->kernels[i];
    if (!tn_vec_grow(ops->allocator, (void **)&ops->ops, &ops->cap, ops->n, 1,
                     sizeof(tn_test_op *))) {
        free_op(ops, op);
        return tn_status_no_memory();
    }
    ops->ops[ops->n++] = op;
    return NULL;
}

tn_status tn_test_ops_create_empty(const tn_allocator *allocator, tn_test_ops **out_ops) {
    *out_ops = tn_alloc_zero(allocator, sizeof **out_ops);
    if (!*out_ops) return tn_status_no_memory();
    (*out_ops)->table = (tn_op_table){.self = *out_ops, .find = find, .overloads = overloads};
    (*out_ops)->allocator = allocator;
    (*out_ops)->owner = (tn_op_owner){
        .plugin_name = "test", .plugin_version = "1.0.0", .plugin_path = "test.so"};
    return NULL;
}

void tn_test_ops_destroy(tn_test_ops *ops) {
    if (!ops) return;
    for (size_t i = 0; i < ops->n; i++)
        free_op(ops, ops->ops[i]);
    tn_free(ops->allocator, ops->ops, ops->cap * sizeof(tn_test_op *));
    tn_free(ops->allocator, ops, sizeof *ops);
}

/* -------------------------------------------------------------------- meta */

static tn_code set(const tn_meta_context *m, uint32_t index, tn_dtype dtype, int32_t ndim,
                   const int64_t *shape) {
    tn_spec spec = {.struct_size = sizeof spec, .dtype = dtype, .ndim = ndim, .shape = shape};
    return m->set(m, index, &spec);
}

tn_code tn_test_meta_like(const tn_meta_context *m) {
    const tn_tensor *x = m->args[0].v.tensor;
    return set(m, 0, x->dtype, x->ndim, x->shape);
}

static tn_code meta_norm(const tn_meta_context *m) {
    const tn_tensor *x = m->args[0].v.tensor;
    const tn_arg *dims = &m->args[2];
    int64_t shape[16];
    int32_t n = 0;
    for (int32_t i = 0; i < x->ndim; i++) {
        bool reduced = dims->count == 0;
        for (uint32_t k = 0; k < dims->count; k++)
            reduced = reduced || dims->v.list[k].v.i == i;
        if (reduced && !m->args[3].v.i) continue;
        shape[n++] = reduced ? 1 : x->shape[i];
    }
    return set(m, 0, x->dtype, n, shape);
}

/* shape = an int[] argument */
static tn_code set_shape(const tn_meta_context *m, const tn_arg *list, tn_dtype dtype) {
    int64_t shape[16];
    if (list->count > 16) return m->cb->fail(m->cb, TN_INVALID, "more than 16 axes");
    for (uint32_t i = 0; i < list->count; i++)
        shape[i] = list->v.list[i].v.i;
    return set(m, 0, dtype, (int32_t)list->count, shape);
}

static tn_code meta_reshape(const tn_meta_context *m) {
    return set_shape(m, &m->args[1], m->args[0].v.tensor->dtype);
}

static tn_code meta_make(const tn_meta_context *m) {
    return set_shape(m, &m->args[0], m->args[2].v.dtype);
}

static tn_code meta_topk(const tn_meta_context *m) {
    const tn_tensor *x = m->args[0].v.tensor;
    int64_t shape[16], dim = m->args[2].v.i;
    if (dim < 0) dim += x->ndim;
    if (dim < 0 || dim >= x->ndim) return m->cb->fail(m->cb, TN_INVALID, "dim is out of range");
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    shape[dim] = m->args[1].v.i;
    tn_code code = set(m, 0, x->dtype, x->ndim, shape);
    return code ? code : set(m, 1, (tn_dtype){TN_TYPE_INT, 64, 1}, x->ndim, shape);
}

static tn_code meta_split(const tn_meta_context *m) {
    const tn_tensor *x = m->args[0].v.tensor;
    const tn_arg *sizes = &m->args[1];
    int64_t shape[16], dim = m->args[2].v.i;
    if (dim < 0 || dim >= x->ndim) return m->cb->fail(m->cb, TN_INVALID, "dim is out of range");
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    tn_code code = m->set_count(m, 0, sizes->count);
    for (uint32_t i = 0; !code && i < sizes->count; i++) {
        shape[dim] = sizes->v.list[i].v.i;
        tn_spec spec = {
            .struct_size = sizeof spec, .dtype = x->dtype, .ndim = x->ndim, .shape = shape};
        code = m->set_item(m, 0, i, &spec);
    }
    return code;
}

static tn_code meta_cat(const tn_meta_context *m) {
    const tn_arg *xs = &m->args[0];
    int64_t shape[16], dim = m->args[1].v.i;
    if (xs->count == 0) return m->cb->fail(m->cb, TN_INVALID, "nothing to concatenate");
    const tn_tensor *x = xs->v.list[0].v.tensor;
    if (dim < 0 || dim >= x->ndim) return m->cb->fail(m->cb, TN_INVALID, "dim is out of range");
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    for (uint32_t i = 1; i < xs->count; i++)
        shape[dim] += xs->v.list[i].v.tensor->shape[dim];
    return set(m, 0, x->dtype, x->ndim, shape);
}

static tn_code meta_linear(const tn_meta_context *m) {
    const tn_tensor *x = m->args[0].v.tensor, *w = m->args[1].v.tensor;
    int64_t shape[16];
    if (x->ndim < 1 || w->ndim != 2 || x->shape[x->ndim - 1] != w->shape[1])
        return m->cb->fail(m->cb, TN_INVALID, "expected [..., k] by [n, k]");
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    shape[x->ndim - 1] = w->shape[0];
    return set(m, 0, x->dtype, x->ndim, shape);
}

static tn_code meta_nothing(const tn_meta_context *m) {
    (void)m;
    return TN_OK;
}

tn_status tn_test_ops_create(const tn_allocator *allocator, tn_test_ops **out_ops) {
    static const struct {
        const char *schema;
        tn_meta_fn meta;
    } ops[] = {
        {"test::relu(Tensor x) -> Tensor", tn_test_meta_like},
        {"test::add(Tensor a, Tensor b, *, Scalar alpha=1) -> Tensor", tn_test_meta_like},
        {"test::scale(Tensor x, float beta=1.0) -> Tensor", tn_test_meta_like},
        {"test::norm(Tensor x, *, float ord=2.0, int[] dims=[], bool keepdim=False) -> Tensor",
         meta_norm},
        {"test::reshape(Tensor x, int[] shape) -> Tensor", meta_reshape},
        {"test::topk(Tensor x, int k, int dim=-1) -> (Tensor values, Tensor indices)", meta_topk},
        {"test::split(Tensor x, int[] sizes, int dim=0) -> Tensor[]", meta_split},
        {"test::cat(Tensor[] xs, int dim=0) -> Tensor", meta_cat},
        {"test::linear(Tensor x, Tensor w, Tensor? bias=None) -> Tensor", meta_linear},
        {"test::pick(Tensor a, Tensor? b, Tensor? c) -> Tensor", tn_test_meta_like},
        {"test::fill_(Tensor(a!) x, float value) -> ()", meta_nothing},
        {"test::make(int[] shape, *, str mode=\"none\", ScalarType dtype=f32, "
         "Device? device=None) -> Tensor",
         meta_make},
        {"test::make.like(Tensor x) -> Tensor", tn_test_meta_like},
        {"test::over.t(Tensor a, Scalar b, int c=0) -> Tensor", tn_test_meta_like},
        {"test::over.n(Tensor a, int[] b) -> Tensor", tn_test_meta_like},
        {"test::over(Tensor a, Tensor b) -> Tensor", tn_test_meta_like},
        {"test::over.f(Tensor a, float b) -> Tensor", tn_test_meta_like},
        {"test::names(Tensor(a!) self, int op, float stream, Tensor name) -> Tensor",
         tn_test_meta_like},
    };
    TN_TRY(tn_test_ops_create_empty(allocator, out_ops));
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        tn_op_desc desc = {
            .struct_size = sizeof desc, .schema = ops[i].schema, .meta = ops[i].meta};
        tn_status bad = tn_test_ops_add(*out_ops, &desc);
        if (!bad) continue;
        tn_test_ops_destroy(*out_ops);
        *out_ops = NULL;
        return bad;
    }
    return NULL;
}
