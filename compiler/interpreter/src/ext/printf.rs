// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `printf` of OpenCL C 3.0 (6.15.14), to a string.

use super::Call;
use crate::fault::{Kind, Result, fault, malformed};
use crate::float::to_f64;
use crate::item::Item;
use crate::machine::Machine;
use crate::types::Type;
use crate::value::{Scalar, Value, mask, signed};

/// The longest string and the largest width that are printed.
const LIMIT: usize = 1 << 16;

/// A conversion of a format.
#[derive(Clone, Debug, Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    vector: Option<usize>,
    /// Bits of an integer that count.
    bits: Option<u32>,
    letter: u8,
}

/// Prints, and gives 0.
pub(super) fn run(machine: &mut Machine<'_>, item: &Item, call: &Call<'_>) -> Result<Value> {
    let format = string(machine, call.value(machine, item, 0)?.scalar()?)?;
    let mut text = Vec::new();
    let (mut at, mut argument) = (0, 1);
    while at < format.len() {
        if format[at] != b'%' {
            text.push(format[at]);
            at += 1;
            continue;
        }
        if format.get(at + 1) == Some(&b'%') {
            text.push(b'%');
            at += 2;
            continue;
        }
        let (conversion, end) = parse(&format, at + 1)?;
        at = end;
        if argument >= call.count(machine) {
            return fault(Kind::UndefinedValue, "printf has fewer arguments than its format wants");
        }
        let value = call.value(machine, item, argument)?;
        let ty = call.type_of(machine, argument)?;
        argument += 1;
        if conversion.letter == b's' {
            let bytes = string(machine, value.scalar()?)?;
            let kept = conversion.precision.unwrap_or(bytes.len()).min(bytes.len());
            pad(&mut text, &conversion, &String::from_utf8_lossy(&bytes[..kept]));
            continue;
        }
        let parts = value.scalars()?;
        if conversion.vector.is_some_and(|count| count != parts.len()) {
            return fault(
                Kind::UndefinedValue,
                "printf has a vector of another length than its format says",
            );
        }
        for (i, part) in parts.into_iter().enumerate() {
            if !part.is_defined() {
                return fault(Kind::UndefinedValue, "printf has an undefined argument");
            }
            if i > 0 {
                text.push(b',');
            }
            let width = machine.module.types.width(ty)?;
            let is_float = matches!(machine.module.types.element(ty)?, Type::Float(_));
            let one = if is_float {
                float(&conversion, to_f64(part.bits, width))?
            } else {
                integer(&conversion, part.bits, width)?
            };
            pad(&mut text, &conversion, &one);
        }
    }
    machine.report.printed.push_str(&String::from_utf8_lossy(&text));
    Ok(Value::bits(0))
}

/// The string at an address.
fn string(machine: &mut Machine<'_>, address: Scalar) -> Result<Vec<u8>> {
    if !address.is_defined() {
        return fault(Kind::UndefinedValue, "the address of a string is undefined");
    }
    let mut bytes = Vec::new();
    loop {
        let (allocation, at) = machine
            .memory
            .locate(address.bits.wrapping_add(bytes.len() as u64), 1, false)?;
        match allocation.bytes[at] {
            0 => return Ok(bytes),
            _ if bytes.len() >= LIMIT => return malformed("a string without end"),
            byte => bytes.push(byte),
        }
    }
}

fn parse(format: &[u8], start: usize) -> Result<(Conversion, usize)> {
    let mut result = Conversion::default();
    let mut at = start;
    let number = |at: &mut usize| {
        let mut n = 0usize;
        while let Some(digit @ b'0'..=b'9') = format.get(*at) {
            n = (n * 10 + usize::from(digit - b'0')).min(LIMIT);
            *at += 1;
        }
        n
    };
    while let Some(flag) = format.get(at) {
        match flag {
            b'-' => result.left = true,
            b'+' => result.plus = true,
            b' ' => result.space = true,
            b'#' => result.alternate = true,
            b'0' => result.zero = true,
            _ => break,
        }
        at += 1;
    }
    result.width = number(&mut at);
    if format.get(at) == Some(&b'.') {
        at += 1;
        result.precision = Some(number(&mut at));
    }
    if format.get(at) == Some(&b'v') {
        at += 1;
        result.vector = Some(number(&mut at));
    }
    for (name, bits) in [("hh", 8), ("hl", 32), ("h", 16), ("ll", 64), ("l", 64)] {
        if format[at.min(format.len())..].starts_with(name.as_bytes()) {
            result.bits = Some(bits);
            at += name.len();
            break;
        }
    }
    match format.get(at) {
        Some(&letter) if b"diouxXcspfFeEgGaA".contains(&letter) => {
            result.letter = letter;
            Ok((result, at + 1))
        }
        other => fault(
            Kind::UndefinedValue,
            format!("printf has the conversion {:?}", other.map(|&c| c as char)),
        ),
    }
}

/// Adds a text in the width that it should have.
fn pad(text: &mut Vec<u8>, conversion: &Conversion, one: &str) {
    let missing = conversion.width.saturating_sub(one.len());
    let is_number = !matches!(conversion.letter, b's' | b'c' | b'p');
    let zeros = conversion.zero
        && is_number
        && !conversion.left
        && !(conversion.precision.is_some() && b"diouxX".contains(&conversion.letter))
        && !one.ends_with(['n', 'f', 'N', 'F']);
    if zeros {
        let digits = one.find(|c: char| c.is_ascii_hexdigit()).unwrap_or(0);
        let prefix = if one[digits..].starts_with("0x") || one[digits..].starts_with("0X") {
            digits + 2
        } else {
            digits
        };
        text.extend_from_slice(&one.as_bytes()[..prefix]);
        text.resize(text.len() + missing, b'0');
        text.extend_from_slice(&one.as_bytes()[prefix..]);
    } else if conversion.left {
        text.extend_from_slice(one.as_bytes());
        text.resize(text.len() + missing, b' ');
    } else {
        text.resize(text.len() + missing, b' ');
        text.extend_from_slice(one.as_bytes());
    }
}

fn sign(conversion: &Conversion, is_negative: bool) -> &'static str {
    match (is_negative, conversion.plus, conversion.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(conversion: &Conversion, bits: u64, width: u32) -> Result<String> {
    let width = conversion
        .bits
        .unwrap_or(if conversion.vector.is_some() {
            width
        } else {
            width.max(32)
        })
        .min(width);
    let value = bits & mask(width);
    let (prefix, digits) = match conversion.letter {
        b'd' | b'i' => {
            let value = signed(value, width);
            (sign(conversion, value < 0), value.unsigned_abs().to_string())
        }
        b'u' => ("", value.to_string()),
        b'o' => (if conversion.alternate { "0" } else { "" }, format!("{value:o}")),
        b'x' => (
            if conversion.alternate && value != 0 { "0x" } else { "" },
            format!("{value:x}"),
        ),
        b'X' => (
            if conversion.alternate && value != 0 { "0X" } else { "" },
            format!("{value:X}"),
        ),
        b'c' => return Ok((value as u8 as char).to_string()),
        b'p' => return Ok(format!("{value:#x}")),
        _ => {
            return fault(
                Kind::UndefinedValue,
                "printf has an integer where its format wants another type",
            );
        }
    };
    let missing = conversion.precision.unwrap_or(1).saturating_sub(digits.len());
    Ok(format!("{prefix}{}{digits}", "0".repeat(missing)))
}

fn float(conversion: &Conversion, value: f64) -> Result<String> {
    let letter = conversion.letter.to_ascii_lowercase();
    let is_upper = conversion.letter != letter;
    let size = value.abs();
    let text = match letter {
        _ if value.is_nan() => "nan".into(),
        _ if value.is_infinite() => "inf".into(),
        b'f' => format!("{size:.*}", conversion.precision.unwrap_or(6)),
        b'e' => exponential(size, conversion.precision.unwrap_or(6)),
        b'g' => general(size, conversion.precision.unwrap_or(6).max(1), conversion.alternate),
        b'a' => return crate::fault::unsupported("%a of printf"),
        _ => {
            return fault(
                Kind::UndefinedValue,
                "printf has a number where its format wants another type",
            );
        }
    };
    let text = format!(
        "{}{text}",
        sign(conversion, value.is_sign_negative() && !value.is_nan())
    );
    Ok(if is_upper { text.to_uppercase() } else { text })
}

/// With an exponent of two digits at least.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn general(value: f64, precision: usize, keeps_zeros: bool) -> String {
    let text = exponential(value, precision - 1);
    let exponent: i32 = text.split_once('e').and_then(|e| e.1.parse().ok()).unwrap_or(0);
    let is_small = exponent < -4 || exponent >= precision as i32;
    let trim = |digits: &str| match digits.contains('.') && !keeps_zeros {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => digits.to_string(),
    };
    if is_small {
        let (mantissa, rest) = text.split_once('e').unwrap_or((&text, "+00"));
        return format!("{}e{rest}", trim(mantissa));
    }
    let digits = (precision as i32 - 1 - exponent).max(0) as usize;
    trim(&format!("{value:.digits$}"))
}
