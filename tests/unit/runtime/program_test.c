/* Plans of one program made by several threads. The op's prepare, which is part of
 * planning, waits where the test says, so that nothing depends on time. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>

#include "ir/text.h"
#include "runtime/program.h"
#include "support/runtime_case.h"

#define MOST 80 /* elements */

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool shut;   /* prepare of five elements waits until it opens */
    int waiting; /* in prepare */
    int prepared[MOST + 1];
    bool fail;
} gate;

static gate the_gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static tn_code prepare(const tn_run_context *ctx, const tn_problem *problem, void **out_state) {
    gate *g = &the_gate;
    int64_t n = problem->args[0].v.tensor->shape[0];
    *out_state = NULL;
    pthread_mutex_lock(&g->lock);
    g->prepared[n]++;
    if (n == 5) {
        g->waiting++;
        pthread_cond_broadcast(&g->changed);
        while (g->shut)
            pthread_cond_wait(&g->changed, &g->lock);
    }
    bool fail = g->fail;
    pthread_mutex_unlock(&g->lock);
    return fail ? ctx->cb->fail(ctx->cb, TN_INVALID, "told to") : TN_OK;
}

static tn_code run_copy(const tn_run_context *ctx, void *state, const tn_call *call) {
    (void)ctx, (void)state;
    const tn_tensor *x = call->args[0].v.tensor, *y = call->results[0].v.tensor;
    memcpy((char *)y->data + y->byte_offset, (const char *)x->data + x->byte_offset,
           (size_t)x->shape[0] * sizeof(float));
    return TN_OK;
}

static void shut(bool is_shut) {
    pthread_mutex_lock(&the_gate.lock);
    the_gate.shut = is_shut;
    pthread_cond_broadcast(&the_gate.changed);
    pthread_mutex_unlock(&the_gate.lock);
}

static void await_prepare(void) {
    pthread_mutex_lock(&the_gate.lock);
    while (the_gate.waiting == 0)
        pthread_cond_wait(&the_gate.changed, &the_gate.lock);
    pthread_mutex_unlock(&the_gate.lock);
}

typedef struct job {
    tn_program *program;
    int64_t n;
    tn_status status;
    bool right;
} job;

static void *run_job(void *arg) {
    job *j = arg;
    float x[MOST], y[MOST] = {0};
    int64_t stride = 1;
    for (int i = 0; i < MOST; i++)
        x[i] = (float)i + 1;
    tn_tensor in = {.data = x,
                    .device = {TN_DEVICE_CPU, 0},
                    .ndim = 1,
                    .dtype = {TN_TYPE_FLOAT, 32, 1},
                    .shape = &j->n,
                    .strides = &stride};
    tn_tensor out = in;
    out.data = y;
    const tn_tensor *inputs[1] = {&in};
    tn_tensor *outputs[1] = {&out};
    j->status = tn_program_run(j->program, inputs, 1, outputs, 1);
    j->right = memcmp(x, y, (size_t)j->n * sizeof *x) == 0;
    return NULL;
}

typedef struct fixture {
    tn_test_runtime *t;
    tn_ir_graph *graph;
    tn_program *program;
    tn_kernel kernel;
    const tn_kernel *kernels[1];
} fixture;

static void set_up(fixture *f) {
    static const char text[] = "graph @g(%x: f32[N]) {\n  %y = test::copy(%x)\n  return %y\n}\n";
    f->kernel = (tn_kernel){.struct_size = sizeof f->kernel,
                            .device_type = TN_DEVICE_CPU,
                            .prepare = prepare,
                            .run = run_copy};
    f->kernels[0] = &f->kernel;
    const tn_op_desc desc = {.struct_size = sizeof desc,
                             .schema = "test::copy(Tensor x) -> Tensor",
                             .meta = tn_test_meta_like,
                             .kernels = f->kernels,
                             .n_kernels = 1};
    const tn_run_plan_options options = {.target = TN_TARGET_REFERENCE};
    cr_assert_null(tn_test_runtime_create(tn_allocator_system(), false, &f->t));
    cr_assert_null(tn_test_ops_add(f->t->ops, &desc));
    cr_assert_null(tn_ir_parse(f->t->rt.allocator, f->t->rt.prim_schemas, &f->t->rt.ops, text,
                               strlen(text), "test", &f->graph));
    cr_assert_null(tn_program_create(&f->t->rt, f->graph, &options, NULL, &f->program));
}

static void tear_down(fixture *f) {
    tn_program_destroy(f->program);
    tn_ir_destroy(f->graph);
    tn_test_runtime_destroy(f->t);
}

Test(runtime_program, a_known_shape_runs_while_another_is_planned, .timeout = 60) {
    fixture f;
    pthread_t slow;
    set_up(&f);
    job known = {f.program, 3, NULL, false}, unknown = {f.program, 5, NULL, false};
    run_job(&known);
    cr_assert_null(known.status);
    shut(true);
    cr_assert_eq(pthread_create(&slow, NULL, run_job, &unknown), 0);
    await_prepare();
    known.right = false;
    run_job(&known); /* would wait for ever if planning held the lock */
    cr_assert_null(known.status);
    cr_assert(known.right);
    job other = {f.program, 7, NULL, false};
    run_job(&other); /* a third shape is planned meanwhile */
    cr_assert_null(other.status);
    cr_assert(other.right);
    shut(false);
    pthread_join(slow, NULL);
    cr_assert_null(unknown.status);
    cr_assert(unknown.right);
    tear_down(&f);
}

Test(runtime_program, a_shape_that_many_want_is_planned_once, .timeout = 60) {
    enum { THREADS = 6 };
    fixture f;
    pthread_t threads[THREADS];
    job jobs[THREADS];
    tn_program_stats stats;
    set_up(&f);
    shut(true);
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){f.program, 5, NULL, false};
        cr_assert_eq(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
        await_prepare(); /* the others come while the first is at it */
    }
    shut(false);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_assert_null(jobs[i].status);
        cr_assert(jobs[i].right);
    }
    tn_program_get_stats(f.program, &stats);
    cr_assert_eq(the_gate.prepared[5], 1);
    cr_assert_eq(stats.plans, 1);
    cr_assert_eq(stats.runs, THREADS);
    tear_down(&f);
}

Test(runtime_program, who_waited_for_a_plan_that_failed_has_an_error_too, .timeout = 60) {
    enum { THREADS = 3 };
    fixture f;
    pthread_t threads[THREADS];
    job jobs[THREADS];
    set_up(&f);
    the_gate.fail = true;
    shut(true);
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){f.program, 5, NULL, false};
        cr_assert_eq(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
        await_prepare();
    }
    shut(false);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_assert_eq(tn_status_code(jobs[i].status), TN_INVALID);
        cr_assert(strstr(tn_status_message(jobs[i].status), "told to") != NULL);
        tn_status_free(jobs[i].status);
    }
    the_gate.fail = false;
    job again = {f.program, 5, NULL, false};
    run_job(&again); /* nothing of the failure is left */
    cr_assert_null(again.status);
    cr_assert(again.right);
    tear_down(&f);
}

Test(runtime_program, the_plan_used_longest_ago_goes, .timeout = 60) {
    fixture f;
    tn_program_stats stats;
    set_up(&f);
    /* Full; 1 is used once more; one too many; 1 is there and 2 is not. */
    for (int64_t n = 1; n <= TN_PROGRAM_PLANS + 4; n++) {
        const int64_t last[4] = {1, TN_PROGRAM_PLANS + 1, 1, 2};
        int64_t extent = n <= TN_PROGRAM_PLANS ? n : last[n - TN_PROGRAM_PLANS - 1];
        job j = {f.program, extent, NULL, false};
        run_job(&j);
        cr_assert_null(j.status);
        cr_assert(j.right);
    }
    tn_program_get_stats(f.program, &stats);
    cr_assert_eq(stats.plans, TN_PROGRAM_PLANS + 2);
    cr_assert_eq(the_gate.prepared[1], 1);
    cr_assert_eq(the_gate.prepared[2], 2);
    tear_down(&f);
}
