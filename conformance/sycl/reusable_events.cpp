// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reusable events of SYCL (sycl_ext_oneapi_reusable_events): made complete, signalled again and again, waited for by the
// host and by other queues, with times if they were made for it and the device has them. 2026.1 has no such events.
#include "common.hpp"

#if __has_include(<sycl/ext/oneapi/experimental/reusable_events.hpp>)
#include <sycl/ext/oneapi/experimental/reusable_events.hpp>

namespace experimental = sycl::ext::oneapi::experimental;
using sycl::info::event_command_status;

int main() {
  sycl::queue first{sycl::property::queue::in_order{}}, second{first.get_context(), first.get_device(),
                                                              sycl::property::queue::in_order{}};
  const auto context = first.get_context();
  constexpr std::size_t n = 4096;
  int *a = sycl::malloc_shared<int>(n, first), *b = sycl::malloc_shared<int>(n, first);
  auto status = [](const sycl::event &event) { return event.get_info<sycl::info::event::command_execution_status>(); };

  scenario("complete at first", [&] {
    auto event = experimental::make_event(context);
    CHECK(status(event) == event_command_status::complete);
    event.wait();
    experimental::enqueue_wait_event(first, event);
    first.wait();
  });

  scenario("one queue waits for another", [&] {
    auto event = experimental::make_event(context);
    for (int round = 1; round <= 20; ++round) {
      first.fill(a, round, n);
      experimental::enqueue_signal_event(first, event);
      experimental::enqueue_wait_event(second, event);
      second.memcpy(b, a, n * sizeof(int));
      experimental::enqueue_signal_event(second, event);
      event.wait();
      CHECK(status(event) == event_command_status::complete);
      CHECK(all_equal(b, n, [&](auto) { return round; }));
    }
  });

  // A device without them says so.
  bool has_times = true;
  scenario("times", [&] {
    try {
      auto event = experimental::make_event(context, experimental::properties{experimental::enable_profiling{}});
      experimental::enqueue_signal_event(first, event);
      event.wait();
      const auto start = event.get_profiling_info<sycl::info::event_profiling::command_start>();
      const auto end = event.get_profiling_info<sycl::info::event_profiling::command_end>();
      if (start == 0 || start > end)
        throw std::logic_error("the times are wrong");
    } catch (const sycl::exception &e) {
      if (e.code() != sycl::errc::feature_not_supported)
        throw;
      has_times = false;
    }
  });
  fact("times of single events", has_times);

  sycl::free(a, context);
  sycl::free(b, context);
  return summary();
}
#else
int main() {
  sycl::queue q;
  return summary();
}
#endif
