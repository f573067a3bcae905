#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Open3D's tensors, geometry and pipelines on its SYCL device, and compares them with its own CPU code and NumPy.

    run.py --lib dist/lib                       on the CPU adapter
    run.py --lib dist/lib --full                with large sizes
    run.py --lib dist/lib --against-intel       and with what Intel's stack computes (takes an hour the first time)

Open3D takes a CPU as "SYCL:0" by itself, where no GPU is. Exit status: 0 when nothing failed that expected.toml does
not name, 1 when something did, 2 when the environment is missing.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from client import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(__doc__, HERE, "open3d", own_loader=False, device="SYCL:0"))
