// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.hpp"

#include <map>
#include <mutex>
#include <string_view>

#include "kernels_ptx.hpp"

namespace oxur {
namespace {

enum Kernel { addresses_kernel, widen_kernel, narrow_kernel, copy_kernel, identity_kernel, reflectors_kernel, reciprocals_kernel };
constexpr const char *names[] = {"addresses",     "widen",         "narrow",        "copy_elements", "identity",
                                 "reflectors",    "reciprocals_S", "reciprocals_D", "reciprocals_C", "reciprocals_Z"};
constexpr int letters = 4;
constexpr std::int64_t warp = 32, most_threads = 256;

void require(int status, const char *what) {
    if (status) throw std::runtime_error(std::string(what) + " returned " + std::to_string(status));
}

} // namespace

struct Kernels::Loaded {
    void *functions[std::size(names)];
};

namespace {

const Kernels::Loaded &of_context(CudaContext context) {
    static std::mutex mutex;
    static auto &all = *new std::map<CudaContext, Kernels::Loaded>;
    std::lock_guard lock(mutex);
    if (auto found = all.find(context); found != all.end()) return found->second;
    void *module = nullptr;
    require(driver("cuModuleLoadData", &module, static_cast<const void *>(ptx)), "cuModuleLoadData");
    Kernels::Loaded loaded{};
    for (std::size_t i = 0; i < std::size(names); ++i) {
        require(driver("cuModuleGetFunction", &loaded.functions[i], module, names[i]), "cuModuleGetFunction");
    }
    return all[context] = loaded;
}

CudaContext current() {
    CudaContext context = nullptr;
    driver("cuCtxGetCurrent", &context);
    return context;
}

} // namespace

Kernels::Kernels(Stream stream) : loaded_(of_context(current())), stream_(stream) {}

template <class... A>
void Kernels::launch(int kernel, std::int64_t threads, std::int64_t count, A... arguments) const {
    if (threads == 0 || count == 0) return;
    void *places[] = {&arguments...};
    const auto block = std::min(most_threads, (threads + warp - 1) / warp * warp);
    const auto blocks = static_cast<unsigned>((threads + block - 1) / block), matrices = static_cast<unsigned>(count);
    require(driver("cuLaunchKernel", loaded_.functions[kernel], blocks, matrices, 1u, unsigned(block), 1u, 1u, 0u, stream_,
                   static_cast<void **>(places), static_cast<void **>(nullptr)),
            "cuLaunchKernel");
}

void Kernels::addresses(void *to, std::uint64_t first, std::int64_t stride, std::int64_t count) const {
    launch(addresses_kernel, count, 1, to, first, stride, std::uint32_t(count));
}

void Kernels::widen(std::int64_t *to, std::int64_t stride, const std::int32_t *from, std::int64_t n, std::int64_t count) const {
    launch(widen_kernel, n, count, to, stride * std::int64_t(sizeof *to), from, std::uint32_t(n));
}

void Kernels::narrow(std::int32_t *to, const std::int64_t *from, std::int64_t stride, std::int64_t n, std::int64_t count) const {
    launch(narrow_kernel, n, count, to, from, stride * std::int64_t(sizeof *from), std::uint32_t(n));
}

void Kernels::copy(Words to, Words from, Layout layout, std::int64_t elements, std::int64_t count, std::uint32_t part) const {
    const auto words = elements << layout.shift;
    launch(copy_kernel, words, count, to.data, to.stride, to.ld, from.data, from.stride, from.ld, layout.rows, std::uint32_t(words),
           layout.shift, part);
}

void Kernels::identity(Words to, Layout layout, std::int64_t elements, std::int64_t count) const {
    const auto words = elements << layout.shift;
    launch(identity_kernel, words, count, to.data, to.stride, to.ld, layout.rows, std::uint32_t(words), layout.shift, layout.one_at,
           layout.one);
}

void Kernels::reflectors(Words to, Words from, Words tau, Layout layout, std::int64_t elements, std::int64_t count) const {
    const auto words = elements << layout.shift;
    launch(reflectors_kernel, words, count, to.data, from.data, from.stride, from.ld, tau.data, tau.stride, layout.rows,
           std::uint32_t(words), layout.shift, layout.one_at, layout.one);
}

void Kernels::reciprocals(char letter, void *to, const void *tau, std::int64_t stride_tau, std::int64_t n, std::int64_t count) const {
    const auto type = std::string_view("SDCZ").find(letter);
    static_assert(std::size(names) == reciprocals_kernel + letters);
    launch(reciprocals_kernel + int(type), n, count, to, tau, stride_tau, std::uint32_t(n));
}

} // namespace oxur
