// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The bounds of device globals.

use std::ffi::{CStr, CString};

use oxur_api::ResultCode;
use oxur_fork::OnceLock;

use crate::{Backend, DeviceGlobal, UrError, UrResult};

/// The sizes of a program's device globals that were asked for, so that bounds are checked without the driver. Programs have
/// few. It is a list that only grows: to look a variable up takes no lock.
#[derive(Default)]
pub struct DeviceGlobalSizes(OnceLock<Box<GlobalSize>>);

impl DeviceGlobalSizes {
    #[inline]
    fn get(&self, device: usize, name: &CStr) -> Option<usize> {
        let known = std::iter::successors(self.0.get(), |known| known.next.0.get());
        let mut same = known.filter(|known| known.device == device && *known.name == *name);
        same.next().map(|known| known.size)
    }

    #[cold]
    fn add(&self, device: usize, name: &CStr, size: usize) {
        let mut new = Box::new(GlobalSize {
            device,
            name: name.to_owned(),
            size,
            next: Self::default(),
        });
        let mut end = &self.0;
        while let Err(back) = end.set(new) {
            new = back;
            end = &end.get().expect("it is set").next.0;
        }
    }

    /// Checks that a part of a device global is inside of it. `device` tells its device from others; `find` asks for the
    /// size, and gives `None` where that cannot be known.
    pub fn check<B: Backend>(
        &self,
        device: usize,
        global: &DeviceGlobal<'_, B>,
        find: impl FnOnce() -> UrResult<Option<usize>>,
    ) -> UrResult<()> {
        let DeviceGlobal {
            name, offset, count, ..
        } = *global;
        let size = match self.get(device, name) {
            Some(size) => size,
            None => {
                let Some(size) = find()? else { return Ok(()) };
                self.add(device, name, size);
                size
            }
        };
        if offset.checked_add(count).is_none_or(|end| end > size) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("{count} bytes at offset {offset} are not inside of {name:?}, which has {size} bytes"),
            ));
        }
        Ok(())
    }
}

/// The size of a device global.
struct GlobalSize {
    /// What tells the device from others.
    device: usize,
    name: CString,
    /// Bytes.
    size: usize,
    next: DeviceGlobalSizes,
}
