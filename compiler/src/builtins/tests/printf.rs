// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of `printf`: emitted code packs the arguments, the runtime formats them. Includes formats that do not match the
//! arguments.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::process::Command;
use std::slice::from_ref;

use spirv::OpenclStd100Op as Op;

use super::jit::Compiled;
use super::{Random, wrapper};
use crate::builtins::libcalls::half::half_from_f64;
use crate::builtins::libcalls::printf::text;
use crate::llvm::{Context, Type};

thread_local! {
    static PRINTED: RefCell<(Vec<u8>, bool)> = const { RefCell::new((Vec::new(), false)) };
}

/// Replaces the runtime's function, which writes to stdout.
unsafe extern "C" fn capture(format: *const c_char, block: *const u8) -> i32 {
    // SAFETY: emitted code passes a format and a block.
    let printed = unsafe { text(format, block) };
    PRINTED.with(|p| *p.borrow_mut() = printed);
    0
}

/// The type and the bytes of an argument.
#[derive(Clone, Debug)]
enum Arg {
    /// The width of each element, and the elements.
    Int(u32, Vec<i64>),
    Float(u32, Vec<f64>),
    Text(CString),
    Null,
}

impl Arg {
    fn ty<'c>(&self, context: &'c Context) -> Type<'c> {
        let shape = |ty: Type<'c>, len: usize| if len == 1 { ty } else { ty.vector(len as u32) };
        match self {
            Arg::Int(bits, numbers) => shape(context.int(*bits), numbers.len()),
            Arg::Float(bits, numbers) => shape(context.float(*bits), numbers.len()),
            Arg::Text(_) | Arg::Null => context.ptr(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Arg::Int(bits, numbers) => numbers
                .iter()
                .flat_map(|n| n.to_le_bytes()[..*bits as usize / 8].to_vec())
                .collect(),
            Arg::Float(16, numbers) => numbers.iter().flat_map(|&x| half_from_f64(x).to_le_bytes()).collect(),
            Arg::Float(32, numbers) => numbers.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect(),
            Arg::Float(_, numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Arg::Text(_) | Arg::Null => Vec::new(),
        }
    }
}

fn int(n: i64) -> Arg {
    Arg::Int(32, vec![n])
}

fn long(n: i64) -> Arg {
    Arg::Int(64, vec![n])
}

fn real(x: f64) -> Arg {
    Arg::Float(64, vec![x])
}

/// Compiles and runs a call with up to two arguments. Returns the text, and whether the format matches the arguments.
fn print(format: &str, args: &[Arg]) -> (String, bool) {
    let compiled = Compiled::build_with(
        format,
        |context, module| {
            let mut types = vec![context.ptr()];
            types.extend(args.iter().map(|arg| arg.ty(context)));
            types.push(context.int(32));
            wrapper(context, module, "test", Op::printf, &types, &[]).unwrap();
        },
        &[("oxur_printf", capture as *const ())],
    );
    let format = CString::new(format).unwrap();
    let mut buffers: Vec<Vec<u8>> = args.iter().map(|arg| [arg.bytes(), vec![0; 64]].concat()).collect();
    let mut result = [0u8; 8];
    let mut pointers = vec![format.as_ptr().cast_mut().cast()];
    for (arg, buffer) in args.iter().zip(&mut buffers) {
        pointers.push(match arg {
            Arg::Text(text) => text.as_ptr().cast_mut().cast(),
            Arg::Null => std::ptr::null_mut(),
            _ => buffer.as_mut_ptr(),
        });
    }
    pointers.push(result.as_mut_ptr());
    // SAFETY: the function takes the format, the arguments and a pointer to the result.
    unsafe { compiled.call(&pointers) };
    let (text, fits) = PRINTED.with(|p| p.take());
    (String::from_utf8_lossy(&text).into_owned(), fits)
}

#[test]
fn formats() {
    let text = |t: &str| Arg::Text(CString::new(t).unwrap());
    let cases: &[(&str, &[Arg], &str)] = &[
        ("plain, 100%%\n", &[], "plain, 100%\n"),
        ("", &[], ""),
        ("%d|%u", &[int(-5), int(-5)], "-5|4294967291"),
        ("%5d|%-5d|", &[int(42), int(42)], "   42|42   |"),
        ("%+d|% d", &[int(42), int(42)], "+42| 42"),
        ("%05d|%.3d", &[int(-42), int(7)], "-0042|007"),
        ("%x|%#X", &[int(0xBEEF), int(0xBEEF)], "beef|0XBEEF"),
        ("%o|%#o", &[int(8), int(8)], "10|010"),
        ("%hhd|%hhu", &[int(0x1FF), int(0x1FF)], "-1|255"),
        ("%hd|%hx", &[int(0x18000), int(-1)], "-32768|ffff"),
        (
            "%ld|%lu",
            &[long(i64::MIN), long(-1)],
            "-9223372036854775808|18446744073709551615",
        ),
        ("%lld|%zu", &[long(-7), long(7)], "-7|7"),
        ("%d|%i", &[Arg::Int(8, vec![-3]), Arg::Int(16, vec![-300])], "-3|-300"),
        ("%u", &[Arg::Int(8, vec![-3])], "253"),
        ("%c%c", &[int(79), int(75)], "OK"),
        ("%3c|%-3c|", &[int(79), int(75)], "  O|K  |"),
        ("%f|%.2f", &[real(1.5), real(-2.345)], "1.500000|-2.35"),
        ("%e|%G", &[real(12345.678), real(1e-10)], "1.234568e+04|1E-10"),
        ("%a|%A", &[real(1.0), real(-0.5)], "0x1p+0|-0X1P-1"),
        ("%f|%F", &[real(f64::INFINITY), real(f64::NEG_INFINITY)], "inf|-INF"),
        ("%10.3f|%-10.1f|", &[real(3.1427), real(2.0)], "     3.143|2.0       |"),
        (
            "%g|%g",
            &[Arg::Float(32, vec![0.5]), Arg::Float(16, vec![0.25])],
            "0.5|0.25",
        ),
        ("%s|%.3s", &[text("text"), text("text")], "text|tex"),
        ("%6s|%-6s|", &[text("ab"), text("ab")], "    ab|ab    |"),
        ("%s|%p", &[Arg::Null, Arg::Null], "(null)|0x0"),
        ("%v4d", &[Arg::Int(32, vec![1, -2, 3, -4])], "1,-2,3,-4"),
        (
            "%v4hld|%v2hd",
            &[Arg::Int(32, vec![1, 2, 3, 4]), Arg::Int(16, vec![-1, 1])],
            "1,2,3,4|-1,1",
        ),
        (
            "%v16hhu",
            &[Arg::Int(8, (0..16).collect())],
            "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        ),
        (
            "%v3ld|%#v2hhx",
            &[Arg::Int(64, vec![1, 2, 3]), Arg::Int(8, vec![-6, 10])],
            "1,2,3|0xfa,0xa",
        ),
        (
            "%v4hlf",
            &[Arg::Float(32, vec![1.0, 2.0, 3.0, 4.0])],
            "1.000000,2.000000,3.000000,4.000000",
        ),
        (
            "%2.2v4hlf",
            &[Arg::Float(32, vec![1.0, 2.0, 3.0, 4.0])],
            "1.00,2.00,3.00,4.00",
        ),
        ("%5.1v2hf|", &[Arg::Float(16, vec![1.0, 2.0])], "  1.0,  2.0|"),
        (
            "%v8lg",
            &[Arg::Float(64, (1..=8).map(f64::from).collect())],
            "1,2,3,4,5,6,7,8",
        ),
        ("%*d|", &[int(5), int(42)], "   42|"),
        ("%-*d|", &[int(5), int(42)], "42   |"),
        ("%.*f", &[int(1), real(2.25)], "2.2"),
        ("%d and %d", &[int(1), int(2)], "1 and 2"),
    ];
    for (format, args, expected) in cases {
        assert_eq!(print(format, args), (expected.to_string(), true), "{format:?} {args:?}");
    }
}

/// A format that does not match is printed up to the first bad conversion, without invalid accesses.
#[test]
fn formats_that_do_not_fit() {
    let text = Arg::Text(CString::new("text").unwrap());
    let cases: &[(&str, &[Arg], &str)] = &[
        ("a%d", &[], "a"),
        ("a%d%d", &[int(1)], "a1"),
        ("a%s", &[int(1)], "a"),
        ("a%s", &[long(1)], "a"),
        ("a%d", &[real(1.0)], "a"),
        ("a%f", &[int(1)], "a"),
        ("a%d", from_ref(&text), "a"),
        ("a%n", from_ref(&text), "a"),
        ("a%", &[int(1)], "a"),
        ("a%l", &[int(1)], "a"),
        ("a%-+ #0", &[int(1)], "a"),
        ("a%y", &[int(1)], "a"),
        ("a%v4d", &[int(1)], "a"),
        ("a%d", &[Arg::Int(32, vec![1, 2])], "a"),
        ("a%v5d", &[Arg::Int(32, vec![1, 2, 3, 4])], "a"),
        ("a%vd", &[Arg::Int(32, vec![1, 2, 3, 4])], "a"),
        ("a%v2s", &[text.clone(), text.clone()], "a"),
        ("a%*d", &[real(1.0), int(1)], "a"),
        ("a%*d", &[int(3)], "a"),
    ];
    for (format, args, expected) in cases {
        assert_eq!(
            print(format, args),
            (expected.to_string(), false),
            "{format:?} {args:?}"
        );
    }
    // Widths that would exhaust memory are clamped.
    let (printed, fits) = print("%99999999999999999999d|%.2000000000f", &[int(1), real(1.0)]);
    assert!(fits && printed.len() < 20_000, "{}", printed.len());
    let (printed, fits) = print("%*d|%-*d", &[int(i32::MIN.into()), int(1)]);
    assert!(!fits && printed.len() < 10_000);
}

/// Random formats, assembled from the parts of conversion specifications.
#[test]
fn any_format() {
    let pieces = [
        "%", "v", "2", "4", "16", "h", "hh", "hl", "l", "d", "x", "f", "g", "s", "c", "p", ".", "*", "-", "0", "n",
    ];
    let mut random = Random(11);
    let (words, doubles) = ([3u32, 1, 0x0008_0400, 1, 0x0004_0400], [1.5f64, 2.5]);
    let format_of = |random: &mut Random| -> CString {
        let count = random.next() % 12;
        let text: String = (0..count)
            .map(|_| pieces[random.next() as usize % pieces.len()])
            .collect();
        CString::new(text).unwrap()
    };
    // A block as emitted code packs it, with three arguments: a double, eight ints and four ints.
    let mut block = vec![];
    block.extend(3u32.to_le_bytes());
    block.extend(
        [0x0001_0801u32, 0x0008_0400, 0x0004_0400]
            .iter()
            .flat_map(|w| w.to_le_bytes()),
    );
    block.extend(doubles[0].to_le_bytes());
    block.extend(words.iter().cycle().take(12).flat_map(|w| w.to_le_bytes()));
    block.extend([0; 16]);
    let aligned: Vec<u64> = block
        .chunks_exact(8)
        .map(|c| u64::from_le_bytes(c.try_into().unwrap()))
        .collect();
    let mut fitting = 0;
    for _ in 0..100_000 {
        let format = format_of(&mut random);
        // SAFETY: a zero-terminated format, and a block as emitted code packs it.
        let (printed, fits) = unsafe { text(format.as_ptr(), aligned.as_ptr().cast()) };
        assert!(printed.len() < 100_000, "{format:?}");
        fitting += usize::from(fits);
    }
    assert!(fitting > 1000, "{fitting}");
}

/// The runtime's function writes to the C library's stdout, in order with the C library's own output.
#[test]
fn writes_to_stdout() {
    let test = "builtins::tests::printf::child_that_prints";
    let output = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("before, the kernel says 42, after"), "{printed}");
}

#[test]
#[ignore = "the child of writes_to_stdout"]
fn child_that_prints() {
    let compiled = Compiled::new(Op::printf, |c| vec![c.ptr(), c.int(32), c.int(32)], &[]);
    let (mut number, mut result) = (42u32.to_le_bytes(), [0u8; 8]);
    // SAFETY: texts that end with a zero; a number, a place for the result.
    unsafe {
        libc::printf(c"before, ".as_ptr());
        compiled.call(&[
            c"the kernel says %d, ".as_ptr().cast_mut().cast(),
            number.as_mut_ptr(),
            result.as_mut_ptr(),
        ]);
        libc::printf(c"after\n".as_ptr());
        libc::fflush(std::ptr::null_mut());
    }
    assert_eq!(result[..4], [0; 4]);
}
