// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Finds the library on whose behalf a function was called.

use std::env;
use std::ffi::{CStr, CString, c_int, c_void};
use std::ops::{ControlFlow, Range};
use std::os::unix::ffi::OsStrExt;

use crate::PRELOAD;

/// The calling library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallingLibrary {
    /// Its file name. Empty if there is none, as in a thread of libsycl.
    pub file_name: Vec<u8>,
    /// Whether it asks through libsycl.
    pub through_libsycl: bool,
}

impl CallingLibrary {
    /// Whether it is the preloaded library.
    pub fn is_preload(&self) -> bool {
        self.file_name == PRELOAD.as_bytes()
    }
}

/// Whether [`PRELOAD`] is in the process.
pub fn is_preloaded() -> bool {
    find_library(|file_name| file_name == PRELOAD.as_bytes()).is_some()
}

/// The path of a library in the process, by its file name.
pub fn find_library(mut is_it: impl FnMut(&[u8]) -> bool) -> Option<CString> {
    find_object(|info| is_it(file_name_of(info)).then(|| path_of(info).to_owned()))
}

/// The parts of a runtime that ask on behalf of others, by file name prefix.
const RUNTIME: [&str; 8] = [
    "libsycl.so",
    "libsycl-",
    "libur_",
    // Between two functions of libsycl there may be one that calls back, such as pthread_once.
    "libc.so",
    "libstdc++.so",
    "libpthread.so",
    "libgcc_s.so",
    "ld-linux",
];

/// Finds the nearest caller on the stack that is neither the library with this code nor part of the runtime.
///
/// This takes a few microseconds. If a function tail-calls libsycl, its library is not on the stack, so its caller is found.
pub fn calling_library() -> CallingLibrary {
    let mut caller = CallingLibrary::default();
    let own = object_of(take_into_account as *const () as usize)
        .unwrap_or_default()
        .range;
    // Frames of one library often follow each other.
    let mut known = own.clone();
    for_each_frame(&mut |address| {
        if own.contains(&address) || known.contains(&address) {
            return ControlFlow::Continue(());
        }
        let Some(object) = object_of(address) else {
            // Code that was generated at run time.
            return ControlFlow::Break(());
        };
        known = object.range;
        take_into_account(&mut caller, object.file_name)
    });
    caller
}

/// Records a library, from the innermost frame outwards.
fn take_into_account(caller: &mut CallingLibrary, file_name: Vec<u8>) -> ControlFlow<()> {
    if RUNTIME.iter().any(|name| file_name.starts_with(name.as_bytes())) {
        caller.through_libsycl |= file_name.starts_with(b"libsycl");
        return ControlFlow::Continue(());
    }
    caller.file_name = file_name;
    ControlFlow::Break(())
}

/// A program or library in the process.
#[derive(Default)]
struct Object {
    range: Range<usize>,
    file_name: Vec<u8>,
}

/// The object that contains an address.
///
/// `dladdr` would wait for threads that open libraries, and these may run client code that waits for this thread.
fn object_of(address: usize) -> Option<Object> {
    let mut object = find_object(|info| {
        // SAFETY: the dynamic linker passes as many headers as it says.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        let segment = |header: &libc::Elf64_Phdr| {
            let start = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
            start..start.wrapping_add(header.p_memsz as usize)
        };
        let mut loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let range = loaded.find_map(|header| Some(segment(header)).filter(|range| range.contains(&address)))?;
        Some(Object {
            range,
            file_name: file_name_of(info).to_vec(),
        })
    })?;
    // The dynamic linker reports no name for the program itself.
    if object.file_name.is_empty() {
        let program = env::current_exe().ok();
        let name = program.as_ref().and_then(|path| path.file_name()).unwrap_or_default();
        object.file_name = name.as_bytes().to_vec();
    }
    Some(object)
}

/// The path of an object. Empty for the program itself.
fn path_of(info: &libc::dl_phdr_info) -> &CStr {
    if info.dlpi_name.is_null() {
        return c"";
    }
    // SAFETY: the dynamic linker passes a zero-terminated string, which lives as long as the description.
    unsafe { CStr::from_ptr(info.dlpi_name) }
}

/// The file name of an object. Empty for the program itself.
fn file_name_of(info: &libc::dl_phdr_info) -> &[u8] {
    let path = path_of(info).to_bytes();
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// The first result of `find` for the objects in the process.
fn find_object<T>(mut find: impl FnMut(&libc::dl_phdr_info) -> Option<T>) -> Option<T> {
    type Visit<'a> = &'a mut dyn FnMut(&libc::dl_phdr_info) -> bool;
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, visit: *mut c_void) -> c_int {
        // SAFETY: the dynamic linker passes a valid description, and the argument of the call below.
        let (info, visit) = unsafe { (&*info, &mut *visit.cast::<Visit<'_>>()) };
        c_int::from(visit(info))
    }
    let mut found = None;
    let mut look: Visit<'_> = &mut |info| {
        found = find(info);
        found.is_some()
    };
    // SAFETY: `visit` gets the argument that it expects, during the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut look).cast()) };
    found
}

/// Calls `visit` with an address in the function of each frame, from here outwards, until it breaks.
fn for_each_frame(visit: &mut dyn FnMut(usize) -> ControlFlow<()>) {
    type Visit<'a> = &'a mut dyn FnMut(usize) -> ControlFlow<()>;
    // Part of the unwinder's interface (Itanium C++ ABI), in the library that Rust's own panics use.
    unsafe extern "C" {
        fn _Unwind_Backtrace(
            trace: unsafe extern "C" fn(context: *mut c_void, argument: *mut c_void) -> c_int,
            argument: *mut c_void,
        ) -> c_int;
        fn _Unwind_GetIP(context: *mut c_void) -> usize;
    }
    const GO_ON: c_int = 0; // _URC_NO_REASON
    const STOP: c_int = 4; // _URC_NORMAL_STOP
    unsafe extern "C" fn trace(context: *mut c_void, argument: *mut c_void) -> c_int {
        // SAFETY: the unwinder passes its context, and the argument of the call below.
        let (address, visit) = unsafe { (_Unwind_GetIP(context), &mut *argument.cast::<Visit<'_>>()) };
        // A return address may be past the function's last instruction.
        match visit(address.wrapping_sub(1)) {
            ControlFlow::Continue(()) => GO_ON,
            ControlFlow::Break(()) => STOP,
        }
    }
    let mut visit: Visit<'_> = visit;
    // SAFETY: `trace` gets the argument that it expects, during the call.
    unsafe { _Unwind_Backtrace(trace, (&raw mut visit).cast()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> CallingLibrary {
        let mut caller = CallingLibrary::default();
        let _ = names
            .iter()
            .try_for_each(|name| take_into_account(&mut caller, name.as_bytes().to_vec()));
        caller
    }

    #[test]
    fn the_first_that_is_no_part_of_the_runtime() {
        let caller = of(&[
            "libur_loader.so.0",
            "libsycl.so.9",
            "libc.so.6",
            "libsycl.so.9",
            "liba.so",
            "libb.so",
        ]);
        assert_eq!(caller.file_name, b"liba.so");
        assert!(caller.through_libsycl && !caller.is_preload());
        let direct = of(&["libur_adapter_cpu.so.0", "libur_loader.so.0", "program"]);
        assert!(direct.file_name == b"program" && !direct.through_libsycl);
        assert!(of(&["libsycl.so.8", PRELOAD, "liba.so"]).is_preload());
        // A thread that libsycl has started.
        assert_eq!(of(&["libsycl.so.9", "libstdc++.so.6", "libc.so.6"]).file_name, b"");
    }

    #[test]
    #[cfg_attr(miri, ignore = "there is no dynamic linker")]
    fn objects() {
        let program = env::current_exe().unwrap();
        let own = object_of(objects as *const () as usize).unwrap();
        assert_eq!(own.file_name, program.file_name().unwrap().as_bytes());
        let libc = object_of(libc::gnu_get_libc_version as *const () as usize).unwrap();
        assert!(
            libc.file_name.starts_with(b"libc.so"),
            "{libc:?}",
            libc = String::from_utf8_lossy(&libc.file_name)
        );
        assert!(object_of(1).is_none());
    }

    /// A call through the C library's `bsearch` to a function of this program.
    #[test]
    #[cfg_attr(miri, ignore = "there is no unwinder")]
    fn frames_outwards() {
        unsafe extern "C" fn compare(names: *const c_void, _: *const c_void) -> c_int {
            // SAFETY: the key that `bsearch` gets below.
            let names = unsafe { &mut *names.cast_mut().cast::<Vec<Vec<u8>>>() };
            for_each_frame(&mut |address| {
                names.extend(object_of(address).map(|object| object.file_name));
                ControlFlow::Continue(())
            });
            0
        }
        let mut names = Vec::<Vec<u8>>::new();
        // SAFETY: one element of one byte, and the key that the function expects.
        unsafe { libc::bsearch((&raw mut names).cast(), [0u8].as_ptr().cast(), 1, 1, Some(compare)) };
        names.dedup();
        let program = env::current_exe().unwrap().file_name().unwrap().as_bytes().to_vec();
        assert_eq!(names[0], program);
        assert!(names[1].starts_with(b"libc.so"), "{names:?}");
        assert_eq!(names[2], program);
    }
}
