/* The linker was told to export nothing (see CMakeLists.txt). */
#include "plugins/sample.h"
