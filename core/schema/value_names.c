#include "schema/value_names.h"

#include <string.h>

#include "base/number.h"

typedef struct dtype_name {
    const char *text;
    uint8_t code, bits;
} dtype_name;

static const dtype_name dtype_names[] = {
#define TN_DTYPE_NAME(name, text, code, bits) {text, code, bits},
    TN_DTYPE_LIST(TN_DTYPE_NAME)
#undef TN_DTYPE_NAME
};

/* PyTorch's spellings: what torch.NAME is, and what its schemas use. */
static const dtype_name dtype_aliases[] = {
    {"uint8", TN_TYPE_UINT, 8},
    {"uint16", TN_TYPE_UINT, 16},
    {"uint32", TN_TYPE_UINT, 32},
    {"uint64", TN_TYPE_UINT, 64},
    {"int8", TN_TYPE_INT, 8},
    {"int16", TN_TYPE_INT, 16},
    {"short", TN_TYPE_INT, 16},
    {"int32", TN_TYPE_INT, 32},
    {"int", TN_TYPE_INT, 32},
    {"int64", TN_TYPE_INT, 64},
    {"long", TN_TYPE_INT, 64},
    {"float16", TN_TYPE_FLOAT, 16},
    {"half", TN_TYPE_FLOAT, 16},
    {"bfloat16", TN_TYPE_BFLOAT, 16},
    {"float32", TN_TYPE_FLOAT, 32},
    {"float", TN_TYPE_FLOAT, 32},
    {"float64", TN_TYPE_FLOAT, 64},
    {"double", TN_TYPE_FLOAT, 64},
    {"float8_e4m3fn", TN_TYPE_F8_E4M3FN, 8},
    {"float8_e5m2", TN_TYPE_F8_E5M2, 8},
    {"complex64", TN_TYPE_COMPLEX, 64},
    {"complex128", TN_TYPE_COMPLEX, 128},
};

/* Letter codes of the families, for widths that opset 1 does not name. */
static const dtype_name dtype_families[] = {
    {"i", TN_TYPE_INT, 0},     {"u", TN_TYPE_UINT, 0},    {"f", TN_TYPE_FLOAT, 0},
    {"bf", TN_TYPE_BFLOAT, 0}, {"c", TN_TYPE_COMPLEX, 0}, {"opaque", TN_TYPE_OPAQUE, 0},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool same(const char *name, const char *text, size_t length) {
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

void tn_dtype_write(tn_dtype dtype, tn_strbuf *out) {
    const char *name = NULL, *family = NULL;
    for (size_t i = 0; i < COUNT(dtype_names); i++) {
        if (dtype_names[i].code == dtype.code && dtype_names[i].bits == dtype.bits) {
            name = dtype_names[i].text;
        }
    }
    for (size_t i = 0; i < COUNT(dtype_families); i++) {
        if (dtype_families[i].code == dtype.code) family = dtype_families[i].text;
    }
    if (name != NULL) {
        tn_strbuf_text(out, name);
    } else if (family != NULL) {
        tn_strbuf_printf(out, "%s%u", family, (unsigned)dtype.bits);
    } else {
        tn_strbuf_printf(out, "type%u_%u", (unsigned)dtype.code, (unsigned)dtype.bits);
    }
    if (dtype.lanes != 1) tn_strbuf_printf(out, "x%u", (unsigned)dtype.lanes);
}

/* Digits at text[*at], at most max; moves past them. No leading zeros, so that
 * each dtype has one systematic name. */
static bool read_count(const char *text, size_t length, size_t *at, uint32_t max,
                       uint32_t *out_count) {
    size_t begin = *at;
    uint64_t count = 0;
    while (*at < length && text[*at] >= '0' && text[*at] <= '9') {
        count = count * 10 + (uint64_t)(text[*at] - '0');
        if (count > max) return false;
        (*at)++;
    }
    if (*at == begin || (text[begin] == '0' && *at > begin + 1)) return false;
    *out_count = (uint32_t)count;
    return true;
}

/* "c64", "i4", "type17_6" */
static bool parse_systematic(const char *text, size_t length, tn_dtype *out) {
    size_t at = 0;
    uint32_t code = 0, bits = 0;
    if (length > 4 && memcmp(text, "type", 4) == 0) {
        at = 4;
        if (!read_count(text, length, &at, UINT8_MAX, &code)) return false;
        if (at == length || text[at++] != '_') return false;
    } else {
        while (at < length && text[at] >= 'a' && text[at] <= 'z')
            at++;
        size_t i = 0;
        while (i < COUNT(dtype_families) && !same(dtype_families[i].text, text, at))
            i++;
        if (i == COUNT(dtype_families)) return false;
        code = dtype_families[i].code;
    }
    if (!read_count(text, length, &at, UINT8_MAX, &bits) || at != length) return false;
    *out = (tn_dtype){.code = (uint8_t)code, .bits = (uint8_t)bits, .lanes = 1};
    return true;
}

static bool parse_scalar(const char *text, size_t length, tn_dtype *out) {
    for (size_t i = 0; i < COUNT(dtype_names); i++) {
        if (!same(dtype_names[i].text, text, length)) continue;
        *out = (tn_dtype){.code = dtype_names[i].code, .bits = dtype_names[i].bits, .lanes = 1};
        return true;
    }
    for (size_t i = 0; i < COUNT(dtype_aliases); i++) {
        if (!same(dtype_aliases[i].text, text, length)) continue;
        *out = (tn_dtype){.code = dtype_aliases[i].code, .bits = dtype_aliases[i].bits, .lanes = 1};
        return true;
    }
    return parse_systematic(text, length, out);
}

bool tn_dtype_read(const char *text, size_t length, tn_dtype *out_dtype) {
    if (parse_scalar(text, length, out_dtype)) return true;
    /* No scalar name ends in x and digits. */
    size_t x = length;
    while (x > 0 && text[x - 1] >= '0' && text[x - 1] <= '9')
        x--;
    if (x == 0 || text[x - 1] != 'x') return false;
    uint32_t lanes = 0;
    size_t at = x;
    if (!read_count(text, length, &at, UINT16_MAX, &lanes)) return false;
    if (!parse_scalar(text, x - 1, out_dtype)) return false;
    out_dtype->lanes = (uint16_t)lanes;
    return true;
}

void tn_device_write(tn_device device, tn_strbuf *out) {
    if (device.type == TN_DEVICE_CPU) {
        tn_strbuf_text(out, "cpu");
        if (device.id == 0) return;
    } else if (device.type == TN_DEVICE_CUDA) {
        tn_strbuf_text(out, "cuda");
    } else {
        tn_strbuf_printf(out, "device%u", (unsigned)device.type);
    }
    tn_strbuf_printf(out, ":%d", (int)device.id);
}

bool tn_device_type_read(const char *text, size_t length, tn_device *out_device) {
    *out_device = (tn_device){.type = TN_DEVICE_CPU, .id = 0};
    if (same("cpu", text, length)) return true;
    out_device->type = TN_DEVICE_CUDA;
    if (same("cuda", text, length)) return true;
    size_t at = 6;
    uint32_t type = 0;
    if (length <= at || memcmp(text, "device", at) != 0) return false;
    if (!read_count(text, length, &at, UINT32_MAX, &type) || at != length) return false;
    out_device->type = (int32_t)type;
    return true;
}
