#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests oneMKL for NVIDIA GPUs on the driver without a GPU (conformance/cuda/fake).

cuBLAS, cuSOLVER and cuFFT are libraries of this folder that compute on the host. What they cannot show: times, what NVIDIA's
libraries refuse, and how precise they are.

- blas.cpp, a client in C++: the functions one by one against plain loops, on the CUDA adapter, and on the CPU adapter in the same
  process, whose calls Intel's library must get. Without the preloaded library it must fail.
- lapack.cpp: the same for what dpnp does not call, and for exceptions. lapack_batch.cpp: that of batches of matrices.
- progress.cpp: launches whose work-groups wait for each other.
- dpnp_client.py: dpnp against NumPy, also on the CPU adapter. With --system on the GPU of the machine.

    run.py --ours dist/lib
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from libraries import HERE, HOST_LAPACK, ROOT, TARGET, compile, driver, toolkit

OUT = TARGET / "onemkl/test"

INTEL = [f"-l:libmkl_sycl_{name}.so.6" for name in ("blas", "lapack", "dft")]


def fail(text):
    sys.exit(f"onemkl/test/run.py: {text}")


def variables(args, adapters, *, preload=True):
    own = {name: value for name, value in os.environ.items() if not name.startswith(("UR_", "SYCL_", "ONEAPI_", "FAKE_", "LD_"))}
    paths = {"cuda": args.ours / "adapters/libur_adapter_cuda.so.0", "cpu": args.ours / "libur_adapter_cpu.so.0"}
    own |= {
        "UR_ADAPTERS_FORCE_LOAD": ",".join(str(paths[name]) for name in adapters),
        "OCL_ICD_FILENAMES": "/nonexistent",
        "OCL_ICD_VENDORS": "/nonexistent",
        "UR_CPU_CACHE": str(OUT / "cache"),
        "LD_LIBRARY_PATH": f"{args.ours / 'opencl'}" if args.system else f"{OUT / 'cuda'}:{args.ours / 'opencl'}",
    }
    if preload:
        own["LD_PRELOAD"] = str(args.ours / "onemkl/liboxur_onemkl_preload.so")
    return own


LIMIT = 900  # seconds that a program may take, on a busy machine


def run(name, command, env, last, code=0):
    """Runs a program, which must end with this code and its last line begin so."""
    try:
        result = subprocess.run([str(part) for part in command], env=env, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        print(f"FAILED {name}: it takes more than {LIMIT} s")
        return False
    lines = result.stdout.splitlines()
    good = (result.returncode == 0) == (code == 0) and (not last or (lines and lines[-1].startswith(last)))
    print(f"{'passed' if good else 'FAILED'} {name}: {lines[-1] if lines else '-'}", flush=True)
    if not good:
        print(f"  it ended with {result.returncode}", *lines[-30:], *result.stderr.splitlines()[-10:], sep="\n    ")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=Path, default=ROOT / "dist/lib", help="our libraries (default: dist/lib)")
    parser.add_argument("--system", action="store_true", help="dpnp on the driver and the libraries of the machine")
    args = parser.parse_args()
    args.ours = args.ours.absolute()
    for file in ("adapters/libur_adapter_cuda.so.0", "libur_adapter_cpu.so.0", "onemkl/liboxur_onemkl_preload.so"):
        if not (args.ours / file).exists():
            fail(f"{args.ours / file} is missing: run `make dist`")
    (OUT / "cuda").mkdir(parents=True, exist_ok=True)
    newest = TARGET / "env/v2026.2"
    only_gpu = {"ONEAPI_DEVICE_SELECTOR": "opencl:gpu"}
    dpnp = [newest / "bin/python", HERE / "dpnp_client.py"]
    if args.system:
        return not run("dpnp", [*dpnp, "--large"], variables(args, ["cuda"]) | only_gpu, "pass")

    driver(OUT / "cuda")
    toolkit(newest, OUT / "cuda")
    results = []
    for generation in ("2026.2", "2026.1"):
        env = TARGET / f"env/v{generation}"
        for name in ("blas", "lapack", "lapack_batch"):
            program = OUT / f"{name}-{generation}"
            compile(env, program, [HERE / f"{name}.cpp"], [*INTEL, *HOST_LAPACK])
            many = ["--many"] * (name == "lapack_batch" and env == newest)
            results.append(run(f"{name}, {generation}", [program, *many], variables(args, ["cuda", "cpu"]), "pass devices 101"))
        program = OUT / f"progress-{generation}"
        compile(env, program, [HERE / "progress.cpp"], [])
        results.append(run(f"progress, {generation}", [program], variables(args, ["cuda", "cpu"]), "pass devices 2"))
    results.append(run("progress, not preloaded", [OUT / "progress-2026.2"], variables(args, ["cuda"], preload=False), "", code=1))
    late = {"FAKE_CUDA_DELAY": "300"}
    for name in ("blas", "lapack", "lapack_batch"):
        results.append(run(f"{name}, when commands come late", [OUT / f"{name}-2026.2"], variables(args, ["cuda"]) | late, "pass devices 1"))
    results.append(run("blas, not preloaded", [OUT / "blas-2026.2"], variables(args, ["cuda"], preload=False), "", code=1))
    results.append(run("dpnp", dpnp, variables(args, ["cuda"]) | only_gpu, "pass"))
    results.append(run("dpnp, when commands come late", dpnp, variables(args, ["cuda"]) | only_gpu | late, "pass"))
    on_cpu = {"ONEAPI_DEVICE_SELECTOR": "opencl:cpu"}
    results.append(run("dpnp, on the CPU adapter", dpnp, variables(args, ["cuda", "cpu"]) | on_cpu, "pass"))
    results.append(run("a program without oneMKL", ["/bin/true"], variables(args, ["cuda"]), ""))
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
