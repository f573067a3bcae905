// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The machine of a target, which makes its code.

use std::ffi::{CStr, CString};

use llvm_sys::core::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::support::LLVMParseCommandLineOptions;
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use llvm_sys::transforms::pass_builder::*;

use oxur_fork::{Mutex, OnceLock};

use super::{Module, library, take_message};
use crate::target::{MachineName, Target};

/// Initializes LLVM for the host, once.
pub(super) fn initialize() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        library::open_or_panic();
        Target::Host.initialize();
        // SAFETY: once, and before anything else of the target is used.
        unsafe {
            // Vectorized code has blocks with hundreds of memory accesses. The scheduler's dependency graph grows
            // quadratically with them, unless it gives up precision early. For some kernels this was most of the
            // compile time.
            // The post-RA scheduler gains next to nothing on out-of-order CPUs.
            //
            // For GPUs, modules ask to unroll loops, and LLVM would do so up to 16,384 instructions. oneDPL asks for 64 copies
            // of a body of 240 in each of its scans: NVIDIA's assembler took 12 s for what it takes 1.3 s for now.
            // Loops over arrays that have to be in registers are shorter.
            let options = [
                c"oxur",
                c"-pragma-unroll-threshold=4096",
                c"-dag-maps-huge-region=200",
                c"-dag-maps-reduction-size=100",
                c"-disable-post-ra",
            ]
            .map(CStr::as_ptr);
            LLVMParseCommandLineOptions(options.len() as i32, options.as_ptr(), c"".as_ptr());
        }
    });
}

/// How many of the passes run that LLVM may leave out, of those that were counted since the process began. Without a limit all run, and none
/// are counted.
pub fn limit_passes(count: Option<u32>) {
    initialize();
    let intervals = match count {
        None => String::new(),
        Some(few @ (0 | 1)) => few.to_string(),
        Some(count) => format!("1-{}", count.min(i32::MAX as u32)),
    };
    let option = CString::new(format!("-opt-bisect={intervals}")).expect("numbers");
    let options = [c"oxur".as_ptr(), option.as_ptr()];
    // SAFETY: two C strings. Another thread that compiles would see the option change, but only `oxur-compiler` sets limits.
    unsafe { LLVMParseCommandLineOptions(2, options.as_ptr(), c"".as_ptr()) };
}

/// LLVM's name of this CPU, and its features.
pub fn host_cpu() -> (String, String) {
    // SAFETY: texts of LLVM's that are ours.
    unsafe {
        (
            take_message(LLVMGetHostCPUName()),
            take_message(LLVMGetHostCPUFeatures()),
        )
    }
}

/// Emits object files for a CPU or GPU. Used by one thread at a time.
pub struct Machine {
    pub(super) raw: LLVMTargetMachineRef,
    /// Where it goes for the next compilation.
    pub(super) spares: Option<&'static Spares>,
}

/// Machines that no compilation uses. LLVM builds what it knows of a CPU (the subtarget) when a machine first meets a
/// function, which is a fifth of the compilation of most quick code.
pub(super) struct Spares(Mutex<Vec<LLVMTargetMachineRef>>);

/// The most that are kept: as many as compile at a time, mostly.
const MOST_SPARES: usize = 2;

// SAFETY: the lock lets one thread have a machine at a time, and nothing in it belongs to a thread. It keeps nothing of the modules
// and contexts that it has compiled but the contents of `llvm.used`, which none of ours has.
unsafe impl Sync for Spares {}

impl Machine {
    /// The machine that this process runs on.
    pub fn host() -> Result<Self, String> {
        static SPARES: Spares = Spares(Mutex::new(Vec::new()));
        Self::with_level(LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault, &SPARES)
    }

    /// The same, with the instruction selector and the register allocator that take least time.
    pub fn quick() -> Result<Self, String> {
        static SPARES: Spares = Spares(Mutex::new(Vec::new()));
        Self::with_level(LLVMCodeGenOptLevel::LLVMCodeGenLevelNone, &SPARES)
    }

    fn with_level(level: LLVMCodeGenOptLevel, spares: &'static Spares) -> Result<Self, String> {
        initialize();
        if let Some(raw) = spares.0.lock().pop() {
            let spares = Some(spares);
            return Ok(Self { raw, spares });
        }
        Self::create(Target::Host, level, LLVMRelocMode::LLVMRelocPIC, Some(spares))
    }

    /// Makes one of a target that is initialized.
    pub(super) fn create(
        target: Target,
        level: LLVMCodeGenOptLevel,
        relocations: LLVMRelocMode,
        spares: Option<&'static Spares>,
    ) -> Result<Self, String> {
        let MachineName { triple, cpu, features } = target.machine();
        let (mut backend, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the target is ready; LLVM copies the texts, and its own is disposed of once.
        let raw = unsafe {
            if LLVMGetTargetFromTriple(triple.as_ptr(), &mut backend, &mut message) != 0 {
                return Err(take_message(message));
            }
            LLVMCreateTargetMachine(
                backend,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                level,
                relocations,
                LLVMCodeModel::LLVMCodeModelDefault,
            )
        };
        match raw.is_null() {
            true => Err(format!("LLVM has no code for {target}")),
            false => Ok(Self { raw, spares }),
        }
    }

    /// Sets the target of a module.
    pub fn set_target(&self, module: &Module<'_>) {
        // SAFETY: live objects; the module copies the layout.
        unsafe {
            let layout = LLVMCreateTargetDataLayout(self.raw);
            LLVMSetModuleDataLayout(module.0, layout);
            LLVMDisposeTargetData(layout);
            let triple = LLVMGetTargetMachineTriple(self.raw);
            LLVMSetTarget(module.0, triple);
            LLVMDisposeMessage(triple);
        }
    }

    /// Runs passes, named as for `opt -passes=`. Vectorization passes run only if `vectorize`.
    pub fn run_passes(&self, module: &Module<'_>, passes: &str, vectorize: bool) -> Result<(), String> {
        let passes = CString::new(passes).map_err(|e| e.to_string())?;
        // SAFETY: live objects; the options and the error are disposed of once.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            LLVMPassBuilderOptionsSetLoopVectorization(options, vectorize.into());
            LLVMPassBuilderOptionsSetSLPVectorization(options, vectorize.into());
            LLVMPassBuilderOptionsSetLoopInterleaving(options, 1);
            LLVMPassBuilderOptionsSetLoopUnrolling(options, 1);
            let error = LLVMRunPasses(module.0, passes.as_ptr(), self.raw, options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Err(text)
        }
    }

    /// Emits an object file (ELF), or with `assembly` its text.
    pub fn emit(&self, module: &Module<'_>, assembly: bool) -> Result<Vec<u8>, String> {
        let kind = if assembly {
            LLVMCodeGenFileType::LLVMAssemblyFile
        } else {
            LLVMCodeGenFileType::LLVMObjectFile
        };
        let (mut buffer, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: live objects; the buffer is ours to dispose of.
        unsafe {
            if LLVMTargetMachineEmitToMemoryBuffer(self.raw, module.0, kind, &mut message, &mut buffer) != 0 {
                return Err(take_message(message));
            }
            let (start, size) = (LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
            let object = std::slice::from_raw_parts(start.cast::<u8>(), size).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            Ok(object)
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(spares) = self.spares {
            let mut spares = spares.0.lock();
            if spares.len() < MOST_SPARES {
                return spares.push(self.raw);
            }
        }
        // SAFETY: ours.
        unsafe { LLVMDisposeTargetMachine(self.raw) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::Context;

    const KERNEL: &str = "define void @f(ptr %p, <16 x float> %x) {
        %y = fmul <16 x float> %x, %x
        store <16 x float> %y, ptr %p
        ret void
    }";
    /// With other attributes, so other subtargets.
    const OTHER: &str = "define <8 x i64> @g(<8 x i64> %x) \"prefer-vector-width\"=\"128\" \"target-cpu\"=\"generic\" {
        %y = mul <8 x i64> %x, %x
        ret <8 x i64> %y
    }";

    /// Compiles a module. Gives the machine, too.
    fn compile(text: &str) -> (LLVMTargetMachineRef, Vec<u8>) {
        let context = Context::new();
        let module = Module::parse(&context, text).unwrap();
        let machine = Machine::host().unwrap();
        machine.set_target(&module);
        (machine.raw, machine.emit(&module, false).unwrap())
    }

    #[test]
    fn a_machine_that_is_used_again_gives_the_same_code() {
        let (machine, code) = compile(KERNEL);
        assert_eq!(compile(OTHER).0, machine);
        assert!(compile(KERNEL) == (machine, code.clone()));
        let [one, two, three] = [(); 3].map(|()| Machine::host().unwrap());
        assert!(one.raw != two.raw && one.raw != three.raw && two.raw != three.raw);
        drop([one, two, three]);
        assert!(compile(KERNEL).1 == code);
    }
}
