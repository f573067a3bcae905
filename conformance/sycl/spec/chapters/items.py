# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Queries of nd_item, group and sub_group, and arithmetic of id and range (SYCL 2020, 4.9.1), over odd ranges.

item and h_item are parameters of kernels that libsycl-jit does not launch; nd_item has their queries.
"""

import numpy as np

from compare import equal, section
from model import Case, In, Kernel, Out, Source

RANGES = {
    1: [((1,), (1,)), ((7,), (7,)), ((63,), (9,)), ((1000,), (125,)), ((8192,), (1024,))],
    2: [((1, 1), (1, 1)), ((6, 35), (3, 7)), ((1, 64), (1, 16)), ((64, 1), (16, 1)), ((10, 22), (5, 11))],
    3: [
        ((1, 1, 1), (1, 1, 1)),
        ((2, 9, 10), (1, 3, 5)),
        ((4, 4, 4), (4, 2, 1)),
        ((3, 1, 21), (3, 1, 7)),
        ((5, 7, 9), (5, 7, 9)),
    ],
}


# Expressions with a dimension D, by what they are: an id of the work-item (g: global, l: local, w: the group's) or a range
# (G, L, W).
BY_DIMENSION = {
    "g": ("it.get_global_id(D)", "it.get_global_id()[D]"),
    "l": ("it.get_local_id(D)", "it.get_local_id()[D]", "group.get_local_id(D)"),
    "w": ("it.get_group(D)", "group.get_group_id(D)", "group[D]"),
    "G": ("it.get_global_range(D)", "it.get_nd_range().get_global_range()[D]"),
    "L": (
        "it.get_local_range(D)",
        "it.get_nd_range().get_local_range()[D]",
        "group.get_local_range(D)",
        "group.get_max_local_range()[D]",
    ),
    "W": ("it.get_group_range(D)", "it.get_nd_range().get_group_range()[D]", "group.get_group_range(D)"),
}


def linear(of, within):
    return np.ravel_multi_index(of, within)


# Other expressions, and what they are in terms of the same.
OTHERS = {
    "it.get_global_linear_id()": lambda g, l, w, G, L, W: linear(g, G),
    "it.get_local_linear_id()": lambda g, l, w, G, L, W: linear(l, L),
    "it.get_group_linear_id()": lambda g, l, w, G, L, W: linear(w, W),
    "group.get_group_linear_id()": lambda g, l, w, G, L, W: linear(w, W),
    "group.get_local_linear_id()": lambda g, l, w, G, L, W: linear(l, L),
    "group.get_group_linear_range()": lambda g, l, w, G, L, W: np.prod(W),
    "group.get_local_linear_range()": lambda g, l, w, G, L, W: np.prod(L),
    "group.leader()": lambda g, l, w, G, L, W: linear(l, L) == 0,
    "it == this_item<DIMS>()": lambda g, l, w, G, L, W: 1,
    "it.get_group() == group": lambda g, l, w, G, L, W: 1,
}


def queries(dims):
    """Expressions, and what each is as a function of the ids and ranges."""
    for which, expressions in BY_DIMENSION.items():
        place = "glwGLW".index(which)
        for expression in expressions:
            for d in range(dims):
                yield expression.replace("D", str(d)), lambda *known, place=place, d=d: known[place][d]
    for expression, model in OTHERS.items():
        yield expression.replace("DIMS", str(dims)), model


def ids(global_range, local_range):
    g = np.unravel_index(np.arange(int(np.prod(global_range))), global_range)
    return g, [i % n for i, n in zip(g, local_range)], [i // n for i, n in zip(g, local_range)]


def text(numbers):
    return "x".join(map(str, numbers))


def kernels(dims):
    all_queries = list(queries(dims))
    code = (
        f"auto it = this_item<{dims}>(); auto group = this_group<{dims}>(); size_t i = it.get_global_linear_id(), "
        "n = it.get_global_range().size();"
    )
    code += "".join(f" out[{k} * n + i] = {e};" for k, (e, _) in enumerate(all_queries))
    for global_range, local_range in RANGES[dims]:
        g, l, w = ids(global_range, local_range)
        groups = [a // b for a, b in zip(global_range, local_range)]
        count = int(np.prod(global_range))
        cases = []
        for k, (expression, model) in enumerate(all_queries):
            expected = np.broadcast_to(model(g, l, w, global_range, local_range, groups), count).astype(np.uint64)
            cases.append(
                Case(
                    f"{expression}({text(local_range)} of {text(global_range)})",
                    section(k, equal(expected, [np.arange(count)]), 0, len(all_queries)),
                )
            )
        yield Kernel(
            f"items_{dims}",
            f"KERNEL({dims}, {{name}}, size_t *out) {{ {code} }}",
            [Out(np.uint64, count * len(all_queries))],
            global_range,
            local_range,
            cases,
        )


SUB_GROUP = (
    "get_local_linear_id()",
    "get_local_linear_range()",
    "get_group_linear_id()",
    "get_group_linear_range()",
    "get_local_id()[0]",
    "get_local_range()[0]",
    "get_group_id()[0]",
    "get_group_range()[0]",
    "get_max_local_range()[0]",
    "leader()",
)


def sub_groups(dims):
    """Sub-groups tile each work-group: their ids and ranges agree."""
    code = (
        f"auto it = this_item<{dims}>(); auto sg = it.get_sub_group(); size_t i = it.get_global_linear_id(), n ="
        " it.get_global_range().size();"
    )
    code += "".join(f" out[{k} * n + i] = sg.{e};" for k, e in enumerate(SUB_GROUP))
    for global_range, local_range in RANGES[dims]:
        count = int(np.prod(global_range))
        g, _, w = ids(global_range, local_range)
        group = np.ravel_multi_index(w, [a // b for a, b in zip(global_range, local_range)])
        size = int(np.prod(local_range))

        def check(outputs, group=group, size=size):
            lane, lanes, sub, subs, *again, most, leader = outputs[0].reshape(len(SUB_GROUP), -1).astype(int)
            for k, name in enumerate(SUB_GROUP[4:8]):
                if not np.array_equal(again[k], (lane, lanes, sub, subs)[k]):
                    return f"{name} is not {SUB_GROUP[k]}"
            if not np.array_equal(leader, (lane == 0).astype(int)):
                return "leader() is not the first work-item"
            if (lanes > most).any() or (lane >= lanes).any() or (sub >= subs).any():
                return "an id is not below its range"
            for at in np.unique(group):
                here = group == at
                if lanes[here][np.unique(sub[here], return_index=True)[1]].sum() != size:
                    return f"the sub-groups of group {at} have {lanes[here]} work-items, of {size}"
                if len(set(zip(sub[here], lane[here]))) != size:
                    return f"two work-items of group {at} have one place"
                for s in np.unique(sub[here]):
                    if (
                        len(set(lanes[here][sub[here] == s])) != 1
                        or (sub[here] == s).sum() != lanes[here][sub[here] == s][0]
                    ):
                        return f"sub-group {s} of group {at} is not as large as it says"
                if (subs[here] != len(np.unique(sub[here]))).any():
                    return f"group {at} says that it has {subs[here][0]} sub-groups"
            return None

        yield Kernel(
            f"sub_groups_{dims}",
            f"KERNEL({dims}, {{name}}, size_t *out) {{ {code} }}",
            [Out(np.uint64, count * len(SUB_GROUP))],
            global_range,
            local_range,
            [Case(f"sub_group({text(local_range)} of {text(global_range)})", check)],
            False,
        )


def required_sizes():
    """Kernels that ask for a sub-group size, over groups that are no multiple of it."""
    for size in (4, 8, 16, 32, 64):
        name = f"required_{size}"
        code = (
            'extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclx::nd_range_kernel<1>)) '
            f"SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclx::sub_group_size<{size}>)) void {{name}}(unsigned *out) {{ "
            "auto sg = this_sub_group(); size_t i = global_id(), n = this_item().get_global_range(0); "
            "out[i] = sg.get_max_local_range()[0]; out[n + i] = sg.get_local_linear_range(); "
            "out[2 * n + i] = sg.get_local_linear_id(); }"
        )
        for global_range, local_range in (((96,), (48,)), ((75,), (25,)), ((5,), (5,))):
            count = global_range[0]

            def check(outputs, size=size, each=local_range[0]):
                most, lanes, lane = outputs[0].reshape(3, -1).astype(int)
                if (most != size).any():
                    return f"get_max_local_range() is {most[0]}, not {size}"
                at = np.arange(len(lane)) % each
                if not np.array_equal(lane, at % size) or not np.array_equal(
                    lanes, np.minimum(size, each - at // size * size)
                ):
                    return f"sub-groups of {lanes}, in which places are {lane}"
                return None

            yield Kernel(
                name,
                code,
                [Out(np.uint32, 3 * count)],
                global_range,
                local_range,
                [Case(f"sub_group_size<{size}>({local_range[0]} of {count})", check)],
            )


OPERATORS = (
    ("+", lambda a, b: a + b),
    ("-", lambda a, b: a - b),
    ("*", lambda a, b: a * b),
    ("/", lambda a, b: a // b),
    ("%", lambda a, b: a % b),
    ("<<", lambda a, b: a << b),
    (">>", lambda a, b: a >> b),
    ("&", lambda a, b: a & b),
    ("|", lambda a, b: a | b),
    ("^", lambda a, b: a ^ b),
    ("&&", lambda a, b: (a != 0) & (b != 0)),
    ("||", lambda a, b: (a != 0) | (b != 0)),
    ("<", lambda a, b: a < b),
    (">", lambda a, b: a > b),
    ("<=", lambda a, b: a <= b),
    (">=", lambda a, b: a >= b),
)


def index_arithmetic(dims):
    """id and range with themselves, with numbers on both sides, assignments, comparisons, increments."""
    n = 64
    a = np.arange(n * dims, dtype=np.uint64) * 37 + 11
    b = np.arange(n * dims, dtype=np.uint64) % 13 + 1
    at = [f"a[i * {dims} + {d}]" for d in range(dims)], [f"b[i * {dims} + {d}]" for d in range(dims)]
    cases, code, parts = [], [], 0
    for kind in ("id", "range"):
        of = f"{kind}<{dims}>"
        code.append(f"{{ {of} x({', '.join(at[0])}), y({', '.join(at[1])});")
        rows = [
            ("++x", "({ auto z = x; ++z; })", a + np.uint64(1)),
            ("x++", "({ auto z = x; z++; })", a),
            ("--x", "({ auto z = x; --z; })", a - np.uint64(1)),
            ("+x", "+x", a),
            ("-x", "-x", (~a) + np.uint64(1)),
        ]
        b0 = np.repeat(b[::dims], dims)
        for sign, function in OPERATORS:
            is_comparison = sign in ("<", ">", "<=", ">=", "&&", "||")
            rows.append((f"x {sign} y", f"x {sign} y", function(a, b)))
            rows.append((f"x {sign} number", f"x {sign} y[0]", function(a, b0)))
            if not is_comparison:
                rows.append((f"x {sign}= y", f"({{ auto z = x; z {sign}= y; z; }})", function(a, b)))
                rows.append((f"x {sign}= number", f"({{ auto z = x; z {sign}= y[0]; z; }})", function(a, b0)))
                rows.append(
                    (f"number {sign} y", f"size_t(a[i * {dims}]) {sign} y", function(np.repeat(a[::dims], dims), b))
                )
        for words, expression, result in rows:
            code.append(
                f"{{ auto r = {expression}; for (int d = 0; d < {dims}; ++d) out[{parts} * {n * dims} + i * {dims} + d]"
                " = r[d]; }"
            )
            cases.append((f"{kind}<{dims}>: {words}", result.astype(np.uint64)))
            parts += 1
        code.append("}")
    made = [Case(words, section(k, equal(result, [a, b]), 0, parts)) for k, (words, result) in enumerate(cases)]
    yield Kernel(
        f"index_{dims}",
        "KERNEL(1, {name}, const size_t *a, const size_t *b, size_t *out) { size_t i = global_id(); "
        f"{' '.join(code)} }}",
        [In(a), In(b), Out(np.uint64, parts * n * dims)],
        (n,),
        (16,),
        made,
    )


def sources():
    yield Source("items", "items_queries", [k for dims in (1, 2, 3) for k in kernels(dims)], is_quick=True)
    yield Source(
        "items",
        "items_sub_groups",
        [*(k for dims in (1, 2, 3) for k in sub_groups(dims)), *required_sizes()],
        is_quick=True,
    )
    yield Source("items", "items_arithmetic", [k for dims in (1, 2, 3) for k in index_arithmetic(dims)])
