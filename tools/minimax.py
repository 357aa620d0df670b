#!/usr/bin/env python3
"""Derives the polynomial coefficients of core/codegen/prelude.

Needs mpmath. Each fit is a weighted minimax polynomial found by the exchange
algorithm in 60-digit arithmetic, then rounded to the working precision. Prints
cpu_poly.inc: a function a polynomial, with the largest weighted error before
rounding. Run it again only to change a fit: the build does not need it.

    python3 tools/minimax.py > core/codegen/prelude/cpu_poly.inc
"""
import sys
from mpmath import mp, mpf, matrix, lu_solve, sqrt, log, exp, sin, cos, pi, atan, asin, atanh
from mpmath import erf, erfc, expm1, log1p, tanh, floor, frexp

mp.dps = 60


def remez(f, a, b, degree, weight=lambda x: mpf(1), rounds=25, grid=600):
    """Coefficients c[0..degree] of the polynomial p that minimizes the largest
    |weight * (f - p)| over [a, b], and that largest value."""
    a, b = mpf(a), mpf(b)
    n = degree + 2
    nodes = [(a + b) / 2 - (b - a) / 2 * mp.cos(pi * i / (n - 1)) for i in range(n)]
    points = [a + (b - a) * (1 - mp.cos(pi * i / grid)) / 2 for i in range(grid + 1)]
    values = [(x, f(x), weight(x)) for x in points]
    best = None
    for _ in range(rounds):
        rows = matrix(n, n)
        rhs = matrix(n, 1)
        for i, x in enumerate(nodes):
            for k in range(degree + 1):
                rows[i, k] = x ** k
            rows[i, degree + 1] = (-1) ** i / weight(x)
            rhs[i] = f(x)
        solution = lu_solve(rows, rhs)
        c = [solution[k] for k in range(degree + 1)]
        errors = [(w * (y - poly(c, x)), x) for x, y, w in values]
        extrema = alternating(errors, n)
        if extrema is None:
            break
        nodes = [x for _, x in extrema]
        largest = max(abs(e) for e, _ in errors)
        if best is None or largest < best[1]:
            best = (c, largest)
        if largest - abs(solution[degree + 1]) < largest * mpf("1e-3"):
            break
    return best


def poly(c, x):
    r = mpf(0)
    for k in reversed(c):
        r = r * x + k
    return r


def alternating(errors, n):
    """n points of alternating sign with the largest errors."""
    runs = []
    for e, x in errors:
        if runs and (e >= 0) == (runs[-1][0] >= 0):
            if abs(e) > abs(runs[-1][0]):
                runs[-1] = (e, x)
        else:
            runs.append((e, x))
    while len(runs) > n:
        if abs(runs[0][0]) < abs(runs[-1][0]):
            runs.pop(0)
        else:
            runs.pop()
    return runs if len(runs) == n else None


def rounded(x, bits):
    if x == 0:
        return mpf(0)
    m, e = frexp(x)
    return mp.nint(m * mpf(2) ** bits) * mpf(2) ** (e - bits)


def literal(x, bits):
    mantissa, exponent = float(x).hex().split("p")
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction.rstrip("0")
    return whole + ("." + fraction if fraction else "") + "p" + exponent + ("f" if bits == 24 else "")


def near0(f, limit):
    """f, with its limit at 0 taken from a nearby point in many digits."""
    def g(x):
        if abs(x) < mpf("1e-12"):
            return limit
        with mp.workdps(120):
            return f(mpf(x))
    return g


LN2 = log(mpf(2))
R2 = sqrt(mpf(2))
Q = (pi / 4) ** 2
SMIN, SMAX = R2 / 2 - 1, R2 - 1


def root(f):
    return lambda z: f(sqrt(z))


FITS = {
    # name: (bits, function, from, to, degree, weight)
    "exp_f32": (24, near0(lambda r: (exp(r) - 1 - r) / r ** 2, mpf(1) / 2), -LN2 / 2, LN2 / 2, 4,
                lambda r: r ** 2 + mpf("1e-9")),
    "exp2_f32": (24, near0(lambda r: (exp(r * LN2) - 1) / r, LN2), -0.5, 0.5, 5,
                 lambda r: abs(r) + mpf("1e-9")),
    "log_f32": (24, near0(lambda f: (log1p(f) - f + f * f / 2) / f ** 3, mpf(1) / 3), SMIN, SMAX, 8,
                lambda f: f ** 2 + mpf("1e-6")),
    "sin_f32": (24, root(near0(lambda r: (sin(r) - r) / r ** 3, mpf(-1) / 6)), 0, Q, 3, lambda z: z + mpf("1e-6")),
    "cos_f32": (24, root(near0(lambda r: (cos(r) - 1 + r * r / 2) / r ** 4, mpf(1) / 24)), 0, Q, 2,
                lambda z: z ** 2 + mpf("1e-6")),
    "tanh_f32": (24, root(near0(lambda x: (tanh(x) - x) / x ** 3, mpf(-1) / 3)), 0, mpf("0.36"), 5,
                 lambda z: z + mpf("1e-6")),
    "erf_f32": (24, root(near0(lambda x: (erf(x) - x) / x, 2 / sqrt(pi) - 1)), 0, mpf(1), 6, lambda z: mpf(1)),
    "logerfc_f32": (24, lambda x: log(erfc(x)), 0.95, 4.0, 7, lambda x: erfc(x) / erf(x)),
    "exp_r64": (53, near0(lambda r: (exp(r) - 1 - r) / r ** 2, mpf(1) / 2), -LN2 / 2, LN2 / 2, 10,
                lambda r: r ** 2 + mpf("1e-9")),
    "exp2_r64": (53, near0(lambda r: (exp(r * LN2) - 1) / r, LN2), -0.5, 0.5, 11, lambda r: abs(r) + mpf("1e-9")),
    "log_r64": (53, root(near0(lambda s: (2 * atanh(s) / s - 2) / s ** 2, mpf(2) / 3)), 0,
                ((R2 - 1) / (R2 + 1)) ** 2, 7, lambda z: z + mpf("1e-8")),
    "logdd_r64": (53, root(near0(lambda s: (2 * atanh(s) / s - 2 - s ** 2 * 2 / 3) / s ** 4, mpf(2) / 5)), 0,
                  ((R2 - 1) / (R2 + 1)) ** 2, 9, lambda z: z ** 2 + mpf("1e-10")),
    "sin_r64": (53, root(near0(lambda r: (sin(r) - r) / r ** 3, mpf(-1) / 6)), 0, Q, 6, lambda z: z + mpf("1e-6")),
    "cos_r64": (53, root(near0(lambda r: (cos(r) - 1 + r * r / 2) / r ** 4, mpf(1) / 24)), 0, Q, 6,
                lambda z: z ** 2 + mpf("1e-6")),
    "atan_r64": (53, root(near0(lambda a: (atan(a) - a) / a ** 3, mpf(-1) / 3)), 0, (R2 - 1) ** 2, 11,
                 lambda z: z + mpf("1e-6")),
    "asin_r64": (53, root(near0(lambda x: (asin(x) - x) / x ** 3, mpf(1) / 6)), 0, mpf(1) / 4, 13,
                 lambda z: z + mpf("1e-6")),
    "erf_r64": (53, root(near0(lambda x: (erf(x) - x) / x, 2 / sqrt(pi) - 1)), 0, mpf(1), 13, lambda z: mpf(1)),
    "erfcx_r64": (53, lambda q: (lambda x: (1 + 2 * x) * erfc(x) * exp(x * x))(2 * (1 + q) / (1 - q)),
                  mpf("-0.6"), mpf("0.87"), 23, lambda q: mpf(1)),
}


def two_over_pi(words=20):
    bits = int(floor(2 / pi * mpf(2) ** (64 * words)))
    return [bits >> (64 * (words - 1 - i)) & (2 ** 64 - 1) for i in range(words)]


HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by tools/minimax.py, which says what each polynomial approximates and
 * where: do not edit. Part of the prelude: see cpu_core.inc. */
"""


def main():
    print(HEAD, end="")
    for name, (bits, f, a, b, degree, weight) in FITS.items():
        c, error = remez(f, a, b, degree, weight)
        dtype, vector = ("f32", "vf32") if bits == 24 else ("r64", "rf64")
        print("//@ poly_%s: ops_%s" % (name, dtype))
        print("/* Degree %d, off by 2^%.1f. */" % (degree, mp.log(error, 2)))
        print("TN_INLINE %s tn_poly_%s(%s x) {" % (vector, name, vector))
        text = [literal(rounded(k, bits), bits) for k in reversed(c)]
        print("    %s p = tn_lit_%s(%s);" % (vector, dtype, text[0]))
        for k in text[1:]:
            print("    p = tn_ma_%s(p, x, tn_lit_%s(%s));" % (dtype, dtype, k))
        print("    return p;\n}")
    mp.dps = 420
    words = two_over_pi()
    print("//@ two_over_pi: core\n/* 2/pi after the binary point, in words of 64 bits. */")
    print("static const tn_u64 tn_two_over_pi[%d] = {" % len(words))
    for i in range(0, len(words), 4):
        print("    " + " ".join("0x%016xull," % w for w in words[i:i + 4]))
    print("};")


if __name__ == "__main__":
    main()
