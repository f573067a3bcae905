#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long dpnp's functions take once their kernels are compiled: Intel's OpenCL CPU driver on Intel's stack, our CPU adapter,
and NumPy on one thread.

    dpnp_steady.py [--rounds 5] [--lib dist/lib] [--sizes 10,1e3,1e5,1e7] [--only NAME]...

Each of the three is one process that lives for the whole run, and they take turns. Printed are the least medians of all rounds, in
microseconds of elapsed time, and two ratios: ours by Intel's, and what the device computes by NumPy's time. At 10 elements there is
next to nothing to compute: what a call takes then is the host's (dpnp itself, libsycl and the adapter), and is shown apart; the rest
of the time for larger arrays is the device's. A row ends with `!` if ours takes longer than Intel's, with `n` if the device takes
longer than 1.5 of NumPy's time for a function of 1e5 elements or more. Results are checked against NumPy's. The libsycl is that of
2026.2.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import geometric_mean, median

REPO = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPO / "conformance" / "suites"))

# Numbers are doubles, dpnp's default. `m` is the module, `v` what the arrays are called.
CALLS = {
    "add": lambda m, v: m.add(v.a, v.b),
    "add, broadcast": lambda m, v: m.add(v.rows, v.row),
    "sqrt": lambda m, v: m.sqrt(v.b),
    "sin": lambda m, v: m.sin(v.a),
    "exp": lambda m, v: m.exp(v.a),
    "where": lambda m, v: m.where(v.mask, v.a, v.b),
    "take": lambda m, v: m.take(v.a, v.indices),
    "sum": lambda m, v: m.sum(v.a),
    "max": lambda m, v: m.max(v.a),
    "argmax": lambda m, v: m.argmax(v.a),
    "std": lambda m, v: m.std(v.a),
    "cumsum": lambda m, v: m.cumsum(v.a),
    "dot": lambda m, v: m.dot(v.a, v.b),
    "histogram": lambda m, v: m.histogram(v.a, 100)[0],
    "fft": lambda m, v: m.fft.fft(v.a),
    "sort": lambda m, v: m.sort(v.a),
    "argsort": lambda m, v: m.argsort(v.a),
    "unique": lambda m, v: m.unique(v.numbers),
}
SIZES = [10, 10**3, 10**5, 10**7]
NUMPY_GOAL, NUMPY_FROM = 1.5, 10**5
# A call of so many elements is the host's work.
HOST_SIZE = 10


class Values:
    """The arrays of one size, made by `to_device` from NumPy's."""

    def __init__(self, numpy, size, to_device):
        generator = numpy.random.default_rng(size)
        arrays = {
            "a": generator.standard_normal(size),
            "b": generator.random(size),
            "mask": generator.random(size) < 0.5,
            "indices": generator.integers(0, size, size),
            "numbers": generator.integers(0, 1000, size),
            "rows": generator.random((-(-size // 10), 10)),
            "row": generator.random(10),
        }
        for name, array in arrays.items():
            setattr(self, name, to_device(array))


def work(kind, tasks):
    """The process of one side. It reads a task a line, and answers with the median in microseconds."""
    import time

    import numpy

    module, wait, to_device, to_host = numpy, lambda: None, lambda array: array, lambda array: array
    if kind != "numpy":
        import dpnp as module

        to_device, to_host = module.asarray, module.asnumpy
        wait = module.asarray([0]).sycl_queue.wait
    values, size = None, None
    for task in tasks:
        name, wanted, seconds, check = json.loads(task)
        if wanted != size:
            values = None  # Frees the arrays before there are others.
            values, size = Values(numpy, wanted, to_device), wanted
        call = CALLS[name]

        def once():
            start = time.perf_counter()
            result = call(module, values)
            wait()
            return time.perf_counter() - start, result

        # Until the kernels have their best code, which another thread compiles.
        began = time.perf_counter()
        result = once()[1]
        while time.perf_counter() - began < seconds * (5 if check else 1):
            result = once()[1]
        times = []
        began = time.perf_counter()
        while len(times) < 5 or time.perf_counter() - began < seconds:
            times.append(once()[0])
        right = True
        if check:
            expected = CALLS[name](numpy, Values(numpy, size, lambda array: array))
            right = bool(numpy.allclose(to_host(result), expected, rtol=1e-9, atol=1e-14 * size))
        print(json.dumps([1e6 * median(times), right]), flush=True)


class Side:
    """A process that computes."""

    def __init__(self, kind, command, environment):
        self.kind = kind
        self.process = subprocess.Popen(
            [*command, __file__, "--work", kind], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def time(self, name, size, seconds, check):
        self.process.stdin.write(json.dumps([name, size, seconds, check]) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{name} of {size} on {self.kind}: the process ended with {self.process.wait()}")
        figure, right = json.loads(answer)
        if not right:
            sys.exit(f"{name} of {size} on {self.kind}: the result is not NumPy's")
        return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1, help="how long a round of a function measures")
    parser.add_argument("--lib", type=Path, default=REPO / "dist" / "lib", help="the folder of our libraries")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of elements, with commas")
    parser.add_argument("--only", action="append", choices=CALLS, metavar="NAME", help=", ".join(CALLS))
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options.work, sys.stdin)

    from stack import Stack

    stacks = {"intel": Stack("intel", "2026.2"), "ours": Stack("ours", "2026.2", options.lib, "cpu")}
    for stack in stacks.values():
        if problems := stack.problems():
            sys.exit("\n".join(problems))
    with tempfile.TemporaryDirectory() as folder:
        sides = {
            kind: Side(kind, [stack.python], stack.environment() | {"UR_CPU_CACHE": f"{folder}/kernels"}) for kind, stack in stacks.items()
        }
        one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "MKL", "OPENBLAS")}
        sides["numpy"] = Side("numpy", [stacks["intel"].python], os.environ | one_thread)
        compare(sides, options)
        for side in sides.values():
            side.process.stdin.close()
            side.process.wait()


def compare(sides, options):
    def measure(name, size):
        least = {}
        for turn in range(options.rounds):
            for kind, side in sides.items():
                least[kind] = min(least.get(kind, float("inf")), side.time(name, size, options.seconds, turn == 0))
        return least

    print(f"{'us':28}{'NumPy':>12}{'Intel':>12}{'ours':>12}{'of host':>10}{'by Intel':>10}{'by NumPy':>10}")
    names = options.only or list(CALLS)
    hosts = {name: measure(name, HOST_SIZE) for name in names}
    by_intel, misses = {}, 0
    for size in (int(float(size)) for size in options.sizes.split(",")):
        for name in names:
            least = hosts[name] if size == HOST_SIZE else measure(name, size)
            host = min(hosts[name]["ours"], least["ours"])
            intel, numpy = least["ours"] / least["intel"], (least["ours"] - host) / least["numpy"]
            by_intel.setdefault(size, []).append(intel)
            mark = " !" * (intel > 1) + " n" * (size >= NUMPY_FROM and numpy > NUMPY_GOAL)
            misses += bool(mark)
            title = f"{name}, {size:.0e}"
            figures = "".join(f"{least[kind]:12.1f}" for kind in ("numpy", "intel", "ours"))
            print(f"{title:28}{figures}{host:10.1f}{intel:10.2f}{numpy:10.2f}{mark}", flush=True)
    for size, ratios in by_intel.items():
        print(f"mean of {size:.0e} by Intel: {geometric_mean(ratios):.2f}, worst {max(ratios):.2f}")
    print(f"mean by Intel: {geometric_mean(sum(by_intel.values(), [])):.2f}; {misses} rows miss their goals")


if __name__ == "__main__":
    main()
