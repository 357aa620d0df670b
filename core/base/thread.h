/* Which thread this is, for data that threads keep apart. */
#ifndef TN_BASE_THREAD_H
#define TN_BASE_THREAD_H

#include <stdint.h>

/* 0 for the first thread that asks, 1 for the next...; the same for a thread's life.
 * Numbers of threads that ended are not given again. */
uint32_t tn_thread_number(void);

#endif
