#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs oneDNN's primitives on its SYCL engine for CPUs, and compares them with NumPy.

    run.py --lib dist/lib                         on the CPU adapter
    run.py --lib dist/lib --adapter opencl        on the OpenCL adapter over Intel's driver
    run.py --lib dist/lib --against-intel         and what Intel's stack computes

oneDNN takes only platforms that call themselves Intel's. On the CPU adapter UR_CPU_PLATFORM_NAME and UR_CPU_VENDOR_ID say
so. Exit status: 0 when nothing failed that expected.toml does not name, 1 when something did, 2 when the environment is
missing.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from client import main  # noqa: E402

PRESENTED = {"UR_CPU_PLATFORM_NAME": "oxur CPU (Intel)", "UR_CPU_VENDOR_ID": "0x8086"}


def prepare(stack, folder):
    """Builds what makes SYCL objects."""
    library = folder / "shim.so"
    flags = ["-std=c++17", "-w", "-shared", "-fPIC", f"-I{stack.base}/include", f"-L{stack.base}/lib"]
    subprocess.run(["g++", *flags, HERE / "shim.cpp", "-o", library, "-lsycl"], check=True)
    return {"ONEDNN_SHIM": str(library)}


if __name__ == "__main__":
    sys.exit(main(__doc__, HERE, "onednn", base="v2026.1", own_loader=False, variables=PRESENTED, prepare=prepare))
