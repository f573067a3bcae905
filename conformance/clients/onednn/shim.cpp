// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SYCL objects of a client's own, for dnnl_sycl_interop_engine_create. They live as long as the process.
#include <sycl/sycl.hpp>

extern "C" void *shim_device() { return new sycl::device(sycl::default_selector_v); }
extern "C" void *shim_context(void *device) { return new sycl::context(*static_cast<sycl::device *>(device)); }
