// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Launches whose work-groups wait for each other.
//!
//! Such kernels, for example those of oneDAL's random forests, require `work_group_progress<concurrent, root_group>`. libsycl
//! turns this into a cooperative launch if it considers the device capable, and rejects it otherwise. It decides by the type
//! and the backend, without asking the adapter: Level Zero GPUs are capable, OpenCL CPUs are not. The CPU adapter's cooperative
//! launches do run all work-groups concurrently, and launches that are too large for this are rejected. So this function
//! replaces the requirement with what libsycl would turn it into.

use std::ffi::c_void;
use std::mem::MaybeUninit;

/// libsycl's properties of a launch (`PropsHolder`). Only the fields that follow are known. A change of its layout changes the
/// mangled name of the function that takes it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct LaunchProperties {
    first: [MaybeUninit<u8>; 20],
    use_root_sync: u8,
    guarantee: Optional,
    scope: Optional,
    rest: [MaybeUninit<u8>; 112],
}

const _: () = assert!(size_of::<LaunchProperties>() == 152);

/// A `std::optional` of an enumerator.
#[derive(Clone, Copy)]
#[repr(C)]
struct Optional {
    value: MaybeUninit<u32>,
    has_value: u8,
}

impl Optional {
    fn is(self, value: u32) -> bool {
        // SAFETY: there is a value.
        self.has_value != 0 && unsafe { self.value.assume_init() } == value
    }
}

/// `forward_progress_guarantee::concurrent`
const CONCURRENT: u32 = 0;
/// `execution_scope::root_group`
const ROOT_GROUP: u32 = 3;

impl LaunchProperties {
    /// The properties of a cooperative launch, if all work-groups must make progress concurrently.
    fn as_cooperative(&self) -> Option<Self> {
        (self.guarantee.is(CONCURRENT) && self.scope.is(ROOT_GROUP)).then_some(Self {
            use_root_sync: 1,
            guarantee: Optional {
                has_value: 0,
                ..self.guarantee
            },
            scope: Optional {
                has_value: 0,
                ..self.scope
            },
            ..*self
        })
    }
}

/// `sycl::handler::setKernelLaunchProperties(const PropsHolder<...> &)`, of 2026.1 and 2026.2
///
/// # Safety
/// As in libsycl.
#[unsafe(export_name = "_ZN4sycl3_V17handler25setKernelLaunchPropertiesERKNS0_6detail27kernel_launch_properties_v111PropsHolderIJNS0_3ext6oneapi12experimental23work_group_scratch_sizeENS5_5intel12experimental12cache_configENS7_17use_root_sync_keyENS7_23work_group_progress_keyENS7_22sub_group_progress_keyENS7_22work_item_progress_keyENS7_4cuda12cluster_sizeILi1EEENSH_ILi2EEENSH_ILi3EEEEEE")]
pub unsafe extern "C-unwind" fn set_launch_properties(handler: *mut c_void, properties: *const LaunchProperties) {
    // SAFETY: passed on to the caller.
    let cooperative = unsafe { &*properties }.as_cooperative();
    let cooperative = cooperative.filter(|_| crate::caller_is_listed());
    let properties = cooperative.as_ref().map_or(properties, std::ptr::from_ref);
    // SAFETY: passed on to the caller.
    unsafe { crate::libsycl_set_launch_properties(handler, properties) }
}
