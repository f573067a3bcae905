# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The demo's computation: dpnp on the SYCL device, each result checked against numpy. Exits with 1 if one is wrong."""

import sys

import dpnp
import numpy

rng = numpy.random.default_rng(2026)
data = rng.standard_normal(1_000_000)
matrix = rng.standard_normal((300, 300))
on_device, matrix_on_device = dpnp.array(data), dpnp.array(matrix)
print(f"device: {on_device.sycl_device.name.strip()} ({on_device.sycl_device.backend.name})")

results = {
    "sum": (dpnp.sum(on_device), data.sum()),
    "sort": (dpnp.sort(on_device), numpy.sort(data)),
    "sin": (dpnp.sin(on_device), numpy.sin(data)),
    "matmul": (dpnp.matmul(matrix_on_device, matrix_on_device), matrix @ matrix),
}
wrong = 0
for name, (ours, expected) in results.items():
    right = numpy.allclose(dpnp.asnumpy(ours), expected, rtol=1e-9, atol=1e-9)
    wrong += not right
    print(f"dpnp.{name}: {'equals' if right else 'DIFFERS from'} numpy's")

mapped = {line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if ".so" in line}
ours, drivers = (sorted(path for path in mapped if part in path) for part in ("/libur_", "/libintelocl"))
print("Unified Runtime in this process:", ", ".join(path.rpartition("/")[2] for path in ours))
print("OpenCL drivers in this process:", ", ".join(path.rpartition("/")[2] for path in drivers) or "none")
sys.exit(wrong != 0)
