// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What all kernels get and give: buffers of inputs and of results, a structure, a number; and when results are equal.

use crate::launch::Argument;
use crate::rng::Rng;

/// The most items of a range: of one work-group, too.
pub const ITEMS: usize = 8192;

/// How many elements buffers have in which items have places apart from their numbers.
pub const SHIFTED: usize = 4 * ITEMS;

/// How many elements buffers of inputs have: as many as items, and some that an index may go beyond.
pub const INPUTS: usize = ITEMS + 128;

/// Shared counters, before the items' own, in the buffer of counters.
pub const SHARED_COUNTERS: usize = 64;

/// What a buffer consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Integers of so many bytes.
    Int(usize),
    /// Floating-point numbers of so many bytes.
    Float(usize),
    /// Floating-point numbers of functions that need not be exact.
    About(usize),
}

/// What a buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Results, so many of each item.
    Output(usize),
    /// Results at places that not every item has.
    Shifted,
    /// Counters that items change atomically.
    Counters,
    /// Random numbers to compute with.
    Input,
}

/// A buffer of every kernel.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// The parameter's name.
    pub name: &'static str,
    /// The type of its elements in OpenCL C.
    pub ty: &'static str,
    /// What that is.
    pub element: Element,
    /// What it is for.
    pub role: Role,
}

const fn buffer(name: &'static str, ty: &'static str, element: Element, role: Role) -> Buffer {
    Buffer {
        name,
        ty,
        element,
        role,
    }
}

impl Buffer {
    /// The buffers, in the order of parameters.
    pub const ALL: [Buffer; 21] = [
        buffer("oc", "char", Element::Int(1), Role::Output(4)),
        buffer("os", "short", Element::Int(2), Role::Output(4)),
        buffer("oi", "int", Element::Int(4), Role::Output(8)),
        buffer("ol", "long", Element::Int(8), Role::Output(4)),
        buffer("oh", "half", Element::Float(2), Role::Output(2)),
        buffer("of", "float", Element::Float(4), Role::Output(4)),
        buffer("od", "double", Element::Float(8), Role::Output(4)),
        buffer("af", "float", Element::About(4), Role::Output(4)),
        buffer("ad", "double", Element::About(8), Role::Output(4)),
        buffer("wc", "char", Element::Int(1), Role::Shifted),
        buffer("ws", "short", Element::Int(2), Role::Shifted),
        buffer("wi", "int", Element::Int(4), Role::Shifted),
        buffer("wl", "long", Element::Int(8), Role::Shifted),
        buffer("counters", "int", Element::Int(4), Role::Counters),
        buffer("vc", "const char", Element::Int(1), Role::Input),
        buffer("vs", "const short", Element::Int(2), Role::Input),
        buffer("vi", "const int", Element::Int(4), Role::Input),
        buffer("vl", "const long", Element::Int(8), Role::Input),
        buffer("vh", "const half", Element::Float(2), Role::Input),
        buffer("vf", "const float", Element::Float(4), Role::Input),
        buffer("vd", "const double", Element::Float(8), Role::Input),
    ];

    /// How many results an item has in it.
    pub fn slots(&self) -> usize {
        match self.role {
            Role::Output(slots) => slots,
            _ => 1,
        }
    }

    fn count(&self) -> usize {
        match self.role {
            Role::Output(slots) => slots * ITEMS,
            Role::Shifted => SHIFTED,
            Role::Counters => SHARED_COUNTERS + ITEMS,
            Role::Input => INPUTS,
        }
    }

    /// How many words of 8 bytes it has.
    pub fn words(&self) -> usize {
        (self.count() * self.size()).div_ceil(8)
    }

    fn size(&self) -> usize {
        match self.element {
            Element::Int(size) | Element::Float(size) | Element::About(size) => size,
        }
    }
}

/// The memory of one run.
#[derive(Clone, Debug)]
pub struct Data {
    /// As [`Buffer::ALL`]. In words of 8 bytes, for the alignment.
    pub buffers: Vec<Vec<u64>>,
    /// `s`: the bytes of `struct Args` of the prelude.
    pub args: [u8; 112],
    /// `n`
    pub n: [u8; 4],
}

impl Data {
    /// Fresh memory with the inputs of a seed.
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed ^ 0xda7a);
        let buffers = Buffer::ALL.iter().map(|b| {
            if matches!(b.role, Role::Output(_) | Role::Shifted) {
                return vec![0x5555_5555_5555_5555; b.words()];
            }
            let mut bytes = Vec::with_capacity(b.count() * b.size() + 8);
            for _ in 0..b.count() {
                let value = match b.element {
                    _ if b.role == Role::Counters => rng.bits() & 0xff,
                    Element::Int(size) => int(&mut rng, size as u32 * 8),
                    Element::Float(2) => [0u64, 0x3c00, 0xc000, 0x3555, 0x7bff, 0x4900, 0x8000, 0x0400]
                        .get(rng.below(16))
                        .copied()
                        .unwrap_or_else(|| rng.bits() & 0x83ff | (0x3800 + (rng.bits() & 0x0c00))),
                    Element::Float(4) => u64::from((float(&mut rng) as f32).to_bits()),
                    _ => float(&mut rng).to_bits(),
                };
                bytes.extend(&value.to_le_bytes()[..b.size()]);
            }
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            bytes
                .chunks(8)
                .map(|c| u64::from_le_bytes(c.try_into().expect("eight bytes")))
                .collect()
        });
        let buffers = buffers.collect();
        let mut args = [0; 112];
        args[0] = rng.bits() as u8;
        args[4..8].copy_from_slice(&(int(&mut rng, 32) as u32).to_ne_bytes());
        args[8..16].copy_from_slice(&rng.bits().to_ne_bytes());
        args[16..20].copy_from_slice(&2.5f32.to_ne_bytes());
        args[20..26].copy_from_slice(&rng.bits().to_ne_bytes()[..6]);
        // The structures `own` and `fixed`, of 40 bytes each.
        for pair in [32, 72] {
            args[pair..pair + 2].copy_from_slice(&rng.bits().to_ne_bytes()[..2]);
            args[pair + 8..pair + 16].copy_from_slice(&rng.bits().to_ne_bytes());
            for word in 0..4 {
                let at = pair + 16 + 4 * word;
                args[at..at + 4].copy_from_slice(&(int(&mut rng, 32) as u32).to_ne_bytes());
            }
            args[pair + 32..pair + 36].copy_from_slice(&1.5f32.to_ne_bytes());
        }
        Self {
            buffers,
            args,
            n: (rng.below(40) as i32).to_ne_bytes(),
        }
    }

    /// The arguments, in the order of parameters.
    pub fn arguments(&mut self) -> Vec<Argument<'_>> {
        let memory = self.buffers.iter_mut().map(|words| Argument::Memory(words));
        memory
            .chain([Argument::Value(&self.args), Argument::Value(&self.n)])
            .collect()
    }

    /// The first difference of results that matters, in words.
    pub fn difference(&self, other: &Self, names: [&str; 2], items: usize) -> Option<String> {
        self.first_difference(other, names, items, is_equal)
    }

    /// The first difference of results, but for the signs and payloads of NaNs.
    pub fn difference_in_bits(&self, other: &Self, names: [&str; 2], items: usize) -> Option<String> {
        self.first_difference(other, names, items, |values, element| match element {
            Element::Float(size) | Element::About(size) => is_equal(values, Element::Float(size)),
            Element::Int(_) => is_equal(values, element),
        })
    }

    fn first_difference(
        &self,
        other: &Self,
        names: [&str; 2],
        items: usize,
        is_equal: impl Fn([u64; 2], Element) -> bool,
    ) -> Option<String> {
        for (i, buffer) in Buffer::ALL.iter().enumerate() {
            if buffer.role == Role::Input {
                continue;
            }
            let (own, its) = (&self.buffers[i], &other.buffers[i]);
            if own == its {
                continue;
            }
            let mut different = (0..buffer.count()).filter(|&at| {
                let values = [own, its].map(|words| element(words, at, buffer.size()));
                !is_equal(values, buffer.element)
            });
            if let Some(at) = different.next() {
                let values = [own, its].map(|words| element(words, at, buffer.size()));
                let [x, y] = values.map(|v| show(v, buffer.element));
                let more = different.count();
                return Some(format!(
                    "{}[{at}] is {x} ({}) and {y} ({}); {more} more of {items} items' results in this buffer differ",
                    buffer.name, names[0], names[1]
                ));
            }
        }
        None
    }
}

fn int(rng: &mut Rng, bits: u32) -> u64 {
    let high = 1u64 << (bits - 1);
    match rng.below(8) {
        0 => rng.pick(&[0, 1, u64::MAX, high, high - 1, 2, 7, bits.into()]),
        1..=4 => (rng.below(200) as u64).wrapping_sub(100),
        _ => rng.bits(),
    }
}

fn float(rng: &mut Rng) -> f64 {
    match rng.below(16) {
        0 => rng.pick(&[0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e30, -1e-30, 0.5]),
        1..=6 => rng.below(41) as f64 - 20.0,
        7..=11 => (rng.below(4001) as f64 - 2000.0) / 64.0,
        12 | 13 => (rng.bits() as i64) as f64 / 4e9,
        _ => rng.bits() as f64 / 18e18,
    }
}

fn element(words: &[u64], at: usize, size: usize) -> u64 {
    let per_word = 8 / size;
    let word = words[at / per_word] >> (at % per_word * size * 8);
    if size == 8 {
        word
    } else {
        word & ((1 << (size * 8)) - 1)
    }
}

fn to_float(bits: u64, size: usize) -> f64 {
    match size {
        2 => {
            let (sign, exponent, fraction) = (bits >> 15, (bits >> 10 & 31) as i32, (bits & 1023) as f64);
            let size = match exponent {
                31 if fraction != 0.0 => f64::NAN,
                31 => f64::INFINITY,
                0 => fraction * 2f64.powi(-24),
                _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
            };
            if sign == 1 { -size } else { size }
        }
        4 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

fn is_equal([x, y]: [u64; 2], element: Element) -> bool {
    if x == y {
        return true;
    }
    match element {
        Element::Int(_) => false,
        Element::Float(size) => to_float(x, size).is_nan() && to_float(y, size).is_nan(),
        Element::About(size) => {
            let [x, y] = [x, y].map(|v| to_float(v, size));
            let tolerance = if size == 4 { 4e-6 } else { 1e-14 };
            x.is_nan() && y.is_nan() || x == y || (x - y).abs() <= tolerance * x.abs().max(y.abs())
        }
    }
}

fn show(bits: u64, element: Element) -> String {
    match element {
        Element::Int(size) => {
            let shift = 64 - size * 8;
            format!("{} = {bits:#x}", ((bits << shift) as i64) >> shift)
        }
        Element::Float(size) | Element::About(size) => format!("{:?} = {bits:#x}", to_float(bits, size)),
    }
}
