/* LAY-11, LAY-13, LAY-15: index arithmetic beyond 2^31, on memory that is mostly not there.
 * Inputs are pages that nobody wrote, which read as zeros and take no memory; results go to
 * one window of memory that is mapped again and again, but for their end, which is looked
 * at. $TN_NIGHTLY runs every size at the boundaries. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tenon/tenon.h"

#define WINDOW ((size_t)1 << 26)

static tn_context *context;

static void setup(void) {
    tn_status status = tn_context_create(NULL, &context);
    cr_assert_null(status, "%s", tn_status_message(status));
}

static void teardown(void) {
    tn_context_release(context);
}

TestSuite(cases_large, .init = setup, .fini = teardown, .timeout = 500);

static void *reserve(size_t bytes) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(at, MAP_FAILED, "%zu bytes of addresses", bytes);
    madvise(at, bytes, MADV_HUGEPAGE); /* fewer faults, where it is allowed */
    return at;
}

/* bytes is a multiple of a page; at least the last WINDOW of it is memory of its own. */
static void *repeat_window(size_t bytes) {
    int file = memfd_create("window", 0);
    cr_assert_geq(file, 0);
    cr_assert_eq(ftruncate(file, (off_t)WINDOW), 0);
    char *at = reserve(bytes);
    for (size_t i = 0; i + 2 * WINDOW <= bytes; i += WINDOW) {
        void *got = mmap(at + i, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
        cr_assert_eq(got, (void *)(at + i));
    }
    close(file);
    return at;
}

static bool is_nightly(void) {
    return getenv("TN_NIGHTLY") != NULL;
}

static size_t whole_pages(uint64_t bytes) {
    return (size_t)(bytes + 4095) & ~(size_t)4095;
}

typedef struct large {
    tn_tensor t;
    int64_t shape[2], strides[2];
} large;

static void describe(large *l, void *data, tn_dtype dtype, int32_t rank, int64_t rows,
                     int64_t columns) {
    l->t = (tn_tensor){.data = data,
                       .device = {TN_DEVICE_CPU, 0},
                       .ndim = rank,
                       .dtype = dtype,
                       .shape = l->shape,
                       .strides = l->strides};
    l->shape[0] = rows;
    l->strides[0] = rank == 2 ? columns : 1;
    l->shape[1] = columns;
    l->strides[1] = 1;
}

static void run(const char *text, large *inputs, uint32_t n_inputs, large *output) {
    tn_graph *graph = NULL;
    tn_executable *e = NULL;
    tn_arg args[4];
    const tn_arg out = {.tag = TN_TAG_TENSOR, .v.tensor = &output->t};
    for (uint32_t i = 0; i < n_inputs; i++)
        args[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &inputs[i].t};
    tn_status status = tn_graph_parse(context, text, strlen(text), "large", &graph);
    if (status == NULL) status = tn_compile(graph, NULL, &e);
    if (status == NULL) status = tn_executable_run(e, NULL, args, n_inputs, &out, 1);
    cr_assert_null(status, "%s", tn_status_message(status));
    tn_executable_release(e);
    tn_graph_release(graph);
}

static const tn_dtype u8 = {TN_TYPE_UINT, 8, 1};

/* y = x + 1 on n bytes: the last ones are right, and nothing is written beyond. */
static void add_one(int64_t n) {
    size_t bytes = whole_pages((uint64_t)n + 1);
    unsigned char *x = reserve(bytes), *y = repeat_window(bytes);
    large in, out;
    x[n - 1] = 41;
    x[n - 2] = 255;
    y[n] = 99;
    describe(&in, x, u8, 1, n, 1);
    describe(&out, y, u8, 1, n, 1);
    run("graph @g(%x: u8[n]) {\n  %y = tn::add(%x, 1)\n  return %y\n}\n", &in, 1, &out);
    cr_expect_eq(y[n - 3], 1);
    cr_expect_eq(y[n - 2], 0, "255 + 1 wraps");
    cr_expect_eq(y[n - 1], 42, "the last of %lld", (long long)n);
    cr_expect_eq(y[n], 99, "beyond the last of %lld", (long long)n);
    munmap(x, bytes);
    munmap(y, bytes);
}

Test(cases_large, LAY_11_pointwise_beyond_2_31) {
    add_one(2200000000);
}

/* Two buffers of fewer than 2^31 elements; the address in the fused kernel is beyond. */
Test(cases_large, LAY_13_a_constant_beyond_2_31) {
    const int64_t each = 1500000000;
    unsigned char *a = reserve((size_t)each), *b = reserve((size_t)each), y[16];
    large in[2], out;
    for (int i = 0; i < 16; i++)
        b[2700000000 - each + i] = (unsigned char)(i + 1);
    describe(&in[0], a, u8, 1, each, 1);
    describe(&in[1], b, u8, 1, each, 1);
    describe(&out, y, u8, 1, 16, 1);
    run("graph @g(%a: u8[1500000000], %b: u8[1500000000]) {\n"
        "  %c = prim::concat([%a, %b], axis=0)\n"
        "  %s = prim::slice(%c, start=[2700000000], size=[16], step=[1])\n"
        "  %y = tn::add(%s, 1)\n"
        "  return %y\n}\n",
        in, 2, &out);
    for (int i = 0; i < 16; i++)
        cr_expect_eq(y[i], i + 2, "element %d: %d", i, y[i]);
    munmap(a, (size_t)each);
    munmap(b, (size_t)each);
}

/* The same through a run-time index, and where the place wraps if it is 32 bits wide. */
Test(cases_large, LAY_13_an_index_beyond_2_31) {
    const int64_t n = INT64_C(1) << 32 | 4096;
    unsigned char *x = reserve((size_t)n), y[3];
    int64_t indices[3] = {n - 1, INT64_C(1) << 31, 5};
    large in[2], out;
    x[n - 1] = 3;
    x[indices[1]] = 2;
    x[5] = 1;
    describe(&in[0], x, u8, 1, n, 1);
    describe(&in[1], indices, (tn_dtype){TN_TYPE_INT, 64, 1}, 1, 3, 1);
    describe(&out, y, u8, 1, 3, 1);
    run("graph @g(%x: u8[n], %i: i64[3]) {\n"
        "  %t = tn::index_select(%x, 0, %i)\n  %y = tn::add(%t, 1)\n  return %y\n}\n",
        in, 2, &out);
    cr_expect_eq(y[0], 4);
    cr_expect_eq(y[1], 3);
    cr_expect_eq(y[2], 2);
    munmap(x, (size_t)n);
}

/* Around 2^31 and 2^32 elements. */
Test(cases_large, LAY_15_copies_at_the_boundaries) {
    static const int64_t sizes[] = {INT64_C(0x7fffffff), INT64_C(0x80000000), INT64_C(0x80000001),
                                    INT64_C(0x100000000), INT64_C(0x100000001)};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (is_nightly() || i == 2 || i == 4) add_one(sizes[i]);
    }
}

/* Norms of rows, of 2^31 elements and of one row more: the last row is right. */
static void norm_rows(int64_t rows) {
    const int64_t columns = 16384;
    size_t bytes = whole_pages((uint64_t)(rows * columns) * 2);
    uint16_t *x = reserve(bytes), *y = repeat_window(bytes);
    large in, out;
    for (int64_t i = 0; i < columns; i++)
        x[(rows - 1) * columns + i] = i % 2 ? 0x4000 : 0xc000; /* 2, -2 in turn */
    describe(&in, x, (tn_dtype){TN_TYPE_FLOAT, 16, 1}, 2, rows, columns);
    describe(&out, y, (tn_dtype){TN_TYPE_FLOAT, 16, 1}, 2, rows, columns);
    run("graph @g(%x: f16[m,16384]) {\n  %y = tn::rms_norm(%x, [16384], none, 1.0)\n"
        "  return %y\n}\n",
        &in, 1, &out);
    /* 2 / sqrt(4 + 1) = 0.894427, which f16 has as 0x3b28 */
    const uint16_t *last = y + (size_t)((rows - 1) * columns);
    for (int64_t i = 0; i < columns; i++)
        cr_assert_eq(last[i], i % 2 ? 0x3b28 : 0xbb28, "row %lld, element %lld: %#x",
                     (long long)rows, (long long)i, last[i]);
    munmap(x, bytes);
    munmap(y, bytes);
}

Test(cases_large, LAY_15_norms_of_2_31_and_more) {
    if (is_nightly()) norm_rows(131072);
    norm_rows(131073);
}
