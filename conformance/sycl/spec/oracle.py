# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact results of functions of real numbers, by MPFR, and how far a result is from them.

An exact function takes mpfr numbers and gives one, or OPEN where the specification leaves the result open.
"""

import gmpy2
import numpy as np
from gmpy2 import mpfr

OPEN = object()
PRECISION = 240
NAN, INFINITY, ZERO = mpfr("nan"), mpfr("inf"), mpfr(0)

context = gmpy2.get_context()
context.precision = PRECISION
context.emax, context.emin = 1 << 30, -(1 << 30)
PI = gmpy2.const_pi()


class Exact:
    """Exact results as columns: the nearest double, what is left in ulps of the type, and the ulp's exponent."""

    def __init__(self, scalar, results):
        count = len(results)
        self.scalar = scalar
        self.is_open = np.array([r is OPEN for r in results])
        self.near, self.rest = np.zeros(count), np.zeros(count)
        self.ulp = np.zeros(count, np.int64)
        highest, fraction = scalar.largest_exponent, scalar.fraction
        for i, result in enumerate(results):
            if result is OPEN:
                continue
            near = float(result)
            self.near[i] = near
            exponent = 1 - highest
            if gmpy2.is_finite(result) and result != 0:
                exponent = min(max(gmpy2.get_exp(result) - 1, exponent), highest)
            self.ulp[i] = exponent - fraction
            if gmpy2.is_finite(result) and np.isfinite(near):
                self.rest[i] = float(
                    gmpy2.mul_2exp(result - near, int(-self.ulp[i]))
                    if self.ulp[i] < 0
                    else gmpy2.div_2exp(result - near, int(self.ulp[i]))
                )

    def errors(self, given):
        """How far each result is from the exact one, in ulps (OpenCL C 3.0, section 7.4). Infinity counts as the number
        that would come after the largest one."""
        given = given.astype(np.float64)
        beyond = 2.0 ** min(self.scalar.largest_exponent, 1022) * (2.0 if self.scalar.largest_exponent < 1023 else 1.0)
        with np.errstate(all="ignore"):
            # Differences of doubles that are near each other are exact; others only have to be large.
            half = np.ldexp(given, -1) - np.ldexp(self.near, -1)
            near = given - self.near
            difference = np.where(np.isfinite(near), np.ldexp(near, -self.ulp), np.ldexp(half, 1 - self.ulp))
            errors = np.abs(difference - self.rest)
            # The exact result is beyond all numbers of the type, which is what infinity stands for; a result near that
            # counts from there.
            largest = np.finfo(self.scalar.dtype).max
            over = np.isinf(given) & np.isfinite(self.near) & (np.sign(given) == np.sign(self.near))
            if self.scalar.largest_exponent < 1023:
                gap = np.maximum(beyond - np.abs(self.near), 0)
            else:
                gap = (np.float64(largest) - np.abs(self.near)) + np.ldexp(1.0, 1023 - 52)
                gap = np.maximum(gap, 0)
            errors = np.where(over, np.ldexp(gap, -self.ulp), errors)
            exact_infinite = np.isinf(self.near)
            errors = np.where(exact_infinite, np.where(given == self.near, 0, np.inf), errors)
            errors = np.where(np.isnan(self.near), np.where(np.isnan(given), 0, np.inf), errors)
            errors = np.where(~np.isnan(self.near) & np.isnan(given), np.inf, errors)
        return np.where(self.is_open, 0, errors)

    def differs_in_sign(self, given):
        """Where one zero should be the other."""
        zero = (self.near == 0) & (given == 0) & ~self.is_open
        return zero & (np.signbit(self.near) != np.signbit(given))


def exact(scalar, function, columns):
    """The exact results of a function over columns of arguments."""
    numbers = []
    for column in columns:
        if column.dtype.kind == "f":
            numbers.append([mpfr(x) for x in column.astype(np.float64).tolist()])
        else:
            numbers.append(column.tolist())
    with np.errstate(all="ignore"):
        return Exact(scalar, [function(*arguments) for arguments in zip(*numbers)])


def to_integer(x):
    """Whether a finite number has no fraction."""
    return gmpy2.is_finite(x) and x == gmpy2.rint_floor(x)


def is_odd(x):
    return to_integer(x) and gmpy2.is_finite(x) and x != 2 * gmpy2.rint_floor(x / 2)


def signed(zero_or_more, like):
    return gmpy2.copy_sign(zero_or_more, like)


def period(x, length):
    """x modulo a length, of x's sign, exact."""
    return gmpy2.fmod(x, mpfr(length))


def sinpi(x):
    if not gmpy2.is_finite(x):
        return NAN
    r = period(x, 2)
    if to_integer(r):
        return signed(ZERO, x)
    if to_integer(2 * r):
        return mpfr(1) if r in (0.5, -1.5) else mpfr(-1)
    return gmpy2.sin(PI * r)


def cospi(x):
    if not gmpy2.is_finite(x):
        return NAN
    r = abs(period(x, 2))
    if r in (0.5, 1.5):
        return ZERO
    if to_integer(r):
        return mpfr(1) if r == 0 else mpfr(-1)
    return gmpy2.cos(PI * r)


def tanpi(x):
    if not gmpy2.is_finite(x):
        return NAN
    r = period(x, 2)
    if to_integer(r):
        # OpenCL C 3.0, 7.5.1: like sinpi / cospi.
        return signed(ZERO, x) if r == 0 else -signed(ZERO, x)
    if to_integer(2 * r):
        return INFINITY if r in (0.5, -1.5) else -INFINITY
    return gmpy2.tan(PI * r)


def fmax(x, y):
    if gmpy2.is_nan(x) or gmpy2.is_nan(y):
        return x if gmpy2.is_nan(y) else y
    return max(x, y)


def fmin(x, y):
    if gmpy2.is_nan(x) or gmpy2.is_nan(y):
        return x if gmpy2.is_nan(y) else y
    return min(x, y)


def is_nan(*numbers):
    return any(gmpy2.is_nan(x) for x in numbers)


def is_finite(*numbers):
    return all(gmpy2.is_finite(x) for x in numbers)


def fma(x, y, z):
    return gmpy2.fma(x, y, z) if not is_finite(x, y, z) else wide(lambda: x * y + z)


def wide(compute):
    """A sum whose terms may be as far apart as the largest and the smallest double."""
    with gmpy2.context(context, precision=4400):
        return compute()


def fract_of(scalar):
    # The largest number below 1.
    below = 1 - gmpy2.exp2(mpfr(-scalar.fraction - 1))

    def fract(x):
        if gmpy2.is_infinite(x):
            return signed(ZERO, x)
        if is_nan(x):
            return NAN
        return (
            signed(min(wide(lambda: x - gmpy2.rint_floor(x)), below), x)
            if x == gmpy2.rint_floor(x)
            else min(wide(lambda: x - gmpy2.rint_floor(x)), below)
        )

    return fract


def frexp(x):
    """The fraction in [1/2, 1) and the exponent."""
    if not is_finite(x) or x == 0:
        return x, 0
    exponent = gmpy2.get_exp(x)
    return gmpy2.div_2exp(x, exponent) if exponent >= 0 else gmpy2.mul_2exp(x, -exponent), exponent


def logb(x):
    if x == 0:
        return -INFINITY
    return abs(x) if not is_finite(x) else mpfr(gmpy2.get_exp(x) - 1)


def ldexp(x, n):
    if not is_finite(x) or x == 0:
        return x
    n = min(max(n, -5000), 5000)
    return gmpy2.mul_2exp(x, n) if n >= 0 else gmpy2.div_2exp(x, -n)


def lgamma(x):
    return OPEN if abs(x) > 1e300 else gmpy2.lgamma(x)[0]


def gamma_sign(x):
    """The sign of the gamma function, or nothing where that has none."""
    if is_nan(x) or x == 0 or (x < 0 and (not is_finite(x) or to_integer(x))):
        return None
    return 1 if x > 0 or not is_odd(gmpy2.rint_floor(x)) else -1


def tgamma(x):
    # MPFR would take long for what overflows or vanishes anyway.
    if x > 200:
        return INFINITY
    if x < -200:
        if to_integer(x) or not is_finite(x):
            return NAN
        return OPEN if abs(x) > 1e6 else signed(ZERO, mpfr(gamma_sign(x)))
    return gmpy2.gamma(x)


def maxmag(x, y):
    return x if abs(x) > abs(y) else y if abs(y) > abs(x) else fmax(x, y)


def minmag(x, y):
    return x if abs(x) < abs(y) else y if abs(y) < abs(x) else fmin(x, y)


def nextafter_of(scalar):
    def nextafter(x, y):
        a, b = (scalar.dtype.type(float(v)) for v in (x, y))
        return mpfr(float(np.nextafter(a, b)))

    return nextafter


def pown(x, n):
    return power(x, mpfr(n))


def power(x, y):
    """x to the power of y. Results that no type holds need no exact exponent."""
    if is_finite(x, y) and x != 0 and abs(x) != 1 and y != 0:
        size = y * gmpy2.log2(abs(x))
        if abs(size) > 5000:
            if x < 0 and not to_integer(y):
                return NAN
            result = INFINITY if size > 0 else ZERO
            return -result if x < 0 and is_odd(y) else result
    return x**y if not is_nan(x, y) or x == 1 or y == 0 else NAN


def pow_(x, y):
    if x == 1 or y == 0:
        return mpfr(1)
    return power(x, y)


def powr(x, y):
    """OpenCL C 3.0, 7.5.1: as exp(y log x)."""
    if is_nan(x, y) or x < 0:
        return NAN
    if x == 0:
        return NAN if y == 0 else INFINITY if y < 0 else ZERO
    if x == 1:
        return mpfr(1) if is_finite(y) else NAN
    if y == 0:
        return NAN if gmpy2.is_infinite(x) else mpfr(1)
    return power(x, y)


def rootn(x, n):
    if n == 0 or is_nan(x) or (x < 0 and n % 2 == 0):
        return NAN
    if x == 0:
        zero = signed(ZERO, x) if n % 2 else ZERO
        return zero if n > 0 else signed(INFINITY, zero)
    if gmpy2.is_infinite(x):
        root = signed(INFINITY, x) if n % 2 else INFINITY
        return root if n > 0 else signed(ZERO, root)
    return signed(gmpy2.exp(gmpy2.log(abs(x)) / n), x)


def rint(x):
    if not is_finite(x) or to_integer(x):
        return x
    floor = gmpy2.rint_floor(x)
    rest = x - floor
    up = rest > 0.5 or (rest == 0.5 and is_odd(floor))
    return signed(abs(floor + 1 if up else floor), x)


def round_(x):
    return x if not is_finite(x) or to_integer(x) else signed(gmpy2.rint_floor(abs(x) + 0.5), x)


def rounding(function):
    return lambda x: x if not is_finite(x) or x == 0 else signed(abs(function(x)), x)


def modf(x):
    if gmpy2.is_infinite(x):
        return signed(ZERO, x)
    return x if is_nan(x) else signed(abs(x - gmpy2.rint_trunc(x)), x)


def remainder(x, y):
    if is_nan(x, y) or gmpy2.is_infinite(x) or y == 0:
        return NAN
    return x if gmpy2.is_infinite(y) or x == 0 else gmpy2.remainder(x, y)


def fmod(x, y):
    if is_nan(x, y) or gmpy2.is_infinite(x) or y == 0:
        return NAN
    return x if gmpy2.is_infinite(y) or x == 0 else signed(abs(gmpy2.fmod(x, y)), x)


def quotient(x, y):
    """The low seven bits of the quotient of remquo with its sign, or nothing where that is open."""
    if not is_finite(x) or is_nan(y) or y == 0:
        return None
    if gmpy2.is_infinite(y) or x == 0:
        return 0
    whole = int(wide(lambda: gmpy2.rint((x - gmpy2.remainder(x, y)) / y)))
    return (abs(whole) & 0x7F) * (1 if whole >= 0 else -1)


def rsqrt(x):
    if x == 0 and gmpy2.is_signed(x):
        return OPEN  # which infinity it is for the negative zero
    return gmpy2.rec_sqrt(x)


def divide(x, y):
    return x / y


def fdim(x, y):
    if is_nan(x, y):
        return NAN
    return ZERO if x <= y else wide(lambda: x - y)


def hypot(x, y):
    if gmpy2.is_infinite(x) or gmpy2.is_infinite(y):
        return INFINITY
    return wide(lambda: gmpy2.hypot(x, y))


def over_pi(function):
    def of(*numbers):
        return function(*numbers) / PI

    return of
