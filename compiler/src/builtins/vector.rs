// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The vector forms of mathematical functions: glibc's libmvec, where this machine has it.

use std::ffi::CString;
use std::sync::OnceLock;

use super::table::{CALLEES, Callee, Isa};

/// glibc's library of vector functions.
fn library() -> Option<usize> {
    static LIBRARY: OnceLock<Option<usize>> = OnceLock::new();
    *LIBRARY.get_or_init(|| {
        // SAFETY: glibc's own library, whose initialisers do nothing but choose functions for the CPU.
        let library = unsafe { libc::dlopen(c"libmvec.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            log::info!("there is no libmvec.so.1: mathematical functions are computed one number at a time");
        }
        (!library.is_null()).then_some(library as usize)
    })
}

/// The vector form of a mathematical function.
pub struct Variant {
    /// Its symbol.
    pub name: String,
    /// How many elements it takes.
    pub lanes: u32,
    /// How many bits each has: more than the function's numbers where only so it is precise.
    pub bits: u32,
}

/// What results may differ by from the scalar function's, in units of the last place, where the kernel does not allow more:
/// programs are tested against implementations that round nearly always right.
const CLOSE: f32 = 1.0;

/// The vector form of a mathematical function on this CPU; none where it is less precise than OpenCL demands. That for
/// `float` may be libmvec's for `double`: most of those for `float` are off by two units or three. `relaxed` takes them.
pub fn vector_variant(name: &str, relaxed: bool) -> Option<Variant> {
    let callee = CALLEES.iter().find(|c| c.name == name)?;
    let isa = if std::is_x86_feature_detected!("avx512f") {
        Isa::Avx512
    } else if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        Isa::Avx2
    } else {
        return None;
    };
    let is_close = |c: &Callee| relaxed || c.vector.as_ref().is_some_and(|v| v.ulps[isa as usize] <= CLOSE);
    let wider = || CALLEES.iter().find(|c| c.op == callee.op && c.bits == 64);
    let callee = if callee.bits == 64 || is_close(callee) {
        callee
    } else {
        wider()?
    };
    let (name, lanes) = callee.vector_name(isa)?;
    vector_symbol(&name)?;
    Some(Variant {
        name,
        lanes,
        bits: callee.bits,
    })
}

/// The address of a vector function.
pub fn vector_symbol(name: &str) -> Option<*const u8> {
    if !name.starts_with("_ZGV") {
        return None;
    }
    let name = CString::new(name).ok()?;
    // SAFETY: the library stays open.
    let address = unsafe { libc::dlsym(library()? as *mut libc::c_void, name.as_ptr()) };
    (!address.is_null()).then_some(address.cast_const().cast())
}
