// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneMKL's Fourier transforms on cuFFT: those on USM that clients import.
//
// A descriptor stays Intel's, which keeps what the client configures. When it is committed to a queue of ours, a plan of cuFFT is
// made from that, and kept here by the descriptor's address until it ends or is committed again.
#include "dft.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <shared_mutex>

#include "command.hpp"

namespace oneapi::mkl::dft {

using std::int64_t;

enum class precision { single_precision = 35, double_precision = 36 };
enum class domain { complex = 32, real = 33 };

enum class config_param {
    lengths = 2,
    forward_scale = 4,
    backward_scale = 5,
    number_of_transforms = 6,
    complex_storage = 7,
    placement = 8,
    fwd_distance = 9,
    bwd_distance = 10,
    commit_status = 12,
    fwd_strides = 17,
    bwd_strides = 18,
};

enum class config_value { committed = 0, complex_complex = 2, inplace = 4 };

template <precision P, domain D>
class descriptor {
    using real = std::conditional_t<P == precision::double_precision, double, float>;

public:
    void commit(sycl::queue &queue);
    // Calls from here must go through the dynamic linker, too: before commit they are for Intel's.
    [[gnu::noipa]] void get_value(config_param, config_value *) const;
    // These are Intel's.
    void get_value(config_param, int64_t *) const;
    void get_value(config_param, real *) const;
    void get_value(config_param, std::vector<int64_t> *) const;
};

} // namespace oneapi::mkl::dft

namespace oxur {
namespace {

using namespace oneapi::mkl::dft;

// How the elements of one side lie in memory: strides by dimension, distance between transforms.
struct Layout {
    int64_t offset;
    std::vector<int64_t> strides;
    int64_t distance;
};

// What a descriptor says.
struct Configuration {
    bool is_double, is_real, in_place;
    std::vector<int64_t> lengths;
    int64_t count;
    Layout forward, backward;
    oneapi::mkl::dft::config_value placement, storage;
};

// How many elements there are from the first to the last.
int64_t extent(const Configuration &config, const Layout &layout, bool halved) {
    int64_t last = (config.count - 1) * layout.distance;
    for (std::size_t at = 0; at < config.lengths.size(); ++at) {
        const auto length = halved && at + 1 == config.lengths.size() ? config.lengths[at] / 2 + 1 : config.lengths[at];
        last += (length - 1) * layout.strides[at];
    }
    return last + 1;
}

[[noreturn]] void unimplemented(const char *what) { throw oneapi::mkl::unimplemented("dft", "commit", what); }

template <class... A>
void cufft(Function function, const char *name, A... arguments) {
    check_cufft(reinterpret_cast<int (*)(A...)>(cufft_library().find(name))(arguments...), function);
}

// A plan for one direction, or for both where the two sides are alike.
class Plan {
    int handle_ = 0;

public:
    // `order` has the dimensions from the outermost to the innermost.
    Plan(const Configuration &config, const std::vector<std::size_t> &order, const Layout &in, const Layout &out, int type_in,
         int type_out) {
        constexpr Function function{"dft", "commit"};
        std::vector<long long> lengths;
        for (auto at : order) lengths.push_back(config.lengths[at]);
        auto in_embedded = embedded(in, order), out_embedded = embedded(out, order);
        std::size_t bytes = 0;
        cufft(function, "cufftCreate", &handle_);
        cufft(function, "cufftXtMakePlanMany", handle_, int(order.size()), lengths.data(), in_embedded.data(),
              (long long)in.strides[order.back()], (long long)in.distance, type_in, out_embedded.data(),
              (long long)out.strides[order.back()], (long long)out.distance, type_out, (long long)config.count, &bytes,
              config.is_double ? 5 : 4);
    }
    ~Plan() {
        // The context that it is of need not be current.
        if (handle_) reinterpret_cast<int (*)(int)>(cufft_library().find("cufftDestroy"))(handle_);
    }
    Plan(const Plan &) = delete;

    void run(Function function, void *from, void *to, int direction, Stream stream) const {
        cufft(function, "cufftSetStream", handle_, stream);
        cufft(function, "cufftXtExec", handle_, from, to, direction);
    }

private:
    // cuFFT has no strides by dimension: each dimension has room for some elements of the next, which it is given as.
    static std::vector<long long> embedded(const Layout &layout, const std::vector<std::size_t> &order) {
        std::vector<long long> room(order.size(), 1);
        for (std::size_t at = 1; at < order.size(); ++at) {
            const auto outer = layout.strides[order[at - 1]], inner = layout.strides[order[at]];
            if (inner <= 0 || outer % inner) unimplemented("strides of which one is no multiple of the next");
            room[at] = outer / inner;
        }
        return room;
    }
};

// The plans of a configuration, for one stream.
struct Plans {
    std::unique_ptr<Plan> forward, backward;
    // A copy of the input of a transform from complex to real numbers, which cuFFT overwrites.
    std::uintptr_t copy = 0;
    std::size_t copy_bytes = 0;
    // A plan has working memory, so one thread at a time gives it to the stream.
    std::mutex mutex;

    Plans() = default;
    Plans(const Plans &) = delete;
    ~Plans() {
        if (copy) driver("cuMemFree", copy);
    }
};

// What commit makes of a descriptor.
struct Committed {
    sycl::queue queue;
    Configuration config;
    std::shared_ptr<Plans> plans;

    explicit Committed(const sycl::queue &queue) : queue(queue) {}
};

std::shared_ptr<Plans> make_plans(const Configuration &config) {
    auto plans = std::make_shared<Plans>();
    std::vector<std::size_t> order(config.lengths.size());
    std::iota(order.begin(), order.end(), 0);
    const auto real = config.is_double ? 1 : 0, complex = config.is_double ? 5 : 4;
    if (!config.is_real) {
        // The dimensions may come in any order. cuFFT's goes from the largest stride to the smallest.
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
            return config.forward.strides[a] > config.forward.strides[b];
        });
        plans->forward = std::make_unique<Plan>(config, order, config.forward, config.backward, complex, complex);
        const bool alike = config.forward.strides == config.backward.strides && config.forward.distance == config.backward.distance;
        if (!alike) plans->backward = std::make_unique<Plan>(config, order, config.backward, config.forward, complex, complex);
        return plans;
    }
    plans->forward = std::make_unique<Plan>(config, order, config.forward, config.backward, real, complex);
    plans->backward = std::make_unique<Plan>(config, order, config.backward, config.forward, complex, real);
    if (!config.in_place) {
        plans->copy_bytes = extent(config, config.backward, true) * (config.is_double ? 16 : 8);
        if (const auto status = driver("cuMemAlloc", &plans->copy, plans->copy_bytes)) {
            throw oneapi::mkl::device_bad_alloc("dft", "commit", "cuMemAlloc returned " + std::to_string(status));
        }
    }
    return plans;
}

// The plans that were used last. dpnp commits a descriptor for each transform, and a plan takes a millisecond.
class PlanCache {
    static constexpr std::size_t most = 16;
    using Key = std::pair<Stream, std::vector<int64_t>>;
    std::mutex mutex_;
    std::list<std::pair<Key, std::shared_ptr<Plans>>> plans_;

    static std::vector<int64_t> numbers(const Configuration &config) {
        std::vector<int64_t> all{config.is_double, config.is_real, config.in_place, config.count};
        all.insert(all.end(), config.lengths.begin(), config.lengths.end());
        for (const auto *layout : {&config.forward, &config.backward}) {
            all.push_back(layout->distance);
            all.insert(all.end(), layout->strides.begin(), layout->strides.end());
        }
        return all;
    }

public:
    std::shared_ptr<Plans> get(Stream stream, const Configuration &config) {
        const Key key{stream, numbers(config)};
        std::lock_guard lock(mutex_);
        const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const auto &entry) { return entry.first == key; });
        if (found != plans_.end()) {
            plans_.splice(plans_.begin(), plans_, found);
        } else {
            plans_.emplace_front(key, make_plans(config));
            if (plans_.size() > most) plans_.pop_back();
        }
        return plans_.front().second;
    }
};

// It may outlive the driver, so it is never destroyed.
PlanCache &plan_cache() {
    static auto &cache = *new PlanCache;
    return cache;
}

// The committed descriptors by their addresses. They may outlive the driver, so the map is never destroyed.
struct Registry {
    std::shared_mutex mutex;
    std::map<const void *, std::shared_ptr<Committed>> committed;
};

Registry &registry() {
    static auto &registry = *new Registry;
    return registry;
}

std::shared_ptr<Committed> committed_of(const void *descriptor) {
    std::shared_lock lock(registry().mutex);
    const auto found = registry().committed.find(descriptor);
    return found == registry().committed.end() ? nullptr : found->second;
}

template <precision P, domain D>
Configuration read(const descriptor<P, D> &from) {
    Configuration config;
    config.is_double = P == precision::double_precision;
    config.is_real = D == domain::real;
    const auto number = [&](config_param param) {
        int64_t value = 0;
        from.get_value(param, &value);
        return value;
    };
    const auto numbers = [&](config_param param, std::size_t count) {
        std::vector<int64_t> values(count);
        from.get_value(param, &values);
        return values;
    };
    const auto dimensions = number(config_param(1));
    config.lengths = numbers(config_param::lengths, dimensions);
    config.count = number(config_param::number_of_transforms);
    const auto layout = [&](config_param strides, config_param distance) {
        auto values = numbers(strides, dimensions + 1);
        return Layout{values[0], {values.begin() + 1, values.end()}, number(distance)};
    };
    config.forward = layout(config_param::fwd_strides, config_param::fwd_distance);
    config.backward = layout(config_param::bwd_strides, config_param::bwd_distance);
    from.get_value(config_param::placement, &config.placement);
    from.get_value(config_param::complex_storage, &config.storage);
    config.in_place = config.placement == config_value::inplace;
    if (config.in_place && !config.is_real) config.backward = config.forward;
    // Of a single transform oneMKL's distance may be 0, which cuFFT does not take.
    if (config.count == 1) {
        config.forward.distance = extent(config, config.forward, false);
        config.backward.distance = extent(config, config.backward, config.is_real);
    }
    std::conditional_t<P == precision::double_precision, double, float> forward = 0, backward = 0;
    from.get_value(config_param::forward_scale, &forward);
    from.get_value(config_param::backward_scale, &backward);
    if (forward != 1 || backward != 1) unimplemented("a scale");
    if (config.storage != config_value::complex_complex) unimplemented("real and imaginary parts in different places");
    if (dimensions > 3) unimplemented("more than three dimensions");
    return config;
}

// Submits a transform. Addresses are those of the first side's and the second side's first transform.
template <class In, class Out>
sycl::event compute(const void *descriptor, bool forward, In *in, Out *out, const Events &dependencies) {
    const Function function{"dft", forward ? "compute_forward" : "compute_backward"};
    const auto committed = committed_of(descriptor);
    const auto &config = committed->config;
    if ((static_cast<const void *>(in) == out) != config.in_place) {
        throw oneapi::mkl::invalid_argument("dft", function.name, "the descriptor is for another placement");
    }
    const auto &from_layout = forward ? config.forward : config.backward, &to_layout = forward ? config.backward : config.forward;
    void *from = in + from_layout.offset, *to = out + to_layout.offset;
    return submit(committed->queue, dependencies, function, [=](Stream stream) {
        auto &plans = *committed->plans;
        std::lock_guard lock(plans.mutex);
        auto source = from;
        if (!forward && plans.copy) {
            source = reinterpret_cast<void *>(plans.copy);
            copy(source, from, plans.copy_bytes, stream);
        }
        const auto &plan = forward || !plans.backward ? plans.forward : plans.backward;
        plan->run(function, source, to, forward ? -1 : 1, stream);
    });
}

} // namespace

bool has_descriptor(const void *descriptor) { return committed_of(descriptor) != nullptr; }

void forget_descriptor(const void *descriptor) {
    std::shared_ptr<Committed> last;
    std::unique_lock lock(registry().mutex);
    if (auto found = registry().committed.extract(descriptor)) last = std::move(found.mapped());
    lock.unlock();
}

} // namespace oxur

namespace oneapi::mkl::dft {

template <precision P, domain D>
void descriptor<P, D>::commit(sycl::queue &queue) {
    oxur::forget_descriptor(this); // Its values are Intel's again.
    const auto committed = std::make_shared<oxur::Committed>(queue);
    committed->config = oxur::read(*this);
    // A command, as it has a stream and a context. Mostly it has run when it is submitted, and need not be waited for.
    const auto done = std::make_shared<std::atomic<bool>>(false);
    auto event = oxur::submit(queue, {}, {"dft", "commit"}, [=](oxur::Stream stream) {
        committed->plans = oxur::plan_cache().get(stream, committed->config);
        *done = true;
    });
    if (!*done) event.wait();
    if (!*done) throw computation_error("dft", "commit", "there is no plan");
    std::unique_lock lock(oxur::registry().mutex);
    oxur::registry().committed[this] = committed;
}

template <precision P, domain D>
void descriptor<P, D>::get_value(config_param param, config_value *value) const {
    const auto committed = oxur::committed_of(this);
    switch (param) {
    case config_param::commit_status: *value = config_value::committed; break;
    case config_param::placement: *value = committed->config.placement; break;
    case config_param::complex_storage: *value = committed->config.storage; break;
    default: throw unimplemented("dft", "get_value", "this parameter");
    }
}

template <class Descriptor, class Data>
sycl::event compute_forward(Descriptor &descriptor, Data *data, const std::vector<sycl::event> &dependencies) {
    return oxur::compute(&descriptor, true, data, data, dependencies);
}
template <class Descriptor, class In, class Out>
sycl::event compute_forward(Descriptor &descriptor, In *in, Out *out, const std::vector<sycl::event> &dependencies) {
    return oxur::compute(&descriptor, true, in, out, dependencies);
}
template <class Descriptor, class Data>
sycl::event compute_backward(Descriptor &descriptor, Data *data, const std::vector<sycl::event> &dependencies) {
    return oxur::compute(&descriptor, false, data, data, dependencies);
}
template <class Descriptor, class In, class Out>
sycl::event compute_backward(Descriptor &descriptor, In *in, Out *out, const std::vector<sycl::event> &dependencies) {
    return oxur::compute(&descriptor, false, in, out, dependencies);
}

#define IN_PLACE(name, D, T) template sycl::event name(D &, T *, const std::vector<sycl::event> &);
#define OUT_OF_PLACE(name, D, In, Out) template sycl::event name(D &, In *, Out *, const std::vector<sycl::event> &);
#define TRANSFORMS(P, Real)                                                                                                \
    template void descriptor<P, domain::complex>::commit(sycl::queue &);                                                   \
    template void descriptor<P, domain::complex>::get_value(config_param, config_value *) const;                           \
    template void descriptor<P, domain::real>::commit(sycl::queue &);                                                      \
    template void descriptor<P, domain::real>::get_value(config_param, config_value *) const;                              \
    using Complex##Real = descriptor<P, domain::complex>;                                                                  \
    using Real##Real = descriptor<P, domain::real>;                                                                        \
    IN_PLACE(compute_forward, Complex##Real, std::complex<Real>)                                                           \
    IN_PLACE(compute_backward, Complex##Real, std::complex<Real>)                                                          \
    IN_PLACE(compute_forward, Real##Real, Real)                                                                            \
    IN_PLACE(compute_backward, Real##Real, Real)                                                                           \
    OUT_OF_PLACE(compute_forward, Complex##Real, std::complex<Real>, std::complex<Real>)                                   \
    OUT_OF_PLACE(compute_backward, Complex##Real, std::complex<Real>, std::complex<Real>)                                  \
    OUT_OF_PLACE(compute_forward, Real##Real, Real, std::complex<Real>)                                                    \
    OUT_OF_PLACE(compute_backward, Real##Real, std::complex<Real>, Real)
TRANSFORMS(precision::single_precision, float)
TRANSFORMS(precision::double_precision, double)

} // namespace oneapi::mkl::dft
