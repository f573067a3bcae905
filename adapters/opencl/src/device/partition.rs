// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Dividing a device into sub-devices, and how it can be or was divided.

use std::sync::Arc;

use kit::ur::*;
use kit::{NativeRef, UrResult, unsupported};
use oxur_adapter_kit as kit;

use super::Device;
use crate::cl::{self, query};
use crate::conv;

/// The ways of division that the two have in common, which have the same numbers in both.
fn common(kind: isize) -> Option<DevicePartition> {
    [
        DevicePartition::EQUALLY,
        DevicePartition::BY_COUNTS,
        DevicePartition::BY_AFFINITY_DOMAIN,
    ]
    .into_iter()
    .find(|partition| partition.0 as isize == kind)
}

/// The ways of division among those that OpenCL lists.
pub(super) fn supported(listed: &[isize]) -> Vec<DevicePartition> {
    listed.iter().filter_map(|&kind| common(kind)).collect()
}

/// The properties that made a sub-device, from OpenCL's list of them: a kind, its values and a zero; after counts there
/// is a zero more.
pub(super) fn made_by(list: &[isize]) -> Vec<DevicePartitionProperty> {
    let Some((&kind, values)) = list.split_first() else {
        return Vec::new();
    };
    let Some(partition) = common(kind) else {
        return Vec::new();
    };
    let values = values.iter().take_while(|&&value| value != 0);
    values
        .map(|&value| DevicePartitionProperty {
            r#type: partition,
            // All members of the union are the same number.
            value: DevicePartitionValue { count: value as u32 },
        })
        .collect()
}

/// OpenCL's list for properties that are all of one kind, which the kit has checked.
fn list(properties: &[DevicePartitionProperty]) -> UrResult<Vec<isize>> {
    // The kit has seen that no count is zero: that would end the list.
    match common(properties[0].r#type.0 as isize) {
        Some(_) => Ok(conv::partition_list(properties)),
        None => unsupported(),
    }
}

/// Makes sub-devices.
pub(super) fn divide(device: &Arc<Device>, properties: &[DevicePartitionProperty]) -> UrResult<Vec<Arc<Device>>> {
    let list = list(properties)?;
    // SAFETY: a live device, a list that ends with a zero.
    let raw = unsafe { cl::handles(query!(clCreateSubDevices(device.raw, list.as_ptr()))) }?;
    // SAFETY: devices that were just made. All have an owner before one is asked anything.
    let parts: Vec<_> = raw.into_iter().map(|raw| unsafe { NativeRef::new(raw) }).collect();
    parts.into_iter().map(|raw| Device::part(raw, device)).collect()
}

#[cfg(test)]
mod tests {
    use opencl_sys::*;

    use super::*;

    fn property(kind: DevicePartition, count: u32) -> DevicePartitionProperty {
        DevicePartitionProperty {
            r#type: kind,
            value: DevicePartitionValue { count },
        }
    }

    #[test]
    fn lists_there_and_back() {
        let counts = [
            property(DevicePartition::BY_COUNTS, 3),
            property(DevicePartition::BY_COUNTS, 1),
        ];
        let native = list(&counts).unwrap();
        assert_eq!(native, [CL_DEVICE_PARTITION_BY_COUNTS, 3, 1, 0, 0]);
        let back = made_by(&native);
        assert_eq!(back.len(), 2);
        assert_eq!(list(&back).unwrap(), native);

        let native = list(&[property(DevicePartition::EQUALLY, 4)]).unwrap();
        assert_eq!(native, [CL_DEVICE_PARTITION_EQUALLY, 4, 0]);
        assert_eq!(made_by(&native).len(), 1);
        assert!(made_by(&[]).is_empty());
        assert!(made_by(&[0]).is_empty());
    }

    #[test]
    fn no_slices() {
        let slices = [property(DevicePartition::BY_CSLICE, 0)];
        assert_eq!(list(&slices).unwrap_err().code(), ResultCode::ERROR_UNSUPPORTED_FEATURE);
    }
}
