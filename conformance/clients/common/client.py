# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of a client program (cases.py) on a stack, and says what came of them. The run.py of each uses it.

A case that crashes or does not end is one failed case: the process is started again behind it. Cases that are expected to
fail, that the program does not have, or that must not be run, are in the program's expected.toml with the reason; any
other failure, and an expectation that no case meets any longer, is an error.
"""

import argparse
import json
import os
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import zlib
from collections import Counter
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

REPO = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPO / "conformance" / "suites"))
from stack import libdevice  # noqa: E402

# What `make test-onemkl` builds: the driver without a GPU, and what stands for libraries of NVIDIA.
FAKE_CUDA = REPO / "target" / "onemkl" / "test" / "cuda"
STEERING, KEPT = ("UR_", "SYCL_", "ONEAPI_", "OCL_", "OXUR_", "MKL_", "LD_"), ("UR_CPU_TIER",)

# Run inside the client's Python: prints the cases that two stacks do not agree on. The names come on stdin.
COMPARE = """
import sys, zlib
from pathlib import Path
import numpy as np
sys.path.insert(0, sys.argv[1])
from cases import differs
for name in sys.stdin.read().splitlines():
    file = f"{zlib.crc32(name.encode()):08x}.npz"
    ours, theirs = (np.load(Path(folder) / file) for folder in sys.argv[2:4])
    tolerance = float(ours["tolerance"]) or None
    ours, theirs = ([values[key] for key in values.files if key != "tolerance"] for values in (ours, theirs))
    if wrong := differs(ours, theirs, tolerance and 2 * tolerance):
        print(f"{name}\\t{wrong}")
"""


@dataclass
class Result:
    name: str
    # "ok", "FAIL", "absent": the program does not have it on this device, or "skipped": it would do harm.
    outcome: str
    seconds: float
    why: str = ""


@dataclass
class Stack:
    """What a client program runs on: `intel`, as its wheels have it, or `ours`, our libraries under that libsycl."""

    env_dir: Path
    kind: str
    lib: Path | None
    own_loader: bool  # whether libsycl has the loader inside, as that of 2026.2 has
    adapter: str = "cpu"
    base: Path | None = None  # the environment that this one lies on
    under: tuple = ()  # a command that starts the program
    device: str = ""  # the program's name of the device
    variables: dict = field(default_factory=dict)  # the program's own
    libsycl: Path | None = None  # the folder of the libsycl that the program must run on

    @property
    def python(self):
        return self.env_dir / "bin" / "python"

    @property
    def is_gpu_real(self):
        """Whether the CUDA adapter is on the machine's driver (OXUR_CUDA_SYSTEM=1), not on the one without a GPU."""
        return self.adapter == "cuda" and bool(os.environ.get("OXUR_CUDA_SYSTEM"))

    @property
    def needs_opencl(self):
        return self.kind == "intel" or self.adapter == "opencl"

    @property
    def needed(self):
        """Our files: the adapter, the driver below it, which is the loader as well, and our loader."""
        lib, files = self.lib.resolve(), []
        if self.adapter == "level_zero":
            files += [lib / "adapters" / "libur_adapter_level_zero.so.0", lib / "level-zero" / "libze_loader.so.1"]
        elif self.adapter == "cuda":
            files.append(lib / "adapters" / "libur_adapter_cuda.so.0")
            files += [] if self.is_gpu_real else [FAKE_CUDA / "libcuda.so.1"]
        else:
            files.append(lib / f"libur_adapter_{self.adapter}.so.0")
        return files + [lib / "libur_loader.so.0"] * (not self.own_loader)

    def environment(self):
        """The variables of a client process: the caller's, less whatever would steer UR or SYCL another way."""
        env = {key: value for key, value in os.environ.items() if key in KEPT or not key.startswith(STEERING)}
        base = self.base or self.env_dir
        path = [str(self.env_dir / "lib"), str(base / "lib")]
        env["OCL_ICD_FILENAMES"] = str(base / "lib" / "libintelocl.so") if self.needs_opencl else "/nonexistent"
        env["OCL_ICD_VENDORS"] = "/nonexistent"
        name = f"{self.env_dir.name}-{self.kind}"
        env["SYCL_CACHE_PERSISTENT"] = "1"
        env["SYCL_CACHE_DIR"] = str(REPO / "target" / "sycl-cache" / name)
        if self.kind == "ours":
            adapter, *others = self.needed
            env["UR_ADAPTERS_FORCE_LOAD"] = str(adapter)
            env["UR_CPU_CACHE"] = str(REPO / "target" / "sycl-cache" / "kernels")
            path[:0] = [str(file.parent) for file in others]
            if self.adapter == "cuda":
                env["LD_PRELOAD"] = str(self.lib.resolve() / "onemkl" / "liboxur_onemkl_preload.so")
                env["UR_CUDA_LIBDEVICE"] = os.environ.get("UR_CUDA_LIBDEVICE") or libdevice()
                # Where NVIDIA's libraries are.
                path += os.environ.get("LD_LIBRARY_PATH", "").split(":") if self.is_gpu_real else []
        env["LD_LIBRARY_PATH"] = ":".join(path)
        return env | self.variables

    def problems(self):
        """What is missing."""
        if not self.python.exists():
            return [f"{self.python.relative_to(REPO)} is missing: run scripts/setup.sh {self.env_dir.name}"]
        if self.kind == "ours":
            return [f"{file} is missing: run `make dist`" for file in self.needed if not file.exists()]
        return []


class Run:
    """The cases of a program on one stack."""

    def __init__(self, stack, script, arguments, limit, results=None, verbose=False):
        self.stack, self.limit, self.verbose = stack, limit, verbose
        self.command = [*stack.under, stack.python, script, *arguments] + (
            ["--results", str(results)] if results else []
        )
        self.environment = stack.environment()
        self.results = []
        self.first_result = None
        self.mapped = set()
        start = time.perf_counter()
        done, crashes = 0, 0
        while done is not None:
            done = self._process(done)
            crashes += done is not None
            if crashes > 50:
                self.results.append(Result("more than 50 crashes", "FAIL", 0))
                break
        self.seconds = time.perf_counter() - start

    def _process(self, start):
        """Runs cases behind the first `start` ones. The number of those to pass over next, or None at the end."""
        read, write = os.pipe()
        self.started = time.perf_counter()
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [*self.command, "--report", str(write), "--start", str(start)],
                env=self.environment,
                pass_fds=[write],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            os.close(write)
            self.current, self.ended, why = None, False, "it was interrupted"
            try:
                with os.fdopen(read, "rb", buffering=0) as pipe:
                    why = self._read(process, pipe)
            finally:
                if why:
                    os.killpg(process.pid, signal.SIGKILL)
            status = process.wait()
            if self.ended:
                return None
            if not why:
                why = f"the process ended with {signal.Signals(-status).name if status < 0 else status}"
            output.seek(0)
            why += "".join(f"\n      {line}" for line in output.read().decode(errors="replace").splitlines()[-4:])
        if self.current is None:
            # Nothing says that it would go on.
            self.results.append(Result("the process between cases", "FAIL", 0, why))
            return None
        number, name, begun = self.current
        self._add(Result(name, "FAIL", time.perf_counter() - begun, why))
        return number

    def _read(self, process, pipe):
        """Reads reports until they end. Says why, if that is because of the time."""
        rest = b""
        deadline = time.perf_counter() + self.limit
        while True:
            left = deadline - time.perf_counter()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                return f"it did not end within {self.limit} s"
            data = pipe.read(65536)
            if not data:
                return None
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                deadline = time.perf_counter() + self.limit
                self._report(process, json.loads(line))

    def _report(self, process, report):
        # Programs may close a device's libraries when they are done with it.
        if not any(path.name.startswith("libur_adapter_") for path in self.mapped):
            self.mapped |= mapped(process.pid)
        match report:
            case ["begin", number, name]:
                self.current = (number, name, time.perf_counter())
            case ["computed", _]:
                if self.first_result is None:
                    self.first_result = time.perf_counter() - self.started
            case ["end"]:
                self.ended = True
            case [outcome, seconds, why]:
                self._add(Result(self.current[1], outcome, seconds, why))
                self.current = None

    def _add(self, result):
        self.results.append(result)
        if self.verbose:
            print(f"{result.outcome} {result.name}, {result.seconds:.1f} s {result.why[:200]}", file=sys.stderr, flush=True)

    def wrong_libraries(self):
        """What shows that this was another stack than the one that was named."""
        found = {path for path in self.mapped if path.name.startswith(("libur_loader.so", "libur_adapter_"))}
        if not found:
            return ["no adapter was mapped: nothing ran on a device"]
        libsycl = {path for path in self.mapped if path.name.startswith("libsycl.so")}
        if self.stack.libsycl and {path.parent for path in libsycl} != {self.stack.libsycl.resolve()}:
            return [f"the program runs on {', '.join(map(str, libsycl))}, not on that in {self.stack.libsycl}"]
        home = self.stack.lib if self.stack.kind == "ours" else self.stack.base or self.stack.env_dir
        home = home.resolve()
        return [
            f"{path.name} is mapped from another folder than the stack's" for path in found if home not in path.parents
        ]


def mapped(pid):
    with open(f"/proc/{pid}/maps") as maps:
        return {Path(line.split(None, 5)[5].strip()) for line in maps if ".so" in line}


class Expected:
    """What expected.toml says: which cases fail, are absent or to be skipped, on which stacks, adapters and devices, and why."""

    def __init__(self, file, stack):
        entries = tomllib.loads(file.read_text()).get("expected", []) if file.exists() else []

        def holds(entry):
            named = {"stacks": stack.kind, "adapters": stack.adapter, "devices": stack.device}
            return all(value in entry.get(key, (value,)) for key, value in named.items())

        self.entries = [entry for entry in entries if holds(entry)]
        self.used = set()

    @property
    def skipped(self):
        return [pattern for entry in self.entries if entry["outcome"] == "skipped" for pattern in entry["cases"]]

    def of(self, result):
        """The entry for a result that is not ok."""
        found = None
        for index, entry in enumerate(self.entries):
            named = any(fnmatchcase(result.name, pattern) for pattern in entry["cases"])
            if named and result.outcome == entry["outcome"]:
                self.used.add(index)
                found = found or entry
        return found

    def stale(self, ran):
        """Expectations that nothing met, though cases of theirs were run."""
        for index, entry in enumerate(self.entries):
            names = [name for name in ran if any(fnmatchcase(name, pattern) for pattern in entry["cases"])]
            if index not in self.used and names and not entry.get("sometimes"):
                yield f"{', '.join(entry['cases'])}: expected {entry['outcome']}, and no case does"


def add_arguments(parser):
    parser.add_argument("--lib", type=Path, default=REPO / "dist" / "lib", help="the folder of our libraries")
    parser.add_argument("--stack", choices=("ours", "intel"), default="ours")
    parser.add_argument("--adapter", choices=("cpu", "opencl", "level_zero", "cuda"), default="cpu", help="which of our adapters")
    parser.add_argument(
        "--against-intel", action="store_true", help="run Intel's stack, too, and compare value by value"
    )
    parser.add_argument("--groups", help="names of groups of cases, with commas between (default: all)")
    parser.add_argument("--only", help="a pattern of names of cases")
    parser.add_argument("--full", action="store_true", help="large sizes, too")
    parser.add_argument("--limit", type=int, default=600, help="seconds for one case (default: 600)")
    parser.add_argument("--libsycl", type=Path, help="the folder of the libsycl that the program must run on")
    parser.add_argument("--under", default="", help="a command that starts the program on our stack")
    parser.add_argument("-v", "--verbose", action="store_true", help="show each case as it ends, and what is expected to fail")


def main(document, folder, env_name, own_loader, base=None, device="", variables=None, prepare=None, adapter="cpu"):
    """The run.py of a program. base: the client environment below the program's. device: the program's name of the
    device. variables: what it needs on the CPU adapter. prepare: makes more variables, in a folder, for each stack. adapter: which of
    ours, if the caller names none."""
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.set_defaults(adapter=adapter)
    if device:
        parser.add_argument("--device", default=device, help=f"the program's name of the device (default: {device})")
    options = parser.parse_args()
    passed_on = ["--full"] if options.full else []
    for name in ("groups", "only", "device"):
        if getattr(options, name, None):
            passed_on += [f"--{name}", getattr(options, name)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and end the program's process, too
    env_dir = REPO / "target" / "env" / env_name
    base = base and env_dir.parent / base
    under = tuple(shlex.split(options.under)) if options.stack == "ours" else ()
    device = getattr(options, "device", "")
    stacks = [Stack(env_dir, options.stack, options.lib, own_loader, options.adapter, base, under, device)]
    stacks[0].libsycl = options.libsycl
    if options.against_intel:
        stacks.append(Stack(env_dir, "intel", None, own_loader, base=base, device=device))
    if problems := [problem for stack in stacks for problem in stack.problems()]:
        print("\n".join(problems))
        print("0 passed, 1 failed")
        return 2
    with tempfile.TemporaryDirectory() as kept:
        runs, failed = [], []
        for stack in stacks:
            if stack.kind == "ours" and stack.adapter == "cpu":
                stack.variables |= variables or {}
            if prepare:
                stack.variables |= prepare(stack, Path(kept))
        for stack in stacks:
            results = Path(kept) / stack.kind if options.against_intel else None
            if results:
                results.mkdir()
            limit = options.limit if stack.kind == "ours" else max(options.limit, 600)
            expected = Expected(folder / "expected.toml", stack)
            skip = [part for pattern in expected.skipped for part in ("--skip", pattern)]
            run = Run(stack, folder / "cases.py", passed_on + skip, limit, results, options.verbose)
            runs.append(run)
            failed.append(show(run, expected, options.verbose))
        if options.against_intel:
            failed.append(compare(*runs, Path(kept)))
    return 1 if any(failed) else 0


def show(run, expected, verbose):
    """Prints what came of a run. The number of failures that nobody expected."""
    counts, reasons, failures = Counter(), Counter(), 0
    print(f"--- {run.stack.env_dir.name} on {'oxur' if run.stack.kind == 'ours' else 'Intel'}'s stack ---")
    for result in run.results:
        if result.outcome == "ok":
            counts["ok"] += 1
            continue
        entry = expected.of(result)
        if entry:
            counts[result.outcome] += 1
            reasons[(result.outcome, entry["why"])] += 1
        else:
            failures += 1
        if verbose or not entry:
            print(f"{'as expected: ' if entry else ''}{result.outcome} {result.name}: {result.why}")
    ran = [result.name for result in run.results]
    wrong = [*run.wrong_libraries(), *(f"expected.toml: {line}" for line in expected.stale(ran))]
    for line in wrong:
        print(f"FAIL {line}")
    failures += len(wrong)
    first = f"{run.first_result:.1f} s" if run.first_result else "none"
    for (outcome, why), count in sorted(reasons.items()):
        print(f"{count:5} {'failed' if outcome == 'FAIL' else outcome}, as expected: {why}")
    slowest = sorted(run.results, key=lambda result: -result.seconds)[:3]
    print(f"slowest: {', '.join(f'{result.name} {result.seconds:.1f} s' for result in slowest)}")
    print(f"first result after {first}, all after {run.seconds:.1f} s")
    print(
        f"{counts['ok']} passed, {failures} failed, {counts['FAIL']} expected to fail, "
        f"{counts['absent'] + counts['skipped']} not in the program",
        flush=True,
    )
    return failures


def compare(ours, theirs, kept):
    """Prints where two stacks computed different values. The number of such cases."""
    names = [{r.name for r in run.results if r.outcome != "absent"} for run in (ours, theirs)]
    both = sorted(
        name
        for name in names[0] & names[1]
        if all((kept / kind / f"{zlib.crc32(name.encode()):08x}.npz").exists() for kind in ("ours", "intel"))
    )
    done = subprocess.run(
        [ours.stack.python, "-c", COMPARE, Path(__file__).parent, kept / "ours", kept / "intel"],
        input="\n".join(both),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=ours.environment,
    )
    unlike = [line.split("\t") for line in done.stdout.splitlines()]
    wrong_there = {result.name for result in theirs.results if result.outcome == "FAIL"}
    failures = 0
    for name, why in unlike:
        # A value that is wrong on Intel's stack alone is not ours to match.
        excused = name in wrong_there
        failures += not excused
        print(f"{'wrong on Intel alone' if excused else 'FAIL'} {name}: {why}")
    print(f"{len(both) - len(unlike)} of {len(both)} results are the same on both stacks")
    return failures
