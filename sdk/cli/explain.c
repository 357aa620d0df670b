#include <stdio.h>

#include "session.h"

int cli_explain(const cli_options *options) {
    cli_session s;
    tn_executable *e = NULL;
    tn_plan *plan = NULL;
    int32_t format = options->json ? TN_EXPLAIN_JSON : TN_EXPLAIN_TEXT;
    if (options->dot) format = TN_EXPLAIN_DOT;
    if (options->dot && options->json) {
        fprintf(stderr, "tenon: explain: --json and --dot exclude each other\n");
        return CLI_USAGE;
    }
    int code = cli_session_open(&s, options, false);
    if (code == CLI_OK) code = cli_session_compile(&s, TN_TARGET_CPU, &e);
    if (code == CLI_OK) {
        tn_status status = tn_executable_plan(e, s.args, s.n_inputs, &plan);
        if (status == NULL) status = tn_plan_explain(plan, format, cli_sink_file, stdout);
        if (status != NULL) code = cli_report("explain", status);
    }
    tn_plan_release(plan);
    tn_executable_release(e);
    cli_session_close(&s);
    return code;
}
