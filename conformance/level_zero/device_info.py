#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what our Level Zero adapter and Intel's answer to device queries, both on our driver.

    device_info.py [--lib dist/lib] [--env target/env/v2026.2]

Every query of include/unified-runtime/ur_api.h is asked, through our loader. A difference that KNOWN does not name is a
failure. Errors count as equal, and so do all truth values that are not zero.
"""

import argparse
import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]

# What differs, and why.
KNOWN = {
    "PLATFORM": "a handle",
    "GLOBAL_MEM_FREE": "it changes",
    "ASYNC_USM_ALLOCATIONS_SUPPORT_EXP": "not in our adapter",
    "BFLOAT16": "deprecated; the answer of BFLOAT16_CONVERSIONS_NATIVE",
    "BUILD_ON_SUBDEVICE": "a program of a device runs on its parts",
    "COMMAND_BUFFER_EVENT_SUPPORT_EXP": "the kit has it",
    "COMMAND_BUFFER_SUBGRAPH_SUPPORT_EXP": "the kit has it",
    "COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP": "the kit has events, too",
    "ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP": "not in Intel's",
    "ESIMD_SUPPORT": "Intel's has it on every GPU; our driver is none of Intel's architectures",
    "EXECUTION_CAPABILITIES": "Intel's names native kernels, which UR does not have",
    "EXTENSIONS": "Intel's leaves cl_ext_float_atomics out",
    "GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP": "the kit has it",
    "IMAGE_SRGB": "what the driver says",
    "IPC_PHYSICAL_MEMORY_SUPPORT_EXP": "Level Zero maps what it opens",
    "LOW_POWER_EVENTS_SUPPORT_EXP": "not in our adapter",
    "MAX_MEMORY_BANDWIDTH": "the driver does not tell; Intel's says 0",
    "MEM_BASE_ADDR_ALIGN": "SYCL wants the bits of the largest vector",
    "NATIVE_VECTOR_WIDTH_DOUBLE": "what the driver says",
    "VENDOR": "that of the device, on CPUs of others; Intel's names Intel",
    "NUM_COMPUTE_UNITS": "the other name of MAX_COMPUTE_UNITS",
    "PARTITION_AFFINITY_DOMAIN": "empty where there are no parts",
    "PER_EVENT_PROFILING_SUPPORT_EXP": "not in our adapter",
    "QUEUE_ON_HOST_PROPERTIES": "the other name of QUEUE_PROPERTIES",
    "REUSABLE_EVENTS_SUPPORT_EXP": "not in our adapter",
    "TIMESTAMP_RECORDING_SUPPORT_EXP": "not in our adapter",
    "USE_NATIVE_ASSERT": "libsycl's own assertions work on every driver",
    "CLOCK_SUB_GROUP_SUPPORT_EXP": "the driver's compiler reads no clocks",
    "CURRENT_CLOCK_THROTTLE_REASONS": "sysman's; Intel's says 0",
    "IMAGE_PITCH_ALIGN_EXP": "what the driver says; Intel's says 0",
    "MAX_IMAGE_LINEAR_PITCH_EXP": "what the driver says; Intel's says 0",
    "MIPMAP_MAX_ANISOTROPY_EXP": "there are no mipmaps; Intel's has no answer",
    "EXTERNAL_SEMAPHORE_IMPORT_SUPPORT_EXP": "not in our adapter",
}
# Queries that begin like this.
FAMILIES = {
    "XE_": "the driver has no such parts; Intel's says 0",
    "EUS_PER_XE_CORE": "the driver has no such parts; Intel's says 0",
    "MAX_LANES_PER_HW_THREAD": "the driver has no such parts; Intel's says 0",
}


def queries():
    """The device queries: names, numbers, and whether the answer is a truth value."""
    header = (REPO / "include/unified-runtime/ur_api.h").read_text()
    body = re.search(r"enum ur_device_info_t[^{]*\{(.*?)\}", header, re.DOTALL).group(1)
    found = re.findall(r"UR_DEVICE_INFO_(\w+)\s*=\s*(\w+)", body)
    return {name: int(number, 0) for name, number in found if name != "FORCE_UINT32"}


def answers(loader):
    """What the first device of the first adapter answers: a line for each query."""
    ur, pointer, count = ctypes.CDLL(loader), ctypes.c_void_p, ctypes.c_uint32()

    def listed(function, *before):
        handles = (pointer * 8)()
        if function(*before, 8, handles, ctypes.byref(count)) or not count.value:
            sys.exit(f"{function.__name__} finds nothing")
        return pointer(handles[0])

    if ur.urLoaderInit(0, None):
        sys.exit("urLoaderInit failed")
    platform = listed(ur.urPlatformGet, listed(ur.urAdapterGet))
    device = listed(ur.urDeviceGet, platform, 2)  # UR_DEVICE_TYPE_ALL
    for name, number in queries().items():
        size = ctypes.c_size_t()
        code = ur.urDeviceGetInfo(device, number, ctypes.c_size_t(0), None, ctypes.byref(size))
        place = ctypes.create_string_buffer(size.value + 1)
        if not code and size.value:
            code = ur.urDeviceGetInfo(device, number, size, place, None)
        value = place.raw[: size.value]
        if code:
            text = "error"
        elif size.value == 1:
            text = str(value != b"\0")
        elif size.value > 8 and all(32 <= byte < 127 for byte in value[:-1]):
            text = " ".join(sorted(value[:-1].decode().split()))
        else:
            text = value.hex()
        print(name, text)


def ask(adapter, options):
    """The answers of an adapter, in a process of its own."""
    lib = options.lib.resolve()
    env = {name: value for name, value in os.environ.items() if not name.startswith(("UR_", "ZE_", "ONEAPI_"))}
    folders = [str(lib / "level-zero"), str(options.env.resolve() / "lib")]
    env |= {"UR_ADAPTERS_FORCE_LOAD": str(adapter), "LD_LIBRARY_PATH": ":".join(folders)}
    command = [sys.executable, __file__, "--answers", str(lib / "libur_loader.so.0")]
    result = subprocess.run(command, env=env, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{adapter}: {result.stderr.strip() or result.returncode}")
    return dict((line + " ").split(" ", 1) for line in result.stdout.splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", type=Path, default=REPO / "dist/lib", help="our libraries (default: dist/lib)")
    parser.add_argument("--env", type=Path, default=REPO / "target/env/v2026.2", help="where Intel's adapters are")
    parser.add_argument("--answers", metavar="LOADER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answers:
        return answers(options.answers)
    ours = ask(options.lib.resolve() / "adapters/libur_adapter_level_zero.so.0", options)
    intels = ask(options.env.resolve() / "lib/libur_adapter_level_zero_v2.so.0", options)
    different = [name for name in intels if ours[name] != intels[name]]
    reasons = {name: KNOWN.get(name) or next((why for start, why in FAMILIES.items() if name.startswith(start)), None)
               for name in different}
    for name, reason in reasons.items():
        print(f"{name}: ours {ours[name].strip()}, Intel's {intels[name].strip()}: {reason or 'NOT KNOWN'}")
    unknown = sum(reason is None for reason in reasons.values())
    print(f"{len(intels) - len(different)} answers are the same, {len(different) - unknown} differ as known")
    print(f"{len(intels) - unknown} passed, {unknown} failed")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
