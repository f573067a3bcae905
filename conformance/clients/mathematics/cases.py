# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What oneMKL computes for dpnp, against NumPy. Runs in the client's Python; run.py starts it.

    cases.py GROUP,... SIZE,... DRAWS

One line a case: `ok NAME`, or `FAIL NAME` and what was wrong. DRAWS, a .npz file, gets the random numbers: each
generator and distribution by a seed, to be compared with those of another stack.
"""

import os
import sys
import warnings
from pathlib import Path

import dpnp
import numpy as np
from dpnp.scipy import linalg as lu

REAL = ("float32", "float64")
TYPES = (*REAL, "complex64", "complex128")


def case(name, check):
    """Runs a check, which answers what is wrong or nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wrong = check()
    except Exception as error:  # whatever a library throws is the case's failure
        wrong = f"{type(error).__name__}: {error}"
    print(f"FAIL {name}: {wrong}" if wrong else f"ok {name}", flush=True)


def close(got, wanted, dtype, scale):
    """What is wrong with a result, which may differ by the rounding of `scale` operations, by its largest value."""
    got, wanted = dpnp.asnumpy(got), np.asarray(wanted)
    if got.shape != wanted.shape:
        return f"shape {got.shape}, not {wanted.shape}"
    if got.size == 0:
        return None
    if not np.all(np.isfinite(got)):
        return "not all of it is finite"
    error = np.max(np.abs(got - wanted)) / max(np.max(np.abs(wanted)), 1)
    most = np.finfo(dtype).eps * (100 + 10 * scale)
    return f"error {error:.3g}, most {most:.3g}" if error > most else None


def first(*results):
    """The first thing that is wrong."""
    return next((wrong for wrong in results if wrong), None)


def matrix(dtype, *shape, seed=7):
    """A random matrix, or a stack of them; whether its elements are complex is the type's to say."""
    generator = np.random.default_rng([seed, *shape])
    values = generator.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * generator.uniform(-1, 1, shape)
    return values.astype(dtype)


def well(dtype, n, batch=()):
    """A matrix that is far from singular."""
    return matrix(dtype, *batch, n, n) + (2 * np.sqrt(n) + 1) * np.eye(n, dtype=dtype)


def hermitian(dtype, n, batch=()):
    a = matrix(dtype, *batch, n, n)
    return (a + np.conj(np.swapaxes(a, -1, -2))) / 2


def positive(dtype, n, batch=()):
    a = matrix(dtype, *batch, n, n)
    return (a @ np.conj(np.swapaxes(a, -1, -2)) / max(n, 1) + np.eye(n)).astype(dtype)


def factors(n, dtype, a, batch=""):
    """The decompositions, each by what its factors make together."""
    d, x = dpnp.linalg, dpnp.array(a)

    def adjoint(m):
        return dpnp.conj(dpnp.swapaxes(m, -1, -2))

    def qr():
        q, r = d.qr(x)
        identity = np.broadcast_to(np.eye(n, dtype=dtype), a.shape)
        return first(
            close(q @ r, a, dtype, n),
            close(adjoint(q) @ q, identity, dtype, n),
            close(dpnp.tril(r, k=-1), 0 * a, dtype, 0),
        )

    def svd():
        u, s, v = d.svd(x)
        return first(
            close(u * s[..., None, :] @ v, a, dtype, 4 * n), close(s, np.linalg.svd(a, compute_uv=False), dtype, 4 * n)
        )

    case(f"qr{batch} {dtype} {n}", qr)
    case(f"svd{batch} {dtype} {n}", svd)
    case(f"singular values{batch} {dtype} {n}", lambda: close(
        d.svd(x, compute_uv=False), np.linalg.svd(a, compute_uv=False), dtype, 4 * n
    ))
    s = hermitian(dtype, n, a.shape[:-2])
    y = dpnp.array(s)

    def eigh():
        values, vectors = d.eigh(y)
        return first(
            close(y @ vectors, dpnp.asnumpy(vectors * values[..., None, :]), dtype, 10 * n),
            close(values, np.linalg.eigvalsh(s), dtype, 10 * n),
        )

    case(f"eigh{batch} {dtype} {n}", eigh)
    case(f"eigvalsh{batch} {dtype} {n}", lambda: close(d.eigvalsh(y), np.linalg.eigvalsh(s), dtype, 10 * n))
    p = positive(dtype, n, a.shape[:-2])
    case(f"cholesky{batch} {dtype} {n}", lambda: close(d.cholesky(dpnp.array(p)), np.linalg.cholesky(p), dtype, 10 * n))


def solvers(n, dtype, a, batch=""):
    d, x = dpnp.linalg, dpnp.array(a)
    b, many = matrix(dtype, *a.shape[:-1]), matrix(dtype, *a.shape[:-1], 3)
    case(f"solve{batch} {dtype} {n}", lambda: close(
        d.solve(x, dpnp.array(b[..., None] if batch else b)),
        np.linalg.solve(a, b[..., None] if batch else b), dtype, 10 * n,
    ))
    case(f"solve, many sides{batch} {dtype} {n}", lambda: close(
        d.solve(x, dpnp.array(many)), np.linalg.solve(a, many), dtype, 10 * n
    ))
    case(f"inv{batch} {dtype} {n}", lambda: close(d.inv(x), np.linalg.inv(a), dtype, 10 * n))

    def slogdet():
        (sign, log), (wanted_sign, wanted_log) = d.slogdet(x), np.linalg.slogdet(a)
        return first(close(sign, wanted_sign, dtype, 10 * n), close(log, wanted_log, dtype, 10 * n))

    case(f"slogdet{batch} {dtype} {n}", slogdet)
    if n <= 64:
        # Larger ones leave the range of the type.
        case(f"det{batch} {dtype} {n}", lambda: close(d.det(x / n), np.linalg.det(a / n), dtype, 10 * n))

    def lu_solve():
        lower_upper, pivots = lu.lu_factor(x)
        side = many if batch else b
        return close(lu.lu_solve((lower_upper, pivots), dpnp.array(side)), np.linalg.solve(a, side), dtype, 10 * n)

    case(f"lu_factor, lu_solve{batch} {dtype} {n}", lu_solve)


def single(n, dtype):
    """What has no batches, or is not for large matrices."""
    d, a, b = dpnp.linalg, matrix(dtype, n, n), matrix(dtype, n, n, seed=8)
    x, y = dpnp.array(a), dpnp.array(b)
    case(f"matmul {dtype} {n}", lambda: close(x @ y, a @ b, dtype, n))
    case(f"matmul, transposed {dtype} {n}", lambda: close(x.T @ y, a.T @ b, dtype, n))
    case(f"matrix by vector {dtype} {n}", lambda: close(x @ y[:, 0], a @ b[:, 0], dtype, n))
    case(f"dot {dtype} {n}", lambda: close(dpnp.vdot(x[0], y[0]), np.vdot(a[0], b[0]), dtype, n))
    case(f"matrix_power {dtype} {n}", lambda: close(
        d.matrix_power(x / n, 3), np.linalg.matrix_power(a / n, 3), dtype, n
    ))
    tall, side = matrix(dtype, n + 5, n), matrix(dtype, n + 5)
    case(f"lstsq {dtype} {n}", lambda: close(
        d.lstsq(dpnp.array(tall), dpnp.array(side), rcond=None)[0], np.linalg.lstsq(tall, side, rcond=None)[0],
        dtype, 1000 * n,
    ))
    if n <= 300:
        def eig():
            values, vectors = d.eig(x)
            return close(x @ vectors, dpnp.asnumpy(vectors * values), dtype, 100 * n)

        case(f"eig {dtype} {n}", eig)

        def eigvals():
            # Equal sets of values: the sums of their powers are those of the matrix.
            values = dpnp.asnumpy(d.eigvals(x))
            return first(
                close(dpnp.array(values.sum()), np.trace(a).astype(values.dtype), dtype, 100 * n),
                close(dpnp.array((values**2).sum() / n), (np.trace(a @ a) / n).astype(values.dtype), dtype, 100 * n),
            )

        case(f"eigvals {dtype} {n}", eigvals)


def linalg(sizes):
    for dtype in TYPES:
        for n in sizes:
            a = well(dtype, n)
            solvers(n, dtype, a)
            factors(n, dtype, a)
            single(n, dtype)
        for n in [n for n in sizes if n <= 300]:
            a = well(dtype, n, (3,))
            solvers(n, dtype, a, ", batch")
            factors(n, dtype, a, ", batch")


def fft(sizes):
    f, g = dpnp.fft, np.fft
    for dtype in TYPES:
        is_real = dtype in REAL
        for n in sizes:
            a = matrix(dtype, n)
            x = dpnp.array(a)
            case(f"fft {dtype} {n}", lambda: close(f.fft(x), g.fft(a), dtype, n))
            case(f"ifft {dtype} {n}", lambda: close(f.ifft(x), g.ifft(a), dtype, n))
            case(f"fft, there and back {dtype} {n}", lambda: close(f.ifft(f.fft(x)), a, dtype, n))
            if is_real:
                case(f"rfft {dtype} {n}", lambda: close(f.rfft(x), g.rfft(a), dtype, n))
                case(f"irfft {dtype} {n}", lambda: close(f.irfft(f.rfft(x), n), a, dtype, n))
            two = matrix(dtype, n, 6)
            y = dpnp.array(two)
            case(f"fft of columns {dtype} {n}", lambda: close(f.fft(y, axis=0), g.fft(two, axis=0), dtype, n))
            case(f"fft2 {dtype} {n}", lambda: close(f.fft2(y), g.fft2(two), dtype, n))
            case(f"ifft2 {dtype} {n}", lambda: close(f.ifft2(y), g.ifft2(two), dtype, n))
            if is_real:
                case(f"rfft2 {dtype} {n}", lambda: close(f.rfft2(y), g.rfft2(two), dtype, n))
                case(f"irfft2 {dtype} {n}", lambda: close(f.irfft2(f.rfft2(y), two.shape), two, dtype, n))
            if n <= 64:
                three = matrix(dtype, 3, n, 5)
                case(f"fftn {dtype} {n}", lambda: close(f.fftn(dpnp.array(three)), g.fftn(three), dtype, n))


# Each distribution of dpnp.random, with parameters, some of them in ranges that have an algorithm of their own.
DRAWS = {
    "beta": [(2.0, 3.0), (0.3, 0.4), (1.0, 0.5)],
    "binomial": [(20, 0.3), (1000, 0.7)],
    "chisquare": [(3,)],
    "exponential": [(1.5,)],
    "f": [(3.0, 7.0)],
    "gamma": [(0.4, 1.0), (1.0, 2.0), (4.5, 0.5)],
    "geometric": [(0.3,)],
    "gumbel": [(0.5, 2.0)],
    "hypergeometric": [(15, 10, 12)],
    "laplace": [(0.5, 2.0)],
    "logistic": [(0.5, 2.0)],
    "lognormal": [(0.5, 0.7)],
    "negative_binomial": [(5, 0.4)],
    "noncentral_chisquare": [(3.0, 1.5)],
    "normal": [(0.5, 2.0)],
    "pareto": [(3.0,)],
    "poisson": [(0.7,), (4.0,), (60.0,)],
    "power": [(2.5,)],
    "randint": [(-5, 1000)],
    "rayleigh": [(1.5,)],
    "standard_cauchy": [()],
    "standard_exponential": [()],
    "standard_gamma": [(2.5,)],
    "standard_normal": [()],
    "standard_t": [(4.0,)],
    "triangular": [(-1.0, 0.5, 2.0)],
    "uniform": [(-1.0, 3.0)],
    "vonmises": [(0.5, 2.0), (0.0, 0.2)],
    "wald": [(1.5, 2.0)],
    "weibull": [(1.7,)],
    "zipf": [(2.5,)],
}


def random(sizes, file):
    draws = {}

    def draw(name, values):
        def check():
            got = dpnp.asnumpy(values())
            draws[name] = got
            return None if got.size and np.all(np.isfinite(got.astype(float))) else "not all of it is finite"

        case(f"random {name}", check)

    for n in sizes:
        for name, all_parameters in DRAWS.items():
            for parameters in all_parameters:
                def values():
                    dpnp.random.seed(1234)
                    return getattr(dpnp.random, name)(*parameters, size=n)

                draw(f"{name}{parameters} {n}", values)
        state = dpnp.random.RandomState(77)
        for dtype in (dpnp.float32, dpnp.float64):
            draw(f"state, uniform {dtype.__name__} {n}", lambda: state.uniform(-1, 1, n, dtype=dtype))
            draw(f"state, normal {dtype.__name__} {n}", lambda: state.normal(1, 2, n, dtype=dtype))
        draw(f"state, randint {n}", lambda: state.randint(0, 1000, n))

    def multinomial():
        dpnp.random.seed(1234)
        return dpnp.random.multinomial(20, [0.2, 0.3, 0.5], size=64)

    draw("multinomial", multinomial)
    np.savez(file, **draws)


def programs():
    """Programs that dpctl makes by OpenCL on native handles."""
    import dpctl
    import dpctl.memory
    from dpctl import program

    queue = dpctl.SyclQueue()
    file = Path(dpctl.__file__).parent / "tests" / "input_files" / "multi_kernel.spv"

    def spirv():
        made = program.create_program_from_spirv(queue, file.read_bytes(), "")
        if not made.has_sycl_kernel("add") or made.has_sycl_kernel("no such kernel"):
            return "the program has other kernels"
        n = 1024
        memory = [dpctl.memory.MemoryUSMShared(4 * n, queue=queue) for _ in range(3)]
        a, b, c = (np.frombuffer(part, dtype=np.int32) for part in memory)
        a[:], b[:], c[:] = np.arange(n), 7, 0
        queue.submit(made.get_sycl_kernel("add"), memory, [n])
        queue.wait()
        return None if np.array_equal(c, a + b) else f"{c[:4]}"

    def source():
        text = "kernel void f(global int* a) { a[get_global_id(0)] = 7; }"
        try:
            made = program.create_program_from_source(queue, text)
        except program.SyclProgramCompilationError:
            # The CPU adapter has no compiler of OpenCL C. Whatever comes next works.
            return None if queue.sycl_device.sycl_platform.name == "oxur CPU" else "it was refused"
        return None if made.has_sycl_kernel("f") else "the program has no kernel"

    case("program of SPIR-V", spirv)
    case("program of OpenCL C", source)
    case("program of SPIR-V, again", spirv)


def main():
    groups, sizes, file = sys.argv[1].split(","), [int(size) for size in sys.argv[2].split(",")], sys.argv[3]
    if "linalg" in groups:
        linalg(sizes)
    if "fft" in groups:
        fft(sizes)
    if "random" in groups:
        random(sizes, file)
    if "programs" in groups:
        programs()
    print("end", flush=True)
    # What libraries do when the process ends is no part of this.
    os._exit(0)


main()
