#include "conformance/edges.h"

#include <math.h>

static int float_edges(tn_dt dt, tn_scalar *out) {
    static const double values[] = {0.0,
                                    -0.0,
                                    1.0,
                                    -1.0,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    2.5,
                                    -2.5,
                                    3.5,
                                    -3.7,
                                    0.1,
                                    -0.1,
                                    2.0,
                                    3.0,
                                    -3.0,
                                    7.25,
                                    10.0,
                                    -12.5,
                                    41.0,
                                    82.0,
                                    100.25,
                                    -88.5,
                                    448.0,
                                    -60000.0,
                                    1e-3,
                                    1e-5,
                                    -2e-8,
                                    0.999999,
                                    1e10,
                                    -3e38,
                                    0x1p-126,
                                    0x1p-149,
                                    0x1p-24,
                                    0x1p23,
                                    0x1p53,
                                    1.1e300,
                                    5e-324,
                                    -1e-39,
                                    INFINITY,
                                    -INFINITY,
                                    NAN,
                                    3.14159265358979,
                                    255.5,
                                    32768.0,
                                    2147483648.0,
                                    -2147483904.0,
                                    9.3e18,
                                    1.9e19};
    int n = 0;
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
        out[n++].f = tn_float_round(values[k], dt);
    return n;
}

static int int_edges(tn_dt dt, tn_scalar *out) {
    const int64_t bits = (int64_t)tn_dt_size(dt) * 8;
    const int64_t half = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
    const int64_t values[] = {0,        1,        2,        3,     4,         7,   8,  15,
                              bits - 1, bits,     41,       -1,    -2,        -3,  -7, -41,
                              half,     half - 1, half / 2, -half, -half - 1, 100, 85, bits + 1};
    int n = 0;
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
        out[n++] = tn_scalar_cast((tn_scalar){.i = values[k]}, TN_DT_I64, dt);
    return n;
}

int tn_edges(tn_dt dt, tn_scalar out[TN_EDGES_MAX]) {
    if (tn_dt_is_float(dt)) return float_edges(dt, out);
    if (tn_dt_is_int(dt)) return int_edges(dt, out);
    out[0].u = 0;
    out[1].u = 1;
    return 2;
}
