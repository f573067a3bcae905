// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! How a range of work-items becomes blocks of threads.

use kit::groups::{self, padded, too_many_groups};
use kit::{Range, UrError, UrResult};
use oxur_adapter_kit as kit;

use super::OnDevice;
use crate::Device;

/// The blocks of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub(crate) groups: [u32; 3],
    pub(crate) local: [u32; 3],
    pub(crate) global: [usize; 3],
    pub(crate) offset: [usize; 3],
    pub(crate) dimensions: u32,
}

/// How many threads a block has where the choice is ours: enough to fill a multiprocessor with few blocks.
const THREADS: u32 = 256;

impl OnDevice {
    /// The blocks of a range; `None` for a launch of nothing.
    #[inline(always)]
    pub(crate) fn grid(&self, range: &Range<'_>, device: &Device) -> UrResult<Option<Grid>> {
        let global = padded(range.global, 1);
        if global.contains(&0) {
            return Ok(None);
        }
        let (local, chosen) = match range.local {
            Some(local) => (self.checked_group(padded(local, 1), global, device)?, false),
            None => (self.suggested_size(range.global), true),
        };
        let offset = range.offset.map_or([0; 3], |offset| padded(offset, 0));
        if offset != [0; 3] && !self.interface().has_range() {
            return Err(no_offset(offset));
        }
        // A range that we divide may have incomplete blocks at its end, if the kernel leaves out their idle threads.
        let groups = groups::count(global, local, !chosen || !self.interface().may_pad())?;
        let f = &device.facts;
        if groups[0] as usize > f.max_grid[0] || !self.interface().has_range() && self.exceeds(&groups) {
            return Err(too_many_groups(global));
        }
        Ok(Some(Grid {
            groups,
            local,
            global,
            offset,
            dimensions: range.global.len() as u32,
        }))
    }

    /// Whether there are more blocks than the driver takes at once.
    #[inline(always)]
    pub(super) fn exceeds(&self, groups: &[u32; 3]) -> bool {
        let most = &self.device.facts.max_grid;
        groups[1] as usize > most[1] || groups[2] as usize > most[2] || groups[0] as usize > most[0]
    }

    /// The work-group size of a launch that names none.
    pub(crate) fn suggested_size(&self, global: &[usize]) -> [u32; 3] {
        if let Some(required) = self.interface().required_size {
            return required.map(|size| size.max(1));
        }
        let most = self.max_threads.min(self.interface().max_size.unwrap_or(u32::MAX));
        suggest(padded(global, 1), most.clamp(1, THREADS), self.interface().may_pad())
    }

    /// Refuses work-groups that the kernel or the device does not run.
    #[inline(always)]
    pub(super) fn checked_group(&self, local: [usize; 3], global: [usize; 3], device: &Device) -> UrResult<[u32; 3]> {
        match self.group_on(self, local, global, device) {
            Ok(group) => Ok(group),
            Err(error) => self.wide_group(local, global, device, error),
        }
    }

    /// The same for some code of the kernel. In line, so that sizes stay in registers: a load of several that were just stored
    /// one by one waits for the stores.
    #[inline(always)]
    fn group_on(&self, code: &Self, local: [usize; 3], global: [usize; 3], device: &Device) -> UrResult<[u32; 3]> {
        let interface = self.interface();
        let most = code.max_threads.min(interface.max_size.unwrap_or(u32::MAX)) as usize;
        groups::checked_group(local, global, interface.required_size, device.facts.max_block, most)
    }

    /// The same for the code that larger work-groups need, if there is any.
    #[cold]
    fn wide_group(&self, local: [usize; 3], global: [usize; 3], device: &Device, error: UrError) -> UrResult<[u32; 3]> {
        match self.widened(local)? {
            Some(wide) => self.group_on(wide, local, global, device),
            None => Err(error),
        }
    }
}

/// Divides a range into blocks of at most `most` threads: along `x` first, where neighbours use neighbouring memory.
fn suggest(global: [usize; 3], most: u32, may_pad: bool) -> [u32; 3] {
    let mut left = most as usize;
    global.map(|size| {
        let chosen = match may_pad {
            // All items, or a power of two of them.
            true if size <= left => size,
            true => 1 << left.ilog2(),
            false => divisor(size, left),
        };
        left /= chosen;
        chosen as u32
    })
}

/// The largest divisor of a size that is no more than `most`: a multiple of a warp if there is one.
fn divisor(size: usize, most: usize) -> usize {
    let divides = |part: &usize| size.is_multiple_of(*part);
    let warps = (1..=most / 32).rev().map(|warps| warps * 32).find(divides);
    warps.unwrap_or_else(|| groups::largest_divisor(size, most))
}

#[cold]
fn no_offset(offset: [usize; 3]) -> UrError {
    kit::error!(ERROR_UNSUPPORTED_FEATURE: "a kernel of PTX has no global offset, as {offset:?}")
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn blocks_cover_ranges() {
        for global in [
            [1, 1, 1],
            [1009, 1, 1],
            [1_000_003, 1, 1],
            [96, 50, 7],
            [3, 1000, 2],
            [31, 33, 35],
        ] {
            for most in [1, 32, 256, 1024] {
                let padded = suggest(global, most, true);
                assert!(
                    padded.iter().product::<u32>() <= most && !padded.contains(&0),
                    "{global:?} {most}"
                );
                let exact = suggest(global, most, false);
                assert!(exact.iter().product::<u32>() <= most, "{global:?} {most}");
                assert!(
                    (0..3).all(|d| global[d].is_multiple_of(exact[d] as usize)),
                    "{global:?} {exact:?}"
                );
            }
        }
        assert_eq!(suggest([1 << 20, 1, 1], 256, false), [256, 1, 1]);
        assert_eq!(suggest([96, 64, 1], 256, false), [96, 2, 1]);
        assert_eq!(suggest([1009, 1, 1], 256, true), [256, 1, 1]);
        assert_eq!(suggest([5, 1, 1], 256, true), [5, 1, 1]);
    }
}
