# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads as much of a SPIR-V module as sorting and counting modules takes: a walk over its words, no more."""

import sys
from array import array
from collections import Counter
from dataclasses import dataclass, field

MAGIC = 0x07230203

# The instructions that are looked into.
OP_EXTENSION, OP_EXT_INST_IMPORT, OP_EXT_INST = 10, 11, 12
OP_ENTRY_POINT, OP_EXECUTION_MODE, OP_CAPABILITY = 15, 16, 17
OP_FUNCTION, OP_FUNCTION_CALL = 54, 57
OP_VARIABLE, OP_DECORATE, OP_MEMBER_DECORATE = 59, 71, 72
OP_EXECUTION_MODE_ID = 331
EXECUTION_MODEL_KERNEL = 6
DECORATION_BUILT_IN, DECORATION_LINKAGE = 11, 41
LINKAGE_EXPORT, LINKAGE_IMPORT = 0, 1


class BadModule(Exception):
    """A module that breaks off or contradicts itself."""


def words_of(data):
    if len(data) < 20 or len(data) % 4:
        raise BadModule(f"{len(data)} bytes are no SPIR-V module")
    words = array("I", bytes(data))
    if sys.byteorder == "big":
        words.byteswap()
    if words[0] != MAGIC:
        raise BadModule(f"the first word is {words[0]:#010x}, no SPIR-V")
    return words


def instructions(words):
    """Yields (opcode, position, position behind) of each instruction."""
    at, end = 5, len(words)
    while at < end:
        word = words[at]
        count = word >> 16
        if count == 0 or at + count > end:
            raise BadModule(f"the instruction at word {at} is {count} words long; {end - at} are left")
        yield word & 0xFFFF, at, at + count
        at += count


def string_at(words, at, end):
    """A string in the words from `at`, and the position behind it."""
    content = words[at:end].tobytes()
    length = content.find(b"\0")
    if length < 0:
        raise BadModule(f"the string at word {at} does not end")
    return content[:length].decode("utf-8", "replace"), at + length // 4 + 1


@dataclass
class Module:
    """What a module offers and needs."""

    version: tuple
    extensions: list
    kernels: list  # names
    exports: list  # names of functions
    # name of a kernel or exported function -> names of the imported functions that it calls, directly or not
    calls: dict
    declared: list  # names of all imported functions, called or not


def read(data):
    words = words_of(data)
    entry_points, linkage, callees, extensions = {}, {}, {}, set()
    callee_set = None
    try:
        for op, at, end in instructions(words):
            if op == OP_FUNCTION_CALL:
                callee_set.add(words[at + 3])
            elif op == OP_FUNCTION:
                callee_set = callees.setdefault(words[at + 2], set())
            elif op == OP_DECORATE and words[at + 2] == DECORATION_LINKAGE:
                name, behind = string_at(words, at + 3, end)
                linkage[words[at + 1]] = (name, words[behind])
            elif op == OP_ENTRY_POINT and words[at + 1] == EXECUTION_MODEL_KERNEL:
                entry_points[string_at(words, at + 3, end)[0]] = words[at + 2]
            elif op == OP_EXTENSION:
                extensions.add(string_at(words, at + 1, end)[0])
    except (IndexError, AttributeError) as error:
        raise BadModule(f"the instruction at word {at} is broken") from error
    # A declaration has no body, so it calls nothing; functions are told from variables by being in callees.
    imports = {id: name for id, (name, kind) in linkage.items() if kind == LINKAGE_IMPORT and id in callees}
    exports = {name: id for id, (name, kind) in linkage.items() if kind == LINKAGE_EXPORT and id in callees}

    def called(root):
        seen, rest = {root}, [root]
        while rest:
            new = callees.get(rest.pop(), set()) - seen
            seen |= new
            rest += new
        return sorted(imports[id] for id in seen if id in imports)

    return Module(
        version=(words[1] >> 16 & 0xFF, words[1] >> 8 & 0xFF),
        extensions=sorted(extensions),
        kernels=list(entry_points),
        exports=sorted(exports),
        calls={name: found for name, id in (exports | entry_points).items() if (found := called(id))},
        declared=sorted(imports.values()),
    )


@dataclass
class Uses:
    """How often a module uses what: a name or number -> count, by kind."""

    opcodes: Counter = field(default_factory=Counter)
    capabilities: Counter = field(default_factory=Counter)
    extensions: Counter = field(default_factory=Counter)
    instruction_sets: Counter = field(default_factory=Counter)
    extended: Counter = field(default_factory=Counter)  # (instruction set, number)
    decorations: Counter = field(default_factory=Counter)
    builtins: Counter = field(default_factory=Counter)
    execution_modes: Counter = field(default_factory=Counter)
    storage_classes: Counter = field(default_factory=Counter)  # of variables


def uses(data):
    words = words_of(data)
    found, sets = Uses(), {}
    opcodes, extended = found.opcodes, found.extended
    try:
        for op, at, end in instructions(words):
            opcodes[op] += 1
            if op == OP_EXT_INST:
                extended[sets[words[at + 3]], words[at + 4]] += 1
            elif op == OP_DECORATE or op == OP_MEMBER_DECORATE:
                at += op == OP_MEMBER_DECORATE
                found.decorations[words[at + 2]] += 1
                if words[at + 2] == DECORATION_BUILT_IN:
                    found.builtins[words[at + 3]] += 1
            elif op == OP_VARIABLE:
                found.storage_classes[words[at + 3]] += 1
            elif op == OP_CAPABILITY:
                found.capabilities[words[at + 1]] += 1
            elif op == OP_EXTENSION:
                found.extensions[string_at(words, at + 1, end)[0]] += 1
            elif op == OP_EXT_INST_IMPORT:
                sets[words[at + 1]] = string_at(words, at + 2, end)[0]
                found.instruction_sets[sets[words[at + 1]]] += 1
            elif op == OP_EXECUTION_MODE or op == OP_EXECUTION_MODE_ID:
                found.execution_modes[words[at + 2]] += 1
    except (IndexError, KeyError) as error:
        raise BadModule(f"the instruction at word {at} is broken") from error
    return found
