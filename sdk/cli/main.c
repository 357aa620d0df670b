#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "options.h"

const cli_command cli_commands[] = {
    {"run", "FILE.tn [options]", "run a graph on given or random inputs",
     "Runs the graph in FILE.tn (- for standard input) and says what it returned. Inputs\n"
     "come from files, or are random. A graph is text:\n"
     "\n"
     "  graph @demo(%x: f32[B,4096], %w: f32[4096]) {\n"
     "    %n = tn::rms_norm(%x, [4096], %w)\n"
     "    %y = acme::swish(%n, beta=1.5)\n"
     "    return %y\n"
     "  }\n"
     "\n"
     "  tenon run demo.tn --plugin ./acme.so --size B=8 --check\n"
     "  tenon run demo.tn --plugin ./acme.so --input x=x.npy --outputs out\n"
     "  tenon run demo.tn --plugin ./acme.so --size B=8192 --time 20 --force opaque:acme::swish",
     "input size seed outputs device mode precision plugin check checked poison time threads "
     "force forbid dump cache no-cache json quiet",
     1, 1, cli_run},
    {"explain", "FILE.tn [options]", "say how each node of a graph would run, and why",
     "Plans the graph in FILE.tn and prints for every node what was decided and why, what\n"
     "was refused and why, and the bytes each kernel moves against the fewest possible.\n"
     "\n"
     "  tenon explain demo.tn --plugin ./acme.so --size B=8192\n"
     "  tenon explain demo.tn --plugin ./acme.so --size B=8192 --dot | dot -Tsvg > demo.svg",
     "input size plugin mode precision threads force forbid dump cache no-cache json dot", 1, 1,
     cli_explain},
    {"ops", "[NAME] [options]", "list the operators, or the primitives",
     "Lists every operator with its schema; with NAME, those whose name contains it; with\n"
     "the whole name of one, everything about it and its overloads: plugin and hash,\n"
     "lowering, kernels, templates and their slots, traits. --primitives lists what\n"
     "lowerings are made of: arity, dtypes, meaning, and how far the CPU may be off.\n"
     "\n"
     "  tenon ops softmax\n"
     "  tenon ops tn::matmul\n"
     "  tenon ops --plugin ./acme.so acme::\n"
     "  tenon ops --primitives",
     "plugin primitives json", 0, 1, cli_ops},
    {"inspect", "FILE.so...", "say what a plugin file is, without running its code",
     "Reads a plugin's note: its name, version and operators, what it needs and what it\n"
     "was built for. None of the plugin's code runs, so a file may be inspected that\n"
     "nobody would dare to load.\n"
     "\n"
     "  tenon inspect ./acme.so",
     "json", 1, 64, cli_inspect},
};
const uint32_t cli_command_count = sizeof cli_commands / sizeof cli_commands[0];

static void print_usage(FILE *out) {
    fprintf(out, "usage: tenon COMMAND [arguments]\n\n");
    for (uint32_t i = 0; i < cli_command_count; i++) {
        fprintf(out, "  %-9s %s\n", cli_commands[i].name, cli_commands[i].summary);
    }
    fprintf(out, "\n  tenon COMMAND --help says more; tenon --version says which this is.\n"
                 "  Exit codes: 0 fine, 1 the work failed, 2 the usage was wrong.\n");
}

/* Results that did not arrive are a failure, however well they were computed. */
static int finish(int code) {
    errno = 0;
    bool lost = fflush(stdout) != 0;
    int reason = errno;
    if (!lost && !ferror(stdout)) return code;
    fprintf(stderr, "tenon: standard output: %s\n",
            reason != 0 ? strerror(reason) : "not everything could be written");
    return code == CLI_OK ? CLI_FAILED : code;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        printf("tenon %s\n", tn_version());
        return finish(CLI_OK);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_usage(stdout);
        return finish(CLI_OK);
    }
    for (uint32_t i = 0; i < cli_command_count; i++) {
        const cli_command *command = &cli_commands[i];
        if (strcmp(name, command->name) != 0) continue;
        cli_options options;
        cli_error error = {""};
        int code = CLI_USAGE;
        if (!cli_options_parse(command, argc - 2, argv + 2, &options, &error)) {
            fprintf(stderr, "tenon %s: %s\n", name, error.text);
        } else if (options.help) {
            cli_help(command);
            code = CLI_OK;
        } else {
            code = command->run(&options);
        }
        cli_options_free(&options);
        return finish(code);
    }
    fprintf(stderr, "tenon: unknown command \"%s\"; there are:\n\n", name);
    print_usage(stderr);
    return CLI_USAGE;
}
