# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Open3D's tensors: creation, conversions, element by element, reductions, indices."""

import tempfile
from pathlib import Path

import numpy as np
from cases import random
from data import FLOATS, NUMBERS, SIGNED, TYPES, Tensor, both, core, dtype, numbers


def sizes(cases):
    return (0, 1, 7, 1000, 65_537, 3_000_001) if cases.full else (0, 1, 7, 1000, 65_537)


def creation(cases):
    for name in TYPES:
        t = dtype(name)
        for n in (0, 1, 7, 4099):
            both(cases, f"empty {name} {n}", lambda d: Tensor.empty((n, 3), t, d).shape)
            both(
                cases,
                f"zeros {name} {n}",
                lambda d: Tensor.zeros((n, 3), t, d),
                reference=lambda: np.zeros((n, 3), name),
            )
            both(
                cases, f"ones {name} {n}", lambda d: Tensor.ones((n, 3), t, d), reference=lambda: np.ones((n, 3), name)
            )
            both(
                cases,
                f"full {name} {n}",
                lambda d: Tensor.full((2, n), 1, t, d),
                reference=lambda: np.full((2, n), 1, name),
            )
            values = numbers(name, n, 3)
            both(cases, f"of NumPy {name} {n}", lambda d: Tensor(values, device=d), reference=lambda: values)
            both(
                cases,
                f"of NumPy transposed {name} {n}",
                lambda d: Tensor(values.T, device=d),
                reference=lambda: values.T,
            )
        both(cases, f"full 3.7 {name}", lambda d: Tensor.full((5,), 3.7, t, d))
        both(cases, f"eye {name}", lambda d: Tensor.eye(5, t, d), reference=lambda: np.eye(5, dtype=name))
        both(
            cases,
            f"diag {name}",
            lambda d: Tensor.diag(Tensor(numbers(name, 5), device=d)),
            reference=lambda: np.diag(numbers(name, 5)),
        )
        both(cases, f"scalar {name}", lambda d: Tensor(1, t, d), reference=lambda: np.array(1, name))
        if name != "bool":
            for arguments in ((0, 10, 1), (3, 40, 7), (0, 120, 3), (5, 5, 1)):
                both(
                    cases,
                    f"arange {name} {arguments}",
                    lambda d: Tensor.arange(*arguments, dtype=t, device=d),
                    reference=lambda: np.arange(*arguments).astype(name),
                )
    both(
        cases,
        "arange of float",
        lambda d: Tensor.arange(0.5, 3.5, 0.25, device=d),
        reference=lambda: np.arange(0.5, 3.5, 0.25),
    )
    both(
        cases,
        "of lists",
        lambda d: Tensor([[1, 2], [3, 4]], core.int32, d),
        reference=lambda: np.array([[1, 2], [3, 4]], np.int32),
    )
    for n in (1, 16, 1000):
        for dims in (1, 2, 3):
            both(cases, f"quasirandom {n} {dims}", lambda d: Tensor.quasirandom(n, dims, core.float32, d))


def conversion(cases):
    for name in TYPES:
        for other in TYPES:
            values = np.abs(numbers(name, 33, 5)) if name != "bool" else numbers(name, 33, 5)
            both(
                cases,
                f"{name} to {other}",
                lambda d: Tensor(values, device=d).to(dtype(other)),
                reference=lambda: values.astype(other),
            )
            both(
                cases,
                f"{name} to {other}, transposed",
                lambda d: Tensor(values, device=d).T().to(dtype(other)),
                reference=lambda: values.T.astype(other),
            )
        values = numbers(name, 33, 5)
        if name in (*FLOATS, *SIGNED):
            for other in (*FLOATS, *SIGNED, "bool"):
                both(
                    cases,
                    f"negative {name} to {other}",
                    lambda d: Tensor(values, device=d).to(dtype(other)),
                    reference=lambda: values.astype(other),
                )
        both(cases, f"to the device {name}", lambda d: Tensor(values).to(d), reference=lambda: values)
        both(
            cases,
            f"to the device and back {name}",
            lambda d: Tensor(values).to(d).to(core.Device("CPU:0")),
            reference=lambda: values,
        )
        both(
            cases,
            f"to, copied {name}",
            lambda d: Tensor(values, device=d).to(dtype(name), copy=True),
            reference=lambda: values,
        )
        both(cases, f"clone {name}", lambda d: Tensor(values, device=d).clone(), reference=lambda: values)
        both(
            cases,
            f"clone, sliced {name}",
            lambda d: Tensor(values, device=d)[::2, 1::3].clone(),
            reference=lambda: values[::2, 1::3],
        )
        both(
            cases, f"contiguous {name}", lambda d: Tensor(values, device=d).T().contiguous(), reference=lambda: values.T
        )
        both(cases, f"item {name}", lambda d: Tensor(values, device=d)[3, 2].item(), reference=lambda: values[3, 2])
        both(
            cases,
            f"dlpack {name}",
            lambda d: Tensor.from_dlpack(Tensor(values, device=d).to_dlpack()),
            reference=lambda: values,
        )

        def saved(d):
            with tempfile.TemporaryDirectory() as folder:
                file = str(Path(folder) / "tensor.npy")
                Tensor(values, device=d).save(file)
                return Tensor.load(file)

        both(cases, f"save, load {name}", saved, reference=lambda: values)
    for n in sizes(cases):
        values = numbers("float32", n, 3)
        both(cases, f"to the device, size {n}", lambda d: Tensor(values).to(d), reference=lambda: values)
        both(
            cases,
            f"float32 to float64, size {n}",
            lambda d: Tensor(values, device=d).to(core.float64),
            reference=lambda: values.astype(np.float64),
        )


UNARY = {
    "abs": np.abs,
    "neg": np.negative,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": None,
    "sqrt": None,
    "sin": np.sin,
    "cos": np.cos,
    "exp": np.exp,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "logical_not": np.logical_not,
}


def unary(cases):
    for name in TYPES:
        for function, reference in UNARY.items():
            if function in ("sqrt", "sin", "cos", "exp") and name not in FLOATS:
                continue
            if name == "bool" and function in ("abs", "neg", "floor", "ceil", "round", "trunc"):
                continue
            for n in sizes(cases) if name in ("float32", "int32") else (0, 1, 1000):
                values = numbers(name, n)
                if function == "sqrt":
                    values = np.abs(values)
                sure = reference if name in FLOATS else None
                both(
                    cases,
                    f"{function} {name} {n}",
                    lambda d: getattr(Tensor(values, device=d), function)(),
                    reference=sure and (lambda: sure(values)),
                )
            values = np.abs(numbers(name, 33, 5)) if name != "bool" else numbers(name, 33, 5)
            both(cases, f"{function}, transposed {name}", lambda d: getattr(Tensor(values, device=d).T(), function)())
            both(
                cases, f"{function}, sliced {name}", lambda d: getattr(Tensor(values, device=d)[1::3, ::2], function)()
            )
            if not function.startswith("is") and function not in ("floor", "ceil", "trunc", "round"):

                def in_place(d):
                    tensor = Tensor(values.copy(), device=d)
                    getattr(tensor, f"{function}_")()
                    return tensor

                both(cases, f"{function}_ {name}", in_place)
        if name != "bool":
            values = numbers(name, 1000)
            both(
                cases,
                f"clip {name}",
                lambda d: Tensor(values, device=d).clip(2, 5),
                reference=lambda: values.clip(2, 5),
            )

            def clipped(d):
                tensor = Tensor(values.copy(), device=d)
                tensor.clip_(2, 5)
                return tensor

            both(cases, f"clip_ {name}", clipped, reference=lambda: values.clip(2, 5))
    for name in FLOATS:
        special = np.array(
            [0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, -0.5, -1.5, 1e-30, -1e30, 3e4, 1e5], name
        )
        for function in UNARY:
            if function != "logical_not":
                both(
                    cases,
                    f"{function} of special values {name}",
                    lambda d: getattr(Tensor(special, device=d), function)(),
                )


ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": None}
LOGIC = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
COMPARISON = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
SHAPES = [
    ((4, 5), (4, 5)),
    ((4, 5), (5,)),
    ((4, 1), (1, 5)),
    ((3, 4, 5), (4, 1)),
    ((0, 5), (1, 5)),
    ((2, 3, 4, 5), (3, 1, 5)),
    ((), (4,)),
]


def binary(cases):
    for name in TYPES:
        for function, reference in {**ARITHMETIC, **LOGIC, **COMPARISON}.items():
            if name == "bool" and function in ARITHMETIC:
                continue
            for n in sizes(cases) if name in ("float32", "int32", "bool") else (1, 1000):
                a, b = numbers(name, n), numbers(name, n, seed=1)
                both(
                    cases,
                    f"{function} {name} {n}",
                    lambda d: getattr(Tensor(a, device=d), function)(Tensor(b, device=d)),
                    reference=reference and (lambda: reference(a, b)),
                )
            for one, other in SHAPES:
                a, b = numbers(name, *one), numbers(name, *other, seed=1)
                both(
                    cases,
                    f"{function} {name} {one} {other}",
                    lambda d: getattr(Tensor(a, device=d), function)(Tensor(b, device=d)),
                    reference=reference and (lambda: reference(a, b)),
                )
            a, b = numbers(name, 33, 7), numbers(name, 7, 33, seed=1)
            both(
                cases,
                f"{function}, transposed {name}",
                lambda d: getattr(Tensor(a, device=d), function)(Tensor(b, device=d).T()),
                reference=reference and (lambda: reference(a, b.T)),
            )
            scalar = True if name == "bool" else 3
            both(cases, f"{function} with a number {name}", lambda d: getattr(Tensor(a, device=d), function)(scalar))

            def in_place(d):
                tensor = Tensor(a.copy(), device=d)
                getattr(tensor, f"{function}_")(Tensor(b, device=d).T())
                return tensor

            both(cases, f"{function}_ {name}", in_place)
        a, b = numbers(name, 64), numbers(name, 64, seed=1)
        if name != "bool":
            both(
                cases,
                f"operators {name}",
                lambda d: [
                    Tensor(a, device=d) + Tensor(b, device=d),
                    Tensor(a, device=d) - 2,
                    2 - Tensor(a, device=d),
                    Tensor(a, device=d) * Tensor(b, device=d),
                    Tensor(a, device=d) / Tensor(b, device=d),
                    6 / Tensor(a, device=d),
                    2 * Tensor(a, device=d),
                    2 + Tensor(a, device=d),
                    Tensor(a, device=d) // Tensor(b, device=d),
                    -Tensor(a, device=d),
                    Tensor(a, device=d) < Tensor(b, device=d),
                    Tensor(a, device=d) == 3,
                    Tensor(a, device=d) >= 2,
                    Tensor(a, device=d) != Tensor(b, device=d),
                ],
            )

            def augmented(d):
                tensor = Tensor(a.copy(), device=d)
                tensor += Tensor(b, device=d)
                tensor -= 1
                tensor *= 2
                tensor /= Tensor(b, device=d)
                return tensor

            both(cases, f"operators in place {name}", augmented)
        else:
            both(
                cases,
                "operators bool",
                lambda d: [
                    Tensor(a, device=d) & Tensor(b, device=d),
                    Tensor(a, device=d) | Tensor(b, device=d),
                    Tensor(a, device=d) ^ Tensor(b, device=d),
                    Tensor(a, device=d) & True,
                ],
            )
        both(
            cases,
            f"maximum {name}",
            lambda d: core.maximum(Tensor(a, device=d), Tensor(b, device=d)),
            reference=lambda: np.maximum(a, b),
        )
        both(
            cases,
            f"minimum {name}",
            lambda d: core.minimum(Tensor(a, device=d), Tensor(b, device=d)),
            reference=lambda: np.minimum(a, b),
        )
        both(cases, f"isclose {name}", lambda d: Tensor(a, device=d).isclose(Tensor(b, device=d)))
        both(
            cases,
            f"allclose {name}",
            lambda d: [
                Tensor(a, device=d).allclose(Tensor(a, device=d)),
                Tensor(a, device=d).allclose(Tensor(b, device=d)),
            ],
        )
        both(cases, f"issame {name}", lambda d: Tensor(a, device=d).issame(Tensor(a, device=d)))
        for one, other in () if name == "bool" else (((5, 3), (5, 3)), ((1, 3), (5, 3)), ((1000, 3), (3,))):
            a, b = numbers(name, *one), numbers(name, *other, seed=1)
            both(cases, f"cross {name} {one} {other}", lambda d: Tensor(a, device=d).cross(Tensor(b, device=d)))
    for name in FLOATS:
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-40, 1e38], name)
        a, b = (values.ravel() for values in np.meshgrid(special, special))
        for function in (*ARITHMETIC, *LOGIC, *COMPARISON):
            both(
                cases,
                f"{function} of special values {name}",
                lambda d: getattr(Tensor(a, device=d), function)(Tensor(b, device=d)),
            )


REDUCTIONS = {
    "sum": np.sum,
    "mean": np.mean,
    "prod": np.prod,
    "min": np.min,
    "max": np.max,
    "argmin": np.argmin,
    "argmax": np.argmax,
}


def distinct(name, *shape):
    """Numbers of which those that the type has room for differ, the smallest and the largest among them."""
    count = int(np.prod(shape))
    order = random("distinct", *shape).permutation(count)
    if name in FLOATS:
        return (order - count / 3).astype(name).reshape(shape)
    info = np.iinfo(name)
    values = (order - (count // 2 if info.min else 0)).clip(info.min + 1, info.max - 1)
    values = values.astype(name)
    values[order == 0], values[order == count - 1] = info.min, info.max
    return values.reshape(shape)


def reduction(cases):
    for name in NUMBERS:
        for function, reference in REDUCTIONS.items():
            if function == "mean" and name not in FLOATS:
                continue
            if function == "sum" and name not in FLOATS or function == "prod":
                reference = None

            def draw(*shape):
                # Which of equal numbers is found is not said.
                return distinct(name, *shape) if function.startswith("arg") else numbers(name, *shape)

            for n in sizes(cases) if name in ("float32", "int32") else (1, 200):
                if n == 0 and function not in ("sum", "prod"):
                    continue
                values = draw(n)
                if function == "prod" and name in FLOATS:
                    values = (values / 4).astype(name)[:200]
                tolerance = 1e-5 if name == "float32" else 1e-12
                sure = None if n == 0 else reference
                if name == "float32" and function in ("sum", "mean") and n > 1000:
                    tolerance = 1e-3 * n**0.5 if function == "sum" else 1e-3
                both(
                    cases,
                    f"{function} {name} {n}",
                    lambda d: getattr(Tensor(values, device=d), function)(),
                    tolerance,
                    sure and (lambda: sure(values)),
                )
            shapes = [
                ((33, 7), (0,)),
                ((33, 7), (1,)),
                ((3, 4, 5), (1,)),
                ((1, 1), (0,)),
                ((2000, 3), (0,)),
                ((3, 2000), (1,)),
                ((0, 3), (0,)),
                ((3, 0), (0,)),
            ]
            if not function.startswith("arg"):
                shapes += [((3, 4, 5), (0, 2)), ((3, 4, 5), (0, 1, 2)), ((3, 4, 5), (-1,)), ((7, 8, 9, 10), (1, 3))]
            for shape, dims in shapes:
                if function.startswith("arg") and name.endswith("int8") and max(shape) > 100:
                    continue
                if 0 in shape and function not in ("sum", "prod"):
                    continue
                values = draw(*shape)
                if function == "prod" and name in FLOATS:
                    values = (values / 4).astype(name)
                options = {} if function.startswith("arg") else {"keepdim": True}
                both(
                    cases,
                    f"{function} {name} {shape} {dims}",
                    lambda d: getattr(Tensor(values, device=d), function)(dims),
                    1e-4 if name == "float32" else 1e-12,
                )
                if options:
                    both(
                        cases,
                        f"{function}, dimensions kept {name} {shape} {dims}",
                        lambda d: getattr(Tensor(values, device=d), function)(dims, **options),
                        1e-4 if name == "float32" else 1e-12,
                    )
            values = draw(33, 7)
            both(
                cases,
                f"{function}, transposed {name}",
                lambda d: getattr(Tensor(values, device=d).T(), function)((0,)),
                1e-4 if name == "float32" else 1e-12,
            )
            both(
                cases,
                f"{function}, sliced {name}",
                lambda d: getattr(Tensor(values, device=d)[::2, 1:], function)((1,)),
                1e-4 if name == "float32" else 1e-12,
            )
    for n in sizes(cases):
        for share in (0, 0.5, 1):
            values = random("all", n, share).random(n) < share
            both(cases, f"all {n} {share}", lambda d: Tensor(values, device=d).all(), reference=lambda: np.all(values))
            both(cases, f"any {n} {share}", lambda d: Tensor(values, device=d).any(), reference=lambda: np.any(values))
    values = random("all").random((33, 7)) < 0.8
    for dims in ((0,), (1,), (0, 1)):
        both(
            cases,
            f"all {dims}",
            lambda d: Tensor(values, device=d).all(dims),
            reference=lambda: np.all(values, axis=dims),
        )
        both(
            cases,
            f"any {dims}",
            lambda d: Tensor(values, device=d).any(dims),
            reference=lambda: np.any(values, axis=dims),
        )


SLICES = {
    "first": np.s_[0],
    "last": np.s_[-1],
    "middle": np.s_[3:9],
    "steps": np.s_[1:20:3],
    "column": np.s_[:, 2],
    "part": np.s_[2:5, ::2],
    "number and slice": np.s_[4, 1:3],
    "nothing": np.s_[5:5],
    "all of it": np.s_[:, :],
    "deep": np.s_[3, 2],
}


def indexing(cases):
    for name in TYPES:
        values, new = numbers(name, 40, 5), numbers(name, 40, 5, seed=1)
        for what, where in SLICES.items():
            both(
                cases,
                f"slice, {what} {name}",
                lambda d: Tensor(values, device=d)[where],
                reference=lambda: values[where],
            )

            def assigned(d):
                tensor = Tensor(values.copy(), device=d)
                tensor[where] = Tensor(np.asarray(new[where], order="C"), device=d)
                return tensor

            def reference():
                array = values.copy()
                array[where] = new[where]
                return array

            both(cases, f"slice assigned, {what} {name}", assigned, reference=reference)
        for n in (0, 1, 7, 1000):
            rows = random(n).integers(-40, 40, n)
            both(
                cases,
                f"rows {name} {n}",
                lambda d: Tensor(values, device=d)[Tensor(rows, device=d)],
                reference=lambda: values[rows],
            )
            rows32 = random(n, 32).permutation(40)[: min(n, 40)]

            def rows_assigned(d):
                tensor = Tensor(values.copy(), device=d)
                tensor[Tensor(rows32, device=d)] = Tensor(new[: len(rows32)], device=d)
                return tensor

            def rows_reference():
                array = values.copy()
                array[rows32] = new[: len(rows32)]
                return array

            both(cases, f"rows assigned {name} {n}", rows_assigned, reference=rows_reference)
        columns = np.array([4, 0, 0, 2])
        both(
            cases,
            f"columns {name}",
            lambda d: Tensor(values, device=d)[:, Tensor(columns, device=d)],
            reference=lambda: values[:, columns],
        )
        pairs = np.array([1, 5, 7]), np.array([0, 4, 2])
        both(
            cases,
            f"pairs {name}",
            lambda d: Tensor(values, device=d)[Tensor(pairs[0], device=d), Tensor(pairs[1], device=d)],
            reference=lambda: values[pairs],
        )
        grid = np.array([[1], [5]]), np.array([[0, 4, 2]])
        both(
            cases,
            f"grid {name}",
            lambda d: Tensor(values, device=d)[Tensor(grid[0], device=d), Tensor(grid[1], device=d)],
            reference=lambda: values[grid],
        )
        cube = numbers(name, 6, 7, 8)
        both(
            cases,
            f"mixed {name}",
            lambda d: Tensor(cube, device=d)[1:4, Tensor(columns, device=d), ::2],
            reference=lambda: cube[1:4, columns, ::2],
        )
        both(
            cases,
            f"rows of what is transposed {name}",
            lambda d: Tensor(values, device=d).T()[Tensor(columns, device=d)],
            reference=lambda: values.T[columns],
        )
        mask = random("mask").random(40) < 0.4
        both(
            cases,
            f"mask {name}",
            lambda d: Tensor(values, device=d)[Tensor(mask, device=d)],
            reference=lambda: values[mask],
        )

        def masked(d):
            tensor = Tensor(values.copy(), device=d)
            tensor[Tensor(mask, device=d)] = Tensor(new[mask], device=d)
            return tensor

        def mask_reference():
            array = values.copy()
            array[mask] = new[mask]
            return array

        both(cases, f"mask assigned {name}", masked, reference=mask_reference)

        def filled(d):
            tensor = Tensor(values.copy(), device=d)
            tensor[Tensor(mask, device=d)] = Tensor(1, dtype(name), d)
            return tensor

        both(cases, f"mask filled {name}", filled)
        both(
            cases,
            f"nonzero {name}",
            lambda d: Tensor(values * np.array([1, 0, 1, 1, 0], values.dtype), device=d).nonzero(),
            reference=lambda: np.nonzero(values * np.array([1, 0, 1, 1, 0], values.dtype)),
        )
        both(
            cases,
            f"reshape {name}",
            lambda d: Tensor(values, device=d).reshape((8, 25)),
            reference=lambda: values.reshape(8, 25),
        )
        both(
            cases,
            f"reshape, transposed {name}",
            lambda d: Tensor(values, device=d).T().reshape((-1,)),
            reference=lambda: values.T.reshape(-1),
        )
        both(
            cases, f"flatten {name}", lambda d: Tensor(cube, device=d).flatten(1), reference=lambda: cube.reshape(6, 56)
        )
        both(
            cases,
            f"append {name}",
            lambda d: Tensor(values, device=d).append(Tensor(new, device=d), 0),
            reference=lambda: np.append(values, new, 0),
        )
        both(
            cases,
            f"append, flat {name}",
            lambda d: core.append(Tensor(values, device=d), Tensor(new, device=d)),
            reference=lambda: np.append(values, new),
        )
        both(
            cases,
            f"concatenate {name}",
            lambda d: core.concatenate(
                [Tensor(values, device=d), Tensor(new, device=d)[:3], Tensor(new, device=d)[:0]], 0
            ),
            reference=lambda: np.concatenate([values, new[:3]]),
        )
        both(
            cases,
            f"concatenate columns {name}",
            lambda d: core.concatenate([Tensor(values, device=d), Tensor(new, device=d)], 1),
            reference=lambda: np.concatenate([values, new], 1),
        )
        square = numbers(name, 9, 7)
        for diagonal in () if name == "bool" else (0, 2, -3):
            both(
                cases,
                f"triu {name} {diagonal}",
                lambda d: Tensor(square, device=d).triu(diagonal),
                reference=lambda: np.triu(square, diagonal),
            )
            both(
                cases,
                f"tril {name} {diagonal}",
                lambda d: Tensor(square, device=d).tril(diagonal),
                reference=lambda: np.tril(square, diagonal),
            )
            both(cases, f"triul {name} {diagonal}", lambda d: Tensor(square, device=d).triul(diagonal))
        both(cases, f"iteration {name}", lambda d: list(Tensor(values[:3], device=d)))
    for n in sizes(cases):
        values, mask = numbers("float32", n, 3), random("mask", n).random(n) < 0.3
        both(
            cases,
            f"mask, size {n}",
            lambda d: Tensor(values, device=d)[Tensor(mask, device=d)],
            reference=lambda: values[mask],
        )
        both(
            cases,
            f"nonzero, size {n}",
            lambda d: Tensor(mask, device=d).nonzero(),
            reference=lambda: np.nonzero(mask)[0],
        )
        rows = random("rows", n).integers(0, max(n, 1), n)
        both(
            cases,
            f"rows, size {n}",
            lambda d: Tensor(values, device=d)[Tensor(rows, device=d)],
            reference=lambda: values[rows],
        )


GROUPS = {
    "creation": creation,
    "conversion": conversion,
    "unary": unary,
    "binary": binary,
    "reduction": reduction,
    "indexing": indexing,
}
