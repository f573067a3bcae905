// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LAPACK's functions on one matrix, of cuSOLVER.
#pragma once

#include "cusolver.hpp"

namespace oxur {

using oneapi::mkl::job;
using oneapi::mkl::jobsvd;
using std::int64_t;

// Throws for LAPACK's info.
[[noreturn]] inline void fail(Function function, int info) {
    const auto text = "info is " + std::to_string(info);
    if (info < 0) throw oneapi::mkl::invalid_argument("lapack", function.name, text);
    throw oneapi::mkl::lapack::computation_error(function.name, text, info);
}

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
// arguments, then itself.
template <class T, Text function, Text sizes, class... A>
void with_memory(Solver &solver, A... arguments) {
    std::size_t on_device = 0, on_host = 0;
    solver.call<sizes>(solver.params(), arguments..., data_type<T>, &on_device, &on_host);
    const auto device = solver.device_memory(on_device), host = solver.host_memory(on_host);
    solver.call<function>(solver.params(), arguments..., data_type<T>, device, on_device, host, on_host, solver.info_address());
    if (on_host) wait(solver.stream());
}

// The functions on one matrix. The solver has LAPACK's info afterwards.

template <class T>
void getrf(Solver &solver, int64_t m, int64_t n, T *a, int64_t lda, int64_t *pivots) {
    std::size_t on_device = 0, on_host = 0;
    const auto params = solver.params();
    const auto matrix = static_cast<void *>(a);
    solver.call<"cusolverDnXgetrf_bufferSize">(params, m, n, data_type<T>, static_cast<const void *>(a), lda, data_type<T>,
                                               &on_device, &on_host);
    const auto device = solver.device_memory(on_device), host = solver.host_memory(on_host);
    solver.call<"cusolverDnXgetrf">(params, m, n, data_type<T>, matrix, lda, pivots, data_type<T>, device, on_device, host,
                                    on_host, solver.info_address());
}

template <class T>
void getrs(Solver &solver, transpose trans, int64_t n, int64_t nrhs, const T *a, int64_t lda, const int64_t *pivots, T *b,
          int64_t ldb) {
    solver.call<"cusolverDnXgetrs">(solver.params(), native(trans), n, nrhs, data_type<T>, static_cast<const void *>(a), lda,
                                    pivots, data_type<T>, static_cast<void *>(b), ldb, solver.info_address());
}

// One that is singular is not solved.
template <class T>
void gesv(Solver &solver, int64_t n, int64_t nrhs, T *a, int64_t lda, int64_t *pivots, T *b, int64_t ldb) {
    getrf(solver, n, n, a, lda, pivots);
    if (const auto info = solver.info()) fail(solver.function(), info);
    getrs<T>(solver, transpose::nontrans, n, nrhs, a, lda, pivots, b, ldb);
}

// cuSOLVER does not invert: the factors solve for the columns of the identity.
template <class T>
void getri(Solver &solver, int64_t n, T *a, int64_t lda, const int64_t *pivots) {
    if (n == 0) return;
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
    getrs<T>(solver, transpose::nontrans, n, n, factors, lda, pivots, a, lda);
}

template <class T>
void potrf(Solver &solver, uplo part, int64_t n, T *a, int64_t lda) {
    with_memory<T, "cusolverDnXpotrf", "cusolverDnXpotrf_bufferSize">(solver, native(part), n, data_type<T>,
                                                                      static_cast<void *>(a), lda);
}

template <class T>
void potrs(Solver &solver, uplo part, int64_t n, int64_t nrhs, const T *a, int64_t lda, T *b, int64_t ldb) {
    solver.call<"cusolverDnXpotrs">(solver.params(), native(part), n, nrhs, data_type<T>, static_cast<const void *>(a), lda,
                                    data_type<T>, static_cast<void *>(b), ldb, solver.info_address());
}

template <class T>
void geqrf(Solver &solver, int64_t m, int64_t n, T *a, int64_t lda, T *tau) {
    with_memory<T, "cusolverDnXgeqrf", "cusolverDnXgeqrf_bufferSize">(
        solver, m, n, data_type<T>, static_cast<void *>(a), lda, data_type<T>, static_cast<void *>(tau));
}

// cuSOLVER's has 32-bit sizes only.
template <class T, Text function, Text sizes>
void orgqr(Solver &solver, int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau) {
    const auto fits = [](int64_t value) { return value <= std::numeric_limits<int>::max(); };
    if (!fits(m) || !fits(lda)) throw oneapi::mkl::unimplemented("lapack", solver.function().name, "more than 2^31 rows");
    int count = 0;
    const auto im = int(m), in = int(n), ik = int(k), ilda = int(lda);
    solver.call<sizes>(im, in, ik, static_cast<const T *>(a), ilda, tau, &count);
    const auto memory = static_cast<T *>(solver.device_memory(count * sizeof(T)));
    solver.call<function>(im, in, ik, a, ilda, tau, memory, count, solver.info_address());
}

inline void orgqr(Solver &s, int64_t m, int64_t n, int64_t k, float *a, int64_t lda, const float *tau) {
    orgqr<float, "cusolverDnSorgqr", "cusolverDnSorgqr_bufferSize">(s, m, n, k, a, lda, tau);
}
inline void orgqr(Solver &s, int64_t m, int64_t n, int64_t k, double *a, int64_t lda, const double *tau) {
    orgqr<double, "cusolverDnDorgqr", "cusolverDnDorgqr_bufferSize">(s, m, n, k, a, lda, tau);
}
inline void orgqr(Solver &s, int64_t m, int64_t n, int64_t k, cfloat *a, int64_t lda, const cfloat *tau) {
    orgqr<cfloat, "cusolverDnCungqr", "cusolverDnCungqr_bufferSize">(s, m, n, k, a, lda, tau);
}
inline void orgqr(Solver &s, int64_t m, int64_t n, int64_t k, cdouble *a, int64_t lda, const cdouble *tau) {
    orgqr<cdouble, "cusolverDnZungqr", "cusolverDnZungqr_bufferSize">(s, m, n, k, a, lda, tau);
}

template <class T>
void syevd(Solver &solver, job vectors, uplo part, int64_t n, T *a, int64_t lda, Real<T> *w) {
    with_memory<T, "cusolverDnXsyevd", "cusolverDnXsyevd_bufferSize">(
        solver, int(vectors), native(part), n, data_type<T>, static_cast<void *>(a), lda, data_type<Real<T>>,
            static_cast<void *>(w));
}

inline signed char letter_of(jobsvd value) { return "NAOS"[int(value)]; }

template <class T>
void gesvd_call(Solver &solver, jobsvd ju, jobsvd jvt, int64_t m, int64_t n, T *a, int64_t lda, Real<T> *s, T *u, int64_t ldu,
                T *vt, int64_t ldvt) {
    with_memory<T, "cusolverDnXgesvd", "cusolverDnXgesvd_bufferSize">(
        solver, letter_of(ju), letter_of(jvt), m, n, data_type<T>, static_cast<void *>(a), lda, data_type<Real<T>>,
        static_cast<void *>(s), data_type<T>, static_cast<void *>(u), ldu, data_type<T>, static_cast<void *>(vt), ldvt);
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
void gesvd(Solver &solver, jobsvd ju, jobsvd jvt, int64_t m, int64_t n, T *a, int64_t lda, Real<T> *s, T *u, int64_t ldu, T *vt,
          int64_t ldvt) {
    if (ju == jobsvd::vectorsina || jvt == jobsvd::vectorsina) {
        throw oneapi::mkl::unimplemented("lapack", "gesvd", "vectors in place of the matrix");
    }
    if (m == 0 || n == 0) return;
    if (m >= n) return gesvd_call(solver, ju, jvt, m, n, a, lda, s, u, ldu, vt, ldvt);
    const auto function = solver.function();
    const int64_t v_columns = jvt == jobsvd::vectors ? n : jvt == jobsvd::somevec ? m : 0;
    const int64_t u_columns = ju == jobsvd::novec ? 0 : m;
    Temporary<T> tall(n * m, function), v(n * v_columns, function), ut(m * m, function);
    adjoint(solver, n, m, a, lda, tall.data(), n);
    gesvd_call(solver, jvt, ju, n, m, tall.data(), n, s, v.data(), n, ut.data(), m);
    if (v_columns) adjoint(solver, v_columns, n, v.data(), n, vt, ldvt);
    if (u_columns) adjoint(solver, m, u_columns, ut.data(), m, u, ldu);
    wait(solver.stream()); // It has the temporary memory.
}

inline void require(bool condition, Function function, const char *what) {
    if (!condition) throw oneapi::mkl::invalid_argument("lapack", function.name, what);
}

inline void require_scratchpad(int64_t size, Function function) { require(size >= 1, function, "the scratchpad is empty"); }

} // namespace oxur

// The types of LAPACK's functions.
#define FOR_REALS(F) F(float) F(double)
#define FOR_COMPLEX(F) F(std::complex<float>) F(std::complex<double>)
#define FOR_ALL(F) FOR_REALS(F) FOR_COMPLEX(F)

// The parameters of a function of oneMKL between the queue and the scratchpad are in parentheses.
#define PARENTHESES(...) __VA_ARGS__
