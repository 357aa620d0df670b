/* Coordinates through views, guards, and coverage, against brute force. Views in
 * graphs are the business of random_test.c. */
#include "schedule/coords.h"

#include <criterion/criterion.h>

#include "base/allocator.h"

static tn_arena arena;
static tn__space space;
static tn_prim_schemas *prims;

static void setup(void) {
    tn_arena_init(&arena, tn_allocator_system());
    cr_assert_null(tn__space_init(&space, tn_allocator_system(), &arena));
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
}

static void teardown(void) {
    cr_expect_null(tn__index_status(&space.index));
    tn_prim_schemas_destroy(prims);
    tn__space_deinit(&space);
    tn_arena_deinit(&arena);
}

TestSuite(coords, .init = setup, .fini = teardown);

/* Coordinates 0, 1, 2 ... of a shape's own axes. */
static tn__coords own(const int64_t *shape, uint32_t n) {
    tn__ix items[TN_MAX_RANK];
    for (uint32_t i = 0; i < n; i++)
        items[i] = tn__ix_axis(&space.index, i, shape[i]);
    return tn__coords_make(&space, items, n);
}

static tn__coords through_reshape(const int64_t *from, uint32_t n_from, const int64_t *to,
                                  uint32_t n_to) {
    tn_ir_graph *g;
    tn_vid x, y;
    tn_arg room[TN_MAX_RANK];
    tn_type type = {.known = true,
                    .dt = TN_DT_F32,
                    .dtype = tn_dt_to_dtype(TN_DT_F32),
                    .rank = (int32_t)n_from,
                    .shape = (int64_t *)from};
    cr_assert_null(tn_ir_create(tn_allocator_system(), prims, "g", &g));
    cr_assert_null(tn_ir_add_input(g, "x", &type, &x));
    for (uint32_t i = 0; i < n_to; i++)
        room[i] = (tn_arg){.tag = TN_TAG_INT, .v.i = to[i]};
    tn_attr attr = {"shape", {.tag = TN_TAG_LIST, .count = n_to, .v.list = room}};
    cr_assert_null(tn_ir_emit(g, TN_PRIM_RESHAPE, &x, 1, &attr, 1, TN_NO_NODE, &y, 1));
    tn__coords out = tn__coords_through(&space, g->nodes[0], &g->values[x].type, &g->values[y].type,
                                        own(to, n_to));
    tn_ir_destroy(g);
    return out;
}

static void check_reshape(const int64_t *from, uint32_t n_from, const int64_t *to, uint32_t n_to) {
    tn__coords coords = through_reshape(from, n_from, to, n_to);
    const tn__coords_data *c = tn__coords_get(&space, coords);
    int64_t at[TN_MAX_RANK] = {0}, count = 1;
    for (uint32_t i = 0; i < n_to; i++)
        count *= to[i];
    cr_assert_eq(c->n, n_from);
    for (int64_t k = 0; k < count; k++) {
        int64_t rest = k, linear = 0;
        for (uint32_t i = n_to; i-- > 0; rest /= to[i])
            at[i] = rest % to[i];
        for (uint32_t i = 0; i < n_from; i++) {
            int64_t v = tn__ix_at(&space.index, c->items[i], at);
            cr_assert(v >= 0 && v < from[i]);
            linear = linear * from[i] + v;
        }
        cr_assert_eq(linear, k);
    }
    /* Back again is where it came from. */
    int64_t strides[TN_MAX_RANK], coefficients[TN_MAX_RANK], constant;
    tn_shape_strides(from, (int32_t)n_from, strides);
    tn__ix linear = tn__coords_address(&space, coords, strides, 0);
    cr_assert(tn__ix_affine(&space.index, linear, coefficients, &constant),
              "the whole is affine whatever the parts are");
}

Test(coords, reshape_keeps_the_order_of_elements) {
    static const int64_t shapes[][6] = {{360, 0},      {4, 90},       {2, 3, 60},    {8, 9, 5},
                                        {9, 8, 5},     {1, 360, 1},   {5, 6, 12},    {2, 2, 2, 45},
                                        {3, 1, 8, 15}, {6, 1, 1, 60}, {10, 4, 3, 3}, {40, 1, 9}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            uint32_t n = 0, m = 0;
            while (n < 6 && shapes[i][n])
                n++;
            while (m < 6 && shapes[k][m])
                m++;
            check_reshape(shapes[i], n, shapes[k], m);
        }
}

Test(coords, reshape_that_splits_and_joins_needs_no_division) {
    const int64_t from[3] = {6, 10, 7}, split[5] = {2, 3, 1, 10, 7}, joined[2] = {60, 7};
    tn__coords s = through_reshape(from, 3, split, 5);
    int64_t c[TN_MAX_RANK], constant;
    for (uint32_t i = 0; i < 3; i++)
        cr_expect(tn__ix_affine(&space.index, tn__coords_get(&space, s)->items[i], c, &constant));
    tn__coords j = through_reshape(from, 3, joined, 2);
    cr_expect_eq(tn__coords_get(&space, j)->items[2], tn__ix_axis(&space.index, 1, 7));
}

Test(coords, guards_keep_what_is_not_proven) {
    tn__index *p = &space.index;
    tn__ix i = tn__ix_axis(p, 0, 10);
    cr_expect_eq(tn__guard_and(&space, TN__GUARD_ALWAYS, i, 0, 10), TN__GUARD_ALWAYS);
    cr_expect_eq(tn__guard_and(&space, TN__GUARD_ALWAYS, i, 10, 20), TN__GUARD_NEVER);
    cr_expect_eq(tn__guard_and(&space, TN__GUARD_ALWAYS, i, 5, 5), TN__GUARD_NEVER);
    tn__guard g = tn__guard_and(&space, TN__GUARD_ALWAYS, i, 2, 20);
    cr_expect_eq(tn__guard_get(&space, g)->n, 1);
    /* The same coordinate with an offset is the same term. */
    tn__guard h = tn__guard_and(&space, g, tn__ix_offset(p, i, -3), 0, 5);
    cr_expect_eq(tn__guard_get(&space, h)->n, 1);
    cr_expect_eq(tn__guard_get(&space, h)->terms[0].lo, 3);
    cr_expect_eq(tn__guard_get(&space, h)->terms[0].hi, 8);
    cr_expect_eq(tn__guard_and(&space, h, i, 8, 9), TN__GUARD_NEVER);
    cr_expect_eq(tn__guard_and(&space, TN__GUARD_NEVER, i, 0, 10), TN__GUARD_NEVER);
    tn__ix v = tn__ix_value(p, 7, INT64_MIN, INT64_MAX, 1);
    cr_expect_neq(tn__guard_and(&space, TN__GUARD_ALWAYS, v, 0, 4), TN__GUARD_ALWAYS);
}

Test(coords, cover_is_once_and_all) {
    tn__index *p = &space.index;
    const int64_t shape[2] = {6, 4}, extents[3] = {6, 4, 5};
    tn__ix a = tn__ix_axis(p, 0, 6), b = tn__ix_axis(p, 1, 4);
    uint32_t axes;
    tn__ix straight[2] = {a, b}, same[2] = {a, 0};
    cr_expect(
        tn__coords_cover(&space, tn__coords_make(&space, straight, 2), shape, extents, 3, &axes));
    cr_expect_eq(axes, 3);
    cr_expect_not(
        tn__coords_cover(&space, tn__coords_make(&space, same, 2), shape, extents, 3, &axes));
    /* Digits of another axis, as a reshape gives them. */
    const int64_t flat[1] = {24};
    tn__ix l = tn__ix_axis(p, 0, 24), digits[2] = {tn__ix_div(p, l, 4), tn__ix_mod(p, l, 4)};
    cr_expect(tn__coords_cover(&space, tn__coords_make(&space, digits, 2), shape, flat, 1, &axes));
    /* Backwards from the end is all, in another order; from elsewhere it is not. */
    tn__ix turned[2] = {a, tn__ix_offset(p, tn__ix_scale(p, b, -1), 3)};
    tn__ix shifted[2] = {a, tn__ix_offset(p, tn__ix_scale(p, b, -1), 4)};
    cr_expect(
        tn__coords_cover(&space, tn__coords_make(&space, turned, 2), shape, extents, 3, &axes));
    cr_expect_not(
        tn__coords_cover(&space, tn__coords_make(&space, shifted, 2), shape, extents, 3, &axes));
    tn__ix stepped[2] = {a, tn__ix_scale(p, tn__ix_axis(p, 1, 2), 2)};
    cr_expect_not(
        tn__coords_cover(&space, tn__coords_make(&space, stepped, 2), shape, extents, 3, &axes));
    tn__ix part[2] = {tn__ix_axis(p, 0, 3), b};
    const int64_t less[2] = {3, 4};
    cr_expect_not(
        tn__coords_cover(&space, tn__coords_make(&space, part, 2), shape, less, 2, &axes));
}
