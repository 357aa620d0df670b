/* Floats narrower than f32 in memory, for kernels: to f32 exactly, from f32 to the nearest,
 * ties to even. NaN stays NaN. */
#ifndef TN_PLUGINS_NARROW_H
#define TN_PLUGINS_NARROW_H

#include <stdint.h>
#include <string.h>

static inline uint32_t tn_float_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float tn_bits_float(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float tn_load_bf16(uint16_t h) {
    return tn_bits_float((uint32_t)h << 16);
}

static inline uint16_t tn_store_bf16(float x) {
    const uint32_t bits = tn_float_bits(x);
    const uint32_t rounded = bits + 0x7fffu + (bits >> 16 & 1u);
    return (uint16_t)((x == x ? rounded : bits | 0x400000u) >> 16);
}

static inline float tn_load_f16(uint16_t h) {
    const uint32_t magnitude = h & 0x7fffu, sign = (uint32_t)(h & 0x8000u) << 16;
    /* Exponents from bias 15 to 127, infinity and NaN to the top; below 2^-14 the number
     * is a multiple of 2^-24. */
    const uint32_t moved = (magnitude << 13) + (magnitude >= 0x7c00u ? 0x70000000u : 0x38000000u);
    const uint32_t small = tn_float_bits((float)magnitude * 0x1p-24f);
    return tn_bits_float(sign | (magnitude < 0x400u ? small : moved));
}

static inline uint16_t tn_store_f16(float x) {
    const uint32_t bits = tn_float_bits(x), magnitude = bits & 0x7fffffffu;
    const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    const uint32_t normal = (rounded - 0x38000000u) >> 13;
    /* Adding 1/2 leaves a multiple of 2^-24, rounded, in the low bits. */
    const uint32_t small = tn_float_bits(tn_bits_float(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t h = magnitude < 0x38800000u ? small : normal;
    if (magnitude >= 0x477ff000u) h = 0x7c00u; /* 65520 and above */
    if (magnitude > 0x7f800000u) h = 0x7e00u;
    return (uint16_t)(h | (bits >> 16 & 0x8000u));
}

/* f8 types: `exponent` bits of exponent with bias 2^(exponent-1) - 1, the rest mantissa. */
static inline float tn_load_f8(uint8_t h, int is_e5m2) {
    const uint32_t sign = (uint32_t)(h & 0x80u) << 24, magnitude = h & 0x7fu;
    if (is_e5m2) return tn_load_f16((uint16_t)(h << 8)); /* the upper half of an f16 */
    if (magnitude == 0x7fu) return tn_bits_float(sign | 0x7fc00000u);
    const uint32_t moved = (magnitude << 20) + 0x3c000000u; /* bias 7 to 127 */
    const uint32_t small = tn_float_bits((float)magnitude * 0x1p-9f);
    return tn_bits_float(sign | (magnitude < 8u ? small : moved));
}

/* Beyond the largest finite number: infinity in e5m2, NaN in e4m3fn. */
static inline uint8_t tn_store_f8(float x, int is_e5m2) {
    const uint32_t bits = tn_float_bits(x), magnitude = bits & 0x7fffffffu;
    const uint8_t sign = (uint8_t)(bits >> 24 & 0x80u);
    const uint32_t shift = is_e5m2 ? 21u : 20u, bias = is_e5m2 ? 0x38000000u : 0x3c000000u;
    const uint32_t least_normal = is_e5m2 ? 0x38800000u : 0x3c800000u;
    /* Adding 2^(23 + e) leaves a multiple of 2^e in the low bits. */
    const float step = is_e5m2 ? 0x1p7f : 0x1p14f;
    const uint32_t rounded = magnitude + (1u << (shift - 1)) - 1u + (magnitude >> shift & 1u);
    const uint32_t small = tn_float_bits(tn_bits_float(magnitude) + step) - tn_float_bits(step);
    uint32_t h = magnitude < least_normal ? small : (rounded - bias) >> shift;
    const uint32_t over = is_e5m2 ? 0x7cu : 0x7fu;
    if (h > over || magnitude >= 0x7f800000u) h = over;
    if (magnitude > 0x7f800000u) h = is_e5m2 ? 0x7eu : 0x7fu;
    return (uint8_t)(h | sign);
}

#endif
