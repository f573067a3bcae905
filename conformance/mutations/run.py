#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts faults into the compiler, one at a time, and tells which ones its tests do not see: `make test-mutations`.

The faults are in compiler.txt. A copy of the tree in target/mutations gets all of them and is built once: each function that faults
are in has its body once more for each, and a variable of the environment says which one runs. Then for each fault the file tests and
the `run` tests of the compiler and random kernels (conformance/differential) run, until something fails: first the test that saw the
fault in an earlier run, which target/mutations/seen.json names. A fault that nothing sees is a survivor: a hole in the tests. It is
an error if an edit does not apply, or if what it makes does not compile.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAULTS = Path(__file__).with_name("compiler.txt")
WORK = ROOT / "target/mutations"
TREE = WORK / "tree"
# Which test saw a fault: it is the first to run the next time.
SEEN = WORK / "seen.json"
# Tests that do not end are stopped: a fault may make a loop that has no end. nextest's profile says how long one has.
LIMIT = 600
# Random kernels run so many at a time, so that a fault is seen early.
BATCH = 10
# The variable that names the fault of a process, in the copy.
VARIABLE = "OXUR_COMPILER_FAULT"
SWITCH = f"""
pub(crate) mod fault {{
    pub(crate) fn is(name: &str) -> bool {{
        static NAME: std::sync::OnceLock<String> = std::sync::OnceLock::new();
        NAME.get_or_init(|| std::env::var("{VARIABLE}").unwrap_or_default()) == name
    }}
}}
"""


class Fault:
    def __init__(self, name: str, title: str, file: str):
        self.name, self.title, self.file = name, title, file
        self.old: list[str] = []
        self.new: list[str] = []
        self.equivalent = ""

    def edit(self, text: str) -> tuple[int, int, str]:
        """What of a text it replaces, and by what. An edit that does not apply exactly once is an error."""
        # Each line of the edit matches with any indentation, which the first line's new text keeps.
        pattern = r"\n".join(r"([ \t]*)" + re.escape(line) for line in self.old)
        found = list(re.finditer("^" + pattern + "$", text, re.MULTILINE))
        if len(found) != 1:
            sys.exit(f"mutations: {self.name}: the edit applies {len(found)} times to {self.file}, not once: mend compiler.txt")
        [match] = found
        new = "\n".join(match.group(1) + line for line in self.new)
        return match.start(), match.end(), new


def read_faults() -> list[Fault]:
    faults: list[Fault] = []
    wants_file = False
    for number, line in enumerate(FAULTS.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if found := re.fullmatch(r"== ([a-z0-9-]+): (.+)", line):
            faults.append(Fault(found[1], found[2], ""))
            wants_file = True
        elif wants_file:
            faults[-1].file, wants_file = line.strip(), False
        elif line.startswith("EQUIVALENT: "):
            faults[-1].equivalent = line.removeprefix("EQUIVALENT: ")
        elif line.startswith("- "):
            faults[-1].old.append(line[2:])
        elif line.startswith("+ "):
            faults[-1].new.append(line[2:])
        else:
            sys.exit(f"mutations: {FAULTS.name}, line {number} is nothing that is known: {line}")
    names = [fault.name for fault in faults]
    for fault in faults:
        if names.count(fault.name) > 1 or not fault.old or not fault.new or fault.old == fault.new:
            sys.exit(f"mutations: {fault.name}: it is there twice, or changes nothing")
    return faults


# What a brace or `fn` in Rust's text may be hidden in, and these.
TOKENS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])'|\bfn\s+\w+|[{};]""", re.DOTALL
)


def bodies(text: str) -> list[tuple[int, int]]:
    """Where the bodies of functions are, without their braces."""
    found, open_braces, is_head = [], [], False
    for token in TOKENS.finditer(text):
        match token[0]:
            case "{":
                open_braces.append((token.end(), is_head))
                is_head = False
            case "}":
                start, is_body = open_braces.pop()
                if is_body:
                    found.append((start, token.start()))
            case ";":
                # In the head of a function it is part of an array's type, or the function has no body.
                depth = text.count("[", start_of_head, token.start()) - text.count("]", start_of_head, token.start()) if is_head else 0
                is_head = is_head and depth > 0
            case name if name.startswith("fn"):
                is_head, start_of_head = True, token.start()
    return found


def with_switch(text: str, faults: list[Fault]) -> str:
    """The text with all faults, each in a copy of its function's body."""
    places = bodies(text)
    copies: dict[tuple[int, int], list[str]] = {}
    for fault in faults:
        start, end, new = fault.edit(text)
        around = [place for place in places if place[0] <= start and end <= place[1]]
        if not around:
            sys.exit(f"mutations: {fault.name}: the edit is not in the body of a function")
        body = max(around)
        faulty = text[body[0] : start] + new + text[end : body[1]]
        copies.setdefault(body, []).append(f'if crate::fault::is("{fault.name}") {{ // {MARK}{fault.name}\n{faulty}\n}} else ')
    if any(a != b and a[0] <= b[0] <= a[1] for a in copies for b in copies):
        sys.exit(f"mutations: faults in a function and in one inside of it: {faults[0].file}")
    for body in sorted(copies, reverse=True):
        right = f"{{ // {MARK}\n{text[body[0] : body[1]]}\n}}"
        text = text[: body[0]] + "".join(copies[body]) + right + text[body[1] :]
    return text


MARK = "mutations: "


def culprits(log: str) -> set[str]:
    """The faults in whose text the compiler has found errors."""
    found = set()
    for file, line in re.findall(r"^ *--> (compiler/src/\S+):(\d+):\d+$", log, re.MULTILINE):
        before = "\n".join((TREE / file).read_text().splitlines()[: int(line)])
        found.update(re.findall(f"{MARK}(.*)", before)[-1:])
    return found - {""}


def write(path: Path, text: bytes) -> None:
    """Writes a file if that changes it: cargo looks at the times."""
    if not path.exists() or path.read_bytes() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def copy_tree(changed: dict[str, bytes]) -> None:
    """Brings the copy up to date with the files that git knows or would add, some of them changed."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, check=True, capture_output=True
    )
    files = {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()}
    for name in files:
        write(TREE / name, changed[name] if name in changed else (ROOT / name).read_bytes())
        shutil.copymode(ROOT / name, TREE / name)
    for path in TREE.rglob("*"):
        inside = path.relative_to(TREE)
        if path.is_file() and inside.parts[0] != "target" and str(inside) not in files:
            path.unlink()


def run(command: list[str], log, environment: dict[str, str], limit: int = LIMIT) -> bool:
    """Runs a command in the copy: whether it succeeds in time."""
    log.write(f"$ {' '.join(command)}\n")
    log.flush()
    process = subprocess.Popen(
        command, cwd=TREE, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
    )
    try:
        return process.wait(limit) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        log.write("does not end\n")
        return False


ENVIRONMENT = dict(
    os.environ,
    CARGO_TARGET_DIR=str(WORK / "target"),
    CARGO_INCREMENTAL="1",
    CARGO_PROFILE_DEV_DEBUG="0",
    CARGO_TERM_COLOR="never",
    DRIVER="none",
    LIMIT="30",
    RUSTFLAGS="-Awarnings",
)
# The tests, in the order in which they run: those that are fast first.
SLOW = "binary(run) & test(/^(collectives|levels)::|indices_of/)"
SLOWER = "test(/^(extensions|fast_math|functions|rounding)::|strides|divisions_that/)"
FAST = [f"binary(run) & not {SLOWER} & not ({SLOW})", "binary(filetests)", f"binary(run) & {SLOWER} & not ({SLOW})"]
PACKAGES = ["--locked", "-p", "oxur-compiler", "-p", "oxur-differential"]


def build(log) -> bool:
    tests = ["--bin", "oxur-compiler", "--bin", "differential", "--test", "filetests", "--test", "run"]
    return run(["cargo", "build", "--quiet", *PACKAGES, *tests], log, ENVIRONMENT, 3600)


def test(fault: str, log, seeds: int, likely: str = "") -> str:
    """What fails first with a fault: a test, or nothing. The `likely` one runs before the others."""
    environment = dict(ENVIRONMENT, **{VARIABLE: fault})
    nextest = ["cargo", "nextest", "run", "--profile", "mutations", *PACKAGES, "--test", "run", "--test", "filetests"]
    # A test that is no longer there says nothing.
    if likely and not run([*nextest, "--no-tests", "pass", "-E", likely], log, environment):
        return "tests"
    for tests in FAST:
        if not run([*nextest, "-E", tests], log, environment):
            return "tests"
    for first in range(0, seeds, BATCH):
        if first == BATCH and not run([*nextest, "-E", SLOW], log, environment):
            return "tests"
        # A kernel that does not end is enough.
        batch = [str(seed) for seed in range(first, min(first + BATCH, seeds))]
        if not run([str(WORK / "target/debug/differential"), *batch], log, environment, 120):
            return f"random kernels {batch[0]} to {batch[-1]}"
    return ""


def failures(log: str) -> list[str]:
    """The tests that a log says to have failed, each behind its binary."""
    names = re.findall(r"^ +(?:FAIL|SIG\w+|TIMEOUT|ABORT) \[.*?\] (?:\(.*?\) )?(.*)$", log, re.MULTILINE)
    return list(dict.fromkeys(name.removeprefix("oxur-compiler::") for name in names))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="these faults (all)")
    parser.add_argument("--seeds", type=int, default=300, help="how many random kernels run: more than 10 (300)")
    parser.add_argument("--quick", action="store_true", help="run the fast tests and ten random kernels, and leave out the rest")
    parser.add_argument("--trust", action="store_true", help="do not run the tests without a fault first")
    parser.add_argument("--list", action="store_true", help="list the faults, after each edit was tried, and run nothing")
    options = parser.parse_args()
    seeds = BATCH if options.quick else options.seeds
    faults = read_faults()
    by_file: dict[str, list[Fault]] = {}
    for fault in faults:
        by_file.setdefault(fault.file, []).append(fault)
    changed = {}
    for file, there in by_file.items():
        source = ROOT / "compiler/src" / file
        if not source.is_file():
            sys.exit(f"mutations: {there[0].name}: there is no compiler/src/{file}")
        changed[file] = with_switch(source.read_text(), there)
    unknown = set(options.names) - {fault.name for fault in faults}
    if unknown:
        sys.exit(f"mutations: unknown: {', '.join(sorted(unknown))}")
    if options.list:
        for fault in faults:
            print(f"{fault.name}: {fault.title}" + (f" (equivalent: {fault.equivalent})" if fault.equivalent else ""))
        return 0
    WORK.mkdir(parents=True, exist_ok=True)
    changed["lib.rs"] = changed.get("lib.rs", (ROOT / "compiler/src/lib.rs").read_text()) + SWITCH
    copy_tree({f"compiler/src/{file}": text.encode() for file, text in changed.items()})
    with open(WORK / "build.log", "w") as log:
        is_built = build(log)
    if not is_built:
        names = culprits((WORK / "build.log").read_text())
        sys.exit(f"mutations: these do not compile: {', '.join(sorted(names)) or 'unknown'}: {WORK}/build.log")
    if not options.trust:
        with open(WORK / "unchanged.log", "w") as log:
            if failed := test("", log, seeds):
                sys.exit(f"mutations: without a fault, {failed} fails: {WORK}/unchanged.log")
    seen: dict[str, str] = json.loads(SEEN.read_text()) if SEEN.exists() else {}
    survivors, count = [], 0
    for fault in faults:
        if fault.equivalent or options.names and fault.name not in options.names:
            continue
        count += 1
        begin = time.monotonic()
        place = WORK / f"{fault.name}.log"
        with open(place, "w") as log:
            failed = test(fault.name, log, seeds, seen.get(fault.name, ""))
        if not failed:
            survivors.append(fault.name)
        names = failures(place.read_text())
        if names:
            binary, name = names[0].split(" ", 1)
            seen[fault.name] = f"binary({binary}) & test(={name})"
            SEEN.write_text(json.dumps(seen, indent=0))
        outcome = f"seen by {', '.join(names) or failed}" if failed else "SURVIVES"
        print(f"{fault.name}: {outcome} ({time.monotonic() - begin:.0f} s): {fault.title}", flush=True)
    caught = count - len(survivors)
    score = f"{caught} of {count} faults are seen" + (f" ({100 * caught / count:.1f} %)" if count else "")
    print(f"{score}, {len(survivors)} survive: {', '.join(survivors) or 'none'}. Logs: {WORK}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
