/* What `run` and `explain` share: a context with plugins, a graph from a file, and
 * inputs from files or made up. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "options.h"

typedef struct cli_session {
    const cli_options *options;
    tn_context *context;
    tn_graph *graph;
    uint32_t n_inputs, n_outputs;
    cli_array *inputs;  /* data NULL when only descriptions were wanted */
    tn_tensor *tensors; /* over inputs */
    int64_t *storage;   /* shapes and strides of tensors */
    tn_arg *args;
} cli_session;

/* Prints "tenon: what: message" and frees it; the exit code. */
int cli_report(const char *what, tn_status status);
/* A context as the options say, with their plugins loaded. */
int cli_open_context(const cli_options *options, tn_context **out_context);
/* Everything; with_data false leaves made-up inputs without data. */
int cli_session_open(cli_session *s, const cli_options *options, bool with_data);
void cli_session_close(cli_session *s);
/* target: TN_TARGET_...; the rest from the options. */
int cli_session_compile(cli_session *s, int32_t target, tn_executable **out_executable);
/* A sink on a FILE. */
bool cli_sink_file(void *self, const char *text, size_t length);
/* "f32[2,3]" */
void cli_type_text(tn_dtype dtype, int32_t rank, const int64_t *shape, char *out, size_t room);

#endif
