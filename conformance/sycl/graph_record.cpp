// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs recorded from queues: in order and out of order, several at once, queues that begin to record because they
// wait for a recorded event, barriers, empty nodes, what a recording queue refuses; and random graphs, recorded and
// built by hand, against the same commands on the host.
#include "graph.hpp"

#include <array>
#include <random>

int main() {
  Playground p{sycl::queue{}};
  auto &q = p.q;
  sycl::queue in_order{p.context, p.device, sycl::property::queue::in_order{}};
  auto *a = p.a, *b = p.b, *c = p.c;
  auto replay = [&](auto &&executable, int times = 1) {
    for (int i = 0; i < times; ++i)
      in_order.ext_oneapi_graph(executable);
    in_order.wait();
  };

  scenario("a queue in order: each command waits for the one before it", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    graph.begin_recording(in_order);
    in_order.submit(p.step(a, 1, 1));
    in_order.submit(p.step(a, 3, 0));
    in_order.submit(p.copy(b, a));
    in_order.submit(p.step(a, 1, -1));
    graph.end_recording(in_order);
    auto nodes = graph.get_nodes();
    CHECK(nodes.size() == 4 && graph.get_root_nodes().size() == 1);
    for (std::size_t i = 1; i < nodes.size(); ++i)
      CHECK(nodes[i].get_predecessors().size() == 1 && nodes[i].get_predecessors()[0] == nodes[i - 1]);
    replay(graph.finalize(), 2);
    CHECK(p.all(b, 9) && p.all(a, 8));
  });

  scenario("a queue out of order: events make the edges", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    graph.begin_recording(q);
    auto left = q.submit(p.step(a, 1, 1));
    auto right = q.submit(p.step(b, 1, 2));
    auto joined = q.submit(after({left, right}, p.add_to(a, b, 10)));
    q.submit(after({joined}, p.copy(c, a)));
    graph.end_recording();
    CHECK(graph.get_root_nodes().size() == 2);
    auto node = Node::get_node_from_event(joined);
    CHECK(node.get_predecessors().size() == 2 && node.get_type() == syclx::node_type::kernel);
    auto executable = graph.finalize();
    replay(executable);
    CHECK(p.all(c, 13));
    replay(executable);
    CHECK(p.all(b, 4) && p.all(c, 28));
  });

  scenario("shortcuts of queues are recorded as well", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    graph.begin_recording(q);
    auto filled = q.fill(a, 3, p.n);
    auto copied = q.memcpy(b, a, p.n * sizeof(int), filled);
    auto cleared = q.memset(a, 0, p.n * sizeof(int), copied);
    q.copy(b, c, p.n, cleared);
    graph.end_recording();
    CHECK(p.all(b, 0));
    replay(graph.finalize());
    CHECK(p.all(a, 0) && p.all(b, 3) && p.all(c, 3));
  });

  scenario("two queues that record into one graph", [&] {
    p.reset();
    sycl::queue other{p.context, p.device};
    Graph graph{p.context, p.device};
    graph.begin_recording({q, other});
    auto one = q.submit(p.step(a, 1, 5));
    auto two = other.submit(p.step(b, 1, 6));
    other.submit(after({one, two}, p.add_to(b, a, 0)));
    graph.end_recording({q, other});
    CHECK(q.ext_oneapi_get_state() == syclx::queue_state::executing);
    CHECK(other.ext_oneapi_get_state() == syclx::queue_state::executing);
    replay(graph.finalize());
    CHECK(p.all(b, 11));
  });

  scenario("a queue that waits for a recorded event records from there on", [&] {
    p.reset();
    sycl::queue second{p.context, p.device}, third{p.context, p.device, sycl::property::queue::in_order{}};
    Graph graph{p.context, p.device};
    graph.begin_recording(q);
    auto first = q.submit(p.step(a, 1, 1));
    CHECK(second.ext_oneapi_get_state() == syclx::queue_state::executing);
    auto then = second.submit(after({first}, p.step(a, 4, 0)));
    CHECK(second.ext_oneapi_get_state() == syclx::queue_state::recording);
    third.submit(after({then}, p.copy(b, a)));
    third.submit(p.step(b, 2, 1)); // in order: after the copy
    CHECK(third.ext_oneapi_get_state() == syclx::queue_state::recording);
    graph.end_recording();
    CHECK(second.ext_oneapi_get_state() == syclx::queue_state::executing);
    CHECK(third.ext_oneapi_get_state() == syclx::queue_state::executing);
    CHECK(graph.get_nodes().size() == 4 && p.all(a, 0));
    replay(graph.finalize());
    CHECK(p.all(a, 4) && p.all(b, 9));
  });

  scenario("recording that pauses while the queue runs other commands", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    graph.begin_recording(in_order);
    in_order.submit(p.step(a, 1, 1));
    graph.end_recording(in_order);
    in_order.submit(p.step(a, 1, 100)).wait();
    CHECK(p.all(a, 100));
    graph.begin_recording(in_order);
    in_order.submit(p.step(a, 2, 0));
    graph.end_recording(in_order);
    replay(graph.finalize());
    CHECK(p.all(a, 202));
  });

  scenario("a barrier waits for all that was recorded before it", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    graph.begin_recording(q);
    q.submit(p.step(a, 1, 3));
    q.submit(p.step(b, 1, 4));
    auto barrier = q.ext_oneapi_submit_barrier();
    q.submit(p.add_to(a, b, 0)); // no events: the barrier orders it
    graph.end_recording();
    CHECK(Node::get_node_from_event(barrier).get_predecessors().size() == 2);
    CHECK(Node::get_node_from_event(barrier).get_type() == syclx::node_type::ext_oneapi_barrier);
    replay(graph.finalize());
    CHECK(p.all(a, 7));
  });

  scenario("a barrier on events of two queues", [&] {
    p.reset();
    sycl::queue other{p.context, p.device};
    Graph graph{p.context, p.device};
    graph.begin_recording({q, other});
    auto one = q.submit(p.step(a, 1, 3));
    auto two = other.submit(p.step(b, 1, 4));
    q.submit(p.step(c, 1, 1));
    q.ext_oneapi_submit_barrier({one, two});
    auto added = q.submit(p.add_to(a, b, 0));
    other.ext_oneapi_submit_barrier({added});
    other.submit(p.step(b, 2, 0));
    graph.end_recording();
    replay(graph.finalize());
    CHECK(p.all(a, 7) && p.all(b, 8) && p.all(c, 1));
  });

  scenario("a barrier in a queue in order, and a barrier alone", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    graph.begin_recording(in_order);
    in_order.ext_oneapi_submit_barrier();
    in_order.submit(p.step(a, 1, 3));
    in_order.ext_oneapi_submit_barrier();
    in_order.submit(p.step(a, 2, 0));
    graph.end_recording();
    replay(graph.finalize(), 2);
    CHECK(p.all(a, 18));
    Graph alone{p.context, p.device};
    alone.begin_recording(q);
    q.ext_oneapi_submit_barrier();
    alone.end_recording();
    replay(alone.finalize());
  });

  scenario("empty nodes join and fork", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    auto one = graph.add(p.step(a, 1, 1)), two = graph.add(p.step(b, 1, 2));
    auto join = graph.add({depends_on(one, two)});
    auto left = graph.add(p.add_to(a, b, 0), {depends_on(join)});
    graph.add(p.step(c, 1, 9), {depends_on(join)});
    graph.add(p.step(b, 5, 0), {depends_on(left)});
    auto last = graph.add({syclx::property::node::depends_on_all_leaves{}});
    graph.add(p.add_to(c, b, 0), {depends_on(last)});
    CHECK(join.get_type() == syclx::node_type::empty && last.get_predecessors().size() == 2);
    replay(graph.finalize());
    CHECK(p.all(a, 3) && p.all(b, 10) && p.all(c, 19));
  });

  scenario("an empty command group recorded; empty graphs", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    graph.begin_recording(q);
    auto one = q.submit(p.step(a, 1, 1));
    auto none = q.submit(after({one}, [](sycl::handler &) {}));
    q.submit(after({none}, p.copy(b, a)));
    graph.end_recording();
    replay(graph.finalize());
    CHECK(p.all(b, 1));
    Graph nothing{p.context, p.device};
    CHECK(nothing.empty() && nothing.get_nodes().empty());
    replay(nothing.finalize(), 3);
    Graph hollow{p.context, p.device};
    hollow.add({depends_on(hollow.add())});
    replay(hollow.finalize(), 3);
  });

  scenario("what a recording queue refuses", [&] {
    Graph graph{p.context, p.device}, other{p.context, p.device};
    graph.begin_recording(q);
    auto recorded = q.submit(p.step(a, 1, 1));
    CHECK(error_of([&] { q.wait(); }) == code(sycl::errc::invalid));
    CHECK(error_of([&] { recorded.wait(); }) == code(sycl::errc::invalid));
    CHECK(error_of([&] { other.begin_recording(q); }) == code(sycl::errc::invalid));
    CHECK(error_of([&] { other.end_recording(q); }) == code(sycl::errc::invalid));
    CHECK(error_of([&] { recorded.get_profiling_info<sycl::info::event_profiling::command_start>(); }) ==
          code(sycl::errc::invalid));
    graph.end_recording();
    other.begin_recording(q);
    CHECK(error_of([&] { q.submit(after({recorded}, p.step(a, 1, 1))); }) == code(sycl::errc::invalid));
    other.end_recording();
    auto one = graph.add(p.step(a, 1, 1)), two = graph.add(p.step(a, 1, 1), {depends_on(one)});
    CHECK(error_of([&] { graph.make_edge(two, one); }) == code(sycl::errc::invalid)); // a cycle
    CHECK(error_of([&] { graph.add([&](sycl::handler &h) { h.ext_oneapi_barrier(); }); }) ==
          code(sycl::errc::invalid));
  });

  // Commands on four arrays, in an order of the host's; events or edges say only what reads and writes demand.
  auto random_graph = [&](unsigned seed, std::size_t count, bool record) {
    constexpr int arrays = 4;
    std::mt19937 random{seed};
    auto pick = [&](int limit) { return static_cast<int>(random() % limit); };
    std::array<int *, arrays> device;
    std::array<std::vector<int>, arrays> host;
    for (int i = 0; i < arrays; ++i) {
      device[i] = sycl::malloc_device<int>(p.n, q);
      host[i].assign(p.n, i);
      q.memcpy(device[i], host[i].data(), p.n * sizeof(int)).wait();
    }
    struct Users {
      std::vector<int> readers;
      int writer = -1;
    };
    std::array<Users, arrays> users;
    std::vector<std::function<void(sycl::handler &)>> groups;
    std::vector<std::vector<int>> needs;
    std::vector<std::function<void()>> sequential;
    for (std::size_t i = 0; i < count; ++i) {
      const int to = pick(arrays), from = pick(arrays), value = pick(100);
      int *out = device[to], *in = device[from];
      std::vector<int> &hout = host[to], &hin = host[from];
      bool reads = false;
      switch (to == from ? pick(2) : pick(4)) {
      case 0:
        groups.push_back(p.step(out, 3, value));
        sequential.push_back([&hout, value] { for (auto &x : hout) x = x * 3 + value; });
        break;
      case 1:
        groups.push_back([out, value, n = p.n](sycl::handler &h) { h.fill(out, value, n / 2); });
        sequential.push_back([&hout, value, n = p.n] { std::fill_n(hout.begin(), n / 2, value); });
        break;
      case 2:
        reads = true;
        groups.push_back(p.add_to(out, in, value));
        sequential.push_back([&, value] { for (std::size_t k = 0; k < hout.size(); ++k) hout[k] += hin[k] + value; });
        break;
      default:
        reads = true;
        groups.push_back([=, n = p.n](sycl::handler &h) { h.memcpy(out + n / 4, in, n / 2 * sizeof(int)); });
        sequential.push_back([&, n = p.n] { std::copy_n(hin.begin(), n / 2, hout.begin() + n / 4); });
      }
      std::vector<int> need = users[to].readers;
      if (users[to].writer >= 0)
        need.push_back(users[to].writer);
      if (reads && users[from].writer >= 0)
        need.push_back(users[from].writer);
      needs.push_back(need);
      users[to].readers.clear(), users[to].writer = static_cast<int>(i);
      if (reads)
        users[from].readers.push_back(static_cast<int>(i));
    }
    Graph graph{p.context, p.device};
    if (record) {
      std::vector<sycl::event> events;
      graph.begin_recording(q);
      for (std::size_t i = 0; i < count; ++i) {
        std::vector<sycl::event> wait;
        for (int need : needs[i])
          wait.push_back(events[need]);
        events.push_back(q.submit(after(wait, groups[i])));
      }
      graph.end_recording();
    } else {
      std::vector<Node> nodes;
      for (std::size_t i = 0; i < count; ++i) {
        nodes.push_back(graph.add(groups[i]));
        for (int need : needs[i])
          graph.make_edge(nodes[need], nodes[i]);
      }
    }
    auto executable = graph.finalize();
    bool good = true;
    for (int times = 0; times < 3; ++times) {
      q.ext_oneapi_graph(executable).wait();
      for (auto &command : sequential)
        command();
      for (int i = 0; i < arrays; ++i) {
        std::vector<int> got(p.n);
        q.memcpy(got.data(), device[i], p.n * sizeof(int)).wait();
        good = good && all_equal(got.data(), p.n, [&](auto k) { return host[i][k]; });
      }
    }
    for (int *array : device)
      sycl::free(array, q);
    return good;
  };

  scenario("random graphs, recorded", [&] {
    for (unsigned seed = 0; seed < 20; ++seed)
      CHECK(random_graph(seed, 10 + seed * 5, true));
  });
  scenario("random graphs, built by hand", [&] {
    for (unsigned seed = 100; seed < 120; ++seed)
      CHECK(random_graph(seed, 10 + (seed - 100) * 5, false));
  });

  return summary();
}
