// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: modules that were linked, and the kernels in them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::cache::{CacheConfig, ProgramKey};
use crate::codegen::{self, Loaded, Object};
use crate::link::{Linked, LinkedKernel};
use crate::llvm::Context;
use crate::lower::{self, global_name, pointed_name};
use crate::runtime::{Fibers, Group, guard};
use crate::workgroup::{self, Entry};
use crate::{Error, Fault, KernelInfo, Launch, Module, builtins, runtime};

/// A module with values for its specialization constants.
#[derive(Clone, Debug)]
pub struct Part {
    /// The module.
    pub module: Arc<Module>,
    /// Values by `SpecId`, as many bytes as the constant has. Others keep their defaults.
    pub constants: Vec<(u32, Vec<u8>)>,
}

impl Part {
    /// A module as it is.
    pub fn new(module: Arc<Module>) -> Self {
        Self {
            module,
            constants: Vec::new(),
        }
    }
}

/// How kernels become machine code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The fast way: what LLVM's optimizer can do for this CPU.
    #[default]
    Fast,
    /// One work-item at a time, each on a stack of its own: the reference that the fast way is tested against.
    Scalar,
}

/// What the user may choose.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How kernels become machine code.
    pub mode: Mode,
    /// `-cl-fast-relaxed-math`, `-cl-unsafe-math-optimizations`: results may differ from what the precision demands.
    pub fast_math: bool,
    /// `-cl-opt-disable`.
    pub no_optimization: bool,
    /// Names that no module exports are no error at link, but when a kernel that calls them is compiled.
    pub allow_unresolved: bool,
    /// Where compiled code is kept. Nowhere by default.
    pub cache: CacheConfig,
}

/// A linked program. It owns its global variables: each program has its own instance of them.
pub struct Program {
    linked: Linked,
    options: Options,
    infos: Vec<Arc<KernelInfo>>,
    /// The variables, and the functions that are called through pointers.
    globals: OnceLock<Result<Arc<Loaded>, Error>>,
    kernels: Mutex<HashMap<String, Slot>>,
    /// What its code is found by in the cache.
    key: OnceLock<ProgramKey>,
}

/// A kernel that is compiled once, by whoever asks first.
type Slot = Arc<OnceLock<Result<Arc<Kernel>, Error>>>;

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("kernels", &self.infos.len())
            .finish_non_exhaustive()
    }
}

/// A global variable of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Global {
    /// Where it is.
    pub address: *mut u8,
    /// Its size in bytes.
    pub size: usize,
}

impl Program {
    /// Links modules: each import finds its export, every global variable gets its memory and its initial value.
    pub fn link(parts: &[Part], options: &Options) -> Result<Arc<Self>, Error> {
        let linked = Linked::new(parts, options)?;
        let infos = linked.kernels.iter().map(|k| k.info.clone()).collect();
        Ok(Arc::new(Self {
            linked,
            options: options.clone(),
            infos,
            globals: OnceLock::new(),
            kernels: Mutex::new(HashMap::new()),
            key: OnceLock::new(),
        }))
    }

    /// Its kernels, by name.
    pub fn kernels(&self) -> &[Arc<KernelInfo>] {
        &self.infos
    }

    /// What is known of a kernel without compiling it.
    pub fn kernel_info(&self, name: &str) -> Option<&Arc<KernelInfo>> {
        self.infos.iter().find(|kernel| kernel.name == name)
    }

    /// A kernel that can run. The first call compiles it; other threads that want the same one wait for it.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Result<Arc<Kernel>, Error> {
        let linked = self.linked.kernels.iter().find(|k| k.info.name == name);
        let linked = linked.ok_or_else(|| Error::NoKernel(name.to_string()))?;
        let slot = self.kernels.lock().entry(name.to_string()).or_default().clone();
        slot.get_or_init(|| self.compile(linked).map(Arc::new)).clone()
    }

    /// Compiles all kernels, on all cores, as if each were asked for.
    pub fn compile_all(self: &Arc<Self>) -> Result<(), Error> {
        let next = std::sync::atomic::AtomicUsize::new(0);
        let failed = Mutex::new(None);
        let work = || {
            while let Some(info) = self.infos.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                if let Err(error) = self.kernel(&info.name) {
                    failed.lock().get_or_insert(error);
                }
            }
        };
        let threads = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(self.infos.len());
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        failed.into_inner().map_or(Ok(()), Err)
    }

    /// A variable, by its name in `HostAccessINTEL`, then by its linkage name.
    pub fn global(&self, name: &str) -> Option<Global> {
        let globals = &self.linked.globals;
        let index = globals
            .iter()
            .position(|g| g.host_name.as_deref() == Some(name))
            .or_else(|| globals.iter().position(|g| g.name.as_deref() == Some(name)))?;
        let loaded = self.loaded_globals().ok()?;
        let address = loaded.symbol(&global_name(index))?.cast_mut();
        Some(Global {
            address,
            size: globals[index].size as usize,
        })
    }

    /// The address of an exported function, as function pointers in kernels have it.
    pub fn function(self: &Arc<Self>, name: &str) -> Result<*const u8, Error> {
        let place = self
            .linked
            .export(name)
            .ok_or_else(|| Error::Link(format!("nothing defines {name}")))?;
        let index = self.linked.pointed(place).ok_or_else(|| {
            Error::Link(format!(
                "{name} is no function that is called through pointers (ReferencedIndirectlyINTEL)"
            ))
        })?;
        let loaded = self.loaded_globals()?;
        loaded
            .symbol(&pointed_name(index))
            .ok_or_else(|| Error::Link(format!("{name} has no address")))
    }

    /// The names of this program's code in the cache.
    fn key(&self) -> &ProgramKey {
        self.key.get_or_init(|| ProgramKey::new(&self.linked.parts, &self.options))
    }

    fn loaded_globals(&self) -> Result<Arc<Loaded>, Error> {
        let make = || {
            let context = Context::new();
            let module = lower::globals(&context, &self.linked)?;
            workgroup::define_primitives(&module, 1);
            codegen::object(&module, &self.options)
        };
        let load = |object: &[u8]| Object::parse(object)?.load(symbol).map(Arc::new);
        let get = || self.options.cache.get(|| self.key().globals(), make, load).map(|got| got.0);
        self.globals.get_or_init(get).clone()
    }

    fn compile(self: &Arc<Self>, kernel: &LinkedKernel) -> Result<Kernel, Error> {
        let items_wait = kernel.info.has_barriers || self.options.mode == Mode::Scalar;
        let entry = if items_wait { Entry::Item } else { Entry::Group };
        let ((code, address), from_cache) = self.options.cache.get(
            || self.key().kernel(&kernel.info.name),
            || self.object(kernel, items_wait),
            |object| self.load(object, entry),
        )?;
        Ok(Kernel {
            info: kernel.info.clone(),
            entry,
            address,
            stack_size: STACK,
            from_cache,
            _code: code,
            _program: self.clone(),
        })
    }

    /// Loads the object of a kernel; gives the address of its entry, too.
    fn load(&self, object: &[u8], entry: Entry) -> Result<(Loaded, *const u8), Error> {
        let object = Object::parse(object)?;
        // What it needs of the program's own is made before it is looked up.
        let globals = match object.undefined().any(is_of_program) {
            true => Some(self.loaded_globals()?),
            false => None,
        };
        let code = object.load(|name| match &globals {
            Some(globals) if is_of_program(name) => globals.symbol(name),
            _ => symbol(name),
        })?;
        let address = code
            .symbol(entry.symbol())
            .ok_or_else(|| Error::Codegen("the object has no entry".into()))?;
        Ok((code, address))
    }

    fn object(&self, kernel: &LinkedKernel, items_wait: bool) -> Result<Vec<u8>, Error> {
        let context = Context::new();
        let module = lower::kernel(&context, &self.linked, kernel)?;
        workgroup::finish(&module, kernel.info.sub_group_size, items_wait);
        codegen::object(&module, &self.options)
    }

    /// The LLVM IR of a kernel after a stage: `lower`, `workgroup` or `optimize`; or its `assembly`.
    pub fn print(&self, kernel: &str, stage: &str) -> Result<String, Error> {
        let linked = self.linked.kernels.iter().find(|k| k.info.name == kernel);
        let linked = linked.ok_or_else(|| Error::NoKernel(kernel.to_string()))?;
        let context = Context::new();
        let module = lower::kernel(&context, &self.linked, linked)?;
        if stage == "lower" {
            return Ok(module.to_string());
        }
        let items_wait = linked.info.has_barriers || self.options.mode == Mode::Scalar;
        workgroup::finish(&module, linked.info.sub_group_size, items_wait);
        if stage == "workgroup" {
            return Ok(module.to_string());
        }
        let machine = crate::llvm::Machine::host().map_err(Error::Codegen)?;
        codegen::optimize(&machine, &module, &self.options)?;
        if stage == "optimize" {
            return Ok(module.to_string());
        }
        let text = machine.emit(&module, true).map_err(Error::Codegen)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// How large the stack of a work-item, or of a thread that runs a group, is.
const STACK: usize = 256 << 10;

fn is_of_program(name: &str) -> bool {
    name.starts_with("oxur.global.") || name.starts_with("oxur.function.")
}

/// What compiled code may call.
fn symbol(name: &str) -> Option<*const u8> {
    static SYMBOLS: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();
    let symbols = SYMBOLS.get_or_init(|| {
        builtins::symbols()
            .chain(runtime::symbols())
            .map(|(name, at)| (name, at as usize))
            .collect()
    });
    symbols.get(name).map(|&at| at as *const u8)
}

/// A compiled kernel. It keeps its program alive.
pub struct Kernel {
    info: Arc<KernelInfo>,
    entry: Entry,
    address: *const u8,
    stack_size: usize,
    from_cache: bool,
    _code: Loaded,
    _program: Arc<Program>,
}

// SAFETY: the address is of code, which does not change.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("name", &self.info.name)
            .field("entry", &self.entry)
            .finish_non_exhaustive()
    }
}

type GroupEntry = unsafe extern "C" fn(*const u8, *const Group);

impl Kernel {
    /// Its parameters and properties.
    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    /// Whether its code was in the cache.
    pub fn is_from_cache(&self) -> bool {
        self.from_cache
    }

    /// Bytes of private memory of a work-item.
    pub fn private_memory(&self) -> usize {
        0
    }

    /// Runs work-groups: those with the linear numbers `groups`, dimension 0 fastest, of `launch.range`. May be
    /// called by several threads at a time with different numbers, each with its own `worker`.
    ///
    /// # Safety
    /// The arguments must be what the kernel expects: pointers valid for what it does with them, images alive.
    pub unsafe fn run(&self, launch: &Launch<'_>, groups: Range<u64>, worker: &mut Worker) -> Result<(), Fault> {
        let range = launch.range;
        let num_groups = range.groups();
        let local = worker.local_memory(launch.local_memory)?;
        let mut group = Group {
            range,
            num_groups,
            id: [0; 3],
            size: range.group_size(),
            local_memory: local,
            local_size: launch.local_memory as u64,
        };
        let args = launch.args.as_ptr();
        let id = |n: u64| {
            [
                n % num_groups[0],
                n / num_groups[0] % num_groups[1],
                n / (num_groups[0] * num_groups[1]),
            ]
        };
        match self.entry {
            Entry::Group => {
                // SAFETY: the address of code of this type, made for this kernel.
                let entry = unsafe { std::mem::transmute::<*const u8, GroupEntry>(self.address) };
                let stack = worker.fibers.stack(self.stack_size)?;
                let code = move || {
                    for n in groups {
                        group.id = id(n);
                        // SAFETY: passed on to the caller.
                        unsafe { entry(args, &group) };
                    }
                };
                // SAFETY: the code borrows the arguments, which live until the end.
                let mut guarded = unsafe { guard::Guarded::new(stack, code) };
                let mut yielder = std::ptr::null();
                let outcome = match guarded.resume(&mut yielder) {
                    guard::Step::Ended(outcome) => outcome,
                    guard::Step::Waits => Err(Fault::BarrierDivergence),
                };
                // SAFETY: on the stack is compiled code, and a closure that owns nothing.
                worker.fibers.keep(unsafe { guarded.into_stack() });
                outcome
            }
            Entry::Item => {
                // SAFETY: the address of code of this type, made for this kernel.
                let entry = unsafe { std::mem::transmute::<*const u8, runtime::ItemEntry>(self.address) };
                for n in groups {
                    group.id = id(n);
                    // SAFETY: passed on to the caller.
                    unsafe {
                        worker
                            .fibers
                            .run(entry, args, &group, self.info.sub_group_size as usize, self.stack_size)
                    }?;
                }
                Ok(())
            }
        }
    }
}

/// What a thread needs to run kernels: stacks and local memory, kept from run to run.
#[derive(Debug, Default)]
pub struct Worker {
    fibers: Fibers,
    local: Vec<LocalLine>,
}

/// Local memory is aligned to the largest vector type.
#[repr(C, align(128))]
#[derive(Clone, Copy, Debug)]
struct LocalLine([u8; 128]);

impl Worker {
    /// An empty one: it grows when a kernel needs more.
    pub fn new() -> Self {
        Self::default()
    }

    fn local_memory(&mut self, size: usize) -> Result<*mut u8, Fault> {
        let lines = size.div_ceil(size_of::<LocalLine>());
        if self.local.len() < lines {
            let more = lines - self.local.len();
            self.local.try_reserve_exact(more).map_err(|_| Fault::OutOfMemory)?;
            self.local.resize(lines, LocalLine([0; 128]));
        }
        Ok(self.local.as_mut_ptr().cast())
    }
}
