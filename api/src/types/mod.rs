// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The types of the ABI, a file an object.
#![allow(
    non_snake_case,
    reason = "members and parameters have their C names, so that there is one name for a thing"
)]

pub use core::ffi::{c_char, c_int, c_void};

/// The modules, in the order of the C header.
macro_rules! modules {
    ($($module:ident)*) => {
        $( mod $module; pub use $module::*; )*

        /// Every type of the ABI, in the order of the C header.
        pub static TYPES: &[&[&crate::meta::Type]] = &[$($module::TYPES),*];

        /// The descriptions of the types, under the types' names.
        pub mod described {
            $( pub use super::$module::described::*; )*
        }
    };
}

modules! {
    structure_type
    common
    loader
    adapter
    platform
    device
    context
    mem
    sampler
    usm
    virtual_mem
    program
    queue
    event
    enqueue
    kernel_args_exp
    kernel
    device_exp
    async_alloc_exp
    bindless_images_exp
    program_exp
    usm_exp
    usm_p2p_exp
    command_buffer_exp
    enqueue_exp
    event_exp
    graph_exp
}
