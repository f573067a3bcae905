// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The objects that most tests begin with.

use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

use level_zero_sys::*;

use crate::objects::{Context, Event, Fence, Image, Kernel, List, Module, Plain, Pool, Queue, Usm};
use crate::stack::{drivers, is_old};
use crate::{Stack, loader, ok, spirv, stack, ze};

/// The time-out that waits for as long as it takes.
pub const FOREVER: u64 = u64::MAX;

/// The first driver, its first device, and a context.
#[derive(Clone, Debug)]
pub struct Rig {
    /// The driver.
    pub driver: ze_driver_handle_t,
    /// A root device.
    pub device: ze_device_handle_t,
    /// A context for all devices of the driver.
    pub context: Context,
}

// SAFETY: handles may be used by all threads; what may not be used by two at once is said by each function.
unsafe impl Send for Rig {}
// SAFETY: as above.
unsafe impl Sync for Rig {}

impl Default for Rig {
    fn default() -> Self {
        Self::new()
    }
}

impl Rig {
    /// The rig on any driver.
    pub fn new() -> Self {
        let driver = drivers()[0];
        let mut count = 1;
        let mut device = null_mut();
        ok!(zeDeviceGet(driver, &mut count, &mut device));
        assert!(!device.is_null(), "the driver has no device");
        Self {
            driver,
            device,
            context: Context::new(driver),
        }
    }

    /// The rig on a driver that executes commands. `None` on Intel's, which has no GPU here.
    pub fn executing() -> Option<Self> {
        if stack() == Stack::Intel {
            println!("not run: commands are executed, which this driver does not do without a GPU");
            return None;
        }
        Some(Self::new())
    }

    /// The properties of the device.
    pub fn device_properties(&self) -> ze_device_properties_t {
        let mut properties = ze_device_properties_t::default();
        ok!(zeDeviceGetProperties(self.device, &mut properties));
        properties
    }

    /// The compute properties of the device.
    pub fn compute_properties(&self) -> ze_device_compute_properties_t {
        let mut properties = ze_device_compute_properties_t::default();
        ok!(zeDeviceGetComputeProperties(self.device, &mut properties));
        properties
    }

    /// The properties of the command queue groups.
    pub fn queue_groups(&self) -> Vec<ze_command_queue_group_properties_t> {
        let mut count = 0;
        ok!(zeDeviceGetCommandQueueGroupProperties(
            self.device,
            &mut count,
            null_mut()
        ));
        let mut groups = vec![ze_command_queue_group_properties_t::default(); count as usize];
        ok!(zeDeviceGetCommandQueueGroupProperties(
            self.device,
            &mut count,
            groups.as_mut_ptr()
        ));
        groups
    }

    /// The first group of command queues that has these flags.
    pub fn ordinal(&self, flags: ze_command_queue_group_property_flags_t) -> u32 {
        let groups = self.queue_groups();
        let found = groups.iter().position(|group| group.flags & flags == flags);
        found.expect("a queue group with these flags") as u32
    }

    /// A group that takes kernels and copies.
    pub fn compute_ordinal(&self) -> u32 {
        self.ordinal(ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY)
    }

    /// An open regular list.
    pub fn list(&self) -> List {
        self.list_with(0)
    }

    /// An open regular list with flags.
    pub fn list_with(&self, flags: ze_command_list_flags_t) -> List {
        let desc = ze_command_list_desc_t {
            commandQueueGroupOrdinal: self.compute_ordinal(),
            flags,
            ..Default::default()
        };
        List::new(self, &desc)
    }

    /// The descriptor of an asynchronous queue for kernels and copies.
    pub fn queue_desc(&self) -> ze_command_queue_desc_t {
        ze_command_queue_desc_t {
            ordinal: self.compute_ordinal(),
            mode: ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
            ..Default::default()
        }
    }

    /// An asynchronous queue.
    pub fn queue(&self) -> Queue {
        Queue::new(self, &self.queue_desc())
    }

    /// An asynchronous immediate list with flags of queues.
    pub fn immediate(&self, flags: ze_command_queue_flags_t) -> List {
        List::immediate(
            self,
            &ze_command_queue_desc_t {
                flags,
                ..self.queue_desc()
            },
        )
    }

    /// An asynchronous immediate list whose commands execute in order.
    pub fn in_order(&self) -> List {
        self.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER)
    }

    /// An immediate list whose append functions return when their command is complete.
    pub fn synchronous(&self) -> List {
        List::immediate(
            self,
            &ze_command_queue_desc_t {
                mode: ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
                ..self.queue_desc()
            },
        )
    }

    /// Executes a regular list of commands that `append` appends, and waits.
    pub fn run(&self, append: impl FnOnce(&List)) {
        let list = self.list();
        append(&list);
        list.close();
        let queue = self.queue();
        queue.execute(&[&list]);
        queue.synchronize();
    }

    /// A pool of events that the host sees, with other flags.
    pub fn pool(&self, count: u32, flags: ze_event_pool_flags_t) -> Pool {
        let desc = ze_event_pool_desc_t {
            flags: flags | ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
            count,
            ..Default::default()
        };
        Pool::new(&self.context, &desc)
    }

    /// An event of a pool of its own, that the host sees.
    pub fn event(&self) -> Event {
        self.pool(1, 0).event(0)
    }

    /// Several events of one pool.
    pub fn events(&self, count: u32) -> Vec<Event> {
        let pool = self.pool(count, 0);
        (0..count).map(|index| pool.event(index)).collect()
    }

    /// A fence of a queue.
    pub fn fence(&self, queue: &Queue) -> Fence {
        Fence::new(queue, 0)
    }

    /// The module of `kernels/<name>`.
    pub fn module(&self, name: &str) -> Module {
        self.build(&spirv(name), c"", null())
    }

    /// A module of SPIR-V, which must build.
    pub fn build(&self, spirv: &[u8], flags: &CStr, constants: *const ze_module_constants_t) -> Module {
        let desc = ze_module_desc_t {
            format: ZE_MODULE_FORMAT_IL_SPIRV,
            inputSize: spirv.len(),
            pInputModule: spirv.as_ptr(),
            pBuildFlags: flags.as_ptr(),
            pConstants: constants,
            ..Default::default()
        };
        match Module::new(self, &desc) {
            Ok(module) => module,
            Err((code, log)) => panic!("zeModuleCreate gave {code}: {log}"),
        }
    }

    /// A kernel of `kernels/<file>`.
    pub fn kernel(&self, file: &str, name: &str) -> Kernel {
        self.module(file).kernel(name)
    }

    /// Host memory with values.
    pub fn host<T: Plain>(&self, values: &[T]) -> Usm {
        let mut usm = Usm::host(&self.context, size_of_val(values));
        usm.values_mut().copy_from_slice(values);
        usm
    }

    /// Shared memory with values.
    pub fn shared<T: Plain>(&self, values: &[T]) -> Usm {
        let mut usm = Usm::shared(&self.context, self.device, size_of_val(values));
        usm.values_mut().copy_from_slice(values);
        usm
    }

    /// Device memory.
    pub fn device_memory(&self, size: usize) -> Usm {
        Usm::device(&self.context, self.device, size)
    }

    /// Device memory with values.
    pub fn device_values<T: Plain>(&self, values: &[T]) -> Usm {
        let usm = self.device_memory(size_of_val(values));
        self.run(|list| list.copy(usm.ptr(), values.as_ptr().cast(), size_of_val(values), None, &[]));
        usm
    }

    /// The values of device memory.
    pub fn read<T: Plain + Default>(&self, usm: &Usm) -> Vec<T> {
        self.read_at(usm.ptr(), usm.size() / size_of::<T>())
    }

    /// Values at an address that the device may read.
    pub fn read_at<T: Plain + Default>(&self, ptr: *const c_void, count: usize) -> Vec<T> {
        let mut values = vec![T::default(); count];
        let size = size_of_val(&values[..]);
        self.run(|list| list.copy(values.as_mut_ptr().cast(), ptr, size, None, &[]));
        values
    }

    /// An image. `Err` is the code that zeImageCreate gave.
    pub fn image(&self, desc: &ze_image_desc_t) -> Result<Image, ze_result_t> {
        Image::new(self, desc)
    }
}

/// The descriptor of a small image that every driver has.
pub fn plain_image() -> ze_image_desc_t {
    ze_image_desc_t {
        type_: ZE_IMAGE_TYPE_2D,
        format: ze_image_format_t {
            layout: ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8,
            type_: ZE_IMAGE_FORMAT_TYPE_UNORM,
            x: ZE_IMAGE_FORMAT_SWIZZLE_R,
            y: ZE_IMAGE_FORMAT_SWIZZLE_G,
            z: ZE_IMAGE_FORMAT_SWIZZLE_B,
            w: ZE_IMAGE_FORMAT_SWIZZLE_A,
        },
        width: 8,
        height: 8,
        ..Default::default()
    }
}

/// Whether the driver has an extension.
pub fn has_extension(rig: &Rig, name: &CStr) -> bool {
    let mut count = 0;
    ok!(zeDriverGetExtensionProperties(rig.driver, &mut count, null_mut()));
    let mut extensions = vec![ze_driver_extension_properties_t::default(); count as usize];
    ok!(zeDriverGetExtensionProperties(
        rig.driver,
        &mut count,
        extensions.as_mut_ptr()
    ));
    extensions.iter().any(|extension| {
        text(&extension.name).is_some_and(|found| CString::new(found).expect("a name").as_c_str() == name)
    })
}

/// Fails unless the driver has an extension, which our driver is meant to have. `false` on Intel's driver, an old one, where
/// it lacks it.
pub fn require_extension(rig: &Rig, name: &CStr) -> bool {
    let has = has_extension(rig, name);
    if !has && stack() == Stack::Intel {
        println!("not run: Intel's driver of Debian 12 has no {name:?}");
        return false;
    }
    assert!(has, "the driver has no extension {name:?}");
    true
}

/// Whether the loader is older than the headers, so that it cannot pass on all functions.
pub fn loader_is_old() -> bool {
    is_old(loader().version())
}

/// A structure that no driver knows, to be chained into others: it must be skipped. Its `pNext` is `next`.
pub fn chain(next: *mut c_void) -> ze_base_properties_t {
    ze_base_properties_t {
        stype: ze_structure_type_t(0x7eee_0001),
        pNext: next,
    }
}

impl Rig {
    /// Whether a regular list executes at all: the result of zeCommandQueueSynchronize with no time.
    pub fn queue_status(&self, queue: &Queue) -> ze_result_t {
        ze!(zeCommandQueueSynchronize(queue.raw(), 0))
    }
}
