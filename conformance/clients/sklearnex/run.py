#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the estimators of scikit-learn-intelex with a SYCL device to compute on, and compares them with scikit-learn's.

    run.py --lib dist/lib                            on the CPU adapter, target_offload="cpu"
    run.py --lib dist/lib --device opencl:cpu        another name of the device
    run.py --lib dist/lib --device gpu --under "dist/bin/oxur run --as-gpu --"
    run.py --lib dist/lib --device gpu --adapter cuda
    run.py --lib dist/lib --full --against-intel     large sizes, too, and what Intel's stack computes

oneDAL, which is behind the estimators, computes by host code where the device is a CPU, and by kernels where it is a
GPU. For a GPU whose memory is the host's, fresh.cpp has what oneDAL allocates begin as zeros. Exit status: 0 when nothing failed that
expected.toml does not name, 1 when something did, 2 when the environment is missing.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from client import main  # noqa: E402


def prepare(stack, folder):
    """Builds what clears oneDAL's memory, where it computes on the device."""
    if not stack.device.endswith("gpu") or stack.adapter == "cuda":
        return {}
    library = folder / "fresh.so"
    subprocess.run(["g++", "-O1", "-shared", "-fPIC", HERE / "fresh.cpp", "-o", library, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}


if __name__ == "__main__":
    sys.exit(main(__doc__, HERE, "sklearnex", base="v2026.2", own_loader=True, device="cpu", prepare=prepare))
