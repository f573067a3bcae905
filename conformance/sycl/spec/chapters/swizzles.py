# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements and swizzles of vec, also as lvalues and operands, its constructors, load and store (SYCL 2020, 4.14.2)."""

import numpy as np

from compare import equal, section
from generate import identifier
from model import Case, In, Kernel, Local, Out, Source
from scalars import DOUBLE, FLOAT, FLOATS, HALF, I8, I16, INTEGERS, U64, divisor, generator

COUNT = 480
SIZES = (2, 3, 4, 8, 16)
PARTS = {
    "lo": lambda n: list(range(max(n // 2, 1) if n != 3 else 2)),
    "hi": lambda n: list(range(n // 2, n)) if n != 3 else [2, 3],
    "even": lambda n: list(range(0, n, 2)),
    "odd": lambda n: list(range(1, n, 2)),
}


def element(i, n):
    return "xyzw"[i] if n <= 4 else "s" + "0123456789ABCDEF"[i]


def patterns(n, random):
    """What a kernel does to a vec x of n elements, with y as another: words, code that leaves its result in r, and the
    model, which maps two rows to a row."""
    vec = f"vec<T, {n}>"
    rows = []

    def add(words, code, model):
        if words not in [row[0] for row in rows]:
            rows.append((words, code, model))

    for i in range(n):
        e = element(i, n)
        add(f"x.{e}()", f"vec<T, 1> r(x.{e}());", lambda x, y, i=i: [x[i]])
        add(f"x.{e}() = y.x", f"auto r = x; r.{e}() = y[0];", lambda x, y, i=i: [*x[:i], y[0], *x[i + 1 :]])
        add(f"x[{i}]", f"auto r = x; r[{i}] = y[{n - 1 - i}];", lambda x, y, i=i: [*x[:i], y[n - 1 - i], *x[i + 1 :]])
    for name, indices in PARTS.items():
        if n == 3:
            continue  # half of three elements is two, of which one is undefined
        at = indices(n)
        m = len(at)
        kind = f"vec<T, {m}>"
        add(f"x.{name}()", f"{kind} r = x.{name}();", lambda x, y, at=at: [x[i] for i in at])

        def assign(x, y, at=at):
            r = list(x)
            for k, i in enumerate(at):
                r[i] = y[at[k]]
            return r

        add(f"x.{name}() = y.{name}()", f"auto r = x; r.{name}() = y.{name}();", assign)
    for k in range(6):
        m = int(random.choice([s for s in SIZES if s <= max(n, 4)]))
        at = random.integers(0, n, m).tolist()
        listed = ", ".join(map(str, at))
        add(
            f"swizzle<{listed}>",
            f"vec<T, {m}> r = x.template swizzle<{listed}>();",
            lambda x, y, at=at: [x[i] for i in at],
        )
        distinct = random.permutation(n)[: min(m, n)].tolist()
        if len(distinct) in SIZES:
            names = ", ".join(map(str, distinct))
            d = len(distinct)

            def assign(x, y, at=distinct):
                r = list(x)
                for j, i in enumerate(at):
                    r[i] = y[j]
                return r

            first = ", ".join(map(str, range(d)))
            add(
                f"swizzle<{names}> = y",
                f"auto r = x; r.template swizzle<{names}>() = vec<T, {d}>(y.template swizzle<{first}>());",
                assign,
            )
            add(
                f"swizzle<{names}> = swizzle of y",
                f"auto r = x; r.template swizzle<{names}>() = y.template swizzle<{first}>();",
                assign,
            )
            add(
                f"swizzle<{names}> = scalar",
                f"auto r = x; r.template swizzle<{names}>() = y[0];",
                lambda x, y, at=distinct: [y[0] if i in at else v for i, v in enumerate(x)],
            )
            add(
                f"swizzle<{names}> + y",
                f"vec<T, {d}> r = x.template swizzle<{names}>() + y.template swizzle<{first}>();",
                lambda x, y, at=distinct: [x[i] + y[j] for j, i in enumerate(at)],
            )
            add(
                f"swizzle<{names}> += y",
                f"auto r = x; r.template swizzle<{names}>() += vec<T, {d}>(y.template swizzle<{first}>());",
                lambda x, y, at=distinct: [v + y[at.index(i)] if i in at else v for i, v in enumerate(x)],
            )
            add(
                f"2 + swizzle<{names}>",
                f"vec<T, {d}> r = T(2) + x.template swizzle<{names}>();",
                lambda x, y, at=distinct: [x[i] + 2 for i in at],
            )
            back = ", ".join(str(d - 1 - j) for j in range(d))
            add(
                f"swizzle<{names}>.swizzle<{back}>",
                f"vec<T, {d}> r = x.template swizzle<{names}>().template swizzle<{back}>();",
                lambda x, y, at=distinct: [x[i] for i in reversed(at)],
            )
    if n <= 4:
        letters = "xyzw"[:n]
        for m in (2, 3, 4):
            for _ in range(4):
                at = random.integers(0, n, m).tolist()
                name = "".join(letters[i] for i in at)
                add(f"x.{name}()", f"vec<T, {m}> r = x.{name}();", lambda x, y, at=at: [x[i] for i in at])
    if n == 4:
        for name, at in (("rgba", [0, 1, 2, 3]), ("abgr", [3, 2, 1, 0]), ("bgr", [2, 1, 0]), ("gg", [1, 1])):
            add(f"x.{name}()", f"vec<T, {len(at)}> r = x.{name}();", lambda x, y, at=at: [x[i] for i in at])

        def wyx(x, y):
            return [y[2], y[1], x[2], y[0]]

        add("x.wyx() = y.xyz()", "auto r = x; r.wyx() = y.xyz();", wyx)
        add("vec(x.xy(), y.zw())", "vec<T, 4> r(x.xy(), y.zw());", lambda x, y: [x[0], x[1], y[2], y[3]])
        add("vec(x, y.xyz())", "vec<T, 4> r(x[0], y.xyz());", lambda x, y: [x[0], *y[:3]])
        add("vec of vec2, scalar, scalar", "vec<T, 4> r(x.lo(), y[0], x[3]);", lambda x, y: [x[0], x[1], y[0], x[3]])
    if n == 16:
        add(
            "vec of vec8, vec4, vec3, scalar",
            "vec<T, 16> r(x.lo(), y.lo().hi(), y.template swizzle<1, 2, 3>(), x[15]);",
            lambda x, y: [*x[:8], *y[4:8], *y[1:4], x[15]],
        )
        add("x.odd().even().hi()", "vec<T, 2> r = x.odd().even().hi();", lambda x, y: [x[9], x[13]])
        add("x.hi().lo().odd() = y.s01", "auto r = x; r.hi() = vec<T, 8>(y.lo());", lambda x, y: [*x[:8], *y[:8]])
    add("vec(scalar)", f"{vec} r(y[0]);", lambda x, y: [y[0]] * n)
    add("= scalar", f"{vec} r; r = x[{n - 1}];", lambda x, y: [x[-1]] * n)
    add(
        "size and byte_size",
        f"vec<T, 2> r(T({vec}::size()), T(x.byte_size() / sizeof(T)));",
        lambda x, y: [n, 4 if n == 3 else n],
    )
    add(
        "a variable index",
        "auto r = x; for (int i = 0; i < %d; ++i) r[i] = y[(i * 3 + int(global_id())) %% %d];" % (n, n),
        None,
    )
    return rows


TOGETHER = 12  # patterns of a kernel: one with all of them takes compilers long


def vectors(t, n):
    rows = patterns(n, generator("patterns", n))
    for first in range(0, len(rows), TOGETHER):
        yield vector(t, n, rows[first : first + TOGETHER], first // TOGETHER)


def vector(t, n, rows, part):
    random = generator("swizzles", t.name, n)
    x = random.integers(1, 30, COUNT).astype(t.dtype)
    y = random.integers(31, 60, COUNT).astype(t.dtype)
    of = f"vec<{t.name}, {n}>"
    code, cases = [], []
    xs, ys = x.reshape(-1, n), y.reshape(-1, n)
    items, offset = COUNT // n, 0
    for words, body, model in rows:
        if model is None:
            at = (np.arange(n)[None, :] * 3 + np.arange(items)[:, None]) % n
            right = np.take_along_axis(ys, at, 1)
        else:
            right = np.array([model(a.tolist(), b.tolist()) for a, b in zip(xs, ys)]).astype(t.dtype)
        m = right.shape[1]
        code.append(f"{{ {body} for (int k = 0; k < {m}; ++k) out[{offset} + i * {m} + k] = r[k]; }}")
        check = equal(right.ravel(), [], m)
        cases.append(
            Case(
                f"{words} ({of.replace('std::', '')})",
                (lambda a, b, c: lambda outputs: c([outputs[0][a:b]]))(offset, offset + right.size, check),
            )
        )
        offset += right.size
    name = identifier(f"swizzles_{t.short}_{n}_{part}")
    return Kernel(
        name,
        f"KERNEL(1, {{name}}, const {t.name} *in_x, const {t.name} *in_y, {t.name} *out) {{ using T = {t.name}; size_t"
        f" i = global_id(); auto x = get<{of}>(in_x); auto y = get<{of}>(in_y); {' '.join(code)} }}",
        [In(x), In(y), Out(t.dtype, offset)],
        (items,),
        (divisor(items, 64, sum(map(ord, name))),),
        cases,
    )


def memory(t, n):
    """load and store: from global memory by pointers of both kinds, by way of local and private memory."""
    random = generator("load", t.name, n)
    x = random.integers(1, 100, COUNT).astype(t.dtype)
    items = COUNT // n
    of = f"vec<T, {n}>"
    group = divisor(items, 60, n)
    code = (
        f"using T = {t.name}; size_t i = global_id(); {of} v, w; constexpr size_t count = {COUNT}; auto from ="
        " address_space_cast<access::address_space::global_space, access::decorated::yes>(in); auto to ="
        " address_space_cast<access::address_space::global_space, access::decorated::no>(out); v.load(i, from);"
        f" v.store(i, to); v.load(i, in); v.store({items} + i, out); T mine[{n}]; v.store(0, mine); w.load(0, mine);"
        f" w.store(2 * {items} + i, out); auto local = tile.template get_multi_ptr<access::decorated::yes>();"
        " v.store(local_id(), local); group_barrier(this_group()); w.load(this_item().get_local_range(0) - 1 -"
        f" local_id(), local); w.store(3 * {items} + i, out);"
    )
    rows = x.reshape(-1, group, n)
    backwards = rows[:, ::-1].ravel()
    short = f"vec<{t.name.replace('std::', '')}, {n}>"
    cases = [
        Case(f"load and store, {words} ({short})", section(k, equal(right, [right], n), 0, 4))
        for k, (words, right) in enumerate(
            (("multi_ptr", x), ("a pointer", x), ("private memory", x), ("local memory", backwards))
        )
    ]
    name = identifier(f"load_{t.short}_{n}")
    return Kernel(
        name,
        f"KERNEL(1, {{name}}, const {t.name} *in, {t.name} *out, local_accessor<{t.name}, 1> tile) {{ {code} }}",
        [In(x), Out(t.dtype, 4 * COUNT), Local(t.dtype.itemsize, (group * n,))],
        (items,),
        (group,),
        cases,
    )


def aligned(t, n):
    """Arrays of vec and marray in memory: a vec of three has the room of four, an marray does not."""
    random = generator("aligned", t.name, n)
    room = 4 if n == 3 else n
    data = random.integers(1, 100, 120 * room).astype(t.dtype)
    expected = data.reshape(-1, room)[::-1].copy()
    if n == 3:
        # The fourth element may be anything.
        open_ = np.zeros(expected.shape, bool)
        open_[:, 3] = True
    else:
        open_ = np.zeros(expected.shape, bool)
    short = t.name.replace("std::", "")
    name = identifier(f"aligned_{t.short}_{n}")
    yield Kernel(
        name,
        f"KERNEL(1, {{name}}, const {t.name} *in, {t.name} *out) {{ auto *a = reinterpret_cast<const vec<{t.name}, {n}>"
        f" *>(in); auto *b = reinterpret_cast<vec<{t.name}, {n}> *>(out); b[119 - global_id()] = a[global_id()]; }}",
        [In(data), Out(t.dtype, data.size)],
        (120,),
        (24,),
        [Case(f"array of vec<{short}, {n}>", equal(expected.ravel(), [], room, open_.ravel()))],
        False,
    )
    data = data[: 120 * n]
    right = data.reshape(-1, n)[::-1].ravel()
    yield Kernel(
        "m" + name,
        f"KERNEL(1, {{name}}, const {t.name} *in, {t.name} *out) {{ auto *a = reinterpret_cast<const marray<{t.name},"
        f" {n}> *>(in); auto *b = reinterpret_cast<marray<{t.name}, {n}> *>(out); b[119 - global_id()] ="
        " a[global_id()]; }",
        [In(data), Out(t.dtype, data.size)],
        (120,),
        (24,),
        [Case(f"array of marray<{short}, {n}>", equal(right, [], n))],
    )


def sources():
    for t, quick in ((I8, False), (I16, False), (FLOAT, True), (DOUBLE, False), (HALF, False), (U64, False)):
        yield Source(
            "swizzles",
            f"swizzles_{t.short}",
            [k for n in SIZES for k in vectors(t, n)],
            is_quick=quick,
            defines="SYCL_SIMPLE_SWIZZLES",
        )
    source = Source("swizzles", "swizzles_memory", is_quick=True)
    for t in (*INTEGERS, *FLOATS):
        for n in SIZES:
            source.kernels += [memory(t, n), *aligned(t, n)]
    yield source
