// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions that clients of release 2025.3 call with other parameters than later clients.
//!
//! Names and symbol version are the same. In a process of that release the symbols lead to the functions in this module,
//! which have the parameters of its headers. Everything else that such clients use is unchanged, except for additions.
#![allow(non_snake_case, reason = "functions and parameters have their C names")]
#![allow(clippy::too_many_arguments, reason = "the C functions have as many")]

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};

use oxur_api::*;

use crate::{exports, symbols};

/// Calls `$macro!` with the names of the functions whose parameters changed after 2025.3, except `urEnqueueKernelLaunch`,
/// which was dropped later.
macro_rules! changed_after_2025_3 {
    ($macro:ident) => {
        $macro! {
            urBindlessImagesImageCopyExp
            urProgramBuildExp
            urProgramCompileExp
            urProgramLinkExp
        }
    };
}
pub(crate) use changed_after_2025_3;

static SERVING: AtomicBool = AtomicBool::new(false);

/// Whether clients call functions with the parameters of 2025.3.
pub(crate) fn serving() -> bool {
    SERVING.load(Ordering::Relaxed)
}

/// Makes the symbols take the parameters of 2025.3.
pub(crate) fn serve() {
    symbols::target::urEnqueueKernelLaunch
        .store(older::urEnqueueKernelLaunch as *const () as *mut (), Ordering::Relaxed);
    serve_but_launches();
}

/// The same for all but launches. Another thread may launch meanwhile, so each symbol has one target from the first
/// initialization on.
pub(crate) fn serve_but_launches() {
    macro_rules! lead {
        ($($name:ident)*) => { $(
            symbols::target::$name.store(older::$name as *const () as *mut (), Ordering::Relaxed);
        )* };
    }
    changed_after_2025_3! { lead }
    SERVING.store(true, Ordering::Relaxed);
}

/// A property of a launch. 2026 has a chain of structures instead.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchProperty {
    id: u32,
    value: LaunchPropertyValue,
}

/// The property's id determines which member is valid.
#[repr(C)]
#[derive(Clone, Copy)]
union LaunchPropertyValue {
    cluster_dimensions: [u32; 3],
    cooperative: i32,
    work_group_memory: usize,
    opportunistic_queue_serialize: i32,
}

impl LaunchProperty {
    const IGNORE: u32 = 0;
    const COOPERATIVE: u32 = 1;
    const CLUSTER_DIMENSION: u32 = 2;
    const WORK_GROUP_MEMORY: u32 = 3;
    const OPPORTUNISTIC_QUEUE_SERIALIZE: u32 = 4;
}

/// The same properties in the form of 2026.
#[derive(Default)]
struct Launch {
    flags: KernelLaunchFlags,
    cluster: Option<KernelLaunchClusterProperty>,
    work_group: Option<KernelLaunchWorkgroupProperty>,
}

impl Launch {
    fn of(properties: &[LaunchProperty]) -> Result<Self, ResultCode> {
        let mut launch = Self::default();
        for LaunchProperty { id, value } in properties {
            // SAFETY: the id determines the valid member; a C flag is a number.
            unsafe {
                match *id {
                    LaunchProperty::IGNORE => {}
                    LaunchProperty::COOPERATIVE => {
                        launch.flags.set(KernelLaunchFlags::COOPERATIVE, value.cooperative != 0);
                    }
                    LaunchProperty::OPPORTUNISTIC_QUEUE_SERIALIZE => {
                        let serialize = value.opportunistic_queue_serialize != 0;
                        launch
                            .flags
                            .set(KernelLaunchFlags::OPPORTUNISTIC_QUEUE_SERIALIZE, serialize);
                    }
                    LaunchProperty::CLUSTER_DIMENSION => {
                        launch.cluster = Some(KernelLaunchClusterProperty {
                            clusterDim: value.cluster_dimensions,
                            ..Default::default()
                        });
                    }
                    LaunchProperty::WORK_GROUP_MEMORY => {
                        launch.work_group = Some(KernelLaunchWorkgroupProperty {
                            workgroup_mem_size: value.work_group_memory,
                            ..Default::default()
                        });
                    }
                    _ => return Err(ResultCode::ERROR_INVALID_ENUMERATION),
                }
            }
        }
        Ok(launch)
    }

    /// The head of the chain, which leads into `self`.
    fn chain(&mut self) -> KernelLaunchExtProperties {
        let mut next = null_mut::<c_void>();
        if let Some(cluster) = &mut self.cluster {
            cluster.pNext = next;
            next = std::ptr::from_mut(cluster).cast();
        }
        if let Some(work_group) = &mut self.work_group {
            work_group.pNext = next;
            next = std::ptr::from_mut(work_group).cast();
        }
        KernelLaunchExtProperties {
            pNext: next,
            flags: self.flags,
            ..Default::default()
        }
    }
}

/// The functions as the headers of 2025.3 declare them.
pub(crate) mod older {
    use super::*;

    pub(crate) unsafe extern "C-unwind" fn urEnqueueKernelLaunch(
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
        let launch = |properties| {
            // SAFETY: the caller vouches for the arguments, and the properties live during the call.
            unsafe {
                exports::urEnqueueKernelLaunch(
                    hQueue,
                    hKernel,
                    workDim,
                    pGlobalWorkOffset,
                    pGlobalWorkSize,
                    pLocalWorkSize,
                    properties,
                    numEventsInWaitList,
                    phEventWaitList,
                    phEvent,
                )
            }
        };
        if numPropsInLaunchPropList == 0 {
            return launch(null());
        }
        if launchPropList.is_null() {
            return ResultCode::ERROR_INVALID_NULL_POINTER;
        }
        // SAFETY: not null, and the caller vouches for as many properties.
        let properties = unsafe { std::slice::from_raw_parts(launchPropList, numPropsInLaunchPropList as usize) };
        match Launch::of(properties) {
            Ok(mut properties) => launch(&properties.chain()),
            Err(code) => code,
        }
    }

    pub(super) unsafe extern "C-unwind" fn urProgramBuildExp(
        hProgram: ProgramHandle,
        numDevices: u32,
        phDevices: *mut DeviceHandle,
        pOptions: *const c_char,
    ) -> ResultCode {
        let flags = ExpProgramFlags::empty();
        // SAFETY: the caller vouches for the arguments.
        unsafe { exports::urProgramBuildExp(hProgram, numDevices, phDevices, flags, pOptions) }
    }

    pub(super) unsafe extern "C-unwind" fn urProgramCompileExp(
        hProgram: ProgramHandle,
        numDevices: u32,
        phDevices: *mut DeviceHandle,
        pOptions: *const c_char,
    ) -> ResultCode {
        let flags = ExpProgramFlags::empty();
        // SAFETY: the caller vouches for the arguments.
        unsafe { exports::urProgramCompileExp(hProgram, numDevices, phDevices, flags, pOptions) }
    }

    pub(super) unsafe extern "C-unwind" fn urProgramLinkExp(
        hContext: ContextHandle,
        numDevices: u32,
        phDevices: *mut DeviceHandle,
        count: u32,
        phPrograms: *const ProgramHandle,
        pOptions: *const c_char,
        phProgram: *mut ProgramHandle,
    ) -> ResultCode {
        let flags = ExpProgramFlags::empty();
        // SAFETY: the caller vouches for the arguments.
        unsafe {
            exports::urProgramLinkExp(
                hContext, numDevices, phDevices, flags, count, phPrograms, pOptions, phProgram,
            )
        }
    }

    pub(super) unsafe extern "C-unwind" fn urBindlessImagesImageCopyExp(
        hQueue: QueueHandle,
        pSrc: *const c_void,
        pDst: *mut c_void,
        pSrcImageDesc: *const ImageDesc,
        pDstImageDesc: *const ImageDesc,
        pSrcImageFormat: *const ImageFormat,
        pDstImageFormat: *const ImageFormat,
        pCopyRegion: *mut ExpImageCopyRegion,
        imageCopyFlags: ExpImageCopyFlags,
        numEventsInWaitList: u32,
        phEventWaitList: *const EventHandle,
        phEvent: *mut EventHandle,
    ) -> ResultCode {
        // SAFETY: the caller vouches for the arguments.
        unsafe {
            let sides = [(pSrc, pSrcImageDesc), (pDst.cast_const(), pDstImageDesc)];
            let mut region = region_in_bytes(pCopyRegion, [pSrcImageFormat, pDstImageFormat]);
            exports::urBindlessImagesImageCopyExp(
                hQueue,
                pSrc,
                pDst,
                pSrcImageDesc,
                pDstImageDesc,
                pSrcImageFormat,
                pDstImageFormat,
                region.as_mut().map_or(null_mut(), std::ptr::from_mut),
                imageCopyFlags,
                copy_input_types(hQueue, sides, imageCopyFlags),
                numEventsInWaitList,
                phEventWaitList,
                phEvent,
            )
        }
    }
}

/// Which sides of a copy, source and destination, are images. Callers of 2025.3 do not say so.
///
/// A side is memory if the direction says that it is on the host, if its rows have a pitch, or if the adapter has allocated it as
/// USM. The Level Zero adapter's images are none of these. The CUDA adapter's are USM, whose pixels lie one behind the other: a copy
/// of such memory is the same copy.
///
/// # Safety
/// As for `urBindlessImagesImageCopyExp`.
unsafe fn copy_input_types(
    queue: QueueHandle,
    [src, dst]: [(*const c_void, *const ImageDesc); 2],
    direction: ExpImageCopyFlags,
) -> ExpImageCopyInputTypes {
    let is_memory = |(address, desc): (*const c_void, *const ImageDesc)| {
        // SAFETY: null, or a description that the caller vouches for.
        let has_pitch = unsafe { desc.as_ref() }.is_some_and(|desc| desc.rowPitch != 0);
        // SAFETY: the caller vouches for the queue.
        has_pitch || unsafe { is_allocated(queue, address) }
    };
    let from_host = direction.intersects(ExpImageCopyFlags::HOST_TO_DEVICE | ExpImageCopyFlags::HOST_TO_HOST);
    let to_host = direction.intersects(ExpImageCopyFlags::DEVICE_TO_HOST | ExpImageCopyFlags::HOST_TO_HOST);
    match (from_host || is_memory(src), to_host || is_memory(dst)) {
        (true, true) => ExpImageCopyInputTypes::MEM_TO_MEM,
        (true, false) => ExpImageCopyInputTypes::MEM_TO_IMAGE,
        (false, true) => ExpImageCopyInputTypes::IMAGE_TO_MEM,
        (false, false) => ExpImageCopyInputTypes::IMAGE_TO_IMAGE,
    }
}

/// A region with its width and x in bytes. libsycl 2025.3 counts pixels, and so does Intel's adapter of that release, though the
/// headers say bytes. `None` if there is no region.
///
/// # Safety
/// As for `urBindlessImagesImageCopyExp`.
unsafe fn region_in_bytes(
    region: *const ExpImageCopyRegion,
    [src, dst]: [*const ImageFormat; 2],
) -> Option<ExpImageCopyRegion> {
    // SAFETY: null, or what the caller vouches for.
    let (mut region, src, dst) = unsafe { (*region.as_ref()?, src.as_ref(), dst.as_ref()) };
    // Without a known format: the adapter refuses the copy.
    let [src, dst] = [src, dst].map(|format| format.and_then(pixel_size).unwrap_or(1));
    for (x, pixel) in [
        (&mut region.copyExtent.width, src),
        (&mut region.srcOffset.x, src),
        (&mut region.dstOffset.x, dst),
    ] {
        *x = x.saturating_mul(pixel);
    }
    Some(region)
}

/// The bytes of a pixel.
fn pixel_size(format: &ImageFormat) -> Option<u64> {
    type Order = ImageChannelOrder;
    type Channel = ImageChannelType;
    let channels = match format.channelOrder {
        Order::A | Order::R | Order::INTENSITY | Order::LUMINANCE => 1,
        Order::RG | Order::RA | Order::RX => 2,
        Order::RGB | Order::RGX => 3,
        Order::RGBA | Order::BGRA | Order::ARGB | Order::ABGR | Order::RGBX | Order::SRGBA => 4,
        _ => return None,
    };
    let bytes = match format.channelType {
        Channel::SNORM_INT8 | Channel::UNORM_INT8 | Channel::SIGNED_INT8 | Channel::UNSIGNED_INT8 => 1,
        Channel::SNORM_INT16
        | Channel::UNORM_INT16
        | Channel::SIGNED_INT16
        | Channel::UNSIGNED_INT16
        | Channel::HALF_FLOAT => 2,
        Channel::SIGNED_INT32 | Channel::UNSIGNED_INT32 | Channel::FLOAT => 4,
        // All channels together.
        Channel::UNORM_SHORT_565 | Channel::UNORM_SHORT_555 => return Some(2),
        Channel::INT_101010 => return Some(4),
        _ => return None,
    };
    Some(channels * bytes)
}

/// Whether an address is in an allocation of the queue's context.
///
/// # Safety
/// The queue must be null or alive.
unsafe fn is_allocated(queue: QueueHandle, address: *const c_void) -> bool {
    let (mut context, mut kind) = (ContextHandle::default(), UsmType::UNKNOWN);
    // SAFETY: the places have the sizes of what they receive; the caller vouches for the queue.
    unsafe {
        let code = exports::urQueueGetInfo(
            queue,
            QueueInfo::CONTEXT,
            size_of_val(&context),
            (&raw mut context).cast(),
            null_mut(),
        );
        code == ResultCode::SUCCESS
            && exports::urUSMGetMemAllocInfo(
                context,
                address,
                UsmAllocInfo::TYPE,
                size_of_val(&kind),
                (&raw mut kind).cast(),
                null_mut(),
            ) == ResultCode::SUCCESS
            && kind != UsmType::UNKNOWN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_become_a_chain() {
        let property = |id, value| LaunchProperty { id, value };
        let mut launch = Launch::of(&[
            property(LaunchProperty::COOPERATIVE, LaunchPropertyValue { cooperative: 1 }),
            property(LaunchProperty::IGNORE, LaunchPropertyValue { cooperative: 7 }),
            property(
                LaunchProperty::CLUSTER_DIMENSION,
                LaunchPropertyValue {
                    cluster_dimensions: [2, 3, 4],
                },
            ),
            property(
                LaunchProperty::WORK_GROUP_MEMORY,
                LaunchPropertyValue { work_group_memory: 64 },
            ),
            property(
                LaunchProperty::OPPORTUNISTIC_QUEUE_SERIALIZE,
                LaunchPropertyValue {
                    opportunistic_queue_serialize: 0,
                },
            ),
        ])
        .unwrap_or_default();
        let chain = launch.chain();
        assert_eq!(chain.stype, StructureType::KERNEL_LAUNCH_EXT_PROPERTIES);
        assert_eq!(chain.flags, KernelLaunchFlags::COOPERATIVE);
        // SAFETY: the chain leads into `launch`, to structures of these types.
        let (work_group, cluster) = unsafe {
            let work_group = &*chain.pNext.cast::<KernelLaunchWorkgroupProperty>();
            (work_group, &*work_group.pNext.cast::<KernelLaunchClusterProperty>())
        };
        assert_eq!(work_group.stype, StructureType::KERNEL_LAUNCH_WORKGROUP_PROPERTY);
        assert_eq!(work_group.workgroup_mem_size, 64);
        assert_eq!(cluster.stype, StructureType::KERNEL_LAUNCH_CLUSTER_PROPERTY);
        assert_eq!(cluster.clusterDim, [2, 3, 4]);
        assert!(cluster.pNext.is_null());

        let unknown = property(5, LaunchPropertyValue { cooperative: 1 });
        assert_eq!(
            Launch::of(&[unknown]).err(),
            Some(ResultCode::ERROR_INVALID_ENUMERATION)
        );
    }

    #[test]
    fn regions_count_bytes() {
        let format = |order, channel| ImageFormat {
            channelOrder: order,
            channelType: channel,
        };
        let mut region = ExpImageCopyRegion::default();
        let unknown = null::<c_void>().wrapping_add(16);
        region.pNext = unknown;
        (region.srcOffset.x, region.srcOffset.y, region.dstOffset.x) = (1, 2, 3);
        (region.copyExtent.width, region.copyExtent.height) = (u64::MAX, 5);
        let half = format(ImageChannelOrder::RG, ImageChannelType::HALF_FLOAT);
        let single = format(ImageChannelOrder::R, ImageChannelType::FLOAT);
        let packed = format(ImageChannelOrder::RGBX, ImageChannelType::INT_101010);
        let other = format(ImageChannelOrder(77), ImageChannelType::FLOAT);
        let bytes = |src, dst| {
            // SAFETY: null, or what lives.
            let made = unsafe { region_in_bytes(&region, [src, dst]) }.unwrap_or_default();
            assert_eq!((made.pNext, made.srcOffset.y, made.copyExtent.height), (unknown, 2, 5));
            assert_eq!(made.copyExtent.width, u64::MAX);
            (made.srcOffset.x, made.dstOffset.x)
        };
        assert_eq!(bytes(&half, &single), (4, 12));
        let byte = format(ImageChannelOrder::A, ImageChannelType::UNORM_INT8);
        assert_eq!(bytes(&byte, &packed), (1, 12));
        let eight = format(ImageChannelOrder::RGBA, ImageChannelType::UNSIGNED_INT16);
        assert_eq!(bytes(&eight, &other), (8, 3));
        assert_eq!(bytes(null(), &eight), (1, 24));
        // SAFETY: as above.
        assert!(unsafe { region_in_bytes(null(), [&half; 2]) }.is_none());
    }

    #[test]
    fn properties_have_the_layout_of_the_headers() {
        assert_eq!((size_of::<LaunchProperty>(), align_of::<LaunchProperty>()), (24, 8));
        assert_eq!(std::mem::offset_of!(LaunchProperty, value), 8);
    }
}
