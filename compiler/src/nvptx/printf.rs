// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `printf`: CUDA's `vprintf`, whose text the driver writes when the host waits for the device.
//!
//! It takes a format and a block with the arguments, each aligned by its size, as C promotes them. It knows no vectors, and
//! no sizes but `ll`, and does not check arguments. So the format is rewritten for the arguments' types, which takes one that
//! is known: this happens behind the optimizer, which finds those that functions are called with. A format that does not fit
//! ends where it first does not, as on the CPU.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;

use crate::Error;
use crate::builtins::libcalls::printf as formats;
use crate::llvm::{Builder, Context, Kind, Module, Value};

/// What stands for a call until the optimizer has run: the format, then the arguments. A function for each list of types.
const CALL: &str = "oxur_nvptx_printf ";

/// Whether a declaration is of such a function.
pub fn is_call(name: &str) -> bool {
    name.starts_with(CALL)
}

/// Takes the arguments out of the blocks that are made for the CPU's runtime.
pub fn define(module: &Module<'_>) {
    let Some(function) = module.function("oxur_printf") else {
        return;
    };
    for call in Value::from(function).users() {
        let (format, block) = (call.operand(0), call.operand(1));
        let Some(args) = arguments(block) else { continue };
        let b = Builder::new(module.context());
        b.go_before(call);
        let all: Vec<_> = [format].into_iter().chain(args).collect();
        let types: Vec<_> = all.iter().map(|arg| arg.ty()).collect();
        let name = format!("{CALL}{types:?}");
        let function = module.function(&name).unwrap_or_else(|| {
            let ty = module.context().int(32).function(&types);
            module.add_function(&name, ty).attribute("nounwind", 0)
        });
        call.replace_with(b.call(function, &all));
        call.erase();
        for (store, address, _) in stores(block) {
            store.erase();
            if address != block {
                address.erase();
            }
        }
        block.erase();
    }
}

/// The stores to a block, with their addresses and offsets.
fn stores<'c>(block: Value<'c>) -> Vec<(Value<'c>, Value<'c>, u64)> {
    let mut found = Vec::new();
    let mut of = |address: Value<'c>, offset| {
        let all = address.users();
        let stores = all.into_iter().filter(|user| user.opcode() == Some(L::LLVMStore));
        found.extend(stores.map(|store| (store, address, offset)));
    };
    of(block, 0);
    for address in block.users() {
        if address.opcode() == Some(L::LLVMGetElementPtr)
            && let Some(offset) = address.operand(1).as_const_int()
        {
            of(address, offset);
        }
    }
    found
}

/// The arguments in a block, as [`builtins::printf`](crate::builtins) packs them.
fn arguments(block: Value<'_>) -> Option<Vec<Value<'_>>> {
    let stores = stores(block);
    let at = |offset| {
        let found = stores.iter().find(|(_, _, of)| *of == offset);
        found.map(|(store, ..)| store.operand(0))
    };
    let count = at(0)?.as_const_int()?;
    let mut offset = (4 * (1 + count)).next_multiple_of(8);
    (0..count)
        .map(|i| {
            let description = at(4 * (1 + i))?.as_const_int()?;
            let arg = at(offset);
            offset += ((description >> 8 & 0xff) * (description >> 16)).next_multiple_of(8);
            arg
        })
        .collect()
}

/// Makes the calls those of `vprintf`.
pub fn expand(module: &Module<'_>) -> Result<(), Error> {
    for function in module.functions().into_iter().filter(|f| is_call(&f.name())) {
        for call in Value::from(function).users() {
            expand_call(module, call)?;
        }
    }
    Ok(())
}

fn expand_call<'c>(module: &Module<'c>, call: Value<'c>) -> Result<(), Error> {
    let cx = module.context();
    let (byte, word, wide, ptr) = (cx.int(8), cx.int(32), cx.int(64), cx.ptr());
    // The last operand is the callee.
    let mut args = call.operands();
    args.pop();
    let format = args.remove(0);
    let Some(text) = format.constant_text() else {
        return Err(unsupported("a format of printf that is no constant"));
    };
    let b = Builder::new(cx);
    b.go_before(call);
    let (mut text, values, fits) = rewrite(cx, &b, &text, &args)?;
    text.push(0);
    let bytes: Vec<_> = text.iter().map(|&c| byte.int(c.into())).collect();
    let bytes = Value::array(byte, &bytes);
    let format = module.add_global("oxur_printf_format", bytes.ty(), Some(bytes), true);
    let mut end = 0;
    let mut places = Vec::new();
    for value in &values {
        let size = match value.ty().kind() {
            Kind::Int(32) => 4,
            _ => 8,
        };
        end = u64::next_multiple_of(end, size);
        places.push((end, size));
        end += size;
    }
    let block = match end {
        0 => ptr.zero(),
        _ => {
            // In the entry block, because an `alloca` in a loop would take more stack in each iteration.
            let at_entry = Builder::new(cx);
            at_entry.go_to_start(call.block().function().blocks()[0]);
            at_entry.alloca(byte.array(end)).align(8)
        }
    };
    for (value, (offset, size)) in values.into_iter().zip(places) {
        let address = b.offset(block, wide.int(offset));
        b.store(value, address).align(size as u32);
    }
    let vprintf = module.function("vprintf").unwrap_or_else(|| {
        module
            .add_function("vprintf", word.function(&[ptr, ptr]))
            .attribute("nounwind", 0)
    });
    let printed = b.call(vprintf, &[format, block]);
    // OpenCL's result is 0, or -1.
    let failed = word.int(u32::MAX.into());
    let result = match fits {
        true => b.select(b.icmp(I::LLVMIntSLT, printed, word.zero()), failed, word.zero()),
        false => failed,
    };
    call.replace_with(result);
    call.erase();
    Ok(())
}

/// The format as CUDA has it, what it prints, and whether all conversions match their arguments.
fn rewrite<'c>(
    cx: &'c Context,
    b: &Builder<'c>,
    format: &[u8],
    args: &[Value<'c>],
) -> Result<(Vec<u8>, Vec<Value<'c>>, bool), Error> {
    let (mut out, mut values) = (Vec::new(), Vec::new());
    let (mut rest, mut args) = (format, args.iter().copied());
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            out.push(first);
        } else if formats::skip(&mut rest, b"%") {
            out.extend(b"%%");
        } else {
            // What is printed of a conversion that does not fit is nothing.
            let (known, printed) = (out.len(), values.len());
            if convert((cx, b), &mut rest, &mut args, &mut out, &mut values)?.is_none() {
                out.truncate(known);
                values.truncate(printed);
                return Ok((out, values, false));
            }
        }
    }
    Ok((out, values, true))
}

/// A conversion, from behind its `%`. `None` where it does not match its arguments.
fn convert<'c>(
    (cx, b): (&'c Context, &Builder<'c>),
    text: &mut &[u8],
    args: &mut impl Iterator<Item = Value<'c>>,
    out: &mut Vec<u8>,
    values: &mut Vec<Value<'c>>,
) -> Result<Option<()>, Error> {
    let mut spec = vec![b'%'];
    while let Some(flag) = text.first().filter(|c| b"-+ #0".contains(c)) {
        if !spec.contains(flag) {
            spec.push(*flag);
        }
        *text = &text[1..];
    }
    // Numbers that arguments give have to be constants: what CUDA makes of a negative width is not known.
    let mut number = |text: &mut &[u8]| -> Result<Option<Option<i64>>, Error> {
        if !formats::skip(text, b"*") {
            let (number, rest) = formats::number(text);
            *text = rest;
            return Ok(Some(number.map(|number| number as i64)));
        }
        let Some(arg) = args.next().filter(|arg| matches!(arg.ty().kind(), Kind::Int(_))) else {
            return Ok(None);
        };
        match arg.as_const_signed() {
            Some(value) => Ok(Some(Some(value))),
            None => Err(unsupported("a width or a precision of printf that is no constant")),
        }
    };
    let clamped = |number: u64| number.min(formats::MAX_WIDTH as u64).to_string();
    let Some(width) = number(text)? else { return Ok(None) };
    if let Some(width) = width {
        if width < 0 && !spec.contains(&b'-') {
            spec.push(b'-');
        }
        spec.extend(clamped(width.unsigned_abs()).bytes());
    }
    if formats::skip(text, b".") {
        let Some(precision) = number(text)? else {
            return Ok(None);
        };
        // As in C, a negative one counts as omitted.
        if let Ok(precision) = u64::try_from(precision.unwrap_or(0)) {
            spec.push(b'.');
            spec.extend(clamped(precision).bytes());
        }
    }
    let Some((lanes, length)) = formats::lanes_and_length(text) else {
        return Ok(None);
    };
    let Some((&letter, rest)) = text.split_first() else {
        return Ok(None);
    };
    *text = rest;
    let Some(arg) = args
        .next()
        .filter(|arg| arg.ty().lanes().unwrap_or(1) as usize == lanes)
    else {
        return Ok(None);
    };
    for lane in 0..lanes as u64 {
        let element = match arg.ty().lanes() {
            Some(_) => b.extract_element(arg, cx.int(32).int(lane)),
            None => arg,
        };
        let Some((value, letters)) =
            promoted(cx, b, element, letter, length).filter(|_| lanes == 1 || !b"csp".contains(&letter))
        else {
            return Ok(None);
        };
        if lane > 0 {
            out.push(b',');
        }
        out.extend(&spec);
        out.extend(letters);
        values.push(value);
    }
    Ok(Some(()))
}

/// An argument as C passes it on, and the end of its conversion. `length` is the size in bytes that it is cut to.
fn promoted<'c>(
    cx: &'c Context,
    b: &Builder<'c>,
    value: Value<'c>,
    letter: u8,
    length: Option<usize>,
) -> Option<(Value<'c>, Vec<u8>)> {
    let to = |bits: u32| match bits {
        ..=32 => (cx.int(32), ""),
        _ => (cx.int(64), "ll"),
    };
    let plain = |value| Some((value, vec![letter]));
    match (letter, value.ty().kind()) {
        (b'd' | b'i' | b'o' | b'u' | b'x' | b'X', Kind::Int(bits)) => {
            let bits = length.map_or(bits, |length| bits.min(8 * length as u32));
            let cut = b.zext_or_trunc(value, cx.int(bits));
            let (ty, size) = to(bits);
            let value = match letter {
                b'd' | b'i' => b.sext_or_trunc(cut, ty),
                _ => b.zext_or_trunc(cut, ty),
            };
            Some((value, [size.as_bytes(), &[letter]].concat()))
        }
        (b'c', Kind::Int(_)) => plain(b.zext_or_trunc(value, cx.int(32))),
        // CUDA does not have `F`.
        (b'F', Kind::Float(_)) => Some((b.fpcast(value, cx.float(64)), vec![b'f'])),
        (b'f' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A', Kind::Float(_)) => plain(b.fpcast(value, cx.float(64))),
        (b's' | b'p', Kind::Pointer) if value.ty() != cx.ptr() => plain(b.cast(L::LLVMAddrSpaceCast, value, cx.ptr())),
        (b's' | b'p', Kind::Pointer) => plain(value),
        _ => None,
    }
}

fn unsupported(feature: &str) -> Error {
    Error::Unsupported {
        feature: feature.into(),
        what: "on NVIDIA GPUs".into(),
    }
}
