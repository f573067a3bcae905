// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Translates between the results and enumerations of CUDA and UR.

use std::ffi::CStr;

use kit::UrError;
use kit::ur::{ResultCode, UsmAdviceFlags};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;

/// A result by its name.
pub(crate) fn name(result: CUresult) -> String {
    result
        .name()
        .map_or_else(|| format!("CUDA error {}", result.0), str::to_owned)
}

/// Whether a result stays: the device's context is of no use any more, for all of the process.
pub(crate) fn is_fault(result: CUresult) -> bool {
    matches!(
        result,
        CUDA_ERROR_ECC_UNCORRECTABLE
            | CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUDA_ERROR_CONTAINED
            | CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_CONTEXT_IS_DESTROYED
            | CUDA_ERROR_ASSERT
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_LAUNCH_FAILED
            | CUDA_ERROR_DEVICE_UNAVAILABLE
    )
}

/// What a fault means, for users.
fn explained(result: CUresult) -> &'static str {
    match result {
        CUDA_ERROR_ILLEGAL_ADDRESS => "a kernel used memory that is not there: compute-sanitizer finds the place",
        CUDA_ERROR_MISALIGNED_ADDRESS => "a kernel used an address that is not aligned",
        CUDA_ERROR_ASSERT => "an assertion of a kernel failed",
        CUDA_ERROR_LAUNCH_TIMEOUT => "a kernel ran for longer than the display allows",
        _ => "a kernel failed",
    }
}

/// The error of a call that failed.
#[cold]
pub(crate) fn error(function: &'static str, result: CUresult) -> UrError {
    let message = format!("{function} returned {}", name(result));
    if is_fault(result) {
        let message = format!(
            "{message}: {}. This process can use the device no more",
            explained(result)
        );
        return kit::error!(ERROR_DEVICE_LOST: "{message}");
    }
    match code(result) {
        Some(code) => UrError::with_message(code, message),
        None => UrError::native(result.0, message),
    }
}

fn code(result: CUresult) -> Option<ResultCode> {
    use ResultCode as Code;
    Some(match result {
        CUDA_ERROR_INVALID_VALUE => Code::ERROR_INVALID_VALUE,
        CUDA_ERROR_OUT_OF_MEMORY => Code::ERROR_OUT_OF_DEVICE_MEMORY,
        CUDA_ERROR_NOT_INITIALIZED | CUDA_ERROR_DEINITIALIZED => Code::ERROR_UNINITIALIZED,
        CUDA_ERROR_NO_DEVICE | CUDA_ERROR_INVALID_DEVICE => Code::ERROR_INVALID_DEVICE,
        CUDA_ERROR_INVALID_CONTEXT => Code::ERROR_INVALID_CONTEXT,
        CUDA_ERROR_INVALID_IMAGE
        | CUDA_ERROR_NO_BINARY_FOR_GPU
        | CUDA_ERROR_INVALID_PTX
        | CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        | CUDA_ERROR_INVALID_SOURCE => Code::ERROR_INVALID_BINARY,
        CUDA_ERROR_JIT_COMPILER_NOT_FOUND => Code::ERROR_COMPILER_NOT_AVAILABLE,
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => Code::ERROR_OUT_OF_RESOURCES,
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE | CUDA_ERROR_INVALID_CLUSTER_SIZE => {
            Code::ERROR_INVALID_WORK_GROUP_SIZE
        }
        CUDA_ERROR_PEER_ACCESS_UNSUPPORTED | CUDA_ERROR_NOT_SUPPORTED => Code::ERROR_UNSUPPORTED_FEATURE,
        CUDA_ERROR_NOT_PERMITTED => Code::ERROR_INVALID_OPERATION,
        CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED | CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED => Code::ERROR_INVALID_VALUE,
        CUDA_ERROR_UNKNOWN => Code::ERROR_UNKNOWN,
        _ => return None,
    })
}

/// CUDA's advice for one of UR's, and whether it is about the host. `None` if CUDA has none: advice is a hint.
pub(crate) fn advice(advice: UsmAdviceFlags) -> Option<(CUmem_advise, bool)> {
    use UsmAdviceFlags as Advice;
    Some(match advice {
        Advice::SET_READ_MOSTLY => (CU_MEM_ADVISE_SET_READ_MOSTLY, false),
        Advice::CLEAR_READ_MOSTLY => (CU_MEM_ADVISE_UNSET_READ_MOSTLY, false),
        Advice::SET_PREFERRED_LOCATION => (CU_MEM_ADVISE_SET_PREFERRED_LOCATION, false),
        Advice::CLEAR_PREFERRED_LOCATION => (CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, false),
        Advice::SET_ACCESSED_BY_DEVICE => (CU_MEM_ADVISE_SET_ACCESSED_BY, false),
        Advice::CLEAR_ACCESSED_BY_DEVICE => (CU_MEM_ADVISE_UNSET_ACCESSED_BY, false),
        Advice::SET_ACCESSED_BY_HOST => (CU_MEM_ADVISE_SET_ACCESSED_BY, true),
        Advice::CLEAR_ACCESSED_BY_HOST => (CU_MEM_ADVISE_UNSET_ACCESSED_BY, true),
        Advice::SET_PREFERRED_LOCATION_HOST => (CU_MEM_ADVISE_SET_PREFERRED_LOCATION, true),
        Advice::CLEAR_PREFERRED_LOCATION_HOST => (CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, true),
        _ => return None,
    })
}

/// What the compiler calls an option of the client's compiler.
pub(crate) fn compiler_option(frontend: &CStr) -> Option<&'static CStr> {
    match frontend.to_bytes() {
        b"-O0" => Some(c"-cl-opt-disable"),
        b"" | b"-O1" | b"-O2" | b"-O3" | b"-ftarget-compile-fast" => Some(c""),
        b"-foffload-fp32-prec-div" | b"-foffload-fp32-prec-sqrt" => Some(c"-cl-fp32-correctly-rounded-divide-sqrt"),
        _ => None,
    }
}
