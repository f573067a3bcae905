#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs dpctl's and dpnp's own test suites on a named stack and compares each test with a reference run on Intel's.

    compare.py dpctl --generation 2026.1 --stack ours --lib dist/lib --verify-stack
    compare.py dpnp --modules all --total-timeout 3600 --generation 2026.2 --stack intel

A test that does worse than the reference (failed < skipped < passed; not run at all counts as failed) fails the
comparison, unless exceptions.toml names it. On Intel's driver, a test whose process crashed has a second try, which the
output says. Exit status: 0 when no test did worse, 1 when one did, 2 when the stack
is not what was asked for. What pytest printed is in target/suites/<suite>-<stack>/.
"""

import argparse
import gzip
import os
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from stack import GENERATIONS, REPO, add_arguments, from_arguments

HERE = Path(__file__).resolve().parent
RANK = {"PASSED": 2, "XPASS": 2, "SKIPPED": 1, "XFAIL": 1, "FAILED": 0, "ERROR": 0, "MISSING": 0}


@dataclass
class Suite:
    """One package's test suite: how a test is called in its reference file, and the slice of it that CI runs."""

    package: str
    prefix: str  # what a reference id starts with, in place of the package's test folder
    reference: Path
    ci_modules: tuple = ()  # empty: the whole suite

    def short_id(self, node_id):
        return self.prefix + node_id.removeprefix(f"{self.package}/tests/")

    def arguments(self, modules):
        """The pytest arguments for these modules of the suite; none means all of it."""
        return [f"{self.package}.tests.{module}" for module in modules] or [f"{self.package}.tests"]

    def holds(self, short_id, modules):
        """Whether a test of the reference belongs to these modules; none means all of it."""
        return not modules or self.module(short_id) in modules

    def module(self, short_id):
        """The module that a test is in."""
        return short_id.removeprefix(self.prefix).partition("::")[0].removesuffix(".py").replace("/", ".")


SUITES = {
    "dpctl": Suite("dpctl", "tests/", HERE / "reference" / "dpctl-0.22.1-intel-2026.1.2.tsv.gz"),
    "dpnp": Suite(
        "dpnp",
        "",
        HERE / "reference" / "dpnp-0.20.0-intel-2026.2.tsv.gz",
        ("test_sum", "test_sort", "test_mathematical", "test_indexing", "test_sycl_queue", "test_usm_type"),
    ),
}


def read_reference(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return {test: outcome for outcome, test in (line.rstrip("\n").split("\t", 1) for line in file)}


def read_outcomes(path, short_id=str):
    """The worst outcome and its reason for each test, as the plugin wrote them."""
    tests = {}
    for line in path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []:
        outcome, node_id, _seconds, reason = line.split("\t", 3)
        test = short_id(node_id)
        if test not in tests or RANK[outcome] < RANK[tests[test][0]]:
            tests[test] = (outcome, reason)
    return tests


def read_exceptions(suite, stack):
    """The entries of exceptions.toml that apply here: {test id: action}."""
    entries = tomllib.loads((HERE / "exceptions.toml").read_text(encoding="utf-8"))["exception"]
    return {
        test: entry["action"]
        for entry in entries
        for test in ([entry["test"]] if isinstance(entry["test"], str) else entry["test"])
        if entry["reason"]
        and entry["suite"] == suite.package
        and stack.generation in entry.get("generations", GENERATIONS)
        and stack.kind in entry.get("stacks", ("intel", "ours", "driver"))
        and ("adapters" not in entry or (stack.kind == "ours" and stack.adapter in entry["adapters"]))
    }


def excepted(test, names):
    """An entry names one test, or with its [parameters] left out all tests of that function."""
    return test in names or test.partition("[")[0] in names


def driver_log(folder):
    """What our Level Zero driver refused, in the order in which it did."""
    return folder / "driver.log"


def run_pytest(suite, modules, stack, exceptions, options, folder):
    """Runs the suite; returns pytest's exit status. It leaves outcomes.tsv and pytest.log in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    outcomes, log = folder / "outcomes.tsv", folder / "pytest.log"
    outcomes.unlink(missing_ok=True)
    driver_log(folder).unlink(missing_ok=True)
    site_packages = next(stack.env_dir.glob("lib/python3.*/site-packages"))
    env = stack.environment() | {"PYTHONPATH": str(HERE), "OXUR_OUTCOMES": str(outcomes)}
    if stack.kind == "driver":
        env["ZE_OXUR_LOG"] = f"level:error;flush:error;output:file,{driver_log(folder)}"
    command = [str(stack.python), "-m", "pytest", "--pyargs", *suite.arguments(modules)]
    command += ["-p", "outcomes", "-p", "no:cacheprovider", "-q", "--rootdir", str(site_packages), "-c", os.devnull]
    command += ["-n", str(options.jobs), "--max-worker-restart", "100"]
    # A test that hangs inside a driver holds Python's lock, so only faulthandler's own thread can end it: that ends
    # the worker, xdist reports the test as failed and starts another worker. pytest-timeout is the gentler one before.
    command += ["--timeout", str(options.timeout), "-o", f"faulthandler_timeout={options.timeout + 30}"]
    command += ["-o", "faulthandler_exit_on_timeout=true"]
    for test, action in exceptions.items():
        if action == "deselect":
            command += ["--deselect", f"{suite.package}/tests/{test.removeprefix(suite.prefix)}"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        try:
            return process.wait(timeout=options.total_timeout)
        except subprocess.TimeoutExpired:
            print(f"the whole run did not end within {options.total_timeout} s", flush=True)
            return 124
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # workers that outlived pytest
            except ProcessLookupError:
                pass


def try_again(suite, tests, stack, exceptions, options, folder):
    """Runs tests whose process crashed once more, with their modules. Returns what is to be said of it.

    Intel's CPU driver now and then notifies an event that it has freed (`OclEvent::ObservedEventStateChanged`), on a busy
    machine, in whatever test runs then. Where there are many, or on an adapter without that driver, it is something else.
    """
    crashed = [test for test, (_, reason) in tests.items() if "crashed while running" in reason]
    if not 0 < len(crashed) <= 2 or (stack.kind == "ours" and stack.adapter != "opencl"):
        return []
    run_pytest(suite, sorted({suite.module(test) for test in crashed}), stack, exceptions, options, folder)
    again = read_outcomes(folder / "outcomes.tsv", suite.short_id)
    tests.update({test: again[test] for test in crashed if test in again})
    return [f"  crashed once: {test}, then {tests[test][0]}" for test in crashed]


def first_of(lines, limit):
    return lines[:limit] + [f"  ... and {len(lines) - limit} more"] * (len(lines) > limit)


def compare(suite, modules, stack, options):
    """Runs and compares. Prints the summary; returns (passed, worse, skipped)."""
    folder = REPO / "target" / "suites" / f"{suite.package}-{stack.name}"
    exceptions = read_exceptions(suite, stack)
    reference = read_reference(options.reference or suite.reference)
    expected = {t: o for t, o in reference.items() if suite.holds(t, modules) and not excepted(t, exceptions)}

    start = time.monotonic()
    status = run_pytest(suite, modules, stack, exceptions, options, folder)
    seconds = time.monotonic() - start
    all_tests = read_outcomes(folder / "outcomes.tsv", suite.short_id)
    crashed = try_again(suite, all_tests, stack, exceptions, options, folder / "again")
    tests = {test: found for test, found in all_tests.items() if not excepted(test, exceptions)}

    # Our Level Zero device is a GPU: tests that want a CPU are skipped, and others run instead.
    another_device = stack.needs_level_zero
    worse, better = [], []
    for test in sorted(expected.keys() | tests.keys()):
        outcome, reason = tests.get(test, ("MISSING", ""))
        before = expected.get(test, "not in the reference")
        # A test that the reference lacks must not fail.
        rank_before = RANK.get(before, RANK["SKIPPED"])
        if another_device:
            rank_before = min(rank_before, RANK["SKIPPED"])
        if RANK[outcome] < rank_before:
            worse.append(f"  worse: {before} -> {outcome}  {test}  {reason}")
        elif before in RANK and RANK[outcome] > RANK[before] and not another_device:
            better.append(f"  better: {before} -> {outcome}  {test}")
    # 0: all passed, 1: some failed. Anything else is pytest's own trouble, whatever the tests say.
    if status not in (0, 1):
        worse.append(f"  pytest itself ended with {status}")
    if not tests:
        worse.append("  no test ran")

    count = Counter(outcome for outcome, _ in tests.values())
    allowed = [f"  allowed: {all_tests[t][0]}  {t}" for t in sorted(all_tests.keys() - tests.keys())]
    for line in first_of(worse, 100) + first_of(better, 20) + allowed + crashed:
        print(line)
    counts = ", ".join(f"{number} {outcome.lower()}" for outcome, number in sorted(count.items()))
    print(f"{suite.package} on {stack.name}, {seconds:.0f} s: {counts}")
    print(f"  against the reference: {len(worse)} worse, {len(better)} better, {len(allowed)} excepted", flush=True)
    if worse:
        print(f"  output of pytest: {(folder / 'pytest.log').relative_to(REPO)}", flush=True)
        if (log := driver_log(folder)).exists():
            refused = Counter(log.read_text(encoding="utf-8").splitlines())
            print(f"  the driver refused, says {log.relative_to(REPO)}:", flush=True)
            for line in first_of([f"    {count} x {line}" for line, count in refused.most_common()], 20):
                print(line, flush=True)
    if options.record:
        with gzip.open(options.record, "wt", encoding="utf-8") as file:
            file.writelines(f"{outcome}\t{test}\n" for test, (outcome, _) in sorted(all_tests.items()))
    return count["PASSED"] + count["XPASS"], len(worse), count["SKIPPED"] + count["XFAIL"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="+", choices=SUITES, metavar="SUITE", help="dpctl, dpnp")
    add_arguments(parser)
    parser.add_argument("--modules", help="'all', or a comma-separated list of test modules (default: CI's slice)")
    parser.add_argument("--reference", type=Path, help="another reference file")
    parser.add_argument("--record", type=Path, help="write the outcomes as a new reference file (.tsv.gz)")
    parser.add_argument("--verify-stack", action="store_true", help="first prove which libraries a process maps")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one test")
    parser.add_argument("--total-timeout", type=int, default=5400, help="seconds for one suite")
    options = parser.parse_args()
    return options, from_arguments(parser, options)


def main():
    options, stack = parse_arguments()
    if options.verify_stack and (problems := stack.problems()):
        print("\n".join(["the stack is not what was asked for:", *(f"  {problem}" for problem in problems)]))
        print("0 passed, 1 failed")
        return 2
    totals = [0, 0, 0]
    for name in options.suites:
        suite = SUITES[name]
        modules = suite.ci_modules
        if options.modules:
            modules = () if options.modules == "all" else options.modules.split(",")
        totals = [a + b for a, b in zip(totals, compare(suite, modules, stack, options))]
    print("{} passed, {} failed, {} skipped".format(*totals))
    return 1 if totals[1] else 0


if __name__ == "__main__":
    sys.exit(main())
