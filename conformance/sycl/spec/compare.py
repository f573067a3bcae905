# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong with an output: the words for it, or None."""

import numpy as np


def show(value):
    """A value, and its bits if it is a floating-point number."""
    value = np.asarray(value)[()]
    if value.dtype.kind == "f":
        bits = value.view(f"u{value.dtype.itemsize}")
        return f"{float(value):.9g} ({int(bits):#0{2 + 2 * value.dtype.itemsize}x})"
    return str(value)


def describe(wrong, given, expected, columns, size=1):
    """The first wrong element. `size` is how many values a work-item has."""
    where = np.flatnonzero(wrong)
    first = where[0]
    arguments = ", ".join(show(column[first]) for column in columns)
    place = f" in element {first % size}" if size > 1 else ""
    return (
        f"({arguments}){place} is {show(given[first])}, expected {expected(first)}; "
        f"{len(where)} of {len(given)} are wrong"
    )


def same_bits(a, b):
    """Where two arrays are equal; NaNs are."""
    if a.dtype.kind == "f":
        return ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))
    return a == b


def equal(expected, columns=(), size=1, is_open=None, zeros=False):
    """A check that an output is what is expected, to the bit; `zeros`: zeros are equal. Open ones may be anything."""

    def check(outputs):
        (given,) = outputs
        right = same_bits(given, expected)
        if zeros and given.dtype.kind == "f":
            right |= given == expected
        if is_open is not None:
            right |= is_open
        return None if right.all() else describe(~right, given, lambda i: show(expected[i]), columns, size)

    return check


def within(exact, limit, columns, size=1, signs=False, absolute=None):
    """A check that an output is within so many ulps of exact results; `signs`: even zeros have theirs."""

    def check(outputs):
        given = outputs[0]
        if absolute is not None:
            with np.errstate(all="ignore"):
                errors = np.abs(given.astype(np.float64) - exact.near)
            errors = np.where(exact.is_open, 0, np.where(np.isnan(errors), np.inf, errors))
            wrong = errors > absolute
        else:
            errors = exact.errors(given)
            wrong = errors > limit
            if signs:
                wrong |= exact.differs_in_sign(given)
        if not wrong.any():
            return None
        worst = np.where(wrong, errors, -1).argmax()
        unit = "" if absolute is not None else " ulps"
        mask = np.zeros(len(wrong), bool)
        mask[worst] = True
        words = describe(mask, given, lambda i: show(exact.scalar.dtype.type(exact.near[i])), columns, size)
        return (
            words.split(";")[0]
            + f": {errors[worst]:.4g}{unit} off, of {limit if absolute is None else absolute} "
            f"allowed; {int(wrong.sum())} of {len(given)} are wrong"
        )

    return check


def section(index, check, output=0, parts=None):
    """A check of one part of an output that has several, one behind the other."""

    def of_part(outputs):
        whole = outputs[output]
        count = len(whole) // parts
        return check([whole[index * count : (index + 1) * count]])

    return of_part


def ordinals(values):
    """Numbers of a floating-point type as integers, neighbours of which differ by 1."""
    bits = values.view(f"i{values.dtype.itemsize}").astype(np.int64)
    return np.where(bits < 0, np.int64(np.iinfo(f"i{values.dtype.itemsize}").min) - bits, bits)


def close(expected, ulps, columns=(), size=1, is_open=None):
    """A check that numbers are no further than so many neighbours from those that are expected."""

    def check(outputs):
        (given,) = outputs
        right = same_bits(given, expected) | (given == expected)
        both = ~np.isnan(given) & ~np.isnan(expected)
        right |= both & (np.abs(ordinals(given).astype(float) - ordinals(expected).astype(float)) <= ulps)
        if is_open is not None:
            right |= is_open
        return None if right.all() else describe(~right, given, lambda i: show(expected[i]), columns, size)

    return check
