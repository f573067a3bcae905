# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the cases of a client program share. client.py starts it in the client's Python.

A case computes something twice, on the SYCL device and in another way, and compares. It is reported before it begins and
after it ends, so that client.py knows which one crashed or hung, and goes on with the next.
"""

import argparse
import json
import os
import re
import time
import warnings
import zlib
from fnmatch import fnmatch
from pathlib import Path

import numpy as np


class Cases:
    """Runs cases and reports them to the file descriptor that client.py reads."""

    def __init__(self, groups, unsupported=None, plain=None):
        """groups: the functions that make cases, by name. unsupported: a pattern for the messages with which the
        program says that it does not have something on this device. plain: makes NumPy arrays of the program's own
        objects."""
        parser = argparse.ArgumentParser()
        parser.add_argument("--report", type=int, default=1)
        parser.add_argument("--groups", default=",".join(groups))
        parser.add_argument("--only", default="*", help="a pattern of names")
        parser.add_argument("--start", type=int, default=0, help="how many cases to pass over")
        parser.add_argument("--skip", action="append", default=[], help="a pattern of names of cases not to run")
        parser.add_argument("--full", action="store_true")
        parser.add_argument("--device", default="")
        parser.add_argument("--results", type=Path, help="keep what the device computed in this folder")
        self.options = parser.parse_args()
        self.full = self.options.full
        self.device = self.options.device
        self.unsupported = re.compile(unsupported, re.DOTALL) if unsupported else None
        self.plain = plain or (lambda value: value)
        self.count = 0
        self.file = os.fdopen(self.options.report, "w", buffering=1)
        for group in self.options.groups.split(","):
            self.group = group
            groups[group](self)
        self.report("end")
        # What libraries do when the process ends is no part of this.
        os._exit(0)

    def report(self, *what):
        self.file.write(json.dumps(what) + "\n")

    def case(self, name, device, other, tolerance=None, reference=None):
        """Compares what `device` computes on the SYCL device with what `other` does elsewhere, and with `reference`, if
        there is one, which is a third way to compute it."""
        name = f"{self.group}: {name}"
        self.count += 1
        if self.count <= self.options.start or not fnmatch(name, self.options.only):
            return
        if any(fnmatch(name, pattern) for pattern in self.options.skip):
            self.report("begin", self.count, name)
            self.report("skipped", 0, "")
            return
        self.report("begin", self.count, name)
        start = time.perf_counter()
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                outcome, why = self._outcome(name, device, other, tolerance, reference)
        except Exception as error:  # whatever a library throws is the case's failure
            outcome, why = "FAIL", _text(error)
        self.report(outcome, time.perf_counter() - start, why)

    def _outcome(self, name, device, other, tolerance, reference):
        try:
            wanted = flat(self.plain(other()))
        except Exception as error:
            wanted = error
        start = time.perf_counter()
        try:
            got = flat(self.plain(device()))
        except Exception as error:
            if not isinstance(error, RuntimeError):
                return "FAIL", _text(error)  # the case itself is wrong
            if isinstance(wanted, Exception):
                return "absent", f"on no device: {_text(error)}"
            lacks = self.unsupported and self.unsupported.search(str(error))
            return "absent" if lacks else "FAIL", _text(error)
        self.report("computed", time.perf_counter() - start)
        if isinstance(wanted, Exception):
            return "FAIL", f"elsewhere: {_text(wanted)}"
        if self.options.results:
            np.savez(self.options.results / f"{zlib.crc32(name.encode()):08x}.npz", *got, tolerance=tolerance or 0)
        wrong = differs(got, wanted, tolerance)
        if not wrong and reference is not None:
            wrong = differs(got, flat(self.plain(reference())), tolerance)
            wrong = wrong and f"not the reference: {wrong}"
        return ("FAIL", wrong) if wrong else ("ok", "")


def _text(error):
    lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).split()
    return f"{type(error).__name__}: {' '.join(lines)}"[:400]


def random(*key):
    """Random numbers that are the same in each process."""
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def flat(value):
    """The arrays in a result, which may be nested."""
    if isinstance(value, dict):
        return [array for key in sorted(value) for array in flat(value[key])]
    if isinstance(value, (list, tuple)) and not all(np.isscalar(item) for item in value):
        return [array for item in value for array in flat(item)]
    return [np.asarray(value)]


def differs(got, wanted, tolerance=None):
    """What is wrong with arrays. The tolerance is by their largest value; without one the last places may differ.
    Integers may differ by it when it is 1 or more."""
    if len(got) != len(wanted):
        return f"{len(got)} results, not {len(wanted)}"
    for index, (a, b) in enumerate(zip(got, wanted)):
        if wrong := _differs(a, b, tolerance):
            return f"result {index}: {wrong}" if len(got) > 1 else wrong
    return None


def _differs(got, wanted, tolerance):
    if got.shape != wanted.shape:
        return f"shape {got.shape}, not {wanted.shape}"
    if got.dtype.kind not in "fc" or wanted.dtype.kind not in "fc":
        wrong = got != wanted
        if tolerance and tolerance >= 1 and got.dtype.kind in "iu":
            wrong = np.abs(got.astype(np.float64) - wanted) > tolerance
    else:
        kind = got.dtype if got.dtype.itemsize <= wanted.dtype.itemsize else wanted.dtype
        finite = np.isfinite(wanted)
        scale = np.max(np.abs(wanted[finite]), initial=1)
        most = (tolerance if tolerance is not None else 16 * np.finfo(kind).eps) * scale
        same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        wrong = ~same & ~(np.abs(got.astype(wanted.dtype) - wanted) <= most)
    if not np.any(wrong):
        return None
    where = np.argwhere(wrong)
    at = tuple(int(place) for place in where[0])
    return f"{len(where)} of {got.size} differ, first at {at}: {got[at]!r}, not {wanted[at]!r}"
