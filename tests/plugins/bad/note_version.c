/* Note and code disagree on the version. */
#define NOTE_VERSION "1.2.4"
#include "plugins/sample.h"
