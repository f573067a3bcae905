#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""llama.cpp, whisper.cpp and stable-diffusion.cpp (cyllama-sycl), whose SYCL backend accepts only GPUs. Each case compares it
with their own CPU backend. Intel's OpenCL driver for CPUs refuses its kernels, so there is no other stack to compare with.

    run.py --lib dist/lib --under 'dist/bin/oxur run --as-gpu --'
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))

from client import main  # noqa: E402


def models(_, folder):
    """Where the models are written: 300 MB, which are gone at the end."""
    return {"GGML_MODELS": str(folder)}


if __name__ == "__main__":
    # libsycl 2025.3 crashes in its cache on disk, in PersistentDeviceCodeCache::getItemFromDisc. Ours keeps the kernels.
    sys.exit(main(__doc__, HERE, "ggml", False, variables={"SYCL_CACHE_PERSISTENT": "0"}, prepare=models))
