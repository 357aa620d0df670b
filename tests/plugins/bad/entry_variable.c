/* Exports a variable where a function is expected. */
#define ENTRY something_else
#include "plugins/sample.h"

extern int variable __asm__("tenon_plugin_query");
TN_PLUGIN_EXPORT int variable = 1;
