/* Requires a major version of a namespace that is here in another one. */
#define PLUGIN "picky"
#define SCHEMA "picky::twice(Tensor x) -> Tensor"
#define NOTE_BODY TN_NOTE_REQUIRES("sample 7") TN_NOTE_OP(SCHEMA)
#include "plugins/sample.h"
