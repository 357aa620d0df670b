#include "ir/op_spec.h"

#include <string.h>

#include "ir/graph.h" /* TN_MAX_RANK */

/* The smallest tn_spec there ever was: ABI 1's. */
#define SPEC_SIZE_1 (offsetof(tn_spec, alias_offset) + sizeof(int64_t))
/* The last type code of DLPack 1.1 (float4_e2m1fn). */
enum { LAST_TYPE_CODE = 17 };

static TN_MUST_USE tn_status element_size(tn_dtype dtype, int64_t *out_bytes) {
    unsigned bits = (unsigned)dtype.bits * dtype.lanes;
    if (dtype.code > LAST_TYPE_CODE || bits == 0 || bits % 8 != 0) {
        return tn_status_make(TN_PLUGIN,
                              "its dtype has code %u, %u bits and %u lanes, which is no type of "
                              "whole bytes that DLPack knows",
                              dtype.code, dtype.bits, dtype.lanes);
    }
    *out_bytes = bits / 8;
    return NULL;
}

static TN_MUST_USE tn_status too_large(void) {
    return tn_status_make(TN_PLUGIN, "its extents and strides span more bytes than 63 bits count");
}

/* Offsets, in elements, of the lowest and the highest element; false when they
 * do not fit. There must be elements. */
static bool reach(int32_t rank, const int64_t *shape, const int64_t *strides, int64_t *out_lowest,
                  int64_t *out_highest) {
    int64_t lowest = 0, highest = 0;
    for (int32_t i = 0; i < rank; i++) {
        int64_t span;
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &span)) return false;
        int64_t *end = span < 0 ? &lowest : &highest;
        if (__builtin_add_overflow(*end, span, end)) return false;
    }
    *out_lowest = lowest;
    *out_highest = highest;
    return true;
}

static bool has_elements(int32_t rank, const int64_t *shape) {
    for (int32_t i = 0; i < rank; i++) {
        if (shape[i] == 0) return false;
    }
    return true;
}

/* Row-major; an extent of 0 counts as 1, so that strides stay distinct. */
static bool contiguous_strides(int32_t rank, const int64_t *shape, int64_t *strides) {
    int64_t stride = 1;
    for (int32_t i = rank - 1; i >= 0; i--) {
        strides[i] = stride;
        if (__builtin_mul_overflow(stride, shape[i] > 1 ? shape[i] : 1, &stride)) return false;
    }
    return true;
}

/* Every element of a new tensor has a place of its own, and none lies before
 * the first: axes by growing stride, each steps over all that the ones before
 * it reach. (A few odd interleaved layouts that do not overlap fail this; no
 * allocator of ours would choose them.) */
static TN_MUST_USE tn_status check_own_layout(const tn_op_result *r, int64_t element_bytes) {
    int32_t axes[TN_MAX_RANK];
    int32_t n = 0;
    int64_t span = 0;
    for (int32_t i = 0; i < r->rank; i++) {
        if (r->shape[i] <= 1) continue;
        if (r->strides[i] <= 0) {
            return tn_status_make(TN_PLUGIN,
                                  "axis %d has extent %lld and stride %lld; the strides of a new "
                                  "tensor are positive",
                                  i, (long long)r->shape[i], (long long)r->strides[i]);
        }
        int32_t at = n++;
        for (; at > 0 && r->strides[axes[at - 1]] > r->strides[i]; at--) {
            axes[at] = axes[at - 1];
        }
        axes[at] = i;
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t i = axes[k];
        int64_t step;
        if (r->strides[i] <= span) {
            return tn_status_make(TN_PLUGIN,
                                  "elements overlap: axis %d has stride %lld, but the axes of "
                                  "smaller stride reach %lld elements far",
                                  i, (long long)r->strides[i], (long long)span);
        }
        if (__builtin_mul_overflow(r->shape[i] - 1, r->strides[i], &step) ||
            __builtin_add_overflow(span, step, &span)) {
            return too_large();
        }
    }
    int64_t bytes;
    if (__builtin_add_overflow(span, 1, &span) ||
        __builtin_mul_overflow(span, element_bytes, &bytes)) {
        return too_large();
    }
    return NULL;
}

/* Whether two alias sets, "a" or "a|b" as the schema writes them, share a name;
 * "*" is every name. */
static bool sets_meet(const char *a, const char *b) {
    if (!a || !b) return false;
    if (strchr(a, '*') || strchr(b, '*')) return true;
    while (*a) {
        size_t length = strcspn(a, "|");
        const char *other = b;
        while (*other) {
            size_t other_length = strcspn(other, "|");
            if (length == other_length && memcmp(a, other, length) == 0) return true;
            other += other_length + (other[other_length] == '|');
        }
        a += length + (a[length] == '|');
    }
    return false;
}

/* The one tensor that an in-place result must be; -1 when there is none. */
static int32_t written_argument(const tn_schema *schema, uint32_t index, const tn_arg *args) {
    const tn_schema_type *type = &schema->results[index].type;
    if (!type->writes) return -1;
    for (uint32_t i = 0; i < schema->n_params; i++) {
        const tn_schema_type *param = &schema->params[i].type;
        if (param->writes && !param->is_list && args[i].tag == TN_TAG_TENSOR &&
            sets_meet(type->alias, param->alias)) {
            return (int32_t)i;
        }
    }
    return -1;
}

static TN_MUST_USE tn_status check_view(const tn_schema *schema, uint32_t index, const tn_arg *args,
                                        int64_t element_bytes, const tn_op_result *r) {
    int32_t a = r->alias_argument;
    if (a < 0 || (uint32_t)a >= schema->n_params || args[a].tag != TN_TAG_TENSOR) {
        return tn_status_make(TN_PLUGIN, "it is a view of argument %d, which is not a tensor", a);
    }
    const char *name = schema->params[a].name;
    if (!sets_meet(schema->results[index].type.alias, schema->params[a].type.alias)) {
        return tn_status_make(TN_PLUGIN,
                              "it is a view of argument '%s', but the schema declares no such "
                              "alias: mark both, as in Tensor(a)",
                              name);
    }
    const tn_tensor *t = args[a].v.tensor;
    int64_t other_bytes;
    tn_status status = element_size(t->dtype, &other_bytes);
    if (status || other_bytes != element_bytes) {
        tn_status_ignore(status);
        return tn_status_make(
            TN_PLUGIN, "it is a view of argument '%s', but their elements differ in size", name);
    }
    if (!has_elements(r->rank, r->shape)) return NULL;
    int64_t lowest, highest, view_lowest, view_highest;
    if (!has_elements(t->ndim, t->shape) ||
        !reach(t->ndim, t->shape, t->strides, &lowest, &highest) ||
        !reach(r->rank, r->shape, r->strides, &view_lowest, &view_highest) ||
        __builtin_add_overflow(view_lowest, r->alias_offset, &view_lowest) ||
        __builtin_add_overflow(view_highest, r->alias_offset, &view_highest) ||
        view_lowest < lowest || view_highest > highest) {
        return tn_status_make(TN_PLUGIN, "it is a view that leaves argument '%s'", name);
    }
    return NULL;
}

/* An in-place result is the written argument, whether the meta function said so
 * or only described it. */
static TN_MUST_USE tn_status complete_in_place(const tn_schema *schema, const tn_arg *args,
                                               int32_t argument, tn_op_result *r) {
    const tn_tensor *t = args[argument].v.tensor;
    bool same = r->rank == t->ndim && r->alias_offset == 0 &&
                memcmp(&r->dtype, &t->dtype, sizeof r->dtype) == 0;
    for (int32_t i = 0; same && i < r->rank; i++) {
        same = r->shape[i] == t->shape[i];
    }
    if (!same) {
        return tn_status_make(TN_PLUGIN,
                              "the schema says that it is argument '%s', but its dtype, shape or "
                              "place differ",
                              schema->params[argument].name);
    }
    if (r->rank > 0) memcpy(r->strides, t->strides, (size_t)r->rank * sizeof *r->strides);
    r->flags |= TN_SPEC_ALIAS;
    r->alias_argument = argument;
    return NULL;
}

/* The fields that are wrong whatever the schema says. */
static TN_MUST_USE tn_status check_fields(const tn_spec *spec) {
    if (spec->flags & ~(TN_SPEC_UPPER_BOUND | TN_SPEC_ALIAS)) {
        return tn_status_make(TN_PLUGIN, "its flags 0x%x hold bits that are not known",
                              (unsigned)spec->flags);
    }
    if ((spec->flags & TN_SPEC_UPPER_BOUND) && (spec->flags & TN_SPEC_ALIAS)) {
        return tn_status_make(TN_PLUGIN, "it cannot be both a view and an upper bound");
    }
    if (spec->ndim < 0 || spec->ndim > TN_MAX_RANK) {
        return tn_status_make(TN_PLUGIN, "its rank is %d; 0 to %d are allowed", spec->ndim,
                              TN_MAX_RANK);
    }
    if (spec->ndim > 0 && !spec->shape) {
        return tn_status_make(TN_PLUGIN, "its rank is %d, but its shape is NULL", spec->ndim);
    }
    for (int32_t i = 0; i < spec->ndim; i++) {
        if (spec->shape[i] < 0) {
            return tn_status_make(TN_PLUGIN, "axis %d has extent %lld", i,
                                  (long long)spec->shape[i]);
        }
    }
    if ((spec->flags & TN_SPEC_ALIAS) && spec->ndim > 0 && !spec->strides) {
        return tn_status_make(TN_PLUGIN, "it is a view, but its strides are NULL");
    }
    return NULL;
}

tn_status tn__op_spec_read(const tn_schema *schema, uint32_t index, const tn_arg *args,
                           const tn_spec *spec, tn_arena *arena, tn_op_result *out_result) {
    if (!spec) return tn_status_make(TN_PLUGIN, "its tn_spec is NULL");
    if (spec->struct_size < SPEC_SIZE_1) {
        return tn_status_make(TN_PLUGIN,
                              "its tn_spec has struct_size %u, expected at least %zu: fill in "
                              "struct_size",
                              spec->struct_size, SPEC_SIZE_1);
    }
    TN_TRY(check_fields(spec));
    int64_t element_bytes;
    TN_TRY(element_size(spec->dtype, &element_bytes));

    bool is_view = (spec->flags & TN_SPEC_ALIAS) != 0;
    size_t rank = (size_t)spec->ndim;
    tn_op_result r = {.present = true,
                      .flags = spec->flags,
                      .dtype = spec->dtype,
                      .rank = spec->ndim,
                      .shape = tn_arena_array(arena, rank, sizeof *r.shape),
                      .strides = tn_arena_array(arena, rank, sizeof *r.strides),
                      .alias_argument = is_view ? spec->alias_argument : -1,
                      .alias_offset = is_view ? spec->alias_offset : 0};
    if (!r.shape || !r.strides) return tn_status_no_memory();
    if (rank) memcpy(r.shape, spec->shape, rank * sizeof *r.shape);
    if (spec->strides) {
        if (rank) memcpy(r.strides, spec->strides, rank * sizeof *r.strides);
    } else if (!contiguous_strides(r.rank, r.shape, r.strides)) {
        return too_large();
    }

    int32_t written = written_argument(schema, index, args);
    if (written >= 0) {
        TN_TRY(complete_in_place(schema, args, written, &r));
    } else if (is_view) {
        TN_TRY(check_view(schema, index, args, element_bytes, &r));
    } else {
        TN_TRY(check_own_layout(&r, element_bytes));
    }
    *out_result = r;
    return NULL;
}
