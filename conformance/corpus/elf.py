# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the device images in the ELF files of SYCL programs.

The section .tgtimg lists them: an address and a size each. A descriptor elsewhere in the data (the structure that the
program hands to libsycl when it starts) says more: the format, the target, and the property sets. Its place is found by
the relocation that fills in the image's address.
"""

import bisect
import struct
from dataclasses import dataclass, field

import zstandard

SPIRV_MAGIC = bytes.fromhex("03022307")
ZSTD_MAGIC = bytes.fromhex("28b52ffd")
LARGEST = 1 << 30  # no image is larger than this when it is unpacked

SECTION, PROGRAM, RELA = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IIQQQQQQ"), struct.Struct("<QQq")
SHT_RELA, SHT_NOBITS, PT_LOAD, R_X86_64_RELATIVE = 4, 8, 1, 8
SYCL_KIND = 4
# Version of a descriptor: where the image's address is in it. The entries and the property sets follow.
DESCRIPTORS = {3: 32, 2: 48}
UINT32_PROPERTY = 1


class BadImage(Exception):
    """A file or an image that is not what it says it is."""


@dataclass
class Image:
    data: bytes  # as it is in the file: it may be compressed
    format: int | None = None  # of the descriptor; None where there is no descriptor
    target: str = ""
    properties: dict = field(default_factory=dict)  # set -> property -> number, or None where it is no number

    @property
    def compressed(self):
        return bytes(self.data[:4]) == ZSTD_MAGIC

    def unpacked(self):
        return unpack(self.data)


def unpack(data):
    """The image without its compression."""
    data = bytes(data)
    if data[:4] != ZSTD_MAGIC:
        return data
    unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
    try:
        size = zstandard.frame_content_size(data)
        if size > LARGEST:
            raise BadImage(f"the compressed image claims to hold {size} bytes")
        image = unpacker.decompress(data)
    except zstandard.ZstdError as error:
        raise BadImage(f"the compressed image is broken: {error}") from error
    if not unpacker.eof:
        raise BadImage("the compressed image ends too early")
    return image


class Elf:
    """A 64-bit little-endian ELF file with its relocations, by address."""

    def __init__(self, data):
        self.data = data
        if bytes(data[:6]) != b"\x7fELF\x02\x01":
            raise BadImage("no 64-bit little-endian ELF file")
        try:
            program_offset, section_offset = struct.unpack_from("<QQ", data, 32)
            program_count, _, section_count, names = struct.unpack_from("<HHHH", data, 56)
            sections = [SECTION.unpack_from(data, section_offset + i * SECTION.size) for i in range(section_count)]
            programs = [PROGRAM.unpack_from(data, program_offset + i * PROGRAM.size) for i in range(program_count)]
        except (struct.error, OverflowError) as error:
            raise BadImage(f"the ELF file is cut off: {error}") from error
        # (address, size in the file, offset), sorted by address
        self.segments = sorted((p[3], p[5], p[2]) for p in programs if p[0] == PT_LOAD)
        self.starts = [segment[0] for segment in self.segments]
        self.sections = {}
        if names < len(sections):
            for section in sections:
                self.sections[self._text(sections[names][4] + section[0])] = section
        self._relocated = None

    def section(self, name):
        """(address, bytes) of a section; None when there is none."""
        if not (section := self.sections.get(name)):
            return None
        address, offset, size = section[3], section[4], section[5]
        if section[1] == SHT_NOBITS or offset + size > len(self.data):
            raise BadImage(f"the ELF file is cut off: section {name} is not in it")
        return address, self.data[offset : offset + size]

    @property
    def relocated(self):
        """What a relocation without a symbol puts where: address -> value."""
        if self._relocated is None:
            self._relocated = {}
            for name, section in self.sections.items():
                if section[1] == SHT_RELA:
                    content = self.section(name)[1]
                    whole = len(content) - len(content) % RELA.size
                    self._relocated.update(
                        (where, value)
                        for where, info, value in RELA.iter_unpack(content[:whole])
                        if info & 0xFFFFFFFF == R_X86_64_RELATIVE
                    )
        return self._relocated

    def read(self, address, size):
        index = bisect.bisect_right(self.starts, address) - 1
        if index >= 0:
            start, length, offset = self.segments[index]
            inside = address - start
            if 0 <= size and inside + size <= length and offset + inside + size <= len(self.data):
                return self.data[offset + inside : offset + inside + size]
        raise BadImage(f"the ELF file has no {size} bytes at {address:#x}")

    def number(self, address):
        return int.from_bytes(self.read(address, 8), "little")

    def pointer(self, address):
        """The pointer that is at an address once the file is loaded."""
        value = self.relocated.get(address)
        return self.number(address) if value is None else value

    def string(self, address):
        if not address:
            return ""
        index = bisect.bisect_right(self.starts, address) - 1
        if index >= 0:
            start, length, offset = self.segments[index]
            if address - start < length:
                return self._text(offset + address - start)
        raise BadImage(f"the ELF file has no string at {address:#x}")

    def _text(self, offset):
        end = self.data.find(b"\0", offset)
        if end < 0:
            raise BadImage(f"the ELF file is cut off: the string at {offset:#x} does not end")
        return bytes(self.data[offset:end]).decode("utf-8", "replace")


def images(data):
    """All device images of an ELF file."""
    elf = Elf(data)
    if not (section := elf.section(".tgtimg")):
        return []
    address, content = section
    if len(content) % 16:
        raise BadImage(".tgtimg is no list of addresses and sizes")
    listed = {}
    for at in range(address, address + len(content), 16):
        start, size = elf.pointer(at), elf.number(at + 8)
        if start and size:
            listed[start] = size
    found = {}
    for at, start in elf.relocated.items():
        if start in listed and not address <= at < address + len(content) and (image := _described(elf, at)):
            found[start] = image
    # For a compressed image the list has the size that it unpacks to; without a descriptor nobody can know its own.
    return [found.get(start) or Image(elf.read(start, size)) for start, size in listed.items()]


def _described(elf, at):
    """The image whose descriptor holds its address at `at`; None when no descriptor is there."""
    for version, offset in DESCRIPTORS.items():
        try:
            head = bytes(elf.read(at - offset, 4))
        except BadImage:
            continue
        if struct.unpack_from("<HB", head) != (version, SYCL_KIND):
            continue
        start, end, _, _, first, last = (elf.pointer(at + 8 * i) for i in range(6))
        image = Image(elf.read(start, end - start), head[3], elf.string(elf.pointer(at - offset + 8)))
        for set_at in range(first, last, 24):
            properties = image.properties.setdefault(elf.string(elf.pointer(set_at)), {})
            for property_at in range(elf.pointer(set_at + 8), elf.pointer(set_at + 16), 32):
                kind = elf.number(property_at + 16) & 0xFFFFFFFF
                value = elf.number(property_at + 24) if kind == UINT32_PROPERTY else None
                properties[elf.string(elf.pointer(property_at))] = value
        return image
    return None
