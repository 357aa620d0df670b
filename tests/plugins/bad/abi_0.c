/* Needs no ABI there ever was. */
#define TN_ABI_NEEDED 0
#include "plugins/sample.h"
