/* A second version, to stand beside the first. */
#define VERSION "2.0.0"
#include "plugins/sample.h"
