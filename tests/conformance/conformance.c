#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "check.h"

/* The checks in order: tables of examples, then of sweeps, then what is made from
 * the list of primitives. */
typedef struct example_table {
    const tn_example *rows;
    const uint32_t *count;
} example_table;
static const example_table example_tables[] = {
    {tn_examples_move, &tn_examples_move_count},   {tn_examples_reduce, &tn_examples_reduce_count},
    {tn_examples_other, &tn_examples_other_count}, {tn_cases_num, &tn_cases_num_count},
    {tn_cases_red, &tn_cases_red_count},
};
typedef struct sweep_table {
    const tn_sweep *rows;
    const uint32_t *count;
} sweep_table;
static const sweep_table sweep_tables[] = {
    {tn_sweeps_move, &tn_sweeps_move_count},
    {tn_sweeps_reduce, &tn_sweeps_reduce_count},
};
enum {
    EXAMPLE_TABLES = sizeof example_tables / sizeof example_tables[0],
    SWEEP_TABLES = sizeof sweep_tables / sizeof sweep_tables[0]
};

/* Check number `index`: one of the two is set. Made-up sweeps point into text. */
typedef struct check {
    const tn_example *example;
    tn_sweep sweep;
    const char *name;
} check;

static bool find(uint32_t index, tn_strbuf *text, check *out) {
    *out = (check){0};
    for (int i = 0; i < EXAMPLE_TABLES; i++) {
        if (index < *example_tables[i].count) {
            out->example = &example_tables[i].rows[index];
            out->name = out->example->name;
            return true;
        }
        index -= *example_tables[i].count;
    }
    for (int i = 0; i < SWEEP_TABLES; i++) {
        if (index < *sweep_tables[i].count) {
            out->sweep = sweep_tables[i].rows[index];
            out->name = out->sweep.name;
            return true;
        }
        index -= *sweep_tables[i].count;
    }
    const uint32_t n_cast = tn_sweeps_cast_count();
    if (index < n_cast)
        tn_sweeps_cast(index, text, &out->sweep);
    else if (index - n_cast < tn_sweeps_elementwise_count())
        tn_sweeps_elementwise(index - n_cast, text, &out->sweep);
    out->name = out->sweep.name;
    return out->name != NULL;
}

uint32_t tn_conformance_count(void) {
    uint32_t n = tn_sweeps_cast_count() + tn_sweeps_elementwise_count();
    for (int i = 0; i < EXAMPLE_TABLES; i++)
        n += *example_tables[i].count;
    for (int i = 0; i < SWEEP_TABLES; i++)
        n += *sweep_tables[i].count;
    return n;
}

const char *tn_conformance_name(uint32_t index) {
    static _Thread_local char name[96];
    tn_strbuf text;
    check c;
    tn_strbuf_init(&text, tn_allocator_system());
    snprintf(name, sizeof name, "%s", find(index, &text, &c) ? c.name : "?");
    tn_strbuf_deinit(&text);
    return name;
}

static const tn_conformance_gap *find_gap(const tn_conformance_backend *backend, const char *name) {
    for (uint32_t i = 0; i < backend->n_gaps; i++)
        if (strncmp(backend->gaps[i].check, name, strlen(backend->gaps[i].check)) == 0)
            return &backend->gaps[i];
    return NULL;
}

/* A gap is a check that is refused; neither more nor less. */
static tn_status judge(const tn_conformance_backend *backend, const char *name, tn_status status) {
    const tn_conformance_gap *gap = find_gap(backend, name);
    if (gap == NULL) return status;
    if (tn_status_code(status) == TN_UNSUPPORTED) {
        tn_status_ignore(status);
        return NULL;
    }
    if (status != NULL) return status;
    return tn_status_make(TN_INVALID, "passes, but is listed as a gap (%s): remove it there",
                          gap->reason);
}

tn_status tn_conformance_run(const tn_conformance_backend *backend, uint32_t index) {
    tn_strbuf text;
    check c;
    tn_strbuf_init(&text, tn_allocator_system());
    tn_status status;
    if (!find(index, &text, &c))
        status = tn_status_make(TN_INVALID, "there is no check %u", index);
    else if (c.example != NULL)
        status = tn_example_run(backend, c.example);
    else
        status = tn_sweep_run(backend, &c.sweep);
    if (c.name != NULL) {
        status = judge(backend, c.name, status);
        if (status != NULL)
            status = tn_status_annotate(status, "%s on %s: ", c.name, backend->name);
    }
    tn_strbuf_deinit(&text);
    return status;
}

static bool begins_and_ends(const char *name, const char *beginning, const char *end) {
    const size_t n = strlen(name), n_end = strlen(end);
    return strncmp(name, beginning, strlen(beginning)) == 0 && n >= n_end &&
           strcmp(name + n - n_end, end) == 0;
}

/* Public fault cases are counted in the summary of `./dev test`, by their number:
 * several checks may make one case. */
typedef struct case_count {
    char last[8]; /* "NUM-01" */
    bool last_is_right;
    uint32_t n, right;
} case_count;

static void count_case(case_count *c, const char *name, bool is_right) {
    const size_t length = strcspn(name, ".");
    if (length >= sizeof c->last) return;
    if (c->n == 0 || strncmp(c->last, name, length) != 0 || c->last[length] != '\0') {
        memcpy(c->last, name, length);
        c->last[length] = '\0';
        c->n++;
        c->right++;
        c->last_is_right = true;
    }
    if (is_right || !c->last_is_right) return;
    c->last_is_right = false;
    c->right--;
}

static void say(const char *topic, const char *backend, const char *text) {
    const char *folder = getenv("TN_TEST_SUMMARY_DIR");
    tn_strbuf path;
    tn_strbuf_init(&path, tn_allocator_system());
    tn_strbuf_printf(&path, "%s/conformance.summary", folder == NULL ? "" : folder);
    FILE *file = folder == NULL ? NULL : fopen(tn_strbuf_cstr(&path), "a");
    if (file != NULL) {
        fprintf(file, "%s: %s: %s\n", topic, backend, text);
        fclose(file);
    }
    tn_strbuf_deinit(&path);
}

uint32_t tn_conformance_run_group(const tn_conformance_backend *backend, const char *beginning,
                                  const char *end, tn_strbuf *out_failures) {
    const bool is_cases = strcmp(beginning, "NUM-") == 0 || strcmp(beginning, "RED-") == 0;
    case_count cases = {0};
    uint32_t n = 0;
    char text[160];
    for (uint32_t i = 0; i < tn_conformance_count(); i++) {
        const char *name = tn_conformance_name(i);
        if (!begins_and_ends(name, beginning, end)) continue;
        n++;
        const tn_conformance_gap *gap = find_gap(backend, name);
        if (gap != NULL) {
            snprintf(text, sizeof text, "%s (%s)", name, gap->reason);
            say("not run", backend->name, text);
        }
        tn_status status = tn_conformance_run(backend, i);
        count_case(&cases, tn_conformance_name(i), status == NULL && gap == NULL);
        if (status == NULL) continue;
        tn_strbuf_printf(out_failures, "%s\n", tn_status_message(status));
        tn_status_free(status);
    }
    if (is_cases) {
        snprintf(text, sizeof text, "%u of %u %.3s cases right", cases.right, cases.n, beginning);
        say("cases", backend->name, text);
    }
    return n;
}
