#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the SYCL programs of this folder on Intel's Unified Runtime and on ours, and compares what they print.

Each program is built once, by plain g++ against an environment with Intel's libsycl, then run on two stacks that differ
only below libsycl. What it did on the reference is kept for our other adapters. OpenCL C of the same name becomes SPIR-V, which the program registers as its device images. Of
NAME.PART.cpp, a library NAME_PART, which the program is linked to.

A program passes when it exits with 0 on both and prints the same on both, or differs in the way that known.toml names,
with a reason. Lines that start with "# " are facts about the device: they count only for the adapter that drives the
same driver as the reference, OpenCL.

    run.py --ours dist/lib                                    compare
    run.py --reference-only                                   are the programs themselves sound?
    run.py --ours dist/lib --generation 2026.1 --only usm     one program, under our own loader
"""

import argparse
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent.parent / "target"
TIMEOUT = 900
HANGS_AFTER = 150  # seconds in which the reference ends, unless it hangs
WORKERS = 2

# Parts are optimized as libraries are, so that small templates of SYCL's headers are inlined. But each call leaves a frame.
PART_OPTIONS = ["-O2", "-fno-optimize-sibling-calls"]

# Variables of single programs on our adapters; {ours} is the folder of our libraries.
VARIABLES = {
    ("cuda", "several_devices"): {"FAKE_CUDA_DEVICES": "2"},
    ("cpu", "as_gpu"): {"UR_CPU_DEVICE_TYPE": "gpu:libas_gpu_named", "LD_PRELOAD": "{ours}/liboxur_as_gpu_preload.so"},
    ("level_zero", "as_gpu"): {"ZE_OXUR_DEVICE_TYPE": "cpu"},
    ("level_zero", "exceptions"): {"ZE_OXUR_DEVICE_TYPE": "cpu"},
    ("level_zero", "image_globals"): {"ZE_OXUR_SUB_DEVICES": "2"},
}


@dataclass
class Outcome:
    """What one run of a program came to."""

    code: int | str  # an exit code, a negative signal number, or "timeout"
    stdout: str
    stderr: str
    seconds: float

    @property
    def ok(self):
        return self.code == 0


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generation", choices=["2026.1", "2026.2"], default="2026.2", help="of libsycl (default: %(default)s)")
    parser.add_argument("--env", type=Path, help="virtual environment with libsycl (default: target/env/v<generation>)")
    parser.add_argument("--ours", type=Path, default=HERE.parent.parent / "dist/lib", help="our libraries (default: dist/lib)")
    parser.add_argument("--adapter", default="opencl", help="which of our adapters (default: %(default)s)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these programs, not all")
    parser.add_argument("--reference-only", action="store_true", help="run Intel's stack alone")
    args = parser.parse_args()
    args.env = (args.env or TARGET / "env" / f"v{args.generation}").absolute()
    args.ours = args.ours.absolute()
    return args


def build(name, env, out):
    """Compiles one program if it is older than its sources; returns a compiler's complaint, or None."""
    program, source, device_source = out / name, HERE / f"{name}.cpp", HERE / f"{name}.cl"
    if not source.exists():
        return f"there is no {source.name}"
    parts = sorted(HERE.glob(f"{name}.*.cpp"))
    sources = [source, *parts, *HERE.glob("*.hpp"), env / "lib/libsycl.so"] + [device_source] * device_source.exists()
    newest = max(path.stat().st_mtime for path in sources)
    if program.exists() and program.stat().st_mtime > newest:
        return None
    commands = device_commands(device_source, out) if device_source.exists() else []
    compiler = ["g++", "-std=c++17", "-O1", "-Wall", "-isystem", env / "include", "-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING"]
    libraries = [f"-L{env}/lib", f"-Wl,-rpath,{env}/lib", "-lsycl", "-pthread"]
    for part in parts:
        library = f"lib{part.stem.replace('.', '_')}.so"
        shared = [*PART_OPTIONS, "-shared", "-fPIC", f"-Wl,-soname,{library}", part, "-o", out / library]
        commands.append(compiler + shared + libraries)
        libraries = [out / library, f"-Wl,-rpath,{out}"] + libraries
    command = compiler + [f'-DDEVICE_CODE="{out / name}"', source, "-o", program]
    commands.append(command + libraries)
    for command in commands:
        try:
            result = subprocess.run(command, capture_output=True, text=True)
        except FileNotFoundError:
            return f"{command[0]} is missing: scripts/setup.sh installs it"
        if result.returncode:
            return result.stderr or f"{command[0]} ended with {result.returncode}"
    return None


def device_commands(source, out):
    """What compiles the sections of a file of OpenCL C, each with what stands before the first, to SPIR-V."""
    common, *sections = re.split(r"^//// image (\w+)\n", source.read_text(), flags=re.MULTILINE)
    commands = []
    for image, text in zip(sections[::2], sections[1::2]):
        text_file, bitcode, module = (out / f"{source.stem}.{image}.{kind}" for kind in ("cl", "bc", "spv"))
        text_file.write_text(common + text)
        commands.append(["clang-14", "-c", "-emit-llvm", "-target", "spir64-unknown-unknown", "-cl-std=CL2.0", "-O1",
                         "-Xclang", "-finclude-default-header", text_file, "-o", bitcode])
        commands.append(["llvm-spirv-14", "--spirv-max-version=1.1", "--spirv-ext=+SPV_INTEL_function_pointers",
                         bitcode, "-o", module])
    return commands


def stack_environment(args, stack):
    """The environment variables that put libsycl on one of the two stacks."""
    steering, kept = ("UR_", "SYCL_", "ONEAPI_"), ("UR_CPU_TIER",)
    variables = {k: v for k, v in os.environ.items() if k in kept or not k.startswith(steering)}
    cache = TARGET / "sycl-cache" / args.generation / stack
    variables |= {
        "OCL_ICD_FILENAMES": str(args.env / "lib/libintelocl.so"),
        "OCL_ICD_VENDORS": "/nonexistent",  # hides every other OpenCL platform of the machine
        "SYCL_CACHE_PERSISTENT": "1",
        "SYCL_CACHE_DIR": str(cache),
    }
    # What libsycl's compiler makes of source at run time hangs on no stack, and stays. Binaries of the device's go: each run must take
    # the way of a first run.
    for entry in cache.glob("[0-9]*"):
        shutil.rmtree(entry, ignore_errors=True)
    share(cache / "ext_kernel_compiler", cache.parent / "compiled-sources")
    if stack != "reference":
        variables["UR_ADAPTERS_FORCE_LOAD"] = str(adapter(args))
        if args.adapter != "opencl":  # no OpenCL driver
            variables["OCL_ICD_FILENAMES"] = "/nonexistent"
            variables["UR_CPU_CACHE"] = str(cache / "kernels")
            shutil.rmtree(cache / "kernels", ignore_errors=True)
        if args.adapter == "level_zero":  # our driver, which is the loader as well
            variables["ONEAPI_DEVICE_SELECTOR"] = "level_zero:*"
            variables["LD_LIBRARY_PATH"] = ":".join(
                filter(None, [str(args.ours / "level-zero"), variables.get("LD_LIBRARY_PATH")])
            )
        if args.adapter == "cuda":  # the driver without a GPU, as conformance/cuda/run.sh leaves it
            variables["LD_LIBRARY_PATH"] = ":".join(
                filter(None, [str(TARGET / "fake-cuda"), variables.get("LD_LIBRARY_PATH")])
            )
        if args.generation == "2026.1":  # the loader is a library of its own: ours goes in front
            variables["LD_LIBRARY_PATH"] = ":".join(filter(None, [str(args.ours), variables.get("LD_LIBRARY_PATH")]))
    return variables


def share(folder, common):
    """Makes a folder that all stacks have in common."""
    common.mkdir(parents=True, exist_ok=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not folder.is_symlink():
        shutil.rmtree(folder, ignore_errors=True)
        folder.symlink_to(os.path.relpath(common, folder.parent))


def adapter(args):
    """The file of our adapter."""
    folder = args.ours / "adapters" if args.adapter in ("level_zero", "cuda") else args.ours
    return folder / f"libur_adapter_{args.adapter}.so.0"


def our_libraries(args):
    """The libraries that a run on our stack must have loaded."""
    level_zero = [args.ours / "level-zero/libze_loader.so.1"] * (args.adapter == "level_zero")
    return [adapter(args), *level_zero] + [args.ours / "libur_loader.so.0"] * (args.generation == "2026.1")


def variables_of(name, args, stack):
    """The variables of one program, besides those of the stack."""
    own = VARIABLES.get((args.adapter, name), {}) if stack == "ours" else {}
    return {variable: value.format(ours=args.ours) for variable, value in own.items()}


def not_loaded(program, variables, libraries):
    """Which of these libraries a program ran without: a mistake in the set-up would compare Intel's stack with itself."""
    with tempfile.TemporaryDirectory() as folder:
        debug = {"LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": f"{folder}/log"}
        run(program, variables | debug)
        log = "".join(path.read_text(errors="replace") for path in Path(folder).iterdir())
    return [path.name for path in libraries if f"calling init: {path}\n" not in log]


def run(program, variables, timeout=TIMEOUT):
    """Runs one program to its end, or to the timeout's."""
    start = time.monotonic()
    with subprocess.Popen([program], env=variables, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            code = "timeout"
    return Outcome(code, stdout, stderr, time.monotonic() - start)


def comparable(outcome, with_facts):
    return [line for line in outcome.stdout.splitlines() if with_facts or not line.startswith("# ")]


def known_differences(name, adapter):
    """The entries of known.toml for one program."""
    entries = tomllib.loads((HERE / "known.toml").read_text())["known"]
    return [entry for entry in entries if entry["program"] == name and adapter in entry["adapter"].split()]


def refused(entry, outcomes):
    """The scenarios of an entry that the stack that refuses them did not refuse, or that the other one did not run."""
    lines = {stack: outcome.stdout.splitlines() for stack, outcome in outcomes.items()}
    by = lines.pop(entry["refused_by"])
    (other,) = lines.values()
    return [name for name in entry["scenarios"] if f"refused {name}" not in by or f"ok   {name}" not in other]


def judge_known(entry, reference, ours):
    """Why an entry of known.toml does not hold; nothing when it does."""
    if "refuses" in entry:
        if not reference.ok or ours.ok or entry["refuses"] not in ours.stdout:
            return [f"known.toml: {entry['program']} does not refuse as it says"]
        return []
    if "refused_by" in entry:
        left = refused(entry, {"reference": reference, "ours": ours})
        return [f"known.toml: {entry['program']}: not refused by {entry['refused_by']} alone: {name}" for name in left]
    lines = [[line for line in o.stdout.splitlines() if line.startswith(entry["differs"])] for o in (reference, ours)]
    return [f"known.toml: {entry['program']} does not differ as it says"] if lines[0] == lines[1] else []


def judge(name, reference, ours, adapter):
    """Why the program fails, line by line; nothing when it passes."""
    with_facts = adapter == "opencl"
    known = known_differences(name, adapter) if ours else []
    reasons = [reason for entry in known for reason in judge_known(entry, reference, ours)]
    if any("refuses" in entry for entry in known):
        return reasons
    for stack, outcome in (("reference", reference), ("ours", ours)):
        if outcome and not outcome.ok:
            reasons.append(f"{name} on {stack}: exit {outcome.code}")
            reasons += [f"    {line}" for line in outcome.stdout.splitlines() if line.startswith(("FAIL", "EXC", "BAD"))]
            reasons += [f"    {line}" for line in outcome.stderr.splitlines()[-5:]]
        elif outcome and not (outcome.stdout.splitlines() or [""])[-1].startswith("pass "):
            reasons.append(f"{name} on {stack}: no closing line")
    if ours:
        allowed = tuple(entry["differs"] for entry in known if "differs" in entry)
        scenarios = [name for entry in known for name in entry.get("scenarios", ())]
        allowed += tuple(f"{outcome}{name}" for name in scenarios for outcome in ("refused ", "ok   "))
        before, after = (
            [line for line in comparable(outcome, with_facts) if not (allowed and line.startswith(allowed))]
            for outcome in (reference, ours)
        )
        difference = list(difflib.unified_diff(before, after, f"{name} on reference", f"{name} on ours", n=0, lineterm=""))
        reasons += difference[:40] + [f"    ... {len(difference) - 40} lines more"] * (len(difference) > 40)
    return reasons


def main():
    args = options()
    names = args.only or sorted(path.stem for path in HERE.glob("*.cpp") if "." not in path.stem)
    out = TARGET / "sycl" / args.generation
    out.mkdir(parents=True, exist_ok=True)

    with ThreadPoolExecutor(WORKERS) as pool:
        complaints = dict(zip(names, pool.map(lambda name: build(name, args.env, out), names)))

    stacks = {"reference": stack_environment(args, "reference")}
    built = [name for name in names if complaints[name] is None]
    missing = []
    if not args.reference_only:
        stacks["ours"] = stack_environment(args, f"ours-{args.adapter}")
        missing = not_loaded(out / built[0], stacks["ours"], our_libraries(args)) if built else []
        if missing:
            del stacks["ours"]

    def run_on(stack, name, timeout=TIMEOUT):
        return run(out / name, stacks[stack] | variables_of(name, args, stack), timeout)

    def reference(name):
        """What the program did on the reference: now, or when it was compared with our OpenCL adapter, which compares facts, too."""
        record = out / f"{name}.reference.json"
        used = (out / name, args.env / "lib/libsycl.so", args.env / "lib/libintelocl.so", Path(__file__))
        newest = max(path.stat().st_mtime for path in used)
        if args.adapter != "opencl" and not args.reference_only and record.exists() and record.stat().st_mtime > newest:
            return Outcome(**json.loads(record.read_text()))
        outcome = run_on("reference", name, HANGS_AFTER)
        if outcome.code == "timeout":
            print(f"{name}: the reference hung, as Intel's driver may where threads wait at once: it runs again", flush=True)
            outcome = run_on("reference", name)
        if outcome.ok:
            record.write_text(json.dumps(asdict(outcome)))
        return outcome

    print(f"{'program':18}{'reference':>16}{'ours':>16}  verdict", flush=True)
    failures = []
    for name in names:
        cells, outcomes = [], {}
        if complaints[name] is None:
            outcomes = {stack: reference(name) if stack == "reference" else run_on(stack, name) for stack in stacks}
            reasons = judge(name, outcomes["reference"], outcomes.get("ours"), args.adapter)
            if missing:
                reasons.append(f"{name} on ours: {', '.join(missing)} of {args.ours} did not load")
        else:
            reasons = [f"{name}: it does not compile", *complaints[name].splitlines()[:20]]
        for stack in ("reference", "ours"):
            done = outcomes.get(stack)
            cells.append(f"{'exit ' + str(done.code):>8} {done.seconds:5.1f} s" if done else "-")
        print(f"{name:18}{cells[0]:>16}{cells[1]:>16}  {'FAILED' if reasons else 'passed'}", flush=True)
        if reasons:
            failures.append(reasons)

    for reasons in failures:
        print("", *reasons, sep="\n")
    print(f"\n{len(names) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
