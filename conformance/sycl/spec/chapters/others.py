# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pointers of address spaces, functions of swizzles, vectors of bool, streams and printf (SYCL 2020, 4.7.7, 4.14.2,
4.16)."""

import re

import numpy as np

from compare import equal, section
from model import Case, In, InOut, Kernel, Local, Out, Source, Stream
from scalars import FLOAT, I32, generator

N = 96


def table(name, head, rows, columns, t, parameters="", arguments=(), group=12):
    """A kernel with a row of results for each expression, which is of a scalar."""
    code = " ".join(f"out[{k * N} + i] = {expression};" for k, (_, expression, _) in enumerate(rows))
    cases = [
        Case(words, section(k, equal(np.broadcast_to(right, N).astype(t.dtype), columns), 0, len(rows)))
        for k, (words, _, right) in enumerate(rows)
    ]
    inputs = ", ".join(f"const {t.name} *in_{'xyz'[k]}" for k in range(len(columns)))
    return Kernel(
        name,
        f"KERNEL(1, {{name}}, {inputs}, {t.name} *out{parameters}) {{ size_t i = global_id(), l = local_id(); (void)l;"
        f" {head} {code} }}",
        [In(c) for c in columns] + [Out(t.dtype, N * len(rows)), *arguments],
        (N,),
        (group,),
        cases,
    )


SPACES = ("global_space", "local_space", "private_space")


def pointers():
    """multi_ptr of each space, decorated or not, and casts between spaces."""
    x = np.arange(N, dtype=np.int32) * 3 + 1
    for space in SPACES:
        for decorated in ("yes", "no"):
            of = f"multi_ptr<int, access::address_space::{space}, access::decorated::{decorated}>"
            place = {"global_space": "const_cast<int *>(in_x)", "local_space": "&tile[0]", "private_space": "mine"}[
                space
            ]
            fill = {
                "global_space": "",
                "private_space": f"for (int k = 0; k < {N}; ++k) mine[k] = in_x[k];",
                "local_space": f"for (size_t k = l; k < {N}; k += 12) tile[k] = in_x[k]; group_barrier(this_group());",
            }[space]
            head = (
                f"int mine[{N}]; (void)mine; {fill} auto p = address_space_cast<access::address_space::{space},"
                f" access::decorated::{decorated}>({place}); static_assert(std::is_same_v<decltype(p), {of}>);"
                f" multi_ptr<const int, access::address_space::{space}, access::decorated::{decorated}> c = p; auto"
                " as_generic = [](auto q) { return address_space_cast<access::address_space::generic_space,"
                f" access::decorated::{decorated}>(q.get_raw()); }};"
            )
            generic = f"multi_ptr<int, access::address_space::generic_space, access::decorated::{decorated}>"
            words = f"multi_ptr<{space}, {decorated}>"
            last = np.full(N, x[-1])
            rows = [
                (f"{words}: *(p + n)", "*(p + i)", x),
                (f"{words}: p[n]", "p[i]", x),
                (f"{words}: const", "c[i]", x),
                (f"{words}: *(p + n - m)", f"*(p + {N} - (i + 1))", x[::-1]),
                (f"{words}: p++ and ++p", "({ auto q = p; q++; ++q; *q; })", x[2]),
                (f"{words}: p-- and --p", f"({{ auto q = p + {N - 1}; q--; --q; *q; }})", x[-3]),
                (f"{words}: p += n", "({ auto q = p; q += i; *q; })", x),
                (f"{words}: p -= n", f"({{ auto q = p + {N - 1}; q -= i; *q; }})", x[::-1]),
                (f"{words}: get_raw", "p.get_raw()[i]", x),
                (f"{words}: get", "p.get()[i]", x),
                (f"{words}: difference", "int((p + i).get_raw() - p.get_raw())", np.arange(N)),
                (
                    f"{words}: comparisons",
                    (
                        "int(p < p + 1) + 2 * int(p + i == p + i) + 4 * int(p != p + 1) + 8 * int(p + 1 >= p) + 16 *"
                        " int(p > p + 1)"
                    ),
                    15,
                ),
                (
                    f"{words}: nullptr",
                    f"int({of}(nullptr) == nullptr) + 2 * int(p == nullptr) + 4 * int(bool(p != nullptr))",
                    5,
                ),
                (f"{words}: to generic and back", f"static_cast<{of}>(as_generic(p))[i]", x),
                (f"{words}: generic", f"({{ {generic} g = as_generic(p); *(g + {N - 1}); }})", last),
            ]
            yield table(
                f"pointers_{space}_{decorated}", head, rows, [x], I32, ", local_accessor<int, 1> tile", [Local(4, (N,))]
            )
    # A pointer of a generic type knows its space at run time.
    head = (
        "int mine[1] = {7}; tile[l] = 1; group_barrier(this_group()); int *all[] = {const_cast<int *>(in_x),"
        " &tile[0], mine}; int *p = all[i % 3];"
    )
    which = np.arange(N) % 3
    rows = []
    for k, space in enumerate(SPACES):
        rows.append(
            (
                f"a generic pointer to {space}",
                (
                    f"i % 3 == {k} ? (address_space_cast<access::address_space::{space},"
                    " access::decorated::no>(p).get_raw() == p) : 1"
                ),
                1,
            )
        )
    rows.append(
        ("a generic pointer reads what it points to", "*p", np.where(which == 0, x[0], np.where(which == 1, 1, 7)))
    )
    yield table("pointers_generic", head, rows, [x], I32, ", local_accessor<int, 1> tile", [Local(4, (12,))])


def of_swizzles():
    """Functions that take swizzles, or one and a vec."""
    random = generator("functions of swizzles")
    x, y = (random.integers(1, 9, N).astype(np.float32) for _ in range(2))
    head = (
        "vec<float, 4> a(in_x[i], 2, 3, 4), b(in_y[i], 5, 6, 7); vec<int, 4> m(int(in_x[i]), 2, 3, 4), n(int(in_y[i]),"
        " 5, 6, 7);"
    )
    f32 = np.float32
    rows = [
        ("max(swizzle, swizzle)", "float(sycl::max(a.swizzle<0, 1>(), b.swizzle<0, 2>())[0])", np.maximum(x, y)),
        (
            "min(swizzle, vec)",
            "float(sycl::min(a.swizzle<1, 0>(), vec<float, 2>(b.swizzle<3, 0>()))[1])",
            np.minimum(x, y),
        ),
        ("dot(swizzle, swizzle)", "sycl::dot(a.swizzle<0, 1>(), b.swizzle<0, 1>())", x * y + f32(10)),
        ("length(swizzle)", "sycl::length(a.swizzle<2, 3>())", f32(5)),
        ("fma(swizzle, swizzle, swizzle)", "float(sycl::fma(a.lo(), b.lo(), a.hi())[0])", x * y + f32(3)),
        ("clamp(swizzle, scalar, scalar)", "float(sycl::clamp(a.lo(), 3.0f, 5.0f)[0])", np.clip(x, 3, 5)),
        (
            "select(swizzle, swizzle, vec)",
            "float(sycl::select(a.lo(), b.lo(), vec<int, 2>(in_x[i] > 4 ? -1 : 0, 0))[0])",
            np.where(x > 4, y, x),
        ),
        ("abs_diff(swizzle, swizzle)", "float(sycl::abs_diff(m.lo(), n.lo())[0])", np.abs(x - y)),
        ("mad24(swizzle, swizzle, swizzle)", "float(sycl::mad24(m.lo(), n.lo(), m.hi())[0])", x * y + f32(3)),
        ("isgreater(swizzle, swizzle)", "float(sycl::isgreater(a.lo(), b.lo())[0])", np.where(x > y, f32(-1), f32(0))),
        ("convert of a swizzle", "float(a.lo().convert<int>()[0])", x),
        ("as of a swizzle", "float(a.lo().as<vec<int, 2>>().as<vec<float, 2>>()[0])", x),
        ("a swizzle as a condition", "float((a.lo() < b.lo())[0] != 0)", (x < y).astype(f32)),
        ("++ of a swizzle", "({ auto c = a; ++c.swizzle<0, 1>(); c[0]; })", x + f32(1)),
        (
            "the sum of an element's references",
            "({ auto c = a; c.x() += c.y(); c.x() *= 2; c[0]; })",
            (x + f32(2)) * f32(2),
        ),
    ]
    yield table("of_swizzles", head, rows, [x, y], FLOAT)


def bools():
    """vec and marray of bool."""
    x = generator("bools").integers(0, 2, N).astype(np.int32)
    y = generator("other bools").integers(0, 2, N).astype(np.int32)
    head = (
        "vec<bool, 4> a(in_x[i], true, false, in_y[i]), b(in_y[i], false, true, true); marray<bool, 3> p(in_x[i], true,"
        " false), q(in_y[i], false, true);"
    )
    rows = [
        ("vec<bool>: element", "a[0] + 2 * a[1] + 4 * a[2] + 8 * a[3]", x + 2 + 8 * y),
        ("vec<bool>: swizzle", "int(a.swizzle<3, 0>()[0])", y),
        ("vec<bool>: convert", "a.convert<int>()[0]", x),
        ("vec<bool>: &&", "int((a && b)[0] != 0)", x & y),
        ("vec<bool>: ||", "int((a || b)[0] != 0)", x | y),
        ("vec<bool>: ==", "int((a == b)[0] != 0)", x == y),
        ("vec<bool>: !", "int((!a)[0] != 0)", 1 - x),
        ("marray<bool>: element", "p[0] + 2 * p[1] + 4 * p[2]", x + 2),
        ("marray<bool>: &&", "int((p && q)[0])", x & y),
        ("marray<bool>: ||", "int((p || q)[0])", x | y),
        ("marray<bool>: ==", "int((p == q)[0])", x == y),
        ("marray<bool>: !", "int((!p)[0])", 1 - x),
        ("marray<bool>: any and all", "int(sycl::any(p)) + 2 * int(sycl::all(p))", 1),
    ]
    yield table("bools", head, rows, [x, y], I32)


def undefined_free():
    """Edges of C++'s integers at run time: promotions, divisions, shifts, comparisons of signed and unsigned,
    conversions to bool, and bit fields."""
    x = np.array([-128, -127, -1, 0, 1, 7, 127, 100] * 12, np.int32)
    y = np.array([-7, 7, -128, 127, -1, 1, 3, -3] * 12, np.int32)
    u8, i8 = np.uint8, np.int8
    head = (
        "std::int8_t a = in_x[i], b = in_y[i]; std::uint8_t c = in_x[i], d = in_y[i]; short s = in_x[i] * 256; long w ="
        " in_x[i]; struct { int f : 5; unsigned g : 3; } bits{in_x[i] & 15, unsigned(in_x[i]) & 7u};"
    )
    with np.errstate(all="ignore"):
        a, b, c, d = x.astype(i8), y.astype(i8), x.astype(u8), y.astype(u8)
        quotient = np.array([abs(int(p)) // abs(int(q)) * (1 if (p < 0) == (q < 0) else -1) for p, q in zip(x, y)])
        rows = [
            ("int8_t / int8_t is of int", "a / b", quotient),
            ("int8_t % int8_t is of int", "a % b", x - quotient * y),
            ("uint8_t - uint8_t is of int", "c - d", c.astype(int) - d.astype(int)),
            ("~uint8_t is of int", "~c", ~c.astype(np.int32)),
            ("int8_t * int8_t is of int", "a * b", x * y),
            ("uint8_t << 8", "c << 8", c.astype(int) << 8),
            ("int8_t >> 1", "a >> 1", x >> 1),
            ("unsigned(int8_t) >> 28", "int(unsigned(a) >> 28)", x.astype(np.uint32) >> 28),
            ("int8_t to int8_t by a wider sum", "std::int8_t(a + b)", (x + y).astype(i8)),
            ("uint8_t to int8_t", "std::int8_t(c)", a),
            ("short / -1 of int", "s / -1", -(x * 256).astype(np.int16).astype(int)),
            ("signed < unsigned", "int(in_x[i] < 5u)", x.astype(np.uint32) < 5),
            ("bool of an integer", "int(bool(in_x[i]))", x != 0),
            ("long to int", "int(w * 4294967297l)", x),
            ("a bit field", "bits.f + 100 * int(bits.g)", np.where(x & 15 > 15, 0, x & 15) + 100 * (x & 7)),
            ("int8_t ? :", "a ? b : a", np.where(x != 0, y, x)),
            ("uint8_t wraps at 256", "std::uint8_t(c + d)", (c + d).astype(u8)),
            ("int8_t == uint8_t", "int(a == c)", x >= 0),
            (
                "long division",
                "int(w * 1000003l / 1000l)",
                [
                    int(v * 1000003 / 1000) if v * 1000003 % 1000 == 0 else int(np.trunc(v * 1000003 / 1000))
                    for v in x.tolist()
                ],
            ),
            ("unsigned long modulo", "int((unsigned long)(w) % 1000)", [(int(v) & (2**64 - 1)) % 1000 for v in x]),
        ]
    yield table("integers", head, rows, [x, y], I32)


def pointer_atomics():
    """atomic_ref of pointers: additions go by elements."""
    code = (
        "auto r = atomic_ref<int *, memory_order::relaxed, memory_scope::device,"
        " access::address_space::global_space>(*reinterpret_cast<int **>(cell)); int *old = r.fetch_add(2);"
        " out[global_id()] = (reinterpret_cast<std::uintptr_t>(old) - 4096) / 4;"
    )

    def check(outputs):
        olds, cell = outputs
        if cell[0] != 4096 + 8 * N or not np.array_equal(np.sort(olds), np.arange(N) * 2):
            return f"it ends with {cell[0]}, and the old values are {np.sort(olds)[:8]}..."
        return None

    yield Kernel(
        "pointer_atomics",
        f"KERNEL(1, {{name}}, size_t *out, size_t *cell) {{ {code} }}",
        [Out(np.uint64, N), InOut(np.array([4096], np.uint64))],
        (N,),
        (12,),
        [Case("fetch_add(int *)", check)],
        False,
    )


PRINTS = [
    ("%d", "-42", "-42"),
    ("%i", "7", "7"),
    ("%5d|", "42", "   42|"),
    ("%-5d|", "42", "42   |"),
    ("%05d", "-42", "-0042"),
    ("%+d", "42", "+42"),
    ("% d", "42", " 42"),
    ("%.4d", "42", "0042"),
    ("%8.4d|", "-42", "   -0042|"),
    ("%u", "4294967295u", "4294967295"),
    ("%x", "48879u", "beef"),
    ("%X", "48879u", "BEEF"),
    ("%#x", "48879u", "0xbeef"),
    ("%#o", "8u", "010"),
    ("%o", "511u", "777"),
    ("%c", "'z'", "z"),
    ("%5c|", "'z'", "    z|"),
    ("%ld", "-9223372036854775807l", "-9223372036854775807"),
    ("%lu", "18446744073709551615ul", "18446744073709551615"),
    ("%lx", "1311768467463790320ul", "123456789abcdef0"),
    ("%hd", "70000", "4464"),
    ("%hhu", "300u", "44"),
    ("%f", "1.5f", "1.500000"),
    ("%.0f", "2.5f", "2"),
    ("%.3f", "-0.0005", "-0.001"),
    ("%10.2f|", "3.14159", "      3.14|"),
    ("%-10.2f|", "3.14159", "3.14      |"),
    ("%+.1f", "0.05", "+0.1"),
    ("%e", "12345.678", "1.234568e+04"),
    ("%.2E", "0.00012", "1.20E-04"),
    ("%g", "0.0001", "0.0001"),
    ("%g", "1e20", "1e+20"),
    ("%G", "1e-10", "1E-10"),
    ("%#g", "1.0", "1.00000"),
    ("%a", "1.0", "0x1p+0"),
    ("%f", "__builtin_inff()", "inf"),
    ("%F", "-__builtin_inf()", "-INF"),
    ("%f", "0.0f", "0.000000"),
    ("%5.1f%%|", "99.5", " 99.5%|"),
    ("a%db", "5", "a5b"),
    ("%d", "in[0]", "11"),
    ("%f", "in[1] / 8.0f", "1.500000"),
]


def printing():
    """printf's conversions, by C's rules; and lines of many work-items."""
    code, cases = [], []
    for k, (form, value, right) in enumerate(PRINTS):
        code.append(f'PRINT("<{k}:" "{form}" ">\\n", {value});')
        cases.append(Case(f'printf("{form}", {value})', _finds(f"<{k}:{right}>"), True))
    yield Kernel(
        "prints",
        f"KERNEL(1, {{name}}, const int *in) {{ {' '.join(code)} }}",
        [In(np.array([11, 12], np.int32))],
        (1,),
        (1,),
        cases,
        False,
    )

    def lines(text):
        found = sorted(int(m[1]) for line in text[0] if (m := re.fullmatch(r"item (\d+) of 600", line)))
        return (
            None
            if found == list(range(600))
            else f"{len(found)} whole lines, {len(set(found))} of them different, not 600"
        )

    yield Kernel(
        "prints_of_all",
        'KERNEL(1, {name}) { PRINT("item %d of %d\\n", int(global_id()), int(this_item().get_global_range(0))); }',
        [],
        (600,),
        (60,),
        [Case("printf by 600 work-items", lines, True)],
        False,
    )


def _finds(words):
    def check(text):
        key = words.split(":")[0] + ":"
        given = [line for line in text[0] if line.startswith(key)]
        return (
            None
            if words in given or (given and re.fullmatch(words, given[0]))
            else f"prints {given or text[0][:3]}, expected {words}"
        )

    return check


STREAMS = [
    ("-42", "-42"),
    ("42u", "42"),
    ("1.5f", "1.5"),
    ("2.25", "2.25"),
    ("'c'", "c"),
    ("true", "true"),
    ('"text"', "text"),
    ("vec<int, 3>(1, 2, 3)", "1, 2, 3"),
    ("id<2>(3, 4)", "{3, 4}"),
    ("range<3>(5, 6, 7)", "{5, 6, 7}"),
    ("hex << 255 << dec", "ff"),
    ("oct << 8 << dec", "10"),
    ("showbase << hex << 255 << dec << noshowbase", "0xff"),
    ("scientific << 1.5f << defaultfloat", r"1\.50*e\+00"),
    ("fixed << 2.5f << defaultfloat", "2.5"),
    ("-9223372036854775807l", "-9223372036854775807"),
    ("half(0.5f)", "0.5"),
    ("showpos << 5 << noshowpos", "+5"),
    ("in[0]", "11"),
    ("int(this_item().get_global_range(0))", "1"),
]


def streaming():
    """sycl::stream and its manipulators."""
    code, cases = [], []
    for k, (value, right) in enumerate(STREAMS):
        code.append(f'out << "<{k}:" << {value} << ">" << endl;')
        cases.append(Case(f"stream << {value}", _finds(f"<{k}:{right}>"), True))
    yield Kernel(
        "streams",
        f"KERNEL(1, {{name}}, const int *in, stream out) {{ {' '.join(code)} }}",
        [In(np.array([11, 12], np.int32)), Stream(8192, 512)],
        (1,),
        (1,),
        cases,
        False,
    )


PRINT = """
#define PRINT(format, ...) do { static const __attribute__((opencl_constant)) char f[] = format; \\
  syclx::printf(f, ##__VA_ARGS__); } while (0)
"""


def sources():
    yield Source(
        "others",
        "others",
        [*pointers(), *of_swizzles(), *bools(), *undefined_free(), *pointer_atomics()],
        is_quick=True,
    )
    yield Source("printing", "printf", list(printing()), preamble=PRINT, is_quick=True)
    yield Source("printing", "streams", list(streaming()))
