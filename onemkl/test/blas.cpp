// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneMKL's BLAS on each device that there is, against plain loops. A client of oneMKL: it is linked to Intel's library.
#include <thread>

#include "common.hpp"

namespace oneapi::mkl::blas {

#define SCALAR(T) value_or_pointer<T>
#define DECLARE_GEMM(Ta, Tc, Ts)                                                                                           \
    sycl::event gemm(sycl::queue &, transpose, transpose, int64_t, int64_t, int64_t, SCALAR(Ts), const Ta *, int64_t,      \
                     const Ta *, int64_t, SCALAR(Ts), Tc *, int64_t, compute_mode, const Events &);                        \
    sycl::event gemm_batch(sycl::queue &, transpose, transpose, int64_t, int64_t, int64_t, SCALAR(Ts), const Ta *,         \
                           int64_t, int64_t, const Ta *, int64_t, int64_t, SCALAR(Ts), Tc *, int64_t, int64_t, int64_t,    \
                           compute_mode, const Events &);
#define DECLARE(T)                                                                                                         \
    sycl::event gemv(sycl::queue &, transpose, int64_t, int64_t, SCALAR(T), const T *, int64_t, const T *, int64_t,        \
                     SCALAR(T), T *, int64_t, const Events &);                                                             \
    sycl::event syrk(sycl::queue &, uplo, transpose, int64_t, int64_t, SCALAR(T), const T *, int64_t, SCALAR(T), T *,      \
                     int64_t, compute_mode, const Events &);                                                               \
    sycl::event trsm(sycl::queue &, side, uplo, transpose, diag, int64_t, int64_t, SCALAR(T), const T *, int64_t, T *,     \
                     int64_t, compute_mode, const Events &);                                                               \
    sycl::event axpy(sycl::queue &, int64_t, SCALAR(T), const T *, int64_t, T *, int64_t, const Events &);                 \
    sycl::event scal(sycl::queue &, int64_t, SCALAR(T), T *, int64_t, const Events &);                                     \
    sycl::event copy(sycl::queue &, int64_t, const T *, int64_t, T *, int64_t, const Events &);                            \
    sycl::event swap(sycl::queue &, int64_t, T *, int64_t, T *, int64_t, const Events &);
#define DECLARE_HERK(T)                                                                                                    \
    sycl::event herk(sycl::queue &, uplo, transpose, int64_t, int64_t, SCALAR(T::value_type), const T *, int64_t,          \
                     SCALAR(T::value_type), T *, int64_t, compute_mode, const Events &);
#define DECLARE_DOT(name, T)                                                                                               \
    sycl::event name(sycl::queue &, int64_t, const T *, int64_t, const T *, int64_t, T *, const Events &);
#define DECLARE_NORM(T, R)                                                                                                 \
    sycl::event nrm2(sycl::queue &, int64_t, const T *, int64_t, R *, const Events &);                                     \
    sycl::event asum(sycl::queue &, int64_t, const T *, int64_t, R *, const Events &);
#define DECLARE_ALL                                                                                                        \
    DECLARE_GEMM(float, float, float)                                                                                      \
    DECLARE_GEMM(double, double, double)                                                                                   \
    DECLARE_GEMM(cfloat, cfloat, cfloat)                                                                                   \
    DECLARE_GEMM(cdouble, cdouble, cdouble)                                                                                \
    DECLARE_GEMM(half, half, half)                                                                                         \
    DECLARE_GEMM(half, float, float)                                                                                       \
    DECLARE_GEMM(bfloat16, bfloat16, float)                                                                                \
    DECLARE_GEMM(bfloat16, float, float)                                                                                   \
    DECLARE_GEMM(std::int8_t, std::int32_t, float)                                                                         \
    DECLARE_GEMM(std::int8_t, float, float)                                                                                \
    DECLARE(float)                                                                                                         \
    DECLARE(double)                                                                                                        \
    DECLARE(cfloat)                                                                                                        \
    DECLARE(cdouble)                                                                                                       \
    DECLARE_HERK(cfloat)                                                                                                   \
    DECLARE_HERK(cdouble)                                                                                                  \
    DECLARE_DOT(dot, float)                                                                                                \
    DECLARE_DOT(dot, double)                                                                                               \
    DECLARE_DOT(dotu, cfloat)                                                                                              \
    DECLARE_DOT(dotu, cdouble)                                                                                             \
    DECLARE_DOT(dotc, cfloat)                                                                                              \
    DECLARE_DOT(dotc, cdouble)                                                                                             \
    DECLARE_NORM(float, float)                                                                                             \
    DECLARE_NORM(double, double)                                                                                           \
    DECLARE_NORM(cfloat, float)                                                                                            \
    DECLARE_NORM(cdouble, double)

namespace column_major {
DECLARE_ALL
sycl::event rotm(sycl::queue &, int64_t, float *, int64_t, float *, int64_t, const float *, const Events &);
} // namespace column_major
namespace row_major {
DECLARE_ALL
} // namespace row_major

} // namespace oneapi::mkl::blas

namespace {

namespace columns = blas::column_major;
namespace rows = blas::row_major;
constexpr auto N = transpose::nontrans, T = transpose::trans, C = transpose::conjtrans;
constexpr blas::compute_mode standard{};

// Calls a function in one of the layouts.
#define IN_LAYOUT(row_major, name, ...) ((row_major) ? rows::name(__VA_ARGS__) : columns::name(__VA_ARGS__))

template <class Ta, class Tc, class Ts>
void gemm(sycl::queue &queue, const std::string &type, bool row, transpose ta, transpose tb, int64_t m, int64_t n, int64_t k,
          double alpha, double beta, int64_t batch) {
    const auto ld = [&](transpose t, int64_t r, int64_t c) { return ((t == N) == row ? c : r) + 3; };
    const auto size = [&](transpose t, int64_t r, int64_t c) { return ((t == N) == row ? r : c) * ld(t, r, c) + 5; };
    const auto lda = ld(ta, m, k), ldb = ld(tb, k, n), ldc = ld(N, m, n);
    const auto sa = size(ta, m, k), sb = size(tb, k, n), sc = size(N, m, n);
    const auto a = random_numbers<Ta>(sa * batch, 1), b = random_numbers<Ta>(sb * batch, 2);
    auto c = random_numbers<Tc>(sc * batch, 3);
    if (beta == 0 && !std::is_integral_v<Tc>) {
        for (auto &element : c) element = make<Tc>(std::nan(""));
    }
    std::vector<Number> expected;
    for (const auto &element : c) expected.push_back(number(element));
    const auto scale = make<Ts>(alpha, 1), old = make<Ts>(beta, beta);
    for (int64_t i = 0; i < batch; ++i) {
        for (int64_t r = 0; r < m; ++r) {
            for (int64_t s = 0; s < n; ++s) {
                Number sum = 0;
                for (int64_t l = 0; l < k; ++l) sum += operand(a, row, ta, r, l, lda, i * sa) * operand(b, row, tb, l, s, ldb, i * sb);
                auto &element = expected[i * sc + at(row, r, s, ldc)];
                element = number(scale) * sum + (beta == 0 ? 0.0 : number(old) * element);
            }
        }
    }
    Device<Ta> da(queue, a), db(queue, b);
    Device<Tc> dc(queue, c);
    const char *letters[] = {"N", "T", "", "C"};
    const auto name = "gemm " + type + (row ? " row " : " column ") + letters[int(ta)] + letters[int(tb)] + " " + std::to_string(m) +
                      "x" + std::to_string(n) + "x" + std::to_string(k) + " beta " + std::to_string(beta) + " batch " +
                      std::to_string(batch);
    sycl::event event;
    try {
        event = batch == 1 ? IN_LAYOUT(row, gemm, queue, ta, tb, m, n, k, scale, da.data, lda, db.data, ldb, old, dc.data, ldc, standard, {})
                   : IN_LAYOUT(row, gemm_batch, queue, ta, tb, m, n, k, scale, da.data, lda, sa, db.data, ldb, sb, old, dc.data, ldc,
                               sc, batch, standard, {});
    } catch (const oneapi::mkl::exception &error) {
        report(name, false, error.what());
        return;
    }
    auto found = dc.read({event});
    // What is between the columns must stay. There a NaN is right.
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (std::isnan(expected[i].real()) && std::isnan(number(found[i]).real())) {
            found[i] = Tc(0);
            expected[i] = 0;
        }
    }
    compare(name, found, expected);
}

template <class Ta, class Tc, class Ts>
void gemms(sycl::queue &queue, const std::string &type) {
    for (bool row : {false, true}) {
        for (auto ta : {N, T, C}) {
            for (auto tb : {N, T, C}) gemm<Ta, Tc, Ts>(queue, type, row, ta, tb, 5, 7, 6, 1, 0, 1);
        }
        gemm<Ta, Tc, Ts>(queue, type, row, N, T, 5, 7, 6, 2, -1, 1);
        gemm<Ta, Tc, Ts>(queue, type, row, N, N, 4, 3, 0, 2, 2, 1);
        gemm<Ta, Tc, Ts>(queue, type, row, T, N, 0, 3, 2, 1, 0, 1);
        gemm<Ta, Tc, Ts>(queue, type, row, N, N, 5, 7, 6, 1, 0, 3);
        gemm<Ta, Tc, Ts>(queue, type, row, T, C, 2, 3, 4, -2, 1, 4);
    }
}

template <class F>
void gemv(sycl::queue &queue, const std::string &type, bool row, transpose trans, int64_t incx, int64_t incy) {
    const int64_t m = 5, n = 4, lda = 9;
    const auto a = random_numbers<F>(lda * 9, 1), x = random_numbers<F>(20, 2), y = random_numbers<F>(20, 3);
    const auto alpha = make<F>(2, 1), beta = make<F>(-1, 1);
    const auto rows = trans == N ? m : n, inner = trans == N ? n : m;
    const auto place = [](int64_t i, int64_t count, int64_t inc) { return inc > 0 ? i * inc : (i + 1 - count) * inc; };
    std::vector<Number> expected;
    for (auto element : y) expected.push_back(number(element));
    for (int64_t r = 0; r < rows; ++r) {
        Number sum = 0;
        for (int64_t i = 0; i < inner; ++i) sum += operand(a, row, trans, r, i, lda) * number(x[place(i, inner, incx)]);
        auto &element = expected[place(r, rows, incy)];
        element = number(alpha) * sum + number(beta) * element;
    }
    Device<F> da(queue, a), dx(queue, x), dy(queue, y);
    const auto event = IN_LAYOUT(row, gemv, queue, trans, m, n, alpha, da.data, lda, dx.data, incx, beta, dy.data, incy, {});
    compare("gemv " + type + (row ? " row " : " column ") + std::to_string(int(trans)) + " " + std::to_string(incx) + " " +
                std::to_string(incy),
            dy.read({event}), expected);
}

// syrk, and herk where `hermitian`.
template <class F, bool hermitian>
void rank_k(sycl::queue &queue, const std::string &type, bool row, uplo part, transpose trans) {
    const int64_t n = 5, k = 3, lda = 7, ldc = 6;
    const auto a = random_numbers<F>(lda * 7, 1);
    auto c = random_numbers<F>(ldc * n, 2);
    if (hermitian) {
        for (int64_t i = 0; i < n; ++i) c[i * ldc + i] = F(number(c[i * ldc + i]).real());
    }
    std::vector<Number> expected;
    for (auto element : c) expected.push_back(number(element));
    for (int64_t r = 0; r < n; ++r) {
        for (int64_t s = 0; s < n; ++s) {
            if (part == uplo::upper ? r > s : r < s) continue;
            Number sum = 0;
            for (int64_t i = 0; i < k; ++i) {
                const auto other = operand(a, row, trans, s, i, lda);
                sum += operand(a, row, trans, r, i, lda) * (hermitian ? std::conj(other) : other);
            }
            auto &element = expected[at(row, r, s, ldc)];
            element = 2.0 * sum - element;
        }
    }
    Device<F> da(queue, a), dc(queue, c);
    const auto name = std::string(hermitian ? "herk " : "syrk ") + type + (row ? " row " : " column ") + std::to_string(int(part)) +
                      std::to_string(int(trans));
    if constexpr (hermitian) {
        using R = typename F::value_type;
        const auto event = IN_LAYOUT(row, herk, queue, part, trans, n, k, R(2), da.data, lda, R(-1), dc.data, ldc, standard, {});
        compare(name, dc.read({event}), expected);
    } else {
        const auto event = IN_LAYOUT(row, syrk, queue, part, trans, n, k, F(2), da.data, lda, F(-1), dc.data, ldc, standard, {});
        compare(name, dc.read({event}), expected);
    }
}

template <class F>
void trsm(sycl::queue &queue, const std::string &type, bool row, side where, uplo part, transpose trans, diag unit) {
    const int64_t m = 4, n = 3, lda = 6, ldb = 5, size = where == side::left ? m : n;
    auto a = random_numbers<F>(lda * 6, 1);
    for (int64_t i = 0; i < size; ++i) a[i * lda + i] = make<F>(8, 1);
    const auto x = random_numbers<F>(ldb * 5, 2);
    const auto triangle = [&](int64_t r, int64_t c) -> Number {
        if (r == c && unit == diag::unit) return 1;
        const auto stored_row = trans == N ? r : c, stored_column = trans == N ? c : r;
        if (part == uplo::upper ? stored_row > stored_column : stored_row < stored_column) return 0;
        return operand(a, row, trans, r, c, lda);
    };
    // B is such that X is the solution for alpha = 2.
    auto b = x;
    std::vector<Number> expected;
    for (auto element : x) expected.push_back(number(element));
    for (int64_t r = 0; r < m; ++r) {
        for (int64_t c = 0; c < n; ++c) {
            Number sum = 0;
            for (int64_t i = 0; i < size; ++i) {
                sum += where == side::left ? triangle(r, i) * number(x[at(row, i, c, ldb)]) : number(x[at(row, r, i, ldb)]) * triangle(i, c);
            }
            sum *= 0.5;
            b[at(row, r, c, ldb)] = make<F>(sum.real(), sum.imag());
        }
    }
    Device<F> da(queue, a), db(queue, b);
    const auto event = IN_LAYOUT(row, trsm, queue, where, part, trans, unit, m, n, F(2), da.data, lda, db.data, ldb, standard, {});
    compare("trsm " + type + (row ? " row " : " column ") + std::to_string(int(where)) + std::to_string(int(part)) +
                std::to_string(int(trans)) + std::to_string(int(unit)),
            db.read({event}), expected);
}

template <class F>
void level_2_and_3(sycl::queue &queue, const std::string &type) {
    for (bool row : {false, true}) {
        for (auto trans : {N, T, C}) {
            gemv<F>(queue, type, row, trans, 1, 1);
            gemv<F>(queue, type, row, trans, 2, 3);
            if (trans != C) gemv<F>(queue, type, row, trans, -2, -1);
            for (auto part : {uplo::upper, uplo::lower}) {
                if (trans != C) rank_k<F, false>(queue, type, row, part, trans);
                if constexpr (requires { typename F::value_type; }) {
                    if (trans != T) rank_k<F, true>(queue, type, row, part, trans);
                }
                for (auto where : {side::left, side::right}) {
                    for (auto unit : {diag::nonunit, diag::unit}) trsm<F>(queue, type, row, where, part, trans, unit);
                }
            }
        }
    }
}

template <class F>
void vectors(sycl::queue &queue, const std::string &type) {
    const int64_t n = 6;
    const auto x = random_numbers<F>(18, 1), y = random_numbers<F>(18, 2);
    const auto alpha = make<F>(2, -1);
    std::vector<Number> nx, ny;
    for (auto element : x) nx.push_back(number(element));
    for (auto element : y) ny.push_back(number(element));
    Device<F> dx(queue, x);
    {
        Device<F> dy(queue, y);
        auto expected = ny;
        for (int i = 0; i < n; ++i) expected[i * 3] += number(alpha) * nx[i * 2];
        compare("axpy " + type, dy.read({columns::axpy(queue, n, alpha, dx.data, 2, dy.data, 3, {})}), expected);
    }
    {
        Device<F> dy(queue, y);
        auto expected = ny;
        for (int i = 0; i < n; ++i) expected[i * 2] *= number(alpha);
        compare("scal " + type, dy.read({columns::scal(queue, n, alpha, dy.data, 2, {})}), expected);
    }
    {
        Device<F> dy(queue, y);
        auto expected = ny;
        for (int i = 0; i < n; ++i) expected[i * 3] = nx[n - 1 - i];
        compare("copy " + type, dy.read({columns::copy(queue, n, dx.data, -1, dy.data, 3, {})}), expected);
    }
    {
        Device<F> other(queue, x), dy(queue, y);
        auto ex = nx, ey = ny;
        for (int i = 0; i < n; ++i) std::swap(ex[i], ey[i * 2]);
        const auto event = columns::swap(queue, n, other.data, 1, dy.data, 2, {});
        compare("swap " + type, other.read({event}), ex);
        compare("swap " + type, dy.read({event}), ey);
    }
    // A scalar that the device has.
    {
        Device<F> dy(queue, y), scalar(queue, {alpha});
        auto expected = ny;
        for (int i = 0; i < n; ++i) expected[i] *= number(alpha);
        const auto given = value_or_pointer<F>::at(scalar.data);
        compare("scal by pointer " + type, dy.read({columns::scal(queue, n, given, dy.data, 1, {})}), expected);
    }
}

template <class R, class Call>
void reduction(sycl::queue &queue, const std::string &name, Number expected, Call call) {
    Device<R> result(queue, {make<R>(99)});
    compare(name, result.read({call(result.data)}), {expected});

}

template <class F, class R>
void reductions(sycl::queue &queue, const std::string &type) {
    const int64_t n = 6;
    const auto x = random_numbers<F>(18, 1), y = random_numbers<F>(18, 2);
    Number plain = 0, conjugate = 0;
    double squares = 0, sum = 0;
    for (int i = 0; i < n; ++i) {
        const auto a = number(x[i * 2]), b = number(y[i * 3]);
        plain += a * b;
        conjugate += std::conj(a) * b;
        squares += std::norm(a);
        sum += std::abs(a.real()) + std::abs(a.imag());
    }
    Device<F> dx(queue, x), dy(queue, y);
    if constexpr (std::is_same_v<F, R>) {
        reduction<F>(queue, "dot " + type, plain, [&](F *r) { return columns::dot(queue, n, dx.data, 2, dy.data, 3, r, {}); });
    } else {
        reduction<F>(queue, "dotu " + type, plain, [&](F *r) { return rows::dotu(queue, n, dx.data, 2, dy.data, 3, r, {}); });
        reduction<F>(queue, "dotc " + type, conjugate, [&](F *r) { return columns::dotc(queue, n, dx.data, 2, dy.data, 3, r, {}); });
    }
    reduction<R>(queue, "nrm2 " + type, Number(std::sqrt(squares)), [&](R *r) { return columns::nrm2(queue, n, dx.data, 2, r, {}); });
    reduction<R>(queue, "asum " + type, Number(sum), [&](R *r) { return columns::asum(queue, n, dx.data, 2, r, {}); });
}

// A chain of commands of all kinds, each with only the event of the one before.
void order(sycl::queue &queue, int rounds) {
    const int64_t n = 8;
    const std::vector<float> one(n * n, 1.0f / n), start(n * n, 1.0f);
    Device<float> a(queue, one), b(queue, start), c(queue, start);
    sycl::event last;
    for (int i = 0; i < rounds; ++i) {
        last = columns::gemm(queue, N, N, n, n, n, 2.0f, a.data, n, b.data, n, 0.0f, c.data, n, standard, {last});
        last = queue.memcpy(b.data, c.data, n * n * sizeof(float), last);
        if (i % 3 == 0) last = queue.submit([&](sycl::handler &handler) {
            handler.depends_on(last);
            handler.host_task([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
        });
        last = columns::scal(queue, n * n, 0.5f, b.data, 1, {last});
    }
    compare("order", b.read({last}), std::vector<Number>(n * n, 1));
    // The event alone says when a product is complete.
    for (int i = 0; i < rounds; ++i) {
        Device<float> result(queue, std::vector<float>(n * n, 99));
        auto *host = sycl::malloc_host<float>(n * n, queue);
        auto event = columns::gemm(queue, N, N, n, n, n, 1.0f, a.data, n, a.data, n, 0.0f, result.data, n, standard, {});
        event = queue.memcpy(host, result.data, n * n * sizeof(float), event);
        event.wait();
        compare("event", std::vector<float>(host, host + n * n), std::vector<Number>(n * n, 1.0 / n));
        sycl::free(host, queue);
    }
}

// Products of what copies in other streams write: they wait for their dependencies, and for nothing else.
void dependencies(sycl::queue &queue) {
    const int64_t n = 8, copies = 12;
    const Device<float> one(queue, std::vector<float>(n * n, 1));
    const Device<char> large(queue, std::vector<char>(copies << 20));
    for (int round = 0; round < 3; ++round) {
        Device<float> sources(queue, std::vector<float>(copies * n * n, 0)), results(queue, std::vector<float>(copies * n * n, 99));
        Events copied, multiplied;
        for (int64_t i = 0; i < copies; ++i) {
            const auto first = queue.memset(large.data + (i << 20), 1, 1 << 20); // It takes a while.
            copied.push_back(queue.memcpy(sources.data + i * n * n, one.data, n * n * sizeof(float), first));
        }
        for (int64_t i = copies - 1; i >= 0; --i) {
            multiplied.push_back(columns::gemm(queue, N, N, n, n, n, 1.0f, sources.data + i * n * n, n, one.data, n, 0.0f,
                                               results.data + i * n * n, n, standard, {copied[i]}));
        }
        compare("dependencies", results.read(multiplied), std::vector<Number>(copies * n * n, double(n)));
    }
}

void threads(sycl::queue &queue) {
    std::vector<std::thread> all;
    std::vector<int> wrong(6);
    for (auto &bad : wrong) {
        all.emplace_back([&queue, &bad] {
            const int64_t n = 4;
            const std::vector<double> ones(n * n, 1);
            auto *a = sycl::malloc_device<double>(n * n, queue), *c = sycl::malloc_device<double>(n * n, queue);
            auto copied = queue.memcpy(a, ones.data(), n * n * sizeof(double));
            for (int i = 0; i < 20; ++i) {
                const auto event = columns::gemm(queue, N, T, n, n, n, double(i), a, n, a, n, 0.0, c, n, standard, {copied});
                std::vector<double> found(n * n);
                queue.memcpy(found.data(), c, n * n * sizeof(double), event).wait();
                for (auto value : found) bad += value != i * double(n);
                copied = event;
            }
            sycl::free(a, queue);
            sycl::free(c, queue);
        });
    }
    for (auto &thread : all) thread.join();
    for (auto bad : wrong) report("threads", bad == 0);
}

void errors(sycl::queue &queue, bool nvidia) {
    Device<float> a(queue, std::vector<float>(16, 1));
    throws<oneapi::mkl::exception>("negative size", [&] {
        columns::gemm(queue, N, N, -1, 2, 2, 1.0f, a.data, 2, a.data, 2, 0.0f, a.data, 2, standard, {}).wait();
    });
    throws<oneapi::mkl::exception>("small ld", [&] {
        columns::gemm(queue, N, N, 4, 2, 2, 1.0f, a.data, 2, a.data, 2, 0.0f, a.data, 4, standard, {}).wait();
    });
    if (nvidia) {
        throws<oneapi::mkl::unimplemented>("not in oxur", [&] { columns::rotm(queue, 1, a.data, 1, a.data, 1, a.data, {}); });
        Device<std::int8_t> integers(queue, std::vector<std::int8_t>(16, 1));
        Device<std::int32_t> products(queue, std::vector<std::int32_t>(16, 1));
        throws<oneapi::mkl::unimplemented>("integers times a fraction", [&] {
            columns::gemm(queue, N, N, 2, 2, 2, 0.5f, integers.data, 2, integers.data, 2, 0.0f, products.data, 2, standard, {});
        });
    }
}

void all(sycl::queue &queue, bool nvidia) {
    gemms<float, float, float>(queue, "float");
    gemms<double, double, double>(queue, "double");
    gemms<cfloat, cfloat, cfloat>(queue, "cfloat");
    gemms<cdouble, cdouble, cdouble>(queue, "cdouble");
    if (nvidia) { // Intel's library has some of these for its GPUs only.
        gemms<half, half, half>(queue, "half");
        gemms<half, float, float>(queue, "half, float");
        gemms<bfloat16, bfloat16, float>(queue, "bfloat16");
        gemms<bfloat16, float, float>(queue, "bfloat16, float");
        gemms<std::int8_t, std::int32_t, float>(queue, "int8, int32");
        gemms<std::int8_t, float, float>(queue, "int8, float");
    }
    level_2_and_3<float>(queue, "float");
    level_2_and_3<double>(queue, "double");
    level_2_and_3<cfloat>(queue, "cfloat");
    level_2_and_3<cdouble>(queue, "cdouble");
    vectors<float>(queue, "float");
    vectors<double>(queue, "double");
    vectors<cfloat>(queue, "cfloat");
    vectors<cdouble>(queue, "cdouble");
    reductions<float, float>(queue, "float");
    reductions<double, double>(queue, "double");
    reductions<cfloat, float>(queue, "cfloat");
    reductions<cdouble, double>(queue, "cdouble");
    order(queue, nvidia ? 20 : 5);
    dependencies(queue);
    threads(queue);
    errors(queue, nvidia);
}

} // namespace

int main() {
    int devices = 0;
    for (const auto &device : sycl::device::get_devices()) {
        const bool nvidia = device.get_platform().get_info<sycl::info::platform::name>() == "NVIDIA CUDA";
        for (auto &queue : queues_of(device)) {
            passed = 0;
            all(queue, nvidia);
            std::printf("%s, %s queue: %d checks passed\n", nvidia ? "NVIDIA" : "another device",
                        queue.is_in_order() ? "in-order" : "out-of-order", passed);
        }
        devices += nvidia ? 1 : 100;
    }
    std::printf("%s devices %d\n", failures ? "failed" : "pass", devices);
    return failures != 0;
}
