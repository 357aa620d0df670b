/* Whether a shared object exports tenon_plugin_query. Private to loader. */
#ifndef TN_LOADER_ENTRY_SYMBOL_H
#define TN_LOADER_ENTRY_SYMBOL_H

#include "loader/elf_image.h"

/* PLUGIN when it does not, with what there is instead: a mangled or misspelled
 * name, a hidden one. NULL also when the object's symbols cannot be counted. */
TN_MUST_USE tn_status tn__entry_symbol_check(const tn_elf_image *image);

#endif
