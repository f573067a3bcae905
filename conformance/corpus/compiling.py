# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the compiler over many modules, so that a crash loses one module, and sums up what came of it.

What the compiler has to do: `oxur-compiler compile --json FILE... [--link FILE]...` takes the modules one after the
other and prints a line for each kernel as soon as it is done,

    {"module": "a.spv", "kernel": "add", "ok": false, "error": "no OpPhi", "missing": "phi", "ms": 3.1}

and ends with status 0, whether kernels failed or not.
"""

import json
import os
import re
import resource
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fnmatch import fnmatch

BATCH_MODULES, BATCH_KERNELS = 32, 128
# So many runs of the compiler that end badly before any prints a line: it is the compiler that does not run at all.
HOPELESS = 8

OK, FAILED, CRASHED, SLOW, LOST = "ok", "failed", "crashed", "slow", "lost"


@dataclass
class Task:
    """One module. `shipped` says how often the library has it."""

    library: str
    path: str
    kernels: tuple
    links: tuple = ()
    shipped: int = 1


@dataclass
class Outcome:
    """What became of one kernel: ok, failed, crashed, slow, or lost: with its module, before it was reached."""

    state: str
    error: str = ""
    missing: str | None = None
    ms: float = 0.0


@dataclass
class Results:
    outcomes: dict = field(default_factory=dict)  # (library, path, kernel) -> Outcome
    tasks: list = field(default_factory=list)
    notes: list = field(default_factory=list)  # what went wrong besides: each misses the goals


def batches(tasks):
    """Batches of modules that are linked with the same others."""
    by_links = defaultdict(list)
    for task in tasks:
        by_links[task.links].append(task)
    for links in sorted(by_links):
        batch, kernels = [], 0
        for task in by_links[links]:
            if batch and (len(batch) == BATCH_MODULES or kernels + len(task.kernels) > BATCH_KERNELS):
                yield batch
                batch, kernels = [], 0
            batch.append(task)
            kernels += len(task.kernels)
        yield batch


class Runner:
    def __init__(self, compiler, time_limit, memory_limit, progress=None, options=()):
        self.compiler = str(compiler)
        self.options = tuple(options)  # of the compiler, besides the modules
        self.time_limit = time_limit
        self.memory_limit = int(memory_limit * (1 << 30))
        self.results = Results()
        self.lock = threading.Lock()
        self.lines = 0  # that any compiler has printed
        self.bad_starts = 0
        self.progress = progress

    def run(self, batch):
        """Compiles the modules of a batch, in as many runs of the compiler as that takes."""
        rest = list(batch)
        while rest and self.bad_starts < HOPELESS:
            found, ending, text = self.start(rest)
            complete = 0
            while complete < len(rest) and all(kernel in found[complete] for kernel in rest[complete].kernels):
                self.keep(rest[complete], found[complete])
                complete += 1
            if complete == len(rest):
                if ending:
                    self.note(f"{ending} after all kernels of {rest[-1].path}")
                return
            suspect = rest[complete]
            if ending == "" or len(rest) == 1:
                self.keep(suspect, found[complete], ending, text)
            else:
                # Alone, to be sure that it is this one.
                again, ending_alone, text_alone = self.start([suspect])
                self.keep(suspect, again[0], ending_alone, text_alone)
                if not ending_alone:
                    self.note(f"{ending} at {suspect.path}, but not when that is compiled alone")
            rest = rest[complete + 1 :]

    def start(self, tasks):
        """One run of the compiler: ([kernel -> Outcome] by task, how it ended if badly, what it said last)"""
        command = [self.compiler, "compile", "--json", *self.options, *(task.path for task in tasks)]
        for link in tasks[0].links:
            command += ["--link", link]
        place = {task.path: index for index, task in enumerate(tasks)}
        found = [{} for _ in tasks]
        ending = ""
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
            try:
                resource.prlimit(process.pid, resource.RLIMIT_AS, (self.memory_limit, self.memory_limit))
                resource.prlimit(process.pid, resource.RLIMIT_CORE, (0, 0))
                for line in self.read(process):
                    self.take(line, place, found)
            except TimeoutError:
                ending = f"over {self.time_limit:g} s"
            finally:
                if process.poll() is None:
                    if not ending:
                        # The output has ended, so the process is about to.
                        try:
                            process.wait(self.time_limit)
                        except subprocess.TimeoutExpired:
                            ending = f"over {self.time_limit:g} s"
                    if process.poll() is None:
                        os.killpg(process.pid, signal.SIGKILL)
                        process.wait()
                process.stdout.close()
            if not ending and process.returncode:
                ending = how(process.returncode)
            errors.seek(0, os.SEEK_END)
            errors.seek(max(0, errors.tell() - 2000))
            text = errors.read().decode("utf-8", "replace").strip()
        with self.lock:
            if ending and not self.lines:
                self.bad_starts += 1
                if self.bad_starts == HOPELESS:
                    self.results.notes.append(f"the compiler does not run at all: {ending}: {text}")
        return found, ending, text

    def read(self, process):
        """The lines of the process; TimeoutError when none comes for as long as one kernel may take."""
        buffer = b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            deadline = time.monotonic() + self.time_limit
            while True:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise TimeoutError
                data = os.read(process.stdout.fileno(), 1 << 16)
                if not data:
                    return
                *lines, buffer = (buffer + data).split(b"\n")
                yield from lines
                if lines:
                    deadline = time.monotonic() + self.time_limit

    def take(self, line, place, found):
        try:
            entry = json.loads(line)
            outcomes, kernel = found[place[entry["module"]]], entry["kernel"]
            state, ms = OK if entry["ok"] else FAILED, float(entry.get("ms") or 0)
        except (ValueError, KeyError, TypeError, AttributeError):
            self.note(f"the compiler printed {line[:200]!r}")
            return
        if ms > self.time_limit * 1000:
            state = SLOW
        outcomes[kernel] = Outcome(state, entry.get("error") or "", entry.get("missing"), ms)
        with self.lock:
            self.lines += 1

    def note(self, text):
        with self.lock:
            self.results.notes.append(text)

    def keep(self, task, found, ending="", text=""):
        """Takes over what is known of a module's kernels; `ending` is how the compiler ended before it did all."""
        unknown = [kernel for kernel in task.kernels if kernel not in found]
        for kernel in unknown:
            if not ending:
                found[kernel] = Outcome(FAILED, "the compiler said nothing of this kernel")
            elif kernel != unknown[0]:
                found[kernel] = Outcome(LOST, f"with {unknown[0]}")
            else:
                state = SLOW if ending.startswith("over") else CRASHED
                found[kernel] = Outcome(state, f"{ending}: {text}" if text else ending)
        with self.lock:
            self.results.tasks.append(task)
            for kernel in task.kernels:
                self.results.outcomes[task.library, task.path, kernel] = found[kernel]
            if self.progress:
                self.progress(self.results)


def how(status):
    if status > 0:
        return f"status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def run(compiler, tasks, jobs, time_limit, memory_limit, progress=None, options=()):
    runner = Runner(compiler, time_limit, memory_limit, progress, options)
    queue = batches(tasks)

    def work():
        while True:
            with runner.lock:
                batch = next(queue, None)
            if batch is None or runner.bad_starts >= HOPELESS:
                return
            runner.run(batch)

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return runner.results


# Reporting


def general(error):
    """An error without what differs from kernel to kernel."""
    line = error.strip().partition("\n")[0][:200]
    return re.sub(r"0x[0-9a-fA-F]+|%?\b\d+\b", "#", re.sub(r"[\w./-]+\.spv", "MODULE", line))


class Report:
    """Sums by library and group. The goals are shares of the kernels as they are shipped: with all their copies.

    With `beyond`, patterns of features, kernels that miss one of these are not counted, and all others must compile.
    """

    def __init__(self, results, groups, goals, beyond=None):
        self.notes = results.notes
        self.states = defaultdict(Counter)  # library -> state -> kernels, each once
        self.shipped = defaultdict(Counter)  # group -> state -> kernels as they are shipped
        self.modules = Counter()
        self.missing = defaultdict(Counter)  # missing feature -> library -> kernels
        self.errors = defaultdict(Counter)  # error without a missing feature -> library -> kernels
        self.examples = {}
        self.bad = []  # what crashed or took too long
        self.slowest = []
        for task in sorted(results.tasks, key=lambda task: (task.library, task.path)):
            self.modules[task.library] += 1
            for kernel in task.kernels:
                outcome = results.outcomes[task.library, task.path, kernel]
                self.states[task.library][outcome.state] += 1
                if not any(fnmatch(outcome.missing or "", pattern) for pattern in beyond or ()):
                    self.shipped[groups[task.library]][outcome.state] += task.shipped
                self.slowest.append((outcome.ms, task.library, task.path, kernel))
                if outcome.state in (CRASHED, SLOW):
                    self.bad.append((outcome.state, task.library, task.path, kernel, outcome.error))
                if outcome.state != OK:
                    what = outcome.missing or general(outcome.error)
                    (self.missing if outcome.missing else self.errors)[what][task.library] += 1
                    self.examples.setdefault(what, (task.path, kernel))
        self.slowest = sorted(self.slowest, reverse=True)[:10]
        self.goals = {}  # group -> (share, goal)
        for group, states in self.shipped.items():
            self.goals[group] = (states[OK] / states.total(), goals.get(group, 0.0) if beyond is None else 1.0)
        self.missed = [
            f"{group}: {100 * share:.2f}% of the kernels compile, not {100 * goal:g}%"
            for group, (share, goal) in self.goals.items()
            if share < goal
        ]
        crashed, slow = (sum(entry[0] == state for entry in self.bad) for state in (CRASHED, SLOW))
        self.missed += [f"{crashed} crashes"] * bool(crashed) + [f"{slow} kernels take too long"] * bool(slow)
        self.missed += [f"note: {note}" for note in self.notes]
        if not results.outcomes:
            self.missed.append("no kernel was compiled")

    def text(self):
        lines = []
        row = "{:14} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6} {:>9}".format
        lines.append(row("library", "modules", "kernels", "ok", "failed", "crashed", "slow", "lost", "ok"))
        everything = Counter()
        for library, states in self.states.items():
            everything.update(states)
            lines.append(row(library, self.modules[library], *self.row(states)))
        lines.append(row("all", self.modules.total(), *self.row(everything)))
        lines += ["", "as they are shipped, copies and all:"]
        row = "{:14} {:>8} {:>8} {:>9} {:>8}".format
        lines.append(row("group", "kernels", "ok", "share", "goal"))
        for group, (share, goal) in self.goals.items():
            states = self.shipped[group]
            lines.append(row(group, states.total(), states[OK], f"{100 * share:.2f}%", f"{100 * goal:g}%"))
        for title, table, top in (("missing feature", self.missing, 100), ("other error", self.errors, 30)):
            if table:
                lines += ["", f"{title}: kernels, by library, and an example"]
            for what, counts in sorted(table.items(), key=lambda entry: -entry[1].total())[:top]:
                by = ", ".join(f"{library} {count}" for library, count in counts.most_common())
                lines.append(f"{counts.total():8}  {what}  ({by})")
                path, kernel = self.examples[what]
                lines.append(f"          {path} {kernel}")
        if self.bad:
            lines += ["", "crashed or slow:"]
            for state, _, path, kernel, error in self.bad[:100]:
                lines.append(f"  {state}: {path} {kernel}: {general(error)}")
        lines += ["", "slowest:"] + [f"  {ms:8.0f} ms  {path} {kernel}" for ms, _, path, kernel in self.slowest]
        lines += [""] + [f"missed: {line}" for line in self.missed]
        # Kernels that want what the compiler does not have are no failures as long as the goals are reached.
        rest = everything.total() - everything[OK]
        failed = rest if self.missed else 0
        lines.append(f"{everything[OK]} passed, {failed} failed, {rest - failed} skipped")
        return "\n".join(lines)

    @staticmethod
    def row(states):
        total = states.total()
        share = f"{100 * states[OK] / total:.2f}%" if total else "-"
        return (total, *(states[state] for state in (OK, FAILED, CRASHED, SLOW, LOST)), share)

    def json(self):
        return {
            "libraries": {library: dict(states) for library, states in self.states.items()},
            "shipped": {group: dict(states) for group, states in self.shipped.items()},
            "goals": {group: {"share": share, "goal": goal} for group, (share, goal) in self.goals.items()},
            "missing": {what: dict(counts) for what, counts in self.missing.items()},
            "errors": {what: dict(counts) for what, counts in self.errors.items()},
            "examples": self.examples,
            "bad": self.bad,
            "slowest": self.slowest,
            "missed": self.missed,
            "notes": self.notes,
        }
