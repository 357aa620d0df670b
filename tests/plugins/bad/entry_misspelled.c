/* Exports a function of nearly that name. */
#define ENTRY tenon_plugin_qeury
#include "plugins/sample.h"
