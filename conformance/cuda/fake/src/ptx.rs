// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! An interpreter of PTX, as far as compilers need it for kernels without images: [`parse`] reads modules, [`decode`]
//! instructions, [`link`] finds what is called, [`ops`] has what instructions compute, [`print`] prints, [`run`]
//! runs blocks, [`cluster`] knows those of a cluster, [`thread`] has their threads.

mod cluster;
mod decode;
mod link;
mod ops;
mod parse;
mod print;
mod run;
#[cfg(test)]
mod tests;
mod thread;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use oxur_cuda_sys::CUresult;

use self::decode::Inst;
use self::link::Routine;

/// Where addresses of functions begin, and the distance from one to the next.
const CODE: u64 = 4 << 60;
const FUNCTION: u64 = 128;

/// A module.
#[derive(Debug, Default)]
pub struct Code {
    pub entries: Vec<Entry>,
    pub globals: Vec<Global>,
    /// Bytes of static shared memory of a block.
    pub static_shared: usize,
    /// Kernels and functions.
    routines: Vec<Routine>,
    /// The instructions of all of them.
    body: Vec<Inst>,
    /// Where the variables are, once the module is loaded.
    places: Vec<u64>,
    /// What tells the functions of this module from those of others, once it is loaded.
    id: u32,
}

/// A variable.
#[derive(Debug)]
pub struct Global {
    pub name: String,
    /// What is in it at first.
    pub bytes: Vec<u8>,
    /// The addresses that are added to words of it, by their offsets.
    symbols: Vec<(usize, Symbol)>,
}

/// What an address is of.
#[derive(Debug)]
enum Symbol {
    Named(String),
    /// A variable, by its place among those of the module.
    Global(usize),
    /// A function, by its place among the routines.
    Routine(usize),
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
    /// `.reqnctapercluster`
    cluster: Option<[u32; 3]>,
    local_size: usize,
    /// Its place among the routines.
    routine: usize,
}

impl Entry {
    /// Bytes of local memory of a thread.
    pub fn local_size(&self) -> usize {
        self.local_size
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
    /// The blocks of a cluster, if there are clusters: see [`Self::set_cluster`].
    pub cluster: Option<[u32; 3]>,
}

impl Code {
    /// Reads a module. The error says what is not understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        parse::module(text)
    }

    /// The module is loaded: its variables are at these addresses. Returns what is in each at first.
    pub fn place(&mut self, places: Vec<u64>) -> Vec<Vec<u8>> {
        static LAST: AtomicU32 = AtomicU32::new(0);
        self.id = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        self.places = places;
        let filled = |global: &Global| {
            let mut bytes = global.bytes.clone();
            for (at, symbol) in &global.symbols {
                let address = match symbol {
                    Symbol::Global(of) => self.places[*of],
                    Symbol::Routine(of) => self.address(*of),
                    Symbol::Named(_) => continue,
                };
                if let Some((word, _)) = bytes[*at..].split_first_chunk_mut::<8>() {
                    *word = u64::from_le_bytes(*word).wrapping_add(address).to_le_bytes();
                }
            }
            bytes
        };
        self.globals.iter().map(filled).collect()
    }

    /// The address of a function: of no memory.
    fn address(&self, routine: usize) -> u64 {
        CODE | u64::from(self.id) << 32 | (FUNCTION * (routine as u64 + 1))
    }

    /// The function at an address.
    fn routine_at(&self, address: u64) -> Option<usize> {
        let own = address.checked_sub(CODE | u64::from(self.id) << 32)?;
        let routine = (own / FUNCTION).checked_sub(1)? as usize;
        let found = self.routines.get(routine)?;
        (own.is_multiple_of(FUNCTION) && found.is_function()).then_some(routine)
    }
}

impl Launch {
    /// Runs all blocks on a device.
    pub fn run(&self, device: i32) -> Result<(), CUresult> {
        run::all(self, device)
    }
}
