// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! UR's errors for those of `oxur_device_cpu`.

use kit::UrError;
use kit::ur::ResultCode;
use oxur_adapter_kit as kit;
use oxur_device_cpu::image::ImageError;
use oxur_device_cpu::pages::OutOfMemory;
use oxur_device_cpu::shared_file::InvalidHandle;
use oxur_device_cpu::virtual_mem::VirtualMemError;

/// The error for memory that the system does not have.
#[cold]
pub(crate) fn out_of_memory(error: OutOfMemory) -> UrError {
    kit::error!(ERROR_OUT_OF_HOST_MEMORY: "{error}")
}

/// The error for an IPC handle that leads nowhere.
#[cold]
pub(crate) fn invalid_handle(error: InvalidHandle) -> UrError {
    kit::error!(ERROR_INVALID_VALUE: "{error}")
}

/// The error for virtual or physical memory.
#[cold]
pub(crate) fn virtual_mem(error: VirtualMemError) -> UrError {
    let code = match error {
        VirtualMemError::Size { .. }
        | VirtualMemError::Address { .. }
        | VirtualMemError::Overflow { .. }
        | VirtualMemError::Outside { .. } => ResultCode::ERROR_INVALID_SIZE,
        VirtualMemError::NotReserved { .. }
        | VirtualMemError::NoReservation { .. }
        | VirtualMemError::StillMapped
        | VirtualMemError::NotMapped { .. }
        | VirtualMemError::Mapped { .. }
        | VirtualMemError::SeveralAccesses { .. } => ResultCode::ERROR_INVALID_VALUE,
        VirtualMemError::System { .. } => ResultCode::ERROR_OUT_OF_RESOURCES,
        VirtualMemError::OutOfMemory { .. } => ResultCode::ERROR_OUT_OF_HOST_MEMORY,
    };
    UrError::with_message(code, error.to_string())
}

/// The error for an image or a copy of pixels.
#[cold]
pub(crate) fn image(error: ImageError) -> UrError {
    let code = match error {
        ImageError::Format(_) => ResultCode::ERROR_UNSUPPORTED_IMAGE_FORMAT,
        ImageError::Side { .. } => ResultCode::ERROR_INVALID_IMAGE_SIZE,
        ImageError::RowPitch { .. } | ImageError::SlicePitch { .. } | ImageError::Conversion(..) => {
            ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR
        }
        ImageError::Outside { .. } | ImageError::ClientPitch { .. } | ImageError::Sizes(..) => {
            ResultCode::ERROR_INVALID_SIZE
        }
    };
    UrError::with_message(code, error.to_string())
}
