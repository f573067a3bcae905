// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL's `printf` (OpenCL C 3.0, section 6.15.14).
//!
//! The format comes from a kernel and must not be passed to the C library. Each conversion is parsed here and compared with
//! the types of the arguments. The C library then formats one number at a time, with a specification generated here.

use std::ffi::{CStr, c_char, c_int, c_void};

/// The kind of an argument in the block: an integer.
pub const INTEGER: u8 = 0;
/// A floating-point number.
pub const FLOAT: u8 = 1;
/// A pointer.
pub const POINTER: u8 = 2;

/// Larger widths and precisions are clamped, because output of that size would exhaust memory.
pub const MAX_WIDTH: usize = 4096;

/// An argument in the block.
#[derive(Clone, Copy)]
struct Argument<'a> {
    kind: u8,
    /// The size of an element in bytes.
    size: usize,
    /// The bytes of all elements.
    bytes: &'a [u8],
}

/// A conversion specification.
#[derive(Default)]
struct Conversion {
    flags: Vec<u8>,
    width: Option<usize>,
    precision: Option<usize>,
    /// The number of elements of the argument.
    lanes: usize,
    /// The size of an integer in bytes, if there is a length modifier.
    length: Option<usize>,
    letter: u8,
}

/// Formats and writes to the C library's stdout, with a single write. Returns 0, or -1 if a conversion does not match its
/// argument. Then only the text before that conversion is written.
///
/// # Safety
/// As for [`text`].
pub unsafe extern "C" fn printf(format: *const c_char, block: *const u8) -> i32 {
    // SAFETY: guaranteed by the caller.
    let (text, fits) = unsafe { text(format, block) };
    write(&text);
    if fits { 0 } else { -1 }
}

/// Formats to a string. Also returns whether all conversions match their arguments.
///
/// # Safety
/// `format` must be null or a zero-terminated string, `block` a block as [`super::super::printf`] packs it.
pub unsafe fn text(format: *const c_char, block: *const u8) -> (Vec<u8>, bool) {
    let mut out = Vec::new();
    if format.is_null() {
        return (out, false);
    }
    // SAFETY: the caller guarantees a zero-terminated format and a valid block.
    let (format, arguments) = unsafe { (CStr::from_ptr(format).to_bytes(), unpack(block)) };
    let fits = format_all(&mut out, format, &arguments).is_some();
    (out, fits)
}

// SAFETY: the C library defines `stdout` and initializes it before `main`.
unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

/// Writes to the stream that the process prints to, so that the order is kept. Output of other threads does not interleave.
fn write(text: &[u8]) {
    // SAFETY: `text` is readable, and the C library locks the stream.
    unsafe {
        libc::fwrite(text.as_ptr().cast::<c_void>(), 1, text.len(), stdout);
        // The output must be visible when the kernel is complete, not only when the process exits.
        libc::fflush(stdout);
    }
}

/// The arguments in a block.
///
/// # Safety
/// `block` must be as [`super::super::printf`] packs it, and outlive the result.
unsafe fn unpack<'a>(block: *const u8) -> Vec<Argument<'a>> {
    // SAFETY: the block has a count, that many descriptions, and the arguments that these describe.
    unsafe {
        let words = block.cast::<u32>();
        let count = words.read() as usize;
        let mut offset = (4 * (1 + count)).next_multiple_of(8);
        (0..count)
            .map(|i| {
                let word = words.add(1 + i).read();
                let (kind, size, lanes) = (word as u8, (word >> 8 & 0xFF) as usize, (word >> 16) as usize);
                let bytes = std::slice::from_raw_parts(block.add(offset), size * lanes);
                offset += bytes.len().next_multiple_of(8);
                Argument { kind, size, bytes }
            })
            .collect()
    }
}

/// Formats up to the end, or up to the first conversion that does not match its argument: then it returns `None`.
fn format_all(out: &mut Vec<u8>, mut format: &[u8], arguments: &[Argument<'_>]) -> Option<()> {
    let mut arguments = arguments.iter().copied();
    while let Some((&first, rest)) = format.split_first() {
        if first != b'%' {
            out.push(first);
            format = rest;
        } else if rest.first() == Some(&b'%') {
            out.push(b'%');
            format = &rest[1..];
        } else {
            let (conversion, rest) = parse(rest, &mut arguments)?;
            convert(out, &conversion, arguments.next()?)?;
            format = rest;
        }
    }
    Some(())
}

/// Parses a decimal number, clamped to [`MAX_WIDTH`]. Also returns the rest of the text.
pub fn number(text: &[u8]) -> (Option<usize>, &[u8]) {
    let digits = text.iter().take_while(|c| c.is_ascii_digit()).count();
    let value = text[..digits]
        .iter()
        .fold(0, |n: usize, d| (n * 10 + usize::from(d - b'0')).min(MAX_WIDTH));
    ((digits > 0).then_some(value), &text[digits..])
}

/// Removes a prefix. Returns whether it was there.
pub fn skip<'a>(text: &mut &'a [u8], prefix: &[u8]) -> bool {
    let rest: Option<&'a [u8]> = text.strip_prefix(prefix);
    *text = rest.unwrap_or(text);
    rest.is_some()
}

/// Parses the number of elements and the length modifier of a conversion, which says how many bytes it is of. `None` for
/// numbers of elements that there are not.
pub fn lanes_and_length(text: &mut &[u8]) -> Option<(usize, Option<usize>)> {
    let mut lanes = 1;
    if skip(text, b"v") {
        let (found, rest) = number(text);
        lanes = found.filter(|n| matches!(n, 2 | 3 | 4 | 8 | 16))?;
        *text = rest;
    }
    // `hl` is OpenCL's modifier for elements of four bytes. `ll`, `z`, `j` and `t` are from C.
    let lengths: [(&[u8], usize); 8] = [
        (b"hh", 1),
        (b"hl", 4),
        (b"h", 2),
        (b"ll", 8),
        (b"l", 8),
        (b"z", 8),
        (b"j", 8),
        (b"t", 8),
    ];
    let length = lengths.iter().find(|(prefix, _)| skip(text, prefix));
    Some((lanes, length.map(|(_, bytes)| *bytes)))
}

/// Parses a conversion specification after its `%`. Also returns the rest of the text.
fn parse<'a, 'b>(
    mut text: &'a [u8],
    arguments: &mut impl Iterator<Item = Argument<'b>>,
) -> Option<(Conversion, &'a [u8])> {
    let mut conversion = Conversion {
        lanes: 1,
        ..Conversion::default()
    };
    while let Some(flag) = text.first().filter(|c| b"-+ #0".contains(c)) {
        if !conversion.flags.contains(flag) {
            conversion.flags.push(*flag);
        }
        text = &text[1..];
    }
    // OpenCL C does not support `*`, but SYCL programs use it as in C.
    let mut star = |text: &mut &[u8]| {
        if !skip(text, b"*") {
            return Some(None);
        }
        let argument = arguments.next()?;
        (argument.kind == INTEGER && argument.bytes.len() == argument.size).then(|| Some(signed(argument.bytes)))
    };
    match star(&mut text)? {
        Some(width) => {
            if width < 0 && !conversion.flags.contains(&b'-') {
                conversion.flags.push(b'-');
            }
            conversion.width = Some((width.unsigned_abs() as usize).min(MAX_WIDTH));
        }
        None => (conversion.width, text) = number(text),
    }
    if skip(&mut text, b".") {
        match star(&mut text)? {
            // As in C, a negative precision counts as omitted.
            Some(precision) => conversion.precision = usize::try_from(precision).ok().map(|p| p.min(MAX_WIDTH)),
            None => {
                let precision;
                (precision, text) = number(text);
                conversion.precision = Some(precision.unwrap_or(0));
            }
        }
    }
    (conversion.lanes, conversion.length) = lanes_and_length(&mut text)?;
    let (&letter, rest) = text.split_first()?;
    conversion.letter = letter;
    Some((conversion, rest))
}

/// Formats an argument. Returns `None` if the conversion does not match its type.
fn convert(out: &mut Vec<u8>, conversion: &Conversion, argument: Argument<'_>) -> Option<()> {
    let Conversion { lanes, letter, .. } = *conversion;
    if argument.bytes.len() != argument.size * lanes {
        return None;
    }
    let elements = argument.bytes.chunks_exact(argument.size.max(1)).enumerate();
    for (index, bytes) in elements {
        if index > 0 {
            out.push(b',');
        }
        match (letter, argument.kind) {
            (b'd' | b'i', INTEGER) => {
                let value = truncated(signed(bytes) as u64, conversion.length);
                let bits = 64 - 8 * conversion.length.unwrap_or(8) as u32;
                integer(out, conversion, ((value << bits) as i64 >> bits) as u64);
            }
            (b'o' | b'u' | b'x' | b'X', INTEGER) => {
                integer(out, conversion, truncated(unsigned(bytes), conversion.length));
            }
            (b'c', INTEGER) if lanes == 1 => padded(out, conversion, &[unsigned(bytes) as u8]),
            (b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A', FLOAT) => {
                let precision = conversion.precision.map(|p| p as c_int);
                c_format(out, conversion, precision, "", float(bytes));
            }
            (b's', POINTER) if lanes == 1 => {
                let address = unsigned(bytes) as usize as *const c_char;
                if address.is_null() {
                    padded(out, conversion, b"(null)");
                } else {
                    // SAFETY: OpenCL requires a string literal here. Any other pointer is an invalid access of the kernel, as
                    // if the kernel itself had read the memory. No byte beyond the precision is read.
                    let text = unsafe {
                        let limit = conversion.precision.unwrap_or(usize::MAX);
                        let len = (0..limit).take_while(|&i| *address.add(i) != 0).count();
                        std::slice::from_raw_parts(address.cast::<u8>(), len)
                    };
                    padded(out, conversion, text);
                }
            }
            (b'p', POINTER) if lanes == 1 => {
                padded(out, conversion, format!("{:#x}", unsigned(bytes)).as_bytes());
            }
            _ => return None,
        }
    }
    Some(())
}

fn unsigned(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let len = bytes.len().min(8);
    word[..len].copy_from_slice(&bytes[..len]);
    u64::from_le_bytes(word)
}

fn signed(bytes: &[u8]) -> i64 {
    let bits = 64 - 8 * bytes.len().clamp(1, 8) as u32;
    (unsigned(bytes) << bits) as i64 >> bits
}

fn truncated(value: u64, bytes: Option<usize>) -> u64 {
    match bytes {
        Some(bytes @ 1..=7) => value & ((1 << (8 * bytes)) - 1),
        _ => value,
    }
}

fn float(bytes: &[u8]) -> f64 {
    match (bytes.len(), unsigned(bytes)) {
        (2, bits) => super::half::half_to_f32(bits as u16).into(),
        (4, bits) => f32::from_bits(bits as u32).into(),
        (_, bits) => f64::from_bits(bits),
    }
}

fn integer(out: &mut Vec<u8>, conversion: &Conversion, value: u64) {
    c_format(out, conversion, conversion.precision.map(|p| p as c_int), "ll", value);
}

/// A number type that `snprintf` takes.
trait CNumber: Copy {
    /// Calls `snprintf`.
    ///
    /// # Safety
    /// `buffer` must have `len` bytes. `format` must have one conversion, for a number of this type, with `*` for width and
    /// precision.
    unsafe fn snprintf(
        self,
        buffer: *mut c_char,
        len: usize,
        format: *const c_char,
        width: c_int,
        precision: c_int,
    ) -> c_int;
}

macro_rules! c_number {
    ($($ty:ty),*) => { $(
        impl CNumber for $ty {
            unsafe fn snprintf(
                self,
                buffer: *mut c_char,
                len: usize,
                format: *const c_char,
                width: c_int,
                precision: c_int,
            ) -> c_int {
                // SAFETY: guaranteed by the caller.
                unsafe { libc::snprintf(buffer, len, format, width, precision, self) }
            }
        }
    )* };
}

c_number!(u64, f64);

/// Formats a number with `snprintf` and the format `%<flags>*.*<length><letter>`. The precision -1 counts as omitted.
fn c_format(out: &mut Vec<u8>, conversion: &Conversion, precision: Option<c_int>, length: &str, value: impl CNumber) {
    let mut format = vec![b'%'];
    format.extend(&conversion.flags);
    format.extend(b"*.*");
    format.extend(length.as_bytes());
    format.extend([conversion.letter, 0]);
    let width = conversion.width.unwrap_or(0) as c_int;
    // Room for the width, or for the 309 integer digits of the largest double and the precision.
    let mut buffer = vec![0u8; 512 + width.max(precision.unwrap_or(0)) as usize];
    // SAFETY: the format has one conversion, whose letter `convert` chose for this type. The length is the buffer's.
    let len = unsafe {
        value.snprintf(
            buffer.as_mut_ptr().cast(),
            buffer.len(),
            format.as_ptr().cast(),
            width,
            precision.unwrap_or(-1),
        )
    };
    out.extend(&buffer[..(len.max(0) as usize).min(buffer.len() - 1)]);
}

/// Appends text, padded to the conversion's width.
fn padded(out: &mut Vec<u8>, conversion: &Conversion, text: &[u8]) {
    let padding = vec![b' '; conversion.width.unwrap_or(0).saturating_sub(text.len())];
    let parts = if conversion.flags.contains(&b'-') {
        [text, &padding]
    } else {
        [&padding, text]
    };
    for part in parts {
        out.extend_from_slice(part);
    }
}
