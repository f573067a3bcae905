# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases, and the sources of kernels that they are batched in."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass
class In:
    """An argument: memory that the kernel reads."""

    data: np.ndarray


@dataclass
class Out:
    """Memory that the kernel writes."""

    dtype: np.dtype
    count: int


@dataclass
class InOut:
    """Memory that the kernel reads and writes."""

    data: np.ndarray


@dataclass
class Value:
    """An argument by value."""

    data: np.generic


@dataclass
class Local:
    """A local_accessor."""

    element: int  # bytes
    range: tuple[int, ...]


@dataclass
class Stream:
    """A sycl::stream."""

    size: int
    statement: int


@dataclass
class Case:
    """One thing that is checked. `check` gets the kernel's outputs, and says what is wrong with them, or nothing."""

    name: str
    check: Callable[[list[np.ndarray]], str | None]
    wants_text: bool = False  # the check gets the lines that the kernel printed


@dataclass
class Kernel:
    """A kernel, one launch of it, and the cases that its outputs decide."""

    name: str
    code: str  # with {name} in the place of its name
    arguments: list
    global_range: tuple[int, ...]
    local_range: tuple[int, ...]
    cases: list[Case]
    # Outputs that may differ between devices (orders of additions, ids of sub-groups, ...) are not compared.
    is_comparable: bool = True

    def outputs(self):
        """The dtype and the count of each output."""
        for argument in self.arguments:
            if isinstance(argument, Out):
                yield np.dtype(argument.dtype), argument.count
            elif isinstance(argument, InOut):
                yield argument.data.dtype, argument.data.size

    def split(self, data):
        """The outputs as arrays."""
        arrays = []
        for dtype, count in self.outputs():
            arrays.append(np.frombuffer(data[: dtype.itemsize * count], dtype))
            data = data[dtype.itemsize * count :]
        return arrays

    @property
    def output_bytes(self):
        return sum(dtype.itemsize * count for dtype, count in self.outputs())


@dataclass
class Source:
    """Kernels that are compiled at once."""

    chapter: str
    name: str
    kernels: list[Kernel] = field(default_factory=list)
    preamble: str = ""
    defines: str = ""  # a macro to define before SYCL's headers
    is_cached: bool = True  # libsycl 2026.2 crashes when it looks for an image with bfloat16 in its cache
    is_quick: bool = False  # whether `run.py --quick` runs it

    def text(self, prelude):
        """What libsycl compiles. Kernels with the same code and name appear once."""
        codes = dict.fromkeys(kernel.code.replace("{name}", kernel.name) for kernel in self.kernels)
        defines = [f"#define {self.defines}"] if self.defines else []
        return "\n".join([*defines, prelude, self.preamble, *codes]) + "\n"

    def plan(self):
        """The lines of the driver's plan, and its input."""
        lines, parts, places, size = [], [], {}, 0

        def place(data):
            nonlocal size
            raw = np.ascontiguousarray(data).tobytes()
            if raw not in places:
                places[raw] = size
                parts.append(raw + bytes(-len(raw) % 64))
                size += len(parts[-1])
            return f"{places[raw]}:{len(raw)}"

        for kernel in self.kernels:
            words = [kernel.name, str(len(kernel.global_range))]
            words += [":".join(map(str, r)) for r in (kernel.global_range, kernel.local_range)]
            for argument in kernel.arguments:
                match argument:
                    case In(data):
                        words.append(f"i:{place(data)}")
                    case Out(dtype, count):
                        words.append(f"o:{np.dtype(dtype).itemsize * count}")
                    case InOut(data):
                        words.append(f"u:{place(data)}")
                    case Value(data):
                        words.append(f"v:{place(data)}")
                    case Stream(bytes_, statement):
                        words.append(f"s:{bytes_}:{statement}")
                    case Local(element, extent):
                        words.append(":".join(map(str, ("l", element, *extent))))
            lines.append(" ".join(words))
        return "\n".join(lines) + "\n", b"".join(parts)
