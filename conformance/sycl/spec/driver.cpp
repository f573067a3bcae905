// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a source of kernels at run time and launches them as a plan says. run.py writes the plan and judges the
// output.
//
//     driver SOURCE PLAN INPUT OUTPUT FIRST
//
// PLAN has a line for each launch: the kernel's name, the number of dimensions, the global range, the local range, and
// the arguments, in order:
//
//     i:OFFSET:BYTES    USM with this part of INPUT
//     o:BYTES           USM of 0xa5, which goes to OUTPUT
//     u:OFFSET:BYTES    both
//     v:OFFSET:BYTES    a value, this part of INPUT
//     s:BYTES:BYTES     a stream of so many bytes, and so many for a statement
//     l:SIZE:N[:N[:N]]  a local_accessor of so many elements of so many bytes
//
// Launches before the one with number FIRST are left out: the process that began the plan did not survive the one
// before. stdout has `begin NUMBER`, then what the kernel prints, then `ok NUMBER` or `failed NUMBER REASON`.
#include <sycl/sycl.hpp>

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace syclx = sycl::ext::oneapi::experimental;

static std::string read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

static std::vector<std::size_t> numbers(const std::string &text) {
  std::vector<std::size_t> all;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ':');)
    all.push_back(std::stoull(part));
  return all;
}

// What stands around an output, to see stores beside it.
constexpr std::size_t guard = 256;
constexpr unsigned char fresh = 0xa5;

struct Output {
  unsigned char *memory;
  std::size_t bytes, offset;
};

struct Element16 {
  alignas(16) char bytes[16];
};

template <class T> static void set_local(sycl::handler &h, int index, const std::vector<std::size_t> &n) {
  if (n.size() == 2)
    h.set_arg(index, sycl::local_accessor<T, 1>(sycl::range<1>(n[1]), h));
  else if (n.size() == 3)
    h.set_arg(index, sycl::local_accessor<T, 2>(sycl::range<2>(n[1], n[2]), h));
  else
    h.set_arg(index, sycl::local_accessor<T, 3>(sycl::range<3>(n[1], n[2], n[3]), h));
}

static void set_local(sycl::handler &h, int index, const std::vector<std::size_t> &n) {
  switch (n[0]) {
  case 1: return set_local<char>(h, index, n);
  case 2: return set_local<short>(h, index, n);
  case 4: return set_local<int>(h, index, n);
  case 8: return set_local<long>(h, index, n);
  case 16: return set_local<Element16>(h, index, n);
  }
  throw std::runtime_error("no such size of an element");
}

template <int Dims> static sycl::range<Dims> range(const std::vector<std::size_t> &n) {
  if constexpr (Dims == 1)
    return {n[0]};
  else if constexpr (Dims == 2)
    return {n[0], n[1]};
  else
    return {n[0], n[1], n[2]};
}

class Driver {
  sycl::queue q{sycl::property::queue::in_order{}};
  std::string input;
  std::fstream output;
  std::size_t offset = 0; // in the output

public:
  Driver(const char *input_file, const char *output_file)
      : input(read(input_file)), output(output_file, std::ios::binary | std::ios::in | std::ios::out) {}

  const sycl::queue &queue() { return q; }

  /// Runs one line of the plan, or only counts its outputs. Returns what is wrong.
  std::string run(const std::string &line, sycl::kernel_bundle<sycl::bundle_state::executable> *bundle) {
    std::istringstream in(line);
    std::string name, part;
    int dims;
    std::vector<std::size_t> global, local;
    in >> name >> dims;
    for (in >> part, global = numbers(part), in >> part, local = numbers(part); in >> part;)
      arguments.push_back({part[0], numbers(part.substr(2))});
    std::string problem;
    if (bundle)
      try {
        problem = launch(bundle->ext_oneapi_get_kernel(name), dims, global, local);
      } catch (const std::exception &e) {
        problem = e.what();
      }
    for (const auto &[kind, n] : arguments)
      offset += kind == 'o' ? n[0] : kind == 'u' ? n[1] : 0;
    arguments.clear();
    return problem;
  }

private:
  struct Argument {
    char kind;
    std::vector<std::size_t> n;
  };
  std::vector<Argument> arguments;

  std::string launch(const sycl::kernel &kernel, int dims, const std::vector<std::size_t> &global,
                     const std::vector<std::size_t> &local) {
    std::vector<unsigned char *> memory(arguments.size());
    std::vector<Output> outputs;
    std::size_t at = offset;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto &[kind, n] = arguments[i];
      if (kind == 'v' || kind == 'l' || kind == 's')
        continue;
      const std::size_t bytes = kind == 'o' ? n[0] : n[1];
      memory[i] = sycl::aligned_alloc_shared<unsigned char>(256, bytes + 2 * guard, q);
      std::memset(memory[i], fresh, bytes + 2 * guard);
      if (kind != 'o')
        std::memcpy(memory[i] + guard, input.data() + n[0], bytes);
      if (kind != 'i') {
        outputs.push_back({memory[i], bytes, at});
        at += bytes;
      }
    }
    auto submit = [&](auto dims) {
      constexpr int D = decltype(dims)::value;
      q.submit([&](sycl::handler &h) {
         for (std::size_t i = 0; i < arguments.size(); ++i) {
           const auto &[kind, n] = arguments[i];
           if (kind == 'l')
             set_local(h, i, n);
           else if (kind == 's')
             h.set_arg(i, sycl::stream(n[0], n[1], h));
           else if (kind == 'v')
             h.set_arg(i, syclx::raw_kernel_arg(input.data() + n[0], n[1]));
           else
             h.set_arg(i, memory[i] + guard);
         }
         h.parallel_for(sycl::nd_range<D>(range<D>(global), range<D>(local)), kernel);
       }).wait_and_throw();
    };
    std::string problem;
    try {
      switch (dims) {
      case 1: submit(std::integral_constant<int, 1>()); break;
      case 2: submit(std::integral_constant<int, 2>()); break;
      default: submit(std::integral_constant<int, 3>());
      }
    } catch (const std::exception &e) {
      problem = e.what();
    }
    for (const auto &[bytes, size, where] : outputs) {
      output.seekp(where);
      output.write(reinterpret_cast<const char *>(bytes) + guard, size);
      for (std::size_t i = 0; i < guard; ++i)
        if (bytes[i] != fresh || bytes[guard + size + i] != fresh)
          problem = "a store beside an output";
    }
    for (auto *bytes : memory)
      if (bytes)
        sycl::free(bytes, q);
    output.flush();
    return problem;
  }
};

// What a compiler complains about begins at the first error.
static std::string one_line(std::string text) {
  if (auto error = text.find("error: "); error != text.npos)
    text.erase(0, error);
  for (char &c : text)
    if (c == '\n')
      c = ' ';
  return text.substr(0, 3000);
}

int main(int, char **argv) {
  std::ifstream plan(argv[2]);
  const long first = std::stol(argv[5]);
  Driver driver(argv[3], argv[4]);
  try {
    auto source = syclx::create_kernel_bundle_from_source(driver.queue().get_context(), syclx::source_language::sycl,
                                                          read(argv[1]));
    auto bundle = syclx::build(source);
    std::cout << "built" << std::endl;
    std::string line;
    for (long number = 0; std::getline(plan, line); ++number) {
      if (number < first) {
        driver.run(line, nullptr);
        continue;
      }
      std::cout << "begin " << number << std::endl;
      const std::string problem = driver.run(line, &bundle);
      std::cout << std::endl << (problem.empty() ? "ok " : "failed ") << number << " " << one_line(problem);
      std::cout << std::endl;
    }
  } catch (const std::exception &e) {
    std::cout << "unbuilt " << one_line(e.what()) << std::endl;
    return 1;
  }
  std::cout << "end" << std::endl;
}
