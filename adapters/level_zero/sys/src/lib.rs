// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Raw bindings of [oneAPI Level Zero](https://oneapi-src.github.io/level-zero-spec/level-zero/latest/): core (`ze`),
//! tools (`zet`), sysman (`zes`), runtime (`zer`), and the loader's own functions (`zel`).
//!
//! [bindgen] makes them at build time from the headers on the build machine, which must be those of API version 1.17 or
//! newer: [`API_VERSION`] tells which they are. Nothing links with Level Zero. [`Loader`] opens `libze_loader.so.1` at
//! run time, so a program runs without Level Zero too.
//!
//! [bindgen]: https://crates.io/crates/bindgen
//!
//! # Names
//!
//! All have the names of the headers.
//!
//! - **Enumerations** are newtypes of integers, because a newer driver may return a value that the headers do not have.
//!   The values are constants: [`ZE_RESULT_SUCCESS`]. `Debug` and `Display` print the names, also that of
//!   [`ze_result_t`], which is an [`Error`](core::error::Error).
//! - **Flags** are plain integers, as are the fields that combine them: `flags: ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_CACHED`.
//! - **Structures** are `Default`: all zero except `stype`, which has the right [`STRUCTURE_TYPE`](Structure).
//! - **Names of extensions** are C strings: [`ZE_MODULE_PROGRAM_EXP_NAME`].
//! - **Callbacks** and the entries of tables are options of functions.
//!
//! # A client
//!
//! ```no_run
//! use level_zero_sys::*;
//!
//! fn devices() -> Result<Vec<ze_device_handle_t>, Box<dyn std::error::Error>> {
//!     let ze = Loader::open()?;
//!     let mut devices = Vec::new();
//!     // SAFETY: the pointers are to variables that have room for what the counts say.
//!     unsafe {
//!         // The outer error is a function that the installed loader is too old for; the inner one is Level Zero's.
//!         ze.zeInit(ZE_INIT_FLAG_GPU_ONLY)?.ok()?;
//!         let (mut count, mut driver) = (1, std::ptr::null_mut());
//!         ze.zeDriverGet(&mut count, &mut driver)?.ok()?;
//!         ze.zeDeviceGet(driver, &mut count, std::ptr::null_mut())?.ok()?;
//!         devices.resize(count as usize, std::ptr::null_mut());
//!         ze.zeDeviceGet(driver, &mut count, devices.as_mut_ptr())?.ok()?;
//!     }
//!     Ok(devices)
//! }
//! ```
//!
//! `examples/info.rs` lists drivers, devices and extensions.
//!
//! # A driver
//!
//! A driver exports a function for each table, which fills it. Tables only grow at their ends: an older loader's, which
//! asks for an older version, ends before newer fields.
//!
//! ```
//! use level_zero_sys::*;
//!
//! unsafe extern "C" fn init(_flags: ze_init_flags_t) -> ze_result_t {
//!     ZE_RESULT_SUCCESS
//! }
//!
//! unsafe extern "C" fn init_drivers(
//!     count: *mut u32,
//!     drivers: *mut ze_driver_handle_t,
//!     desc: *mut ze_init_driver_type_desc_t,
//! ) -> ze_result_t {
//! #   let _ = (count, drivers, desc);
//!     // ...
//!     ZE_RESULT_SUCCESS
//! }
//!
//! #[unsafe(no_mangle)]
//! pub unsafe extern "C" fn zeGetGlobalProcAddrTable(
//!     version: ze_api_version_t,
//!     table: *mut ze_global_dditable_t,
//! ) -> ze_result_t {
//!     if table.is_null() {
//!         return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
//!     }
//!     // SAFETY: the loader passes a table of this version, and the first version has this field.
//!     unsafe { (*table).pfnInit = Some(init) };
//!     if version >= ZE_API_VERSION_1_10 {
//!         // SAFETY: this version's table has this field.
//!         unsafe { (*table).pfnInitDrivers = Some(init_drivers) };
//!     }
//!     ZE_RESULT_SUCCESS
//! }
//! ```
//!
//! # Where the headers come from
//!
//! The build script takes the first of these: `LEVEL_ZERO_INCLUDE_DIR`, the folder that holds `ze_api.h`; the workspace
//! of oxur, if the crate lies in it; pkg-config's `level-zero`; `/usr/include/level_zero`. Dependants whose build
//! scripts need the headers find the folder in `DEP_LEVEL_ZERO_INCLUDE`. bindgen needs libclang.

mod bindings;
mod helpers;
mod loader;

pub use bindings::*;
pub use helpers::*;
pub use loader::*;
