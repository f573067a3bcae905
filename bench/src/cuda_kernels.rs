// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! How fast kernels are that wait for memory: SPIR-V by the adapter in turns with nvcc's code by the driver, on the same
//! memory and with the same blocks. Results are compared with the host's before anything is measured.

use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::process::Command;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use oxur_client::*;
use oxur_cuda_sys::*;

use super::{Rig, ok};

/// Our speed by nvcc's, for each row.
const GOAL: f64 = 0.95;
/// The threads of a block.
const BLOCK: usize = 256;
/// The same where each has only some numbers of a sum.
const LARGE_BLOCK: usize = 1024;
/// How many numbers those are.
const NUMBERS: usize = 8;
/// The blocks of a sum for each multiprocessor: as many threads as it can have.
const BLOCKS: usize = 8;
/// What has to be done at least between two looks at the clock.
const LEAST: Duration = Duration::from_millis(3);
/// What a kernel multiplies by.
const FACTOR: f32 = 3.0;

/// What is measured, and how.
pub(super) struct Settings {
    /// The SPIR-V of `bench/kernels/gpu.cl`.
    pub module: PathBuf,
    /// How many floats an array has.
    pub count: usize,
    /// How long a row takes.
    pub seconds: f64,
}

impl Settings {
    /// `MODULE [--count N] [--seconds N]`
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        let [module, options @ ..] = words else {
            return Err("--kernels needs the module of gpu.cl".into());
        };
        let mut settings = Self {
            module: module.into(),
            // 256 MiB, which no cache holds.
            count: 64 << 20,
            seconds: 1.0,
        };
        for option in options.chunks(2) {
            let [name, value] = option else {
                return Err(format!("{} needs a value", option[0]));
            };
            let wrong = |error: &dyn std::fmt::Display| format!("{name} {value}: {error}");
            match *name {
                "--count" => settings.count = value.parse().map_err(|error| wrong(&error))?,
                "--seconds" => settings.seconds = value.parse().map_err(|error| wrong(&error))?,
                _ => return Err(format!("unknown option {name}")),
            }
        }
        match settings.count {
            count if count > 0 && count % (4 * BLOCK) == 0 && i32::try_from(count).is_ok() => Ok(settings),
            count => Err(format!("--count {count}: a multiple of {} below 2^31", 4 * BLOCK)),
        }
    }
}

/// A row.
struct Case {
    kernel: &'static str,
    what: &'static str,
    items: Items,
    /// How many arrays are read.
    inputs: usize,
}

/// What a work-item has of each array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Items {
    /// So many floats, for as many results.
    Lanes(usize),
    /// A share of all, as there are few items. Each block has a result.
    Few,
    /// [`NUMBERS`]. Each block has a result.
    Many,
}

const CASES: [Case; 8] = [
    case("copy", "copy, float", Items::Lanes(1), 1),
    case("copy4", "copy, float4", Items::Lanes(4), 1),
    case("triad", "triad, float", Items::Lanes(1), 2),
    case("triad4", "triad, float4", Items::Lanes(4), 2),
    case("sum", "sum, float", Items::Few, 1),
    case("groups", "sum, float, 8 for each of 1024 items", Items::Many, 1),
    case("sum4", "sum, float4", Items::Few, 1),
    case("largest", "maximum, float", Items::Few, 1),
];

const fn case(kernel: &'static str, what: &'static str, items: Items, inputs: usize) -> Case {
    Case {
        kernel,
        what,
        items,
        inputs,
    }
}

impl Case {
    /// The threads of a block.
    fn threads(&self) -> usize {
        match self.items {
            Items::Many => LARGE_BLOCK,
            Items::Lanes(_) | Items::Few => BLOCK,
        }
    }

    /// Whether each element has a result.
    fn has_array(&self) -> bool {
        matches!(self.items, Items::Lanes(_))
    }
}

/// What both sides run on.
struct Arrays<'a> {
    rig: &'a Rig<'a>,
    count: usize,
    /// The blocks of sums.
    blocks: usize,
    out: Usm,
    inputs: [Usm; 2],
    values: [Vec<f32>; 2],
}

impl<'a> Arrays<'a> {
    fn new(rig: &'a Rig<'a>, count: usize, multiprocessors: usize) -> Self {
        let array =
            || Usm::device(rig.context, rig.device, 4 * count, UsmRequest::default()).expect("urUSMDeviceAlloc");
        // Whole numbers, so small that each sum is exact.
        let values = [7, 5].map(|modulus| {
            (0..count)
                .map(|i| ((i ^ (i >> 9)) % modulus) as f32)
                .collect::<Vec<f32>>()
        });
        let arrays = Self {
            rig,
            count,
            blocks: multiprocessors * BLOCKS,
            out: array(),
            inputs: [array(), array()],
            values,
        };
        for (to, from) in arrays.inputs.iter().zip(&arrays.values) {
            rig.raw.copy(to.ptr() as u64, from.as_ptr() as u64, 4 * count);
            rig.raw.wait();
        }
        arrays
    }

    /// How many blocks a kernel has.
    fn blocks(&self, case: &Case) -> usize {
        match case.items {
            Items::Lanes(lanes) => self.count / lanes / BLOCK,
            Items::Few => self.blocks,
            Items::Many => self.count.div_ceil(LARGE_BLOCK * NUMBERS),
        }
    }

    /// What a run moves, in bytes.
    fn bytes(&self, case: &Case) -> usize {
        let arrays = case.inputs + usize::from(case.has_array());
        4 * self.count * arrays
    }

    /// Clears the result, runs a side, and says where it is wrong.
    fn check(&self, case: &Case, run: &dyn Fn(), wait: &dyn Fn()) -> Result<(), String> {
        let raw = self.rig.raw;
        // SAFETY: memory of that size, which nothing uses.
        ok(unsafe { (raw.cu.cuMemsetD32Async)(self.out.ptr() as u64, u32::MAX, self.count, raw.stream) });
        raw.wait();
        run();
        wait();
        let results = if case.has_array() {
            self.count
        } else {
            self.blocks(case)
        };
        let mut found = vec![0_f32; results];
        raw.copy(found.as_mut_ptr() as u64, self.out.ptr() as u64, 4 * found.len());
        raw.wait();
        let [a, b] = &self.values;
        if !case.has_array() {
            let total: f64 = found.iter().copied().map(f64::from).sum();
            let expected: f64 = match case.kernel {
                "largest" => {
                    let threads = self.blocks * BLOCK;
                    let of = |thread| {
                        a.iter()
                            .skip(thread)
                            .step_by(threads)
                            .fold(0_f32, |most, &x| most.max(x))
                    };
                    (0..threads.min(self.count)).map(of).map(f64::from).sum()
                }
                _ => a.iter().copied().map(f64::from).sum(),
            };
            return match total == expected {
                true => Ok(()),
                false => Err(format!("{total} instead of {expected}")),
            };
        }
        let expected = |at: usize| match case.inputs {
            1 => a[at],
            _ => a[at] + FACTOR * b[at],
        };
        match (0..self.count).find(|&at| found[at] != expected(at)) {
            None => Ok(()),
            Some(at) => Err(format!("element {at} is {} instead of {}", found[at], expected(at))),
        }
    }
}

/// nvcc's code, or why there is none.
struct Native {
    module: CUmodule,
}

impl Native {
    const SOURCE: &'static str = include_str!("../native/gpu.cu");

    fn new(rig: &Rig<'_>, capability: i32) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("oxur-bench-cuda-{}", std::process::id()));
        let made = Self::compile(&folder, capability);
        let _ = std::fs::remove_dir_all(&folder);
        let mut ptx = made?;
        ptx.push(0);
        let mut module = null_mut();
        // SAFETY: a place for the module, and PTX that ends with a zero.
        let loaded = unsafe { (rig.raw.cu.cuModuleLoadData)(&mut module, ptx.as_ptr().cast()) };
        match loaded {
            CUDA_SUCCESS => Ok(Self { module }),
            error => Err(format!(
                "cuModuleLoadData does not take nvcc's PTX: {error:?}; is nvcc newer than the driver?"
            )),
        }
    }

    /// PTX, which the driver's assembler compiles as it does ours: what is compared are compilers, and not assemblers.
    fn compile(folder: &std::path::Path, capability: i32) -> Result<Vec<u8>, String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(folder).map_err(wrong)?;
        let (source, ptx) = (folder.join("gpu.cu"), folder.join("gpu.ptx"));
        std::fs::write(&source, Self::SOURCE).map_err(wrong)?;
        let nvcc = std::env::var_os("NVCC").map(PathBuf::from);
        let usual = PathBuf::from("/usr/local/cuda/bin/nvcc");
        let nvcc = nvcc.unwrap_or_else(|| if usual.exists() { usual } else { "nvcc".into() });
        let status = Command::new(&nvcc)
            .args(["-O3", "-ptx", &format!("-arch=compute_{capability}"), "-o"])
            .args([&ptx, &source])
            .status()
            .map_err(|error| format!("{}: {error} (NVCC names another)", nvcc.display()))?;
        match status.success() {
            true => std::fs::read(&ptx).map_err(wrong),
            false => Err(format!("{}: {status}", nvcc.display())),
        }
    }

    fn function(&self, rig: &Rig<'_>, name: &str) -> CUfunction {
        let (name, mut function) = (CString::new(name).expect("a name without zeros"), null_mut());
        // SAFETY: a place for the function, and a live module.
        ok(unsafe { (rig.raw.cu.cuModuleGetFunction)(&mut function, self.module, name.as_ptr()) });
        function
    }
}

/// Runs `call` so often between two looks at the clock, and gives the seconds of one.
fn timed(often: usize, call: &dyn Fn(), wait: &dyn Fn()) -> f64 {
    let start = Instant::now();
    (0..often).for_each(|_| call());
    wait();
    start.elapsed().as_secs_f64() / often as f64
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints a row for each kernel. Returns whether all results are right, and all goals met: without nvcc's code they are not.
pub(super) fn run(rig: &Rig<'_>, settings: &Settings) -> bool {
    let attribute = |which| {
        let mut value = 0;
        // SAFETY: a place for the value, and the first device.
        ok(unsafe { (rig.raw.cu.cuDeviceGetAttribute)(&mut value, which, 0) });
        value
    };
    let multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    let capability = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
        + attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    let il = match std::fs::read(&settings.module) {
        Ok(il) => il,
        Err(error) => {
            println!("{}: {error}", settings.module.display());
            return false;
        }
    };
    let program = Program::with_il(rig.context, &il).expect("urProgramCreateWithIL");
    program.build(rig.context, "").expect("urProgramBuild");
    let native = Native::new(rig, capability);
    println!(
        "{:44} {:>10} {:>10} {:>7}  GB/s, arrays of {:.2} MiB",
        "",
        "adapter",
        "nvcc",
        "ratio",
        settings.count as f64 / f64::from(1 << 18)
    );
    if let Err(error) = &native {
        println!("without nvcc's code: {error}");
    }
    let arrays = Arrays::new(rig, settings.count, multiprocessors as usize);
    let mut good = native.is_ok();
    for case in &CASES {
        good &= measure(&arrays, case, &program, native.as_ref().ok(), settings.seconds);
    }
    good
}

/// A row; gives whether it is right and fast enough.
fn measure(arrays: &Arrays<'_>, case: &Case, program: &Program, native: Option<&Native>, seconds: f64) -> bool {
    let Rig { queue, raw, .. } = *arrays.rig;
    let kernel = Kernel::new(program, case.kernel).expect("urKernelCreate");
    let blocks = arrays.blocks(case);
    let count = arrays.count as u64;
    let pointers = [&arrays.out, &arrays.inputs[0], &arrays.inputs[1]].map(Usm::ptr);
    let mut args: Vec<Arg<'_>> = pointers[..=case.inputs].iter().map(|&p| Arg::Pointer(p)).collect();
    if case.inputs == 2 {
        args.push(Arg::value(&FACTOR));
    }
    if !case.has_array() {
        args.push(Arg::value(&count));
    }
    let range = Range::new([blocks * case.threads()]).local([case.threads()]);
    let ours = || {
        // SAFETY: a kernel of gpu.cl with its arguments, and memory for it.
        unsafe { queue.launch(&kernel, &range, &args, &[]) }.expect("launch");
    };
    let ours_end = || queue.finish().expect("urQueueFinish");

    let function = native.map(|native| native.function(arrays.rig, case.kernel));
    let lanes = match case.items {
        Items::Lanes(lanes) => lanes,
        Items::Few | Items::Many => 1,
    };
    let (mut pointers, mut factor, mut items) = (pointers, FACTOR, (arrays.count / lanes) as i32);
    let mut params: Vec<*mut c_void> = pointers[..=case.inputs]
        .iter_mut()
        .map(|p| (&raw mut *p).cast())
        .collect();
    if case.inputs == 2 {
        params.push((&raw mut factor).cast());
    }
    params.push((&raw mut items).cast());
    let params = params.as_mut_ptr();
    let theirs = |function: CUfunction| {
        let launch = raw.cu.cuLaunchKernel;
        let (blocks, threads) = (blocks as u32, case.threads() as u32);
        // SAFETY: a kernel of gpu.cu with its parameters, and memory for it.
        ok(unsafe { launch(function, blocks, 1, 1, threads, 1, 1, 0, raw.stream, params, null_mut()) });
    };
    let theirs_end = || raw.wait();

    let mut wrong = arrays.check(case, &ours, &ours_end);
    if let Some(function) = function {
        let native = arrays.check(case, &|| theirs(function), &theirs_end);
        wrong = wrong.and(native.map_err(|error| format!("nvcc's: {error}")));
    }
    // Enough that launches and waits do not count.
    let once = timed(1, &ours, &ours_end).max(1e-9);
    let often = ((LEAST.as_secs_f64() / once) as usize).clamp(1, 100);
    let (mut times, mut other, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let start = Instant::now();
    while times.len() < 3 || start.elapsed().as_secs_f64() < seconds {
        times.push(timed(often, &ours, &ours_end));
        if let Some(function) = function {
            other.push(timed(often, &|| theirs(function), &theirs_end));
            ratios.push(other[other.len() - 1] / times[times.len() - 1]);
        }
    }
    let speed = |times: &mut [f64]| arrays.bytes(case) as f64 / median(times) / 1e9;
    let ours = speed(&mut times);
    if ratios.is_empty() {
        print!("{:44} {ours:10.1} {:>10} {:>7}  ", case.what, "no nvcc", "");
    } else {
        let ratio = median(&mut ratios);
        let verdict = if ratio >= GOAL { "pass" } else { "FAIL" };
        print!(
            "{:44} {ours:10.1} {:10.1} {ratio:7.3}  at least {GOAL}: {verdict}",
            case.what,
            speed(&mut other)
        );
    }
    println!(
        "{}",
        wrong
            .as_ref()
            .map_or_else(|error| format!("  WRONG: {error}"), |()| String::new())
    );
    wrong.is_ok() && (ratios.is_empty() || median(&mut ratios) >= GOAL)
}
