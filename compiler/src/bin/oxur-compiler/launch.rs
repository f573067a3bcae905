// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A launch as the command line describes it: a kernel, a range and arguments.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use oxur_compiler::{KernelInfo, NdRange, ParamKind};

/// What to run.
///
/// Arguments are
///   TYPE:V,V,...         a number or a vector
///   buffer:TYPE:V,V,...  memory with these numbers
///   buffer:TYPE:HOW:N    memory with N numbers: zero, iota (0, 1, 2, ...) or random (the same each time)
///   local:BYTES          local memory
///   bytes:HEX            a structure that is passed by value
///   null                 no memory
/// and types char, uchar, short, ushort, int, uint, long, ulong, float and double.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Launch {
    /// The module.
    pub module: PathBuf,
    /// The kernel; the first one if none is named.
    #[arg(long)]
    pub kernel: Option<String>,
    /// The number of work-items, of up to three dimensions: X, X,Y or X,Y,Z.
    #[arg(long, value_name = "SIZES")]
    pub global: Sizes,
    /// How many of them form a group. The default is what the kernel requires, else all of them.
    #[arg(long, value_name = "SIZES")]
    pub local: Option<Sizes>,
    /// The first global id.
    #[arg(long, value_name = "SIZES")]
    pub offset: Option<Sizes>,
    /// An argument for each parameter of the kernel.
    #[arg(value_name = "ARGUMENT")]
    pub arguments: Vec<Argument>,
}

impl Launch {
    /// The range for a kernel.
    pub fn range(&self, kernel: &KernelInfo) -> Result<NdRange, String> {
        let Sizes { count, sizes: global } = self.global;
        let required = kernel.required_work_group_size.map(|size| size.map(u64::from));
        let local = self.local.map(|local| local.sizes).or(required).unwrap_or(global);
        let fits = (0..3).all(|d| local[d] != 0 && global[d].is_multiple_of(local[d]));
        if !fits {
            return Err(format!(
                "groups of {local:?} do not divide {global:?}: name others with --local"
            ));
        }
        Ok(NdRange {
            dimensions: count as u64,
            global_offset: self.offset.map_or([0; 3], |offset| offset.offsets()),
            global_size: global,
            local_size: local,
        })
    }

    /// Checks that the arguments are what a kernel wants.
    pub fn check(&self, kernel: &KernelInfo) -> Result<(), String> {
        let (wanted, given) = (kernel.params.len(), self.arguments.len());
        if wanted != given {
            return Err(format!(
                "the kernel {} has {wanted} parameters, but {given} arguments are given",
                kernel.name
            ));
        }
        for (index, (param, argument)) in kernel.params.iter().zip(&self.arguments).enumerate() {
            let fits = match (param.kind, argument) {
                (ParamKind::Value, Argument::Value(bytes)) => bytes.len() == param.size,
                (ParamKind::Pointer(_), Argument::Buffer { .. } | Argument::Null) => true,
                (ParamKind::Local, Argument::Local(_)) => true,
                _ => false,
            };
            if !fits {
                let (kind, size) = (param.kind, param.size);
                return Err(format!(
                    "argument {index} does not fit the parameter {}: {kind:?}, {size} bytes",
                    param.name
                ));
            }
        }
        Ok(())
    }
}

/// Up to three numbers, such as `64,4`.
#[derive(Clone, Copy)]
pub struct Sizes {
    count: usize,
    sizes: [u64; 3],
}

impl Sizes {
    /// As offsets, which are 0 in further dimensions.
    fn offsets(self) -> [u64; 3] {
        std::array::from_fn(|d| if d < self.count { self.sizes[d] } else { 0 })
    }
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<u64>, _> = text.split(',').map(str::parse).collect();
        let numbers = numbers.map_err(|error| format!("{text}: {error}"))?;
        let mut sizes = [1; 3];
        match numbers.len() {
            count @ 1..=3 => {
                sizes[..count].copy_from_slice(&numbers);
                Ok(Self { count, sizes })
            }
            count => Err(format!("{count} dimensions")),
        }
    }
}

/// The value of a parameter.
#[derive(Clone)]
pub enum Argument {
    /// A number, a vector or a structure.
    Value(Vec<u8>),
    /// Memory, and the type of its numbers.
    Buffer {
        /// What they are.
        ty: Number,
        /// What is in it.
        bytes: Vec<u8>,
    },
    /// So many bytes of local memory.
    Local(usize),
    /// A null pointer.
    Null,
}

impl FromStr for Argument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "null" => Ok(Self::Null),
            "local" => rest
                .parse()
                .map(Self::Local)
                .map_err(|error| format!("{rest}: {error}")),
            "bytes" => hexadecimal(rest)
                .map(Self::Value)
                .ok_or_else(|| format!("{rest}: not hexadecimal")),
            "buffer" => {
                let (ty, numbers) = rest.split_once(':').ok_or("a buffer is buffer:TYPE:NUMBERS")?;
                let ty = Number::from_str(ty)?;
                let bytes = match numbers.split_once(':') {
                    Some((how, count)) => ty.many(how, count)?,
                    None => ty.read(numbers)?,
                };
                Ok(Self::Buffer { ty, bytes })
            }
            ty => Number::from_str(ty)?.read(rest).map(Self::Value),
        }
    }
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let byte = |at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(byte).collect()
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    Char,
    Uchar,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
    Ulong,
    Float,
    Double,
}

/// Does the same for the Rust type of a number.
macro_rules! for_type {
    ($number:expr, $ty:ident => $e:expr) => {
        match $number {
            Number::Char => {
                type $ty = i8;
                $e
            }
            Number::Uchar => {
                type $ty = u8;
                $e
            }
            Number::Short => {
                type $ty = i16;
                $e
            }
            Number::Ushort => {
                type $ty = u16;
                $e
            }
            Number::Int => {
                type $ty = i32;
                $e
            }
            Number::Uint => {
                type $ty = u32;
                $e
            }
            Number::Long => {
                type $ty = i64;
                $e
            }
            Number::Ulong => {
                type $ty = u64;
                $e
            }
            Number::Float => {
                type $ty = f32;
                $e
            }
            Number::Double => {
                type $ty = f64;
                $e
            }
        }
    };
}

impl FromStr for Number {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "char" => Self::Char,
            "uchar" => Self::Uchar,
            "short" => Self::Short,
            "ushort" => Self::Ushort,
            "int" => Self::Int,
            "uint" => Self::Uint,
            "long" => Self::Long,
            "ulong" => Self::Ulong,
            "float" => Self::Float,
            "double" => Self::Double,
            _ => return Err(format!("there is no type {text}")),
        })
    }
}

impl Number {
    /// Bytes of a number.
    pub fn size(self) -> usize {
        for_type!(self, T => size_of::<T>())
    }

    /// Numbers with commas.
    fn read(self, text: &str) -> Result<Vec<u8>, String> {
        let all = text.split(',').map(|number| {
            for_type!(self, T => number.parse::<T>().map(|n| n.to_ne_bytes().to_vec()).map_err(|e| e.to_string()))
                .map_err(|error| format!("{number:?} is no {self:?}: {error}"))
        });
        all.collect::<Result<Vec<_>, _>>().map(|all| all.concat())
    }

    /// So many numbers.
    fn many(self, how: &str, count: &str) -> Result<Vec<u8>, String> {
        /// Of 64-bit linear congruential generators: Knuth's MMIX.
        const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
        let count: usize = count.parse().map_err(|error| format!("{count}: {error}"))?;
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(MULTIPLIER).wrapping_add(1_442_695_040_888_963_407);
            // Between -1 and 1 as a floating-point number: 1 less than a number between 0 and 2.
            match self {
                Self::Float | Self::Double => f64::from((state >> 40) as u32) / f64::from(1 << 23) - 1.0,
                _ => (state >> 33) as f64,
            }
        };
        let number = |at: usize| match how {
            "zero" => Ok(0.0),
            "iota" => Ok(at as f64),
            "random" => Ok(random()),
            _ => Err(format!("{how}: it is zero, iota or random")),
        };
        let numbers: Result<Vec<f64>, _> = (0..count).map(number).collect();
        let bytes = |number: f64| match self {
            Self::Float => (number as f32).to_ne_bytes().to_vec(),
            Self::Double => number.to_ne_bytes().to_vec(),
            // The low bits of an integer.
            _ => (number as i64).to_ne_bytes()[..self.size()].to_vec(),
        };
        Ok(numbers?.into_iter().flat_map(bytes).collect())
    }

    /// The numbers that memory holds.
    pub fn texts(self, bytes: &[u8]) -> Vec<String> {
        let numbers = bytes.chunks_exact(self.size());
        numbers
            .map(|n| for_type!(self, T => T::from_ne_bytes(n.try_into().expect("as many bytes")).to_string()))
            .collect()
    }

    /// Whether numbers are the same, or nearly the same floating-point numbers: the order of roundings may differ.
    pub fn agree(self, [one, other]: [&[u8]; 2]) -> bool {
        let near = |a: f64, b: f64, most: f64| a.is_nan() && b.is_nan() || (a - b).abs() <= most * a.abs().max(b.abs());
        let double = |bytes: &[u8]| f64::from_ne_bytes(bytes.try_into().expect("8 bytes"));
        let float = |bytes: &[u8]| f64::from(f32::from_ne_bytes(bytes.try_into().expect("4 bytes")));
        one == other
            || match self {
                Self::Float => near(float(one), float(other), 1e-5),
                Self::Double => near(double(one), double(other), 1e-13),
                _ => false,
            }
    }
}
