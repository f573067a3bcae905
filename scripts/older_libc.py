#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes libraries that were built for glibc 2.38 and GCC 14 or newer run on Debian 12 (glibc 2.36, GCC 12).

    older_libc.py LIBRARY...       changes the files

For tests only. It knows the functions that the compiler and the C headers bring in by themselves:

- __isoc23_strtoul and similar functions become strtoul: they differ only for C23's "0b1".
- std::ios_base_library_init() is a marker that is never called. Only its version must go.
- __cxa_call_terminate becomes weak. It terminates the process, as calling a null pointer does.

The versions that only those need become weak, so that the dynamic linker accepts a C library without them. Anything else
that is missing is an error: each library is loaded at the end.
"""

import ctypes
import struct
import sys
from pathlib import Path

WEAK_VERSION = 2  # VER_FLG_WEAK
STB_WEAK = 2
DYNSYM, VERSYM, VERNEED = 11, 0x6FFFFFFF, 0x6FFFFFFE


def relax(path: Path) -> None:
    data = bytearray(path.read_bytes())
    if data[:6] != b"\x7fELF\x02\x01":
        sys.exit(f"{path}: not an ELF file of 64 bits, little endian")
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    # name, type, flags, address, offset, size, link, info
    sections = [struct.unpack_from("<IIQQQQII", data, offset + index * size) for index in range(count)]
    by_type = {section[1]: section for section in sections}
    symbols, versions, needs = by_type[DYNSYM], by_type[VERSYM], by_type[VERNEED]
    strings = sections[symbols[6]][4]

    def string(at: int) -> str:
        return data[strings + at : data.index(0, strings + at)].decode()

    # The names of versions by index, and where their flags are.
    names, flags = {}, {}
    entry = needs[4]
    for _ in range(needs[7]):
        _, auxiliaries, _, auxiliary, following = struct.unpack_from("<HHIII", data, entry)
        at = entry + auxiliary
        for _ in range(auxiliaries):
            _, _, index, name, step = struct.unpack_from("<IHHII", data, at)
            names[index], flags[index] = string(name), at + 4
            at += step
        entry += following
    # The oldest version: all C functions on this processor have it.
    oldest = min(
        (tuple(map(int, name.removeprefix("GLIBC_").split("."))), index)
        for index, name in names.items()
        if name.startswith("GLIBC_2")
    )[1]

    kept = set()
    relaxed = set()
    for index in range(symbols[5] // 24):
        symbol, version_at = symbols[4] + index * 24, versions[4] + index * 2
        (version,) = struct.unpack_from("<H", data, version_at)
        name_at, info = struct.unpack_from("<IB", data, symbol)
        name = string(name_at)
        if name.startswith("__isoc23_"):
            struct.pack_into("<I", data, symbol, name_at + len("__isoc23_"))
            struct.pack_into("<H", data, version_at, oldest)
            relaxed.add(version)
        elif name == "_ZSt21ios_base_library_initv":
            relaxed.add(version)
        elif name == "__cxa_call_terminate":
            struct.pack_into("<B", data, symbol + 4, STB_WEAK << 4 | info & 15)
            relaxed.add(version)
        else:
            kept.add(version)
    for version in relaxed - kept:
        struct.pack_into("<H", data, flags[version], WEAK_VERSION)
    path.write_bytes(data)


for argument in sys.argv[1:]:
    relax(Path(argument))
for argument in sys.argv[1:]:
    ctypes.CDLL(str(Path(argument).resolve()), mode=2)  # RTLD_NOW
