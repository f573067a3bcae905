#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests that scikit-learn-intelex's wheel has of itself on a device that is a GPU, where oneDAL computes by kernels.

    suite.py --lib dist/lib --modules onedal         on the CPU adapter, whose device passes for a GPU
    suite.py --lib dist/lib --adapter cuda           on NVIDIA's GPU, with OXUR_CUDA_SYSTEM=1

What fails must be in suite.toml, with the beginning of its message; an entry of which no test fails is an error, unless they fail only
sometimes.
Exit status: 0 when nothing failed that suite.toml does not name, 1 when something did, 2 when something is missing.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import run

sys.path[:0] = [str(run.HERE.parent / "common"), str(run.HERE.parents[1] / "suites")]
from client import REPO, Expected, Result, Stack  # noqa: E402
from compare import RANK, read_outcomes  # noqa: E402

# They are for several processes with MPI.
NOT_RUN = ["--ignore-glob=*/spmd/*"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", type=Path, default=REPO / "dist" / "lib", help="the folder of our libraries")
    parser.add_argument("--adapter", choices=("cpu", "cuda"), default="cpu", help="which of our adapters")
    parser.add_argument("--modules", default="onedal,sklearnex", help="Python modules, with commas between (default: all)")
    parser.add_argument("--only", help="pytest's -k: an expression of names of tests")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time (default: 2)")
    parser.add_argument("--limit", type=int, default=600, help="seconds for one test (default: 600)")
    options = parser.parse_args()
    env = REPO / "target" / "env"
    stack = Stack(env / "sklearnex", "ours", options.lib, True, options.adapter, env / "v2026.2", device="gpu")
    if problems := stack.problems():
        print("\n".join(problems))
        print("0 passed, 1 failed")
        return 2
    if options.adapter == "cpu":
        stack.variables |= {
            "UR_CPU_DEVICE_TYPE": "gpu",
            "LD_PRELOAD": str(options.lib.resolve() / "liboxur_as_gpu_preload.so"),
        }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "outcomes"
        for name, value in run.prepare(stack, Path(folder)).items():
            stack.variables[name] = ":".join(filter(None, [value, stack.variables.get(name)]))
        stack.variables |= {
            "OXUR_OUTCOMES": str(file),
            "PYTHONPATH": str(REPO / "conformance" / "suites"),
            "SCIPY_ARRAY_API": "1",
            # The order of sets is that of tests, which all processes must have alike.
            "PYTHONHASHSEED": "0",
        }
        arguments = ["-q", "--no-header", "--tb=no", "-o", f"cache_dir={folder}/cache", "-p", "outcomes", *NOT_RUN]
        arguments += ["-n", str(options.workers), "--dist", "loadfile", "--timeout", str(options.limit)]
        arguments += ["-k", options.only] if options.only else []
        done = subprocess.run(
            [stack.python, "-m", "pytest", *arguments, "--pyargs", *options.modules.split(",")],
            env=stack.environment(),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        tests = read_outcomes(file)
    expected, counts, failures = Expected(run.HERE / "suite.toml", stack), Counter(), 0
    # Tests passed, or some failed. With anything else there may be tests that did not run.
    if done.returncode not in (0, 1):
        failures += 1
        print("\n".join(done.stdout.splitlines()[-20:]))
        print(f"FAIL pytest ended with {done.returncode}")
    for name, (outcome, why) in sorted(tests.items()):
        if RANK[outcome] != 0:
            counts[outcome] += 1
        elif (entry := expected.of(Result(name, "FAIL", 0, why))) and fnmatchcase(why, entry["reason"]):
            counts["expected"] += 1
        else:
            failures += 1
            print(f"{outcome} {name}: {why}")
    for line in expected.stale(tests):
        failures += 1
        print(f"FAIL suite.toml: {line}")
    if not tests:
        failures += 1
        print("FAIL no test ran")
    passed = counts["PASSED"] + counts["XPASS"]
    skipped = counts["SKIPPED"] + counts["XFAIL"]
    print(f"{passed} passed, {failures} failed, {counts['expected']} expected to fail, {skipped} skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
