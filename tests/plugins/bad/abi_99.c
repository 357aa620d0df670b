/* Needs an ABI that is to come. */
#define TN_ABI_NEEDED 99
#include "plugins/sample.h"
