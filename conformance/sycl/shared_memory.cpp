// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory that two processes share (sycl_ext_oneapi_inter_process_communication): the program starts itself again
// with the bytes of a handle. Devices without it refuse; our CPU adapter has it where UR_CPU_IPC says so. 2026.1 has
// another form of it.
#include "common.hpp"

#if __has_include(<sycl/ext/oneapi/experimental/ipc_physical_memory.hpp>)
#include <sycl/ext/oneapi/experimental/ipc_memory.hpp>

#include <cstdlib>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ipc = sycl::ext::oneapi::experimental::ipc;
constexpr std::size_t n = 10000;

/// What the other process does: checks the values, and writes others.
int other(sycl::queue &q, const std::string &text) {
  ipc::handle_data_t data(text.size() / 2);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<std::byte>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  auto *shared = static_cast<int *>(ipc::memory::open(data, q.get_context(), q.get_device()));
  std::vector<int> values(n);
  q.copy(shared, values.data(), n).wait();
  CHECK(all_equal(values.data(), n, [](auto i) { return 3 * i; }));
  q.fill(shared, 42, n).wait();
  ipc::memory::close(shared, q.get_context());
  return failed;
}

int main(int argc, char **argv) {
  setenv("UR_CPU_IPC", "1", 1);
  sycl::queue q{sycl::property::queue::in_order{}};
  if (argc > 1)
    return other(q, argv[1]);
  const bool supported = q.get_device().has(sycl::aspect::ext_oneapi_ipc_memory);
  fact("memory of other processes", supported);

  scenario("another process reads and writes", [&] {
    if (!supported)
      return;
    int *shared = sycl::malloc_device<int>(n, q);
    std::vector<int> values(n);
    for (std::size_t i = 0; i < n; ++i)
      values[i] = static_cast<int>(3 * i);
    q.copy(values.data(), shared, n).wait();
    auto handle = ipc::memory::get(shared, q.get_context());
    std::ostringstream text;
    for (std::byte byte : handle.data()) {
      text << "0123456789abcdef"[std::to_integer<int>(byte) >> 4] << "0123456789abcdef"[std::to_integer<int>(byte) & 15];
    }
    std::string argument = text.str();
    char *arguments[] = {argv[0], argument.data(), nullptr};
    pid_t child = 0;
    int status = -1;
    if (posix_spawn(&child, argv[0], nullptr, nullptr, arguments, environ) != 0 || waitpid(child, &status, 0) != child ||
        status != 0)
      throw std::runtime_error("the other process failed");
    ipc::memory::put(handle, q.get_context());
    q.copy(shared, values.data(), n).wait();
    if (!all_equal(values.data(), n, [](auto) { return 42; }))
      throw std::runtime_error("the other process wrote something else");
    sycl::free(shared, q);
  });
  return summary();
}
#else
int main() {
  sycl::queue q;
  return summary();
}
#endif
