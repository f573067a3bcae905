// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Every error that the suite sees must be among those that the specification lists for the function, or stand here with
//! the reason why it does not.

use oxur_client::api::ResultCode;
use oxur_client::api::meta::{Function, Ty};

use crate::{Stack, stack};

/// Errors of single functions on every stack.
const EXCEPTIONS: &[(&str, ResultCode, &str)] = &[
    (
        "urBindlessImagesFreeMappedLinearMemoryExp",
        ResultCode::ERROR_INVALID_VALUE,
        "an address that was not mapped: the specification lists no code for that",
    ),
    (
        "urDeviceSelectBinary",
        ResultCode::ERROR_INVALID_BINARY,
        "no image fits; libsycl asks for this code",
    ),
    (
        "urEnqueueDeviceGlobalVariableRead",
        ResultCode::ERROR_INVALID_PROGRAM_EXECUTABLE,
        NOT_BUILT,
    ),
    (
        "urEnqueueDeviceGlobalVariableRead",
        ResultCode::ERROR_INVALID_VALUE,
        OUTSIDE_OF_GLOBAL,
    ),
    (
        "urEnqueueDeviceGlobalVariableWrite",
        ResultCode::ERROR_INVALID_PROGRAM_EXECUTABLE,
        NOT_BUILT,
    ),
    (
        "urEnqueueDeviceGlobalVariableWrite",
        ResultCode::ERROR_INVALID_VALUE,
        OUTSIDE_OF_GLOBAL,
    ),
    (
        "urEnqueueKernelLaunchWithArgsExp",
        ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
        ARGUMENTS,
    ),
    (
        "urEnqueueKernelLaunchWithArgsExp",
        ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
        ARGUMENTS,
    ),
    (
        "urEnqueueMemImageRead",
        ResultCode::ERROR_INVALID_VALUE,
        "pitches below a row, as OpenCL says",
    ),
    (
        "urEnqueueUSMDeviceAllocExp",
        ResultCode::ERROR_INVALID_USM_SIZE,
        "as urUSMDeviceAlloc says it of no bytes, and of too many",
    ),
    (
        "urEnqueueUSMDeviceAllocExp",
        ResultCode::ERROR_INVALID_VALUE,
        "another context's pool, as urUSMDeviceAlloc says it",
    ),
    (
        "urEnqueueUSMFreeExp",
        ResultCode::ERROR_INVALID_VALUE,
        "as urUSMFree may say it of what is no memory",
    ),
    (
        "urKernelCreate",
        ResultCode::ERROR_INVALID_PROGRAM_EXECUTABLE,
        NOT_BUILT,
    ),
    (
        "urKernelCreate",
        ResultCode::ERROR_PROGRAM_LINK_FAILURE,
        "the kernel calls what no image of the link has",
    ),
    (
        "urKernelSetExecInfo",
        ResultCode::ERROR_UNSUPPORTED_ENUMERATION,
        "a property that no device here has",
    ),
    (
        "urMemBufferPartition",
        ResultCode::ERROR_MISALIGNED_SUB_BUFFER_OFFSET,
        "the code says what is wrong; the specification has no other use for it",
    ),
    (
        "urProgramBuild",
        ResultCode::ERROR_INVALID_VALUE,
        "unknown options, as OpenCL says",
    ),
    (
        "urProgramBuild",
        ResultCode::ERROR_PROGRAM_LINK_FAILURE,
        "the link that a build ends with",
    ),
    (
        "urProgramCreateWithBinary",
        ResultCode::ERROR_INVALID_BINARY,
        "damaged code, as OpenCL says",
    ),
    (
        "urProgramDynamicLinkExp",
        ResultCode::ERROR_INVALID_OPERATION,
        LINK_STATE,
    ),
    (
        "urProgramGetFunctionPointer",
        ResultCode::ERROR_INVALID_PROGRAM_EXECUTABLE,
        NOT_BUILT,
    ),
    (
        "urProgramGetGlobalVariablePointer",
        ResultCode::ERROR_INVALID_PROGRAM_EXECUTABLE,
        NOT_BUILT,
    ),
    (
        "urProgramGetInfo",
        ResultCode::ERROR_INVALID_PROGRAM_EXECUTABLE,
        NOT_BUILT,
    ),
    ("urProgramLink", ResultCode::ERROR_INVALID_OPERATION, LINK_STATE),
    (
        "urQueueBeginGraphCaptureExp",
        ResultCode::ERROR_INVALID_OPERATION,
        "the queue captures already",
    ),
    (
        "urUSMFree",
        ResultCode::ERROR_INVALID_VALUE,
        "an address that no allocation starts at",
    ),
];

const ARGUMENTS: &str = "urKernelSetArg* list the code for the same mistake";
const LINK_STATE: &str = "programs in a state that cannot be linked, as OpenCL says";
const NOT_BUILT: &str = "the program has no code for the device, as OpenCL says";
const OUTSIDE_OF_GLOBAL: &str = "a range beyond the variable: the specification lists no code for it";

/// Errors of Intel's OpenCL adapter, which hands the codes of the driver on.
const OF_INTEL: &[ResultCode] = &[
    ResultCode::ERROR_INVALID_VALUE,
    ResultCode::ERROR_INVALID_ARGUMENT,
    ResultCode::ERROR_UNKNOWN,
    ResultCode::ERROR_INVALID_BINARY,
    ResultCode::ERROR_INVALID_OPERATION,
];

/// Fails the test if the specification does not list the error for the function and no exception does.
pub(crate) fn assert_documented(function: &'static Function, code: ResultCode) {
    if function.documents(code) {
        return;
    }
    let listed = EXCEPTIONS
        .iter()
        .find(|(name, known, _)| *name == function.name && *known == code);
    let reason = listed.map(|(.., reason)| *reason).or_else(|| of_kind(function, code));
    let intels = || stack() == Stack::Intel && OF_INTEL.contains(&code);
    assert!(
        reason.is_some() || intels(),
        "{} gave {code:?}, which its specification does not list. Is another code right? If not, list it with a reason in {}.",
        function.name,
        file!()
    );
}

/// Why every function of some kind may give the error.
fn of_kind(function: &Function, code: ResultCode) -> Option<&'static str> {
    let is_query = || function.params.iter().any(|param| param.attributes.property.is_some());
    let is_append = || function.name.starts_with("urCommandBufferAppend");
    let is_ipc = || function.name.starts_with("urIPC");
    let takes = |names: &[&str]| {
        function
            .params
            .iter()
            .any(|param| names.iter().any(|name| is_of(&param.ty, name)))
    };
    let applies = |applies: bool, reason| applies.then_some(reason);
    match code {
        ResultCode::ERROR_UNSUPPORTED_FEATURE => Some("an adapter need not have every function"),
        ResultCode::ERROR_UNSUPPORTED_ENUMERATION => {
            applies(is_query(), "the specification lists it for most queries, and means all")
        }
        ResultCode::ERROR_INVALID_SIZE if is_query() => {
            Some("a buffer of another size: the specification lists it for most queries, and means all")
        }
        ResultCode::ERROR_INVALID_SIZE => applies(
            is_append(),
            "beyond the buffer: listed for the functions that enqueue the same command",
        ),
        ResultCode::ERROR_INVALID_OPERATION => applies(
            is_append(),
            "the command buffer is finalized: listed for some of these functions",
        ),
        ResultCode::ERROR_INVALID_VALUE if is_ipc() => {
            Some("bytes or an address that are no handle: the specification lists no code for that")
        }
        ResultCode::ERROR_INVALID_VALUE => applies(
            takes(&["UsmPoolHandle", "PhysicalMemHandle"]),
            "not of this kind: there is no code of its own",
        ),
        ResultCode::ERROR_GRAPH_CAPTURE_INVALIDATED
        | ResultCode::ERROR_GRAPH_CAPTURE_UNSUPPORTED
        | ResultCode::ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT
        | ResultCode::ERROR_GRAPH_UNJOINED_FORKS
        | ResultCode::ERROR_GRAPH_INTERNAL_EVENT
        | ResultCode::ERROR_COMMAND_LIST_NOT_CAPTURING => applies(
            takes(&["QueueHandle", "EventHandle"]),
            "graph capture concerns every command",
        ),
        // Objects of several contexts, too.
        ResultCode::ERROR_INVALID_CONTEXT => {
            applies(function.params.iter().any(|param| param.ty.is_handle()), MISTYPED)
        }
        _ => {
            let mut handles = HANDLES.iter().filter(|(known, _)| *known == code);
            applies(handles.any(|(_, handle)| takes(&[handle])), MISTYPED)
        }
    }
}

const MISTYPED: &str = "the handle is of another kind of object, or of one that was released";

/// What a handle of another kind, or of a released object, is answered where this one is asked for.
const HANDLES: &[(ResultCode, &str)] = &[
    (ResultCode::ERROR_INVALID_PLATFORM, "PlatformHandle"),
    (ResultCode::ERROR_INVALID_DEVICE, "DeviceHandle"),
    (ResultCode::ERROR_INVALID_QUEUE, "QueueHandle"),
    (ResultCode::ERROR_INVALID_EVENT, "EventHandle"),
    (ResultCode::ERROR_INVALID_MEM_OBJECT, "MemHandle"),
    (ResultCode::ERROR_INVALID_SAMPLER, "SamplerHandle"),
    (ResultCode::ERROR_INVALID_PROGRAM, "ProgramHandle"),
    (ResultCode::ERROR_INVALID_KERNEL, "KernelHandle"),
    (ResultCode::ERROR_INVALID_GRAPH, "ExpGraphHandle"),
    (ResultCode::ERROR_INVALID_GRAPH, "ExpExecutableGraphHandle"),
    (ResultCode::ERROR_INVALID_COMMAND_BUFFER_EXP, "ExpCommandBufferHandle"),
];

/// Whether a type is the named one, or a list of it.
fn is_of(ty: &Ty, name: &str) -> bool {
    match ty {
        Ty::Pointer { target, .. } => is_of(target, name),
        Ty::Named(named) => named.name == name,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use oxur_client::api::QueueDdiTable;

    use super::*;

    fn function(name: &str) -> &'static Function {
        let mut functions = QueueDdiTable::META.functions.iter();
        functions
            .find(|function| function.name == name)
            .expect("it is in the table")
    }

    #[test]
    fn documented_and_excepted() {
        assert_documented(function("urQueueFinish"), ResultCode::ERROR_INVALID_QUEUE);
        assert_documented(function("urQueueFinish"), ResultCode::ERROR_DEVICE_LOST);
        assert_documented(function("urQueueGetInfo"), ResultCode::ERROR_UNSUPPORTED_ENUMERATION);
    }

    #[test]
    #[should_panic(expected = "does not list")]
    fn undocumented() {
        assert_documented(function("urQueueFinish"), ResultCode::ERROR_INVALID_KERNEL);
    }
}
