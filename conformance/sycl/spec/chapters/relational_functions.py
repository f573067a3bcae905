# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Relational functions (SYCL 2020, 4.17.9), by NumPy.

Of scalars they give bool, of an marray an marray of bool, and of a vec one of integers, whose true is -1.
"""

import numpy as np

from compare import equal
from generate import apply
from model import Source
from scalars import (
    BOOL,
    FLOAT,
    FLOATS,
    INTEGERS,
    MARRAY,
    SCALAR,
    SHAPES,
    VECS,
    arguments,
    generator,
)

NUMBERS = {
    "isequal": lambda x, y: x == y,
    "isnotequal": lambda x, y: x != y,
    "isgreater": lambda x, y: x > y,
    "isgreaterequal": lambda x, y: x >= y,
    "isless": lambda x, y: x < y,
    "islessequal": lambda x, y: x <= y,
    "islessgreater": lambda x, y: (x < y) | (x > y),
    "isordered": lambda x, y: ~(np.isnan(x) | np.isnan(y)),
    "isunordered": lambda x, y: np.isnan(x) | np.isnan(y),
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "isnormal": lambda x: np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny),
    "signbit": np.signbit,
}


def numbers(t):
    for name, function in NUMBERS.items():
        types = [t] * function.__code__.co_argcount if hasattr(function, "__code__") else [t]
        columns = arguments(types, (name, t.name))
        with np.errstate(all="ignore"):
            right = function(*columns)
        for shape in SHAPES:
            is_vec = shape in VECS
            result = next(i for i in INTEGERS if i.is_signed and i.bits == t.bits) if is_vec else BOOL
            values = -right.astype(result.dtype) if is_vec else right
            yield apply(name, shape, types, result, columns, equal(values, columns, shape.size))


def any_all(t):
    """any and all: of the highest bits of a scalar's or a vec's elements, or of an marray of bool."""
    random = generator("any", t.name)
    values = np.resize(arguments([t], ("any", t.name))[0], 1200)
    columns = [np.where(random.random(1200) < 0.5, values, t.dtype.type(0))]
    columns[0][:96], columns[0][96:192] = -1, 0
    for shape in (SCALAR, *VECS):
        rows = (columns[0] < 0).reshape(-1, shape.size)
        for name, right in (("any", rows.any(1)), ("all", rows.all(1))):
            made = apply(
                name, shape, [t], BOOL, columns, equal(right, [columns[0][:: shape.size]]), f"bool(sycl::{name}({{0}}))"
            )
            made.arguments[-1].count = 1200 // shape.size
            yield made


def any_all_marray():
    random = generator("any of bool")
    column = (random.random(1200) < np.repeat(random.choice([0, 0.5, 1], 240), 5)).astype(np.uint8)
    rows = column.astype(bool).reshape(-1, 5)
    unsigned = next(i for i in INTEGERS if i.bits == 8 and not i.is_signed)
    for name, right in (("any", rows.any(1)), ("all", rows.all(1))):
        made = apply(
            name,
            MARRAY,
            [unsigned],
            BOOL,
            [column],
            equal(right, [column[::5]]),
            words="bool",
            body=(
                "auto bytes = get<marray<std::uint8_t, 5>>(a); marray<bool, 5> x; for (int i = 0; i < 5; ++i) "
                f"x[i] = bytes[i]; put(out, sycl::{name}(x));"
            ),
        )
        made.arguments[-1].count = 240
        yield made


def bits(column):
    return column.view(f"u{column.dtype.itemsize}")


def bitselect(t):
    columns = arguments([t, t, t], ("bitselect", t.name), 720)
    a, b, c = map(bits, columns)
    right = ((a & ~c) | (b & c)).view(t.dtype)
    # What is no number may come back as another that is none.
    for shape in SHAPES:
        yield apply("bitselect", shape, [t, t, t], t, columns, equal(right, columns, shape.size))


def select(t):
    """select(a, b, c): the scalar's condition is a bool, the vec's an integer's highest bit, the marray's bools."""
    a, b = arguments([t, t], ("select", t.name), 720)
    random = generator("select", t.name)
    for unsigned in (False, True):
        c = next(i for i in INTEGERS if i.bits == t.bits and i.is_signed != unsigned)
        values = np.resize(arguments([c], ("condition", c.name))[0], len(a))
        conditions = np.where(random.random(len(a)) < 0.5, values, c.dtype.type(0))
        high = (bits(conditions) >> np.uint8(c.bits - 1)).astype(bool)
        for shape in VECS:
            yield apply(
                "select",
                shape,
                [t, t, c],
                t,
                [a, b, conditions],
                equal(np.where(high, b, a), [a, b, conditions], shape.size),
                words=c.name.split(":")[-1],
            )
    flags = (random.random(len(a)) < 0.5).astype(np.uint8)
    u8 = next(i for i in INTEGERS if i.bits == 8 and not i.is_signed)
    right = np.where(flags, b, a)
    yield apply(
        "select",
        SCALAR,
        [t, t, u8],
        t,
        [a, b, flags],
        equal(right, [a, b, flags]),
        "sycl::select({0}, {1}, {2} != 0)",
        "bool",
    )
    m = MARRAY.of(t)
    yield apply(
        "select",
        MARRAY,
        [t, t, u8],
        t,
        [a, b, flags],
        equal(right, [a, b, flags], 5),
        words="bool",
        body=(
            "auto bytes = get<marray<std::uint8_t, 5>>(c); marray<bool, 5> x; for (int i = 0; i < 5; ++i) "
            f"x[i] = bytes[i]; put(out, sycl::select(get<{m}>(a), get<{m}>(b), x));"
        ),
    )


def sources():
    for t in FLOATS:
        yield Source(
            "relational", f"relational_{t.name}", [*numbers(t), *bitselect(t), *select(t)], is_quick=t == FLOAT
        )
    kernels = [k for t in INTEGERS if t.is_signed for k in any_all(t)] + list(any_all_marray())
    yield Source("relational", "relational_any_all", kernels)
    for part, some in enumerate((INTEGERS[:4], INTEGERS[4:])):
        yield Source(
            "relational", f"relational_integers_{part + 1}", [k for t in some for k in (*bitselect(t), *select(t))]
        )
