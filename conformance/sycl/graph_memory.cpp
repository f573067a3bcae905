// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in graphs: copies between USM of all kinds and the client's own memory, of odd sizes and at odd addresses;
// fills with patterns of any size, memset, prefetch, advice; buffers, whose accessors order the commands; and local
// memory of work-groups.
#include "graph.hpp"

#include <array>

const char *const source = R"(
using RW1 = sycl::accessor<int, 1, sycl::access_mode::read_write>;
using RW2 = sycl::accessor<int, 2, sycl::access_mode::read_write>;
using R1 = sycl::accessor<int, 1, sycl::access_mode::read>;
using W1 = sycl::accessor<int, 1, sycl::access_mode::write>;
ND_RANGE(1) add(RW1 data, int amount) { data[global_id()] += amount; }
ND_RANGE(1) scale(R1 in, W1 out, int factor) { out[global_id()] = in[global_id()] * factor; }
ND_RANGE(2) number(RW2 data) { auto id = this_item<2>().get_global_id(); data[id] += 100 * id[0] + id[1]; }
ND_RANGE(1) reverse(int *data, sycl::local_accessor<int, 1> tile) {
  const size_t l = local_id(), last = this_item().get_local_range(0) - 1;
  tile[l] = data[global_id()];
  sycl::group_barrier(this_item().get_group());
  data[global_id()] = tile[last - l];
}
ND_RANGE(1) rotate(int *data, syclx::work_group_memory<int[]> tile) {
  const size_t l = local_id(), size = this_item().get_local_range(0);
  tile[l] = data[global_id()];
  sycl::group_barrier(this_item().get_group());
  data[global_id()] = tile[(l + 1) % size];
}
)";

template <std::size_t Size> struct Pattern {
  std::array<unsigned char, Size> bytes;
};

/// Fills of 37 elements of `Size` bytes, `at` bytes behind a multiple of that, leave all else alone.
template <std::size_t Size> bool fill_of(Playground &p, unsigned char *bytes, std::size_t at) {
  constexpr std::size_t count = 37, total = 1024 + 37 * 128;
  Pattern<Size> pattern;
  for (std::size_t i = 0; i < Size; ++i)
    pattern.bytes[i] = static_cast<unsigned char>(3 * i + Size);
  at += 7 * Size;
  Graph graph{p.context, p.device};
  auto clear = graph.add([&](sycl::handler &h) { h.memset(bytes, 0xee, total); });
  auto *to = reinterpret_cast<Pattern<Size> *>(bytes + at);
  graph.add([&](sycl::handler &h) { h.fill(to, pattern, count); }, {depends_on(clear)});
  auto executable = graph.finalize();
  for (int i = 0; i < 2; ++i)
    p.q.ext_oneapi_graph(executable);
  p.q.wait();
  std::vector<unsigned char> got(total);
  p.q.memcpy(got.data(), bytes, total).wait();
  return all_equal(got.data(), total, [&](std::size_t i) -> unsigned char {
    return i < at || i >= at + count * Size ? 0xee : pattern.bytes[(i - at) % Size];
  });
}

template <std::size_t... Sizes> void fills_of(Playground &p, unsigned char *bytes, std::index_sequence<Sizes...>) {
  auto pattern = [](std::size_t size) { return "a fill with a pattern of " + std::to_string(size) + " bytes"; };
  (feature(pattern(Sizes), [&] { CHECK(fill_of<Sizes>(p, bytes, 0)); }), ...);
  (feature(pattern(Sizes) + ", unaligned", [&] { CHECK(fill_of<Sizes>(p, bytes, 1)); }), ...);
}

int main() {
  Playground p{sycl::queue{sycl::property::queue::in_order{}}, source};
  auto &q = p.q;
  auto *a = p.a, *b = p.b;
  constexpr auto n = Playground::n;
  auto replay = [&](auto &&executable, int times = 1) {
    for (int i = 0; i < times; ++i)
      q.ext_oneapi_graph(executable);
    q.wait();
  };

  scenario("copies between device, shared, host USM and the client's memory", [&] {
    p.reset();
    int *device = sycl::malloc_device<int>(n, q), *host = sycl::malloc_host<int>(n, q);
    std::vector<int> from(n), to(n);
    std::iota(from.begin(), from.end(), 1);
    Graph graph{p.context, p.device};
    auto copy = [&](int *to, const int *from, Node before) {
      return graph.add(p.copy(to, from), {depends_on(before)});
    };
    auto last = graph.add(p.copy(device, from.data()));
    last = copy(a, device, last);
    last = copy(host, a, last);
    last = copy(b, host, last);
    last = copy(device, b, last);
    copy(to.data(), device, last);
    auto executable = graph.finalize();
    replay(executable);
    CHECK(to == from);
    std::fill(from.begin(), from.end(), 9); // the client's memory is read when the graph runs
    replay(executable);
    CHECK(to == from && p.all(b, 9));
    sycl::free(device, q), sycl::free(host, q);
  });

  scenario("copies of odd sizes at odd addresses", [&] {
    unsigned char *device = sycl::malloc_device<unsigned char>(20100, q);
    std::vector<unsigned char> from(20000), to(20000);
    for (std::size_t i = 0; i < from.size(); ++i)
      from[i] = static_cast<unsigned char>(i * 7 + i / 251);
    for (std::size_t size : {1, 3, 5, 17, 63, 255, 4097, 9999}) {
      Graph graph{p.context, p.device};
      std::fill(to.begin(), to.end(), 0);
      auto in = graph.add([&](sycl::handler &h) { h.memcpy(device + 5, from.data() + 3, size); });
      auto move = graph.add([&](sycl::handler &h) { h.memcpy(device + 10051, device + 5, size); }, {depends_on(in)});
      graph.add([&](sycl::handler &h) { h.memcpy(to.data() + 1, device + 10051, size); }, {depends_on(move)});
      replay(graph.finalize(), 2);
      CHECK(std::equal(to.begin() + 1, to.begin() + 1 + size, from.begin() + 3) && to[0] == 0 && to[size + 1] == 0);
    }
    sycl::free(device, q);
  });

  auto *bytes = sycl::aligned_alloc_device<unsigned char>(128, 1024 + 37 * 128, q);
  fills_of(p, bytes, std::index_sequence<1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 16, 17, 24, 32, 48, 64, 100, 128>{});
  sycl::free(bytes, q);

  feature("memset of every value", [&] {
    unsigned char *shared = sycl::malloc_shared<unsigned char>(256 * 3, q);
    Graph graph{p.context, p.device};
    for (int value = 0; value < 256; ++value)
      graph.add([&](sycl::handler &h) { h.memset(shared + 3 * value, value, 3); });
    replay(graph.finalize());
    CHECK(all_equal(shared, 256 * 3, [](auto i) { return i / 3; }));
    sycl::free(shared, q);
  });

  auto nothing = [&](const char *name, auto command) {
    feature(name, [&] {
      p.reset();
      Graph graph{p.context, p.device};
      auto none = graph.add(command);
      graph.add(p.step(a, 1, 1), {depends_on(none)});
      replay(graph.finalize());
      CHECK(p.all(a, 1) && p.all(b, 0));
    });
  };
  nothing("a fill of nothing", [&](sycl::handler &h) { h.fill(a, 1, 0); });
  nothing("a copy of nothing", [&](sycl::handler &h) { h.memcpy(b, a, 0); });
  nothing("a memset of nothing", [&](sycl::handler &h) { h.memset(b, 0, 0); });

  feature("prefetch and advice keep their place", [&] {
    p.reset();
    Graph graph{p.context, p.device};
    auto one = graph.add(p.step(a, 1, 1));
    auto two = graph.add([&](sycl::handler &h) { h.prefetch(a, n * sizeof(int)); }, {depends_on(one)});
    auto three = graph.add([&](sycl::handler &h) { h.mem_advise(a, n * sizeof(int), 0); }, {depends_on(two)});
    graph.add(p.step(a, 2, 0), {depends_on(three)});
    CHECK(two.get_type() == syclx::node_type::prefetch && three.get_type() == syclx::node_type::memadvise);
    replay(graph.finalize(), 2);
    CHECK(p.all(a, 6));
  });

  scenario("pitched copies are refused by libsycl", [&] {
    Graph graph{p.context, p.device};
    graph.begin_recording(q);
    CHECK(error_of([&] { q.ext_oneapi_memcpy2d(a, 64, b, 64, 16, 4); }) == code(sycl::errc::invalid));
    graph.end_recording();
  });

  const sycl::property_list for_buffers{syclx::property::graph::assume_buffer_outlives_graph{}};
  auto plain = [](auto &buffer) { buffer.set_write_back(false); };
  auto read = [](sycl::buffer<int> &buffer) {
    sycl::host_accessor host{buffer, sycl::read_only};
    return std::vector<int>(host.begin(), host.end());
  };
  auto same = [&](const std::vector<int> &got, auto expected) { return all_equal(got.data(), got.size(), expected); };

  // libsycl makes an edge from a command that writes to one that reads; the others are the client's to make.
  feature("accessors make the edges from who writes to who reads", [&] {
    std::vector<int> start(n, 1);
    sycl::buffer<int> one{start.data(), n}, two{sycl::range{n}};
    plain(one), plain(two);
    {
      Graph graph{p.context, p.device, for_buffers};
      auto add = [&](sycl::buffer<int> &buffer, int amount) {
        return graph.add([&](sycl::handler &h) {
          h.set_args(buffer.get_access<sycl::access_mode::read_write>(h), amount);
          h.parallel_for(sycl::nd_range<1>{n, 16}, p.kernel("add"));
        });
      };
      auto first = add(one, 2);
      auto scale = graph.add([&](sycl::handler &h) {
        h.set_args(one.get_access<sycl::access_mode::read>(h), two.get_access<sycl::access_mode::write>(h), 10);
        h.parallel_for(sycl::nd_range<1>{n, 16}, p.kernel("scale"));
      });
      auto last = add(two, 1);
      auto write = add(one, 1);
      CHECK(scale.get_predecessors() == std::vector{first} && scale.get_successors() == std::vector{last});
      graph.make_edge(scale, write);
      auto executable = graph.finalize();
      replay(executable, 2);
    }
    CHECK(same(read(one), [](auto) { return 7; }) && same(read(two), [](auto) { return 61; }));
  });

  feature("buffers copied to buffers, whole and in part", [&] {
    std::vector<int> start(n), minus(n, -1);
    std::iota(start.begin(), start.end(), 0);
    sycl::buffer<int> from{start.begin(), start.end()}, to{minus.begin(), minus.end()};
    sycl::buffer<int> part{minus.begin(), minus.end()};
    plain(from), plain(to), plain(part);
    {
      Graph graph{p.context, p.device, for_buffers};
      graph.add([&](sycl::handler &h) {
        h.copy(from.get_access<sycl::access_mode::read>(h), to.get_access<sycl::access_mode::write>(h));
      });
      graph.add([&](sycl::handler &h) {
        h.copy(from.get_access<sycl::access_mode::read>(h, sycl::range{50}, sycl::id{7}),
               part.get_access<sycl::access_mode::write>(h, sycl::range{50}, sycl::id{101}));
      });
      replay(graph.finalize(), 2);
    }
    CHECK(same(read(to), [](auto i) { return i; }));
    CHECK(same(read(part), [](auto i) { return i >= 101 && i < 151 ? static_cast<int>(i) - 94 : -1; }));
  });

  feature("buffers copied from and to the client's memory", [&] {
    std::vector<int> from(n, 4), to(n, 0), piece(20, 0), zeros(n, 0);
    sycl::buffer<int> buffer{zeros.begin(), zeros.end()};
    plain(buffer);
    {
      Graph graph{p.context, p.device, for_buffers};
      auto in = graph.add(
          [&](sycl::handler &h) { h.copy(from.data(), buffer.get_access<sycl::access_mode::write>(h)); });
      auto over = graph.add([&](sycl::handler &h) {
        h.copy(from.data() + 3, buffer.get_access<sycl::access_mode::write>(h, sycl::range{10}, sycl::id{5}));
      }, {depends_on(in)});
      graph.add([&](sycl::handler &h) {
        h.set_args(buffer.get_access<sycl::access_mode::read_write>(h), 3);
        h.parallel_for(sycl::nd_range<1>{n, 16}, p.kernel("add"));
      }, {depends_on(over)});
      graph.add([&](sycl::handler &h) { h.copy(buffer.get_access<sycl::access_mode::read>(h), to.data()); });
      graph.add([&](sycl::handler &h) {
        h.copy(buffer.get_access<sycl::access_mode::read>(h, sycl::range{20}, sycl::id{30}), piece.data());
      });
      auto executable = graph.finalize();
      replay(executable);
      CHECK(same(to, [](auto) { return 7; }) && same(piece, [](auto) { return 7; }));
      std::fill(from.begin(), from.end(), 10);
      replay(executable);
    }
    CHECK(same(to, [](auto) { return 13; }) && same(piece, [](auto) { return 13; }));
  });

  feature("rectangles of buffers", [&] {
    constexpr std::size_t rows = 16, columns = 24;
    std::vector<int> zeros(rows * columns, 0), others(zeros), out(6 * 5, 0);
    sycl::buffer<int, 2> from{zeros.data(), sycl::range{rows, columns}}, to{others.data(), sycl::range{rows, columns}};
    plain(from), plain(to);
    {
      Graph graph{p.context, p.device, for_buffers};
      graph.add([&](sycl::handler &h) {
        h.set_args(from.get_access<sycl::access_mode::read_write>(h));
        h.parallel_for(sycl::nd_range<2>{{rows, columns}, {4, 8}}, p.kernel("number"));
      });
      graph.add([&](sycl::handler &h) {
        h.copy(from.get_access<sycl::access_mode::read>(h, sycl::range{6, 5}, sycl::id{2, 3}),
               to.get_access<sycl::access_mode::write>(h, sycl::range{6, 5}, sycl::id{7, 11}));
      });
      graph.add([&](sycl::handler &h) {
        h.copy(to.get_access<sycl::access_mode::read>(h, sycl::range{6, 5}, sycl::id{7, 11}), out.data());
      });
      replay(graph.finalize());
    }
    CHECK(same(out, [](auto i) { return 100 * (i / 5 + 2) + i % 5 + 3; }));
    sycl::host_accessor host{to, sycl::read_only};
    bool good = true;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) {
        const bool inside = r >= 7 && r < 13 && c >= 11 && c < 16;
        good = good && host[r][c] == (inside ? static_cast<int>(100 * (r - 5) + c - 8) : 0);
      }
    CHECK(good);
  });

  feature("buffers filled", [&] {
    const std::vector<int> zeros(n, 0);
    sycl::buffer<int> buffer{zeros.begin(), zeros.end()};
    plain(buffer);
    {
      Graph graph{p.context, p.device, for_buffers};
      graph.add([&](sycl::handler &h) { h.fill(buffer.get_access<sycl::access_mode::write>(h), 5); });
      graph.add([&](sycl::handler &h) {
        h.set_args(buffer.get_access<sycl::access_mode::read_write>(h), 3);
        h.parallel_for(sycl::nd_range<1>{n, 16}, p.kernel("add"));
      });
      graph.add([&](sycl::handler &h) {
        h.fill(buffer.get_access<sycl::access_mode::write>(h, sycl::range{13}, sycl::id{9}), 77);
      }, {syclx::property::node::depends_on_all_leaves{}});
      replay(graph.finalize(), 2);
    }
    CHECK(same(read(buffer), [](auto i) { return i >= 9 && i < 22 ? 77 : 8; }));
  });

  feature("a recorded queue with buffers and USM", [&] {
    p.reset();
    std::vector<int> start(n, 2);
    sycl::buffer<int> buffer{start.data(), n};
    plain(buffer);
    {
      Graph graph{p.context, p.device, for_buffers};
      sycl::queue unordered{p.context, p.device};
      graph.begin_recording(unordered);
      unordered.submit([&](sycl::handler &h) {
        h.set_args(buffer.get_access<sycl::access_mode::read_write>(h), 1);
        h.parallel_for(sycl::nd_range<1>{n, 16}, p.kernel("add"));
      });
      auto copied = unordered.submit(
          [&](sycl::handler &h) { h.copy(buffer.get_access<sycl::access_mode::read>(h), a); });
      unordered.submit(after({copied}, p.step(a, 2, 0)));
      graph.end_recording();
      replay(graph.finalize(), 2);
    }
    CHECK(p.all(a, 8) && same(read(buffer), [](auto) { return 4; }));
  });

  scenario("what graphs refuse of buffers", [&] {
    std::vector<int> start(n, 2);
    auto use = [&](Graph &graph, sycl::buffer<int> &buffer) {
      return error_of([&] {
        graph.add([&](sycl::handler &h) {
          h.set_args(buffer.get_access<sycl::access_mode::read_write>(h), 1);
          h.parallel_for(sycl::nd_range<1>{n, 16}, p.kernel("add"));
        });
      });
    };
    Graph without{p.context, p.device}, with{p.context, p.device, for_buffers};
    sycl::buffer<int> kept{start.data(), n}, written_back{start.data(), n};
    plain(kept);
    CHECK(use(without, kept) == code(sycl::errc::invalid));
    CHECK(use(with, written_back) == code(sycl::errc::invalid));
    CHECK(use(with, kept) == -1);
    CHECK(error_of([&] { sycl::host_accessor{kept}; }) == code(sycl::errc::invalid));
  });

  feature("local memory", [&] {
    p.reset();
    std::iota(a, a + n, 0);
    Graph graph{p.context, p.device};
    auto one = graph.add([&](sycl::handler &h) {
      h.set_args(a, sycl::local_accessor<int, 1>{sycl::range{32}, h});
      h.parallel_for(sycl::nd_range<1>{n, 32}, p.kernel("reverse"));
    });
    auto two = graph.add([&](sycl::handler &h) {
      h.set_args(a, sycl::local_accessor<int, 1>{sycl::range{64}, h});
      h.parallel_for(sycl::nd_range<1>{n, 64}, p.kernel("reverse"));
    }, {depends_on(one)});
    graph.add([&](sycl::handler &h) {
      syclx::work_group_memory<int[]> tile{16, h};
      h.set_args(a, tile);
      h.parallel_for(sycl::nd_range<1>{n, 16}, p.kernel("rotate"));
    }, {depends_on(two)});
    replay(graph.finalize());
    std::vector<int> expected(n), then(n);
    std::iota(expected.begin(), expected.end(), 0);
    for (std::size_t size : {32, 64})
      for (std::size_t i = 0; i < n; i += size)
        std::reverse(expected.begin() + i, expected.begin() + i + size);
    for (std::size_t i = 0; i < n; ++i)
      then[i] = expected[i / 16 * 16 + (i + 1) % 16];
    CHECK(all_equal(a, n, [&](auto i) { return then[i]; }));
  });

  return summary();
}
