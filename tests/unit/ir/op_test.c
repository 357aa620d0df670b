/* Inference through meta functions that tell the truth, and through ones that do
 * not. Each meta function here says what its test wants to hear judged. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"
#include "support/test_ops.h"
#include "tenon/util.h"

static const tn_device cpu = {TN_DEVICE_CPU, 0};
static const tn_dtype f32 = {TN_TYPE_FLOAT, 32, 1};

/* ------------------------------------------------------------------- fixture */

typedef struct call {
    tn_test_ops *ops;
    const struct tn_op *op;
    tn_arena arena;
    tn_op_results results;
} call;

static tn_status infer_with(call *c, const tn_allocator *allocator, const char *schema,
                            tn_meta_fn meta, const tn_arg *args) {
    *c = (call){0};
    tn_arena_init(&c->arena, allocator);
    TN_TRY(tn_test_ops_create_empty(allocator, &c->ops));
    const tn_op_desc desc = {.struct_size = sizeof desc, .schema = schema, .meta = meta};
    TN_TRY(tn_test_ops_add(c->ops, &desc));
    c->op = &c->ops->ops[0]->op;
    return tn_op_infer(c->op, args, cpu, &c->arena, &c->results);
}

static void end(call *c) {
    tn_arena_deinit(&c->arena);
    tn_test_ops_destroy(c->ops);
}

static void infer(call *c, const char *schema, tn_meta_fn meta, const tn_arg *args) {
    tn_status status = infer_with(c, tn_allocator_system(), schema, meta, args);
    cr_assert_null(status, "%s", tn_status_message(status));
}

/* The call fails with this code, and its message names plugin, file, op and what
 * is wrong. */
static void assert_refused(const char *schema, tn_meta_fn meta, const tn_arg *args, tn_code code,
                           const char *reason) {
    call c;
    tn_status status = infer_with(&c, tn_allocator_system(), schema, meta, args);
    const char *message = tn_status_message(status);
    cr_assert_eq(tn_status_code(status), code, "%d: %s", tn_status_code(status), message);
    cr_assert_not_null(strstr(message, reason), "'%s' is not in: %s", reason, message);
    cr_assert_eq(strncmp(message, "plugin test 1.0.0 (test.so): op t::f: meta: ", 44), 0, "%s",
                 message);
    cr_assert_eq(c.results.n, 0);
    tn_status_free(status);
    end(&c);
}

static int64_t shape_23[] = {2, 3}, strides_23[] = {3, 1}, strides_t[] = {1, 2};
static tn_tensor x = {.device = {TN_DEVICE_CPU, 0},
                      .ndim = 2,
                      .dtype = {TN_TYPE_FLOAT, 32, 1},
                      .shape = shape_23,
                      .strides = strides_23};
static tn_tensor transposed = {.device = {TN_DEVICE_CPU, 0},
                               .ndim = 2,
                               .dtype = {TN_TYPE_FLOAT, 32, 1},
                               .shape = shape_23,
                               .strides = strides_t};
static const tn_arg x_arg[] = {{.tag = TN_TAG_TENSOR, .v.tensor = &x}};

/* The spec that the one-line meta function below passes on. */
static tn_spec spec;
static tn_code set_spec(const tn_meta_context *m) {
    return m->set(m, 0, &spec);
}

static void assert_spec_refused(const char *schema, tn_spec wrong, const char *reason) {
    spec = wrong;
    spec.struct_size = sizeof spec;
    assert_refused(schema, set_spec, x_arg, TN_PLUGIN, reason);
}

static const char one[] = "t::f(Tensor x) -> Tensor";

/* --------------------------------------------------------------------- truth */

static tn_code like(const tn_meta_context *m) {
    const tn_tensor *t;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &t));
    return tn_meta_like(m, 0, t);
}

Test(op, a_plain_result_is_contiguous) {
    call c;
    const tn_arg args[] = {{.tag = TN_TAG_TENSOR, .v.tensor = &transposed}};
    infer(&c, one, like, args);
    cr_assert_eq(c.results.n, 1);
    const tn_op_result *r = &c.results.items[0];
    cr_assert(r->present);
    cr_assert_eq(r->rank, 2);
    cr_assert_arr_eq(r->shape, shape_23, sizeof shape_23);
    cr_assert_arr_eq(r->strides, strides_23, sizeof strides_23);
    cr_assert_eq(r->alias_argument, -1);
    cr_assert_eq(r->device.type, TN_DEVICE_CPU);
    cr_assert_eq(c.results.counts[0], 1);
    end(&c);
}

static tn_code zero_d(const tn_meta_context *m) {
    return tn_meta_contiguous(m, 0, tn_dtype_of_F32(), 0, NULL);
}

static tn_code zero_size(const tn_meta_context *m) {
    const int64_t shape[] = {0, 5, INT64_C(1) << 40};
    return tn_meta_contiguous(m, 0, tn_dtype_of_I8(), 3, shape);
}

Test(op, zero_d_and_zero_size_are_results) {
    call c;
    infer(&c, one, zero_d, x_arg);
    cr_assert_eq(c.results.items[0].rank, 0);
    end(&c);
    infer(&c, one, zero_size, x_arg);
    cr_assert_eq(c.results.items[0].shape[0], 0);
    cr_assert_eq(c.results.items[0].strides[2], 1);
    end(&c);
}

/* META-01: what the host allocates is what meta said, strides included. */
Test(op, strides_that_meta_states_are_kept) {
    call c;
    const int64_t strides[] = {1, 8};
    spec = tn_make_spec(f32, 2, shape_23);
    spec.strides = strides;
    infer(&c, one, set_spec, x_arg);
    cr_assert_arr_eq(c.results.items[0].strides, strides, sizeof strides);
    end(&c);
}

static tn_code lists(const tn_meta_context *m) {
    const int64_t shape[] = {4};
    const tn_spec item = tn_make_spec(tn_dtype_of_I64(), 1, shape);
    TN_CHECK(m->set_count(m, 0, 3));
    TN_CHECK(m->set_item(m, 0, 2, &item));
    TN_CHECK(m->set_item(m, 0, 0, &item));
    TN_CHECK(m->set_item(m, 0, 1, &item));
    TN_CHECK(m->set_none(m, 1));
    return m->set(m, 2, &item);
}

Test(op, lists_and_absent_results_are_flattened) {
    call c;
    infer(&c, "t::f(Tensor x) -> (Tensor[], Tensor?, Tensor?)", lists, x_arg);
    cr_assert_eq(c.results.n, 5);
    cr_assert_eq(c.results.counts[0], 3);
    cr_assert_eq(c.results.counts[1], 1);
    cr_assert(!c.results.items[3].present);
    cr_assert(c.results.items[4].present);
    end(&c);
}

static tn_code nothing(const tn_meta_context *m) {
    return m->n_results == 0 || m->n_args > 0 ? TN_OK : TN_INVALID;
}

Test(op, no_results) {
    call c;
    infer(&c, "t::f(Tensor(a!) x) -> ()", nothing, x_arg);
    cr_assert_eq(c.results.n, 0);
    end(&c);
}

Test(op, an_upper_bound_and_a_vector_dtype) {
    call c;
    spec = tn_make_spec((tn_dtype){TN_TYPE_FLOAT, 16, 8}, 2, shape_23);
    spec.flags = TN_SPEC_UPPER_BOUND | 1u << 16; /* bits from 16 on may be unknown */
    infer(&c, one, set_spec, x_arg);
    cr_assert(c.results.items[0].flags & TN_SPEC_UPPER_BOUND);
    cr_assert_eq(c.results.items[0].dtype.lanes, 8);
    end(&c);
}

/* -------------------------------------------------------------------- aliases */

static tn_code view_of(const tn_meta_context *m) {
    const int64_t shape[] = {3, 2}, strides[] = {1, 3};
    return tn_meta_view(m, 0, 0, 2, shape, strides, 0);
}

static tn_code last_row_reversed(const tn_meta_context *m) {
    const int64_t shape[] = {3}, strides[] = {-1};
    return tn_meta_view(m, 0, 0, 1, shape, strides, 5);
}

Test(op, views_of_an_argument) {
    call c;
    infer(&c, "t::f(Tensor(a) x) -> Tensor(a)", view_of, x_arg);
    cr_assert_eq(c.results.items[0].alias_argument, 0);
    cr_assert_eq(c.results.items[0].alias_offset, 0);
    end(&c);
    infer(&c, "t::f(Tensor(a|b) x) -> Tensor(b)", last_row_reversed, x_arg);
    cr_assert_eq(c.results.items[0].alias_offset, 20);
    cr_assert_eq(c.results.items[0].strides[0], -1);
    end(&c);
    assert_refused(one, view_of, x_arg, TN_PLUGIN, "argument 'x', but the schema declares no such");
}

static tn_code view_of_item(const tn_meta_context *m) {
    return m->set(m, 0, &spec);
}

Test(op, a_view_of_a_list_item) {
    call c;
    const tn_arg items[] = {x_arg[0], {.tag = TN_TAG_TENSOR, .v.tensor = &transposed}};
    const tn_arg args[] = {{.tag = TN_TAG_LIST, .count = 2, .v.list = items}};
    const char schema[] = "t::f(Tensor(a)[] x) -> Tensor(a)";
    spec = tn_make_spec(f32, 2, shape_23);
    spec.strides = strides_t;
    spec.flags = TN_SPEC_ALIAS;
    spec.alias_item = 1;
    infer(&c, schema, view_of_item, args);
    cr_assert_eq(c.results.items[0].alias_item, 1);
    end(&c);
    spec.alias_item = 2;
    assert_refused(schema, view_of_item, args, TN_PLUGIN, "item 2, which is no tensor");
}

static tn_code view_outside(const tn_meta_context *m) {
    const int64_t shape[] = {3}, strides[] = {2};
    return tn_meta_view(m, 0, 0, 1, shape, strides, 2);
}

static tn_code view_before(const tn_meta_context *m) {
    const int64_t shape[] = {2}, strides[] = {-1};
    return tn_meta_view(m, 0, 0, 1, shape, strides, 0);
}

static tn_code view_overflows(const tn_meta_context *m) {
    const int64_t shape[] = {3}, strides[] = {INT64_MAX};
    return tn_meta_view(m, 0, 0, 1, shape, strides, 0);
}

static tn_code view_of_nothing(const tn_meta_context *m) {
    const int64_t shape[] = {0, 3}, strides[] = {9, 9};
    return tn_meta_view(m, 0, 0, 2, shape, strides, 1000);
}

Test(op, a_view_stays_inside_its_argument) {
    const char schema[] = "t::f(Tensor(a) x) -> Tensor(a)";
    assert_refused(schema, view_outside, x_arg, TN_PLUGIN, "a view that leaves argument 'x'");
    assert_refused(schema, view_before, x_arg, TN_PLUGIN, "a view that leaves argument 'x'");
    assert_refused(schema, view_overflows, x_arg, TN_PLUGIN, "a view that leaves argument 'x'");
    call c;
    infer(&c, schema, view_of_nothing, x_arg);
    end(&c);
}

Test(op, a_written_result_is_described_by_the_host) {
    const char schema[] = "t::f(Tensor y, Tensor(a!) x) -> Tensor(a!)";
    const tn_arg args[] = {x_arg[0], {.tag = TN_TAG_TENSOR, .v.tensor = &transposed}};
    call c;
    infer(&c, schema, nothing, args);
    const tn_op_result *r = &c.results.items[0];
    cr_assert_eq(r->alias_argument, 1);
    cr_assert_eq(r->flags, TN_SPEC_ALIAS);
    cr_assert_arr_eq(r->strides, strides_t, sizeof strides_t);
    end(&c);
    assert_refused(schema, like, args, TN_PLUGIN, "the host describes and meta must not set");
}

Test(op, written_lists) {
    const tn_arg items[] = {x_arg[0], {.tag = TN_TAG_TENSOR, .v.tensor = &transposed}};
    const tn_arg args[] = {{.tag = TN_TAG_LIST, .count = 2, .v.list = items}};
    call c;
    infer(&c, "t::f(Tensor(a!)[] x) -> Tensor(a!)[]", nothing, args);
    cr_assert_eq(c.results.n, 2);
    cr_assert_eq(c.results.items[1].alias_item, 1);
    cr_assert_arr_eq(c.results.items[1].strides, strides_t, sizeof strides_t);
    end(&c);
}

/* ----------------------------------------------------------------------- lies */

Test(op, specs_that_make_no_sense) {
    const tn_spec good = tn_make_spec(f32, 2, shape_23);
    tn_spec wrong = good;
    wrong.ndim = -1;
    assert_spec_refused(one, wrong, "result 0: its rank is -1; 0 to 16 are allowed");
    wrong.ndim = 17;
    assert_spec_refused(one, wrong, "its rank is 17");
    wrong = good;
    wrong.shape = NULL;
    assert_spec_refused(one, wrong, "its rank is 2, but its shape is NULL");
    wrong = good;
    wrong.shape = (const int64_t[]){2, -3};
    assert_spec_refused(one, wrong, "axis 1: expected an extent of 0 or more, found -3");
    wrong = good;
    wrong.dtype.bits = 0;
    assert_spec_refused(one, wrong, "0 bits");
    wrong = good;
    wrong.dtype.code = 200;
    assert_spec_refused(one, wrong, "code 200");
    wrong = good;
    wrong.flags = TN_SPEC_ALIAS;
    assert_spec_refused(one, wrong, "it is a view, but its strides are NULL");
    wrong.flags = TN_SPEC_ALIAS | TN_SPEC_UPPER_BOUND;
    assert_spec_refused(one, wrong, "both a view and an upper bound");
    wrong.flags = TN_SPEC_ALIAS;
    wrong.strides = strides_23;
    wrong.alias_argument = 7;
    assert_spec_refused(one, wrong, "argument 7, item 0, which is no tensor");
}

Test(op, unknown_flags_that_must_be_known) {
    spec = tn_make_spec(f32, 2, shape_23);
    spec.flags = 1u << 9;
    assert_refused(one, set_spec, x_arg, TN_UNSUPPORTED, "its flags hold 0x200");
}

static tn_code unsized_spec(const tn_meta_context *m) {
    spec.struct_size = 0;
    return m->set(m, 0, &spec);
}

static tn_code null_spec(const tn_meta_context *m) {
    return m->set(m, 0, NULL);
}

/* What a plugin built against an older header would send: the fields it does
 * not know read as zero. */
static tn_code short_spec(const tn_meta_context *m) {
    spec = tn_make_spec(f32, 2, shape_23);
    spec.struct_size = offsetof(tn_spec, strides);
    spec.strides = (const int64_t *)8;
    spec.flags = TN_SPEC_ALIAS;
    return m->set(m, 0, &spec);
}

Test(op, struct_sizes) {
    assert_refused(one, unsized_spec, x_arg, TN_PLUGIN, "has struct_size 0, expected");
    assert_refused(one, null_spec, x_arg, TN_PLUGIN, "its tn_spec is NULL");
    call c;
    infer(&c, one, short_spec, x_arg);
    cr_assert_eq(c.results.items[0].strides[0], 3);
    end(&c);
}

Test(op, layouts_that_overlap_or_overflow) {
    const struct {
        int64_t shape[3], strides[3];
        const char *reason;
    } cases[] = {
        {{2, 3, 4}, {12, 4, 0}, "axis 2 has extent 4 and stride 0"},
        {{2, 3, 4}, {12, -4, 1}, "axis 1 has extent 3 and stride -4"},
        {{2, 3, 4},
         {11, 4, 1},
         "elements overlap: axis 0 has stride 11, but the axes of smaller "
         "stride reach 11 elements far"},
        {{2, 3, 4}, {1, 1, 1}, "elements overlap"},
        {{3, 1, 2}, {INT64_MAX / 2, 1, 1}, "more bits than an int64 counts"},
        {{INT64_MAX, 1, 1}, {1, 1, 1}, "more bits than an int64 counts"},
        {{INT64_MAX, 2, 1}, {1, INT64_MAX, 1}, "more bits than an int64 counts"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tn_spec wrong = tn_make_spec(f32, 3, cases[i].shape);
        wrong.strides = cases[i].strides;
        assert_spec_refused(one, wrong, cases[i].reason);
    }
    const int64_t huge[] = {INT64_C(1) << 40, INT64_C(1) << 40};
    assert_spec_refused(one, tn_make_spec(f32, 2, huge), "more bits than an int64 counts");
    /* Gaps, and any stride where an extent is 1, are no overlap. */
    call c;
    const int64_t shape[] = {2, 1, 4}, strides[] = {64, 0, 2};
    spec = tn_make_spec(f32, 3, shape);
    spec.strides = strides;
    infer(&c, one, set_spec, x_arg);
    end(&c);
}

static tn_code forgets(const tn_meta_context *m) {
    (void)m;
    return TN_OK;
}
static tn_code twice(const tn_meta_context *m) {
    TN_CHECK(like(m));
    return like(m);
}
static tn_code beyond(const tn_meta_context *m) {
    spec = tn_make_spec(f32, 2, shape_23);
    return m->set(m, 1, &spec);
}
static tn_code none_of_a_tensor(const tn_meta_context *m) {
    return m->set_none(m, 0);
}
static tn_code count_of_a_tensor(const tn_meta_context *m) {
    return m->set_count(m, 0, 1);
}
static tn_code item_of_a_tensor(const tn_meta_context *m) {
    return m->set_item(m, 0, 0, &spec);
}

Test(op, results_that_are_not_the_schemas) {
    assert_refused(one, forgets, x_arg, TN_PLUGIN, "returned ok without describing result 0");
    assert_refused(one, twice, x_arg, TN_PLUGIN, "result 0: it was described twice");
    assert_refused(one, beyond, x_arg, TN_PLUGIN, "result 1: there is no such result");
    assert_refused(one, none_of_a_tensor, x_arg, TN_PLUGIN, "only allowed where the schema says");
    assert_refused(one, count_of_a_tensor, x_arg, TN_PLUGIN, "set_count is for Tensor[]");
    assert_refused(one, item_of_a_tensor, x_arg, TN_PLUGIN, "set_item is for Tensor[]");
}

static uint32_t list_count;
static tn_code counts(const tn_meta_context *m) {
    return m->set_count(m, 0, list_count);
}
static tn_code item_beyond(const tn_meta_context *m) {
    spec = tn_make_spec(f32, 2, shape_23);
    TN_CHECK(m->set_count(m, 0, 1));
    return m->set_item(m, 0, 1, &spec);
}

Test(op, lists_that_are_not_the_schemas) {
    const char any[] = "t::f(Tensor x) -> Tensor[]";
    assert_refused(any, like, x_arg, TN_PLUGIN, "it is a list: use set_count, then set_item");
    assert_refused(any, item_beyond, x_arg, TN_PLUGIN, "result 0: item 1 is out of range");
    list_count = UINT32_MAX;
    assert_refused(any, counts, x_arg, TN_PLUGIN, "a list of 4294967295 tensors is too long");
    list_count = 2;
    assert_refused(any, counts, x_arg, TN_PLUGIN, "without describing item 0 of result 0");
    assert_refused("t::f(Tensor x) -> Tensor[3]", counts, x_arg, TN_PLUGIN,
                   "set_count said 2, the schema says Tensor[3]");
    call c;
    list_count = 0;
    infer(&c, any, counts, x_arg);
    cr_assert_eq(c.results.n, 0);
    end(&c);
}

/* A wrong answer is an error even when the function then says that all is well. */
static tn_code ignores(const tn_meta_context *m) {
    spec = tn_make_spec(f32, -1, shape_23);
    (void)m->set(m, 0, &spec);
    return TN_OK;
}

Test(op, a_refused_answer_sticks) {
    assert_refused(one, ignores, x_arg, TN_PLUGIN, "its rank is -1");
}

/* --------------------------------------------------------------------- errors */

static tn_code says_why(const tn_meta_context *m) {
    TN_REQUIRE(m->cb, m->n_args == 99, "expected %d arguments", 99);
    return TN_OK;
}
static tn_code says_nothing(const tn_meta_context *m) {
    (void)m;
    return TN_UNSUPPORTED;
}
static tn_code unknown_code(const tn_meta_context *m) {
    return m->cb->fail(m->cb, 4711, "oops");
}
static tn_code says_too_much(const tn_meta_context *m) {
    char *text = m->cb->scratch(m->cb, 10000);
    if (!text) return TN_NO_MEMORY;
    memset(text, 'y', 9999);
    return m->cb->fail(m->cb, TN_INVALID, text);
}
static tn_code wrong_accessor(const tn_meta_context *m) {
    int64_t n;
    return tn_get_int(m->cb, m->args, m->n_args, 0, &n);
}

Test(op, the_plugins_own_reason_arrives) {
    assert_refused(one, says_why, x_arg, TN_INVALID, "expected 99 arguments");
    assert_refused(one, says_nothing, x_arg, TN_UNSUPPORTED, "it gave no reason");
    assert_refused(one, unknown_code, x_arg, TN_PLUGIN, "returned 4711, which is no code");
    assert_refused(one, says_too_much, x_arg, TN_INVALID, "yyyyyyyy");
    assert_refused(one, wrong_accessor, x_arg, TN_INVALID,
                   "argument 0: expected an int, got a tensor");
}

Test(op, scratch_is_aligned_and_fails_softly) {
    tn_op_callback c;
    tn_op_callback_init(&c, tn_allocator_system());
    for (size_t bytes = 0; bytes < 200; bytes += 7) {
        char *ptr = c.cb.scratch(&c.cb, bytes);
        cr_assert_not_null(ptr);
        cr_assert_eq((uintptr_t)ptr % 64, 0);
        memset(ptr, 1, bytes);
    }
    cr_assert_null(c.cb.scratch(&c.cb, SIZE_MAX));
    tn_op_callback_deinit(&c);
}

static tn_status sweep_step(void *self, const tn_allocator *allocator) {
    (void)self;
    call c;
    tn_status status = infer_with(&c, allocator, "t::f(Tensor x) -> (Tensor[], Tensor?, Tensor?)",
                                  lists, x_arg);
    end(&c);
    return status;
}

Test(op, no_memory) {
    const char *problem = tn_sweep_allocations(sweep_step, NULL, false, NULL);
    cr_assert_null(problem, "%s", problem);
}
