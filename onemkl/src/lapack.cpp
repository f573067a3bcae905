// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneMKL's LAPACK on cuSOLVER: the functions on USM that clients import.
//
// oneMKL tells the caller of a function whether it failed (a singular matrix), so the caller waits for the stream. Working memory
// is ours: the scratchpads of clients are not used, and need only not be empty.
#include "cusolver.hpp"

namespace oxur {
namespace {

using oneapi::mkl::job;
using oneapi::mkl::jobsvd;
using std::int64_t;

template <class T>
struct RealOf {
    using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
    using type = T;
};
template <class T>
using Real = typename RealOf<T>::type;

// Calls a function of cuSOLVER that has working memory on the device and on the host: first what tells how much, with the same
// arguments, then itself, with arguments between those and the type that it computes in.
template <class T, Text function, Text sizes, class... A, class... B>
void with_memory(Solver &solver, std::tuple<A...> arguments, std::tuple<B...> more) {
    std::size_t on_device = 0, on_host = 0;
    std::apply(
        [&](auto... a) { solver.call<sizes>(solver.params(), a..., data_type<T>, &on_device, &on_host); }, arguments);
    const auto device = solver.device_memory(on_device), host = solver.host_memory(on_host);
    std::apply(
        [&](auto... a) {
            solver.call<function>(solver.params(), a..., data_type<T>, device, on_device, host, on_host, solver.info_address());
        },
        std::tuple_cat(arguments, more));
}

// The functions on one matrix. They return LAPACK's info.

template <class T>
int getrf(Solver &solver, int64_t m, int64_t n, T *a, int64_t lda, int64_t *pivots) {
    std::size_t on_device = 0, on_host = 0;
    const auto params = solver.params();
    const auto matrix = static_cast<void *>(a);
    solver.call<"cusolverDnXgetrf_bufferSize">(params, m, n, data_type<T>, static_cast<const void *>(a), lda, data_type<T>,
                                               &on_device, &on_host);
    const auto device = solver.device_memory(on_device), host = solver.host_memory(on_host);
    solver.call<"cusolverDnXgetrf">(params, m, n, data_type<T>, matrix, lda, pivots, data_type<T>, device, on_device, host,
                                    on_host, solver.info_address());
    return solver.info();
}

template <class T>
int getrs(Solver &solver, transpose trans, int64_t n, int64_t nrhs, const T *a, int64_t lda, const int64_t *pivots, T *b,
          int64_t ldb) {
    solver.call<"cusolverDnXgetrs">(solver.params(), native(trans), n, nrhs, data_type<T>, static_cast<const void *>(a), lda,
                                    pivots, data_type<T>, static_cast<void *>(b), ldb, solver.info_address());
    return solver.info();
}

template <class T>
int gesv(Solver &solver, int64_t n, int64_t nrhs, T *a, int64_t lda, int64_t *pivots, T *b, int64_t ldb) {
    const auto info = getrf(solver, n, n, a, lda, pivots);
    return info ? info : getrs<T>(solver, transpose::nontrans, n, nrhs, a, lda, pivots, b, ldb);
}

// cuSOLVER does not invert: the factors solve for the columns of the identity.
template <class T>
int getri(Solver &solver, int64_t n, T *a, int64_t lda, const int64_t *pivots) {
    if (n == 0) return 0;
    const auto bytes = ((n - 1) * lda + n) * sizeof(T);
    const auto factors = static_cast<T *>(solver.device_memory(bytes));
    const auto stream = solver.stream();
    copy(factors, a, bytes, stream);
    const auto address = reinterpret_cast<std::uintptr_t>(a);
    const auto fill = [](int status) {
        if (status) throw std::runtime_error("cuMemsetD2D returned " + std::to_string(status));
    };
    fill(driver("cuMemsetD2D8Async", address, std::size_t(lda) * sizeof(T), static_cast<unsigned char>(0),
                std::size_t(n) * sizeof(T), std::size_t(n), stream));
    // The diagonal's ones: the upper half of a double, all of a float.
    constexpr bool is_double = std::is_same_v<Real<T>, double>;
    fill(driver("cuMemsetD2D32Async", address + (is_double ? 4 : 0), std::size_t(lda + 1) * sizeof(T),
                is_double ? 0x3FF00000u : 0x3F800000u, std::size_t(1), std::size_t(n), stream));
    return getrs<T>(solver, transpose::nontrans, n, n, factors, lda, pivots, a, lda);
}

template <class T>
int potrf(Solver &solver, uplo part, int64_t n, T *a, int64_t lda) {
    with_memory<T, "cusolverDnXpotrf", "cusolverDnXpotrf_bufferSize">(
        solver, std::tuple{native(part), n, data_type<T>, static_cast<void *>(a), lda}, std::tuple{});
    return solver.info();
}

template <class T>
int potrs(Solver &solver, uplo part, int64_t n, int64_t nrhs, const T *a, int64_t lda, T *b, int64_t ldb) {
    solver.call<"cusolverDnXpotrs">(solver.params(), native(part), n, nrhs, data_type<T>, static_cast<const void *>(a), lda,
                                    data_type<T>, static_cast<void *>(b), ldb, solver.info_address());
    return solver.info();
}

template <class T>
int geqrf(Solver &solver, int64_t m, int64_t n, T *a, int64_t lda, T *tau) {
    with_memory<T, "cusolverDnXgeqrf", "cusolverDnXgeqrf_bufferSize">(
        solver, std::tuple{m, n, data_type<T>, static_cast<void *>(a), lda, data_type<T>, static_cast<void *>(tau)}, std::tuple{});
    return solver.info();
}

// cuSOLVER's has 32-bit sizes only.
template <class T, Text function, Text sizes>
int orgqr(Solver &solver, int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau) {
    const auto fits = [](int64_t value) { return value <= std::numeric_limits<int>::max(); };
    if (!fits(m) || !fits(lda)) throw oneapi::mkl::unimplemented("lapack", solver.function().name, "more than 2^31 rows");
    int count = 0;
    const auto im = int(m), in = int(n), ik = int(k), ilda = int(lda);
    solver.call<sizes>(im, in, ik, static_cast<const T *>(a), ilda, tau, &count);
    const auto memory = static_cast<T *>(solver.device_memory(count * sizeof(T)));
    solver.call<function>(im, in, ik, a, ilda, tau, memory, count, solver.info_address());
    return solver.info();
}

int orgqr(Solver &s, int64_t m, int64_t n, int64_t k, float *a, int64_t lda, const float *tau) {
    return orgqr<float, "cusolverDnSorgqr", "cusolverDnSorgqr_bufferSize">(s, m, n, k, a, lda, tau);
}
int orgqr(Solver &s, int64_t m, int64_t n, int64_t k, double *a, int64_t lda, const double *tau) {
    return orgqr<double, "cusolverDnDorgqr", "cusolverDnDorgqr_bufferSize">(s, m, n, k, a, lda, tau);
}
int orgqr(Solver &s, int64_t m, int64_t n, int64_t k, cfloat *a, int64_t lda, const cfloat *tau) {
    return orgqr<cfloat, "cusolverDnCungqr", "cusolverDnCungqr_bufferSize">(s, m, n, k, a, lda, tau);
}
int orgqr(Solver &s, int64_t m, int64_t n, int64_t k, cdouble *a, int64_t lda, const cdouble *tau) {
    return orgqr<cdouble, "cusolverDnZungqr", "cusolverDnZungqr_bufferSize">(s, m, n, k, a, lda, tau);
}

template <class T>
int syevd(Solver &solver, job vectors, uplo part, int64_t n, T *a, int64_t lda, Real<T> *w) {
    with_memory<T, "cusolverDnXsyevd", "cusolverDnXsyevd_bufferSize">(
        solver,
        std::tuple{int(vectors), native(part), n, data_type<T>, static_cast<void *>(a), lda, data_type<Real<T>>,
                   static_cast<void *>(w)},
        std::tuple{});
    return solver.info();
}

signed char letter_of(jobsvd value) { return "NAOS"[int(value)]; }

template <class T>
void gesvd_call(Solver &solver, jobsvd ju, jobsvd jvt, int64_t m, int64_t n, T *a, int64_t lda, Real<T> *s, T *u, int64_t ldu,
                T *vt, int64_t ldvt) {
    with_memory<T, "cusolverDnXgesvd", "cusolverDnXgesvd_bufferSize">(
        solver,
        std::tuple{letter_of(ju), letter_of(jvt), m, n, data_type<T>, static_cast<void *>(a), lda, data_type<Real<T>>,
                   static_cast<void *>(s), data_type<T>, static_cast<void *>(u), ldu, data_type<T>, static_cast<void *>(vt), ldvt},
        std::tuple{});
}

// Memory of the device for one call.
template <class T>
class Temporary {
    void *address_ = nullptr;

public:
    Temporary(int64_t count, Function function) {
        if (const auto status = driver("cuMemAlloc", &address_, std::max<std::size_t>(1, count * sizeof(T)))) {
            throw oneapi::mkl::device_bad_alloc("lapack", function.name, "cuMemAlloc returned " + std::to_string(status));
        }
    }
    ~Temporary() { driver("cuMemFree", address_); }
    Temporary(const Temporary &) = delete;
    T *data() const { return static_cast<T *>(address_); }
};

// to = from', conjugated: a matrix of rows × columns from its transpose.
template <class T>
void adjoint(Solver &solver, int64_t rows, int64_t columns, const T *from, int64_t ld_from, T *to, int64_t ld_to) {
    const T one(1), zero(0);
    const T *const nothing = to;
    Cublas cublas(solver.stream());
    cublas.typed<T, "geam", "", false>(solver.function(), native(is_complex<T> ? transpose::conjtrans : transpose::trans), 0, rows,
                                       columns, &one, from, ld_from, &zero, nothing, ld_to, to, ld_to);
}

// cuSOLVER needs m >= n. Of a wider matrix it gets the adjoint: A' = V S U'.
template <class T>
int gesvd(Solver &solver, jobsvd ju, jobsvd jvt, int64_t m, int64_t n, T *a, int64_t lda, Real<T> *s, T *u, int64_t ldu, T *vt,
          int64_t ldvt) {
    if (ju == jobsvd::vectorsina || jvt == jobsvd::vectorsina) {
        throw oneapi::mkl::unimplemented("lapack", "gesvd", "vectors in place of the matrix");
    }
    if (m == 0 || n == 0) return 0;
    if (m >= n) {
        gesvd_call(solver, ju, jvt, m, n, a, lda, s, u, ldu, vt, ldvt);
        return solver.info();
    }
    const auto function = solver.function();
    const int64_t v_columns = jvt == jobsvd::vectors ? n : jvt == jobsvd::somevec ? m : 0;
    const int64_t u_columns = ju == jobsvd::novec ? 0 : m;
    Temporary<T> tall(n * m, function), v(n * v_columns, function), ut(m * m, function);
    adjoint(solver, n, m, a, lda, tall.data(), n);
    gesvd_call(solver, jvt, ju, n, m, tall.data(), n, s, v.data(), n, ut.data(), m);
    if (v_columns) adjoint(solver, v_columns, n, v.data(), n, vt, ldvt);
    if (u_columns) adjoint(solver, m, u_columns, ut.data(), m, u, ldu);
    return solver.info();
}

// Least squares for one matrix with at least as many rows as columns: all that cuBLAS has.
template <class T, Text function>
int gels(Solver &solver, transpose trans, int64_t m, int64_t n, int64_t nrhs, T *a, int64_t lda, T *b, int64_t ldb) {
    if (trans != transpose::nontrans || m < n || std::max({m, lda, ldb, nrhs}) > std::numeric_limits<int>::max()) {
        throw oneapi::mkl::unimplemented("lapack", "gels_batch", "a transpose, fewer rows than columns, or more than 2^31 rows");
    }
    if (n == 0 || nrhs == 0) return 0;
    // cuBLAS takes the addresses of the matrices from the device.
    T *const addresses[] = {a, b};
    const auto on_device = static_cast<T **>(solver.device_memory(sizeof addresses));
    copy(on_device, addresses, sizeof addresses, solver.stream());
    int argument = 0;
    Cublas cublas(solver.stream());
    cublas.call<function>(solver.function(), native(trans), int(m), int(n), int(nrhs), on_device, int(lda), on_device + 1, int(ldb),
                          &argument, solver.info_address(), 1);
    return argument ? argument : solver.info();
}

int gels(Solver &s, transpose trans, int64_t m, int64_t n, int64_t nrhs, float *a, int64_t lda, float *b, int64_t ldb) {
    return gels<float, "cublasSgelsBatched">(s, trans, m, n, nrhs, a, lda, b, ldb);
}
int gels(Solver &s, transpose trans, int64_t m, int64_t n, int64_t nrhs, double *a, int64_t lda, double *b, int64_t ldb) {
    return gels<double, "cublasDgelsBatched">(s, trans, m, n, nrhs, a, lda, b, ldb);
}

// Submission

[[noreturn]] void fail(Function function, int info) {
    const auto text = "info is " + std::to_string(info);
    if (info < 0) throw oneapi::mkl::invalid_argument("lapack", function.name, text);
    throw oneapi::mkl::lapack::computation_error(function.name, text, info);
}

void require_scratchpad(int64_t size, Function function) {
    if (size < 1) throw oneapi::mkl::invalid_argument("lapack", function.name, "the scratchpad is empty");
}

// Submits a function on one matrix.
template <class F>
sycl::event single(sycl::queue &queue, const Events &dependencies, Function function, F work) {
    return submit(queue, dependencies, function, [=](Stream stream) {
        Solver solver(stream, function);
        const auto info = work(solver);
        if (info) fail(function, info);
    });
}

// Submits a function on each of many matrices. All are tried.
template <class F>
sycl::event batch(sycl::queue &queue, const Events &dependencies, Function function, int64_t count, F work) {
    return submit(queue, dependencies, function, [=](Stream stream) {
        Solver solver(stream, function);
        std::vector<int64_t> ids;
        std::vector<std::exception_ptr> exceptions;
        for (int64_t i = 0; i < count; ++i) {
            try {
                if (const auto info = work(solver, i)) fail(function, info);
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

} // namespace
} // namespace oxur

namespace oneapi::mkl::lapack {

using namespace oxur;
using std::int64_t;

#define FOR_REALS(F) F(float) F(double)
#define FOR_COMPLEX(F) F(std::complex<float>) F(std::complex<double>)
#define FOR_ALL(F) FOR_REALS(F) FOR_COMPLEX(F)

// A function of oneMKL by its parameters between the queue and the scratchpad, and the call that it is: on one matrix, or on each
// of many.
#define PARENTHESES(...) __VA_ARGS__

#define SINGLE(T, name, parameters, call)                                                                                  \
    sycl::event name(sycl::queue &queue, PARENTHESES parameters, T *, int64_t size, const Events &dependencies) {          \
        constexpr Function function{"lapack", #name};                                                                      \
        require_scratchpad(size, function);                                                                                \
        return single(queue, dependencies, function, [=](Solver &solver) { return oxur::call; });                          \
    }
#define BATCH(T, name, parameters, call)                                                                                   \
    sycl::event name(sycl::queue &queue, PARENTHESES parameters, int64_t count, T *, int64_t size,                         \
                     const Events &dependencies) {                                                                         \
        constexpr Function function{"lapack", #name};                                                                      \
        require_scratchpad(size, function);                                                                                \
        return batch(queue, dependencies, function, count, [=](Solver &solver, int64_t i) { return oxur::call; });         \
    }

#define FUNCTIONS(T)                                                                                                       \
    SINGLE(T, getrf, (int64_t m, int64_t n, T *a, int64_t lda, int64_t *pivots), getrf(solver, m, n, a, lda, pivots))      \
    SINGLE(T, getrs,                                                                                                       \
           (transpose trans, int64_t n, int64_t nrhs, const T *a, int64_t lda, const int64_t *pivots, T *b, int64_t ldb),  \
           getrs(solver, trans, n, nrhs, a, lda, pivots, b, ldb))                                                          \
    SINGLE(T, gesv, (int64_t n, int64_t nrhs, T *a, int64_t lda, int64_t *pivots, T *b, int64_t ldb),                      \
           gesv(solver, n, nrhs, a, lda, pivots, b, ldb))                                                                  \
    SINGLE(T, getri, (int64_t n, T *a, int64_t lda, const int64_t *pivots), getri(solver, n, a, lda, pivots))              \
    SINGLE(T, potrf, (uplo part, int64_t n, T *a, int64_t lda), potrf(solver, part, n, a, lda))                            \
    SINGLE(T, potrs, (uplo part, int64_t n, int64_t nrhs, const T *a, int64_t lda, T *b, int64_t ldb),                     \
           potrs(solver, part, n, nrhs, a, lda, b, ldb))                                                                   \
    SINGLE(T, geqrf, (int64_t m, int64_t n, T *a, int64_t lda, T *tau), geqrf(solver, m, n, a, lda, tau))                  \
    SINGLE(T, gesvd,                                                                                                       \
           (jobsvd ju, jobsvd jvt, int64_t m, int64_t n, T *a, int64_t lda, Real<T> *s, T *u, int64_t ldu, T *vt,          \
            int64_t ldvt),                                                                                                 \
           gesvd(solver, ju, jvt, m, n, a, lda, s, u, ldu, vt, ldvt))                                                      \
    BATCH(T, getrf_batch,                                                                                                  \
          (int64_t m, int64_t n, T *a, int64_t lda, int64_t stride_a, int64_t *pivots, int64_t stride_pivots),             \
          getrf(solver, m, n, a + i * stride_a, lda, pivots + i * stride_pivots))                                          \
    BATCH(T, getri_batch, (int64_t n, T *a, int64_t lda, int64_t stride_a, const int64_t *pivots, int64_t stride_pivots),  \
          getri(solver, n, a + i * stride_a, lda, pivots + i * stride_pivots))                                             \
    BATCH(T, potrf_batch, (uplo part, int64_t n, T *a, int64_t lda, int64_t stride_a),                                     \
          potrf(solver, part, n, a + i * stride_a, lda))                                                                   \
    BATCH(T, geqrf_batch, (int64_t m, int64_t n, T *a, int64_t lda, int64_t stride_a, T *tau, int64_t stride_tau),         \
          geqrf(solver, m, n, a + i * stride_a, lda, tau + i * stride_tau))                                                \
    BATCH(T, getrs_batch,                                                                                                  \
          (transpose trans, int64_t n, int64_t nrhs, const T *a, int64_t lda, int64_t stride_a, const int64_t *pivots,     \
           int64_t stride_pivots, T *b, int64_t ldb, int64_t stride_b),                                                    \
          getrs(solver, trans, n, nrhs, a + i * stride_a, lda, pivots + i * stride_pivots, b + i * stride_b, ldb))
FOR_ALL(FUNCTIONS)

// What has another name for complex numbers.
#define NAMED(T, or_un, sy_he)                                                                                             \
    SINGLE(T, or_un, (int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau),                                   \
           orgqr(solver, m, n, k, a, lda, tau))                                                                            \
    BATCH(T, or_un##_batch,                                                                                                \
          (int64_t m, int64_t n, int64_t k, T *a, int64_t lda, int64_t stride_a, const T *tau, int64_t stride_tau),        \
          orgqr(solver, m, n, k, a + i * stride_a, lda, tau + i * stride_tau))                                             \
    SINGLE(T, sy_he, (job vectors, uplo part, int64_t n, T *a, int64_t lda, Real<T> *w),                                   \
           syevd(solver, vectors, part, n, a, lda, w))
#define NAMED_REAL(T)                                                                                                      \
    NAMED(T, orgqr, syevd)                                                                                                 \
    BATCH(T, gels_batch,                                                                                                   \
          (transpose trans, int64_t m, int64_t n, int64_t nrhs, T *a, int64_t lda, int64_t stride_a, T *b, int64_t ldb,    \
           int64_t stride_b),                                                                                              \
          gels(solver, trans, m, n, nrhs, a + i * stride_a, lda, b + i * stride_b, ldb))
#define NAMED_COMPLEX(T) NAMED(T, ungqr, heevd)
FOR_REALS(NAMED_REAL)
FOR_COMPLEX(NAMED_COMPLEX)

// How large scratchpads have to be.
#define SIZE(name, ...)                                                                                                    \
    template <class T, class>                                                                                              \
    int64_t name##_scratchpad_size(sycl::queue &, __VA_ARGS__) {                                                           \
        return 1;                                                                                                          \
    }
#define L1 int64_t
#define L2 L1, L1
#define L3 L2, L1
#define L4 L3, L1
#define L5 L4, L1
#define L6 L5, L1
#define L7 L6, L1
#define L8 L7, L1
// Each with the types for which it exists.
#define SIZES(ALL, REALS, COMPLEX)                                                                                         \
    ALL(getrf, L3)                                                                                                         \
    ALL(getrs, transpose, L4)                                                                                              \
    ALL(gesv, L4)                                                                                                          \
    ALL(getri, L2)                                                                                                         \
    ALL(potrf, uplo, L2)                                                                                                   \
    ALL(potrs, uplo, L4)                                                                                                   \
    ALL(geqrf, L3)                                                                                                         \
    ALL(gesvd, jobsvd, jobsvd, L5)                                                                                         \
    ALL(getrf_batch, L6)                                                                                                   \
    ALL(getri_batch, L5)                                                                                                   \
    ALL(potrf_batch, uplo, L4)                                                                                             \
    ALL(geqrf_batch, L6)                                                                                                   \
    ALL(getrs_batch, transpose, L8)                                                                                        \
    REALS(orgqr, L4)                                                                                                       \
    REALS(orgqr_batch, L7)                                                                                                 \
    REALS(gels_batch, transpose, L8)                                                                                       \
    REALS(syevd, job, uplo, L2)                                                                                            \
    COMPLEX(ungqr, L4)                                                                                                     \
    COMPLEX(ungqr_batch, L7)                                                                                               \
    COMPLEX(heevd, job, uplo, L2)
SIZES(SIZE, SIZE, SIZE)

#define INSTANCE(T, name, ...) template int64_t name##_scratchpad_size<T, void *>(sycl::queue &, __VA_ARGS__);
#define REAL_INSTANCES(...) INSTANCE(float, __VA_ARGS__) INSTANCE(double, __VA_ARGS__)
#define COMPLEX_INSTANCES(...) INSTANCE(std::complex<float>, __VA_ARGS__) INSTANCE(std::complex<double>, __VA_ARGS__)
#define ALL_INSTANCES(...) REAL_INSTANCES(__VA_ARGS__) COMPLEX_INSTANCES(__VA_ARGS__)
SIZES(ALL_INSTANCES, REAL_INSTANCES, COMPLEX_INSTANCES)

} // namespace oneapi::mkl::lapack
