# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of work-groups and sub-groups (SYCL 2020, 4.17.3 and 4.17.4): reductions, scans and their joint forms,
votes, broadcasts and shuffles, over groups of odd sizes in one, two and three dimensions.

Numbers are such that the order of operations does not matter. Which work-items form a sub-group is the device's
choice: the
kernel says, and the model goes by that.
"""

import functools

import numpy as np

from compare import describe, same_bits, show
from generate import identifier
from model import Case, In, Kernel, Out, Source, Value
from scalars import (
    BOOL,
    DOUBLE,
    FLOAT,
    FLOATS,
    HALF,
    I16,
    I32,
    INTEGERS,
    LONG_LONG,
    U64,
    any_values,
    generator,
    specials,
)

# Global and local ranges: whole groups, as SYCL 2020 has no others.
RANGES = {
    1: [((7,), (7,)), ((64,), (16,)), ((99,), (33,)), ((3,), (1,)), ((122,), (61,)), ((256,), (128,))],
    2: [((6, 10), (3, 5)), ((9, 14), (9, 7)), ((4, 32), (2, 16))],
    3: [((2, 6, 8), (1, 3, 4)), ((3, 5, 14), (3, 5, 7))],
}
ARITHMETIC = {
    "plus": lambda a, b: a + b,
    "multiplies": lambda a, b: a * b,
    "minimum": lambda a, b: min(a, b),
    "maximum": lambda a, b: max(a, b),
}
BITS = {"bit_and": lambda a, b: a & b, "bit_or": lambda a, b: a | b, "bit_xor": lambda a, b: a ^ b}
LOGICAL = {"logical_and": lambda a, b: a and b, "logical_or": lambda a, b: a or b}


def identity(op, t):
    if op == "minimum":
        return np.inf if t.is_float else t.limits[1]
    if op == "maximum":
        return -np.inf if t.is_float else t.limits[0]
    return {
        "plus": 0,
        "multiplies": 1,
        "bit_and": -1 if t.is_signed else (1 << t.bits) - 1,
        "bit_or": 0,
        "bit_xor": 0,
        "logical_and": True,
        "logical_or": False,
    }[op]


def values(op, t, count, seed):
    random = generator("groups", op, t.name, seed)
    if t == BOOL:
        # Groups in which all are, none is, and some are.
        chance = np.repeat(random.choice([0, 0.1, 0.9, 1], -(-count // 8)), 8)[:count]
        return (random.random(count) < chance).astype(np.uint8)
    if op == "plus":
        most = 1 if t.bits == 8 else 3
        return random.integers(0 if t.dtype.kind == "u" else -most, most + 1, count).astype(t.dtype)
    if op == "multiplies":
        low = 1 if t.dtype.kind == "u" else -1
        data = random.choice([low, 1], count)
        data[::97] = 2
        return data.astype(t.dtype)
    data = np.concatenate([random.choice(specials(t), count // 2), any_values(t, count - count // 2, random)])
    if t.is_float:
        data = np.where(np.isnan(data) | (data == 0), t.dtype.type(1.5), data)
    return random.permutation(data)


def order(global_range, local_range):
    """The group of each work-item, by global linear id, and its place in the group."""
    ids = np.stack(np.unravel_index(np.arange(int(np.prod(global_range))), global_range))
    groups = [g // n for g, n in zip(global_range, local_range)]
    group = np.ravel_multi_index([i // n for i, n in zip(ids, local_range)], groups)
    place = np.ravel_multi_index([i % n for i, n in zip(ids, local_range)], local_range)
    return group, place


def members(outputs, scope, ranges):
    """The work-items of each group, in order of their places."""
    group, place = order(*ranges)
    if scope == "sub_group":
        sub, lane = outputs[-2:]
        group, place = group.astype(np.int64) * 65536 + sub, lane
    found = {}
    for item in np.lexsort((place, group)):
        found.setdefault(group[item], []).append(int(item))
    return list(found.values())


SCOPES = ("group", "sub_group")
FUNCTIONS = ("reduce", "reduce with init", "inclusive", "inclusive with init", "exclusive", "exclusive with init")
JOINT = (
    "joint_reduce",
    "joint_reduce with init",
    "joint_inclusive",
    "joint_inclusive with init",
    "joint_exclusive",
    "joint_exclusive with init",
)


def model(name, function, start, init, data):
    """The results for the members of a group."""
    initial = init if "init" in name else None
    if "reduce" in name:
        total = functools.reduce(function, data if initial is None else [initial, *data])
        return [total] * len(data)
    results, value = [], initial
    for x in data:
        if "exclusive" in name:
            results.append(start if value is None else value)
            value = function(start, x) if value is None else function(value, x)
        else:
            value = x if value is None else function(value, x)
            results.append(value)
    return results


def compare(wrong_words, given, expected, data):
    expected = np.array(expected).astype(given.dtype)
    wrong = ~same_bits(given, expected) & (given != expected)
    if wrong.any():
        return describe(wrong, given, lambda i: show(expected[i]), [data]) + wrong_words
    return None


def scans(t, op, function, scope, dims):
    """Kernels of one operation, launched over each range."""
    element = np.uint8 if t == BOOL else t.dtype
    c = t.name
    storage = "std::uint8_t" if t == BOOL else c
    init = {"plus": 2, "multiplies": 2, "logical_and": True, "logical_or": False}.get(op)
    if init is None:
        init = values(op, t, 8, "init")[3]
    group = f"this_group<{dims}>()" if scope == "group" else "this_sub_group()"
    o = f"sycl::{op}<{c}>()"
    code = (
        f"auto g = {group}; size_t n = this_item<{dims}>().get_global_range().size(); "
        f"size_t i = this_item<{dims}>().get_global_linear_id(); {c} x = in[i], init_ = init[0]; "
    )
    calls = [
        f"reduce_over_group(g, x, {o})",
        f"reduce_over_group(g, x, init_, {o})",
        f"inclusive_scan_over_group(g, x, {o})",
        f"inclusive_scan_over_group(g, x, {o}, init_)",
        f"exclusive_scan_over_group(g, x, {o})",
        f"exclusive_scan_over_group(g, x, init_, {o})",
    ]
    code += " ".join(f"out[{k} * n + i] = sycl::{call};" for k, call in enumerate(calls))
    parameters = f"const {storage} *in, const {storage} *init, {storage} *out"
    if scope == "sub_group":
        code += " sub[i] = g.get_group_linear_id(); lane[i] = g.get_local_linear_id();"
        parameters += ", unsigned *sub, unsigned *lane"
    start = identity(op, t)
    name = identifier(f"scan_{scope}_{op}_{t.short}_{dims}")
    for ranges in RANGES[dims] if dims == 1 or t in (I32, FLOAT) else RANGES[dims][:1]:
        count = int(np.prod(ranges[0]))
        data = values(op, t, count, count)
        cases = []
        for k, words in enumerate(FUNCTIONS):

            def check(outputs, k=k, words=words, data=data, ranges=ranges, count=count):
                given = outputs[0][k * count : (k + 1) * count]
                expected = np.zeros(count, object)
                for items in members(outputs, scope, ranges):
                    with np.errstate(all="ignore"):
                        some = [x.item() for x in data[items]]
                    if t == BOOL:
                        some = [bool(x) for x in some]
                    expected[items] = model(
                        words, function, start, init.item() if hasattr(init, "item") else init, some
                    )
                return compare("", given, expected, data)

            cases.append(
                Case(
                    f"{words}({scope}, {op}<{t.name}>, {'x'.join(map(str, ranges[1]))} of "
                    f"{'x'.join(map(str, ranges[0]))})",
                    check,
                )
            )
        arguments = [In(data), In(np.array([init], element)), Out(element, 6 * count)]
        if scope == "sub_group":
            arguments += [Out(np.uint32, count), Out(np.uint32, count)]
        yield Kernel(
            name, f"KERNEL({dims}, {{name}}, {parameters}) {{ {code} }}", arguments, *ranges, cases, scope == "group"
        )


def joint(t, op, function):
    """Joint forms over a work-group: of more elements than work-items, of fewer, and of one."""
    element = np.uint8 if t == BOOL else t.dtype
    c = t.name
    storage = "bool" if t == BOOL else c
    init = {"plus": 2, "multiplies": 2, "logical_and": True, "logical_or": False}.get(op)
    if init is None:
        init = values(op, t, 8, "init")[3].item()
    o = f"sycl::{op}<{c}>()"
    code = (
        f"auto g = this_group(); auto *first = in + g.get_group_linear_id() * count, *last = first + count; {c} init_ ="
        " init[0]; size_t total = count * g.get_group_linear_range(), at = g.get_group_linear_id() * count; for (int k"
        f" = 0; k < 2; ++k) {{ {c} r = k ? sycl::joint_reduce(g, first, last, init_, {o}) : sycl::joint_reduce(g,"
        f" first, last, {o}); sums[k * this_item().get_global_range(0) + global_id()] = r; }}"
        f" sycl::joint_inclusive_scan(g, first, last, out + at, {o}); sycl::joint_inclusive_scan(g, first, last, out +"
        f" total + at, {o}, init_); sycl::joint_exclusive_scan(g, first, last, out + 2 * total + at, {o});"
        f" sycl::joint_exclusive_scan(g, first, last, out + 3 * total + at, init_, {o});"
    )
    parameters = f"const {storage} *in, const {storage} *init, {storage} *sums, {storage} *out, size_t count"
    for (global_range, local_range), count in zip(RANGES[1][:5], (23, 5, 33, 4, 130)):
        groups = global_range[0] // local_range[0]
        data = values(op, t, groups * count, count)
        items, total = global_range[0], groups * count
        cases = []
        for k, words in enumerate(JOINT):

            def check(outputs, k=k, words=words, data=data, count=count, items=items, groups=groups, total=total):
                rows = [[bool(x) if t == BOOL else x.item() for x in row] for row in data.reshape(groups, count)]
                results = [model(words, function, identity(op, t), init, row) for row in rows]
                if k < 2:
                    given = outputs[0][k * items : (k + 1) * items]
                    expected = np.repeat(np.array([r[0] for r in results], object), items // groups)
                    return compare("", given, expected, expected)
                given = outputs[1][(k - 2) * total : (k - 1) * total]
                return compare("", given, np.array(sum(results, []), object), data)

            cases.append(Case(f"{words}({op}<{t.name}>, {count} elements, {local_range[0]} of {items})", check))
        yield Kernel(
            identifier(f"joint_{op}_{t.short}"),
            f"KERNEL(1, {{name}}, {parameters}) {{ {code} }}",
            [
                In(data),
                In(np.array([init], element)),
                Out(element, 2 * items),
                Out(element, 4 * total),
                Value(np.uint64(count)),
            ],
            global_range,
            local_range,
            cases,
        )


def votes(scope, dims):
    """any_of_group and the others: of a bool, and of a value and a predicate."""
    group = f"this_group<{dims}>()" if scope == "group" else "this_sub_group()"
    code = f"auto g = {group}; bool x = in[i] != 0; auto is_two = [](int v) {{ return v == 2; }};"
    names = ("any_of", "all_of", "none_of")
    for k, f in enumerate(names):
        code += f" out[{k} * n + i] = sycl::{f}_group(g, x); out[{3 + k} * n + i] = sycl::{f}_group(g, in[i], is_two);"
    code += " sub[i] = this_sub_group().get_group_linear_id(); lane[i] = this_sub_group().get_local_linear_id();"
    head = f"size_t i = this_item<{dims}>().get_global_linear_id(), n = this_item<{dims}>().get_global_range().size(); "
    for ranges in RANGES[dims]:
        count = int(np.prod(ranges[0]))
        random = generator("votes", scope, count)
        chance = np.repeat(random.choice([0, 0.05, 1], -(-count // 8)), 8)[:count]
        data = np.where(random.random(count) < chance, 2, random.integers(0, 2, count) * (chance > 0)).astype(np.int32)
        cases = []
        for k in range(6):

            def check(outputs, k=k, data=data, ranges=ranges, count=count):
                given = outputs[0][k * count : (k + 1) * count].astype(bool)
                flags = data != 0 if k < 3 else data == 2
                expected = np.zeros(count, bool)
                for items in members(outputs, scope, ranges):
                    expected[items] = [flags[items].any(), flags[items].all(), not flags[items].any()][k % 3]
                return compare("", given, expected, data)

            what = "predicate" if k > 2 else "bool"
            cases.append(
                Case(
                    f"{names[k % 3]}_group({scope}, {what}, {'x'.join(map(str, ranges[1]))} of "
                    f"{'x'.join(map(str, ranges[0]))})",
                    check,
                )
            )
        yield Kernel(
            f"votes_{scope}_{dims}",
            f"KERNEL({dims}, {{name}}, const int *in, std::uint8_t *out, unsigned *sub, unsigned *lane) {{"
            f" {head}{code} }}",
            [In(data), Out(np.uint8, 6 * count), Out(np.uint32, count), Out(np.uint32, count)],
            *ranges,
            cases,
            scope == "group",
        )


def joint_votes():
    code = (
        "auto g = this_group(); auto *first = in + g.get_group_linear_id() * 37, *last = first + 37; size_t i ="
        " global_id(); size_t n = this_item().get_global_range(0); auto is_two = [](int v) { return v == 2; };"
    )
    names = ("any_of", "all_of", "none_of")
    for k, f in enumerate(names):
        code += f" out[{k} * n + i] = sycl::joint_{f}(g, first, last, is_two);"
    for global_range, local_range in RANGES[1]:
        groups = global_range[0] // local_range[0]
        random = generator("joint votes", groups)
        data = np.where(random.random((groups, 37)) < random.choice([0, 0.05, 1], (groups, 1)), 2, 1).astype(np.int32)
        cases = []
        for k, name in enumerate(names):

            def check(outputs, k=k, data=data, items=global_range[0], each=local_range[0]):
                flags = data == 2
                expected = np.repeat([flags.any(1), flags.all(1), ~flags.any(1)][k], each)
                return compare("", outputs[0][k * items : (k + 1) * items].astype(bool), expected, expected)

            cases.append(Case(f"joint_{name}({local_range[0]} of {global_range[0]})", check))
        yield Kernel(
            "joint_votes",
            f"KERNEL(1, {{name}}, const int *in, std::uint8_t *out) {{ {code} }}",
            [In(data.ravel()), Out(np.uint8, 3 * global_range[0])],
            global_range,
            local_range,
            cases,
        )


def broadcasts(t, scope, dims):
    """group_broadcast from the first work-item, from one by its linear id, and from one by its id."""
    c = t.name
    group = f"this_group<{dims}>()" if scope == "group" else "this_sub_group()"
    size = "g.get_local_range().size()" if scope == "group" else "g.get_local_linear_range()"
    code = (
        f"auto g = {group}; size_t i = this_item<{dims}>().get_global_linear_id(), n ="
        f" this_item<{dims}>().get_global_range().size(); {c} x = in[i]; out[i] = group_broadcast(g, x); out[n + i] ="
        f" group_broadcast(g, x, {size} / 2); "
    )
    last = (
        ", ".join(f"g.get_local_range({d}) - 1" for d in range(dims))
        if scope == "group"
        else "g.get_local_linear_range() - 1"
    )
    kind = f"id<{dims}>" if scope == "group" else "id<1>"
    code += f"out[2 * n + i] = group_broadcast(g, x, {kind}({last}));"
    code += " sub[i] = this_sub_group().get_group_linear_id(); lane[i] = this_sub_group().get_local_linear_id();"
    for ranges in RANGES[dims]:
        count = int(np.prod(ranges[0]))
        data = values("maximum", t, count, count)
        cases = []
        for k, words in enumerate(("", "linear id, ", "id, ")):

            def check(outputs, k=k, data=data, ranges=ranges, count=count):
                expected = np.zeros(count, data.dtype)
                for items in members(outputs, scope, ranges):
                    expected[items] = data[items[(0, len(items) // 2, -1)[k]]]
                return compare("", outputs[0][k * count : (k + 1) * count], expected, data)

            cases.append(
                Case(
                    f"group_broadcast({scope}, {words}{t.name}, {'x'.join(map(str, ranges[1]))} of "
                    f"{'x'.join(map(str, ranges[0]))})",
                    check,
                )
            )
        yield Kernel(
            f"broadcast_{scope}_{t.short}_{dims}",
            f"KERNEL({dims}, {{name}}, const {c} *in, {c} *out, unsigned *sub, unsigned *lane) {{ {code} }}",
            [In(data), Out(t.dtype, 3 * count), Out(np.uint32, count), Out(np.uint32, count)],
            *ranges,
            cases,
            scope == "group",
        )


DELTAS = (0, 1, 2, 5, 7)


def shuffles(t, size, dims):
    """Of sub-groups: shifts, permutations and selections of scalars and vectors. Results whose source is not in the
    sub-group are open."""
    of = t.name if size == 1 else f"vec<{t.name}, {size}>"
    code = (
        f"auto g = this_sub_group(); size_t i = this_item<{dims}>().get_global_linear_id(), n ="
        f" this_item<{dims}>().get_global_range().size(); auto x = get<{of}>(in, i); unsigned l ="
        " g.get_local_linear_id(), s = g.get_local_linear_range();"
    )
    names = []
    for d in DELTAS:
        for f, source in (
            ("shift_group_left", lambda l, s, d=d: l + d),
            ("shift_group_right", lambda l, s, d=d: l - d),
            ("permute_group_by_xor", lambda l, s, d=d: l ^ d),
        ):  # noqa: E741
            code += f" put(out + {len(names) * size} * n, {f}(g, x, {d}), i);"
            names.append((f"{f} by {d}", source))
    for words, index, source in (
        ("the last", "s - 1", lambda l, s: s - 1),
        ("the reverse", "s - 1 - l", lambda l, s: s - 1 - l),
        ("three on", "(l + 3) % s", lambda l, s: (l + 3) % s),
        ("half of it", "l / 2", lambda l, s: l // 2),
    ):
        code += f" put(out + {len(names) * size} * n, select_from_group(g, x, {index}), i);"
        names.append((f"select_from_group, {words}", source))
    code += " sub[i] = g.get_group_linear_id(); lane[i] = l;"
    for ranges in RANGES[dims]:
        count = int(np.prod(ranges[0]))
        data = values("maximum", t, count * size, count)
        cases = []
        each = int(np.prod(ranges[1]))
        for k, (words, source) in enumerate(names):
            if not any(0 <= source(place, each) < each for place in range(each)):
                continue  # all of it is open

            def check(outputs, k=k, source=source, data=data, ranges=ranges, count=count):
                given = outputs[0][k * count * size : (k + 1) * count * size].reshape(count, size)
                rows, expected = data.reshape(count, size), given.copy()
                for items in members(outputs, "sub_group", ranges):
                    for l, item in enumerate(items):
                        if 0 <= (at := source(l, len(items))) < len(items):
                            expected[item] = rows[items[at]]
                return compare("", given.ravel(), expected.ravel(), data)

            cases.append(
                Case(
                    f"{words}({of.replace('std::', '')}, {'x'.join(map(str, ranges[1]))} of "
                    f"{'x'.join(map(str, ranges[0]))})",
                    check,
                )
            )
        yield Kernel(
            f"shuffle_{t.short}_{size}_{dims}",
            f"KERNEL({dims}, {{name}}, const {t.name} *in, {t.name} *out, unsigned *sub, unsigned *lane) {{ {code} }}",
            [In(data), Out(t.dtype, len(names) * size * count), Out(np.uint32, count), Out(np.uint32, count)],
            *ranges,
            cases,
            False,
        )


def sources():
    some = (I32, FLOAT, U64)
    for scope in SCOPES:
        for words, types in (("small", INTEGERS[:4]), ("large", (*INTEGERS[4:], LONG_LONG)), ("floats", FLOATS)):
            source = Source("groups", f"groups_{scope}_{words}")
            for t in types:
                for op, function in (ARITHMETIC if t.is_float else ARITHMETIC | BITS).items():
                    for dims in (1, 2, 3) if t in some else (1,):
                        source.kernels += scans(t, op, function, scope, dims)
            yield source
        source = Source("groups", f"groups_{scope}_logical", is_quick=True)
        for op, function in LOGICAL.items():
            for dims in (1, 2, 3):
                source.kernels += scans(BOOL, op, function, scope, dims)
        yield source
        source = Source("groups", f"groups_{scope}_others", is_quick=True)
        for dims in (1, 2, 3):
            source.kernels += votes(scope, dims)
            for t in (*INTEGERS, *FLOATS) if dims == 1 else some:
                source.kernels += broadcasts(t, scope, dims)
        yield source
    source = Source("groups", "groups_joint", is_quick=True)
    for t in (I16, I32, U64, *FLOATS):
        for op, function in (ARITHMETIC if t.is_float else ARITHMETIC | BITS).items():
            source.kernels += joint(t, op, function)
    source.kernels += joint_votes()
    yield source
    source = Source("groups", "groups_shuffles", is_quick=True)
    for t in (*INTEGERS, *FLOATS):
        source.kernels += shuffles(t, 1, 1)
    for t, size in ((FLOAT, 2), (I32, 4), (DOUBLE, 3), (HALF, 4), (I16, 2), (INTEGERS[0], 16)):
        source.kernels += shuffles(t, size, 1)
    for dims in (2, 3):
        source.kernels += shuffles(I32, 1, dims)
        source.kernels += shuffles(FLOAT, 2, dims)
    yield source
