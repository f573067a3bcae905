// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The local memory of a group that one call runs becomes a variable of the code, if all accesses are at known places of it.
//!
//! Nobody reads it once the group has ended. LLVM does not know that of memory, but of variables: it keeps them in registers, and leaves
//! out stores that nobody reads. In a tree of barriers, most of the time was stores, and loads that waited for them.

use llvm_sys::LLVMOpcode as L;

use crate::abi::layout;
use crate::llvm::{Builder, Function, Machine, Module, Value};

/// The alignment of local memory, as the runtime gives it.
const LOCAL_ALIGN: i64 = crate::kernel::LOCAL_ALIGN as i64;

/// The largest variable, in bytes.
const MOST_BYTES: i64 = 16 << 10;

/// LLVM's passes for it.
const PASSES: &str =
    "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,dse,adce,simplifycfg)";

/// Makes a variable of the local memory in code for a whole group, whose function is the entry point.
pub fn make_variable(machine: &Machine, module: &Module<'_>, entry: Function<'_>) -> Result<(), String> {
    let Some(addresses) = addresses(entry) else {
        return Ok(());
    };
    let mut bounds = None;
    for &address in &addresses {
        let Some(own) = accessed(module, address, 0) else {
            return Ok(());
        };
        bounds = Some(around(bounds, own));
    }
    let Some([first, end]) = bounds.filter(|[start, end]| (1..=MOST_BYTES).contains(&(end - start))) else {
        return Ok(());
    };
    // What is aligned in local memory is so in the variable.
    let start = first & -LOCAL_ALIGN;
    let cx = module.context();
    let b = Builder::new(cx);
    b.go_to_start(entry.blocks()[0]);
    let variable = b
        .alloca(cx.int(8).array((end - start) as u64))
        .align(LOCAL_ALIGN as u32);
    // Where local memory would begin.
    let base = b.offset(variable, cx.int(64).int(start.wrapping_neg() as u64));
    for address in addresses {
        address.replace_with(base);
        address.erase();
    }
    machine.run_passes(module, PASSES, false)
}

/// The loads of the address of the group's local memory, if nobody else knows the group: a function that is called, such as a loop,
/// would access the memory itself.
fn addresses<'c>(entry: Function<'c>) -> Option<Vec<Value<'c>>> {
    let group = entry.param(1);
    let mut addresses = Vec::new();
    for member in Value::users(group) {
        match member.opcode()? {
            L::LLVMLoad => {}
            L::LLVMGetElementPtr if member.operand(0) == group => {
                let place = offset(member)?;
                for load in member.users() {
                    (load.opcode() == Some(L::LLVMLoad)).then_some(())?;
                    if place == layout::GROUP_LOCAL_MEMORY as i64 {
                        addresses.push(load);
                    }
                }
            }
            _ => return None,
        }
    }
    Some(addresses)
}

/// How many bytes an address is behind its base, if that is known, and LLVM's optimizer has left it in the usual form.
fn offset(address: Value<'_>) -> Option<i64> {
    let &[_, index] = address.operands().as_slice() else {
        return None;
    };
    (address.source_element_type().bits() == 8).then_some(())?;
    index.as_const_int().map(|n| n as i64)
}

/// The first byte that is accessed from an address on, and what is behind the last one, if nothing else is done with it. The address is
/// `at` bytes behind the beginning of local memory.
fn accessed<'c>(module: &Module<'c>, address: Value<'c>, at: i64) -> Option<[i64; 2]> {
    let mut bounds = None;
    for user in address.users() {
        let own = match user.opcode()? {
            L::LLVMGetElementPtr if user.operand(0) == address => {
                let offset = offset(user).filter(|offset| offset.abs() <= MOST_BYTES)?;
                accessed(module, user, at + offset)?
            }
            L::LLVMLoad if is_plain(user) => [at, at + module.size_of(user.ty()) as i64],
            L::LLVMStore if is_plain(user) && user.operand(0) != address => {
                [at, at + module.size_of(user.operand(0).ty()) as i64]
            }
            _ => return None,
        };
        bounds = Some(around(bounds, own));
    }
    Some(bounds.unwrap_or([at, at]))
}

/// Bounds of what two have, or of the second alone.
fn around(all: Option<[i64; 2]>, [start, end]: [i64; 2]) -> [i64; 2] {
    all.map_or([start, end], |[first, last]| [first.min(start), last.max(end)])
}

fn is_plain(access: Value<'_>) -> bool {
    !access.is_volatile() && !access.is_atomic()
}
