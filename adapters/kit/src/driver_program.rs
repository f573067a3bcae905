// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs of drivers that only build: the kit keeps what a program is made of, and what became of it on each device.

use std::borrow::Cow;
use std::ffi::{CStr, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use oxur_api::*;
use oxur_fork::{Mutex, Turns};

use crate::program_builds::{Build, Builds};
use crate::{
    Backend, Context, Device, DeviceGlobal, HandleCell, InfoOut, LinkFailure, Object, Program, UrError, UrResult,
    check_spirv, unsupported,
};

/// What the programs of an adapter are made of, and the calls of its compiler.
pub trait ProgramCode<B: Backend>: Sized + 'static {
    /// What goes into a link or a build.
    type Input: Clone + Send + Sync;
    /// What runs.
    type Executable: Clone + Send + Sync;
    /// The client's options.
    type Options: Clone + Send + Sync;

    /// Whether programs are linked to each other after they were built: see [`resolve`](Self::resolve).
    const DYNAMIC_LINK: bool = false;

    /// Takes SPIR-V. Its instructions are whole.
    fn from_il(context: &B::Context, il: &[u8]) -> UrResult<Self::Input>;

    /// Takes the binary of a device.
    fn from_binary(context: &B::Context, device: &Arc<B::Device>, binary: &[u8]) -> UrResult<ProgramBinary<B, Self>>;

    /// Takes an entry of the metadata that came with the binary of a device: its name and the bytes of its value. What is not
    /// known is ignored.
    fn add_metadata(_binary: &mut ProgramBinary<B, Self>, _name: &CStr, _value: &[u8]) {}

    /// The SPIR-V that it came as.
    fn il(input: &Self::Input) -> &[u8];

    /// Sets specialization constants for builds to come.
    fn set_constants(input: &mut Self::Input, constants: &[(u32, &[u8])]) -> UrResult<()>;

    /// Takes the client's options.
    fn options(text: &CStr, flags: ExpProgramFlags) -> UrResult<Self::Options>;

    /// The options as the client gave them.
    fn text(options: &Self::Options) -> Cow<'_, str>;

    /// Whether a link is to make a library.
    fn is_library(options: &Self::Options) -> bool;

    /// The options of a link of what was compiled for a device. An error if it cannot be linked.
    fn link_options(
        options: &Self::Options,
        _device: &B::Device,
        _compiled: &[Build<B, Self>],
    ) -> UrResult<Self::Options> {
        Ok(options.clone())
    }

    /// Applies the options of a build to an input, and the constants that were set.
    fn prepare(input: &mut Self::Input, options: &Self::Options);

    /// Checks an input that is compiled: the compiler itself works when it is linked.
    fn check(_input: &Self::Input) -> Result<(), (UrError, String)> {
        Ok(())
    }

    /// Makes what runs of the inputs of a build, and [ends](Build::end) it.
    fn build(context: &B::Context, build: &mut Build<B, Self>) -> UrResult<()>;

    /// The error of a build, as `urProgramBuild` returns it.
    fn build_error(error: UrError) -> UrError {
        error
    }

    /// The error of a link, as `urProgramLink` returns it. A link builds, too.
    fn link_error(error: UrError) -> UrError {
        match error.code() {
            ResultCode::ERROR_PROGRAM_BUILD_FAILURE => error.with_code(ResultCode::ERROR_PROGRAM_LINK_FAILURE),
            _ => error,
        }
    }

    /// Allows unresolved symbols in what is built with these options.
    fn allow_unresolved(_options: &mut Self::Options) {}

    /// Resolves symbols between executables of a device. The error comes with what the linker said.
    fn resolve(_executables: &[Self::Executable]) -> Result<(), (UrError, String)> {
        Err((ResultCode::ERROR_UNSUPPORTED_FEATURE.into(), String::new()))
    }

    /// The binary of a build.
    fn binary(build: &Build<B, Self>) -> UrResult<Arc<[u8]>>;

    /// The names of all kernels.
    fn kernel_names(executable: &Self::Executable) -> UrResult<Vec<String>>;

    /// The address of a function.
    fn function_pointer(executable: &Self::Executable, name: &CStr) -> UrResult<*mut c_void>;

    /// The address and size of a variable. Commands ask for it.
    fn global(executable: &Self::Executable, name: &CStr) -> UrResult<(*mut c_void, usize)>;

    /// The driver's handle.
    fn native(executable: &Self::Executable) -> UrResult<NativeHandle>;

    /// Wraps a native handle. `owned` says that it is ours to release.
    fn from_native(_native: NativeHandle, _owned: bool) -> UrResult<Self::Executable> {
        unsupported()
    }
}

/// What the binary of a device is.
pub enum ProgramBinary<B: Backend, C: ProgramCode<B>> {
    /// What is to be built.
    Inputs(Vec<C::Input>),
    /// The same, of a program that was compiled, or linked into a library, with these options.
    Compiled(ProgramBinaryType, C::Options, Vec<C::Input>),
    /// What runs.
    Executable(C::Executable),
}

type DeviceBinary<B, C> = (Arc<<B as Backend>::Device>, ProgramBinary<B, C>);

/// What a program is made of.
enum Code<B: Backend, C: ProgramCode<B>> {
    Il(Mutex<C::Input>),
    Binaries(Vec<DeviceBinary<B, C>>),
    /// Programs that were linked.
    Linked,
    /// A native program, or nothing that is known.
    Native,
}

/// The whole of a program, where [`ProgramCode`] is the driver's part.
pub struct DriverProgram<B: Backend, C: ProgramCode<B>> {
    handle_cell: HandleCell,
    code: Code<B, C>,
    builds: Builds<B, C>,
    /// Taken while it is linked dynamically, and while kernels are made.
    turns: Turns,
    /// Whether kernels or addresses may be known, after which it is linked to nothing.
    used: AtomicBool,
    /// Its context.
    pub context: Arc<B::Context>,
}

impl<B: Backend, C: ProgramCode<B>> Object for DriverProgram<B, C> {
    type Handle = ProgramHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl<B: Backend, C: ProgramCode<B>> Drop for DriverProgram<B, C> {
    fn drop(&mut self) {
        let past = self.builds.take();
        self.retire(past);
    }
}

const NOT_COMPILED: &str = "a program is compiled or built before it is linked dynamically";

fn refused(what: &str) -> UrError {
    crate::error!(ERROR_INVALID_OPERATION: "{what}")
}

/// The devices of a build: those that the client names, or `all`.
fn chosen_devices<B: Backend>(
    context: &B::Context,
    named: &[Arc<B::Device>],
    all: impl FnOnce() -> Vec<Arc<B::Device>>,
) -> UrResult<Vec<Arc<B::Device>>> {
    if named.is_empty() {
        return Ok(all());
    }
    named.iter().try_for_each(|device| context.check_device(device))?;
    Ok(named.to_vec())
}

/// Builds what does not run yet. The first error is returned.
fn build_all<B: Backend, C: ProgramCode<B>>(context: &B::Context, builds: &mut [Build<B, C>]) -> UrResult<()> {
    let missing = builds.iter_mut().filter(|build| build.executable.is_none());
    missing.map(|build| C::build(context, build)).fold(Ok(()), Result::and)
}

impl<B: Backend, C: ProgramCode<B>> DriverProgram<B, C> {
    fn new(context: &Arc<B::Context>, code: Code<B, C>) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            code,
            builds: Builds::default(),
            turns: Turns::new(),
            used: AtomicBool::new(false),
            context: context.clone(),
        })
    }

    /// The program of a native kernel, of which no more is known.
    pub fn unknown(context: &Arc<B::Context>) -> Arc<Self> {
        Self::new(context, Code::Native)
    }

    /// The devices that it may be built for.
    fn devices(&self) -> Vec<Arc<B::Device>> {
        match &self.code {
            Code::Binaries(binaries) => binaries.iter().map(|(device, _)| device.clone()).collect(),
            Code::Linked => self.builds.devices(),
            Code::Il(_) | Code::Native => self.context.devices().to_vec(),
        }
    }

    /// What was built before may be in use.
    fn set_builds(&self, builds: Vec<Build<B, C>>) {
        self.retire(self.builds.set(builds));
    }

    fn retire(&self, past: Vec<Build<B, C>>) {
        if !past.is_empty() {
            self.context.retire(past);
        }
    }

    /// Builds of what it is made of, which have not begun. A binary that runs is all that its build needs.
    fn begin(
        &self,
        devices: &[Arc<B::Device>],
        text: Option<&CStr>,
        flags: ExpProgramFlags,
        kind: ProgramBinaryType,
    ) -> UrResult<Vec<Build<B, C>>> {
        let options = C::options(text.unwrap_or(c""), flags)?;
        let begin = |device| {
            let mut build = Build::<B, C>::new(device, options.clone(), kind, Vec::new());
            match &self.code {
                Code::Il(input) => {
                    let mut input = input.lock();
                    C::prepare(&mut input, &options);
                    build.inputs.push(input.clone());
                }
                Code::Binaries(binaries) => match binaries.iter().find(|(of, _)| build.device.is_in(of)) {
                    Some((_, ProgramBinary::Inputs(inputs) | ProgramBinary::Compiled(_, _, inputs))) => {
                        build.inputs.clone_from(inputs);
                        build.inputs.iter_mut().for_each(|input| C::prepare(input, &options));
                    }
                    Some((_, ProgramBinary::Executable(executable))) => build.executable = Some(executable.clone()),
                    None => {
                        crate::bail!(ERROR_INVALID_DEVICE: "the program has no binary for this device");
                    }
                },
                Code::Linked | Code::Native => {
                    return Err(refused(
                        "a program that was linked of others, or that is the driver's, has no code to build or compile",
                    ));
                }
            }
            Ok(build)
        };
        let devices = chosen_devices::<B>(&self.context, devices, || self.devices())?;
        devices.into_iter().map(begin).collect()
    }

    /// Makes something, such as a kernel, of what runs on each device, of which there is at least one. The program is linked to
    /// no others from then on.
    pub fn map_executables<T>(
        &self,
        make: impl FnMut((Arc<B::Device>, C::Executable)) -> UrResult<T>,
    ) -> UrResult<Vec<T>> {
        // Only a link could come in between.
        let _turn = C::DYNAMIC_LINK.then(|| self.turns.take());
        let made = self
            .builds
            .executables()?
            .into_iter()
            .map(make)
            .collect::<UrResult<_>>()?;
        self.used.store(true, Ordering::Relaxed);
        Ok(made)
    }

    /// What runs on a device, of which the client gets an address.
    fn use_executable(&self, device: &B::Device) -> UrResult<C::Executable> {
        self.used.store(true, Ordering::Relaxed);
        self.builds.executable(device)
    }

    /// The address of a part of a device global, whose bounds are checked.
    #[inline]
    pub fn locate(&self, device: &B::Device, global: &DeviceGlobal<'_, B>) -> UrResult<*mut c_void> {
        let (address, size) = C::global(&self.builds.executable(device)?, global.name)?;
        global.check_bounds(size)?;
        Ok(address.wrapping_byte_add(global.offset))
    }

    fn binary(&self, device: &B::Device) -> UrResult<Arc<[u8]>> {
        match self.builds.on(device, Build::clone) {
            Some(build) => C::binary(&build),
            None => Ok(Arc::default()),
        }
    }

    fn kernel_names(&self) -> UrResult<Vec<String>> {
        C::kernel_names(&self.builds.executables()?[0].1)
    }

    /// What it was built into, and may be linked dynamically.
    fn open_builds(&self) -> UrResult<Vec<Build<B, C>>> {
        let mut builds = self.builds.all();
        let is_lacking = |build: &Build<B, C>| build.executable.is_none() && build.inputs.is_empty();
        if builds.is_empty() || builds.iter().any(is_lacking) {
            return Err(refused(NOT_COMPILED));
        }
        for build in builds.iter_mut().filter(|build| build.executable.is_none()) {
            C::allow_unresolved(&mut build.options);
            C::build(&self.context, build)?;
        }
        Ok(builds)
    }
}

impl<B, C> Program<B> for DriverProgram<B, C>
where
    B: Backend<Program = Self>,
    C: ProgramCode<B>,
{
    fn context(&self) -> &Arc<B::Context> {
        &self.context
    }

    fn create_with_il(context: &Arc<B::Context>, il: &[u8], _metadata: &[ProgramMetadata]) -> UrResult<Arc<Self>> {
        check_spirv(il)?;
        Ok(Self::new(context, Code::Il(Mutex::new(C::from_il(context, il)?))))
    }

    fn create_with_binaries(
        context: &Arc<B::Context>,
        devices: &[Arc<B::Device>],
        binaries: &[&[u8]],
        metadata: &[ProgramMetadata],
    ) -> UrResult<Arc<Self>> {
        devices.iter().try_for_each(|device| context.check_device(device))?;
        let (mut all, mut builds) = (Vec::new(), Vec::new());
        for (device, binary) in devices.iter().zip(binaries) {
            let mut binary = C::from_binary(context, device, binary)?;
            for entry in metadata {
                // SAFETY: the client's entries, which are whole until its call returns.
                if let Some((name, value)) = unsafe { crate::program::metadata_bytes(entry) } {
                    C::add_metadata(&mut binary, name, value);
                }
            }
            if let ProgramBinary::Compiled(kind, options, inputs) = &binary {
                builds.push(Build::new(device.clone(), options.clone(), *kind, inputs.clone()));
            }
            all.push((device.clone(), binary));
        }
        let program = Self::new(context, Code::Binaries(all));
        program.set_builds(builds);
        Ok(program)
    }

    fn build(&self, devices: &[Arc<B::Device>], text: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<()> {
        // A program that cannot be built again keeps what it has.
        let mut builds = self.begin(devices, text, flags, ProgramBinaryType::EXECUTABLE)?;
        let built = build_all::<B, C>(&self.context, &mut builds);
        self.set_builds(builds);
        built.map_err(C::build_error)
    }

    fn compile(&self, devices: &[Arc<B::Device>], text: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<()> {
        let mut builds = self.begin(devices, text, flags, ProgramBinaryType::COMPILED_OBJECT)?;
        let mut compiled = Ok(());
        for build in &mut builds {
            if build.executable.is_some() {
                return Err(refused("a binary that runs is not compiled again"));
            }
            if let Err(error) = build.inputs.iter().try_for_each(C::check) {
                compiled = compiled.and(build.end(Err(error)));
            }
        }
        self.set_builds(builds);
        compiled
    }

    fn link(
        context: &Arc<B::Context>,
        devices: &[Arc<B::Device>],
        programs: &[Arc<Self>],
        text: Option<&CStr>,
        flags: ExpProgramFlags,
    ) -> Result<Arc<Self>, LinkFailure<Self>> {
        let options = C::options(text.unwrap_or(c""), flags)?;
        let mut builds = Vec::new();
        for device in chosen_devices::<B>(context, devices, || context.devices().to_vec())? {
            let compiled = Builds::compiled(programs.iter().map(|program| &program.builds), &device)?;
            let options = C::link_options(&options, &device, &compiled)?;
            let inputs = compiled.into_iter().flat_map(|build| build.inputs).collect();
            let kind = match C::is_library(&options) {
                true => ProgramBinaryType::LIBRARY,
                false => ProgramBinaryType::EXECUTABLE,
            };
            builds.push(Build::new(device, options, kind, inputs));
        }
        // A library is linked when the rest is there.
        let linked = match C::is_library(&options) {
            true => Ok(()),
            false => build_all::<B, C>(context, &mut builds),
        };
        let program = Self::new(context, Code::Linked);
        program.set_builds(builds);
        match linked {
            Ok(()) => Ok(program),
            Err(error) => Err(LinkFailure {
                error: C::link_error(error),
                program: Some(program),
            }),
        }
    }

    fn dynamic_link(context: &Arc<B::Context>, programs: &[Arc<Self>]) -> UrResult<()> {
        if !C::DYNAMIC_LINK {
            return unsupported();
        }
        // They stay locked, by address, so that nobody makes a kernel of one meanwhile.
        let mut once: Vec<_> = programs.iter().collect();
        once.sort_unstable_by_key(|program| Arc::as_ptr(program));
        once.dedup_by_key(|program| Arc::as_ptr(program));
        let _turns: Vec<_> = once.iter().map(|program| program.turns.take()).collect();
        if once.iter().any(|program| program.used.load(Ordering::Relaxed)) {
            return Err(refused(
                "a program whose kernels or addresses are in use is not linked any more",
            ));
        }
        let mut builds = programs
            .iter()
            .map(|program| program.open_builds())
            .collect::<UrResult<Vec<_>>>()?;
        let mut linked = Ok(());
        for device in context.devices() {
            let all = builds.iter_mut().flatten();
            let mut own: Vec<_> = all.filter(|build| build.device.is_same(device)).collect();
            let executables: Vec<_> = own.iter().filter_map(|build| build.executable.clone()).collect();
            if !executables.is_empty() {
                let resolved = C::resolve(&executables);
                let is_alone = executables.len() == 1;
                own.iter_mut().for_each(|build| build.end_link(&resolved, is_alone));
                linked = linked
                    .and(resolved.map_err(|(error, log)| {
                        error.with_code(ResultCode::ERROR_PROGRAM_LINK_FAILURE).with_log(&log)
                    }));
            }
        }
        for (program, builds) in programs.iter().zip(builds) {
            program.set_builds(builds);
        }
        linked
    }

    fn function_pointer(&self, device: &Arc<B::Device>, name: &CStr) -> UrResult<*mut c_void> {
        C::function_pointer(&self.use_executable(device)?, name)
    }

    fn global_variable(&self, device: &Arc<B::Device>, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        C::global(&self.use_executable(device)?, name)
    }

    fn info(&self, query: ProgramInfo, out: InfoOut<'_>) -> UrResult<()> {
        let devices = self.devices();
        let binaries = || {
            devices
                .iter()
                .map(|device| self.binary(device))
                .collect::<UrResult<Vec<_>>>()
        };
        match query {
            ProgramInfo::NUM_DEVICES => out.value(devices.len() as u32),
            ProgramInfo::DEVICES => out.handles(&devices),
            ProgramInfo::IL => match &self.code {
                Code::Il(input) => out.slice(C::il(&input.lock())),
                _ => out.slice::<u8>(&[]),
            },
            ProgramInfo::BINARY_SIZES => out.slice(&binaries()?.iter().map(|binary| binary.len()).collect::<Vec<_>>()),
            ProgramInfo::BINARIES => out.bytes(devices.len() * size_of::<*mut c_void>(), |places| {
                for (index, binary) in binaries()?.iter().enumerate() {
                    // SAFETY: the client's buffer has a pointer for each device, each of them null or with room for as many
                    // bytes as BINARY_SIZES says.
                    unsafe {
                        let place = places.cast::<*mut u8>().add(index).read_unaligned();
                        if !place.is_null() {
                            place.copy_from_nonoverlapping(binary.as_ptr(), binary.len());
                        }
                    }
                }
                Ok(())
            }),
            ProgramInfo::NUM_KERNELS => out.value(self.kernel_names()?.len()),
            ProgramInfo::KERNEL_NAMES => out.str(&self.kernel_names()?.join(";")),
            _ => out.unsupported(),
        }
    }

    fn build_info(&self, device: &Arc<B::Device>, query: ProgramBuildInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.context.check_device(device)?;
        let runs =
            |(of, binary): &DeviceBinary<B, C>| device.is_in(of) && matches!(binary, ProgramBinary::Executable(_));
        let unbuilt = match &self.code {
            Code::Binaries(binaries) if binaries.iter().any(runs) => ProgramBinaryType::EXECUTABLE,
            _ => ProgramBinaryType::NONE,
        };
        self.builds.info(device, unbuilt, query, out)
    }

    fn set_specialization_constants(&self, constants: &[(u32, &[u8])]) -> UrResult<()> {
        match &self.code {
            Code::Il(input) => C::set_constants(&mut input.lock(), constants),
            _ => Err(refused(
                "specialization constants are set in SPIR-V, before programs are linked",
            )),
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.used.store(true, Ordering::Relaxed);
        C::native(&self.builds.executables()?[0].1)
    }

    fn from_native(context: &Arc<B::Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let executable = C::from_native(native, owned)?;
        let (device, options) = (context.devices()[0].clone(), C::options(c"", ExpProgramFlags::empty())?);
        let mut build = Build::new(device, options, ProgramBinaryType::EXECUTABLE, Vec::new());
        build.executable = Some(executable);
        let program = Self::new(context, Code::Native);
        program.set_builds(vec![build]);
        Ok(program)
    }
}
