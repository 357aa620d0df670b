/* The note was put into a header, it seems: there are two. */
#include "plugins/sample.h"

#define tn_plugin_note tn_second_note
TN_PLUGIN_NOTE("sample", "1.2.3", TN_NOTE_OP(SCHEMA));
