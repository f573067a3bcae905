# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the corpus tool itself: `make test-corpus` runs them first, conformance/corpus/test.sh alone."""

import os
import struct
import tempfile
import unittest
from pathlib import Path

import compiling
import corpus
import elf
import spirv
import zstandard

OP_FUNCTION_END = 56


def instruction(op, *operands):
    words = []
    for operand in operands:
        if isinstance(operand, str):
            content = operand.encode() + b"\0"
            content += b"\0" * (-len(content) % 4)
            words += struct.unpack(f"<{len(content) // 4}I", content)
        else:
            words.append(operand)
    return [(len(words) + 1) << 16 | op, *words]


def module(*instructions, version=0x00010400):
    words = [spirv.MAGIC, version, 0, 100, 0, *(word for each in instructions for word in each)]
    return struct.pack(f"<{len(words)}I", *words)


def function(id, *callees):
    calls = [instruction(spirv.OP_FUNCTION_CALL, 1, 90, callee) for callee in callees]
    body = [instruction(spirv.OP_FUNCTION, 1, id, 0, 2), *calls, instruction(OP_FUNCTION_END)]
    return [word for each in body for word in each]


def exported(id, name):
    return instruction(spirv.OP_DECORATE, id, spirv.DECORATION_LINKAGE, name, spirv.LINKAGE_EXPORT)


def imported(id, name):
    return instruction(spirv.OP_DECORATE, id, spirv.DECORATION_LINKAGE, name, spirv.LINKAGE_IMPORT)


def kernel(id, name):
    return instruction(spirv.OP_ENTRY_POINT, spirv.EXECUTION_MODEL_KERNEL, id, name)


SIMPLE = module(kernel(10, "k"), function(10))


class Reading(unittest.TestCase):
    def test_kernels_and_linkage(self):
        data = module(
            instruction(spirv.OP_EXTENSION, "SPV_A"),
            kernel(10, "first"),
            kernel(11, "abcd"),  # a string that fills its words
            imported(20, "used"),
            imported(21, "idle"),
            imported(30, "a variable"),
            exported(12, "out"),
            function(20),
            function(21),
            function(10, 13),
            function(11),
            function(12, 20, 12),
            function(13, 20),
        )
        found = spirv.read(data)
        self.assertEqual(found.version, (1, 4))
        self.assertEqual(found.extensions, ["SPV_A"])
        self.assertEqual(found.kernels, ["first", "abcd"])
        self.assertEqual(found.exports, ["out"])
        self.assertEqual(found.declared, ["idle", "used"])
        self.assertEqual(found.calls, {"first": ["used"], "out": ["used"]})

    def test_every_cut_is_an_error_or_a_shorter_module(self):
        data = module(instruction(spirv.OP_EXTENSION, "SPV_A"), kernel(10, "name"), exported(10, "x"), function(10, 11))
        for length in range(len(data)):
            for read in (spirv.read, spirv.uses):
                try:
                    read(data[:length])
                except spirv.BadModule:
                    pass

    def test_contradictions(self):
        for bad in (
            b"",
            SIMPLE[:18],
            b"\0" * 40,
            SIMPLE[::-1],
            module([0]),
            module([5 << 16 | 54]),
            module([1 << 16 | spirv.OP_FUNCTION_CALL]),  # outside a function, and without operands
            module([2 << 16 | spirv.OP_EXTENSION, 0x41414141]),  # a string without an end
            module(instruction(spirv.OP_DECORATE, 1, spirv.DECORATION_LINKAGE, "no kind")),
        ):
            with self.assertRaises(spirv.BadModule):
                spirv.read(bad)

    def test_uses(self):
        data = module(
            instruction(spirv.OP_CAPABILITY, 6),
            instruction(spirv.OP_EXT_INST_IMPORT, 3, "OpenCL.std"),
            instruction(spirv.OP_DECORATE, 4, spirv.DECORATION_BUILT_IN, 28),
            instruction(spirv.OP_MEMBER_DECORATE, 5, 1, 35, 8),
            instruction(spirv.OP_EXT_INST, 1, 9, 3, 61, 8),
            instruction(spirv.OP_EXT_INST, 1, 9, 3, 61, 8),
        )
        found = spirv.uses(data)
        self.assertEqual(found.opcodes[spirv.OP_EXT_INST], 2)
        self.assertEqual(found.capabilities, {6: 1})
        self.assertEqual(found.extended, {("OpenCL.std", 61): 2})
        self.assertEqual(found.decorations, {spirv.DECORATION_BUILT_IN: 1, 35: 1})
        self.assertEqual(found.builtins, {28: 1})
        with self.assertRaises(spirv.BadModule):
            spirv.uses(module(instruction(spirv.OP_EXT_INST, 1, 9, 3, 61)))


class Linking(unittest.TestCase):
    @staticmethod
    def entry(data, file="lib.so"):
        return corpus.describe(data) | {"files": [file]}

    def test_what_is_linked(self):
        modules = {
            "a": self.entry(module(kernel(10, "k"), imported(20, "f"), function(20), function(10, 20))),
            "b": self.entry(module(exported(10, "f"), imported(20, "g"), function(20), function(10, 20))),
            "c": self.entry(module(exported(10, "g"), function(10)), "other.so"),
            "d": self.entry(module(kernel(10, "k"), imported(20, "f"), function(20), function(10))),
            "e": self.entry(module(kernel(10, "k"), imported(20, "nowhere"), function(20), function(10, 20))),
            "f": self.entry(module(exported(10, "f"), function(10)), "other.so"),
            "g": self.entry(
                module(instruction(spirv.OP_EXTENSION, "SPV_A"), exported(10, "f"), function(10)), "lib.so"
            ),
        }
        corpus.link(modules)
        self.assertEqual(modules["a"]["links"], ["b", "c"])
        self.assertEqual(modules["d"]["links"], [])
        self.assertEqual((modules["e"]["links"], modules["e"]["unresolved"]), ([], ["nowhere"]))


def shared_object(images, *, version=3, relative=True, properties=False, listed_size=None):
    """An ELF file with these images, their descriptors and relocations, as clang's offload wrapper makes them."""
    base = 0x10000
    content = bytearray(b"\0" * 64 + b"\0" * 56)
    relocations = []

    def put(data, align=16):
        content.extend(b"\0" * (-len(content) % align))
        content.extend(data)
        return len(content) - len(data)

    def pointer(at, offset):
        if relative:
            relocations.append(struct.pack("<QQq", base + at, elf.R_X86_64_RELATIVE, base + offset))
        else:
            struct.pack_into("<Q", content, at, base + offset)

    places = [put(image) for image in images]
    target = put(b"spir64\0")
    empty = put(b"\0")
    set_name, property_name = put(b"SYCL/misc properties\0"), put(b"isEsimdImage\0")
    offset = elf.DESCRIPTORS.get(version, 32)
    for image, place in zip(images, places):
        record = put(b"\0" * 32 * properties)
        if properties:
            pointer(record, property_name)
            struct.pack_into("<IQ", content, record + 16, 1, 0)
            struct.pack_into("<Q", content, record + 24, 1)
        sets = put(b"\0" * 24 * properties)
        if properties:
            pointer(sets, set_name)
            pointer(sets + 8, record)
            pointer(sets + 16, record + 32)
        descriptor = put(struct.pack("<HBB", version, elf.SYCL_KIND, 4 if image[:4] == elf.ZSTD_MAGIC else 0))
        put(b"\0" * (offset + 48 - 4), 1)
        pointer(descriptor + 8, target)
        pointer(descriptor + 16, empty)
        pointer(descriptor + offset, place)
        pointer(descriptor + offset + 8, place + len(image))
        pointer(descriptor + offset + 32, sets)
        pointer(descriptor + offset + 40, sets + 24 * properties)
    table = put(b"\0" * 16 * len(images))
    for i, (image, place) in enumerate(zip(images, places)):
        pointer(table + 16 * i, place)
        struct.pack_into("<Q", content, table + 16 * i + 8, listed_size or len(image))
    rela = put(b"".join(relocations), 8)
    names = put(b"\0.tgtimg\0.rela.dyn\0.names\0")
    sections = [
        (0, 0, 0, 0, 0, 0),
        (1, 1, 2, base + table, table, 16 * len(images)),
        (9, elf.SHT_RELA, 2, base + rela, rela, 24 * len(relocations)),
        (19, 3, 0, 0, names, 27),
    ]
    headers = put(b"".join(elf.SECTION.pack(*section, 0, 0, 8, 0) for section in sections))
    size = len(content)
    struct.pack_into("<16sHHI", content, 0, b"\x7fELF\x02\x01\x01", 3, 62, 1)
    struct.pack_into("<QQQIHHHHHH", content, 24, 0, 64, headers, 0, 64, 56, 1, 64, 4, 3)
    elf.PROGRAM.pack_into(content, 64, elf.PT_LOAD, 6, 0, base, base, size, size, 4096)
    return bytes(content)


class Images(unittest.TestCase):
    def test_plain(self):
        other = module(kernel(10, "other"))
        for version in elf.DESCRIPTORS:
            found = elf.images(shared_object([SIMPLE, other], version=version, properties=True))
            self.assertEqual([bytes(image.data) for image in found], [SIMPLE, other])
            self.assertEqual([image.unpacked() for image in found], [SIMPLE, other])
            self.assertEqual([(image.format, image.target) for image in found], [(0, "spir64")] * 2)
            self.assertEqual(found[0].properties, {"SYCL/misc properties": {"isEsimdImage": 1}})

    def test_compressed(self):
        packed = zstandard.compress(SIMPLE)
        # The list has the size that the image unpacks to.
        (image,) = elf.images(shared_object([packed], listed_size=len(SIMPLE) + 1000))
        self.assertTrue(image.compressed)
        self.assertEqual((image.format, image.unpacked()), (4, SIMPLE))

    def test_compressed_without_a_size(self):
        packer = zstandard.ZstdCompressor(write_content_size=False)
        self.assertEqual(elf.unpack(packer.compress(SIMPLE)), SIMPLE)

    def test_unknown_descriptor(self):
        (image,) = elf.images(shared_object([SIMPLE], version=9))
        self.assertEqual((bytes(image.data), image.format), (SIMPLE, None))

    def test_fixed_addresses(self):
        (image,) = elf.images(shared_object([SIMPLE], relative=False))
        self.assertEqual(bytes(image.data), SIMPLE)

    def test_no_images(self):
        self.assertEqual(elf.images(shared_object([])), [])

    def test_broken_compression(self):
        packed = zstandard.compress(SIMPLE * 10)
        for bad in (packed[:-3], packed[:10], packed[:4], packed[:9] + b"\xff" * 20):
            with self.assertRaises(elf.BadImage):
                elf.unpack(bad)
        # A frame that claims to hold more than any image does: 8 bytes of size, one segment.
        with self.assertRaises(elf.BadImage):
            elf.unpack(elf.ZSTD_MAGIC + b"\xe0" + (1 << 40).to_bytes(8, "little") + b"\0" * 8)

    def test_no_elf(self):
        for bad in (b"", b"\x7fELF", b"\x7fELF\x01\x01" + b"\0" * 100, b"GROUP ( libc.so.6 )"):
            with self.assertRaises(elf.BadImage):
                elf.images(bad)

    def test_every_cut_is_an_error(self):
        data = shared_object([SIMPLE], properties=True)
        for length in range(len(data)):
            with self.assertRaises(elf.BadImage):
                elf.images(data[:length])

    def test_no_byte_crashes_it(self):
        data = shared_object([zstandard.compress(SIMPLE)], properties=True)
        for at in range(len(data)):
            changed = bytearray(data)
            changed[at] ^= 0xFF
            try:
                for image in elf.images(bytes(changed)):
                    image.unpacked()
            except elf.BadImage:
                pass


# Stands for the compiler: what a module's name says, happens.
COMPILER = """#!/usr/bin/env python3
import json, os, signal, sys, time
assert sys.argv[1:3] == ["compile", "--json"]
files = sys.argv[3:]
links = [files[i + 1] for i, argument in enumerate(files) if argument == "--link"]
modules = files[: files.index("--link")] if links else files
def say(module, kernel, **more):
    entry = {"module": module, "kernel": kernel, "ok": True, "error": "", "missing": None, "ms": 1}
    print(json.dumps(entry | more), flush=True)
for module in modules:
    if "noise" in module: print("hello", flush=True)
    if "silent" in module: continue
    say(module, "first", error=",".join(links))
    if "crash" in module: os.kill(os.getpid(), signal.SIGSEGV)
    if "batch" in module and len(modules) > 1: sys.exit(3)
    if "hang" in module: time.sleep(3600)
    if "fails" in module: say(module, "second", ok=False, error="no OpFoo 12", missing="foo")
    elif "late" in module: say(module, "second", ms=600000)
    else: say(module, "second")
"""


class Compiling(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.compiler = Path(folder.name) / "compiler"
        self.compiler.write_text(COMPILER)
        os.chmod(self.compiler, 0o755)

    def compile(self, *names, links=(), time_limit=120, compiler=None):
        tasks = [compiling.Task("lib", name, ("first", "second"), tuple(links)) for name in names]
        return compiling.run(compiler or self.compiler, tasks, 2, time_limit, 8)

    def states(self, results):
        found = {}
        for (_, path, _), outcome in results.outcomes.items():
            found.setdefault(path, []).append(outcome.state)
        return found

    def test_a_crash_loses_one_module(self):
        results = self.compile("a", "crash", "b", "fails", "c", "crash again", "d")
        good = ["ok", "ok"]
        self.assertEqual(
            self.states(results),
            {path: good for path in "abcd"}
            | {"crash": ["ok", "crashed"], "crash again": ["ok", "crashed"], "fails": ["ok", "failed"]},
        )
        self.assertIn("SIGSEGV", results.outcomes["lib", "crash", "second"].error)
        self.assertEqual(results.outcomes["lib", "fails", "second"].missing, "foo")
        self.assertEqual(results.notes, [])

    def test_time_limit(self):
        # On a busy machine Python may take long to start.
        for limit in (2, 10, 50, 250):
            states = self.states(self.compile("a", "hang", "b", time_limit=limit))
            if states["hang"][0] == states["a"][1] == states["b"][1] == "ok":
                break
        self.assertEqual(states, {"a": ["ok", "ok"], "hang": ["ok", "slow"], "b": ["ok", "ok"]})
        self.assertEqual(self.states(self.compile("late"))["late"], ["ok", "slow"])

    def test_lost_and_unmentioned(self):
        tasks = [compiling.Task("lib", "crash", ("first", "second", "third", "fourth"))]
        results = compiling.run(self.compiler, tasks, 1, 120, 8)
        self.assertEqual(self.states(results)["crash"], ["ok", "crashed", "lost", "lost"])
        self.assertEqual(self.states(self.compile("a", "silent", "b"))["silent"], ["failed", "failed"])

    def test_what_is_noted(self):
        self.assertIn("hello", self.compile("noise").notes[0])
        results = self.compile("a", "batch", "b")
        self.assertEqual(self.states(results)["batch"], ["ok", "ok"])
        self.assertIn("not when that is compiled alone", results.notes[0])

    def test_links(self):
        results = self.compile("a", "b", links=("x", "y"))
        self.assertEqual(results.outcomes["lib", "b", "first"].error, "x,y")

    def test_a_compiler_that_does_not_run(self):
        results = self.compile(*(f"{i}" for i in range(200)), compiler="/bin/false")
        self.assertIn("does not run", results.notes[-1])
        self.assertLess(len(results.outcomes), 100)

    def test_report(self):
        results = self.compile(*"abcdefgh", "fails")
        report = compiling.Report(results, {"lib": "group"}, {"group": 0.9})
        self.assertEqual(report.missed, [])
        self.assertIn("17 passed, 0 failed, 1 skipped", report.text())
        self.assertEqual(report.json()["missing"], {"foo": {"lib": 1}})
        report = compiling.Report(results, {"lib": "group"}, {"group": 0.95})
        self.assertEqual(report.missed, ["group: 94.44% of the kernels compile, not 95%"])
        self.assertIn("17 passed, 1 failed, 0 skipped", report.text())
        report = compiling.Report(results, {"lib": "group"}, {"group": 0.9}, ["bar"])
        self.assertEqual(report.missed, ["group: 94.44% of the kernels compile, not 100%"])
        report = compiling.Report(results, {"lib": "group"}, {"group": 0.9}, ["bar", "f*"])
        self.assertEqual(report.missed, [])
        # Each of the failing module's copies counts.
        for task in results.tasks:
            task.shipped = 9 if task.path == "fails" else 1
        report = compiling.Report(results, {"lib": "group"}, {"group": 0.75})
        self.assertEqual(report.goals["group"], (25 / 34, 0.75))
        results = self.compile("crash")
        self.assertIn("1 crashes", compiling.Report(results, {"lib": "group"}, {"group": 0.5}).missed)

    def test_errors_of_one_kind(self):
        self.assertEqual(
            compiling.general("target/x/00ff.spv: word 12: no %12 at 0x1f\nmore"),
            compiling.general("a.spv: word 13: no %13 at 0x20"),
        )


class Sampling(unittest.TestCase):
    def test_sample(self):
        index = {f"{i}.spv": {"kernels": ["k"] if i else []} for i in range(100)}
        indexes = {"large": {"modules": index}, "small": {"modules": {"s.spv": {"kernels": ["k"]}}}}
        chosen = corpus.sample(indexes, 20, 1)
        self.assertEqual(chosen, corpus.sample(indexes, 20, 1))
        self.assertNotEqual(chosen, corpus.sample(indexes, 20, 2))
        self.assertEqual(len(chosen), 20)
        self.assertIn(("small", "s.spv"), chosen)
        self.assertNotIn(("large", "0.spv"), chosen)
        self.assertEqual(len(corpus.sample(indexes, 1000, 1)), 100)
        left = corpus.sample(indexes, 1000, 1, {"1.spv", "s.spv"})
        self.assertEqual(len(left), 98)
        self.assertNotIn(("large", "1.spv"), left)


if __name__ == "__main__":
    unittest.main()
