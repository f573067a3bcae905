// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorded graphs with the property enable_native_recording: where the device can, the queue below libsycl captures the
// commands (urQueueBeginCaptureIntoGraphExp), else libsycl records them as ever, and the results must be the same.
#include "common.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

using State = syclx::graph_state;
using Graph = syclx::command_graph<State::modifiable>;

const char *const source = R"(
ND_RANGE(1) step(int *data, int factor, int addend) { data[global_id()] = data[global_id()] * factor + addend; }
)";

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  const auto context = q.get_context();
  const auto device = q.get_device();
  auto bundle = immortal(compile(q, source));
  auto kernel = bundle.ext_oneapi_get_kernel("step");
  constexpr std::size_t n = 256;
  int *data = sycl::malloc_shared<int>(n, q), *copy = sycl::malloc_shared<int>(n, q);
  auto all = [&](const int *values, int expected) { return all_equal(values, n, [&](auto) { return expected; }); };
  auto reset = [&] {
    std::fill_n(data, n, 0);
    std::fill_n(copy, n, 0);
  };
  auto step = [&](int factor, int addend) {
    return [=](sycl::handler &h) {
      h.set_args(data, factor, addend);
      h.parallel_for(sycl::nd_range<1>{n, 16}, kernel);
    };
  };

  // What only native recording refuses tells whether it is there.
  bool native = false;
  try {
    Graph graph{context, device, {syclx::property::graph::enable_native_recording{}}};
    graph.add([](sycl::handler &) {});
  } catch (const sycl::exception &e) {
    native = std::string(e.what()).find("native recording mode") != std::string::npos;
  }
  std::cout << "native recording: " << (native ? "yes" : "no") << std::endl;
  auto make = [&] {
    return native ? Graph{context, device, {syclx::property::graph::enable_native_recording{}}} : Graph{context, device};
  };

  scenario("kernels, copies and fills of one queue", [&] {
    reset();
    Graph graph = make();
    graph.begin_recording(q);
    CHECK(q.ext_oneapi_get_state() == syclx::queue_state::recording);
    q.fill(data, 3, n);
    q.submit(step(2, 1));
    q.memcpy(copy, data, n * sizeof(int));
    q.memset(data, 0xff, n * sizeof(int));
    graph.end_recording();
    CHECK(q.ext_oneapi_get_state() == syclx::queue_state::executing);
    CHECK(all(data, 0) && all(copy, 0));
    auto executable = graph.finalize();
    for (int i = 0; i < 3; ++i) {
      reset();
      q.ext_oneapi_graph(executable);
      q.wait();
      CHECK(all(data, -1) && all(copy, 7));
    }
  });

  scenario("a second queue joins and comes back", [&] {
    reset();
    sycl::queue other{context, device, sycl::property::queue::in_order{}};
    Graph graph = make();
    graph.begin_recording(q);
    auto start = q.fill(data, 5, n);
    auto forked = other.submit([&](sycl::handler &h) {
      h.depends_on(start);
      h.memcpy(copy, data, n * sizeof(int));
    });
    q.submit([&](sycl::handler &h) {
      h.depends_on(forked);
      step(2, 2)(h);
    });
    graph.end_recording();
    auto executable = graph.finalize();
    q.ext_oneapi_graph(executable);
    q.ext_oneapi_graph(executable);
    q.wait();
    CHECK(all(data, 12) && all(copy, 5));
    other.fill(copy, 1, n).wait();
    CHECK(all(copy, 1));
  });

  scenario("a graph that runs in another", [&] {
    reset();
    Graph inner = make();
    inner.begin_recording(q);
    q.submit(step(1, 2));
    q.submit(step(3, 0));
    inner.end_recording();
    auto inner_executable = inner.finalize();
    Graph outer = make();
    outer.begin_recording(q);
    q.submit(step(1, 1));
    q.ext_oneapi_graph(inner_executable);
    q.submit(step(1, 100));
    outer.end_recording();
    auto executable = outer.finalize();
    q.ext_oneapi_graph(executable);
    q.wait();
    CHECK(all(data, 109));
  });

  scenario("a function of the host's", [&] {
    reset();
    int calls = 0;
    Graph graph = make();
    graph.begin_recording(q);
    q.submit(step(1, 1));
    syclx::host_task(q, [&] { ++calls, std::copy_n(data, n, copy); });
    q.submit(step(10, 0));
    graph.end_recording();
    auto executable = graph.finalize();
    q.ext_oneapi_graph(executable);
    q.ext_oneapi_graph(executable);
    q.wait();
    CHECK(calls == 2 && all(data, 110) && all(copy, 11));
  });

  scenario("a thousand runs without waiting", [&] {
    reset();
    Graph graph = make();
    graph.begin_recording(q);
    q.submit(step(1, 1));
    q.submit(step(1, 1));
    graph.end_recording();
    auto executable = graph.finalize();
    for (int i = 0; i < 1000; ++i)
      q.ext_oneapi_graph(executable);
    q.wait();
    CHECK(all(data, 2000));
  });

  scenario("a graph dump", [&] {
    Graph graph = make();
    graph.begin_recording(q);
    q.submit(step(1, 1));
    graph.end_recording();
    graph.print_graph("native_graph.dot", true);
    std::ifstream file("native_graph.dot");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK(text.find("digraph") != std::string::npos && text.find("step") != std::string::npos);
    std::remove("native_graph.dot");
  });

  sycl::free(data, q), sycl::free(copy, q);
  return summary();
}
