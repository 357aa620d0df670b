/* The command line as a table: parsing, checking and --help come from it. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "array.h"

typedef struct cli_list {
    const char **items;
    uint32_t n;
} cli_list;

typedef struct cli_options {
    cli_list files;   /* what is no option */
    cli_list plugins; /* --plugin FILE.so */
    cli_list inputs;  /* --input NAME=FILE */
    cli_list sizes;   /* --size NAME=N */
    cli_list force, forbid;
    const char *outputs; /* --outputs DIR */
    const char *device;  /* cpu, reference */
    const char *mode;    /* fused, eager */
    const char *precision;
    const char *dump;
    const char *cache_dir;
    int64_t seed, time, threads;
    bool check, checked, poison, json, dot, no_cache, primitives, quiet, help;
} cli_options;

typedef struct cli_command {
    const char *name;
    const char *usage; /* what follows the name */
    const char *summary;
    const char *help;    /* paragraphs and examples */
    const char *accepts; /* names of its options, ' ' between */
    uint32_t min_files, max_files;
    int (*run)(const cli_options *options);
} cli_command;

extern const cli_command cli_commands[];
extern const uint32_t cli_command_count;

/* False: usage is wrong, and the error says how. cli_options_free in any case. */
bool cli_options_parse(const cli_command *command, int argc, char **argv, cli_options *out,
                       cli_error *error);
void cli_options_free(cli_options *options);
/* Help of a command: its usage, text and options. */
void cli_help(const cli_command *command);

/* Exit codes. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

int cli_run(const cli_options *options);
int cli_explain(const cli_options *options);
int cli_ops(const cli_options *options);
int cli_inspect(const cli_options *options);

#endif
