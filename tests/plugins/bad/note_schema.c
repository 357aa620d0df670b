/* Its note has a schema that does not parse. */
#define NOTE_BODY TN_NOTE_OP("sample::twice(Tensor x, float) -> Tensor")
#include "plugins/sample.h"
