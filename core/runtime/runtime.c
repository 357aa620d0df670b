#include "runtime/runtime.h"

#include <stdarg.h>
#include <stdio.h>

void tn_runtime_log(tn_runtime *rt, int32_t level, const char *fmt, ...) {
    if (rt->log == NULL) return;
    char message[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    rt->log(rt->log_self, level, message);
}
