/* One child program: run without a shell, its output captured, killed with all
 * it started when it takes too long. Safe from any thread; nothing of it is
 * inherited by other children (every descriptor is close-on-exec). */
#ifndef TN_DEVICE_CPU_PROCESS_H
#define TN_DEVICE_CPU_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

typedef struct tn_cpu_process {
    const char *const *argv;    /* argv[0] is the program's path; NULL ends */
    const char *const *environ; /* "NAME=value"; NULL ends */
    uint32_t timeout_ms;
    size_t output_limit; /* what the child prints beyond it is dropped */
} tn_cpu_process;

typedef struct tn_cpu_process_end {
    bool timed_out;
    bool unknown;  /* another part of the host reaped the child: only its effects tell */
    int exit_code; /* -1 when a signal ended it */
    int signal;    /* 0 when it exited */
} tn_cpu_process_end;

/* What it printed to stdout and stderr is appended to out_output. A status only
 * when the program could not be started or watched: TN_NOT_FOUND when there is
 * no such program. */
TN_MUST_USE tn_status tn_cpu_process_run(const tn_cpu_process *process, tn_strbuf *out_output,
                                         tn_cpu_process_end *out_end);

#endif
