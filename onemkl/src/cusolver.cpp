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
    // Behind what a stream does with the working memory.
    void *used = nullptr;
    int *infos = nullptr;
    std::int64_t most_infos = 0;
    std::int64_t expected = 0;
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

void require(int status, const char *what) {
    if (status) throw std::runtime_error(std::string(what) + " returned " + std::to_string(status));
}

template <class... A>
void library(Function function, const char *name, A... arguments) {
    check_cusolver(reinterpret_cast<int (*)(A...)>(cusolver_library().find(name))(arguments...), function);
}

} // namespace

Solver::Solver(Stream stream, Function function, std::int64_t matrices) : handle_(nullptr), function_(function) {
    CudaContext context = nullptr;
    driver("cuCtxGetCurrent", &context);
    // Each has working memory, so one of another stream is as good.
    handle_ = Idle<Handle>::all().take(context, stream, 1);
    if (!handle_) {
        auto made = std::make_unique<Handle>();
        made->context = context;
        library(function, "cusolverDnCreate", &made->raw);
        library(function, "cusolverDnCreateParams", &made->params);
        require(driver("cuEventCreate", &made->used, 2u), "cuEventCreate"); // CU_EVENT_DISABLE_TIMING
        handle_ = made.release();
    }
    if (handle_->stream != stream) {
        library(function, "cusolverDnSetStream", handle_->raw, stream);
        handle_->stream = stream;
    }
    // Also where it is the same stream: that may be a new one at the address of an old one.
    require(driver("cuStreamWaitEvent", stream, handle_->used, 0u), "cuStreamWaitEvent");
    expect(matrices);
}

Solver::~Solver() {
    if (handle_->device_bytes > most_kept) {
        driver("cuStreamSynchronize", handle_->stream);
        driver("cuMemFree", handle_->device);
        handle_->device_bytes = 0;
    }
    driver("cuEventRecord", handle_->used, handle_->stream);
    Idle<Handle>::all().give(handle_);
}

void *Solver::device_memory(std::size_t bytes) {
    if (bytes > handle_->device_bytes) {
        if (handle_->device_bytes) {
            wait(handle_->stream);
            driver("cuMemFree", handle_->device);
        }
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

void Solver::expect(std::int64_t count) {
    if (count > handle_->most_infos) {
        if (handle_->most_infos) {
            wait(handle_->stream);
            driver("cuMemFree", handle_->infos);
        }
        handle_->most_infos = 0;
        allocate(&handle_->infos, count * sizeof *handle_->infos, function_);
        handle_->most_infos = count;
    }
    handle_->expected = count;
    require(driver("cuMemsetD8Async", handle_->infos, static_cast<unsigned char>(0), count * sizeof *handle_->infos,
                   handle_->stream), "cuMemsetD8Async");
}

int *Solver::info_address() const { return handle_->infos + matrix_; }

std::vector<int> Solver::infos() const {
    std::vector<int> infos(handle_->expected);
    copy(infos.data(), handle_->infos, infos.size() * sizeof infos[0], handle_->stream);
    wait(handle_->stream);
    return infos;
}

int Solver::info() const { return infos()[matrix_]; }

void *Solver::params() const { return handle_->params; }
Stream Solver::stream() const { return handle_->stream; }
void *Solver::raw() const { return handle_->raw; }

} // namespace oxur
