/* An op that returns an int. */
#define SCHEMA "sample::count(Tensor x) -> int"
#include "plugins/sample.h"
