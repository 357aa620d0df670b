#include "ir/op_spec.h"

#include <string.h>

#include "ir/graph.h" /* TN_MAX_RANK */

/* Bounds of struct_size that plugin.h states: the header, and no sane struct. */
enum { LEAST_STRUCT = 16, MOST_STRUCT = 65536 };
/* Bits of a flag word that a reader must know. */
#define MUST_KNOW 0xffffu
/* The last type code of DLPack 1.1 (float4_e2m1fn). */
enum { LAST_TYPE_CODE = 17 };

static TN_MUST_USE tn_status element_bits(tn_dtype dtype, int64_t *out_bits) {
    *out_bits = (int64_t)dtype.bits * dtype.lanes;
    if (dtype.code > LAST_TYPE_CODE || *out_bits == 0) {
        return tn_status_make(TN_PLUGIN,
                              "its dtype has code %u, %u bits and %u lanes, which is no type that "
                              "DLPack knows",
                              dtype.code, dtype.bits, dtype.lanes);
    }
    return NULL;
}

static TN_MUST_USE tn_status too_large(void) {
    return tn_status_make(TN_PLUGIN, "its extents and strides span more bits than an int64 counts");
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

/* Axes of extent above 1, by growing stride. Their strides must be positive. */
static TN_MUST_USE tn_status sort_axes(const tn_op_result *r, int32_t axes[TN_MAX_RANK],
                                       int32_t *out_n) {
    int32_t n = 0;
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
    *out_n = n;
    return NULL;
}

/* Every element of a new tensor has a place of its own, and none lies before
 * the first: each axis steps over all that those of smaller stride reach. (A few
 * odd interleaved layouts that do not overlap fail this; nobody plans them.) */
static TN_MUST_USE tn_status check_own_layout(const tn_op_result *r, int64_t bits) {
    int32_t axes[TN_MAX_RANK];
    int32_t n = 0;
    TN_TRY(sort_axes(r, axes, &n));
    int64_t span = 0;
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
    if (__builtin_add_overflow(span, 1, &span) || __builtin_mul_overflow(span, bits, &span)) {
        return too_large();
    }
    return NULL;
}

static bool has_elements(int32_t rank, const int64_t *shape) {
    for (int32_t i = 0; i < rank; i++) {
        if (shape[i] == 0) return false;
    }
    return true;
}

/* Where a strided tensor lies: [begin, end) in bits from its first element;
 * false when that does not fit. There must be elements. */
static bool extent_bits(int32_t rank, const int64_t *shape, const int64_t *strides, int64_t bits,
                        int64_t *out_begin, int64_t *out_end) {
    int64_t lowest = 0, highest = 0;
    for (int32_t i = 0; i < rank; i++) {
        int64_t span;
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &span)) return false;
        int64_t *end = span < 0 ? &lowest : &highest;
        if (__builtin_add_overflow(*end, span, end)) return false;
    }
    return !__builtin_mul_overflow(lowest, bits, out_begin) &&
           !__builtin_add_overflow(highest, 1, &highest) &&
           !__builtin_mul_overflow(highest, bits, out_end);
}

/* The tensor that a view looks at; NULL when there is none. */
static const tn_tensor *viewed_tensor(const tn_schema *schema, const tn_arg *args,
                                      const tn_op_result *r) {
    if (r->alias_argument < 0 || (uint32_t)r->alias_argument >= schema->n_params) return NULL;
    const tn_arg *arg = &args[r->alias_argument];
    if (arg->tag == TN_TAG_LIST) {
        if (r->alias_item < 0 || (uint32_t)r->alias_item >= arg->count) return NULL;
        arg = &arg->v.list[r->alias_item];
    } else if (r->alias_item != 0) {
        return NULL;
    }
    return arg->tag == TN_TAG_TENSOR ? arg->v.tensor : NULL;
}

static TN_MUST_USE tn_status check_view(const tn_schema *schema, uint32_t index, const tn_arg *args,
                                        int64_t bits, const tn_op_result *r) {
    const tn_tensor *t = viewed_tensor(schema, args, r);
    if (!t) {
        return tn_status_make(TN_PLUGIN, "it is a view of argument %d, item %d, which is no tensor",
                              r->alias_argument, r->alias_item);
    }
    const tn_schema_param *param = &schema->params[r->alias_argument];
    if (!tn_schema_types_alias(&schema->results[index].type, &param->type)) {
        return tn_status_make(TN_PLUGIN,
                              "it is a view of argument '%s', but the schema declares no such "
                              "alias: mark both, as in Tensor(a)",
                              param->name);
    }
    if (!has_elements(r->rank, r->shape)) return NULL;
    int64_t own_bits = (int64_t)t->dtype.bits * t->dtype.lanes;
    int64_t begin, end, view_begin, view_end, offset;
    if (!has_elements(t->ndim, t->shape) ||
        !extent_bits(t->ndim, t->shape, t->strides, own_bits, &begin, &end) ||
        !extent_bits(r->rank, r->shape, r->strides, bits, &view_begin, &view_end) ||
        __builtin_mul_overflow(r->alias_offset, 8, &offset) ||
        __builtin_add_overflow(view_begin, offset, &view_begin) ||
        __builtin_add_overflow(view_end, offset, &view_end) || view_begin < begin ||
        view_end > end) {
        return tn_status_make(TN_PLUGIN, "it is a view that leaves argument '%s'", param->name);
    }
    return NULL;
}

/* The fields that are wrong whatever the schema says. */
static TN_MUST_USE tn_status check_fields(const tn_spec *spec) {
    uint32_t unknown = spec->flags & MUST_KNOW & ~(TN_SPEC_UPPER_BOUND | TN_SPEC_ALIAS);
    if (unknown) {
        return tn_status_make(TN_UNSUPPORTED, "its flags hold 0x%x, which this host does not know",
                              unknown);
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
            return tn_status_make(TN_PLUGIN, "axis %d: expected an extent of 0 or more, found %lld",
                                  i, (long long)spec->shape[i]);
        }
    }
    if ((spec->flags & TN_SPEC_ALIAS) && spec->ndim > 0 && !spec->strides) {
        return tn_status_make(TN_PLUGIN, "it is a view, but its strides are NULL");
    }
    return NULL;
}

/* Shape and strides copied to the arena. */
static TN_MUST_USE tn_status copy_layout(int32_t rank, const int64_t *shape, const int64_t *strides,
                                         tn_arena *arena, tn_op_result *r) {
    size_t bytes = (size_t)rank * sizeof *shape;
    r->rank = rank;
    r->shape = tn_arena_alloc(arena, bytes);
    r->strides = tn_arena_alloc(arena, bytes);
    if (!r->shape || !r->strides) return tn_status_no_memory();
    if (bytes) memcpy(r->shape, shape, bytes);
    if (strides) {
        if (bytes) memcpy(r->strides, strides, bytes);
    } else if (!contiguous_strides(rank, r->shape, r->strides)) {
        return too_large();
    }
    return NULL;
}

tn_status tn__op_spec_read(const tn_schema *schema, uint32_t index, const tn_arg *args,
                           const tn_spec *given, tn_device device, tn_arena *arena,
                           tn_op_result *out_result) {
    if (!given) return tn_status_make(TN_PLUGIN, "its tn_spec is NULL");
    if (given->struct_size < LEAST_STRUCT || given->struct_size > MOST_STRUCT) {
        return tn_status_make(TN_PLUGIN, "its tn_spec has struct_size %u, expected %zu",
                              given->struct_size, sizeof *given);
    }
    tn_spec spec = {0};
    memcpy(&spec, given, given->struct_size < sizeof spec ? given->struct_size : sizeof spec);
    TN_TRY(check_fields(&spec));
    int64_t bits = 0;
    TN_TRY(element_bits(spec.dtype, &bits));

    tn_op_result r = {.present = true,
                      .flags = spec.flags,
                      .dtype = spec.dtype,
                      .device = spec.device.type ? spec.device : device,
                      .alias_argument = -1};
    TN_TRY(copy_layout(spec.ndim, spec.shape, spec.strides, arena, &r));
    if (spec.flags & TN_SPEC_ALIAS) {
        r.alias_argument = spec.alias_argument;
        r.alias_item = spec.alias_item;
        r.alias_offset = spec.alias_offset;
        TN_TRY(check_view(schema, index, args, bits, &r));
    } else {
        TN_TRY(check_own_layout(&r, bits));
    }
    *out_result = r;
    return NULL;
}

int32_t tn_op_written_param(const tn_schema *schema, uint32_t index) {
    const tn_schema_type *type = &schema->results[index].type;
    if (!type->writes) return -1;
    for (uint32_t i = 0; i < schema->n_params; i++) {
        const tn_schema_type *param = &schema->params[i].type;
        if (param->writes && param->is_list == type->is_list &&
            tn_schema_types_alias(type, param)) {
            return (int32_t)i;
        }
    }
    return -1;
}

tn_status tn__op_result_same(const tn_tensor *t, int32_t argument, int32_t item, tn_arena *arena,
                             tn_op_result *out_result) {
    tn_op_result r = {.present = true,
                      .flags = TN_SPEC_ALIAS,
                      .dtype = t->dtype,
                      .device = t->device,
                      .alias_argument = argument,
                      .alias_item = item};
    TN_TRY(copy_layout(t->ndim, t->shape, t->strides, arena, &r));
    *out_result = r;
    return NULL;
}
