/* The binary contract, field by field and number by number, against what was
 * recorded in layout.txt. A change here breaks every plugin that is out there:
 * fields are appended, numbers are added, and nothing else ever happens.
 *
 * TENON_BLESS=1 writes the file; see README.md for what may change in it. */
#include <criterion/criterion.h>
#include <dlpack/dlpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "ir/prim.h"
#include "tenon/note.h"
#include "tenon/tenon.h"

static const char *const headers[] = {"plugin.h", "tenon.h"};

/* ---------------------------------------------------------------------- DLPack */

#define SAME(ours, our_field, theirs, their_field)                                                 \
    _Static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) &&                   \
                       sizeof(((ours *)0)->our_field) == sizeof(((theirs *)0)->their_field),       \
                   #our_field " lies where DLPack has it")
_Static_assert(sizeof(tn_tensor) == sizeof(DLTensor), "tn_tensor is a DLTensor");
_Static_assert(_Alignof(tn_tensor) == _Alignof(DLTensor), "tn_tensor is a DLTensor");
SAME(tn_tensor, data, DLTensor, data);
SAME(tn_tensor, device, DLTensor, device);
SAME(tn_tensor, ndim, DLTensor, ndim);
SAME(tn_tensor, dtype, DLTensor, dtype);
SAME(tn_tensor, shape, DLTensor, shape);
SAME(tn_tensor, strides, DLTensor, strides);
SAME(tn_tensor, byte_offset, DLTensor, byte_offset);
_Static_assert(sizeof(tn_dtype) == sizeof(DLDataType), "tn_dtype is a DLDataType");
SAME(tn_dtype, code, DLDataType, code);
SAME(tn_dtype, bits, DLDataType, bits);
SAME(tn_dtype, lanes, DLDataType, lanes);
_Static_assert(sizeof(tn_device) == sizeof(DLDevice), "tn_device is a DLDevice");
SAME(tn_device, type, DLDevice, device_type);
SAME(tn_device, id, DLDevice, device_id);
_Static_assert((int)TN_TYPE_INT == kDLInt && (int)TN_TYPE_UINT == kDLUInt &&
                   (int)TN_TYPE_FLOAT == kDLFloat && (int)TN_TYPE_OPAQUE == kDLOpaqueHandle &&
                   (int)TN_TYPE_BFLOAT == kDLBfloat && (int)TN_TYPE_COMPLEX == kDLComplex,
               "type codes are DLPack's");
_Static_assert((int)TN_DEVICE_CPU == kDLCPU && (int)TN_DEVICE_CUDA == kDLCUDA,
               "device types are DLPack's");

/* Fixed-size values: these never grow. */
_Static_assert(sizeof(tn_arg) == 16, "an argument is 16 bytes");
_Static_assert(sizeof(tn_attr) == 24, "an attribute is 24 bytes");
_Static_assert(sizeof(tn_param) == 24, "a parameter is 24 bytes");
_Static_assert(sizeof(tn_value) == 8 && sizeof(tn_dim) == 8, "handles into a graph are 8 bytes");

/* ----------------------------------------------------------------- what there is */

typedef struct item {
    const char *type, *field; /* field NULL: the struct itself */
    size_t offset, size;
} item;

#define STRUCT(type) {#type, NULL, _Alignof(type), sizeof(type)},
#define FIELD(type, name) {#type, #name, offsetof(type, name), sizeof(((type *)0)->name)},
static const item items[] = {
#include "abi/layout_fields.inc"
};
#undef STRUCT
#undef FIELD
enum { N_ITEMS = sizeof items / sizeof items[0] };

typedef struct constant {
    const char *name;
    long long value;
} constant;
static const constant constants[] = {
#define CONSTANT(name) {#name, (long long)(name)},
#include "abi/layout_constants.inc"
#undef CONSTANT
#define CODE(name, value, text) {"TN_" #name, TN_##name},
    TN_CODE_LIST(CODE)
#undef CODE
};
enum { N_CONSTANTS = sizeof constants / sizeof constants[0] };

static void describe(tn_strbuf *out) {
    for (size_t i = 0; i < N_ITEMS; i++) {
        const item *it = &items[i];
        if (it->field) {
            tn_strbuf_printf(out, "  %s at %zu, %zu bytes\n", it->field, it->offset, it->size);
        } else {
            tn_strbuf_printf(out, "struct %s, %zu bytes, aligned to %zu\n", it->type, it->size,
                             it->offset);
        }
    }
    for (size_t i = 0; i < N_CONSTANTS; i++) {
        tn_strbuf_printf(out, "constant %s is %lld\n", constants[i].name, constants[i].value);
    }
#define DTYPE(name, text, code, bits)                                                              \
    tn_strbuf_printf(out, "dtype %s is code %d, %d bits\n", text, code, bits);
    TN_DTYPE_LIST(DTYPE)
#undef DTYPE
    for (uint32_t i = 0; i < tn_prim_count(); i++) {
        const tn_prim_info *prim = tn_prim_at(i);
        tn_strbuf_printf(out, "primitive %u is %s\n", prim->id, prim->schema_text);
    }
}

/* The first line in which they differ. */
static void assert_same_text(const char *recorded, const char *now) {
    for (int line = 1; *recorded || *now; line++) {
        size_t a = strcspn(recorded, "\n"), b = strcspn(now, "\n");
        cr_assert(a == b && memcmp(recorded, now, a) == 0,
                  "tests/abi/layout.txt, line %d: recorded is '%.*s', now it is '%.*s'", line,
                  (int)a, recorded, (int)b, now);
        recorded += a + (recorded[a] == '\n');
        now += b + (now[b] == '\n');
    }
}

Test(layout, is_what_was_recorded) {
    tn_strbuf now;
    tn_strbuf_init(&now, tn_allocator_system());
    describe(&now);
    cr_assert_null(tn_strbuf_status(&now));
    static const char path[] = TN_SOURCE_DIR "/tests/abi/layout.txt";
    if (getenv("TENON_BLESS")) {
        cr_assert_null(tn_file_write_atomic(path, now.data, now.length));
    }
    tn_blob recorded;
    tn_status status = tn_file_read(tn_allocator_system(), path, &recorded);
    cr_assert_null(status, "%s", tn_status_message(status));
    assert_same_text(recorded.data, now.data);
    tn_blob_deinit(&recorded);
    tn_strbuf_deinit(&now);
}

/* No field is missing from the list, and no compiler adds padding of its own:
 * the fields of each struct lie one behind the other and fill it. */
Test(layout, fields_fill_their_structs) {
    const item *type = NULL;
    size_t end = 0;
    for (size_t i = 0; i <= N_ITEMS; i++) {
        if (i == N_ITEMS || !items[i].field) {
            cr_assert(!type || end == type->size, "%s: its last field ends at %zu of %zu bytes",
                      type ? type->type : "", end, type ? type->size : 0);
            if (i == N_ITEMS) break;
            type = &items[i];
            end = 0;
            continue;
        }
        cr_assert_str_eq(items[i].type, type->type);
        cr_assert_eq(items[i].offset, end, "%s.%s lies at %zu, the field before it ends at %zu",
                     type->type, items[i].field, items[i].offset, end);
        end += items[i].size;
    }
}

static bool is_listed(const char *type, size_t length) {
    for (size_t i = 0; i < N_ITEMS; i++) {
        if (!items[i].field && strlen(items[i].type) == length &&
            memcmp(items[i].type, type, length) == 0) {
            return true;
        }
    }
    return false;
}

/* No struct is missing from the list. */
Test(layout, every_struct_of_the_headers_is_listed) {
    int found = 0;
    for (size_t h = 0; h < sizeof headers / sizeof headers[0]; h++) {
        char path[512];
        snprintf(path, sizeof path, "%s/sdk/include/tenon/%s", TN_SOURCE_DIR, headers[h]);
        tn_blob text;
        cr_assert_null(tn_file_read(tn_allocator_system(), path, &text));
        for (const char *at = text.data; (at = strstr(at, "\n} tn_")); at++) {
            const char *name = at + 3;
            size_t length = strcspn(name, ";");
            cr_assert(is_listed(name, length), "%s: %.*s is not in layout_fields.inc", headers[h],
                      (int)length, name);
            found++;
        }
        tn_blob_deinit(&text);
    }
    cr_assert_gt(found, 30);
}

static bool is_constant(const char *name, size_t length) {
    for (size_t i = 0; i < N_CONSTANTS; i++) {
        if (strlen(constants[i].name) == length && memcmp(constants[i].name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* No number of plugin.h is missing: neither "#define TN_X 1" nor "TN_X = 1". */
Test(layout, every_number_of_the_abi_is_listed) {
    static const char path[] = TN_SOURCE_DIR "/sdk/include/tenon/plugin.h";
    tn_blob text;
    cr_assert_null(tn_file_read(tn_allocator_system(), path, &text));
    int found = 0;
    for (const char *at = text.data; (at = strstr(at, "TN_")); at++) {
        size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        const char *value = at + length + strspn(at + length, " =");
        bool is_define = at - text.data > 8 && strncmp(at - 8, "#define ", 8) == 0;
        bool is_enumerator = strncmp(at + length, " = ", 3) == 0 && at[-1] == ' ';
        if (!(is_define || is_enumerator) || value[0] < '0' || value[0] > '9' ||
            strncmp(at, "TN_CODE_FORCE_INT", length) == 0) {
            continue;
        }
        cr_assert(is_constant(at, length), "%.*s is not in layout_constants.inc", (int)length, at);
        found++;
    }
    cr_assert_gt(found, 60);
    tn_blob_deinit(&text);
}

/* Every extensible struct begins alike. */
Test(layout, headers_come_first) {
    for (size_t i = 0; i + 2 < N_ITEMS; i++) {
        if (!items[i].field || strcmp(items[i].field, "struct_size") != 0) continue;
        cr_assert_eq(items[i].offset, 0, "%s", items[i].type);
        if (strcmp(items[i].type, "tn_extension") == 0) continue;
        cr_assert_str_eq(items[i + 1].field, "reserved0");
        cr_assert_eq(items[i + 1].offset, 4);
        cr_assert_str_eq(items[i + 2].field, "extensions");
        cr_assert_eq(items[i + 2].offset, 8);
    }
}
