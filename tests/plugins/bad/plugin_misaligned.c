/* Returns a pointer to the middle of something. */
#define RETURN (const tn_plugin *)(const void *)((const char *)&plugin + 4)
#include "plugins/sample.h"
