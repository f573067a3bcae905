# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two software stacks that a client program can run on: their environment, and a proof which one is in use.

`intel` is the reference: what the wheels bring. `ours` is the same client and the same libsycl on our libraries:
generation 2026.1 takes our loader and adapter, 2026.2 (whose loader is inside libsycl) our adapter; the adapter `level_zero`
is on our Level Zero driver, and `cuda` on the driver without a GPU (OXUR_CUDA_SYSTEM=1: on that of the machine). So is `driver`, Intel's Level Zero adapter (`level_zero` or `level_zero_v2`) of the wheels.
"""

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
GENERATIONS = ("2026.1", "2026.2")
# What steers UR or SYCL. The tier of our compiler (`make test-tiers`) says nothing about the stack.
STEERING, KEPT = ("UR_", "SYCL_", "ONEAPI_", "OCL_", "PYTEST_"), ("UR_CPU_TIER",)
FAKE_CUDA = REPO / "target" / "fake-cuda"
OPENCL_DRIVERS = ("libintelocl", "libpocl", "libigdrcl", "libnvidia-opencl", "libamdocl")  # how their names begin


def libdevice():
    """NVIDIA's library of mathematical functions, as scripts/setup.sh nvptx installs it."""
    found = REPO.glob("target/env/nvptx/lib/python3.*/site-packages/nvidia/*/nvvm/libdevice/libdevice.10.bc")
    return str(next(found, "missing"))


# Run inside the client's Python: makes libsycl enumerate, then lists the devices and what is mapped.
PROBE = """
import dpctl
devices = dpctl.get_devices()
print("devices", len(devices), ", ".join(f"{d.backend.name}:{d.device_type.name} {d.name.strip()}" for d in devices))
for path in sorted({line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if ".so" in line}):
    print("mapped", path)
"""


@dataclass
class Stack:
    kind: str  # "intel", "ours" or "driver"
    generation: str  # one of GENERATIONS
    lib: Path | None = None  # ours, driver: the folder that holds our libraries
    adapter: str = "opencl"  # ours: which of our adapters; driver: which of Intel's

    @property
    def name(self):
        return f"{self.generation}-{self.kind}" + (f"-{self.adapter}" if self.kind != "intel" else "")

    @property
    def env_dir(self):
        return REPO / "target" / "env" / f"v{self.generation}"

    @property
    def python(self):
        return self.env_dir / "bin" / "python"

    @property
    def adapter_path(self):
        folder = self.env_dir / "lib" if self.kind == "driver" else self.lib
        if self.kind == "ours" and self.adapter in ("level_zero", "cuda"):
            folder = self.lib / "adapters"
        return folder.resolve() / f"libur_adapter_{self.adapter}.so.0"

    @property
    def level_zero(self):
        """The folder of our Level Zero driver, which is the loader of its own."""
        return self.lib.resolve() / "level-zero"

    @property
    def needs_level_zero(self):
        return self.kind == "driver" or self.kind == "ours" and self.adapter == "level_zero"

    @property
    def needs_fake_cuda(self):
        """Whether CUDA is the driver without a GPU, as in conformance/cuda/run.sh."""
        return self.kind == "ours" and self.adapter == "cuda" and not os.environ.get("OXUR_CUDA_SYSTEM")

    @property
    def needs_opencl(self):
        return self.kind == "intel" or self.kind == "ours" and self.adapter == "opencl"

    def environment(self):
        """The variables of a client process: the caller's, less whatever would steer UR or SYCL another way."""
        env = {k: v for k, v in os.environ.items() if k in KEPT or not k.startswith(STEERING)}
        path = [str(self.env_dir / "lib")]
        # Intel's driver, or none at all. Other drivers of the machine are hidden.
        env["OCL_ICD_FILENAMES"] = str(self.env_dir / "lib" / "libintelocl.so") if self.needs_opencl else "/nonexistent"
        env["OCL_ICD_VENDORS"] = "/nonexistent"
        env["SYCL_CACHE_PERSISTENT"] = "1"
        env["SYCL_CACHE_DIR"] = str(REPO / "target" / "sycl-cache" / self.name)
        if self.kind == "driver":
            env["UR_ADAPTERS_FORCE_LOAD"] = str(self.adapter_path)
            env["UR_CPU_CACHE"] = str(REPO / "target" / "sycl-cache" / "kernels")
        if self.needs_level_zero:
            path.insert(0, str(self.level_zero))
        if self.needs_fake_cuda:
            path.insert(0, str(FAKE_CUDA))
            env["UR_CUDA_LIBDEVICE"] = libdevice()
        if self.kind == "ours":
            env["UR_ADAPTERS_FORCE_LOAD"] = str(self.adapter_path)
            env["UR_CPU_CACHE"] = str(REPO / "target" / "sycl-cache" / "kernels")
            if self.generation == "2026.1":
                path.insert(0, str(self.lib.resolve()))
        env["LD_LIBRARY_PATH"] = ":".join(path)
        return env

    def problems(self):
        """Says, a line each, what is missing or not as named. An empty list is the proof that the stack is in use."""
        if not self.python.exists():
            return [f"{self.python} is missing: run `make setup`"]
        if self.needs_level_zero:
            missing = [f"{path} is missing" for path in [self.adapter_path, self.level_zero / "libze_loader.so.1"] if not path.exists()]
            if missing:
                return missing
        if self.needs_fake_cuda and not (FAKE_CUDA / "libcuda.so.1").exists():
            return [f"{FAKE_CUDA} has no driver: run conformance/cuda/run.sh"]
        if self.kind == "ours":
            needed = [self.adapter_path] + [self.lib.resolve() / "libur_loader.so.0"] * (self.generation == "2026.1")
            missing = [f"{path} is missing: run `make dist`" for path in needed if not path.exists()]
            if missing:
                return missing
        try:
            probe = subprocess.run(
                [self.python, "-c", PROBE], env=self.environment(), capture_output=True, text=True, timeout=1200
            )
        except subprocess.TimeoutExpired:
            return ["the probe of the stack did not end within 300 s"]
        if probe.returncode != 0:
            return [f"the probe of the stack ended with {probe.returncode}", *probe.stderr.splitlines()[-5:]]
        lines = probe.stdout.splitlines()
        mapped = {Path(line.split(None, 1)[1]) for line in lines if line.startswith("mapped ")}
        found = [line for line in lines if line.startswith("devices") or "/libur_" in line or "/libsycl.so" in line]
        drivers = sorted(path for path in mapped if path.name.startswith(OPENCL_DRIVERS))
        found.append(f"OpenCL drivers mapped: {', '.join(map(str, drivers)) or 'none'}")
        print("\n  ".join([f"stack {self.name}:", *found]).replace(f"{REPO}/", ""), flush=True)
        if any(line.startswith("devices 0") for line in lines):
            return ["no SYCL device on this stack"]
        if drivers and not self.needs_opencl:
            return [f"{path} is mapped, where no OpenCL driver should be" for path in drivers]
        return list(self._mapping_problems(mapped))

    def _mapping_problems(self, mapped):
        ur = {path for path in mapped if path.name.startswith(("libur_loader.so", "libur_adapter_"))}
        if self.kind == "intel":
            wheels = self.env_dir.resolve()
            yield from (f"{path} is mapped, but not of the wheels" for path in ur if wheels not in path.parents)
            return
        if self.kind == "driver":
            level_zero = {path for path in mapped if path.name.startswith(("libze_loader", "libze_oxur_cpu"))}
            if not any(self.lib.resolve() in path.parents for path in level_zero):
                yield f"our Level Zero driver of {self.lib} is not mapped, but {level_zero}"
            if self.adapter_path.resolve() not in {path.resolve() for path in ur}:
                yield f"{self.adapter_path} is not mapped"
            return
        ours = {path for path in ur if self.lib.resolve() in path.parents}
        yield from (f"{path} is mapped, but not ours" for path in ur - ours)
        wanted = [f"libur_adapter_{self.adapter}.so"] + ["libur_loader.so"] * (self.generation == "2026.1")
        for name in wanted:
            if not any(path.name.startswith(name) for path in ours):
                yield f"{name} of {self.lib} is not mapped"


def main():
    """Runs a command on a stack, once the stack is proven:

    stack.py --generation 2026.1 --stack ours --lib dist/lib -- env SYCL_UR_TRACE=2 ./program
    """
    parser = argparse.ArgumentParser(description=main.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    stack = from_arguments(parser, options)
    if problems := stack.problems():
        sys.exit("\n  ".join(["the stack is not what was asked for:", *problems]))
    os.execvpe(options.command[0], options.command, stack.environment())


def add_arguments(parser):
    """The options that name a stack."""
    parser.add_argument("--generation", required=True, choices=GENERATIONS)
    parser.add_argument("--stack", required=True, choices=("intel", "ours", "driver"))
    parser.add_argument("--lib", type=Path, help="the folder of our libraries (for --stack ours and driver)")
    parser.add_argument("--adapter", default="opencl", help="which of our adapters (default: opencl), or Intel's on our driver")


def from_arguments(parser, options):
    if options.stack != "intel" and not options.lib:
        parser.error(f"--stack {options.stack} needs --lib")
    return Stack(options.stack, options.generation, options.lib, options.adapter)


if __name__ == "__main__":
    main()
