/* A name that is none. */
#define PLUGIN "Sample"
#include "plugins/sample.h"
