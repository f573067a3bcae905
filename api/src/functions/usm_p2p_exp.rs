// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_usm_p2p_exp_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! usm_p2p_exp_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table UsmP2PExp: UsmP2pExpDdiTable = ur_usm_p2p_exp_dditable_t, urGetUsmP2PExpProcAddrTable;

                /// Lets one device read and write the device USM of another until the access is disabled again.
                ///
                /// Access is directed: the peer gains nothing unless the call is repeated with the devices swapped. The CUDA
                /// analogue is cuCtxEnablePeerAccess.
                fn urUsmP2PEnablePeerAccessExp = (pfnEnablePeerAccessExp, 165), via commandDevice (
                    /// device that gains access
                    [in] commandDevice: DeviceHandle,
                    /// device whose memory becomes accessible
                    [in] peerDevice: DeviceHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Withdraws the access that `urUsmP2PEnablePeerAccessExp` has granted.
                ///
                /// The opposite direction is not affected. The CUDA analogue is cuCtxDisablePeerAccess.
                fn urUsmP2PDisablePeerAccessExp = (pfnDisablePeerAccessExp, 166), via commandDevice (
                    /// device that loses access
                    [in] commandDevice: DeviceHandle,
                    /// device whose memory was accessible
                    [in] peerDevice: DeviceHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Returns one property of the access path from one device to the memory of another.
                ///
                /// A buffer too small for the value gives INVALID_SIZE. The CUDA analogue is cuDeviceGetP2PAttribute.
                fn urUsmP2PPeerAccessGetInfoExp = (pfnPeerAccessGetInfoExp, 167), via commandDevice (
                    /// device that would do the access
                    [in] commandDevice: DeviceHandle,
                    /// device that holds the memory
                    [in] peerDevice: DeviceHandle,
                    /// property to return
                    [in] propName: ExpPeerInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER
                ];
        }
    };
}
