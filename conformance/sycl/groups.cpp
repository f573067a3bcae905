// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that work-items do together: sub-group shuffles, votes, reductions and scans; the same over a work-group; local
// memory (local_accessor, work_group_memory) with barriers between phases; and a barrier inside a loop.
//
// What Intel's stack lacks: a kernel compiled from source that uses group_local_memory or get_work_group_scratch_memory
// crashes libsycl in build() (DeviceKernelInfo::setImplicitLocalArgPos).
#include "common.hpp"

#include <algorithm>

const char *const source = R"(
ND_RANGE(1) sub_group_facts(unsigned *size, unsigned *id, unsigned *lane) {
  auto sg = this_work_item::get_sub_group();
  size[global_id()] = sg.get_local_linear_range(), id[global_id()] = sg.get_group_linear_id();
  lane[global_id()] = sg.get_local_linear_id();
}
ND_RANGE(1) sub_group_ops(const int *in, int *out) { // ten results per work-item, in rows of the global size
  auto sg = this_work_item::get_sub_group();
  int x = in[global_id()], lane = sg.get_local_linear_id(), n = this_item().get_global_range(0), *o = out + global_id();
  o[0 * n] = sycl::reduce_over_group(sg, x, sycl::plus<>());
  o[1 * n] = sycl::reduce_over_group(sg, x, sycl::maximum<>());
  o[2 * n] = sycl::inclusive_scan_over_group(sg, x, sycl::plus<>());
  o[3 * n] = sycl::exclusive_scan_over_group(sg, x, sycl::plus<>());
  o[4 * n] = sycl::permute_group_by_xor(sg, x, 1);
  o[5 * n] = sycl::shift_group_left(sg, x, 1);
  o[6 * n] = sycl::shift_group_right(sg, x, 1);
  o[7 * n] = sycl::select_from_group(sg, x, sg.get_local_linear_range() - 1 - lane);
  o[8 * n] = sycl::group_broadcast(sg, x, 2);
  o[9 * n] = sycl::any_of_group(sg, x == 5) + 2 * sycl::all_of_group(sg, x >= 0) + 4 * sycl::none_of_group(sg, x == 9);
}
ND_RANGE(1) group_ops(const long *in, long *out) {
  auto g = this_work_item::get_work_group<1>();
  long x = in[global_id()], n = this_item().get_global_range(0), *o = out + global_id();
  o[0 * n] = sycl::reduce_over_group(g, x, sycl::plus<>());
  o[1 * n] = sycl::reduce_over_group(g, x, sycl::minimum<>());
  o[2 * n] = sycl::inclusive_scan_over_group(g, x, sycl::plus<>());
  o[3 * n] = sycl::exclusive_scan_over_group(g, x, 100l, sycl::plus<>());
  o[4 * n] = sycl::group_broadcast(g, x, 3);
  o[5 * n] = sycl::any_of_group(g, x == 5);
  o[6 * n] = sycl::joint_reduce(g, in, in + n, sycl::plus<>());
}
ND_RANGE(1) reverse_accessor(int *data, sycl::local_accessor<int, 1> tile) {
  tile[local_id()] = data[global_id()];
  sycl::group_barrier(this_work_item::get_work_group<1>());
  data[global_id()] = tile[this_item().get_local_range(0) - 1 - local_id()];
}
ND_RANGE(1) reverse_memory(int *data, syclx::work_group_memory<int[]> tile) {
  tile[local_id()] = data[global_id()];
  sycl::group_barrier(this_work_item::get_work_group<1>());
  data[global_id()] = tile[this_item().get_local_range(0) - 1 - local_id()];
}
ND_RANGE(2) transpose(const float *in, float *out, sycl::local_accessor<float, 2> tile) {
  auto it = this_item<2>();
  size_t n = it.get_global_range(0), y = it.get_local_id(0), x = it.get_local_id(1), edge = it.get_local_range(0);
  tile[y][x] = in[it.get_global_id(0) * n + it.get_global_id(1)];
  sycl::group_barrier(it.get_group());
  out[(it.get_group(1) * edge + y) * n + it.get_group(0) * edge + x] = tile[x][y];
}
ND_RANGE(1) tree_sum(const int *in, int *out, sycl::local_accessor<int, 1> tile) { // barriers in a loop
  tile[local_id()] = in[global_id()];
  for (size_t half = this_item().get_local_range(0) / 2; half > 0; half /= 2) {
    sycl::group_barrier(this_work_item::get_work_group<1>());
    if (local_id() < half) tile[local_id()] += tile[local_id() + half];
  }
  if (local_id() == 0) out[this_item().get_group(0)] = tile[0];
}
ND_RANGE(1) phases(int *out, int rounds, sycl::local_accessor<int, 1> tile) { // a value kept in a register across barriers
  int mine = local_id(), n = this_item().get_local_range(0);
  for (int i = 0; i < rounds; ++i) {
    tile[local_id()] = mine;
    sycl::group_barrier(this_work_item::get_work_group<1>());
    mine += tile[(local_id() + 1) % n] + i;
    sycl::group_barrier(this_work_item::get_work_group<1>());
  }
  out[global_id()] = mine;
}
ND_RANGE(1) async_copy(const int *in, int *out, sycl::local_accessor<int, 1> tile) {
  auto g = this_work_item::get_work_group<1>();
  auto n = g.get_local_range(0);
  auto from = sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::yes>(in);
  auto to = tile.get_multi_ptr<sycl::access::decorated::yes>();
  g.wait_for(g.async_work_group_copy(to, from + g.get_group_linear_id() * n, n));
  out[global_id()] = 2 * tile[n - 1 - local_id()];
}
)";

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  auto bundle = compile(q, source);
  auto kernel = [&](const char *name) { return bundle.ext_oneapi_get_kernel(name); };
  constexpr std::size_t n = 256, local = 64;
  int *in = sycl::malloc_shared<int>(n, q), *out = sycl::malloc_shared<int>(10 * n, q);
  std::iota(in, in + n, 0);

  auto *size = sycl::malloc_shared<unsigned>(n, q), *id = sycl::malloc_shared<unsigned>(n, q),
       *lane = sycl::malloc_shared<unsigned>(n, q);
  scenario("sub-groups tile the work-group", [&] {
    launch(q, kernel("sub_group_facts"), n, local, size, id, lane).wait();
    fact("sub-group size", size[0]);
    const auto sizes = q.get_device().get_info<sycl::info::device::sub_group_sizes>();
    CHECK(std::find(sizes.begin(), sizes.end(), size[0]) != sizes.end());
    CHECK(all_equal(size, n, [&](auto) { return size[0]; }));
    CHECK(all_equal(id, n, [&](auto i) { return i % local / size[0]; }));
    CHECK(all_equal(lane, n, [&](auto i) { return i % local % size[0]; }));
  });

  scenario("sub-group shuffles, votes, reductions and scans", [&] {
    launch(q, kernel("sub_group_ops"), n, local, in, out).wait();
    const auto s = size[0];
    auto row = [&](int r) { return out + r * n; };
    auto first = [&](auto i) { return i / s * s; }; // of i's sub-group
    CHECK(all_equal(row(0), n, [&](auto i) { return first(i) * s + s * (s - 1) / 2; }));
    CHECK(all_equal(row(1), n, [&](auto i) { return first(i) + s - 1; }));
    CHECK(all_equal(row(2), n, [&](auto i) { return i * (i + 1) / 2 - (first(i) ? first(i) * (first(i) - 1) / 2 : 0); }));
    CHECK(all_equal(row(3), n, [&](auto i) { return row(2)[i] - i; }));
    CHECK(all_equal(row(4), n, [&](auto i) { return i ^ 1; }));
    bool left = true, right = true; // the edge lanes are undefined
    for (std::size_t i = 0; i < n; ++i) {
      left = left && (i % s == s - 1 || row(5)[i] == static_cast<int>(i + 1));
      right = right && (i % s == 0 || row(6)[i] == static_cast<int>(i - 1));
    }
    CHECK(left);
    CHECK(right);
    CHECK(all_equal(row(7), n, [&](auto i) { return first(i) + s - 1 - i % s; }));
    CHECK(all_equal(row(8), n, [&](auto i) { return first(i) + 2; }));
    CHECK(all_equal(row(9), n, [&](auto i) {
      auto has = [&](unsigned value) { return value / s == i / s; };
      return has(5) + 2 + 4 * !has(9);
    }));
  });
  sycl::free(size, q), sycl::free(id, q), sycl::free(lane, q);

  scenario("work-group reductions and scans", [&] {
    long *longs = sycl::malloc_shared<long>(n, q), *results = sycl::malloc_shared<long>(7 * n, q);
    std::iota(longs, longs + n, 0l);
    for (std::size_t size : {64, 32, 1}) {
      launch(q, kernel("group_ops"), n, size, longs, results).wait();
      auto row = [&](int r) { return results + r * n; };
      auto first = [&](auto i) { return i / size * size; };
      auto below = [](auto i) { return i * (i - 1) / 2; }; // 0 + 1 + ... + (i - 1)
      CHECK(all_equal(row(0), n, [&](auto i) { return below(first(i) + size) - below(first(i)); }));
      CHECK(all_equal(row(1), n, first));
      CHECK(all_equal(row(2), n, [&](auto i) { return below(i + 1) - below(first(i)); }));
      CHECK(all_equal(row(3), n, [&](auto i) { return 100 + below(i) - below(first(i)); }));
      if (size > 3)
        CHECK(all_equal(row(4), n, [&](auto i) { return first(i) + 3; }));
      CHECK(all_equal(row(5), n, [&](auto i) { return first(i) <= 5 && 5 < first(i) + size; }));
      CHECK(all_equal(row(6), n, [&](auto) { return below(n); }));
    }
    sycl::free(longs, q), sycl::free(results, q);
  });

  auto reversed = [&](auto i) { return i / local * local + local - 1 - i % local; };
  scenario("local memory: local_accessor", [&] {
    std::iota(out, out + n, 0);
    q.submit([&](sycl::handler &h) {
       h.set_args(out, sycl::local_accessor<int, 1>{sycl::range{local}, h});
       h.parallel_for(sycl::nd_range<1>{n, local}, kernel("reverse_accessor"));
     }).wait();
    CHECK(all_equal(out, n, reversed));
  });

  scenario("local memory: work_group_memory", [&] {
    std::iota(out, out + n, 0);
    q.submit([&](sycl::handler &h) {
       syclx::work_group_memory<int[]> tile{local, h};
       h.set_arg(0, out);
       h.set_arg(1, tile);
       h.parallel_for(sycl::nd_range<1>{n, local}, kernel("reverse_memory"));
     }).wait();
    CHECK(all_equal(out, n, reversed));
  });

  scenario("local memory in two dimensions: a tiled transpose", [&] {
    constexpr std::size_t edge = 64, tile = 8;
    float *matrix = sycl::malloc_shared<float>(edge * edge, q), *transposed = sycl::malloc_shared<float>(edge * edge, q);
    std::iota(matrix, matrix + edge * edge, 0.0f);
    q.submit([&](sycl::handler &h) {
       h.set_args(matrix, transposed, sycl::local_accessor<float, 2>{sycl::range{tile, tile}, h});
       h.parallel_for(sycl::nd_range<2>{{edge, edge}, {tile, tile}}, kernel("transpose"));
     }).wait();
    CHECK(all_equal(transposed, edge * edge, [&](auto i) { return i % edge * edge + i / edge; }));
    sycl::free(matrix, q), sycl::free(transposed, q);
  });

  scenario("a barrier in a loop", [&] {
    q.submit([&](sycl::handler &h) {
       h.set_args(in, out, sycl::local_accessor<int, 1>{sycl::range{local}, h});
       h.parallel_for(sycl::nd_range<1>{n, local}, kernel("tree_sum"));
     }).wait();
    CHECK(all_equal(out, n / local, [&](auto g) { return local * (g * local) + local * (local - 1) / 2; }));
  });

  scenario("values live across barriers", [&] {
    constexpr int rounds = 6;
    q.submit([&](sycl::handler &h) {
       h.set_args(out, rounds, sycl::local_accessor<int, 1>{sycl::range{local}, h});
       h.parallel_for(sycl::nd_range<1>{n, local}, kernel("phases"));
     }).wait();
    std::vector<int> mine(local), next(local);
    std::iota(mine.begin(), mine.end(), 0);
    for (int i = 0; i < rounds; ++i, mine = next)
      for (std::size_t k = 0; k < local; ++k)
        next[k] = mine[k] + mine[(k + 1) % local] + i;
    CHECK(all_equal(out, n, [&](auto i) { return mine[i % local]; }));
  });

  scenario("async_work_group_copy", [&] {
    q.submit([&](sycl::handler &h) {
       h.set_args(in, out, sycl::local_accessor<int, 1>{sycl::range{local}, h});
       h.parallel_for(sycl::nd_range<1>{n, local}, kernel("async_copy"));
     }).wait();
    CHECK(all_equal(out, n, [&](auto i) { return 2 * reversed(i); }));
  });

  scenario("a local accessor of another size at every launch", [&] {
    for (std::size_t size : {16, 128, 32}) {
      std::iota(out, out + n, 0);
      q.submit([&](sycl::handler &h) {
         h.set_args(out, sycl::local_accessor<int, 1>{sycl::range{size}, h});
         h.parallel_for(sycl::nd_range<1>{n, size}, kernel("reverse_accessor"));
       }).wait();
      CHECK(all_equal(out, n, [&](auto i) { return i / size * size + size - 1 - i % size; }));
    }
  });

  sycl::free(in, q), sycl::free(out, q);
  return summary();
}
