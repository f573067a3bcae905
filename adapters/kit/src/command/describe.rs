// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands in words, for people.

use std::fmt::Write as _;
use std::ptr::null_mut;

use oxur_api::{KernelInfo, RectRegion};

use super::{Command, Range};
use crate::{Backend, InfoOut, Kernel};

impl<B: Backend> Command<'_, B> {
    /// All that is known of it, on one line.
    pub(crate) fn describe(&self) -> String {
        let known = [Some(self.title()), self.name(), self.extent()];
        known.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// What the ABI calls it, without the prefix.
    pub(crate) fn title(&self) -> String {
        let title = format!("{:?}", self.command_type());
        title.strip_prefix("UR_COMMAND_").unwrap_or(&title).to_owned()
    }

    /// What it runs or works on, if that has a name.
    pub(crate) fn name(&self) -> Option<String> {
        match self {
            Self::Launch(launch) => kernel::<B>(&launch.kernel),
            Self::DeviceGlobalRead { global, .. } | Self::DeviceGlobalWrite { global, .. } => {
                Some(global.name.to_string_lossy().into_owned())
            }
            Self::HostPipeRead { pipe, .. } | Self::HostPipeWrite { pipe, .. } => {
                Some(pipe.name.to_string_lossy().into_owned())
            }
            _ => None,
        }
    }

    /// How much it does.
    pub(crate) fn extent(&self) -> Option<String> {
        Some(match self {
            Self::Launch(launch) => range(&launch.range),
            Self::UsmMemcpy { size, .. }
            | Self::UsmFill { size, .. }
            | Self::UsmPrefetch { size, .. }
            | Self::UsmAdvise { size, .. }
            | Self::BufferCopy { size, .. }
            | Self::BufferRead { size, .. }
            | Self::BufferWrite { size, .. }
            | Self::BufferFill { size, .. }
            | Self::HostPipeRead { size, .. }
            | Self::HostPipeWrite { size, .. } => bytes(*size),
            Self::UsmFill2D { width, height, .. } | Self::UsmMemcpy2D { width, height, .. } => {
                format!("{} bytes", product(&[*width, *height]))
            }
            Self::BufferCopyRect { rect, .. }
            | Self::BufferReadRect { rect, .. }
            | Self::BufferWriteRect { rect, .. } => region(&rect.region, "bytes"),
            Self::ImageRead { rect, .. } | Self::ImageWrite { rect, .. } => region(&rect.region, "pixels"),
            Self::ImageCopy { region: of, .. } => region(of, "pixels"),
            Self::BindlessCopy(copy) => region(&copy.region.copyExtent, "bytes"),
            Self::DeviceGlobalRead { global, .. } | Self::DeviceGlobalWrite { global, .. } => bytes(global.count),
            _ => return None,
        })
    }
}

/// Bytes, for people.
fn bytes(count: usize) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1 << 10 {
        return format!("{count} bytes");
    }
    let unit = (count.ilog2() as usize / 10).min(UNITS.len());
    let value = count as f64 / (1u64 << (10 * unit)) as f64;
    // No digits that are zeros.
    format!("{} {}", (value * 100.0).round() / 100.0, UNITS[unit - 1])
}

/// Sizes as `4 x 5 x 6`.
fn product<T: ToString>(sizes: &[T]) -> String {
    let sizes: Vec<_> = sizes.iter().map(T::to_string).collect();
    sizes.join(" x ")
}

fn range(range: &Range<'_>) -> String {
    let mut words = product(range.global);
    if let Some(local) = range.local {
        _ = write!(words, " in groups of {}", product(local));
    }
    if let Some(offset) = range.offset.filter(|offset| offset.iter().any(|start| *start != 0)) {
        _ = write!(words, " from {}", product(offset));
    }
    words
}

fn region(region: &RectRegion, unit: &str) -> String {
    let sizes = [region.width, region.height, region.depth];
    format!("{} {unit}", product(&sizes))
}

/// A kernel's name, if it tells.
fn kernel<B: Backend>(kernel: &B::Kernel) -> Option<String> {
    let mut size = 0;
    // SAFETY: only the size is asked for, and has a place.
    let out = unsafe { InfoOut::new(0, null_mut(), &mut size) }.ok()?;
    kernel.info(KernelInfo::FUNCTION_NAME, out).ok()?;
    let mut name = vec![0u8; size];
    // SAFETY: a place of that size.
    let out = unsafe { InfoOut::new(size, name.as_mut_ptr().cast(), null_mut()) }.ok()?;
    kernel.info(KernelInfo::FUNCTION_NAME, out).ok()?;
    let name = String::from_utf8_lossy(&name);
    Some(name.trim_end_matches('\0').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_for_people() {
        for (count, words) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (1 << 20, "1 MiB"),
            (5 << 40, "5 TiB"),
            (1 << 60, "1048576 TiB"),
        ] {
            assert_eq!(bytes(count), words);
        }
        let of = Range {
            offset: Some(&[0, 4]),
            global: &[64, 32],
            local: Some(&[8, 1]),
        };
        assert_eq!(range(&of), "64 x 32 in groups of 8 x 1 from 0 x 4");
    }
}
