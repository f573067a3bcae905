// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the source of every generated kernel starts with.
#include <sycl/sycl.hpp>
namespace syclx = sycl::ext::oneapi::experimental;
namespace oneapi = sycl::ext::oneapi;
using namespace sycl;
using std::size_t;

#define KERNEL(dims, name, ...)                                                                                        \
  extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclx::nd_range_kernel<dims>)) void name(__VA_ARGS__)

template <int dims = 1> auto this_item() { return oneapi::this_work_item::get_nd_item<dims>(); }
template <int dims = 1> auto this_group() { return oneapi::this_work_item::get_work_group<dims>(); }
inline auto this_sub_group() { return oneapi::this_work_item::get_sub_group(); }
inline size_t global_id() { return this_item().get_global_linear_id(); }
inline size_t local_id() { return this_item().get_local_linear_id(); }

// A work-item's value of an array: V is a scalar, a vec or an marray.
template <class V> struct Shape {
  using Element = V;
  static constexpr int size = 1;
};
template <class T, int n> struct Shape<vec<T, n>> {
  using Element = T;
  static constexpr int size = n;
};
template <class T, size_t n> struct Shape<marray<T, n>> {
  using Element = T;
  static constexpr int size = n;
};
template <class V> using Element = typename Shape<V>::Element;
template <class V> V get(const Element<V> *from, size_t index = global_id()) {
  if constexpr (std::is_same_v<V, Element<V>>) {
    return from[index];
  } else {
    V value;
    for (int i = 0; i < Shape<V>::size; ++i)
      value[i] = from[index * Shape<V>::size + i];
    return value;
  }
}
template <class T, class V> void put(T *to, const V &value, size_t index = global_id()) {
  if constexpr (std::is_same_v<V, Element<V>>)
    to[index] = value;
  else
    for (int i = 0; i < Shape<V>::size; ++i)
      to[index * Shape<V>::size + i] = value[i];
}
