// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Errors of compilation ([`Error`]) and of running kernels ([`Fault`]).

/// Why a module, a program or a kernel cannot be compiled.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The module breaks a rule of SPIR-V.
    #[error("the SPIR-V module is malformed at byte {offset}: {what}")]
    Malformed {
        /// Where the instruction begins, in bytes from the start of the module.
        offset: usize,
        /// The rule.
        what: String,
    },
    /// The module is valid, but needs an unsupported feature.
    #[error("{feature} is not supported{}", place(.what))]
    Unsupported {
        /// A capability, instruction, extension or type, by its name in SPIR-V.
        feature: String,
        /// Where it is used, or an empty string.
        what: String,
    },
    /// The modules cannot be linked.
    #[error("link: {0}")]
    Link(String),
    /// There is no kernel of this name.
    #[error("there is no kernel {0}")]
    NoKernel(String),
    /// LLVM rejected its input: a bug of this compiler, or a malformed module that no check has found.
    #[error("code generation failed: {0}")]
    Codegen(String),
    /// There is too little memory to compile.
    #[error(
        "there is no memory to compile {0}: raise the limit of the process (`ulimit -v`), or give the machine or the \
         container more"
    )]
    OutOfMemory(String),
}

impl Error {
    /// A violated rule of SPIR-V, found where the offset of the instruction is not known. A caller that knows it adds
    /// the offset.
    pub(crate) fn malformed(what: impl Into<String>) -> Self {
        Error::Malformed {
            offset: 0,
            what: what.into(),
        }
    }

    /// The same, with the offset of the instruction (in words), unless it already has one.
    pub(crate) fn at(self, word: usize) -> Self {
        match self {
            Error::Malformed { offset: 0, what } => Error::Malformed { offset: word * 4, what },
            other => other,
        }
    }
}

fn place(what: &str) -> String {
    if what.is_empty() {
        String::new()
    } else {
        format!(" ({what})")
    }
}

/// Why a running kernel was stopped. The process and the other commands go on.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Fault {
    /// An assertion of the kernel failed. The message is already on stderr.
    #[error("an assertion failed: {0}")]
    Assert(String),
    /// The kernel accessed unmapped memory at this address.
    #[error("invalid memory access at {0:#x}")]
    Memory(usize),
    /// A work-item overflowed its stack.
    #[error("stack overflow")]
    StackOverflow,
    /// The kernel raised another signal, for example by an instruction that traps.
    #[error("signal {0}")]
    Signal(i32),
    /// Work-items of a group wait at different barriers, or at one that other items never reach.
    #[error("work-items of a group do not reach the same barrier")]
    BarrierDivergence,
    /// There is not enough memory for local memory or for stacks.
    #[error("out of memory for the work-group")]
    OutOfMemory,
}
