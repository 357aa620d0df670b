/* Every form a kernel can take, over many extents, on every target: each graph's
 * text is the same for all of them but for a few classes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "support/render_case.h"
#include "support/test_ops.h"

static tn_prim_schemas *prims;
static tn_test_ops *ops;

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
}

static void teardown(void) {
    tn_test_ops_destroy(ops);
    tn_prim_schemas_destroy(prims);
}

TestSuite(forms, .init = setup, .fini = teardown);

/* N and M stand for extents, K for their product, P for N + 1. */
static const char *const graphs[] = {
    /* pointwise; broadcasts; numbers made of sizes */
    "(%x: f32[N,M], %s: f32[M], %c: f32[N]) {\n"
    "  %sb = prim::broadcast(%s, shape=[N,M], axes=[1])\n"
    "  %cb = prim::broadcast(%c, shape=[N,M], axes=[0])\n"
    "  %k = prim::size(value=K, dtype=f32)\n"
    "  %kb = prim::broadcast(%k, shape=[N,M], axes=[])\n"
    "  %a = prim::fma(%x, %sb, %cb)\n"
    "  %e = prim::tanh(%a)\n"
    "  %d = prim::div(%e, %kb)\n"
    "  %m = prim::max(%d, %x)\n"
    "  return %m, %a\n}\n",
    /* transposed, backwards, every second, both at once */
    "(%x: f32[N,M], %y: i16[M,N], %z: f64[N,M]) {\n"
    "  %t = prim::permute(%x, perm=[1,0])\n"
    "  %n = prim::neg(%t)\n"
    "  %f = prim::flip(%z, axes=[0,1])\n"
    "  %g = prim::add(%f, %z)\n"
    "  %c = prim::cast(%y, dtype=f32)\n"
    "  %w = prim::add(%n, %c)\n"
    "  %p = prim::permute(%g, perm=[1,0])\n"
    "  return %n, %g, %w, %p\n}\n",
    /* joined and padded: guards along and across vectors */
    "(%x: f32[N,M], %y: f32[N,M], %v: f32[]) {\n"
    "  %c = prim::concat([%x, %y], axis=1)\n"
    "  %d = prim::concat([%y, %x], axis=0)\n"
    "  %p = prim::pad(%x, %v, low=[1,2], high=[0,3])\n"
    "  %ce = prim::abs(%c)\n"
    "  %de = prim::abs(%d)\n"
    "  %pe = prim::abs(%p)\n"
    "  return %ce, %de, %pe\n}\n",
    /* coordinates, as integers and floats; their product; bits of bools */
    "(%x: f32[N,M]) {\n"
    "  %i = prim::iota(shape=[N,M], axis=1, dtype=i64)\n"
    "  %j = prim::iota(shape=[N,M], axis=0, dtype=f32)\n"
    "  %a = prim::add(%x, %j)\n"
    "  %c = prim::cast(%i, dtype=f32)\n"
    "  %b = prim::mul(%a, %c)\n"
    "  %l = prim::lt(%b, %x)\n"
    "  %n = prim::not(%l)\n"
    "  %s = prim::select(%n, %b, %a)\n"
    "  return %s, %l, %i\n}\n",
    /* reshapes that do not merge: division by extents */
    "(%x: f32[N,M]) {\n"
    "  %t = prim::permute(%x, perm=[1,0])\n"
    "  %r = prim::reshape(%t, shape=[K])\n"
    "  %n = prim::neg(%r)\n"
    "  %q = prim::reshape(%t, shape=[N,M])\n"
    "  %a = prim::add(%q, %x)\n"
    "  return %n, %a\n}\n",
    /* softmax over the last and the first axis */
    "(%x: f32[N,M]) {\n"
    "  %m = prim::reduce_max(%x, axes=[1])\n"
    "  %mb = prim::broadcast(%m, shape=[N,M], axes=[0])\n"
    "  %d = prim::sub(%x, %mb)\n"
    "  %e = prim::exp(%d)\n"
    "  %s = prim::sum(%e, axes=[1])\n"
    "  %sb = prim::broadcast(%s, shape=[N,M], axes=[0])\n"
    "  %y = prim::div(%e, %sb)\n"
    "  return %y\n}\n",
    "(%x: f32[N,M]) {\n"
    "  %m = prim::reduce_max(%x, axes=[0])\n"
    "  %mb = prim::broadcast(%m, shape=[N,M], axes=[1])\n"
    "  %d = prim::sub(%x, %mb)\n"
    "  %e = prim::exp(%d)\n"
    "  %s = prim::sum(%e, axes=[0])\n"
    "  %sb = prim::broadcast(%s, shape=[N,M], axes=[1])\n"
    "  %y = prim::div(%e, %sb)\n"
    "  return %y, %m\n}\n",
    /* a middle axis, outer and last axes, all axes */
    "(%x: bf16[3,N,M]) {\n"
    "  %a = prim::sum(%x, axes=[1])\n"
    "  %b = prim::reduce_min(%x, axes=[0,2])\n"
    "  %c = prim::prod(%x, axes=[2])\n"
    "  %d = prim::sum(%x, axes=[0,1,2])\n"
    "  return %a, %b, %c, %d\n}\n",
    /* which is largest, of ties too; any and all; narrow integers wrap */
    "(%x: f32[N,M], %y: i8[N,M], %z: bool[N,M]) {\n"
    "  %a = prim::argmax(%x, axis=1)\n"
    "  %b = prim::argmin(%x, axis=0)\n"
    "  %c = prim::sum(%y, axes=[0])\n"
    "  %d = prim::prod(%y, axes=[1])\n"
    "  %e = prim::any(%z, axes=[1])\n"
    "  %f = prim::all(%z, axes=[0])\n"
    "  %g = prim::argmin(%y, axis=1)\n"
    "  %h = prim::reduce_max(%z, axes=[0])\n"
    "  return %a, %b, %c, %d, %e, %f, %g, %h\n}\n",
    /* rows of a transposed input, with a column of its own */
    "(%x: f64[M,N], %g: f64[M]) {\n"
    "  %t = prim::permute(%x, perm=[1,0])\n"
    "  %q = prim::mul(%t, %t)\n"
    "  %s = prim::sum(%q, axes=[1])\n"
    "  %sb = prim::broadcast(%s, shape=[N,M], axes=[0])\n"
    "  %r = prim::sub(%t, %sb)\n"
    "  %gb = prim::broadcast(%g, shape=[N,M], axes=[1])\n"
    "  %y = prim::mul(%r, %gb)\n"
    "  return %y, %s\n}\n",
    /* gathers: by a vector of indices, of rows and of elements */
    "(%x: f32[P,M], %i: i64[N]) {\n"
    "  %p = prim::size(value=P, dtype=i64)\n"
    "  %pb = prim::broadcast(%p, shape=[N], axes=[])\n"
    "  %j = prim::mod(%i, %pb)\n"
    "  %a = prim::take(%x, %j, axis=0)\n"
    "  %t = prim::permute(%x, perm=[1,0])\n"
    "  %b = prim::take(%t, %i, axis=1)\n"
    "  %ae = prim::neg(%a)\n"
    "  %be = prim::neg(%b)\n"
    "  return %ae, %be\n}\n",
};
enum { N_GRAPHS = sizeof graphs / sizeof *graphs };

static void put_extents(const char *text, int64_t n, int64_t m, tn_strbuf *out) {
    tn_strbuf_text(out, "graph @g");
    for (; *text; text++) {
        bool word = text[1] >= 'a' && text[1] <= 'z';
        switch (word ? ' ' : *text) {
        case 'N': tn_strbuf_printf(out, "%lld", (long long)n); break;
        case 'M': tn_strbuf_printf(out, "%lld", (long long)m); break;
        case 'K': tn_strbuf_printf(out, "%lld", (long long)(n * m)); break;
        case 'P': tn_strbuf_printf(out, "%lld", (long long)n + 1); break;
        default: tn_strbuf_char(out, *text); break;
        }
    }
}

static tn_status check(uint32_t graph, int64_t n, int64_t m, bool strict,
                       const tn_render_target *target) {
    const tn_allocator *a = tn_allocator_system();
    tn_strbuf text;
    tn_ir_graph *source;
    tn_case c;
    tn_strbuf_init(&text, a);
    put_extents(graphs[graph], n, m, &text);
    tn_status status = tn_ir_parse(a, prims, &ops->table, text.data, text.length, "g", &source);
    tn_strbuf_deinit(&text);
    if (status) return status;
    TN_TRY(tn_case_open(a, source, (uint64_t)(n * 41 + m), &c));
    tn_schedule_options options = tn_case_options(&c, NULL);
    tn_interp_options interp = {.strict = strict};
    tn_schedule *schedule = NULL;
    options.strict = strict;
    status = tn_schedule_build(a, c.graph, &options, &schedule);
    if (!status) status = tn_render_case_check(&c, schedule, target, &interp, false);
    tn_schedule_destroy(schedule);
    tn_case_close(&c);
    return status;
}

static void check_all(const int64_t (*extents)[2], uint32_t n, bool strict, const char *name,
                      const tn_render_target *target) {
    for (uint32_t g = 0; g < N_GRAPHS; g++)
        for (uint32_t i = 0; i < n; i++) {
            tn_status status = check(g, extents[i][0], extents[i][1], strict, target);
            cr_assert_null(status, "%s: graph %u of %lld by %lld: %s", name, g,
                           (long long)extents[i][0], (long long)extents[i][1],
                           tn_status_message(status));
        }
}

/* Every length up to two and a half of the widest vectors, then longer ones. */
static uint32_t make_extents(int64_t (*out)[2]) {
    static const int64_t more[][2] = {{1, 1},   {1, 7},    {9, 1},    {40, 40},  {129, 5},
                                      {3, 300}, {70, 100}, {300, 17}, {2, 9000}, {5000, 3}};
    uint32_t n = 0;
    for (int64_t m = 1; m <= 40; m++) {
        out[n][0] = 1 + m * 7 % 11;
        out[n++][1] = m;
    }
    for (uint32_t i = 0; i < sizeof more / sizeof *more; i++, n++)
        memcpy(out[n], more[i], sizeof more[i]);
    return n;
}

Test(forms, agree_with_the_interpreter_at_every_length, .timeout = 900) {
    int64_t extents[64][2];
    tn_render_target target = tn_render_target_native();
    check_all(extents, make_extents(extents), false, "native", &target);
}

Test(forms, agree_when_strict, .timeout = 900) {
    static const int64_t extents[][2] = {{1, 1}, {3, 5}, {17, 33}, {2, 9000}, {5000, 3}, {70, 100}};
    tn_render_target target = tn_render_target_native();
    check_all(extents, 6, true, "native, strict", &target);
}

Test(forms, agree_on_every_target, .timeout = 900) {
    static const int64_t extents[][2] = {{1, 1}, {3, 5}, {8, 16}, {17, 33}, {70, 100}};
    const tn_render_named_target *targets;
    uint32_t n = tn_render_targets(&targets);
    for (uint32_t t = 0; t < n; t++)
        check_all(extents, 5, t % 2 == 1, targets[t].name, &targets[t].target);
}
