// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_event_exp_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! event_exp_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table EventExp: EventExpDdiTable = ur_event_exp_dditable_t, urGetEventExpProcAddrTable;

                /// Creates a reusable event that is not yet tied to any command.
                ///
                /// urEnqueueEventsWaitWithBarrierExt signals it; the caller drops it with urEventRelease. Profiling asked for
                /// where the platform cannot time single events gives UR_RESULT_ERROR_UNSUPPORTED_FEATURE. Level Zero
                /// analogue: zeEventCreate.
                fn urEventCreateExp = (pfnCreateExp, 322, since "2026.2"), via hContext (
                    /// context the event belongs to
                    [in] hContext: ContextHandle,
                    /// device whose work will signal the event
                    [in] hDevice: DeviceHandle,
                    /// abilities the event is to have
                    [in] pEventDesc: *const ExpEventDesc,
                    [out] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_CONTEXT, ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];
        }
    };
}
