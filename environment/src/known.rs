// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The variables of oxur. docs/environment.md describes them.

use crate::{Values, Variable};

macro_rules! variables {
    ($($constant:ident = $name:literal, $values:expr;)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub const $constant: Variable = Variable::new($name, $values);
        )*

        /// Those that can have an invalid value.
        pub const ALL: &[&Variable] = &[$(&$constant),*];
    };
}

variables! {
    ADAPTERS_DEEP_BIND = "UR_ADAPTERS_DEEP_BIND", Values::Switch;
    CPU = "OXUR_CPU", Values::Word(&["fallback", "prefer", "off"]);
    CPU_BACKEND = "UR_CPU_BACKEND", Values::Word(&["opencl", "native_cpu"]);
    CPU_CACHE = "UR_CPU_CACHE", Values::FolderOrOff;
    CPU_CACHE_SIZE = "UR_CPU_CACHE_SIZE", Values::Size;
    CPU_DEVICES = "UR_CPU_DEVICES", Values::Count("devices");
    CPU_DISABLE_ASPECTS = "UR_CPU_DISABLE_ASPECTS", Values::Words(&["fp64", "atomic64"]);
    CPU_HALT_POLL = "UR_CPU_HALT_POLL", Values::Switch;
    CPU_IPC = "UR_CPU_IPC", Values::Switch;
    CPU_MODE = "UR_CPU_MODE", Values::Word(&["fast", "scalar"]);
    CPU_TARGET = "UR_CPU_TARGET", Values::Word(&["native", "x86-64-v2", "x86-64-v3", "x86-64-v4"]);
    CPU_THREADS = "UR_CPU_THREADS", Values::Count("threads");
    CPU_TIER = "UR_CPU_TIER", Values::Word(&["adaptive", "best", "all", "quick"]);
    CPU_USM_POOL = "UR_CPU_USM_POOL", Values::Size;
    CPU_VENDOR_ID = "UR_CPU_VENDOR_ID", Values::Id;
    CUDA_BACKEND = "UR_CUDA_BACKEND", Values::Word(&["opencl", "cuda"]);
    CUDA_IPC = "UR_CUDA_IPC", Values::Switch;
    CUDA_USM_POOL = "UR_CUDA_USM_POOL", Values::Size;
    ENABLE_LOADER_INTERCEPT = "UR_ENABLE_LOADER_INTERCEPT", Values::Switch;
    LEVEL_ZERO_USM_POOL = "UR_LEVEL_ZERO_USM_POOL", Values::Size;
    LOADER_PRELOAD_FILTER = "UR_LOADER_PRELOAD_FILTER", Values::Switch;
    OPENCL_USM_POOL = "UR_OPENCL_USM_POOL", Values::Size;
}
