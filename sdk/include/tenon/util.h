/* SPDX-License-Identifier: Apache-2.0
 *
 * tenon/util.h: small inline helpers for those who write plugins. Nothing here
 * is part of the binary contract: it compiles into the plugin, and a plugin may
 * do without it. C99 and C++11.
 *
 * A meta function, in full:
 *
 *     static tn_code gate_meta(const tn_meta_context *m) {
 *         const tn_tensor *x, *y;
 *         TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &x));
 *         TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 1, &y));
 *         TN_REQUIRE(m->cb, tn_same_shape(x, y), "x has rank %d, y has rank %d",
 *                    (int)x->ndim, (int)y->ndim);
 *         return tn_meta_like(m, 0, x);
 *     }
 */
#ifndef TENON_UTIL_H
#define TENON_UTIL_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tenon/plugin.h"

#ifdef __cplusplus
#include <exception>
#include <new>
#endif

#if defined(__GNUC__)
#define TN_UTIL_PRINTF(format_at, first)                                       \
    __attribute__((format(printf, format_at, first)))
#else
#define TN_UTIL_PRINTF(format_at, first)
#endif

#ifdef __cplusplus
#define TN_UTIL_NULL nullptr
extern "C" {
#else
#define TN_UTIL_NULL NULL
#endif

/* ------------------------------------------------------------------ errors */

/* Records a formatted reason and returns code, so that a callback can end in
 * `return tn_fail(cb, TN_INVALID, "...", ...);`. Messages are cut at 511 bytes. */
static inline tn_code tn_fail(const tn_callback *cb, tn_code code,
                              const char *format, ...) TN_UTIL_PRINTF(3, 4);
static inline tn_code tn_fail(const tn_callback *cb, tn_code code,
                              const char *format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    if (vsnprintf(message, sizeof message, format, args) < 0) message[0] = '\0';
    va_end(args);
    (void)cb->fail(cb, code, message);
    return code;
}

/* Leaves the function with expr's code unless that is TN_OK. */
#define TN_CHECK(expr)                                                         \
    do {                                                                       \
        const tn_code tn_check_code_ = (expr);                                 \
        if (tn_check_code_ != TN_OK) return tn_check_code_;                    \
    } while (0)
/* Leaves the function with TN_INVALID and a formatted reason unless condition
 * holds: TN_REQUIRE(cb, n > 0, "n is %d", n). */
#define TN_REQUIRE(cb, condition, ...)                                         \
    do {                                                                       \
        if (!(condition)) {                                                    \
            (void)tn_fail((cb), TN_INVALID, __VA_ARGS__);                      \
            return TN_INVALID;                                                 \
        }                                                                      \
    } while (0)
/* The same with TN_DECLINED: for accept and lowerings, where another way to run
 * the call exists. */
#define TN_DECLINE_UNLESS(cb, condition, ...)                                  \
    do {                                                                       \
        if (!(condition)) {                                                    \
            (void)tn_fail((cb), TN_DECLINED, __VA_ARGS__);                     \
            return TN_DECLINED;                                                \
        }                                                                      \
    } while (0)

/* No C++ exception may cross the boundary. Put the body of every callback that
 * might throw between these two; without exceptions (and in C) they are empty.
 *
 *     tn_code run(const tn_run_context *ctx, void *state, const tn_call *call) {
 *         TN_GUARD_BEGIN
 *         ...
 *         return TN_OK;
 *         TN_GUARD_END(ctx->cb)
 *     }
 *
 * std::bad_alloc becomes TN_NO_MEMORY; any other exception becomes TN_INTERNAL,
 * with what() as the message. TN_GUARD_END_VOID is for callbacks that return
 * nothing (release, device_deinit), which swallow what they catch. */
#if defined(__cplusplus) && (defined(__cpp_exceptions) || defined(__EXCEPTIONS))
#define TN_GUARD_BEGIN try {
#define TN_GUARD_END(cb)                                                       \
    }                                                                          \
    catch (const std::bad_alloc &) {                                           \
        return (cb)->fail((cb), TN_NO_MEMORY, "C++ std::bad_alloc");           \
    }                                                                          \
    catch (const std::exception &tn_exception_) {                              \
        return tn_fail((cb), TN_INTERNAL, "C++ exception: %s",                 \
                       tn_exception_.what());                                  \
    }                                                                          \
    catch (...) {                                                              \
        return (cb)->fail((cb), TN_INTERNAL,                                   \
                          "C++ exception that is no std::exception");          \
    }
#define TN_GUARD_END_VOID                                                      \
    }                                                                          \
    catch (...) {                                                              \
    }
#else
#define TN_GUARD_BEGIN
#define TN_GUARD_END(cb)
#define TN_GUARD_END_VOID
#endif

/* ----------------------------------------------------------------- structs */

/* The header fields of an initializer, for what follows by position or by name:
 *     static const tn_kernel kernel = {TN_SIZED(tn_kernel), TN_DEVICE_CPU, ...};
 *     static const tn_kernel kernel = {TN_SIZED(tn_kernel), .run = swish_run}; */
#define TN_SIZED(type) (uint32_t)sizeof(type), 0, TN_UTIL_NULL
/* Zeroes a struct of one's own and fills in its size: TN_INIT(&spec). Not for
 * structs that the host hands over to be filled: those have the host's size. */
#define TN_INIT(pointer)                                                       \
    (memset((pointer), 0, sizeof *(pointer)),                                  \
     (void)((pointer)->struct_size = (uint32_t)sizeof *(pointer)))
#define TN_COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* ------------------------------------------------------------------ dtypes */

static inline tn_dtype tn_make_dtype(uint8_t code, uint8_t bits) {
    tn_dtype dtype;
    dtype.code = code;
    dtype.bits = bits;
    dtype.lanes = 1;
    return dtype;
}
/* tn_dtype_of_F32(), tn_dtype_of_BF16() ...: one for each of TN_DTYPE_LIST. */
#define TN_UTIL_DTYPE(name, text, code, bits)                                  \
    static inline tn_dtype tn_dtype_of_##name(void) {                          \
        return tn_make_dtype((code), (bits));                                  \
    }
TN_DTYPE_LIST(TN_UTIL_DTYPE)
#undef TN_UTIL_DTYPE

static inline int tn_same_dtype(tn_dtype a, tn_dtype b) {
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
static inline int tn_is_float(tn_dtype t) {
    return t.code == TN_TYPE_FLOAT || t.code == TN_TYPE_BFLOAT ||
           t.code == TN_TYPE_F8_E4M3FN || t.code == TN_TYPE_F8_E5M2;
}
static inline int tn_is_integer(tn_dtype t) { /* bool is none */
    return t.code == TN_TYPE_INT || t.code == TN_TYPE_UINT;
}
/* "bf16"; "?" for what is not in TN_DTYPE_LIST. */
static inline const char *tn_dtype_name(tn_dtype t) {
#define TN_UTIL_NAME(upper, text, type_code, type_bits)                        \
    if (t.code == (type_code) && t.bits == (type_bits) && t.lanes == 1)        \
        return text;
    TN_DTYPE_LIST(TN_UTIL_NAME)
#undef TN_UTIL_NAME
    return "?";
}

/* ----------------------------------------------------------------- tensors */

/* How many elements. The host has checked that the product fits. */
static inline int64_t tn_numel(const tn_tensor *t) {
    int64_t n = 1;
    for (int32_t i = 0; i < t->ndim; i++)
        n *= t->shape[i];
    return n;
}
/* The first element. */
static inline void *tn_data(const tn_tensor *t) {
    return t->data ? (char *)t->data + t->byte_offset : TN_UTIL_NULL;
}
static inline int tn_same_shape(const tn_tensor *a, const tn_tensor *b) {
    if (a->ndim != b->ndim) return 0;
    for (int32_t i = 0; i < a->ndim; i++) {
        if (a->shape[i] != b->shape[i]) return 0;
    }
    return 1;
}
/* Row-major without gaps. Strides of axes of extent 1 do not matter, nor any
 * when there are no elements. */
static inline int tn_is_contiguous(const tn_tensor *t) {
    int64_t expected = 1;
    for (int32_t i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0) return 1;
    }
    for (int32_t i = t->ndim - 1; i >= 0; i--) {
        if (t->shape[i] != 1 && t->strides[i] != expected) return 0;
        expected *= t->shape[i];
    }
    return 1;
}
/* An axis counted from the end when negative, brought into [0, ndim); a 0-d
 * tensor takes 0 and -1. */
static inline tn_code tn_normalize_axis(const tn_callback *cb, int64_t axis,
                                        int32_t ndim, int32_t *out_axis) {
    const int64_t rank = ndim > 0 ? ndim : 1;
    TN_REQUIRE(cb, axis >= -rank && axis < rank,
               "axis %lld is out of range for rank %d", (long long)axis,
               (int)ndim);
    *out_axis = (int32_t)(axis < 0 ? axis + rank : axis);
    return TN_OK;
}

/* --------------------------------------------------------------- arguments */

static inline const char *tn_tag_name(uint32_t tag) {
    static const char *const names[] = {
        "None",    "a tensor", "a list",           "an int",   "a float",
        "a bool",  "a string", "a dtype",          "a device", "a handle",
        "a value", "a size",   "a run-time number"};
    return tag < sizeof names / sizeof names[0] ? names[tag] : "an unknown tag";
}
static inline void tn_get_fail(const tn_callback *cb, const tn_arg *args,
                               uint32_t n_args, uint32_t index,
                               const char *expected) {
    if (index >= n_args) {
        (void)tn_fail(cb, TN_INVALID,
                      "argument %u was asked for, but there are %u",
                      (unsigned)index, (unsigned)n_args);
    } else {
        (void)tn_fail(cb, TN_INVALID, "argument %u: expected %s, got %s",
                      (unsigned)index, expected, tn_tag_name(args[index].tag));
    }
}
static inline int tn_is_none(const tn_arg *args, uint32_t n_args,
                             uint32_t index) {
    return index < n_args && args[index].tag == TN_TAG_NONE;
}

/* Each sets *out to argument `index` and returns TN_OK, or fails saying what was
 * there. The host has already bound the call to the schema; these catch an index
 * or a type that the plugin's author got wrong. The `_or_null` and `_or` forms
 * take None for an absent optional. */
static inline tn_code tn_get_tensor(const tn_callback *cb, const tn_arg *args,
                                    uint32_t n_args, uint32_t index,
                                    const tn_tensor **out) {
    if (index >= n_args || args[index].tag != TN_TAG_TENSOR) {
        tn_get_fail(cb, args, n_args, index, "a tensor");
        return TN_INVALID;
    }
    *out = args[index].v.tensor;
    return TN_OK;
}
static inline tn_code tn_get_tensor_or_null(const tn_callback *cb,
                                            const tn_arg *args, uint32_t n_args,
                                            uint32_t index,
                                            const tn_tensor **out) {
    if (tn_is_none(args, n_args, index)) {
        *out = TN_UTIL_NULL;
        return TN_OK;
    }
    return tn_get_tensor(cb, args, n_args, index, out);
}
static inline tn_code tn_get_int(const tn_callback *cb, const tn_arg *args,
                                 uint32_t n_args, uint32_t index,
                                 int64_t *out) {
    if (index >= n_args || args[index].tag != TN_TAG_INT) {
        tn_get_fail(cb, args, n_args, index, "an int");
        return TN_INVALID;
    }
    *out = args[index].v.i;
    return TN_OK;
}
static inline tn_code tn_get_int_or(const tn_callback *cb, const tn_arg *args,
                                    uint32_t n_args, uint32_t index,
                                    int64_t otherwise, int64_t *out) {
    if (tn_is_none(args, n_args, index)) {
        *out = otherwise;
        return TN_OK;
    }
    return tn_get_int(cb, args, n_args, index, out);
}
/* Takes an int or a bool too: a Scalar may be any of the three. */
static inline tn_code tn_get_float(const tn_callback *cb, const tn_arg *args,
                                   uint32_t n_args, uint32_t index,
                                   double *out) {
    if (index < n_args &&
        (args[index].tag == TN_TAG_INT || args[index].tag == TN_TAG_BOOL)) {
        *out = (double)args[index].v.i;
        return TN_OK;
    }
    if (index >= n_args || args[index].tag != TN_TAG_FLOAT) {
        tn_get_fail(cb, args, n_args, index, "a float");
        return TN_INVALID;
    }
    *out = args[index].v.f;
    return TN_OK;
}
static inline tn_code tn_get_bool(const tn_callback *cb, const tn_arg *args,
                                  uint32_t n_args, uint32_t index, int *out) {
    if (index >= n_args || args[index].tag != TN_TAG_BOOL) {
        tn_get_fail(cb, args, n_args, index, "a bool");
        return TN_INVALID;
    }
    *out = args[index].v.i != 0;
    return TN_OK;
}
/* NUL-terminated; lives as long as args. */
static inline tn_code tn_get_string(const tn_callback *cb, const tn_arg *args,
                                    uint32_t n_args, uint32_t index,
                                    const char **out) {
    if (index >= n_args || args[index].tag != TN_TAG_STRING) {
        tn_get_fail(cb, args, n_args, index, "a string");
        return TN_INVALID;
    }
    *out = args[index].v.str;
    return TN_OK;
}
static inline tn_code tn_get_dtype(const tn_callback *cb, const tn_arg *args,
                                   uint32_t n_args, uint32_t index,
                                   tn_dtype *out) {
    if (index >= n_args || args[index].tag != TN_TAG_DTYPE) {
        tn_get_fail(cb, args, n_args, index, "a dtype");
        return TN_INVALID;
    }
    *out = args[index].v.dtype;
    return TN_OK;
}
static inline tn_code tn_get_dtype_or(const tn_callback *cb, const tn_arg *args,
                                      uint32_t n_args, uint32_t index,
                                      tn_dtype otherwise, tn_dtype *out) {
    if (tn_is_none(args, n_args, index)) {
        *out = otherwise;
        return TN_OK;
    }
    return tn_get_dtype(cb, args, n_args, index, out);
}
/* The elements of a list, and how many; lives as long as args. */
static inline tn_code tn_get_list(const tn_callback *cb, const tn_arg *args,
                                  uint32_t n_args, uint32_t index,
                                  const tn_arg **out_items,
                                  uint32_t *out_count) {
    if (index >= n_args || args[index].tag != TN_TAG_LIST) {
        tn_get_fail(cb, args, n_args, index, "a list");
        return TN_INVALID;
    }
    *out_items = args[index].v.list;
    *out_count = args[index].count;
    return TN_OK;
}
/* A list of ints, at most `capacity` of them, copied to out. */
static inline tn_code tn_get_ints(const tn_callback *cb, const tn_arg *args,
                                  uint32_t n_args, uint32_t index, int64_t *out,
                                  uint32_t capacity, uint32_t *out_count) {
    const tn_arg *items;
    uint32_t count;
    TN_CHECK(tn_get_list(cb, args, n_args, index, &items, &count));
    TN_REQUIRE(cb, count <= capacity,
               "argument %u: has %u items, at most %u are taken",
               (unsigned)index, (unsigned)count, (unsigned)capacity);
    for (uint32_t i = 0; i < count; i++) {
        TN_REQUIRE(cb, items[i].tag == TN_TAG_INT,
                   "argument %u: item %u: expected an int, got %s",
                   (unsigned)index, (unsigned)i, tn_tag_name(items[i].tag));
        out[i] = items[i].v.i;
    }
    *out_count = count;
    return TN_OK;
}

/* -------------------------------------------------------------------- meta */

/* A spec to fill further: contiguous, no alias. */
static inline tn_spec tn_make_spec(tn_dtype dtype, int32_t ndim,
                                   const int64_t *shape) {
    tn_spec spec;
    TN_INIT(&spec);
    spec.dtype = dtype;
    spec.ndim = ndim;
    spec.shape = shape;
    return spec;
}
/* Result `index` is a new contiguous tensor of this dtype and shape. */
static inline tn_code tn_meta_contiguous(const tn_meta_context *m,
                                         uint32_t index, tn_dtype dtype,
                                         int32_t ndim, const int64_t *shape) {
    const tn_spec spec = tn_make_spec(dtype, ndim, shape);
    return m->set(m, index, &spec);
}
/* Result `index` is a new contiguous tensor with the dtype and shape of t. */
static inline tn_code tn_meta_like(const tn_meta_context *m, uint32_t index,
                                   const tn_tensor *t) {
    return tn_meta_contiguous(m, index, t->dtype, t->ndim, t->shape);
}
/* The shape of t, another dtype. */
static inline tn_code tn_meta_like_as(const tn_meta_context *m, uint32_t index,
                                      const tn_tensor *t, tn_dtype dtype) {
    return tn_meta_contiguous(m, index, dtype, t->ndim, t->shape);
}
/* Result `index` is a view of the tensor argument `argument`, of the same dtype
 * and starting `offset` of its elements (whole bytes) behind its first. */
static inline tn_code tn_meta_view(const tn_meta_context *m, uint32_t index,
                                   uint32_t argument, int32_t ndim,
                                   const int64_t *shape, const int64_t *strides,
                                   int64_t offset) {
    const tn_tensor *t;
    tn_spec spec;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, argument, &t));
    spec = tn_make_spec(t->dtype, ndim, shape);
    spec.strides = strides;
    spec.flags = TN_SPEC_ALIAS;
    spec.alias_argument = (int32_t)argument;
    spec.alias_offset = offset * (t->dtype.bits * t->dtype.lanes) / 8;
    return m->set(m, index, &spec);
}
/* The shape that a and b broadcast to, by the usual rule (from the last axis,
 * an extent of 1 stretches). out_shape has room for the larger rank. */
static inline tn_code tn_broadcast_shape(const tn_callback *cb,
                                         const tn_tensor *a, const tn_tensor *b,
                                         int32_t *out_ndim,
                                         int64_t *out_shape) {
    const int32_t ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    for (int32_t i = 1; i <= ndim; i++) {
        const int64_t x = i <= a->ndim ? a->shape[a->ndim - i] : 1;
        const int64_t y = i <= b->ndim ? b->shape[b->ndim - i] : 1;
        TN_REQUIRE(cb, x == y || x == 1 || y == 1,
                   "extents %lld and %lld at axis -%d do not broadcast",
                   (long long)x, (long long)y, (int)i);
        out_shape[ndim - i] = x == 1 ? y : x;
    }
    *out_ndim = ndim;
    return TN_OK;
}

#ifdef __cplusplus
}
#endif
#endif
