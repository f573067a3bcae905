// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneMKL's LAPACK on batches of matrices, `stride` elements apart. NVIDIA's batched functions have a block of the GPU or less for a
// matrix, so they are for many small ones: larger matrices are computed one by one. The host waits once for all of a batch, where a
// matrix may be singular, and else not at all.
#include <initializer_list>

#include "kernels.hpp"
#include "lapack.hpp"

namespace oxur {
namespace {

// From this size on a matrix keeps a GPU busy. NVIDIA says that its batched functions are for sizes where the time to launch
// matters.
constexpr int64_t large = 512;
// Reflections are applied to a column at a time, which a whole GPU does faster from this number of rows on.
constexpr int64_t large_qr = 256;
// Copies of the matrices of a batch take no more memory than that at once, or one matrix.
constexpr int64_t most_copied = int64_t(256) << 20;

bool fits(std::initializer_list<int64_t> sizes) { return std::max(sizes) <= std::numeric_limits<int>::max(); }

bool is_small(int64_t n, std::initializer_list<int64_t> sizes, int64_t count) { return count > 1 && n < large && fits(sizes); }

template <class F>
void one_by_one(Solver &solver, int64_t count, F work) {
    for (int64_t i = 0; i < count; ++i) {
        solver.matrix(i);
        work(i);
    }
}

// `work` on as many matrices as a call is for, of which each needs so many bytes: from the first, and how many.
template <class F>
void in_parts(Solver &solver, int64_t count, int64_t bytes, F work) {
    const auto most = std::clamp(most_copied / std::max<int64_t>(1, bytes), int64_t(1), most_matrices);
    for (int64_t first = 0; first < count; first += most) {
        solver.matrix(first);
        work(first, std::min(most, count - first));
    }
}

// What a function says to the host: whether an argument is bad.
void require_good(int info, Function function) {
    if (info) fail(function, info);
}

template <class T>
void getrf_batch(Solver &solver, int64_t m, int64_t n, T *a, int64_t lda, int64_t stride_a, int64_t *pivots, int64_t stride_pivots,
                 int64_t count) {
    if (m == 0 || n == 0) return;
    if (m != n || !is_small(n, {lda}, count)) {
        return one_by_one(solver, count, [&](int64_t i) { getrf(solver, m, n, a + i * stride_a, lda,
                                                                pivots + i * stride_pivots); });
    }
    const Kernels kernels(solver.stream());
    in_parts(solver, count, 0, [&](int64_t first, int64_t number) {
        const auto [matrices, narrow] = solver.device_arrays<T *, std::int32_t>(number, n * number);
        kernels.addresses(matrices, a + first * stride_a, stride_a, number);
        Cublas(solver.stream())
            .batched<T, "getrfBatched">(solver.function(), int(n), matrices, int(lda), narrow, solver.info_address(), int(number));
        kernels.widen(pivots + first * stride_pivots, stride_pivots, narrow, n, number);
    });
}

template <class T>
void getrs_batch(Solver &solver, transpose trans, int64_t n, int64_t nrhs, const T *a, int64_t lda, int64_t stride_a,
                 const int64_t *pivots, int64_t stride_pivots, T *b, int64_t ldb, int64_t stride_b, int64_t count) {
    if (n == 0 || nrhs == 0) return;
    if (!is_small(n, {nrhs, lda, ldb}, count)) {
        return one_by_one(solver, count, [&](int64_t i) {
            getrs(solver, trans, n, nrhs, a + i * stride_a, lda, pivots + i * stride_pivots, b + i * stride_b, ldb);
        });
    }
    const Kernels kernels(solver.stream());
    in_parts(solver, count, 0, [&](int64_t first, int64_t number) {
        const auto [factors, sides, narrow] = solver.device_arrays<const T *, T *, std::int32_t>(number, number, n * number);
        kernels.addresses(factors, a + first * stride_a, stride_a, number);
        kernels.addresses(sides, b + first * stride_b, stride_b, number);
        kernels.narrow(narrow, pivots + first * stride_pivots, stride_pivots, n, number);
        int info = 0;
        Cublas(solver.stream())
            .batched<T, "getrsBatched">(solver.function(), native(trans), int(n), int(nrhs), factors, int(lda), narrow, sides,
                                        int(ldb), &info, int(number));
        require_good(info, solver.function());
    });
}

// cuBLAS inverts out of place.
template <class T>
void getri_batch(Solver &solver, int64_t n, T *a, int64_t lda, int64_t stride_a, const int64_t *pivots, int64_t stride_pivots,
                 int64_t count) {
    if (n == 0) return;
    if (!is_small(n, {lda}, count)) {
        return one_by_one(solver, count, [&](int64_t i) { getri(solver, n, a + i * stride_a, lda, pivots + i * stride_pivots); });
    }
    const Kernels kernels(solver.stream());
    in_parts(solver, count, n * n * sizeof(T), [&](int64_t first, int64_t number) {
        const auto [copies, factors, inverses, narrow] =
            solver.device_arrays<T, T *, T *, std::int32_t>(n * n * number, number, number, n * number);
        const auto from = a + first * stride_a;
        kernels.copy<T>({copies, n, n * n}, {from, lda, stride_a}, n, n, number, Kernels::all);
        kernels.addresses(factors, copies, n * n, number);
        kernels.addresses(inverses, from, stride_a, number);
        kernels.narrow(narrow, pivots + first * stride_pivots, stride_pivots, n, number);
        Cublas(solver.stream())
            .batched<T, "getriBatched">(solver.function(), int(n), factors, int(n), narrow, inverses, int(lda),
                                        solver.info_address(), int(number));
    });
}

// cuSOLVER writes to the other triangle, too, which is not oneMKL's to write. So it gets copies.
template <class T>
void potrf_batch(Solver &solver, uplo part, int64_t n, T *a, int64_t lda, int64_t stride_a, int64_t count) {
    if (n == 0) return;
    if (!is_small(n, {lda}, count)) {
        return one_by_one(solver, count, [&](int64_t i) { potrf(solver, part, n, a + i * stride_a, lda); });
    }
    const Kernels kernels(solver.stream());
    in_parts(solver, count, n * n * sizeof(T), [&](int64_t first, int64_t number) {
        const auto [copies, matrices] = solver.device_arrays<T, T *>(n * n * number, number);
        const auto place = a + first * stride_a;
        kernels.copy<T>({copies, n, n * n}, {place, lda, stride_a}, n, n, number, Kernels::all);
        kernels.addresses(matrices, copies, n * n, number);
        solver.typed<T, "potrfBatched">(native(part), int(n), matrices, int(n), solver.info_address(), int(number));
        kernels.copy<T>({place, lda, stride_a}, {copies, n, n * n}, n, n, number,
                        part == uplo::upper ? Kernels::upper : Kernels::lower);
    });
}

// cuSOLVER's batches of these have one right side. cuBLAS solves for both factors.
template <class T>
void potrs_batch(Solver &solver, uplo part, int64_t n, int64_t nrhs, const T *a, int64_t lda, int64_t stride_a, T *b, int64_t ldb,
                 int64_t stride_b, int64_t count) {
    if (n == 0 || nrhs == 0) return;
    if (!is_small(n, {nrhs, lda, ldb}, count)) {
        return one_by_one(solver, count,
                          [&](int64_t i) { potrs(solver, part, n, nrhs, a + i * stride_a, lda, b + i * stride_b, ldb); });
    }
    const Kernels kernels(solver.stream());
    const T one(1);
    const auto adjoint = is_complex<T> ? transpose::conjtrans : transpose::trans;
    in_parts(solver, count, 0, [&](int64_t first, int64_t number) {
        const auto [factors, sides] = solver.device_arrays<const T *, T *>(number, number);
        kernels.addresses(factors, a + first * stride_a, stride_a, number);
        kernels.addresses(sides, b + first * stride_b, stride_b, number);
        Cublas cublas(solver.stream());
        for (const bool last : {false, true}) {
            const auto trans = last == (part == uplo::lower) ? adjoint : transpose::nontrans;
            cublas.batched<T, "trsmBatched">(solver.function(), native(side::left), native(part), native(trans),
                                             native(diag::nonunit),
                                             int(n), int(nrhs), &one, factors, int(lda), sides, int(ldb), int(number));
        }
    });
}

template <class T>
void geqrf_batch(Solver &solver, int64_t m, int64_t n, T *a, int64_t lda, int64_t stride_a, T *tau, int64_t stride_tau,
                 int64_t count) {
    if (m == 0 || n == 0) return;
    if (m > large_qr || count < std::max<int64_t>(2, m / 16) || !fits({n, lda})) {
        return one_by_one(solver, count, [&](int64_t i) { geqrf(solver, m, n, a + i * stride_a, lda, tau + i * stride_tau); });
    }
    const Kernels kernels(solver.stream());
    in_parts(solver, count, 0, [&](int64_t first, int64_t number) {
        const auto [matrices, factors] = solver.device_arrays<T *, T *>(number, number);
        kernels.addresses(matrices, a + first * stride_a, stride_a, number);
        kernels.addresses(factors, tau + first * stride_tau, stride_tau, number);
        int info = 0;
        Cublas(solver.stream())
            .batched<T, "geqrfBatched">(solver.function(), int(m), int(n), matrices, int(lda), factors, &info, int(number));
        require_good(info, solver.function());
    });
}

// C = alpha op(A) B + beta C, of batches.
template <class T>
void multiply(Solver &solver, transpose trans_a, transpose trans_b, int64_t m, int64_t n, int64_t k, T alpha,
              Kernels::Matrices<const T> a, Kernels::Matrices<const T> b, T beta, Kernels::Matrices<T> c, int64_t count) {
    constexpr int compute = std::is_same_v<Real<T>, float> ? 68 : 70; // CUBLAS_COMPUTE_32F, _64F
    const auto address = [](const auto *data) { return static_cast<const void *>(data); };
    const auto stride = [](int64_t elements) { return static_cast<long long>(elements); };
    Cublas(solver.stream())
        .call<"cublasGemmStridedBatchedEx_64">(solver.function(), native(trans_a), native(trans_b), m, n, k, address(&alpha),
                                               address(a.data), data_type<T>, a.ld, stride(a.stride), address(b.data), data_type<T>,
                                               b.ld, stride(b.stride), address(&beta), static_cast<void *>(c.data), data_type<T>,
                                                   c.ld, stride(c.stride), count, compute, -1);
}

// NVIDIA has no batches of these. The product of k reflections is I - V T V', where the columns of V are their vectors, and the
// inverse of T is the upper triangle of V' V, with 1 / tau in its diagonal (Joffrain and others, "Accumulating Householder
// transformations, revisited", 2006). So the first columns of it are those of I - Y V', where Y solves Y T^-1 = V.
template <class T>
void orgqr_batch(Solver &solver, int64_t m, int64_t n, int64_t k, T *a, int64_t lda, int64_t stride_a, const T *tau,
                 int64_t stride_tau, int64_t count) {
    if (n == 0) return;
    if (!is_small(k, {m}, count) || m * n >= most_elements) {
        return one_by_one(solver, count, [&](int64_t i) { orgqr(solver, m, n, k, a + i * stride_a, lda, tau + i * stride_tau); });
    }
    const Kernels kernels(solver.stream());
    const auto adjoint = is_complex<T> ? transpose::conjtrans : transpose::trans;
    const T one(1), zero(0);
    in_parts(solver, count, (2 * m + k) * k * sizeof(T), [&](int64_t first, int64_t number) {
        const Kernels::Matrices<T> q{a + first * stride_a, lda, stride_a};
        if (k == 0) return kernels.identity(q, m, n, number);
        const auto [v, y, inverse, inverses, sides] =
            solver.device_arrays<T, T, T, const T *, T *>(m * k * number, m * k * number, k * k * number, number, number);
        const auto taus = tau + first * stride_tau;
        const Kernels::Matrices<const T> vectors{v, m, m * k};
        kernels.reflectors<T>(v, {q.data, lda, stride_a}, taus, stride_tau, m, k, number);
        copy(y, v, m * k * number * sizeof(T), solver.stream());
        multiply<T>(solver, adjoint, transpose::nontrans, k, k, m, one, vectors, vectors, zero, {inverse, k, k * k}, number);
        kernels.reciprocals(inverse, taus, stride_tau, k, number);
        kernels.addresses(inverses, inverse, k * k, number);
        kernels.addresses(sides, y, m * k, number);
        Cublas(solver.stream())
            .batched<T, "trsmBatched">(solver.function(), native(side::right), native(uplo::upper), native(transpose::nontrans),
                                       native(diag::nonunit), int(m), int(k), &one, inverses, int(k), sides, int(m), int(number));
        kernels.identity(q, m, n, number);
        multiply<T>(solver, transpose::nontrans, adjoint, m, n, k, T(-1), {y, m, m * k}, vectors, one, q, number);
    });
}

// Least squares for matrices with at least as many rows as columns: all that cuBLAS has.
template <class T>
void gels_batch(Solver &solver, transpose trans, int64_t m, int64_t n, int64_t nrhs, T *a, int64_t lda, int64_t stride_a, T *b,
                int64_t ldb, int64_t stride_b, int64_t count) {
    if (trans != transpose::nontrans || m < n || !fits({m, nrhs, lda, ldb})) {
        throw oneapi::mkl::unimplemented("lapack", "gels_batch", "a transpose, fewer rows than columns, or more than 2^31 rows");
    }
    if (n == 0 || nrhs == 0) return;
    const Kernels kernels(solver.stream());
    in_parts(solver, count, 0, [&](int64_t first, int64_t number) {
        const auto [matrices, sides] = solver.device_arrays<T *, T *>(number, number);
        kernels.addresses(matrices, a + first * stride_a, stride_a, number);
        kernels.addresses(sides, b + first * stride_b, stride_b, number);
        int info = 0;
        Cublas(solver.stream())
            .batched<T, "gelsBatched">(solver.function(), native(trans), int(m), int(n), int(nrhs), matrices, int(lda), sides,
                                       int(ldb), &info, solver.info_address(), int(number));
        require_good(info, solver.function());
    });
}

// Submission

// Submits a function on many matrices, of which each may fail. All are tried.
template <class F>
sycl::event may_fail(sycl::queue &queue, const Events &dependencies, Function function, int64_t count, F work) {
    return submit(queue, dependencies, function, [=](Stream stream) {
        if (count == 0) return;
        Solver solver(stream, function, count);
        work(solver);
        std::vector<int64_t> ids;
        std::vector<std::exception_ptr> exceptions;
        const auto infos = solver.infos();
        for (int64_t i = 0; i < count; ++i) {
            if (infos[i] == 0) continue;
            try {
                fail(function, infos[i]);
            } catch (const oneapi::mkl::lapack::computation_error &) {
                ids.push_back(i);
                exceptions.push_back(std::current_exception());
            }
        }
        if (!ids.empty()) {
            const auto text = std::to_string(ids.size()) + " of " + std::to_string(count) + " matrices failed";
            throw oneapi::mkl::lapack::batch_error(function.name, text, ids, exceptions);
        }
    });
}

// Submits one that fails for bad arguments only, of which NVIDIA's libraries tell at once.
template <class F>
sycl::event sure(sycl::queue &queue, const Events &dependencies, Function function, int64_t count, F work) {
    return submit(queue, dependencies, function, [=](Stream stream) {
        if (count == 0) return;
        Solver solver(stream, function, count);
        work(solver);
    });
}

// Matrices as they are stored: rows, and the leading dimension.
using Stored = std::pair<int64_t, int64_t>;

void require_sizes(Function function, std::initializer_list<int64_t> sizes, std::initializer_list<Stored> stored) {
    require(std::min(sizes) >= 0, function, "a size or the number of matrices is negative");
    for (const auto &[rows, ld] : stored) require(ld >= std::max<int64_t>(1, rows), function, "a leading dimension is too small");
}

} // namespace
} // namespace oxur

namespace oneapi::mkl::lapack {

using namespace oxur;
using std::int64_t;

// A function of oneMKL by how it is submitted, its parameters between the queue and the number of matrices, those parameters by
// their names, its sizes, and how its matrices are stored.
#define BATCH(how, T, name, ours, parameters, names, sizes, stored)                                                        \
    sycl::event name(sycl::queue &queue, PARENTHESES parameters, int64_t count, T *, int64_t size,                         \
                     const Events &dependencies) {                                                                         \
        constexpr Function function{"lapack", #name};                                                                      \
        require_scratchpad(size, function);                                                                                \
        require_sizes(function, {count, PARENTHESES sizes}, {PARENTHESES stored});                                         \
        return how(queue, dependencies, function, count,                                                                   \
                   [=](Solver &solver) { oxur::ours(solver, PARENTHESES names, count); });                                 \
    }

#define FUNCTIONS(T)                                                                                                       \
    BATCH(may_fail, T, getrf_batch, getrf_batch,                                                                           \
          (int64_t m, int64_t n, T *a, int64_t lda, int64_t stride_a, int64_t *pivots, int64_t stride_pivots),             \
          (m, n, a, lda, stride_a, pivots, stride_pivots), (m, n), (Stored(m, lda)))                                       \
    BATCH(sure, T, getrs_batch, getrs_batch,                                                                               \
          (transpose trans, int64_t n, int64_t nrhs, const T *a, int64_t lda, int64_t stride_a, const int64_t *pivots,     \
           int64_t stride_pivots, T *b, int64_t ldb, int64_t stride_b),                                                    \
          (trans, n, nrhs, a, lda, stride_a, pivots, stride_pivots, b, ldb, stride_b), (n, nrhs),                          \
          (Stored(n, lda), Stored(n, ldb)))                                                                                \
    BATCH(may_fail, T, getri_batch, getri_batch,                                                                           \
          (int64_t n, T *a, int64_t lda, int64_t stride_a, const int64_t *pivots, int64_t stride_pivots),                  \
          (n, a, lda, stride_a, pivots, stride_pivots), (n), (Stored(n, lda)))                                             \
    BATCH(may_fail, T, potrf_batch, potrf_batch, (uplo part, int64_t n, T *a, int64_t lda, int64_t stride_a),              \
          (part, n, a, lda, stride_a), (n), (Stored(n, lda)))                                                              \
    BATCH(sure, T, potrs_batch, potrs_batch,                                                                               \
          (uplo part, int64_t n, int64_t nrhs, const T *a, int64_t lda, int64_t stride_a, T *b, int64_t ldb,               \
           int64_t stride_b),                                                                                              \
          (part, n, nrhs, a, lda, stride_a, b, ldb, stride_b), (n, nrhs), (Stored(n, lda), Stored(n, ldb)))                \
    BATCH(sure, T, geqrf_batch, geqrf_batch,                                                                               \
          (int64_t m, int64_t n, T *a, int64_t lda, int64_t stride_a, T *tau, int64_t stride_tau),                         \
          (m, n, a, lda, stride_a, tau, stride_tau), (m, n), (Stored(m, lda)))                                             \
    BATCH(may_fail, T, gels_batch, gels_batch,                                                                             \
          (transpose trans, int64_t m, int64_t n, int64_t nrhs, T *a, int64_t lda, int64_t stride_a, T *b, int64_t ldb,    \
           int64_t stride_b),                                                                                              \
          (trans, m, n, nrhs, a, lda, stride_a, b, ldb, stride_b), (m, n, nrhs),                                           \
          (Stored(m, lda), Stored(std::max(m, n), ldb)))
FOR_ALL(FUNCTIONS)

// What has another name for complex numbers.
#define NAMED(T, name)                                                                                                     \
    BATCH(sure, T, name, orgqr_batch,                                                                                      \
          (int64_t m, int64_t n, int64_t k, T *a, int64_t lda, int64_t stride_a, const T *tau, int64_t stride_tau),        \
          (m, n, k, a, lda, stride_a, tau, stride_tau), (m, n, k, m - n, n - k), (Stored(m, lda)))
#define NAMED_REAL(T) NAMED(T, orgqr_batch)
#define NAMED_COMPLEX(T) NAMED(T, ungqr_batch)
FOR_REALS(NAMED_REAL)
FOR_COMPLEX(NAMED_COMPLEX)

} // namespace oneapi::mkl::lapack
