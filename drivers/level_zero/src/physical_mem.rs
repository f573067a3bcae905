// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Physical memory: a file, which [`virtual_mem`](crate::virtual_mem) maps at any number of addresses. A child of `fork` shares
//! it with its parent.

use std::collections::BTreeMap;
use std::os::fd::AsRawFd;
use std::sync::{Arc, Weak};

use level_zero_sys::*;
use oxur_device_cpu::pages;
use oxur_device_cpu::virtual_mem::PhysicalMemory;
use oxur_fork::Mutex;

use crate::entry::{Error, ZeResult, entry, err};
use crate::handle::{Chain, destroy, export, object, out, required};
use crate::mem::external::{Backing, Descriptor};
use crate::mem::{Allocation, external, ipc, new_id};
use crate::{Context, Device};

/// Physical memory.
pub(crate) struct PhysicalMem {
    /// What it is in, which does not go before it by the rules of Level Zero.
    context: Weak<Context>,
    /// The device; `None` for memory of the host.
    device: Option<Arc<Device>>,
    id: u64,
    memory: PhysicalMemory,
    /// The descriptor that the client has.
    descriptor: Mutex<Descriptor>,
}

impl AsRef<PhysicalMemory> for PhysicalMem {
    fn as_ref(&self) -> &PhysicalMemory {
        &self.memory
    }
}

impl Drop for PhysicalMem {
    fn drop(&mut self) {
        self.descriptor.lock().close(self.memory.as_raw_fd());
    }
}

impl PhysicalMem {
    /// Checks that it belongs to a context.
    pub(crate) fn check_context(&self, context: &Arc<Context>) -> ZeResult {
        if std::ptr::eq(self.context.as_ptr(), Arc::as_ptr(context)) {
            return Ok(());
        }
        Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "the physical memory is another context's",
        ))
    }

    /// What a query finds where it is mapped.
    pub(crate) fn mapped_at(&self, base: usize, size: usize) -> Allocation {
        Allocation {
            kind: if self.device.is_some() {
                ZE_MEMORY_TYPE_DEVICE
            } else {
                ZE_MEMORY_TYPE_HOST
            },
            base,
            size,
            device: self.device.clone(),
            id: self.id,
        }
    }

    /// The bytes of it.
    pub(crate) fn memory(&self) -> &PhysicalMemory {
        &self.memory
    }

    /// A descriptor for the client.
    pub(crate) fn export(&self) -> ZeResult<i32> {
        let mut descriptor = self.descriptor.lock();
        descriptor
            .of(self.memory.as_raw_fd())
            .map_err(|error| Error::new(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, error))
    }
}

/// The physical memory of a context by its handle, which clients may pass where an address is wanted.
#[derive(Default)]
pub(crate) struct Handles(Mutex<BTreeMap<usize, Weak<PhysicalMem>>>);

impl Handles {
    /// The object with a handle.
    pub(crate) fn find(&self, handle: usize) -> Option<Arc<PhysicalMem>> {
        self.0.lock().get(&handle)?.upgrade()
    }
}

entry! {
    fn zePhysicalMemCreate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *mut ze_physical_mem_desc_t,
        memory: *mut ze_physical_mem_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (context, desc, handle) = unsafe { (object::<Context>(context)?, required(desc)?, out(memory)?) };
        if desc.flags > 0x3 {
            return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        let on_host = desc.flags & ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST != 0;
        if on_host && desc.flags & ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE != 0 {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "physical memory is either the host's or a device's",
            ));
        }
        let device = if device.is_null() && on_host {
            None
        } else {
            // SAFETY: as above.
            let device = unsafe { object::<Device>(device) }?;
            context.check_device(device)?;
            (!on_host).then(|| device.clone())
        };
        // SAFETY: as above.
        let chain = unsafe { Chain::new(desc.pNext) };
        ipc::check_handle_type(&chain)?;
        if let Some(export) = chain.find::<ze_external_memory_export_desc_t>() {
            external::check_kinds(export.flags)?;
        }
        let size = desc.size;
        if size.is_multiple_of(pages::page()) && size > crate::mem::total_memory() {
            return Err(Error::new(
                ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                format_args!("the machine has no {size} bytes of memory"),
            ));
        }
        let physical = match chain.find::<ze_external_memory_import_fd_t>() {
            Some(import) => {
                external::check_kinds(import.flags)?;
                import_memory(import.fd, size)?
            }
            None => PhysicalMemory::new(size)?,
        };
        let made = Arc::new(PhysicalMem {
            context: Arc::downgrade(context),
            device,
            id: new_id(),
            memory: physical,
            descriptor: Mutex::default(),
        });
        let known = Arc::downgrade(&made);
        *handle = export(made);
        context.physical.0.lock().insert(*handle as usize, known);
        Ok(())
    }

    fn zePhysicalMemDestroy(context: ze_context_handle_t, memory: ze_physical_mem_handle_t) {
        // SAFETY: passed on to the caller.
        let context = unsafe { object::<Context>(context) }?;
        // SAFETY: as above.
        unsafe { object::<PhysicalMem>(memory) }?.check_context(context)?;
        context.physical.0.lock().remove(&(memory as usize));
        // Where it is mapped it stays until it is unmapped.
        // SAFETY: as above.
        unsafe { destroy::<PhysicalMem>(memory) }?;
        Ok(())
    }

    fn zePhysicalMemGetProperties(
        context: ze_context_handle_t,
        memory: ze_physical_mem_handle_t,
        properties: *mut ze_physical_mem_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        let (context, memory, properties) =
            unsafe { (object::<Context>(context)?, object::<PhysicalMem>(memory)?, out(properties)?) };
        memory.check_context(context)?;
        properties.id = memory.id;
        properties.size = memory.memory.size() as u64;
        // SAFETY: as above.
        let chain = unsafe { Chain::new(properties.pNext) };
        if let Some(export) = chain.find_mut::<ze_external_memory_export_fd_t>() {
            external::check_kinds(export.flags)?;
            export.fd = memory.export()?;
        }
        Ok(())
    }
}

/// The physical memory of a descriptor of the client.
fn import_memory(number: i32, size: usize) -> ZeResult<PhysicalMemory> {
    if size == 0 || !size.is_multiple_of(pages::page()) {
        return err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    }
    match external::import(number, size)? {
        Backing::Shared(file) => Ok(PhysicalMemory::shared_file(file, size)),
        Backing::Imported(file) => {
            let file = file.try_clone();
            let file = file.map_err(|error| Error::new(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, error))?;
            Ok(PhysicalMemory::opened(file, size))
        }
        Backing::Private | Backing::Client => unreachable!("imported memory has a file"),
    }
}
