# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scalar types of SYCL's functions, the shapes that these take, and the values to try them with."""

import zlib
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Scalar:
    """A scalar type."""

    name: str  # in C++
    numpy: type
    short: str  # in names of kernels

    @property
    def dtype(self):
        return np.dtype(self.numpy)

    @property
    def bits(self):
        return self.dtype.itemsize * 8

    @property
    def is_float(self):
        return self.dtype.kind == "f"

    @property
    def is_signed(self):
        return self.dtype.kind == "i"

    @property
    def limits(self):
        info = np.iinfo(self.dtype)
        return int(info.min), int(info.max)

    @property
    def signed(self):
        return next(t for t in INTEGERS if t.bits == self.bits and t.is_signed)

    @property
    def unsigned(self):
        return next(t for t in INTEGERS if t.bits == self.bits and not t.is_signed)

    # Of a floating-point type: the bits of a fraction, and the largest exponent.
    @property
    def fraction(self):
        return np.finfo(self.dtype).nmant

    @property
    def largest_exponent(self):
        return int(np.finfo(self.dtype).maxexp) - 1


HALF = Scalar("half", np.float16, "h")
FLOAT = Scalar("float", np.float32, "f")
DOUBLE = Scalar("double", np.float64, "d")
FLOATS = (HALF, FLOAT, DOUBLE)

I8 = Scalar("std::int8_t", np.int8, "i8")
U8 = Scalar("std::uint8_t", np.uint8, "u8")
I16 = Scalar("std::int16_t", np.int16, "i16")
U16 = Scalar("std::uint16_t", np.uint16, "u16")
I32 = Scalar("std::int32_t", np.int32, "i32")
U32 = Scalar("std::uint32_t", np.uint32, "u32")
I64 = Scalar("std::int64_t", np.int64, "i64")
U64 = Scalar("std::uint64_t", np.uint64, "u64")
INTEGERS = (I8, U8, I16, U16, I32, U32, I64, U64)
# Types of C++ that are none of these, but as wide as one.
CHAR = Scalar("char", np.int8, "char")
LONG_LONG = Scalar("long long", np.int64, "ll")
UNSIGNED_LONG_LONG = Scalar("unsigned long long", np.uint64, "ull")
OTHERS = (CHAR, LONG_LONG, UNSIGNED_LONG_LONG)
BOOL = Scalar("bool", np.bool_, "b")


@dataclass(frozen=True)
class Shape:
    """How many values of a type a function takes at once: a scalar, a vec or an marray."""

    kind: str
    size: int

    def of(self, scalar):
        """The type in C++."""
        return scalar.name if self.kind == "scalar" else f"{self.kind}<{scalar.name}, {self.size}>"

    @property
    def short(self):
        return "" if self.kind == "scalar" else f"_{self.kind[0]}{self.size}"


SCALAR = Shape("scalar", 1)
VECS = tuple(Shape("vec", n) for n in (2, 3, 4, 8, 16))
MARRAY = Shape("marray", 5)  # neither a power of two nor even
SHAPES = (SCALAR, *VECS, MARRAY)
# Arrays of values have a multiple of so many, so that every shape fits.
MULTIPLE = 240


def generator(*seed):
    """Random numbers that are the same in each run."""
    return np.random.default_rng([zlib.crc32(str(part).encode()) for part in seed])


def padded(columns):
    """Columns that begin again until each has a multiple of MULTIPLE values."""
    count = -(-len(columns[0]) // MULTIPLE) * MULTIPLE
    return [np.resize(column, count) for column in columns]


def bits_of(scalar, bits):
    """Values of a type by their bits."""
    return np.array(bits, dtype=np.uint64).astype(f"u{scalar.bits // 8}").view(scalar.dtype)


def special_floats(scalar):
    """Numbers where functions tend to be wrong, of both signs."""
    info = np.finfo(scalar.dtype)
    numbers = [1e-20, 1e-8, 1e-5, 1e-3, 0.25, 1 / 3, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6.5, 7, 8, 10]
    numbers += [16, 23.5, 32, 64, 100, 127, 128, 149, 171.6, 1024, 1e4, 1e6, 1e10, 1e15, 1e22, 1e30, 1e37]
    # Whole numbers stop having halves, and being odd.
    numbers += [2.0**n for n in (9, 10, 11, 22, 23, 24, 51, 52, 53)]
    # Exponential functions and the gamma function leave the range of a type.
    numbers += [11.09, 9.7, 17.33, 88.72, 103.97, 709.78, 745.13, 25, 150, 1075, 4.8, 38.53, 308.25, 323.3]
    numbers += [9.17, 35.04, 171.62, 3.05, 9.19, 10.05, 26.54, 27.22]
    # The sine, the cosine or the tangent is close to 0, for two of them closest of all.
    numbers += [n * np.pi / 4 for n in (1, 2, 3, 4, 5, 6, 8, 12, 28, 88, 102944, 2e9)]
    numbers += [16367173.0 * 2.0**72]
    if scalar == DOUBLE:
        numbers += [1e100, 1e300, 6381956970095103.0 * 2.0**797, 5.319372648326541e255]
    with np.errstate(over="ignore"):
        near = np.array(numbers).astype(scalar.dtype)
    near = np.concatenate([near, np.array([info.tiny, 1], scalar.dtype)])
    near = near[np.isfinite(near)]
    largest, infinity = scalar.dtype.type(info.max), scalar.dtype.type(np.inf)
    with np.errstate(over="ignore"):
        around = [near, np.nextafter(near, infinity), np.nextafter(near, -infinity)]
    small = bits_of(scalar, [0, 1, 2, 3, 1 << (scalar.fraction - 1)])
    ends = np.array([np.nextafter(largest, -infinity), largest, infinity, np.nan], scalar.dtype)
    positive = np.unique(np.concatenate([*around, small, ends]))
    return np.concatenate([positive, -positive])


def any_floats(scalar, count, random):
    """Random bit patterns, which are spread over all exponents."""
    found = bits_of(scalar, random.integers(0, 2**64 - 1, 2 * count, dtype=np.uint64) >> (64 - scalar.bits))
    return found[~np.isnan(found)][:count]


def special_integers(scalar):
    """Integers at the edges."""
    bits, mask = scalar.bits, (1 << scalar.bits) - 1
    high = 1 << (bits - 1)
    around = [0, 1, 2, 3, 5, 7, 8, 15, 16, 24, 31, 32, 63, 64, 100, high, high >> 1, 1 << (bits // 2), mask // 3]
    return bits_of(scalar, sorted({x & mask for a in around for x in (a, -a, a - 1, -a - 1)}))


def any_integers(scalar, count, random):
    """Random integers of any length."""
    patterns = random.integers(0, 2**64 - 1, count, dtype=np.uint64).view(np.int64)
    lengths = random.integers(0, scalar.bits, count)
    return bits_of(scalar, (patterns >> (63 - lengths)).view(np.uint64) & np.uint64((1 << scalar.bits) - 1))


def specials(scalar):
    return special_floats(scalar) if scalar.is_float else special_integers(scalar)


def any_values(scalar, count, random):
    return (any_floats if scalar.is_float else any_integers)(scalar, count, random)


def crossed(columns, count, random):
    """Pairs or triples of what the columns hold: all if there are no more than `count`, else a random part of them."""
    if len(columns) == 1:
        return columns
    total = int(np.prod([len(column) for column in columns]))
    picks = np.arange(total) if total <= count else random.choice(total, count, replace=False)
    crossed = []
    for column in columns:
        crossed.append(column[picks % len(column)])
        picks = picks // len(column)
    return crossed


def arguments(types, seed, count=480, domain=None):
    """Columns of arguments: special values, crossed where there are several, random ones, and those of a domain, a
    function of a generator and a count that returns a column of doubles for each argument."""
    random = generator(*seed)
    columns = [crossed([specials(t) for t in types], count, random)]
    columns.append([any_values(t, count // 2, random) for t in types])
    if domain:
        with np.errstate(all="ignore"):
            columns.append([np.asarray(c).astype(t.dtype) for t, c in zip(types, domain(random, count // 2))])
    return padded([np.concatenate(parts) for parts in zip(*columns)])


def divisor(number, most, seed):
    """A divisor of a number of work-items: the size of a work-group, odd as often as not."""
    divisors = [d for d in range(1, min(most, number) + 1) if number % d == 0]
    large = [d for d in divisors if d * 4 >= divisors[-1]]
    return large[seed % len(large)]
