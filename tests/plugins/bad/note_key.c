/* Its note has a line that must be understood. */
#define NOTE_BODY "!future 1\n" TN_NOTE_OP(SCHEMA)
#include "plugins/sample.h"
