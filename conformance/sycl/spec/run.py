#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates kernels for the functions and classes that SYCL 2020 has in device code, runs them on our CPU adapter and
on Intel's OpenCL CPU driver, and checks what they compute.

A case passes when each stack's results are what the specification says: by MPFR within the limits of OpenCL for
mathematical functions, by NumPy or a model of a few lines for the rest. known.toml names the cases that Intel's driver
fails, with reasons; an entry that no longer holds is a failure. Where both pass and differ, --differences counts.

    run.py --lib dist/lib                            everything, on both stacks
    run.py --lib dist/lib --quick                    what CI runs: a part of it, on our adapter alone
    run.py --lib dist/lib --only 'math_float*' --case 'sin*'
    run.py --list                                    the sources, and how many cases each has

Exit status: 0 when no case failed, 1 when one did.
"""

import argparse
import importlib
import os
import queue
import subprocess
import sys
import threading
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPO = HERE.parents[2]
sys.path[:0] = [str(HERE), str(REPO / "conformance" / "suites")]
PYTHON = REPO / "target" / "env" / "sycl-spec" / "bin" / "python"
if __name__ == "__main__" and not sys.prefix.endswith("sycl-spec"):
    if not PYTHON.exists():
        sys.exit(f"{PYTHON} is missing: run scripts/setup.sh sycl-spec")
    os.execv(PYTHON, [PYTHON, *sys.argv])

from stack import Stack  # noqa: E402

CHAPTERS = (
    "math_functions",
    "integer_functions",
    "common_functions",
    "geometric_functions",
    "relational_functions",
    "operators",
    "conversions",
    "swizzles",
    "group_functions",
    "atomics",
    "items",
    "local_memory",
    "others",
)
SILENCE = 600  # seconds that a launch or a build may take, on a busy machine
PRELUDE = (HERE / "prelude.hpp").read_text()


def build_driver(stack):
    """The path of the driver, which is built if it is older than its source."""
    source, env = HERE / "driver.cpp", stack.env_dir
    program = REPO / "target" / "sycl" / stack.generation / "spec-driver"
    program.parent.mkdir(parents=True, exist_ok=True)
    if program.exists() and program.stat().st_mtime > max(p.stat().st_mtime for p in (source, env / "lib/libsycl.so")):
        return program
    command = ["g++", "-std=c++17", "-O1", "-Wall", "-isystem", env / "include", "-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING"]
    command += [source, "-o", program, f"-L{env}/lib", f"-Wl,-rpath,{env}/lib", "-lsycl"]
    subprocess.run(command, check=True)
    return program


def follow(command, environment):
    """The lines that a process prints; the last one is ("ended", how)."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    lines = queue.Queue()
    errors = []

    def pump():
        for line in process.stdout:
            lines.put(line.rstrip("\n"))
        lines.put(None)

    threading.Thread(target=pump, daemon=True).start()
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()), daemon=True)
    reader.start()
    how = None
    while True:
        try:
            line = lines.get(timeout=SILENCE)
        except queue.Empty:
            process.kill()
            how = f"nothing happened for {SILENCE} s"
            break
        if line is None:
            break
        yield line
    code = process.wait()
    reader.join(timeout=10)
    last = "".join(errors).strip().splitlines()[-1:]
    yield "ended", how or (f"the process ended with {code}" + "".join(f": {line}" for line in last))


class Run:
    """One source on one stack: what each launch came to."""

    def __init__(self, source, stack, driver, folder, mode):
        self.problems, self.text, self.seconds = {}, {}, 0.0
        self.output = folder / f"output.{stack.name}"
        started = time.monotonic()
        self.output.write_bytes(bytes(sum(kernel.output_bytes for kernel in source.kernels)))
        environment = stack.environment()
        # Both stacks take the same results of libsycl's compiler.
        environment["SYCL_CACHE_DIR"] = str(REPO / "target" / "sycl-cache" / "spec")
        environment["OCL_ICD_VENDORS"] = "/nonexistent"
        if mode:
            environment["UR_CPU_MODE"] = mode
        if not source.is_cached:
            environment["SYCL_CACHE_PERSISTENT"] = "0"
        first, count = 0, len(source.kernels)
        while first < count:
            command = [driver, folder / "source.cpp", folder / "plan", folder / "input", self.output, str(first)]
            current, done = None, False
            for line in follow(command, environment):
                if isinstance(line, tuple):
                    how = line[1]
                elif line.startswith("begin "):
                    current = int(line.split()[1])
                elif line.startswith(("ok ", "failed ")):
                    word, number, *rest = line.split(" ", 2)
                    if word == "failed":
                        self.problems[int(number)] = " ".join(rest)
                elif line.startswith("unbuilt "):
                    self.problems |= dict.fromkeys(range(first, count), "the source does not compile: " + line[8:])
                    done = True
                elif line == "end":
                    done = True
                elif current is not None and line:
                    self.text.setdefault(current, []).append(line)
            if done:
                break
            if current is None:
                self.problems |= dict.fromkeys(range(first, count), how)
                break
            self.problems[current] = how
            first = current + 1
        self.seconds = time.monotonic() - started

    def outputs(self, source):
        """The outputs of each kernel, in order."""
        data, at = memoryview(self.output.read_bytes()), 0
        for kernel in source.kernels:
            yield kernel.split(data[at : at + kernel.output_bytes])
            at += kernel.output_bytes


def judge(source, run):
    """What is wrong with each case, by its name; None if nothing."""
    verdicts = {}
    for number, (kernel, outputs) in enumerate(zip(source.kernels, run.outputs(source))):
        problem = run.problems.get(number)
        for case in kernel.cases:
            if problem is None:
                outputs_or_text = [run.text.get(number, [])] if case.wants_text else outputs
                try:
                    verdicts[case.name] = case.check(outputs_or_text)
                except Exception as error:  # a case whose check fails has failed
                    verdicts[case.name] = f"the check: {type(error).__name__}: {error}"
            else:
                verdicts[case.name] = problem
    return verdicts


def differing(source, runs):
    """The cases whose outputs differ between two runs that both pass."""
    ours, theirs = runs
    for number, (kernel, a, b) in enumerate(zip(source.kernels, ours.outputs(source), theirs.outputs(source))):
        if kernel.is_comparable and not any(number in run.problems for run in runs):
            if not all(same_bits(x, y).all() for x, y in zip(a, b)):
                yield from (case.name for case in kernel.cases)


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generation", choices=["2026.1", "2026.2"], default="2026.2", help="of libsycl (%(default)s)")
    parser.add_argument("--lib", type=Path, default=REPO / "dist" / "lib", help="our libraries (dist/lib)")
    parser.add_argument("--adapter", default="cpu", help="which of our adapters (%(default)s)")
    parser.add_argument("--mode", choices=["fast", "scalar"], help="of our compiler: UR_CPU_MODE")
    parser.add_argument("--stacks", default="ours,intel", help="which stacks to run (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="a part of the sources, on our adapter alone")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="GLOB", help="chapters or sources")
    parser.add_argument("--case", nargs="+", default=["*"], metavar="GLOB", help="cases, as in 'sin(float*'")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (%(default)s)")
    parser.add_argument("--failures", type=int, default=200, help="how many failures to print (%(default)s)")
    parser.add_argument("--differences", action="store_true", help="names the cases that pass on both and differ")
    parser.add_argument("--list", action="store_true", help="only lists the sources")
    return parser.parse_args()


def chosen(args):
    """The sources that the options choose."""
    for chapter in CHAPTERS:
        for source in importlib.import_module(f"chapters.{chapter}").sources():
            if args.quick and not source.is_quick:
                continue
            if not any(fnmatchcase(name, glob) for name in (source.name, source.chapter) for glob in args.only):
                continue
            if args.case != ["*"]:
                wanted = lambda case: any(case_matches(case.name, glob) for glob in args.case)  # noqa: E731
                source.kernels = [kernel for kernel in source.kernels if any(map(wanted, kernel.cases))]
            if source.kernels:
                yield source


def case_matches(name, glob):
    """fnmatch, in which brackets are themselves."""
    return fnmatchcase(name, glob.replace("[", "[[]"))


def execute(source, stacks, driver, generation, mode):
    """Runs a source on the stacks, one after the other: the second finds libsycl's compiled code in the cache."""
    folder = REPO / "target" / "sycl" / generation / "spec" / source.name
    folder.mkdir(parents=True, exist_ok=True)
    plan, data = source.plan()
    (folder / "source.cpp").write_text(source.text(PRELUDE))
    (folder / "plan").write_text(plan)
    (folder / "input").write_bytes(data)
    return source, {stack.kind: Run(source, stack, driver, folder, mode) for stack in stacks}


class Known:
    """known.toml: the cases that a stack is known to fail."""

    def __init__(self):
        self.entries = tomllib.loads((HERE / "known.toml").read_text()).get("known", [])
        self.seen, self.needed = Counter(), Counter()

    def has(self, stack, name, verdict):
        found = False
        for i, entry in enumerate(self.entries):
            if entry["stack"] == stack and any(case_matches(name, glob) for glob in entry["cases"]):
                self.seen[i] += 1
                if verdict is not None:
                    self.needed[i] += 1
                    found = True
        return found

    def stale(self):
        """Entries that cover cases that ran, and no failure."""
        return [e for i, e in enumerate(self.entries) if self.seen[i] and not self.needed[i]]


def main():
    args = options()
    if args.list:
        total = 0
        for source in chosen(args):
            cases = sum(len(kernel.cases) for kernel in source.kernels)
            total += cases
            print(f"{source.chapter:14}{source.name:28}{cases:6} cases{'  quick' if source.is_quick else ''}")
        print(f"{total} cases")
        return 0
    kinds = ["ours"] if args.quick else args.stacks.split(",")
    stacks = [Stack(kind, args.generation, args.lib if kind == "ours" else None, args.adapter) for kind in kinds]
    for stack in stacks:
        if problems := stack.problems():
            print("\n".join(["the stack is not what was asked for:", *(f"  {problem}" for problem in problems)]))
            print("0 passed, 1 failed")
            return 1
    driver = build_driver(stacks[0])
    known = Known()
    passed, failed, excused = Counter(), Counter(), Counter()
    failures, differences, chapters = [], [], []
    print(f"{'source':28}{'cases':>7}" + "".join(f"{kind:>22}" for kind in kinds), flush=True)
    with ThreadPoolExecutor(args.jobs) as pool:
        # Generating cases takes this thread; running them, the pool's. A few at a time bound the memory.
        slots = threading.Semaphore(args.jobs + 1)

        def submit(source):
            slots.acquire()
            future = pool.submit(execute, source, stacks, driver, args.generation, args.mode)
            future.add_done_callback(lambda _: slots.release())
            return future

        pending = []

        def report(future):
            source, runs = future.result()
            if source.chapter not in chapters:
                chapters.append(source.chapter)
            verdicts = {kind: judge(source, run) for kind, run in runs.items()}
            cells = []
            for kind, run in runs.items():
                wrong = sum(v is not None for v in verdicts[kind].values())
                cells.append(f"{wrong:6} wrong {run.seconds:7.1f} s ")
            names = list(next(iter(verdicts.values())))
            told = set()
            print(f"{source.name:28}{len(names):7}" + "".join(f"{cell:>22}" for cell in cells), flush=True)
            for name in names:
                bad = False
                for kind in verdicts:
                    verdict = verdicts[kind][name]
                    if known.has(kind, name, verdict):
                        excused[kind] += 1
                    elif verdict is not None:
                        bad = True
                        if verdict not in told:  # all of a source fail as one when it does not compile
                            failures.append(f"FAIL {name} on {kind}: {verdict[:1000]}")
                        told.add(verdict)
                (failed if bad else passed)[source.chapter] += 1
            if len(runs) == 2:
                bad_names = {n for kind in verdicts for n, v in verdicts[kind].items() if v is not None}
                differences.extend(n for n in differing(source, list(runs.values())) if n not in bad_names)

        for source in chosen(args):
            pending.append(submit(source))
            while pending and pending[0].done():
                report(pending.pop(0))
        for future in pending:
            report(future)

    if args.case == ["*"]:
        failures += [f"FAIL known.toml: {e['cases']} of {e['stack']} do not fail" for e in known.stale()]
    print()
    for failure in failures[: args.failures]:
        print(failure)
    if len(failures) > args.failures:
        print(f"... and {len(failures) - args.failures} more")
    if args.differences:
        for name in differences:
            print(f"differs: {name}")
    for chapter in chapters:
        print(f"{chapter:14}{passed[chapter]:6} passed, {failed[chapter]} failed")
    if len(kinds) == 2:
        print(f"{len(differences)} cases differ between the stacks, within the limits; known failures: {dict(excused)}")
    stale = len(failures) and sum("known.toml" in f.split(":")[0] for f in failures)
    print(f"{sum(passed.values())} passed, {sum(failed.values()) + stale} failed")
    return 1 if failures else 0


from compare import same_bits  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
