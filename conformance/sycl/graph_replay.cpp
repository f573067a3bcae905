// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How graphs run: a thousand submissions without waiting, one graph on two queues, graphs in graphs, host tasks, graphs
// that are dropped while they run, times of a run, and the graph that print_graph writes.
#include "graph.hpp"

#include <atomic>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <unistd.h>

using Executable_graph = syclx::command_graph<State::executable>;

int main() {
  Playground p{sycl::queue{sycl::property::queue::in_order{}}};
  auto &q = p.q;
  sycl::queue unordered{p.context, p.device};
  auto *a = p.a, *b = p.b, *c = p.c;
  constexpr auto n = Playground::n;
  auto replay = [&](const Executable_graph &executable) { return q.ext_oneapi_graph(executable); };
  auto chain = [&](int *data, std::initializer_list<std::pair<int, int>> steps) {
    Graph graph{p.context, p.device};
    std::optional<Node> last;
    for (auto [factor, addend] : steps) {
      auto step = p.step(data, factor, addend);
      last = last ? graph.add(step, {depends_on(*last)}) : graph.add(step);
    }
    return graph;
  };
  auto nested = [](const Executable_graph &inner) {
    return [=](sycl::handler &h) { h.ext_oneapi_graph(inner); };
  };

  scenario("1000 submissions without waiting, in order", [&] {
    p.reset();
    auto executable = chain(a, {{1, 1}, {2, 0}, {1, -1}, {0, 0}, {1, 3}}).finalize();
    auto counter = chain(b, {{1, 1}, {1, 1}}).finalize();
    for (int i = 0; i < 1000; ++i)
      replay(i % 2 ? executable : counter);
    q.wait();
    CHECK(p.all(a, 3) && p.all(b, 1000));
  });

  scenario("1000 submissions without waiting, out of order: runs of one graph do not overlap", [&] {
    p.reset();
    auto executable = chain(a, {{1, 1}, {1, 2}}).finalize();
    for (int i = 0; i < 1000; ++i)
      unordered.ext_oneapi_graph(executable);
    unordered.wait();
    CHECK(p.all(a, 3000));
  });

  scenario("one graph on two queues", [&] {
    p.reset();
    auto executable = chain(a, {{1, 1}, {1, 1}}).finalize();
    sycl::queue other{p.context, p.device, sycl::property::queue::in_order{}};
    for (int i = 0; i < 200; ++i)
      (i % 2 ? other : q).ext_oneapi_graph(executable);
    q.wait(), other.wait();
    CHECK(p.all(a, 400));
    // And in an order that events make.
    p.reset();
    auto doubled = chain(a, {{2, 1}}).finalize();
    sycl::event last;
    for (int i = 0; i < 12; ++i)
      last = (i % 2 ? unordered : other).submit(after({last}, nested(doubled)));
    last.wait();
    CHECK(p.all(a, 4095));
  });

  scenario("graphs between other commands of a queue", [&] {
    p.reset();
    auto executable = chain(a, {{1, 1}, {2, 0}}).finalize();
    int expected = 0;
    for (int i = 0; i < 10; ++i) {
      q.submit(p.step(a, 1, i));
      replay(executable);
      q.submit(p.copy(b, a));
      expected = (expected + i + 1) * 2;
    }
    q.wait();
    CHECK(p.all(a, expected) && p.all(b, expected));
    auto before = unordered.submit(p.step(c, 1, 5));
    auto on_c = chain(c, {{3, 0}}).finalize();
    auto ran = unordered.ext_oneapi_graph(on_c, before);
    auto again = unordered.ext_oneapi_graph(on_c, {before, ran});
    unordered.submit(after({again}, p.step(c, 1, 1))).wait();
    CHECK(p.all(c, 46));
    CHECK(again.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete);
  });

  scenario("graphs that are dropped while they run", [&] {
    p.reset();
    for (int i = 0; i < 50; ++i)
      replay(chain(a, {{1, 1}, {1, 1}}).finalize());
    q.wait();
    CHECK(p.all(a, 100));
  });

  scenario("a graph goes on after it was finalized", [&] {
    p.reset();
    auto graph = chain(a, {{1, 1}});
    auto one = graph.finalize();
    graph.add(p.step(a, 10, 0), {syclx::property::node::depends_on_all_leaves{}});
    auto two = graph.finalize();
    replay(one), replay(two), replay(one);
    q.wait();
    CHECK(p.all(a, 21));
  });

  scenario("graphs in graphs, three levels, twice each", [&] {
    p.reset();
    auto inner = chain(a, {{1, 1}, {2, 0}}).finalize();
    Graph middle{p.context, p.device};
    auto one = middle.add(nested(inner));
    auto two = middle.add(nested(inner), {depends_on(one)});
    middle.add(p.step(a, 1, 1), {depends_on(two)});
    CHECK(one.get_type() == syclx::node_type::subgraph);
    auto middle_executable = middle.finalize();
    Graph outer{p.context, p.device};
    auto three = outer.add(nested(middle_executable));
    auto four = outer.add(nested(middle_executable), {depends_on(three)});
    outer.add(p.copy(b, a), {depends_on(four)});
    replay(outer.finalize());
    replay(inner);
    q.wait();
    CHECK(p.all(b, 35) && p.all(a, 72));
  });

  scenario("a graph recorded into another, with roots and leaves beside it", [&] {
    p.reset();
    Graph inner{p.context, p.device};
    inner.add(p.step(a, 1, 1));
    inner.add(p.step(b, 1, 2)); // two roots and leaves
    auto inner_executable = inner.finalize();
    Graph outer{p.context, p.device};
    outer.begin_recording(unordered);
    auto one = unordered.submit(p.step(a, 1, 10));
    auto two = unordered.submit(p.step(b, 1, 20));
    auto three = unordered.submit(after({one, two}, nested(inner_executable)));
    unordered.submit(after({three}, p.add_to(a, b, 0)));
    outer.end_recording();
    auto executable = outer.finalize();
    replay(executable);
    q.wait();
    CHECK(p.all(a, 33) && p.all(b, 22));
  });

  scenario("host tasks first, between and last, in a graph and in its child", [&] {
    p.reset();
    std::atomic<int> tasks = 0;
    auto task = [&](auto body) {
      return [&tasks, body](sycl::handler &h) { h.host_task([&tasks, body] { ++tasks, body(); }); };
    };
    Graph inner{p.context, p.device};
    auto twice = inner.add(p.step(a, 2, 0));
    inner.add(task([=] { std::copy_n(a, n, c); }), {depends_on(twice)});
    auto inner_executable = inner.finalize();
    Graph graph{p.context, p.device};
    auto one = graph.add(task([=] { std::fill_n(a, n, 1); }));
    auto two = graph.add(p.step(a, 3, 1), {depends_on(one)});
    auto beside = graph.add(task([=] { std::fill_n(b, n, 100); }), {depends_on(one)});
    auto three = graph.add(nested(inner_executable), {depends_on(two)});
    graph.add(task([=] { std::transform(a, a + n, b, b, [](int x, int y) { return x + y; }); }),
              {depends_on(three, beside)});
    auto executable = graph.finalize();
    for (int i = 0; i < 5; ++i)
      replay(executable);
    q.wait();
    CHECK(p.all(a, 8) && p.all(b, 108) && p.all(c, 8) && tasks == 20);
  });

  scenario("host tasks of recorded queues", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    graph.begin_recording(q);
    q.submit(p.step(a, 1, 1));
    q.submit([&](sycl::handler &h) { h.host_task([=] { a[0] += 100; }); });
    q.submit(p.step(a, 2, 0));
    graph.end_recording();
    auto executable = graph.finalize();
    for (int i = 0; i < 3; ++i)
      replay(executable);
    q.wait();
    CHECK(a[0] == 1414 && a[1] == 14);
  });

  feature("times of a run", [&] {
    p.reset();
    namespace time = sycl::info::event_profiling;
    sycl::queue profiled{p.context, p.device,
                         {sycl::property::queue::in_order{}, sycl::property::queue::enable_profiling{}}};
    auto check = [&](sycl::event ran) {
      ran.wait();
      const auto start = ran.get_profiling_info<time::command_start>();
      const auto end = ran.get_profiling_info<time::command_end>();
      CHECK(ran.get_profiling_info<time::command_submit>() <= start && start <= end && end > 0);
      return end;
    };
    auto graph = chain(a, {{1, 1}, {2, 0}, {1, 3}});
    auto executable = graph.finalize(syclx::property::graph::enable_profiling{});
    auto one = check(profiled.ext_oneapi_graph(executable));
    auto two = check(profiled.ext_oneapi_graph(executable));
    CHECK(one <= two);
    const syclx::property::node::depends_on_all_leaves last{};
    graph.add([=](sycl::handler &h) { h.host_task([=] { a[0] = 1; }); }, {last});
    graph.add(p.step(a, 1, 0), {last});
    check(profiled.ext_oneapi_graph(graph.finalize(syclx::property::graph::enable_profiling{})));
    auto kernel_only = chain(b, {{1, 1}}).finalize(syclx::property::graph::enable_profiling{});
    check(profiled.ext_oneapi_graph(kernel_only));
  });

  scenario("a profiling queue runs graphs without times too", [&] {
    p.reset();
    sycl::queue profiled{p.context, p.device, sycl::property::queue::enable_profiling{}};
    profiled.ext_oneapi_graph(chain(a, {{1, 1}}).finalize()).wait();
    CHECK(p.all(a, 1));
  });

  scenario("print_graph", [&] {
    Graph graph{p.context, p.device};
    auto one = graph.add(p.step(a, 1, 1));
    auto two = graph.add([&](sycl::handler &h) { h.memcpy(b, a, 64); }, {depends_on(one)});
    auto three = graph.add([&](sycl::handler &h) { h.host_task([] {}); }, {depends_on(one)});
    graph.add({depends_on(two, three)});
    graph.add([&](sycl::handler &h) { h.fill(c, 1, n); });
    const std::string path = "/tmp/sycl_graph_" + std::to_string(getpid()) + ".dot";
    for (bool verbose : {false, true}) {
      std::remove(path.c_str());
      graph.print_graph(path, verbose);
      std::ifstream file{path};
      const std::string text{std::istreambuf_iterator<char>{file}, {}};
      auto count = [&](const std::string &word) {
        std::size_t times = 0;
        for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1))
          ++times;
        return times;
      };
      CHECK(text.rfind("digraph", 0) == 0 && text.find('}') != text.npos);
      CHECK(count("->") == 4 && count("label=") == 5);
      CHECK(count("TYPE = CGExecKernel") >= 1 && text.find("step") != text.npos);
    }
    std::remove(path.c_str());
  });

  return summary();
}
