/* Requires something that is no namespace and version. */
#define NOTE_BODY TN_NOTE_REQUIRES("sample") TN_NOTE_OP(SCHEMA)
#include "plugins/sample.h"
