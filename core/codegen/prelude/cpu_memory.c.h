/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors from and to memory. Part of the prelude: see cpu_core.c.h.
 *
 * For every dtype T that memory can hold, with E its element there, p any
 * address aligned to an element, n in [0, TN_W], s a stride in elements:
 *
 *   tn_load_T(p)            p[0 .. W)           tn_store_T(p, v)
 *   tn_load_part_T(p, n)    p[0 .. n), then 0   tn_store_part_T(p, v, n)
 *   tn_load_step_T(p, s)    p[0], p[s], ...     tn_store_step_T(p, s, v)
 *   tn_load_step_part_T(p, s, n)                tn_store_step_part_T(p, s, v, n)
 *   tn_load_back_T(p)       p[0], p[-1], ...
 *   tn_load_one_T(p)        p[0] in every lane
 *   tn_gather_T(p, at)      p[at[lane]], at a vi64
 *   tn_gather_mask_T(p, at, m)  the same where m, else 0 and nothing is read
 *   tn_store_stream_T(p, v) as tn_store past the cache; p + W aligned to a vector;
 *                           tn_stream_end() once before others may read
 *
 * Nothing outside the named elements is touched. A tail computed on a part gives
 * each lane the bits that a whole vector gives it. */
//@ memory: core
#define TN_STEP(j) p[(j) * s]
#define TN_AT(j) p[at[j]]
#define TN_AT_MASK(j) (m[j] ? p[at[j]] : 0)
#define TN_PUT_STEP(j) p[(j) * s] = r[j]
TN_INLINE void tn_stream_end(void) {
#ifdef __SSE__
    __builtin_ia32_sfence();
#endif
}
#if defined(__clang__)
#define TN_STREAM(R, p, r) __builtin_nontemporal_store(r, (R *)(p))
#elif TN_REGISTER == 64
typedef float tn_stream_lanes __attribute__((vector_size(64)));
#define TN_STREAM(R, p, r) __builtin_ia32_movntps512((float *)(p), (tn_stream_lanes)(r))
#elif TN_REGISTER == 32
typedef float tn_stream_lanes __attribute__((vector_size(32)));
#define TN_STREAM(R, p, r) __builtin_ia32_movntps256((float *)(p), (tn_stream_lanes)(r))
#elif defined(__SSE__)
typedef float tn_stream_lanes __attribute__((vector_size(16)));
#define TN_STREAM(R, p, r) __builtin_ia32_movntps((float *)(p), (tn_stream_lanes)(r))
#else
#define TN_STREAM(R, p, r) (*(R *)(p) = (r))
#endif

/* R: the raw vector. U: the same with the alignment of an element. */
#define TN_DEFINE_RAW(T, E, R)                                                                     \
    typedef R tn_unaligned_##T __attribute__((aligned(sizeof(E)), may_alias));                     \
    typedef R tn_aligned_##T __attribute__((may_alias));                                           \
    TN_INLINE R tn_raw_load_##T(const E *p) {                                                      \
        return *(const tn_unaligned_##T *)p;                                                       \
    }                                                                                              \
    TN_INLINE void tn_raw_store_##T(E *p, R r) {                                                   \
        *(tn_unaligned_##T *)p = r;                                                                \
    }                                                                                              \
    TN_INLINE R tn_raw_back_##T(const E *p) {                                                      \
        R r = tn_raw_load_##T(p - (TN_W - 1));                                                     \
        return __builtin_shufflevector(r, r, TN_REVERSED);                                         \
    }
/* Where a vector takes two registers, one at a time: a pair goes through the stack. */
#if TN_SPLIT64
#define TN_DEFINE_RAW64(T, E, R, H)                                                                \
    typedef H tn_unaligned_##T __attribute__((aligned(sizeof(E)), may_alias));                     \
    typedef H tn_aligned_##T __attribute__((may_alias));                                           \
    TN_INLINE R tn_raw_load_##T(const E *p) {                                                      \
        H lo = *(const tn_unaligned_##T *)p, hi = *(const tn_unaligned_##T *)(p + TN_W / 2);       \
        return TN_JOIN(lo, hi);                                                                    \
    }                                                                                              \
    TN_INLINE void tn_raw_store_##T(E *p, R r) {                                                   \
        *(tn_unaligned_##T *)p = TN_LO(r);                                                         \
        *(tn_unaligned_##T *)(p + TN_W / 2) = TN_HI(r);                                            \
    }                                                                                              \
    TN_INLINE R tn_raw_back_##T(const E *p) {                                                      \
        H lo = *(const tn_unaligned_##T *)(p - (TN_W - 1));                                        \
        H hi = *(const tn_unaligned_##T *)(p - (TN_W / 2 - 1));                                    \
        lo = __builtin_shufflevector(lo, lo, TN_LOW_REVERSED);                                     \
        hi = __builtin_shufflevector(hi, hi, TN_LOW_REVERSED);                                     \
        return TN_JOIN(hi, lo);                                                                    \
    }                                                                                              \
    TN_INLINE void tn_raw_stream_##T(E *p, R r) {                                                  \
        TN_STREAM(tn_aligned_##T, p, TN_LO(r));                                                    \
        TN_STREAM(tn_aligned_##T, p + TN_W / 2, TN_HI(r));                                         \
    }
#else
#define TN_DEFINE_RAW64(T, E, R, H)                                                                \
    TN_DEFINE_RAW(T, E, R)                                                                         \
    TN_DEFINE_STREAM(T, E, R)
#endif
#define TN_DEFINE_STREAM(T, E, R)                                                                  \
    TN_INLINE void tn_raw_stream_##T(E *p, R r) {                                                  \
        TN_STREAM(tn_aligned_##T, p, r);                                                           \
    }
/* Less than a register: nothing to gain. */
#define TN_DEFINE_NO_STREAM(T, E, R)                                                               \
    TN_INLINE void tn_raw_stream_##T(E *p, R r) {                                                  \
        tn_raw_store_##T(p, r);                                                                    \
    }
#if TN_W * 4 == TN_REGISTER
#define TN_DEFINE_STREAM32 TN_DEFINE_STREAM
#else
#define TN_DEFINE_STREAM32 TN_DEFINE_NO_STREAM
#endif

#define TN_DEFINE_MEMORY(T, E, R, V, DEC, ENC)                                                     \
    TN_INLINE V tn_load_##T(const E *p) {                                                          \
        return DEC(tn_raw_load_##T(p));                                                            \
    }                                                                                              \
    TN_INLINE V tn_load_part_##T(const E *p, tn_i64 n) {                                           \
        E some[TN_W] = {0};                                                                        \
        __builtin_memcpy(some, p, (tn_u64)n * sizeof(E));                                          \
        return DEC(tn_raw_load_##T(some));                                                         \
    }                                                                                              \
    TN_INLINE V tn_load_step_##T(const E *p, tn_i64 s) {                                           \
        return DEC(((R){TN_LANES(TN_STEP)}));                                                      \
    }                                                                                              \
    TN_INLINE V tn_load_step_part_##T(const E *p, tn_i64 s, tn_i64 n) {                            \
        E some[TN_W] = {0};                                                                        \
        for (tn_i64 j = 0; j < n; j++) some[j] = p[j * s];                                         \
        return DEC(tn_raw_load_##T(some));                                                         \
    }                                                                                              \
    TN_INLINE V tn_load_back_##T(const E *p) {                                                     \
        return DEC(tn_raw_back_##T(p));                                                            \
    }                                                                                              \
    TN_INLINE V tn_load_one_##T(const E *p) {                                                      \
        R r = {0};                                                                                 \
        E x = *p;                                                                                  \
        return DEC((x - r));                                                                       \
    }                                                                                              \
    TN_INLINE V tn_gather_##T(const E *p, vi64 at) {                                               \
        return DEC(((R){TN_LANES(TN_AT)}));                                                        \
    }                                                                                              \
    TN_INLINE V tn_gather_mask_##T(const E *p, vi64 at, vmask m) {                                 \
        return DEC(((R){TN_LANES(TN_AT_MASK)}));                                                   \
    }                                                                                              \
    TN_INLINE void tn_store_##T(E *p, V v) {                                                       \
        tn_raw_store_##T(p, ENC(v));                                                               \
    }                                                                                              \
    TN_INLINE void tn_store_part_##T(E *p, V v, tn_i64 n) {                                        \
        E some[TN_W];                                                                              \
        tn_raw_store_##T(some, ENC(v));                                                            \
        __builtin_memcpy(p, some, (tn_u64)n * sizeof(E));                                          \
    }                                                                                              \
    TN_INLINE void tn_store_step_##T(E *p, tn_i64 s, V v) {                                        \
        R r = ENC(v);                                                                              \
        TN_EACH(TN_PUT_STEP)                                                                       \
    }                                                                                              \
    TN_INLINE void tn_store_step_part_##T(E *p, tn_i64 s, V v, tn_i64 n) {                         \
        E some[TN_W];                                                                              \
        tn_raw_store_##T(some, ENC(v));                                                            \
        for (tn_i64 j = 0; j < n; j++) p[j * s] = some[j];                                         \
    }                                                                                              \
    TN_INLINE void tn_store_stream_##T(E *p, V v) {                                                \
        tn_raw_stream_##T(p, ENC(v));                                                              \
    }
#define TN_SAME(x) (x)

//@ mem_f32: memory ops_f32
TN_DEFINE_RAW(f32, tn_f32, vf32)
TN_DEFINE_STREAM32(f32, tn_f32, vf32)
TN_DEFINE_MEMORY(f32, tn_f32, vf32, vf32, TN_SAME, TN_SAME)
//@ mem_f64: memory ops_f64
TN_DEFINE_RAW64(f64, tn_f64, vf64, hf64)
TN_DEFINE_MEMORY(f64, tn_f64, vf64, vf64, TN_SAME, TN_SAME)
//@ mem_i8: memory ops_i8
TN_DEFINE_RAW(i8, tn_i8, vi8)
TN_DEFINE_NO_STREAM(i8, tn_i8, vi8)
TN_DEFINE_MEMORY(i8, tn_i8, vi8, vi8, TN_SAME, TN_SAME)
//@ mem_u8: memory ops_u8
TN_DEFINE_RAW(u8, tn_u8, vu8)
TN_DEFINE_NO_STREAM(u8, tn_u8, vu8)
TN_DEFINE_MEMORY(u8, tn_u8, vu8, vu8, TN_SAME, TN_SAME)
//@ mem_i16: memory ops_i16
TN_DEFINE_RAW(i16, tn_i16, vi16)
TN_DEFINE_NO_STREAM(i16, tn_i16, vi16)
TN_DEFINE_MEMORY(i16, tn_i16, vi16, vi16, TN_SAME, TN_SAME)
//@ mem_u16: memory ops_u16
TN_DEFINE_RAW(u16, tn_u16, vu16)
TN_DEFINE_NO_STREAM(u16, tn_u16, vu16)
TN_DEFINE_MEMORY(u16, tn_u16, vu16, vu16, TN_SAME, TN_SAME)
//@ mem_i32: memory ops_i32
TN_DEFINE_RAW(i32, tn_i32, vi32)
TN_DEFINE_STREAM32(i32, tn_i32, vi32)
TN_DEFINE_MEMORY(i32, tn_i32, vi32, vi32, TN_SAME, TN_SAME)
//@ mem_u32: memory ops_u32
TN_DEFINE_RAW(u32, tn_u32, vu32)
TN_DEFINE_STREAM32(u32, tn_u32, vu32)
TN_DEFINE_MEMORY(u32, tn_u32, vu32, vu32, TN_SAME, TN_SAME)
//@ mem_i64: memory ops_i64
TN_DEFINE_RAW64(i64, tn_i64, vi64, hi64)
TN_DEFINE_MEMORY(i64, tn_i64, vi64, vi64, TN_SAME, TN_SAME)
//@ mem_u64: memory ops_u64
TN_DEFINE_RAW64(u64, tn_u64, vu64, hu64)
TN_DEFINE_MEMORY(u64, tn_u64, vu64, vu64, TN_SAME, TN_SAME)
//@ mem_bool: memory ops_bool
/* Any byte but 0 is true. */
#define TN_DEC_bool(r) ((vmask)TN_TO((vi8)((r) != 0), vmask))
#define TN_ENC_bool(m) ((vu8)TN_TO(m, vi8) & 1)
TN_DEFINE_RAW(bool, tn_bool, vu8)
TN_DEFINE_NO_STREAM(bool, tn_bool, vu8)
TN_DEFINE_MEMORY(bool, tn_bool, vu8, vmask, TN_DEC_bool, TN_ENC_bool)
//@ mem_f16: memory bits_f16
TN_DEFINE_RAW(f16, tn_f16, vu16)
TN_DEFINE_NO_STREAM(f16, tn_f16, vu16)
TN_DEFINE_MEMORY(f16, tn_f16, vu16, vf32, tn_dec_f16, tn_enc_f16)
//@ mem_bf16: memory bits_bf16
TN_DEFINE_RAW(bf16, tn_bf16, vu16)
TN_DEFINE_NO_STREAM(bf16, tn_bf16, vu16)
TN_DEFINE_MEMORY(bf16, tn_bf16, vu16, vf32, tn_dec_bf16, tn_enc_bf16)
//@ mem_f8e4m3fn: memory bits_f8e4m3fn
TN_DEFINE_RAW(f8e4m3fn, tn_f8e4m3fn, vu8)
TN_DEFINE_NO_STREAM(f8e4m3fn, tn_f8e4m3fn, vu8)
TN_DEFINE_MEMORY(f8e4m3fn, tn_f8e4m3fn, vu8, vf32, tn_dec_f8e4m3fn, tn_enc_f8e4m3fn)
//@ mem_f8e5m2: memory bits_f8e5m2
TN_DEFINE_RAW(f8e5m2, tn_f8e5m2, vu8)
TN_DEFINE_NO_STREAM(f8e5m2, tn_f8e5m2, vu8)
TN_DEFINE_MEMORY(f8e5m2, tn_f8e5m2, vu8, vf32, tn_dec_f8e5m2, tn_enc_f8e5m2)

//@ iota: core
/* start, start + 1, ... */
TN_INLINE vi64 tn_iota_i64(tn_i64 start) {
    return (vi64){TN_IOTA} + start;
}
TN_INLINE vi32 tn_iota_i32(tn_i32 start) {
    return (vi32){TN_IOTA} + start;
}
