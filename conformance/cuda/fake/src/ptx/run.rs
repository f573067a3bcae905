// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Runs blocks: each thread until it has to wait for others of its warp or its block.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use oxur_cuda_sys::*;

use super::cluster::{self, Reachable, Shared};
use super::decode::{Inst, Op, Operand, Space, Special};
use super::link::Target;
use super::ops::{self, Ty};
use super::thread::{State, Thread};
use super::{Code, Entry, Launch};
use crate::memory;

/// Where generic addresses of shared memory begin, of local memory, and of parameters.
const SHARED: u64 = 1 << 60;
const LOCAL: u64 = 2 << 60;
const PARAM: u64 = 3 << 60;
const WARP: usize = 32;

/// What `shfl` reads of a thread that takes no part.
const NOT_THERE: u64 = 0xdead_beef;

/// How many instructions a thread runs before others get their turn: it may wait for what they write.
const TURN: usize = 20_000;

/// Taken for atomic operations: streams run at the same time.
static ATOMICS: Mutex<()> = Mutex::new(());

struct Block<'a> {
    launch: &'a Launch,
    device: i32,
    entry: &'a Entry,
    code: &'a Code,
    shared: Shared,
    /// The shared memory of all blocks.
    all_shared: &'a Reachable,
    id: [u32; 3],
    threads: Vec<Thread>,
}

/// How the turn of a block has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Over,
    /// There is more to run.
    More,
    /// Its threads wait for other blocks, and whether there was anything to run before.
    Waits(bool),
}

/// Runs all blocks of a launch, one after the other. Blocks that wait for each other take turns.
pub fn all(launch: &Launch, device: i32) -> Result<(), CUresult> {
    let [gx, gy, gz] = launch.grid;
    let all_shared = Reachable::default();
    let mut waiting: Vec<Block<'_>> = Vec::new();
    for z in 0..gz {
        for y in 0..gy {
            for x in 0..gx {
                let mut block = Block::new(launch, device, &all_shared, [x, y, z]);
                if block.turn()? != Turn::Over {
                    waiting.push(block);
                }
            }
        }
    }
    while !waiting.is_empty() {
        let (mut failed, mut goes_on) = (Ok(()), meet_in_clusters(launch, &mut waiting));
        waiting.retain_mut(|block| match block.turn() {
            Ok(turn) => {
                goes_on |= turn != Turn::Waits(false);
                turn != Turn::Over
            }
            Err(fault) => {
                failed = Err(fault);
                false
            }
        });
        failed?;
        if !goes_on && let Some(block) = waiting.first() {
            return Err(block.stuck());
        }
    }
    Ok(())
}

/// Lets threads go on that wait for those of their clusters, if all have come. Whether there are any.
fn meet_in_clusters(launch: &Launch, blocks: &mut [Block<'_>]) -> bool {
    let mut arrived: HashMap<[u32; 3], u64> = HashMap::new();
    for block in blocks.iter() {
        let least = arrived.entry(launch.cluster_of(block.id)).or_insert(u64::MAX);
        let alive = block.threads.iter().filter(|thread| thread.state != State::Over);
        *least = alive.map(|thread| thread.arrived).fold(*least, u64::min);
    }
    let mut any = false;
    for block in blocks {
        let least = arrived[&launch.cluster_of(block.id)];
        for thread in &mut block.threads {
            if thread.state == State::AtCluster && thread.arrived <= least {
                (thread.state, any) = (State::Runs, true);
            }
        }
    }
    any
}

impl<'a> Block<'a> {
    fn new(launch: &'a Launch, device: i32, all_shared: &'a Reachable, id: [u32; 3]) -> Self {
        let code = &*launch.code;
        let entry = &code.entries[launch.entry];
        let [bx, by, bz] = launch.block;
        let ids = (0..bz).flat_map(|z| (0..by).flat_map(move |y| (0..bx).map(move |x| [x, y, z])));
        let thread = |(number, id)| Thread::new(code, entry.routine, number, id);
        let shared: Shared = (0..code.static_shared + 16 + launch.shared)
            .map(|_| Cell::new(0xcd))
            .collect();
        all_shared.borrow_mut().insert(id, Rc::downgrade(&shared));
        Self {
            launch,
            device,
            entry,
            code,
            shared,
            all_shared,
            id,
            threads: ids.enumerate().map(thread).collect(),
        }
    }

    /// Gives each thread a turn, until all are over, or wait for other blocks, or after many turns.
    fn turn(&mut self) -> Result<Turn, CUresult> {
        let runs = |block: &Self| block.threads.iter().any(|thread| thread.state == State::Runs);
        let ran = runs(self);
        for _ in 0..64 {
            for number in 0..self.threads.len() {
                if self.threads[number].state == State::Runs {
                    self.run(number)?;
                }
            }
            self.meet()?;
            if self.threads.iter().all(|thread| thread.state == State::Over) {
                return Ok(Turn::Over);
            }
            if runs(self) {
                continue;
            }
            return match self.threads.iter().any(|thread| thread.state == State::AtCluster) {
                true => Ok(Turn::Waits(ran)),
                false => Err(self.stuck()),
            };
        }
        Ok(Turn::More)
    }

    /// Lets threads go on whose others have come.
    fn meet(&mut self) -> Result<(), CUresult> {
        let at_barrier = |thread: &Thread| matches!(thread.state, State::AtBarrier | State::Over);
        if self.threads.iter().all(at_barrier) {
            self.aligned()?;
            for thread in self
                .threads
                .iter_mut()
                .filter(|thread| thread.state == State::AtBarrier)
            {
                thread.state = State::Runs;
            }
        }
        for first in (0..self.threads.len()).step_by(WARP) {
            let lanes = first..self.threads.len().min(first + WARP);
            for lane in lanes.clone() {
                let at = self.threads[lane].at;
                if self.threads[lane].state == State::AtActiveMask {
                    let is_there = |&other: &usize| {
                        self.threads[other].state == State::AtActiveMask && self.threads[other].at == at
                    };
                    let there: Vec<usize> = lanes.clone().filter(is_there).collect();
                    let mask = there.iter().map(|other| 1 << (other - first)).sum();
                    for other in there {
                        self.write(other, &self.code.body[at].args[0], mask);
                        (self.threads[other].state, self.threads[other].at) = (State::Runs, at + 1);
                    }
                    continue;
                }
                let State::InWarp(mask) = self.threads[lane].state else {
                    continue;
                };
                let members: Vec<usize> = lanes.clone().filter(|other| mask >> (other - first) & 1 != 0).collect();
                let is_there = |&other: &usize| {
                    let thread = &self.threads[other];
                    thread.state == State::Over || thread.state == State::InWarp(mask) && thread.at == at
                };
                if members.iter().all(is_there) {
                    self.together(at, first, &members)?;
                }
            }
        }
        Ok(())
    }

    /// Checks that the threads of each warp are at the same barrier, if that has to be so.
    fn aligned(&self) -> Result<(), CUresult> {
        let body = &self.code.body;
        for warp in self.threads.chunks(WARP) {
            let mut there = warp.iter().filter(|thread| thread.state == State::AtBarrier);
            let Some(first) = there.next() else { continue };
            let other = there.find(|thread| thread.at != first.at);
            if let Some(other) = other
                && [first, other]
                    .iter()
                    .any(|thread| matches!(body[thread.at - 1].op, Op::Barrier(true)))
            {
                let lines = [first, other].map(|thread| body[thread.at - 1].line);
                let what = format!("threads of a warp are at different barriers, in the lines {lines:?}");
                return Err(self.fault(other.number, &what, CUDA_ERROR_LAUNCH_FAILED));
            }
        }
        Ok(())
    }

    /// All threads wait for others, which never come: a GPU would wait for ever.
    fn stuck(&self) -> CUresult {
        let mut waiting = self.threads.iter().filter(|thread| thread.state != State::Over);
        let first = waiting.next().map_or(0, |thread| thread.number);
        let mut places: Vec<(usize, State, usize)> = Vec::new();
        for thread in self.threads.iter().filter(|thread| thread.state != State::Over) {
            let is_behind = matches!(thread.state, State::AtBarrier | State::AtCluster);
            let at = thread.at - usize::from(is_behind);
            match places.iter_mut().find(|place| (place.0, place.1) == (at, thread.state)) {
                Some(place) => place.2 += 1,
                None => places.push((at, thread.state, 1)),
            }
        }
        let places = places.iter().map(|&(at, state, count)| {
            let of = match state {
                State::InWarp(mask) => format!("for those of {mask:#x} of its warp"),
                State::AtCluster => "for all of the cluster".to_owned(),
                _ => "for all of the block".to_owned(),
            };
            format!("{count} in line {} {of}", self.code.body[at].line)
        });
        let places = places.take(8).collect::<Vec<_>>().join(", ");
        self.fault(
            first,
            &format!("threads wait for others for ever: {places}"),
            CUDA_ERROR_LAUNCH_TIMEOUT,
        )
    }

    /// Says what is wrong with a kernel, for who reads the output of a test.
    fn fault(&self, number: usize, what: &str, code: CUresult) -> CUresult {
        let (name, id) = (&self.entry.name, self.id);
        eprintln!("fake CUDA: {name}, block {id:?}, thread {number}: {what}");
        code
    }

    /// Runs an instruction of several threads of a warp.
    fn together(&mut self, at: usize, first: usize, members: &[usize]) -> Result<(), CUresult> {
        let inst = &self.code.body[at];
        let alive: Vec<usize> = members
            .iter()
            .copied()
            .filter(|&m| self.threads[m].state != State::Over)
            .collect();
        let read = |block: &Self, lane: usize, at: usize| block.read(lane, &inst.args[at]);
        let mut results: Vec<(usize, Vec<u64>)> = Vec::new();
        for &own in &alive {
            let lane = (own - first) as u32;
            results.push((
                own,
                match inst.op {
                    Op::Shuffle(mode) => {
                        let has_predicate = inst.args.len() == 6;
                        let at = usize::from(has_predicate);
                        let (by, control) = (read(self, own, at + 2) as u32, read(self, own, at + 3) as u32);
                        let (clamp, segment) = (control & 31, control >> 8 & 31);
                        let last = lane & segment | clamp & !segment;
                        let least = lane & segment;
                        let (from, inside) = match mode {
                            "up" => (
                                lane.wrapping_sub(by & 31),
                                lane.wrapping_sub(by & 31).cast_signed() >= last.cast_signed(),
                            ),
                            "down" => (lane + (by & 31), lane + (by & 31) <= last),
                            "bfly" => (lane ^ (by & 31), lane ^ (by & 31) <= last),
                            _ => (least | by & 31 & !segment, least | by & 31 & !segment <= last),
                        };
                        let source = first + if inside { from } else { lane } as usize;
                        // What a thread has that takes no part is open.
                        let value = match alive.contains(&source) {
                            true => read(self, source, at + 1),
                            false => NOT_THERE,
                        };
                        vec![value, u64::from(inside)]
                    }
                    Op::Vote(mode) => {
                        let said = |lane: usize| read(self, lane, 1) & 1 != 0;
                        let mut lanes = alive.iter().copied();
                        vec![match mode {
                            "any" => u64::from(lanes.any(said)),
                            "all" => u64::from(lanes.all(said)),
                            "uni" => u64::from(lanes.all(|lane| said(lane) == said(alive[0]))),
                            _ => lanes.filter(|&lane| said(lane)).map(|lane| 1 << (lane - first)).sum(),
                        }]
                    }
                    Op::Match(mode, ty) => {
                        let at = usize::from(inst.args.len() == 4);
                        let value = |lane| ty.cut(read(self, lane, at + 1));
                        let same = alive.iter().filter(|&&lane| value(lane) == value(own));
                        let mask: u64 = same.map(|lane| 1 << (lane - first)).sum();
                        let all = mask.count_ones() as usize == alive.len();
                        vec![if mode == "all" && !all { 0 } else { mask }, u64::from(all)]
                    }
                    Op::Reduce(name, ty) => {
                        let values = alive.iter().map(|&lane| read(self, lane, 1));
                        let result = values.reduce(|a, b| ops::binary(name, "", ty, a, b).unwrap_or(a));
                        vec![result.unwrap_or(0)]
                    }
                    _ => Vec::new(),
                },
            ));
        }
        for (own, values) in results {
            for (arg, value) in inst.args.iter().zip(values) {
                self.write(own, arg, value);
                // What is behind the first result is another one only where the instruction has two.
                if matches!(inst.op, Op::Vote(_) | Op::Reduce(..))
                    || matches!(inst.op, Op::Shuffle(_)) && inst.args.len() == 5
                    || matches!(inst.op, Op::Match(..)) && inst.args.len() == 3
                {
                    break;
                }
            }
            let thread = &mut self.threads[own];
            (thread.state, thread.at) = (State::Runs, thread.at + 1);
        }
        Ok(())
    }

    fn read(&self, number: usize, operand: &Operand) -> u64 {
        let thread = &self.threads[number];
        match operand {
            Operand::Register(register) => thread.register(*register),
            Operand::Not(register) => thread.register(*register) ^ 1,
            Operand::Immediate(bits) => *bits,
            Operand::Local(offset) => thread.local_at(*offset) as u64,
            Operand::Passed(passed) => LOCAL | thread.local_at(passed.offset) as u64,
            Operand::Global(at, behind) => self.code.places[*at] + behind,
            Operand::Routine(at) => self.code.address(*at),
            Operand::Dynamic => self.code.static_shared.next_multiple_of(16) as u64,
            Operand::Special(special) => self.special(thread, *special),
            Operand::Memory(base, offset) => self.read(number, base).wrapping_add_signed(*offset),
            Operand::Label(_) | Operand::Vector(_) | Operand::Nothing => 0,
        }
    }

    fn special(&self, thread: &Thread, special: Special) -> u64 {
        let lane = thread.number % WARP;
        u64::from(match special {
            Special::Tid(d) => thread.id[d],
            Special::Ntid(d) => self.launch.block[d],
            Special::Ctaid(d) => self.id[d],
            Special::Nctaid(d) => self.launch.grid[d],
            Special::Lane => lane as u32,
            Special::Warp => (thread.number / WARP) as u32,
            Special::Mask(which) => {
                let own = 1_u32 << lane;
                match which {
                    "lt" => own - 1,
                    "le" => own | (own - 1),
                    "eq" => own,
                    "ge" => !(own - 1),
                    _ => !(own | (own - 1)),
                }
            }
            Special::DynamicShared => self.launch.shared as u32,
            Special::Cluster(fact) => self.launch.of_cluster(fact, self.id),
            Special::Clock => {
                static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
                return START.get_or_init(Instant::now).elapsed().as_nanos() as u64;
            }
        })
    }

    /// Where some bytes are.
    fn place(&mut self, number: usize, space: Space, address: u64, size: usize) -> Result<*mut u8, CUresult> {
        let (space, address) = match (space, address >> 60) {
            (Space::Generic, 1) => (Space::Cluster, address - SHARED),
            // Parameters of functions are there, too.
            (Space::Generic | Space::Param, 2) => (Space::Local, address - LOCAL),
            (Space::Generic, 3) => (Space::Param, address - PARAM),
            _ => (space, address),
        };
        if !address.is_multiple_of(size as u64) {
            return Err(CUDA_ERROR_MISALIGNED_ADDRESS);
        }
        let at = address as usize;
        let inside = |memory: &[u8]| at.checked_add(size).is_some_and(|end| end <= memory.len());
        match space {
            Space::Shared if at.checked_add(size).is_some_and(|end| end <= self.shared.len()) => {
                Ok(cells(&self.shared, at))
            }
            Space::Cluster => {
                let found = self.launch.shared_at(self.id, &self.shared, self.all_shared, address);
                let found = found.filter(|(shared, at)| at + size <= shared.len());
                found.map_or(Err(CUDA_ERROR_ILLEGAL_ADDRESS), |(shared, at)| Ok(cells(&shared, at)))
            }
            Space::Local if inside(&self.threads[number].local) => Ok(self.threads[number].local[at..].as_mut_ptr()),
            // Nobody writes to them.
            Space::Param if inside(&self.launch.params) => Ok(self.launch.params[at..].as_ptr().cast_mut()),
            Space::Global | Space::Generic => {
                memory::of_kernel_on(self.device, address, size).ok_or(CUDA_ERROR_ILLEGAL_ADDRESS)
            }
            _ => Err(CUDA_ERROR_ILLEGAL_ADDRESS),
        }
    }

    fn load(&mut self, number: usize, space: Space, ty: Ty, address: u64) -> Result<u64, CUresult> {
        let place = self.place(number, space, address, ty.size())?;
        // SAFETY: `place` has found so many bytes, aligned as their type.
        Ok(unsafe {
            match ty.size() {
                1 => place.read_volatile().into(),
                2 => place.cast::<u16>().read_unaligned().into(),
                4 => place.cast::<u32>().read_unaligned().into(),
                _ => place.cast::<u64>().read_unaligned(),
            }
        })
    }

    fn store(&mut self, number: usize, space: Space, ty: Ty, address: u64, value: u64) -> Result<(), CUresult> {
        let place = self.place(number, space, address, ty.size())?;
        // SAFETY: as in `load`.
        unsafe { place.copy_from_nonoverlapping(value.to_le_bytes().as_ptr(), ty.size()) };
        Ok(())
    }

    /// Runs a thread until its turn is over, or it has to wait.
    fn run(&mut self, number: usize) -> Result<(), CUresult> {
        let code = self.code;
        for _ in 0..TURN {
            let at = self.threads[number].at;
            let inst = &code.body[at];
            if let Some((predicate, negated)) = inst.guard
                && (self.threads[number].register(predicate) & 1 != 0) == negated
            {
                self.threads[number].at = at + 1;
                continue;
            }
            match &inst.op {
                Op::Branch(target) => {
                    self.threads[number].at = *target;
                    continue;
                }
                Op::BranchTo(targets) => {
                    let index = self.read(number, &inst.args[0]) as u32 as usize;
                    // CUDA leaves open what other numbers do.
                    self.threads[number].at = *targets.get(index).ok_or(CUDA_ERROR_ILLEGAL_INSTRUCTION)?;
                    continue;
                }
                Op::Call(call) => {
                    let address = match &call.target {
                        Target::Address(register, _) => self.read(number, register),
                        _ => 0,
                    };
                    let entered = self.threads[number].enter(code, call, address);
                    entered.map_err(|(what, fault)| {
                        self.fault(number, &format!("{what}, in line {}", inst.line), fault)
                    })?;
                    continue;
                }
                Op::Return => {
                    let thread = &mut self.threads[number];
                    thread.leave(code);
                    if thread.state == State::Over {
                        return Ok(());
                    }
                    continue;
                }
                Op::Print(format, arguments) => self.print(number, *format, *arguments)?,
                Op::Exit => {
                    self.threads[number].state = State::Over;
                    return Ok(());
                }
                Op::Trap => return Err(CUDA_ERROR_LAUNCH_FAILED),
                Op::Barrier(_) => {
                    let thread = &mut self.threads[number];
                    (thread.state, thread.at) = (State::AtBarrier, at + 1);
                    return Ok(());
                }
                Op::ClusterArrive => self.threads[number].arrived += 1,
                Op::ClusterWait => {
                    let thread = &mut self.threads[number];
                    (thread.state, thread.at) = (State::AtCluster, at + 1);
                    return Ok(());
                }
                Op::ActiveMask => {
                    self.threads[number].state = State::AtActiveMask;
                    return Ok(());
                }
                Op::WarpBarrier | Op::Shuffle(_) | Op::Vote(_) | Op::Match(..) | Op::Reduce(..) => {
                    let mask = inst.args.last().map_or(u32::MAX, |mask| self.read(number, mask) as u32);
                    if mask >> (number % WARP) & 1 == 0 {
                        let what = format!("the mask {mask:#x} in line {} lacks the thread itself", inst.line);
                        return Err(self.fault(number, &what, CUDA_ERROR_ILLEGAL_INSTRUCTION));
                    }
                    self.threads[number].state = State::InWarp(mask);
                    return Ok(());
                }
                _ => self.compute(number, inst)?,
            }
            self.threads[number].at = at + 1;
        }
        Ok(())
    }

    /// `vprintf` with the addresses that are at two places of local memory.
    fn print(&mut self, number: usize, format: usize, arguments: usize) -> Result<(), CUresult> {
        let [format, arguments] = [format, arguments].map(|offset| {
            let at = self.threads[number].local_at(offset) as u64;
            self.load(number, Space::Local, Ty::U64, at)
        });
        let (format, arguments) = (self.text(number, format?)?, arguments?);
        let block = std::cell::RefCell::new(self);
        let word = |at: usize, size: usize| {
            let ty = if size == 4 { Ty::U32 } else { Ty::U64 };
            block
                .borrow_mut()
                .load(number, Space::Generic, ty, arguments + at as u64)
        };
        super::print::print(&format, word, |address| block.borrow_mut().text(number, address))
    }

    /// The characters at an address, without the zero behind them.
    fn text(&mut self, number: usize, address: u64) -> Result<Vec<u8>, CUresult> {
        let mut text = Vec::new();
        loop {
            match self.load(number, Space::Generic, Ty::U8, address + text.len() as u64)? {
                0 => return Ok(text),
                byte => text.push(byte as u8),
            }
        }
    }

    fn write(&mut self, number: usize, operand: &Operand, value: u64) {
        if let Operand::Register(register) = operand {
            self.threads[number].set_register(*register, value);
        }
    }

    /// Runs an instruction of one thread.
    fn compute(&mut self, number: usize, inst: &Inst) -> Result<(), CUresult> {
        let args = &inst.args;
        let arg = |block: &Self, at: usize| args.get(at).map_or(0, |arg| block.read(number, arg));
        let unknown = CUDA_ERROR_ILLEGAL_INSTRUCTION;
        let value = match inst.op {
            Op::Nothing => return Ok(()),
            Op::Sleep => {
                std::thread::sleep(std::time::Duration::from_micros(50));
                return Ok(());
            }
            Op::Move(size) => {
                self.copy(number, size, &args[0], &args[1]);
                return Ok(());
            }
            Op::Load(space, ty) => {
                let address = arg(self, 1);
                if let Operand::Vector(all) = &args[0] {
                    for (at, to) in all.iter().enumerate() {
                        let value = self.load(number, space, ty, address + (at * ty.size()) as u64)?;
                        self.write(number, to, extended(ty, value));
                    }
                    return Ok(());
                }
                extended(ty, self.load(number, space, ty, address)?)
            }
            Op::Store(space, ty) => {
                let address = arg(self, 0);
                if let Operand::Vector(all) = &args[1] {
                    for (at, from) in all.iter().enumerate() {
                        let value = self.read(number, from);
                        self.store(number, space, ty, address + (at * ty.size()) as u64, value)?;
                    }
                    return Ok(());
                }
                return self.store(number, space, ty, address, arg(self, 1));
            }
            Op::Atomic(name, space, ty, has_result) => {
                let at = usize::from(has_result);
                let (address, b, c) = (arg(self, at), arg(self, at + 1), arg(self, at + 2));
                let _alone = ATOMICS.lock().unwrap_or_else(PoisonError::into_inner);
                let old = self.load(number, space, ty, address)?;
                let new = ops::atomic(name, ty, old, b, c).ok_or(unknown)?;
                self.store(number, space, ty, address, new)?;
                if !has_result {
                    return Ok(());
                }
                old
            }
            Op::Unary(name, ty) => ops::unary(name, ty, arg(self, 1)).ok_or(unknown)?,
            Op::Binary(name, mode, ty) => ops::binary(name, mode, ty, arg(self, 1), arg(self, 2)).ok_or(unknown)?,
            Op::BinaryOfPairs(name, ty) => {
                let half = |shift| ops::binary(name, "", ty, arg(self, 1) >> shift, arg(self, 2) >> shift);
                let (high, low) = half(16).zip(half(0)).ok_or(unknown)?;
                high << 16 | low
            }
            Op::MultiplyAdd(mode, ty) => {
                ops::multiply_add(mode, ty, arg(self, 1), arg(self, 2), arg(self, 3)).ok_or(unknown)?
            }
            Op::Extended(how) => {
                let (a, b) = match how.product {
                    None => (arg(self, 1), arg(self, 2)),
                    Some(half) => {
                        let product = ops::binary("mul", half, how.ty, arg(self, 1), arg(self, 2)).ok_or(unknown)?;
                        (product, arg(self, 3))
                    }
                };
                let thread = &mut self.threads[number];
                let (value, carry) = ops::extended(how.subtracts, how.ty, a, b, how.takes && thread.carry);
                if how.leaves {
                    thread.carry = carry;
                }
                value
            }
            Op::SetPredicate(comparison, combined, ty) => {
                // With a second result there is one operand more.
                let second = args.len() == if combined.is_some() { 5 } else { 4 };
                let at = 1 + usize::from(second);
                let is = ops::compare(comparison, ty, arg(self, at), arg(self, at + 1)).ok_or(unknown)?;
                let other = arg(self, at + 2) & 1 != 0;
                let combine = |is: bool| match combined {
                    Some("and") => is && other,
                    Some("or") => is || other,
                    Some(_) => is != other,
                    None => is,
                };
                if second {
                    self.write(number, &args[1], combine(!is).into());
                }
                combine(is).into()
            }
            Op::Set(comparison, ty, float) => {
                let is = ops::compare(comparison, ty, arg(self, 1), arg(self, 2)).ok_or(unknown)?;
                match (is, float) {
                    (false, _) => 0,
                    (true, true) => u64::from(1.0_f32.to_bits()),
                    (true, false) => u32::MAX.into(),
                }
            }
            Op::Select => arg(self, if arg(self, 3) & 1 != 0 { 1 } else { 2 }),
            Op::ConvertPair => {
                let [high, low] = [1, 2].map(|at| ops::convert(Ty::F16, Ty::F32, "rn", false, arg(self, at)));
                high << 16 | low
            }
            Op::Convert(to, from, rounding, saturates) => {
                extended(to, ops::convert(to, from, rounding, saturates, arg(self, 1)))
            }
            Op::ConvertAddress(space, to) => {
                let base = match space {
                    Space::Shared | Space::Cluster => SHARED,
                    Space::Local => LOCAL,
                    Space::Param => PARAM,
                    Space::Global | Space::Generic => 0,
                };
                match to {
                    true => arg(self, 1).wrapping_sub(base),
                    false => arg(self, 1).wrapping_add(base),
                }
            }
            Op::MapAddress => cluster::map_address(arg(self, 1), arg(self, 2)),
            Op::ExtractBits(ty) => {
                let (value, from, count) = (arg(self, 1), arg(self, 2) as u32 & 255, arg(self, 3) as u32 & 255);
                let moved = if from > 127 { 0 } else { ty.int(value) >> from.min(127) };
                let mask = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
                let field = moved as u64 & mask;
                let sign = ty.is_signed() && (1..64).contains(&count) && field >> (count - 1) & 1 != 0;
                ty.cut(if sign { field | !mask } else { field })
            }
            Op::InsertBits(ty) => {
                let (a, b) = (arg(self, 1), arg(self, 2));
                let (from, count) = (arg(self, 3) as u32 & 255, arg(self, 4) as u32 & 255);
                let field = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
                let mask = field.checked_shl(from).unwrap_or(0);
                ty.cut(b & !mask | a.checked_shl(from).unwrap_or(0) & mask)
            }
            Op::Permute => {
                let both = arg(self, 1) & 0xffff_ffff | arg(self, 2) << 32;
                let choice = arg(self, 3);
                (0..4).fold(0, |result, at| {
                    let pick = choice >> (4 * at) & 15;
                    let byte = both >> (8 * (pick & 7)) & 255;
                    let byte = if pick & 8 != 0 {
                        if byte & 128 != 0 { 255 } else { 0 }
                    } else {
                        byte
                    };
                    result | byte << (8 * at)
                })
            }
            Op::Funnel(left, wraps) => {
                let both = arg(self, 1) & 0xffff_ffff | arg(self, 2) << 32;
                let by = if wraps {
                    arg(self, 3) & 31
                } else {
                    (arg(self, 3) & 0xffff_ffff).min(32)
                };
                match left {
                    true => (u128::from(both) << by >> 32) as u64 & 0xffff_ffff,
                    false => both >> by & 0xffff_ffff,
                }
            }
            _ => return Err(unknown),
        };
        self.write(number, &args[0], value);
        Ok(())
    }

    /// A move of so many bytes, which may take a register apart or put it together.
    fn copy(&mut self, number: usize, size: usize, to: &Operand, from: &Operand) {
        let bits = |parts: &[Operand]| (8 * size / parts.len().max(1)) as u32;
        match (to, from) {
            (Operand::Vector(parts), from) => {
                let (value, bits) = (self.read(number, from), bits(parts));
                for (part, at) in parts.iter().zip(0..) {
                    self.write(number, part, value >> (bits * at) & ((1 << bits) - 1));
                }
            }
            (to, Operand::Vector(parts)) => {
                let bits = bits(parts);
                let values = parts.iter().rev().map(|part| self.read(number, part));
                let value = values.fold(0, |all, part| all << bits | part & ((1 << bits) - 1));
                self.write(number, to, value);
            }
            (to, from) => {
                let value = self.read(number, from);
                self.write(number, to, value);
            }
        }
    }
}

/// A place in shared memory, for all that is behind it. The memory is there as long as its block, and so while an instruction
/// runs.
fn cells(shared: &[Cell<u8>], at: usize) -> *mut u8 {
    shared[at..].as_ptr().cast_mut().cast()
}

/// A signed number of fewer bits is extended to those of its register. Instructions look at no more of it than they know of.
fn extended(ty: Ty, bits: u64) -> u64 {
    match ty.is_signed() {
        true => ty.int(bits) as u64,
        false => bits,
    }
}
