// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Detects whether the process has a SYCL runtime of an older release.
//!
//! All releases since 2026.0 have the same library names and symbol versions, but 2026.2 renumbered some device queries
//! and removed the functions that set kernel arguments one by one. A runtime that uses those functions is an older one.

use std::ffi::{CStr, c_int, c_void};

/// A function that the runtimes before 2026.2 call, and no later one.
const DROPPED: &CStr = c"urKernelSetArgValue";

/// Whether a SYCL runtime of a release before 2026.2 is in the process.
pub(crate) fn is_before_2026_2() -> bool {
    uses(b"libsycl", DROPPED)
}

/// Whether a library in the process, with a file name that begins like this, defines or imports a symbol.
fn uses(library: &[u8], symbol: &CStr) -> bool {
    struct Search<'a> {
        library: &'a [u8],
        symbol: &'a CStr,
        found: bool,
    }
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
        // SAFETY: the dynamic linker passes a valid description, and `search` is the structure below.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search<'_>>()) };
        if info.dlpi_name.is_null() {
            return 0;
        }
        // SAFETY: the dynamic linker passes a zero-terminated string.
        let path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
        let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        if file.starts_with(search.library) {
            // SAFETY: the library stays while the dynamic linker visits it.
            let names = unsafe { names(info) }.unwrap_or_default();
            // A name ends with a zero. It may be the end of a longer name.
            let wanted = search.symbol.to_bytes_with_nul();
            search.found |= names.windows(wanted.len()).any(|window| window == wanted);
        }
        c_int::from(search.found)
    }
    let mut search = Search {
        library,
        symbol,
        found: false,
    };
    // SAFETY: `visit` gets the structure that it expects, and touches it only during the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

/// The names of the dynamic symbols of a library.
///
/// # Safety
/// The library must be in the process for `'a`.
unsafe fn names<'a>(info: &libc::dl_phdr_info) -> Option<&'a [u8]> {
    const DYNAMIC: u32 = 2;
    const END: usize = 0;
    const STRINGS: usize = 5;
    const STRINGS_SIZE: usize = 10;
    let base = info.dlpi_addr as usize;
    // SAFETY: the dynamic linker passes as many headers as it says.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let dynamic = headers.iter().find(|header| header.p_type == DYNAMIC)?;
    let mut entry = base.wrapping_add(dynamic.p_vaddr as usize) as *const [usize; 2];
    let (mut at, mut size) = (None, None);
    loop {
        // SAFETY: the dynamic section ends with an entry of type 0.
        let [tag, value] = unsafe { entry.read() };
        match tag {
            END => break,
            STRINGS => at = Some(value),
            STRINGS_SIZE => size = Some(value),
            _ => {}
        }
        entry = entry.wrapping_add(1);
    }
    // glibc has relocated the offset to an address; other dynamic linkers leave it.
    let at = at.map(|at| if at < base { base + at } else { at })?;
    // SAFETY: the section has these names, and stays as long as the library.
    Some(unsafe { std::slice::from_raw_parts(at as *const u8, size?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "there is no dynamic linker")]
    fn libraries_by_the_names_in_them() {
        assert!(uses(b"libc.so", c"malloc"));
        assert!(!uses(b"libc.so", c"mallo"));
        assert!(!uses(b"libc.so", DROPPED));
        assert!(!uses(b"libnothing", c"malloc"));
        assert!(!is_before_2026_2());
    }
}
