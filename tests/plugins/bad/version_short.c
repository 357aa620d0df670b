/* A version that is none. */
#define VERSION "1.2"
#include "plugins/sample.h"
