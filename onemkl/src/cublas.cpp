// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cublas.hpp"

#include <memory>

#include "idle.hpp"

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
constexpr int most_idle = 4;

} // namespace

Cublas::Cublas(Stream stream) : handle_(nullptr) {
    CudaContext context = nullptr;
    driver("cuCtxGetCurrent", &context);
    handle_ = Idle<Handle>::all().take(context, stream, most_idle);
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

Cublas::~Cublas() { Idle<Handle>::all().give(handle_); }

void Cublas::point_to_device(bool device) { library("cublasSetPointerMode_v2", raw(), int(device)); }

void *Cublas::raw() const { return handle_->raw; }

} // namespace oxur
