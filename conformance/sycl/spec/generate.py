# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes kernels that apply an expression to columns of arguments."""

import re

from model import Case, In, Kernel, Out
from scalars import SCALAR, divisor

NAMES = "abcd"


def identifier(text):
    return re.sub(r"\W+", "_", text).strip("_")


def parameters(types, outs):
    """The parameters of a kernel, in C++."""
    return ", ".join([f"const {t.name} *{n}" for t, n in zip(types, NAMES)] + [f"{t.name} *{n}" for t, n in outs])


def title(name, types, shape, words=""):
    """The name of a case: the function, its types, the shape and what else it is about."""
    parts = [types[0].name.replace("std::", "")] + ([] if shape == SCALAR else [f"{shape.kind}{shape.size}"])
    parts += [words] if words else []
    return f"{name}({', '.join(parts)})"


def apply(name, shape, types, result, columns, check, expression=None, words="", body=None):
    """A kernel whose work-items compute one result of a shape each. In `expression`, {0} stands for the first
    argument, and so on; it is a call of sycl::NAME if there is none. `body` replaces all of it."""
    case = title(name, types, shape, words)
    values = [f"get<{shape.of(t)}>({n})" for t, n in zip(types, NAMES)]
    expression = (expression or f"sycl::{name}({', '.join('{%d}' % i for i in range(len(types)))})").format(*values)
    items = len(columns[0]) // shape.size
    function = identifier(f"k_{name}_{'_'.join(t.short for t in types)}{shape.short}_{words}")
    return Kernel(
        function,
        f"KERNEL(1, {{name}}, {parameters(types, [(result, 'out')])}) {{ {body or f'put(out, {expression});'} }}",
        [In(c) for c in columns] + [Out(result.dtype, len(columns[0]))],
        (items,),
        (divisor(items, 64, sum(map(ord, function))),),
        [Case(case, check)],
    )
