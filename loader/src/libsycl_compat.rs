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
    let (mut releases, mut names) = ([false; 3], Vec::new());
    visit_libraries(&mut |name, info| {
        let release = if OLDER.contains(&name) {
            // SAFETY: the library is loaded.
            usize::from(!unsafe { imports(info, UNTIL_2025_2) })
        } else if PRESENT.contains(&name) {
            2
        } else {
            return;
        };
        releases[release] = true;
        names.push(String::from_utf8_lossy(name).into_owned());
    });
    let (release, serve) = match releases {
        [false, false, _] => return Ok(()),
        [true, false, false] => ("2025.2", v2025_2::serve as fn()),
        [false, true, false] => ("2025.3", v2025_3::serve as fn()),
        _ => {
            log::error!(
                "this process has {}, of different releases. They call functions of the same names with different parameters, \
                 so only one of them can use this loader. Install one release for all libraries that need any of them",
                names.join(" and ")
            );
            return Err(ResultCode::ERROR_UNSUPPORTED_VERSION);
        }
    };
    log::info!(
        "{} is in this process: functions take the parameters of release {release}",
        names.join(" and ")
    );
    serve();
    Ok(())
}

/// Calls a function for each library of the process, with its file name.
fn visit_libraries(visit: &mut dyn FnMut(&[u8], &libc::dl_phdr_info)) {
    unsafe extern "C" fn visit_one(info: *mut libc::dl_phdr_info, _size: usize, visit: *mut c_void) -> c_int {
        // SAFETY: the dynamic linker passes a valid description, and `visit` is the reference below.
        let (info, visit) = unsafe { (&*info, &mut *visit.cast::<&mut dyn FnMut(&[u8], &libc::dl_phdr_info)>()) };
        if !info.dlpi_name.is_null() {
            // SAFETY: the dynamic linker passes a zero-terminated string.
            let path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
            visit(path.rsplit(|byte| *byte == b'/').next().unwrap_or(path), info);
        }
        0
    }
    let mut visit = visit;
    // SAFETY: `visit_one` gets the reference that it expects, and uses it only during the call.
    unsafe { libc::dl_iterate_phdr(Some(visit_one), (&raw mut visit).cast()) };
}

/// Whether a library imports a function: whether that is among the symbols that it does not define.
///
/// # Safety
/// The description must be that of a loaded library.
unsafe fn imports(info: &libc::dl_phdr_info, function: &[u8]) -> bool {
    /// An entry of the dynamic section: what it tells, and a number or an address.
    type Entry = [usize; 2];
    const HASH: usize = 4;
    const STRINGS: usize = 5;
    const SYMBOLS: usize = 6;
    const GNU_HASH: usize = 0x6fff_fef5;
    let base = info.dlpi_addr as usize;
    // SAFETY: the dynamic linker has mapped the tables that the headers and the dynamic section lead to. The section ends with 0. The
    // second number of both hash tables is one of symbols: of all, or of those that come first and are not in the table, as none is
    // that the library does not define.
    unsafe {
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        let Some(dynamic) = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC) else {
            return false;
        };
        let mut entry = base.wrapping_add(dynamic.p_vaddr as usize) as *const Entry;
        let [mut strings, mut symbols, mut hash] = [0; 3];
        while (*entry)[0] != 0 {
            let [tag, value] = *entry;
            // The linker writes addresses where there were offsets, but not on all systems.
            let address = if value < base { base.wrapping_add(value) } else { value };
            match tag {
                STRINGS => strings = address,
                SYMBOLS => symbols = address,
                HASH if hash == 0 => hash = address,
                GNU_HASH => hash = address,
                _ => {}
            }
            entry = entry.add(1);
        }
        if strings == 0 || symbols == 0 || hash == 0 {
            return false;
        }
        let count = *(hash as *const u32).add(1);
        let symbols = std::slice::from_raw_parts(symbols as *const libc::Elf64_Sym, count as usize);
        symbols.iter().filter(|symbol| symbol.st_shndx == 0).any(|symbol| {
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
        let imports_of = |wanted: &[u8], function: &[u8]| {
            let mut found = None;
            visit_libraries(&mut |name, info| {
                if name == wanted {
                    // SAFETY: the library is loaded.
                    found = Some(unsafe { imports(info, function) });
                }
            });
            found
        };
        assert_eq!(imports_of(b"libc.so.6", b"__tls_get_addr"), Some(true));
        assert_eq!(imports_of(b"libc.so.6", b"printf"), Some(false));
        assert_eq!(imports_of(b"libc.so", b"printf"), None);
        assert_eq!(detect(), Ok(()));
    }
}
