#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs oneMKL's mathematics, by dpnp, on a named stack: linear algebra and Fourier transforms against NumPy, and random
numbers against those of Intel's stack. And programs that dpctl makes by OpenCL.

    run.py --generation 2026.2 --stack ours --lib dist/lib --adapter cpu
    run.py --generation 2026.1 --stack ours --lib dist/lib --adapter cpu --opencl none --groups linalg
    run.py --generation 2026.2 --stack ours --lib dist/lib --adapter opencl --sizes large

oneMKL calls libOpenCL on native handles. --opencl says which one the process finds, on the CPU adapter: that of the
client's wheels, the system's, or none, which leaves the adapter's own.

The group `exit` is a process that computes on TBB's threads and whose main thread ends slowly.

Exit status: 0 when no case failed, 1 when one did, 2 when the stack is not what was asked for.
"""

import argparse
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "suites"))
from stack import add_arguments, from_arguments  # noqa: E402

# From 256 on oneMKL takes other ways, which begin with questions about the device.
SIZES = {"small": "1,2,5,17,300", "large": "3,64,255,257,512,777,1024,2048"}
# Random numbers are equal but for the last places of those that come from transcendental functions. Some are
# differences (`logistic`), so what is small is as exact as 1 is.
ULPS = 4
GROUPS = ("linalg", "fft", "random", "programs", "exit")

# Run inside the client's Python, which has NumPy: prints the draws that differ.
COMPARE = f"""
import sys
import numpy as np
ours, theirs = (np.load(file) for file in sys.argv[1:3])
for name in sorted(set(ours) | set(theirs)):
    if name not in ours or name not in theirs:
        print(f"FAIL draws of {{name}}: not on both stacks")
        continue
    a, b = ours[name], theirs[name]
    if a.shape != b.shape or a.dtype != b.dtype:
        print(f"FAIL draws of {{name}}: {{a.dtype}} {{a.shape}}, not {{b.dtype}} {{b.shape}}")
    elif np.array_equal(a, b):
        print(f"ok draws of {{name}}")
    elif a.dtype.kind == "f" and np.all(np.abs(a - b) <= {ULPS} * np.spacing(np.maximum(np.abs(b), 1))):
        print(f"ok draws of {{name}}, within {ULPS} ulps")
    else:
        where = np.flatnonzero(a.ravel() != b.ravel())
        first = (a.ravel()[where[0]], b.ravel()[where[0]])
        print(f"FAIL draws of {{name}}: {{len(where)}} of {{a.size}} differ, first {{first!r}}")
print("end")
"""

# Solves equations on TBB's threads.
EXIT = """
import dpnp, numpy
numbers = numpy.random.default_rng(1)
a, b = numbers.random((300, 300)), numbers.random(300)
right = numpy.allclose(dpnp.asnumpy(dpnp.linalg.solve(dpnp.array(a), dpnp.array(b))), numpy.linalg.solve(a, b))
print("ok solve" if right else "FAIL solve is wrong")
print("ok libtcm is loaded" if "/libtcm.so" in open("/proc/self/maps").read() else "FAIL libtcm is not loaded")
print("end", flush=True)
"""


def system_folder():
    """The folder of the system's libOpenCL, as the dynamic linker calls it."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = [line.split(" => ")[1] for line in known.splitlines() if line.strip().startswith("libOpenCL.so.1 ")]
    if not found:
        sys.exit("the system has no libOpenCL.so.1: run `make setup`")
    return Path(found[0]).parent


def shared_library(folder, source):
    """Compiles a source file of this folder."""
    library = Path(folder) / Path(source).with_suffix(".so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, HERE / source, "-ldl"], check=True)
    return str(library)


def hide_opencl(environment, folder, only):
    """Hides each libOpenCL but those in the folder `only` from a process."""
    environment["LD_AUDIT"] = shared_library(folder, "without_opencl.c")
    environment["OXUR_ONLY_OPENCL"] = str(only)


def lines_of(command, environment, timeout):
    """The lines that a process printed, and what is wrong with its end, if it came to none."""
    try:
        run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=timeout)
    except subprocess.TimeoutExpired as error:
        output = error.stdout or ""
        lines = (output.decode() if isinstance(output, bytes) else output).splitlines()
        return [*lines, f"FAIL the process did not end within {timeout} s, after {lines[-1] if lines else 'nothing'}"]
    lines = run.stdout.splitlines()
    if not lines or lines[-1] != "end" or run.returncode != 0:
        return [*lines, f"FAIL the process ended with {run.returncode}, after {lines[-1] if lines else 'nothing'}"]
    return lines[:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--groups", default=",".join(GROUPS), help=f"which of {', '.join(GROUPS)}")
    parser.add_argument("--sizes", default="small", help="small, large, or numbers with commas between")
    parser.add_argument(
        "--opencl", choices=("wheels", "system", "none"), default="wheels", help="which libOpenCL there is"
    )
    parser.add_argument("--timeout", type=int, default=1200, help="seconds for a process")
    options = parser.parse_args()
    stack = from_arguments(parser, options)
    if problems := stack.problems():
        print("\n".join(["the stack is not what was asked for:", *(f"  {problem}" for problem in problems)]))
        print("0 passed, 1 failed")
        return 2
    sizes = SIZES.get(options.sizes, options.sizes)
    with tempfile.TemporaryDirectory() as folder:
        draws = [str(Path(folder) / f"{name}.npz") for name in ("ours", "theirs")]
        environment = stack.environment()
        if options.opencl != "wheels":
            own = stack.lib.resolve() / "opencl"
            hide_opencl(environment, folder, system_folder() if options.opencl == "system" else own)
        ours = [stack.python, HERE / "cases.py", options.groups, sizes, draws[0]]
        lines = lines_of(ours, environment, options.timeout)
        if "exit" in options.groups:
            slow = environment | {"LD_PRELOAD": shared_library(folder, "slow_exit.c")}
            lines += lines_of([stack.python, "-c", EXIT], slow, options.timeout)
        if "random" in options.groups:
            intel = replace(stack, kind="intel")
            theirs = [intel.python, HERE / "cases.py", "random", sizes, draws[1]]
            others = lines_of(theirs, intel.environment(), options.timeout)
            if failed := [line for line in others if line.startswith("FAIL")]:
                lines += ["FAIL the random numbers of Intel's stack", *failed]
            else:
                lines += lines_of([stack.python, "-c", COMPARE, *draws], stack.environment(), options.timeout)
    failed = [line for line in lines if line.startswith("FAIL")]
    print("\n".join(failed or lines[-1:]))
    print(f"{len(lines) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
