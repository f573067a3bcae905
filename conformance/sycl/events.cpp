// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events: that depends_on, wait lists across queues, barriers and in-order queues order the work; that host tasks take
// their place between kernels; and that profiling's times come in order.
#include "common.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

namespace profiling = sycl::info::event_profiling;
using sycl::info::event_command_status;

const char *const source = R"(
// Not commutative: the order of two launches shows in the result.
ND_RANGE(1) step(long *data, long factor, long addend) { data[global_id()] = data[global_id()] * factor + addend; }
ND_RANGE(1) join(const long *a, const long *b, long *out) { out[global_id()] = a[global_id()] + 10 * b[global_id()]; }
)";

constexpr std::size_t n = 4096;

int main() {
  sycl::queue unordered, ordered{sycl::property::queue::in_order{}};
  const auto context = unordered.get_context();
  const auto device = unordered.get_device();
  auto bundle = immortal(compile(unordered, source));
  auto step = bundle.ext_oneapi_get_kernel("step"), join = bundle.ext_oneapi_get_kernel("join");
  long *a = sycl::malloc_shared<long>(n, unordered), *b = sycl::malloc_shared<long>(n, unordered),
       *c = sycl::malloc_shared<long>(n, unordered);
  auto reset = [&] {
    std::fill_n(a, n, 0);
    std::fill_n(b, n, 0);
    std::fill_n(c, n, 0);
  };
  // step, after these events
  auto after = [&](sycl::queue &q, const std::vector<sycl::event> &events, long *data, long factor, long addend) {
    return q.submit([&](sycl::handler &h) {
      h.depends_on(events);
      h.set_args(data, factor, addend);
      h.parallel_for(sycl::nd_range<1>{n, 16}, step);
    });
  };

  scenario("an in-order queue is in order", [&] {
    reset();
    CHECK(ordered.is_in_order() && !unordered.is_in_order());
    long expected = 0;
    for (long i = 1; i <= 20; ++i) {
      launch(ordered, step, n, 16, a, 3l, i);
      expected = expected * 3 + i;
    }
    ordered.wait();
    CHECK(all_equal(a, n, [&](auto) { return expected; }));
  });

  scenario("a chain by depends_on", [&] {
    reset();
    std::vector<sycl::event> last;
    long expected = 0;
    for (long i = 1; i <= 20; ++i) {
      last = {after(unordered, last, a, 3, i)};
      expected = expected * 3 + i;
    }
    last[0].wait();
    CHECK(all_equal(a, n, [&](auto) { return expected; }));
    CHECK(last[0].get_info<sycl::info::event::command_execution_status>() == event_command_status::complete);
  });

  scenario("a diamond", [&] {
    reset();
    auto top = unordered.fill(a, 1l, n);
    auto left = after(unordered, {top}, a, 5, 2);
    auto right = unordered.submit([&](sycl::handler &h) {
      h.depends_on(top);
      h.fill(b, 4l, n);
    });
    auto bottom = unordered.submit([&](sycl::handler &h) {
      h.depends_on({left, right});
      h.set_args(a, b, c);
      h.parallel_for(sycl::nd_range<1>{n, 16}, join);
    });
    bottom.wait();
    CHECK(all_equal(c, n, [](auto) { return 47; }));
  });

  scenario("wait lists across queues", [&] {
    reset();
    std::vector<sycl::queue> queues{unordered, ordered, sycl::queue{context, device},
                                    sycl::queue{context, device, sycl::property::queue::in_order{}}};
    std::vector<sycl::event> last;
    long expected = 0;
    for (long i = 1; i <= 40; ++i) {
      last = {after(queues[i % queues.size()], last, a, 3, i)};
      expected = expected * 3 + i;
    }
    last[0].wait();
    CHECK(all_equal(a, n, [&](auto) { return expected; }));
  });

  scenario("an event of another context", [&] {
    reset();
    sycl::queue other{sycl::context{device}, device};
    long *far = sycl::malloc_shared<long>(n, other);
    auto first = other.fill(far, 7l, n);
    auto second = unordered.submit([&](sycl::handler &h) {
      h.depends_on(first);
      h.fill(a, 1l, n);
    });
    other.submit([&](sycl::handler &h) {
           h.depends_on(second);
           h.fill(far, 8l, n);
         }).wait();
    CHECK(all_equal(a, n, [](auto) { return 1; }));
    CHECK(all_equal(far, n, [](auto) { return 8; }));
    sycl::free(far, other);
  });

  scenario("memory commands take wait lists too", [&] {
    reset();
    auto e1 = unordered.fill(a, 3l, n);
    auto e2 = unordered.memcpy(b, a, n * sizeof(long), e1);
    auto e3 = unordered.memset(a, 0, n * sizeof(long), e2);
    auto e4 = unordered.copy(b, c, n, std::vector{e2, e3});
    unordered.prefetch(c, n * sizeof(long), e4).wait();
    CHECK(a[n - 1] == 0 && b[n - 1] == 3 && c[n - 1] == 3);
  });

  scenario("a barrier waits for all that came before", [&] {
    reset();
    for (int i = 0; i < 8; ++i)
      unordered.fill(a + i * (n / 8), 2l, n / 8);
    unordered.ext_oneapi_submit_barrier();
    launch(unordered, step, n, 16, a, 10l, 1l);
    unordered.wait();
    CHECK(all_equal(a, n, [](auto) { return 21; }));
  });

  scenario("a barrier with a list waits for the list", [&] {
    reset();
    auto first = after(ordered, {}, a, 1, 5);
    auto second = after(unordered, {}, b, 1, 6);
    auto barrier = unordered.ext_oneapi_submit_barrier({first, second});
    unordered.submit([&](sycl::handler &h) {
               h.depends_on(barrier);
               h.set_args(a, b, c);
               h.parallel_for(sycl::nd_range<1>{n, 16}, join);
             }).wait();
    CHECK(all_equal(c, n, [](auto) { return 65; }));
  });

  scenario("a host task between two kernels", [&] {
    for (auto *q : {&unordered, &ordered}) {
      reset();
      auto before = after(*q, {}, a, 1, 4);
      auto host = q->submit([&](sycl::handler &h) {
        h.depends_on(before);
        h.host_task([=] {
          for (std::size_t i = 0; i < n; ++i)
            a[i] *= 5;
        });
      });
      after(*q, {host}, a, 1, 3).wait();
      CHECK(all_equal(a, n, [](auto) { return 23; }));
    }
  });

  scenario("a host task with an accessor", [&] {
    std::vector<int> data(64, 1);
    {
      sycl::buffer<int> buffer{data};
      unordered.submit([&](sycl::handler &h) {
        sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::host_task> access{buffer, h};
        h.host_task([=] {
          for (std::size_t i = 0; i < 64; ++i)
            access[i] += static_cast<int>(i);
        });
      });
    }
    CHECK(all_equal(data.data(), 64, [](auto i) { return 1 + i; }));
  });

  scenario("work waits for a host task that sleeps", [&] {
    reset();
    std::atomic<bool> slept = false;
    auto host = unordered.submit([&](sycl::handler &h) {
      h.host_task([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
        slept = true;
      });
    });
    auto last = after(ordered, {host}, a, 1, 1);
    CHECK(host.get_info<sycl::info::event::command_execution_status>() != event_command_status::complete || slept);
    last.wait();
    CHECK(slept);
  });

  scenario("an event waits for the events before it", [&] {
    auto first = unordered.fill(a, 1l, n);
    auto second = after(unordered, {first}, a, 2, 0);
    sycl::event::wait({first, second});
    CHECK(sycl::event{}.get_info<sycl::info::event::command_execution_status>() == event_command_status::complete);
    CHECK(first == first && first != second);
    second.wait_and_throw();
  });

  scenario("the last event of an in-order queue", [&] {
    reset();
    auto event = launch(ordered, step, n, 16, a, 1l, 1l);
    auto last = ordered.ext_oneapi_get_last_event();
    CHECK(last.has_value());
    last->wait();
    CHECK(a[0] == 1);
    ordered.wait();
    CHECK(ordered.ext_oneapi_empty());
    ordered.ext_oneapi_set_external_event(unordered.fill(a, 9l, n));
    launch(ordered, step, n, 16, a, 2l, 0l).wait();
    CHECK(all_equal(a, n, [](auto) { return 18; }));
  });

  scenario("profiling times come in order", [&] {
    for (bool in_order : {false, true}) {
      sycl::property_list props = {sycl::property::queue::enable_profiling{}};
      if (in_order)
        props = {sycl::property::queue::enable_profiling{}, sycl::property::queue::in_order{}};
      sycl::queue q{context, device, props};
      auto times = [&](sycl::event e) {
        e.wait();
        return std::array{e.get_profiling_info<profiling::command_submit>(),
                          e.get_profiling_info<profiling::command_start>(),
                          e.get_profiling_info<profiling::command_end>()};
      };
      auto first = launch(q, step, n, 16, a, 1l, 1l);
      auto second = after(q, {first}, a, 1, 1);
      auto third = q.submit([&](sycl::handler &h) {
        h.depends_on(second);
        h.memcpy(b, a, n * sizeof(long));
      });
      auto [submit1, start1, end1] = times(first);
      auto [submit2, start2, end2] = times(second);
      auto [submit3, start3, end3] = times(third);
      CHECK(submit1 <= start1 && start1 <= end1);
      CHECK(submit2 <= start2 && start2 <= end2);
      CHECK(submit3 <= start3 && start3 <= end3);
      CHECK(submit1 <= submit2 && submit2 <= submit3);
      CHECK(end1 <= start2 && end2 <= start3);
      CHECK(end1 > start1);
    }
  });

  scenario("no profiling without the property", [&] {
    auto event = launch(unordered, step, n, 16, a, 1l, 1l);
    event.wait();
    CHECK(error_of([&] { event.get_profiling_info<profiling::command_start>(); }) == code(sycl::errc::invalid));
  });

  for (long *data : {a, b, c})
    sycl::free(data, unordered);
  return summary();
}
