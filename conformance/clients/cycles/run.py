#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Renders scenes with Blender's Cycles on its oneAPI device, and compares the pixels with those of its CPU device.

    run.py --lib dist/lib                         on the Level Zero adapter over our driver

Cycles passes over OpenCL's platforms, so it does not take the CPU adapter. Exit status: 0 when nothing failed that expected.toml
does not name, 1 when something did, 2 when the environment is missing.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from client import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(__doc__, HERE, "cycles", own_loader=False, adapter="level_zero"))
