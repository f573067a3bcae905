# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of scalars, vec and marray (SYCL 2020, 4.14.2 and 4.14.3), by NumPy.

A kernel has all operators of a type and a shape. Operands are such that nothing is undefined: sums and products of
signed integers fit, no divisor is 0, and counts of shifts are below the width.
"""

import numpy as np

from compare import close, equal, section
from generate import identifier, title
from model import Case, In, Kernel, Out, Source
from scalars import (
    BOOL,
    FLOATS,
    INTEGERS,
    OTHERS,
    SCALAR,
    SHAPES,
    VECS,
    any_values,
    divisor,
    generator,
    specials,
)

COUNT = 960


def operands(t):
    """Columns by name: a and b are any values; p and q can be added, m and n multiplied; d divides a; s shifts u to the
    left and a to the right."""
    random = generator("operators", t.name)
    special = specials(t)

    def any_column():
        some = random.choice(special, COUNT // 2)
        return random.permutation(np.concatenate([some, any_values(t, COUNT - len(some), random)]))

    a, b = any_column(), any_column()
    b[:64] = a[:64]  # equal ones
    if t.is_float:
        return {n: c for n, c in zip("abpqmndsu", (a, b, a, b, a, b, b, b, a))}
    count = random.integers(0, t.bits, COUNT).astype(t.dtype)
    d = np.where(b == 0, t.dtype.type(3), b)
    if not t.is_signed:
        return {"a": a, "b": b, "p": a, "q": b, "m": a, "n": b, "d": d, "s": count, "u": a}
    d = np.where(d == -1, t.dtype.type(-7), d)
    half = t.bits // 2
    positive = (a.view(f"u{t.bits // 8}") >> 1 >> count.astype(f"u{t.bits // 8}")).astype(t.dtype)
    return {"a": a, "b": b, "p": a >> 1, "q": b >> 1, "m": a >> half, "n": b >> half, "d": d, "s": count, "u": positive}


def truncated(a, d):
    """Quotients and remainders as C++ has them."""
    a, d = a.astype(object), d.astype(object)
    quotients = [abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(a, d)]
    rests = [x - y * q for x, y, q in zip(a, d, quotients)]
    return np.array(quotients, object), np.array(rests, object)


def expressions(t):
    """What is computed: the words, the expression in C++, and the results."""
    o = operands(t)
    a, b, p, q, m, n, d, s, u = (o[x] for x in "abpqmndsu")
    with np.errstate(all="ignore"):
        if t.is_float:
            quotient = a / d
        else:
            quotient, rest = (x.astype(t.dtype) for x in truncated(a, d))
        one = t.dtype.type(1)
        binary = [("+", "p", "q", p + q), ("-", "p", "q", p - q), ("*", "m", "n", m * n), ("/", "a", "d", quotient)]
        unary = [
            ("-a", "-p", -p),
            ("+a", "+a", a),
            ("++a", "({ auto x = p; ++x; })", p + one),
            ("a++", "({ auto x = p; x++; })", p),
            ("--a", "({ auto x = q; --x; })", q - one),
            ("a--", "({ auto x = q; x--; })", q),
        ]
        unary += [
            ("a++, then", "({ auto x = p; x++; x; })", p + one),
            ("--a, then", "({ auto x = q; --x; x; })", q - one),
        ]
        if not t.is_float:
            binary += [
                ("%", "a", "d", rest),
                ("&", "a", "b", a & b),
                ("|", "a", "b", a | b),
                ("^", "a", "b", a ^ b),
                ("<<", "u", "s", u << s),
                (">>", "a", "s", a >> s),
            ]
            unary += [("~a", "~a", ~a)]
    for sign, x, y, result in binary:
        yield f"a {sign} b", f"{x} {sign} {y}", result
        yield f"a {sign}= b", f"({{ auto x = {x}; x {sign}= {y}; x; }})", result
    yield from unary


def comparisons(t):
    o = operands(t)
    a, b = o["a"], o["b"]
    yield from (
        ("a == b", "a == b", a == b),
        ("a != b", "a != b", a != b),
        ("a < b", "a < b", a < b),
        ("a > b", "a > b", a > b),
        ("a <= b", "a <= b", a <= b),
        ("a >= b", "a >= b", a >= b),
        ("a && b", "a && b", (a != 0) & (b != 0)),
        ("a || b", "a || b", (a != 0) | (b != 0)),
        ("!a", "!a", a == 0),
    )


def mixed(t, size):
    """Forms with a scalar: that of the first element of a work-item's operand."""
    o = operands(t)
    first = {name: np.repeat(column[::size], size) for name, column in o.items()}
    zero = t.dtype.type(0)
    with np.errstate(all="ignore"):
        for sign, x, y, function in (
            ("+", "p", "q", lambda a, b: a + b),
            ("-", "p", "q", lambda a, b: a - b),
            ("*", "m", "n", lambda a, b: a * b),
        ):
            yield f"a {sign} scalar", f"{x} {sign} {y}[0]", function(o[x], first[y])
            yield f"scalar {sign} a", f"{x}[0] {sign} {y}", function(first[x], o[y])
            yield f"a {sign}= scalar", f"({{ auto x = {x}; x {sign}= {y}[0]; x; }})", function(o[x], first[y])
        if not t.is_float:
            for sign, function in (("&", np.bitwise_and), ("|", np.bitwise_or), ("^", np.bitwise_xor)):
                yield f"a {sign} scalar", f"a {sign} b[0]", function(o["a"], first["b"])
                yield f"scalar {sign} a", f"a[0] {sign} b", function(first["a"], o["b"])
            if not t.is_signed:
                # Of a signed one, the first a and another work-item's d might not go together.
                yield "a / scalar", "a / d[0]", truncated(o["a"], first["d"])[0].astype(t.dtype)
                yield "a % scalar", "a % d[0]", truncated(o["a"], first["d"])[1].astype(t.dtype)
            yield "a >> scalar", "a >> s[0]", o["a"] >> first["s"]
            yield "scalar >> a", "a[0] >> s", first["a"] >> o["s"]
        del zero


def mixed_comparisons(t, size):
    o = operands(t)
    a, b = o["a"], o["b"]
    b0, a0 = np.repeat(b[::size], size), np.repeat(a[::size], size)
    yield from (
        ("a == scalar", "a == b[0]", a == b0),
        ("scalar < a", "a[0] < b", a0 < b),
        ("a >= scalar", "a >= b[0]", a >= b0),
        ("a && scalar", "a && b[0]", (a != 0) & (b0 != 0)),
    )


def kernel(t, shape):
    o = operands(t)
    names = list(o)
    values = list(expressions(t)) + (list(mixed(t, shape.size)) if shape != SCALAR else [])
    flags = list(comparisons(t)) + (list(mixed_comparisons(t, shape.size)) if shape != SCALAR else [])
    flag = t.signed if shape in VECS and not t.is_float else BOOL
    if shape in VECS and t.is_float:
        flag = next(i for i in INTEGERS if i.is_signed and i.bits == t.bits)
    of = shape.of(t)
    code = [f"{of} {n} = get<{of}>(in_{n});" for n in names]
    code += [f"put(out + {i} * count, static_cast<{of}>({code_}));" for i, (_, code_, _) in enumerate(values)]
    code += [f"put(flags + {i} * count, {code_});" for i, (_, code_, _) in enumerate(flags)]
    count = COUNT
    if count % shape.size:
        raise ValueError(shape)
    cases = []
    columns = [o["a"], o["b"]]
    for i, (words, expression, result) in enumerate(values):
        # OpenCL C 3.0, 7.4: quotients of float may be off by 2.5 ulps, those of half by 1.
        loose = {2: 1, 4: 2.5, 8: 0}[t.dtype.itemsize] if t.is_float and words.startswith("a /") else 0
        used = [o[n] for n in names if n in expression and n not in "x"][:3] if "x" not in expression else columns
        check = close(result, loose, used, shape.size) if loose else equal(result, used, shape.size)
        cases.append(Case(title(words, [t], shape), section(i, check, 0, len(values))))
    for i, (words, _, result) in enumerate(flags):
        right = -result.astype(flag.dtype) if flag != BOOL else result
        check = equal(right, columns, shape.size)
        cases.append(Case(title(words, [t], shape), section(i, check, 1, len(flags))))
    items = count // shape.size
    name = identifier(f"operators_{t.short}{shape.short}")
    parameters = ", ".join([f"const {t.name} *in_{n}" for n in names] + [f"{t.name} *out", f"{flag.name} *flags"])
    return Kernel(
        name,
        f"KERNEL(1, {{name}}, {parameters}) {{ constexpr size_t count = {count}; {' '.join(code)} }}",
        [In(o[n]) for n in names] + [Out(t.dtype, count * len(values)), Out(flag.dtype, count * len(flags))],
        (items,),
        (divisor(items, 64, sum(map(ord, name))),),
        cases,
    )


def sources():
    groups = (("floats", FLOATS), ("integers_1", INTEGERS[:4]), ("integers_2", INTEGERS[4:]), ("others", OTHERS))
    for name, types in groups:
        source = Source("operators", f"operators_{name}", is_quick=name == "floats")
        for t in types:
            for shape in SHAPES:
                if t in OTHERS and shape in VECS:
                    continue
                source.kernels.append(kernel(t, shape))
        yield source
