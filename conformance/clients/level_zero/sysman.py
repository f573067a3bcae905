# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pyzes, Python's bindings of sysman: its own black-box test, and values that the machine has."""

import contextlib
import ctypes
import io
import os
import runpy
import sys

os.environ["ZES_ENABLE_SYSMAN"] = "1"
open_library = ctypes.CDLL


def found(name, *arguments, **options):
    """pyzes looks in /usr/lib only."""
    return open_library("libze_loader.so.1" if str(name).endswith("libze_loader.so.1") else name, *arguments, **options)


ctypes.CDLL = found
import pyzes  # noqa: E402
from ctypes import byref, c_uint32  # noqa: E402


def all_of(function, kind, *parent):
    """The handles that a function lists, by two calls."""
    count = c_uint32(0)
    assert function(*parent, byref(count), None) == 0
    handles = (kind * count.value)()
    assert function(*parent, byref(count), handles) == 0
    return list(handles)


assert pyzes.zesInit(0) == 0
(driver,) = all_of(pyzes.zesDriverGet, pyzes.zes_driver_handle_t)
(device,) = all_of(pyzes.zesDeviceGet, pyzes.zes_device_handle_t, driver)
properties = pyzes.zes_device_properties_t(stype=pyzes.ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES)
assert pyzes.zesDeviceGetProperties(device, byref(properties)) == 0
print("device:", bytes(properties.modelName).decode())
with open("/proc/cpuinfo", encoding="utf-8") as cpus:
    assert any(bytes(properties.modelName).decode() in line for line in cpus if line.startswith("model name"))

(memory,) = all_of(pyzes.zesDeviceEnumMemoryModules, pyzes.zes_mem_handle_t, device)
state = pyzes.zes_mem_state_t(stype=pyzes.ZES_STRUCTURE_TYPE_MEM_STATE)
assert pyzes.zesMemoryGetState(memory, byref(state)) == 0
with open("/proc/meminfo", encoding="utf-8") as lines:
    total = int(next(line for line in lines if line.startswith("MemTotal")).split()[1]) * 1024
print(f"memory: {state.free} of {state.size} bytes are free")
assert state.size == total and 0 < state.free < total

# The black-box test prints a line for each failure, and goes on.
sys.argv = ["pyzes_black_box_test", "-a"]
output = io.StringIO()
with contextlib.redirect_stdout(output):
    try:
        runpy.run_module("pyzes.examples.pyzes_black_box_test", run_name="__main__")
    except SystemExit as end:
        assert not end.code, output.getvalue()
print(output.getvalue())
