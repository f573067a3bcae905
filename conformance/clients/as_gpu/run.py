#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs dpctl and dpnp on the CPU adapter, once as it is and once with UR_CPU_DEVICE_TYPE=gpu: dpctl then sees a GPU, in all
ways in which it asks, while oneMKL, which refuses GPUs that it does not know, still sees a CPU and computes.

    run.py --generation 2026.2 --lib dist/lib

Exit status: 0 when no case failed, 1 when one did, 2 when the stack is not what was asked for.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "suites"))
from stack import GENERATIONS, Stack  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generation", required=True, choices=GENERATIONS)
    parser.add_argument("--lib", required=True, type=Path, help="the folder of our libraries")
    options = parser.parse_args()
    stack = Stack("ours", options.generation, options.lib, "cpu")
    if problems := stack.problems():
        print("\n  ".join(["the stack is not what was asked for:", *problems]), file=sys.stderr)
        return 2
    preload = {"LD_PRELOAD": str(options.lib.resolve() / "liboxur_as_gpu_preload.so")}
    failed = 0
    for kind, variables in (
        ("cpu", {}),
        ("cpu", {"UR_CPU_DEVICE_TYPE": "gpu:libnone"} | preload),
        ("gpu", {"UR_CPU_DEVICE_TYPE": "gpu"} | preload),
    ):
        print(f"{variables.get('UR_CPU_DEVICE_TYPE', 'no variable')}:", flush=True)
        command = [stack.python, HERE / "cases.py", kind]
        failed |= subprocess.run(command, env=stack.environment() | variables, timeout=1800).returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
