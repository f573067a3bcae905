# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""oneDNN's primitives on its CPU engine, against NumPy. run.py starts it in the client's Python."""

import ctypes as c
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))

import numpy as np  # noqa: E402
import onednn as d  # noqa: E402
from cases import Cases, random  # noqa: E402

ENGINES = {}


def engine(order=d.IN_ORDER, interop=False):
    """An engine, made when the first case wants it."""
    key = (order, interop)
    if key not in ENGINES:
        ENGINES[key] = d.Engine(order, sycl_objects() if interop else None)
    return ENGINES[key]


def sycl_objects():
    """A device and a context of the client's own."""
    shim = c.CDLL(os.environ["ONEDNN_SHIM"])
    shim.shim_device.restype = shim.shim_context.restype = c.c_void_p
    device = shim.shim_device()
    return device, shim.shim_context(c.c_void_p(device))


def some(*shape, kind="float32", seed=0):
    generator = random("onednn", shape, kind, seed)
    if kind == "float32":
        return generator.uniform(-1, 1, shape).astype(kind)
    return generator.integers(0 if kind == "uint8" else -100, 100, shape).astype(kind)


def engines(cases):
    cases.case("count", lambda: d.LIBRARY.dnnl_engine_get_count(d.CPU), lambda: 1)

    def kind():
        answer = c.c_int()
        d.call("dnnl_engine_get_kind", engine().handle, c.byref(answer))
        return answer.value

    cases.case("kind", kind, lambda: d.CPU)
    for buffer in (False, True):
        for shape in ((1,), (7, 3), (2, 3, 4, 5), (1000, 1000)):
            values = some(*shape)
            there = lambda: engine().values(engine().memory(shape, "float32", values, buffer), shape, "float32")  # noqa: E731
            cases.case(f"{'buffer' if buffer else 'USM'} there and back {shape}", there, lambda: values)


def matmul(cases):
    ways = {"": {}, ", buffers": {"buffer": True}, ", ten times": {"times": 10}}
    for name, order, interop in (
        ("in order", d.IN_ORDER, False),
        ("out of order", d.OUT_OF_ORDER, False),
        ("a client's device", d.IN_ORDER, True),
    ):
        for m, k, n in [(1, 1, 1), (3, 5, 7), (64, 64, 64), (129, 257, 63)] + [(2048, 1024, 1500)] * cases.full:
            for way, options in ways.items():
                a, b, bias = some(m, k), some(k, n), some(1, n)

                def product():
                    e = engine(order, interop)
                    described = d.made(
                        "dnnl_matmul_primitive_desc_create",
                        e.handle,
                        *(d.desc(s, "float32") for s in ((m, k), (k, n), (1, n), (m, n))),
                        None,
                    )
                    return e.run(described, {d.SRC: a, d.WEIGHTS: b, d.BIAS: bias}, (m, n), **options)

                cases.case(f"{name}{way} {m} {k} {n}", product, lambda: a @ b + bias, 1e-5)
    a, b = some(33, 65, kind="uint8"), some(65, 17, kind="int8")

    def integers():
        e = engine()
        described = d.made(
            "dnnl_matmul_primitive_desc_create",
            e.handle,
            d.desc((33, 65), "uint8"),
            d.desc((65, 17), "int8"),
            None,
            d.desc((33, 17), "int32"),
            None,
        )
        return e.run(described, {d.SRC: a, d.WEIGHTS: b}, (33, 17), "int32")

    cases.case("bytes", integers, lambda: a.astype(np.int32) @ b.astype(np.int32))


def convolution(cases):
    for batch, channels, outputs, size, kernel, stride, pad in (
        (1, 1, 1, 5, 3, 1, 1),
        (2, 3, 16, 17, 3, 2, 1),
        (1, 16, 32, 28, 1, 1, 0),
        (2, 8, 8, 20, 5, 1, 2),
    ):
        x, w, bias = some(batch, channels, size, size), some(outputs, channels, kernel, kernel), some(outputs)
        out = (size + 2 * pad - kernel) // stride + 1
        shape = (batch, outputs, out, out)
        pair = lambda value: d.numbers((value, value))  # noqa: E731

        def run():
            e = engine()
            described = d.made(
                "dnnl_convolution_forward_primitive_desc_create",
                e.handle,
                d.FORWARD,
                1,
                d.desc(x.shape, "float32"),
                d.desc(w.shape, "float32"),
                d.desc(bias.shape, "float32"),
                d.desc(shape, "float32"),
                pair(stride),
                pair(0),
                pair(pad),
                pair(pad),
                None,
            )
            return e.run(described, {d.SRC: x, d.WEIGHTS: w, d.BIAS: bias}, shape)

        def reference():
            padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
            windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), (2, 3))[
                :, :, ::stride, ::stride
            ]
            return np.einsum("bchwij,ocij->bohw", windows, w) + bias[:, None, None]

        cases.case(f"{batch} {channels} {outputs} {size} {kernel} {stride}", run, reference, 1e-5)


def rest(cases):
    # dnnl_eltwise_*
    functions = {
        "relu": (32, lambda x: np.maximum(x, 0)),
        "tanh": (33, np.tanh),
        "abs": (36, np.abs),
        "exp": (42, np.exp),
        "logistic": (41, lambda x: 1 / (1 + np.exp(-x))),
        "square": (35, np.square),
    }
    for shape in ((1,), (33, 7), (2, 3, 17, 5)):
        x = some(*shape)
        for name, (number, reference) in functions.items():

            def run():
                e = engine()
                described = d.made(
                    "dnnl_eltwise_forward_primitive_desc_create",
                    e.handle,
                    d.FORWARD,
                    number,
                    d.desc(shape, "float32"),
                    d.desc(shape, "float32"),
                    c.c_float(0),
                    c.c_float(0),
                    None,
                )
                return e.run(described, {d.SRC: x}, shape)

            cases.case(f"{name} {shape}", run, lambda: reference(x), 1e-5)
        if len(shape) > 1:

            def softmax():
                e = engine()
                # dnnl_softmax_accurate
                described = d.made(
                    "dnnl_softmax_forward_primitive_desc_create",
                    e.handle,
                    d.FORWARD,
                    0x30000,
                    d.desc(shape, "float32"),
                    d.desc(shape, "float32"),
                    1,
                    None,
                )
                return e.run(described, {d.SRC: x}, shape)

            def softmax_reference():
                powers = np.exp(x - x.max(1, keepdims=True))
                return powers / powers.sum(1, keepdims=True)

            cases.case(f"softmax {shape}", softmax, softmax_reference, 1e-5)
        for kind in ("int32", "int8"):

            def reorder():
                e = engine()
                described = d.made(
                    "dnnl_reorder_primitive_desc_create",
                    d.desc(shape, "float32"),
                    e.handle,
                    d.desc(shape, kind),
                    e.handle,
                    None,
                )
                return e.run(described, {d.SRC: x * 100}, shape, kind)

            cases.case(f"reorder {kind} {shape}", reorder, lambda: np.rint(x * 100).astype(kind))
        y = some(*shape, seed=1)
        # dnnl_binary_*
        for name, (number, reference) in {
            "add": (0x1FFF0, np.add),
            "mul": (0x1FFF1, np.multiply),
            "max": (0x1FFF2, np.maximum),
            "sub": (0x1FFF5, np.subtract),
        }.items():

            def binary():
                e = engine()
                described = d.made(
                    "dnnl_binary_primitive_desc_create", e.handle, number, *[d.desc(shape, "float32")] * 3, None
                )
                return e.run(described, {d.SRC: x, d.SRC_1: y}, shape)

            cases.case(f"{name} {shape}", binary, lambda: reference(x, y), 1e-6)


GROUPS = {"engines": engines, "matmul": matmul, "convolution": convolution, "rest": rest}

Cases(GROUPS, "unimplemented")
