# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""oneDNN's C functions, as far as the cases need them. The package has no headers."""

import ctypes as c
from ctypes import byref

import numpy as np

LIBRARY = c.CDLL("libdnnl.so.3")
LIBRARY.dnnl_engine_get_count.restype = c.c_size_t
LIBRARY.dnnl_memory_desc_get_size.restype = c.c_size_t
CPU = 1
TYPES = {"float32": 3, "int32": 4, "int8": 5, "uint8": 6, "float64": 7}
SRC, SRC_1, DST, WEIGHTS, BIAS, MEAN, VARIANCE = 1, 2, 17, 33, 41, 49, 50
FORWARD, IN_ORDER, OUT_OF_ORDER = 96, 1, 2
ALLOCATE = c.c_void_p(2**64 - 1)


class Argument(c.Structure):
    _fields_ = [("number", c.c_int), ("memory", c.c_void_p)]


def call(name, *arguments):
    """Calls a function, which answers a dnnl_status_t."""
    status = getattr(LIBRARY, name)(*arguments)
    if status:
        kinds = {1: "out of memory", 2: "invalid arguments", 3: "unimplemented", 5: "runtime error"}
        raise RuntimeError(f"{name}: {kinds.get(status, status)}")


def made(name, *arguments):
    """What a function makes at the address that it takes first."""
    handle = c.c_void_p()
    call(name, byref(handle), *arguments)
    return handle


def numbers(values):
    return (c.c_int64 * len(values))(*values)


def desc(shape, kind):
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    return made("dnnl_memory_desc_create_with_strides", len(shape), numbers(shape), TYPES[kind], numbers(strides))


class Engine:
    """A CPU engine with a stream."""

    def __init__(self, order=IN_ORDER, interop=None):
        """interop: a SYCL device and a context of it, instead of those that oneDNN takes by itself."""
        if interop:
            self.handle = made("dnnl_sycl_interop_engine_create", *map(c.c_void_p, interop))
        else:
            self.handle = made("dnnl_engine_create", CPU, c.c_size_t(0))
        self.stream = made("dnnl_stream_create", self.handle, order)

    def memory(self, shape, kind, values=None, buffer=False):
        """Memory of the device: USM, or a SYCL buffer."""
        described = desc(shape, kind)
        handle = made("dnnl_sycl_interop_memory_create", described, self.handle, int(buffer), ALLOCATE)
        if values is not None:
            address = c.c_void_p()
            call("dnnl_memory_map_data", handle, byref(address))
            values = np.ascontiguousarray(values)
            c.memmove(address, values.ctypes.data, values.nbytes)
            call("dnnl_memory_unmap_data", handle, address)
        return handle

    def values(self, memory, shape, kind):
        address = c.c_void_p()
        call("dnnl_memory_map_data", memory, byref(address))
        array = np.frombuffer(
            (c.c_char * (int(np.prod(shape)) * np.dtype(kind).itemsize)).from_address(address.value), kind
        )
        copy = array.reshape(shape).copy()
        call("dnnl_memory_unmap_data", memory, address)
        return copy

    def run(self, described, inputs, shape, kind="float32", buffer=False, times=1):
        """What a primitive makes of inputs: arrays, by the numbers of arguments."""
        primitive = made("dnnl_primitive_create", described)
        memory = {number: self.memory(a.shape, str(a.dtype), a, buffer) for number, a in inputs.items()}
        memory[DST] = self.memory(shape, kind, buffer=buffer)
        arguments = (Argument * len(memory))(*[Argument(number, handle) for number, handle in memory.items()])
        for _ in range(times):
            call("dnnl_primitive_execute", primitive, self.stream, len(memory), arguments)
        call("dnnl_stream_wait", self.stream)
        result = self.values(memory[DST], shape, kind)
        for handle in memory.values():
            call("dnnl_memory_destroy", handle)
        call("dnnl_primitive_destroy", primitive)
        return result
