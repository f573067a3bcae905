// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs that change between runs: arguments by dynamic parameters (values, structures, pointers, accessors, local
// memory), ranges, whole graphs, and command groups chosen among several. A device without aspect ext_oneapi_graph
// refuses each of these.
#include "graph.hpp"

const char *const source = R"(
using RW1 = sycl::accessor<int, 1, sycl::access_mode::read_write>;
struct Both { int factor; long addend; };
ND_RANGE(1) add(RW1 data, int amount) { data[global_id()] += amount; }
ND_RANGE(1) by_struct(int *data, Both both) { data[global_id()] = data[global_id()] * both.factor + both.addend; }
ND_RANGE(1) triple(int *data, int factor, int addend) { data[global_id()] = 3 * data[global_id()] + addend; }
ND_RANGE(2) number(int *data, int pitch) {
  auto item = this_item<2>();
  const int sizes = 100 * item.get_local_range(0) + 10000 * item.get_local_range(1);
  data[item.get_global_id(0) * pitch + item.get_global_id(1)] += 1 + sizes;
}
ND_RANGE(1) sizes(int *data) {
  data[global_id()] = this_item().get_local_range(0) * 1000 + this_item().get_global_range(0);
}
ND_RANGE(1) rotate(int *data, syclx::dynamic_work_group_memory<int[]> memory) {
  auto tile = memory.get();
  const size_t l = local_id(), size = this_item().get_local_range(0);
  tile[l] = data[global_id()];
  sycl::group_barrier(this_item().get_group());
  data[global_id()] = tile[(l + 1) % size];
}
ND_RANGE(1) reverse(int *data, syclx::dynamic_local_accessor<int, 1> memory) {
  auto tile = memory.get();
  const size_t l = local_id(), last = this_item().get_local_range(0) - 1;
  tile[l] = data[global_id()];
  sycl::group_barrier(this_item().get_group());
  data[global_id()] = tile[last - l];
}
)";

struct Both {
  int factor;
  long addend;
};

int main() {
  Playground p{sycl::queue{sycl::property::queue::in_order{}}, source};
  auto &q = p.q;
  auto *a = p.a, *b = p.b, *c = p.c;
  constexpr auto n = Playground::n;
  const syclx::property::graph::updatable updatable{};
  using Changeable = syclx::command_graph<State::executable>;
  auto replay = [&](const Changeable &executable) { q.ext_oneapi_graph(executable).wait(); };
  const sycl::nd_range<1> whole{n, 16};

  feature("a value", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    syclx::dynamic_parameter<int> factor{1}, addend{1};
    auto node = graph.add([&](sycl::handler &h) {
      h.set_args(a, factor, addend);
      h.parallel_for(whole, p.kernel("step"));
    });
    graph.add(p.copy(b, a), {depends_on(node)});
    auto executable = graph.finalize(updatable);
    replay(executable);
    CHECK(p.all(b, 1));
    factor.update(5), addend.update(2);
    replay(executable); // not yet
    CHECK(p.all(b, 2));
    executable.update(node);
    replay(executable);
    CHECK(p.all(b, 12));
    addend.update(-12);
    executable.update(std::vector<Node>{node});
    replay(executable);
    CHECK(p.all(b, 48));
  });

  feature("a value of many nodes, and a structure", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    syclx::dynamic_parameter<int> addend{1};
    syclx::dynamic_parameter<Both> both{Both{2, 3}};
    auto add = [&](sycl::handler &h) {
      h.set_args(a, 1, addend);
      h.parallel_for(whole, p.kernel("step"));
    };
    auto one = graph.add(add);
    auto two = graph.add([&](sycl::handler &h) {
      h.set_args(a, both);
      h.parallel_for(whole, p.kernel("by_struct"));
    }, {depends_on(one)});
    auto three = graph.add(add, {depends_on(two)});
    auto executable = graph.finalize(updatable);
    replay(executable);
    CHECK(p.all(a, 6));
    addend.update(10), both.update(Both{-1, 7});
    executable.update({one, three}); // the structure stays
    replay(executable);
    CHECK(p.all(a, 45));
    executable.update(two);
    replay(executable);
    CHECK(p.all(a, -38));
  });

  feature("a pointer", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    syclx::dynamic_parameter<int *> target{a};
    auto node = graph.add([&](sycl::handler &h) {
      h.set_args(target, 1, 4);
      h.parallel_for(whole, p.kernel("step"));
    });
    auto executable = graph.finalize(updatable);
    replay(executable);
    for (int *next : {b, c, b}) {
      target.update(next);
      executable.update(node);
      replay(executable);
    }
    CHECK(p.all(a, 4) && p.all(b, 8) && p.all(c, 4));
  });

  feature("an accessor", [&] {
    std::vector<int> start(n, 1), second(n, 10);
    sycl::buffer<int> one{start.data(), n}, two{second.data(), n};
    one.set_write_back(false), two.set_write_back(false);
    {
      Graph graph{p.context, p.device, syclx::property::graph::assume_buffer_outlives_graph{}};
      using Accessor = sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::device,
                                      sycl::access::placeholder::true_t>;
      Accessor of_one{one}, of_two{two};
      syclx::dynamic_parameter<Accessor> data{of_one};
      auto node = graph.add([&](sycl::handler &h) {
        h.require(data);
        h.set_args(data, 5);
        h.parallel_for(whole, p.kernel("add"));
      });
      auto executable = graph.finalize(updatable);
      replay(executable);
      data.update(of_two);
      executable.update(node);
      replay(executable);
      replay(executable);
    }
    sycl::host_accessor first{one, sycl::read_only}, other{two, sycl::read_only};
    CHECK(p.all(&first[0], 6) && p.all(&other[0], 20));
  });

  feature("memory of work-groups", [&] {
    p.reset();
    std::iota(a, a + n, 0);
    Graph graph{p.context, p.device};
    syclx::dynamic_work_group_memory<int[]> memory{16};
    auto node = graph.add([&](sycl::handler &h) {
      h.set_args(a, memory);
      h.parallel_for(whole, p.kernel("rotate"));
    });
    auto executable = graph.finalize(updatable);
    replay(executable);
    CHECK(all_equal(a, n, [=](auto i) { return i / 16 * 16 + (i + 1) % 16; }));
    memory.update(64);
    node.update_nd_range(sycl::nd_range<1>{n, 64});
    executable.update(node);
    std::iota(a, a + n, 0);
    replay(executable);
    CHECK(all_equal(a, n, [=](auto i) { return i / 64 * 64 + (i + 1) % 64; }));
  });

  // libsycl hands on no argument for a dynamic_local_accessor of a kernel that was compiled at run time.
  feature("a local accessor", [&] {
    p.reset();
    std::iota(a, a + n, 0);
    Graph graph{p.context, p.device};
    syclx::dynamic_local_accessor<int, 1> memory{sycl::range{16}};
    auto node = graph.add([&](sycl::handler &h) {
      h.set_args(a, memory);
      h.parallel_for(whole, p.kernel("reverse"));
    });
    auto executable = graph.finalize(updatable);
    replay(executable);
    CHECK(all_equal(a, n, [=](auto i) { return i / 16 * 16 + 15 - i % 16; }));
    memory.update(sycl::range{64});
    node.update_nd_range(sycl::nd_range<1>{n, 64});
    executable.update(node);
    std::iota(a, a + n, 0);
    replay(executable);
    CHECK(all_equal(a, n, [=](auto i) { return i / 64 * 64 + 63 - i % 64; }));
  });

  feature("a range", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    auto node = graph.add([&](sycl::handler &h) {
      h.set_args(a);
      h.parallel_for(sycl::nd_range<1>{n / 2, 16}, p.kernel("sizes"));
    });
    auto executable = graph.finalize(updatable);
    replay(executable);
    CHECK(all_equal(a, n, [=](auto i) { return i < n / 2 ? 16000 + n / 2 : 0; }));
    node.update_nd_range(sycl::nd_range<1>{n, 64});
    executable.update(node);
    replay(executable);
    CHECK(p.all(a, 64000 + n));
    node.update_nd_range(sycl::nd_range<1>{32, 8});
    executable.update(node);
    replay(executable);
    CHECK(all_equal(a, n, [=](auto i) { return i < 32 ? 8032 : 64000 + n; }));
  });

  feature("a range without a work-group size", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    auto node = graph.add([&](sycl::handler &h) {
      h.set_args(a, 1, 1);
      h.parallel_for(sycl::range<1>{n / 2}, p.kernel("step"));
    });
    auto executable = graph.finalize(updatable);
    replay(executable);
    for (std::size_t next : {n, std::size_t{17}, std::size_t{1}, n / 2}) {
      node.update_range(sycl::range<1>{next});
      executable.update(node);
      replay(executable);
    }
    CHECK(all_equal(a, n, [=](auto i) { return 1 + (i < n / 2) * 2 + (i < 17) + (i < 1); }));
  });

  feature("a range of two dimensions", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    auto node = graph.add([&](sycl::handler &h) {
      h.set_args(a, 16);
      h.parallel_for(sycl::nd_range<2>{{4, 8}, {2, 4}}, p.kernel("number"));
    });
    auto executable = graph.finalize(updatable);
    replay(executable);
    node.update_nd_range(sycl::nd_range<2>{{16, 16}, {4, 8}});
    executable.update(node);
    replay(executable);
    CHECK(all_equal(a, n, [=](auto i) { return 80401 + (i / 16 < 4 && i % 16 < 8 ? 40201 : 0); }));
  });

  feature("a whole graph, recorded or built by hand", [&] {
    p.reset();
    sycl::queue recorder{p.context, p.device, sycl::property::queue::in_order{}};
    auto record = [&](int *data, int addend, bool by_hand) {
      Graph graph{p.context, p.device};
      if (by_hand) {
        auto one = graph.add(p.step(data, 1, addend));
        auto two = graph.add(p.step(data, 2, 0), {depends_on(one)});
        graph.add(p.step(data, 1, 1), {depends_on(two)});
      } else {
        graph.begin_recording(recorder);
        recorder.submit(p.step(data, 1, addend));
        recorder.submit(p.step(data, 2, 0));
        recorder.submit(p.step(data, 1, 1));
        graph.end_recording();
      }
      return graph;
    };
    auto graph = record(a, 1, false);
    auto executable = graph.finalize(updatable);
    replay(executable);
    executable.update(record(b, 10, false));
    replay(executable);
    executable.update(record(c, 20, true));
    replay(executable);
    executable.update(record(a, 0, true));
    replay(executable);
    CHECK(p.all(a, 7) && p.all(b, 21) && p.all(c, 41));
    Graph unlike{p.context, p.device};
    unlike.add(p.step(a, 1, 1));
    CHECK(error_of([&] { executable.update(unlike); }) == code(sycl::errc::invalid));
    replay(executable);
    CHECK(p.all(a, 15));
  });

  // Copies and children have no place in such a graph: libsycl updates none of them.
  feature("a whole graph with an empty node and a host task", [&] {
    p.reset();
    auto make = [&](int addend) {
      Graph graph{p.context, p.device};
      auto one = graph.add(p.step(a, 0, addend));
      auto two = graph.add({depends_on(one)});
      auto three = graph.add([&](sycl::handler &h) { h.host_task([=] { b[0] += a[0]; }); }, {depends_on(two)});
      graph.add(p.add_to(b, a, addend), {depends_on(three)});
      return graph;
    };
    auto graph = make(1);
    auto executable = graph.finalize(updatable);
    replay(executable);
    executable.update(make(5));
    replay(executable);
    CHECK(b[0] == 18 && b[1] == 12);
  });

  feature("command groups chosen among several", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    auto group = [&](const char *kernel, int *data, int factor, int addend, sycl::nd_range<1> range) {
      return std::function<void(sycl::handler &)>{[=, &p](sycl::handler &h) {
        h.set_args(data, factor, addend);
        h.parallel_for(range, p.kernel(kernel));
      }};
    };
    syclx::dynamic_command_group choice{graph,
                                        {group("step", a, 1, 1, whole), group("step", a, 10, 0, whole),
                                         group("triple", b, 0, 7, whole),
                                         group("triple", a, 0, 2, sycl::nd_range<1>{n / 2, 32})}};
    auto node = graph.add(choice);
    auto last = graph.add(p.copy(c, a), {depends_on(node)});
    (void)last;
    auto executable = graph.finalize(updatable);
    CHECK(choice.get_active_index() == 0);
    auto choose = [&](std::size_t index) {
      choice.set_active_index(index);
      executable.update(node);
      replay(executable);
    };
    replay(executable);
    CHECK(p.all(a, 1));
    choose(1);
    CHECK(p.all(a, 10) && p.all(c, 10));
    choose(2); // another kernel
    CHECK(p.all(a, 10) && p.all(b, 7));
    choose(3);
    CHECK(all_equal(a, n, [=](auto i) { return i < n / 2 ? 32 : 10; }));
    choose(0);
    CHECK(all_equal(c, n, [=](auto i) { return i < n / 2 ? 33 : 11; }) && choice.get_active_index() == 0);
  });

  feature("command groups with a dynamic parameter", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    syclx::dynamic_parameter<int> addend{1};
    auto group = [&](const char *kernel) {
      return std::function<void(sycl::handler &)>{[=, &p, &addend](sycl::handler &h) {
        h.set_args(a, 1, addend);
        h.parallel_for(whole, p.kernel(kernel));
      }};
    };
    syclx::dynamic_command_group choice{graph, {group("step"), group("triple")}};
    auto node = graph.add(choice);
    auto executable = graph.finalize(updatable);
    replay(executable);
    choice.set_active_index(1), addend.update(5);
    executable.update(node);
    replay(executable);
    CHECK(p.all(a, 8));
    choice.set_active_index(0);
    executable.update(node);
    replay(executable);
    CHECK(p.all(a, 13));
  });

  feature("updates between runs that nobody waits for", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    syclx::dynamic_parameter<int> addend{0};
    auto node = graph.add([&](sycl::handler &h) {
      h.set_args(a, 1, addend);
      h.parallel_for(whole, p.kernel("step"));
    });
    auto executable = graph.finalize(updatable);
    for (int i = 0; i < 200; ++i) {
      addend.update(i);
      executable.update(node);
      q.ext_oneapi_graph(executable); // each run has the value of its time
    }
    q.wait();
    CHECK(p.all(a, 199 * 200 / 2));
  });

  feature("updates of a graph with a host task in its middle", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    syclx::dynamic_parameter<int> addend{1};
    auto add = [&](sycl::handler &h) {
      h.set_args(a, 1, addend);
      h.parallel_for(whole, p.kernel("step"));
    };
    auto one = graph.add(add);
    auto host = graph.add([&](sycl::handler &h) { h.host_task([=] { std::copy_n(a, n, b); }); }, {depends_on(one)});
    auto two = graph.add(add, {depends_on(host)});
    auto executable = graph.finalize(updatable);
    replay(executable);
    addend.update(10);
    executable.update({one, two});
    replay(executable);
    CHECK(p.all(a, 22) && p.all(b, 12));
  });

  feature("a graph that changes between runs on two queues", [&] {
    p.reset();
    sycl::queue other{p.context, p.device};
    Graph graph{p.context, p.device};
    syclx::dynamic_parameter<int> addend{0};
    auto node = graph.add([&](sycl::handler &h) {
      h.set_args(a, 1, addend);
      h.parallel_for(whole, p.kernel("step"));
    });
    auto executable = graph.finalize(updatable);
    for (int i = 0; i < 100; ++i) {
      addend.update(i);
      executable.update(node);
      (i % 3 ? q : other).ext_oneapi_graph(executable);
    }
    q.wait(), other.wait();
    CHECK(p.all(a, 99 * 100 / 2));
  });

  scenario("what cannot be changed", [&] {
    Graph graph{p.context, p.device};
    auto node = graph.add(p.step(a, 1, 1));
    auto fixed = graph.finalize();
    CHECK(error_of([&] { fixed.update(node); }) == code(sycl::errc::invalid));
  });

  return summary();
}
