// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `printf`: packs the arguments with their types into a block on the stack, which [`super::libcalls::printf`] formats.

use super::Emit;
use super::check::{self, invalid};
use super::libcalls::printf::{FLOAT, INTEGER, POINTER};
use crate::Error;
use crate::llvm::{Builder, Kind, Type, Value};

/// The description of an argument in the block, and its size in bytes. The description has the kind in bits 0 to 7, the
/// size of an element in bits 8 to 15, and the number of elements above.
fn describe(ty: Type<'_>) -> Option<(u64, u64)> {
    let kind = match ty.scalar().kind() {
        Kind::Int(_) if check::is_integer(ty) => INTEGER,
        Kind::Float(_) if check::is_float(ty) => FLOAT,
        Kind::Pointer if ty.lanes().is_none() => POINTER,
        _ => return None,
    };
    let (bytes, lanes) = (u64::from(ty.bits() / 8), u64::from(ty.lanes().unwrap_or(1)));
    Some((u64::from(kind) | bytes << 8 | lanes << 16, bytes * lanes))
}

pub fn emit<'c>(e: &Emit<'_, 'c>, result: Type<'c>, args: &[Value<'c>]) -> Result<Value<'c>, Error> {
    let Some((&format, args)) = args.split_first() else {
        return Err(invalid("it takes a format"));
    };
    if format.ty().kind() != Kind::Pointer || result.kind() != Kind::Int(32) {
        return Err(invalid("it takes a pointer to the format and returns an i32"));
    }
    let context = e.context;
    let (byte, word, ptr) = (context.int(8), context.int(32), context.ptr());
    // The block: the number of arguments, a description of each, then the arguments, each aligned to 8 bytes.
    let mut fields = vec![(0, word.int(args.len() as u64))];
    let mut end = (4 * (1 + args.len() as u64)).next_multiple_of(8);
    for (index, &arg) in args.iter().enumerate() {
        let Some((description, size)) = describe(arg.ty()) else {
            return Err(invalid(format!("an argument cannot be of type {:?}", arg.ty())));
        };
        fields.push((4 * (1 + index as u64), word.int(description)));
        fields.push((end, arg));
        end += size.next_multiple_of(8);
    }
    // In the entry block, because an `alloca` in a loop would take more stack in each iteration.
    let entry = e.builder.block().function().blocks()[0];
    let at_entry = Builder::new(context);
    at_entry.go_to_start(entry);
    let block = at_entry.alloca(byte.array(end)).align(8);
    for (offset, value) in fields {
        let address = e.builder.gep(byte, block, &[context.int(64).int(offset)], true);
        e.builder
            .store(value, address)
            .align(if offset % 8 == 0 { 8 } else { 4 });
    }
    let function = match e.module.function("oxur_printf") {
        Some(function) => function,
        None => e
            .module
            .add_function("oxur_printf", word.function(&[ptr, ptr]))
            .attribute("nounwind", 0),
    };
    Ok(e.builder.call(function, &[format, block]))
}
