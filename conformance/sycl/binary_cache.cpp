// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libsycl's persistent cache: the first process that builds a kernel leaves the device's binary on disk, and the next one
// builds from that binary. The program runs itself twice, with an empty cache directory of its own.
#include "common.hpp"

#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

const char *const source = R"(
syclx::device_global<int> base;
ND_RANGE(1) number(int *out) { out[global_id()] = base + 10 * global_id(); }
)";

/// What each of the two processes does.
bool build_and_run() {
  sycl::queue q{sycl::property::queue::in_order{}};
  auto bundle = compile(q, source);
  int *out = sycl::malloc_shared<int>(64, q), seven = 7;
  q.memcpy(bundle.ext_oneapi_get_device_global_address("base", q.get_device()), &seven, sizeof seven);
  launch(q, bundle.ext_oneapi_get_kernel("number"), 64, 8, out).wait();
  const bool right = all_equal(out, 64, [](auto i) { return 7 + 10 * i; });
  sycl::free(out, q);
  return right;
}

int main(int argc, char **argv) {
  if (argc > 1)
    return build_and_run() ? 0 : 1;

  const fs::path cache = fs::temp_directory_path() / ("oxur-binary-cache-" + std::to_string(getpid()));
  setenv("SYCL_CACHE_PERSISTENT", "1", 1);
  setenv("SYCL_CACHE_DIR", cache.c_str(), 1);
  auto run_self = [&] {
    if (const pid_t child = fork(); child == 0) {
      execl("/proc/self/exe", argv[0], "child", nullptr);
      _exit(127);
    } else {
      int status = -1;
      waitpid(child, &status, 0);
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
  };
  auto binaries = [&] { // the device's, not the compiler's own
    std::vector<std::pair<fs::path, std::uintmax_t>> found;
    for (const auto &file : fs::recursive_directory_iterator(cache))
      if (file.path().extension() == ".bin" && file.path().filename() != "ir.bin")
        found.emplace_back(file.path(), file.file_size());
    return found;
  };

  scenario("the first process fills the cache", [&] {
    CHECK(run_self() == 0);
    CHECK(binaries().size() == 1);
  });
  scenario("the second process builds from it", [&] {
    const auto before = binaries();
    CHECK(run_self() == 0);
    CHECK(binaries() == before);
  });
  fs::remove_all(cache);
  return summary();
}
