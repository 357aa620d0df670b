/* Files that numpy writes, files that it does not, and what is written here. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/array.h"

typedef struct file {
    unsigned char bytes[1024];
    size_t size;
} file;

/* A file of format `version`: the header padded as numpy pads it, then data. */
static file make(int version, const char *header, const void *data, size_t n) {
    file f = {{0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)version}, 0};
    size_t length = strlen(header), start = version == 1 ? 10 : 12;
    cr_assert(start + length + n < sizeof f.bytes);
    f.bytes[8] = (unsigned char)(length & 0xff);
    f.bytes[9] = (unsigned char)(length >> 8);
    memcpy(f.bytes + start, header, length);
    if (n > 0) memcpy(f.bytes + start + length, data, n);
    f.size = start + length + n;
    return f;
}

static file with(const char *descr, bool fortran, const char *shape, const void *data, size_t n) {
    char header[256];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr,
             fortran ? "True" : "False", shape);
    return make(1, header, data, n);
}

static tn_dtype dtype(const char *text) {
    tn_dtype t;
    tn_status status = tn_dtype_parse(text, &t);
    cr_assert_null(status);
    return t;
}

static void refused(file f, const char *reason) {
    cli_array a;
    cli_error error = {""};
    cr_assert_not(cli_npy_parse(f.bytes, f.size, &a, &error), "expected: %s", reason);
    cr_assert_null(a.data);
    cr_assert(strstr(error.text, reason) != NULL, "expected \"%s\", found \"%s\"", reason,
              error.text);
}

Test(npy, versions) {
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
    const float data[] = {1.5f, -2};
    for (int version = 1; version <= 3; version++) {
        file f = make(version, header, data, sizeof data);
        cli_array a;
        cli_error error = {""};
        cr_assert(cli_npy_parse(f.bytes, f.size, &a, &error), "version %d: %s", version,
                  error.text);
        cr_assert_eq(a.rank, 1);
        cr_assert_eq(a.shape[0], 2);
        cr_assert(memcmp(a.data, data, sizeof data) == 0);
        cli_array_free(&a);
    }
    refused(make(0, header, data, sizeof data), "version 0.0");
    refused(make(4, header, data, sizeof data), "version 4.0");
}

Test(npy, dtypes) {
    static const struct {
        const char *descr, *text;
    } all[] = {{"|b1", "bool"}, {"|u1", "u8"},  {"|i1", "i8"},  {"<u2", "u16"},
               {"<i2", "i16"},  {"<u4", "u32"}, {"<i4", "i32"}, {"<u8", "u64"},
               {"<i8", "i64"},  {"<f2", "f16"}, {"<f4", "f32"}, {"<f8", "f64"}};
    const unsigned char data[16] = {1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        size_t bytes = tn_dtype_bytes(dtype(all[i].text));
        file f = with(all[i].descr, false, "(2,)", data, 2 * bytes);
        cli_array a;
        cli_error error = {""};
        cr_assert(cli_npy_parse(f.bytes, f.size, &a, &error), "%s: %s", all[i].descr, error.text);
        cr_assert_str_eq(tn_dtype_text(a.dtype), all[i].text);
        cr_assert_eq(a.bytes, 2 * bytes);
        cr_assert(memcmp(a.data, data, a.bytes) == 0);
        cli_array_free(&a);
    }
    refused(with(">f4", false, "(1,)", data, 4), "big-endian");
    refused(with("<c8", false, "(1,)", data, 8), "not supported");
    refused(with("|O", false, "(1,)", data, 8), "not supported");
}

Test(npy, bools_are_0_or_1) {
    file f = with("|b1", false, "(3,)", "\0\1\377", 3);
    cli_array a;
    cli_error error;
    cr_assert(cli_npy_parse(f.bytes, f.size, &a, &error));
    cr_assert(memcmp(a.data, "\0\1\1", 3) == 0);
    cli_array_free(&a);
}

Test(npy, fortran_order) {
    /* a[i][j][k] = 100 i + 10 j + k, kept with i fastest. */
    int16_t columns[24], rows[24];
    for (int i = 0, at = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++, at++) {
                rows[at] = (int16_t)(100 * i + 10 * j + k);
                columns[i + 2 * j + 6 * k] = rows[at];
            }
    file f = with("<i2", true, "(2, 3, 4)", columns, sizeof columns);
    cli_array a;
    cli_error error;
    cr_assert(cli_npy_parse(f.bytes, f.size, &a, &error));
    cr_assert(memcmp(a.data, rows, sizeof rows) == 0);
    cli_array_free(&a);
}

Test(npy, damaged) {
    const float data[] = {1, 2};
    file f = with("<f4", false, "(2,)", data, sizeof data);
    refused(with("<f4", false, "(3,)", data, sizeof data), "expected 12 bytes of data, found 8");
    refused(with("<f4", false, "(1000000000, 4)", data, sizeof data), "truncated");
    refused(with("<f4", false, "(4611686018427387904, 0, 4611686018427387904)", NULL, 0),
            "too large");
    refused(with("<f4", false, "(99999999999999999999,)", NULL, 0), "too large");
    refused(with("<f4", false, "(-1,)", NULL, 0), "extent");
    refused(with("<f4", false, "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", data, 4), "rank");
    refused(make(1, "{'descr': '<f4', 'shape': (1,)}", data, 4), "missing");
    refused(make(1, "{'descr': '<f4', 'other': (1,)}", data, 4), "unknown key");
    refused(make(1, "", data, 4), "expected '{'");
    for (size_t size = 0; size < f.size; size++) {
        file cut = f;
        cut.size = size;
        refused(cut, "");
    }
}

/* What is written reads back: as itself, or as f32 where numpy has no name for it. */
Test(npy, written_and_read) {
    static const char *const all[] = {"bool", "u8",   "i8",       "u16",    "i16",
                                      "u32",  "i32",  "u64",      "i64",    "f16",
                                      "f32",  "bf16", "f8e4m3fn", "f8e5m2", "f64"};
    char path[] = "/tmp/npy_test_XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const int64_t shape[] = {2, 1, 3};
        tn_dtype t = dtype(all[i]);
        bool widened = cli_dtype_is_float(t) && t.code != TN_TYPE_FLOAT;
        cli_array a, b;
        cli_error error = {""};
        cr_assert(cli_array_make(&a, t, 3, shape, &error));
        for (int k = 0; k < 6; k++)
            cli_element_set(t, a.data, k, t.code == TN_TYPE_BOOL ? k & 1 : k + 0.5);
        cr_assert(cli_npy_write(path, &a, &error), "%s: %s", all[i], error.text);
        cr_assert(cli_npy_read(path, &b, &error), "%s: %s", all[i], error.text);
        cr_assert_str_eq(tn_dtype_text(b.dtype), widened ? "f32" : all[i]);
        cr_assert(b.rank == 3 && memcmp(b.shape, shape, sizeof shape) == 0);
        for (int k = 0; k < 6; k++)
            cr_assert_eq(cli_element_get(t, a.data, k), cli_element_get(b.dtype, b.data, k));
        cli_array_free(&a);
        cli_array_free(&b);
    }
    unlink(path);
}

Test(npy, not_written) {
    cli_array a;
    cli_error error = {""};
    cr_assert(cli_array_make(&a, dtype("f32"), 0, NULL, &error));
    cr_assert_not(cli_npy_write("/nonexistent/y.npy", &a, &error));
    cr_assert(strstr(error.text, "No such file") != NULL, "%s", error.text);
    cli_array_free(&a);
}
