// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Detects a client's SYCL runtime whose version changes the ABI.
//!
//! `libsycl.so.8` of releases 2025.2 and 2025.3 calls some functions with other parameters, but by the same names and with the same
//! symbol version. A call does not show which release it comes from, but the process does: if it has that library,
//! [`v2025_3`] or [`v2025_2`] takes over. (Older releases of that library need other symbol versions, so the dynamic linker
//! rejects them.)

use std::ffi::{CStr, c_char, c_int, c_void};

use oxur_api::ResultCode;

use crate::{UrResult, v2025_2, v2025_3};

/// Runtimes of 2025.
const OLDER: [&[u8]; 2] = [b"libsycl.so.8", b"libsycl-preview.so.8"];
/// Runtimes of 2026.
const PRESENT: [&[u8]; 2] = [b"libsycl.so.9", b"libsycl-preview.so.9"];
/// A function that a runtime of 2025.2 imports, and none of 2025.3.
const UNTIL_2025_2: &[u8] = b"urEnqueueKernelLaunchCustomExp";

/// Adapts the loader to the process's SYCL runtime.
pub(crate) fn detect() -> UrResult<()> {
    let older: Vec<_> = OLDER.into_iter().filter_map(|name| find(name, UNTIL_2025_2)).collect();
    if older.is_empty() {
        return Ok(());
    }
    if PRESENT.into_iter().any(|name| find(name, UNTIL_2025_2).is_some()) {
        log::error!(
            "libsycl.so.8 and libsycl.so.9 are both in this process. They call functions of the same names with \
             different parameters, so only one of them can use this loader. Install one release for all libraries that need \
             either of them"
        );
        return Err(ResultCode::ERROR_UNSUPPORTED_VERSION);
    }
    let is_2025_2 = older.into_iter().any(|Found { imports }| imports);
    let (release, serve) = match is_2025_2 {
        true => ("2025.2", v2025_2::serve as fn()),
        false => ("2025.3", v2025_3::serve as fn()),
    };
    log::info!("libsycl.so.8 is in this process: functions take the parameters of release {release}");
    serve();
    Ok(())
}

/// A library of the process.
struct Found {
    /// Whether it imports the function that was asked for.
    imports: bool,
}

/// Finds the library of this file name in the process.
fn find(name: &[u8], function: &[u8]) -> Option<Found> {
    struct Search<'a> {
        name: &'a [u8],
        function: &'a [u8],
        found: Option<Found>,
    }
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
        // SAFETY: the dynamic linker passes a valid description, and `search` is the structure below.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search<'_>>()) };
        if !info.dlpi_name.is_null() {
            // SAFETY: the dynamic linker passes a zero-terminated string.
            let path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
            if path.rsplit(|byte| *byte == b'/').next() == Some(search.name) {
                // SAFETY: the library stays while the dynamic linker calls this function.
                let imports = unsafe { imports(info, search.function) };
                search.found = Some(Found { imports });
            }
        }
        c_int::from(search.found.is_some())
    }
    let mut search = Search {
        name,
        function,
        found: None,
    };
    // SAFETY: `visit` gets the structure that it expects, and touches it only during the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

/// Whether a library imports a function: whether that is among the symbols that it does not define, which come first in its table.
///
/// # Safety
/// The description must be that of a loaded library.
unsafe fn imports(info: &libc::dl_phdr_info, function: &[u8]) -> bool {
    /// An entry of the dynamic section: what it tells, and a number or an address.
    type Entry = [usize; 2];
    const STRINGS: usize = 5;
    const SYMBOLS: usize = 6;
    const GNU_HASH: usize = 0x6fff_fef5;
    let base = info.dlpi_addr as usize;
    // SAFETY: the dynamic linker has mapped the tables that the headers and the dynamic section lead to. The section ends with 0. The
    // hash table begins with the number of its buckets and that of the first symbol that it has, all of which are defined.
    unsafe {
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        let Some(dynamic) = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC) else {
            return false;
        };
        let mut entry = (base + dynamic.p_vaddr as usize) as *const Entry;
        let [mut strings, mut symbols, mut hash] = [0; 3];
        while (*entry)[0] != 0 {
            let [tag, value] = *entry;
            // The linker writes addresses where there were offsets, but not on all systems.
            let address = if value < base { base + value } else { value };
            match tag {
                STRINGS => strings = address,
                SYMBOLS => symbols = address,
                GNU_HASH => hash = address,
                _ => {}
            }
            entry = entry.add(1);
        }
        if strings == 0 || symbols == 0 || hash == 0 {
            return false;
        }
        let first_defined = *(hash as *const u32).add(1);
        let symbols = std::slice::from_raw_parts(symbols as *const libc::Elf64_Sym, first_defined as usize);
        symbols.iter().any(|symbol| {
            let name = CStr::from_ptr((strings as *const c_char).add(symbol.st_name as usize));
            name.to_bytes() == function
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_by_their_file_name() {
        let imports = |name: &[u8], function: &[u8]| find(name, function).map(|found| found.imports);
        assert_eq!(imports(b"libc.so.6", b"__tls_get_addr"), Some(true));
        assert_eq!(imports(b"libc.so.6", b"printf"), Some(false));
        assert_eq!(imports(b"libc.so", b"printf"), None);
        assert_eq!(detect(), Ok(()));
    }
}
