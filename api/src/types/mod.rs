// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The types of the ABI, a file an object.
#![allow(
    non_snake_case,
    reason = "members and parameters have their C names, so that there is one name for a thing"
)]

pub use core::ffi::{c_char, c_int, c_void};

mod adapter;
mod async_alloc_exp;
mod bindless_images_exp;
mod command_buffer_exp;
mod common;
mod context;
mod device;
mod device_exp;
mod enqueue;
mod enqueue_exp;
mod event;
mod event_exp;
mod graph_exp;
mod kernel;
mod kernel_args_exp;
mod loader;
mod mem;
mod platform;
mod program;
mod program_exp;
mod queue;
mod sampler;
mod structure_type;
mod usm;
mod usm_exp;
mod usm_p2p_exp;
mod virtual_mem;

pub use adapter::*;
pub use async_alloc_exp::*;
pub use bindless_images_exp::*;
pub use command_buffer_exp::*;
pub use common::*;
pub use context::*;
pub use device::*;
pub use device_exp::*;
pub use enqueue::*;
pub use enqueue_exp::*;
pub use event::*;
pub use event_exp::*;
pub use graph_exp::*;
pub use kernel::*;
pub use kernel_args_exp::*;
pub use loader::*;
pub use mem::*;
pub use platform::*;
pub use program::*;
pub use program_exp::*;
pub use queue::*;
pub use sampler::*;
pub use structure_type::*;
pub use usm::*;
pub use usm_exp::*;
pub use usm_p2p_exp::*;
pub use virtual_mem::*;

/// Every type of the ABI, in the order of the C header.
pub const TYPES: &[&[crate::meta::Type]] = &[
    structure_type::TYPES,
    common::TYPES,
    loader::TYPES,
    adapter::TYPES,
    platform::TYPES,
    device::TYPES,
    context::TYPES,
    mem::TYPES,
    sampler::TYPES,
    usm::TYPES,
    virtual_mem::TYPES,
    program::TYPES,
    queue::TYPES,
    event::TYPES,
    enqueue::TYPES,
    kernel_args_exp::TYPES,
    kernel::TYPES,
    device_exp::TYPES,
    async_alloc_exp::TYPES,
    bindless_images_exp::TYPES,
    program_exp::TYPES,
    usm_exp::TYPES,
    usm_p2p_exp::TYPES,
    command_buffer_exp::TYPES,
    enqueue_exp::TYPES,
    event_exp::TYPES,
    graph_exp::TYPES,
];
