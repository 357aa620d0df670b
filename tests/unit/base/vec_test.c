#include "base/vec.h"

#include <criterion/criterion.h>
#include <stdint.h>

#include "base/status.h"
#include "support/failing_allocator.h"

Test(vec, pushes_and_frees) {
    tn_failing_allocator fa;
    tn_failing_allocator_init(&fa);
    TN_VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        cr_assert(tn_vec_push(&fa.allocator, &v, i));
    cr_assert_eq(v.len, 1000);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(v.data[i], i);
    cr_assert_lt(fa.allocations, 12, "growth is geometric");
    tn_vec_free(&fa.allocator, &v);
    cr_assert_null(v.data);
    const char *problem = tn_failing_allocator_problem(&fa);
    cr_assert_null(problem, "%s", problem);
    tn_failing_allocator_deinit(&fa);
}

typedef struct pair {
    double a;
    int b;
} pair;

Test(vec, holds_structs) {
    const tn_allocator *a = tn_allocator_system();
    TN_VEC(pair) v = {0};
    cr_assert(tn_vec_push(a, &v, (pair){1.5, 2}));
    cr_assert(tn_vec_push(a, &v, (pair){2.5, 3}));
    cr_assert_eq(v.data[1].b, 3);
    tn_vec_free(a, &v);
}

Test(vec, reserve_makes_room_for_all_at_once) {
    tn_failing_allocator fa;
    tn_failing_allocator_init(&fa);
    TN_VEC(int) v = {0};
    cr_assert(tn_vec_reserve(&fa.allocator, &v, 5000));
    tn_failing_allocator_begin(&fa, 1, true);
    for (int i = 0; i < 5000; i++)
        cr_assert(tn_vec_push(&fa.allocator, &v, i));
    tn_vec_free(&fa.allocator, &v);
    tn_failing_allocator_deinit(&fa);
}

Test(vec, sizes_do_not_overflow) {
    const tn_allocator *a = tn_allocator_system();
    TN_VEC(double) v = {0};
    cr_assert(tn_vec_push(a, &v, 1.0));
    cr_assert_not(tn_vec_reserve(a, &v, SIZE_MAX));
    cr_assert_not(tn_vec_reserve(a, &v, SIZE_MAX / 4));
    cr_assert_eq(v.len, 1);
    cr_assert_eq(v.data[0], 1.0);
    tn_vec_free(a, &v);
}

static tn_status push_many(void *self, const tn_allocator *a) {
    (void)self;
    TN_VEC(int) v = {0};
    tn_status status = NULL;
    for (int i = 0; i < 100 && !status; i++) {
        if (!tn_vec_push(a, &v, i)) status = tn_status_no_memory();
    }
    tn_vec_free(a, &v);
    return status;
}

Test(vec, survives_running_out) {
    uint64_t allocations;
    const char *problem = tn_sweep_allocations(push_many, NULL, false, &allocations);
    cr_assert_null(problem, "%s", problem);
    cr_assert_gt(allocations, 1);
}
