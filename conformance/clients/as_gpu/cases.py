# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks which kind of device dpctl sees, `gpu` or `cpu`, and that oneMKL computes: cases.py KIND"""

import sys

import dpctl
import dpnp
import numpy as np

KIND = sys.argv[1]
OTHER = {"gpu": "cpu", "cpu": "gpu"}[KIND]
failed = 0


def case(name, is_, should=True):
    global failed
    failed += is_ != should
    print(f"ok   {name}" if is_ == should else f"FAIL {name}: {is_!r}, not {should!r}", flush=True)


def kinds(device):
    """Each way in which dpctl tells the kind of a device."""
    return {
        device.device_type.name,
        *(kind for kind in ("gpu", "cpu", "accelerator") if getattr(device, f"is_{kind}")),
        *(kind for kind in ("gpu", "cpu", "accelerator") if getattr(device, f"has_aspect_{kind}")),
        device.filter_string.split(":")[1],
    }


def selects(selector):
    try:
        return kinds(dpctl.SyclDevice(selector))
    except dpctl.SyclDeviceCreationError:
        return None


def works(function):
    try:
        function()
    except (dpctl.SyclDeviceCreationError, ValueError):
        return False
    return True


def dpctl_sees():
    case("get_devices", [kinds(device) for device in dpctl.get_devices()], [{KIND}])
    case(f"get_devices, {KIND}", len(dpctl.get_devices(device_type=KIND)), 1)
    case(f"get_devices, {OTHER}", len(dpctl.get_devices(device_type=OTHER)), 0)
    case("get_num_devices", [dpctl.get_num_devices(device_type=kind) for kind in (KIND, OTHER)], [1, 0])
    case("has_gpu_devices", dpctl.has_gpu_devices(), KIND == "gpu")
    case("has_cpu_devices", dpctl.has_cpu_devices(), KIND == "cpu")
    for selector in ("{}", "{}:0", "opencl:{}", "opencl:{}:0"):
        case(f"SyclDevice({selector.format(KIND)!r})", selects(selector.format(KIND)), {KIND})
        case(f"SyclDevice({selector.format(OTHER)!r})", selects(selector.format(OTHER)), None)
    case("SyclDevice()", kinds(dpctl.SyclDevice()), {KIND})
    case("select_gpu_device", works(dpctl.select_gpu_device), KIND == "gpu")
    case("select_cpu_device", works(dpctl.select_cpu_device), KIND == "cpu")
    case(f"SyclQueue({KIND!r})", kinds(dpctl.SyclQueue(KIND).sycl_device), {KIND})
    platform = dpctl.SyclDevice().sycl_platform
    case("the platform's name", platform.name, {"gpu": "oxur CPU (OpenCL)", "cpu": "oxur CPU"}[KIND])
    case("the platform's devices", [kinds(device) for device in platform.get_devices()], [{KIND}])
    case("compute units", KIND == "cpu" or dpctl.SyclDevice().max_compute_units >= 16)


def onemkl_computes():
    a = np.random.default_rng(3).standard_normal((300, 300))
    b = a[:, :5] + 1
    for dtype, tolerance in ((np.float32, 1e-2), (np.float64, 1e-9)):
        x, y = dpnp.asarray(a, dtype=dtype), dpnp.asarray(b, dtype=dtype)
        close = {"rtol": tolerance, "atol": tolerance}
        solved = dpnp.asnumpy(dpnp.linalg.solve(x, y))
        case(f"solve, {dtype.__name__}", bool(np.allclose(solved, np.linalg.solve(a, b), **close)))
        case(f"matmul, {dtype.__name__}", bool(np.allclose(dpnp.asnumpy(x @ x), a @ a, **close)))
        case(f"fft, {dtype.__name__}", bool(np.allclose(dpnp.asnumpy(dpnp.fft.fft(x[0])), np.fft.fft(a[0]), **close)))
    case("random numbers", abs(float(dpnp.random.standard_normal(100_000).mean())) < 0.02)


dpctl_sees()
onemkl_computes()
print(f"{failed} failed")
sys.exit(failed != 0)
