// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Usm p2p (experimental).

ur_types! {
    /// Properties of the link between two devices, as read by `urUsmP2PPeerAccessGetInfoExp`.
    enum ExpPeerInfo = ur_exp_peer_info_t, UR_EXP_PEER_INFO_ {
        /// 1 if the command device can access memory of the peer, else 0
        UR_PEER_ACCESS_SUPPORT = 0 => (c_int),
        /// 1 if atomics on memory of the peer work over the link, else 0
        UR_PEER_ATOMICS_SUPPORT = 1 => (c_int),
    }
}
