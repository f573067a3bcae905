// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory of the client's that counts as host USM. Kernels reach all memory of the process, so this is for queries alone.

use std::collections::BTreeMap;

use kit::ur::ResultCode;
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_fork::RwLock;

/// Ranges of addresses that do not overlap, by their first address: their sizes.
#[derive(Default)]
pub(crate) struct Foreign {
    ranges: RwLock<BTreeMap<usize, usize>>,
}

impl Foreign {
    /// Takes a range in.
    pub(crate) fn add(&self, start: usize, size: usize) -> UrResult<()> {
        let end = match start.checked_add(size) {
            Some(end) if size != 0 => end,
            _ => {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_SIZE,
                    format!("there is no memory of {size} bytes at {start:#x}"),
                ));
            }
        };
        let mut ranges = self.ranges.write();
        if ranges
            .range(..end)
            .next_back()
            .is_some_and(|(at, size)| at + size > start)
        {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("of the {size} bytes at {start:#x} some are known already"),
            ));
        }
        ranges.insert(start, size);
        Ok(())
    }

    /// Forgets the range that starts at an address.
    pub(crate) fn remove(&self, start: usize) -> UrResult<()> {
        match self.ranges.write().remove(&start) {
            Some(_) => Ok(()),
            None => Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("no memory was imported or registered that starts at {start:#x}"),
            )),
        }
    }

    /// The range that an address is in: its start and size.
    pub(crate) fn find(&self, address: usize) -> Option<(usize, usize)> {
        let ranges = self.ranges.read();
        let (&start, &size) = ranges.range(..=address).next_back()?;
        (address - start < size).then_some((start, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let foreign = Foreign::default();
        let add = |start, size| foreign.add(start, size).map_err(|error| error.code());
        assert_eq!((add(100, 50), add(150, 10), add(50, 50)), (Ok(()), Ok(()), Ok(())));
        for (start, size) in [(100, 1), (99, 2), (159, 1), (0, 1000)] {
            assert_eq!(add(start, size), Err(ResultCode::ERROR_INVALID_VALUE), "{start} {size}");
        }
        for (start, size) in [(1000, 0), (usize::MAX, 2)] {
            assert_eq!(add(start, size), Err(ResultCode::ERROR_INVALID_SIZE), "{start} {size}");
        }
        assert_eq!(
            (foreign.find(100), foreign.find(149)),
            (Some((100, 50)), Some((100, 50)))
        );
        assert_eq!((foreign.find(160), foreign.find(49)), (None, None));
        assert!(foreign.remove(101).is_err());
        assert!(foreign.remove(100).is_ok() && foreign.remove(100).is_err());
        assert_eq!((foreign.find(120), foreign.find(155)), (None, Some((150, 10))));
    }
}
