// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What platforms, devices, contexts and queues say of themselves: every descriptor whose answer does not change from one
// moment to the next. All of it is facts, to be compared between stacks over one driver; what the device refuses to
// answer is a fact too, with the error's code.
#include "common.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

template <class T> void write(std::ostream &out, const T &value) {
  if constexpr (std::is_enum_v<T>)
    out << static_cast<std::int64_t>(value);
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    out << static_cast<int>(value);
  else
    out << value;
}
template <int dims> void write(std::ostream &out, const sycl::range<dims> &value) {
  for (int i = 0; i < dims; ++i)
    out << (i ? " x " : "") << value[i];
}
template <int dims> void write(std::ostream &out, const sycl::id<dims> &value) {
  for (int i = 0; i < dims; ++i)
    out << (i ? " x " : "") << value[i];
}
void write(std::ostream &out, const sycl::device &value) { out << value.get_info<sycl::info::device::name>(); }
void write(std::ostream &out, const sycl::platform &value) { out << value.get_info<sycl::info::platform::name>(); }
void write(std::ostream &out, const sycl::context &value) { out << value.get_devices().size() << " devices"; }
void write(std::ostream &out, const sycl::kernel_id &value) { out << value.get_name(); }
template <class T> void write(std::ostream &out, const std::vector<T> &values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    out << (i ? " " : "");
    write(out, values[i]);
  }
}
template <class T, std::size_t n> void write(std::ostream &out, const std::array<T, n> &values) {
  write(out, std::vector<T>(values.begin(), values.end()));
}

/// Prints one answer, or the refusal.
template <class Descriptor, class Object> void show(const char *name, const Object &object) {
  std::ostringstream text;
  try {
    write(text, object.template get_info<Descriptor>());
  } catch (const sycl::exception &e) {
    text << "refused with code " << e.code().value();
  }
  fact(name, text.str());
  ++passed;
}
#define PLATFORM(name) show<sycl::info::platform::name>(#name, platform)
#define DEVICE(name) show<sycl::info::device::name>(#name, device)
#define CONTEXT(name) show<sycl::info::context::name>(#name, context)
#define INTEL(name) show<sycl::ext::intel::info::device::name>("ext::intel::" #name, device)
#define ONEAPI(name) show<syclx::info::device::name>("experimental::" #name, device)

void show_platform(const sycl::platform &platform) {
  PLATFORM(name);
  PLATFORM(vendor);
  PLATFORM(version);
  PLATFORM(profile);
  fact("backend", platform.get_backend());
  fact("devices", platform.get_devices().size());
}

void show_device(const sycl::device &device) {
  // Who it is
  DEVICE(device_type);
  DEVICE(name);
  DEVICE(vendor);
  DEVICE(vendor_id);
  DEVICE(driver_version);
  DEVICE(version);
  DEVICE(backend_version);
  DEVICE(profile);
  DEVICE(opencl_c_version);
  DEVICE(extensions);
  DEVICE(aspects);
  DEVICE(platform);
  DEVICE(is_available);
  DEVICE(is_compiler_available);
  DEVICE(is_linker_available);
  DEVICE(execution_capabilities);
  DEVICE(built_in_kernels);
  DEVICE(built_in_kernel_ids);
  ONEAPI(architecture);
  INTEL(device_id);
  INTEL(uuid);

  // How wide it is
  DEVICE(max_compute_units);
  DEVICE(max_work_item_dimensions);
  DEVICE(max_work_item_sizes<1>);
  DEVICE(max_work_item_sizes<2>);
  DEVICE(max_work_item_sizes<3>);
  DEVICE(max_work_group_size);
  DEVICE(max_num_sub_groups);
  DEVICE(sub_group_sizes);
  DEVICE(sub_group_independent_forward_progress);
  DEVICE(preferred_vector_width_char);
  DEVICE(preferred_vector_width_short);
  DEVICE(preferred_vector_width_int);
  DEVICE(preferred_vector_width_long);
  DEVICE(preferred_vector_width_float);
  DEVICE(preferred_vector_width_double);
  DEVICE(preferred_vector_width_half);
  DEVICE(native_vector_width_char);
  DEVICE(native_vector_width_short);
  DEVICE(native_vector_width_int);
  DEVICE(native_vector_width_long);
  DEVICE(native_vector_width_float);
  DEVICE(native_vector_width_double);
  DEVICE(native_vector_width_half);
  DEVICE(max_clock_frequency);
  DEVICE(address_bits);
  ONEAPI(max_global_work_groups);
  ONEAPI(max_work_groups<1>);
  ONEAPI(max_work_groups<2>);
  ONEAPI(max_work_groups<3>);

  // Memory
  DEVICE(max_mem_alloc_size);
  DEVICE(global_mem_size);
  DEVICE(global_mem_cache_type);
  DEVICE(global_mem_cache_line_size);
  DEVICE(global_mem_cache_size);
  DEVICE(local_mem_type);
  DEVICE(local_mem_size);
  DEVICE(max_constant_buffer_size);
  DEVICE(max_constant_args);
  DEVICE(max_parameter_size);
  DEVICE(mem_base_addr_align);
  DEVICE(error_correction_support);
  DEVICE(host_unified_memory);
  DEVICE(usm_device_allocations);
  DEVICE(usm_host_allocations);
  DEVICE(usm_shared_allocations);
  DEVICE(usm_restricted_shared_allocations);
  DEVICE(usm_system_allocations);

  // Arithmetic and atomics
  DEVICE(half_fp_config);
  DEVICE(single_fp_config);
  DEVICE(double_fp_config);
  DEVICE(atomic64);
  DEVICE(atomic_memory_order_capabilities);
  DEVICE(atomic_fence_order_capabilities);
  DEVICE(atomic_memory_scope_capabilities);
  DEVICE(atomic_fence_scope_capabilities);

  // Images
  DEVICE(image_support);
  DEVICE(max_read_image_args);
  DEVICE(max_write_image_args);
  DEVICE(image2d_max_width);
  DEVICE(image2d_max_height);
  DEVICE(image3d_max_width);
  DEVICE(image3d_max_height);
  DEVICE(image3d_max_depth);
  DEVICE(image_max_buffer_size);
  DEVICE(image_max_array_size);
  DEVICE(max_samplers);
  DEVICE(ext_oneapi_srgb);

  // Queues, printf, partitions
  DEVICE(queue_profiling);
  DEVICE(profiling_timer_resolution);
  DEVICE(preferred_interop_user_sync);
  DEVICE(printf_buffer_size);
  DEVICE(parent_device);
  DEVICE(partition_max_sub_devices);
  DEVICE(partition_properties);
  DEVICE(partition_affinity_domains);
  DEVICE(partition_type_property);
  DEVICE(partition_type_affinity_domain);
  ONEAPI(component_devices);
  ONEAPI(composite_device);
  INTEL(max_compute_queue_indices);

  // What a GPU would know
  INTEL(pci_address);
  INTEL(gpu_eu_count);
  INTEL(gpu_eu_simd_width);
  INTEL(gpu_slices);
  INTEL(gpu_subslices_per_slice);
  INTEL(gpu_eu_count_per_subslice);
  INTEL(gpu_hw_threads_per_eu);
  INTEL(max_mem_bandwidth);
  INTEL(memory_clock_rate);
  INTEL(memory_bus_width);
  INTEL(fan_speed);
  INTEL(min_power_limit);
  INTEL(max_power_limit);
  INTEL(current_clock_throttle_reasons);
  INTEL(luid);
  INTEL(node_mask);
  INTEL(xe_stack_count); // these six have another number in each generation of the interface
  INTEL(xe_regions_per_stack);
  INTEL(xe_clusters_per_region);
  INTEL(xe_cores_per_cluster);
  INTEL(eus_per_xe_core);
  INTEL(max_lanes_per_hw_thread);
}

int main() {
  for (const auto &platform : sycl::platform::get_platforms())
    show_platform(platform);

  sycl::queue q;
  const auto device = q.get_device();
  const auto context = q.get_context();
  show_device(device);
  CONTEXT(platform);
  CONTEXT(devices);
  CONTEXT(atomic_memory_order_capabilities);
  CONTEXT(atomic_memory_scope_capabilities);
  CONTEXT(atomic_fence_order_capabilities);
  CONTEXT(atomic_fence_scope_capabilities);

  // What must hold on every device.
  CHECK(device.is_cpu() != device.is_gpu());
  CHECK(device.get_platform() == context.get_platform());
  CHECK(q.get_info<sycl::info::queue::device>() == device);
  CHECK(q.get_info<sycl::info::queue::context>() == context);
  CHECK(context.get_devices() == std::vector{device});
  CHECK(device.get_info<sycl::info::device::max_work_group_size>() >= 1);
  CHECK(device.get_info<sycl::info::device::max_work_item_sizes<3>>()[0] >= 1);
  CHECK(device.get_info<sycl::info::device::max_mem_alloc_size>() <=
        device.get_info<sycl::info::device::global_mem_size>());
  CHECK(device.get_info<sycl::info::device::local_mem_size>() >= 32768);
  CHECK(!device.get_info<sycl::info::device::name>().empty());
  CHECK(!device.has(sycl::aspect::emulated));
  const auto all = sycl::device::get_devices();
  CHECK(std::find(all.begin(), all.end(), device) != all.end());
  return summary();
}
