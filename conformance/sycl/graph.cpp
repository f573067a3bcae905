// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command graphs: built by hand and by recording a queue, replayed many times, with memory commands, host tasks and
// sub-graphs in them; and changed between replays where the device can (aspect ext_oneapi_graph).
#include "common.hpp"

#include <algorithm>

using State = syclx::graph_state;
using Graph = syclx::command_graph<State::modifiable>;

const char *const source = R"(
ND_RANGE(1) step(int *data, int factor, int addend) { data[global_id()] = data[global_id()] * factor + addend; }
)";

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  const auto context = q.get_context();
  const auto device = q.get_device();
  CHECK(device.has(sycl::aspect::ext_oneapi_limited_graph));
  auto bundle = immortal(compile(q, source));
  auto kernel = bundle.ext_oneapi_get_kernel("step");
  constexpr std::size_t n = 256;
  int *data = sycl::malloc_shared<int>(n, q), *copy = sycl::malloc_shared<int>(n, q);
  auto reset = [&] {
    std::fill_n(data, n, 0);
    std::fill_n(copy, n, 0);
  };
  auto all = [&](const int *values, int expected) { return all_equal(values, n, [&](auto) { return expected; }); };
  auto step = [&](int factor, int addend) {
    return [=](sycl::handler &h) {
      h.set_args(data, factor, addend);
      h.parallel_for(sycl::nd_range<1>{n, 16}, kernel);
    };
  };
  auto replay = [&](auto &executable) { q.ext_oneapi_graph(executable); };

  scenario("a graph built by hand, replayed", [&] {
    reset();
    Graph graph{context, device};
    auto a = graph.add(step(1, 1));
    auto b = graph.add(step(2, 0), {syclx::property::node::depends_on(a)});
    graph.add([&](sycl::handler &h) { h.memcpy(copy, data, n * sizeof(int)); }, {syclx::property::node::depends_on(b)});
    auto executable = graph.finalize();
    CHECK(graph.get_nodes().size() == 3 && graph.get_root_nodes().size() == 1);
    int expected = 0;
    for (int i = 0; i < 5; ++i, expected = (expected + 1) * 2)
      replay(executable);
    q.wait();
    CHECK(all(data, expected) && all(copy, expected));
  });

  scenario("a recorded queue", [&] {
    reset();
    Graph graph{context, device};
    graph.begin_recording(q);
    CHECK(q.ext_oneapi_get_state() == syclx::queue_state::recording);
    q.submit(step(3, 1));
    q.submit(step(1, 10));
    q.memcpy(copy, data, n * sizeof(int));
    graph.end_recording();
    CHECK(q.ext_oneapi_get_state() == syclx::queue_state::executing);
    CHECK(all(data, 0)); // recorded, not run
    auto executable = graph.finalize();
    replay(executable);
    replay(executable);
    q.wait();
    CHECK(all(data, 44) && all(copy, 44));
  });

  scenario("fill, memset and edges made later", [&] {
    reset();
    Graph graph{context, device};
    auto fill = graph.add([&](sycl::handler &h) { h.fill(data, 7, n); });
    auto clear = graph.add([&](sycl::handler &h) { h.memset(copy, 0xff, n * sizeof(int)); });
    auto work = graph.add(step(2, 1));
    graph.make_edge(fill, work);
    graph.make_edge(clear, work);
    CHECK(work.get_predecessors().size() == 2 && fill.get_successors().size() == 1);
    auto executable = graph.finalize();
    replay(executable);
    replay(executable);
    q.wait();
    CHECK(all(data, 15) && all(copy, -1));
  });

  scenario("a host task in a graph", [&] {
    reset();
    Graph graph{context, device};
    auto before = graph.add(step(1, 1));
    auto host = graph.add([&](sycl::handler &h) { h.host_task([=] { std::copy_n(data, n, copy); }); },
                          {syclx::property::node::depends_on(before)});
    graph.add(step(10, 0), {syclx::property::node::depends_on(host)});
    auto executable = graph.finalize();
    replay(executable);
    replay(executable);
    q.wait();
    CHECK(all(data, 110) && all(copy, 11));
  });

  scenario("a graph in a graph", [&] {
    reset();
    Graph inner{context, device};
    auto first = inner.add(step(1, 2));
    inner.add(step(3, 0), {syclx::property::node::depends_on(first)});
    auto inner_executable = inner.finalize();
    Graph outer{context, device};
    auto before = outer.add(step(1, 1));
    auto nested = outer.add([&](sycl::handler &h) { h.ext_oneapi_graph(inner_executable); },
                            {syclx::property::node::depends_on(before)});
    outer.add(step(1, 100), {syclx::property::node::depends_on(nested)});
    auto executable = outer.finalize();
    replay(executable);
    q.wait();
    CHECK(all(data, 109));
  });

  scenario("a graph waits for events, and others wait for it", [&] {
    reset();
    sycl::queue other{context, device};
    Graph graph{context, device};
    graph.add(step(2, 0));
    auto executable = graph.finalize();
    auto filled = other.fill(data, 5, n);
    auto ran = other.submit([&](sycl::handler &h) {
      h.depends_on(filled);
      h.ext_oneapi_graph(executable);
    });
    other.memcpy(copy, data, n * sizeof(int), ran).wait();
    CHECK(all(copy, 10));
  });

  scenario("arguments and ranges changed between replays, or an honest refusal", [&] {
    reset();
    Graph graph{context, device};
    syclx::dynamic_parameter addend{1};
    auto node = graph.add([&](sycl::handler &h) {
      h.set_arg(0, data);
      h.set_arg(1, 1);
      h.set_arg(2, addend);
      h.parallel_for(sycl::nd_range<1>{n, 16}, kernel);
    });
    auto finalize = [&] { return graph.finalize(syclx::property::graph::updatable{}); };
    auto change_and_replay = [&] {
      auto executable = finalize();
      replay(executable);
      q.wait();
      const bool first = all(data, 1);
      addend.update(10);
      node.update_nd_range(sycl::nd_range<1>{n / 2, 16});
      executable.update(node);
      replay(executable);
      q.wait();
      return first && all_equal(data, n, [&](auto i) { return i < n / 2 ? 11 : 1; });
    };
    CHECK(device.has(sycl::aspect::ext_oneapi_graph) ? change_and_replay()
                                                     : error_of(finalize) == code(sycl::errc::feature_not_supported));
  });

  sycl::free(data, q), sycl::free(copy, q);
  return summary();
}
