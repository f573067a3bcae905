// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A function for one type: the kernels that call it, and what they give on each implementation.

use oxur_compiler::Module;
use oxur_interpreter::Schedule;

use crate::launch::Argument;
use crate::opencl::Driver;
use crate::ours::Code;
use crate::range::Range;
use crate::worker::Stage;
use crate::{compile, oracle, ours};

/// A group of kernels' items, and what each number of calls must be a multiple of: a group of items with vectors of any width.
const GROUP: usize = 64;
const MULTIPLE: usize = GROUP * 48;

/// A type of single numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Its name in OpenCL C.
    pub name: &'static str,
    /// How wide it is.
    pub bits: u32,
}

/// The type of integers of so many bits.
pub fn int(bits: u32, is_signed: bool) -> Scalar {
    let name = match (bits, is_signed) {
        (8, true) => "char",
        (8, false) => "uchar",
        (16, true) => "short",
        (16, false) => "ushort",
        (32, true) => "int",
        (32, false) => "uint",
        (_, true) => "long",
        (_, false) => "ulong",
    };
    Scalar { name, bits }
}

/// A function, as kernels call it.
pub struct Subject {
    /// Its name.
    pub name: &'static str,
    /// The type that it is tested for: names files.
    pub ty: &'static str,
    /// What it takes.
    pub params: Vec<Scalar>,
    /// What it gives.
    pub result: Scalar,
    /// Whether that is one number of a vector.
    pub is_reduction: bool,
    /// What it writes, too: its last parameter points there.
    pub second: Option<Scalar>,
}

/// Who computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Our scalar mode.
    Scalar,
    /// Our fast mode.
    Fast,
    /// Its quick code.
    Quick,
    /// The interpreter.
    Interpreter,
    /// Intel's driver.
    Driver,
}

/// What one of them gave, with vectors of one width.
pub struct Output {
    /// Who it is.
    pub who: Who,
    /// The width.
    pub width: u32,
    /// The results' bits.
    pub results: Vec<u64>,
    /// The second results', if there are any.
    pub seconds: Vec<u64>,
}

impl Subject {
    /// The kernel that calls it for vectors of a width.
    fn kernel(&self, width: u32) -> String {
        let vector = |ty: Scalar| match width {
            1 => ty.name.to_string(),
            _ => format!("{}{width}", ty.name),
        };
        let load = |(i, _): (usize, &Scalar)| match width {
            1 => format!("p{i}[i]"),
            _ => format!("vload{width}(i, p{i})"),
        };
        let store = |value: &str, place: &str, is_single: bool| match width {
            _ if is_single || width == 1 => format!("{place}[i] = {value};"),
            _ => format!("vstore{width}({value}, i, {place});"),
        };
        let mut params: Vec<String> = (0..)
            .zip(&self.params)
            .map(|(i, p)| format!("global const {} *p{i}", p.name))
            .collect();
        params.push(format!("global {} *r", self.result.name));
        let mut arguments: Vec<String> = self.params.iter().enumerate().map(load).collect();
        let (mut before, mut after) = (String::new(), String::new());
        if let Some(second) = self.second {
            params.push(format!("global {} *s", second.name));
            arguments.push("&second".into());
            before = format!("{} second; ", vector(second));
            after = format!(" {}", store("second", "s", false));
        }
        let result = if self.is_reduction {
            self.result.name.to_string()
        } else {
            vector(self.result)
        };
        format!(
            "kernel void k{width}({}) {{ size_t i = get_global_id(0); {before}{result} result = {}({}); {}{after} }}\n",
            params.join(", "),
            self.name,
            arguments.join(", "),
            store("result", "r", self.is_reduction),
        )
    }

    /// The kernels for vectors of these widths.
    fn source(&self, widths: &[u32]) -> String {
        let mut source =
            String::from("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL FP_CONTRACT OFF\n");
        source.extend(widths.iter().map(|&width| self.kernel(width)));
        source
    }

    /// Calls it, everywhere. A column has as many arguments as the others. The second value is why Intel's driver has no
    /// part in it, if it has none.
    pub fn run(
        &self,
        widths: &[u32],
        columns: &[Vec<u64>],
        driver: Option<&Driver>,
    ) -> Result<(Vec<Output>, Option<String>), String> {
        let file = format!("function-{}-{}", self.name, self.ty);
        let spirv =
            compile::spirv(&file, &self.source(widths), &["-O1"])?.ok_or("llvm-spirv-14 does not translate it")?;
        let module = Module::parse(&spirv).map_err(|e| e.to_string())?;
        let mut outputs = Vec::new();
        let codes = [
            (Who::Scalar, Code::Scalar),
            (Who::Fast, Code::Fast),
            (Who::Quick, Code::Quick),
        ];
        for (who, code) in codes {
            let program = ours::link(std::slice::from_ref(&module), code)?;
            for &width in widths {
                let kernel = ours::kernel(&program, &format!("k{width}")).map_err(|e| format!("{who:?}: {e}"))?;
                outputs.push(self.launch(who, width, columns, |range, arguments| {
                    ours::run(&kernel, range, arguments)
                })?);
            }
        }
        let oracle = oracle::parse(&spirv)?;
        for &width in widths {
            let kernel = format!("k{width}");
            outputs.push(self.launch(Who::Interpreter, width, columns, |range, arguments| {
                // Some functions have no defined result for some arguments.
                oracle::run(&oracle, &kernel, range, Schedule::Forwards, arguments).map(|_| ())
            })?);
        }
        let mut absence = None;
        if let Some(driver) = driver {
            Stage::Driver.begin();
            match self.run_on(driver, &spirv, widths, columns) {
                Ok(theirs) => outputs.extend(theirs),
                Err(message) => absence = message.lines().next().map(str::to_string),
            }
            Stage::Ours.begin();
        }
        compile::forget(&file);
        Ok((outputs, absence))
    }

    fn run_on(
        &self,
        driver: &Driver,
        spirv: &[u8],
        widths: &[u32],
        columns: &[Vec<u64>],
    ) -> Result<Vec<Output>, String> {
        let program = driver.build(&[spirv], "")?;
        let run = |&width: &u32| {
            let kernel = program.kernel(&format!("k{width}"))?;
            self.launch(Who::Driver, width, columns, |range, arguments| {
                kernel.run(range, arguments)
            })
        };
        widths.iter().map(run).collect()
    }

    fn launch(
        &self,
        who: Who,
        width: u32,
        columns: &[Vec<u64>],
        run: impl FnOnce(&Range, &mut [Argument<'_>]) -> Result<(), String>,
    ) -> Result<Output, String> {
        let calls = columns[0].len();
        let elements = calls.next_multiple_of(MULTIPLE);
        let mut memory: Vec<Vec<u64>> = columns
            .iter()
            .zip(&self.params)
            .map(|(c, p)| pack(c, p.bits, elements))
            .collect();
        let results = if self.is_reduction {
            elements / width as usize
        } else {
            elements
        };
        memory.push(pack(&[], self.result.bits, results));
        memory.extend(self.second.map(|second| pack(&[], second.bits, elements)));
        let range = Range {
            dimensions: 1,
            offset: [0; 3],
            local: [GROUP, 1, 1],
            groups: [elements / width as usize / GROUP, 1, 1],
        };
        let mut arguments: Vec<Argument<'_>> = memory.iter_mut().map(|words| Argument::Memory(words)).collect();
        run(&range, &mut arguments).map_err(|e| format!("{who:?}, vectors of {width}: {e}"))?;
        let seconds = self
            .second
            .map(|second| unpack(&memory.pop().unwrap_or_default(), second.bits, calls));
        let results = if self.is_reduction {
            calls / width as usize
        } else {
            calls
        };
        Ok(Output {
            who,
            width,
            results: unpack(&memory.pop().unwrap_or_default(), self.result.bits, results),
            seconds: seconds.unwrap_or_default(),
        })
    }
}

/// Numbers side by side in memory, as many as said: the first ones again and again where there are too few.
fn pack(values: &[u64], bits: u32, count: usize) -> Vec<u64> {
    let per_word = (64 / bits) as usize;
    let mut words = vec![0; count.div_ceil(per_word)];
    for (at, value) in values
        .iter()
        .cycle()
        .take(if values.is_empty() { 0 } else { count })
        .enumerate()
    {
        words[at / per_word] |= (value & (u64::MAX >> (64 - bits))) << (at % per_word * bits as usize);
    }
    words
}

fn unpack(words: &[u64], bits: u32, count: usize) -> Vec<u64> {
    let per_word = (64 / bits) as usize;
    let one = |at: usize| words[at / per_word] >> (at % per_word * bits as usize) & (u64::MAX >> (64 - bits));
    (0..count).map(one).collect()
}
