// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: linked modules and their kernels. Runs the stages of the compiler.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use oxur_cache::Key;
use oxur_fork::{Mutex, OnceLock};

use crate::cache_key::{COMPILER, ProgramKey};
use crate::code::{Code, Compiled, Outcome, Variant};
use crate::codegen::{self, Loaded, Object};
use crate::link::{GlobalName, Linked, LinkedKernel};
use crate::llvm::{self, Context};
use crate::lower::{self, global_index, global_name, pointed_name};
use crate::options::{Mode, Options, Part, Tier};
use crate::spirv::write_only_params;
use crate::stage_times::StageTimes;
use crate::target::math;
use crate::workgroup::{self, CodeInfo, Columns, Entry, ScalarCode, SubGroupLayout};
use crate::{Error, FastMath, KernelInfo, background, builtins, image, passes, runtime};

/// A linked program. It owns its global variables, but for those that it shares with other programs.
pub struct Program {
    pub(crate) linked: Linked,
    /// The variables of other programs that it uses in place of its own, by their index here: the program that has
    /// them, and their index there.
    shared: BTreeMap<usize, (Arc<Program>, usize)>,
    pub(crate) options: Options,
    infos: Vec<Arc<KernelInfo>>,
    /// The variables, and the functions that are called through pointers.
    globals: Outcome<Arc<Loaded>>,
    kernels: Mutex<HashMap<String, Slot>>,
    /// The keys of its code in the cache.
    key: OnceLock<ProgramKey>,
}

/// The result of compiling a kernel once, for all threads.
type Slot = Arc<Outcome<Arc<Compiled>>>;

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
    /// Its address.
    pub address: *mut u8,
    /// Its size in bytes.
    pub size: usize,
}

impl Program {
    /// Links modules: resolves imports, and assigns indices to global variables.
    pub fn link(parts: &[Part], options: &Options) -> Result<Arc<Self>, Error> {
        Self::link_with(parts, options, &[])
    }

    /// The same, where programs exist already that some of the modules are part of. The variables of these modules are
    /// those of the first such program.
    pub fn link_with(parts: &[Part], options: &Options, others: &[Arc<Self>]) -> Result<Arc<Self>, Error> {
        let mut options = options.clone();
        if !parts.iter().any(|part| part.module.has_floats()) {
            // The code is the same, so the cache finds it under the same key.
            options.fast_math = FastMath::default();
        }
        if options.mode == Mode::Scalar || options.no_optimization {
            // There is one code only.
            options.tier = Tier::Best;
        }
        let mut linked = Linked::new(parts, &options)?;
        let shared: BTreeMap<_, _> = (0..linked.globals.len())
            .filter_map(|index| {
                Some((
                    index,
                    others.iter().find_map(|other| find_shared(&linked, index, other))?,
                ))
            })
            .collect();
        linked.shared = shared.keys().copied().collect();
        let infos = linked.kernels.iter().map(|k| k.info.clone()).collect();
        Ok(Arc::new(Self {
            linked,
            shared,
            options,
            infos,
            globals: Outcome::default(),
            kernels: Mutex::new(HashMap::new()),
            key: OnceLock::new(),
        }))
    }

    /// Its kernels, by name.
    pub fn kernels(&self) -> &[Arc<KernelInfo>] {
        &self.infos
    }

    /// The kernels of some of its modules.
    pub fn kernels_of(&self, parts: &Range<usize>) -> impl Iterator<Item = &Arc<KernelInfo>> {
        let of_these = |kernel: &&LinkedKernel| parts.contains(&kernel.place.0);
        self.linked.kernels.iter().filter(of_these).map(|kernel| &kernel.info)
    }

    /// Whether a kernel was or is being created, or the address of a variable is known.
    pub fn is_used(&self) -> bool {
        let has_failed = |slot: &Slot| matches!(slot.get(), Some(Err(_)));
        self.globals.get().is_some_and(Result::is_ok) || !self.kernels.lock().values().all(has_failed)
    }

    /// Whether it has variables that kernels can change.
    pub fn has_variables(&self) -> bool {
        self.linked.globals.iter().any(|global| !global.is_constant)
    }

    /// The properties of a kernel, without compiling it.
    pub fn kernel_info(&self, name: &str) -> Option<&Arc<KernelInfo>> {
        self.infos.iter().find(|kernel| kernel.name == name)
    }

    /// Which parameters of a kernel are pointers to global memory that it does nothing with but store through them: a bit for each of
    /// the first 64. Intel's GPUs discard stores to a null pointer, and some programs for them have such stores. An adapter can
    /// give the kernel another address instead, as the kernel cannot tell.
    pub fn write_only_params(&self, name: &str) -> u64 {
        let kernel = self.linked.kernels.iter().find(|kernel| kernel.info.name == name);
        kernel.map_or(0, |kernel| {
            let (part, function) = kernel.place;
            let module = self.linked.module(part);
            module
                .function(function)
                .map_or(0, |function| write_only_params(module, function))
        })
    }

    /// The compiled code of a kernel. The first call compiles it; other threads that want the same one wait for it.
    pub(crate) fn compiled(&self, name: &str) -> Result<Arc<Compiled>, Error> {
        let index = self.infos.iter().position(|k| k.name == name);
        let index = index.ok_or_else(|| Error::NoKernel(name.to_string()))?;
        let slot = self.kernels.lock().entry(name.to_string()).or_default().clone();
        slot.get_or_make(|| self.compile(index).map(Arc::new)).cloned()
    }

    /// A variable that some of its modules define, by its name in `HostAccessINTEL`, then by its linkage name.
    pub fn global(&self, name: &str, parts: &Range<usize>) -> Option<Global> {
        let names = &self.linked.global_names;
        let find = |is_it: &dyn Fn(&GlobalName) -> bool| {
            names.iter().find(|known| parts.contains(&known.part) && is_it(known))
        };
        let found = find(&|known| known.host_name.as_deref() == Some(name))
            .or_else(|| find(&|known| known.name.as_deref() == Some(name)))?;
        let index = self.linked.global(found.place)?;
        let address = self.global_address(index)?.cast_mut();
        Some(Global {
            address,
            size: self.linked.globals[index].size as usize,
        })
    }

    /// The address of an exported function, as kernels see it in function pointers.
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

    /// The name in a cache of the PTX of a kernel, or of all of them.
    #[cfg(feature = "nvptx")]
    pub(crate) fn nvptx_key(&self, kernel: Option<&str>) -> oxur_cache::Key {
        match kernel {
            Some(name) => self.key().kernel(name, Variant::Main),
            None => self.key().globals(&self.linked.shared),
        }
    }

    /// The address of a variable.
    fn global_address(&self, index: usize) -> Option<*const u8> {
        match self.shared.get(&index) {
            Some((program, index)) => program.global_address(*index),
            None => self.loaded_globals().ok()?.symbol(&global_name(index)),
        }
    }

    /// The address of a variable of another program that this one uses, by its symbol here.
    fn shared_symbol(&self, name: &str) -> Option<*const u8> {
        let index = global_index(name)?;
        self.shared.contains_key(&index).then(|| self.global_address(index))?
    }

    /// The names of this program's code in the cache.
    fn key(&self) -> &ProgramKey {
        self.key
            .get_or_init(|| ProgramKey::new(&self.linked.parts, &self.options))
    }

    fn loaded_globals(&self) -> Result<Arc<Loaded>, Error> {
        let compile = || {
            passes::begin("variables");
            let context = Context::new();
            let module = lower::globals(&context, &self.linked)?;
            workgroup::finish_functions(&module);
            let machine = llvm::Machine::host().map_err(Error::Codegen)?;
            codegen::optimize(&machine, &module, &self.options, false, None)?;
            codegen::emit(&machine, &module)
        };
        let make = || llvm::isolated("the variables of a program", compile);
        let load = |object: &[u8]| {
            let resolve = |name: &str| self.shared_symbol(name).or_else(|| symbol(name));
            Object::parse(object)?.load(resolve).map(Arc::new)
        };
        let get = || {
            self.options
                .cache
                .get(&COMPILER, || self.key().globals(&self.linked.shared), make, load)
                .map(|got| got.0)
        };
        self.globals.get_or_make(get).cloned()
    }

    /// How much time goes into the code of its kernels.
    #[inline]
    pub(crate) fn tier(&self) -> Tier {
        self.options.tier
    }

    fn compile(&self, index: usize) -> Result<Compiled, Error> {
        let compiled = Compiled::new(self.linked.kernels[index].info.clone(), index);
        let first = match self.options.tier {
            Tier::Best | Tier::All => Variant::Main,
            Tier::Adaptive if self.look_up(&compiled, Variant::Main) => Variant::Main,
            Tier::Adaptive | Tier::Quick => Variant::Quick,
        };
        self.compile_variant(&compiled, first)?;
        Ok(compiled)
    }

    /// Gets code of a kernel from the cache or compiles it, unless it is there.
    pub(crate) fn compile_variant(&self, compiled: &Compiled, variant: Variant) -> Result<(), Error> {
        let get = || {
            if variant == Variant::Quick && self.tier() == Tier::Adaptive {
                background::note_quick_code();
            }
            let kernel = &self.linked.kernels[compiled.index];
            let (mut code, from_cache) = self.options.cache.get(
                &COMPILER,
                || self.key_of(kernel, variant),
                || self.object(kernel, variant),
                |object| self.load(object),
            )?;
            code.from_cache = from_cache;
            Ok(code)
        };
        compiled.slot(variant).get_or_make(get).map(drop)
    }

    /// The same for whole groups, one or several as one. Where that is impossible, or groups are no faster as one vector, the kernel keeps
    /// its main code.
    pub(crate) fn compile_whole_group(&self, compiled: &Compiled, variant: Variant) {
        if let Err(error) = self.compile_variant(compiled, variant) {
            log::debug!(
                "there is no {variant:?} code of the kernel {}: {error}",
                compiled.info.name
            );
        }
    }

    /// Gets code of a kernel from the cache. Returns whether there is some now. Only the first call looks for it.
    pub(crate) fn look_up(&self, compiled: &Compiled, variant: Variant) -> bool {
        let slot = compiled.slot(variant);
        if slot.get().is_none() && compiled.looks_up(variant) {
            let kernel = &self.linked.kernels[compiled.index];
            let cache = &self.options.cache;
            if let Some(mut code) = cache.find(|| self.key_of(kernel, variant), |object| self.load(object)) {
                code.from_cache = true;
                // Another thread may have compiled it meanwhile.
                slot.set(code);
            }
        }
        compiled.code(variant).is_some()
    }

    fn key_of(&self, kernel: &LinkedKernel, variant: Variant) -> Key {
        self.key().kernel(&kernel.info.name, self.effective(variant))
    }

    /// In the scalar mode, all code is scalar.
    fn effective(&self, variant: Variant) -> Variant {
        match self.options.mode {
            Mode::Scalar => Variant::Scalar,
            Mode::Fast => variant,
        }
    }

    /// Loads the object of a kernel.
    fn load(&self, bytes: &[u8]) -> Result<Code, Error> {
        let object = Object::parse(bytes)?;
        // The variables and functions that it refers to must exist before they are looked up.
        let globals = match object.undefined().any(is_of_program) {
            true => Some(self.loaded_globals()?),
            false => None,
        };
        let loaded = object.load(|name| match &globals {
            Some(globals) if is_of_program(name) => self.shared_symbol(name).or_else(|| globals.symbol(name)),
            _ => symbol(name),
        })?;
        let lacks = |what: &str| Error::Codegen(format!("the object has no {what}"));
        let shape = loaded.numbers(workgroup::SHAPE).ok_or_else(|| lacks("shape"))?;
        let shape = CodeInfo::read(shape).ok_or_else(|| lacks("shape that makes sense"))?;
        let address = loaded.symbol(shape.entry.symbol()).ok_or_else(|| lacks("entry"))?;
        Ok(Code {
            shape,
            address,
            from_cache: false,
            size: bytes.len(),
            _loaded: loaded,
        })
    }

    fn object(&self, kernel: &LinkedKernel, variant: Variant) -> Result<Vec<u8>, Error> {
        let what = format!("the kernel {} ({variant:?})", kernel.info.name);
        let compile = || {
            let mut times = StageTimes::start();
            let context = Context::without_names();
            let (machine, module, shape) = self.widened(&context, kernel, variant, &mut times)?;
            self.optimize(&machine, &module, shape, variant)?;
            times.end("optimize");
            let object = codegen::emit(&machine, &module);
            times.end("assembly");
            times.log(&what);
            object
        };
        llvm::isolated(&what, compile)
    }

    /// Runs LLVM's optimizer, and writes down how many bytes of variables are left.
    pub(crate) fn optimize(
        &self,
        machine: &llvm::Machine,
        module: &llvm::Module<'_>,
        shape: CodeInfo,
        variant: Variant,
    ) -> Result<(), Error> {
        match variant {
            Variant::Quick => {
                // A kernel that suspends was simplified before it was split.
                if shape.entry != Entry::Suspendable {
                    codegen::quick::simplify(machine, module)?;
                }
                shape.measured(module);
                codegen::quick::finish(machine, module)
            }
            _ => {
                let group = shape.whole_group.and_then(|_| module.function(shape.entry.symbol()));
                codegen::optimize(machine, module, &self.options, shape.lanes > 1, group)?;
                shape.measured(module);
                Ok(())
            }
        }
    }

    /// The kernel before LLVM's optimizer.
    pub(crate) fn widened<'c>(
        &'c self,
        context: &'c Context,
        kernel: &'c LinkedKernel,
        variant: Variant,
        times: &mut StageTimes,
    ) -> Result<(llvm::Machine, llvm::Module<'c>, CodeInfo), Error> {
        let variant = self.effective(variant);
        passes::begin(variant);
        let machine = match variant {
            Variant::Quick => llvm::Machine::quick(),
            _ => llvm::Machine::host(),
        };
        let machine = machine.map_err(Error::Codegen)?;
        let info = &kernel.info;
        times.end("start");
        let layout = SubGroupLayout::of(variant).filter(|_| !self.options.no_optimization);
        let required = info.required_work_group_size;
        let columns = match variant {
            Variant::Columns => Columns::Any,
            Variant::WholeColumns(size) => {
                let count = workgroup::whole_group::columns(size.map(u64::from));
                Columns::Some(count.ok_or_else(|| Error::Codegen("groups are no columns".into()))?)
            }
            _ => Columns::No,
        };
        let whole_group = match (variant, columns) {
            (Variant::WholeColumns([_, y, z]), Columns::Some(count)) => Some([count, y.into(), z.into()]),
            (Variant::WholeGroup(size), _) => Some(size.map(u32::from)),
            (Variant::Main, _) => {
                required.filter(|&size| info.has_barriers && workgroup::whole_group::suits(size.map(u64::from), 1))
            }
            _ => None,
        };
        // What has failed leaves no module behind that others could go on with.
        let ways = [whole_group.map(|size| (Some(size), true)), Some((required, false))];
        for (size, is_one_vector) in ways.into_iter().flatten() {
            let Some(layout) = layout else { break };
            let module = lower::kernel(context, &self.linked, kernel)?;
            times.end("lower");
            match workgroup::finish_wide(
                &machine,
                &module,
                info.collective_width,
                layout,
                size,
                is_one_vector,
                columns,
            ) {
                Ok(shape) => {
                    times.end("workgroup");
                    return Ok((machine, module, shape));
                }
                Err(why)
                    if matches!(
                        variant,
                        Variant::WholeGroup(_) | Variant::WholeColumns(_) | Variant::Columns
                    ) =>
                {
                    return Err(Error::Codegen(why));
                }
                Err(why) if is_one_vector => log::debug!("groups of the kernel {} are no vectors: {why}", info.name),
                Err(why) => log::info!("kernel {} is run one work-item at a time: {why}", info.name),
            }
        }
        let items_wait = info.has_barriers || self.options.mode == Mode::Scalar;
        let mut scalar = |code| {
            let module = lower::kernel(context, &self.linked, kernel)?;
            times.end("lower");
            let shape = workgroup::finish_scalar(&machine, &module, info.collective_width, items_wait, code)
                .map_err(Error::Codegen)?;
            times.end("workgroup");
            Ok((module, shape))
        };
        let (module, shape) = match variant {
            _ if self.options.mode == Mode::Scalar => scalar(ScalarCode::Reference)?,
            Variant::Quick if !info.has_device_barrier => match scalar(ScalarCode::Quick)? {
                (_, shape) if shape.frame > MAX_QUICK_FRAME => scalar(ScalarCode::AsVectors)?,
                suspends => suspends,
            },
            _ => scalar(ScalarCode::AsVectors)?,
        };
        Ok((machine, module, shape))
    }

    /// Lowers all kernels and the variables, and vectorizes those that LLVM's verifier accepts.
    #[cfg(fuzzing)]
    pub(crate) fn lower_all(&self, widen: bool) {
        let context = Context::new();
        _ = lower::globals(&context, &self.linked).map(|module| module.verify());
        for kernel in &self.linked.kernels {
            let context = Context::new();
            let Ok(module) = lower::kernel(&context, &self.linked, kernel) else {
                continue;
            };
            if module.verify().is_ok() && widen {
                for variant in [
                    Variant::Main,
                    Variant::WithTail,
                    Variant::AcrossRowsWithTail,
                    Variant::WholeGroup([64, 1, 1]),
                    Variant::WholeGroup([10, 3, 2]),
                    Variant::Columns,
                    Variant::WholeColumns([1, 10, 2]),
                    Variant::Scalar,
                    Variant::Quick,
                ] {
                    let mut times = StageTimes::start();
                    if let Ok((machine, module, shape)) = self.widened(&context, kernel, variant, &mut times) {
                        module.verify().expect("what was right stays right");
                        if variant == Variant::Quick {
                            self.optimize(&machine, &module, shape, variant)
                                .expect("what was right stays right");
                        }
                    }
                }
            }
        }
    }
}

/// The most bytes of a frame in quick code. All frames of a group are in memory, but only what is used of stacks.
const MAX_QUICK_FRAME: u64 = 16 << 10;

/// The variable of another program that this variable of a program is to be: one of the same module.
fn find_shared(linked: &Linked, index: usize, other: &Arc<Program>) -> Option<(Arc<Program>, usize)> {
    let place = linked.globals[index].place;
    let same = |part: usize| {
        let module = &linked.parts[part].module;
        let known = other.linked.parts.iter();
        known.clone().position(|known| Arc::ptr_eq(&known.module, module))
    };
    let by_module = || other.linked.global((same(place.0)?, place.1));
    // Where several modules define the variable, another definition may be the one that is used there.
    let by_name = || {
        let names = linked
            .global_names
            .iter()
            .filter(|name| name.place == place && name.name.is_some());
        names.clone().find_map(|name| {
            let part = same(name.part)?;
            let is_it = |known: &&GlobalName| known.part == part && known.name == name.name;
            other.linked.global(other.linked.global_names.iter().find(is_it)?.place)
        })
    };
    Some((other.clone(), by_module().or_else(by_name)?))
}

fn is_of_program(name: &str) -> bool {
    name.starts_with("oxur.global.") || name.starts_with("oxur.function.")
}

/// The functions that compiled code may call.
fn symbol(name: &str) -> Option<*const u8> {
    static SYMBOLS: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();
    let symbols = SYMBOLS.get_or_init(|| {
        builtins::symbols()
            .chain(runtime::symbols())
            .map(|(name, at)| (name, at as usize))
            .collect()
    });
    symbols
        .get(name)
        .map(|&at| at as *const u8)
        .or_else(|| math::vector_symbol(name))
        .or_else(|| image::symbol(name).map(<*const ()>::cast))
}
