// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Work-groups of launches, and what is said of those that a driver does not run.

use crate::{UrError, UrResult};

/// The sizes of a range in three dimensions, of which those that it does not have are `rest`.
#[inline(always)]
pub fn padded(sizes: &[usize], rest: usize) -> [usize; 3] {
    // Not copied as a slice: that takes a call, and memory that is read before it is written.
    std::array::from_fn(|d| sizes.get(d).copied().unwrap_or(rest))
}

/// Refuses work-groups that a kernel or a device does not run: which size a kernel requires, and how many work-items there may
/// be in each dimension and in all.
#[inline(always)]
pub fn checked_group(
    local: [usize; 3],
    global: [usize; 3],
    required: Option<[u32; 3]>,
    most: [usize; 3],
    most_in_all: usize,
) -> UrResult<[u32; 3]> {
    let fits_kernel = required.is_none_or(|required| local == required.map(|size| size.max(1) as usize));
    let fits_device = local[0] <= most[0] && local[1] <= most[1] && local[2] <= most[2];
    match fits_kernel && fits_device && local[0] * local[1] * local[2] <= most_in_all {
        true => Ok(local.map(|size| size as u32)),
        false => Err(no_group(local, global)),
    }
}

/// How many work-groups a range has. The last ones may be incomplete if they need not be `whole`.
#[inline(always)]
pub fn count(global: [usize; 3], local: [u32; 3], whole: bool) -> UrResult<[u32; 3]> {
    let mut counts = [0; 3];
    for d in 0..3 {
        let size = local[d] as usize;
        // One division, and that where it is needed: it takes as long as all else here.
        let count = match size {
            1 => global[d],
            _ => global[d] / size,
        };
        let is_whole = count * size == global[d];
        if whole && !is_whole {
            return Err(no_whole_groups(global, local));
        }
        counts[d] = u32::try_from(count + usize::from(!is_whole)).map_err(|_| too_many_groups(global))?;
    }
    Ok(counts)
}

/// The largest size that divides a range and is no more than `most`.
pub fn largest_divisor(global: usize, most: usize) -> usize {
    let divides = |size: &usize| global.is_multiple_of(*size);
    (2..=most).rev().find(divides).unwrap_or(1)
}

/// The error for work-groups that a kernel or a device does not run.
#[cold]
pub fn no_group(local: [usize; 3], global: [usize; 3]) -> UrError {
    crate::error!(
        ERROR_INVALID_WORK_GROUP_SIZE:
            "the kernel has no work-groups of {local:?} work-items (of {global:?}) on this device"
    )
}

/// The error for a range that work-groups do not divide.
#[cold]
fn no_whole_groups(global: [usize; 3], local: [u32; 3]) -> UrError {
    crate::error!(
        ERROR_INVALID_WORK_GROUP_SIZE: "the driver has whole work-groups only: {global:?} is no multiple of {local:?}"
    )
}

/// The error for a range of more work-groups than a driver takes.
#[cold]
pub fn too_many_groups(global: [usize; 3]) -> UrError {
    crate::error!(ERROR_INVALID_WORK_DIMENSION: "{global:?} work-items make too many work-groups for the driver")
}

/// The error for a kernel of a program that was not built for a device.
#[cold]
pub fn no_kernel() -> UrError {
    crate::error!(ERROR_INVALID_KERNEL: "the program of the kernel was not built for this device")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_that_do_not_divide() {
        for (global, suggested, divisor) in [(48, 32, 24), (64, 64, 64), (7, 6, 1), (7, 7, 7), (10, 0, 1), (0, 4, 4)] {
            assert_eq!(largest_divisor(global, suggested), divisor, "{global} by {suggested}");
        }
    }
}
