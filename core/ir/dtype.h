/* The scalar dtypes of opset 1 as small numbers, their properties, and the one
 * set of conversions that interpreter, folder and file readers use. Pure. */
#ifndef TN_IR_DTYPE_H
#define TN_IR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/plugin.h"

typedef enum tn_dt {
#define TN_DT_ENUM(name, text, code, bits) TN_DT_##name,
    TN_DTYPE_LIST(TN_DT_ENUM)
#undef TN_DT_ENUM
        TN_DT_COUNT,
    TN_DT_NONE = 255 /* no scalar dtype of ours: opaque ops only */
} tn_dt;

tn_dt tn_dt_from_dtype(tn_dtype dtype); /* TN_DT_NONE when not one of ours */
tn_dtype tn_dt_to_dtype(tn_dt dt);
const char *tn_dt_text(tn_dt dt); /* "bf16" */
tn_dt tn_dt_parse(const char *text, size_t length);
size_t tn_dt_size(tn_dt dt);
bool tn_dt_is_float(tn_dt dt);
bool tn_dt_is_int(tn_dt dt); /* signed or unsigned, not bool */
bool tn_dt_is_signed(tn_dt dt);
/* What elementwise work on dt is done in: f32 for sub-f32 floats, else dt. */
tn_dt tn_dt_compute(tn_dt dt);

/* One element, wide enough for any dtype: floats as double, signed and unsigned
 * integers and bool as their 64-bit value. */
typedef union tn_scalar {
    double f;
    int64_t i;
    uint64_t u;
} tn_scalar;

tn_scalar tn_scalar_load(tn_dt dt, const void *element);
void tn_scalar_store(tn_dt dt, void *element, tn_scalar value); /* rounds, wraps */
/* The primitive cast, exactly. */
tn_scalar tn_scalar_cast(tn_scalar value, tn_dt from, tn_dt to);
/* Rounds a float to what dt can hold (ties to even); identity for f64. */
double tn_float_round(double value, tn_dt dt);

uint16_t tn_f32_to_f16(float value);
float tn_f16_to_f32(uint16_t bits);
uint16_t tn_f32_to_bf16(float value);
float tn_bf16_to_f32(uint16_t bits);

#endif
