// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A test: a launch of a kernel, and what must be in its memory then.

use oxur_conformance::client::Range;

use crate::values::{Tolerance, Type};

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name in the file.
    pub name: String,
    /// The name of the kernel.
    pub kernel: String,
    /// What it runs over, with a size of groups.
    pub range: Range,
    pub(crate) arguments: Vec<Argument>,
    /// Whether the kernel writes behind a buffer by itself.
    pub(crate) overruns: bool,
    /// Whether a NaN that is expected says nothing.
    pub(crate) has_wrong_nans: bool,
}

/// An argument, before and after the launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Argument {
    pub given: Option<Given>,
    pub expected: Option<Expected>,
}

/// What it is before the launch.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    Value(Vec<u8>),
    Buffer(Vec<u8>),
    /// So many bytes of local memory, which the files call `NULL`.
    Local(usize),
}

/// What its memory must hold after it.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub ty: Type,
    pub count: usize,
    pub bytes: Vec<u8>,
    pub tolerance: Tolerance,
}

/// An argument for a launch.
pub enum LaunchArgument<'a> {
    /// A value.
    Value(&'a [u8]),
    /// So many bytes of local memory.
    Local(usize),
    /// Memory that the kernel may read and write, aligned as any type wants. What it holds behind the launch is compared.
    Memory(&'a mut [u64]),
}

/// Memory behind a buffer, which no kernel may write.
const GUARD: u64 = 0x5a5a_5a5a_5a5a_5a5a;
const GUARD_WORDS: usize = 8;

/// The alignment of the largest types, vectors of 16 numbers of 64 bits.
const ALIGNMENT: usize = 128;

impl Test {
    /// Launches it and compares what is in memory then.
    pub fn run(&self, launch: impl FnOnce(&mut [LaunchArgument<'_>]) -> Result<(), String>) -> Result<(), String> {
        let mut memory: Vec<Buffer> = self.arguments.iter().map(Buffer::new).collect();
        let pairs = self.arguments.iter().zip(&mut memory);
        let mut arguments = pairs
            .map(|(argument, buffer)| match &argument.given {
                Some(Given::Value(bytes)) => Ok(LaunchArgument::Value(bytes)),
                Some(Given::Local(size)) => Ok(LaunchArgument::Local(*size)),
                None if argument.expected.is_none() => Err("an argument without a value"),
                _ => Ok(LaunchArgument::Memory(buffer.words())),
            })
            .collect::<Result<Vec<_>, _>>()?;
        launch(&mut arguments)?;
        for (i, (argument, buffer)) in self.arguments.iter().zip(&mut memory).enumerate() {
            let Some((words, guard)) = buffer.words().split_last_chunk::<GUARD_WORDS>() else {
                continue;
            };
            if !self.overruns && guard != &[GUARD; GUARD_WORDS] {
                return Err(format!("it writes behind argument {i}"));
            }
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            let expected = argument.expected.as_ref();
            if let Some(difference) = expected.and_then(|expected| expected.difference(&bytes, self.has_wrong_nans)) {
                return Err(format!("argument {i}: {difference}"));
            }
        }
        Ok(())
    }
}

impl Expected {
    /// Where memory differs from it.
    fn difference(&self, found: &[u8], has_wrong_nans: bool) -> Option<String> {
        let places = self.ty.places(self.count);
        places.enumerate().find_map(|(i, place)| {
            let [found, expected] = [found, &self.bytes].map(|bytes| self.ty.at(bytes, place));
            let is_right =
                has_wrong_nans && self.ty.is_nan(expected) || self.ty.is_near(found, expected, self.tolerance);
            let text = |bits| self.ty.text(bits);
            (!is_right).then(|| format!("element {i} is {}, expected {}", text(found), text(expected)))
        })
    }
}

/// Memory of an argument, and a guard behind it; none, if it has no buffer.
struct Buffer {
    memory: Vec<u64>,
    /// The first word.
    start: usize,
}

impl Buffer {
    fn new(argument: &Argument) -> Self {
        let unset;
        let bytes = match (&argument.given, &argument.expected) {
            (Some(Given::Buffer(bytes)), _) => bytes,
            (None, Some(expected)) => {
                // What is not written shows.
                unset = vec![0xa5; expected.bytes.len()];
                &unset
            }
            _ => {
                return Self {
                    memory: Vec::new(),
                    start: 0,
                };
            }
        };
        let size = bytes.len().div_ceil(8) + GUARD_WORDS;
        let mut memory = vec![GUARD; size + ALIGNMENT / 8];
        let start = memory.as_ptr().align_offset(ALIGNMENT);
        for (word, bytes) in memory[start..].iter_mut().zip(bytes.chunks(8)) {
            let mut filled = word.to_ne_bytes();
            filled[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_ne_bytes(filled);
        }
        memory.truncate(start + size);
        Self { memory, start }
    }

    fn words(&mut self) -> &mut [u64] {
        &mut self.memory[self.start..]
    }
}
