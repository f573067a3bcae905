// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cublas.hpp"

#include <map>
#include <memory>
#include <mutex>

namespace oxur {

struct Cublas::Handle {
    void *raw = nullptr;
    CudaContext context = nullptr;
    Stream stream = nullptr;
};

namespace {

constexpr Function none{"blas", "initialization"};

template <class... A>
void library(const char *name, A... arguments) {
    check_cublas(reinterpret_cast<int (*)(A...)>(cublas_library().find(name))(arguments...), none);
}

// As many handles of a context may lie idle before one is used on another stream than before: each has working memory.
constexpr int most_free = 4;

// Handles that nobody uses, by context. They are never destroyed: the driver may be gone when the process ends.
struct Free {
    std::mutex mutex;
    std::multimap<CudaContext, void *> handles;
};

Free &free_handles() {
    static auto &free = *new Free;
    return free;
}

} // namespace

Cublas::Cublas(Stream stream) : handle_(nullptr) {
    CudaContext context = nullptr;
    driver("cuCtxGetCurrent", &context);
    auto &free = free_handles();
    {
        std::lock_guard lock(free.mutex);
        auto [first, last] = free.handles.equal_range(context);
        // One that was on this stream before, if there is: it keeps its workspace.
        auto found = std::find_if(first, last, [&](auto &entry) { return static_cast<Handle *>(entry.second)->stream == stream; });
        if (found == last && std::distance(first, last) >= most_free) found = first;
        if (found != last) {
            handle_ = static_cast<Handle *>(found->second);
            free.handles.erase(found);
        }
    }
    if (!handle_) {
        auto made = std::make_unique<Handle>();
        library("cublasCreate_v2", &made->raw);
        made->context = context;
        handle_ = made.release();
    }
    if (handle_->stream != stream) {
        library("cublasSetStream_v2", handle_->raw, stream);
        handle_->stream = stream;
    }
}

Cublas::~Cublas() {
    auto &free = free_handles();
    std::lock_guard lock(free.mutex);
    free.handles.emplace(handle_->context, handle_);
}

void Cublas::point_to_device(bool device) { library("cublasSetPointerMode_v2", raw(), int(device)); }

void *Cublas::raw() const { return handle_->raw; }

} // namespace oxur
