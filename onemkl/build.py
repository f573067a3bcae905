#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds oneMKL's BLAS, LAPACK and DFT for NVIDIA GPUs: oneMKL's functions on cuBLAS, cuSOLVER and cuFFT.

Intel's libraries generate code for Intel's GPUs. Two libraries take their place for queues of the CUDA adapter:

    liboxur_onemkl_preload.so  is preloaded (`oxur run` does so), and has an entry for each function of oneMKL that takes a queue.
                               A call for another device goes on to Intel's library, so that those work as before.
    liboxur_onemkl.so          has the functions. It is loaded by the first call, as it needs libsycl.

They are preloaded, and not put first into the search path, as programs from PyPI name the folder of Intel's libraries (DT_RPATH),
which the dynamic linker searches before that path. What is in Intel's libraries but not in ours throws
oneapi::mkl::unimplemented on NVIDIA GPUs.

| file in src/ | |
|---|---|
| preload.c, preload.S, kinds.h | where a call goes on |
| progress.c | launches whose work-groups wait for each other |
| dispatch.cpp | whose a queue is; what is refused |
| types.hpp | the types in oneMKL's signatures |
| driver.cpp | CUDA's driver and libraries, opened at run time |
| command.cpp | calls of CUDA's libraries as commands of a queue |
| cublas.cpp | cuBLAS's handles and functions |
| blas.cpp, blas_functions.hpp | BLAS |
| cusolver.cpp, lapack.hpp, lapack.cpp | cuSOLVER's handles and functions; LAPACK |
| lapack_batch.cpp, kernels.hpp, kernels_ptx.hpp | LAPACK on batches of matrices; kernels of our own, in PTX, for them |
| dft.cpp | Fourier transforms |

Needed are g++, libsycl's headers and Intel's libraries, whose names are read: an environment of `scripts/setup.sh clients`. No header
of CUDA or oneMKL is.

    build.py --out dist/lib/onemkl
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "src"
ENVIRONMENTS = HERE.parent / "target/env"

COMPILE = ["-O2", "-fPIC", "-g1", "-Wall", "-Wextra", "-Werror"]

# The libraries, and the namespaces of their functions for clients. Others are called between Intel's libraries.
LIBRARIES = {
    "blas": "oneapi::mkl::blas::(column_major|row_major)::",
    "lapack": "oneapi::mkl::lapack::",
    "dft": "oneapi::mkl::dft::",
}


def run(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"build.py: {command[0]} ended with {result.returncode}\n{result.stderr}")
    return result.stdout


def exports(library):
    """The mangled names of the functions of a library, but for those within functions."""
    lines = (line.split() for line in run("nm", "-D", "--defined-only", library).splitlines())
    return {fields[2] for fields in lines if fields[1] in "TW" and not fields[2].startswith("_ZZ")}


def kind(signature):
    """How a call of a function says whose it is (kinds.h); None if it does not."""
    descriptor = r"(?:\w+ )?oneapi::mkl::dft::descriptor<.*?\)\d+>::"
    if transform := re.match(descriptor + r"(~descriptor|commit|set_workspace|get_value)\b", signature):
        if transform[1] == "get_value" and "config_value*" not in signature:
            return "intel"
        return {"~descriptor": "destroy", "commit": "commit"}.get(transform[1], "descriptor_first")
    returned_event = "std::vector<sycl::_V1::event" in signature
    if "sycl::_V1::queue&" in signature.partition("(")[2].partition(",")[0]:
        return "queue_second" if returned_event else "queue_first"
    if re.search(r"oneapi::mkl::dft::compute_(for|back)ward<", signature):
        return "descriptor_second" if returned_event else "descriptor_first"
    return None


def functions(environments):
    """What to have entries for: (kind, library, mangled name) of the functions of the libraries of all environments."""
    found = set()
    for library, namespace in LIBRARIES.items():
        names = sorted(set().union(*(exports(env / f"lib/libmkl_sycl_{library}.so.6") for env in environments)))
        demangled = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
        for name, signature in zip(names, demangled.splitlines()):
            # A template's name begins with what it returns.
            if re.match(r"(\w[\w:]* )?" + namespace, signature) and (how := kind(signature)):
                found.add((how, library, name))
    return sorted(found, key=lambda function: function[1:])


def build(environments, out, objects):
    out.mkdir(parents=True, exist_ok=True)
    objects.mkdir(parents=True, exist_ok=True)
    entries = functions(environments)
    lines = [f"FUNCTION({index}, {', '.join(function)})" for index, function in enumerate(entries)]
    (objects / "functions.h").write_text("\n".join(lines) + "\n")
    preload = out / "liboxur_onemkl_preload.so"
    run("gcc", *COMPILE, "-std=c11", "-fvisibility=hidden", f"-I{objects}", "-shared", f"-Wl,-soname,{preload.name}",
        "-Wl,-z,nodelete,-z,now", SOURCE / "preload.c", SOURCE / "preload.S", SOURCE / "progress.c", "-o", preload)

    headers = ["-isystem", environments[0] / "include", "-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING"]
    parts = []
    for source in sorted(SOURCE.glob("*.cpp")):
        parts.append(objects / f"{source.stem}.o")
        needed = [source, *SOURCE.glob("*.hpp"), *SOURCE.glob("*.h")]
        if not parts[-1].exists() or parts[-1].stat().st_mtime < max(path.stat().st_mtime for path in needed):
            run("g++", *COMPILE, "-std=c++20", *headers, "-c", source, "-o", parts[-1])
    library = out / "liboxur_onemkl.so"
    run("g++", "-shared", *parts, f"-Wl,-soname,{library.name}", f"-Wl,--version-script={SOURCE / 'exports.map'}", "-Wl,-z,nodelete,-z,now",
        f"-L{environments[0] / 'lib'}", "-lsycl", "-o", library)

    known = {name for _, _, name in entries}
    own = {name for name in exports(library) if not name.startswith("oxur_")}
    if foreign := sorted(own - known):
        sys.exit("build.py: not a function of oneMKL: " + ", ".join(foreign[:5]))
    needed = {line.split()[-1] for line in run("nm", "-D", "--undefined-only", library).splitlines()}
    if missing := sorted(name for name in needed - known if "6oneapi3mkl" in name):
        sys.exit("build.py: neither ours nor Intel's: " + ", ".join(missing[:5]))
    print(f"build.py: {len(own)} of {len(entries)} functions of oneMKL in {out}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the folder for the two libraries")
    parser.add_argument("--environments", type=Path, nargs="+", help="with libsycl and oneMKL, the newest first; its headers are used",
                        default=[ENVIRONMENTS / "v2026.2", ENVIRONMENTS / "v2026.1"])
    args = parser.parse_args()
    build(args.environments, args.out, HERE.parent / "target/onemkl")


if __name__ == "__main__":
    main()
