// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Level Zero itself: the floor of every adapter on it. It does what a careful program would: immediate lists in order,
//! counter-based events that are used again, pointers of variables that are asked for once.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::rc::Rc;

use level_zero_sys::*;

use crate::stack::{Commands, Failure, FourArgs, Kind, Launch, Line, Means, Stack};
use crate::threads::Shared;

/// Calls a function that must be there and succeed.
macro_rules! ze {
    ($ze:expr, $name:ident($($arg:expr),* $(,)?)) => {
        match $ze.$name {
            // SAFETY: live handles, arrays as long as their counts, and places for results.
            #[allow(unused_unsafe, reason = "within functions that are unsafe")]
            Some(function) => check(stringify!($name), unsafe { function($($arg),*) }),
            None => panic!("the loader has no {}", stringify!($name)),
        }
    };
}

/// As `ze`, with a place for a handle last.
macro_rules! create {
    ($ze:expr, $name:ident($($arg:expr),* $(,)?)) => {{
        let mut handle = null_mut();
        ze!($ze, $name($($arg,)* &mut handle));
        handle
    }};
}

#[inline(always)]
fn check(name: &str, result: ze_result_t) {
    assert!(result == ZE_RESULT_SUCCESS, "{name} returned {result}");
}

const ONE_GROUP: ze_group_count_t = ze_group_count_t {
    groupCountX: 1,
    groupCountY: 1,
    groupCountZ: 1,
};

/// Lists that nobody uses, which are empty. They go with the process.
type IdleLists = Rc<RefCell<Vec<ze_command_list_handle_t>>>;

/// Level Zero's first device, with what [`Stack`] asks for.
pub struct RawLevelZero {
    ze: &'static Loader,
    device: ze_device_handle_t,
    context: ze_context_handle_t,
    module: ze_module_handle_t,
    line: RawLine,
    count_up: ze_kernel_handle_t,
    /// Events that nobody uses.
    events: RefCell<Vec<ze_event_handle_t>>,
    idle: IdleLists,
    /// The variables of the program that were asked for.
    globals: RefCell<Vec<(&'static CStr, *mut c_void)>>,
}

/// The first device of the first driver.
fn first_device(ze: &Loader) -> (ze_driver_handle_t, ze_device_handle_t) {
    ze!(ze, zeInit(0));
    let (mut driver, mut device, mut one) = (null_mut(), null_mut(), 1);
    ze!(ze, zeDriverGet(&mut one, &mut driver));
    one = 1;
    ze!(ze, zeDeviceGet(driver, &mut one, &mut device));
    (driver, device)
}

impl RawLevelZero {
    /// Opens the loader and builds the SPIR-V of the kernels.
    pub fn new(spirv: &[u8]) -> Result<Self, Failure> {
        let ze: &'static Loader = Box::leak(Box::new(Loader::open()?));
        let (driver, device) = first_device(ze);
        let context = create!(ze, zeContextCreate(driver, &ze_context_desc_t::default()));
        let desc = ze_module_desc_t {
            format: ZE_MODULE_FORMAT_IL_SPIRV,
            inputSize: spirv.len(),
            pInputModule: spirv.as_ptr(),
            ..Default::default()
        };
        let mut module = null_mut();
        ze!(ze, zeModuleCreate(context, device, &desc, &mut module, null_mut()));
        Ok(Self {
            line: RawLine::new(ze, context, device, module),
            count_up: kernel(ze, module, c"count_up"),
            ze,
            device,
            context,
            module,
            events: RefCell::default(),
            idle: IdleLists::default(),
            globals: RefCell::default(),
        })
    }

    fn take_event(&self) -> ze_event_handle_t {
        let free = self.events.borrow_mut().pop();
        free.unwrap_or_else(|| {
            let desc = ze_event_counter_based_desc_t {
                flags: ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE,
                signal: ZE_EVENT_SCOPE_FLAG_HOST,
                ..Default::default()
            };
            create!(self.ze, zeEventCounterBasedCreate(self.context, self.device, &desc))
        })
    }

    fn enqueue(&self, kernel: ze_kernel_handle_t, launch: Launch) -> Option<ze_event_handle_t> {
        if !launch.local {
            let [mut x, mut y, mut z] = [1; 3];
            ze!(
                self.ze,
                zeKernelSuggestGroupSize(kernel, 1, 1, 1, &mut x, &mut y, &mut z)
            );
            ze!(self.ze, zeKernelSetGroupSize(kernel, x, y, z));
        }
        let event = launch.event.then(|| self.take_event());
        let signal = event.unwrap_or(null_mut());
        ze!(
            self.ze,
            zeCommandListAppendLaunchKernel(self.line.list, kernel, &ONE_GROUP, signal, 0, null_mut())
        );
        event
    }

    fn global(&self, name: &CStr) -> *mut c_void {
        if let Some((_, known)) = self.globals.borrow().iter().find(|(known, _)| *known == name) {
            return *known;
        }
        let (mut size, mut pointer) = (0, null_mut());
        ze!(
            self.ze,
            zeModuleGetGlobalPointer(self.module, name.as_ptr(), &mut size, &mut pointer)
        );
        let name: &'static CStr = Box::leak(name.to_owned().into_boxed_c_str());
        self.globals.borrow_mut().push((name, pointer));
        pointer
    }

    /// A list that the client can change when it is closed: one that was used before, as a careful program would have it.
    fn list(&self) -> RawList {
        if let Some(list) = self.idle.borrow_mut().pop() {
            return self.raw_list(list);
        }
        let mutable = ze_mutable_command_list_exp_desc_t::default();
        let desc = ze_command_list_desc_t {
            pNext: (&raw const mutable).cast(),
            flags: ZE_COMMAND_LIST_FLAG_IN_ORDER,
            ..Default::default()
        };
        self.raw_list(create!(self.ze, zeCommandListCreate(self.context, self.device, &desc)))
    }

    fn raw_list(&self, list: ze_command_list_handle_t) -> RawList {
        RawList {
            ze: self.ze,
            list,
            last: 0,
            idle: self.idle.clone(),
        }
    }
}

fn kernel(ze: &Loader, module: ze_module_handle_t, name: &CStr) -> ze_kernel_handle_t {
    let desc = ze_kernel_desc_t {
        pKernelName: name.as_ptr(),
        ..Default::default()
    };
    let kernel = create!(ze, zeKernelCreate(module, &desc));
    ze!(ze, zeKernelSetGroupSize(kernel, 1, 1, 1));
    kernel
}

/// A closed list.
pub struct RawList {
    ze: &'static Loader,
    list: ze_command_list_handle_t,
    /// The number of the last command.
    last: u64,
    idle: IdleLists,
}

impl Drop for RawList {
    fn drop(&mut self) {
        ze!(self.ze, zeCommandListReset(self.list));
        self.idle.borrow_mut().push(self.list);
    }
}

/// What a thread submits launches with.
pub struct RawLine {
    ze: &'static Loader,
    list: ze_command_list_handle_t,
    multiply_add: ze_kernel_handle_t,
}

// SAFETY: handles of Level Zero belong to no thread; the list and the kernel are this line's alone.
unsafe impl Send for RawLine {}

impl RawLine {
    fn new(
        ze: &'static Loader,
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        module: ze_module_handle_t,
    ) -> Self {
        let desc = ze_command_queue_desc_t {
            flags: ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
            mode: ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
            ..Default::default()
        };
        Self {
            ze,
            list: create!(ze, zeCommandListCreateImmediate(context, device, &desc)),
            multiply_add: kernel(ze, module, c"multiply_add"),
        }
    }

    fn set_args(&self, args: FourArgs) {
        let (kernel, size) = (self.multiply_add, size_of::<i32>());
        let address = |pointer: &*const c_void| (&raw const *pointer).cast::<c_void>();
        let (out, input) = (args.out.cast_const(), args.input);
        let word = size_of::<usize>();
        ze!(self.ze, zeKernelSetArgumentValue(kernel, 0, word, address(&out)));
        ze!(self.ze, zeKernelSetArgumentValue(kernel, 1, word, address(&input)));
        ze!(
            self.ze,
            zeKernelSetArgumentValue(kernel, 2, size, (&raw const args.factor).cast())
        );
        ze!(
            self.ze,
            zeKernelSetArgumentValue(kernel, 3, size, (&raw const args.summand).cast())
        );
    }
}

impl Line for RawLine {
    fn launch(&self, args: FourArgs) {
        self.set_args(args);
        ze!(
            self.ze,
            zeCommandListAppendLaunchKernel(self.list, self.multiply_add, &ONE_GROUP, null_mut(), 0, null_mut())
        );
    }

    fn finish(&self) {
        ze!(self.ze, zeCommandListHostSynchronize(self.list, u64::MAX));
    }
}

impl Stack for RawLevelZero {
    type Line = RawLine;
    type Event = ze_event_handle_t;
    type Recording = RefCell<RawList>;

    fn title(&self) -> &str {
        "Level Zero"
    }

    fn launch(&self, launch: Launch) -> Option<ze_event_handle_t> {
        self.enqueue(self.count_up, launch)
    }

    fn launch_four(&self, launch: Launch, args: FourArgs) -> Option<ze_event_handle_t> {
        self.line.set_args(args);
        self.enqueue(self.line.multiply_add, launch)
    }

    fn record(&self, means: Means, count: u32, args: FourArgs) -> Option<Self::Recording> {
        // The layer below of a graph is the same list.
        let mut list = self.list();
        self.line.set_args(args);
        for i in 1..=count {
            if i == count && means == Means::CommandBuffer {
                let desc = ze_mutable_command_id_exp_desc_t {
                    flags: ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS,
                    ..Default::default()
                };
                ze!(
                    self.ze,
                    zeCommandListGetNextCommandIdExp(list.list, &desc, &mut list.last)
                );
            }
            let kernel = self.line.multiply_add;
            ze!(
                self.ze,
                zeCommandListAppendLaunchKernel(list.list, kernel, &ONE_GROUP, null_mut(), 0, null_mut())
            );
        }
        ze!(self.ze, zeCommandListClose(list.list));
        Some(RefCell::new(list))
    }

    fn append(&self, commands: Commands, count: u32, args: FourArgs) -> Option<Self::Recording> {
        let (list, size) = (self.list(), size_of::<i32>());
        for i in 1..=count as i32 {
            let args = FourArgs {
                summand: args.summand - (count as i32 - i),
                ..args
            };
            let summand = (&raw const args.summand).cast();
            let (ze, to, none) = (self.ze, list.list, null_mut());
            match commands {
                Commands::Launches => {
                    self.line.set_args(args);
                    let kernel = self.line.multiply_add;
                    ze!(
                        ze,
                        zeCommandListAppendLaunchKernel(to, kernel, &ONE_GROUP, none, 0, null_mut())
                    );
                }
                Commands::Fills => {
                    ze!(
                        ze,
                        zeCommandListAppendMemoryFill(to, args.out, summand, size, size, none, 0, null_mut())
                    );
                }
                Commands::Copies => {
                    ze!(
                        ze,
                        zeCommandListAppendMemoryCopy(to, args.out, args.input, size, none, 0, null_mut())
                    );
                }
            }
        }
        Some(RefCell::new(list))
    }

    fn finalize(&self, recording: &Self::Recording) {
        ze!(self.ze, zeCommandListClose(recording.borrow().list));
    }

    fn lines(&self, threads: usize, _shared: Shared) -> Vec<RawLine> {
        // A list is for one thread at a time: each has one, whatever the others share.
        let line = |_| RawLine::new(self.ze, self.context, self.device, self.module);
        (0..threads).map(line).collect()
    }

    fn replay(&self, recording: &Self::Recording) {
        let mut list = recording.borrow().list;
        ze!(
            self.ze,
            zeCommandListImmediateAppendCommandListsExp(self.line.list, 1, &mut list, null_mut(), 0, null_mut())
        );
    }

    fn update(&self, recording: &Self::Recording, summand: i32) {
        let RawList { list, last, .. } = *recording.borrow();
        let argument = ze_mutable_kernel_argument_exp_desc_t {
            commandId: last,
            argIndex: 3,
            argSize: size_of::<i32>(),
            pArgValue: (&raw const summand).cast(),
            ..Default::default()
        };
        let changes = ze_mutable_commands_exp_desc_t {
            pNext: (&raw const argument).cast(),
            ..Default::default()
        };
        ze!(self.ze, zeCommandListUpdateMutableCommandsExp(list, &changes));
        ze!(self.ze, zeCommandListClose(list));
    }

    fn barrier(&self) -> ze_event_handle_t {
        let event = self.take_event();
        ze!(
            self.ze,
            zeCommandListAppendBarrier(self.line.list, event, 0, null_mut())
        );
        event
    }

    fn finish(&self) {
        self.line.finish();
    }

    fn wait(&self, event: ze_event_handle_t) {
        ze!(self.ze, zeEventHostSynchronize(event, u64::MAX));
    }

    fn retain(&self, _event: ze_event_handle_t) {
        panic!("events of Level Zero are not counted");
    }

    fn release(&self, event: ze_event_handle_t) {
        self.events.borrow_mut().push(event);
    }

    fn memcpy(&self, to: *mut c_void, from: *const c_void, size: usize) {
        ze!(
            self.ze,
            zeCommandListAppendMemoryCopy(self.line.list, to, from, size, null_mut(), 0, null_mut())
        );
        self.finish();
    }

    fn alloc(&self, kind: Kind, size: usize, _pool: bool) -> *mut c_void {
        let (ze, context, device) = (self.ze, self.context, self.device);
        let on_device = ze_device_mem_alloc_desc_t::default();
        let on_host = ze_host_mem_alloc_desc_t::default();
        match kind {
            Kind::Device => create!(ze, zeMemAllocDevice(context, &on_device, size, 0, device)),
            Kind::Shared => create!(ze, zeMemAllocShared(context, &on_device, &on_host, size, 0, device)),
            Kind::Host => create!(ze, zeMemAllocHost(context, &on_host, size, 0)),
        }
    }

    fn free(&self, memory: *mut c_void) {
        ze!(self.ze, zeMemFree(self.context, memory));
    }

    fn has_pool(&self) -> bool {
        false
    }

    fn read_global(&self, name: &CStr, to: &mut [i32]) {
        self.memcpy(to.as_mut_ptr().cast(), self.global(name), size_of_val(to));
    }

    fn write_global(&self, name: &CStr, from: &[i32]) {
        self.memcpy(self.global(name), from.as_ptr().cast(), size_of_val(from));
    }

    fn enumerate(&self) -> usize {
        let (mut drivers, mut count, mut found, mut all) = ([null_mut(); 8], 0, 0, 0);
        ze!(self.ze, zeDriverGet(&mut count, null_mut()));
        count = count.min(8);
        ze!(self.ze, zeDriverGet(&mut count, drivers.as_mut_ptr()));
        for driver in &drivers[..count as usize] {
            ze!(self.ze, zeDeviceGet(*driver, &mut found, null_mut()));
            all += found as usize;
            found = 0;
        }
        all
    }

    fn compute_units(&self) -> u32 {
        self.properties().numSlices
    }

    fn name(&self, buffer: &mut [u8]) -> usize {
        let name = self.properties().name;
        let name = text(&name).unwrap_or_default().as_bytes();
        buffer[..name.len()].copy_from_slice(name);
        buffer[name.len()] = 0;
        name.len() + 1
    }
}

impl RawLevelZero {
    fn properties(&self) -> ze_device_properties_t {
        let mut properties = ze_device_properties_t::default();
        ze!(self.ze, zeDeviceGetProperties(self.device, &mut properties));
        properties
    }
}
