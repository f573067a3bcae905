// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <link.h>

namespace oxur {
namespace {

namespace fs = std::filesystem;

// Adds the folder of Python's packages that a library of this process is in, if it is in one: a client from PyPI is.
int add_packages(dl_phdr_info *info, std::size_t, void *places) {
    const std::string_view path = info->dlpi_name;
    for (std::string_view packages : {"/site-packages/", "/dist-packages/"}) {
        const auto at = path.find(packages);
        if (at == path.npos) continue;
        auto &all = *static_cast<std::vector<fs::path> *>(places);
        const fs::path folder = path.substr(0, at + packages.size());
        if (std::find(all.begin(), all.end(), folder) == all.end()) all.push_back(folder);
    }
    return 0;
}

// Folders of CUDA's libraries beyond those that the dynamic linker searches: those of the toolkit, and of NVIDIA's packages in
// Python environments: that of the client, that which is active, that of the program, and that in whose folder lib this library is.
std::vector<fs::path> folders() {
    std::vector<fs::path> folders;
    for (auto variable : {"CUDA_HOME", "CUDA_PATH"}) {
        if (auto folder = getenv(variable)) folders.push_back(fs::path(folder) / "lib64");
    }
    std::vector<fs::path> packages;
    dl_iterate_phdr(add_packages, &packages);
    std::vector<fs::path> roots;
    if (auto root = getenv("VIRTUAL_ENV")) roots.emplace_back(root);
    std::error_code ignored;
    roots.push_back(fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path());
    Dl_info self;
    if (dladdr(reinterpret_cast<void *>(add_packages), &self)) {
        roots.push_back(fs::absolute(self.dli_fname, ignored).parent_path().parent_path());
    }
    for (const auto &root : roots) {
        for (const auto &entry : fs::directory_iterator(root / "lib", ignored)) {
            if (!entry.path().filename().string().starts_with("python3")) continue;
            for (auto name : {"site-packages", "dist-packages"}) packages.push_back(entry.path() / name);
        }
    }
    for (const auto &folder : packages) {
        for (auto part : {"cu13", "cublas", "cusolver", "cufft"}) folders.push_back(folder / "nvidia" / part / "lib");
    }
    folders.push_back("/usr/local/cuda/lib64");
    folders.push_back("/opt/cuda/lib64");
    return folders;
}

// The versions with functions for 64-bit sizes (CUDA 12 and 13), newest first.
std::vector<std::string> file_names(const std::string &stem) {
    if (stem == "cusolver" || stem == "cufft") return {"lib" + stem + ".so.12", "lib" + stem + ".so.11"};
    return {"lib" + stem + ".so.13", "lib" + stem + ".so.12"};
}

void *driver_library() {
    static void *const library = dlopen("libcuda.so.1", RTLD_NOW);
    return library;
}

} // namespace

Library::Library(const char *stem) : stem_(stem) {
    const auto names = file_names(stem);
    for (const auto &name : names) {
        if ((handle_ = dlopen(name.c_str(), RTLD_NOW))) return;
    }
    for (const auto &folder : folders()) {
        for (const auto &name : names) {
            if ((handle_ = dlopen((folder / name).c_str(), RTLD_NOW))) return;
        }
    }
    throw std::runtime_error("there is no " + names[0] + " or " + names[1] +
                             ": install CUDA's toolkit or NVIDIA's packages, or name their folder in LD_LIBRARY_PATH");
}

void *Library::find(const std::string &name) const {
    if (auto function = dlsym(handle_, name.c_str())) return function;
    throw std::runtime_error("this version of lib" + std::string(stem_) + " has no " + name);
}

const Library &cublas_library() {
    static const Library library("cublas");
    return library;
}

const Library &cusolver_library() {
    static const Library library("cusolver");
    return library;
}

const Library &cufft_library() {
    static const Library library("cufft");
    return library;
}

void *driver_function(const char *name) {
    static std::shared_mutex mutex;
    static std::map<std::string, void *, std::less<>> known;
    {
        std::shared_lock lock(mutex);
        if (auto found = known.find(name); found != known.end()) return found->second;
    }
    using Find = int(const char *, void **, int, std::uint64_t, int *);
    const auto find = reinterpret_cast<Find *>(dlsym(driver_library(), "cuGetProcAddress_v2"));
    void *function = nullptr;
    if (!find || find(name, &function, 12040, 0, nullptr) || !function) {
        throw std::runtime_error(std::string("the NVIDIA driver has no ") + name);
    }
    std::unique_lock lock(mutex);
    return known[name] = function;
}

Current::Current(Stream stream) {
    driver("cuStreamGetCtx", stream, &context_);
    driver("cuCtxGetCurrent", &before_);
    if (before_ != context_) driver("cuCtxSetCurrent", context_);
}

Current::~Current() {
    if (before_ && before_ != context_) driver("cuCtxSetCurrent", before_);
}

Stream native_command_stream() {
    static const auto stream = [] {
        auto adapter = dlopen("libur_adapter_cuda.so.0", RTLD_NOW | RTLD_NOLOAD);
        return adapter ? reinterpret_cast<Stream (*)()>(dlsym(adapter, "oxurCudaNativeCommandStream")) : nullptr;
    }();
    return stream ? stream() : nullptr;
}

} // namespace oxur
