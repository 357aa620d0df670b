#include "array.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_fail(cli_error *error, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return false;
}

bool cli_array_bytes(tn_dtype dtype, int32_t rank, const int64_t *shape, size_t *out_bytes,
                     cli_error *error) {
    size_t bytes = tn_dtype_bytes(dtype);
    bool empty = false;
    if (rank < 0 || rank > CLI_MAX_RANK) {
        return cli_fail(error, "rank %d is not between 0 and %d", rank, CLI_MAX_RANK);
    }
    /* An extent of 0 empties the array and excuses no other: strides are products
     * of extents, and must fit as well. */
    for (int32_t i = 0; i < rank; i++) {
        if (shape[i] < 0) {
            return cli_fail(error, "axis %d: extent %lld is negative", i, (long long)shape[i]);
        }
        empty |= shape[i] == 0;
        size_t extent = shape[i] == 0 ? 1 : (size_t)shape[i];
        if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > (size_t)PTRDIFF_MAX / 2) {
            return cli_fail(error, "axis %d: extent %lld makes the whole too large", i,
                            (long long)shape[i]);
        }
    }
    *out_bytes = empty ? 0 : bytes;
    return true;
}

bool cli_array_make(cli_array *array, tn_dtype dtype, int32_t rank, const int64_t *shape,
                    cli_error *error) {
    size_t bytes;
    *array = (cli_array){0};
    if (!cli_array_bytes(dtype, rank, shape, &bytes, error)) return false;
    *array = (cli_array){.dtype = dtype, .rank = rank};
    for (int32_t i = 0; i < rank; i++)
        array->shape[i] = shape[i];
    array->bytes = bytes;
    if (bytes == 0) return true;
    array->data = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (array->data == NULL) {
        *array = (cli_array){0};
        return cli_fail(error, "no memory for %zu bytes", bytes);
    }
    memset(array->data, 0, bytes);
    return true;
}

void cli_array_fill(cli_array *array, const void *bytes) {
    if (array->bytes > 0) memcpy(array->data, bytes, array->bytes);
    if (array->dtype.code != TN_TYPE_BOOL) return;
    uint8_t *flags = array->data;
    for (size_t i = 0; i < array->bytes; i++)
        flags[i] = flags[i] != 0;
}

void cli_array_free(cli_array *array) {
    free(array->data);
    *array = (cli_array){0};
}

int64_t cli_array_count(const cli_array *array) {
    return (int64_t)(array->bytes / tn_dtype_bytes(array->dtype));
}

bool cli_dtype_is_float(tn_dtype t) {
    return t.code == TN_TYPE_FLOAT || t.code == TN_TYPE_BFLOAT || t.code == TN_TYPE_F8_E4M3FN ||
           t.code == TN_TYPE_F8_E5M2;
}

/* The exponent and fraction widths of a float narrower than f32. */
static void narrow_format(tn_dtype t, int *exponent, int *fraction) {
    *exponent = t.code == TN_TYPE_BFLOAT ? 8 : t.code == TN_TYPE_F8_E4M3FN ? 4 : 5;
    *fraction = t.bits - 1 - *exponent;
}

static double narrow_to_double(tn_dtype t, uint32_t bits) {
    int ebits, fbits;
    narrow_format(t, &ebits, &fbits);
    int top = (1 << ebits) - 1, bias = (1 << (ebits - 1)) - 1;
    int e = (int)(bits >> fbits) & top;
    uint32_t f = bits & ((1u << fbits) - 1);
    double sign = bits >> (t.bits - 1) & 1 ? -1 : 1;
    if (t.code == TN_TYPE_F8_E4M3FN) {
        if (e == top && f == (1u << fbits) - 1) return NAN;
    } else if (e == top) {
        return f != 0 ? NAN : sign * INFINITY;
    }
    if (e == 0) return sign * ldexp(f, 1 - bias - fbits);
    return sign * ldexp((double)((1u << fbits) + f), e - bias - fbits);
}

static uint32_t double_to_narrow(tn_dtype t, double value) {
    int ebits, fbits, exp2;
    narrow_format(t, &ebits, &fbits);
    int top = (1 << ebits) - 1, bias = (1 << (ebits - 1)) - 1;
    bool fn = t.code == TN_TYPE_F8_E4M3FN;
    uint32_t sign = signbit(value) ? 1u << (t.bits - 1) : 0;
    uint32_t nan = sign | (uint32_t)top << fbits | ((1u << fbits) - 1);
    uint32_t overflow = fn ? nan : sign | (uint32_t)top << fbits;
    if (isnan(value)) return nan;
    if (isinf(value)) return overflow;
    if (value == 0) return sign;
    frexp(value, &exp2);
    int scale = exp2 - 1 < 1 - bias ? 1 - bias : exp2 - 1;
    /* Ties to even: nearbyint in the default rounding mode. */
    double steps = nearbyint(ldexp(fabs(value), fbits - scale));
    int64_t code = (int64_t)steps;
    if (scale > 1 - bias || code >= (INT64_C(1) << fbits)) {
        code += ((int64_t)(scale + bias) - 1) << fbits;
    }
    int64_t most = fn ? ((int64_t)top << fbits) + (1 << fbits) - 2 : ((int64_t)top << fbits) - 1;
    return code > most ? overflow : sign | (uint32_t)code;
}

double cli_element_get(tn_dtype t, const void *data, int64_t i) {
    if (t.code == TN_TYPE_FLOAT && t.bits == 32) return ((const float *)data)[i];
    if (t.code == TN_TYPE_FLOAT && t.bits == 64) return ((const double *)data)[i];
    if (cli_dtype_is_float(t)) {
        uint32_t bits = t.bits == 16 ? ((const uint16_t *)data)[i] : ((const uint8_t *)data)[i];
        return narrow_to_double(t, bits);
    }
    bool is_signed = t.code == TN_TYPE_INT;
    switch (t.bits) {
    case 8: return is_signed ? ((const int8_t *)data)[i] : ((const uint8_t *)data)[i];
    case 16: return is_signed ? ((const int16_t *)data)[i] : ((const uint16_t *)data)[i];
    case 32:
        return is_signed ? (double)((const int32_t *)data)[i] : (double)((const uint32_t *)data)[i];
    default:
        return is_signed ? (double)((const int64_t *)data)[i] : (double)((const uint64_t *)data)[i];
    }
}

void cli_element_set(tn_dtype t, void *data, int64_t i, double value) {
    if (t.code == TN_TYPE_FLOAT && t.bits == 32) {
        ((float *)data)[i] = (float)value;
    } else if (t.code == TN_TYPE_FLOAT && t.bits == 64) {
        ((double *)data)[i] = value;
    } else if (cli_dtype_is_float(t)) {
        uint32_t bits = double_to_narrow(t, value);
        if (t.bits == 16) {
            ((uint16_t *)data)[i] = (uint16_t)bits;
        } else {
            ((uint8_t *)data)[i] = (uint8_t)bits;
        }
    } else {
        int64_t whole = (int64_t)value;
        switch (t.bits) {
        case 8: ((uint8_t *)data)[i] = (uint8_t)whole; break;
        case 16: ((uint16_t *)data)[i] = (uint16_t)whole; break;
        case 32: ((uint32_t *)data)[i] = (uint32_t)whole; break;
        default: ((uint64_t *)data)[i] = (uint64_t)whole; break;
        }
    }
}

bool cli_array_read(const char *spec, cli_array *out_array, cli_error *error) {
    const char *marker = strstr(spec, ".safetensors:");
    if (marker != NULL) {
        size_t length = (size_t)(marker - spec) + strlen(".safetensors");
        char *path = strndup(spec, length);
        if (path == NULL) return cli_fail(error, "no memory");
        bool ok = cli_safetensors_read(path, spec + length + 1, out_array, error);
        free(path);
        return ok;
    }
    size_t n = strlen(spec);
    if (n > 4 && strcmp(spec + n - 4, ".npy") == 0) return cli_npy_read(spec, out_array, error);
    return cli_fail(error, "%s: expected FILE.npy or FILE.safetensors:TENSOR", spec);
}

const char *cli_number_text(double value, int digits, char out[CLI_NUMBER_TEXT]) {
    if (isnan(value)) return "nan";
    snprintf(out, CLI_NUMBER_TEXT, "%.*g", digits, value);
    return out;
}
