/* tests/golden/schema: canonical forms and messages. TENON_BLESS=1 rewrites them. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "schema/schema.h"
#include "support/golden_lines.h"

/* The canonical text, after making sure that it reads back as itself; or the
 * message. */
static void canonical(void *self, const char *input, size_t length, tn_strbuf *out) {
    (void)self;
    const tn_allocator *allocator = tn_allocator_system();
    tn_schema *schema = NULL, *again = NULL;
    tn_status status = tn_schema_parse(allocator, input, length, &schema);
    if (status) {
        tn_strbuf_text(out, tn_status_message(status));
        tn_status_free(status);
        return;
    }
    tn_strbuf_text(out, schema->text);
    status = tn_schema_parse(allocator, schema->text, strlen(schema->text), &again);
    if (status) {
        tn_strbuf_printf(out, "\ndoes not read back: %s", tn_status_message(status));
    } else if (strcmp(again->text, schema->text) != 0) {
        tn_strbuf_printf(out, "\nreads back as %s", again->text);
    }
    tn_status_free(status);
    tn_schema_free(again);
    tn_schema_free(schema);
}

static void check(const char *path, unsigned least) {
    unsigned cases = 0;
    const char *problem = tn_golden_lines_check(path, canonical, NULL, &cases);
    cr_assert_null(problem, "%s", problem);
    cr_assert_geq(cases, least);
}

Test(schema_golden, canonical_forms) {
    check(TN_SOURCE_DIR "/tests/golden/schema/canonical.txt", 50);
}

Test(schema_golden, errors) {
    check(TN_SOURCE_DIR "/tests/golden/schema/errors.txt", 120);
}
