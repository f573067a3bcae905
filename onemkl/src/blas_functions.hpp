// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of BLAS in one layout: `row` says whether it is row-major. blas.cpp reads this in each layout's namespace.

#define SCALAR(T) value_or_pointer<T>

// Products

#define GEMM(Ta, Tb, Tc, Ts)                                                                                               \
    sycl::event gemm(sycl::queue &queue, transpose trans_a, transpose trans_b, int64_t m, int64_t n, int64_t k,            \
                     SCALAR(Ts) alpha, const Ta *a, int64_t lda, const Tb *b, int64_t ldb, SCALAR(Ts) beta, Tc *c,         \
                     int64_t ldc, compute_mode mode, const Events &dependencies) {                                         \
        const Product<Ta, Tb, Tc, Ts> product{trans_a, trans_b, m,    n, k,   alpha, a, lda, 0,                            \
                                              b,       ldb,     0, beta, c, ldc, 0,     1, mode};                          \
        return multiply(queue, dependencies, {"blas", "gemm"}, row ? product.row_major() : product);                       \
    }                                                                                                                      \
    sycl::event gemm_batch(sycl::queue &queue, transpose trans_a, transpose trans_b, int64_t m, int64_t n, int64_t k,      \
                           SCALAR(Ts) alpha, const Ta *a, int64_t lda, int64_t stride_a, const Tb *b, int64_t ldb,         \
                           int64_t stride_b, SCALAR(Ts) beta, Tc *c, int64_t ldc, int64_t stride_c, int64_t batch,         \
                           compute_mode mode, const Events &dependencies) {                                                \
        const Product<Ta, Tb, Tc, Ts> product{trans_a, trans_b, m,        n,    k, alpha, a,        lda,   stride_a,       \
                                              b,       ldb,     stride_b, beta, c, ldc,   stride_c, batch, mode};          \
        return multiply(queue, dependencies, {"blas", "gemm_batch"}, row ? product.row_major() : product);                 \
    }
GEMM(float, float, float, float)
GEMM(double, double, double, double)
GEMM(std::complex<float>, std::complex<float>, std::complex<float>, std::complex<float>)
GEMM(std::complex<double>, std::complex<double>, std::complex<double>, std::complex<double>)
GEMM(half, half, half, half)
GEMM(half, half, float, float)
GEMM(bfloat16, bfloat16, bfloat16, float)
GEMM(bfloat16, bfloat16, float, float)
GEMM(std::int8_t, std::int8_t, std::int32_t, float)
GEMM(std::int8_t, std::int8_t, float, float)
#undef GEMM

// A conjugate of a row-major matrix without a transpose is none of gemv's operations, but of a product with a row vector.
#define GEMV(T)                                                                                                            \
    sycl::event gemv(sycl::queue &queue, transpose trans, int64_t m, int64_t n, SCALAR(T) alpha, const T *a, int64_t lda,  \
                     const T *x, int64_t incx, SCALAR(T) beta, T *y, int64_t incy, const Events &dependencies) {           \
        constexpr Function function{"blas", "gemv"};                                                                       \
        require_matrix(row ? n : m, row ? m : n, lda, function, "a size is negative, or lda is too small");                \
        require(incx && incy, function, "an increment is 0");                                                              \
        if (row && trans == transpose::conjtrans && is_complex<T>) {                                                       \
            if (incx < 0 || incy < 0) throw unimplemented("blas", "gemv", "negative increments of a conjugate transpose"); \
            const Product<T, T, T, T> product{transpose::nontrans, transpose::conjtrans, 1, n, m, alpha, x, incx, 0,       \
                                              a, lda, 0, beta, y, incy, 0, 1, compute_mode{}};                             \
            return multiply(queue, dependencies, function, product);                                                       \
        }                                                                                                                  \
        if (row) {                                                                                                         \
            std::swap(m, n);                                                                                               \
            trans = other(trans);                                                                                          \
        }                                                                                                                  \
        return plain<T, "gemv">(queue, dependencies, function, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);        \
    }
FOR_ALL(GEMV)
#undef GEMV

#define SYRK(T)                                                                                                            \
    sycl::event syrk(sycl::queue &queue, uplo part, transpose trans, int64_t n, int64_t k, SCALAR(T) alpha, const T *a,    \
                     int64_t lda, SCALAR(T) beta, T *c, int64_t ldc, compute_mode, const Events &dependencies) {           \
        constexpr Function function{"blas", "syrk"};                                                                       \
        require(!is_complex<T> || trans != transpose::conjtrans, function, "syrk takes no conjugate transpose");           \
        if (row) {                                                                                                         \
            part = other(part);                                                                                            \
            trans = other(trans);                                                                                          \
        }                                                                                                                  \
        return plain<T, "syrk">(queue, dependencies, function, part, trans, n, k, alpha, a, lda, beta, c, ldc);            \
    }
FOR_ALL(SYRK)
#undef SYRK

#define HERK(T)                                                                                                            \
    sycl::event herk(sycl::queue &queue, uplo part, transpose trans, int64_t n, int64_t k, SCALAR(T::value_type) alpha,    \
                     const T *a, int64_t lda, SCALAR(T::value_type) beta, T *c, int64_t ldc, compute_mode,                 \
                     const Events &dependencies) {                                                                         \
        constexpr Function function{"blas", "herk"};                                                                       \
        require(trans != transpose::trans, function, "herk takes no transpose without a conjugate");                       \
        if (row) {                                                                                                         \
            part = other(part);                                                                                            \
            trans = trans == transpose::nontrans ? transpose::conjtrans : transpose::nontrans;                             \
        }                                                                                                                  \
        return plain<T, "herk">(queue, dependencies, function, part, trans, n, k, alpha, a, lda, beta, c, ldc);            \
    }
FOR_COMPLEX(HERK)
#undef HERK

#define TRSM(T)                                                                                                            \
    sycl::event trsm(sycl::queue &queue, side where, uplo part, transpose trans, diag unit, int64_t m, int64_t n,          \
                     SCALAR(T) alpha, const T *a, int64_t lda, T *b, int64_t ldb, compute_mode,                            \
                     const Events &dependencies) {                                                                         \
        if (row) {                                                                                                         \
            where = other(where);                                                                                          \
            part = other(part);                                                                                            \
            std::swap(m, n);                                                                                               \
        }                                                                                                                  \
        return plain<T, "trsm">(queue, dependencies, {"blas", "trsm"}, where, part, trans, unit, m, n, alpha, a, lda, b,   \
                                ldb);                                                                                      \
    }
FOR_ALL(TRSM)
#undef TRSM

// Vectors

#define VECTORS(T)                                                                                                         \
    sycl::event axpy(sycl::queue &queue, int64_t n, SCALAR(T) alpha, const T *x, int64_t incx, T *y, int64_t incy,         \
                     const Events &dependencies) {                                                                         \
        return plain<T, "axpy">(queue, dependencies, {"blas", "axpy"}, n, alpha, x, incx, y, incy);                        \
    }                                                                                                                      \
    sycl::event copy(sycl::queue &queue, int64_t n, const T *x, int64_t incx, T *y, int64_t incy,                          \
                     const Events &dependencies) {                                                                         \
        return plain<T, "copy">(queue, dependencies, {"blas", "copy"}, n, x, incx, y, incy);                               \
    }                                                                                                                      \
    sycl::event swap(sycl::queue &queue, int64_t n, T *x, int64_t incx, T *y, int64_t incy, const Events &dependencies) {  \
        return plain<T, "swap">(queue, dependencies, {"blas", "swap"}, n, x, incx, y, incy);                               \
    }                                                                                                                      \
    sycl::event scal(sycl::queue &queue, int64_t n, SCALAR(T) alpha, T *x, int64_t incx, const Events &dependencies) {     \
        return plain<T, "scal">(queue, dependencies, {"blas", "scal"}, n, alpha, x, incx);                                 \
    }
FOR_ALL(VECTORS)
#undef VECTORS

#define DOT(name, T)                                                                                                       \
    sycl::event name(sycl::queue &queue, int64_t n, const T *x, int64_t incx, const T *y, int64_t incy, T *result,         \
                     const Events &dependencies) {                                                                         \
        return plain<T, #name, "", true>(queue, dependencies, {"blas", #name}, n, x, incx, y, incy, result);               \
    }
DOT(dot, float)
DOT(dot, double)
DOT(dotu, std::complex<float>)
DOT(dotu, std::complex<double>)
DOT(dotc, std::complex<float>)
DOT(dotc, std::complex<double>)
#undef DOT

// The result is real: cuBLAS's names tell its type, too, where the vector is complex.
#define NORM(name, letters, T, Real)                                                                                       \
    sycl::event name(sycl::queue &queue, int64_t n, const T *x, int64_t incx, Real *result, const Events &dependencies) {  \
        return plain<T, #name, letters, true>(queue, dependencies, {"blas", #name}, n, x, incx, result);                     \
    }
#define NORMS(name)                                                                                                        \
    NORM(name, "", float, float)                                                                                           \
    NORM(name, "", double, double)                                                                                         \
    NORM(name, "Sc", std::complex<float>, float)                                                                            \
    NORM(name, "Dz", std::complex<double>, double)
NORMS(nrm2)
NORMS(asum)
#undef NORMS
#undef NORM

#undef SCALAR
