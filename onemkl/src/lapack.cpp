// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneMKL's LAPACK on cuSOLVER: the functions on USM that clients import. lapack_batch.cpp has those on batches.
//
// oneMKL tells the caller of a function whether it failed (a singular matrix). So the caller waits for the stream where that depends
// on the matrix. Working memory is ours: the scratchpads of clients are not used, and need only not be empty.
#include "lapack.hpp"

namespace oxur {
namespace {

// Submits a function on one matrix, which may fail.
template <class F>
sycl::event single(sycl::queue &queue, const Events &dependencies, Function function, F work) {
    return submit(queue, dependencies, function, [=](Stream stream) {
        Solver solver(stream, function);
        work(solver);
        if (const auto info = solver.info()) fail(function, info);
    });
}

// Submits one that says itself that it failed, or of which cuSOLVER tells nothing but that arguments are bad, and that at once.
template <class F>
sycl::event sure(sycl::queue &queue, const Events &dependencies, Function function, F work) {
    return submit(queue, dependencies, function, [=](Stream stream) {
        Solver solver(stream, function);
        work(solver);
    });
}

} // namespace
} // namespace oxur

namespace oneapi::mkl::lapack {

using namespace oxur;
using std::int64_t;

// A function of oneMKL by how it is submitted, its parameters between the queue and the scratchpad, and the call that it is.
#define SUBMIT(how, T, name, parameters, call)                                                                             \
    sycl::event name(sycl::queue &queue, PARENTHESES parameters, T *, int64_t size, const Events &dependencies) {          \
        constexpr Function function{"lapack", #name};                                                                      \
        require_scratchpad(size, function);                                                                                \
        return how(queue, dependencies, function, [=](Solver &solver) { oxur::call; });                                    \
    }
#define SINGLE(...) SUBMIT(single, __VA_ARGS__)
#define SURE(...) SUBMIT(sure, __VA_ARGS__)

#define FUNCTIONS(T)                                                                                                       \
    SINGLE(T, getrf, (int64_t m, int64_t n, T *a, int64_t lda, int64_t *pivots), getrf(solver, m, n, a, lda, pivots))      \
    SURE(T, getrs,                                                                                                         \
           (transpose trans, int64_t n, int64_t nrhs, const T *a, int64_t lda, const int64_t *pivots, T *b, int64_t ldb),  \
           getrs(solver, trans, n, nrhs, a, lda, pivots, b, ldb))                                                          \
    SURE(T, gesv, (int64_t n, int64_t nrhs, T *a, int64_t lda, int64_t *pivots, T *b, int64_t ldb),                        \
           gesv(solver, n, nrhs, a, lda, pivots, b, ldb))                                                                  \
    SURE(T, getri, (int64_t n, T *a, int64_t lda, const int64_t *pivots), getri(solver, n, a, lda, pivots))                \
    SINGLE(T, potrf, (uplo part, int64_t n, T *a, int64_t lda), potrf(solver, part, n, a, lda))                            \
    SURE(T, potrs, (uplo part, int64_t n, int64_t nrhs, const T *a, int64_t lda, T *b, int64_t ldb),                       \
           potrs(solver, part, n, nrhs, a, lda, b, ldb))                                                                   \
    SURE(T, geqrf, (int64_t m, int64_t n, T *a, int64_t lda, T *tau), geqrf(solver, m, n, a, lda, tau))                    \
    SINGLE(T, gesvd,                                                                                                       \
           (jobsvd ju, jobsvd jvt, int64_t m, int64_t n, T *a, int64_t lda, Real<T> *s, T *u, int64_t ldu, T *vt,          \
            int64_t ldvt),                                                                                                 \
           gesvd(solver, ju, jvt, m, n, a, lda, s, u, ldu, vt, ldvt))
FOR_ALL(FUNCTIONS)

// What has another name for complex numbers.
#define NAMED(T, or_un, sy_he)                                                                                             \
    SURE(T, or_un, (int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau), orgqr(solver, m, n, k, a, lda, tau)) \
    SINGLE(T, sy_he, (job vectors, uplo part, int64_t n, T *a, int64_t lda, Real<T> *w),                                   \
           syevd(solver, vectors, part, n, a, lda, w))
#define NAMED_REAL(T) NAMED(T, orgqr, syevd)
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
    ALL(potrs_batch, uplo, L7)                                                                                             \
    ALL(getrs_batch, transpose, L8)                                                                                        \
    REALS(orgqr, L4)                                                                                                       \
    REALS(orgqr_batch, L7)                                                                                                 \
    ALL(gels_batch, transpose, L8)                                                                                         \
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
