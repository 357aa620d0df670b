/* The other vendor that chose that name. */
#define PLUGIN "vendor_b"
#define VERSION "3.0.0"
#define SCHEMA "shared::gemm(Tensor x, Tensor w) -> Tensor"
#include "plugins/sample.h"
