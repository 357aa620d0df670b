/* What a plugin's note said and what its code says must be the same, or
 * `tenon inspect` would lie. Private to loader. */
#ifndef TN_LOADER_AGREE_H
#define TN_LOADER_AGREE_H

#include "loader/inspect.h"

/* PLUGIN, naming what differs: name, version, ABI, or the first op, by name, that
 * only one of them has or that has two schemas. Schemas are compared in their
 * canonical form, in any order. */
TN_MUST_USE tn_status tn__plugin_agree(const tn_allocator *allocator, const tn_plugin_info *note,
                                       const tn_plugin *plugin);

#endif
