// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels: compiled code, and the arguments that are set for it.
//!
//! A kernel is compiled when it is created. [`args`] hands arguments to `oxur_device_cpu`, which lays them out.

mod args;

use std::ffi::CStr;
use std::sync::Arc;

use kit::ur::{KernelGroupInfo, KernelInfo, KernelSubGroupInfo, NativeHandle};
use kit::{Arg, Args, ExecInfo, HandleCell, InfoOut, Range, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::PreparedRange;
use oxur_device_cpu::exec::Cost;
use oxur_device_cpu::kernel::args::Settings;
use oxur_device_cpu::limits;
use oxur_fork::Mutex;

pub(crate) use self::args::{Packed, set_packed};
use crate::device::as_gpu;
use crate::opencl::{self, NativeCell};
use crate::program::build_error;
use crate::{Context, Cpu, Device, Mem, Program, Queue};

/// A kernel.
pub(crate) struct Kernel {
    pub(crate) handle_cell: HandleCell,
    pub(crate) native: NativeCell,
    /// What a kernel has in common with its snapshots. One reference to all of it, because a command buffer makes a snapshot
    /// for each launch.
    function: Arc<Function>,
    /// The arguments for launches that do not bring their own.
    settings: Mutex<Settings<Mem>>,
}

/// The code of a kernel, and the program that it is from.
struct Function {
    program: Arc<Program>,
    code: Arc<oxur_device_cpu::kernel::Kernel>,
}

impl Kernel {
    /// The interface: what a launch must provide.
    pub(crate) fn wants(&self) -> &oxur_compiler::KernelInfo {
        self.function.code.info()
    }

    /// What a work-group of a range costs, on the device with this index in the context.
    #[inline]
    pub(crate) fn cost(&self, device_index: usize, range: &PreparedRange) -> &Cost {
        self.function.code.cost(device_index, range)
    }

    /// The code.
    #[inline]
    pub(crate) fn code(&self) -> &Arc<oxur_device_cpu::kernel::Kernel> {
        &self.function.code
    }

    /// The code for the device with this index in the context.
    #[inline]
    pub(crate) fn compiled(&self, device_index: usize) -> &oxur_compiler::Kernel {
        self.function.code.compiled(device_index)
    }

    /// Lays out the arguments of a launch: `args`, or, if there are none, those that were set before. Checks that all
    /// are there and fit their parameters. Replaces the content of `into`, which must not be launched with after an
    /// error.
    #[inline(always)]
    pub(crate) fn pack(&self, args: Args<'_, Cpu>, into: &mut Packed) -> UrResult<()> {
        let wants = self.wants();
        if args.is_empty() && !wants.params.is_empty() {
            let settings = self.settings.lock();
            settings.pack(wants, into).map_err(|error| args::error(wants, &error))
        } else {
            args::pack(self.code(), args, into)
        }
    }

    /// The most work-items of a work-group, as queries tell it.
    fn max_local_size(&self) -> usize {
        self.code().max_local_size_within(as_gpu::work_group_size())
    }

    /// The work-group size of a launch that names none.
    pub(crate) fn choose_local_size(&self, device: &Device, global: &[usize]) -> [usize; 3] {
        self.function.code.choose_local_size(device.cpus().len(), global)
    }
}

impl kit::Kernel<Cpu> for Kernel {
    fn program(&self) -> &Arc<Program> {
        &self.function.program
    }

    fn create(program: &Arc<Program>, name: &CStr) -> UrResult<Arc<Self>> {
        let code = program.claim()?;
        let unknown = || kit::error!(ERROR_INVALID_KERNEL_NAME: "the program has no kernel {name:?}");
        let name = name.to_str().map_err(|_| unknown())?;
        if !code.has_kernel(name) {
            return Err(unknown());
        }
        let mut code = oxur_device_cpu::kernel::Kernel::new(&code, name).map_err(|error| {
            program.note(&error);
            build_error(&error)
        })?;
        if as_gpu::is_wanted() {
            code.discard_null_stores();
        }
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            settings: Mutex::new(Settings::new(code.info())),
            function: Arc::new(Function {
                program: program.clone(),
                code: Arc::new(code),
            }),
        }))
    }

    fn info(&self, query: KernelInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            KernelInfo::FUNCTION_NAME => out.str(&self.wants().name),
            KernelInfo::NUM_ARGS => out.value(self.wants().params.len() as u32),
            KernelInfo::ATTRIBUTES => out.str(&self.function.code.attributes()),
            _ => out.unsupported(),
        }
    }

    fn group_info(&self, _device: &Arc<Device>, query: KernelGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        let wants = self.wants();
        match query {
            KernelGroupInfo::WORK_GROUP_SIZE => out.value(self.max_local_size()),
            KernelGroupInfo::COMPILE_WORK_GROUP_SIZE => {
                let size = wants.required_work_group_size.unwrap_or_default();
                out.value(size.map(|side| side as usize))
            }
            KernelGroupInfo::LOCAL_MEM_SIZE => out.value(wants.local_memory),
            KernelGroupInfo::PREFERRED_WORK_GROUP_SIZE_MULTIPLE => out.value(wants.collective_width as usize),
            KernelGroupInfo::PRIVATE_MEM_SIZE => out.value(self.compiled(0).private_memory()),
            KernelGroupInfo::COMPILE_MAX_LINEAR_WORK_GROUP_SIZE => {
                out.value(wants.max_work_group_size.unwrap_or(0) as usize)
            }
            _ => out.unsupported(),
        }
    }

    fn sub_group_info(&self, _device: &Arc<Device>, query: KernelSubGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        let wants = self.wants();
        match query {
            KernelSubGroupInfo::MAX_SUB_GROUP_SIZE => out.value(wants.sub_group_size),
            KernelSubGroupInfo::MAX_NUM_SUB_GROUPS => {
                out.value(self.max_local_size().div_ceil(wants.sub_group_size.max(1) as usize) as u32)
            }
            KernelSubGroupInfo::COMPILE_NUM_SUB_GROUPS => out.value(wants.sub_groups_per_work_group.unwrap_or(0)),
            KernelSubGroupInfo::SUB_GROUP_SIZE_INTEL => out.value(match wants.sub_group_size_required {
                true => wants.sub_group_size,
                false => 0,
            }),
            _ => out.unsupported(),
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        opencl::native(self)
    }

    fn from_native(
        context: &Arc<Context>,
        program: Option<&Arc<Program>>,
        native: NativeHandle,
        owned: bool,
    ) -> UrResult<Arc<Self>> {
        let kernel: Arc<Self> = opencl::from_native(native, false)?;
        opencl::check_context(kernel.program().context(), context)?;
        if program.is_some_and(|program| !Arc::ptr_eq(program, kernel.program())) {
            kit::bail!(ERROR_INVALID_PROGRAM: "the native kernel is one of another program");
        }
        opencl::from_native(native, owned)
    }

    fn set_arg(&self, arg: Arg<'_, Cpu>) -> UrResult<()> {
        args::set(&mut self.settings.lock(), self.code(), &arg)
    }

    fn snapshot(&self, args: Args<'_, Cpu>) -> UrResult<Arc<Self>> {
        let wants = self.wants();
        let mut snapshot = Arc::new(Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            function: self.function.clone(),
            settings: Mutex::new(Settings::kept()),
        });
        // In place, because arguments are large to move.
        let own = Arc::get_mut(&mut snapshot).expect("nobody else has it yet");
        let settings = own.settings.get_mut();
        if args.is_empty() {
            let copied = settings.copy(&self.settings.lock());
            copied.map_err(|error| args::error(wants, &error))?;
        } else {
            settings.clear(wants);
        }
        for arg in args.iter() {
            args::set(settings, self.code(), &arg?)?;
        }
        Ok(snapshot)
    }

    fn set_exec_info(&self, info: ExecInfo<'_>) -> UrResult<()> {
        match info {
            // Kernels reach all memory of the process.
            ExecInfo::UsmIndirectAccess(_) | ExecInfo::UsmPointers(_) => Ok(()),
            // A hint, which is ignored: a CPU's cache cannot be split.
            ExecInfo::CacheConfig(_) => Ok(()),
        }
    }

    fn suggested_local_size(
        &self,
        queue: &Arc<Queue>,
        range: &Range<'_>,
        _args: Args<'_, Cpu>,
    ) -> UrResult<[usize; 3]> {
        Ok(self.choose_local_size(kit::Queue::device(&**queue), range.global))
    }

    fn max_cooperative_groups(&self, device: &Arc<Device>, _local: &[usize], _dynamic: usize) -> UrResult<u32> {
        Ok(if self.wants().has_device_barrier {
            limits::COOPERATIVE_GROUPS
        } else {
            // Each work-group needs a thread, because they may wait for each other in ways that cannot be detected.
            device.pool().guaranteed_concurrency(usize::MAX) as u32
        })
    }
}
