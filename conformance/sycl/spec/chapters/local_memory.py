# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Local accessors, barriers and asynchronous copies (SYCL 2020, 4.7.6.11, 4.9.1.7), in groups of odd sizes.

A kernel compiled from source that uses group_local_memory crashes libsycl 2026.2 in build(), so it is not here.
"""

import numpy as np

from compare import equal
from model import Case, In, Kernel, Local, Out, Source
from scalars import DOUBLE, FLOATS, HALF, INTEGERS, I32, FLOAT, U8, generator, specials

RANGES = [((7,), (7,)), ((64,), (16,)), ((99,), (33,)), ((3,), (1,)), ((122,), (61,))]


def data_of(t, count):
    return np.resize(generator("local", t.name).permutation(specials(t)), count)


def shown(ranges):
    return f"{'x'.join(map(str, ranges[1]))} of {'x'.join(map(str, ranges[0]))}"


def reversal(t, size):
    """Each group turns its part around, through a local_accessor of scalars or vectors."""
    of = t.name if size == 1 else f"vec<{t.name}, {size}>"
    code = (
        f"size_t i = global_id(), l = local_id(), n = this_item().get_local_range(0); tile[l] = get<{of}>(in, i); "
        f"group_barrier(this_group()); {of} x = tile[n - 1 - l]; put(out, x, i);"
    )
    width = t.dtype.itemsize * (4 if size == 3 else size)
    for ranges in RANGES:
        (count,), (each,) = ranges
        data = data_of(t, count * size)
        expected = data.reshape(-1, each, size)[:, ::-1].ravel()
        element, extent = (width, (each,)) if width <= 16 else (16, (each * width // 16,))
        yield Kernel(
            f"reverse_{t.short}_{size}",
            f"KERNEL(1, {{name}}, const {t.name} *in, {t.name} *out, local_accessor<{of}, 1> tile) {{ {code} }}",
            [In(data), Out(t.dtype, count * size), Local(element, extent)],
            *ranges,
            [Case(f"local_accessor<{of.replace('std::', '')}, 1>({shown(ranges)})", equal(expected, [expected]))],
        )


def transposition(t):
    """local_accessors of two and three dimensions, their ranges and sizes."""
    code = (
        "auto it = this_item<2>(); size_t n = it.get_global_range(1), y = it.get_local_id(0), x = it.get_local_id(1), h"
        " = it.get_local_range(0), w = it.get_local_range(1); tile[y][x] = in[it.get_global_linear_id()];"
        " group_barrier(it.get_group()); size_t p = x * h + y; out[it.get_global_linear_id()] = tile[id<2>(p % h, p /"
        " h)]; (void)w; (void)n; if (it.get_global_linear_id() == 0) { sizes[0] = tile.size(); sizes[1] ="
        " tile.byte_size(); sizes[2] = tile.get_range()[0]; sizes[3] = tile.get_range()[1]; sizes[4] = tile.empty();"
        " sizes[5] = tile.max_size() >= tile.size(); }"
    )
    for ranges in (((6, 10), (3, 5)), ((9, 14), (9, 7)), ((4, 32), (2, 16)), ((5, 1), (5, 1))):
        (gh, gw), (h, w) = ranges
        data = data_of(t, gh * gw)
        expected = data.copy()
        for y in range(gh):
            for x in range(gw):
                ly, lx = y % h, x % w
                p = lx * h + ly
                expected[y * gw + x] = data[(y - ly + p % h) * gw + (x - lx) + p // h]
        sizes = np.array([h * w, h * w * t.dtype.itemsize, h, w, 0, 1], np.uint64)
        yield Kernel(
            f"tile_{t.short}",
            f"KERNEL(2, {{name}}, const {t.name} *in, {t.name} *out, size_t *sizes, local_accessor<{t.name}, 2> tile)"
            f" {{ {code} }}",
            [In(data), Out(t.dtype, gh * gw), Out(np.uint64, 6), Local(t.dtype.itemsize, (h, w))],
            *ranges,
            [
                Case(f"local_accessor<{t.name}, 2>({shown(ranges)})", lambda o, e=expected: equal(e, [e])(o[:1])),
                Case(f"local_accessor<{t.name}, 2>: sizes({shown(ranges)})", lambda o, s=sizes: equal(s, [s])(o[1:])),
            ],
        )


def three(t):
    code = (
        "auto it = this_item<3>(); auto l = it.get_local_id(); tile[l] = in[it.get_global_linear_id()];"
        " group_barrier(it.get_group()); auto r = it.get_local_range(); out[it.get_global_linear_id()] = tile[r[0] - 1"
        " - l[0]][r[1] - 1 - l[1]][r[2] - 1 - l[2]];"
    )
    for ranges in (((2, 6, 8), (1, 3, 4)), ((3, 5, 14), (3, 5, 7)), ((4, 4, 4), (2, 2, 2))):
        count, each = (int(np.prod(r)) for r in ranges)
        data = data_of(t, count)
        g = np.unravel_index(np.arange(count), ranges[0])
        source = [i - i % n + n - 1 - i % n for i, n in zip(g, ranges[1])]
        expected = data[np.ravel_multi_index(source, ranges[0])]
        del each
        yield Kernel(
            f"cube_{t.short}",
            f"KERNEL(3, {{name}}, const {t.name} *in, {t.name} *out, local_accessor<{t.name}, 3> tile) {{ {code} }}",
            [In(data), Out(t.dtype, count), Local(t.dtype.itemsize, ranges[1])],
            *ranges,
            [Case(f"local_accessor<{t.name}, 3>({shown(ranges)})", equal(expected, [expected]))],
        )


GLOBAL = "address_space_cast<access::address_space::global_space, access::decorated::yes>"


def copies(t, size):
    """async_work_group_copy both ways, whole and by a stride; the waits of an event, of several, and of nd_item."""
    of = t.name if size == 1 else f"vec<{t.name}, {size}>"
    head = (
        "auto it = this_item(); auto g = it.get_group(); size_t n = it.get_local_range(0), at ="
        f" it.get_group_linear_id() * n; auto from = {GLOBAL}(reinterpret_cast<const {of} *>(in)); auto to ="
        f" {GLOBAL}(reinterpret_cast<{of} *>(out)); auto local = tile.template"
        " get_multi_ptr<access::decorated::yes>(); "
    )
    bodies = {
        "to local and back": (
            "g.wait_for(g.async_work_group_copy(local, from + at, n)); "
            "auto e = g.async_work_group_copy(to + at, local, n); e.wait();"
        ),
        "in two parts": (
            "size_t h = n / 2; auto e = g.async_work_group_copy(local, from + at, h); "
            "auto f = g.async_work_group_copy(local + h, from + at + h, n - h); g.wait_for(e, f); "
            "auto x = g.async_work_group_copy(to + at, local, n); it.wait_for(x);"
        ),
        "every second one to local": (
            "auto e = it.async_work_group_copy(local, from + 2 * at, n, 2); it.wait_for(e); "
            "it.wait_for(it.async_work_group_copy(to + at, local, n));"
        ),
        "local to every second one": (
            "g.wait_for(g.async_work_group_copy(local, from + at, n)); "
            "g.wait_for(g.async_work_group_copy(to + 2 * at, local, n, 2));"
        ),
    }
    if t.bits == 8 and size == 1:
        del bodies["every second one to local"]
    width = t.dtype.itemsize * size
    for k, (words, body) in enumerate(bodies.items()):
        for ranges in RANGES[:4]:
            (count,), (each,) = ranges
            data = data_of(t, 2 * count * size)
            rows = data.reshape(-1, size)
            if "every second one to" in words:
                expected = rows[::2].ravel()
                out = Out(t.dtype, count * size)
            elif "to every second" in words:
                expected = np.frombuffer(b"\xa5" * (2 * count * width), t.dtype).copy().reshape(-1, size)
                expected[::2] = rows[:count]
                expected, out = expected.ravel(), Out(t.dtype, 2 * count * size)
            else:
                expected, out = rows[:count].ravel(), Out(t.dtype, count * size)
            element, extent = (width, (each,)) if width <= 16 else (16, (each * width // 16,))
            yield Kernel(
                f"copy_{k}_{t.short}_{size}",
                f"KERNEL(1, {{name}}, const {t.name} *in, {t.name} *out, local_accessor<{of}, 1> tile) {{"
                f" {head}{body} }}",
                [In(data), out, Local(element, extent)],
                *ranges,
                [
                    Case(
                        f"async_work_group_copy, {words}({of.replace('std::', '')}, {shown(ranges)})",
                        equal(expected, [expected]),
                    )
                ],
            )


def barriers():
    """Values that live across barriers: in loops, under conditions that a group agrees about, and of sub-groups."""
    bodies = {
        "in a loop": (
            (
                "int x = in[i]; for (size_t k = 0; k < n; ++k) { tile[l] = x; group_barrier(g); x = tile[(l + 1) % n];"
                " group_barrier(g); } out[i] = x;"
            ),
            lambda rows: rows,
        ),
        "in nested loops": (
            (
                "int x = in[i]; for (int a = 0; a < 3; ++a) for (int b = 0; b <= a; ++b) { tile[l] = x;"
                " group_barrier(g); x += tile[n - 1 - l]; group_barrier(g); } out[i] = x;"
            ),
            lambda rows: _nested(rows),
        ),
        "under a condition of the group": (
            (
                "int x = in[i]; if (g.get_group_linear_id() % 2) { tile[l] = x; group_barrier(g); x = tile[n - 1 - l];"
                " } out[i] = x;"
            ),
            lambda rows: np.where((np.arange(len(rows)) % 2 == 1)[:, None], rows[:, ::-1], rows),
        ),
        "with a scope": (
            "tile[l] = in[i]; group_barrier(g, memory_scope::device); out[i] = tile[n - 1 - l]; ",
            lambda rows: rows[:, ::-1],
        ),
        "nd_item.barrier": (
            "tile[l] = in[i]; this_item().barrier(access::fence_space::local_space); out[i] = tile[n - 1 - l];",
            lambda rows: rows[:, ::-1],
        ),
        "a tree": (
            (
                "tile[l] = in[i]; for (size_t s = 1; s < n; s *= 2) { group_barrier(g); int add = l >= s ? tile[l - s]"
                " : 0; group_barrier(g); tile[l] += add; } out[i] = tile[l];"
            ),
            lambda rows: np.cumsum(rows, 1),
        ),
        "a different number of rounds for each group": (
            (
                "int x = in[i]; for (size_t k = 0; k <= g.get_group_linear_id(); ++k) { tile[l] = x; group_barrier(g);"
                " x = tile[(l + 1) % n]; group_barrier(g); } out[i] = x;"
            ),
            lambda rows: np.stack([np.roll(r, -(k + 1)) for k, r in enumerate(rows)]),
        ),
    }
    for number, (words, (body, model)) in enumerate(bodies.items()):
        for ranges in (*RANGES, ((2048,), (1024,))):
            (count,), (each,) = ranges
            data = np.arange(count, dtype=np.int32) * 7 + 3
            expected = model(data.reshape(-1, each)).astype(np.int32).ravel()
            yield Kernel(
                f"barrier_{number}",
                "KERNEL(1, {name}, const int *in, int *out, local_accessor<int, 1> tile) { auto g = this_group(); "
                f"size_t i = global_id(), l = local_id(), n = g.get_local_range(0); {body} }}",
                [In(data), Out(np.int32, count), Local(4, (each,))],
                *ranges,
                [Case(f"group_barrier, {words}({shown(ranges)})", equal(expected, [data]))],
            )


def _nested(rows):
    rows = rows.astype(np.int64)
    for a in range(3):
        for _ in range(a + 1):
            rows = rows + rows[:, ::-1]
    return rows


def several():
    """Several local accessors of one kernel, some of them empty, do not overlap."""
    code = (
        "auto g = this_group(); size_t i = global_id(), l = local_id(), n = g.get_local_range(0); a[l] = in[i]; b[l] ="
        " in[i] * 2.0; c[l][0] = in[i] + 1; c[l][1] = in[i] + 2; group_barrier(g); size_t m = n - 1 - l; out[4 * i] ="
        " a[m]; out[4 * i + 1] = b[m]; out[4 * i + 2] = c[m][0]; out[4 * i + 3] = c[m][1];"
    )
    for ranges in RANGES:
        (count,), (each,) = ranges
        data = (np.arange(count) % 100).astype(np.int32)
        rows = data.reshape(-1, each)[:, ::-1].ravel()
        expected = np.stack([rows, rows * 2, rows + 1, rows + 2], 1).astype(np.int32).ravel()
        yield Kernel(
            "several",
            "KERNEL(1, {name}, const int *in, int *out, local_accessor<char, 1> a, local_accessor<double, 1> b,"
            f" local_accessor<short, 2> c) {{ {code} }}",
            [In(data), Out(np.int32, 4 * count), Local(1, (each,)), Local(8, (each,)), Local(2, (each, 2))],
            *ranges,
            [Case(f"several local accessors({shown(ranges)})", equal(expected, [expected]))],
        )


def sources():
    source = Source("local", "local_accessors", is_quick=True)
    for t in (*INTEGERS, *FLOATS):
        source.kernels += reversal(t, 1)
    for t, size in ((FLOAT, 2), (FLOAT, 4), (I32, 3), (HALF, 8), (DOUBLE, 16), (U8, 16)):
        source.kernels += reversal(t, size)
    for t in (I32, HALF, DOUBLE, U8):
        source.kernels += [*transposition(t), *three(t)]
    source.kernels += several()
    yield source
    source = Source("local", "local_copies")
    for t in (*INTEGERS, *FLOATS):
        source.kernels += copies(t, 1)
    for t, size in ((FLOAT, 2), (I32, 4), (DOUBLE, 8), (U8, 16), (HALF, 4)):
        source.kernels += copies(t, size)
    yield source
    yield Source("local", "local_barriers", list(barriers()), is_quick=True)
