// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Where device globals are, and their bounds.

use std::ffi::{CStr, CString, c_void};

use oxur_api::ResultCode;
use oxur_fork::OnceLock;

use crate::{Backend, DeviceGlobal, UrError, UrResult};

/// The device globals of a program that were asked for, so that the driver is asked once. Programs have few. It is a list that
/// only grows: to look a variable up takes no lock.
#[derive(Default)]
pub struct DeviceGlobals(OnceLock<Box<Known>>);

/// A device global.
struct Known {
    /// What tells the device from others.
    device: usize,
    name: CString,
    found: (usize, usize),
    next: DeviceGlobals,
}

impl DeviceGlobals {
    #[inline]
    fn get(&self, device: usize, name: &CStr) -> Option<(usize, usize)> {
        let known = std::iter::successors(self.0.get(), |known| known.next.0.get());
        let mut same = known.filter(|known| known.device == device && *known.name == *name);
        same.next().map(|known| known.found)
    }

    #[cold]
    fn add(&self, device: usize, name: &CStr, found: (usize, usize)) {
        let mut new = Box::new(Known {
            device,
            name: name.to_owned(),
            found,
            next: Self::default(),
        });
        let mut end = &self.0;
        while let Err(back) = end.set(new) {
            new = back;
            end = &end.get().expect("it is set").next.0;
        }
    }

    /// The address and size of a device global. `device` tells its device from others; `find` asks for them, and gives `None`
    /// where they cannot be known.
    #[inline]
    pub fn find(
        &self,
        device: usize,
        name: &CStr,
        find: impl FnOnce() -> UrResult<Option<(*mut c_void, usize)>>,
    ) -> UrResult<Option<(*mut c_void, usize)>> {
        if let Some((address, size)) = self.get(device, name) {
            return Ok(Some((std::ptr::with_exposed_provenance_mut(address), size)));
        }
        let found = find()?;
        if let Some((address, size)) = found {
            self.add(device, name, (address.expose_provenance(), size));
        }
        Ok(found)
    }

    /// The same where what has the variables is of one device, and `find` always tells.
    #[inline]
    pub fn known(
        &self,
        name: &CStr,
        find: impl FnOnce() -> UrResult<(*mut c_void, usize)>,
    ) -> UrResult<(*mut c_void, usize)> {
        let found = self.find(0, name, || find().map(Some))?;
        found.ok_or_else(|| ResultCode::ERROR_INVALID_VALUE.into())
    }
}

impl<B: Backend> DeviceGlobal<'_, B> {
    /// Checks that it is inside of a variable of so many bytes.
    #[inline]
    pub fn check_bounds(&self, size: usize) -> UrResult<()> {
        match self.offset.checked_add(self.count) {
            Some(end) if end <= size => Ok(()),
            _ => Err(self.outside(size)),
        }
    }

    #[cold]
    fn outside(&self, size: usize) -> UrError {
        let Self {
            name, offset, count, ..
        } = self;
        crate::error!(
            ERROR_INVALID_VALUE: "{count} bytes at offset {offset} are not inside of {name:?}, which has {size} bytes"
        )
    }
}
