#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""llama.cpp, whisper.cpp and stable-diffusion.cpp (cyllama-sycl), whose SYCL backend accepts only GPUs. Each case compares it
with their own CPU backend. Intel's OpenCL driver for CPUs refuses its kernels, so there is no other stack to compare with.

One of these lacks a barrier, without which larger pictures are wrong: the cases run on a copy that has it (barrier.py).

    run.py --lib dist/lib --under 'dist/bin/oxur run --as-gpu --'
"""

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))

import barrier  # noqa: E402
from client import main  # noqa: E402


def prepare(stack, folder):
    """The models, 300 MB, and the programs with the barrier are written to a folder that is gone at the end."""
    (packages,) = stack.env_dir.glob("lib/python3*/site-packages")
    mended = folder / "packages"
    for name in ("cyllama", "cyllama_sycl.libs"):
        shutil.copytree(packages.resolve() / name, mended / name, copy_function=link)
    (backend,) = (mended / "cyllama_sycl.libs").glob("libggml-sycl-*.so")
    original = backend.resolve()
    backend.unlink()
    barrier.add(original, backend)
    return {"GGML_MODELS": str(folder), "PYTHONPATH": str(mended)}


def link(original, copy):
    """In place of a copy: libraries look for others beside the link."""
    Path(copy).symlink_to(original)


if __name__ == "__main__":
    # libsycl 2025.3 crashes in its cache on disk, in PersistentDeviceCodeCache::getItemFromDisc. Ours keeps the kernels.
    sys.exit(main(__doc__, HERE, "ggml", False, variables={"SYCL_CACHE_PERSISTENT": "0"}, prepare=prepare))
