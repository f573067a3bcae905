// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_device_exp_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! device_exp_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table DeviceExp: DeviceExpDdiTable = ur_device_exp_dditable_t, urGetDeviceExpProcAddrTable;

                /// Blocks the calling thread until all queues of a device have finished their work.
                ///
                /// CUDA analogue: cuCtxSynchronize.
                fn urDeviceWaitExp = (pfnWaitExp, 293), via hDevice (
                    /// device to wait for
                    [in] hDevice: DeviceHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_DEVICE];
        }
    };
}
