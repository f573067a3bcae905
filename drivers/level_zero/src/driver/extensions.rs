// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The extensions that the driver lists: those whose functions it has.

use std::ffi::CStr;

use level_zero_sys::*;
use oxur_fork::OnceLock;

use crate::config::Config;
use crate::tables::own;

/// An extension.
struct Extension {
    name: &'static CStr,
    version: u32,
    /// A function that is there if the extension is. Those that are there in any case are answers to queries.
    function: &'static str,
}

const fn extension(name: &'static CStr, version: u32, function: &'static str) -> Extension {
    Extension {
        name,
        version,
        function,
    }
}

const V1_0: u32 = ZE_MAKE_VERSION(1, 0);

/// Intel's extension for [`zeIntelGetDriverVersionString`](super::by_name), which no header names.
const DRIVER_VERSION_STRING: &CStr = c"ZE_intel_get_driver_version_string";

const EXTENSIONS: &[Extension] = &[
    // Queries.
    extension(ZE_BFLOAT16_CONVERSIONS_EXT_NAME, V1_0, "zeModuleCreate"),
    extension(ZE_CACHELINE_SIZE_EXT_NAME, V1_0, "zeDeviceGetCacheProperties"),
    extension(ZE_DEVICE_IP_VERSION_EXT_NAME, V1_0, "zeDeviceGetProperties"),
    extension(
        ZE_DEVICE_MEMORY_PROPERTIES_EXT_NAME,
        V1_0,
        "zeDeviceGetMemoryProperties",
    ),
    extension(
        ZE_DEVICE_USABLEMEM_SIZE_PROPERTIES_EXT_NAME,
        V1_0,
        "zeDeviceGetProperties",
    ),
    extension(
        ZE_DEVICE_VECTOR_SIZES_EXT_NAME,
        V1_0,
        "zeDeviceGetVectorWidthPropertiesExt",
    ),
    extension(ZE_EU_COUNT_EXT_NAME, V1_0, "zeDeviceGetProperties"),
    extension(ZE_FLOAT_ATOMICS_EXT_NAME, V1_0, "zeDeviceGetModuleProperties"),
    extension(DRIVER_VERSION_STRING, V1_0, "zeIntelGetDriverVersionString"),
    // Memory.
    extension(ZE_EXTERNAL_MEMORY_MAPPING_EXT_NAME, V1_0, "zeMemAllocHost"),
    extension(ZE_MEMORY_FREE_POLICIES_EXT_NAME, V1_0, "zeMemFreeExt"),
    extension(ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME, V1_0, "zeMemAllocDevice"),
    extension(ZE_RELAXED_ALLOCATION_LIMITS_EXT_NAME, V1_0, "zeMemAllocDevice"),
    extension(ZE_SUB_ALLOCATIONS_EXP_NAME, V1_0, "zeMemGetAllocProperties"),
    extension(ZE_IPC_MEM_HANDLE_TYPE_EXT_NAME, V1_0, "zeMemGetIpcHandleWithProperties"),
    extension(
        ZE_VIRTUAL_MEM_READONLY_PROPERTIES_EXT_NAME,
        V1_0,
        "zeVirtualMemSetAccessAttribute",
    ),
    // Images.
    extension(ZE_BINDLESS_IMAGE_EXP_NAME, V1_0, "zeImageGetDeviceOffsetExp"),
    extension(ZE_IMAGE_COPY_EXT_NAME, V1_0, "zeCommandListAppendImageCopyToMemoryExt"),
    extension(
        ZE_IMAGE_MEMORY_PROPERTIES_EXP_NAME,
        V1_0,
        "zeImageGetMemoryPropertiesExp",
    ),
    extension(
        ZE_IMAGE_QUERY_ALLOC_PROPERTIES_EXT_NAME,
        V1_0,
        "zeImageGetAllocPropertiesExt",
    ),
    extension(ZE_IMAGE_VIEW_EXP_NAME, V1_0, "zeImageViewCreateExp"),
    extension(ZE_IMAGE_VIEW_EXT_NAME, V1_0, "zeImageViewCreateExt"),
    extension(ZE_SRGB_EXT_NAME, V1_0, "zeImageCreate"),
    // Modules and kernels.
    extension(
        ZE_GET_KERNEL_ALLOCATION_PROPERTIES_EXP_NAME,
        V1_0,
        "zeKernelGetAllocationPropertiesExp",
    ),
    extension(ZE_GET_KERNEL_BINARY_EXP_NAME, V1_0, "zeKernelGetBinaryExp"),
    extension(ZE_GLOBAL_OFFSET_EXP_NAME, V1_0, "zeKernelSetGlobalOffsetExp"),
    extension(
        ZE_KERNEL_MAX_GROUP_SIZE_PROPERTIES_EXT_NAME,
        V1_0,
        "zeKernelGetProperties",
    ),
    extension(ZE_KERNEL_SCHEDULING_HINTS_EXP_NAME, V1_0, "zeKernelSchedulingHintExp"),
    extension(ZE_LINKAGE_INSPECTION_EXT_NAME, V1_0, "zeModuleInspectLinkageExt"),
    extension(ZE_LINKONCE_ODR_EXT_NAME, V1_0, "zeModuleCreate"),
    extension(ZE_MODULE_PROGRAM_EXP_NAME, V1_0, "zeModuleCreate"),
    extension(ZE_SUBGROUPS_EXT_NAME, V1_0, "zeModuleCreate"),
    // Events.
    extension(ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME, V1_0, "zeEventPoolCreate"),
    extension(
        ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_NAME,
        V1_0,
        "zeEventQueryKernelTimestampsExt",
    ),
    extension(ZE_EVENT_QUERY_TIMESTAMPS_EXP_NAME, V1_0, "zeEventQueryTimestampsExp"),
    extension(
        ZE_EXTERNAL_SEMAPHORES_EXTENSION_NAME,
        V1_0,
        "zeDeviceImportExternalSemaphoreExt",
    ),
    // Command lists.
    extension(ZE_COMMAND_LIST_CLONE_EXP_NAME, V1_0, "zeCommandListCreateCloneExp"),
    extension(
        ZE_IMMEDIATE_COMMAND_LIST_APPEND_EXP_NAME,
        V1_0,
        "zeCommandListImmediateAppendCommandListsExp",
    ),
    extension(
        ZE_MUTABLE_COMMAND_LIST_EXP_NAME,
        ZE_MAKE_VERSION(1, 1),
        "zeCommandListUpdateMutableCommandsExp",
    ),
    extension(ZE_RECORD_REPLAY_GRAPH_EXT_NAME, V1_0, "zeGraphInstantiateExt"),
];

/// The extensions that are there and not hidden.
pub(super) fn all() -> &'static [ze_driver_extension_properties_t] {
    static ALL: OnceLock<Vec<ze_driver_extension_properties_t>> = OnceLock::new();
    ALL.get_or_init(|| {
        let config = Config::get();
        let name = |extension: &Extension| extension.name.to_string_lossy();
        for hidden in &config.hidden {
            if own(hidden).is_none() && !EXTENSIONS.iter().any(|extension| name(extension) == **hidden) {
                log::warn!("ZE_OXUR_HIDE_EXTENSIONS: there is no {hidden} to hide");
            }
        }
        let is_there = |extension: &&Extension| own(extension.function).is_some() && !config.hides(&name(extension));
        EXTENSIONS.iter().filter(is_there).map(properties).collect()
    })
}

fn properties(extension: &Extension) -> ze_driver_extension_properties_t {
    let mut properties = ze_driver_extension_properties_t {
        version: extension.version,
        ..Default::default()
    };
    crate::handle::write_text(&mut properties.name, extension.name.to_bytes());
    properties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_and_are_there_once() {
        for (place, extension) in EXTENSIONS.iter().enumerate() {
            let listed = properties(extension);
            assert_eq!(text(&listed.name), extension.name.to_str().ok());
            assert!(
                EXTENSIONS[..place].iter().all(|other| other.name != extension.name),
                "{:?}",
                extension.name
            );
        }
    }
}
