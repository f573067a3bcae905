// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Modules of the driver, and the cubins that they are loaded from.
//!
//! The driver takes 26 ms and more to compile PTX, and lets one thread do so at a time. So the cubin that it makes goes
//! into the cache of compiled code, by the PTX, the driver and the kind of device; it loads in less than a millisecond.

use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::Arc;

use kit::ur::ResultCode;
use kit::{DeviceGlobals, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_cache::environment::FromEnvironment;
use oxur_cache::{CacheConfig, Compiler, Key};
use oxur_compiler::nvptx::Entry;
use oxur_cuda_sys::*;
use oxur_fork::OnceLock;

use super::executable::Source;
use super::{Interface, Metadata};
use crate::driver::{self, cu, cu_get};
use crate::{Device, conv};

/// A module of the driver.
pub(crate) struct Module {
    raw: CUmodule,
    device: Arc<Device>,
    /// What it was loaded from.
    pub(super) cubin: Arc<[u8]>,
    /// Its variables that were asked for.
    globals: DeviceGlobals,
    /// What came with it.
    metadata: Metadata,
}

// SAFETY: CUDA's handles may be used from any thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

/// A kernel in a module.
pub(crate) struct Function {
    pub(crate) raw: CUfunction,
    pub(crate) interface: Interface,
    /// What it was made of, if that is SPIR-V and it is no [wide](Self::widened) one.
    pub(super) source: Option<Source>,
    _module: Arc<Module>,
}

// SAFETY: CUDA's handles may be used from any thread.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// The kernel with so few registers a thread that every block of the device has enough, if it can be made.
    pub(crate) fn widened(&self) -> UrResult<Option<Self>> {
        self.source.as_ref().map_or(Ok(None), Source::widened)
    }

    /// The parameters that are only stored through, of those that the compiler knows: a bit for each.
    pub(crate) fn write_only_params(&self) -> u64 {
        self.source.as_ref().map_or(0, Source::write_only_params)
    }
}

/// Kinds of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Image {
    Ptx,
    /// An object of one kind of device, or a container of several.
    Binary,
}

/// What the first bytes of a container of several objects are.
const FATBIN: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();

/// What code is, by how it begins.
fn image(code: &[u8]) -> Option<Image> {
    if code.starts_with(b"\x7fELF") || code.starts_with(&FATBIN) {
        return Some(Image::Binary);
    }
    // Text may end with a zero.
    let text = code.strip_suffix(b"\0").unwrap_or(code);
    let is_text = !text.contains(&0) && text.windows(8).any(|word| word == b".version");
    is_text.then_some(Image::Ptx)
}

/// Refuses what is neither PTX nor an object.
pub(super) fn check_image(code: &[u8]) -> UrResult<()> {
    match image(code) {
        Some(_) => Ok(()),
        None => Err(kit::error!(
            ERROR_INVALID_BINARY: "a program for CUDA is PTX, a cubin or a fatbin, which this is not"
        )),
    }
}

fn cache() -> &'static CacheConfig {
    static CACHE: OnceLock<CacheConfig> = OnceLock::new();
    CACHE.get_or_init(|| FromEnvironment::read().config)
}

/// Whose the cubins in the cache are, for `oxur cache`.
const COMPILER: Compiler = Compiler::new(concat!(env!("CARGO_PKG_VERSION"), " cubin"));

/// The name of a cubin in the cache.
fn key(device: &Device, inputs: &[Arc<[u8]>]) -> Key {
    let mut hash = blake3::Hasher::new_derive_key("oxur cubin 1");
    let (major, minor) = device.facts.capability;
    for number in [driver::version(), major, minor, inputs.len() as i32] {
        hash.update(&number.to_le_bytes());
    }
    for input in inputs {
        hash.update(&(input.len() as u64).to_le_bytes());
        hash.update(input);
    }
    Key(*hash.finalize().as_bytes())
}

impl Module {
    /// Makes a module of one image, or links several. An error comes with the driver's log.
    pub(super) fn build(
        device: &Arc<Device>,
        inputs: &[Arc<[u8]>],
        metadata: Metadata,
    ) -> Result<Self, (UrError, String)> {
        let mut module = Self::without_metadata(device, inputs)?;
        module.metadata = metadata;
        Ok(module)
    }

    fn without_metadata(device: &Arc<Device>, inputs: &[Arc<[u8]>]) -> Result<Self, (UrError, String)> {
        let plain = |error| (error, String::new());
        let _current = device.primary().and_then(|primary| primary.activate()).map_err(plain)?;
        if let [one] = inputs
            && image(one) == Some(Image::Binary)
        {
            return Self::load(device, one).map_err(plain);
        }
        let mut log = String::new();
        let made = cache().get(
            &COMPILER,
            || key(device, inputs),
            || link(inputs, None, &mut log),
            |cubin| Self::load(device, cubin),
        );
        match made {
            Ok((module, _)) => Ok(module),
            Err(error) => Err((error, log)),
        }
    }

    /// Makes a module of the PTX that `compile` makes, unless there is a cubin of this name in the cache. Its threads have
    /// at most so many `registers`.
    pub(super) fn compiled(
        device: &Arc<Device>,
        name: &[u8],
        registers: Option<u32>,
        compile: impl FnOnce() -> UrResult<CString>,
    ) -> Result<Self, (UrError, String)> {
        let plain = |error| (error, String::new());
        let _current = device.primary().and_then(|primary| primary.activate()).map_err(plain)?;
        let mut log = String::new();
        let made = cache().get(
            &COMPILER,
            || match registers {
                None => key(device, &[name.into()]),
                Some(most) => key(device, &[name.into(), most.to_le_bytes().as_slice().into()]),
            },
            || link(&[compile()?.as_bytes().into()], registers, &mut log),
            |cubin| Self::load(device, cubin),
        );
        made.map(|(module, _)| module).map_err(|error| {
            let error = match error.code() {
                ResultCode::ERROR_INVALID_BINARY => error.with_code(ResultCode::ERROR_PROGRAM_BUILD_FAILURE),
                _ => error,
            };
            (error, log)
        })
    }

    fn load(device: &Arc<Device>, cubin: &[u8]) -> UrResult<Self> {
        // A call of CUDA's function for that.
        if cubin.windows(7).any(|name| name == b"vprintf") {
            device.primary()?.note_prints();
        }
        // SAFETY: an image, which says itself how long it is: `check_image` has seen it, or the driver has made it.
        let raw = unsafe { cu_get!(cuModuleLoadData(_, cubin.as_ptr().cast()): CUmodule = std::ptr::null_mut()) }?;
        Ok(Self {
            raw,
            device: device.clone(),
            cubin: cubin.into(),
            globals: DeviceGlobals::default(),
            metadata: Metadata::default(),
        })
    }

    /// The driver's handle.
    pub(super) fn raw(&self) -> CUmodule {
        self.raw
    }

    /// A kernel of the module, of which the driver knows the parameters.
    pub(super) fn function(self: &Arc<Self>, name: &CStr) -> UrResult<Function> {
        self.find(name, |function| {
            Ok(Interface {
                required_size: self.metadata.required_size(name),
                ..Interface::of_function(function)?
            })
        })
    }

    /// A kernel that our compiler made.
    pub(super) fn entry(self: &Arc<Self>, entry: &Entry) -> UrResult<Function> {
        let symbol = CString::new(&*entry.symbol).map_err(|_| ResultCode::ERROR_INVALID_KERNEL_NAME)?;
        self.find(&symbol, |_| Ok(Interface::of_entry(entry)))
    }

    fn find(
        self: &Arc<Self>,
        name: &CStr,
        interface: impl FnOnce(CUfunction) -> UrResult<Interface>,
    ) -> UrResult<Function> {
        let _current = self.device.primary()?.activate()?;
        let mut raw: CUfunction = std::ptr::null_mut();
        // SAFETY: a live module, a name that ends with zero, and a place for the function.
        match unsafe { (driver::api().cuModuleGetFunction)(&mut raw, self.raw, name.as_ptr()) } {
            CUDA_ERROR_NOT_FOUND => Err(kit::error!(ERROR_INVALID_KERNEL_NAME: "the program has no kernel {name:?}")),
            result => {
                driver::check("cuModuleGetFunction", result)?;
                Ok(Function {
                    raw,
                    interface: interface(raw)?,
                    source: None,
                    _module: self.clone(),
                })
            }
        }
    }

    /// The address and size of a variable.
    pub(super) fn global(&self, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        self.globals.known(name, || self.find_global(name))
    }

    fn find_global(&self, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        let _current = self.device.primary()?.activate()?;
        let (mut address, mut size): (CUdeviceptr, usize) = (0, 0);
        let symbol = self.metadata.symbol(name);
        // SAFETY: a live module, a name that ends with zero, and places for the results.
        match unsafe { (driver::api().cuModuleGetGlobal)(&mut address, &mut size, self.raw, symbol.as_ptr()) } {
            CUDA_ERROR_NOT_FOUND => Err(kit::error!(
                ERROR_INVALID_VALUE: "the program has no global variable {name:?} for this device"
            )),
            result => driver::check("cuModuleGetGlobal", result).map(|()| (address as *mut c_void, size)),
        }
    }

    /// The names of all kernels.
    pub(super) fn kernel_names(&self) -> UrResult<Vec<String>> {
        let _current = self.device.primary()?.activate()?;
        // SAFETY: a live module, and room for as many functions as it says. The names are the driver's, and there as
        // long as the module.
        unsafe {
            let count = {
                let mut count = 0;
                cu!(cuModuleGetFunctionCount(&mut count, self.raw))?;
                count
            };
            let mut functions = vec![std::ptr::null_mut(); count as usize];
            cu!(cuModuleEnumerateFunctions(functions.as_mut_ptr(), count, self.raw))?;
            let name = |function| {
                let name = cu_get!(cuFuncGetName(_, function): *const c_char = std::ptr::null())?;
                Ok(CStr::from_ptr(name).to_string_lossy().into_owned())
            };
            functions.into_iter().map(name).collect()
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if driver::is_gone() {
            return;
        }
        let unloaded = self.device.primary().and_then(|primary| {
            let _current = primary.activate()?;
            // SAFETY: a live module that nobody uses any more.
            unsafe { cu!(cuModuleUnload(self.raw)) }
        });
        if let Err(error) = unloaded {
            log::debug!("a module is leaked: {error}");
        }
    }
}

/// Compiles PTX and links it with what else there is: to a cubin, whose threads have at most so many `registers`. What the
/// driver says of it is put into `log`. The context is current.
fn link(inputs: &[Arc<[u8]>], registers: Option<u32>, log: &mut String) -> UrResult<Vec<u8>> {
    let mut buffer = vec![0_u8; 16 << 10];
    let mut options = [
        CU_JIT_ERROR_LOG_BUFFER,
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        CU_JIT_MAX_REGISTERS,
    ];
    // The driver takes numbers for pointers.
    let mut values = [
        buffer.as_mut_ptr().cast::<c_void>(),
        std::ptr::without_provenance_mut(buffer.len()),
        std::ptr::without_provenance_mut(registers.unwrap_or(0) as usize),
    ];
    let mut state: CUlinkState = std::ptr::null_mut();
    let count = if registers.is_some() { 3 } else { 2 };
    // SAFETY: as many options as values, which live until the state is destroyed.
    unsafe {
        cu!(cuLinkCreate(
            count,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
            &mut state
        ))
    }?;
    let made = add_and_complete(state, inputs);
    // SAFETY: a live state, whose cubin was copied.
    if let Err(error) = unsafe { cu!(cuLinkDestroy(state)) } {
        log::warn!("the state of a linker is leaked: {error}");
    }
    if let Ok(said) = CStr::from_bytes_until_nul(&buffer) {
        *log = said.to_string_lossy().into_owned();
    }
    made
}

fn add_and_complete(state: CUlinkState, inputs: &[Arc<[u8]>]) -> UrResult<Vec<u8>> {
    for input in inputs {
        // The driver wants a zero at the end of text.
        let mut code = input.to_vec();
        let kind = match image(input) {
            Some(Image::Ptx) => {
                code.push(0);
                CU_JIT_INPUT_PTX
            }
            _ => CU_JIT_INPUT_CUBIN,
        };
        let (data, size, name) = (code.as_mut_ptr().cast(), code.len(), c"program".as_ptr());
        // SAFETY: a live state and no options; the driver copies what it needs of the code.
        let added = unsafe {
            (driver::api().cuLinkAddData)(
                state,
                kind,
                data,
                size,
                name,
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            )
        };
        built("cuLinkAddData", added)?;
    }
    let (mut cubin, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: a live state, and places for the results.
    let completed = unsafe { (driver::api().cuLinkComplete)(state, &mut cubin, &mut size) };
    built("cuLinkComplete", completed)?;
    // SAFETY: the driver's memory, which is there until the state is destroyed.
    Ok(unsafe { std::slice::from_raw_parts(cubin.cast::<u8>(), size) }.to_vec())
}

/// The result of a function that compiles: whatever is wrong with the code, it is not built.
fn built(function: &'static str, result: CUresult) -> UrResult<()> {
    driver::check(function, result).map_err(|error| match result {
        CUDA_ERROR_OUT_OF_MEMORY | CUDA_ERROR_JIT_COMPILER_NOT_FOUND => error,
        _ if conv::is_fault(result) => error,
        _ => error.with_code(ResultCode::ERROR_INVALID_BINARY),
    })
}
