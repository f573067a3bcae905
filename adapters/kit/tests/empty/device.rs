// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the kit answers and checks for devices.

use super::*;

fn info<T: Copy + Default>(query: DeviceInfo) -> Result<T, ResultCode> {
    let mut value = T::default();
    let place = (&raw mut value).cast();
    match call!(Device.pfnGetInfo(device(), query, size_of::<T>(), place, null_mut())) {
        ResultCode::SUCCESS => Ok(value),
        code => Err(code),
    }
}

#[test]
fn answers_that_are_the_same_everywhere() {
    // Of the kit; of the adapter by another name; of nobody.
    assert_eq!(info(DeviceInfo::COMMAND_BUFFER_SUPPORT_EXP), Ok(1u8));
    assert_eq!(info(DeviceInfo::BINDLESS_IMAGES_SUPPORT_EXP), Ok(0u8));
    assert_eq!(info(DeviceInfo::PARENT_DEVICE), Ok(DeviceHandle::default()));
    assert_eq!(info(DeviceInfo::MAX_COMPUTE_UNITS), Ok(7u32));
    assert_eq!(info(DeviceInfo::NUM_COMPUTE_UNITS), Ok(7u32));
    let unsupported = Err(ResultCode::ERROR_UNSUPPORTED_ENUMERATION);
    assert_eq!(info::<u64>(DeviceInfo::GLOBAL_MEM_SIZE), unsupported);
}

#[test]
fn properties_of_a_partition() {
    let divide = |kind, counts: &[u32]| {
        let of = |&count: &u32| DevicePartitionProperty {
            r#type: kind,
            value: DevicePartitionValue { count },
        };
        let list: Vec<_> = counts.iter().map(of).collect();
        let properties = DevicePartitionProperties {
            pProperties: list.as_ptr(),
            PropCount: list.len(),
            ..Default::default()
        };
        let mut count = 0;
        call!(Device.pfnPartition(device(), &properties, 0, null_mut(), &mut count))
    };
    assert_eq!(
        divide(DevicePartition::EQUALLY, &[1, 1]),
        ResultCode::ERROR_INVALID_VALUE
    );
    assert_eq!(
        divide(DevicePartition::BY_COUNTS, &[1, 0]),
        ResultCode::ERROR_INVALID_DEVICE_PARTITION_COUNT
    );
    assert_eq!(divide(DevicePartition(7), &[1]), ResultCode::ERROR_INVALID_ENUMERATION);
    // Nothing is wrong with these, but the device has no parts.
    let unsupported = ResultCode::ERROR_UNSUPPORTED_FEATURE;
    assert_eq!(divide(DevicePartition::EQUALLY, &[1]), unsupported);
    assert_eq!(divide(DevicePartition::BY_COUNTS, &[1, 2]), unsupported);
}
