/* An op in the namespace of the primitives. */
#define SCHEMA "prim::twice(Tensor x) -> Tensor"
#include "plugins/sample.h"
