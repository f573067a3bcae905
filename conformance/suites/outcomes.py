# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pytest plugin that appends each test's outcome to the file $OXUR_OUTCOMES, one line a report:

    OUTCOME <tab> first line of the test id <tab> seconds <tab> first line of the reason

Under pytest-xdist only the controller writes, so a worker that crashes still leaves a line: xdist reports the test
that it was running as failed. compare.py loads this with `-p outcomes` and keeps the worst line of each test.
"""

import os


def outcome_of(report):
    """The word for this report, or None where the report says nothing (a set-up or tear-down that passed)."""
    expected_failure = hasattr(report, "wasxfail")
    if report.skipped:
        return "XFAIL" if expected_failure else "SKIPPED"
    if report.failed:
        return "ERROR" if report.when in ("setup", "teardown", "collect") else "FAILED"
    if report.when == "call":
        return "XPASS" if expected_failure else "PASSED"
    return None


def reason_of(report):
    if report.skipped and isinstance(report.longrepr, tuple):
        return report.longrepr[2]
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr or "")
    return next((line for line in text.splitlines() if line.strip()), "")


def write(report):
    outcome = outcome_of(report)
    if outcome:
        reason = " ".join(reason_of(report).split())[:300]
        seconds = getattr(report, "duration", 0.0)
        with open(os.environ["OXUR_OUTCOMES"], "a", encoding="utf-8") as file:
            # Parameters may have line breaks in their names; the first line tells the tests apart, and the references have it.
            name = report.nodeid.partition("\n")[0]
            file.write(f"{outcome}\t{name}\t{seconds:.3f}\t{reason}\n")


def pytest_runtest_logreport(report):
    if "PYTEST_XDIST_WORKER" not in os.environ:
        write(report)


def pytest_collectreport(report):
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        write(report)
