/* Says that it was built with a sanitizer that this host does not have. */
#define TN_NOTE_SANITIZER_LINE "sanitizer memory\n"
#include "plugins/sample.h"
