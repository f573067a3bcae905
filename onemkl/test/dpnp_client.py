# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dpnp's linear algebra and Fourier transforms on the default device, against NumPy: the client whose calls of oneMKL matter most.

    dpnp_client.py [--large]    --large is for a real GPU
"""

import sys

import dpctl
import dpnp
import numpy as np

LARGE = "--large" in sys.argv
PRODUCTS = [(5, 6, 7), (1, 9, 1), (12, 3, 8)] + [(64, 64, 64), (129, 257, 65), (1000, 300, 200)] * LARGE
SQUARES = [3, 6] + [50, 400] * LARGE
BATCHES = [(4, 6, 6), (2, 2, 1, 1), (3, 19, 19)] + [(1000, 32, 32), (5, 70, 70), (3, 300, 300), (2, 600, 600)] * LARGE
TRANSFORMS = [(8,), (11,), (4, 6), (2, 5, 3)] + [(1000,), (1009,), (16, 48), (3, 5, 7)] * LARGE
TOLERANCE = {"e": 5e-3, "f": 2e-5, "F": 2e-5, "d": 1e-12, "D": 1e-12}

random = np.random.default_rng(0)
array = dpnp.array
counts = {"passed": 0, "failed": 0}


def report(name, problem=None):
    counts["failed" if problem else "passed"] += 1
    if problem:
        print(f"FAIL {name}: {problem}", flush=True)


def difference(found, expected, tolerance):
    """What is wrong with a result, if anything: arrays, or tuples of them."""
    found, expected = ([*value] if isinstance(value, tuple) else [value] for value in (found, expected))
    for one, other in zip(map(dpnp.asnumpy, found), expected, strict=True):
        if one.shape != np.shape(other):
            return f"the shape is {one.shape}, not {np.shape(other)}"
        largest = max(1, np.max(np.abs(other), initial=0))
        worst = np.max(np.abs(one - other), initial=0)
        if not worst <= tolerance * largest:
            return f"differs by {worst} of {largest}"
    return None


def check(name, work, expected, tolerance):
    try:
        report(name, difference(work(), expected, tolerance))
    except Exception as error:
        report(name, f"{type(error).__name__}: {error}")


def raises(name, work):
    try:
        work()
        report(name, "nothing is raised")
    except dpnp.linalg.LinAlgError:
        report(name)
    except Exception as error:
        report(name, f"{type(error).__name__}: {error}")


def numbers(shape, kind):
    values = random.standard_normal(shape)
    if kind in "FD":
        values = values + 1j * random.standard_normal(shape)
    return values.astype(kind)


def products(kind):
    tolerance = TOLERANCE[kind]
    wide = {"e": "f", "f": "d", "F": "D"}.get(kind, kind)
    for m, k, n in PRODUCTS:
        if kind == "e" and m == n == 1:
            continue  # dpnp has no dot of half numbers.
        x, y = numbers((m, k), kind), numbers((k, n), kind)
        expected = x.astype(wide) @ y.astype(wide)
        name = f"{kind} {m}x{k}x{n}"
        check(f"matmul {name}", lambda: dpnp.matmul(array(x), array(y)), expected, tolerance)
        check(f"matmul of transposes {name}", lambda: dpnp.matmul(array(x.T.copy()).T, array(y.T.copy()).T), expected, tolerance)
        check(f"matmul of columns {name}", lambda: dpnp.matmul(array(np.asfortranarray(x)), array(np.asfortranarray(y))), expected, tolerance)
    if kind == "e":
        return
    x, y, v = numbers((3, 4, 5, 6), kind), numbers((3, 4, 6, 2), kind), numbers(6, kind)
    a, b = x[0, 0], y[0, 0]
    for name, work, expected in (
        ("batch", lambda: dpnp.matmul(array(x), array(y)), x @ y),
        ("batch and one", lambda: dpnp.matmul(array(x), array(b)), x @ b),
        ("matrix and vector", lambda: dpnp.matmul(array(a), array(v)), a @ v),
        ("vector and matrix", lambda: dpnp.matmul(array(v), array(b)), v @ b),
        ("dot", lambda: dpnp.dot(array(v), array(v)), v @ v),
        ("vdot", lambda: dpnp.vdot(array(v), array(v)), np.vdot(v, v)),
        ("syrk", lambda: (lambda m: dpnp.matmul(m, m.T))(array(a)), a @ a.T),
        ("inner", lambda: dpnp.inner(array(a), array(a)), np.inner(a, a)),
        ("einsum", lambda: dpnp.einsum("abij,abjk->abik", array(x), array(y)), np.einsum("abij,abjk->abik", x, y)),
        ("tensordot", lambda: dpnp.tensordot(array(x), array(y), axes=([3], [2])), np.tensordot(x, y, axes=([3], [2]))),
        ("empty", lambda: dpnp.matmul(array(a[:, :0]), array(b[:0])), a[:, :0] @ b[:0]),
    ):
        check(f"{name} {kind}", work, expected, tolerance)


def solvers(kind):
    tolerance = TOLERANCE[kind] * 50
    linalg = dpnp.linalg
    for n in SQUARES:
        a, b = numbers((n, n), kind) + n * np.eye(n, dtype=kind), numbers((n, 4), kind)
        h = (a @ a.conj().T).astype(kind)
        tall = a[:, : n // 2 + 1].copy()

        def rebuilt(q, r):
            return dpnp.matmul(q, r)

        def from_eigenvectors():
            w, v = linalg.eigh(array(h))
            return dpnp.matmul(v * w, v.conj().T)

        for name, work, expected in (
            ("solve", lambda: linalg.solve(array(a), array(b)), np.linalg.solve(a, b)),
            ("solve for a vector", lambda: linalg.solve(array(a), array(b[:, 0].copy())), np.linalg.solve(a, b[:, 0])),
            ("inv", lambda: linalg.inv(array(a)), np.linalg.inv(a)),
            ("cholesky", lambda: linalg.cholesky(array(h)), np.linalg.cholesky(h)),
            ("cholesky upper", lambda: linalg.cholesky(array(h), upper=True), np.linalg.cholesky(h).conj().T),
            ("qr", lambda: rebuilt(*linalg.qr(array(tall))), tall),
            ("complete qr", lambda: rebuilt(*linalg.qr(array(tall), mode="complete")), tall),
            ("eigvalsh", lambda: linalg.eigvalsh(array(h)), np.linalg.eigvalsh(h)),
            ("eigh", from_eigenvectors, h),
        ):
            check(f"{name} {kind} {n}", work, expected, tolerance)
        for shape in ((n, n), (n + 3, n), (n, n + 3)):
            s = numbers(shape, kind)
            for full in (False, True):

                def from_svd():
                    u, w, v = linalg.svd(array(s), full_matrices=full)
                    k = min(shape)
                    return dpnp.matmul(u[:, :k] * w, v[:k])

                check(f"svd {kind} {shape} {full}", from_svd, s, tolerance)
            check(f"singular values {kind} {shape}", lambda: linalg.svd(array(s), compute_uv=False),
                  np.linalg.svd(s, compute_uv=False), tolerance)
    for shape in BATCHES:
        n = shape[-1]
        a, b = numbers(shape, kind) + n * np.eye(n, dtype=kind), numbers((*shape[:-1], 2), kind)
        h = (a @ a.conj().swapaxes(-1, -2)).astype(kind)
        tall = numbers((*shape[:-2], n + 3, n), kind)
        for name, work, expected in (
            ("solve", lambda: linalg.solve(array(a), array(b)), np.linalg.solve(a, b)),
            ("inv", lambda: linalg.inv(array(a)), np.linalg.inv(a)),
            ("cholesky", lambda: linalg.cholesky(array(h)), np.linalg.cholesky(h)),
            ("cholesky upper", lambda: linalg.cholesky(array(h), upper=True), np.linalg.cholesky(h).conj().swapaxes(-1, -2)),
            ("qr", lambda: dpnp.matmul(*linalg.qr(array(a))), a),
            ("qr of tall ones", lambda: dpnp.matmul(*linalg.qr(array(tall))), tall),
            ("r", lambda: linalg.qr(array(tall), mode="r"), np.linalg.qr(tall, mode="r")),
            ("complete q", lambda: (lambda q: dpnp.matmul(q.conj().swapaxes(-1, -2), q))(linalg.qr(array(tall), mode="complete")[0]),
             np.broadcast_to(np.eye(n + 3), (*shape[:-2], n + 3, n + 3))),
            ("svd", lambda: linalg.svd(array(a), compute_uv=False), np.linalg.svd(a, compute_uv=False)),
            ("eigvalsh", lambda: linalg.eigvalsh(array(h)), np.linalg.eigvalsh(h)),
        ):
            check(f"batch of {name} {kind} {shape}", work, expected, tolerance)
        if kind in "fd":  # That of complex numbers needs NVIDIA's mathematical functions.
            check(f"batch of det {kind} {shape}", lambda: linalg.det(array(a / n)), np.linalg.det(a / n), tolerance)
    a, b = numbers((9, 4), kind), numbers((9, 2), kind)
    check(f"lstsq {kind}", lambda: linalg.lstsq(array(a), array(b))[0], np.linalg.lstsq(a, b, rcond=None)[0], tolerance)
    one = np.eye(3, dtype=kind)
    raises(f"solve singular {kind}", lambda: linalg.solve(array(0 * one), array(one)))
    raises(f"inv singular {kind}", lambda: linalg.inv(array(0 * one)))
    raises(f"inv singular in a batch {kind}", lambda: linalg.inv(array(np.stack([one, 0 * one, one]))))
    raises(f"cholesky not positive {kind}", lambda: linalg.cholesky(array(-one)))
    raises(f"cholesky not positive in a batch {kind}", lambda: linalg.cholesky(array(np.stack([one, -one, one]))))


def transforms(kind):
    tolerance = TOLERANCE[kind]
    fft = dpnp.fft
    for shape in TRANSFORMS:
        x = numbers(shape, kind)
        cases = [
            ("fft", lambda: fft.fft(array(x)), np.fft.fft(x)),
            ("ifft", lambda: fft.ifft(array(x)), np.fft.ifft(x)),
            ("fftn", lambda: fft.fftn(array(x)), np.fft.fftn(x)),
            ("ifftn", lambda: fft.ifftn(array(x)), np.fft.ifftn(x)),
            ("fft along the first axis", lambda: fft.fft(array(x), axis=0), np.fft.fft(x, axis=0)),
            ("fft of columns", lambda: fft.fft(array(np.asfortranarray(x))), np.fft.fft(x)),
            ("fftn of columns", lambda: fft.fftn(array(np.asfortranarray(x))), np.fft.fftn(x)),
            ("fft of 13", lambda: fft.fft(array(x), n=13), np.fft.fft(x, n=13)),
        ]
        if kind in "fd":
            half = np.fft.rfft(x).astype({"f": "F", "d": "D"}[kind])
            half_n = np.fft.rfftn(x).astype(half.dtype)
            last, axes = shape[-1], range(len(shape))
            kept = array(half)
            cases += [
                ("rfft", lambda: fft.rfft(array(x)), np.fft.rfft(x)),
                ("rfftn", lambda: fft.rfftn(array(x)), np.fft.rfftn(x)),
                ("irfft", lambda: fft.irfft(kept, n=last), np.fft.irfft(half, n=last)),
                ("what irfft read", lambda: kept, half),
                ("irfftn", lambda: fft.irfftn(array(half_n), s=shape, axes=axes), np.fft.irfftn(half_n, s=shape, axes=axes)),
            ]
        for name, work, expected in cases:
            check(f"{name} {kind} {shape}", work, expected, tolerance)


def main():
    print(*dpctl.get_devices())
    for kind in "efdFD":
        products(kind)
        if kind != "e":
            solvers(kind)
            transforms(kind)
    print(f"{'failed' if counts['failed'] else 'pass'} {counts['passed']} passed, {counts['failed']} failed")
    return bool(counts["failed"])


if __name__ == "__main__":
    sys.exit(main())
