#include "support/graph_values.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Zeroed, and nothing is mapped beyond its last byte: generated code that reads or writes one
 * too many ends there, in any build. So blocks start at any multiple of an element. A sanitizer
 * sees one too few as well, on the heap. */
#ifdef __SANITIZE_ADDRESS__
static tn_status take_block(tn_value_tensor *v) {
    v->block = calloc(v->bytes > 0 ? v->bytes : 1, 1);
    return v->block != NULL ? NULL : tn_status_no_memory();
}

static void free_block(tn_value_tensor *v) {
    free(v->block);
}
#else
static tn_status take_block(tn_value_tensor *v) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t inside = (v->bytes / page + 1) * page;
    v->pages_bytes = inside + 2 * page;
    char *pages = mmap(NULL, v->pages_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return tn_status_no_memory();
    v->pages = pages;
    if (mprotect(pages + page, inside, PROT_READ | PROT_WRITE) != 0) {
        munmap(pages, v->pages_bytes);
        v->pages = NULL;
        return tn_status_no_memory();
    }
    v->block = pages + page + inside - v->bytes;
    return NULL;
}

static void free_block(tn_value_tensor *v) {
    if (v->pages != NULL) munmap(v->pages, v->pages_bytes);
    v->pages = NULL;
}
#endif

tn_status tn_value_make(tn_value_tensor *v, tn_dtype dtype, int32_t rank, const int64_t *shape,
                        const int64_t *strides) {
    int64_t low = 0, high = 0, step = 1, count = 1;
    size_t size = ((size_t)dtype.bits * dtype.lanes + 7) / 8;
    *v = (tn_value_tensor){0};
    if (rank > 16) return tn_status_make(TN_INVALID, "rank %d", rank);
    for (int32_t i = rank; i-- > 0;) {
        v->shape[i] = shape[i];
        v->strides[i] = strides != NULL ? strides[i] : step;
        step *= shape[i] > 0 ? shape[i] : 1;
        count *= shape[i];
        int64_t reach = (shape[i] - 1) * v->strides[i];
        if (shape[i] > 1 && reach < 0) low += reach;
        if (shape[i] > 1 && reach > 0) high += reach;
    }
    v->bytes = count > 0 ? (size_t)(high - low + 1) * size : 0;
    TN_TRY(take_block(v));
    v->t = (tn_tensor){.data = v->bytes > 0 ? v->block - low * (int64_t)size : NULL,
                       .device = {TN_DEVICE_CPU, 0},
                       .ndim = rank,
                       .dtype = dtype,
                       .shape = v->shape,
                       .strides = v->strides};
    return NULL;
}

void tn_value_free(tn_value_tensor *v) {
    free_block(v);
    v->block = NULL;
}

int64_t tn_value_count(const tn_value_tensor *v) {
    int64_t n = 1;
    for (int32_t i = 0; i < v->t.ndim; i++)
        n *= v->shape[i];
    return n;
}

static char *element(const tn_value_tensor *v, int64_t flat) {
    int64_t offset = 0;
    for (int32_t i = v->t.ndim; i-- > 0;) {
        offset += flat % v->shape[i] * v->strides[i];
        flat /= v->shape[i];
    }
    return (char *)v->t.data + offset * (int64_t)((size_t)v->t.dtype.bits / 8);
}

double tn_value_get(const tn_value_tensor *v, int64_t flat) {
    tn_dt dt = tn_dt_from_dtype(v->t.dtype);
    tn_scalar s = tn_scalar_load(dt, element(v, flat));
    if (tn_dt_is_float(dt)) return s.f;
    return dt == TN_DT_U64 ? (double)s.u : (double)s.i;
}

void tn_value_set(tn_value_tensor *v, int64_t flat, double value) {
    tn_dt dt = tn_dt_from_dtype(v->t.dtype);
    tn_scalar s = tn_scalar_cast((tn_scalar){.f = value}, TN_DT_F64, dt);
    tn_scalar_store(dt, element(v, flat), s);
}

static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

void tn_value_random(tn_value_tensor *v, uint64_t seed, double scale) {
    uint64_t state = seed * 2654435761u + 88172645463325252u;
    bool is_float = tn_dt_is_float(tn_dt_from_dtype(v->t.dtype));
    int64_t n = tn_value_count(v);
    for (int64_t i = 0; i < n; i++) {
        double unit = (double)(next(&state) >> 11) / 9007199254740992.0;
        tn_value_set(v, i, is_float ? (unit * 4 - 2) * scale : floor(unit * 5));
    }
}

tn_status tn_value_fill(tn_value_tensor *v, const char *list) {
    double values[4096];
    size_t n = 0;
    for (const char *p = list; *p != 0;) {
        if (*p == '[' || *p == ']' || *p == ',' || isspace((unsigned char)*p)) {
            p++;
            continue;
        }
        char *end;
        if (strncmp(p, "true", 4) == 0 || strncmp(p, "false", 5) == 0) {
            values[n] = *p == 't';
            end = (char *)p + (*p == 't' ? 4 : 5);
        } else {
            values[n] = strtod(p, &end);
        }
        if (end == p || ++n == sizeof values / sizeof values[0]) {
            return tn_status_make(TN_PARSE, "values \"%s\"", list);
        }
        p = end;
    }
    int64_t count = tn_value_count(v);
    if (n == 0 && count > 0) return tn_status_make(TN_PARSE, "no values in \"%s\"", list);
    for (int64_t i = 0; i < count; i++)
        tn_value_set(v, i, values[(size_t)i % n]);
    return NULL;
}

double tn_value_tolerance(tn_dtype t) {
    if (!tn_dt_is_float(tn_dt_from_dtype(t))) return 0;
    if (t.bits == 64) return 1e-12;
    if (t.bits == 32) return 1e-5;
    if (t.code == TN_TYPE_BFLOAT) return 2e-2;
    return t.bits == 16 ? 2e-3 : 0.13;
}

static bool same(double a, double b, bool exact) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return a == b && (!exact || signbit(a) == signbit(b));
}

void tn_value_compare(const char *what, const tn_value_tensor *found,
                      const tn_value_tensor *expected, bool exact, double tolerance,
                      tn_strbuf *out) {
    double scale = 0;
    int64_t n = tn_value_count(expected);
    if (tn_value_count(found) != n) {
        tn_strbuf_printf(out, "%s: expected %lld elements, found %lld\n", what, (long long)n,
                         (long long)tn_value_count(found));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double e = fabs(tn_value_get(expected, i));
        if (isfinite(e) && e > scale) scale = e;
    }
    for (int64_t i = 0; i < n; i++) {
        double f = tn_value_get(found, i), e = tn_value_get(expected, i);
        if (same(f, e, exact)) continue;
        if (!exact && fabs(f - e) <= tolerance * scale) continue;
        tn_strbuf_printf(out, "%s: element %lld: expected %.9g, found %.9g\n", what, (long long)i,
                         e, f);
        return;
    }
}
