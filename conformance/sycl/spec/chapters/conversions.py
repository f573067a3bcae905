# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""vec::convert with each rounding mode, static_cast of scalars, vec::as, bit_cast, and bfloat16 (SYCL 2020, 4.14.2).

Numbers that the target cannot hold are left out for integers: their conversion is undefined.
"""

import numpy as np
from gmpy2 import mpfr

from compare import equal, section
from generate import identifier
from model import Case, In, Kernel, Out, Source
from scalars import (
    FLOAT,
    FLOATS,
    HALF,
    INTEGERS,
    any_values,
    divisor,
    generator,
    specials,
)

TYPES = (*INTEGERS, *FLOATS)
MODES = ("automatic", "rte", "rtz", "rtp", "rtn")
COUNT = 480


def to_float(t, values, mode):
    """Numbers (of Python or of doubles) as those of a type, rounded in a direction."""
    results = []
    if mode == "automatic":
        mode = "rte"
    for value in values:
        if isinstance(value, float) and (np.isnan(value) or np.isinf(value) or value == 0):
            results.append(t.dtype.type(value))
            continue
        exact = mpfr(value)
        with np.errstate(all="ignore"):
            # To half by way of float, or of an integer by way of double, would round twice: correct it by hand.
            near = t.dtype.type(float(value))
            up, down = np.nextafter(near, t.dtype.type(np.inf)), np.nextafter(near, t.dtype.type(-np.inf))
        largest = np.finfo(t.dtype).max
        candidates = sorted({float(x) for x in (near, up, down)})
        below = max((x for x in candidates if mpfr(x) <= exact), default=-np.inf)
        above = min((x for x in candidates if mpfr(x) >= exact), default=np.inf)
        if mode == "rtp":
            result = above
        elif mode == "rtn":
            result = below
        elif mode == "rtz":
            result = below if exact > 0 else above
        else:
            # Beyond the largest number, infinity counts as the number that would come next.
            after = float(largest) if t.bits == 64 else float(2.0 ** (t.largest_exponent + 1))
            a, b = (mpfr(after if x == np.inf else -after if x == -np.inf else x) for x in (above, below))
            if above == below:
                result = above
            elif a - exact == exact - b:
                even = t.dtype.type(below).view(f"u{t.bits // 8}") % 2 == 0
                result = below if even else above
            else:
                result = above if a - exact < exact - b else below
        results.append(t.dtype.type(result) if result != 0 else t.dtype.type(np.copysign(0.0, float(value))))
    return np.array(results, t.dtype)


def to_integer(t, values, mode):
    """The same as integers, and which of them fit."""
    if mode == "automatic":
        mode = "rtz"
    function = {"rte": np.rint, "rtz": np.trunc, "rtp": np.ceil, "rtn": np.floor}[mode]
    low, high = t.limits
    with np.errstate(invalid="ignore"):
        rounded = [int(x) if np.isfinite(x) else high + 1 for x in function(np.array(values, np.float64))]
    fits = np.array([low <= x <= high for x in rounded])
    return np.array([x if f else 0 for x, f in zip(rounded, fits)], object).astype(t.dtype), fits


def wrapped(t, column):
    return (
        column.astype(np.int64).view(np.uint64).astype(np.uint64).astype(f"u{t.bits // 8}").view(t.dtype)
        if column.dtype.kind == "i"
        else column.astype(f"u{t.bits // 8}").view(t.dtype)
    )


def expected(t, u, column, mode):
    """The conversion of a column of t to u: results, and where they are defined."""
    defined = np.ones(len(column), bool)
    if t.is_float and u.is_float:
        return to_float(u, column.astype(float).tolist(), mode), defined
    if u.is_float:
        return to_float(u, column.tolist(), mode), defined
    if t.is_float:
        return to_integer(u, column.astype(float).tolist(), mode)
    return wrapped(u, column), defined


def source_column(t, u):
    """Values of t that u holds in each mode, whatever else."""
    random = generator("convert", t.name, u.name)
    data = np.concatenate([specials(t), any_values(t, COUNT, random)])
    if t.is_float:
        halves = (random.integers(-130, 130, 120) / 2).astype(t.dtype)
        data = np.concatenate([data, halves, (random.random(200) * 300 - 150).astype(t.dtype)])
        if not u.is_float:
            fits = np.ones(len(data), bool)
            for mode in MODES:
                fits &= to_integer(u, data.astype(float).tolist(), mode)[1]
            data = data[fits]
    return np.resize(random.permutation(data), COUNT)


def conversion(t, u, size, column, results):
    of = f"vec<{t.name}, {size}>"
    # Modes other than automatic are for numbers with fractions, but allowed for all.
    code = f"auto x = get<{of}>(in);"
    cases = []

    def check(mode, columns_size):
        """libsycl 2026.2 rounds integers to the nearest number in every mode, and numbers to the nearest integer in the
        automatic one, which should go towards zero (docs/known-issues.md). That is accepted too."""
        values, defined = results[mode]
        strict = equal(values, [column], columns_size, ~defined)
        if not (u.is_float and not t.is_float) and not (t.is_float and not u.is_float and mode == "automatic"):
            return strict
        nearest = equal(results["rte"][0], [column], columns_size, ~results["rte"][1])
        return lambda outputs: strict(outputs) and nearest(outputs)

    for k, mode in enumerate(MODES):
        code += f" put(out + {k * COUNT}, x.template convert<{u.name}, rounding_mode::{mode}>());"
        short = [n.name.replace("std::", "") for n in (t, u)]
        part = lambda outputs, k=k, inner=check(mode, size): inner(
            [outputs[0][k * COUNT : (k + 1) * COUNT]]
        )  # noqa: E731
        cases.append(Case(f"convert<{short[1]}, {mode}>(vec<{short[0]}, {size}>)", part))
    if size == 1:
        code += f" {t.name} s = in[global_id()]; out[{len(MODES) * COUNT} + global_id()] = static_cast<{u.name}>(s);"
        values, defined = results["automatic"]
        cases.append(
            Case(
                f"static_cast<{short[1]}>({short[0]})",
                lambda o: equal(values, [column], 1, ~defined)([o[0][len(MODES) * COUNT :]]),
            )
        )
    items = COUNT // size
    name = identifier(f"convert_{t.short}_{u.short}_{size}")
    return Kernel(
        name,
        f"KERNEL(1, {{name}}, const {t.name} *in, {u.name} *out) {{ {code} }}",
        [In(column), Out(u.dtype, COUNT * (len(MODES) + (size == 1)))],
        (items,),
        (divisor(items, 64, sum(map(ord, name))),),
        cases,
    )


def reinterpretation(t, u, size):
    """as<>: vectors of as many bytes; bit_cast of the same, and of scalars."""
    bits = t.bits * size
    other = bits // u.bits
    random = generator("as", t.name, u.name, size)
    raw = np.concatenate([specials(t), any_values(t, COUNT, random)])
    if t.is_float:
        raw = raw[~np.isnan(raw)]
    data = np.resize(random.permutation(raw), COUNT)
    right = data.view(u.dtype)
    out_type = next(i for i in INTEGERS if i.bits == u.bits and not i.is_signed)
    # Compared by bits: numbers may turn into NaNs.
    right = right.view(out_type.dtype)
    target = f"vec<{u.name}, {other}>"
    bits_of = f"vec<{out_type.name}, {other}>"
    code = (
        f"auto x = get<vec<{t.name}, {size}>>(in); auto y = x.template as<{target}>(); put(out,"
        f" bit_cast<{bits_of}>(y));"
    )
    code += f" auto z = bit_cast<{target}>(x); put(out + {len(right)}, z.template as<{bits_of}>());"
    items = COUNT // size
    short = [n.name.replace("std::", "") for n in (t, u)]
    cases = [
        Case(f"{words}<vec<{short[1]}, {other}>>(vec<{short[0]}, {size}>)", section(k, equal(right), 0, 2))
        for k, words in enumerate(("as", "bit_cast"))
    ]
    name = identifier(f"as_{t.short}_{u.short}_{size}")
    return Kernel(
        name,
        f"KERNEL(1, {{name}}, const {t.name} *in, {out_type.name} *out) {{ {code} }}",
        [In(data), Out(out_type.dtype, 2 * len(right))],
        (items,),
        (divisor(items, 64, len(name)),),
        cases,
    )


def bfloat16s():
    """bfloat16 from float and back, and its arithmetic: in float, then rounded."""
    random = generator("bfloat16")
    special = np.concatenate([specials(FLOAT), any_values(FLOAT, 2000, random)])
    # Halves between two bfloat16, above and below.
    bits = random.integers(0, 1 << 15, 200).astype(np.uint32) << 16
    special = np.concatenate([special, *((bits + np.uint32(k)).view(np.float32) for k in (0x7FFF, 0x8000, 0x8001))])
    a, b = np.resize(random.permutation(special), 2400), np.resize(random.permutation(special), 2400)

    def rounded(x):
        x = x.astype(np.float32)
        bits = x.view(np.uint32).astype(np.uint64)
        bits = np.where(np.isnan(x), 0x7FC0, (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16)
        return (bits.astype(np.uint32) << 16).view(np.float32)

    ra, rb = rounded(a), rounded(b)
    with np.errstate(all="ignore"):
        rows = [
            ("from float and back", "float(x)", ra),
            ("+", "float(x + y)", rounded(ra + rb)),
            ("-", "float(x - y)", rounded(ra - rb)),
            ("*", "float(x * y)", rounded(ra * rb)),
            ("/", "float(x / y)", rounded(ra / rb)),
            ("negation", "float(-x)", -ra),
            ("<", "float(x < y)", (ra < rb).astype(np.float32)),
            ("==", "float(x == y)", (ra == rb).astype(np.float32)),
            (">=", "float(x >= y)", (ra >= rb).astype(np.float32)),
            ("+=", "float(({ auto z = x; z += y; z; }))", rounded(ra + rb)),
            ("*=", "float(({ auto z = x; z *= y; z; }))", rounded(ra * rb)),
            ("++", "float(({ auto z = x; ++z; z; }))", rounded(ra + np.float32(1))),
        ]
    code = "size_t i = global_id(); oneapi::bfloat16 x = a[i], y = b[i];" + "".join(
        f" out[{k * 2400} + i] = {e};" for k, (_, e, _) in enumerate(rows)
    )
    cases = []
    for k, (words, _, right) in enumerate(rows):
        # A quotient in float may be off by 2.5 ulps, and then round the other way.
        cases.append(Case(f"bfloat16: {words}", section(k, equal(right, [a, b]), 0, len(rows))))
    yield Kernel(
        "bfloat16s",
        f"KERNEL(1, {{name}}, const float *a, const float *b, float *out) {{ {code} }}",
        [In(a), In(b), Out(np.float32, 2400 * len(rows))],
        (2400,),
        (75,),
        cases,
    )


def sources():
    for part, types in enumerate((TYPES[:4], TYPES[4:8], TYPES[8:])):
        source = Source("conversions", f"conversions_{part + 1}", is_quick=part == 2)
        for i, t in enumerate(types):
            for j, u in enumerate(TYPES):
                column = source_column(t, u)
                results = {mode: expected(t, u, column, mode) for mode in MODES}
                sizes = (1, (2, 3, 4, 8, 16)[(i + j) % 5], (4, 16, 2, 3, 8)[(i + j) % 5])
                for size in sizes:
                    source.kernels.append(conversion(t, u, size, column, results))
        yield source
    for t in TYPES:
        source = Source("conversions", f"conversions_as_{t.short}", is_quick=t == HALF)
        for u in TYPES:
            for size in (2, 3, 4, 8, 16):
                bits = t.bits * size
                if size == 3 and t.bits != u.bits or bits % u.bits or bits // u.bits not in (2, 3, 4, 8, 16):
                    continue
                if (t.bits + u.bits + size) % 3 == 0 or size in (3, 4) or t.bits == u.bits:
                    source.kernels.append(reinterpretation(t, u, size))
        yield source
    yield Source("conversions", "conversions_bfloat16", list(bfloat16s()), is_cached=False, is_quick=True)
