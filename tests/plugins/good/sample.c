/* As it is. */
#include "plugins/sample.h"
