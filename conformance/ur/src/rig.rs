// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The objects that nearly every test needs.

use std::ffi::CStr;

use oxur_client::api::*;
use oxur_client::*;

use crate::{check, loader, spirv};

/// A device with a context and a queue.
pub struct Rig {
    /// The adapter of the device.
    pub adapter: Adapter,
    /// The platform of the device.
    pub platform: Platform,
    /// The first device of the first platform that has one.
    pub device: Device,
    /// A context of that device.
    pub context: Context,
    /// An in-order queue with profiling.
    pub queue: Queue,
}

impl Rig {
    /// A new context and queue on the first device.
    #[allow(clippy::new_without_default, reason = "it does more than a default value should")]
    pub fn new() -> Self {
        let adapters = loader().adapters().expect("urAdapterGet");
        assert!(
            !adapters.is_empty(),
            "the loader found no adapter: see UR_LOG_LOADER=level:debug;output:stderr"
        );
        for adapter in adapters {
            for platform in adapter.platforms().expect("urPlatformGet") {
                if let Some(device) = platform.devices().expect("urDeviceGet").into_iter().next() {
                    let context = Context::new(&[&device]).expect("urContextCreate");
                    let queue = Queue::new(&context, &device, QueueFlags::PROFILING_ENABLE).expect("urQueueCreate");
                    return Self {
                        adapter,
                        platform,
                        device,
                        context,
                        queue,
                    };
                }
            }
        }
        panic!("no adapter has a device: is there a driver? `oxur doctor` tells");
    }

    /// The API below the adapter.
    pub fn backend(&self) -> Backend {
        self.platform.info(PlatformInfo::BACKEND).expect("the backend")
    }

    /// Whether the device has what one of its truth values says. Where it has not, the output of the test says what is
    /// missing.
    pub fn supports(&self, query: DeviceInfo, what: &str) -> bool {
        let supported: bool = self.device.info(query).expect("a truth value");
        if !supported {
            println!("this device has no {what}");
        }
        supported
    }

    /// Another queue of UR's on the driver's queue; none where the device has no native queues.
    pub fn wrapped_queue(&self) -> Option<Queue> {
        let native = match self.queue.native() {
            Ok(native) => native,
            Err(error) => {
                assert!(error == ResultCode::ERROR_UNSUPPORTED_FEATURE, "{error}");
                println!("this device has no native queues");
                return None;
            }
        };
        assert_ne!(native, 0);
        let (context, device, properties) = (self.context.raw(), self.device.raw(), QueueNativeProperties::default());
        let mut handle = QueueHandle::default();
        // SAFETY: a native queue of the context and the device, and a place for the handle.
        let made = unsafe {
            let fns = loader().fns();
            fns.urQueueCreateWithNativeHandle(native, context, device, &properties, &mut handle)
        };
        made.expect("urQueueCreateWithNativeHandle");
        // SAFETY: a new queue with one reference.
        Some(unsafe { Queue::from_raw(loader(), handle) })
    }

    /// A built program of `kernels/<file>.cl`.
    pub fn program(&self, file: &str) -> Program {
        let program = Program::with_il(&self.context, &spirv(file)).expect("urProgramCreateWithIL");
        program.build(&self.context, "").expect("urProgramBuild");
        program
    }

    /// A program of `kernels/<name>`, as [`spirv`] takes it, compiled to be linked.
    pub fn part(&self, name: &str) -> Program {
        let part = Program::with_il(&self.context, &spirv(name)).expect("urProgramCreateWithIL");
        part.compile(&self.context, "").expect("urProgramCompile");
        part
    }

    /// Links programs. A link that fails gives its code and its log, which is empty where there is none.
    pub fn link(&self, parts: &[&Program], options: &CStr) -> core::result::Result<Program, (ResultCode, String)> {
        let handles: Vec<_> = parts.iter().map(|part| part.raw()).collect();
        let mut linked = ProgramHandle::default();
        let (count, options) = (handles.len() as u32, options.as_ptr());
        // SAFETY: the handles are alive, the options end with NUL, the result has a place.
        let result = unsafe {
            let context = self.context.raw();
            loader()
                .fns()
                .urProgramLink(context, count, handles.as_ptr(), options, &mut linked)
        };
        let code = check(result);
        // SAFETY: a new program comes with one reference.
        let program = (!linked.is_null()).then(|| unsafe { Program::from_raw(loader(), linked) });
        if code == ResultCode::SUCCESS {
            return Ok(program.expect("a link that succeeds gives a program"));
        }
        let log = program.and_then(|program| program.build_info(&self.device, ProgramBuildInfo::LOG).ok());
        Err((code, log.unwrap_or_default()))
    }

    /// A kernel of `kernels/<file>.cl`.
    pub fn kernel(&self, file: &str, name: &str) -> Kernel {
        Kernel::new(&self.program(file), name).expect("urKernelCreate")
    }

    /// Launches a kernel of the suite without waiting for it.
    pub fn start(&self, kernel: &Kernel, range: &Range, args: &[Arg], wait: &[&Event]) -> Result<Event> {
        // SAFETY: the kernels do with their arguments what the sources in kernels/ say, and the tests give memory of
        // that size, which lives until they have waited.
        unsafe { self.queue.launch(kernel, range, args, wait) }
    }

    /// Launches a kernel of the suite and waits for it.
    pub fn run(&self, kernel: &Kernel, range: &Range, args: &[Arg]) {
        self.start(kernel, range, args, &[])
            .expect("launch")
            .wait()
            .expect("urEventWait");
    }

    /// A buffer with these values.
    pub fn buffer<T: Plain>(&self, values: &[T]) -> Buffer {
        Buffer::with(&self.context, MemFlags::READ_WRITE, values).expect("urMemBufferCreate")
    }

    /// All values of a buffer.
    pub fn contents<T: Plain + Default>(&self, buffer: &Buffer) -> Vec<T> {
        let size: usize = buffer.info(MemInfo::SIZE).expect("urMemGetInfo");
        let mut values = vec![T::default(); size / size_of::<T>()];
        self.queue
            .read(buffer, 0, &mut values, &[])
            .expect("urEnqueueMemBufferRead");
        values
    }

    /// Shared USM, as the host sees it.
    pub fn shared<T: Plain>(&self, values: &[T]) -> Usm {
        let mut usm = Usm::shared(&self.context, &self.device, size_of_val(values), UsmRequest::default())
            .expect("urUSMSharedAlloc");
        // SAFETY: new memory of the values' size, which no command uses yet; plain types need no initialisation.
        unsafe { usm.as_mut_slice() }.copy_from_slice(values);
        usm
    }
}

/// The values in host or shared USM that no command uses at present.
pub fn values<T: Plain>(usm: &Usm) -> &[T] {
    // SAFETY: tests call this for memory that they have filled, after they have waited.
    unsafe { usm.as_slice() }
}

/// Whether the command of an event is complete.
pub fn is_complete(event: &Event) -> bool {
    let status: EventStatus = event.info(EventInfo::COMMAND_EXECUTION_STATUS).expect("the status");
    status == EventStatus::COMPLETE
}
