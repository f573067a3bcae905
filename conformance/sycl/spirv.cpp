// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// source_language::spirv: a module assembled here, word by word, becomes a kernel. The module is
//
//     kernel void scale(global int *data, int factor) { data[get_global_id(0)] *= factor; }
//
// and, for a second kernel in the same module, `offset`, which adds instead.
#include "common.hpp"

#include <cstring>

/// Writes SPIR-V instructions: each is its length and opcode in one word, then its operands.
struct Assembler {
  std::vector<std::uint32_t> words{0x07230203, 0x00010200, 0, 0, 0}; // magic, version 1.2, generator, bound, schema

  Assembler &op(std::uint32_t opcode, std::vector<std::uint32_t> operands, const char *text = nullptr,
                std::vector<std::uint32_t> after = {}) {
    if (text) { // a literal string: bytes, a zero, filled up to a whole word
      std::vector<std::uint32_t> packed(std::strlen(text) / 4 + 1, 0);
      std::memcpy(packed.data(), text, std::strlen(text));
      operands.insert(operands.end(), packed.begin(), packed.end());
    }
    operands.insert(operands.end(), after.begin(), after.end());
    words.push_back((operands.size() + 1) << 16 | opcode);
    words.insert(words.end(), operands.begin(), operands.end());
    return *this;
  }
  std::vector<std::byte> finish(std::uint32_t bound) {
    words[3] = bound;
    const auto *bytes = reinterpret_cast<const std::byte *>(words.data());
    return {bytes, bytes + 4 * words.size()};
  }
};

std::vector<std::byte> assemble() {
  enum Opcode : std::uint32_t {
    Source = 3, MemoryModel = 14, EntryPoint = 15, Capability = 17, TypeVoid = 19, TypeInt = 21, TypeVector = 23,
    TypePointer = 32, TypeFunction = 33, Function = 54, FunctionParameter = 55, FunctionEnd = 56, Variable = 59, Load = 61,
    Store = 62, InBoundsPtrAccessChain = 70, Decorate = 71, CompositeExtract = 81, IAdd = 128, IMul = 132, Label = 248,
    Return = 253
  };
  enum Id : std::uint32_t {
    none, void_, int_, long_, long3, long3_input, int_global, signature, global_id, scale, offset, next
  };
  Assembler a;
  for (std::uint32_t capability : {4, 5, 6, 11}) // Addresses, Linkage, Kernel, Int64
    a.op(Capability, {capability});
  a.op(MemoryModel, {2, 2}); // Physical64, OpenCL
  a.op(EntryPoint, {6, scale}, "scale", {global_id}).op(EntryPoint, {6, offset}, "offset", {global_id});
  a.op(Source, {3, 102000}); // OpenCL C
  a.op(Decorate, {global_id, 11, 28}).op(Decorate, {global_id, 22}); // BuiltIn GlobalInvocationId, Constant
  a.op(TypeVoid, {void_}).op(TypeInt, {int_, 32, 0}).op(TypeInt, {long_, 64, 0}).op(TypeVector, {long3, long_, 3});
  a.op(TypePointer, {long3_input, 1, long3}).op(TypePointer, {int_global, 5, int_}); // Input, CrossWorkgroup
  a.op(TypeFunction, {signature, void_, int_global, int_});
  a.op(Variable, {long3_input, global_id, 1});

  std::uint32_t id = next;
  for (auto [kernel, arithmetic] : {std::pair{scale, IMul}, std::pair{offset, IAdd}}) {
    const auto data = id++, operand = id++, entry = id++, ids = id++, x = id++, place = id++, old = id++, result = id++;
    a.op(Function, {void_, kernel, 0, signature});
    a.op(FunctionParameter, {int_global, data}).op(FunctionParameter, {int_, operand});
    a.op(Label, {entry});
    a.op(Load, {long3, ids, global_id, 2, 32}).op(CompositeExtract, {long_, x, ids, 0}); // aligned to 32
    a.op(InBoundsPtrAccessChain, {int_global, place, data, x});
    a.op(Load, {int_, old, place, 2, 4}).op(arithmetic, {int_, result, old, operand}).op(Store, {place, result, 2, 4});
    a.op(Return, {}).op(FunctionEnd, {});
  }
  return a.finish(id);
}

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  CHECK(q.get_device().ext_oneapi_can_build(syclx::source_language::spirv));
  const auto module = assemble();
  auto source = syclx::create_kernel_bundle_from_source(q.get_context(), syclx::source_language::spirv, module);
  auto bundle = syclx::build(source);

  scenario("the kernels of a module", [&] {
    CHECK(bundle.ext_oneapi_has_kernel("scale") && bundle.ext_oneapi_has_kernel("offset"));
    CHECK(!bundle.ext_oneapi_has_kernel("other"));
    CHECK(bundle.ext_oneapi_get_kernel("scale").get_info<sycl::info::kernel::num_args>() == 2);
    CHECK(bundle.ext_oneapi_get_kernel("scale").get_info<sycl::info::kernel::function_name>() == "scale");
  });

  scenario("they compute", [&] {
    constexpr std::size_t n = 128;
    int *data = sycl::malloc_shared<int>(n, q);
    std::iota(data, data + n, 0);
    launch(q, bundle.ext_oneapi_get_kernel("scale"), n, 16, data, 3);
    launch(q, bundle.ext_oneapi_get_kernel("offset"), n, 16, data, 5).wait();
    CHECK(all_equal(data, n, [](auto i) { return 3 * i + 5; }));
    sycl::free(data, q);
  });

  return summary();
}
