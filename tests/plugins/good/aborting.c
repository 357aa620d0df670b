/* Its constructor ends the process: it can be inspected, and nothing more. */
#include <stdlib.h>

#include "plugins/sample.h"

__attribute__((constructor)) static void start(void) {
    abort();
}
