/* One of two vendors that chose the same name for an op. */
#define PLUGIN "vendor_a"
#define SCHEMA "shared::gemm(Tensor a, Tensor b) -> Tensor"
#include "plugins/sample.h"
