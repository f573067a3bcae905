// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of oneMKL's LAPACK and Fourier transforms dpnp does not call, and what they throw, on each device that there is.
#include "common.hpp"

namespace oneapi::mkl::lapack {

#define DECLARE(T)                                                                                                         \
    sycl::event getrf(sycl::queue &, int64_t, int64_t, T *, int64_t, int64_t *, T *, int64_t, const Events &);             \
    sycl::event getri(sycl::queue &, int64_t, T *, int64_t, const int64_t *, T *, int64_t, const Events &);                \
    sycl::event potrf(sycl::queue &, uplo, int64_t, T *, int64_t, T *, int64_t, const Events &);                           \
    sycl::event potrs(sycl::queue &, uplo, int64_t, int64_t, const T *, int64_t, T *, int64_t, T *, int64_t, const Events &); \
    sycl::event potrf_batch(sycl::queue &, uplo, int64_t, T *, int64_t, int64_t, int64_t, T *, int64_t, const Events &);   \
    sycl::event gels_batch(sycl::queue &, transpose, int64_t, int64_t, int64_t, T *, int64_t, int64_t, T *, int64_t,       \
                           int64_t, int64_t, T *, int64_t, const Events &);
DECLARE(float)
DECLARE(double)

template <class T, class>
int64_t getrf_scratchpad_size(sycl::queue &, int64_t, int64_t, int64_t);
template <class T, class>
int64_t getri_scratchpad_size(sycl::queue &, int64_t, int64_t);
template <class T, class>
int64_t potrf_scratchpad_size(sycl::queue &, uplo, int64_t, int64_t);
template <class T, class>
int64_t potrs_scratchpad_size(sycl::queue &, uplo, int64_t, int64_t, int64_t, int64_t);
template <class T, class>
int64_t potrf_batch_scratchpad_size(sycl::queue &, uplo, int64_t, int64_t, int64_t, int64_t);
template <class T, class>
int64_t gels_batch_scratchpad_size(sycl::queue &, transpose, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);

} // namespace oneapi::mkl::lapack

namespace oneapi::mkl::dft {

enum class precision { single_precision = 35, double_precision = 36 };
enum class domain { complex = 32, real = 33 };
enum class config_param { number_of_transforms = 6, placement = 8, fwd_distance = 9, bwd_distance = 10, commit_status = 12 };
enum class config_value { committed, uncommitted, complex_complex, real_real, inplace, not_inplace };

// Of the size of oneMKL's.
template <precision P, domain D>
class descriptor {
    alignas(void *) char members[2 * sizeof(void *) + sizeof(sycl::buffer<void *, 1>)];

public:
    descriptor(int64_t length);
    ~descriptor();
    void commit(sycl::queue &queue);
    void set_value(config_param, config_value);
    void set_value(config_param, int64_t);
    void get_value(config_param, config_value *) const;
    void get_value(config_param, int64_t *) const;
};

template <class D, class T>
sycl::event compute_forward(D &, T *, const Events &);
template <class D, class T>
sycl::event compute_backward(D &, T *, const Events &);
template <class D, class I, class O>
sycl::event compute_forward(D &, I *, O *, const Events &);

} // namespace oneapi::mkl::dft

namespace {

// A diagonally dominant matrix, and its product with `x` of `columns` columns.
struct System {
    int64_t n, ld;
    std::vector<double> a, x, b;
    System(int64_t n, int64_t ld, int64_t columns, bool symmetric)
        : n(n), ld(ld), a(random_numbers<double>(n * ld, 1)), x(random_numbers<double>(columns * ld, 2)), b(x) {
        for (int64_t i = 0; i < n; ++i) {
            a[i * ld + i] = 20;
            for (int64_t j = 0; symmetric && j < i; ++j) a[i * ld + j] = a[j * ld + i];
        }
        for (int64_t c = 0; c < columns; ++c) {
            for (int64_t r = 0; r < n; ++r) {
                b[c * ld + r] = 0;
                for (int64_t i = 0; i < n; ++i) b[c * ld + r] += a[i * ld + r] * x[c * ld + i];
            }
        }
    }
};

template <class T>
std::vector<T> as(const std::vector<double> &from) {
    return {from.begin(), from.end()};
}

std::vector<Number> numbers(const std::vector<double> &from) { return {from.begin(), from.end()}; }

// The type of the enabling parameter of oneMKL's templates.
using Enabled = void *;

template <class T>
void solvers(sycl::queue &queue, const std::string &type, bool nvidia) {
    const System system(5, 7, 3, true);
    const auto n = system.n, ld = system.ld;
    {
        Device<T> a(queue, as<T>(system.a)), b(queue, as<T>(system.b));
        const auto size = std::max(lapack::potrf_scratchpad_size<T, Enabled>(queue, uplo::lower, n, ld),
                                   lapack::potrs_scratchpad_size<T, Enabled>(queue, uplo::lower, n, 3, ld, ld));
        Device<T> pad(queue, std::vector<T>(size));
        const auto first = lapack::potrf(queue, uplo::lower, n, a.data, ld, pad.data, size, {});
        const auto last = lapack::potrs(queue, uplo::lower, n, 3, a.data, ld, b.data, ld, pad.data, size, {first});
        compare("potrs " + type, b.read({last}), numbers(system.x));
    }
    {
        Device<T> a(queue, as<T>(system.a));
        Device<int64_t> pivots(queue, std::vector<int64_t>(n));
        const auto size = std::max(lapack::getrf_scratchpad_size<T, Enabled>(queue, n, n, ld),
                                   lapack::getri_scratchpad_size<T, Enabled>(queue, n, ld));
        Device<T> pad(queue, std::vector<T>(size));
        const auto first = lapack::getrf(queue, n, n, a.data, ld, pivots.data, pad.data, size, {});
        const auto inverse = a.read({lapack::getri(queue, n, a.data, ld, pivots.data, pad.data, size, {first})});
        std::vector<T> product(n * n);
        std::vector<Number> one(n * n);
        for (int64_t r = 0; r < n; ++r) {
            one[r * n + r] = 1;
            for (int64_t c = 0; c < n; ++c) {
                for (int64_t i = 0; i < n; ++i) product[c * n + r] += T(system.a[i * ld + r]) * inverse[c * ld + i];
            }
        }
        compare("getri " + type, product, one);
        for (int64_t c = 0; c < n; ++c) {
            for (int64_t r = n; r < ld; ++r) report("getri keeps what is between columns", inverse[c * ld + r] == T(system.a[c * ld + r]));
        }
    }
    if (nvidia) { // Intel's library has it for GPUs only.
        // Each matrix is square systems on top of zeros, so the solution is exact.
        const int64_t m = 6, count = 2, stride = 50;
        std::vector<T> a(stride * count), b(stride * count);
        for (int64_t i = 0; i < count; ++i) {
            for (int64_t c = 0; c < n; ++c) {
                for (int64_t r = 0; r < n; ++r) a[i * stride + c * ld + r] = T(system.a[c * ld + r]) * T(i + 1);
            }
            for (int64_t c = 0; c < 3; ++c) {
                for (int64_t r = 0; r < n; ++r) b[i * stride + c * ld + r] = T(system.b[c * ld + r]) * T(i + 1);
            }
        }
        Device<T> da(queue, a), db(queue, b);
        const auto size = lapack::gels_batch_scratchpad_size<T, Enabled>(queue, transpose::nontrans, m, n, 3, ld, stride, ld, stride, count);
        Device<T> pad(queue, std::vector<T>(size));
        const auto found = db.read({lapack::gels_batch(queue, transpose::nontrans, m, n, 3, da.data, ld, stride, db.data, ld, stride,
                                                       count, pad.data, size, {})});
        for (int64_t i = 0; i < count; ++i) {
            for (int64_t c = 0; c < 3; ++c) {
                const auto at = found.begin() + i * stride + c * ld;
                const auto x = system.x.begin() + c * ld;
                compare("gels_batch " + type, std::vector<T>(at, at + n), numbers({x, x + n}));
            }
        }
    }
}

void exceptions(sycl::queue &queue) {
    Device<double> a(queue, std::vector<double>(9, 0)), pad(queue, std::vector<double>(100000));
    Device<int64_t> pivots(queue, std::vector<int64_t>(3));
    try {
        lapack::getrf(queue, 3, 3, a.data, 3, pivots.data, pad.data, 100000, {}).wait();
        report("singular", false, "nothing is thrown");
    } catch (const lapack::exception &error) {
        report("singular", error.info() == 1, "info is " + std::to_string(error.info()));
        report("singular has a text", std::string(error.what()).find("getrf") != std::string::npos, error.what());
    }
    throws<oneapi::mkl::computation_error>("singular", [&] {
        lapack::getrf(queue, 3, 3, a.data, 3, pivots.data, pad.data, 100000, {}).wait();
    });
    std::vector<double> matrices(27, 0);
    for (int i = 0; i < 3; ++i) matrices[i * 4] = 1;
    Device<double> batch(queue, matrices);
    try {
        lapack::potrf_batch(queue, uplo::upper, 3, batch.data, 3, 9, 3, pad.data, 100000, {}).wait();
        report("failures in a batch", false, "nothing is thrown");
    } catch (const lapack::batch_error &error) {
        report("failures in a batch", error.info() == 2 && error.ids() == std::vector<int64_t>{1, 2} && error.exceptions().size() == 2);
    }
    const auto good = batch.read();
    report("the others of a batch", good[0] == 1 && good[4] == 1 && good[8] == 1);
    throws<oneapi::mkl::invalid_argument>("no scratchpad", [&] {
        lapack::potrf(queue, uplo::upper, 3, batch.data, 3, nullptr, 0, {}).wait();
    });
}

template <dft::precision P, class T>
void transforms(sycl::queue &queue, const std::string &type) {
    using Complex = dft::descriptor<P, dft::domain::complex>;
    using Real = dft::descriptor<P, dft::domain::real>;
    using C = std::complex<T>;
    const int64_t n = 6, count = 3;
    const auto expected = [&](auto at, int64_t i) {
        Number sum = 0;
        for (int64_t j = 0; j < n; ++j) sum += number(at(j)) * std::polar(1.0, -2 * M_PI * double(i * j) / double(n));
        return sum;
    };
    // Forth and back in place, of several, committed again with another number of them.
    const auto x = random_numbers<C>(n * count, 1);
    std::vector<Number> back;
    for (auto element : x) back.push_back(number(element) * double(n));
    Complex plan(n);
    plan.set_value(dft::config_param::placement, dft::config_value::inplace);
    plan.set_value(dft::config_param::fwd_distance, n);
    plan.set_value(dft::config_param::bwd_distance, n);
    for (int64_t number_of : {int64_t(1), count}) {
        plan.set_value(dft::config_param::number_of_transforms, number_of);
        plan.commit(queue);
        dft::config_value status{};
        int64_t transforms = 0;
        plan.get_value(dft::config_param::commit_status, &status);
        plan.get_value(dft::config_param::number_of_transforms, &transforms);
        report("is committed", status == dft::config_value::committed && transforms == number_of);
        Device<C> data(queue, x);
        const auto forth = dft::compute_forward<Complex, C>(plan, data.data, {});
        const auto found = data.read({forth});
        for (int64_t t = 0; t < count; ++t) {
            std::vector<Number> all;
            for (int64_t i = 0; i < n; ++i) {
                all.push_back(t < number_of ? expected([&](int64_t j) { return x[t * n + j]; }, i) : number(x[t * n + i]));
            }
            compare("forth " + type, std::vector<C>(found.begin() + t * n, found.begin() + (t + 1) * n), all);
        }
        const auto event = dft::compute_backward<Complex, C>(plan, data.data, {forth});
        auto returned = back;
        for (int64_t i = number_of * n; i < count * n; ++i) returned[i] = number(x[i]);
        compare("and back " + type, data.read({event}), returned);
    }
    // Real numbers out of place.
    const auto reals = random_numbers<T>(n, 2);
    Real real_plan(n);
    real_plan.set_value(dft::config_param::placement, dft::config_value::not_inplace);
    real_plan.commit(queue);
    Device<T> in(queue, reals);
    Device<C> out(queue, std::vector<C>(n / 2 + 1));
    std::vector<Number> half;
    for (int64_t i = 0; i <= n / 2; ++i) half.push_back(expected([&](int64_t j) { return reals[j]; }, i));
    const auto found = out.read({dft::compute_forward<Real, T, C>(real_plan, in.data, out.data, {})});
    compare("real numbers " + type, found, half);
}

} // namespace

int main() {
    int devices = 0;
    for (const auto &device : sycl::device::get_devices()) {
        const bool nvidia = device.get_platform().get_info<sycl::info::platform::name>() == "NVIDIA CUDA";
        for (auto &queue : queues_of(device)) {
            passed = 0;
            solvers<float>(queue, "float", nvidia);
            solvers<double>(queue, "double", nvidia);
            exceptions(queue);
            transforms<dft::precision::single_precision, float>(queue, "float");
            transforms<dft::precision::double_precision, double>(queue, "double");
            std::printf("%s: %d checks passed\n", nvidia ? "NVIDIA" : "another device", passed);
        }
        devices += nvidia ? 1 : 100;
    }
    std::printf("%s devices %d\n", failures ? "failed" : "pass", devices);
    return failures != 0;
}
