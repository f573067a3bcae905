// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device images as a SYCL compiler leaves them in a program: SPIR-V, the names of what is in it, and properties that
// say what the image has and needs. A program makes its images here and registers them when main starts, before libsycl
// looks.
//
// The device code of x.cpp is OpenCL C in x.cl, a section for each image; run.py compiles it and says where
// (DEVICE_CODE).
#pragma once
#include "common.hpp"

#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

/// The structures that compilers write and libsycl's __sycl_register_lib reads; no header of libsycl's has them.
namespace abi {
struct Entry {
  const void *address;
  const char *name;
  std::uint64_t size;
  std::int32_t flags, reserved;
};
struct Property {
  const char *name;
  const void *value;
  std::uint32_t type;
  std::uint64_t size;
};
struct PropertySet {
  const char *name;
  const Property *begin, *end;
};
struct Binary {
  std::uint16_t version;
  std::uint8_t offload_kind, format;
  const char *target, *compile_options, *link_options;
  const char *begin, *end;
  const Entry *entries_begin, *entries_end;
  const PropertySet *properties_begin, *properties_end;
};
struct Binaries {
  std::uint16_t version, count;
  const Binary *begin;
  const Entry *host_entries_begin, *host_entries_end;
};
constexpr std::uint16_t binaries_version = 1, binary_version = 3;
constexpr std::uint8_t for_sycl = 4, spirv = 2;
constexpr std::uint32_t byte_array = 2;
} // namespace abi

extern "C" void __sycl_register_lib(const abi::Binaries *);

class DeviceImage {
public:
  /// The image that a section of the program's .cl became.
  explicit DeviceImage(const std::string &section) {
    std::ifstream file{DEVICE_CODE "." + section + ".spv", std::ios::binary};
    code.assign(std::istreambuf_iterator<char>{file}, {});
    if (code.empty())
      throw std::runtime_error("run.py has compiled no image " + section);
  }

  /// Has this kernel.
  DeviceImage &kernel(const char *name) {
    entries.push_back({nullptr, name, 0, 0, 0});
    return *this;
  }
  /// Has this device_global, whose name is the unique id as well.
  DeviceImage &global(const char *name, std::uint32_t size, bool device_image_scope) {
    const std::uint32_t facts[] = {size, device_image_scope};
    return property("SYCL/device globals", name, {reinterpret_cast<const char *>(facts), sizeof facts});
  }
  /// Has this specialization constant: what it is unless set, and its scalars.
  struct Scalar {
    std::uint32_t number, offset, size;
  };
  template <class T> DeviceImage &constant(const char *name, const T &initial, std::vector<Scalar> scalars) {
    initial_constants.append(reinterpret_cast<const char *>(&initial), sizeof initial); // in the properties' order
    return property("SYCL/specialization constants", name,
                    {reinterpret_cast<const char *>(scalars.data()), scalars.size() * sizeof(Scalar)});
  }
  /// Has kernels that call virtual functions of these sets, which commas part.
  DeviceImage &calls(const char *sets) {
    return property("SYCL/virtual functions", "uses-virtual-functions-set", sets);
  }
  /// Has these virtual functions, of one set. Each is an entry: without any, libsycl takes the image for empty.
  DeviceImage &defines(const char *set, std::initializer_list<const char *> functions) {
    for (const char *name : functions)
      kernel(name).property("SYCL/exported symbols", name, "");
    return property("SYCL/virtual functions", "virtual-functions-set", set);
  }
  /// Is for devices with this aspect only.
  DeviceImage &needs(sycl::aspect aspect) {
    return property("SYCL/device requirements", "aspects", {reinterpret_cast<const char *>(&aspect), sizeof aspect});
  }

private:
  std::string code, initial_constants;
  std::vector<abi::Entry> entries;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> properties; // names and bytes, by set
  std::deque<std::vector<abi::Property>> lists;
  std::vector<abi::PropertySet> sets;

  DeviceImage &property(const char *set, const char *name, std::string bytes) {
    const std::uint64_t bits = 8 * bytes.size(); // stands in front of every byte array
    properties[set].emplace_back(name, bytes.insert(0, reinterpret_cast<const char *>(&bits), sizeof bits));
    return *this;
  }
  abi::Binary binary() {
    if (!initial_constants.empty())
      property("SYCL/specialization constants default values", "all", initial_constants);
    for (const auto &[set, members] : properties) {
      auto &list = lists.emplace_back();
      for (const auto &[name, bytes] : members)
        list.push_back({name.c_str(), bytes.data(), abi::byte_array, bytes.size()});
      sets.push_back({set.c_str(), list.data(), list.data() + list.size()});
    }
    return {abi::binary_version, abi::for_sycl, abi::spirv, "spir64", "", "", code.data(), code.data() + code.size(),
            entries.data(), entries.data() + entries.size(), sets.data(), sets.data() + sets.size()};
  }
  friend void register_images(std::vector<DeviceImage>);
};

/// Makes images known to libsycl, for as long as the process lives. Once in a program.
inline void register_images(std::vector<DeviceImage> images) {
  static std::vector<DeviceImage> kept = std::move(images);
  static std::vector<abi::Binary> binaries;
  for (auto &image : kept)
    binaries.push_back(image.binary());
  static const abi::Binaries all{abi::binaries_version, static_cast<std::uint16_t>(binaries.size()), binaries.data(),
                                 nullptr, nullptr};
  __sycl_register_lib(&all);
}

/// A kernel of a registered image, built for these devices with whatever other images it needs.
inline sycl::kernel registered_kernel(const sycl::context &context, const std::vector<sycl::device> &devices,
                                      const std::string &name) {
  for (const auto &id : sycl::get_kernel_ids())
    if (id.get_name() == name)
      return sycl::get_kernel_bundle<sycl::bundle_state::executable>(context, devices, {id}).get_kernel(id);
  throw std::runtime_error("no image has a kernel " + name);
}

/// The same for the queue's device.
inline sycl::kernel registered_kernel(const sycl::queue &q, const std::string &name) {
  return registered_kernel(q.get_context(), {q.get_device()}, name);
}
