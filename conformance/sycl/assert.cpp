// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// assert in a kernel: one that holds costs nothing, one that fails says on stderr where and which work-item. What
// becomes of the process is the driver's choice: Intel's aborts it, ours gives the command an error and goes on. So a
// child fails.
#include "common.hpp"

#include <csignal>
#include <cstdio>
#include <sys/wait.h>

const char *const source = R"(
#include <cassert>
ND_RANGE(1) take(int *cells) {
  assert(cells[global_id()] == 0 && "the cell is free");
  cells[global_id()] = 1;
}
)";

/// Takes all cells but one that is taken. Ends with 0 if that is an error which leaves process and queue alive.
int fail() {
  sycl::queue q{sycl::property::queue::in_order{}};
  auto take = compile(q, source).ext_oneapi_get_kernel("take");
  int *cells = sycl::malloc_shared<int>(128, q);
  std::fill_n(cells, 128, 0);
  cells[77] = 2;
  const int error = error_of([&] { launch(q, take, 64, 16, cells + 64).wait(); });
  q.memset(cells, 0, 128 * sizeof(int)).wait();
  launch(q, take, 128, 32, cells).wait();
  return error == code(sycl::errc::runtime) && all_equal(cells, 128, [](auto) { return 1; }) ? 0 : 1;
}

int main(int count, char **arguments) {
  if (count > 1)
    return fail();

  scenario("an assertion that holds", [] {
    sycl::queue q{sycl::property::queue::in_order{}};
    int *cells = sycl::malloc_shared<int>(64, q);
    std::fill_n(cells, 64, 0);
    launch(q, compile(q, source).ext_oneapi_get_kernel("take"), 64, 16, cells).wait();
    CHECK(all_equal(cells, 64, [](auto) { return 1; }));
    sycl::free(cells, q);
  });

  scenario("an assertion that fails", [&] {
    const std::string command = std::string("exec '") + arguments[0] + "' fail 2>&1";
    std::FILE *child = popen(command.c_str(), "r");
    std::string said;
    for (int c; (c = std::fgetc(child)) != EOF;)
      said += static_cast<char>(c);
    const int status = pclose(child);

    const auto message = said.find("rtc_0.cpp:");
    CHECK(message != std::string::npos);
    const std::string line = said.substr(std::min(message, said.size()), said.find('\n', message) - message);
    std::cout << "message: " << line << "\n";
    for (const char *part : {"take(int *)", "Assertion `cells[global_id()] == 0 && \"the cell is free\"` failed.",
                             "global id: [13,0,0], local id: [13,0,0]"})
      CHECK(line.find(part) != std::string::npos);

    const bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    fact("a failed assertion", aborted ? "aborts the process" : "is an error of its command");
    CHECK(aborted || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
  });
  return summary();
}
