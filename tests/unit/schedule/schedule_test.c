/* Golden schedules: a graph in, the schedule that is made of it and what explain says
 * out; each is also run and compared with the interpreter. Re-blessed by
 * TENON_BLESS=1. A first line "#! words" sets options: eager, strict, template (of
 * test::relu and test::linear), force=RULE, forbid=RULE. */
#include "schedule/schedule.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "schedule/explain.h"
#include "support/golden.h"
#include "support/random_graph.h"
#include "support/schedule_case.h"
#include "support/test_ops.h"

static const tn_kernel plain = {.device_type = TN_DEVICE_CPU};
static const tn_kernel strided = {.device_type = TN_DEVICE_CPU, .flags = TN_KERNEL_STRIDED_INPUTS};
static const tn_slot epilogue = {
    .name = "epilogue", .kind = TN_SLOT_EPILOGUE, .rank = 3, .dtype = {TN_TYPE_FLOAT, 32, 1}};
static const tn_slot prologue = {
    .name = "x", .kind = TN_SLOT_PROLOGUE, .rank = 3, .dtype = {TN_TYPE_FLOAT, 32, 1}};
static const tn_slot *const slots[] = {&epilogue, &prologue};
static const tn_template host = {
    .name = "host", .device_type = TN_DEVICE_CPU, .slots = slots, .n_slots = 2, .n_configs = 2};
static const tn_template *const hosts[] = {&host};

static tn_prim_schemas *prims;
static tn_test_ops *ops;

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
    cr_assert_null(tn_random_add_ops(ops));
    tn_test_ops_find(ops, "test::scale")->op.cpu = &strided;
    tn_test_ops_find(ops, "test::relu")->op.cpu = &plain;
}

static void teardown(void) {
    tn_test_ops_destroy(ops);
    tn_prim_schemas_destroy(prims);
}

TestSuite(schedule, .init = setup, .fini = teardown);

/* The first configuration is for others. */
static tn_status accept_second(void *self, const tn_ir_graph *graph, const tn_ir_node *node,
                               const tn_template *template_, uint32_t config, bool *out_accepted,
                               char detail[256]) {
    (void)self, (void)graph, (void)node, (void)template_;
    *out_accepted = config == 1;
    memcpy(detail, "only configuration 1 will do", sizeof "only configuration 1 will do");
    return NULL;
}

typedef struct wishes {
    bool eager, strict, template_, explain;
    char words[512];
    const char *force[4], *forbid[4];
    uint32_t n_force, n_forbid;
} wishes;

static void read_wishes(const char *input, wishes *w) {
    const char *end = strchr(input, '\n');
    if (strncmp(input, "#!", 2) != 0 || (size_t)(end - input) >= sizeof w->words) return;
    memcpy(w->words, input + 2, (size_t)(end - input - 2));
    for (char *save, *word = strtok_r(w->words, " ", &save); word;
         word = strtok_r(NULL, " ", &save)) {
        w->eager |= strcmp(word, "eager") == 0;
        w->strict |= strcmp(word, "strict") == 0;
        w->template_ |= strcmp(word, "template") == 0;
        if (strncmp(word, "force=", 6) == 0) w->force[w->n_force++] = word + 6;
        if (strncmp(word, "forbid=", 7) == 0) w->forbid[w->n_forbid++] = word + 7;
    }
}

/* What programs read, and Graphviz. */
static void print_explained(const tn_schedule *schedule, const tn_ir_graph *source,
                            tn_strbuf *out) {
    tn_explain_json(schedule, source, out);
    cJSON *json = cJSON_Parse(tn_strbuf_cstr(out));
    cr_assert_not_null(json, "explain --json is JSON");
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(json, "nodes")), (int)source->n_nodes);
    cJSON_Delete(json);
    tn_explain_dot(schedule, source, out);
}

static tn_status run_case(const tn_case *c, const wishes *w, const tn_rules *rules,
                          tn_strbuf *out) {
    const tn_allocator *a = tn_allocator_system();
    const tn_judge judge = {.template_ = accept_second};
    tn_decision_log log;
    tn_arena arena;
    tn_arena_init(&arena, a);
    cr_assert_null(tn_decision_log_init(&log, &arena, c->graph->n_nodes));
    tn_schedule_options options = tn_case_options(c, &log);
    options.fuse = !w->eager;
    options.strict = w->strict;
    options.rules = rules;
    options.judge = &judge;
    tn_interp_options run = {.strict = w->strict, .run_op = tn_random_run_op};
    tn_schedule *schedule;
    tn_status status = tn_schedule_build(a, c->graph, &options, &schedule);
    if (!status) {
        status = tn_case_check(c, schedule, &run, false);
        if (w->explain) {
            print_explained(schedule, c->graph, out);
        } else {
            tn_schedule_print(schedule, out);
            tn_explain_text(schedule, c->graph, out);
        }
        tn_schedule_destroy(schedule);
    }
    tn_arena_deinit(&arena);
    return status;
}

static tn_status schedule_text(void *self, const char *file, const char *input, size_t length,
                               tn_strbuf *out) {
    const tn_allocator *a = tn_allocator_system();
    wishes w = {.explain = self != NULL};
    tn_ir_graph *source;
    tn_case c;
    tn_rules rules;
    read_wishes(input, &w);
    tn_test_ops_find(ops, "test::relu")->desc.templates = w.template_ ? hosts : NULL;
    tn_test_ops_find(ops, "test::relu")->desc.n_templates = w.template_;
    TN_TRY(tn_rules_parse(a, w.force, w.n_force, w.forbid, w.n_forbid, &rules));
    tn_status status = tn_ir_parse(a, prims, &ops->table, input, length, file, &source);
    if (!status) status = tn_case_open(a, source, 1, &c);
    if (!status) {
        status = run_case(&c, &w, &rules, out);
        tn_case_close(&c);
    }
    tn_rules_deinit(&rules);
    return status;
}

static void check_folder(const char *folder, void *explain) {
    tn_strbuf report;
    tn_strbuf_init(&report, tn_allocator_system());
    tn_golden_run(folder, "tn", schedule_text, explain, &report);
    cr_assert_str_empty(tn_strbuf_cstr(&report), "%s", tn_strbuf_cstr(&report));
    tn_strbuf_deinit(&report);
}

Test(schedule, golden) {
    check_folder(TN_SOURCE_DIR "/tests/golden/schedule", NULL);
}

Test(schedule, golden_explain) {
    check_folder(TN_SOURCE_DIR "/tests/golden/explain", ops);
}
