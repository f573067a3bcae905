// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The local memory of a group that one call runs becomes a variable of the code, if all accesses are at known places of it.
//!
//! Nobody reads it once the group has ended. LLVM does not know that of memory, but of variables: it keeps them in registers, and leaves
//! out stores that nobody reads. In a tree of barriers, most of the time was stores, and loads that waited for them.
//!
//! Accesses of lanes that are known, such as the first 50 of 100, are plain accesses of a part of the variable.

use llvm_sys::LLVMOpcode as L;

use super::prefixes::ActiveLanes;
use crate::abi::layout;
use crate::llvm::{Builder, Function, Machine, Module, Type, Value};

/// The alignment of local memory, as the runtime gives it.
const LOCAL_ALIGN: i64 = crate::interface::LOCAL_ALIGN as i64;

/// The largest variable, in bytes.
const MOST_BYTES: i64 = 32 << 10;

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
        unmask(module, &b, address);
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
            L::LLVMCall => {
                let MaskedAccess { ty, lanes, .. } =
                    MaskedAccess::of(user).filter(|access| access.address == address)?;
                let size = module.size_of(ty.scalar()) as i64;
                [lanes.first, lanes.end].map(|lane| at + i64::from(lane) * size)
            }
            _ => return None,
        };
        bounds = Some(around(bounds, own));
    }
    Some(bounds.unwrap_or([at, at]))
}

/// A load or store of lanes that are known.
struct MaskedAccess<'c> {
    address: Value<'c>,
    ty: Type<'c>,
    mask: Value<'c>,
    lanes: ActiveLanes,
    /// What is stored, or what the other lanes have if it is a load.
    value: Value<'c>,
    is_store: bool,
    align: u32,
}

impl<'c> MaskedAccess<'c> {
    fn of(call: Value<'c>) -> Option<Self> {
        let name = call.callee()?.name();
        let is_store = name.starts_with("llvm.masked.store.");
        (is_store || name.starts_with("llvm.masked.load.")).then_some(())?;
        let [value, address, mask] = if is_store { [0, 1, 2] } else { [2, 0, 1] };
        let align = call.call_argument_align(address);
        let [value, address, mask] = [value, address, mask].map(|operand| call.operand(operand));
        let bits = value.ty().bits();
        let lanes = ActiveLanes::of(mask).filter(|_| bits >= 8 && bits.is_power_of_two())?;
        Some(Self {
            address,
            ty: value.ty(),
            mask,
            lanes,
            value,
            is_store,
            align,
        })
    }

    /// Accesses all from the first lane to the last one, of memory that nobody else knows. LLVM keeps nothing in registers that has
    /// masked accesses.
    fn unmask(&self, module: &Module<'c>, b: &Builder<'c>, call: Value<'c>) {
        let ActiveLanes { first, end, has_holes } = self.lanes;
        b.go_before(call);
        let part = self.ty.scalar().vector(end - first);
        let size = self.ty.scalar().bits() / 8;
        let start = b.offset(self.address, module.context().int(64).int((first * size).into()));
        let align = if first == 0 { self.align } else { self.align.min(size) };
        let load = || b.load(part, start).align(align);
        let among =
            |lanes: std::ops::Range<u32>, of: Value<'c>| b.shuffle(of, of.ty().poison(), &lanes.collect::<Vec<_>>());
        if self.is_store && first < end {
            let mut stored = among(first..end, self.value);
            if has_holes {
                stored = b.select(among(first..end, self.mask), stored, load());
            }
            b.store(stored, start).align(align);
        } else if !self.is_store {
            let mut loaded = self.value;
            if first < end {
                let part = load();
                let place = |lane: u32| {
                    if (first..end).contains(&lane) {
                        lane - first
                    } else {
                        u32::MAX
                    }
                };
                let lanes: Vec<u32> = (0..self.ty.lanes().unwrap_or(1)).map(place).collect();
                loaded = b.select(self.mask, b.shuffle(part, part.ty().poison(), &lanes), self.value);
            }
            call.replace_with(loaded);
        }
        call.erase();
    }
}

/// Makes plain accesses of those under masks at an address and at what is computed from it.
fn unmask<'c>(module: &Module<'c>, b: &Builder<'c>, address: Value<'c>) {
    for user in address.users() {
        match user.opcode() {
            Some(L::LLVMGetElementPtr) => unmask(module, b, user),
            Some(L::LLVMCall) => {
                if let Some(access) = MaskedAccess::of(user) {
                    access.unmask(module, b, user);
                }
            }
            _ => {}
        }
    }
}

/// Bounds of what two have, or of the second alone.
fn around(all: Option<[i64; 2]>, [start, end]: [i64; 2]) -> [i64; 2] {
    all.map_or([start, end], |[first, last]| [first.min(start), last.max(end)])
}

fn is_plain(access: Value<'_>) -> bool {
    !access.is_volatile() && !access.is_atomic()
}
