#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what `differential nvptx FOLDER` wrote on an NVIDIA GPU: PTX, inputs, and the interpreter's results.

    nvptx.py FOLDER         needs NumPy and the driver (libcuda.so.1), nothing else
"""

import ctypes
import json
import struct
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

cuda = ctypes.CDLL("libcuda.so.1")
UINT64, POINTER = ctypes.c_uint64, ctypes.c_void_p


class CudaError(Exception):
    pass


def call(name, *args):
    status = getattr(cuda, name)(*args)
    if status:
        text = ctypes.c_char_p()
        cuda.cuGetErrorName(status, ctypes.byref(text))
        raise CudaError(f"{name}: {(text.value or b'?').decode()}")


def context():
    call("cuInit", 0)
    device, made = ctypes.c_int(), POINTER()
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(made), device)
    call("cuCtxSetCurrent", made)
    name = ctypes.create_string_buffer(100)
    call("cuDeviceGetName", name, 100, device)
    print(name.value.decode(), flush=True)
    return made


def allocate(size):
    address = UINT64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
    return address.value


def upload(address, data):
    call("cuMemcpyHtoD_v2", UINT64(address), data, ctypes.c_size_t(len(data)))


def download(address, size):
    data = ctypes.create_string_buffer(size)
    call("cuMemcpyDtoH_v2", data, UINT64(address), ctypes.c_size_t(size))
    return data.raw


def load(ptx):
    """A module, by the driver's JIT."""
    log = ctypes.create_string_buffer(4096)
    options = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
    values = (POINTER * 2)(ctypes.cast(log, POINTER), POINTER(len(log)))
    module = POINTER()
    try:
        call("cuModuleLoadDataEx", ctypes.byref(module), ptx, 2, options, values)
    except CudaError as error:
        raise CudaError(f"{error}: {log.value.decode()}") from None
    return module


def launch_range(launch):
    """struct LaunchRange of compiler/src/nvptx/mod.rs"""
    sizes = [a * b for a, b in zip(launch["local"], launch["groups"])]
    return struct.pack(
        "<3Q3Q3I3IIIQQ", *sizes, *launch["offset"], *launch["groups"], 0, 0, 0, launch["dimensions"], 0, 0, 0
    )


def equal(buffer, expected, found):
    """Where results are equal, as data.rs says."""
    kinds = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
    size = buffer["size"]
    bits = [np.frombuffer(data, kinds[size]) for data in (expected, found)]
    same = bits[0] == bits[1]
    if buffer["kind"] == "int":
        return same
    x, y = (data.view({2: np.float16, 4: np.float32, 8: np.float64}[size]).astype(np.float64) for data in bits)
    same |= np.isnan(x) & np.isnan(y)
    if buffer["kind"] == "about":
        tolerance = 4e-6 if size == 4 else 1e-14
        with np.errstate(all="ignore"):
            same |= (x == y) | (np.abs(x - y) <= tolerance * np.maximum(np.abs(x), np.abs(y)))
    return same


def run(launch, function, buffers, addresses, data, changes):
    block = bytearray(launch["block"])
    rest = data[sum(buffer["bytes"] for buffer in buffers):]
    (_, structure), (_, number) = launch["params"][-2:]
    values = [struct.pack("<Q", address) for address in addresses] + [rest[:structure], rest[structure:structure + number]]
    for (offset, size), value in zip(launch["params"], values, strict=True):
        assert size == len(value)
        block[offset:offset + size] = value
    packed = launch_range(launch)
    assert launch["range"] + len(packed) == len(block)
    block[launch["range"]:] = packed
    at = 0
    for buffer, address in zip(buffers, addresses):
        upload(address, data[at:at + buffer["bytes"]])
        at += buffer["bytes"]
    memory = ctypes.create_string_buffer(bytes(block), len(block))
    params = (POINTER * 1)(ctypes.cast(memory, POINTER))
    call("cuLaunchKernel", function, *launch["groups"], *launch["local"], launch["shared"], None, params, None)
    call("cuCtxSynchronize")
    at = place = 0
    for buffer, address in zip(buffers, addresses):
        first, count = struct.unpack_from("<2I", changes, place)
        place += 8
        expected = bytearray(data[at:at + buffer["bytes"]])
        expected[8 * first:8 * (first + count)] = changes[place:place + 8 * count]
        place += 8 * count
        at += buffer["bytes"]
        if buffer["input"]:
            continue
        found = download(address, buffer["bytes"])
        wrong = np.flatnonzero(~equal(buffer, bytes(expected), found))
        if len(wrong):
            size, index = buffer["size"], int(wrong[0])
            show = [bytes(d[index * size:(index + 1) * size])[::-1].hex() for d in (expected, found)]
            return f"{buffer['name']}[{index}] is {show[1]}, not {show[0]}; {len(wrong)} results differ"
    return None


def main(folder):
    buffers = json.loads((folder / "buffers.json").read_text())
    launches = [json.loads(line) for line in (folder / "launches.json").read_text().splitlines()]
    current = context()
    addresses = [allocate(buffer["bytes"]) for buffer in buffers]
    data = {n: (folder / f"data-{n}.bin").read_bytes() for n in {launch["inputs"] for launch in launches}}
    seeds = sorted({launch["seed"] for launch in launches})
    start = time.monotonic()

    def ready(seed):
        call("cuCtxSetCurrent", current)
        try:
            return load((folder / f"{seed}.ptx").read_bytes())
        except CudaError as error:
            return error

    with ThreadPoolExecutor(8) as pool:
        modules = dict(zip(seeds, pool.map(ready, seeds)))
    print(f"{len(seeds)} modules in {time.monotonic() - start:.1f} s", flush=True)
    passed, failed = 0, []
    for launch in launches:
        seed, name = launch["seed"], f"{launch['seed']}-{launch['launch']}"
        problem = modules[seed] if isinstance(modules[seed], CudaError) else None
        if not problem:
            function = POINTER()
            call("cuModuleGetFunction", ctypes.byref(function), modules[seed], launch["symbol"].encode())
            changes = (folder / f"{name}.bin").read_bytes()
            try:
                problem = run(launch, function, buffers, addresses, data[launch["inputs"]], changes)
            except CudaError as error:
                problem = error
        if problem:
            failed.append(name)
            print(f"{name}: {launch['local']} x {launch['groups']}: {problem}", flush=True)
            if isinstance(problem, CudaError) and any(word in str(problem) for word in ("FAILED", "TIMEOUT", "ADDRESS")):
                print("the context is lost", flush=True)
                break
        else:
            passed += 1
    print(f"{passed} launches passed, {len(failed)} failed, {len(launches) - passed - len(failed)} not run")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
