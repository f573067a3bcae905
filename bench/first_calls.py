#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long the first call of a dpnp function takes: Intel's OpenCL CPU driver on Intel's stack, and our CPU adapter.

    first_calls.py [--runs 5] [--lib dist/lib] [--items 100000] [--tier adaptive] [--only NAME]...

Each figure is of a fresh process, which makes its arrays from numpy's before the clock starts: the first one with empty
caches (those of libsycl, the driver and ours are in a folder of their own), the second with what the first left in them. Both
stacks take turns. Printed are the least of all runs in milliseconds, of elapsed time and of the processor time of all threads
until the result, ours by Intel's: not what `--tier adaptive` compiles later. Then come the least peak of the process's resident
memory in MB, with what it compiles later; the processor time of a second call, of which nothing is left to load or compile; and
the ratio of what the first calls take more than these. Results are checked against numpy's. The libsycl is that of 2026.2.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import geometric_mean

REPO = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPO / "conformance" / "suites"))
from stack import Stack  # noqa: E402

CALLS = {
    "sum": "numpy.sum(data)",
    "cumsum": "numpy.cumsum(data)",
    "sort": "numpy.sort(data)",
    "unique": "numpy.unique(data)",
    "histogram": "numpy.histogram(data, 100)[0]",
    "argsort": "numpy.argsort(data)",
    "median": "numpy.median(data)",
    "var": "numpy.var(data)",
    "fft": "numpy.fft.fft(data)",
    "sin": "numpy.sin(data)",
    "matmul": "numpy.matmul(matrix, matrix)",
    "solve": "numpy.linalg.solve(matrix, matrix[0])",
}
# With `--tier adaptive` our first process compiles quick code, and the best code when it is idle (docs/compiler.md, Tiers): it
# lives for so many seconds more.
PROCESSES = {"empty": 3, "filled": 0}
PROGRAM = """
import resource, time, numpy as reference, dpnp as device
generator = reference.random.default_rng(1)
host = {{"data": generator.standard_normal({items}), "matrix": generator.standard_normal((100, 100))}}
there = {{name: device.asarray(array) for name, array in host.items()}}
there["data"].sycl_queue.wait()
def run(numpy, arrays):
    data, matrix = arrays["data"], arrays["matrix"]
    return {call}
def call():
    start, cpu = time.perf_counter(), time.process_time()
    result = run(device, there)
    result.sycl_queue.wait()
    return result, (time.perf_counter() - start) * 1e3, (time.process_time() - cpu) * 1e3
result, *first = call()
time.sleep({rest})
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3 * 1.024
print(*first, peak, min(call()[2] for _ in range(3)))
assert reference.allclose(device.asnumpy(result), run(reference, host), rtol=1e-7, atol=1e-7)
"""


def measure(stack, call, items, rest, folder):
    """(elapsed, processor time, peak memory, processor time of a second call), in milliseconds and MB."""
    variables = stack.environment() | {"SYCL_CACHE_DIR": f"{folder}/sycl", "UR_CPU_CACHE": f"{folder}/kernels"}
    # Intel's compiler has a cache of its own.
    variables |= {"HOME": str(folder), "XDG_CACHE_HOME": f"{folder}/xdg", "cl_cache_dir": f"{folder}/cl"}
    command = [stack.python, "-c", PROGRAM.format(call=call, items=items, rest=rest)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit(f"{call} on {stack.name}:\n{done.stderr[-2000:]}")
    return tuple(map(float, done.stdout.split()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--lib", type=Path, default=REPO / "dist" / "lib", help="the folder of our libraries")
    parser.add_argument("--items", type=int, default=100_000, help="the length of arrays")
    parser.add_argument("--tier", choices=("adaptive", "best", "quick"), help="of our compiler: UR_CPU_TIER")
    parser.add_argument("--only", action="append", choices=CALLS, metavar="NAME", help=", ".join(CALLS))
    options = parser.parse_args()
    if options.tier:
        os.environ["UR_CPU_TIER"] = options.tier
    stacks = {"intel": Stack("intel", "2026.2"), "ours": Stack("ours", "2026.2", options.lib, "cpu")}
    for stack in stacks.values():
        if problems := stack.problems():
            sys.exit("\n".join(problems))
    ratios = {}
    print(
        f"{'first call':12}{'caches':>8}{'Intel ms':>12}{'ours ms':>10}{'ratio':>8}{'Intel CPU':>12}{'ours CPU':>10}{'ratio':>8}"
        f"{'Intel MB':>12}{'ours MB':>10}{'ratio':>8}{'Intel 2nd':>12}{'ours 2nd':>10}{'ratio':>8}{'1st - 2nd':>12}"
    )
    for name in options.only or CALLS:
        least = {}
        for _ in range(options.runs):
            for kind, stack in stacks.items():
                with tempfile.TemporaryDirectory() as folder:
                    for caches in PROCESSES:
                        figures = measure(stack, CALLS[name], options.items, PROCESSES[caches], folder)
                        least[caches, kind] = tuple(map(min, zip(figures, least.get((caches, kind), figures))))
        for caches in PROCESSES:
            pairs = list(zip(least[caches, "intel"], least[caches, "ours"]))
            columns = (f"{theirs:12.1f}{ours:10.1f}{ours / theirs:8.3f}" for theirs, ours in pairs)
            more = tuple(max(pairs[1][side] - pairs[3][side], 1e-3) for side in (0, 1))
            print(f"{name:12}{caches:>8}{''.join(columns)}{more[1] / more[0]:12.3f}", flush=True)
            ratios.setdefault(caches, []).append([ours / theirs for theirs, ours in [*pairs, more]])
    for caches, rows in ratios.items():
        *means, of_more = (geometric_mean(column) for column in zip(*rows))
        print(f"{'mean':12}{caches:>8}{''.join(f'{mean:30.3f}' for mean in means)}{of_more:12.3f}")


if __name__ == "__main__":
    main()
