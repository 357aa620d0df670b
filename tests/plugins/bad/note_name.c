/* Note and code disagree on the name. */
#define NOTE_PLUGIN "simple"
#include "plugins/sample.h"
