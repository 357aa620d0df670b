#include "ir/dtype.h"

#include <math.h>
#include <string.h>

#include "base/status.h"

typedef struct dtype_info {
    const char *text;
    tn_dtype dtype;
} dtype_info;

static const dtype_info dtypes[TN_DT_COUNT] = {
#define INFO(name, text, code, bits) {text, {code, bits, 1}},
    TN_DTYPE_LIST(INFO)
#undef INFO
};

tn_dt tn_dt_from_dtype(tn_dtype dtype) {
    for (int i = 0; i < TN_DT_COUNT; i++) {
        const tn_dtype *d = &dtypes[i].dtype;
        if (d->code == dtype.code && d->bits == dtype.bits && d->lanes == dtype.lanes)
            return (tn_dt)i;
    }
    return TN_DT_NONE;
}

tn_dtype tn_dt_to_dtype(tn_dt dt) {
    return dtypes[dt].dtype;
}

const char *tn_dt_text(tn_dt dt) {
    return dt < TN_DT_COUNT ? dtypes[dt].text : "?";
}

tn_dt tn_dt_parse(const char *text, size_t length) {
    for (int i = 0; i < TN_DT_COUNT; i++) {
        if (strlen(dtypes[i].text) == length && memcmp(dtypes[i].text, text, length) == 0)
            return (tn_dt)i;
    }
    return TN_DT_NONE;
}

size_t tn_dt_size(tn_dt dt) {
    return dtypes[dt].dtype.bits / 8u;
}

bool tn_dt_is_float(tn_dt dt) {
    return dt >= TN_DT_F16 && dt < TN_DT_COUNT;
}

bool tn_dt_is_int(tn_dt dt) {
    return dt >= TN_DT_U8 && dt <= TN_DT_I64;
}

bool tn_dt_is_signed(tn_dt dt) {
    return dt >= TN_DT_I8 && dt < TN_DT_COUNT;
}

tn_dt tn_dt_compute(tn_dt dt) {
    return tn_dt_is_float(dt) && dt != TN_DT_F64 ? TN_DT_F32 : dt;
}

/* A binary format narrower than f32 that fits 16 bits. */
typedef struct small_float {
    int exponent_bits, mantissa_bits;
    bool has_infinity; /* else all ones, of exponent and mantissa, is its one NaN */
} small_float;

static const small_float format_f16 = {5, 10, true};
static const small_float format_bf16 = {8, 7, true};
static const small_float format_f8e4m3fn = {4, 3, false};
static const small_float format_f8e5m2 = {5, 2, true};

static const small_float *format_of(tn_dt dt) {
    switch (dt) {
    case TN_DT_F16: return &format_f16;
    case TN_DT_BF16: return &format_bf16;
    case TN_DT_F8E4M3FN: return &format_f8e4m3fn;
    default: return &format_f8e5m2;
    }
}

static uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Straight from double, so that there is one rounding whatever the source. */
static uint16_t small_encode(double value, const small_float *f) {
    const int m = f->mantissa_bits;
    const int bias = (1 << (f->exponent_bits - 1)) - 1;
    const uint32_t all_ones = ((1u << (f->exponent_bits + m)) - 1u);
    const uint32_t infinity = f->has_infinity ? all_ones >> m << m : all_ones;
    const uint64_t bits = double_bits(value);
    const uint32_t sign = (uint32_t)(bits >> 63) << (f->exponent_bits + m);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const uint64_t fraction = bits & 0xfffffffffffffu;

    if (exponent == 1024) {
        uint32_t nan = infinity | 1u << (m - 1) | (uint32_t)(fraction >> (52 - m));
        return (uint16_t)(sign | (fraction != 0 ? nan : infinity));
    }
    int shift = 52 - m;
    if (exponent < 1 - bias) shift += 1 - bias - exponent;
    if (shift > 54) return (uint16_t)sign; /* under half of the smallest subnormal */
    const uint64_t significand = fraction | UINT64_C(1) << 52;
    const uint64_t rest = significand & ((UINT64_C(1) << shift) - 1);
    const uint64_t half = UINT64_C(1) << (shift - 1);
    uint64_t code = significand >> shift;
    if (rest > half || (rest == half && (code & 1) != 0)) code++;
    /* The leading one, or a carry out of the mantissa, adds to the exponent. */
    if (exponent >= 1 - bias) code += (uint64_t)(exponent + bias - 1) << m;
    return (uint16_t)(sign | (code < infinity ? (uint32_t)code : infinity));
}

static double small_decode(uint32_t bits, const small_float *f) {
    const int m = f->mantissa_bits;
    const int bias = (1 << (f->exponent_bits - 1)) - 1;
    const uint32_t all_ones = (1u << (f->exponent_bits + m)) - 1u;
    const uint32_t code = bits & all_ones;
    const uint32_t fraction = code & ((1u << m) - 1u);
    const uint64_t sign = (uint64_t)(bits >> (f->exponent_bits + m) & 1u) << 63;

    const bool special = f->has_infinity ? code >> m == all_ones >> m : code == all_ones;
    if (special)
        return double_from_bits(sign | UINT64_C(0x7ff) << 52 | (uint64_t)fraction << (52 - m));
    if (code >> m == 0) { /* zero or subnormal */
        const double magnitude = ldexp((double)fraction, 1 - bias - m);
        return sign != 0 ? -magnitude : magnitude;
    }
    const int exponent = (int)(code >> m) - bias + 1023;
    return double_from_bits(sign | (uint64_t)exponent << 52 | (uint64_t)fraction << (52 - m));
}

double tn_float_round(double value, tn_dt dt) {
    if (dt == TN_DT_F64) return value;
    if (dt == TN_DT_F32) return (double)(float)value;
    return small_decode(small_encode(value, format_of(dt)), format_of(dt));
}

uint16_t tn_f32_to_f16(float value) {
    return small_encode((double)value, &format_f16);
}

float tn_f16_to_f32(uint16_t bits) {
    return (float)small_decode(bits, &format_f16);
}

uint16_t tn_f32_to_bf16(float value) {
    return small_encode((double)value, &format_bf16);
}

float tn_bf16_to_f32(uint16_t bits) {
    return (float)small_decode(bits, &format_bf16);
}

/* The 64-bit form of an integer's low bits. */
static tn_scalar wrap(uint64_t value, tn_dt dt) {
    const unsigned unused = 64u - dtypes[dt].dtype.bits;
    tn_scalar s = {.u = value << unused};
    if (tn_dt_is_signed(dt))
        s.i >>= unused;
    else
        s.u >>= unused;
    return s;
}

tn_scalar tn_scalar_load(tn_dt dt, const void *element) {
    tn_scalar s = {.u = 0};
    switch (dt) {
    case TN_DT_F64: memcpy(&s.f, element, 8); return s;
    case TN_DT_F32: {
        float f;
        memcpy(&f, element, 4);
        s.f = (double)f;
        return s;
    }
    default: break;
    }
    uint64_t bits = 0; /* the low bytes of a little-endian word */
    memcpy(&bits, element, tn_dt_size(dt));
    if (tn_dt_is_float(dt))
        s.f = small_decode((uint32_t)bits, format_of(dt));
    else if (dt == TN_DT_BOOL)
        s.u = bits != 0;
    else
        s = wrap(bits, dt);
    return s;
}

void tn_scalar_store(tn_dt dt, void *element, tn_scalar value) {
    uint64_t bits = value.u;
    switch (dt) {
    case TN_DT_F64: break;
    case TN_DT_F32: {
        float f = (float)value.f;
        memcpy(element, &f, 4);
        return;
    }
    case TN_DT_BOOL: bits = value.u != 0; break;
    default:
        if (tn_dt_is_float(dt)) bits = small_encode(value.f, format_of(dt));
        break;
    }
    memcpy(element, &bits, tn_dt_size(dt));
}

/* Exact up to 2^53; above, the lowest bit kept is set when any lower bit was:
 * rounding the result to a type of at most 51 bits then rounds just once. */
static double magnitude_to_odd(uint64_t magnitude) {
    int excess = 0;
    while (magnitude >> excess >= UINT64_C(1) << 53)
        excess++;
    const uint64_t kept = magnitude >> excess;
    const bool inexact = kept << excess != magnitude;
    return ldexp((double)(kept | (inexact ? 1u : 0u)), excess);
}

static double int_to_float(tn_scalar value, tn_dt from, tn_dt to) {
    const bool negative = tn_dt_is_signed(from) && value.i < 0;
    if (to == TN_DT_F64) return negative ? (double)value.i : (double)value.u;
    const double magnitude = magnitude_to_odd(negative ? 0 - value.u : value.u);
    return tn_float_round(negative ? -magnitude : magnitude, to);
}

static tn_scalar float_to_int(double value, tn_dt to) {
    const unsigned bits = dtypes[to].dtype.bits;
    const bool is_signed = tn_dt_is_signed(to);
    tn_scalar s = {.u = 0};
    if (isnan(value)) return s;
    const double above = ldexp(1.0, (int)bits - (is_signed ? 1 : 0)); /* first too large */
    const double lowest = is_signed ? -above : 0.0;
    if (value >= above)
        s.u = UINT64_MAX >> (64u - bits + (is_signed ? 1u : 0u));
    else if (value <= lowest)
        s = is_signed ? wrap(UINT64_C(1) << (bits - 1), to) : s;
    else if (is_signed)
        s.i = (int64_t)value;
    else
        s.u = (uint64_t)value;
    return s;
}

tn_scalar tn_scalar_cast(tn_scalar value, tn_dt from, tn_dt to) {
    tn_scalar s;
    if (to == TN_DT_BOOL)
        s.u = tn_dt_is_float(from) ? value.f != 0.0 : value.u != 0;
    else if (tn_dt_is_float(from) && tn_dt_is_float(to))
        s.f = tn_float_round(value.f, to);
    else if (tn_dt_is_float(from))
        s = float_to_int(value.f, to);
    else if (tn_dt_is_float(to))
        s.f = int_to_float(value, from, to);
    else
        s = wrap(value.u, to);
    return s;
}

const char *tn_dtype_text(tn_dtype dtype) {
    tn_dt dt = tn_dt_from_dtype(dtype);
    return dt == TN_DT_NONE ? "?" : tn_dt_text(dt);
}

tn_status tn_dtype_parse(const char *text, tn_dtype *out_dtype) {
    tn_dt dt = tn_dt_parse(text, strlen(text));
    if (dt != TN_DT_NONE) {
        *out_dtype = tn_dt_to_dtype(dt);
        return NULL;
    }
    return tn_status_make(TN_INVALID,
                          "\"%s\" is no dtype: expected one of bool, u8, u16, u32, "
                          "u64, i8, i16, i32, i64, f16, bf16, f32, f64, f8e4m3fn, "
                          "f8e5m2",
                          text);
}

size_t tn_dtype_bytes(tn_dtype dtype) {
    return ((size_t)dtype.bits * dtype.lanes + 7) / 8;
}
