/* A plugin's description as this build knows it: every struct copied to the
 * size of this build's, what its author did not know zero-filled, what this
 * build does not know left out, every string and list copied. Behind it nothing
 * needs to look at struct_size again. Private to loader. */
#ifndef TN_LOADER_NORMALIZE_H
#define TN_LOADER_NORMALIZE_H

#include "base/arena.h"
#include "base/status.h"

/* Everything comes from the arena. Kernels, templates, payloads and functions for
 * devices, primitives and forms of code that this build does not know are left
 * out, and log (may be NULL) is told. PLUGIN or UNSUPPORTED say where in the
 * description the fault is, without naming the plugin. */
TN_MUST_USE tn_status tn__plugin_normalize(const tn_plugin *raw, tn_arena *arena, tn_log_fn log,
                                           void *log_self, const tn_plugin **out_plugin);

#endif
