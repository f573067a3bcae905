// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libcufft.so.12 for tests: the functions that liboxur_onemkl.so calls. Names, types and values are cuFFT's. As cuFFT's, a
// transform from complex to real numbers spoils its input.
#include <map>
#include <mutex>

#include "fake_cuda.hpp"

namespace {

enum { success = 0, invalid_value = 4 };

struct Side {
    std::vector<long long> room;
    long long stride, distance;
    int type; // cudaDataType_t
    bool is_complex() const { return type == 4 || type == 5; }
    bool is_double() const { return type == 1 || type == 5; }
    // Where an element is.
    int64_t at(const std::vector<int64_t> &index) const {
        int64_t place = index[0];
        for (std::size_t i = 1; i < index.size(); ++i) place = place * room[i] + index[i];
        return place * stride;
    }
};

struct Plan {
    std::vector<long long> lengths;
    Side in, out;
    long long count;
    Stream stream;
};

std::mutex mutex;
std::map<int, Plan> plans;

// The elements of a side's memory, as complex numbers.
std::vector<Number> read(const Side &side, const void *from, int64_t count, Stream stream) {
    std::vector<Number> result;
    const auto add = [&](auto elements) {
        for (auto element : elements) result.push_back(number(element));
    };
    if (side.is_complex()) {
        if (side.is_double()) add(load<std::complex<double>>(from, count, stream));
        else add(load<std::complex<float>>(from, count, stream));
    } else {
        if (side.is_double()) add(load<double>(from, count, stream));
        else add(load<float>(from, count, stream));
    }
    return result;
}

void write(const Side &side, void *to, const std::vector<Number> &elements, Stream stream) {
    const auto as = [&](auto zero) {
        std::vector<decltype(zero)> result;
        for (auto element : elements) result.push_back(from_number<decltype(zero)>(element));
        store(to, result, stream);
    };
    if (side.is_complex()) side.is_double() ? as(std::complex<double>()) : as(std::complex<float>());
    else side.is_double() ? as(double()) : as(float());
}

// All indices below these lengths.
template <class F>
void each(const std::vector<int64_t> &lengths, F work) {
    std::vector<int64_t> index(lengths.size());
    for (;;) {
        work(index);
        std::size_t at = lengths.size();
        while (at && ++index[at - 1] == lengths[at - 1]) index[--at] = 0;
        if (!at) return;
    }
}

void run(const Plan &plan, void *from, void *to, int direction) {
    const std::vector<int64_t> lengths(plan.lengths.begin(), plan.lengths.end());
    const auto halved = [&](const Side &side, const Side &other) {
        auto result = lengths;
        if (side.is_complex() && !other.is_complex()) result.back() = result.back() / 2 + 1;
        return result;
    };
    const auto in_lengths = halved(plan.in, plan.out), out_lengths = halved(plan.out, plan.in);
    const auto extent = [&](const Side &side, std::vector<int64_t> last) {
        for (auto &length : last) --length;
        return (plan.count - 1) * side.distance + side.at(last) + 1;
    };
    const auto in = read(plan.in, from, extent(plan.in, in_lengths), plan.stream);
    auto out = read(plan.out, to, extent(plan.out, out_lengths), plan.stream);
    for (int64_t i = 0; i < plan.count; ++i) {
        each(out_lengths, [&](const std::vector<int64_t> &k) {
            Number sum = 0;
            each(lengths, [&](const std::vector<int64_t> &n) {
                double phase = 0;
                for (std::size_t d = 0; d < lengths.size(); ++d) phase += double(k[d] * n[d] % lengths[d]) / double(lengths[d]);
                auto index = n;
                bool conjugate = false;
                if (index.back() >= in_lengths.back()) { // The half that is not there mirrors the other.
                    for (std::size_t d = 0; d < lengths.size(); ++d) index[d] = (lengths[d] - index[d]) % lengths[d];
                    conjugate = true;
                }
                auto element = in[i * plan.in.distance + plan.in.at(index)];
                if (conjugate) element = std::conj(element);
                sum += element * std::polar(1.0, 2 * M_PI * direction * phase);
            });
            out[i * plan.out.distance + plan.out.at(k)] = plan.out.is_complex() ? sum : sum.real();
        });
    }
    if (!plan.out.is_complex() && from != to) write(plan.in, from, std::vector<Number>(in.size(), -77.0), plan.stream);
    write(plan.out, to, out, plan.stream);
}

} // namespace

extern "C" {

int cufftCreate(int *handle) {
    static int next = 1;
    std::lock_guard lock(mutex);
    *handle = next++;
    plans[*handle] = {};
    return success;
}
int cufftXtMakePlanMany(int handle, int rank, long long *lengths, long long *in_room, long long in_stride, long long in_distance,
                        int in_type, long long *out_room, long long out_stride, long long out_distance, int out_type,
                        long long count, std::size_t *bytes, int) {
    if (rank < 1 || rank > 3 || in_distance < 1 || out_distance < 1) return invalid_value; // As cuFFT.
    std::lock_guard lock(mutex);
    plans[handle] = {{lengths, lengths + rank},
                     {{in_room, in_room + rank}, in_stride, in_distance, in_type},
                     {{out_room, out_room + rank}, out_stride, out_distance, out_type},
                     count, nullptr};
    *bytes = 0;
    return success;
}
int cufftSetStream(int handle, Stream stream) {
    std::lock_guard lock(mutex);
    plans[handle].stream = stream;
    return success;
}
int cufftXtExec(int handle, void *from, void *to, int direction) {
    std::lock_guard lock(mutex);
    run(plans[handle], from, to, direction);
    return success;
}
int cufftDestroy(int handle) {
    std::lock_guard lock(mutex);
    plans.erase(handle);
    return success;
}

} // extern "C"
