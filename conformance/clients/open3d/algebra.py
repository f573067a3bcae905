# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Open3D's linear algebra, by oneMKL, and its hash maps."""

import numpy as np
from cases import random
from data import FLOATS, INTEGERS, Tensor, both, core, dtype, numbers


def linalg(cases):
    for name in FLOATS:
        loose = 1e-3 if name == "float32" else 1e-9
        for n in (1, 2, 3, 17, 100, 257, 300, 777) if cases.full else (1, 2, 3, 17, 100, 257, 300):
            generator = random("linalg", n, name)
            a = (generator.uniform(-1, 1, (n, n)) + 2 * np.sqrt(n) * np.eye(n)).astype(name)
            b, many = (generator.uniform(-1, 1, shape).astype(name) for shape in ((n,), (n, 3)))
            tall = np.concatenate([a, generator.uniform(-1, 1, (5, n)).astype(name)])
            both(
                cases,
                f"matmul {name} {n}",
                lambda d: core.matmul(Tensor(a, device=d), Tensor(many, device=d)),
                loose,
                lambda: a @ many,
            )
            both(
                cases,
                f"matmul, transposed {name} {n}",
                lambda d: Tensor(a, device=d).T().matmul(Tensor(many, device=d)),
                loose,
                lambda: a.T @ many,
            )
            both(
                cases,
                f"@ {name} {n}",
                lambda d: Tensor(a, device=d) @ Tensor(b, device=d),
                loose,
                lambda: (a @ b)[:, None],
            )
            both(
                cases,
                f"addmm {name} {n}",
                lambda d: core.addmm(Tensor(many, device=d), Tensor(a, device=d), Tensor(many, device=d), 2.0, 3.0),
                loose,
                lambda: 2 * a @ many + 3 * many,
            )
            both(
                cases,
                f"solve {name} {n}",
                lambda d: core.solve(Tensor(a, device=d), Tensor(many, device=d)),
                loose,
                lambda: np.linalg.solve(a, many),
            )
            both(
                cases,
                f"solve, one side {name} {n}",
                lambda d: Tensor(a, device=d).solve(Tensor(b, device=d)),
                loose,
                lambda: np.linalg.solve(a, b),
            )
            both(cases, f"inv {name} {n}", lambda d: Tensor(a, device=d).inv(), loose, lambda: np.linalg.inv(a))
            if n < 100:
                # The sign of a 1x1 matrix's is wrong on all devices.
                sure = (lambda: np.linalg.det(a / n)) if n > 1 else None
                both(cases, f"det {name} {n}", lambda d: Tensor(a / n, device=d).det(), loose, sure)
            both(
                cases,
                f"lstsq {name} {n}",
                lambda d: Tensor(tall, device=d).lstsq(Tensor(np.concatenate([many, np.ones((5, 3), name)]), device=d)),
                loose,
                lambda: np.linalg.lstsq(tall, np.concatenate([many, np.ones((5, 3), name)]), rcond=None)[0],
            )

            def lu(d):
                p, lower, upper = Tensor(a, device=d).lu()
                return [p @ lower @ upper, lower, upper]

            both(cases, f"lu {name} {n}", lu, loose)
            both(cases, f"lu, permuted {name} {n}", lambda d: core.lu(Tensor(a, device=d), True)[1:], loose)
            both(cases, f"lu_ipiv {name} {n}", lambda d: core.lu_ipiv(Tensor(a, device=d)), loose)

            def svd(d):
                u, s, v = Tensor(tall, device=d).svd()
                return [u[:, :n] @ Tensor.diag(s) @ v, s]

            both(cases, f"svd {name} {n}", svd, loose, lambda: [tall, np.linalg.svd(tall, compute_uv=False)])

        def singular(d):
            try:
                return core.solve(Tensor(np.zeros((3, 3), name), device=d), Tensor(np.ones((3, 1), name), device=d))
            except RuntimeError:
                return "refused"

        both(cases, f"solve what is singular {name}", singular)
    for name in INTEGERS:
        a, b = numbers(name, 4, 5), numbers(name, 5, 3)
        both(cases, f"matmul {name}", lambda d: core.matmul(Tensor(a, device=d), Tensor(b, device=d)))


def rows_in_order(*arrays):
    arrays = [array.cpu().numpy() for array in arrays]
    if not len(arrays[0]):
        return arrays
    first = arrays[0].reshape(len(arrays[0]), -1)
    order = np.lexsort(first.T[::-1])
    return [array[order] for array in arrays]


def hashing(cases):
    for name in ("int16", "int32", "int64"):
        for width in (1, 2, 3, 4, 6):
            for n in (1, 100, 20_000, 300_000) if cases.full else (1, 100, 20_000):
                keys = random("hash", name, width, n).integers(-20, 20, (n, width)).astype(name)
                values = np.arange(n, dtype=np.int32)[:, None]
                unique = np.unique(keys, axis=0)

                def inserted(d):
                    table = core.HashSet(max(n // 4, 10), dtype(name), (width,), d)
                    _, fresh = table.insert(Tensor(keys, device=d))
                    return [
                        fresh.to(core.int64).sum(),
                        table.size(),
                        *rows_in_order(table.key_tensor()[table.active_buf_indices().to(core.int64)]),
                    ]

                both(
                    cases,
                    f"set {name} {width} {n}",
                    inserted,
                    reference=lambda: [np.int64(len(unique)), len(unique), unique],
                )

                def found(d):
                    table = core.HashMap(max(n, 10), dtype(name), (width,), core.int32, (1,), d)
                    first = Tensor(unique, device=d)
                    numbers = Tensor(values[: len(unique)], device=d)
                    table.insert(first, numbers)
                    erased = table.erase(first[::3])
                    places, there = table.find(Tensor(keys, device=d))
                    places = places.to(core.int64)[there]
                    left = table.active_buf_indices().to(core.int64)
                    return [
                        erased.to(core.int64).sum(),
                        there,
                        table.value_tensor()[places],
                        table.size(),
                        *rows_in_order(table.key_tensor()[left], table.value_tensor()[left]),
                    ]

                both(cases, f"map {name} {width} {n}", found)
        keys = random("hash", name).integers(-20, 20, (500, 3)).astype(name)

        def grown(d):
            table = core.HashMap(10, dtype(name), (3,), [core.float32, core.int64], [(2, 2), (3,)], d)
            table.reserve(2000)
            places, fresh = table.activate(Tensor(keys, device=d))
            places = places.to(core.int64)[fresh]
            floats, numbers = table.value_tensors()
            floats[places] = Tensor.ones((places.shape[0], 2, 2), core.float32, d)
            numbers[places] = Tensor(keys.astype(np.int64), device=d)[fresh]
            copy = table.clone()
            left = copy.active_buf_indices().to(core.int64)
            return [
                copy.size(),
                *rows_in_order(copy.key_tensor()[left], copy.value_tensor(0)[left], copy.value_tensor(1)[left]),
            ]

        both(cases, f"map grown, activated, cloned {name}", grown)

        def moved(d):
            table = core.HashSet(100, dtype(name), (3,), d)
            table.insert(Tensor(keys, device=d))
            table = table.to(core.Device("CPU:0")).to(d)
            return [table.size(), *rows_in_order(table.key_tensor()[table.active_buf_indices().to(core.int64)])]

        both(cases, f"set to another device and back {name}", moved)


GROUPS = {"linalg": linalg, "hashing": hashing}
