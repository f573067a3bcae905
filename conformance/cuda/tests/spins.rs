// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels that run until the host lets them go on.

use oxur_client::*;

use crate::Rig;

/// A kernel that runs, and what keeps it from ending.
pub struct Spin {
    pub event: Event,
    word: Usm,
    _kernel: Kernel,
}

impl Spin {
    /// One that ends.
    pub fn new(rig: &Rig) -> Self {
        Self::of(rig, "hold")
    }

    /// One that faults at its end.
    pub fn failing(rig: &Rig) -> Self {
        Self::of(rig, "hold_and_fail")
    }

    fn of(rig: &Rig, name: &str) -> Self {
        let ptx = include_bytes!("spins.ptx");
        let program = Program::with_binaries(&rig.context, &[&rig.device], &[ptx]).expect("urProgramCreateWithBinary");
        program.build(&rig.context, "").expect("urProgramBuild");
        let kernel = Kernel::new(&program, name).expect("urKernelCreate");
        let mut word = Usm::host(&rig.context, 4, UsmRequest::default()).expect("urUSMHostAlloc");
        // SAFETY: new memory, which no command uses yet.
        let values = unsafe { word.as_mut_slice::<u32>() };
        values[0] = 0;
        let event = rig
            .launch(&kernel, &Range::new([1]), &[Arg::Pointer(word.ptr())])
            .expect("launch");
        Self {
            event,
            word,
            _kernel: kernel,
        }
    }

    /// Lets it end.
    pub fn end(&self) {
        // SAFETY: a word that the kernel reads as a volatile one.
        unsafe { self.word.ptr().cast::<u32>().write_volatile(1) };
    }
}
