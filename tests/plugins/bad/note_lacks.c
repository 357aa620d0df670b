/* The code has an op that the note lacks. */
#define NOTE_BODY ""
#include "plugins/sample.h"
