# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mathematical functions (SYCL 2020, 4.17.5), with native:: and half_precision::.

Limits are those of OpenCL C 3.0, 7.4, full profile, for half, float and double; edge cases those of 7.5.
"""

from dataclasses import dataclass

import gmpy2
import numpy as np

from compare import describe, equal, same_bits, show, within
from model import Case, In, Kernel, Out, Source
from oracle import *  # noqa: F403
import oracle
from scalars import DOUBLE, FLOAT, FLOATS, HALF, I32, SCALAR, SHAPES, arguments, divisor


@dataclass
class Function:
    """A function: limits in ulps by type (None where there is no such function), what it takes (x: its type, n: int),
    its exact result, and where it is for."""

    name: str
    params: str
    limits: tuple
    exact: object
    domain: object
    signs: bool = False  # zeros have a sign to keep


def both(limit):
    return lambda random, n: [(random.random(n) * 2 - 1) * limit for _ in range(3)]


def common(random, n):
    return [(random.random(n) * 4 - 2) * 2.0 ** random.integers(-12, 12, n) for _ in range(3)]


def positive(random, n):
    return [abs(column) for column in common(random, n)]


def above_one(random, n):
    return [column + 1 for column in positive(random, n)]


def around_one(random, n):
    return [1 + (random.random(n) * 2 - 1) * 2.0 ** -random.integers(0, 20, n)]


def powers(random, n):
    """Bases and exponents whose power is in the range of some type."""
    logarithm = (random.random(n) * 2 - 1) * 2.0 ** random.integers(-8, 6, n)
    return [np.exp2(logarithm), (random.random(n) * 2 - 1) * random.choice([15, 127, 1023], n) / logarithm]


def whole_powers(random, n):
    x, y = powers(random, n)
    return [np.where(random.random(n) < 0.3, -x, x), np.clip(np.round(y), -1e9, 1e9)]


def with_small(random, n):
    return [common(random, n)[0], random.integers(-16, 17, n).astype(float)]


def ulps(half, others):
    return (half, others, others)


EXACT = ulps(0, 0)
ROUNDED = ulps(0.5, 0.5)


def table():
    m, F = gmpy2, Function
    yield from (
        F("acos", "x", ulps(2, 4), m.acos, both(1)),
        F("acosh", "x", ulps(2, 4), m.acosh, above_one),
        F("acospi", "x", ulps(2, 5), over_pi(m.acos), both(1)),
        F("asin", "x", ulps(2, 4), m.asin, both(1)),
        F("asinh", "x", ulps(2, 4), m.asinh, common),
        F("asinpi", "x", ulps(2, 5), over_pi(m.asin), both(1)),
        F("atan", "x", ulps(2, 5), m.atan, common),
        F("atan2", "xx", ulps(2, 6), m.atan2, common),
        F("atanh", "x", ulps(2, 5), m.atanh, both(1)),
        F("atanpi", "x", ulps(2, 5), over_pi(m.atan), common),
        F("atan2pi", "xx", ulps(2, 6), over_pi(m.atan2), common),
        F("cbrt", "x", ulps(2, 2), m.cbrt, common),
        F("ceil", "x", EXACT, rounding(m.rint_ceil), both(3000), True),
        F(
            "copysign",
            "xx",
            EXACT,
            lambda x, y: NAN if is_nan(x) else OPEN if is_nan(y) else signed(abs(x), y),
            common,
            True,
        ),
        F("cos", "x", ulps(2, 4), m.cos, both(100)),
        F("cosh", "x", ulps(2, 4), m.cosh, both(90)),
        F("cospi", "x", ulps(2, 4), cospi, both(100)),
        F("erfc", "x", ulps(4, 16), m.erfc, both(27)),
        F("erf", "x", ulps(4, 16), m.erf, both(6)),
        F("exp", "x", ulps(2, 3), m.exp, both(104)),
        F("exp2", "x", ulps(2, 3), m.exp2, both(150)),
        F("exp10", "x", ulps(2, 3), m.exp10, both(45)),
        F("expm1", "x", ulps(2, 3), m.expm1, common),
        F("fabs", "x", EXACT, abs, common, True),
        F("fdim", "xx", ROUNDED, fdim, common),
        F("floor", "x", EXACT, rounding(m.rint_floor), both(3000), True),
        F("fma", "xxx", ROUNDED, fma, common),
        F("fmax", "xx", EXACT, fmax, common),
        F("fmin", "xx", EXACT, fmin, common),
        F("fmod", "xx", EXACT, fmod, common, True),
        F("hypot", "xx", ulps(2, 4), hypot, common),
        F("ldexp", "xn", ROUNDED, ldexp, with_small),
        F("log", "x", ulps(2, 3), m.log, around_one),
        F("log2", "x", ulps(2, 3), m.log2, around_one),
        F("log10", "x", ulps(2, 3), m.log10, around_one),
        F("log1p", "x", ulps(2, 2), m.log1p, lambda r, n: [np.maximum(common(r, n)[0], -1)]),
        F("logb", "x", EXACT, logb, common),
        F("maxmag", "xx", EXACT, maxmag, common),
        F("minmag", "xx", EXACT, minmag, common),
        F("pow", "xx", ulps(4, 16), pow_, powers),
        F("pown", "xn", ulps(4, 16), pown, whole_powers),
        F("powr", "xx", ulps(4, 16), powr, powers),
        F("remainder", "xx", EXACT, remainder, common, True),
        F("rint", "x", EXACT, rint, both(3000), True),
        F("rootn", "xn", ulps(4, 16), rootn, with_small),
        F("round", "x", EXACT, round_, both(3000), True),
        F("rsqrt", "x", ulps(1, 2), rsqrt, positive),
        F("sin", "x", ulps(2, 4), m.sin, both(100)),
        F("sinh", "x", ulps(2, 4), m.sinh, both(90)),
        F("sinpi", "x", ulps(2, 4), sinpi, both(100)),
        F("sqrt", "x", (0.5, 3, 0.5), m.sqrt, positive),
        F("tan", "x", ulps(2, 5), m.tan, both(100)),
        F("tanh", "x", ulps(2, 5), m.tanh, common),
        F("tanpi", "x", ulps(2, 6), tanpi, both(100)),
        F("tgamma", "x", ulps(4, 16), tgamma, both(36)),
        F("trunc", "x", EXACT, rounding(m.rint_trunc), both(3000), True),
    )
    # Functions that exist for float alone. half_precision:: allows 8192 ulps and flushes denormals if it likes;
    # its sine,
    # cosine and tangent are for arguments up to 65536. The range and the error of native:: are the implementation's
    # choice. As open limits find nothing, they have those of half_precision:: where they are meant to be used.
    simple = {
        "cos": ("x", m.cos, both(6)),
        "divide": ("xx", divide, common),
        "exp": ("x", m.exp, both(80)),
        "exp2": ("x", m.exp2, both(120)),
        "exp10": ("x", m.exp10, both(36)),
        "log": ("x", m.log, around_one),
        "log2": ("x", m.log2, around_one),
        "log10": ("x", m.log10, around_one),
        "powr": ("xx", powr, powers),
        "recip": ("x", lambda x: 1 / x, common),
        "rsqrt": ("x", rsqrt, positive),
        "sin": ("x", m.sin, both(6)),
        "sqrt": ("x", m.sqrt, positive),
        "tan": ("x", m.tan, both(6)),
    }
    for name, (params, function, domain) in simple.items():
        most = 65536 if name in ("cos", "sin", "tan") else INFINITY
        yield F(f"native::{name}", params, (None, 8192, None), normal(function, 64, 2.0**-8), domain)
        yield F(f"half_precision::{name}", params, (None, 8192, None), normal(function, most, 0), domain)


def normal(function, most, least):
    """A function that is open for denormals, what is not finite if `least` is not 0, and arguments above `most`; and
    for results below `least`."""

    def of(*numbers):
        if any(0 < abs(x) < 2.0**-126 or abs(x) > most for x in numbers) or (least and not is_finite(*numbers)):
            return OPEN
        result = function(*numbers)
        if result is OPEN:
            return OPEN
        is_meant = is_finite(result) and abs(result) < 2.0**127 if least else True
        return result if is_meant and (abs(result) >= max(least, 2.0**-126) or result == 0 or is_nan(result)) else OPEN

    return of


def kernel(function, scalar, shape, columns, check, results=None, body=None, second=None):
    """A kernel that applies a function to columns of arguments."""
    types = [I32 if p == "n" else scalar for p in function.params]
    short = function.name.replace("::", "_")
    name = f"{short}_{scalar.short}{shape.short}"
    names = "abc"[: len(types)]
    parameters = [f"const {t.name} *{a}" for t, a in zip(types, names)]
    outs = [results or scalar] + ([second] if second else [])
    parameters += [f"{t.name} *{o}" for t, o in zip(outs, ("out", "more"))]
    values = ", ".join(f"get<{shape.of(t)}>({a})" for t, a in zip(types, names))
    body = body or "put(out, sycl::{function}({values}));"
    body = body.replace("{function}", function.name).replace("{values}", values).replace("{n}", shape.of(I32))
    body = body.replace("{t}", shape.of(scalar))
    count = len(columns[0])
    items = count // shape.size
    words = "" if shape == SCALAR else f", {shape.kind}{shape.size}"
    return Kernel(
        name,
        f"KERNEL(1, {{name}}, {', '.join(parameters)}) {{ {body} }}",
        [In(c) for c in columns] + [Out(t.dtype, count) for t in outs],
        (items,),
        (divisor(items, 64, sum(map(ord, name))),),
        [Case(f"{function.name}({scalar.name}{words})", check(shape))],
    )


def ordinary(function, scalar, limit):
    """The kernels of a function with one result, one for each shape."""
    types = [I32 if p == "n" else scalar for p in function.params]
    columns = arguments(types, (function.name, scalar.name), domain=function.domain)
    exact_function = function.exact
    results = oracle.exact(scalar, exact_function, columns)
    for shape in SHAPES:
        yield kernel(
            function, scalar, shape, columns, lambda shape: within(results, limit, columns, shape.size, function.signs)
        )


def pair(first, second_check):
    """A check of two outputs."""

    def check(outputs):
        return first(outputs[:1]) or second_check(outputs[1])

    return check


def lgamma_check(results, columns, size):
    """OpenCL leaves its error open, but not that it is the logarithm of the gamma function."""
    scale = {HALF: 2.0**-6, FLOAT: 2.0**-18, DOUBLE: 2.0**-44}[results.scalar]

    def check(outputs):
        given = outputs[0].astype(np.float64)
        with np.errstate(all="ignore"):
            right = np.abs(given - results.near) <= scale * (1 + np.abs(results.near))
            right |= (given == results.near) | (np.isnan(given) & np.isnan(results.near)) | results.is_open
            over = np.abs(results.near) > float(np.finfo(results.scalar.dtype).max) * (1 - scale)
            right |= np.isinf(given) & over & (np.sign(given) == np.sign(results.near))
        return None if right.all() else describe(~right, outputs[0], lambda i: show(results.near[i]), columns, size)

    return check


def mad_check(results, columns, size):
    """A rounded sum of a rounded product, or both in one."""
    with np.errstate(all="ignore"):
        apart = columns[0] * columns[1] + columns[2]
        fused = results.near.astype(columns[0].dtype)

    def check(outputs):
        right = (results.errors(outputs[0]) <= 0.5) | same_bits(outputs[0], apart)
        return None if right.all() else describe(~right, outputs[0], lambda i: show(fused[i]), columns, size)

    return check


def special(scalar):
    """Functions with two results, or with one that is no number of their type."""
    index = FLOATS.index(scalar)

    def function(name, params, domain):
        f = Function(name, params, None, None, domain)
        types = [I32 if p == "n" else scalar for p in params]
        return f, arguments(types, (name, scalar.name), domain=domain)

    # Pointers are those of a private variable, as multi_ptr or raw.
    def private(kind):
        pointer = "address_space_cast<access::address_space::private_space, access::decorated::no>(&second)"
        return f"{{{kind}}} second; put(out, sycl::{{function}}({{values}}, {pointer})); put(more, second);"

    def integers(expected):
        """Integers, some of them open (None)."""
        is_open = np.array([e is None for e in expected])
        values = np.array([e or 0 for e in expected], np.int32)
        return values, is_open

    def integer_check(expected, columns, size):
        values, is_open = integers(expected)
        return lambda given: equal(values, columns, size, is_open)([given])

    numbers = lambda columns: [[mpfr(x) for x in c.astype(np.float64).tolist()] for c in columns]  # noqa: E731

    for name, params, domain, first, second, limit, signs in (
        ("fract", "x", common, fract_of(scalar), rounding(gmpy2.rint_floor), 0.5, False),
        ("modf", "x", common, modf, rounding(gmpy2.rint_trunc), 0, True),
        ("sincos", "x", both(100), gmpy2.sin, gmpy2.cos, (2, 4, 4)[index], False),
    ):
        f, columns = function(name, params, domain)
        one, two = (oracle.exact(scalar, g, columns) for g in (first, second))
        for shape in SHAPES:

            def check(shape, one=one, two=two, columns=columns, limit=limit, signs=signs):
                return pair(
                    within(one, limit, columns, shape.size, signs),
                    lambda given: within(two, limit, columns, shape.size, signs)([given]),
                )

            yield kernel(f, scalar, shape, columns, check, body=private("t"), second=scalar)

    for name, params, domain, first, second, limit, signs in (
        ("frexp", "x", common, lambda x: frexp(x)[0], lambda x: frexp(x)[1] if is_finite(x) else None, 0, True),
        ("lgamma_r", "x", both(20), lgamma, gamma_sign, None, False),
        ("remquo", "xx", common, remainder, quotient, 0, True),
    ):
        f, columns = function(name, params, domain)
        one = oracle.exact(scalar, first, columns)
        two = [second(*x) for x in zip(*numbers(columns))]
        for shape in SHAPES:

            def check(shape, one=one, two=two, columns=columns, limit=limit, signs=signs, name=name):
                def more(given):
                    if name == "remquo":
                        given = ((np.abs(given) & 0x7F) * np.sign(given)).astype(np.int32)
                    return integer_check(two, columns, shape.size)(given)

                values = (
                    within(one, limit, columns, shape.size, signs)
                    if limit is not None
                    else lgamma_check(one, columns, shape.size)
                )
                return pair(values, more)

            yield kernel(f, scalar, shape, columns, check, body=private("n"), second=I32)

    for name, params, domain, exact_function, check in (
        ("lgamma", "x", both(20), lgamma, lgamma_check),
        ("mad", "xxx", common, fma, mad_check),
    ):
        f, columns = function(name, params, domain)
        results = oracle.exact(scalar, exact_function, columns)
        for shape in SHAPES:
            yield kernel(f, scalar, shape, columns, lambda shape: check(results, columns, shape.size))  # noqa: B023

    f, columns = function("ilogb", "x", common)
    # FP_ILOGB0 and FP_ILOGBNAN are the implementation's choice.
    expected = [None if x == 0 or not is_finite(x) else gmpy2.get_exp(x) - 1 for x in numbers(columns)[0]]
    for shape in SHAPES:
        yield kernel(
            f,
            scalar,
            shape,
            columns,
            results=I32,
            check=lambda shape: lambda outputs: integer_check(expected, columns, shape.size)(outputs[0]),
        )

    f, columns = function("nextafter", "xx", common)
    with np.errstate(all="ignore"):
        after = np.nextafter(*columns)
    for shape in SHAPES:
        # nextafter(x, y) of equal zeros is either.
        yield kernel(
            f, scalar, shape, columns, lambda shape: equal(after, columns, shape.size, columns[0] == columns[1])
        )

    code = scalar.dtype.str.replace("f", "u")
    f, columns = Function("nan", "x", None, None, None), [np.arange(240).astype(code)]
    unsigned = {2: "std::uint16_t", 4: "std::uint32_t", 8: "std::uint64_t"}[scalar.dtype.itemsize]
    for shape in SHAPES:
        made = kernel(
            f,
            scalar,
            shape,
            columns,
            lambda shape: lambda outputs: None if np.isnan(outputs[0]).all() else "a result is no NaN",
        )
        of = shape.of(type("U", (), {"name": unsigned}))
        made.code = made.code.replace(f"const {scalar.name} *a", f"const {unsigned} *a").replace(
            f"get<{shape.of(scalar)}>(a)", f"get<{of}>(a)"
        )
        made.is_comparable = False
        yield made


def sources():
    for i, scalar in enumerate(FLOATS):
        functions = [f for f in table() if f.limits[i] is not None]
        half = (len(functions) + 1) // 2
        for part, some in enumerate((functions[:half], functions[half:])):
            source = Source("math", f"math_{scalar.name}_{part + 1}", is_quick=scalar == FLOAT and part == 0)
            for function in some:
                source.kernels += ordinary(function, scalar, function.limits[i])
            yield source
        yield Source("math", f"math_{scalar.name}_pointers", list(special(scalar)))
