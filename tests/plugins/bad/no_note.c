/* A library like any other: it has the function, and no note. */
#define NO_NOTE
#include "plugins/sample.h"
