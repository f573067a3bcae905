// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels for NVIDIA GPUs, as PTX: the interface for an adapter that loads it by CUDA's driver API.
//!
//! A [`Program`] that was linked for [`Target::Nvptx64`](crate::Target) is compiled by [units](Unit), each of which
//! becomes a PTX module. A kernel is a unit of its own; but where the program has variables that kernels can change, or
//! functions that are called through pointers, all of its kernels are one unit, so that they share them.
//!
//! ```no_run
//! # fn main() -> Result<(), oxur_compiler::Error> {
//! # let (parts, driver) = ([], "");
//! use oxur_compiler::{Options, Program, Sm, Target};
//! let options = Options { target: Target::Nvptx64(Sm::of_device(9, 0).unwrap()), ..Options::default() };
//! let program = Program::link(&parts, &options)?;
//! let unit = program.nvptx_unit("add")?;
//! let name = format!("{} {driver}", unit.key()); // of the cubin in a cache
//! let ptx = unit.compile()?; // for cuModuleLoadDataEx or cuLinkAddData
//! let entry = unit.entry("add").unwrap(); // entry.symbol: for cuModuleGetFunction
//! # Ok(()) }
//! ```
//!
//! # A launch
//!
//! A kernel has one parameter, a block of [`Entry::block_size`] bytes: first its arguments, laid out as
//! [`KernelInfo`] says, as for the CPU, and at [`Entry::range_offset`] a [`LaunchRange`]. So `kernelParams` has one
//! element, the address of the block.
//!
//! - Values are themselves, pointers device addresses. [`ParamKind::Local`](crate::ParamKind) is an offset in shared
//!   memory: [`KernelInfo::place_local`] fills it and returns the size of the shared memory that the launch needs
//!   (`sharedMemBytes`). No shared memory is static. An image is the device address of an [`ImageDescriptor`], a sampler
//!   [`SamplerBits`](crate::SamplerBits).
//! - Blocks of the launch are work-groups; dimension 0 is `x`. [`Entry::may_pad`] says whether the last blocks may have
//!   threads beyond the global size. Those do nothing.
//! - A grid with more than 65535 blocks in `y` or `z` is launched in parts: [`LaunchRange::first_group`].
//! - A sub-group is [`KernelInfo::collective_width`] threads of a warp, consecutive by their linear ids. The last one of a
//!   group may have fewer.
//! - A kernel with [`KernelInfo::has_device_barrier`] needs a cooperative launch, and [`LaunchRange::grid_barrier`].

mod assert;
mod collectives;
mod divisions;
mod entry;
mod finish;
mod image;
mod intrinsics;
mod libdevice;
mod loops;
mod math;
mod partial;
mod printf;
mod ptxas;
mod searches;
mod unroll;

use std::ffi::CString;
use std::sync::Arc;

use crate::link::LinkedKernel;
use crate::llvm::{self, Context};
use crate::lower::{self, global_name};
use crate::stage_times::StageTimes;
use crate::target::Sm;
use crate::{Error, KernelInfo, Program, Target};

pub(crate) use entry::symbol_of;
pub use image::ImageDescriptor;
#[cfg(test)]
pub(crate) use image::define as define_images;

/// What a launch tells a kernel besides its arguments: in the last bytes of the block of parameters.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchRange {
    /// The number of work-items in each dimension; 1 in those that the range does not have.
    pub global_size: [u64; 3],
    /// The first global id.
    pub global_offset: [u64; 3],
    /// The number of work-groups: that of blocks of the whole launch.
    pub num_groups: [u32; 3],
    /// The first work-group of this part of a launch, else 0.
    pub first_group: [u32; 3],
    /// 1 to 3.
    pub dimensions: u32,
    /// 0.
    pub reserved: u32,
    /// The device address of an [`AssertRecord`] that failing assertions fill, or 0.
    pub assertion: u64,
    /// The device address of 4 bytes that are zero before the launch, for barriers of the device; or 0.
    pub grid_barrier: u64,
}

/// What an assertion leaves that fails first, in memory that the host can read (mapped, or managed). The work-item ends.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AssertRecord {
    /// 0 until an assertion fails, then 1 while the rest is written, then 2.
    pub state: u32,
    /// The line in the source.
    pub line: u32,
    /// The global id of the work-item.
    pub global_id: [u64; 3],
    /// Its local id.
    pub local_id: [u64; 3],
    /// The expression, up to the first zero.
    pub expression: [u8; 256],
    /// The file.
    pub file: [u8; 256],
    /// The function.
    pub function: [u8; 256],
}

/// A kernel in a PTX module.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its properties, as in SPIR-V. [`KernelInfo::name`] is the name there.
    pub info: Arc<KernelInfo>,
    /// Its name in PTX.
    pub symbol: String,
    /// The size of its parameter in bytes: arguments and [`LaunchRange`].
    pub block_size: usize,
    /// The offset of the [`LaunchRange`] in it. Arguments begin at 0.
    pub range_offset: usize,
    /// Whether blocks may have threads that are no work-items of the range. Otherwise the global size must be a multiple
    /// of the local size, as items wait for each other.
    pub may_pad: bool,
}

/// A variable in a PTX module, which the host can read and write (`cuModuleGetGlobal`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The names by which the host knows it: those in `HostAccessINTEL` first, then linkage names.
    pub names: Vec<String>,
    /// Its name in PTX.
    pub symbol: String,
    /// Its size in bytes.
    pub size: usize,
    /// Whether kernels only read it.
    pub is_constant: bool,
}

/// What is compiled and loaded together: a PTX module.
#[derive(Debug)]
pub struct Unit {
    program: Arc<Program>,
    sm: Sm,
    /// Its kernel; `None` if all kernels of the program are in it.
    kernel: Option<usize>,
    entries: Vec<Entry>,
    variables: Vec<Variable>,
}

impl Program {
    /// The unit that has a kernel. Nothing is compiled yet.
    pub fn nvptx_unit(self: &Arc<Self>, kernel: &str) -> Result<Unit, Error> {
        let index = self.linked.kernels.iter().position(|k| k.info.name == kernel);
        let index = index.ok_or_else(|| Error::NoKernel(kernel.to_string()))?;
        match self.is_one_unit() {
            true => self.nvptx_whole(),
            false => self.unit(Some(index)),
        }
    }

    /// The unit that has all kernels and variables.
    pub fn nvptx_whole(self: &Arc<Self>) -> Result<Unit, Error> {
        self.unit(None)
    }

    /// Whether all kernels are in one unit. Constants that the host does not know may be in each.
    fn is_one_unit(&self) -> bool {
        let linked = &self.linked;
        linked.globals.iter().any(|global| !global.is_constant)
            || linked.global_names.iter().any(|name| name.host_name.is_some())
            || !linked.pointed.is_empty()
    }

    fn unit(self: &Arc<Self>, kernel: Option<usize>) -> Result<Unit, Error> {
        let Target::Nvptx64(sm) = self.options.target else {
            return Err(Error::Codegen(
                "the program was linked for another target than nvptx64".into(),
            ));
        };
        if !self.linked.shared.is_empty() {
            return Err(Error::Unsupported {
                feature: "a variable of another program".into(),
                what: "on NVIDIA GPUs".into(),
            });
        }
        let kernels = &self.linked.kernels;
        let entries = match kernel {
            Some(index) => vec![Entry::new(&kernels[index])],
            None => kernels.iter().map(Entry::new).collect(),
        };
        let variables = match kernel {
            Some(_) => Vec::new(),
            None => self.nvptx_variables(),
        };
        Ok(Unit {
            program: self.clone(),
            sm,
            kernel,
            entries,
            variables,
        })
    }

    fn nvptx_variables(&self) -> Vec<Variable> {
        let linked = &self.linked;
        let names_of = |place| {
            let all = linked.global_names.iter().filter(move |name| name.place == place);
            let host = all.clone().filter_map(|name| name.host_name.clone());
            let mut names: Vec<String> = host.chain(all.filter_map(|name| name.name.clone())).collect();
            let mut seen = std::collections::HashSet::new();
            names.retain(|name| seen.insert(name.clone()));
            names
        };
        let variable = |(index, global): (usize, &crate::link::GlobalVariable)| Variable {
            names: names_of(global.place),
            symbol: symbol_of(&global_name(index)),
            size: global.size as usize,
            is_constant: global.is_constant,
        };
        linked.globals.iter().enumerate().map(variable).collect()
    }
}

impl Entry {
    fn new(kernel: &LinkedKernel) -> Self {
        let info = kernel.info.clone();
        let range_offset = info.args_size.next_multiple_of(8);
        Self {
            symbol: symbol_of(&info.name),
            block_size: range_offset + size_of::<LaunchRange>(),
            range_offset,
            may_pad: !info.has_barriers,
            info,
        }
    }
}

impl Unit {
    /// Whether it has all kernels of the program, because they share variables or functions. It is loaded once then.
    pub fn is_whole_program(&self) -> bool {
        self.kernel.is_none()
    }

    /// Its kernels.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// A kernel, by its name in SPIR-V.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.info.name == name)
    }

    /// Its variables that the host may reach.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// A variable, by its name in `HostAccessINTEL`, then by its linkage name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables
            .iter()
            .find(|variable| variable.names.iter().any(|n| n == name))
    }

    /// The name of its PTX in a cache, 64 digits: the same for the same modules, constants, options and target by the
    /// same build of this compiler, whatever libdevice it finds. What the driver makes of the PTX also depends on the
    /// driver and on the GPU.
    pub fn key(&self) -> String {
        let key = match self.kernel {
            Some(index) => self
                .program
                .nvptx_key(Some(&self.program.linked.kernels[index].info.name)),
            None => self.program.nvptx_key(None),
        };
        key.path().replace('/', "")
    }

    /// Compiles it to PTX.
    pub fn compile(&self) -> Result<CString, Error> {
        let what = match self.kernel {
            Some(index) => format!("the kernel {}", self.program.linked.kernels[index].info.name),
            None => "a program's kernels".into(),
        };
        let compile = || {
            let mut times = StageTimes::start();
            let context = Context::without_names();
            let (machine, module) = self.finished(&context, &mut times)?;
            finish::optimize(&machine, &module, &self.program.options, &self.entries, &mut times)?;
            let ptx = machine.emit(&module, true).map_err(Error::Codegen)?;
            times.end("emit");
            times.log(&what);
            Ok(ptx)
        };
        let ptx = llvm::isolated(&what, compile)?;
        CString::new(ptx).map_err(|_| Error::Codegen("the PTX has a zero in it".into()))
    }

    /// The IR before LLVM's optimizer.
    pub(crate) fn finished<'c>(
        &'c self,
        context: &'c Context,
        times: &mut StageTimes,
    ) -> Result<(llvm::Machine, llvm::Module<'c>), Error> {
        let linked = &self.program.linked;
        let machine = llvm::Machine::nvptx64(self.sm).map_err(Error::Codegen)?;
        let module = lower::globals(context, linked)?;
        machine.set_target(&module);
        finish::finish(&module, self.sm, Target::Nvptx64(self.sm).sub_group_size());
        for (entry, kernel) in self.kernels() {
            let lowered = lower::kernel(context, linked, kernel)?;
            partial::find(&lowered);
            entry::make(&lowered, entry)?;
            finish::finish(&lowered, self.sm, entry.info.collective_width);
            machine.set_target(&lowered);
            module.link(lowered).map_err(Error::Codegen)?;
        }
        times.end("lower");
        math::define(&machine, &module)?;
        finish::internalize(&module, &self.entries, &self.variables);
        machine
            .run_passes(&module, "globaldce", false)
            .map_err(Error::Codegen)?;
        finish::check(&module)?;
        times.end("math");
        Ok((machine, module))
    }

    fn kernels(&self) -> impl Iterator<Item = (&Entry, &LinkedKernel)> {
        let kernels = &self.program.linked.kernels;
        let of_unit = match self.kernel {
            Some(index) => &kernels[index..=index],
            None => &kernels[..],
        };
        self.entries.iter().zip(of_unit)
    }

    /// What a stage makes of it, as text: `lower` and `workgroup` are the same here as for the CPU, but with each item
    /// in a thread of its own.
    pub(crate) fn print(&self, stage: &str) -> Result<String, Error> {
        let context = Context::new();
        if let ("lower", Some(index)) = (stage, self.kernel) {
            let linked = &self.program.linked;
            return Ok(lower::kernel(&context, linked, &linked.kernels[index])?.to_string());
        }
        let times = &mut StageTimes::start();
        let (machine, module) = self.finished(&context, times)?;
        if matches!(stage, "lower" | "workgroup") {
            return Ok(module.to_string());
        }
        finish::optimize(&machine, &module, &self.program.options, &self.entries, times)?;
        if stage == "optimize" {
            return Ok(module.to_string());
        }
        let text = machine.emit(&module, true).map_err(Error::Codegen)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::{AssertRecord, LaunchRange};

    #[test]
    fn structures_have_no_gaps() {
        // `conformance/differential/nvptx.py` packs the first one by itself.
        assert_eq!(size_of::<LaunchRange>(), 2 * 24 + 2 * 12 + 2 * 4 + 2 * 8);
        assert_eq!(offset_of!(LaunchRange, assertion), 80);
        assert_eq!(size_of::<AssertRecord>(), 2 * 4 + 2 * 24 + 3 * 256);
    }
}
