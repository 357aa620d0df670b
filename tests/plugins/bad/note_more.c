/* The note has an op that the code lacks. */
#define NOTE_BODY TN_NOTE_OP(SCHEMA) TN_NOTE_OP("sample::thrice(Tensor x) -> Tensor")
#include "plugins/sample.h"
