// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Imported and registered memory of the client. Kernels can access all memory of the process, so these ranges matter only
//! to queries, which report them as host USM.

use std::collections::BTreeMap;

use kit::UrResult;
use oxur_adapter_kit as kit;
use oxur_fork::RwLock;

/// Disjoint address ranges: a map from start to size.
#[derive(Default)]
pub(crate) struct Foreign {
    ranges: RwLock<BTreeMap<usize, usize>>,
}

impl Foreign {
    /// Adds a range. Fails if it overlaps another one.
    pub(crate) fn add(&self, start: usize, size: usize) -> UrResult<()> {
        let end = match start.checked_add(size) {
            Some(end) if size != 0 => end,
            _ => {
                kit::bail!(ERROR_INVALID_SIZE: "{size} bytes at {start:#x} are not a valid range");
            }
        };
        let mut ranges = self.ranges.write();
        if ranges
            .range(..end)
            .next_back()
            .is_some_and(|(at, size)| at + size > start)
        {
            kit::bail!(ERROR_INVALID_VALUE: "the {size} bytes at {start:#x} overlap imported or registered memory");
        }
        ranges.insert(start, size);
        Ok(())
    }

    /// Removes the range that starts at an address.
    pub(crate) fn remove(&self, start: usize) -> UrResult<()> {
        match self.ranges.write().remove(&start) {
            Some(_) => Ok(()),
            None => Err(kit::error!(ERROR_INVALID_VALUE: "no imported or registered memory starts at {start:#x}")),
        }
    }

    /// The start and size of the range that contains an address.
    pub(crate) fn find(&self, address: usize) -> Option<(usize, usize)> {
        let ranges = self.ranges.read();
        let (&start, &size) = ranges.range(..=address).next_back()?;
        (address - start < size).then_some((start, size))
    }
}

#[cfg(test)]
mod tests {
    use kit::ur::ResultCode;

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
