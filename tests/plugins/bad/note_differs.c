/* Note and code disagree on a schema. */
#define NOTE_BODY TN_NOTE_OP("sample::twice(Tensor x, float beta=1.0) -> Tensor")
#include "plugins/sample.h"
