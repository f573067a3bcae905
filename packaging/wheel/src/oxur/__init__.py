# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The oneAPI Unified Runtime in Rust, with a SYCL device for every x86-64 CPU.

There is nothing to call: SYCL programs in this environment find the device. Python imports this package automatically before
it imports another one. The import prepares the environment:

* libsycl 2026.2 finds the CPU adapter in its own folder. If the adapter is in another folder, the package sets its search path.
* libsycl 2025.2 to 2026.1 use our loader instead of the one next to them.
* With the package oxur-cuda, oneMKL's functions on NVIDIA GPUs are those of CUDA's libraries.

``OXUR_CPU`` is ``fallback`` (the default: CPUs of OpenCL drivers come first, if they accept SPIR-V), ``prefer`` (ours comes
first), or ``off``.
If ``UR_ADAPTERS_FORCE_LOAD`` is set, it decides, and the package leaves the adapters alone.

``UR_CPU_DEVICE_TYPE=gpu`` shows the CPU as a GPU to libraries that accept only GPUs, if it is set when Python starts.
"""

import os
import sys

__all__ = ["cpu_adapter", "lib", "prefix"]

_LIBSYCL = ("libsycl.so.9", "libsycl.so.8")
_ADAPTER = "libur_adapter_native_cpu.so.0"
_OTHERS = [f"libur_adapter_{name}.so.0" for name in ("level_zero", "level_zero_v2", "cuda", "hip", "offload")]
_AS_GPU = "liboxur_as_gpu_preload.so"
# Of the package oxur-cuda.
_CUDA, _ONEMKL = "libur_adapter_cuda.so.0", "liboxur_onemkl_preload.so"
_VENDORS = "/etc/OpenCL/vendors"
# OpenCL drivers without CPUs.
_GPUS = ("libigdrcl", "libnvidia-opencl", "libamdocl", "libMesaOpenCL")
# The prefixes of PoCL's version string.
_POCL = (b"OpenCL 3.0 PoCL ", b"OpenCL 2.0 pocl ", b"OpenCL 1.2 pocl ")
_SYSTEM = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")

#: A folder with ``lib``, ``include``, ``lib/cmake`` and ``lib/pkgconfig``, for C and C++ programs.
prefix = os.path.dirname(os.path.abspath(__file__))
#: The folder of all libraries except the CPU adapter.
lib = os.path.join(prefix, "lib")


def cpu_adapter():
    """The file of the CPU adapter, or None if it is not installed."""
    packages = os.path.dirname(prefix)
    # <environment>/lib/python3.x/site-packages; other installers' --target makes it the environment itself.
    for environment in (os.path.dirname(os.path.dirname(os.path.dirname(packages))), packages):
        path = os.path.join(environment, "lib", _ADAPTER)
        if os.path.exists(path):
            return path
    return None


def _lib_folders():
    """The library folders of the packages that this Python imports, in its search order: those of its environment, of the
    user (`pip install --user`), of the system."""
    for path in sys.path:
        if path.endswith(("/site-packages", "/dist-packages")):
            # <prefix>/lib/python3.x/site-packages
            yield os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(path))), "lib")
    yield os.path.join(sys.prefix, "lib")


def _libsycl(folders):
    """The libsycl that programs of this environment load."""
    for folder in folders:
        for name in _LIBSYCL:
            path = os.path.join(folder, name)
            if os.path.exists(path):
                return path
    return None


def _needs(path, library):
    """Whether an ELF file (64-bit, little-endian) depends on a library."""
    file = os.open(path, os.O_RDONLY)
    try:
        header = os.pread(file, 64, 0)
        if header[:6] != b"\x7fELF\x02\x01":
            return False
        number = int.from_bytes
        count, size = number(header[56:58], "little"), number(header[54:56], "little")
        table = os.pread(file, count * size, number(header[32:40], "little"))
        segments = [memoryview(table[at + 8 : at + 48]).cast("Q").tolist() for at in range(0, count * size, size)]
        kinds = [number(table[at : at + 4], "little") for at in range(0, count * size, size)]
        offset, _, _, length, _ = segments[kinds.index(2)]  # PT_DYNAMIC
        entries = memoryview(os.pread(file, length, offset)).cast("Q").tolist()
        values = dict(zip(entries[::2], entries[1::2]))
        text, text_size = values[5], values[10]  # DT_STRTAB, DT_STRSZ
        for kind, (offset, address, _, length, _) in zip(kinds, segments):
            if kind == 1 and address <= text < address + length:  # PT_LOAD
                text += offset - address
                break
        names = os.pread(file, text_size, text)
        needed = [value for tag, value in zip(entries[::2], entries[1::2]) if tag == 1]  # DT_NEEDED
        return any(names.startswith(library + b"\0", at) for at in needed)
    finally:
        os.close(file)


def _has_level_zero():
    """Whether the machine may have a GPU that needs Intel's adapters of 2026.1 or before, which our loader rejects."""
    return os.path.exists("/dev/dri") and any(os.path.exists(f"{folder}/libze_loader.so.1") for folder in _SYSTEM)


def _opencl_drivers():
    """The files of the OpenCL drivers that an ICD loader would load, some without a folder."""
    environ = os.environ
    yield from filter(None, environ.get("OCL_ICD_FILENAMES", "").split(":"))
    vendors = environ.get("OCL_ICD_VENDORS") or _VENDORS
    try:
        files = [os.path.join(vendors, name) for name in os.listdir(vendors)]
    except NotADirectoryError:
        files = [vendors]
    except OSError:
        return
    for path in files:
        if path.endswith(".icd"):
            with open(path, "rb") as file:
                yield os.fsdecode(file.readline().strip())


def _takes_spirv(pocl):
    """Whether a PoCL was built with SPIR-V, by its version string: ``..., RELOC, SPIR-V, LLVM 17.0.6, ...``."""
    folders = [""] if "/" in pocl else [*os.environ.get("LD_LIBRARY_PATH", "").split(":"), *_SYSTEM]
    for path in (os.path.join(folder, pocl) for folder in folders):
        if os.path.exists(path):
            with open(path, "rb") as file:
                data = file.read(1 << 24)
            for beginning in _POCL:
                at = data.find(beginning)
                if at >= 0:
                    return b"SPIR-V" in data[at : data.find(b"LLVM", at)]
            break
    return True  # It is unknown.


def _is_opencl_cpu_useless():
    """Whether the only OpenCL CPUs are those of PoCLs without SPIR-V, on which SYCL programs cannot run. This does not load
    the drivers, because this program may need none."""
    cpus = [driver for driver in _opencl_drivers() if not os.path.basename(driver).startswith(_GPUS)]
    are_pocl = [os.path.basename(driver).startswith("libpocl") for driver in cpus]
    return bool(cpus) and all(are_pocl) and not any(map(_takes_spirv, cpus))


def _open(library):
    """Loads a library for the lifetime of the process."""
    try:
        # ctypes itself takes ten times as long to import.
        from _ctypes import dlopen
    except ImportError:
        from ctypes import CDLL

        CDLL(library, os.RTLD_GLOBAL)
    else:
        dlopen(library, os.RTLD_NOW | os.RTLD_GLOBAL)


def _warn(message):
    sys.stderr.write(f"oxur: {message}\n")


def _start():
    environ = os.environ
    wish = environ.get("OXUR_CPU", "").strip().lower()
    # Its functions precede libsycl's, which is loaded later.
    if sys.platform == "linux" and environ.get("UR_CPU_DEVICE_TYPE", "").startswith("gpu"):
        _open(os.path.join(lib, _AS_GPU))
    adapter = cpu_adapter()
    onemkl = adapter and os.path.join(os.path.dirname(adapter), _ONEMKL)
    # Its functions precede oneMKL's, whichever adapters are loaded.
    if onemkl and os.path.exists(onemkl):
        _open(onemkl)
    # The adapter itself obeys `off`, also in programs other than Python.
    if sys.platform != "linux" or wish == "off" or environ.get("UR_ADAPTERS_FORCE_LOAD"):
        return
    if adapter is None:
        _warn(
            f"{_ADAPTER} is missing from the environment's lib folder. `pip install --target` does not install it: "
            "install oxur into an environment, or as a user"
        )
        return
    own = os.path.dirname(adapter)
    libsycl = _libsycl([*_lib_folders(), own])
    if libsycl is None:
        return
    # With selectors such as opencl:cpu, libsycl would skip the file before it knows that it belongs to that backend.
    environ.setdefault("UR_LOADER_PRELOAD_FILTER", "0")
    beside = os.path.dirname(libsycl)
    if _needs(libsycl, b"libur_loader.so.0"):
        if wish == "prefer" or not _has_level_zero():
            _open(os.path.join(lib, "libur_loader.so.0"))
    elif wish == "prefer" or _is_opencl_cpu_useless():
        others = [os.path.join(own, _CUDA), *(os.path.join(beside, name) for name in _OTHERS)]
        others = dict.fromkeys(filter(os.path.exists, others))
        paths = [adapter, os.path.join(lib, "libur_adapter_opencl.so.0"), *others]
        environ["UR_ADAPTERS_FORCE_LOAD"] = ",".join(f'"{path}"' for path in paths)
    elif beside != own:
        paths = [path for path in environ.get("UR_ADAPTERS_SEARCH_PATH", "").split(":") if path]
        if own not in paths:
            environ["UR_ADAPTERS_SEARCH_PATH"] = ":".join([*paths, own])


try:
    _start()
except Exception as error:  # A program that needs no SYCL device must not fail here.
    _warn(f"SYCL programs may find no device: {error}; `oxur doctor` says more")
