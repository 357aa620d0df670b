#include "widen.h"

#include "narrow.h"

static float load(tn_dtype t, const void *data, int64_t index) {
    switch (t.code) {
    case TN_TYPE_BFLOAT: return tn_load_bf16(((const uint16_t *)data)[index]);
    case TN_TYPE_F8_E4M3FN: return tn_load_f8(((const uint8_t *)data)[index], 0);
    case TN_TYPE_F8_E5M2: return tn_load_f8(((const uint8_t *)data)[index], 1);
    default:
        if (t.bits == 16) return tn_load_f16(((const uint16_t *)data)[index]);
        return ((const float *)data)[index];
    }
}

void tn__widen(tn_dtype t, const void *data, int64_t first, int64_t step, int64_t n, float *out) {
    const uint16_t *narrow = data;
    if (t.code == TN_TYPE_BFLOAT && step == 1) {
        for (int64_t i = 0; i < n; i++)
            out[i] = tn_load_bf16(narrow[first + i]);
    } else if (t.code == TN_TYPE_FLOAT && t.bits == 16 && step == 1) {
        for (int64_t i = 0; i < n; i++)
            out[i] = tn_load_f16(narrow[first + i]);
    } else {
        for (int64_t i = 0; i < n; i++)
            out[i] = load(t, data, first + i * step);
    }
}

void tn__narrow(tn_dtype t, const float *from, int64_t n, void *data, int64_t first) {
    if (t.code == TN_TYPE_BFLOAT) {
        uint16_t *to = (uint16_t *)data + first;
        for (int64_t i = 0; i < n; i++)
            to[i] = tn_store_bf16(from[i]);
    } else if (t.bits == 16) {
        uint16_t *to = (uint16_t *)data + first;
        for (int64_t i = 0; i < n; i++)
            to[i] = tn_store_f16(from[i]);
    } else if (t.bits == 8) {
        uint8_t *to = (uint8_t *)data + first;
        for (int64_t i = 0; i < n; i++)
            to[i] = tn_store_f8(from[i], t.code == TN_TYPE_F8_E5M2);
    } else {
        memcpy((float *)data + first, from, (size_t)n * sizeof *from);
    }
}
