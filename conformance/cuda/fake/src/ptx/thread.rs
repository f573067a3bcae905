// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The threads of a block: registers, local memory, and the functions that they are in.

use oxur_cuda_sys::*;

use super::Code;
use super::decode::Op;
use super::link::{Call, Candidates, Passed, Target};

/// How deep functions may call each other, and how much local memory a thread has for that, in bytes: as much as a GPU's.
const MOST_CALLS: usize = 1024;
const MOST_LOCAL: usize = 512 << 10;

/// The alignment of the local memory of a call.
const FRAME: usize = 128;

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Runs,
    /// Behind a barrier of the block.
    AtBarrier,
    /// With the threads of its warp in the mask.
    InWarp(u32),
    /// For those of its warp that come there in the same turn: a GPU runs them together.
    AtActiveMask,
    /// For all threads of the cluster.
    AtCluster,
    Over,
}

/// A thread.
pub struct Thread {
    /// Those of all calls, the last one's at the end.
    registers: Vec<u64>,
    pub local: Vec<u8>,
    /// What it is in.
    frame: Frame,
    /// What has called that, and where.
    callers: Vec<(Frame, usize)>,
    pub at: usize,
    pub id: [u32; 3],
    pub number: usize,
    pub state: State,
    /// How often it has come to a barrier of the cluster.
    pub arrived: u64,
    /// What an instruction in extended precision left.
    pub carry: bool,
}

/// A call: where its registers and its local memory begin.
#[derive(Clone, Copy)]
struct Frame {
    routine: usize,
    registers: usize,
    local: usize,
}

/// What is wrong with a call.
pub type Wrong = (String, CUresult);

impl Thread {
    /// A thread of a kernel.
    pub fn new(code: &Code, kernel: usize, number: usize, id: [u32; 3]) -> Self {
        let routine = &code.routines[kernel];
        Self {
            registers: vec![0; routine.registers],
            local: vec![0xcd; routine.local_size],
            frame: Frame {
                routine: kernel,
                registers: 0,
                local: 0,
            },
            callers: Vec::new(),
            at: routine.start,
            id,
            number,
            state: State::Runs,
            arrived: 0,
            carry: false,
        }
    }

    pub fn register(&self, register: usize) -> u64 {
        self.registers[self.frame.registers + register]
    }

    pub fn set_register(&mut self, register: usize, value: u64) {
        self.registers[self.frame.registers + register] = value;
    }

    /// Where a variable of the function is in local memory.
    pub fn local_at(&self, offset: usize) -> usize {
        self.frame.local + offset
    }

    /// Goes into a function. `address` is what the call's register has, if it is called so.
    pub fn enter(&mut self, code: &Code, call: &Call, address: u64) -> Result<(), Wrong> {
        let called = match &call.target {
            Target::Routine(called) => *called,
            target => pointed(code, call, target, address)?,
        };
        let routine = &code.routines[called];
        let frame = Frame {
            routine: called,
            registers: self.registers.len(),
            local: self.local.len().next_multiple_of(FRAME),
        };
        let end = frame.local + routine.local_size;
        if self.callers.len() == MOST_CALLS || end > MOST_LOCAL {
            let what = format!("{} is called too deep, or local memory is used up", routine.name);
            return Err((what, CUDA_ERROR_HARDWARE_STACK_ERROR));
        }
        self.registers.resize(frame.registers + routine.registers, 0);
        self.local.resize(end, 0xcd);
        for (from, to) in call.given.iter().zip(&routine.params) {
            copy(&mut self.local, (self.frame.local, *from), (frame.local, *to));
        }
        self.callers.push((self.frame, self.at));
        (self.frame, self.at) = (frame, routine.start);
        Ok(())
    }

    /// Goes back to where the function was called; from a kernel to its end.
    pub fn leave(&mut self, code: &Code) {
        let Some((caller, at)) = self.callers.pop() else {
            self.state = State::Over;
            return;
        };
        if let Op::Call(call) = &code.body[at].op {
            let results = &code.routines[self.frame.routine].results;
            for (to, from) in call.taken.iter().zip(results) {
                copy(&mut self.local, (self.frame.local, *from), (caller.local, *to));
            }
        }
        // What is behind the caller's local memory, to align this one's, stays.
        self.registers.truncate(self.frame.registers);
        self.local.truncate(self.frame.local);
        (self.frame, self.at) = (caller, at + 1);
    }
}

/// Copies from the local memory of one call to that of another.
fn copy(local: &mut [u8], (base, from): (usize, Passed), (to_base, to): (usize, Passed)) {
    let from = base + from.offset..base + from.offset + from.size;
    local.copy_within(from, to_base + to.offset);
}

/// The function that an address is of, if the call can be of that.
fn pointed(code: &Code, call: &Call, target: &Target, address: u64) -> Result<usize, Wrong> {
    let called = code.routine_at(address).ok_or_else(|| {
        let what = format!("{address:#x}, which is called, is no function of the module");
        // As on an H200.
        match address.is_multiple_of(16) {
            true => (what, CUDA_ERROR_ILLEGAL_ADDRESS),
            false => (what, CUDA_ERROR_INVALID_PC),
        }
    })?;
    let routine = &code.routines[called];
    let fits = match target {
        Target::Address(_, Candidates::Listed(all)) => all.contains(&called) && routine.fits(call),
        _ => routine.fits(call),
    };
    match fits {
        true => Ok(called),
        false => {
            let what = format!("{} is called as what it is not", routine.name);
            Err((what, CUDA_ERROR_ILLEGAL_INSTRUCTION))
        }
    }
}
