// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! An interpreter of PTX, as far as compilers need it for kernels without images: [`parse`] reads modules, [`decode`]
//! instructions, [`link`] puts functions behind the kernels that call them, [`ops`] has what instructions compute, [`print`] prints, [`run`]
//! runs blocks.

mod decode;
mod link;
mod ops;
mod parse;
mod print;
mod run;

use std::sync::Arc;

use oxur_cuda_sys::CUresult;

use self::link::Part;

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
    part: Part,
}

impl Entry {
    /// Bytes of local memory of a thread.
    pub fn local_size(&self) -> usize {
        self.part.local_size
    }
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
    /// Runs all blocks on a device.
    pub fn run(&self, device: i32) -> Result<(), CUresult> {
        run::all(self, device)
    }
}
