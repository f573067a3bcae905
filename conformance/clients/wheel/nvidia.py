# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package oxur-cuda in an environment that has oxur: without a GPU nothing changes; with one, which is a driver without a GPU
here (conformance/cuda/fake), programs find it with nothing to configure, and what NVIDIA's packages have beside it.

cuBLAS, cuSOLVER and cuFFT are those of onemkl/test, in the folder of NVIDIA's packages for CUDA 13; mathematical functions are
NVIDIA's, from the package for CUDA 12.
"""

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPO = HERE.parents[2]
sys.path.append(str(REPO / "onemkl/test"))

import libraries  # noqa: E402

GPU = "NVIDIA CUDA"
OPENCL_NOTE = "so our OpenCL adapter leaves the GPU out"
LIBRARIES = ("libur_adapter_cuda.so.0", "liboxur_onemkl.so", "liboxur_onemkl_preload.so")

SUM = "import dpnp; x = dpnp.arange(10); print(x.sum(), x.device)"
PLATFORMS = "import dpctl; print([d.sycl_platform.name for d in dpctl.get_devices()])"
# It needs NVIDIA's mathematical functions: dpnp's own kernel has the elements that are apart.
SINE = """
import dpnp, numpy
x = numpy.linspace(0, 3, 9)
print(numpy.allclose(dpnp.asnumpy(dpnp.sin(dpnp.array(x)[::2])), numpy.sin(x[::2])))
"""
# oneMKL's BLAS, LAPACK and DFT.
ALGEBRA = """
import dpnp, numpy
a = numpy.random.default_rng(1).random((9, 9))
x = dpnp.array(a)
results = [(x @ x, a @ a), (dpnp.linalg.inv(x), numpy.linalg.inv(a)), (dpnp.fft.fft(x), numpy.fft.fft(a))]
print(all(numpy.allclose(dpnp.asnumpy(ours), theirs) for ours, theirs in results), x.device)
"""


def install_nvidias(env):
    """What `oxur-cuda[cuda13]` installs, as far as it is used."""
    nvidia = env.packages / "nvidia"
    (nvidia / "cu13/lib").mkdir(parents=True)
    libraries.toolkit(env.folder, nvidia / "cu13/lib")
    (compiler,) = (REPO / "target/env/nvptx").resolve().glob("lib/python3*/site-packages/nvidia/cuda_nvcc")
    shutil.copytree(compiler / "nvvm/libdevice", nvidia / "cuda_nvcc/nvvm/libdevice")


def opencl_gpu(work):
    """The variables for a driver that is PoCL, but has a GPU."""
    library, vendors = work / "libopencl_gpu.so", work / "vendors"
    subprocess.run(["gcc", "-O1", "-Wall", "-shared", "-fPIC", HERE / "opencl_gpu.c", "-o", library], check=True)
    vendors.mkdir()
    (vendors / "gpu.icd").write_text(f"{library}\n")
    return {"OCL_ICD_VENDORS": str(vendors)}


def check(checks, env, wheel, work, ours):
    """All that it promises. `ours`: the name of the CPU's platform."""

    def equal(what, is_, should):
        checks.equal(f"oxur-cuda: {what}", is_, should)

    before = env.files()
    env.pip("install", "--no-deps", "--no-index", str(wheel))
    after = env.files()
    changed = [str(path) for path, state in before.items() if after.get(path) != state]
    equal("no file of another package is changed", changed, [])
    installed = [path.name for path in env.lib.iterdir() if path.name in LIBRARIES]
    equal("its libraries are next to libsycl", sorted(installed), sorted(LIBRARIES))

    equal("without a GPU there is the CPU", env.says(PLATFORMS), str([ours]))
    equal("and dpnp computes on it", env.says(SUM), "45 Device(opencl:cpu:0)")
    equal("and oneMKL, Intel's", env.says(ALGEBRA), "True Device(opencl:cpu:0)")
    equal("oxur doctor", env.run(env.folder / "bin/oxur", "doctor").splitlines()[-1], "nothing is missing")

    driver = work / "driver"
    driver.mkdir()
    libraries.driver(driver)
    gpu = {"LD_LIBRARY_PATH": str(driver), "UR_CPU_CACHE": str(work / "cache")}
    equal("a GPU", env.says(PLATFORMS, **gpu), str([GPU, ours]))
    equal("dpnp computes on it", env.says(SUM, **gpu), "45 Device(opencl:gpu:0)")
    if not Path("/usr/local/cuda").exists():
        equal("NVIDIA's mathematical functions are missing", "exit 1" in env.says(SINE, **gpu), True)
    for selector, selected in (("opencl:gpu", [GPU]), ("opencl:cpu", [ours]), ("*:gpu", [GPU]), ("level_zero:*", [])):
        equal(selector, env.says(PLATFORMS, ONEAPI_DEVICE_SELECTOR=selector, **gpu), str(selected))
    equal("OXUR_CPU=off", env.says(PLATFORMS, OXUR_CPU="off", **gpu), str([GPU]))
    # The default device is a GPU, whichever platform comes first.
    equal("OXUR_CPU=prefer", env.says(SUM, OXUR_CPU="prefer", **gpu), "45 Device(opencl:gpu:0)")

    # NVIDIA's OpenCL driver is on most machines with a GPU, and accepts no SPIR-V. Ours alone is what SYCL programs find, also where our
    # OpenCL adapter is in place of Intel's.
    both = gpu | opencl_gpu(work)
    for wish, listed in (("fallback", [GPU, ours]), ("prefer", [ours, GPU])):
        equal(f"NVIDIA's OpenCL driver, too, {wish}", env.says(PLATFORMS, OXUR_CPU=wish, **both), str(listed))
    equal("NVIDIA's OpenCL driver, too: dpnp", env.says(SUM, OXUR_CPU="prefer", **both), "45 Device(opencl:gpu:0)")
    doctor = env.run(env.folder / "bin/oxur", "doctor", **both)
    equal("NVIDIA's OpenCL driver, too: oxur doctor", (OPENCL_NOTE in doctor, doctor.count(f"of the platform {GPU}")), (True, 1))

    # Without the .pth file, as in programs other than Python.
    by_itself = sorted([GPU, ours] if env.has_known_tables else [])
    code = f"import sys; sys.path.append({str(env.packages)!r}); import dpctl; print(sorted(d.sycl_platform.name for d in dpctl.get_devices()))"
    equal("libsycl by itself", env.says(code, "-S", **gpu), str(by_itself))

    install_nvidias(env)
    equal("NVIDIA's mathematical functions", env.says(SINE, **gpu), "True")
    equal("oneMKL on the GPU", env.says(ALGEBRA, **gpu), "True Device(opencl:gpu:0)")
    on_cpu = env.says(ALGEBRA, ONEAPI_DEVICE_SELECTOR="opencl:cpu", **gpu)
    equal("oneMKL on the CPU", on_cpu, "True Device(opencl:cpu:0)")
    run = [env.folder / "bin/oxur", "run"]
    for options in ([], ["--adapter", "cuda"]):
        said = env.run(*run, *options, "--", env.python, "-c", ALGEBRA, **gpu)
        equal(" ".join(["oxur run", *options]), said, "True Device(opencl:gpu:0)")
    doctor = env.run(env.folder / "bin/oxur", "doctor", **gpu)
    equal("oxur doctor names the GPU", f"of the platform {GPU}" in doctor, True)

    shutil.rmtree(env.packages / "nvidia")
    env.pip("uninstall", "-y", "oxur-cuda")
    left = [str(path) for path in env.files().keys() ^ before.keys()]
    equal("nothing is left of it", left, [])
    equal("no GPU without it", env.says(PLATFORMS, **gpu), str([ours]))
