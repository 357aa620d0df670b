/* Golden texts: a graph in, the C that is made of it out (what comes before the
 * kernels is left out), and the numbers it is called with. Each graph is also
 * rendered with its extents doubled, and the text must be the same. Re-blessed by
 * TENON_BLESS=1. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "support/golden.h"
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

TestSuite(golden, .init = setup, .fini = teardown);

static tn_status render_text(const char *file, const char *input, size_t length, bool strict,
                             tn_rendered **out) {
    const tn_allocator *a = tn_allocator_system();
    tn_ir_graph *source;
    tn_case c;
    tn_schedule *schedule = NULL;
    TN_TRY(tn_ir_parse(a, prims, &ops->table, input, length, file, &source));
    TN_TRY(tn_case_open(a, source, 1, &c));
    tn_schedule_options options = tn_case_options(&c, NULL);
    options.strict = strict;
    tn_status status = tn_schedule_build(a, c.graph, &options, &schedule);
    tn_render_options render = {.lanes = 8, .threads = 2};
    if (!status) status = tn_render(a, schedule, &render, out);
    tn_schedule_destroy(schedule);
    tn_case_close(&c);
    return status;
}

/* Numbers of two digits or more between '[' and ']' become twice as large. */
static void double_extents(const char *input, size_t length, tn_strbuf *out) {
    bool inside = false;
    for (size_t i = 0; i < length;) {
        size_t n = 0;
        while (i + n < length && isdigit((unsigned char)input[i + n]))
            n++;
        if (input[i] == '[' || input[i] == ']') inside = input[i] == '[';
        if (inside && n > 1)
            tn_strbuf_printf(out, "%ld", 2 * strtol(input + i, NULL, 10));
        else
            tn_strbuf_bytes(out, input + i, n ? n : 1);
        i += n ? n : 1;
    }
}

static const char *kernels_of(const tn_rendered *rendered) {
    const char *kernels = strstr(rendered->text, "\nTN_EXPORT");
    return kernels ? kernels + 1 : "";
}

static void print_entries(const tn_rendered *rendered, tn_strbuf *out) {
    for (uint32_t i = 0; i < rendered->n_entries; i++) {
        const tn_render_entry *e = &rendered->entries[i];
        tn_strbuf_printf(out, "%s: items %lld grain %lld scratch %llu numbers", e->symbol,
                         (long long)e->items, (long long)e->grain,
                         (unsigned long long)e->scratch_bytes);
        for (uint32_t n = 0; n < e->n_ints; n++)
            tn_strbuf_printf(out, " %lld", (long long)e->ints[n]);
        tn_strbuf_char(out, '\n');
    }
}

static tn_status render_golden(void *self, const char *file, const char *input, size_t length,
                               tn_strbuf *out) {
    bool strict = strstr(file, "strict") != NULL;
    tn_rendered *rendered, *larger;
    tn_strbuf doubled;
    (void)self;
    TN_TRY(render_text(file, input, length, strict, &rendered));
    tn_strbuf_init(&doubled, tn_allocator_system());
    double_extents(input, length, &doubled);
    tn_status status = render_text(file, doubled.data, doubled.length, strict, &larger);
    if (!status && strcmp(rendered->text, larger->text) != 0)
        status = tn_status_make(TN_INTERNAL, "%s: other extents make other text:\n%s", file,
                                kernels_of(larger));
    if (!status) {
        tn_strbuf_text(out, kernels_of(rendered));
        print_entries(rendered, out);
        tn_rendered_destroy(larger);
    }
    tn_strbuf_deinit(&doubled);
    tn_rendered_destroy(rendered);
    return status;
}

Test(golden, texts) {
    tn_strbuf report;
    tn_strbuf_init(&report, tn_allocator_system());
    tn_golden_run(TN_SOURCE_DIR "/tests/golden/codegen", "tn", render_golden, NULL, &report);
    cr_assert_str_empty(tn_strbuf_cstr(&report), "%s", tn_strbuf_cstr(&report));
    tn_strbuf_deinit(&report);
}
