#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "schema/value_names.h"

static void assert_reads(const char *text, int code, int bits, int lanes) {
    tn_dtype dtype = {0};
    cr_assert(tn_dtype_read(text, strlen(text), &dtype), "%s", text);
    cr_assert_eq(dtype.code, code, "%s", text);
    cr_assert_eq(dtype.bits, bits, "%s", text);
    cr_assert_eq(dtype.lanes, lanes, "%s", text);
}

static void assert_writes(tn_dtype dtype, const char *text) {
    tn_strbuf out;
    tn_strbuf_init(&out, tn_allocator_system());
    tn_dtype_write(dtype, &out);
    cr_assert_str_eq(tn_strbuf_cstr(&out), text);
    tn_strbuf_deinit(&out);
}

Test(value_names, opset_dtypes) {
#define CHECK(name, text, code, bits)                                                              \
    assert_reads(text, code, bits, 1);                                                             \
    assert_writes((tn_dtype){code, bits, 1}, text);
    TN_DTYPE_LIST(CHECK)
#undef CHECK
}

Test(value_names, other_dtypes) {
    assert_writes((tn_dtype){TN_TYPE_INT, 4, 1}, "i4");
    assert_writes((tn_dtype){TN_TYPE_COMPLEX, 64, 1}, "c64");
    assert_writes((tn_dtype){TN_TYPE_FLOAT, 32, 4}, "f32x4");
    assert_writes((tn_dtype){TN_TYPE_BOOL, 1, 1}, "type6_1");
    assert_writes((tn_dtype){17, 6, 0}, "type17_6x0");
    assert_reads("u4x8", TN_TYPE_UINT, 4, 8);
    assert_reads("boolx2", TN_TYPE_BOOL, 8, 2);
    assert_reads("float32x4", TN_TYPE_FLOAT, 32, 4);
    assert_reads("opaque0", TN_TYPE_OPAQUE, 0, 1);
}

Test(value_names, torch_names_are_read) {
    assert_reads("float", TN_TYPE_FLOAT, 32, 1);
    assert_reads("double", TN_TYPE_FLOAT, 64, 1);
    assert_reads("half", TN_TYPE_FLOAT, 16, 1);
    assert_reads("bfloat16", TN_TYPE_BFLOAT, 16, 1);
    assert_reads("int", TN_TYPE_INT, 32, 1);
    assert_reads("long", TN_TYPE_INT, 64, 1);
    assert_reads("uint8", TN_TYPE_UINT, 8, 1);
    assert_reads("float8_e5m2", TN_TYPE_F8_E5M2, 8, 1);
    assert_reads("complex128", TN_TYPE_COMPLEX, 128, 1);
}

/* Each tn_dtype has one name, which is an identifier and reads back. */
Test(value_names, every_dtype_round_trips) {
    static const uint16_t lanes[] = {0, 1, 2, 65535};
    tn_strbuf out;
    tn_strbuf_init(&out, tn_allocator_system());
    for (unsigned code = 0; code < 256; code++) {
        for (unsigned bits = 0; bits < 256; bits++) {
            tn_dtype dtype = {(uint8_t)code, (uint8_t)bits, lanes[(code + bits) % 4]}, again;
            tn_strbuf_clear(&out);
            tn_dtype_write(dtype, &out);
            cr_assert(tn_dtype_read(out.data, out.length, &again), "%s", out.data);
            cr_assert_eq(memcmp(&dtype, &again, sizeof dtype), 0, "%s", out.data);
        }
    }
    tn_strbuf_deinit(&out);
}

Test(value_names, what_is_no_dtype) {
    static const char *const texts[] = {"",
                                        "f",
                                        "f032",
                                        "f256",
                                        "f32x",
                                        "f32x65536",
                                        "f32x2x2",
                                        "x4",
                                        "x",
                                        "f32x01",
                                        "type1",
                                        "type1_",
                                        "type_8",
                                        "type256_8",
                                        "type01_8",
                                        "Float32",
                                        "floa",
                                        "f-32",
                                        "q8",
                                        "bool8",
                                        "f32 ",
                                        "type",
                                        "bf",
                                        "99999999999",
                                        "f99999999999999999999",
                                        "f32x99999999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tn_dtype dtype;
        cr_assert(!tn_dtype_read(texts[i], strlen(texts[i]), &dtype), "'%s'", texts[i]);
    }
}

static void assert_device(tn_device device, const char *text) {
    tn_strbuf out;
    tn_strbuf_init(&out, tn_allocator_system());
    tn_device_write(device, &out);
    cr_assert_str_eq(tn_strbuf_cstr(&out), text);
    tn_device again = {-1, -1};
    cr_assert(tn_device_type_read(out.data, strcspn(out.data, ":"), &again), "%s", text);
    cr_assert_eq(again.type, device.type);
    cr_assert_eq(again.id, 0);
    tn_strbuf_deinit(&out);
}

Test(value_names, devices) {
    assert_device((tn_device){TN_DEVICE_CPU, 0}, "cpu");
    assert_device((tn_device){TN_DEVICE_CPU, 2}, "cpu:2");
    assert_device((tn_device){TN_DEVICE_CUDA, 0}, "cuda:0");
    assert_device((tn_device){TN_DEVICE_CUDA, -1}, "cuda:-1");
    assert_device((tn_device){8, 3}, "device8:3");
    assert_device((tn_device){-1, 0}, "device4294967295:0");
    tn_device device;
    static const char *const texts[] = {"",       "c",        "cpux",     "gpu",
                                        "device", "device01", "device1x", "device4294967296"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_assert(!tn_device_type_read(texts[i], strlen(texts[i]), &device), "'%s'", texts[i]);
    }
}
