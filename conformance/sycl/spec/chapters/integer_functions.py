# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer functions (SYCL 2020, 4.17.6), by Python's integers.

What the specification leaves undefined is open: results that do not fit, counts beyond the width.
"""

import numpy as np

from compare import equal
from generate import apply
from model import Source
from scalars import I32, INTEGERS, MARRAY, OTHERS, SCALAR, SHAPES, U32, VECS, arguments

OPEN = object()


def clamp_to(t, x):
    low, high = t.limits
    return min(max(x, low), high)


def fits(t, x):
    low, high = t.limits
    return x if low <= x <= high else OPEN


def wrap(t, x):
    """x modulo the type's range."""
    x &= (1 << t.bits) - 1
    return x - (1 << t.bits) if t.is_signed and x >> (t.bits - 1) else x


def unsigned(t, x):
    return x & ((1 << t.bits) - 1)


def clz(t, x):
    return t.bits - unsigned(t, x).bit_length()


def ctz(t, x):
    x = unsigned(t, x)
    return t.bits if x == 0 else (x & -x).bit_length() - 1


def rotate(t, x, n):
    n, x = n % t.bits, unsigned(t, x)
    return wrap(t, x << n | x >> (t.bits - n))


# By name: the number of arguments, and the result. These take every type of integers.
FUNCTIONS = {
    "abs": (1, lambda t, x: fits(t, abs(x))),
    "abs_diff": (2, lambda t, x, y: fits(t, abs(x - y))),
    "add_sat": (2, lambda t, x, y: clamp_to(t, x + y)),
    "hadd": (2, lambda t, x, y: (x + y) >> 1),
    "rhadd": (2, lambda t, x, y: (x + y + 1) >> 1),
    "clamp": (3, lambda t, x, low, high: min(max(x, low), high) if low <= high else OPEN),
    "clz": (1, clz),
    "ctz": (1, ctz),
    "mad_hi": (
        3,
        lambda t, x, y, z: wrap(t, ((x * y) >> t.bits) + z) if not t.is_signed else fits(t, ((x * y) >> t.bits) + z),
    ),
    "mad_sat": (3, lambda t, x, y, z: clamp_to(t, x * y + z)),
    "max": (2, lambda t, x, y: max(x, y)),
    "min": (2, lambda t, x, y: min(x, y)),
    "mul_hi": (2, lambda t, x, y: (x * y) >> t.bits),
    "rotate": (2, rotate),
    "sub_sat": (2, lambda t, x, y: clamp_to(t, x - y)),
    "popcount": (1, lambda t, x: unsigned(t, x).bit_count()),
}


def expected(function, t, result, columns):
    """The results as an array, and where they are open."""
    values = [function(t, *x) for x in zip(*(c.tolist() for c in columns))]
    is_open = np.array([v is OPEN for v in values])
    return np.array([0 if v is OPEN else v for v in values], result.dtype), is_open


def cases(name, function, types, result, shapes, columns=None, expression=None, of=None):
    """Kernels of a function of arguments of these types."""
    t = types[0]
    columns = columns or arguments(types, (name, t.name), count=720)
    values, is_open = expected(function, of or t, result, columns)
    for shape in shapes:
        yield apply(name, shape, types, result, columns, equal(values, columns, shape.size, is_open), expression)


def every(t, shapes):
    for name, (count, function) in FUNCTIONS.items():
        yield from cases(name, function, [t] * count, t, shapes)


def mixed(t):
    """Functions of a vec and a scalar."""
    a, b, c = arguments([t, t, t], ("mixed", t.name), count=720)
    for shape in VECS:
        # One scalar for each work-item: its first.
        first = lambda column: np.repeat(column[:: shape.size], shape.size)  # noqa: B023, E731
        columns = [a, first(b), first(c)]
        for name in ("max", "min"):
            function = FUNCTIONS[name][1]
            values, is_open = expected(function, t, t, columns[:2])
            yield apply(
                f"{name}",
                shape,
                [t, t],
                t,
                [a, b],
                equal(values, columns[:2], shape.size, is_open),
                f"sycl::{name}({{0}}, {{1}}[0])",
                "vec and scalar",
            )
        values, is_open = expected(FUNCTIONS["clamp"][1], t, t, columns)
        yield apply(
            "clamp",
            shape,
            [t, t, t],
            t,
            [a, b, c],
            equal(values, columns, shape.size, is_open),
            "sycl::clamp({0}, {1}[0], {2}[0])",
            "vec and scalars",
        )


def mul24(t):
    """mul24 and mad24 are for factors of 24 bits."""
    columns = arguments([t, t, t], ("mul24", t.name), count=720)
    shift = 8
    columns = [(c >> shift if i < 2 else c) for i, c in enumerate(columns)]
    yield from cases(
        "mul24", lambda t, x, y: wrap(t, x * y) if not t.is_signed else fits(t, x * y), [t, t], t, SHAPES, columns[:2]
    )
    yield from cases(
        "mad24",
        lambda t, x, y, z: wrap(t, x * y + z) if not t.is_signed else fits(t, x * y + z),
        [t, t, t],
        t,
        SHAPES,
        columns,
    )


def upsample(t):
    wide = next(w for w in INTEGERS if w.bits == 2 * t.bits and w.is_signed == t.is_signed)
    yield from cases("upsample", lambda t, high, low: (high << t.bits) | low, [t, t.unsigned], wide, SHAPES)


def sources():
    for i, t in enumerate(INTEGERS):
        kernels = list(every(t, SHAPES))
        if t in (I32, U32):
            kernels += mul24(t)
        if t.bits < 64:
            kernels += upsample(t)
        kernels += mixed(t)
        yield Source("integer", f"integer_{t.short}", kernels, is_quick=t == I32)
    yield Source("integer", "integer_others", [k for t in OTHERS for k in every(t, (SCALAR, MARRAY))])
