// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The conformance suite of the Unified Runtime: a file an object. See the library for how it is run.

mod adapter;
mod bad_input;
mod bindless_images;
mod buffer;
mod command_buffer;
mod command_buffer_errors;
mod command_buffer_events;
mod command_buffer_native;
mod command_buffer_random;
mod command_buffer_run;
mod command_buffer_update;
mod command_buffer_update_lists;
mod conditions;
mod context;
mod cpu;
mod device;
mod device_type;
mod enqueue_buffer;
mod enqueue_usm;
mod enumerators;
mod event;
mod exceptions;
mod external_memory;
mod float_env;
mod fork;
mod global;
mod graph;
mod graph_dump;
mod idle;
mod image;
mod image_format;
mod ipc;
mod ipc_event;
mod kernel;
mod launch;
mod link;
mod loader;
mod memory_export;
mod moving_buffers;
mod native;
mod native_opencl;
mod null_stores;
mod platform;
mod program;
mod properties;
mod properties_commands;
mod queue;
mod random;
mod reusable_event;
mod same_bits;
mod several_devices;
mod threads;
mod usm;
mod usm_in_order;
mod virtual_functions;
mod virtual_mem;

/// What Intel's stack does otherwise in many places, and why. What it does in one place stands there.
mod known {
    /// A deviation in the queries: a part of the problem's text, and the reason.
    pub type Query = (&'static str, &'static str);

    pub const SMALL: Query = (
        "one too small: UR_RESULT_ERROR_INVALID_VALUE",
        "the adapter passes on what OpenCL answers",
    );
    pub const LARGER: Query = (
        "a size that is larger: UR_RESULT_ERROR_INVALID_SIZE",
        "the adapter wants the exact size",
    );
    pub const NUMBER: Query = (
        "an unknown enumerator: UR_RESULT_ERROR_INVALID_SIZE",
        "the adapter hands OpenCL a number made of it",
    );
    pub const NUMBER_VALUE: Query = (
        "an unknown enumerator: UR_RESULT_ERROR_INVALID_VALUE",
        "the adapter hands OpenCL a number made of it",
    );
    pub const PASSED_ON: &str = "the adapter leaves the check to OpenCL and passes on its answer";
    pub const UNMAPPED: &str = "the adapter has no UR code for OpenCL's and gives UNKNOWN";
    pub const UNCHECKED: &str = "only the validation layer checks this";
}
