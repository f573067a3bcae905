# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""atomic_ref (SYCL 2020, 4.15.3): each operation of each type, in global and local memory, with each order and scope.

Each work-item changes an element of its own, whose old and new value are exact; and all change one element, where the
old
values that they get must be those of some order.
"""

import numpy as np

from compare import close, equal, section
from generate import identifier
from model import Case, In, InOut, Kernel, Local, Out, Source
from scalars import DOUBLE, FLOAT, I32, I64, LONG_LONG, U32, U64, UNSIGNED_LONG_LONG, any_values, generator, specials

TYPES = (I32, U32, I64, U64, FLOAT, DOUBLE)
ORDERS = ("relaxed", "acq_rel", "seq_cst")
SCOPES = ("work_item", "sub_group", "work_group", "device", "system")
SPACES = ("global_space", "local_space", "generic_space")
COUNT, GROUP = 120, 15


def operations(t):
    """The words, an expression of the reference r and the value v that gives a value, whether that is the old one, and
    the function that makes the new value of the old one and v."""

    def order(load, store):
        return f"memory_order::{load}", f"memory_order::{store}"

    arithmetic = [
        ("fetch_add", "r.fetch_add(v)", "old", lambda a, v: a + v),
        ("fetch_sub", "r.fetch_sub(v)", "old", lambda a, v: a - v),
        ("fetch_min", "r.fetch_min(v)", "old", np.minimum),
        ("fetch_max", "r.fetch_max(v)", "old", np.maximum),
        ("exchange", "r.exchange(v)", "old", lambda a, v: v),
        ("+=", "(r += v)", "new", lambda a, v: a + v),
        ("-=", "(r -= v)", "new", lambda a, v: a - v),
        ("store", "(r.store(v), v)", "new", lambda a, v: v),
        ("load", "r.load()", "old", lambda a, v: a),
        ("=", "(r = v)", "new", lambda a, v: v),
        ("conversion", "T(r)", "old", lambda a, v: a),
        (
            "compare_exchange_strong that succeeds",
            "({ T e = r.load(); r.compare_exchange_strong(e, v); e; })",
            "old",
            lambda a, v: v,
        ),
        (
            "compare_exchange_strong that fails",
            "({ T e = other(r.load()); r.compare_exchange_strong(e, v); e; })",
            "old",
            lambda a, v: a,
        ),
        (
            "compare_exchange_weak in a loop",
            "({ T e = r.load(); while (!r.compare_exchange_weak(e, v)); e; })",
            "old",
            lambda a, v: v,
        ),
    ]
    if not t.is_float:
        one = t.dtype.type(1)
        arithmetic += [
            ("fetch_and", "r.fetch_and(v)", "old", lambda a, v: a & v),
            ("fetch_or", "r.fetch_or(v)", "old", lambda a, v: a | v),
            ("fetch_xor", "r.fetch_xor(v)", "old", lambda a, v: a ^ v),
            ("&=", "(r &= v)", "new", lambda a, v: a & v),
            ("|=", "(r |= v)", "new", lambda a, v: a | v),
            ("^=", "(r ^= v)", "new", lambda a, v: a ^ v),
            ("++r", "++r", "new", lambda a, v: a + one),
            ("r++", "r++", "old", lambda a, v: a + one),
            ("--r", "--r", "new", lambda a, v: a - one),
            ("r--", "r--", "old", lambda a, v: a - one),
        ]
    return arithmetic


def columns(t):
    random = generator("atomics", t.name)
    special = specials(t)
    found = []
    for _ in range(2):
        data = np.concatenate([random.choice(special, COUNT // 2), any_values(t, COUNT // 2, random)])
        if t.is_float:
            # A comparison of NaN, or of zeros, goes by bits in one place and by value in another.
            data = np.where(np.isnan(data) | (data == 0), t.dtype.type(2.5), data)
        found.append(random.permutation(data))
    return found


OTHER = """
template <class T> T other(T x) { return x == T(1) ? T(2) : T(1); }
"""


def places(space, t, parts, name):
    """The body that makes the reference, and the kernel's parameters."""
    if space == "local_space":
        return "T *at = &tile[l];", f", local_accessor<{t.name}, 1> tile", [Local(t.dtype.itemsize, (GROUP,))]
    return "T *at = &data[k * count + i];", "", []


def alone(t, space, order, scope):
    """Each work-item on an element of its own."""
    ops = operations(t)
    old, values = columns(t)
    ref = f"atomic_ref<T, memory_order::{order}, memory_scope::{scope}, access::address_space::{space}>"
    place, parameter, argument = places(space, t, len(ops), "")
    code = (
        f"using T = {t.name}; constexpr size_t count = {COUNT}; size_t i = global_id(), l = local_id(); T v ="
        " values[i];"
    )
    for k, (_, expression, _, _) in enumerate(ops):
        code += (
            f" {{ constexpr size_t k = {k}; {place} *at = old[i]; {ref} r(*at); out[k * count + i] = {expression}; "
            "data[k * count + i] = *at; }"
        )
    cases = []
    with np.errstate(all="ignore"):
        for k, (words, _, gives, function) in enumerate(ops):
            new = function(old, values)
            result = old if gives == "old" else new
            check = close if t.is_float else lambda expected, _, c: equal(expected, c)

            def both(
                outputs,
                k=k,
                a=section(k, check(result, 0, [old, values]), 0, len(ops)),
                b=section(k, check(new, 0, [old, values]), 1, len(ops)),
            ):
                return a(outputs) or (b(outputs) and "memory: " + b(outputs))

            cases.append(Case(f"{words}({t.name.replace('std::', '')}, {space}, {order}, {scope})", both))
    name = identifier(f"atomic_{t.short}_{space}_{order}_{scope}")
    parameters = f"const {t.name} *old, const {t.name} *values, {t.name} *out, {t.name} *data{parameter}"
    return Kernel(
        name,
        f"KERNEL(1, {{name}}, {parameters}) {{ {code} }}",
        [In(old), In(values), Out(t.dtype, COUNT * len(ops)), Out(t.dtype, COUNT * len(ops)), *argument],
        (COUNT,),
        (GROUP,),
        cases,
    )


def together(t, space, order, scope):
    """All work-items on one element: of the range in global memory, of the group in local memory."""
    count = 960
    group = 60
    members = group if space == "local_space" else count
    ref = f"atomic_ref<T, memory_order::{order}, memory_scope::{scope}, access::address_space::{space}>"
    v = "T(local_id())" if members == group else "T(global_id())"
    ops = [
        ("fetch_add", "r.fetch_add(T(1))"),
        ("fetch_sub", "r.fetch_sub(T(1))"),
        ("fetch_max", "r.fetch_max(v)"),
        ("fetch_min", "r.fetch_min(v)"),
        ("exchange", "r.exchange(v + T(1))"),
        ("compare_exchange_weak", "({ T e = r.load(); while (!r.compare_exchange_weak(e, e + T(1))); e; })"),
        ("compare_exchange_strong", "({ T e = r.load(); while (!r.compare_exchange_strong(e, e + T(1))); e; })"),
    ]
    if not t.is_float:
        ops += [
            ("fetch_or", "r.fetch_or(T(1) << (global_id() % 31))"),
            ("fetch_and", "r.fetch_and(~(T(1) << (global_id() % 31)))"),
            ("fetch_xor", "r.fetch_xor(T(1) << (global_id() % 30))"),
            ("++", "r++"),
            ("--", "r--"),
        ]
    start = {"fetch_sub": members, "fetch_min": members, "--": members, "fetch_and": 2**31 - 1}
    # 60 work-items of a group: each bit of 30 is changed twice.
    groups = count // members
    code = f"using T = {t.name}; constexpr size_t count = {count}; size_t i = global_id(); T v = {v};"
    initial = np.array([start.get(words, 0) for words, _ in ops]).astype(t.dtype)
    for k, (_, expression) in enumerate(ops):
        if space == "local_space":
            code += (
                f" {{ if (local_id() == 0) tile[{k}] = initial[{k}]; group_barrier(this_group()); {ref} r(tile[{k}]); "
                f"out[{k} * count + i] = {expression}; group_barrier(this_group()); "
                f"if (local_id() == 0) ends[{k} * {groups} + this_group().get_group_linear_id()] = tile[{k}]; }}"
            )
        else:
            code += f" {{ {ref} r(ends[{k}]); out[{k} * count + i] = {expression}; }}"
    cases = []
    for k, (words, _) in enumerate(ops):

        def check(outputs, k=k, words=words):
            olds = outputs[0][k * count : (k + 1) * count].reshape(groups, members)
            ends = outputs[1][k * groups : (k + 1) * groups]
            for row, end in zip(olds, ends):
                begin = initial[k].item()
                if words in ("fetch_add", "++", "compare_exchange_weak", "compare_exchange_strong"):
                    right, last = np.arange(members), members
                elif words in ("fetch_sub", "--"):
                    right, last = np.arange(members) + 1, 0
                elif words == "exchange":
                    # The values that were there, but for the last.
                    found, wanted = np.sort(np.append(row, end)), np.arange(members + 1)
                    if not np.array_equal(found, wanted.astype(found.dtype)):
                        return f"the old values and the last one are {found[:10]}..., not each value once"
                    continue
                else:
                    last = {
                        "fetch_max": members - 1,
                        "fetch_min": 0,
                        "fetch_or": 2**31 - 1,
                        "fetch_and": 0,
                        "fetch_xor": 0,
                    }[words]
                    right = None
                if end != last:
                    return f"it ends with {end}, not {last}, from {begin}"
                if right is not None and not np.array_equal(np.sort(row), right.astype(row.dtype)):
                    return f"the old values are {np.sort(row)[:10]}..., not {right[:10]}..."
            return None

        cases.append(Case(f"{words} by all({t.name.replace('std::', '')}, {space}, {order}, {scope})", check))
    name = identifier(f"atomics_{t.short}_{space}_{order}_{scope}")
    parameters = f"const {t.name} *initial, {t.name} *out, {t.name} *ends"
    arguments = [In(initial), Out(t.dtype, count * len(ops))]
    if space == "local_space":
        parameters += f", local_accessor<{t.name}, 1> tile"
        arguments += [Out(t.dtype, groups * len(ops)), Local(t.dtype.itemsize, (len(ops),))]
    else:
        arguments += [InOut(initial)]
    return Kernel(name, f"KERNEL(1, {{name}}, {parameters}) {{ {code} }}", arguments, (count,), (group,), cases, False)


def fences():
    """atomic_fence of each order and scope, between a store and a flag that a next work-item would wait for:
    only that they compile and do no harm, as nothing shows a fence that is missing."""
    code = "size_t i = global_id(); int x = in[i];"
    for order in ("relaxed", "acquire", "release", "acq_rel", "seq_cst"):
        for scope in SCOPES:
            code += f" atomic_fence(memory_order::{order}, memory_scope::{scope}); x += i;"
    data = np.arange(60, dtype=np.int32)
    expected = data + 25 * data
    return Kernel(
        "fences",
        f"KERNEL(1, {{name}}, const int *in, int *out) {{ {code} out[i] = x; }}",
        [In(data), Out(np.int32, 60)],
        (60,),
        (15,),
        [Case("atomic_fence", equal(expected, [data]))],
    )


def sources():
    for t in (*TYPES, LONG_LONG, UNSIGNED_LONG_LONG):
        source = Source("atomics", f"atomics_{t.short}", preamble=OTHER, is_quick=t in (U32, DOUBLE))
        other = t in (LONG_LONG, UNSIGNED_LONG_LONG)
        for space in SPACES:
            for order in ORDERS:
                for scope in SCOPES:
                    # All orders and scopes for one type of integers, and of numbers; the ends for the rest.
                    usual = (order, scope) in (("relaxed", "device"), ("acq_rel", "work_group"), ("seq_cst", "system"))
                    if not (usual or (t in (I32, FLOAT) and space != "generic_space")):
                        continue
                    if other and (order != "relaxed" or space == "generic_space"):
                        continue
                    source.kernels.append(alone(t, space, order, scope))
                    if scope in ("device", "system") or (space == "local_space" and scope == "work_group"):
                        source.kernels.append(together(t, space, order, scope))
        if t == I32:
            source.kernels.append(fences())
        yield source
