# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common functions (SYCL 2020, 4.17.7): of values of one shape, and of a vec or marray and scalars."""

import numpy as np

import oracle
from compare import within
from generate import apply
from model import Source
from oracle import OPEN, PI, is_finite, is_nan, mpfr, signed, wide
from scalars import DOUBLE, FLOAT, FLOATS, HALF, SCALAR, SHAPES, arguments


def unit(random, n):
    return [random.random(n) for _ in range(3)]


def near(random, n):
    return [(random.random(n) * 4 - 2) * 2.0 ** random.integers(-12, 12, n) for _ in range(3)]


def ordered(random, n):
    """Two limits, the lower one first, and a number."""
    a, b, x = random.random((3, n)) * 4 - 2
    return [np.minimum(a, b), np.maximum(a, b), x]


def clamp(x, low, high):
    return OPEN if is_nan(x, low, high) or low > high else min(max(x, low), high)


def maximum(x, y):
    return (y if x < y else x) if is_finite(x, y) else OPEN


def minimum(x, y):
    return (y if y < x else x) if is_finite(x, y) else OPEN


def mix(x, y, a):
    is_meant = is_finite(x, y, a) and 0 <= a <= 1 and abs(x) <= 1 and abs(y) <= 1
    return wide(lambda: x + (y - x) * a) if is_meant else OPEN


def step(edge, x):
    return OPEN if is_nan(edge, x) else mpfr(0 if x < edge else 1)


def smoothstep(low, high, x):
    """t t (3 - 2 t), where t is how far x is from one limit to the other."""
    if not is_finite(low, high, x) or not low < high:
        return OPEN
    if x <= low or x >= high:
        return mpfr(0 if x <= low else 1)
    # The difference of limits, or its reciprocal, may overflow or vanish.
    if not 1e-3 < high - low < 1e3 or abs(low) > 1e3:
        return OPEN
    t = (x - low) / (high - low)
    return t * t * (3 - 2 * t)


def sign(x):
    return mpfr(0) if is_nan(x) else signed(mpfr(0 if x == 0 else 1), x)


# The name, how many arguments, which of them are scalars in the form for a vec and scalars, the exact result, where
# it is
# for, and its limit: ulps, or an absolute one for half, float and double. OpenCL has none for mix and smoothstep of
# half
# and double: 100 times what rounding makes of them.
ABSOLUTE = {"mix": {HALF: 1e-1, FLOAT: 1e-3, DOUBLE: 2e-14}, "smoothstep": {HALF: 1e-1, FLOAT: 1e-5, DOUBLE: 2e-12}}
FUNCTIONS = (
    ("clamp", 3, (1, 2), clamp, near, 0),
    ("degrees", 1, (), lambda x: x * 180 / PI, near, 2),
    ("max", 2, (1,), maximum, near, 0),
    ("min", 2, (1,), minimum, near, 0),
    ("mix", 3, (2,), mix, unit, None),
    ("radians", 1, (), lambda x: x * PI / 180, near, 2),
    ("step", 2, (0,), step, near, 0),
    ("smoothstep", 3, (0, 1), smoothstep, ordered, None),
    ("sign", 1, (), sign, near, 0),
)


def kernels(t):
    for name, count, scalars, function, domain, limit in FUNCTIONS:
        types = [t] * count
        columns = arguments(types, (name, t.name), domain=domain)
        exact = oracle.exact(t, function, columns)
        absolute = ABSOLUTE.get(name, {}).get(t)
        for shape in SHAPES:
            check = within(exact, limit, columns, shape.size, name == "sign", absolute)
            yield apply(name, shape, types, t, columns, check)
            if not scalars or shape == SCALAR:
                continue
            # The form with scalars: those of a work-item's first element.
            spread = [np.repeat(c[:: shape.size], shape.size) if i in scalars else c for i, c in enumerate(columns)]
            values = ", ".join("{%d}[0]" % i if i in scalars else "{%d}" % i for i in range(count))
            some = oracle.exact(t, function, spread)
            yield apply(
                name,
                shape,
                types,
                t,
                columns,
                within(some, limit, spread, shape.size, False, absolute),
                f"sycl::{name}({values})",
                "and scalars",
            )


def sources():
    for t in FLOATS:
        yield Source("common", f"common_{t.name}", list(kernels(t)), is_quick=t == FLOAT)
