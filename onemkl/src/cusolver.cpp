// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cusolver.hpp"

#include <map>
#include <memory>
#include <mutex>

namespace oxur {

struct Solver::Handle {
    void *raw = nullptr;
    void *params = nullptr;
    CudaContext context = nullptr;
    Stream stream = nullptr;
    int *info = nullptr;
    void *device = nullptr;
    std::size_t device_bytes = 0;
    std::vector<char> host;
};

namespace {

// Working memory beyond this goes back to the driver at once.
constexpr std::size_t most_kept = std::size_t(64) << 20;

void allocate(void *place, std::size_t bytes, Function function) {
    if (const auto status = driver("cuMemAlloc", place, bytes)) {
        throw oneapi::mkl::device_bad_alloc(function.domain, function.name, "cuMemAlloc returned " + std::to_string(status));
    }
}

template <class... A>
void library(Function function, const char *name, A... arguments) {
    check_cusolver(reinterpret_cast<int (*)(A...)>(cusolver_library().find(name))(arguments...), function);
}

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

Solver::Solver(Stream stream, Function function) : handle_(nullptr), function_(function) {
    CudaContext context = nullptr;
    driver("cuCtxGetCurrent", &context);
    auto &free = free_handles();
    {
        std::lock_guard lock(free.mutex);
        if (auto found = free.handles.find(context); found != free.handles.end()) {
            handle_ = static_cast<Handle *>(found->second);
            free.handles.erase(found);
        }
    }
    if (!handle_) {
        auto made = std::make_unique<Handle>();
        made->context = context;
        library(function, "cusolverDnCreate", &made->raw);
        library(function, "cusolverDnCreateParams", &made->params);
        allocate(&made->info, sizeof *made->info, function);
        handle_ = made.release();
    }
    if (handle_->stream != stream) {
        library(function, "cusolverDnSetStream", handle_->raw, stream);
        handle_->stream = stream;
    }
}

Solver::~Solver() {
    if (handle_->device_bytes > most_kept) {
        driver("cuMemFree", handle_->device);
        handle_->device_bytes = 0;
    }
    auto &free = free_handles();
    std::lock_guard lock(free.mutex);
    free.handles.emplace(handle_->context, handle_);
}

void *Solver::device_memory(std::size_t bytes) {
    if (bytes > handle_->device_bytes) {
        if (handle_->device_bytes) driver("cuMemFree", handle_->device);
        handle_->device_bytes = 0;
        allocate(&handle_->device, bytes, function_);
        handle_->device_bytes = bytes;
    }
    return handle_->device;
}

void *Solver::host_memory(std::size_t bytes) {
    if (handle_->host.size() < bytes) handle_->host.resize(bytes);
    return handle_->host.data();
}

int *Solver::info_address() const { return handle_->info; }

int Solver::info() const {
    int info = 0;
    copy(&info, handle_->info, sizeof info, handle_->stream);
    wait(handle_->stream);
    return info;
}

void *Solver::params() const { return handle_->params; }
Stream Solver::stream() const { return handle_->stream; }
void *Solver::raw() const { return handle_->raw; }

} // namespace oxur
