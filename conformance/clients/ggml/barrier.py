# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds the barrier that a kernel of ggml's SYCL backend lacks: barrier.py LIBRARY COPY

`group_norm_f32` with groups of 1024 elements and more sums twice through the same local memory, first for the mean, then for
the variance. Its sub-groups write their second sums without a barrier behind the reads of the first ones, so that a sub-group
that is behind reads some of both. On a GPU they run side by side and mostly get away with it. On a CPU one runs after the
other: all but the first are wrong.

Without another compiler the kernel can be changed in its SPIR-V only. That must not grow, so the barrier gets the place of two
OpAssumeTrueKHR, hints for the optimizer.
"""

import sys
from array import array
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
sys.path.insert(0, str(CORPUS))

import spirv  # noqa: E402

FUNCTION = b"_ZL14group_norm_f32"
OP_NAME, OP_FUNCTION_END, OP_CONTROL_BARRIER, OP_LABEL, OP_ASSUME = 5, 56, 224, 248, 5630


def module(data):
    """Where the SPIR-V module with the function begins and ends. The file has its name elsewhere, too."""
    at = -1
    while (at := data.find(FUNCTION, at + 1)) >= 0:
        start = data.rfind(spirv.MAGIC.to_bytes(4, "little"), 0, at)
        if start >= 0:
            return start, start + 4 * length(array("I", data[start : len(data) - (len(data) - start) % 4]))
    raise ValueError(f"no module has {FUNCTION.decode()}")


def length(words):
    """How many words a module has with which these begin: functions are at its end."""
    at, end, inside = 5, 0, False
    while at < len(words) and (count := words[at] >> 16):
        opcode = words[at] & 0xFFFF
        if end and not inside and opcode != spirv.OP_FUNCTION:
            break
        inside = opcode != OP_FUNCTION_END and (inside or opcode == spirv.OP_FUNCTION)
        at += count
        end = at if opcode == OP_FUNCTION_END else end
    return end


def with_barrier(words):
    """The words of a module whose kernel has the barrier."""
    found = list(spirv.instructions(words))
    name = next(
        words[at + 1]
        for code, at, end in found
        if code == OP_NAME and spirv.string_at(words, at + 2, end)[0].encode().startswith(FUNCTION)
    )
    begin = next(i for i, (code, at, _) in enumerate(found) if code == spirv.OP_FUNCTION and words[at + 2] == name)
    end = next(i for i in range(begin, len(found)) if found[i][0] == OP_FUNCTION_END)
    of = lambda code: [i for i in range(begin, end) if found[i][0] == code]  # noqa: E731
    barriers, hints = of(OP_CONTROL_BARRIER), of(OP_ASSUME)
    if len(barriers) != 2 or len(hints) < 2:
        raise ValueError(f"the kernel has {len(barriers)} barriers and {len(hints)} hints: another version, or mended?")
    # The second barrier's block, the one that stores the sum, and the one where all items are.
    label = [i for i in of(OP_LABEL) if i < barriers[1]][-3]
    changed = array("I", words[:5])
    for i, (_, at, after) in enumerate(found):
        if i not in hints[:2]:
            changed.extend(words[at:after])
        if i == label:
            changed.extend(words[slice(*found[barriers[0]][1:])])
    if len(changed) != len(words):
        raise ValueError("a barrier is not as long as two hints")
    return changed


def add(library, copy):
    data = bytearray(Path(library).read_bytes())
    start, end = module(data)
    data[start:end] = with_barrier(spirv.words_of(data[start:end])).tobytes()
    Path(copy).write_bytes(data)


if __name__ == "__main__":
    add(*sys.argv[1:])
