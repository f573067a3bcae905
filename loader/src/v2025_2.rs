// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions that only clients of release 2025.2 call, and those that they call with other parameters than clients of 2025.3.
//! In everything else they are like clients of 2025.3 ([`v2025_3`]).
#![allow(non_snake_case, reason = "functions and parameters have their C names")]
#![allow(clippy::too_many_arguments, reason = "the C functions have as many")]

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ptr::{null, null_mut};
use std::sync::atomic::Ordering;

use oxur_api::*;
use oxur_fork::Mutex;

use crate::v2025_3::{self, LaunchProperty};
use crate::{exports, symbols};

/// Calls `$macro!` with the names of the functions whose parameters changed in 2025.3 and not after it, and of those that make and
/// release samplers, of which the loader keeps account.
macro_rules! changed_in_2025_3 {
    ($macro:ident) => {
        $macro! {
            urBindlessImagesSampledImageCreateExp
            urPhysicalMemCreate
            urPlatformGet
            urSamplerCreate
            urSamplerRelease
            urSamplerRetain
            urVirtualMemGranularityGetInfo
        }
    };
}
pub(crate) use changed_in_2025_3;

/// Makes the symbols take the parameters of 2025.2.
pub(crate) fn serve() {
    v2025_3::serve_but_launches();
    macro_rules! lead {
        ($($name:ident)*) => { $(
            symbols::target::$name.store(older::$name as *const () as *mut (), Ordering::Relaxed);
        )* };
    }
    lead! { urEnqueueKernelLaunch }
    changed_in_2025_3! { lead }
}

/// A function that no later release has: a launch with properties. In 2025.3 it is `urEnqueueKernelLaunch`.
///
/// # Safety
/// The arguments must be what the specification of the function requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn urEnqueueKernelLaunchCustomExp(
    hQueue: QueueHandle,
    hKernel: KernelHandle,
    workDim: u32,
    pGlobalWorkOffset: *const usize,
    pGlobalWorkSize: *const usize,
    pLocalWorkSize: *const usize,
    numPropsInLaunchPropList: u32,
    launchPropList: *const LaunchProperty,
    numEventsInWaitList: u32,
    phEventWaitList: *const EventHandle,
    phEvent: *mut EventHandle,
) -> ResultCode {
    // SAFETY: the caller vouches for the arguments.
    unsafe {
        v2025_3::older::urEnqueueKernelLaunch(
            hQueue,
            hKernel,
            workDim,
            pGlobalWorkOffset,
            pGlobalWorkSize,
            pLocalWorkSize,
            numPropsInLaunchPropList,
            launchPropList,
            numEventsInWaitList,
            phEventWaitList,
            phEvent,
        )
    }
}

/// A function that no later release has: a cooperative launch. Now that is a property of launches.
///
/// # Safety
/// The arguments must be what the specification of the function requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn urEnqueueCooperativeKernelLaunchExp(
    hQueue: QueueHandle,
    hKernel: KernelHandle,
    workDim: u32,
    pGlobalWorkOffset: *const usize,
    pGlobalWorkSize: *const usize,
    pLocalWorkSize: *const usize,
    numEventsInWaitList: u32,
    phEventWaitList: *const EventHandle,
    phEvent: *mut EventHandle,
) -> ResultCode {
    let properties = KernelLaunchExtProperties {
        flags: KernelLaunchFlags::COOPERATIVE,
        ..Default::default()
    };
    // SAFETY: the caller vouches for the arguments.
    unsafe {
        exports::urEnqueueKernelLaunch(
            hQueue,
            hKernel,
            workDim,
            pGlobalWorkOffset,
            pGlobalWorkSize,
            pLocalWorkSize,
            &properties,
            numEventsInWaitList,
            phEventWaitList,
            phEvent,
        )
    }
}

/// A function that has another name since 2025.3.
///
/// # Safety
/// The arguments must be what the specification of the function requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn urKernelSuggestMaxCooperativeGroupCountExp(
    hKernel: KernelHandle,
    hDevice: DeviceHandle,
    workDim: u32,
    pLocalWorkSize: *const usize,
    dynamicSharedMemorySize: usize,
    pGroupCountRet: *mut u32,
) -> ResultCode {
    // SAFETY: the caller vouches for the arguments.
    unsafe {
        exports::urKernelSuggestMaxCooperativeGroupCount(
            hKernel,
            hDevice,
            workDim,
            pLocalWorkSize,
            dynamicSharedMemorySize,
            pGroupCountRet,
        )
    }
}

/// What a sampler was made of.
#[derive(Clone, Copy, Default)]
struct Description {
    /// Without a chain.
    desc: SamplerDesc,
    modes: Option<ExpSamplerAddrModes>,
    mip: Option<ExpSamplerMipProperties>,
    cubemap: Option<ExpSamplerCubemapProperties>,
}

// SAFETY: the pointers in it are those of the last chain, which only its caller follows.
unsafe impl Send for Description {}

/// The samplers that are alive, by their handles, with the references to them. 2025.2 makes an image of a sampler, 2025.3 of its
/// description, so the loader keeps the descriptions.
static SAMPLERS: Mutex<BTreeMap<usize, (u32, Description)>> = Mutex::new(BTreeMap::new());

impl Description {
    /// Copies a description with its chain.
    ///
    /// # Safety
    /// The chain must lead to structures of the types that they name.
    unsafe fn of(desc: &SamplerDesc) -> Self {
        /// What all structures begin with.
        #[repr(C)]
        struct Head {
            stype: StructureType,
            next: *const c_void,
        }
        let mut copy = Self {
            desc: SamplerDesc { pNext: null(), ..*desc },
            ..Self::default()
        };
        let mut next = desc.pNext;
        // SAFETY: the caller vouches for the chain.
        while let Some(head) = unsafe { next.cast::<Head>().as_ref() } {
            // SAFETY: as above.
            unsafe {
                match head.stype {
                    StructureType::EXP_SAMPLER_ADDR_MODES => {
                        copy.modes = Some(next.cast::<ExpSamplerAddrModes>().read())
                    }
                    StructureType::EXP_SAMPLER_MIP_PROPERTIES => {
                        copy.mip = Some(next.cast::<ExpSamplerMipProperties>().read());
                    }
                    StructureType::EXP_SAMPLER_CUBEMAP_PROPERTIES => {
                        copy.cubemap = Some(next.cast::<ExpSamplerCubemapProperties>().read());
                    }
                    _ => {}
                }
            }
            next = head.next;
        }
        copy
    }

    /// The description, whose chain leads into `self`.
    fn chain(&mut self) -> SamplerDesc {
        let mut next = null_mut::<c_void>();
        if let Some(modes) = &mut self.modes {
            modes.pNext = next;
            next = std::ptr::from_mut(modes).cast();
        }
        if let Some(mip) = &mut self.mip {
            mip.pNext = next;
            next = std::ptr::from_mut(mip).cast();
        }
        if let Some(cubemap) = &mut self.cubemap {
            cubemap.pNext = next;
            next = std::ptr::from_mut(cubemap).cast();
        }
        SamplerDesc {
            pNext: next,
            ..self.desc
        }
    }
}

/// The functions as the headers of 2025.2 declare them.
mod older {
    use super::*;

    pub(super) unsafe extern "C-unwind" fn urEnqueueKernelLaunch(
        hQueue: QueueHandle,
        hKernel: KernelHandle,
        workDim: u32,
        pGlobalWorkOffset: *const usize,
        pGlobalWorkSize: *const usize,
        pLocalWorkSize: *const usize,
        numEventsInWaitList: u32,
        phEventWaitList: *const EventHandle,
        phEvent: *mut EventHandle,
    ) -> ResultCode {
        // SAFETY: the caller vouches for the arguments.
        unsafe {
            exports::urEnqueueKernelLaunch(
                hQueue,
                hKernel,
                workDim,
                pGlobalWorkOffset,
                pGlobalWorkSize,
                pLocalWorkSize,
                null(),
                numEventsInWaitList,
                phEventWaitList,
                phEvent,
            )
        }
    }

    /// The platforms of all these adapters, one adapter's after the other's.
    pub(super) unsafe extern "C-unwind" fn urPlatformGet(
        phAdapters: *mut AdapterHandle,
        NumAdapters: u32,
        NumEntries: u32,
        phPlatforms: *mut PlatformHandle,
        pNumPlatforms: *mut u32,
    ) -> ResultCode {
        if phAdapters.is_null() && NumAdapters != 0 {
            return ResultCode::ERROR_INVALID_NULL_POINTER;
        }
        if phPlatforms.is_null() && pNumPlatforms.is_null() {
            return ResultCode::ERROR_INVALID_VALUE;
        }
        if !phPlatforms.is_null() && NumEntries == 0 {
            return ResultCode::ERROR_INVALID_SIZE;
        }
        let mut found = 0;
        for index in 0..NumAdapters as usize {
            let mut count = 0;
            // SAFETY: the caller vouches for so many adapters, and for room for so many platforms.
            unsafe {
                let adapter = *phAdapters.add(index);
                let code = exports::urPlatformGet(adapter, 0, null_mut(), &mut count);
                if code != ResultCode::SUCCESS {
                    return code;
                }
                let room = NumEntries.saturating_sub(found).min(count);
                if !phPlatforms.is_null() && room != 0 {
                    let code = exports::urPlatformGet(adapter, room, phPlatforms.add(found as usize), null_mut());
                    if code != ResultCode::SUCCESS {
                        return code;
                    }
                }
            }
            found += count;
        }
        if !pNumPlatforms.is_null() {
            // SAFETY: not null, and the caller vouches for the place.
            unsafe { pNumPlatforms.write(found) };
        }
        ResultCode::SUCCESS
    }

    /// A sampler of the adapter's has no properties for bindless images, but the loader knows them.
    pub(super) unsafe extern "C-unwind" fn urSamplerCreate(
        hContext: ContextHandle,
        pDesc: *const SamplerDesc,
        phSampler: *mut SamplerHandle,
    ) -> ResultCode {
        // SAFETY: null, or what the caller vouches for.
        let description = unsafe { pDesc.as_ref() }.map(|desc| unsafe { Description::of(desc) });
        let desc = description
            .as_ref()
            .map_or(null(), |description| &raw const description.desc);
        // SAFETY: the caller vouches for the other arguments.
        let code = unsafe { exports::urSamplerCreate(hContext, desc, phSampler) };
        if let (ResultCode::SUCCESS, Some(description)) = (code, description) {
            // SAFETY: the adapter has just written it.
            let sampler = unsafe { *phSampler };
            SAMPLERS.lock().insert(sampler.0.addr(), (1, description));
        }
        code
    }

    pub(super) unsafe extern "C-unwind" fn urSamplerRetain(hSampler: SamplerHandle) -> ResultCode {
        // SAFETY: the caller vouches for the sampler.
        let code = unsafe { exports::urSamplerRetain(hSampler) };
        if code == ResultCode::SUCCESS
            && let Some((references, _)) = SAMPLERS.lock().get_mut(&hSampler.0.addr())
        {
            *references += 1;
        }
        code
    }

    pub(super) unsafe extern "C-unwind" fn urSamplerRelease(hSampler: SamplerHandle) -> ResultCode {
        // Before the sampler goes: its address may be that of another one at once.
        let mut samplers = SAMPLERS.lock();
        if let Entry::Occupied(mut sampler) = samplers.entry(hSampler.0.addr()) {
            sampler.get_mut().0 -= 1;
            if sampler.get().0 == 0 {
                sampler.remove();
            }
        }
        drop(samplers);
        // SAFETY: the caller vouches for the sampler.
        unsafe { exports::urSamplerRelease(hSampler) }
    }

    pub(super) unsafe extern "C-unwind" fn urBindlessImagesSampledImageCreateExp(
        hContext: ContextHandle,
        hDevice: DeviceHandle,
        hImageMem: ExpImageMemNativeHandle,
        pImageFormat: *const ImageFormat,
        pImageDesc: *const ImageDesc,
        hSampler: SamplerHandle,
        phImage: *mut ExpImageNativeHandle,
    ) -> ResultCode {
        let known = SAMPLERS
            .lock()
            .get(&hSampler.0.addr())
            .map(|(_, description)| *description);
        let Some(mut description) = known else {
            log::error!("urBindlessImagesSampledImageCreateExp: {hSampler:?} was not made by urSamplerCreate");
            return ResultCode::ERROR_INVALID_SAMPLER;
        };
        // SAFETY: the caller vouches for the arguments, and the description lives during the call.
        unsafe {
            exports::urBindlessImagesSampledImageCreateExp(
                hContext,
                hDevice,
                hImageMem,
                pImageFormat,
                pImageDesc,
                &description.chain(),
                phImage,
            )
        }
    }

    pub(super) unsafe extern "C-unwind" fn urVirtualMemGranularityGetInfo(
        hContext: ContextHandle,
        hDevice: DeviceHandle,
        propName: VirtualMemGranularityInfo,
        propSize: usize,
        pPropValue: *mut c_void,
        pPropSizeRet: *mut usize,
    ) -> ResultCode {
        // The granularity of the smallest allocation.
        let size = 1;
        // SAFETY: the caller vouches for the arguments.
        unsafe {
            exports::urVirtualMemGranularityGetInfo(
                hContext,
                hDevice,
                size,
                propName,
                propSize,
                pPropValue,
                pPropSizeRet,
            )
        }
    }

    /// The type of the properties had another number.
    pub(super) unsafe extern "C-unwind" fn urPhysicalMemCreate(
        hContext: ContextHandle,
        hDevice: DeviceHandle,
        size: usize,
        pProperties: *const PhysicalMemProperties,
        phPhysicalMem: *mut PhysicalMemHandle,
    ) -> ResultCode {
        // SAFETY: null, or what the caller vouches for.
        let properties = unsafe { pProperties.as_ref() }.map(|properties| PhysicalMemProperties {
            stype: StructureType::PHYSICAL_MEM_PROPERTIES,
            ..*properties
        });
        let properties = properties.as_ref().map_or(null(), std::ptr::from_ref);
        // SAFETY: the caller vouches for the other arguments.
        unsafe { exports::urPhysicalMemCreate(hContext, hDevice, size, properties, phPhysicalMem) }
    }
}
