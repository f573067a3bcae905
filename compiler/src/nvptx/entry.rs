// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The entry point of a kernel: takes the block of parameters, and runs the work-items that the range has.

use std::mem::offset_of;

use llvm_sys::LLVMIntPredicate as I;

use super::{Entry, LaunchRange};
use crate::Error;
use crate::intrinsics::{KERNEL, WorkItemIntrinsic};
use crate::llvm::{Builder, Module};

/// The largest block of parameters: the limit of PTX 8.1 and later for sm_70 and later.
const MOST_PARAMETERS: usize = 32764;

/// A name that PTX takes, of one that SPIR-V takes. Different names stay different, as `$` is doubled.
pub fn symbol_of(name: &str) -> String {
    let mut symbol = String::with_capacity(name.len());
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            b'0'..=b'9' if at == 0 => symbol.push_str(&format!("_${byte:02x}")),
            b'$' => symbol.push_str("$$"),
            b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => symbol.push(byte.into()),
            _ => symbol.push_str(&format!("${byte:02x}")),
        }
    }
    match symbol.is_empty() {
        true => "$".into(),
        false => symbol,
    }
}

/// Makes the entry of a lowered kernel.
pub fn make(module: &Module<'_>, entry: &Entry) -> Result<(), Error> {
    let info = &entry.info;
    if entry.block_size > MOST_PARAMETERS {
        let bytes = entry.range_offset;
        return Err(Error::Unsupported {
            feature: format!("a kernel with {bytes} bytes of arguments"),
            what: format!("CUDA takes {MOST_PARAMETERS}, of which we need some"),
        });
    }
    let cx = module.context();
    let kernel = module.function(KERNEL).expect("a kernel was lowered");
    kernel.internal().attribute("alwaysinline", 0);
    let made = module
        .add_function(&entry.symbol, cx.void().function(&[cx.ptr()]))
        .ptx_kernel()
        .attribute("nounwind", 0)
        .by_value(
            0,
            cx.int(8).array(entry.block_size as u64),
            info.args_align.max(8) as u32,
        )
        .param_text_attribute(0, "nvvm.grid_constant");
    for attribute in ["noalias", "readonly"] {
        made.param_attribute(0, attribute, 0);
    }
    if let Some([x, y, z]) = info.required_work_group_size {
        made.text_attribute("nvvm.reqntid", &format!("{x},{y},{z}"));
    } else if let Some(most) = info.max_work_group_size {
        made.text_attribute("nvvm.maxntid", &most.to_string());
    }
    let b = Builder::at_end(cx, made.append_block("entry"));
    let args = made.param(0).name("block");
    let item = b.offset(args, cx.int(64).int(entry.range_offset as u64)).name("range");
    if entry.may_pad {
        // Work-items beyond the range. Most ranges have one dimension: then the others are not looked at, as a kernel that
        // copies a number would take longer for that than for the copy.
        let wide = cx.int(64);
        let [first, others, run, done] = ["first", "others", "run", "beyond"].map(|name| made.append_block(name));
        let is_inside = |d: u64| {
            let dimension = cx.int(32).int(d);
            let at = |what: WorkItemIntrinsic| b.call(what.declare(module), &[item, dimension]);
            let position = b.sub(at(WorkItemIntrinsic::GlobalId), at(WorkItemIntrinsic::GlobalOffset));
            let size = b.offset(item, wide.int(offset_of!(LaunchRange, global_size) as u64 + 8 * d));
            b.icmp(I::LLVMIntULT, position, b.load(wide, size).align(8))
        };
        b.cond_br(is_inside(0), first, done);
        b.go_to_end(first);
        let dimensions = b.offset(item, wide.int(offset_of!(LaunchRange, dimensions) as u64));
        let dimensions = b.load(cx.int(32), dimensions).align(8);
        b.cond_br(b.icmp(I::LLVMIntULE, dimensions, cx.int(32).int(1)), run, others);
        b.go_to_end(others);
        b.cond_br(b.and(is_inside(1), is_inside(2)), run, done);
        b.go_to_end(done);
        b.ret(None);
        b.go_to_end(run);
    }
    b.call(kernel, &[item, args]);
    b.ret(None);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::symbol_of;

    #[test]
    fn symbols_are_ptx_names_and_differ() {
        for (name, symbol) in [
            ("add", "add"),
            ("_ZTSZ4mainE", "_ZTSZ4mainE"),
            ("oxur.global.3", "oxur$2eglobal$2e3"),
            ("a-b", "a$2db"),
            ("a$2db", "a$$2db"),
            ("3d", "_$33d"),
            ("", "$"),
            ("ä", "$c3$a4"),
        ] {
            assert_eq!(symbol_of(name), symbol);
        }
    }
}
