// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eight host threads at once: on one queue, on a queue each, on shared kernels and events, allocating and freeing, and
// building programs. Nothing may be lost, and nothing may wait for ever.
#include "common.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

const char *const source = R"(
ND_RANGE(1) add(int *data, int amount) {
  sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(data[global_id()]) += amount;
}
ND_RANGE(1) step(unsigned *data, unsigned factor, unsigned addend) {
  data[global_id()] = data[global_id()] * factor + addend;
}
ND_RANGE(1) fill(int *data, int value) { data[global_id()] = value; }
)";

constexpr int thread_count = 8, rounds = 50;
constexpr std::size_t n = 1024;

/// Runs body(0) ... body(7), a thread each; an exception in any of them is thrown here.
template <class Body> void in_threads(Body body) {
  std::vector<std::exception_ptr> errors(thread_count);
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t)
    threads.emplace_back([&, t] {
      try {
        body(t);
      } catch (...) {
        errors[t] = std::current_exception();
      }
    });
  for (auto &thread : threads)
    thread.join();
  for (auto &error : errors)
    if (error)
      std::rethrow_exception(error);
}

int main() {
  sycl::queue shared;
  const auto context = shared.get_context();
  const auto device = shared.get_device();
  auto bundle = immortal(compile(shared, source));
  const auto add = bundle.ext_oneapi_get_kernel("add"), fill = bundle.ext_oneapi_get_kernel("fill"),
             step = bundle.ext_oneapi_get_kernel("step");
  int *data = sycl::malloc_shared<int>(n, shared);

  scenario("one queue, one kernel", [&] {
    std::fill_n(data, n, 0);
    in_threads([&](int t) {
      for (int i = 0; i < rounds; ++i)
        launch(shared, add, n, 32, data, t + 1); // the arguments of one thread never mix with another's
    });
    shared.wait();
    CHECK(all_equal(data, n, [](auto) { return rounds * 36; }));
  });

  scenario("a queue each", [&] {
    std::fill_n(data, n, 0);
    in_threads([&](int t) {
      sycl::queue mine{context, device, sycl::property::queue::in_order{}};
      for (int i = 0; i < rounds; ++i)
        launch(mine, add, n, 32, data, t + 1);
      mine.wait();
    });
    CHECK(all_equal(data, n, [](auto) { return rounds * 36; }));
  });

  // The threads only submit, and one thread waits: when several wait for events whose commands wait for another queue's,
  // Intel's CPU driver now and then loses a wake-up, and all sleep for ever (in WaitForIdle, on TBB's monitor).
  scenario("two queues each, ordered by events", [&] {
    std::vector<unsigned *> chains(thread_count);
    std::vector<std::vector<sycl::event>> last(thread_count);
    for (auto &chain : chains)
      std::fill_n(chain = sycl::malloc_shared<unsigned>(n, shared), n, 0);
    in_threads([&](int t) {
      sycl::queue queues[]{sycl::queue{context, device}, sycl::queue{context, device}};
      for (int i = 0; i < rounds; ++i)
        last[t] = {queues[i % 2].submit([&](sycl::handler &h) {
          h.depends_on(last[t]);
          h.set_args(chains[t], 3u, static_cast<unsigned>(i + t));
          h.parallel_for(sycl::nd_range<1>{n, 32}, step);
        })};
    });
    for (int t = 0; t < thread_count; ++t) {
      last[t][0].wait();
      unsigned expected = 0;
      for (int i = 0; i < rounds; ++i)
        expected = expected * 3 + i + t;
      CHECK(all_equal(chains[t], n, [&](auto) { return expected; }));
      sycl::free(chains[t], shared);
    }
  });

  scenario("allocations come and go", [&] {
    std::atomic<int> wrong = 0;
    in_threads([&](int t) {
      std::vector<int *> live;
      for (int i = 0; i < 200; ++i) {
        live.push_back(sycl::malloc_shared<int>(1 + i * 7 % 100, shared));
        *live.back() = t * 1000 + i;
        if (i % 3 == 2) {
          sycl::free(live.front(), shared);
          live.erase(live.begin());
        }
      }
      for (std::size_t i = 0; i < live.size(); ++i) {
        wrong += *live[i] / 1000 != t;
        wrong += sycl::get_pointer_type(live[i], context) != sycl::usm::alloc::shared;
        sycl::free(live[i], shared);
      }
    });
    CHECK(wrong == 0);
  });

  scenario("buffers", [&] {
    std::vector<std::vector<int>> results(thread_count, std::vector<int>(n, 0));
    in_threads([&](int t) {
      sycl::buffer<int> buffer{results[t]};
      for (int i = 0; i < 10; ++i) {
        shared.submit([&](sycl::handler &h) { h.fill(sycl::accessor{buffer, h, sycl::write_only, sycl::no_init}, i); });
        sycl::host_accessor host{buffer};
        host[0] += t;
      }
    });
    for (int t = 0; t < thread_count; ++t)
      CHECK(results[t][0] == 9 + t && results[t][n - 1] == 9);
  });

  scenario("all wait for one event", [&] {
    auto event = launch(shared, fill, n, 32, data, 5);
    std::atomic<int> right = 0;
    in_threads([&](int) {
      event.wait();
      right += data[n - 1] == 5;
    });
    CHECK(right == thread_count);
  });

  scenario("programs are built side by side", [&] {
    std::atomic<int> right = 0;
    in_threads([&](int t) {
      const std::string number = std::to_string(t % 4);
      auto mine = immortal(compile(shared, "SINGLE_TASK number(int *out) { *out = " + number + "; }"));
      int *out = sycl::malloc_shared<int>(1, shared);
      shared.submit([&](sycl::handler &h) {
              h.set_args(out);
              h.single_task(mine.ext_oneapi_get_kernel("number"));
            }).wait();
      right += *out == t % 4;
      sycl::free(out, shared);
    });
    CHECK(right == thread_count);
  });

  scenario("host tasks and kernels", [&] {
    std::fill_n(data, n, 0);
    std::atomic<int> tasks = 0;
    in_threads([&](int) {
      for (int i = 0; i < 10; ++i) {
        auto task = shared.submit([&](sycl::handler &h) { h.host_task([&] { ++tasks; }); });
        shared.submit([&](sycl::handler &h) {
          h.depends_on(task);
          h.set_args(data, 1);
          h.parallel_for(sycl::nd_range<1>{n, 32}, add);
        });
      }
    });
    shared.wait();
    CHECK(tasks == 10 * thread_count);
    CHECK(all_equal(data, n, [](auto) { return 10 * thread_count; }));
  });

  sycl::free(data, shared);
  return summary();
}
