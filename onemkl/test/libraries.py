# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the driver without a GPU, and libraries that take the place of NVIDIA's: cuBLAS, cuSOLVER and cuFFT on the host."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = ROOT / "target"

# The libraries of CUDA's toolkit, and what else they need.
HOST_LAPACK = ["-l:libmkl_intel_ilp64.so.3", "-l:libmkl_tbb_thread.so.3", "-l:libmkl_core.so.3"]
CUDA_LIBRARIES = {
    "libcublas.so.13": (["fake_cublas.cpp", "fake_cublas_batched.cpp"], HOST_LAPACK),
    "libcusolver.so.12": (["fake_cusolver.cpp"], HOST_LAPACK),
    "libcufft.so.12": (["fake_cufft.cpp"], []),
}


def compile(env, output, sources, options):
    """Compiles a program or library against an environment, if it is out of date."""
    newest = max(path.stat().st_mtime for path in [*sources, *HERE.glob("*.hpp"), HERE.parent / "src/types.hpp", env / "lib/libsycl.so"])
    if output.exists() and output.stat().st_mtime > newest:
        return
    # The run path is searched first, as those of programs from PyPI are.
    command = ["g++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-isystem", env / "include",
               "-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING", *sources, "-o", output, f"-L{env / 'lib'}", f"-Wl,-rpath,{env / 'lib'}",
               "-Wl,--disable-new-dtags", "-Wl,--no-as-needed", "-lsycl", *options, "-pthread"]
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"onemkl/test: {result.stderr}")


def driver(folder):
    """The driver without a GPU."""
    subprocess.run(["cargo", "build", "--quiet", "--locked", "-p", "oxur-fake-cuda"], cwd=ROOT, check=True)
    built = Path(os.environ.get("CARGO_TARGET_DIR", TARGET)) / "debug/libfake_cuda.so"
    shutil.copy(built, folder / "libcuda.so.1")


def toolkit(env, folder):
    """The libraries of CUDA's toolkit."""
    for file, (sources, options) in CUDA_LIBRARIES.items():
        compile(env, folder / file, [HERE / source for source in sources], ["-shared", "-fPIC", f"-Wl,-soname,{file}", *options])
