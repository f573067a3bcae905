// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Null handles and null pointers, for each function of the core API: which of them a function refuses, and how, is read
//! from the documentation in its header.
//!
//! The specification leaves this to validation layers; Intel's driver is tested under one. Our driver looks by itself.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::ffi::c_void;
use std::fs;
use std::mem::{MaybeUninit, size_of, transmute_copy};
use std::sync::OnceLock;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{
    Event, Fence, Image, Kernel, List, Module, Pool, Queue, Rig, Sampler, Stack, loader, loader_is_old, plain_image,
    stack,
};

/// What a header says about the errors of a function.
struct Documented {
    name: String,
    /// The parameters that must not be null handles.
    handles: Vec<String>,
    /// The parameters that must not be null pointers.
    pointers: Vec<String>,
    /// The codes of errors.
    codes: Vec<String>,
}

fn documented() -> &'static [Documented] {
    static ALL: OnceLock<Vec<Documented>> = OnceLock::new();
    ALL.get_or_init(|| {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../target/env/level-zero/include/level_zero/ze_api.h"
        );
        parse(&fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}: scripts/setup.sh level-zero")))
    })
}

/// The functions of a header. Each follows its documentation, with `- ::CODE` for each error and `+ \`condition\`` below.
fn parse(header: &str) -> Vec<Documented> {
    let mut functions = Vec::new();
    let (mut codes, mut nulls) = (Vec::<String>::new(), Vec::<(String, String)>::new());
    for line in header.lines() {
        if let Some(line) = line.strip_prefix("/// ") {
            let line = line.trim();
            if line.starts_with("@brief") {
                codes.clear();
                nulls.clear();
            } else if let Some(code) = line.strip_prefix("- ::ZE_RESULT_") {
                let code = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
                codes.push(format!("ZE_RESULT_{}", code.unwrap_or_default()));
            } else if let Some(name) = line
                .strip_prefix("+ `nullptr == ")
                .and_then(|rest| rest.strip_suffix('`'))
            {
                let code = codes.last().cloned().unwrap_or_default();
                nulls.push((code, name.to_owned()));
            }
        } else if let Some((name, "")) = line.split_once('(')
            && name.starts_with("ze")
        {
            let of = |code: &str| {
                let found = nulls.iter().filter(|(of, name)| of == code && !name.contains("->"));
                found.map(|(_, name)| name.clone()).collect()
            };
            functions.push(Documented {
                name: name.to_owned(),
                handles: of("ZE_RESULT_ERROR_INVALID_NULL_HANDLE"),
                pointers: of("ZE_RESULT_ERROR_INVALID_NULL_POINTER"),
                codes: codes.clone(),
            });
        }
    }
    functions
}

/// Objects, made when a function needs one, and kept.
#[derive(Default)]
struct Objects {
    kept: RefCell<Vec<Box<dyn Any>>>,
}

impl Objects {
    fn keep<T: 'static, H>(&self, object: T, handle: impl Fn(&T) -> *mut H) -> Option<*mut c_void> {
        let raw = handle(&object).cast();
        self.kept.borrow_mut().push(Box::new(object));
        Some(raw)
    }

    /// A handle of a type. `None` if this makes no objects of that kind.
    fn handle(&self, ty: TypeId) -> Option<*mut c_void> {
        let rig = Rig::new();
        let is = |other| ty == other;
        if is(TypeId::of::<ze_driver_handle_t>()) {
            return Some(rig.driver.cast());
        } else if is(TypeId::of::<ze_device_handle_t>()) {
            return Some(rig.device.cast());
        } else if is(TypeId::of::<ze_context_handle_t>()) {
            return self.keep(rig, |rig| rig.context.raw());
        } else if is(TypeId::of::<ze_command_queue_handle_t>()) {
            return self.keep(rig.queue(), Queue::raw);
        } else if is(TypeId::of::<ze_command_list_handle_t>()) {
            return self.keep(rig.list(), List::raw);
        } else if is(TypeId::of::<ze_event_pool_handle_t>()) {
            return self.keep(rig.pool(1, 0), Pool::raw);
        } else if is(TypeId::of::<ze_event_handle_t>()) {
            return self.keep(rig.event(), Event::raw);
        } else if is(TypeId::of::<ze_fence_handle_t>()) {
            return self.keep(rig.fence(&rig.queue()), Fence::raw);
        } else if is(TypeId::of::<ze_module_handle_t>()) {
            return self.keep(rig.module("globals"), Module::raw);
        } else if is(TypeId::of::<ze_kernel_handle_t>()) {
            return self.keep(rig.kernel("globals", "bump"), Kernel::raw);
        } else if is(TypeId::of::<ze_image_handle_t>()) {
            return self.keep(rig.image(&plain_image()).expect("zeImageCreate"), Image::raw);
        } else if is(TypeId::of::<ze_sampler_handle_t>()) {
            let (address, filter) = (ZE_SAMPLER_ADDRESS_MODE_CLAMP, ZE_SAMPLER_FILTER_MODE_NEAREST);
            return self.keep(Sampler::new(&rig, address, filter, false), Sampler::raw);
        }
        None
    }
}

const OTHER_HANDLES: fn() -> Vec<TypeId> = || {
    vec![
        TypeId::of::<ze_physical_mem_handle_t>(),
        TypeId::of::<ze_module_build_log_handle_t>(),
        TypeId::of::<ze_graph_handle_t>(),
        TypeId::of::<ze_executable_graph_handle_t>(),
        TypeId::of::<ze_fabric_vertex_handle_t>(),
        TypeId::of::<ze_fabric_edge_handle_t>(),
        TypeId::of::<ze_rtas_builder_exp_handle_t>(),
        TypeId::of::<ze_rtas_parallel_operation_exp_handle_t>(),
        TypeId::of::<ze_rtas_builder_ext_handle_t>(),
        TypeId::of::<ze_rtas_parallel_operation_ext_handle_t>(),
        TypeId::of::<ze_external_semaphore_ext_handle_t>(),
    ]
};

/// Where arguments come from.
enum Arguments<'a> {
    /// All are zero.
    Zero,
    /// Handles are valid, the rest is zero.
    Handles(&'a Objects),
}

impl Arguments<'_> {
    fn get<T: 'static>(&self) -> Option<T> {
        // SAFETY: the parameters of the API's functions are integers, pointers, optional functions, and structures of
        // those: all zero is a value of them.
        let zero = || unsafe { MaybeUninit::<T>::zeroed().assume_init() };
        match self {
            Self::Zero => Some(zero()),
            Self::Handles(objects) => match objects.handle(TypeId::of::<T>()) {
                Some(handle) => {
                    assert_eq!(size_of::<T>(), size_of::<*mut c_void>());
                    // SAFETY: `T` is the type of this handle, a pointer.
                    Some(unsafe { transmute_copy(&handle) })
                }
                None if OTHER_HANDLES().contains(&TypeId::of::<T>()) => None,
                None => Some(zero()),
            },
        }
    }
}

/// Functions that can be called without knowing their parameters.
trait Call: Copy {
    fn call(self, arguments: &Arguments) -> Option<ze_result_t>;
}

macro_rules! call {
    ($($($ty:ident)*;)*) => {$(
        impl<$($ty: 'static),*> Call for unsafe extern "C" fn($($ty),*) -> ze_result_t {
            fn call(self, arguments: &Arguments) -> Option<ze_result_t> {
                // SAFETY: null handles and null pointers that the function says it refuses.
                Some(unsafe { self($(arguments.get::<$ty>()?),*) })
            }
        }
    )*};
}
call! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
}

/// Functions of the core API that a device may lack: its properties say whether it has them.
const OPTIONAL: [&str; 7] = [
    "zeDeviceGetRuntimeRequirements",
    "zeDeviceGetRuntimeRequirementsKey",
    "zeDeviceValidateRuntimeRequirements",
    "zeEventCounterBasedCloseIpcHandle",
    "zeEventCounterBasedGetDeviceAddress",
    "zeEventCounterBasedGetIpcHandle",
    "zeEventCounterBasedOpenIpcHandle",
];

/// Whether a result says that one of the arguments is null. Which of several errors comes first is open.
#[track_caller]
fn check(rules: &Documented, what: &str, expected: &str, got: ze_result_t) {
    let code = got.to_string();
    let others = [
        "ZE_RESULT_ERROR_INVALID_NULL_HANDLE",
        "ZE_RESULT_ERROR_INVALID_NULL_POINTER",
        "ZE_RESULT_ERROR_INVALID_SIZE",
        "ZE_RESULT_ERROR_UNSUPPORTED_SIZE",
        "ZE_RESULT_ERROR_INVALID_ENUMERATION",
    ];
    let other_rule = others.contains(&code.as_str()) && rules.codes.contains(&code);
    let optional = rules.name.ends_with("Ext")
        || rules.name.ends_with("Exp")
        || OPTIONAL.contains(&rules.name.as_str())
        || stack() == Stack::Intel;
    let lacks = optional && got == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    assert!(
        code == expected || (other_rule && what != "null handles") || lacks,
        "{} with {what} gave {code}, not {expected}",
        rules.name
    );
}

fn test<F: Call>(name: &str, get: impl Fn(&Functions) -> Option<F>) {
    let rules = documented().iter().find(|function| function.name == name);
    let rules = rules.unwrap_or_else(|| panic!("the header has no {name}"));
    let objects = Objects::default();
    let Some(function) = get(loader()) else {
        assert!(loader_is_old(), "the loader has no {name}");
        return println!("not run: the loader is too old for {name}");
    };
    if !rules.handles.is_empty() {
        let got = function.call(&Arguments::Zero).expect("zeros");
        check(rules, "null handles", "ZE_RESULT_ERROR_INVALID_NULL_HANDLE", got);
    }
    if !rules.pointers.is_empty()
        && let Some(got) = function.call(&Arguments::Handles(&objects))
    {
        check(rules, "null pointers", "ZE_RESULT_ERROR_INVALID_NULL_POINTER", got);
    }
}

macro_rules! functions {
    ($($name:ident)*) => {
        $(#[test]
        #[allow(non_snake_case, reason = "the name of the function")]
        fn $name() {
            test(stringify!($name), |functions| functions.$name);
        })*

        /// All functions of the header are here but those that return no code or take no handle or pointer.
        #[test]
        fn complete() {
            let names = [$(stringify!($name)),*];
            for function in documented() {
                assert!(names.contains(&function.name.as_str()) || ["zeInit", "zeDriverGetDefaultContext"].contains(&function.name.as_str()), "{}", function.name);
            }
        }
    };
}

functions! {
    zeDriverGet zeInitDrivers zeDriverGetApiVersion zeDriverGetProperties zeDriverGetIpcProperties
    zeDriverGetExtensionProperties zeDriverGetExtensionFunctionAddress zeDriverGetLastErrorDescription
    zeDeviceGet zeDeviceGetRootDevice zeDeviceGetSubDevices zeDeviceGetProperties
    zeDeviceGetComputeProperties zeDeviceGetModuleProperties zeDeviceGetCommandQueueGroupProperties
    zeDeviceGetMemoryProperties zeDeviceGetMemoryAccessProperties zeDeviceGetCacheProperties
    zeDeviceGetImageProperties zeDeviceGetExternalMemoryProperties zeDeviceGetP2PProperties zeDeviceCanAccessPeer
    zeDeviceGetStatus zeDeviceGetGlobalTimestamps zeDeviceSynchronize zeDeviceGetAggregatedCopyOffloadIncrementValue
    zeDeviceGetCounterBasedEventMaxValue zeDeviceGetRuntimeRequirements zeDeviceGetRuntimeRequirementsKey
    zeDeviceValidateRuntimeRequirements zeContextCreate zeContextCreateEx zeContextDestroy zeContextGetStatus
    zeCommandQueueCreate zeCommandQueueDestroy zeCommandQueueExecuteCommandLists zeCommandQueueSynchronize
    zeCommandQueueGetOrdinal zeCommandQueueGetIndex zeCommandQueueGetFlags zeCommandQueueGetMode
    zeCommandQueueGetPriority zeCommandListCreate zeCommandListCreateImmediate zeCommandListDestroy zeCommandListClose
    zeCommandListReset zeCommandListAppendWriteGlobalTimestamp zeCommandListHostSynchronize
    zeCommandListGetDeviceHandle zeCommandListGetContextHandle zeCommandListGetOrdinal zeCommandListImmediateGetIndex
    zeCommandListIsImmediate zeCommandListGetFlags zeCommandListImmediateGetFlags zeCommandListImmediateGetMode
    zeCommandListImmediateGetPriority zeCommandListAppendBarrier zeCommandListAppendMemoryRangesBarrier
    zeContextSystemBarrier zeCommandListAppendMemoryCopy zeCommandListAppendMemoryCopyWithParameters
    zeCommandListAppendMemoryFill zeCommandListAppendMemoryFillWithParameters zeCommandListAppendMemoryCopyRegion
    zeCommandListAppendMemoryCopyFromContext zeCommandListAppendImageCopy zeCommandListAppendImageCopyRegion
    zeCommandListAppendImageCopyToMemory zeCommandListAppendImageCopyFromMemory zeCommandListAppendMemoryPrefetch
    zeCommandListAppendMemAdvise zeEventPoolCreate zeEventPoolDestroy zeEventCreate zeEventCounterBasedCreate
    zeEventDestroy zeEventPoolGetIpcHandle zeEventPoolPutIpcHandle zeEventPoolOpenIpcHandle zeEventPoolCloseIpcHandle
    zeEventCounterBasedGetIpcHandle zeEventCounterBasedOpenIpcHandle zeEventCounterBasedCloseIpcHandle
    zeEventCounterBasedGetDeviceAddress zeCommandListAppendSignalEvent zeCommandListAppendWaitOnEvents
    zeEventHostSignal zeEventHostSynchronize zeEventQueryStatus zeCommandListAppendEventReset zeEventHostReset
    zeEventQueryKernelTimestamp zeCommandListAppendQueryKernelTimestamps zeEventGetEventPool zeEventGetSignalScope
    zeEventGetWaitScope zeEventPoolGetContextHandle zeEventPoolGetFlags zeEventGetCounterBasedFlags zeFenceCreate
    zeFenceDestroy zeFenceHostSynchronize zeFenceQueryStatus zeFenceReset zeImageGetProperties zeImageCreate
    zeImageDestroy zeMemAllocShared zeMemAllocDevice zeMemAllocHost zeMemFree zeMemGetAllocProperties
    zeMemGetAddressRange zeMemGetIpcHandle zeMemGetIpcHandleFromFileDescriptorExp
    zeMemGetFileDescriptorFromIpcHandleExp zeMemPutIpcHandle zeMemOpenIpcHandle zeMemCloseIpcHandle
    zeMemSetAtomicAccessAttributeExp zeMemGetAtomicAccessAttributeExp zeModuleCreate zeModuleDestroy
    zeModuleDynamicLink zeModuleBuildLogDestroy zeModuleBuildLogGetString zeModuleGetNativeBinary
    zeModuleGetGlobalPointer zeModuleGetKernelNames zeModuleGetProperties zeKernelCreate zeKernelDestroy
    zeModuleGetFunctionPointer zeKernelSetGroupSize zeKernelSuggestGroupSize zeKernelSuggestMaxCooperativeGroupCount
    zeKernelSetArgumentValue zeKernelSetIndirectAccess zeKernelGetIndirectAccess zeKernelGetSourceAttributes
    zeKernelSetCacheConfig zeKernelGetProperties zeKernelGetName zeCommandListAppendLaunchKernel
    zeCommandListAppendLaunchKernelWithParameters zeCommandListAppendLaunchKernelWithArguments
    zeCommandListAppendLaunchCooperativeKernel zeCommandListAppendLaunchKernelIndirect
    zeCommandListAppendLaunchMultipleKernelsIndirect zeContextMakeMemoryResident zeContextEvictMemory
    zeContextMakeImageResident zeContextEvictImage zeSamplerCreate zeSamplerDestroy zeVirtualMemReserve
    zeVirtualMemFree zeVirtualMemQueryPageSize zePhysicalMemGetProperties zePhysicalMemCreate zePhysicalMemDestroy
    zeVirtualMemMap zeVirtualMemUnmap zeVirtualMemSetAccessAttribute zeVirtualMemGetAccessAttribute
    zeKernelSetGlobalOffsetExp zeDeviceReserveCacheExt zeDeviceSetCacheAdviceExt zeEventQueryTimestampsExp
    zeImageGetMemoryPropertiesExp zeImageViewCreateExt zeImageViewCreateExp zeKernelSchedulingHintExp
    zeDevicePciGetPropertiesExt zeCommandListAppendImageCopyToMemoryExt zeCommandListAppendImageCopyFromMemoryExt
    zeImageGetAllocPropertiesExt zeModuleInspectLinkageExt zeMemFreeExt zeFabricVertexGetExp
    zeFabricVertexGetSubVerticesExp zeFabricVertexGetPropertiesExp zeFabricVertexGetDeviceExp
    zeDeviceGetFabricVertexExp zeFabricEdgeGetExp zeFabricEdgeGetVerticesExp zeFabricEdgeGetPropertiesExp
    zeEventQueryKernelTimestampsExt zeRTASBuilderCreateExp zeRTASBuilderGetBuildPropertiesExp
    zeDriverRTASFormatCompatibilityCheckExp zeRTASBuilderBuildExp zeRTASBuilderDestroyExp
    zeRTASParallelOperationCreateExp zeRTASParallelOperationGetPropertiesExp zeRTASParallelOperationJoinExp
    zeRTASParallelOperationDestroyExp zeMemGetPitchFor2dImage zeImageGetDeviceOffsetExp zeCommandListCreateCloneExp
    zeCommandListImmediateAppendCommandListsExp zeCommandListImmediateAppendCommandListsWithParameters
    zeCommandListGetNextCommandIdExp zeCommandListGetNextCommandIdWithKernelsExp zeCommandListUpdateMutableCommandsExp
    zeCommandListIsMutableExp zeCommandListUpdateMutableCommandSignalEventExp
    zeCommandListUpdateMutableCommandWaitEventsExp zeCommandListUpdateMutableCommandKernelsExp zeKernelGetBinaryExp
    zeDeviceImportExternalSemaphoreExt zeDeviceReleaseExternalSemaphoreExt
    zeCommandListAppendSignalExternalSemaphoreExt zeCommandListAppendWaitExternalSemaphoreExt zeRTASBuilderCreateExt
    zeRTASBuilderGetBuildPropertiesExt zeDriverRTASFormatCompatibilityCheckExt zeRTASBuilderBuildExt
    zeRTASBuilderCommandListAppendCopyExt zeRTASBuilderDestroyExt zeRTASParallelOperationCreateExt
    zeRTASParallelOperationGetPropertiesExt zeRTASParallelOperationJoinExt zeRTASParallelOperationDestroyExt
    zeDeviceGetVectorWidthPropertiesExt zeKernelGetAllocationPropertiesExp zeMemGetIpcHandleWithProperties
    zeGraphCreateExt zeCommandListBeginGraphCaptureExt zeCommandListBeginCaptureIntoGraphExt
    zeCommandListIsGraphCaptureEnabledExt zeCommandListEndGraphCaptureExt zeCommandListGetGraphExt
    zeGraphGetPrimaryCommandListExt zeGraphSetDestructionCallbackExt zeGraphInstantiateExt zeCommandListAppendGraphExt
    zeExecutableGraphGetSourceGraphExt zeGraphIsEmptyExt zeGraphDumpContentsExt zeExecutableGraphDestroyExt
    zeGraphDestroyExt zeCommandListAppendHostFunction
}
