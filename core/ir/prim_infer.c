/* Types of primitives: what every rule uses, the dispatch, and the rules of
 * elementwise primitives, sources and contractions. */
#include "ir/prim_infer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

tn_status tn__infer_fail(const tn__infer *in, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    tn_status status = tn_status_makev(TN_INVALID, fmt, args);
    va_end(args);
    return tn_status_annotate(status, "%s: ", in->schema->full_name);
}

const char *tn__infer_operand(const tn__infer *in, uint32_t index, char out[40]) {
    if (in->schema->n_params && in->schema->params[0].type.is_list)
        snprintf(out, 40, "%.24s[%" PRIu32 "]", in->schema->params[0].name, index);
    else
        snprintf(out, 40, "%.32s", in->schema->params[index].name);
    return out;
}

static const tn_arg *find_arg(const tn__infer *in, const char *name) {
    return &in->args[tn_schema_find_param(in->schema, name)];
}

tn_status tn__infer_int(const tn__infer *in, const char *name, int64_t *out) {
    const tn_arg *arg = find_arg(in, name);
    if (arg->tag != TN_TAG_INT)
        return tn__infer_fail(in, "attribute %s: expected an int, found %s", name,
                              arg->tag == TN_TAG_DIM ? "a size that is not bound yet"
                                                     : "something else");
    *out = arg->v.i;
    return NULL;
}

tn_status tn__infer_ints(const tn__infer *in, const char *name, int64_t expected,
                         int64_t out[TN_MAX_RANK], int32_t *out_n) {
    const tn_arg *arg = find_arg(in, name);
    if (arg->tag != TN_TAG_LIST)
        return tn__infer_fail(in, "attribute %s: expected a list of ints, found something else",
                              name);
    if (expected >= 0 && arg->count != expected)
        return tn__infer_fail(in, "attribute %s: expected %" PRId64 " items, found %" PRIu32, name,
                              expected, arg->count);
    if (arg->count > TN_MAX_RANK)
        return tn__infer_fail(in, "attribute %s: expected at most %d items, found %" PRIu32, name,
                              TN_MAX_RANK, arg->count);
    for (uint32_t i = 0; i < arg->count; i++) {
        if (arg->v.list[i].tag != TN_TAG_INT)
            return tn__infer_fail(in, "attribute %s[%" PRIu32 "]: expected an int, found %s", name,
                                  i,
                                  arg->v.list[i].tag == TN_TAG_DIM ? "a size that is not bound yet"
                                                                   : "something else");
        out[i] = arg->v.list[i].v.i;
    }
    if (out_n) *out_n = (int32_t)arg->count;
    return NULL;
}

tn_status tn__infer_dtype(const tn__infer *in, tn_dt *out) {
    const tn_arg *arg = find_arg(in, "dtype");
    *out = arg->tag == TN_TAG_DTYPE ? tn_dt_from_dtype(arg->v.dtype) : TN_DT_NONE;
    if (*out == TN_DT_NONE)
        return tn__infer_fail(
            in, "attribute dtype: expected a dtype of opset %d, as f32, found %s", TN_OPSET_VERSION,
            arg->tag == TN_TAG_DTYPE ? "one that primitives do not have" : "something else");
    return NULL;
}

tn_status tn__infer_axis(const tn__infer *in, const char *name, int32_t *out) {
    int64_t axis;
    TN_TRY(tn__infer_int(in, name, &axis));
    int32_t rank = in->operands[0].rank;
    if (axis < 0 || axis >= rank)
        return tn__infer_fail(in,
                              "attribute %s: expected an axis in [0, %d), the rank of the operand, "
                              "found %" PRId64,
                              name, (int)rank, axis);
    *out = (int32_t)axis;
    return NULL;
}

tn_status tn__infer_axes(const tn__infer *in, const char *name, int32_t rank,
                         bool out_set[TN_MAX_RANK]) {
    int64_t axes[TN_MAX_RANK];
    int32_t n;
    TN_TRY(tn__infer_ints(in, name, -1, axes, &n));
    memset(out_set, 0, TN_MAX_RANK * sizeof *out_set);
    for (int32_t i = 0; i < n; i++) {
        if (axes[i] < 0 || axes[i] >= rank)
            return tn__infer_fail(in,
                                  "attribute %s[%d]: expected an axis in [0, %d), found %" PRId64,
                                  name, (int)i, (int)rank, axes[i]);
        if (out_set[axes[i]])
            return tn__infer_fail(in, "attribute %s: axis %" PRId64 " is there twice", name,
                                  axes[i]);
        out_set[axes[i]] = true;
    }
    return NULL;
}

static bool is_defined(const tn_prim_info *info, tn_dt dt) {
    return tn_dt_is_float(dt) ? info->on_float : tn_dt_is_int(dt) ? info->on_int : info->on_bool;
}

/* "floats, integers": what the primitive is defined on. */
static const char *domain_text(const tn_prim_info *info, char out[32]) {
    bool numbers = info->on_float && info->on_int;
    snprintf(out, 32, "%s%s%s%s%s", info->on_float ? "floats" : "", numbers ? ", " : "",
             info->on_int ? "integers" : "",
             info->on_bool && (info->on_float || info->on_int) ? ", " : "",
             info->on_bool ? "bool" : "");
    return out;
}

tn_status tn__infer_defined(const tn__infer *in, uint32_t i) {
    tn_dt dt = in->operands[i].dt;
    if (is_defined(in->info, dt)) return NULL;
    char name[40], domain[32];
    return tn__infer_fail(in, "operand %s: expected %s, found %s", tn__infer_operand(in, i, name),
                          domain_text(in->info, domain), tn_dt_text(dt));
}

tn_status tn__infer_same_dtype(const tn__infer *in, uint32_t first, uint32_t i) {
    const tn_type *a = &in->operands[first], *b = &in->operands[i];
    char name_a[40], name_b[40];
    if (a->dt == b->dt) return NULL;
    return tn__infer_fail(in,
                          "operand %s: expected %s, the dtype of %s, found %s (primitives never "
                          "promote: cast first)",
                          tn__infer_operand(in, i, name_b), tn_dt_text(a->dt),
                          tn__infer_operand(in, first, name_a), tn_dt_text(b->dt));
}

tn_status tn__infer_same_shape(const tn__infer *in, uint32_t first, uint32_t i) {
    const tn_type *a = &in->operands[first], *b = &in->operands[i];
    bool same = a->rank == b->rank;
    for (int32_t k = 0; same && k < a->rank; k++)
        same = a->shape[k] == b->shape[k];
    if (same) return NULL;
    char name_a[40], name_b[40], text_a[TN__TYPE_TEXT], text_b[TN__TYPE_TEXT];
    return tn__infer_fail(
        in,
        "operand %s: expected the shape of %s, %s, found %s (primitives never broadcast: use "
        "prim::broadcast first)",
        tn__infer_operand(in, i, name_b), tn__infer_operand(in, first, name_a),
        tn__type_text(NULL, a, text_a), tn__type_text(NULL, b, text_b));
}

tn_status tn__infer_result(tn__infer *in, tn_dt dt, const int64_t *shape, int32_t rank) {
    tn_type *out = &in->results[in->n_results];
    static const int64_t no_axes[1];
    if (rank == 0) shape = no_axes;
    if (rank > TN_MAX_RANK)
        return tn__infer_fail(in, "the result would have %d axes; at most %d are possible",
                              (int)rank, TN_MAX_RANK);
    *out = (tn_type){.known = true,
                     .dt = dt,
                     .dtype = tn_dt_to_dtype(dt),
                     .rank = rank,
                     .shape = tn_arena_copy(in->arena, shape, (size_t)rank * sizeof *shape)};
    if (!out->shape) return tn_status_no_memory();
    tn_status bad = tn__type_check(out);
    if (bad) return tn_status_annotate(bad, "%s: the result: ", in->schema->full_name);
    in->n_results++;
    return NULL;
}

static tn_status infer_elementwise(tn__infer *in) {
    const tn_type *a = &in->operands[0];
    TN_TRY(tn__infer_defined(in, 0));
    for (uint32_t i = 1; i < in->n_operands; i++) {
        TN_TRY(tn__infer_same_dtype(in, 0, i));
        TN_TRY(tn__infer_same_shape(in, 0, i));
    }
    return tn__infer_result(in, in->info->result_bool ? TN_DT_BOOL : a->dt, a->shape, a->rank);
}

static tn_status infer_select(tn__infer *in) {
    const tn_type *cond = &in->operands[0], *a = &in->operands[1];
    if (cond->dt != TN_DT_BOOL)
        return tn__infer_fail(in, "operand cond: expected bool, found %s", tn_dt_text(cond->dt));
    TN_TRY(tn__infer_same_shape(in, 0, 1));
    TN_TRY(tn__infer_same_dtype(in, 1, 2));
    TN_TRY(tn__infer_same_shape(in, 0, 2));
    return tn__infer_result(in, a->dt, a->shape, a->rank);
}

static tn_status infer_cast(tn__infer *in) {
    const tn_type *a = &in->operands[0];
    tn_dt dt;
    TN_TRY(tn__infer_dtype(in, &dt));
    if (in->info->id == TN_PRIM_BITCAST) {
        if (tn_dt_size(dt) != tn_dt_size(a->dt))
            return tn__infer_fail(in,
                                  "attribute dtype: expected one of %zu bits, as %s has, found %s",
                                  8 * tn_dt_size(a->dt), tn_dt_text(a->dt), tn_dt_text(dt));
        if (dt == TN_DT_BOOL && a->dt != TN_DT_BOOL)
            return tn__infer_fail(in, "attribute dtype: bool holds nothing but 0 and 1; compare "
                                      "with 0 instead");
    }
    return tn__infer_result(in, dt, a->shape, a->rank);
}

static tn_status infer_source(tn__infer *in) {
    tn_dt dt;
    char domain[32];
    TN_TRY(tn__infer_dtype(in, &dt));
    if (!is_defined(in->info, dt))
        return tn__infer_fail(in, "attribute dtype: expected %s, found %s",
                              domain_text(in->info, domain), tn_dt_text(dt));
    if (in->info->id == TN_PRIM_SIZE) {
        int64_t value;
        TN_TRY(tn__infer_int(in, "value", &value));
        return tn__infer_result(in, dt, NULL, 0);
    }
    if (in->info->id == TN_PRIM_CONSTANT) {
        uint32_t tag = find_arg(in, "value")->tag;
        if (tag != TN_TAG_INT && tag != TN_TAG_FLOAT && tag != TN_TAG_BOOL)
            return tn__infer_fail(in, "attribute value: expected an int, a float or a bool");
        return tn__infer_result(in, dt, NULL, 0);
    }
    int64_t shape[TN_MAX_RANK], axis;
    int32_t rank;
    TN_TRY(tn__infer_ints(in, "shape", -1, shape, &rank));
    TN_TRY(tn__infer_int(in, "axis", &axis));
    for (int32_t i = 0; i < rank; i++)
        if (shape[i] < 0)
            return tn__infer_fail(in, "attribute shape[%d]: expected 0 or more, found %" PRId64,
                                  (int)i, shape[i]);
    if (axis < 0 || axis >= rank)
        return tn__infer_fail(in, "attribute axis: expected an axis in [0, %d), found %" PRId64,
                              (int)rank, axis);
    return tn__infer_result(in, dt, shape, rank);
}

static tn_status infer_matmul(tn__infer *in) {
    const tn_type *a = &in->operands[0], *b = &in->operands[1];
    char text_a[TN__TYPE_TEXT], text_b[TN__TYPE_TEXT];
    TN_TRY(tn__infer_same_dtype(in, 0, 1));
    TN_TRY(tn__infer_defined(in, 0));
    tn__type_text(NULL, a, text_a);
    tn__type_text(NULL, b, text_b);
    if (a->rank < 2 || a->rank != b->rank)
        return tn__infer_fail(in,
                              "expected two operands of the same rank, at least 2, found %s and "
                              "%s",
                              text_a, text_b);
    int32_t m = a->rank - 2, n = a->rank - 1;
    for (int32_t i = 0; i < m; i++)
        if (a->shape[i] != b->shape[i])
            return tn__infer_fail(in, "batch axis %d: expected equal extents, found %s and %s",
                                  (int)i, text_a, text_b);
    if (a->shape[n] != b->shape[m])
        return tn__infer_fail(in,
                              "expected [..., m, k] by [..., k, n], found %s and %s: %" PRId64
                              " and %" PRId64 " differ",
                              text_a, text_b, a->shape[n], b->shape[m]);
    int64_t shape[TN_MAX_RANK];
    memcpy(shape, a->shape, (size_t)a->rank * sizeof *shape);
    shape[n] = b->shape[n];
    return tn__infer_result(in, a->dt, shape, a->rank);
}

/* What no rule needs to look at again. */
static tn_status check_operands(const tn__infer *in) {
    char name[40], text[TN__TYPE_TEXT];
    if (in->info->arity                           ? in->n_operands != in->info->arity
        : in->info->klass != TN_PRIM_CLASS_SOURCE ? in->n_operands < 1
                                                  : in->n_operands != 0)
        return tn__infer_fail(in, "found %" PRIu32 " operands; the primitive is %s", in->n_operands,
                              in->schema->text);
    for (uint32_t i = 0; i < in->n_operands; i++) {
        const tn_type *type = &in->operands[i];
        bool concrete = type->known && type->dt != TN_DT_NONE && type->rank <= TN_MAX_RANK;
        for (int32_t k = 0; concrete && k < type->rank; k++)
            concrete = !tn_is_sym(type->shape[k]);
        if (!concrete)
            return tn__infer_fail(in,
                                  "operand %s: expected a dtype of opset %d and known extents, "
                                  "found %s",
                                  tn__infer_operand(in, i, name), TN_OPSET_VERSION,
                                  tn__type_text(NULL, type, text));
    }
    return NULL;
}

tn_status tn_prim_infer(uint32_t prim, const tn_type *operands, uint32_t n_operands,
                        const tn_schema *schema, const tn_arg *args, tn_arena *arena,
                        tn_type *out_types, uint32_t *out_n) {
    *out_n = 0;
    tn__infer in = {tn_prim_get(prim), schema, operands, n_operands, args, arena, out_types, 0};
    if (!in.info)
        return tn_status_make(TN_INVALID, "there is no primitive number %" PRIu32 " in opset %d",
                              prim, TN_OPSET_VERSION);
    TN_TRY(check_operands(&in));
    switch (in.info->klass) {
    case TN_PRIM_CLASS_ELEMENTWISE:
        if (prim == TN_PRIM_SELECT)
            TN_TRY(infer_select(&in));
        else if (prim == TN_PRIM_CAST || prim == TN_PRIM_BITCAST)
            TN_TRY(infer_cast(&in));
        else
            TN_TRY(infer_elementwise(&in));
        break;
    case TN_PRIM_CLASS_SOURCE: TN_TRY(infer_source(&in)); break;
    case TN_PRIM_CLASS_VIEW: TN_TRY(tn__infer_view(&in)); break;
    case TN_PRIM_CLASS_GATHER: TN_TRY(tn__infer_gather(&in)); break;
    case TN_PRIM_CLASS_REDUCE: TN_TRY(tn__infer_reduce(&in)); break;
    case TN_PRIM_CLASS_CONTRACT: TN_TRY(infer_matmul(&in)); break;
    }
    *out_n = in.n_results;
    return NULL;
}
