/* How dtypes and devices are written, everywhere. Pure.
 *
 * A dtype of opset 1 has its name (f32). Any other dtype that an opaque op may
 * use is a letter code and bits (c64, i4), or "type<code>_<bits>", and lanes
 * follow as "x<lanes>" (f32x4), so that every tn_dtype has a name, is an
 * identifier, and reads back as itself. PyTorch's names (float32, half,
 * float8_e4m3fn...) are read and never written.
 *
 * A device is cpu, cuda:1, cpu:1, or "device<type>:<id>" for other types. */
#ifndef TN_SCHEMA_VALUE_NAMES_H
#define TN_SCHEMA_VALUE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

void tn_dtype_write(tn_dtype dtype, tn_strbuf *out);
bool tn_dtype_read(const char *text, size_t length, tn_dtype *out_dtype);

void tn_device_write(tn_device device, tn_strbuf *out);
/* The part before ':'; the id is left at 0. */
bool tn_device_type_read(const char *text, size_t length, tn_device *out_device);

#endif
