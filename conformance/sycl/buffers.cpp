// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers and accessors: that data written on the host reaches the device, that results come back (by accessor, by
// copy-back at destruction, by explicit copy), in one, two and three dimensions, for whole buffers, ranges of them and
// sub-buffers, and that the order of commands follows from who reads and writes what.
#include "common.hpp"

#include <array>
#include <memory>

using sycl::access_mode;

const char *const source = R"(
using RW1 = sycl::accessor<int, 1, sycl::access_mode::read_write>;
using RW2 = sycl::accessor<int, 2, sycl::access_mode::read_write>;
using RW3 = sycl::accessor<int, 3, sycl::access_mode::read_write>;
using R1 = sycl::accessor<int, 1, sycl::access_mode::read>;
using W1 = sycl::accessor<int, 1, sycl::access_mode::write>;

ND_RANGE(1) add(RW1 data, int amount) { data[global_id()] += amount; }
ND_RANGE(1) scale(R1 in, W1 out, int factor) { out[global_id()] = in[global_id()] * factor; }
ND_RANGE(2) number2(RW2 data) { auto id = this_item<2>().get_global_id(); data[id] += 100 * id[0] + id[1]; }
ND_RANGE(3) number3(RW3 data) {
  auto id = this_item<3>().get_global_id();
  data[id] = 10000 * id[0] + 100 * id[1] + id[2];
}
)";

int main() {
  sycl::queue q;
  auto bundle = immortal(compile(q, source));
  auto kernel = [&](const char *name) { return bundle.ext_oneapi_get_kernel(name); };

  // Adds `amount` to the whole buffer.
  auto add = [&](sycl::buffer<int> &buffer, int amount) {
    return q.submit([&](sycl::handler &h) {
      h.set_args(buffer.get_access<access_mode::read_write>(h), amount);
      h.parallel_for(sycl::nd_range<1>{buffer.size(), 4}, kernel("add"));
    });
  };

  scenario("host data in, host accessor out", [&] {
    std::vector<int> data(64);
    std::iota(data.begin(), data.end(), 0);
    sycl::buffer<int> buffer{data};
    add(buffer, 7);
    sycl::host_accessor host{buffer, sycl::read_only};
    CHECK(all_equal(&host[0], 64, [](auto i) { return i + 7; }));
  });

  scenario("a destroyed buffer writes its data back", [&] {
    std::vector<int> data(64, 1);
    {
      sycl::buffer<int> buffer{data};
      add(buffer, 1);
    }
    CHECK(all_equal(data.data(), 64, [](auto) { return 2; }));
  });

  scenario("const host data is left alone", [&] {
    const std::vector<int> data(64, 5);
    {
      sycl::buffer<int> buffer{data.data(), sycl::range{64}};
      add(buffer, 1);
    }
    CHECK(all_equal(data.data(), 64, [](auto) { return 5; }));
  });

  scenario("set_final_data and set_write_back", [&] {
    std::vector<int> kept(64, 1), target(64, 0);
    {
      sycl::buffer<int> buffer{kept};
      buffer.set_final_data(target.data());
      add(buffer, 2);
    }
    CHECK(all_equal(target.data(), 64, [](auto) { return 3; }));
    {
      sycl::buffer<int> buffer{target.begin(), target.end()}; // iterators: the buffer holds a copy
      buffer.set_write_back(false);
      add(buffer, 2);
    }
    CHECK(all_equal(target.data(), 64, [](auto) { return 3; }));
  });

  scenario("use_host_ptr", [&] {
    auto data = std::make_unique<std::array<int, 64>>();
    data->fill(10);
    {
      sycl::buffer<int> buffer{data->data(), sycl::range{64}, {sycl::property::buffer::use_host_ptr{}}};
      CHECK(buffer.has_property<sycl::property::buffer::use_host_ptr>());
      add(buffer, 1);
      {
        sycl::host_accessor host{buffer};
        CHECK(&host[0] == data->data());
        CHECK(all_equal(&host[0], 64, [](auto) { return 11; }));
        host[0] = 100;
      }
      add(buffer, 1);
    }
    CHECK((*data)[0] == 101 && (*data)[1] == 12 && (*data)[63] == 12);
  });

  scenario("writes through a host accessor reach the next kernel", [&] {
    sycl::buffer<int> buffer{sycl::range{64}};
    for (int round = 0; round < 5; ++round) {
      {
        sycl::host_accessor host{buffer, sycl::write_only};
        for (int i = 0; i < 64; ++i)
          host[i] = round * i;
      }
      add(buffer, round);
      sycl::host_accessor host{buffer, sycl::read_only};
      CHECK(all_equal(&host[0], 64, [&](auto i) { return round * i + round; }));
    }
  });

  scenario("kernels on one buffer run in order", [&] {
    sycl::buffer<int> first{sycl::range{64}}, second{sycl::range{64}};
    q.submit([&](sycl::handler &h) { h.fill(sycl::accessor{first, h, sycl::write_only, sycl::no_init}, 1); });
    for (int round = 0; round < 10; ++round) // first -> second doubles, second -> first doubles: 4 times a round
      for (auto [in, out] : {std::pair{&first, &second}, std::pair{&second, &first}})
        q.submit([&, in = in, out = out](sycl::handler &h) {
          h.set_args(in->get_access<access_mode::read>(h), out->get_access<access_mode::write>(h), 2);
          h.parallel_for(sycl::nd_range<1>{64, 4}, kernel("scale"));
        });
    sycl::host_accessor host{first, sycl::read_only};
    CHECK(all_equal(&host[0], 64, [](auto) { return 1 << 20; }));
  });

  scenario("two dimensions", [&] {
    sycl::buffer<int, 2> buffer{sycl::range{6, 10}};
    q.submit([&](sycl::handler &h) { h.fill(sycl::accessor{buffer, h, sycl::write_only, sycl::no_init}, 5); });
    q.submit([&](sycl::handler &h) {
      h.set_args(buffer.get_access<access_mode::read_write>(h));
      h.parallel_for(sycl::nd_range<2>{{6, 10}, {3, 5}}, kernel("number2"));
    });
    sycl::host_accessor host{buffer, sycl::read_only};
    CHECK(all_equal(&host[0][0], 60, [](auto i) { return 5 + 100 * (i / 10) + i % 10; }));
  });

  scenario("three dimensions", [&] {
    sycl::buffer<int, 3> buffer{sycl::range{4, 6, 8}};
    q.submit([&](sycl::handler &h) {
      h.set_args(buffer.get_access<access_mode::read_write>(h));
      h.parallel_for(sycl::nd_range<3>{{4, 6, 8}, {2, 3, 4}}, kernel("number3"));
    });
    sycl::host_accessor host{buffer, sycl::read_only};
    CHECK(all_equal(&host[0][0][0], 192, [](auto i) { return 10000 * (i / 48) + 100 * (i / 8 % 6) + i % 8; }));
  });

  scenario("a ranged host accessor maps a rectangle", [&] {
    sycl::buffer<int, 2> buffer{sycl::range{8, 8}};
    q.submit([&](sycl::handler &h) { h.fill(sycl::accessor{buffer, h, sycl::write_only, sycl::no_init}, 0); });
    {
      sycl::host_accessor host{buffer, sycl::range{2, 3}, sycl::id{4, 5}};
      for (std::size_t y = 0; y < 2; ++y)
        for (std::size_t x = 0; x < 3; ++x)
          host[y][x] = 1 + y * 3 + x;
    }
    q.submit([&](sycl::handler &h) {
      h.set_args(buffer.get_access<access_mode::read_write>(h));
      h.parallel_for(sycl::nd_range<2>{{8, 8}, {4, 4}}, kernel("number2"));
    });
    sycl::host_accessor host{buffer, sycl::read_only};
    CHECK(all_equal(&host[0][0], 64, [](auto i) {
      const int y = i / 8, x = i % 8;
      const bool inside = y >= 4 && y < 6 && x >= 5;
      return 100 * y + x + (inside ? 1 + (y - 4) * 3 + (x - 5) : 0);
    }));
  });

  scenario("sub-buffers write into their parent", [&] {
    const std::size_t align = q.get_device().get_info<sycl::info::device::mem_base_addr_align>() / 8 / sizeof(int);
    std::vector<int> data(4 * align, 0);
    {
      sycl::buffer<int> parent{data};
      sycl::buffer<int> second{parent, sycl::id{align}, sycl::range{align}};
      sycl::buffer<int> fourth{parent, sycl::id{3 * align}, sycl::range{align}};
      CHECK(second.is_sub_buffer() && !parent.is_sub_buffer());
      add(second, 2);
      add(fourth, 4);
      add(parent, 1);
      add(second, 10);
      sycl::host_accessor host{second, sycl::read_only};
      CHECK(all_equal(&host[0], align, [](auto) { return 13; }));
    }
    const std::array<int, 4> quarter{1, 13, 1, 5};
    CHECK(all_equal(data.data(), data.size(), [&](auto i) { return quarter[i / align]; }));
  });

  scenario("explicit copies: host to device, device to device, device to host", [&] {
    std::vector<int> in(64), out(64, -1);
    std::iota(in.begin(), in.end(), 1);
    sycl::buffer<int> a{sycl::range{64}}, b{sycl::range{64}};
    q.submit([&](sycl::handler &h) { h.copy(in.data(), sycl::accessor{a, h, sycl::write_only}); });
    q.submit([&](sycl::handler &h) {
      h.copy(sycl::accessor{a, h, sycl::read_only}, sycl::accessor{b, h, sycl::write_only});
    });
    q.submit([&](sycl::handler &h) { h.copy(sycl::accessor{b, h, sycl::read_only}, out.data()); }).wait();
    CHECK(out == in);
  });

  scenario("explicit copies of parts, in two dimensions", [&] {
    sycl::buffer<int, 2> grid{sycl::range{8, 16}};
    q.submit([&](sycl::handler &h) { h.fill(sycl::accessor{grid, h, sycl::write_only, sycl::no_init}, -1); });
    std::vector<int> tile(3 * 5);
    std::iota(tile.begin(), tile.end(), 0);
    const sycl::range size{3, 5};
    q.submit([&](sycl::handler &h) { h.copy(tile.data(), sycl::accessor{grid, h, size, sycl::id{2, 4}}); });
    q.submit([&](sycl::handler &h) { // the same tile, moved inside its own buffer
      h.copy(sycl::accessor{grid, h, size, sycl::id{2, 4}}, sycl::accessor{grid, h, size, sycl::id{5, 10}});
    });
    std::vector<int> back(3 * 5, -2);
    q.submit([&](sycl::handler &h) { h.copy(sycl::accessor{grid, h, size, sycl::id{5, 10}}, back.data()); }).wait();
    CHECK(back == tile);
    sycl::host_accessor host{grid, sycl::read_only};
    int outside = 0;
    for (std::size_t i = 0; i < grid.size(); ++i)
      outside += (&host[0][0])[i] == -1;
    CHECK(outside == 8 * 16 - 2 * 3 * 5);
    CHECK(host[2][4] == 0 && host[4][8] == 14 && host[5][10] == 0 && host[7][14] == 14);
  });

  scenario("fill with patterns of 1 to 16 bytes", [&] {
    auto fill = [&](auto value) {
      sycl::buffer<decltype(value)> buffer{sycl::range{100}};
      q.submit([&](sycl::handler &h) { h.fill(sycl::accessor{buffer, h, sycl::write_only, sycl::no_init}, value); });
      q.submit([&](sycl::handler &h) { // and only a part, with zeroes
        h.fill(sycl::accessor{buffer, h, sycl::range{10}, sycl::id{50}}, decltype(value){});
      });
      sycl::host_accessor host{buffer, sycl::read_only};
      return host[0] == value && host[49] == value && host[50] == decltype(value){} && host[60] == value;
    };
    CHECK(fill(static_cast<std::uint8_t>(0xa5)));
    CHECK(fill(static_cast<std::uint16_t>(0xa5b6)));
    CHECK(fill(0xa5b6c7d8u));
    CHECK(fill(0x0102030405060708ull));
    CHECK(fill(std::array<std::uint64_t, 2>{1, 2}));
  });

  scenario("update_host", [&] {
    std::vector<int> data(64, 1);
    sycl::buffer<int> buffer{data.data(), sycl::range{64}, {sycl::property::buffer::use_host_ptr{}}};
    add(buffer, 41);
    q.submit([&](sycl::handler &h) { h.update_host(sycl::accessor{buffer, h, sycl::read_only}); }).wait();
    CHECK(all_equal(data.data(), 64, [](auto) { return 42; }));
  });

  scenario("a reinterpreted buffer shares its memory", [&] {
    sycl::buffer<int> words{sycl::range{64}};
    auto bytes = words.reinterpret<std::uint8_t>(sycl::range{256});
    q.submit([&](sycl::handler &h) {
      h.fill(sycl::accessor{bytes, h, sycl::write_only, sycl::no_init}, std::uint8_t{1});
    });
    add(words, 1);
    sycl::host_accessor host{words, sycl::read_only};
    CHECK(all_equal(&host[0], 64, [](auto) { return 0x01010102; }));
  });

  scenario("one buffer, two contexts", [&] {
    sycl::queue other{sycl::context{q.get_device()}, q.get_device()};
    auto add_other = immortal(compile(other, source)).ext_oneapi_get_kernel("add");
    std::vector<int> data(64, 1);
    {
      sycl::buffer<int> buffer{data};
      for (int round = 0; round < 3; ++round) {
        add(buffer, 1);
        other.submit([&](sycl::handler &h) {
          h.set_args(buffer.get_access<access_mode::read_write>(h), 10);
          h.parallel_for(sycl::nd_range<1>{64, 4}, add_other);
        });
      }
    }
    CHECK(all_equal(data.data(), 64, [](auto) { return 34; }));
  });

  return summary();
}
