/* Its note has a line without a value. */
#define NOTE_BODY "op\n"
#include "plugins/sample.h"
