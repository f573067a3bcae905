// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! An interpreter of PTX, as far as compilers need it for kernels without images: [`parse`] reads modules, [`decode`]
//! instructions, [`ops`] has what they compute, [`run`] runs blocks.

mod decode;
mod ops;
mod parse;
mod run;

use std::collections::HashSet;
use std::sync::Arc;

use oxur_cuda_sys::CUresult;

use self::decode::Inst;

/// A module.
#[derive(Debug, Default)]
pub struct Code {
    pub entries: Vec<Entry>,
    pub globals: Vec<Global>,
    /// Bytes of static shared memory of a block.
    pub static_shared: usize,
    /// Where the variables are, once the module is loaded.
    places: Vec<u64>,
}

/// A variable.
#[derive(Debug)]
pub struct Global {
    pub name: String,
    /// What is in it at first.
    pub bytes: Vec<u8>,
}

/// A kernel.
#[derive(Debug)]
pub struct Entry {
    pub name: String,
    pub params: Vec<Param>,
    /// Bytes of all parameters.
    pub params_size: usize,
    /// `.reqntid`
    pub required: Option<[u32; 3]>,
    /// `.maxntid`
    pub most: Option<u32>,
    /// Bytes of local memory of a thread.
    pub local_size: usize,
    registers: usize,
    /// Those of 16 bits.
    narrow: HashSet<usize>,
    body: Vec<Inst>,
}

/// A parameter.
#[derive(Debug)]
pub struct Param {
    pub name: String,
    pub offset: usize,
    pub size: usize,
}

/// A launch.
pub struct Launch {
    pub code: Arc<Code>,
    /// The place of the kernel in the code.
    pub entry: usize,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: usize,
    pub params: Vec<u8>,
}

impl Code {
    /// Reads a module. The error says what is not understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        parse::module(text)
    }

    /// The module is loaded: its variables are at these addresses.
    pub fn place(&mut self, places: &[u64]) {
        self.places = places.to_vec();
    }
}

impl Launch {
    /// Runs all blocks.
    pub fn run(&self) -> Result<(), CUresult> {
        run::all(self)
    }
}
