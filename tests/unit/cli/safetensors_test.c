/* One tensor by name, from files whose header may say anything. */
#include <criterion/criterion.h>
#include <string.h>

#include "cli/array.h"

typedef struct file {
    unsigned char bytes[1024];
    size_t size;
} file;

static file make(const char *header, const void *data, size_t n) {
    file f = {{0}, 0};
    size_t length = strlen(header);
    cr_assert(8 + length + n < sizeof f.bytes);
    f.bytes[0] = (unsigned char)(length & 0xff);
    f.bytes[1] = (unsigned char)(length >> 8);
    memcpy(f.bytes + 8, header, length);
    if (n > 0) memcpy(f.bytes + 8 + length, data, n);
    f.size = 8 + length + n;
    return f;
}

static void refused(file f, const char *name, const char *reason) {
    cli_array a;
    cli_error error = {""};
    cr_assert_not(cli_safetensors_parse(f.bytes, f.size, name, &a, &error), "expected: %s", reason);
    cr_assert_null(a.data);
    cr_assert(strstr(error.text, reason) != NULL, "expected \"%s\", found \"%s\"", reason,
              error.text);
}

static const char two[] = "{\"__metadata__\":{\"format\":\"pt\"},"
                          "\"a.weight\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]},"
                          "\"b\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,8]}}";

Test(safetensors, by_name) {
    const uint16_t data[] = {0x3f80, 0xc000, 0, 0x3f00};
    file f = make(two, data, sizeof data);
    cli_array a;
    cli_error error = {""};
    cr_assert(cli_safetensors_parse(f.bytes, f.size, "a.weight", &a, &error), "%s", error.text);
    cr_assert_str_eq(tn_dtype_text(a.dtype), "bf16");
    cr_assert(a.rank == 1 && a.shape[0] == 2);
    cr_assert_eq(cli_element_get(a.dtype, a.data, 0), 1);
    cr_assert_eq(cli_element_get(a.dtype, a.data, 1), -2);
    cli_array_free(&a);
    cr_assert(cli_safetensors_parse(f.bytes, f.size, "b", &a, &error), "%s", error.text);
    cr_assert(a.rank == 0 && cli_element_get(a.dtype, a.data, 0) == 0.5);
    cli_array_free(&a);
    refused(f, "c", "no tensor is named \"c\"; there are: a.weight, b");
    refused(f, "__metadata__", "no tensor is named");
    refused(make("{}", NULL, 0), "c", "there are: none");
}

#define ONE(dtype, shape, offsets)                                                                 \
    make("{\"w\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}",     \
         "12345678", 8)

Test(safetensors, damaged) {
    refused(ONE("F32", "[2]", "[0,12]"), "w", "beyond the end");
    refused(ONE("F32", "[2]", "[8,0]"), "w", "beyond the end");
    refused(ONE("F32", "[2]", "[4,8]"), "w", "its shape takes 8 bytes, its data has 4");
    refused(ONE("F64", "[1000000000]", "[0,8]"), "w", "its shape takes 8000000000 bytes");
    refused(ONE("F64", "[9007199254740992,9007199254740992]", "[0,8]"), "w", "too large");
    refused(ONE("F32", "[2]", "[0]"), "w", "malformed");
    refused(ONE("F32", "[2]", "[0.5,8]"), "w", "malformed");
    refused(ONE("F32", "[-2]", "[0,8]"), "w", "malformed");
    refused(ONE("F32", "[1e300]", "[0,8]"), "w", "malformed");
    refused(ONE("F32", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,4]"), "w", "malformed");
    refused(ONE("C64", "[1]", "[0,8]"), "w", "dtype");
    refused(make("[1]", NULL, 0), "w", "no JSON object");
    refused(make("{\"w\":", NULL, 0), "w", "no JSON object");
    refused(make("{\"w\":3}", NULL, 0), "w", "no tensor is named");
}

Test(safetensors, shared_bytes_and_names) {
    refused(make("{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                 "\"v\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[2,6]}}",
                 "12345678", 8),
            "w", "\"w\" and \"v\" overlap");
    refused(make("{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                 "\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
                 "12345678", 8),
            "w", "two tensors are named \"w\"");
}

Test(safetensors, headers_that_do_not_fit) {
    file f = make(two, "12345678", 8);
    for (size_t size = 0; size < f.size; size++) {
        file cut = f;
        cut.size = size;
        refused(cut, "b", "");
    }
    memset(f.bytes, 0xff, 8);
    refused(f, "b", "a header of 18446744073709551615 bytes");
}
