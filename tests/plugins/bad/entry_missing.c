/* Exports nothing of that name or like it. */
#define ENTRY something_else
#include "plugins/sample.h"
