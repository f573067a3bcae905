// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Runs a function for one type and holds what it gives against what it should.

use super::format::{Exact, Format};
use super::row::Row;
use super::subject::{Output, Scalar, Subject, Who, int};
use super::table::{Bound, Call, Param, Second};
use super::{geometric, inputs, integers, table};
use crate::opencl::Driver;
use crate::rng::Rng;

/// A row that nothing was found for yet.
fn row(subject: &Subject, bound: String, limit: f64, widths: &[u32], calls: usize, absence: Option<String>) -> Row {
    let widths: Vec<String> = widths.iter().map(u32::to_string).collect();
    Row {
        name: subject.name.into(),
        ty: subject.ty.into(),
        bound,
        limit,
        widths: widths.join(","),
        calls,
        absence: absence.unwrap_or_default(),
        ..Row::default()
    }
}

/// The outputs of two for the same width.
fn pairs_of(outputs: &[Output], whose: [Who; 2]) -> Vec<(&Output, &Output)> {
    let [first, second] = whose.map(|who| outputs.iter().filter(move |output| output.who == who));
    first.zip(second).collect()
}

/// The outputs of our two modes for the same width.
fn pairs(outputs: &[Output]) -> Vec<(&Output, &Output)> {
    pairs_of(outputs, [Who::Scalar, Who::Fast])
}

/// Counts the results that are not the same bits in both tiers, but for NaNs.
fn compare_tiers(row: &mut Row, outputs: &[Output], formats: [Option<Format>; 2]) {
    for (best, quick) in pairs_of(outputs, [Who::Fast, Who::Quick]) {
        let kinds = [(&best.results, &quick.results), (&best.seconds, &quick.seconds)];
        for (format, (best_bits, quick_bits)) in formats.into_iter().zip(kinds) {
            let is_nan = |bits: u64| format.is_some_and(|format| format.decode(bits).is_nan());
            for (index, (&a, &b)) in best_bits.iter().zip(quick_bits).enumerate() {
                if a != b && !(is_nan(a) && is_nan(b)) {
                    row.tiers.error += 1.0;
                    if row.tiers.what.is_empty() {
                        row.tiers.what = format!("result {index} is {a:#x} and {b:#x}, vectors of {}", best.width);
                    }
                }
            }
        }
    }
}

/// The columns of calls.
fn columns(calls: &[inputs::Arguments], count: usize) -> Vec<Vec<u64>> {
    (0..count).map(|i| calls.iter().map(|call| call[i]).collect()).collect()
}

/// The error of a result, in what the bound counts.
fn error(bound: Bound, format: Format, given: f64, exact: Exact) -> f64 {
    match (bound, exact) {
        (Bound::Absolute(_), Exact::Number { near, .. }) if near.is_finite() => {
            let error = (given - near).abs();
            if error.is_nan() { f64::INFINITY } else { error }
        }
        (Bound::Bits, Exact::Number { near, .. })
            if near == 0.0 && given.is_sign_negative() != near.is_sign_negative() =>
        {
            f64::INFINITY
        }
        _ => format.error(given, exact),
    }
}

/// How far two results are apart, in what the bound counts.
fn distance(bound: Bound, format: Format, a: f64, b: f64, exact: Exact) -> f64 {
    match bound {
        Bound::Absolute(_) if a.is_finite() && b.is_finite() => (a - b).abs(),
        Bound::Bits if a == 0.0 && b == 0.0 && a.is_sign_negative() != b.is_sign_negative() => match exact {
            Exact::Any => 0.0,
            _ => f64::INFINITY,
        },
        _ => format.distance(a, b, exact),
    }
}

/// A function of floating-point numbers.
pub fn float(
    function: &table::Function,
    ty: &'static str,
    format: Format,
    widths: &[u32],
    density: u32,
    driver: Option<&Driver>,
) -> Result<Row, String> {
    let bound = function.bound(format);
    let scalar = |param: Param| match param {
        Param::Float => Scalar {
            name: ty,
            bits: format.bits,
        },
        Param::Int => int(32, true),
        Param::Bits => int(format.bits, false),
    };
    let subject = Subject {
        name: function.name,
        ty,
        params: function.params.iter().map(|&p| scalar(p)).collect(),
        result: scalar(if function.is_integer() {
            Param::Int
        } else {
            Param::Float
        }),
        is_reduction: false,
        second: match function.second {
            Second::None => None,
            Second::Float(_) => Some(scalar(Param::Float)),
            Second::Int(_) | Second::Quotient(_) => Some(scalar(Param::Int)),
        },
    };
    let mut rng = Rng::new(0xf10a7);
    let calls = inputs::arguments(function.params, format, function.domain, density, &mut rng);
    let (outputs, absence) = subject.run(widths, &columns(&calls, function.params.len()), driver)?;
    let (words, limit) = match bound {
        Bound::Ulps(0.0) | Bound::Bits => ("exact".into(), 0.0),
        Bound::Ulps(0.5) => ("rounded".into(), 0.5),
        Bound::Ulps(ulps) => (format!("{ulps}"), ulps),
        Bound::Absolute(limit) => (format!("abs {limit:e}"), limit),
        Bound::Open | Bound::Missing => ("any".into(), f64::INFINITY),
    };
    let mut row = row(&subject, words, limit, widths, calls.len(), absence);
    let formats = [
        (!function.is_integer()).then_some(format),
        matches!(function.second, Second::Float(_)).then_some(format),
    ];
    compare_tiers(&mut row, &outputs, formats);
    let result = |bits: u64| match function.is_integer() {
        true => f64::from(bits as u32 as i32),
        false => format.decode(bits),
    };
    for (index, arguments) in calls.iter().enumerate() {
        let call = call(function.params, arguments, format);
        let exact = (function.exact)(&call);
        let what = |second: &str, given: f64, exact: Exact, width: u32| {
            format!(
                "{} gives {second}{given:e} for {}, vectors of {width}",
                show(function.params, arguments, format),
                words_of(exact)
            )
        };
        for output in &outputs {
            let given = result(output.results[index]);
            row.worst(output.who).meet(error(bound, format, given, exact), || {
                what("", given, exact, output.width)
            });
        }
        for (scalar, fast) in pairs(&outputs) {
            let [a, b] = [scalar, fast].map(|output| result(output.results[index]));
            row.apart.meet(distance(bound, format, a, b, exact), || {
                format!("{} and {a:e}", what("", b, exact, fast.width))
            });
        }
        match function.second {
            Second::None => {}
            Second::Float(f) => {
                let exact = f(&call);
                for output in &outputs {
                    let given = format.decode(output.seconds[index]);
                    row.worst(output.who).meet(error(bound, format, given, exact), || {
                        what("second ", given, exact, output.width)
                    });
                }
                for (scalar, fast) in pairs(&outputs) {
                    let [a, b] = [scalar, fast].map(|output| format.decode(output.seconds[index]));
                    row.apart.meet(distance(bound, format, a, b, exact), || {
                        what("second ", b, exact, fast.width)
                    });
                }
            }
            Second::Int(f) | Second::Quotient(f) => {
                let Some(expected) = f(&call) else { continue };
                for output in &outputs {
                    let given = output.seconds[index] as u32 as i32;
                    let counts = match function.second {
                        Second::Quotient(_) => (given.abs() & 0x7f) * given.signum(),
                        _ => given,
                    };
                    // A wrong integer is no small error, whatever numbers are allowed.
                    if counts != expected {
                        row.worst(output.who).meet(f64::INFINITY, || {
                            format!(
                                "{} gives {given}, not {expected}",
                                show(function.params, arguments, format)
                            )
                        });
                        row.limit = row.limit.min(f64::MAX);
                    }
                }
            }
        }
    }
    Ok(row)
}

fn call(params: &[Param], arguments: &[u64], format: Format) -> Call {
    let (mut x, mut n, mut at) = ([0.0; 3], 0, 0);
    for (param, &bits) in params.iter().zip(arguments) {
        match param {
            Param::Float => {
                x[at] = format.decode(bits);
                at += 1;
            }
            Param::Int => n = (bits as u32 as i32).into(),
            Param::Bits => {}
        }
    }
    Call { x, n, format }
}

fn show(params: &[Param], arguments: &[u64], format: Format) -> String {
    let one = |(param, &bits): (&Param, &u64)| match param {
        Param::Float => format!("{:e} = {bits:#x}", format.decode(bits)),
        Param::Int => (bits as u32 as i32).to_string(),
        Param::Bits => format!("{bits:#x}"),
    };
    let all: Vec<String> = params.iter().zip(arguments).map(one).collect();
    format!("({})", all.join(", "))
}

fn words_of(exact: Exact) -> String {
    match exact {
        Exact::Number { near, .. } => format!("{near:e}"),
        Exact::Nan => "NaN".into(),
        Exact::Any => "anything".into(),
    }
}

/// A function of integers, or one that moves bits.
pub fn integer(
    function: &integers::Function,
    ty: integers::Type,
    widths: &[u32],
    density: u32,
    driver: Option<&Driver>,
) -> Result<Row, String> {
    let subject = function.subject(ty);
    let mut rng = Rng::new(0x1e7e6);
    let mut calls: Vec<inputs::Arguments> = Vec::new();
    let widest = subject.params[0].bits;
    let edges = inputs::edges(widest);
    let few: Vec<u64> = edges
        .iter()
        .copied()
        .step_by(if subject.params.len() == 3 { 4 } else { 1 })
        .collect();
    for &x in &edges {
        for &y in &few {
            let third = if subject.params.len() == 3 {
                few.as_slice()
            } else {
                &[0]
            };
            calls.extend(third.iter().map(|&z| [x, y, z]));
        }
    }
    if widest == 8 {
        calls.extend((0..1u64 << 16).map(|n| [n & 0xff, n >> 8, rng.bits() & 0xff]));
    }
    for _ in 0..1usize << density.min(28) {
        let narrow = if function.name.ends_with("24") { 24 } else { widest };
        calls.push([(); 3].map(|()| match ty.scalar.name {
            "int" if narrow == 24 => ((inputs::integer(&mut rng, 24) as i32) << 8 >> 8) as u32 as u64,
            _ => inputs::integer(&mut rng, narrow),
        }));
    }
    let (outputs, absence) = subject.run(widths, &columns(&calls, subject.params.len()), driver)?;
    let mut row = row(&subject, "exact".into(), 0.0, widths, calls.len(), absence);
    compare_tiers(&mut row, &outputs, [None; 2]);
    let mut met = |who: Who, is_pair: bool, what: &dyn Fn() -> String| {
        let worst = if is_pair { &mut row.apart } else { row.worst(who) };
        if worst.what.is_empty() {
            worst.what = what();
        }
        worst.error += 1.0;
    };
    for (index, arguments) in calls.iter().enumerate() {
        let arguments = &arguments[..subject.params.len()];
        for output in &outputs {
            let given = output.results[index];
            if let Some(expected) = function.exact(ty, output.width, arguments)
                && given != expected
            {
                met(output.who, false, &|| {
                    format!(
                        "{arguments:#x?} gives {given:#x}, not {expected:#x}, vectors of {}",
                        output.width
                    )
                    .replace('\n', "")
                });
            }
        }
        for (scalar, fast) in pairs(&outputs) {
            let [a, b] = [scalar, fast].map(|output| output.results[index]);
            if a != b {
                met(Who::Fast, true, &|| {
                    format!("{arguments:#x?} gives {a:#x} and {b:#x}").replace('\n', "")
                });
            }
        }
    }
    Ok(row)
}

/// A function of vectors as such.
pub fn geometric(
    function: &geometric::Function,
    ty: &'static str,
    format: Format,
    density: u32,
    driver: Option<&Driver>,
) -> Result<Row, String> {
    let scalar = Scalar {
        name: ty,
        bits: format.bits,
    };
    let subject = Subject {
        name: function.name,
        ty,
        params: vec![scalar; function.arity],
        result: scalar,
        is_reduction: function.is_reduction,
        second: None,
    };
    let mut rng = Rng::new(0x6e0);
    let columns = function.columns(format, density, &mut rng);
    let (outputs, absence) = subject.run(function.widths, &columns, driver)?;
    let numbers: Vec<Vec<f64>> = columns
        .iter()
        .map(|c| c.iter().map(|&bits| format.decode(bits)).collect())
        .collect();
    let (base, each) = function.bounds[super::FORMATS.iter().position(|f| f.1 == format).unwrap_or(0)];
    // The bound grows with the width: errors are told as parts of it, times the bound of the widest.
    let widest = f64::from(function.widths.last().copied().unwrap_or(1));
    let is_cross = base.is_infinite();
    let (words, limit) = if is_cross {
        ("abs 3 eps".into(), 1.0)
    } else {
        (format!("{}", base + each * widest), base + each * widest)
    };
    let mut row = row(&subject, words, limit, function.widths, columns[0].len(), absence);
    compare_tiers(&mut row, &outputs, [Some(format); 2]);
    for &width in function.widths {
        let of_width: Vec<&Output> = outputs.iter().filter(|o| o.width == width).collect();
        for at in 0..columns[0].len() / width as usize {
            let range = at * width as usize..(at + 1) * width as usize;
            let vectors: Vec<&[f64]> = numbers.iter().map(|column| &column[range.clone()]).collect();
            for (element, exact) in function.exact(&vectors, format).into_iter().enumerate() {
                let place = if function.is_reduction {
                    at
                } else {
                    range.start + element
                };
                let scale = |error: f64| match exact {
                    _ if error == 0.0 => 0.0,
                    _ if !is_cross => error * limit / (base + each * f64::from(width)),
                    Exact::Number { ulp, .. } => {
                        error * super::format::two_to(ulp) / geometric::cross_bound(&vectors, format)
                    }
                    _ => error,
                };
                let what = |given: f64| format!("{vectors:?}[{element}] gives {given:e} for {}", words_of(exact));
                let mut given = [f64::NAN; 2];
                for output in &of_width {
                    let result = format.decode(output.results[place]);
                    row.worst(output.who)
                        .meet(scale(format.error(result, exact)), || what(result));
                    match output.who {
                        Who::Scalar => given[0] = result,
                        Who::Fast => given[1] = result,
                        Who::Quick | Who::Interpreter | Who::Driver => {}
                    }
                }
                let [a, b] = given;
                row.apart
                    .meet(scale(format.distance(a, b, exact)), || format!("{} and {a:e}", what(b)));
            }
        }
    }
    Ok(row)
}
