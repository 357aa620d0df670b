#include "base/thread.h"

#include <stdatomic.h>

uint32_t tn_thread_number(void) {
    static _Atomic uint32_t threads;
    static _Thread_local uint32_t number; /* plus 1 */
    if (number == 0) number = 1 + atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed);
    return number - 1;
}
