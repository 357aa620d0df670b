/* Refuses the host, although its note asks for nothing special. */
#define RETURN (&plugin)->n_ops ? NULL : &plugin
#include "plugins/sample.h"
