#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs of others on our Level Zero driver, and checks what they print.

    run.py --lib dist/lib [pti] [sysman] [openmp]

pti     Intel's Profiling Tools Interface traces dpnp on Intel's Level Zero adapter (tracing.py)
sysman  pyzes, Python's bindings of sysman, and its own black-box test (sysman.py)
openmp  libomptarget's Level Zero plugin runs a kernel, as a compiler's OpenMP code has it (openmp.py)

`scripts/setup.sh level-zero-clients` installs them. Each runs in a process of its own, whose output is in
target/clients/level_zero. Exit status: 0 when all passed.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPO = HERE.parents[2]
ENVIRONMENT = REPO / "target" / "env" / "level-zero-clients"
BASE = REPO / "target" / "env" / "v2026.2"
OUTPUT = REPO / "target" / "clients" / "level_zero"
PROGRAMS = {"pti": "tracing.py", "sysman": "sysman.py", "openmp": "openmp.py"}


def environment(lib):
    """The variables of a program: the caller's, less what would steer libraries another way."""
    prefixes = ("UR_", "SYCL_", "ONEAPI_", "OCL_", "ZE_", "ZES_", "LIBOMPTARGET", "OMP_", "PTI_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    folders = [lib.resolve() / "level-zero", ENVIRONMENT / "lib", BASE / "lib"]
    return env | {
        "LD_LIBRARY_PATH": ":".join(map(str, folders)),
        "UR_ADAPTERS_FORCE_LOAD": str(BASE / "lib" / "libur_adapter_level_zero_v2.so.0"),
        "OCL_ICD_FILENAMES": "/nonexistent",
        "OCL_ICD_VENDORS": "/nonexistent",
        "ZE_OXUR_LOG": "level:error;output:stderr",
    }


def run(name, env):
    """Runs a program. Returns whether it passed."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    python = ENVIRONMENT / "bin" / "python"
    command = [str(python), "-u", str(HERE / PROGRAMS[name]), str(OUTPUT)]
    process = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1800)
    (OUTPUT / f"{name}.log").write_text(process.stdout, encoding="utf-8")
    print(f"{name}: {'passed' if process.returncode == 0 else f'FAILED with {process.returncode}'}")
    for line in process.stdout.splitlines()[-100 if process.returncode else -12 :]:
        print(f"  {line[:200]}")
    return process.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="pti, sysman, openmp (default: all)")
    parser.add_argument("--lib", type=Path, default=REPO / "dist" / "lib", help="the folder of our libraries")
    options = parser.parse_args()
    for name in options.programs:
        if name not in PROGRAMS:
            parser.error(f"no program is called {name}")
    for path in (ENVIRONMENT / "bin" / "python", options.lib / "level-zero" / "libze_loader.so.1"):
        if not path.exists():
            sys.exit(f"{path} is missing: run `scripts/setup.sh level-zero-clients` and `make dist`")
    env = environment(options.lib)
    passed = [run(name, env) for name in options.programs or PROGRAMS]
    print(f"{sum(passed)} passed, {len(passed) - sum(passed)} failed")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
