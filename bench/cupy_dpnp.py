#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long dpnp on the CUDA adapter takes for what CuPy does, on one NVIDIA GPU, in one process and in turns:

    oxur run --adapter cuda -- python bench/cupy_dpnp.py [--sizes 1e3,1e5,1e7] [--only NAME]... [--seconds 0.1]

`make bench BENCH='--adapter cuda'` runs it behind the figures of calls. The Python environment needs dpnp, libsycl and CuPy.
Times are medians in microseconds: `one` is a call and the wait for it, `many` is a call among many, with a wait behind the
last. `host` is how long dpnp takes to return while the device has nothing to do, which no adapter changes much. The ratios are
dpnp's by CuPy's; `goal` is that of `many` from 1e6 elements on, and a row that misses it ends with `!`. Results are compared.
"""

import argparse
import sys
import time
from statistics import geometric_mean, median

import cupy
import dpnp
import numpy

SIZES = [10**3, 10**4, 10**5, 10**6, 10**7, 10**8]
# Of matrices.
SIDES = [64, 256, 1024, 4096]
FULL = 10**6

# name: (dtype, what is called with the module and its arrays, goal)
ARRAYS = {
    "add": ("f4", lambda m, a, b: m.add(a, b), 1.2),
    "multiply f8": ("f8", lambda m, a, b: m.multiply(a, b), 1.2),
    "sqrt": ("f4", lambda m, a, b: m.sqrt(a), 1.2),
    "sin": ("f4", lambda m, a, b: m.sin(a), 1.2),
    "exp f8": ("f8", lambda m, a, b: m.exp(a), 1.2),
    "less": ("f4", lambda m, a, b: m.less(a, b), 1.2),
    "where": ("f4", lambda m, a, b: m.where(a < b, a, b), 1.2),
    "astype": ("f4", lambda m, a, b: a.astype("f8"), 1.2),
    "sum": ("f4", lambda m, a, b: m.sum(a), 1.2),
    "sum f8": ("f8", lambda m, a, b: m.sum(a), 1.2),
    "max": ("f4", lambda m, a, b: m.max(a), 1.2),
    "argmax": ("f4", lambda m, a, b: m.argmax(a), 1.2),
    "mean": ("f4", lambda m, a, b: m.mean(a), 1.2),
    "cumsum": ("f4", lambda m, a, b: m.cumsum(a), 1.2),
    "sort": ("f4", lambda m, a, b: m.sort(a), 2.0),
    "sort i4": ("i4", lambda m, a, b: m.sort(a), 2.0),
    "argsort": ("f4", lambda m, a, b: m.argsort(a), 2.0),
    "unique": ("i4", lambda m, a, b: m.unique(a), 2.0),
}
MATRICES = {
    "matmul": ("f4", lambda m, a, b: m.matmul(a, b), 1.1),
    "matmul f8": ("f8", lambda m, a, b: m.matmul(a, b), 1.1),
    "matmul f2": ("f2", lambda m, a, b: m.matmul(a, b), 1.1),
}
# Of a thousand matrices. They are definite, so that each function takes them.
STACKS = {
    "solve": ("f4", lambda m, a, b: m.linalg.solve(a, b), 1.2),
    "solve f8": ("f8", lambda m, a, b: m.linalg.solve(a, b), 1.2),
    "inv": ("f4", lambda m, a, b: m.linalg.inv(a), 1.2),
    "inv f8": ("f8", lambda m, a, b: m.linalg.inv(a), 1.2),
    "cholesky": ("f4", lambda m, a, b: m.linalg.cholesky(a), 1.2),
    "cholesky f8": ("f8", lambda m, a, b: m.linalg.cholesky(a), 1.2),
    # The signs of columns are the library's choice, so the factors are multiplied where results are compared.
    "qr": ("f4", lambda m, a, b: m.linalg.qr(a), 1.2),
    "qr f8": ("f8", lambda m, a, b: m.linalg.qr(a), 1.2),
}
STACK = (1000, 32, 32)
# Of one tall matrix. dpnp has no least squares of stacks.
TALL = {"lstsq": ("f8", lambda m, a, b: m.linalg.lstsq(a, b[:, 0], rcond=None)[0], 1.2)}


def host_arrays(dtype, shape):
    generator = numpy.random.default_rng(1)
    if len(shape) == 3:
        a, b = generator.random((2, *shape))
        return [(a @ a.swapaxes(1, 2) + numpy.eye(shape[-1])).astype(dtype), b.astype(dtype)]
    if dtype.startswith("i"):
        return [generator.integers(0, 1000, shape).astype(dtype) for _ in range(2)]
    return [generator.random(shape).astype(dtype) for _ in range(2)]


class Side:
    """A library with its arrays."""

    def __init__(self, module, arrays, call, wait):
        self.arrays = [module.asarray(array) for array in arrays]
        self.call = lambda: call(module, *self.arrays)
        self.wait = wait

    def time(self, count):
        """A call and the wait for it; and a call among so many."""
        self.wait()
        start = time.perf_counter()
        self.call()
        self.wait()
        one = time.perf_counter() - start
        start = time.perf_counter()
        for _ in range(count):
            self.call()
        self.wait()
        return one, (time.perf_counter() - start) / count


def measure(sides, seconds):
    """The medians of both sides in microseconds."""
    for side in sides:
        side.call()
        side.wait()
    began = time.perf_counter()
    sides[0].call()
    sides[0].wait()
    count = int(min(50, max(2, 0.02 / max(time.perf_counter() - began, 1e-6))))
    times = [[] for _ in sides]
    began = time.perf_counter()
    while len(times[0]) < 5 or time.perf_counter() - began < seconds:
        for side, all_times in zip(sides, times):
            all_times.append(side.time(count))
    return [[1e6 * median(column) for column in zip(*all_times)] for all_times in times]


def whole(result, to_host):
    """A result on the host; the product of factors, which are not unique."""
    factors = [to_host(part) for part in result] if isinstance(result, tuple) else [to_host(result)]
    return factors[0] if len(factors) == 1 else numpy.matmul(*factors)


def host_time(side):
    """How long a call takes to return, in microseconds."""
    times = []
    for _ in range(21):
        side.wait()
        start = time.perf_counter()
        side.call()
        times.append(time.perf_counter() - start)
    return 1e6 * median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default=None, help="numbers of elements, with commas")
    parser.add_argument("--only", action="append", help="rows with this in their names")
    parser.add_argument("--seconds", type=float, default=0.1, help="how long to measure a row")
    options = parser.parse_args()
    sizes = [int(float(size)) for size in options.sizes.split(",")] if options.sizes else SIZES
    queue = dpnp.asarray([0]).sycl_queue
    wait_dpnp, wait_cupy = queue.wait, cupy.cuda.Device().synchronize
    print(f"{queue.sycl_device.name}: dpnp {dpnp.__version__}, CuPy {cupy.__version__}")
    print(f"{'':24}{'dpnp one':>10}{'many':>10}{'host':>8}{'CuPy one':>10}{'many':>10}{'one':>7}{'many':>7}{'goal':>6}")
    rows = [(f"{name} {size:.0e}", row, (size,), size) for name, row in ARRAYS.items() for size in sizes]
    rows += [(f"{name} {side}", row, (side, side), side * side) for name, row in MATRICES.items() for side in SIDES]
    rows += [(f"{name} of {STACK[0]} x {STACK[1]}", row, STACK, FULL) for name, row in STACKS.items()]
    rows += [(f"{name} 2000x100", row, (2000, 100), FULL) for name, row in TALL.items()]
    ratios, missed = [], 0
    for name, (dtype, call, goal), shape, elements in rows:
        if options.only and not any(text in name for text in options.only):
            continue
        arrays = host_arrays(dtype, shape)
        sides = [Side(dpnp, arrays, call, wait_dpnp), Side(cupy, arrays, call, wait_cupy)]
        ours, theirs = whole(sides[0].call(), dpnp.asnumpy), whole(sides[1].call(), cupy.asnumpy)
        tolerance = {"f2": 2e-2, "f4": 1e-3}.get(dtype, 1e-9)
        if "argsort" not in name and not numpy.allclose(ours, theirs, rtol=tolerance, atol=tolerance * abs(theirs).max()):
            sys.exit(f"{name}: the results differ: {ours} {theirs}")
        (one, many), (cupy_one, cupy_many) = measure(sides, options.seconds)
        ratio = many / cupy_many
        ratios.append(ratio)
        misses = ratio > goal and elements >= FULL
        missed += misses
        print(
            f"{name:24}{one:10.1f}{many:10.1f}{host_time(sides[0]):8.1f}{cupy_one:10.1f}{cupy_many:10.1f}"
            f"{one / cupy_one:7.2f}{ratio:7.2f}{goal:6.1f}{' !' if misses else ''}",
            flush=True,
        )
    if ratios:
        print(f"dpnp by CuPy, among many calls: {geometric_mean(ratios):.2f}; {missed} rows miss their goals")


if __name__ == "__main__":
    main()
