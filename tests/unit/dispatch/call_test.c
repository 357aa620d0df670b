/* Calls of single ops: what is kept, what is freed, and that a call made before
 * allocates nothing but its results. Kernels are the test's own, and where it does not matter the interpreter calls them. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "dispatch/call.h"
#include "support/failing_allocator.h"
#include "support/runtime_case.h"

#define MANY 32 /* results: as many as a schema can have */

static _Atomic int prepared, released;

static tn_code prepare(const tn_run_context *ctx, const tn_problem *problem, void **out_state) {
    (void)ctx, (void)problem;
    static int state;
    *out_state = &state;
    prepared++;
    return TN_OK;
}

static void release(const tn_run_context *ctx, void *state) {
    (void)ctx, (void)state;
    released++;
}

static float *floats(const tn_tensor *t) {
    return (float *)(void *)((char *)t->data + t->byte_offset);
}

/* y = x * by; negative factors are refused. */
static tn_code run_scale(const tn_run_context *ctx, void *state, const tn_call *call) {
    (void)state;
    const tn_tensor *x = call->args[0].v.tensor, *y = call->results[0].v.tensor;
    if (call->args[1].v.f < 0) return ctx->cb->fail(ctx->cb, TN_INVALID, "a negative factor");
    for (int64_t i = 0; i < x->shape[0]; i++)
        floats(y)[i] = floats(x)[i * x->strides[0]] * (float)call->args[1].v.f;
    return TN_OK;
}

static tn_code meta_many(const tn_meta_context *m) {
    const tn_tensor *x = m->args[0].v.tensor;
    tn_spec spec = {
        .struct_size = sizeof spec, .dtype = x->dtype, .ndim = x->ndim, .shape = x->shape};
    tn_code code = TN_OK;
    for (uint32_t i = 0; code == TN_OK && i < m->n_results; i++)
        code = m->set(m, i, &spec);
    return code;
}

static tn_code run_many(const tn_run_context *ctx, void *state, const tn_call *call) {
    (void)state;
    if (call->args[1].v.i) return ctx->cb->fail(ctx->cb, TN_INVALID, "told to");
    for (uint32_t i = 0; i < call->n_results; i++) {
        const tn_tensor *y = call->results[i].v.tensor;
        for (int64_t k = 0; k < y->shape[0]; k++)
            floats(y)[k] = (float)i;
    }
    return TN_OK;
}

typedef struct fixture {
    tn_test_runtime *t;
    tn_dispatch *d;
    tn_kernel kernels[2];
    const tn_kernel *lists[2];
    char many[32 + 8 * MANY + 64];
    const struct tn_op *scale, *all;
} fixture;

static tn_status add(fixture *f, int which, const char *schema, tn_meta_fn meta) {
    f->lists[which] = &f->kernels[which];
    const tn_op_desc desc = {.struct_size = sizeof desc,
                             .schema = schema,
                             .meta = meta,
                             .kernels = &f->lists[which],
                             .n_kernels = 1};
    return tn_test_ops_add(f->t->ops, &desc);
}

static void tear_down(fixture *f) {
    tn_dispatch_destroy(f->d);
    tn_test_runtime_destroy(f->t);
}

static tn_status try_set_up(fixture *f, const tn_allocator *a, bool compiler) {
    *f = (fixture){
        .kernels = {
            {.struct_size = sizeof(tn_kernel),
             .device_type = TN_DEVICE_CPU,
             .prepare = prepare,
             .run = run_scale,
             .release = release},
            {.struct_size = sizeof(tn_kernel), .device_type = TN_DEVICE_CPU, .run = run_many}}};
    int n = snprintf(f->many, sizeof f->many, "test::many(Tensor x, bool fail=False) -> (");
    for (int i = 0; i < MANY; i++)
        n += snprintf(f->many + n, sizeof f->many - (size_t)n, i > 0 ? ", Tensor" : "Tensor");
    snprintf(f->many + n, sizeof f->many - (size_t)n, ")");
    TN_TRY(tn_test_runtime_create(a, compiler, &f->t));
    TN_TRY(add(f, 0, "test::scale(Tensor x, float by=2.0) -> Tensor", tn_test_meta_like));
    TN_TRY(add(f, 1, f->many, meta_many));
    f->scale = &tn_test_ops_find(f->t->ops, "test::scale")->op;
    f->all = &tn_test_ops_find(f->t->ops, "test::many")->op;
    return tn_dispatch_create(&f->t->rt, &f->d);
}

static void set_up(fixture *f) {
    prepared = released = 0;
    cr_assert_null(try_set_up(f, tn_allocator_system(), false));
}

typedef struct vector {
    float data[16];
    int64_t shape, stride;
    tn_tensor tensor;
    tn_arg arg;
} vector;

static void fill(vector *v, int64_t n, int64_t stride) {
    for (int i = 0; i < 16; i++)
        v->data[i] = (float)i;
    v->shape = n;
    v->stride = stride;
    v->tensor = (tn_tensor){.data = v->data,
                            .device = {TN_DEVICE_CPU, 0},
                            .ndim = 1,
                            .dtype = {TN_TYPE_FLOAT, 32, 1},
                            .shape = &v->shape,
                            .strides = &v->stride};
    v->arg = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &v->tensor};
}

/* scale(x[::stride], by) of n elements, into a new tensor, and whether it is right. */
static tn_status scale(fixture *f, int64_t n, int64_t stride, double by, bool *right) {
    vector x;
    fill(&x, n, stride);
    tn_arg args[2] = {x.arg, {.tag = TN_TAG_FLOAT, .v.f = by}}, out = {.tag = TN_TAG_NONE};
    TN_TRY(tn_dispatch_call(f->d, f->scale, args, 2, &out, 1));
    *right = true;
    for (int64_t i = 0; i < n; i++)
        *right &= floats(out.v.tensor)[i] == (float)(i * stride) * (float)by;
    tn_dispatch_free_results(&f->t->rt, &out, 1);
    return NULL;
}

static void expect_scale(fixture *f, int64_t n, int64_t stride, double by) {
    bool right = false;
    tn_status status = scale(f, n, stride, by, &right);
    cr_assert_null(status, "%s", tn_status_message(status));
    cr_assert(right, "%lld elements, stride %lld", (long long)n, (long long)stride);
}

Test(dispatch_call, a_plan_is_made_once_for_each_kind_of_call) {
    fixture f;
    set_up(&f);
    for (int round = 0; round < 3; round++) {
        expect_scale(&f, 4, 1, 2);
        expect_scale(&f, 5, 1, 2);
        expect_scale(&f, 4, 2, 2);
        expect_scale(&f, 4, 1, 3);
    }
    cr_assert_eq(prepared, 4);
    tear_down(&f);
    cr_assert_eq(released, 4);
}

Test(dispatch_call, misfits_are_refused) {
    fixture f;
    vector x, y;
    set_up(&f);
    fill(&x, 4, 1);
    fill(&y, 5, 1);
    tn_arg out = {.tag = TN_TAG_NONE}, bad = {.tag = TN_TAG_TENSOR};
    const struct {
        tn_arg *arg;
        uint32_t n_args;
        tn_arg *out;
        uint32_t n_outs;
        const char *words;
    } cases[] = {{&bad, 1, &out, 1, "argument 0: is NULL"},
                 {&x.arg, 0, &out, 1, "x"},
                 {&x.arg, 1, &out, 0, "expected 1 results, found room for 0"},
                 {&x.arg, 1, &out, 100, "expected 1 results, found room for 100"},
                 {&x.arg, 1, &y.arg, 1, "expected extent 4, found 5"},
                 {&x.arg, 1, &x.arg, 1, "overlaps"}};
    for (int round = 0; round < 2; round++) { /* known calls are checked as well */
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            tn_status status = tn_dispatch_call(f.d, f.scale, cases[i].arg, cases[i].n_args,
                                                cases[i].out, cases[i].n_outs);
            cr_assert_eq(tn_status_code(status), TN_INVALID, "case %zu", i);
            cr_assert(strstr(tn_status_message(status), cases[i].words) != NULL, "%s",
                      tn_status_message(status));
            tn_status_free(status);
            cr_assert_eq(out.tag, TN_TAG_NONE);
        }
        expect_scale(&f, 4, 1, 2);
    }
    x.tensor.strides = NULL;
    tn_status status = tn_dispatch_call(f.d, f.scale, &x.arg, 1, &out, 1);
    cr_assert(strstr(tn_status_message(status), "its strides are NULL") != NULL);
    tn_status_free(status);
    tear_down(&f);
}

Test(dispatch_call, a_known_call_allocates_nothing) {
    fixture f;
    tn_failing_allocator fa;
    vector x, y;
    tn_failing_allocator_init(&fa);
    cr_assert_null(try_set_up(&f, &fa.allocator, true));
    fill(&x, 4, 1);
    fill(&y, 4, 1);
    cr_assert_null(tn_dispatch_call(f.d, f.scale, &x.arg, 1, &y.arg, 1));
    tn_failing_allocator_begin(&fa, 1, true);
    for (int i = 0; i < 10; i++)
        cr_assert_null(tn_dispatch_call(f.d, f.scale, &x.arg, 1, &y.arg, 1));
    cr_assert_eq(fa.allocations, 0);
    cr_assert_eq(y.data[3], 6);
    tear_down(&f);
    cr_assert_null(tn_failing_allocator_problem(&fa));
    tn_failing_allocator_deinit(&fa);
}

/* What a call that fails has allocated is freed, however many results there are, and
 * what the caller gave is left alone. */
Test(dispatch_call, many_results_of_a_failure_are_freed) {
    fixture f;
    tn_failing_allocator fa;
    vector x, given;
    tn_arg outs[MANY];
    tn_failing_allocator_init(&fa);
    cr_assert_null(try_set_up(&f, &fa.allocator, false));
    fill(&x, 4, 1);
    fill(&given, 4, 1);
    for (int fail = 1; fail >= 0; fail--) {
        tn_arg args[2] = {x.arg, {.tag = TN_TAG_BOOL, .v.i = fail}};
        for (int i = 0; i < MANY; i++)
            outs[i] = (tn_arg){.tag = TN_TAG_NONE};
        outs[3] = given.arg;
        tn_status status = tn_dispatch_call(f.d, f.all, args, 2, outs, MANY);
        cr_assert_eq(status == NULL, !fail, "%s", tn_status_message(status));
        for (int i = 0; i < MANY; i++) {
            if (i == 3) {
                cr_assert_eq(outs[i].v.tensor, &given.tensor);
            } else if (fail) {
                cr_assert_eq(outs[i].tag, TN_TAG_NONE, "result %d", i);
            } else {
                cr_assert_eq(floats(outs[i].v.tensor)[0], (float)i);
            }
        }
        tn_status_free(status);
        outs[3] = (tn_arg){.tag = TN_TAG_NONE};
        tn_dispatch_free_results(&f.t->rt, outs, MANY);
    }
    tear_down(&f);
    const char *problem = tn_failing_allocator_problem(&fa);
    cr_assert_null(problem, "%s", problem);
    tn_failing_allocator_deinit(&fa);
}

Test(dispatch_call, forgets_what_holds_the_ops_of_one_owner) {
    fixture f;
    tn_op_owner other = {.plugin_name = "other"};
    set_up(&f);
    expect_scale(&f, 4, 1, 2);
    expect_scale(&f, 5, 1, 2);
    cr_assert_eq(tn_dispatch_references(f.d, f.scale->owner), (uint64_t)f.t->ops->references);
    cr_assert_eq(tn_dispatch_references(f.d, &other), 0);
    tn_dispatch_forget(f.d, &other);
    cr_assert_gt(f.t->ops->references, 0);
    expect_scale(&f, 4, 1, 2);
    cr_assert_eq(prepared, 2, "kept");
    tn_dispatch_forget(f.d, f.scale->owner);
    cr_assert_eq(f.t->ops->references, 0);
    cr_assert_eq(released, 2);
    expect_scale(&f, 4, 1, 2);
    cr_assert_eq(prepared, 3);
    tear_down(&f);
}

Test(dispatch_call, shapes_that_never_come_back_do_not_fill_the_memory) {
    fixture f;
    set_up(&f);
    for (int i = 0; i < 3000; i++) {
        expect_scale(&f, 3, 1, 1 + i);
        cr_assert_leq(prepared - released, 1024);
    }
    expect_scale(&f, 3, 1, 3000);
    cr_assert_eq(prepared, 3000, "the last is known");
    tear_down(&f);
    cr_assert_eq(prepared, released);
}

/* Threads call, each kind of its own and one together, while all is forgotten. */
typedef struct caller {
    fixture *f;
    int number;
    int failures;
} caller;

static void *call_many(void *arg) {
    caller *c = arg;
    for (int i = 0; i < 400; i++) {
        bool right = false;
        tn_status status = scale(c->f, 1 + i % 5, 1, i % 2 ? 7 : 10 + c->number, &right);
        c->failures += status != NULL || !right;
        tn_status_free(status);
    }
    return NULL;
}

Test(dispatch_call, calls_go_on_while_plans_are_forgotten) {
    enum { CALLERS = 4 };
    fixture f;
    pthread_t threads[CALLERS];
    caller callers[CALLERS];
    set_up(&f);
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){&f, i, 0};
        cr_assert_eq(pthread_create(&threads[i], NULL, call_many, &callers[i]), 0);
    }
    for (int i = 0; i < 200; i++)
        tn_dispatch_forget(f.d, f.scale->owner);
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        cr_assert_eq(callers[i].failures, 0);
    }
    tn_dispatch_forget(f.d, f.scale->owner);
    cr_assert_eq(f.t->ops->references, 0);
    cr_assert_eq(prepared, released);
    tear_down(&f);
}

static tn_status sweep_step(void *self, const tn_allocator *a) {
    (void)self;
    fixture f;
    bool right;
    tn_status status = try_set_up(&f, a, false);
    if (status == NULL) status = scale(&f, 4, 1, 2, &right);
    if (status == NULL) status = scale(&f, 4, 1, 2, &right);
    tear_down(&f);
    return status;
}

Test(dispatch_call, survives_running_out) {
    const char *problem = tn_sweep_allocations(sweep_step, NULL, true, NULL);
    cr_assert_null(problem, "%s", problem);
}
