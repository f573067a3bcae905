// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Peer access: access of a device to the USM of another one. The entry points call methods of [`Device`].

use std::ffi::c_void;

use oxur_api::*;

use crate::handle::object;
use crate::table::entry_points;
use crate::{Device, InfoOut, entry};

entry! {
    fn urUsmP2PEnablePeerAccessExp<B>(device: DeviceHandle, peer: DeviceHandle) {
        let (device, peer) = (object::<B::Device>(device)?, object::<B::Device>(peer)?);
        device.enable_peer_access(&peer, true)
    }

    fn urUsmP2PDisablePeerAccessExp<B>(device: DeviceHandle, peer: DeviceHandle) {
        let (device, peer) = (object::<B::Device>(device)?, object::<B::Device>(peer)?);
        device.enable_peer_access(&peer, false)
    }

    fn urUsmP2PPeerAccessGetInfoExp<B>(
        device: DeviceHandle, peer: DeviceHandle, query: ExpPeerInfo, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let (device, peer) = (object::<B::Device>(device)?, object::<B::Device>(peer)?);
        if query > ExpPeerInfo::UR_PEER_ATOMICS_SUPPORT {
            return Err(ResultCode::ERROR_INVALID_ENUMERATION.into());
        }
        let out = InfoOut::new(size, value, needed)?;
        match query {
            ExpPeerInfo::UR_PEER_ACCESS_SUPPORT => out.value(i32::from(device.reaches_peer(&peer)?)),
            ExpPeerInfo::UR_PEER_ATOMICS_SUPPORT => out.value(i32::from(device.has_peer_atomics(&peer)?)),
            _ => out.unsupported(),
        }
    }
}

oxur_api::usm_p2p_exp_functions! { entry_points {} }
