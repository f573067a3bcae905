# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Geometric functions (SYCL 2020, 4.17.8). Limits are those of OpenCL C 3.0, 7.4; they grow with the vector."""

import gmpy2
import numpy as np

import oracle
from compare import describe, show, within
from generate import apply
from model import Source
from oracle import OPEN, is_finite, mpfr, wide
from scalars import FLOAT, FLOATS, HALF, SCALAR, Shape, any_floats, generator, special_floats

SHAPES = (SCALAR, *(Shape(kind, n) for kind in ("vec", "marray") for n in (2, 3, 4)))
COUNT = 1200


def length(v):
    return wide(lambda: gmpy2.sqrt(sum(x * x for x in v)))


def distance(v, w):
    return length([wide(lambda: x - y) for x, y in zip(v, w)])  # noqa: B023


def normalize(v):
    if all(x == 0 for x in v):
        return [mpfr(0)] * len(v)
    size = length(v)
    return [x / size for x in v]


def cross(v, w):
    def element(i):
        j, k = (i + 1) % 3, (i + 2) % 3
        return wide(lambda: v[j] * w[k] - v[k] * w[j])

    return [element(i) if i < 3 else mpfr(0) for i in range(len(v))]


def dot(v, w):
    return wide(lambda: sum(x * y for x, y in zip(v, w)))


def columns(t, seed):
    """Vectors of special values, of any bits, and of sizes that are near each other."""
    random = generator(seed, t.name)
    special = special_floats(t)
    found = []
    for _ in range(2):
        parts = [random.choice(special, COUNT // 4), any_floats(t, COUNT // 4, random)]
        scales = np.repeat(2.0 ** random.integers(-t.largest_exponent, t.largest_exponent, COUNT // 12 // 4), 12)
        parts.append(((random.random(COUNT // 4) * 2 - 1) * scales).astype(t.dtype))
        parts.append((random.random(COUNT - COUNT // 4 * 3) * 2 - 1).astype(t.dtype))
        found.append(np.concatenate([p[: COUNT // 4] for p in parts])[:COUNT])
    return found


FUNCTIONS = {
    # By name: the function, whether it gives one number, how many vectors it takes, and the limit in ulps for
    # half, float
    # and double: a constant and what is added for each element.
    "distance": (distance, True, 2, ((0, 2), (2.5, 2), (5.5, 2))),
    "length": (length, True, 1, ((0.25, 0.5), (2.75, 0.5), (5.5, 1))),
    "normalize": (normalize, False, 1, ((1, 1), (2, 1), (4.5, 1))),
    "fast_distance": (distance, True, 2, (None, (8191.5, 2), None)),
    "fast_length": (length, True, 1, (None, (8191.5, 1), None)),
    "fast_normalize": (normalize, False, 1, (None, (8192, 1), None)),
    "cross": (cross, False, 2, (None,) * 3),
    "dot": (dot, True, 2, (None,) * 3),
}


def rows(column, size):
    values = [mpfr(x) for x in column.astype(np.float64).tolist()]
    return [values[i : i + size] for i in range(0, len(values), size)]


def kernel(name, t, shape, a_and_b):
    function, reduces, arity, limits = FUNCTIONS[name]
    used = a_and_b[:arity]
    vectors = list(zip(*(rows(c, shape.size) for c in used)))
    largest = float(np.finfo(t.dtype).max)
    results, limit = [], []
    for vs in vectors:
        elements = [abs(x) for v in vs for x in v]
        size = float(max(elements)) if is_finite(*elements) else float("inf")
        # The specification says little about what is not finite. The fast ones may square.
        is_open = not np.isfinite(size) or (name.startswith("fast") and not 1e-15 < size < 1e15)
        maxima = [float(max(abs(x) for x in v)) if np.isfinite(size) else 0 for v in vs]
        if name in ("cross", "dot"):
            product = maxima[0] * maxima[-1]
            is_open |= product * 4 >= largest
            # The products, and each sum.
            roundings = 3 if name == "cross" else 2 * shape.size - 1
            limit.append(roundings * product * 2.0**-t.fraction + 2 * float(np.finfo(t.dtype).smallest_subnormal))
        count = 1 if reduces else shape.size
        if is_open:
            results += [OPEN] * count
        else:
            result = function(*vs)
            results += [result] if reduces else result
    exact = oracle.Exact(t, results)
    outputs = [c[:: shape.size] if reduces else c for c in used]
    if name in ("cross", "dot"):
        bound = np.repeat(limit, 1 if reduces else shape.size)

        def check(given):
            with np.errstate(all="ignore"):
                right = np.abs(given[0].astype(float) - exact.near) <= bound
            right |= exact.is_open
            return None if right.all() else describe(~right, given[0], lambda i: show(exact.near[i]), outputs)

    else:
        constant, each = limits[FLOATS.index(t)]
        check = within(exact, constant + each * shape.size, outputs, 1 if reduces else shape.size)
    made = apply(name, shape, [t] * arity, t, used, check)
    if reduces:
        made.arguments[-1].count = COUNT // shape.size
    return made


def sources():
    for i, t in enumerate(FLOATS):
        source = Source("geometric", f"geometric_{t.name}", is_quick=t == FLOAT)
        for name, (*_, limits) in FUNCTIONS.items():
            if limits[i] is None and name not in ("cross", "dot"):
                continue
            for shape in SHAPES:
                if name == "cross" and shape.size < 3:
                    continue
                if name == "dot" and t == HALF and shape == SCALAR:
                    continue  # libsycl 2026.2 does not compile it: "call to '__spirv_Dot' is ambiguous"
                source.kernels.append(kernel(name, t, shape, columns(t, name)))
        yield source
