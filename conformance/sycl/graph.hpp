// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs about command graphs share.
#pragma once
#include "common.hpp"

#include <algorithm>
#include <functional>

using State = syclx::graph_state;
using Graph = syclx::command_graph<State::modifiable>;
using Node = syclx::node;
using syclx::property::node::depends_on;

/// Kernels of these programs, and the small arrays that they work on.
struct Playground {
  static constexpr std::size_t n = 256;

  explicit Playground(const sycl::queue &queue, const std::string &source = "")
      : q{queue}, context{q.get_context()}, device{q.get_device()}, bundle{immortal(compile(q, R"(
ND_RANGE(1) step(int *data, int factor, int addend) { data[global_id()] = data[global_id()] * factor + addend; }
ND_RANGE(1) add_to(int *to, const int *from, int addend) { to[global_id()] += from[global_id()] + addend; }
)" + source))},
        a{sycl::malloc_shared<int>(n, q)}, b{sycl::malloc_shared<int>(n, q)}, c{sycl::malloc_shared<int>(n, q)} {
    reset();
  }
  Playground(const Playground &) = delete;
  ~Playground() { sycl::free(a, q), sycl::free(b, q), sycl::free(c, q); }

  void reset() {
    for (int *array : {a, b, c})
      std::fill_n(array, n, 0);
  }
  bool all(const int *values, int expected) const {
    return all_equal(values, n, [&](auto) { return expected; });
  }
  sycl::kernel kernel(const char *name) { return bundle.ext_oneapi_get_kernel(name); }

  /// A command group that submits a kernel over n work-items.
  template <class... Args> auto work(const char *name, Args... args) {
    return [=, kernel = kernel(name)](sycl::handler &h) {
      h.set_args(args...);
      h.parallel_for(sycl::nd_range<1>{n, 16}, kernel);
    };
  }
  auto step(int *data, int factor, int addend) { return work("step", data, factor, addend); }
  auto add_to(int *to, const int *from, int addend) {
    return work("add_to", to, from, addend);
  }
  auto copy(int *to, const int *from) const {
    return [=](sycl::handler &h) { h.memcpy(to, from, n * sizeof(int)); };
  }

  sycl::queue q;
  sycl::context context;
  sycl::device device;
  Executable bundle;
  int *a, *b, *c;
};

/// A command group that also waits for these events.
template <class Body> auto after(std::vector<sycl::event> events, Body body) {
  return [=](sycl::handler &h) {
    h.depends_on(events);
    body(h);
  };
}

/// A scenario that a device may refuse: an exception of SYCL is no failure, but no "ok" either. It counts as one check
/// either way, so that the closing line is the same on a stack that refuses it and on one that runs it; known.toml
/// names what only one of them refuses. Why stands on stderr.
template <class Body> void feature(const std::string &name, Body body) {
  const int before = passed, bad = failed;
  try {
    body();
  } catch (const sycl::exception &e) {
    std::cerr << name << ": " << e.what() << "\n";
    passed = before + 1;
    std::cout << (failed == bad ? "refused " : "BAD  ") << name << std::endl;
    return;
  }
  if (failed == bad)
    passed = before + 1;
  std::cout << (failed == bad ? "ok   " : "BAD  ") << name << std::endl;
}
