// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! One side of the comparison: the device of an adapter, or native code, and a benchmark case's kernels and memory on it.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::from_ref;
use std::time::{Duration, Instant};

use libloading::Library;
use oxur_client::api::{DeviceInfo, MemFlags, QueueFlags};
use oxur_client::{Arg, Context, Device, Image, Kernel, Loader, Program, Queue, Usm, UsmRequest};

use super::build;
use super::cases::{Case, Init, Pixels, Step, Value};
use super::native::Function;
use crate::measure::order;
use crate::stack::Failure;

/// The least duration of a batch. It must be long, because threads of the other side may still poll when it starts.
const BATCH: Duration = Duration::from_millis(20);
/// The pause before each batch, in which these threads can go to sleep.
const REST: Duration = Duration::from_millis(5);
/// The limits of the number of rounds.
const LEAST_ROUNDS: usize = 7;
const MOST_ROUNDS: usize = 200;

/// A device, and a context of it.
pub struct Side {
    pub(super) device: Device,
    pub(super) context: Context,
}

impl Side {
    /// The first device of an adapter.
    pub fn new(loader: &Loader, adapter: usize) -> Result<Self, Failure> {
        let adapters = loader.adapters()?;
        let platforms = adapters.get(adapter).ok_or("an adapter is missing")?.platforms()?;
        let devices = platforms.first().ok_or("no platform")?.devices()?;
        let device = devices.into_iter().next().ok_or("no device")?;
        Ok(Self {
            context: Context::new(&[&device])?,
            device,
        })
    }

    /// The name of the device and the version of its driver.
    pub fn name(&self) -> Result<String, Failure> {
        let version: String = self.device.info(DeviceInfo::DRIVER_VERSION)?;
        Ok(format!("{} {version}", self.device.info::<String>(DeviceInfo::NAME)?))
    }
}

/// What is compared, in the order of the report's columns; native code only where it is asked for.
pub const SIDES: usize = 3;
/// The column of Intel's driver.
pub const INTEL: usize = 0;
/// The column of our adapter.
pub const OURS: usize = 1;
/// The column of native code.
pub const NATIVE: usize = 2;

/// The time of a batch, in nanoseconds per run.
#[derive(Clone, Copy)]
pub struct Took {
    /// Processor time of the process, divided by the number of processors.
    pub processor: f64,
    /// Wall time.
    pub wall: f64,
}

/// What runs a step.
enum Code {
    Device(Queue, BTreeMap<&'static str, Kernel>),
    Native(BTreeMap<&'static str, Function>),
}

/// A case on one side.
pub struct Prepared<'a> {
    code: Code,
    buffers: Vec<(Usm, Init)>,
    images: Vec<Image>,
    steps: &'a [Step],
    fresh: bool,
    runs: u32,
}

impl<'a> Prepared<'a> {
    /// Builds the program and allocates the buffers.
    pub fn new(side: &Side, case: &'a Case) -> Result<Self, Failure> {
        let program = Program::with_il(&side.context, &build::spirv(case.file)?)?;
        program.build(&side.context, "")?;
        let mut kernels = BTreeMap::new();
        for step in &case.steps {
            if !kernels.contains_key(step.kernel) {
                kernels.insert(step.kernel, Kernel::new(&program, step.kernel)?);
            }
        }
        let queue = Queue::new(&side.context, &side.device, QueueFlags::empty())?;
        Self::with(Code::Device(queue, kernels), side, case)
    }

    /// Native code, with memory of a device.
    ///
    /// # Safety
    /// The functions of the library called like the case's kernels are [`Function`]s, and take its arguments.
    pub unsafe fn native(library: &'static Library, side: &Side, case: &'a Case) -> Result<Self, Failure> {
        let mut functions = BTreeMap::new();
        for step in &case.steps {
            // SAFETY: the caller's promise.
            functions.insert(step.kernel, *unsafe {
                library.get::<Function>(step.kernel.as_bytes())
            }?);
        }
        Self::with(Code::Native(functions), side, case)
    }

    /// Allocates the buffers.
    fn with(code: Code, side: &Side, case: &'a Case) -> Result<Self, Failure> {
        let request = UsmRequest {
            align: 64,
            ..Default::default()
        };
        let allocate = |(size, init): &(usize, Init)| -> Result<(Usm, Init), Failure> {
            Ok((Usm::shared(&side.context, &side.device, *size, request)?, *init))
        };
        let image = |pixels: &Pixels| -> Result<Image, Failure> {
            let mut content = vec![0; pixels.bytes * pixels.side * pixels.side];
            pixels.init.fill(&mut content, 1);
            let (flags, desc) = (MemFlags::READ_WRITE | MemFlags::ALLOC_COPY_HOST_POINTER, pixels.desc());
            let host = content.as_mut_ptr().cast();
            // SAFETY: all pixels are there, and the image has a copy of them.
            Ok(unsafe { Image::with_host(&side.context, flags, pixels.format, &desc, host) }?)
        };
        Ok(Self {
            code,
            images: case.images.iter().map(image).collect::<Result<_, _>>()?,
            buffers: case.buffers.iter().map(allocate).collect::<Result<_, _>>()?,
            steps: &case.steps,
            fresh: case.fresh,
            runs: case.runs,
        })
    }

    /// Initializes the buffers and runs the case, so that the outputs of both sides can be compared.
    pub fn first_run(&mut self) -> Result<(), Failure> {
        for ((memory, init), seed) in self.buffers.iter_mut().zip(1..) {
            // SAFETY: shared memory that no kernel uses, because each run waits for its kernels.
            init.fill(unsafe { memory.as_mut_slice() }, seed);
        }
        self.run(self.runs)
    }

    /// Runs all steps this many times, and waits.
    fn run(&mut self, times: u32) -> Result<(), Failure> {
        for _ in 0..times {
            for step in self.steps {
                self.step(step)?;
            }
        }
        match &self.code {
            Code::Device(queue, _) => Ok(queue.finish()?),
            Code::Native(_) => Ok(()),
        }
    }

    fn step(&self, step: &Step) -> Result<(), Failure> {
        match &self.code {
            Code::Device(queue, kernels) => {
                let arg = |value| match value {
                    &Value::Buffer(buffer) => Arg::Pointer(self.buffers[buffer].0.ptr()),
                    Value::U32(value) => Arg::value(value),
                    Value::U64(value) => Arg::value(value),
                    Value::F32(value) => Arg::value(value),
                    &Value::Image(image) => Arg::Mem(&self.images[image], MemFlags::READ_WRITE),
                };
                let args: Vec<Arg> = step.args.iter().map(arg).collect();
                // SAFETY: the arguments match the kernel, the memory outlives the launch, and the queue is in order.
                unsafe { queue.launch(&kernels[step.kernel], &step.range, &args, &[]) }?;
            }
            Code::Native(functions) => {
                let arg = |value| -> *const c_void {
                    match value {
                        &Value::Buffer(buffer) => self.buffers[buffer].0.ptr(),
                        Value::U32(value) => from_ref(value).cast(),
                        Value::U64(value) => from_ref(value).cast(),
                        Value::F32(value) => from_ref(value).cast(),
                        Value::Image(_) => unreachable!("no native code reads images"),
                    }
                };
                let args: Vec<_> = step.args.iter().map(arg).collect();
                // SAFETY: the arguments match the function by the promise of `native`, and are alive until it returns.
                unsafe { functions[step.kernel](args.as_ptr(), step.range.global.as_ptr()) };
            }
        }
        Ok(())
    }

    /// The output of the last run.
    pub fn output(&self) -> &[u8] {
        // SAFETY: shared memory that no kernel uses, because each run waits for its kernels.
        unsafe { self.buffers[0].0.as_slice() }
    }

    fn batch(&mut self, times: u32) -> Result<Took, Failure> {
        if self.fresh {
            // Only the first buffer is changed by a run.
            let (memory, init) = &mut self.buffers[0];
            // SAFETY: as above.
            init.fill(unsafe { memory.as_mut_slice() }, 1);
        }
        std::thread::sleep(REST);
        let (clock, processor) = (Instant::now(), processor_time());
        self.run(times)?;
        let (wall, processor) = (clock.elapsed(), processor_time() - processor);
        let by = |duration: Duration| duration.as_nanos() as f64 / f64::from(times);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Took {
            processor: by(processor) / threads as f64,
            wall: by(wall),
        })
    }

    /// The number of runs per batch. Also warms up.
    fn calibrate(&mut self) -> Result<u32, Failure> {
        if self.fresh {
            self.batch(1)?;
            return Ok(1);
        }
        calibrate(|times| Ok(self.batch(times)?.wall * f64::from(times)))
    }
}

/// How many runs fill a batch, of which `batch` tells how many nanoseconds it took.
fn calibrate(mut batch: impl FnMut(u32) -> Result<f64, Failure>) -> Result<u32, Failure> {
    let mut times = 1;
    loop {
        // The faster of two. One of the first runs compiles code for the local size, which takes as long as many runs. Batches of
        // one run would show how long threads and caches take to wake up after the pause.
        let took = batch(times)?.min(batch(times)?);
        if took >= BATCH.as_nanos() as f64 {
            return Ok(times);
        }
        times *= 2;
    }
}

/// Lets the sides take turns for about `seconds`. Returns the times of each round; NaN where a side is missing.
pub fn take_turns(sides: &mut [Option<Prepared>; SIDES], seconds: f64) -> Result<Vec<[Took; SIDES]>, Failure> {
    let mut times = [0; SIDES];
    for (side, times) in sides.iter_mut().zip(&mut times) {
        if let Some(side) = side {
            *times = side.calibrate()?;
        }
    }
    let start = Instant::now();
    let mut rounds = Vec::new();
    while rounds.len() < LEAST_ROUNDS || rounds.len() < MOST_ROUNDS && start.elapsed().as_secs_f64() < seconds {
        let mut round = [Took {
            processor: f64::NAN,
            wall: f64::NAN,
        }; SIDES];
        for turn in order(rounds.len()) {
            if let Some(side) = &mut sides[turn] {
                round[turn] = side.batch(times[turn])?;
            }
        }
        rounds.push(round);
    }
    Ok(rounds)
}

/// The processor time of this process.
pub(super) fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable. Every Linux has the clock.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(code, 0, "the clock of the process");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_compiles_does_not_end_the_search() {
        let mut is_first = true;
        let mut took = |times| {
            let compiles = std::mem::take(&mut is_first);
            Ok(if compiles { 1e9 } else { 1e6 * f64::from(times) })
        };
        assert_eq!(calibrate(&mut took).unwrap(), 32);
        assert_eq!(calibrate(|_| Ok(3e7)).unwrap(), 1);
    }
}
