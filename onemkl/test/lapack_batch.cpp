// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneMKL's LAPACK on batches of matrices, on each device that there is: what is left of A - LU and the like, what must stay as it
// was, and which matrices failed.
#include "common.hpp"

namespace oneapi::mkl::lapack {

#define DECLARE(T, orgqr_batch)                                                                                            \
    sycl::event getrf_batch(sycl::queue &, int64_t, int64_t, T *, int64_t, int64_t, int64_t *, int64_t, int64_t, T *, int64_t, \
                            const Events &);                                                                               \
    sycl::event getrs_batch(sycl::queue &, transpose, int64_t, int64_t, const T *, int64_t, int64_t, const int64_t *, int64_t, T *, \
                            int64_t, int64_t, int64_t, T *, int64_t, const Events &);                                      \
    sycl::event getri_batch(sycl::queue &, int64_t, T *, int64_t, int64_t, const int64_t *, int64_t, int64_t, T *, int64_t, \
                            const Events &);                                                                               \
    sycl::event potrf_batch(sycl::queue &, uplo, int64_t, T *, int64_t, int64_t, int64_t, T *, int64_t, const Events &);   \
    sycl::event potrs_batch(sycl::queue &, uplo, int64_t, int64_t, const T *, int64_t, int64_t, T *, int64_t, int64_t, int64_t, T *, \
                            int64_t, const Events &);                                                                      \
    sycl::event geqrf_batch(sycl::queue &, int64_t, int64_t, T *, int64_t, int64_t, T *, int64_t, int64_t, T *, int64_t,   \
                            const Events &);                                                                               \
    sycl::event orgqr_batch(sycl::queue &, int64_t, int64_t, int64_t, T *, int64_t, int64_t, const T *, int64_t, int64_t, T *, \
                            int64_t, const Events &);                                                                      \
    sycl::event gels_batch(sycl::queue &, transpose, int64_t, int64_t, int64_t, T *, int64_t, int64_t, T *, int64_t, int64_t, \
                           int64_t, T *, int64_t, const Events &);
DECLARE(float, orgqr_batch)
DECLARE(double, orgqr_batch)
DECLARE(cfloat, ungqr_batch)
DECLARE(cdouble, ungqr_batch)

template <class T, class>
int64_t getrf_batch_scratchpad_size(sycl::queue &, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
template <class T, class>
int64_t getrs_batch_scratchpad_size(sycl::queue &, transpose, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                                    int64_t);
template <class T, class>
int64_t getri_batch_scratchpad_size(sycl::queue &, int64_t, int64_t, int64_t, int64_t, int64_t);
template <class T, class>
int64_t potrf_batch_scratchpad_size(sycl::queue &, uplo, int64_t, int64_t, int64_t, int64_t);
template <class T, class>
int64_t potrs_batch_scratchpad_size(sycl::queue &, uplo, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
template <class T, class>
int64_t geqrf_batch_scratchpad_size(sycl::queue &, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
template <class T, class>
int64_t orgqr_batch_scratchpad_size(sycl::queue &, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
template <class T, class>
int64_t ungqr_batch_scratchpad_size(sycl::queue &, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
template <class T, class>
int64_t gels_batch_scratchpad_size(sycl::queue &, transpose, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                                   int64_t);

} // namespace oneapi::mkl::lapack

namespace {

constexpr auto N = transpose::nontrans;
using Enabled = void *; // The type of the enabling parameter of oneMKL's templates.

template <class T>
constexpr bool is_complex = requires(T t) { t.imag(); };
constexpr double filler = 77; // What is between matrices, and stays.

// A matrix to compute with.
struct Dense {
    int64_t m, n;
    std::vector<Number> data;
    Dense(int64_t m, int64_t n) : m(m), n(n), data(m * n) {}
    Number &operator()(int64_t r, int64_t c) { return data[c * m + r]; }
    Number operator()(int64_t r, int64_t c) const { return data[c * m + r]; }
};

Dense operator*(const Dense &a, const Dense &b) {
    Dense result(a.m, b.n);
    for (int64_t c = 0; c < b.n; ++c) {
        for (int64_t i = 0; i < a.n; ++i) {
            const auto factor = b(i, c);
            for (int64_t r = 0; r < a.m; ++r) result(r, c) += a(r, i) * factor;
        }
    }
    return result;
}

Dense operated(const Dense &a, transpose trans) {
    if (trans == N) return a;
    Dense result(a.n, a.m);
    for (int64_t r = 0; r < a.m; ++r) {
        for (int64_t c = 0; c < a.n; ++c) result(c, r) = trans == transpose::conjtrans ? std::conj(a(r, c)) : a(r, c);
    }
    return result;
}
Dense adjoint(const Dense &a) { return operated(a, transpose::conjtrans); }

template <class F>
Dense filled(int64_t m, int64_t n, F element) {
    Dense result(m, n);
    for (int64_t c = 0; c < n; ++c) {
        for (int64_t r = 0; r < m; ++r) result(r, c) = element(r, c);
    }
    return result;
}

double largest(const Dense &a) {
    double most = 0;
    for (auto value : a.data) most = std::isnan(std::abs(value)) ? INFINITY : std::max(most, std::abs(value));
    return most;
}

Dense unit(int64_t m, int64_t n) {
    return filled(m, n, [](int64_t r, int64_t c) { return Number(r == c); });
}

template <class T>
void near(const std::string &name, Dense found, const Dense &expected) {
    const auto scale = std::max(1.0, largest(expected)) * double(std::max(found.m, found.n));
    for (std::size_t i = 0; i < found.data.size(); ++i) found.data[i] -= expected.data[i];
    const auto worst = largest(found);
    report(name, worst <= epsilon(T()) * scale, "differs by " + std::to_string(worst) + " of " + std::to_string(scale));
}

// Matrices of a batch in the device's memory, with leading dimensions and strides that are larger than they need to be.
template <class T>
struct Batch {
    int64_t m, n, ld, stride;
    std::vector<Dense> before;
    Device<T> device;
    Batch(sycl::queue &queue, std::vector<Dense> matrices, int64_t more = 2)
        : m(matrices.empty() ? 1 : matrices[0].m), n(matrices.empty() ? 1 : matrices[0].n), ld(m + more), stride(ld * n + 2 * more),
          before(std::move(matrices)), device(queue, packed()) {}
    int64_t count() const { return int64_t(before.size()); }
    std::vector<T> packed() {
        std::vector<T> all(stride * count(), T(filler));
        for (int64_t i = 0; i < count(); ++i) {
            for (int64_t c = 0; c < n; ++c) {
                for (int64_t r = 0; r < m; ++r) {
                    auto &value = before[i](r, c);
                    all[i * stride + c * ld + r] = make<T>(value.real(), value.imag());
                    value = number(make<T>(value.real(), value.imag()));
                }
            }
        }
        return all;
    }
    // What is there, and that nothing else has changed.
    std::vector<Dense> read(const std::string &name, const Events &after) const {
        const auto all = device.read(after);
        std::vector<Dense> result;
        bool kept = true;
        for (int64_t i = 0; i < count(); ++i) {
            result.push_back(filled(m, n, [&](int64_t r, int64_t c) { return number(all[i * stride + c * ld + r]); }));
            for (int64_t at = 0; at < stride; ++at) {
                if (at % ld < m && at / ld < n) continue;
                kept &= all[i * stride + at] == T(filler);
            }
        }
        report(name + " keeps what is between the matrices", kept);
        return result;
    }
};

std::mt19937 random_source(1);
template <class T>
Number some() {
    std::uniform_real_distribution<double> numbers(-1, 1);
    const auto real = numbers(random_source);
    return {real, is_complex<T> ? numbers(random_source) : 0};
}

template <class T>
std::vector<Dense> dense(int64_t m, int64_t n, int64_t count) {
    std::vector<Dense> all;
    for (int64_t i = 0; i < count; ++i) all.push_back(filled(m, n, [](int64_t, int64_t) { return some<T>(); }));
    return all;
}

// Far from singular, but only with other rows in the places of the first.
template <class T>
std::vector<Dense> solvable(int64_t n, int64_t count) {
    auto all = dense<T>(n, n, count);
    for (auto &a : all) {
        for (int64_t i = 0; i < n; ++i) a(i, (i + 1) % n) += double(2 * n);
    }
    return all;
}

template <class T>
std::vector<Dense> definite(int64_t n, int64_t count) {
    auto all = dense<T>(n, n, count);
    for (auto &a : all) {
        a = a * adjoint(a);
        for (int64_t i = 0; i < n; ++i) a(i, i) = a(i, i).real() + double(n);
        for (auto &value : a.data) value = number(make<T>(value.real(), value.imag())); // As it will be stored.
    }
    return all;
}

// The rows as the pivots say, from the first on.
Dense exchanged(Dense a, const int64_t *pivots) {
    for (int64_t i = 0; i < std::min(a.m, a.n); ++i) {
        for (int64_t c = 0; c < a.n; ++c) std::swap(a(i, c), a(pivots[i] - 1, c));
    }
    return a;
}

Dense lower_of(const Dense &a, bool of_units) {
    return filled(a.m, std::min(a.m, a.n), [&](int64_t r, int64_t c) { return r == c && of_units ? 1.0 : r < c ? 0.0 : a(r, c); });
}
Dense upper_of(const Dense &a) {
    return filled(std::min(a.m, a.n), a.n, [&](int64_t r, int64_t c) { return r > c ? 0.0 : a(r, c); });
}

template <class T>
struct Scratchpad : Device<T> {
    Scratchpad(sycl::queue &queue, int64_t size) : Device<T>(queue, std::vector<T>(std::max<int64_t>(1, size))) {}
};

template <class T>
void factors(sycl::queue &queue, const std::string &of, int64_t m, int64_t n, int64_t count) {
    const auto name = of + " " + std::to_string(m) + "x" + std::to_string(n) + " batch " + std::to_string(count);
    Batch<T> a(queue, m == n ? solvable<T>(n, count) : dense<T>(m, n, count));
    const int64_t k = std::min(m, n), stride_p = k + 3, nrhs = 3;
    Device<int64_t> pivots(queue, std::vector<int64_t>(stride_p * count + 1, 99));
    Scratchpad<T> pad(queue, lapack::getrf_batch_scratchpad_size<T, Enabled>(queue, m, n, a.ld, a.stride, stride_p, count));
    const auto first = lapack::getrf_batch(queue, m, n, a.device.data, a.ld, a.stride, pivots.data, stride_p, count, pad.data,
                                           pad.size, {});
    const auto found = a.read("getrf " + name, {first});
    const auto p = pivots.read({first});
    bool kept = p.back() == 99, good = true;
    for (int64_t i = 0; i < count; ++i) {
        const auto own = &p[i * stride_p];
        for (int64_t j = 0; j < stride_p; ++j) {
            if (j >= k) kept &= own[j] == 99;
            else good &= own[j] > j && own[j] <= m;
        }
        if (good) near<T>("getrf " + name, lower_of(found[i], true) * upper_of(found[i]), exchanged(a.before[i], own));
    }
    report("getrf keeps what is between pivots " + name, kept);
    report("pivots are rows " + name, good);
    if (m != n) return;
    for (auto trans : {N, transpose::trans, transpose::conjtrans}) {
        const auto x = dense<T>(n, nrhs, count);
        std::vector<Dense> right;
        for (int64_t i = 0; i < count; ++i) right.push_back(operated(a.before[i], trans) * x[i]);
        Batch<T> b(queue, right, 3);
        Scratchpad<T> own(queue, lapack::getrs_batch_scratchpad_size<T, Enabled>(queue, trans, n, nrhs, a.ld, a.stride, stride_p,
                                                                                 b.ld, b.stride, count));
        const auto event = lapack::getrs_batch(queue, trans, n, nrhs, a.device.data, a.ld, a.stride, pivots.data, stride_p,
                                               b.device.data, b.ld, b.stride, count, own.data, own.size, {first});
        const auto solved = b.read("getrs " + name, {event});
        for (int64_t i = 0; i < count; ++i) near<T>("getrs " + name, operated(a.before[i], trans) * solved[i], b.before[i]);
    }
    Scratchpad<T> own(queue, lapack::getri_batch_scratchpad_size<T, Enabled>(queue, n, a.ld, a.stride, stride_p, count));
    const auto last = lapack::getri_batch(queue, n, a.device.data, a.ld, a.stride, pivots.data, stride_p, count, own.data,
                                          own.size, {first});
    const auto inverses = a.read("getri " + name, {last});
    for (int64_t i = 0; i < count; ++i) near<T>("getri " + name, a.before[i] * inverses[i], unit(n, n));
}

template <class T>
void cholesky(sycl::queue &queue, const std::string &of, uplo part, int64_t n, int64_t count) {
    const auto name = of + " " + std::to_string(int(part)) + " " + std::to_string(n) + " batch " + std::to_string(count);
    const bool upper = part == uplo::upper;
    const auto whole = definite<T>(n, count);
    auto half = whole;
    for (auto &a : half) {
        a = filled(n, n, [&](int64_t r, int64_t c) { return (upper ? r <= c : r >= c) ? a(r, c) : Number(55); });
    }
    Batch<T> a(queue, half);
    Scratchpad<T> pad(queue, lapack::potrf_batch_scratchpad_size<T, Enabled>(queue, part, n, a.ld, a.stride, count));
    const auto first = lapack::potrf_batch(queue, part, n, a.device.data, a.ld, a.stride, count, pad.data, pad.size, {});
    const auto found = a.read("potrf " + name, {first});
    bool kept = true;
    for (int64_t i = 0; i < count; ++i) {
        const auto factor = upper ? adjoint(upper_of(found[i])) : lower_of(found[i], false);
        near<T>("potrf " + name, factor * adjoint(factor), whole[i]);
        for (int64_t r = 0; r < n; ++r) {
            for (int64_t c = 0; c < n; ++c) kept &= (upper ? r <= c : r >= c) || found[i](r, c) == 55.0;
        }
    }
    report("potrf keeps the other triangle " + name, kept);
    const auto x = dense<T>(n, 2, count);
    std::vector<Dense> right;
    for (int64_t i = 0; i < count; ++i) right.push_back(whole[i] * x[i]);
    Batch<T> b(queue, right, 1);
    Scratchpad<T> own(queue, lapack::potrs_batch_scratchpad_size<T, Enabled>(queue, part, n, 2, a.ld, a.stride, b.ld, b.stride,
                                                                             count));
    const auto last = lapack::potrs_batch(queue, part, n, 2, a.device.data, a.ld, a.stride, b.device.data, b.ld, b.stride, count,
                                          own.data, own.size, {first});
    const auto solved = b.read("potrs " + name, {last});
    for (int64_t i = 0; i < count; ++i) near<T>("potrs " + name, whole[i] * solved[i], b.before[i]);
}

template <class T>
sycl::event form_q(sycl::queue &queue, int64_t m, int64_t n, int64_t k, const Batch<T> &a, const Device<T> &tau, int64_t stride_tau,
                   Scratchpad<T> &pad, const Events &after) {
    if constexpr (is_complex<T>) {
        return lapack::ungqr_batch(queue, m, n, k, a.device.data, a.ld, a.stride, tau.data, stride_tau, a.count(), pad.data,
                                   pad.size, after);
    } else {
        return lapack::orgqr_batch(queue, m, n, k, a.device.data, a.ld, a.stride, tau.data, stride_tau, a.count(), pad.data,
                                   pad.size, after);
    }
}

template <class T>
int64_t size_of_form_q(sycl::queue &queue, int64_t m, int64_t n, int64_t k, const Batch<T> &a, int64_t stride_tau) {
    if constexpr (is_complex<T>) {
        return lapack::ungqr_batch_scratchpad_size<T, Enabled>(queue, m, n, k, a.ld, a.stride, stride_tau, a.count());
    } else {
        return lapack::orgqr_batch_scratchpad_size<T, Enabled>(queue, m, n, k, a.ld, a.stride, stride_tau, a.count());
    }
}

// QR of the first `from` columns of matrices of m × n, and the first n columns of Q.
template <class T>
void orthogonal(sycl::queue &queue, const std::string &of, int64_t m, int64_t n, int64_t from, int64_t count) {

        const auto name = of + " " + std::to_string(m) + "x" + std::to_string(n) + " of " + std::to_string(from) + " batch " + std::to_string(count);
    auto matrices = dense<T>(m, n, count);
    // Where there is nothing to reflect, tau is 0.
    for (int64_t i = 1; i < count; i += 2) {
        for (int64_t c = 0; c < n; c += 2) {
            for (int64_t r = 0; r < m; ++r) matrices[i](r, c) = r == c ? 2.0 : 0.0;
        }
    }
    Batch<T> a(queue, matrices);
    const int64_t k = std::min(m, from), stride_tau = k + 2;
    Device<T> tau(queue, std::vector<T>(stride_tau * count + 1, T(filler)));
    Scratchpad<T> pad(queue, lapack::geqrf_batch_scratchpad_size<T, Enabled>(queue, m, from, a.ld, a.stride, stride_tau, count));
    const auto first = lapack::geqrf_batch(queue, m, from, a.device.data, a.ld, a.stride, tau.data, stride_tau, count, pad.data,
                                           pad.size, {});
    const auto found = a.read("geqrf " + name, {first});
    const auto taus = tau.read({first});
    bool kept = taus.back() == T(filler);
    for (int64_t i = 0; i < count; ++i) {
        for (int64_t j = k; j < stride_tau; ++j) kept &= taus[i * stride_tau + j] == T(filler);
    }
    report("geqrf keeps what is between the factors " + name, kept);
    if (m < n) return;
    Scratchpad<T> own(queue, size_of_form_q(queue, m, n, k, a, stride_tau));
    const auto last = form_q(queue, m, n, k, a, tau, stride_tau, own, {first});
    const auto q = a.read("orgqr " + name, {last});
    for (int64_t i = 0; i < count; ++i) {
        near<T>("orgqr is orthogonal " + name, adjoint(q[i]) * q[i], unit(n, n));
        const auto columns = filled(m, k, [&](int64_t r, int64_t c) { return q[i](r, c); });
        const auto r_of = filled(k, from, [&](int64_t r, int64_t c) { return r > c ? 0.0 : found[i](r, c); });
        near<T>("QR " + name, columns * r_of, filled(m, from, [&](int64_t r, int64_t c) { return a.before[i](r, c); }));
    }
}

template <class T>
void least_squares(sycl::queue &queue, const std::string &of, int64_t m, int64_t n, int64_t nrhs, int64_t count) {
    const auto name = "gels " + of + " " + std::to_string(m) + "x" + std::to_string(n) + " batch " + std::to_string(count);
    Batch<T> a(queue, dense<T>(m, n, count)), b(queue, dense<T>(m, nrhs, count), 1);
    for (auto &matrix : a.before) {
        for (int64_t i = 0; i < n; ++i) matrix(i, i) += 4.0;
    }
    Device<T> again(queue, a.packed());
    Scratchpad<T> pad(queue, lapack::gels_batch_scratchpad_size<T, Enabled>(queue, N, m, n, nrhs, a.ld, a.stride, b.ld, b.stride,
                                                                            count));
    const auto event = lapack::gels_batch(queue, N, m, n, nrhs, again.data, a.ld, a.stride, b.device.data, b.ld, b.stride, count,
                                          pad.data, pad.size, {});
    const auto found = b.read(name, {event});
    for (int64_t i = 0; i < count; ++i) {
        // What is left is orthogonal to all columns.
        auto left = a.before[i] * filled(n, nrhs, [&](int64_t r, int64_t c) { return found[i](r, c); });
        for (std::size_t at = 0; at < left.data.size(); ++at) left.data[at] -= b.before[i].data[at];
        near<T>(name, adjoint(a.before[i]) * left, Dense(n, nrhs));
    }
}

// Which matrices fail, and how, for a function that returns when that is known.
template <class F>
void fails(const std::string &name, std::vector<int64_t> ids, std::vector<int64_t> infos, F work) {
    try {
        work();
        report(name, false, "nothing is thrown");
    } catch (const lapack::batch_error &error) {
        std::vector<int64_t> found;
        for (const auto &each : error.exceptions()) {
            try {
                std::rethrow_exception(each);
            } catch (const lapack::computation_error &own) {
                found.push_back(own.info());
            }
        }
        report(name, error.ids() == ids && error.info() == int64_t(ids.size()) && found == infos, "other matrices fail");
    }
}

template <class T>
void failures_of(sycl::queue &queue, const std::string &of, bool nvidia) {
    const int64_t n = 5, count = 6;
    Scratchpad<T> pad(queue, 1 << 20);
    {
        auto matrices = solvable<T>(n, count);
        for (int64_t r = 0; r < n; ++r) matrices[2](r, 3) = 0; // The fourth pivot is 0.
        matrices[4] = Dense(n, n);
        Batch<T> a(queue, matrices);
        Device<int64_t> pivots(queue, std::vector<int64_t>(n * count));
        fails("singular in a batch " + of, {2, 4}, {4, 1}, [&] {
            lapack::getrf_batch(queue, n, n, a.device.data, a.ld, a.stride, pivots.data, n, count, pad.data, pad.size, {}).wait();
        });
        const auto found = a.read("getrf of singular ones " + of, {});
        const auto p = pivots.read();
        for (int64_t i = 0; i < count; ++i) {
            near<T>("the others of a batch " + of, lower_of(found[i], true) * upper_of(found[i]), exchanged(a.before[i],
                                                                                                            &p[i * n]));
        }
        if (nvidia) { // Intel's library has the host's LAPACK say nothing of it.
            fails("inverses of singular ones " + of, {2, 4}, {4, 1}, [&] {
                lapack::getri_batch(queue, n, a.device.data, a.ld, a.stride, pivots.data, n, count, pad.data, pad.size, {}).wait();
            });
            const auto inverses = a.read("getri of singular ones " + of, {});
            for (int64_t i : {0, 1, 3, 5}) near<T>("the other inverses " + of, a.before[i] * inverses[i], unit(n, n));
        }
    }
    {
        auto matrices = definite<T>(n, count);
        matrices[1](2, 2) = -1;
        matrices[5](0, 0) = 0;
        Batch<T> a(queue, matrices);
        fails("not definite in a batch " + of, {1, 5}, {3, 1}, [&] {
            lapack::potrf_batch(queue, uplo::lower, n, a.device.data, a.ld, a.stride, count, pad.data, pad.size, {}).wait();
        });
        const auto found = a.read("potrf of indefinite ones " + of, {});
        for (int64_t i : {0, 2, 3, 4}) {
            near<T>("the other factors " + of, lower_of(found[i], false) * adjoint(lower_of(found[i], false)), matrices[i]);
        }
    }
    {
        auto matrices = dense<T>(6, 4, 4); // One by one.
        for (int64_t r = 0; r < 6; ++r) matrices[1](r, 0) = matrices[2](r, 3) = 0;
        Batch<T> a(queue, matrices);
        Device<int64_t> pivots(queue, std::vector<int64_t>(4 * 4));
        fails("rectangles of less rank in a batch " + of, {1, 2}, {1, 4}, [&] {
            lapack::getrf_batch(queue, 6, 4, a.device.data, a.ld, a.stride, pivots.data, 4, 4, pad.data, pad.size, {}).wait();
        });
    }
    if (nvidia) {
        auto matrices = dense<T>(7, 3, 3);
        for (int64_t r = 0; r < 7; ++r) matrices[1](r, 0) = 0;
        Batch<T> a(queue, matrices), b(queue, dense<T>(7, 2, 3));
        fails("a rank that is too small " + of, {1}, {1}, [&] {
            lapack::gels_batch(queue, N, 7, 3, 2, a.device.data, a.ld, a.stride, b.device.data, b.ld, b.stride, 3, pad.data,
                               pad.size, {}).wait();
        });
        throws<unimplemented>("least squares of wide matrices " + of, [&] {
            lapack::gels_batch(queue, N, 3, 7, 2, a.device.data, 7, 49, b.device.data, 9, 18, 3, pad.data, pad.size, {}).wait();
        });
    }
    Batch<T> a(queue, solvable<T>(n, 2));
    Device<int64_t> pivots(queue, std::vector<int64_t>(n * 2));
    throws<invalid_argument>("a negative number of matrices " + of, [&] {
        lapack::getrf_batch(queue, n, n, a.device.data, a.ld, a.stride, pivots.data, n, -1, pad.data, pad.size, {}).wait();
    });
    throws<invalid_argument>("a leading dimension that is too small " + of, [&] {
        lapack::potrf_batch(queue, uplo::upper, n, a.device.data, n - 1, a.stride, 2, pad.data, pad.size, {}).wait();
    });
}

// Commands of two queues that share working memory, which nobody waits for in between.
template <class T>
void in_turns(const sycl::device &device, const std::string &of) {
    const int64_t n = 9, rounds = 10;
    const auto count = [](int64_t round) { return round % 2 ? 1 : 4; }; // One is a call of another function.
    std::vector<sycl::queue> queues{sycl::queue(device), sycl::queue(device, sycl::property::queue::in_order())};
    std::vector<std::unique_ptr<Batch<T>>> batches;
    std::vector<std::unique_ptr<Device<T>>> taus;
    std::vector<std::unique_ptr<Scratchpad<T>>> pads;
    Events last;
    for (int64_t i = 0; i < rounds; ++i) {
        auto &queue = queues[i % 2];
        batches.push_back(std::make_unique<Batch<T>>(queue, dense<T>(n + i, n, count(i))));
        taus.push_back(std::make_unique<Device<T>>(queue, std::vector<T>(n * count(i))));
        pads.push_back(std::make_unique<Scratchpad<T>>(queue, 1 << 16));
    }
    for (int64_t i = 0; i < rounds; ++i) {
        auto &a = *batches[i];
        const auto first = lapack::geqrf_batch(queues[i % 2], a.m, n, a.device.data, a.ld, a.stride, taus[i]->data, n, count(i),
                                               pads[i]->data, pads[i]->size, {});
        last.push_back(form_q(queues[i % 2], a.m, n, n, a, *taus[i], n, *pads[i], {first}));
    }
    for (int64_t i = 0; i < rounds; ++i) {
        for (const auto &q : batches[i]->read("in turns " + of, {last[i]})) near<T>("in turns " + of, adjoint(q) * q, unit(n, n));
    }
}

// A grid has less than 65536 blocks in its second dimension.
void more_than_a_grid(sycl::queue &queue) {
    const int64_t count = 66000;
    std::vector<float> numbers(count);
    for (int64_t i = 0; i < count; ++i) numbers[i] = float(i + 1);
    Device<float> a(queue, numbers), pad(queue, {0});
    Device<int64_t> pivots(queue, std::vector<int64_t>(count, 99));
    const auto event = lapack::getrf_batch(queue, 1, 1, a.data, 1, 1, pivots.data, 1, count, pad.data, 1, {});
    report("as many factors as matrices", a.read({event}) == numbers);
    report("as many pivots as matrices", pivots.read({event}) == std::vector<int64_t>(count, 1));
    // The last is in the second part.
    numbers.back() = 0;
    Device<float> b(queue, numbers);
    fails("the last of many", {count - 1}, {1}, [&] {
        lapack::getrf_batch(queue, 1, 1, b.data, 1, 1, pivots.data, 1, count, pad.data, 1, {}).wait();
    });
}

template <class T>
void all_of(sycl::queue &queue, const std::string &of, bool nvidia, std::initializer_list<int64_t> sizes) {
    for (int64_t n : sizes) {
        // One is a call of another function.
        const int64_t count = n == 2 ? 1 : n > 8 ? 2 : 3;
        factors<T>(queue, of, n, n, count);
        for (auto part : {uplo::upper, uplo::lower}) cholesky<T>(queue, of, part, n, count);
        orthogonal<T>(queue, of, n, n, n, count);
        orthogonal<T>(queue, of, n + 4, n, n, count);
        if (nvidia) { // Intel's library has it for GPUs only.
            least_squares<T>(queue, of, n + 3, n, 2, count);
            least_squares<T>(queue, of, n, n, 1, count);
        }
    }
    for (int64_t count : {1, 3}) {
        orthogonal<T>(queue, of, 9, 7, 4, count);
        orthogonal<T>(queue, of, 9, 9, 4, count);
        orthogonal<T>(queue, of, 4, 9, 9, count);
        factors<T>(queue, of, 6, 4, count);
        factors<T>(queue, of, 4, 6, count);
    }
    if (nvidia) factors<T>(queue, of, 3, 3, 0); // Intel's library refuses none.
    failures_of<T>(queue, of, nvidia);
}

} // namespace

// lapack_batch [--many | --large]: many matrices; what a GPU computes in a moment.
int main(int argc, char **argv) {
    const std::string argument = argc > 1 ? argv[1] : "";
    const bool large = argument == "--large", many = large || argument == "--many";
    int devices = 0;
    for (const auto &device : sycl::device::get_devices()) {
        const bool nvidia = device.get_platform().get_info<sycl::info::platform::name>() == "NVIDIA CUDA";
        passed = 0;
        auto queues = queues_of(device);
        // Threads of the driver without a GPU take their time, so each size has one queue.
        all_of<float>(queues[0], "float", nvidia, {1, 2, 5, 17, 70});
        all_of<double>(queues[1], "double", nvidia, {1, 2, 3, 33});
        all_of<cfloat>(queues[1], "complex float", nvidia, {1, 2, 4, 31});
        all_of<cdouble>(queues[0], "complex double", nvidia, {1, 2, 5, 17});
        in_turns<double>(device, "double");
        in_turns<cfloat>(device, "complex float");
        auto &queue = queues[1];
        factors<double>(queue, "large", 515, 515, 2); // One by one.
        if (many && nvidia) more_than_a_grid(queue);
        if (large) {
            for (int64_t n : {32, 64, 200, 511}) {
                factors<float>(queue, "float", n, n, 40);
                cholesky<cdouble>(queue, "complex double", uplo::lower, n, 20);
                orthogonal<double>(queue, "double", n + 9, n, n, 20);
                orthogonal<cfloat>(queue, "complex float", n, n, n, 40);
            }
        }
        std::printf("%s: %d checks passed\n", nvidia ? "NVIDIA" : "another device", passed);
        devices += nvidia ? 1 : 100;
    }
    std::printf("%s devices %d\n", failures ? "failed" : "pass", devices);
    return failures != 0;
}
