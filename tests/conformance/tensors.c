#include "tensors.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "conformance/edges.h"

enum { GUARD = 128, PATTERN = 0xff };

tn_status tn_watched_init(tn_watched *w, const tn_type *type) {
    *w = (tn_watched){.dt = type->dt, .n = tn_type_numel(type)};
    memcpy(w->shape, type->shape, (size_t)type->rank * sizeof *w->shape);
    if (type->strides == NULL)
        tn_shape_strides(type->shape, type->rank, w->strides);
    else
        memcpy(w->strides, type->strides, (size_t)type->rank * sizeof *w->strides);
    int64_t low = 0, high = 0;
    for (int32_t i = 0; i < type->rank && w->n > 0; i++) {
        const int64_t reach = (w->shape[i] - 1) * w->strides[i];
        *(reach < 0 ? &low : &high) += reach;
    }
    const size_t element = tn_dt_size(w->dt);
    const size_t inside = w->n > 0 ? (size_t)(high - low + 1) * element : 0;
    w->size = inside + (size_t)2 * GUARD;
    w->block = tn_alloc_aligned(tn_allocator_system(), w->size, 64);
    if (w->block == NULL) return tn_status_no_memory();
    memset(w->block, PATTERN, w->size);
    w->tensor = (tn_tensor){.data = w->block + GUARD,
                            .device = {TN_DEVICE_CPU, 0},
                            .ndim = type->rank,
                            .dtype = type->dtype,
                            .shape = w->shape,
                            .strides = w->strides,
                            .byte_offset = (uint64_t)-low * element};
    return NULL;
}

void tn_watched_deinit(tn_watched *w) {
    tn_free(tn_allocator_system(), w->block, w->size);
    tn_free(tn_allocator_system(), w->copy, w->size);
}

char *tn_watched_at(const tn_watched *w, int64_t index) {
    int64_t offset = 0;
    for (int32_t i = w->tensor.ndim - 1; i >= 0; i--) {
        offset += index % w->shape[i] * w->strides[i];
        index /= w->shape[i];
    }
    return (char *)w->tensor.data + w->tensor.byte_offset + offset * (int64_t)tn_dt_size(w->dt);
}

/* splitmix64: the same numbers on every machine. */
static uint64_t random_bits(uint64_t x) {
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static tn_scalar random_scalar(tn_dt dt, uint64_t bits) {
    if (!tn_dt_is_float(dt)) return tn_scalar_cast((tn_scalar){.u = bits}, TN_DT_U64, dt);
    const double unit = (double)(bits >> 40) / (double)(1 << 24);
    return (tn_scalar){.f = unit * 4.0 - 2.0};
}

static tn_scalar small_scalar(tn_dt dt, uint64_t bits) {
    int64_t value = (int64_t)(bits % 9);
    if (dt == TN_DT_BOOL) return (tn_scalar){.u = bits % 2};
    if (tn_dt_is_signed(dt)) value -= 4;
    return tn_scalar_cast((tn_scalar){.i = value}, TN_DT_I64, dt);
}

static tn_scalar pick(tn_dt dt, tn_source source, uint32_t input, int64_t index) {
    tn_scalar edges[TN_EDGES_MAX];
    const int64_t n = tn_edges(dt, edges);
    const uint64_t bits = random_bits((uint64_t)index * 31 + input * UINT64_C(1000003) + dt);
    switch (source) {
    case TN_FROM_COMBINATIONS:
        for (uint32_t k = 0; k < input; k++)
            index /= n;
        return edges[index % n];
    case TN_FROM_MIXED:
        return bits % 2 == 0 ? edges[(bits >> 1) % (uint64_t)n] : random_scalar(dt, bits);
    case TN_FROM_SMALL: return small_scalar(dt, bits);
    case TN_FROM_INDEX: return (tn_scalar){.i = (int64_t)(bits % 9) - 2};
    default: return random_scalar(dt, bits);
    }
}

void tn_watched_fill(tn_watched *w, tn_source source, uint32_t input) {
    for (int64_t i = 0; i < w->n; i++)
        tn_scalar_store(w->dt, tn_watched_at(w, i), pick(w->dt, source, input, i));
}

static bool parse_scalar(tn_dt dt, const char *text, tn_scalar *out) {
    char *end;
    errno = 0;
    if (dt == TN_DT_BOOL && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
        out->u = text[0] == 't';
        return true;
    }
    if (tn_dt_is_float(dt))
        out->f = strtod(text, &end);
    else if (tn_dt_is_signed(dt))
        out->i = strtoll(text, &end, 0);
    else
        out->u = strtoull(text, &end, 0);
    return end != text && *end == '\0' && (errno == 0 || tn_dt_is_float(dt));
}

/* One word: a value, count*value, or first..last. */
static bool parse_word(tn_watched *w, char *word, int64_t *index) {
    char *const range = strstr(word, ".."), *const star = strchr(word, '*');
    int64_t count = 1, first = 0;
    tn_scalar value;
    if (range != NULL) {
        first = strtoll(word, NULL, 10);
        count = strtoll(range + 2, NULL, 10) - first + 1;
    } else if (star != NULL) {
        count = strtoll(word, NULL, 10);
    }
    if (range == NULL && !parse_scalar(w->dt, star == NULL ? word : star + 1, &value)) return false;
    for (int64_t k = 0; k < count; k++, ++*index) {
        if (*index >= w->n) return false;
        if (range != NULL) value = tn_scalar_cast((tn_scalar){.i = first + k}, TN_DT_I64, w->dt);
        tn_scalar_store(w->dt, tn_watched_at(w, *index), value);
    }
    return count >= 1;
}

tn_status tn_watched_parse(tn_watched *w, const char *text) {
    int64_t index = 0;
    while (*(text += strspn(text, " ")) != '\0') {
        char word[64];
        const size_t length = strcspn(text, " ");
        if (length >= sizeof word)
            return tn_status_make(TN_INVALID, "too long a value at '%s'", text);
        memcpy(word, text, length);
        word[length] = '\0';
        if (!parse_word(w, word, &index))
            return tn_status_make(TN_INVALID, "bad or surplus value '%s'", word);
        text += length;
    }
    if (index == w->n) return NULL;
    return tn_status_make(TN_INVALID, "expected %" PRId64 " values, found %" PRId64, w->n, index);
}

tn_status tn_watched_keep(tn_watched *w) {
    w->copy = tn_alloc(tn_allocator_system(), w->size);
    if (w->copy == NULL) return tn_status_no_memory();
    memcpy(w->copy, w->block, w->size);
    return NULL;
}

tn_status tn_watched_check(const tn_watched *w, bool elements, const char *what) {
    const size_t size = tn_dt_size(w->dt);
    if (!elements) /* what was written is as it should be: put it into the copy too */
        for (int64_t i = 0; i < w->n; i++) {
            const char *at = tn_watched_at(w, i);
            memcpy(w->copy + ((const unsigned char *)at - w->block), at, size);
        }
    for (size_t i = 0; i < w->size; i++)
        if (w->block[i] != w->copy[i])
            return tn_status_make(TN_INVALID, "%s: byte %lld relative to its memory was written",
                                  what, (long long)i - GUARD);
    return NULL;
}
