// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics: every operation of atomic_ref on 32 and 64 bits, integers and floating point, in global and local memory;
// a histogram; compare-and-exchange as a lock-free list; and ordering by a flag between two work-items' writes.
#include "common.hpp"

#include <algorithm>

const char *const source = R"(
template <class T> using Global = sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device>;
template <class T> using Local = sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::work_group>;

template <class T> void integer_ops(T *cells) { // every work-item on the same cells
  T i = global_id();
  Global<T>(cells[0]).fetch_add(i);
  Global<T>(cells[1]).fetch_sub(i);
  Global<T>(cells[2]).fetch_min(i);
  Global<T>(cells[3]).fetch_max(i);
  Global<T>(cells[4]).fetch_and(~(T(1) << (i % 31)));
  Global<T>(cells[5]).fetch_or(T(1) << (i % 31));
  Global<T>(cells[6]).fetch_xor(i);
  ++Global<T>(cells[7]);
  if (Global<T>(cells[8]).exchange(1) == 0) Global<T>(cells[9]).fetch_add(1);
}
ND_RANGE(1) int32(int *cells) { integer_ops(cells); }
ND_RANGE(1) uint32(unsigned *cells) { integer_ops(cells); }
ND_RANGE(1) int64(long *cells) { integer_ops(cells); }
ND_RANGE(1) uint64(unsigned long *cells) { integer_ops(cells); }

template <class T> void float_ops(T *cells) {
  T x = global_id() * T(0.5);
  Global<T>(cells[0]).fetch_add(x);
  Global<T>(cells[1]).fetch_sub(x);
  Global<T>(cells[2]).fetch_min(x);
  Global<T>(cells[3]).fetch_max(x);
}
ND_RANGE(1) float32(float *cells) { float_ops(cells); }
ND_RANGE(1) float64(double *cells) { float_ops(cells); }

ND_RANGE(1) histogram(const unsigned char *in, unsigned *bins, sycl::local_accessor<unsigned, 1> mine) {
  auto group = this_work_item::get_work_group<1>();
  for (size_t b = local_id(); b < 256; b += group.get_local_range(0)) mine[b] = 0;
  sycl::group_barrier(group);
  Local<unsigned>(mine[in[global_id()]]).fetch_add(1);
  sycl::group_barrier(group);
  for (size_t b = local_id(); b < 256; b += group.get_local_range(0)) Global<unsigned>(bins[b]).fetch_add(mine[b]);
}
ND_RANGE(1) push(int *head, int *next) { // a stack of indices
  Global<int> top(*head);
  int old = top.load();
  do next[global_id()] = old; while (!top.compare_exchange_weak(old, int(global_id())));
}
ND_RANGE(1) publish(int *data, int *flag, int *seen) { // the group that comes last sees what all the others wrote
  using Counter = sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::device>;
  data[global_id()] = global_id() + 1;
  if (Counter(*flag).fetch_add(1) == int(this_item().get_global_range(0)) - 1)
    for (size_t i = 0; i < this_item().get_global_range(0); ++i) *seen += data[i];
}
)";

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  auto bundle = compile(q, source);
  auto kernel = [&](const char *name) { return bundle.ext_oneapi_get_kernel(name); };
  constexpr std::size_t n = 2048, local = 64, sum = n * (n - 1) / 2;

  auto integers = [&](const char *name, auto zero) {
    using T = decltype(zero);
    T *cells = sycl::malloc_shared<T>(10, q);
    const T initial[] = {5, T(sum), 100, 100, ~T(0), 0, 0, 0, 0, 0};
    std::copy(initial, initial + 10, cells);
    launch(q, kernel(name), n, local, cells).wait();
    const T low31 = (T(1) << 31) - 1;
    CHECK(cells[0] == T(5 + sum) && cells[1] == 0);
    CHECK(cells[2] == 0 && cells[3] == T(n - 1));
    CHECK(cells[4] == T(~low31) && cells[5] == low31 && cells[6] == 0);
    CHECK(cells[7] == T(n) && cells[8] == 1 && cells[9] == 1);
    sycl::free(cells, q);
  };
  scenario("int", [&] { integers("int32", 0u); }); // wraps around as unsigned does
  scenario("unsigned", [&] { integers("uint32", 0u); });
  scenario("long", [&] { integers("int64", 0l); });
  scenario("unsigned long", [&] { integers("uint64", 0ul); });

  auto floats = [&](const char *name, auto zero) {
    using T = decltype(zero);
    T *cells = sycl::malloc_shared<T>(4, q);
    std::fill_n(cells, 4, T(10));
    launch(q, kernel(name), std::size_t{256}, std::size_t{16}, cells).wait();
    const T half = 255 * 256 / 4; // every partial sum is exact, so the order does not matter
    CHECK(cells[0] == 10 + half && cells[1] == 10 - half && cells[2] == 0 && cells[3] == T(127.5));
    sycl::free(cells, q);
  };
  scenario("float", [&] { floats("float32", 0.0f); });
  scenario("double", [&] { floats("float64", 0.0); });

  scenario("a histogram in local memory", [&] {
    auto *in = sycl::malloc_shared<unsigned char>(n, q);
    auto *bins = sycl::malloc_shared<unsigned>(256, q);
    std::vector<unsigned> expected(256, 0);
    for (std::size_t i = 0; i < n; ++i)
      ++expected[in[i] = (i * i + 7 * i) % 251];
    q.fill(bins, 0u, 256);
    q.submit([&](sycl::handler &h) {
       h.set_args(in, bins, sycl::local_accessor<unsigned, 1>{sycl::range{256}, h});
       h.parallel_for(sycl::nd_range<1>{n, local}, kernel("histogram"));
     }).wait();
    CHECK(all_equal(bins, 256, [&](auto i) { return expected[i]; }));
    sycl::free(in, q), sycl::free(bins, q);
  });

  scenario("compare and exchange: a stack of all work-items", [&] {
    int *head = sycl::malloc_shared<int>(1, q), *next = sycl::malloc_shared<int>(n, q);
    *head = -1;
    launch(q, kernel("push"), n, local, head, next).wait();
    std::vector<bool> seen(n);
    std::size_t count = 0;
    for (int i = *head; i != -1 && !seen[i]; i = next[i], ++count)
      seen[i] = true;
    CHECK(count == n);
    sycl::free(head, q), sycl::free(next, q);
  });

  scenario("acquire and release: the last sees all", [&] {
    int *data = sycl::malloc_shared<int>(n, q), *flag = sycl::malloc_shared<int>(2, q);
    std::fill_n(data, n, 0);
    flag[0] = flag[1] = 0;
    launch(q, kernel("publish"), n, local, data, flag, flag + 1).wait();
    CHECK(flag[1] == static_cast<int>(sum + n));
    sycl::free(data, q), sycl::free(flag, q);
  });

  CHECK(q.get_device().has(sycl::aspect::atomic64));
  return summary();
}
