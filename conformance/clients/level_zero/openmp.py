# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libomptarget, the runtime of OpenMP offloading, with its Level Zero plugin: a target region as a compiler writes it.

The structures are those of LLVM's libomptarget, and so are their names. A region's kernel has the launch environment as
its first parameter, and its module a variable that the plugin fills.
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

os.environ |= {"LIBOMPTARGET_PLUGIN": "LEVEL_ZERO", "OMP_TARGET_OFFLOAD": "MANDATORY"}
FOLDER = Path(sys.argv[1])
SOURCE = """
global uchar __omp_spirv_program_data[256] = {0};
kernel void accumulate(global void *environment, global int *to, global const int *from) {
  to[get_global_id(0)] += from[get_global_id(0)];
}
"""
COUNT, TEAMS = 4096, 64
# tgt_map_type.
TO, FROM, TARGET_PARAM, LITERAL = 0x1, 0x2, 0x20, 0x100


class __tgt_offload_entry(ctypes.Structure):
    _fields_ = [
        ("Reserved", ctypes.c_uint64),
        ("Version", ctypes.c_uint16),
        ("Kind", ctypes.c_uint16),
        ("Flags", ctypes.c_uint32),
        ("Address", ctypes.c_void_p),
        ("SymbolName", ctypes.c_char_p),
        ("Size", ctypes.c_uint64),
        ("Data", ctypes.c_uint64),
        ("AuxAddr", ctypes.c_void_p),
    ]


class __tgt_device_image(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("ImageStart", "ImageEnd", "EntriesBegin", "EntriesEnd")]


class __tgt_bin_desc(ctypes.Structure):
    _fields_ = [
        ("NumDeviceImages", ctypes.c_int32),
        ("DeviceImages", ctypes.c_void_p),
        ("HostEntriesBegin", ctypes.c_void_p),
        ("HostEntriesEnd", ctypes.c_void_p),
    ]


class KernelArgsTy(ctypes.Structure):
    _fields_ = [
        ("Version", ctypes.c_uint32),
        ("NumArgs", ctypes.c_uint32),
        *((name, ctypes.c_void_p) for name in ("BasePtrs", "Ptrs", "Sizes", "Types", "Names", "Mappers")),
        ("Tripcount", ctypes.c_uint64),
        ("Flags", ctypes.c_uint64),
        ("NumTeams", ctypes.c_uint32 * 3),
        ("ThreadLimit", ctypes.c_uint32 * 3),
        ("DynCGroupMem", ctypes.c_uint32),
    ]


def build():
    source, bitcode, module = (FOLDER / f"openmp.{kind}" for kind in ("cl", "bc", "spv"))
    source.write_text(SOURCE, encoding="utf-8")
    compile = "clang-14 -cc1 -triple spir64-unknown-unknown -cl-std=CL2.0 -finclude-default-header -O1 -emit-llvm-bc"
    subprocess.run([*compile.split(), source, "-o", bitcode], check=True)
    subprocess.run(["llvm-spirv-14", bitcode, "-o", module], check=True)
    return module.read_bytes()


def end(array):
    return ctypes.addressof(array) + ctypes.sizeof(array)


runtime = ctypes.CDLL("libomptarget.so", mode=ctypes.RTLD_GLOBAL)
image = ctypes.create_string_buffer(spirv := build(), len(spirv))
region = ctypes.create_string_buffer(1)
entry = __tgt_offload_entry(0, 1, 1, 0, ctypes.addressof(region), b"accumulate", 0, 0, None)
entries = (__tgt_offload_entry * 1)(entry)
first, last = ctypes.addressof(entries), end(entries)
images = (__tgt_device_image * 1)(__tgt_device_image(ctypes.addressof(image), end(image), first, last))
library = __tgt_bin_desc(1, ctypes.addressof(images), first, last)

runtime.__tgt_register_lib(ctypes.byref(library))
runtime.__tgt_init_all_rtls()
devices = runtime.omp_get_num_devices()
print("devices:", devices)
assert devices == 1

to, source = (ctypes.c_int * COUNT)(*range(COUNT)), (ctypes.c_int * COUNT)(*[1000] * COUNT)
# The launch environment counts as an argument, so there is one more than the region has.
pointers = (ctypes.c_void_p * 3)(ctypes.addressof(to), ctypes.addressof(source), 0)
sizes = (ctypes.c_int64 * 3)(ctypes.sizeof(to), ctypes.sizeof(source), 8)
types = (ctypes.c_int64 * 3)(TO | FROM | TARGET_PARAM, TO | TARGET_PARAM, LITERAL | TARGET_PARAM)
arrays = map(ctypes.addressof, (pointers, pointers, sizes, types))
arguments = KernelArgsTy(3, 3, *arrays, None, None, COUNT, 0, (TEAMS, 1, 1), (COUNT // TEAMS, 1, 1))
launch = runtime.__tgt_target_kernel
launch.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p]
for repeat in (1, 2, 3):
    result = launch(None, 0, TEAMS, COUNT // TEAMS, ctypes.addressof(region), ctypes.byref(arguments))
    assert result == 0, result
    assert list(to) == [index + 1000 * repeat for index in range(COUNT)]
print(f"a target region of {COUNT} iterations in {TEAMS} teams, three times: right")
