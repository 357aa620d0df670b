/* The processor that runs this process. */
#ifndef TN_DEVICE_CPU_HOST_CPU_H
#define TN_DEVICE_CPU_HOST_CPU_H

#include <stdint.h>

#include "base/strbuf.h"

/* Lanes of f32 in a vector that processor and system support: 16, 8 or 4. What
 * TN_W is by default in code compiled with -march=native. */
uint32_t tn_cpu_host_lanes(void);

/* Appends one line that differs between processors for which -march=native means
 * different code. */
void tn_cpu_host_identity(tn_strbuf *out);

#endif
