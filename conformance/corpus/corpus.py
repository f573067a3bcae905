#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that real libraries ship, as a test of our compiler.

    corpus.py extract [--library L]...            every SPIR-V module into target/corpus/<library>/, with an index
    corpus.py stats [--library L]... [--json F]   what the modules use: instructions, capabilities, extensions, ...
    corpus.py sample --count 300 --seed 1         a sample of modules, always the same for the same seed
    corpus.py compile [--library L]... [--sample 300] [--jobs N]
                                                  compiles the kernels and compares with the goals in libraries.toml
    corpus.py compile --target nvptx64:sm_90 --ptxas PTXAS ...
                                                  the same for NVIDIA GPUs: NVIDIA's assembler must take the PTX

The README beside this file tells what is where. A library that has not been extracted is extracted first.
"""

import argparse
import hashlib
import json
import os
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import compiling
import elf
import names
import spirv
from wheels import CORPUS, REPO, configuration, shared_objects

FORMAT = 1  # of the index: another number makes it be written anew
SEED = 1
# The property sets of an image whose names the index takes over.
KEPT_SETS = {
    "SYCL/imported symbols": "imported",
    "SYCL/exported symbols": "exported",
    "SYCL/specialization constants": "specialization",
    "SYCL/device globals": "device_globals",
}


# Extracting


def extract(library):
    """Writes the library's modules and their index, and returns the index."""
    folder = library.folder
    folder.mkdir(parents=True, exist_ok=True)
    library.index.unlink(missing_ok=True)
    for old in folder.glob("*.spv"):
        old.unlink()
    modules, images, kernels, other, broken = {}, 0, 0, Counter(), []
    with shared_objects(library) as files:
        for file, content in files:
            try:
                found = elf.images(content())
            except elf.BadImage as error:
                broken.append(f"{file}: {error}")
                continue
            for image in found:
                try:
                    data = image.unpacked()
                    if data[:4] != elf.SPIRV_MAGIC:
                        other[image.target or "unknown"] += 1
                        continue
                    name = f"{hashlib.sha256(data).hexdigest()[:16]}.spv"
                    if not (entry := modules.get(name)):
                        entry = modules[name] = describe(data)
                        (folder / name).write_bytes(data)
                except (elf.BadImage, spirv.BadModule) as error:
                    broken.append(f"{file}: {error}")
                    continue
                images += 1
                kernels += len(entry["kernels"])
                entry["shipped"] += 1
                entry["compressed"] += image.compressed
                entry["files"] = sorted({*entry["files"], file})
                for key, kept in KEPT_SETS.items():
                    if image.properties.get(key):
                        entry[kept] = sorted({*entry.get(kept, ()), *image.properties[key]})
                if image.properties.get("SYCL/misc properties", {}).get("isEsimdImage"):
                    entry["esimd"] = True
    link(modules)
    index = {
        "format": FORMAT,
        "library": library.name,
        "package": library.package,
        "version": library.version,
        "images": images,
        "kernels_in_images": kernels,
        "kernels": sum(len(entry["kernels"]) for entry in modules.values()),
        "bytes": sum(entry["bytes"] for entry in modules.values()),
        "other_images": dict(other),
        "broken": broken,
        "modules": dict(sorted(modules.items())),
    }
    temporary = library.index.with_suffix(".new")
    temporary.write_text(json.dumps(index, indent=1), encoding="utf-8")
    with (folder / "kernels.tsv").open("w", encoding="utf-8") as table:
        for name, entry in index["modules"].items():
            table.writelines(f"{name}\t{kernel}\t{entry['files'][0]}\n" for kernel in entry["kernels"])
    temporary.rename(library.index)
    return index


def describe(data):
    module = spirv.read(data)
    return {
        "bytes": len(data),
        "version": "{}.{}".format(*module.version),
        "kernels": module.kernels,
        "exports": module.exports,
        "extensions": module.extensions,
        "declared": module.declared,
        "calls": module.calls,
        "shipped": 0,  # images of the library that are this module
        "compressed": 0,
        "files": [],
    }


def link(modules):
    """Finds out which modules of the library each needs: `links`, and in `unresolved` what none of them exports."""
    exporters = defaultdict(list)
    # Of several that export the same, the one that needs the fewest extensions comes first: of the bfloat16 conversions
    # there is one that has instructions for them and one that does without, for devices that lack the extension.
    for name in sorted(modules, key=lambda name: (len(modules[name]["extensions"]), name)):
        for symbol in modules[name]["exports"]:
            exporters[symbol].append(name)
    for name, entry in modules.items():
        links, unresolved, seen = {}, set(), set()
        rest = [(name, symbol) for kernel in entry["kernels"] for symbol in entry["calls"].get(kernel, ())]
        while rest:
            caller, symbol = rest.pop()
            if symbol in seen:
                continue
            seen.add(symbol)
            candidates = [other for other in exporters[symbol] if other != name]
            near = [other for other in candidates if set(modules[other]["files"]) & set(entry["files"])]
            if not candidates:
                unresolved.add(symbol)
                continue
            taken = next((other for other in candidates if other in links), (near or candidates)[0])
            links[taken] = None
            rest += [(taken, further) for further in modules[taken]["calls"].get(symbol, ())]
        entry["links"] = sorted(links)
        entry["unresolved"] = sorted(unresolved)


def load(library):
    """The library's index; extracts the library if there is none, or an old one."""
    try:
        index = json.loads(library.index.read_text(encoding="utf-8"))
        if (index["format"], index["package"], index["version"]) == (FORMAT, library.package, library.version):
            return index
    except (OSError, ValueError, KeyError):
        pass
    return extract(library)


def command_extract(options, libraries):
    failed = 0
    row = "{:14} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7}".format
    print(row("library", "images", "modules", "kernels", "with dup", "MB", "packed", "linked", "broken"))
    totals = Counter()
    for library in libraries:
        index = extract(library) if options.again else load(library)
        modules = index["modules"].values()
        numbers = {
            "images": index["images"],
            "modules": len(modules),
            "kernels": index["kernels"],
            "with dup": index["kernels_in_images"],
            "MB": index["bytes"] // 1_000_000,
            "packed": sum(entry["compressed"] for entry in modules),
            "linked": sum(bool(entry["links"]) for entry in modules),
            "broken": len(index["broken"]),
        }
        totals.update(numbers)
        print(row(library.name, *numbers.values()), flush=True)
        for target, count in index["other_images"].items():
            print(f"  {count} images for {target} are no SPIR-V")
        for line in index["broken"]:
            print(f"  {line}")
        failed += len(index["broken"])
    print(row("all", *totals.values()))
    return 1 if failed else 0


# Counting


def count_module(path):
    return spirv.uses(Path(path).read_bytes())


def count_library(library, pool):
    """kind -> what -> [modules that have it, occurrences]"""
    kinds = {kind: defaultdict(lambda: [0, 0]) for kind in spirv.Uses.__dataclass_fields__}
    index = load(library)
    for found in pool.map(count_module, [str(library.folder / name) for name in index["modules"]], chunksize=64):
        for kind, counts in kinds.items():
            for what, number in getattr(found, kind).items():
                counts[what][0] += 1
                counts[what][1] += number
    kinds["called imports"] = counts = defaultdict(lambda: [0, 0])
    kinds["declared imports"] = declared = defaultdict(lambda: [0, 0])
    for entry in index["modules"].values():
        for symbol in {symbol for called in entry["calls"].values() for symbol in called}:
            counts[symbol][0] += 1
        for root, called in entry["calls"].items():
            for symbol in called:
                counts[symbol][1] += root in entry["kernels"]
        for symbol in entry["declared"]:
            declared[symbol][0] += 1
            declared[symbol][1] += 1
    return {
        kind: {names.name(kind, what): tuple(numbers) for what, numbers in counts.items()}
        for kind, counts in kinds.items()
    }


def command_stats(options, libraries):
    with ProcessPoolExecutor(options.jobs) as pool:
        counted = {library.name: count_library(library, pool) for library in libraries}
    totals = {library.name: len(load(library)["modules"]) for library in libraries}
    for kind in next(iter(counted.values())):
        print(f"\n{kind}: modules that have it, by library")
        whats = {what for kinds in counted.values() for what in kinds[kind]}
        modules = {what: sum(kinds[kind].get(what, (0,))[0] for kinds in counted.values()) for what in whats}
        shown = sorted(whats, key=lambda what: (-modules[what], what))
        width = max((len(what) for what in shown[: options.top]), default=0)
        width = min(max(width, 8), 60)
        print(" " * width, *(f"{name:>13}" for name in counted))
        print(f"{'(all)':{width}}", *(f"{totals[name]:13}" for name in counted))
        for what in shown[: options.top]:
            print(f"{what:{width}}", *(f"{kinds[kind].get(what, (0,))[0] or '.':>13}" for kinds in counted.values()))
        if len(shown) > options.top:
            print(f"... and {len(shown) - options.top} more")
    if options.json:
        options.json.write_text(json.dumps({"modules": totals, "uses": counted}, indent=1), encoding="utf-8")
    return 0


# Sampling


def sample(indexes, count, seed, slow=()):
    """(library, module) of `count` modules, always the same for one seed. Each library's part grows with the root of
    its size, so that a small one is there too. The modules `slow` are not among them."""

    def rank(name):
        return hashlib.sha256(f"{seed}:{name}".encode()).digest()

    slots = []
    for library, index in indexes.items():
        eligible = (name for name, entry in index["modules"].items() if entry["kernels"] and name not in slow)
        with_kernels = sorted(eligible, key=rank)
        weight = len(with_kernels) ** 0.5
        slots += [((place + 0.5) / weight, library, name) for place, name in enumerate(with_kernels)]
    return sorted((library, name) for _, library, name in sorted(slots)[:count])


def slow(libraries):
    return {name for library in libraries for name in library.slow}


def command_sample(options, libraries):
    indexes = {library.name: load(library) for library in libraries}
    for library, name in sample(indexes, options.count, options.seed, slow(libraries)):
        links = indexes[library]["modules"][name]["links"]
        print(relative(CORPUS / library / name), *(f"--link {relative(CORPUS / library / link)}" for link in links))
    return 0


# Compiling


def relative(path):
    return str(path.relative_to(REPO))


def progress(count):
    """A function that says now and then how far it is, on a terminal or in a log."""
    last = time.monotonic()

    def tell(results):
        nonlocal last
        if time.monotonic() - last >= 30:
            last = time.monotonic()
            print(f"  {len(results.tasks)} of {count} modules", file=sys.stderr, flush=True)

    return tell


def command_compile(options, libraries):
    _, goals, beyond = configuration()
    indexes = {library.name: load(library) for library in libraries}
    groups = {library.name: library.group for library in libraries}
    if options.sample:
        chosen = sample(indexes, options.sample, options.seed, slow(libraries))
    else:
        chosen = [(library, name) for library, index in indexes.items() for name in index["modules"]]
    tasks = []
    for library, name in chosen:
        entry = indexes[library]["modules"][name]
        if entry["kernels"]:
            links = tuple(relative(CORPUS / library / other) for other in entry["links"])
            path = relative(CORPUS / library / name)
            tasks.append(compiling.Task(library, path, tuple(entry["kernels"]), links, entry["shipped"]))
    if not options.compiler.is_file():
        raise SystemExit(f"there is no compiler {options.compiler}")
    os.chdir(REPO)
    compiler_options = ["--target", options.target]
    if options.ptxas:
        compiler_options += ["--ptxas", str(options.ptxas)]
    results = compiling.run(
        options.compiler,
        tasks,
        options.jobs,
        options.time_limit,
        options.memory_limit,
        progress(len(tasks)),
        compiler_options,
    )
    if options.target != "host":
        goals, beyond = dict.fromkeys(goals, options.goal), None
    report = compiling.Report(results, groups, goals, beyond if options.sample else None)
    text = report.text()
    print(text)
    options.report.with_suffix(".txt").write_text(text + "\n", encoding="utf-8")
    options.report.with_suffix(".json").write_text(json.dumps(report.json(), indent=1), encoding="utf-8")
    return 1 if report.missed else 0


def absolute(path):
    return Path(path).absolute()


def parse_arguments(libraries):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name, function, text):
        sub = commands.add_parser(name, help=text)
        sub.set_defaults(function=function)
        sub.add_argument("--library", action="append", choices=libraries, metavar="L", help=", ".join(libraries))
        return sub

    sub = command("extract", command_extract, "write the modules and their index")
    sub.add_argument("--again", action="store_true", help="also where it has been done")

    sub = command("stats", command_stats, "count what the modules use")
    sub.add_argument("--json", type=Path, help="write all numbers, those of occurrences too")
    sub.add_argument("--top", type=int, default=400, help="lines a table")
    sub.add_argument("--jobs", type=int, default=2)

    sub = command("sample", command_sample, "list a sample of the modules")
    sub.add_argument("--count", type=int, default=300)
    sub.add_argument("--seed", type=int, default=SEED)

    sub = command("compile", command_compile, "compile kernels and compare with the goals")
    sub.add_argument("--sample", type=int, help="that many modules, not all")
    sub.add_argument("--seed", type=int, default=SEED)
    sub.add_argument("--jobs", type=int, default=2)
    sub.add_argument("--compiler", type=absolute, default=REPO / "target" / "release" / "oxur-compiler")
    sub.add_argument("--target", default="host", help="what to compile for: host, or nvptx64:sm_90 and the like")
    sub.add_argument("--ptxas", type=absolute, help="NVIDIA's assembler, which must take what comes of a kernel")
    sub.add_argument("--goal", type=float, default=0.95, help="the share of kernels that must compile for another target")
    sub.add_argument("--time-limit", type=float, default=60, help="seconds for one kernel")
    sub.add_argument("--memory-limit", type=float, default=8, help="GiB of address space for one compiler")
    sub.add_argument("--report", type=absolute, default=CORPUS / "report", help="without its .txt and .json")
    return parser.parse_args()


def main():
    libraries, _, _ = configuration()
    options = parse_arguments(libraries)
    chosen = [libraries[name] for name in options.library] if options.library else list(libraries.values())
    return options.function(options, chosen)


if __name__ == "__main__":
    sys.exit(main())
