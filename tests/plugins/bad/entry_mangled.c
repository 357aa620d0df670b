/* As a C++ compiler names the function where extern "C" was forgotten. */
#define ENTRY entry
#include "tenon/plugin.h"
TN_PLUGIN_EXPORT const tn_plugin *entry(uint32_t host_abi) __asm__("_Z18tenon_plugin_queryj");
#include "plugins/sample.h"
