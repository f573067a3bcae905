// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cusolver.hpp"

#include <memory>

#include "idle.hpp"

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

} // namespace

Solver::Solver(Stream stream, Function function) : handle_(nullptr), function_(function) {
    CudaContext context = nullptr;
    driver("cuCtxGetCurrent", &context);
    // Each has working memory, so one of another stream is as good.
    handle_ = Idle<Handle>::all().take(context, stream, 1);
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
    Idle<Handle>::all().give(handle_);
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
