// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_queue_exp_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! queue_exp_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table QueueExp: QueueExpDdiTable = ur_queue_exp_dditable_t, urGetQueueExpProcAddrTable;

                /// Switches a queue to capture mode, recording into a new graph.
                ///
                /// Commands enqueued from here on are recorded rather than run, until urQueueEndGraphCaptureExp returns the
                /// graph. CUDA analogue: cuStreamBeginCapture.
                fn urQueueBeginGraphCaptureExp = (pfnBeginGraphCaptureExp, 297), via hQueue (
                    /// queue to switch to capture mode
                    [in] hQueue: QueueHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Switches a queue to capture mode, recording into a graph that already exists.
                ///
                /// Commands enqueued from here on are recorded rather than run, until urQueueEndGraphCaptureExp. CUDA
                /// analogue: cuStreamBeginCaptureToGraph.
                fn urQueueBeginCaptureIntoGraphExp = (pfnBeginCaptureIntoGraphExp, 298), via hQueue (
                    /// queue to switch to capture mode
                    [in] hQueue: QueueHandle,
                    /// graph that receives the recorded commands
                    [in] hGraph: ExpGraphHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Ends capture mode on a queue and returns the recorded graph.
                ///
                /// A graph that the capture itself created now belongs to the caller, who frees it with urGraphDestroyExp.
                /// CUDA analogue: cuStreamEndCapture.
                fn urQueueEndGraphCaptureExp = (pfnEndGraphCaptureExp, 299), via hQueue (
                    /// queue in capture mode
                    [in] hQueue: QueueHandle,
                    /// receives the recorded graph; the caller's own one after urQueueBeginCaptureIntoGraphExp
                    [out] phGraph: *mut ExpGraphHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

                /// Returns whether a queue is in capture mode.
                ///
                /// CUDA analogue: cuStreamIsCapturing.
                fn urQueueIsGraphCaptureEnabledExp = (pfnIsGraphCaptureEnabledExp, 304), via hQueue (
                    /// queue to query
                    [in] hQueue: QueueHandle,
                    /// receives true while commands of the queue are being recorded
                    [out] pResult: *mut bool,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

                /// Returns the graph that a queue is recording into.
                ///
                /// UR_RESULT_ERROR_INVALID_OPERATION when the queue is not in capture mode.
                fn urQueueGetGraphExp = (pfnGetGraphExp, 314, since "2026.1.1"), via hQueue (
                    /// queue in capture mode
                    [in] hQueue: QueueHandle,
                    /// receives the graph under capture; null when the queue is not capturing
                    [out] phGraph: *mut ExpGraphHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_OPERATION];
        }
    };
}
