/* The prelude as kernels get it: cut to what they use, compiled by the system's
 * compiler, and compared element by element with the interpreter's primitives,
 * casts and loads. */
#include "codegen/cpu_prelude.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocator.h"
#include "codegen/cpu_bounds.h"
#include "device/cpu/compiler.h"
#include "device/cpu/objects.h"
#include "ir/dtype.h"
#include "ir/prim.h"
#include "support/failing_allocator.h"

static void expect_ok(tn_status status) {
    cr_assert_null(status, "%s", tn_status_message(status));
}

static const char *prelude_for(tn_strbuf *out, uint32_t lanes, const char *code) {
    tn_strbuf_init(out, tn_allocator_system());
    expect_ok(tn_cpu_prelude_append(out, lanes, code, strlen(code)));
    return tn_strbuf_cstr(out);
}

/* ------------------------------------------------------------------ cutting */

Test(cpu_prelude, names_bring_what_they_need_and_no_more) {
    tn_strbuf a, b;
    const char *text = prelude_for(&a, 8, "x = tn_exp_f32(tn_load_f32(p)); y = tn_mine(x);");
    cr_assert(strstr(text, "#define TN_W 8\n") == text);
    cr_assert(strstr(text, "tn_poly_exp_f32(vf32 x)"));
    cr_assert(strstr(text, "TN_DEFINE_MEMORY(f32,"));
    cr_assert_null(strstr(text, "tn_log_f32"));
    cr_assert_null(strstr(text, "tn_exp_f64"));
    cr_assert_null(strstr(text, "//@"));
    size_t whole;
    tn_cpu_prelude_text(&whole);
    cr_assert_lt(a.length, whole / 2);
    /* What decides is which names there are. */
    cr_assert_str_eq(prelude_for(&b, 8, "tn_load_f32 tn_mine tn_exp_f32 tn_load_f32"), text);
    tn_strbuf_deinit(&a);
    tn_strbuf_deinit(&b);
    cr_assert_str_eq(prelude_for(&b, 0, ""),
                     prelude_for(&a, 0, "tn_ tn__ tn_x_y_z tn_exp_ _tn_exp_f32"));
    tn_strbuf_deinit(&a);
    tn_strbuf_deinit(&b);
}

static tn_status append_step(void *self, const tn_allocator *allocator) {
    (void)self;
    tn_strbuf out;
    tn_strbuf_init(&out, allocator);
    tn_status status = tn_cpu_prelude_append(&out, 4, "tn_tanh_f32", 11);
    tn_strbuf_deinit(&out);
    return status;
}

Test(cpu_prelude, no_memory_anywhere) {
    const char *problem = tn_sweep_allocations(append_step, NULL, false, NULL);
    cr_assert_null(problem, "%s", problem);
}

/* A section that uses what it does not name compiles in the whole text, and in no
 * kernel. */
Test(cpu_prelude, every_section_compiles_with_what_it_needs) {
    tn_cpu_compiler *compiler;
    expect_ok(tn_cpu_compiler_find(tn_allocator_system(), NULL, &compiler));
    char path[] = "/tmp/tenon-prelude-XXXXXX.c", command[600];
    close(mkstemps(path, 2));
    snprintf(command, sizeof command,
             "%s -std=gnu17 -march=native -Wall -Wextra -Werror -Wno-psabi "
             "-Wno-unused-function -fsyntax-only %s",
             tn_cpu_compiler_path(compiler), path);
    size_t length;
    const char *text = tn_cpu_prelude_text(&length);
    int sections = 0;
    for (const char *at = text; (at = strstr(at, "\n//@ ")); at++) {
        char name[80];
        snprintf(name, sizeof name, "tn_%.*s", (int)strcspn(at + 5, ":"), at + 5);
        tn_strbuf out;
        prelude_for(&out, 0, name);
        FILE *f = fopen(path, "w");
        cr_assert_eq(fwrite(out.data, 1, out.length, f), out.length);
        fclose(f);
        cr_assert_eq(system(command), 0, "section %s", name + 3);
        tn_strbuf_deinit(&out);
        sections++;
    }
    cr_assert_gt(sections, 100);
    unlink(path);
    tn_cpu_compiler_destroy(compiler);
}

/* -------------------------------------------------------------- running code */

enum { N = 2048 }; /* a whole number of vectors */

static const char *vector_of(tn_dt dt) {
    static const char *const names[TN_DT_COUNT] = {
        [TN_DT_BOOL] = "vmask", [TN_DT_U8] = "vu8",   [TN_DT_U16] = "vu16", [TN_DT_U32] = "vu32",
        [TN_DT_U64] = "vu64",   [TN_DT_I8] = "vi8",   [TN_DT_I16] = "vi16", [TN_DT_I32] = "vi32",
        [TN_DT_I64] = "vi64",   [TN_DT_F32] = "vf32", [TN_DT_F64] = "vf64"};
    return names[tn_dt_compute(dt)];
}

/* Compiled for this machine; with the compiler that TN_TEST_CC names, if any. */
static tn_cpu_object *build(tn_cpu_objects *objects, const char *body) {
    tn_strbuf text;
    prelude_for(&text, 0, body);
    tn_strbuf_text(&text, body);
    expect_ok(tn_strbuf_status(&text));
    tn_cpu_object *object;
    tn_status status = tn_cpu_objects_get(objects, text.data, text.length, &object);
    cr_assert_null(status, "%s", tn_status_message(status));
    tn_strbuf_deinit(&text);
    return object;
}

static tn_cpu_objects *open_objects(void) {
    tn_cpu_objects *objects;
    tn_cpu_objects_options options = {
        .no_cache = true, .compiler = getenv("TN_TEST_CC"), .march = getenv("TN_TEST_MARCH")};
    expect_ok(tn_cpu_objects_create(tn_allocator_system(), &options, &objects));
    return objects;
}

static void *symbol(tn_cpu_object *object, const char *name) {
    void *at = tn_cpu_object_symbol(object, name);
    cr_assert_not_null(at, "no symbol %s", name);
    return at;
}

static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Edges, then anything. */
static tn_scalar pick(tn_dt dt, uint64_t *state) {
    static const double floats[] = {0,
                                    -0.0,
                                    1,
                                    -1,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    -2.5,
                                    2,
                                    3,
                                    -7,
                                    INFINITY,
                                    -INFINITY,
                                    NAN,
                                    1e-45,
                                    -1e-40,
                                    5e-324,
                                    1e-310,
                                    3.4e38,
                                    1.7e308,
                                    1e10,
                                    8.5,
                                    127,
                                    128,
                                    255,
                                    256,
                                    -128,
                                    -129,
                                    65535,
                                    65536,
                                    2147483647.0,
                                    2147483648.0,
                                    4294967295.0,
                                    -2147483649.0,
                                    9.2233720368547758e18,
                                    1.8446744073709552e19,
                                    448,
                                    464,
                                    465,
                                    57344,
                                    61440,
                                    65504,
                                    65520};
    static const int64_t ints[] = {
        0, 1, -1, 2, -2, 3, 7, -7, 8, 15, 16, 31, 32, 63, 64, 127, 128, -128, 255, 32767, 32768,
        -32768, 65535, 2147483647, -2147483648ll, INT64_MAX, INT64_MIN,
        /* ties of the small floats, and a little beside them */
        (1ll << 62) + (1ll << 54), (1ll << 62) + (1ll << 54) + 1, (1ll << 62) + (3ll << 54) - 1,
        -(1ll << 62) - (1ll << 54) - 1, -(1ll << 62) - (3ll << 54) + 1,
        (1ll << 62) + (1ll << 38) + 1, INT64_MIN + (1ll << 55) - 1, INT64_MIN + (1ll << 55) + 1,
        (1ll << 30) + (1 << 22) + 1, -(1ll << 30) - (3 << 22) + 1, 464, 465, (1ll << 53) + 1,
        (1ll << 62) + (1 << 20)};
    uint64_t r = next(state), kind = next(state) % 4;
    tn_scalar s;
    if (tn_dt_is_float(dt)) {
        if (kind == 0) {
            s.f = floats[r % (sizeof floats / sizeof *floats)];
        } else if (kind == 1) {
            s.f = ((double)(int64_t)r) * 0x1p-60;
        } else if (kind == 2) {
            s.f = (double)((int64_t)r >> 40) * 0.25;
        } else if (dt == TN_DT_F64) {
            memcpy(&s.f, &r, sizeof r);
        } else {
            uint32_t bits = (uint32_t)r;
            float f;
            memcpy(&f, &bits, sizeof f);
            s.f = f;
        }
        s.f = tn_float_round(s.f, dt);
        return s;
    }
    if (dt == TN_DT_BOOL) {
        s.u = r & 1;
        return s;
    }
    s.i = kind < 2    ? ints[r % (sizeof ints / sizeof *ints)]
          : kind == 2 ? (int64_t)(r & 63) - 16
                      : (int64_t)r;
    return tn_scalar_cast(s, TN_DT_I64, dt);
}

/* Last places between two values of a dtype; 0 for equal bits or two NaNs. */
static double distance(tn_dt dt, tn_scalar got, tn_scalar want) {
    if (!tn_dt_is_float(dt)) return got.u == want.u ? 0 : INFINITY;
    if (isnan(got.f) || isnan(want.f)) return isnan(got.f) && isnan(want.f) ? 0 : INFINITY;
    if (got.f == want.f) return signbit(got.f) == signbit(want.f) ? 0 : INFINITY;
    if (isinf(got.f) || isinf(want.f) || signbit(got.f) != signbit(want.f)) return INFINITY;
    int digits = dt == TN_DT_F64 ? 52 : 23, least = dt == TN_DT_F64 ? -1022 : -126;
    int e = want.f == 0 ? least : ilogb(want.f);
    return fabs(got.f - want.f) / ldexp(1, (e < least ? least : e) - digits);
}

static double bound_of(uint32_t prim, tn_dt dt) {
    switch (prim) {
#define BOUND(ID, name, arity, f32_bound, f64_bound)                                               \
    case TN_PRIM_##ID: return (dt == TN_DT_F64 ? (f64_bound) : (f32_bound)) + 1;
        TN_CPU_BOUND_LIST(BOUND)
#undef BOUND
    default: return 0;
    }
}

/* ------------------------------------------------------------- primitives */

static void write_body(tn_strbuf *out, const char *body, const char *t) {
    while (*body) {
        size_t n = strspn(body, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
        if (n == 0 || body[n] != '(') {
            tn_strbuf_bytes(out, body, n ? n : 1);
            body += n ? n : 1;
            continue;
        }
        tn_strbuf_text(out, "tn_");
        for (size_t i = 0; i < n; i++)
            tn_strbuf_char(out, (char)(body[i] >= 'A' && body[i] <= 'Z' ? body[i] + 32 : body[i]));
        if (body[0] != 'M') tn_strbuf_printf(out, "_%s", t);
        body += n;
    }
}

static const char *body_of(const tn_prim_info *info, tn_dt dt) {
    return tn_dt_is_float(dt) ? info->body_float
           : dt == TN_DT_BOOL ? info->body_bool
                              : info->body_int;
}

static void write_prim(tn_strbuf *out, const tn_prim_info *info, tn_dt dt) {
    const char *t = tn_dt_text(dt);
    tn_strbuf_printf(
        out,
        "void p_%s(const tn_%s *x, const tn_%s *y, const tn_%s *z, void *out, long n) "
        "{\n    for (long i = 0; i < n; i += TN_W) {\n"
        "        %s a = tn_load_%s(x + i), b = tn_load_%s(y + i), c = tn_load_%s(z + i);"
        "\n        tn_store_%s((tn_%s *)out + i, ",
        info->name, t, t, t, vector_of(dt), t, t, t, info->result_bool ? "bool" : t,
        info->result_bool ? "bool" : t);
    write_body(out, body_of(info, dt), t);
    tn_strbuf_text(out, ");\n    }\n}\n");
}

typedef void (*prim_fn)(const void *x, const void *y, const void *z, void *out, long n);

static void check_prim(tn_cpu_object *object, const tn_prim_info *info, tn_dt dt) {
    static uint64_t x[N], y[N], z[N], out[N];
    static tn_scalar in[3][N];
    void *const memory[3] = {x, y, z};
    uint64_t state = info->id;
    size_t size = tn_dt_size(dt);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++) {
            in[k][i] = pick(dt, &state);
            if (k == 1 && i % 7 == 0) in[1][i] = in[0][i];
            tn_scalar_store(dt, (char *)memory[k] + (size_t)i * size, in[k][i]);
        }
    }
    char name[64];
    snprintf(name, sizeof name, "p_%s", info->name);
    prim_fn run;
    *(void **)&run = symbol(object, name);
    run(x, y, z, out, N);
    tn_dt result = info->result_bool ? TN_DT_BOOL : dt;
    double bound = bound_of(info->id, dt);
    for (int i = 0; i < N; i++) {
        tn_scalar operands[3] = {in[0][i], in[1][i], in[2][i]};
        tn_scalar want = tn_prim_eval(info->id, dt, operands);
        tn_scalar_store(result, &x[0], want); /* as it would be stored */
        want = tn_scalar_load(result, &x[0]);
        tn_scalar got = tn_scalar_load(result, (char *)out + (size_t)i * tn_dt_size(result));
        double off = distance(result, got, want);
        cr_assert(off <= bound,
                  "%s of %s: operands %a %a %a (%lld %lld %lld): got %a (%lld), want %a (%lld)",
                  info->name, tn_dt_text(dt), operands[0].f, operands[1].f, operands[2].f,
                  (long long)operands[0].i, (long long)operands[1].i, (long long)operands[2].i,
                  got.f, (long long)got.i, want.f, (long long)want.i);
    }
}

static void check_prims(tn_dt dt) {
    tn_cpu_objects *objects = open_objects();
    tn_strbuf code;
    tn_strbuf_init(&code, tn_allocator_system());
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        tn_cpu_object *object = pass ? build(objects, tn_strbuf_cstr(&code)) : NULL;
        for (uint32_t i = 0; i < tn_prim_count(); i++) {
            const tn_prim_info *info = tn_prim_at(i);
            if (info->id > TN_PRIM_CLZ || !body_of(info, dt)) continue;
            if (pass)
                check_prim(object, info, dt);
            else
                write_prim(&code, info, dt);
            count++;
        }
        if (object) tn_cpu_object_release(object);
    }
    cr_assert_gt(count, 10);
    tn_strbuf_deinit(&code);
    tn_cpu_objects_destroy(objects);
}

#define PRIMS(NAME, name)                                                                          \
    Test(cpu_prelude, primitives_of_##name) {                                                      \
        check_prims(TN_DT_##NAME);                                                                 \
    }
PRIMS(F32, f32)
PRIMS(F64, f64)
PRIMS(BOOL, bool)
PRIMS(I8, i8)
PRIMS(U8, u8)
PRIMS(I16, i16)
PRIMS(U16, u16)
PRIMS(I32, i32)
PRIMS(U32, u32)
PRIMS(I64, i64)
PRIMS(U64, u64)

/* ------------------------------------------------------------------ casts */

static bool is_small_float(tn_dt dt) {
    return tn_dt_is_float(dt) && tn_dt_compute(dt) != dt;
}

static void write_cast(tn_strbuf *out, tn_dt from, tn_dt to) {
    const char *a = tn_dt_text(tn_dt_compute(from)), *b = tn_dt_text(tn_dt_compute(to));
    tn_strbuf_printf(out,
                     "void c_%s_%s(const tn_%s *x, tn_%s *out, long n) {\n"
                     "    for (long i = 0; i < n; i += TN_W) {\n"
                     "        %s v = tn_load_%s(x + i);\n",
                     tn_dt_text(from), tn_dt_text(to), tn_dt_text(from), tn_dt_text(to),
                     vector_of(from), tn_dt_text(from));
    bool odd = is_small_float(to) && tn_dt_compute(from) != TN_DT_F32 && from != TN_DT_BOOL;
    tn_strbuf_printf(out, "        %s w = ", vector_of(to));
    if (tn_dt_compute(from) == tn_dt_compute(to))
        tn_strbuf_text(out, "v;\n");
    else
        tn_strbuf_printf(out, "tn_%s_to_%s%s(v);\n", a, b, odd ? "_odd" : "");
    if (is_small_float(to)) tn_strbuf_printf(out, "        w = tn_round_%s(w);\n", tn_dt_text(to));
    tn_strbuf_printf(out, "        tn_store_%s(out + i, w);\n    }\n}\n", tn_dt_text(to));
}

typedef void (*cast_fn)(const void *x, void *out, long n);

static void check_cast(tn_cpu_object *object, tn_dt from, tn_dt to) {
    static uint64_t x[N], out[N];
    static tn_scalar in[N];
    uint64_t state = (uint64_t)from * 100 + to;
    size_t a = tn_dt_size(from), b = tn_dt_size(to);
    for (int i = 0; i < N; i++) {
        in[i] = pick(from, &state);
        tn_scalar_store(from, (char *)x + (size_t)i * a, in[i]);
    }
    char name[64];
    snprintf(name, sizeof name, "c_%s_%s", tn_dt_text(from), tn_dt_text(to));
    cast_fn run;
    *(void **)&run = symbol(object, name);
    run(x, out, N);
    for (int i = 0; i < N; i++) {
        tn_scalar want = tn_scalar_cast(in[i], from, to);
        tn_scalar got = tn_scalar_load(to, (char *)out + (size_t)i * b);
        cr_assert_eq(distance(to, got, want), 0,
                     "%s to %s: of %a (%lld) got %a (%lld), want %a (%lld)", tn_dt_text(from),
                     tn_dt_text(to), in[i].f, (long long)in[i].i, got.f, (long long)got.i, want.f,
                     (long long)want.i);
    }
}

Test(cpu_prelude, casts_between_all_dtypes) {
    tn_cpu_objects *objects = open_objects();
    tn_strbuf code;
    tn_strbuf_init(&code, tn_allocator_system());
    for (uint32_t from = 0; from < TN_DT_COUNT; from++)
        for (uint32_t to = 0; to < TN_DT_COUNT; to++)
            write_cast(&code, (tn_dt)from, (tn_dt)to);
    tn_cpu_object *object = build(objects, tn_strbuf_cstr(&code));
    for (uint32_t from = 0; from < TN_DT_COUNT; from++)
        for (uint32_t to = 0; to < TN_DT_COUNT; to++)
            check_cast(object, (tn_dt)from, (tn_dt)to);
    tn_cpu_object_release(object);
    tn_strbuf_deinit(&code);
    tn_cpu_objects_destroy(objects);
}

/* Every pattern of the small types decodes and encodes as the interpreter does. */
Test(cpu_prelude, every_pattern_of_the_small_floats) {
    tn_cpu_objects *objects = open_objects();
    tn_strbuf code;
    tn_strbuf_init(&code, tn_allocator_system());
    const tn_dt small[] = {TN_DT_F16, TN_DT_BF16, TN_DT_F8E4M3FN, TN_DT_F8E5M2};
    for (int k = 0; k < 4; k++) {
        write_cast(&code, small[k], TN_DT_F32);
        write_cast(&code, TN_DT_F32, small[k]);
    }
    tn_cpu_object *object = build(objects, tn_strbuf_cstr(&code));
    static uint16_t bits[65536];
    static float values[65536];
    for (int k = 0; k < 4; k++) {
        int count = tn_dt_size(small[k]) == 1 ? 256 : 65536;
        for (int i = 0; i < count; i++) {
            if (count == 256)
                ((uint8_t *)bits)[i] = (uint8_t)i;
            else
                bits[i] = (uint16_t)i;
        }
        char name[64];
        snprintf(name, sizeof name, "c_%s_f32", tn_dt_text(small[k]));
        cast_fn run;
        *(void **)&run = symbol(object, name);
        run(bits, values, count);
        for (int i = 0; i < count; i++) {
            tn_scalar want = tn_scalar_load(small[k],
                                            (char *)bits + (size_t)i * tn_dt_size(small[k]));
            tn_scalar got = {.f = values[i]};
            cr_assert_eq(distance(TN_DT_F32, got, want), 0, "%s %#x: got %a, want %a",
                         tn_dt_text(small[k]), i, got.f, want.f);
        }
        /* Between each two neighbours: a tie, and a little to each side. */
        snprintf(name, sizeof name, "c_f32_%s", tn_dt_text(small[k]));
        *(void **)&run = symbol(object, name);
        static float near[3 * 65536 + 64];
        static uint16_t got_bits[3 * 65536 + 64];
        int n = 0;
        for (int i = 0; i + 1 < count; i++) {
            double a = values[i], b = values[i + 1];
            if (!isfinite(a) || !isfinite(b)) continue;
            near[n++] = (float)((a + b) / 2);
            near[n] = nextafterf(near[n - 1], INFINITY), n++;
            near[n] = nextafterf(near[n - 2], -INFINITY), n++;
        }
        static const float ends[] = {448,   464,   57344,       61440,
                                     65504, 65520, 0x1.fep127f, 0x1.ffp127f};
        for (int i = 0; i < 8; i++) {
            near[n++] = ends[i];
            near[n++] = -nextafterf(ends[i], 0);
            near[n++] = nextafterf(ends[i], INFINITY);
        }
        while (n % 16)
            near[n++] = 0;
        run(near, got_bits, n);
        for (int i = 0; i < n; i++) {
            tn_scalar want = {.f = tn_float_round(near[i], small[k])};
            tn_scalar got = tn_scalar_load(small[k],
                                           (char *)got_bits + (size_t)i * tn_dt_size(small[k]));
            cr_assert_eq(distance(TN_DT_F32, got, want), 0, "%s of %a: got %a, want %a",
                         tn_dt_text(small[k]), near[i], got.f, want.f);
        }
    }
    tn_cpu_object_release(object);
    tn_strbuf_deinit(&code);
    tn_cpu_objects_destroy(objects);
}

/* ----------------------------------------------------------------- memory */

/* One function a dtype: all ways of reading, each written out contiguously, and
 * all ways of writing, each from the contiguous load. */
static const char memory_code[] =
    "void m_T(const tn_T *p, tn_T *out, long n, long s, const tn_i64 *at) {\n"
    "    const vmask m = tn_mask_first(n);\n"
    "    tn_store_T(out, tn_load_T(p));\n"
    "    tn_store_T(out + 16, tn_load_part_T(p, n));\n"
    "    tn_store_T(out + 32, tn_load_step_T(p, s));\n"
    "    tn_store_T(out + 48, tn_load_step_part_T(p, s, n));\n"
    "    tn_store_T(out + 64, tn_load_back_T(p + 20));\n"
    "    tn_store_T(out + 80, tn_load_one_T(p + 1));\n"
    "    tn_store_T(out + 96, tn_gather_T(p, tn_load_i64(at)));\n"
    "    tn_store_T(out + 112, tn_gather_mask_T(p, tn_load_i64(at), m));\n"
    "    tn_store_part_T(out + 128, tn_load_T(p), n);\n"
    "    tn_store_step_T(out + 144, 2, tn_load_T(p));\n"
    "    tn_store_step_part_T(out + 176, -2, tn_load_T(p), n);\n"
    "    tn_store_stream_T(out + 192, tn_load_T(p));\n"
    "    tn_stream_end();\n"
    "}\n"
    "long lanes_T(void) { return TN_W; }\n";

typedef void (*memory_fn)(const void *p, void *out, long n, long s, const int64_t *at);

static void check_memory(tn_cpu_object *object, tn_dt dt) {
    enum { GUARD = 0x5a, OUT = 256 };
    char name[64];
    memory_fn run;
    long (*lanes)(void);
    snprintf(name, sizeof name, "m_%s", tn_dt_text(dt));
    *(void **)&run = symbol(object, name);
    snprintf(name, sizeof name, "lanes_%s", tn_dt_text(dt));
    *(void **)&lanes = symbol(object, name);
    long w = lanes();
    size_t size = tn_dt_size(dt);
    uint8_t p[128 * 8];
    _Alignas(64) uint8_t out[OUT * 8];
    uint64_t state = 7;
    for (int i = 0; i < 128; i++)
        tn_scalar_store(dt, p + (size_t)i * size, pick(dt, &state));
    int64_t at[16];
    for (int i = 0; i < 16; i++)
        at[i] = (i * 37 + 5) % 128;
    for (long n = 0; n <= w; n++) {
        long s = n % 2 ? 3 : 7;
        memset(out, GUARD, sizeof out);
        run(p, out, n, s, at);
        for (long i = 0; i < OUT; i++) {
            long block = i / 16, lane = i % 16, from = -2; /* -2: untouched, -1: zero */
            if (block <= 8 && lane < w) {
                const long source[] = {lane,
                                       lane < n ? lane : -1,
                                       lane * s,
                                       lane < n ? lane * s : -1,
                                       20 - lane,
                                       1,
                                       at[lane],
                                       lane < n ? at[lane] : -1,
                                       lane < n ? lane : -2};
                from = source[block];
            }
            if (i >= 144 && i < 144 + 2 * w && i % 2 == 0) from = (i - 144) / 2;
            long back = (176 - i) / 2;
            if (i <= 176 && i % 2 == 0 && back < n) from = back;
            if (i >= 192 && i < 192 + w) from = i - 192;
            const uint8_t *got = out + (size_t)i * size;
            for (size_t k = 0; k < size && from == -2; k++)
                cr_assert_eq(got[k], GUARD, "%s: element %ld was touched, n %ld", tn_dt_text(dt), i,
                             n);
            if (from == -2) continue;
            tn_scalar want = {.u = 0};
            if (from >= 0) want = tn_scalar_load(dt, p + (size_t)from * size);
            cr_assert_eq(distance(dt, tn_scalar_load(dt, got), want), 0, "%s: element %ld, n %ld",
                         tn_dt_text(dt), i, n);
        }
    }
}

Test(cpu_prelude, loads_and_stores_of_every_dtype) {
    tn_cpu_objects *objects = open_objects();
    tn_strbuf code;
    tn_strbuf_init(&code, tn_allocator_system());
    for (uint32_t dt = 0; dt < TN_DT_COUNT; dt++) {
        for (const char *c = memory_code; *c; c++) {
            if (*c == 'T' && c[1] != 'N')
                tn_strbuf_text(&code, tn_dt_text((tn_dt)dt));
            else
                tn_strbuf_char(&code, *c);
        }
    }
    tn_cpu_object *object = build(objects, tn_strbuf_cstr(&code));
    for (uint32_t dt = 0; dt < TN_DT_COUNT; dt++)
        check_memory(object, (tn_dt)dt);
    tn_cpu_object_release(object);
    tn_strbuf_deinit(&code);
    tn_cpu_objects_destroy(objects);
}

/* --------------------------------------------------------- lanes and masks */

static const char lanes_code[] =
    "int masks(long lo, long hi, int *out) {\n"
    "    vmask m = tn_mask_range(lo, hi);\n"
    "    for (int j = 0; j < TN_W; j++) out[j] = m[j];\n"
    "    return tn_mask_any(m) + 2 * tn_mask_all(m) + 4 * TN_W;\n"
    "}\n"
    "static vf32 add(vf32 a, vf32 b) { return a + b; }\n"
    "static vi64 max(vi64 a, vi64 b) { return tn_sel_i64(tn_gt_i64(a, b), a, b); }\n"
    "void fold(const float *x, float *out, const tn_i64 *y, tn_i64 *top) {\n"
    "    vf32 v = tn_load_f32(x);\n"
    "    TN_FOLD(add, v);\n"
    "    tn_store_f32(out, v);\n"
    "    vi64 u = tn_load_i64(y);\n"
    "    TN_FOLD(max, u);\n"
    "    tn_store_i64(top, u + tn_iota_i64(0));\n"
    "}\n";

Test(cpu_prelude, masks_and_folds) {
    tn_cpu_objects *objects = open_objects();
    tn_cpu_object *object = build(objects, lanes_code);
    int (*masks)(long, long, int *);
    void (*fold)(const float *, float *, const int64_t *, int64_t *);
    *(void **)&masks = symbol(object, "masks");
    *(void **)&fold = symbol(object, "fold");
    int lanes[16];
    long w = masks(0, 0, lanes) / 4;
    cr_assert_eq(w, tn_cpu_objects_lanes(objects));
    for (long lo = -3; lo <= w + 2; lo++) {
        for (long hi = -3; hi <= w + 2; hi++) {
            int bits = masks(lo, hi, lanes) & 3, any = 0, all = 1;
            for (long j = 0; j < w; j++) {
                int in = lo <= j && j < hi;
                cr_assert_eq(lanes[j], -in, "[%ld, %ld) lane %ld", lo, hi, j);
                any |= in;
                all &= in;
            }
            cr_assert_eq(bits, any + 2 * all);
        }
    }
    cr_assert_eq(masks(INT64_MIN, INT64_MAX, lanes) & 3, 3);
    float x[16], out[16], tree[16];
    int64_t y[16], top[16];
    for (int j = 0; j < 16; j++) {
        tree[j] = x[j] = 1.0f + 0x1p-23f * (float)(j * j * 977 % 4096) * (j % 2 ? 1 : 1e3f);
        y[j] = j * 31 % 17;
    }
    fold(x, out, y, top);
    for (long half = w / 2; half; half /= 2)
        for (long j = 0; j < half; j++)
            tree[j] += tree[j + half];
    int64_t most = 0;
    for (long j = 0; j < w; j++)
        most = y[j] > most ? y[j] : most;
    for (long j = 0; j < w; j++) {
        cr_assert_eq(out[j], tree[0], "lane %ld", j);
        cr_assert_eq(top[j], most + j);
    }
    tn_cpu_object_release(object);
    tn_cpu_objects_destroy(objects);
}

/* ------------------------------------------------------------- max and min */

/* Where the prelude has none of its own, the bodies of tenon/opset.h. */
static const char extremes_code[] =
    "#ifndef TN_HAS_p_max_f32\n"
    "static vf32 tn_p_max_f32(vf32 a, vf32 b) {\n"
    "    return tn_sel_f32(tn_mor(tn_gt_f32(a, b), tn_isnan_f32(a)), a,\n"
    "                      tn_sel_f32(tn_mor(tn_lt_f32(a, b), tn_isnan_f32(b)), b,\n"
    "                                 tn_band_f32(a, b)));\n"
    "}\n"
    "static vf32 tn_p_min_f32(vf32 a, vf32 b) {\n"
    "    return tn_sel_f32(tn_mor(tn_lt_f32(a, b), tn_isnan_f32(a)), a,\n"
    "                      tn_sel_f32(tn_mor(tn_gt_f32(a, b), tn_isnan_f32(b)), b,\n"
    "                                 tn_bor_f32(a, b)));\n"
    "}\n"
    "#endif\n"
    "void extremes(const float *a, const float *b, float *most, float *least) {\n"
    "    vf32 x = tn_load_f32(a), y = tn_load_f32(b);\n"
    "    tn_store_f32(most, tn_p_max_f32(x, y));\n"
    "    tn_store_f32(least, tn_p_min_f32(x, y));\n"
    "}\n";

static void check_extreme(float a, float b, float got, bool most) {
    if (isnan(a) || isnan(b)) {
        cr_assert(isnan(got), "%g and %g: %g", (double)a, (double)b, (double)got);
        return;
    }
    bool first = a == b ? !signbit(a) == most : (a > b) == most;
    float expected = first ? a : b;
    cr_assert(got == expected && !signbit(got) == !signbit(expected), "%s of %g and %g: %g",
              most ? "max" : "min", (double)a, (double)b, (double)got);
}

Test(cpu_prelude, max_and_min_of_special_values) {
    static const float values[] = {
        0.0f,       -0.0f,      1.0f,   -1.0f,           0x1p-149f,
        -0x1p-149f, 3e38f,      -3e38f, (float)INFINITY, -(float)INFINITY,
        (float)NAN, -(float)NAN};
    enum { COUNT = sizeof values / sizeof *values };
    tn_cpu_objects *objects = open_objects();
    tn_cpu_object *object = build(objects, extremes_code);
    void (*extremes)(const float *, const float *, float *, float *);
    *(void **)&extremes = symbol(object, "extremes");
    uint32_t w = tn_cpu_objects_lanes(objects);
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t start = 0; start < COUNT; start += w) {
            float a[16], b[16], most[16], least[16];
            for (uint32_t j = 0; j < 16; j++) {
                a[j] = values[i];
                b[j] = values[(start + j) % COUNT];
            }
            extremes(a, b, most, least);
            for (uint32_t j = 0; j < w; j++) {
                check_extreme(a[j], b[j], most[j], true);
                check_extreme(a[j], b[j], least[j], false);
            }
        }
    tn_cpu_object_release(object);
    tn_cpu_objects_destroy(objects);
}
