// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Modules. A "cubin" of this driver is a header and the PTX that it was made of.

use std::ffi::{CStr, CString};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use oxur_cuda_sys::*;

use crate::memory::{self, Kind};
use crate::ptx::{Code, Entry};

/// The most shared memory of a block, as on an H100.
pub const MOST_SHARED: usize = 232_448;

/// What a cubin begins with: as those of CUDA it is an ELF file by its first bytes. The number of registers, or zero, and the
/// length of the PTX follow.
const HEADER: &[u8; 16] = b"\x7fELF fake cubin ";

/// A module.
pub struct Module {
    code: Arc<Code>,
    /// Their addresses are handles: the list does not change.
    pub functions: Vec<Function>,
    globals: Vec<(String, u64, usize)>,
}

/// A kernel.
pub struct Function {
    pub name: CString,
    pub code: Arc<Code>,
    /// Its place among the entries of the code.
    pub entry: usize,
    /// How much shared memory a launch may ask for.
    pub dynamic: AtomicU32,
    /// How many registers a thread has.
    pub registers: u32,
}

impl Function {
    pub fn entry(&self) -> &Entry {
        &self.code.entries[self.entry]
    }

    /// The most threads of a block: those that the kernel names, or that a multiprocessor has registers for. Warps get
    /// them by 256.
    pub fn most_threads(&self) -> u32 {
        let warps = (64 << 10) / (32 * self.registers).next_multiple_of(256);
        self.entry().most.unwrap_or((32 * warps).min(1024))
    }
}

impl Module {
    /// Loads a cubin, or PTX that ends with zero.
    ///
    /// # Safety
    /// The image is one of the two.
    pub unsafe fn load(image: *const u8, device: i32) -> Result<Self, CUresult> {
        let mut most_registers = 0;
        // SAFETY: passed on to the caller.
        let text = unsafe {
            let head = std::slice::from_raw_parts(image, 4);
            if head == &HEADER[..4] {
                let whole = std::slice::from_raw_parts(image, HEADER.len() + 12);
                let (header, numbers) = whole.split_at(HEADER.len());
                if header != HEADER {
                    return Err(CUDA_ERROR_NO_BINARY_FOR_GPU);
                }
                let (registers, length) = numbers.split_at(4);
                most_registers = u32::from_le_bytes(registers.try_into().expect("four bytes"));
                let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
                std::slice::from_raw_parts(image.add(whole.len()), length as usize)
            } else {
                CStr::from_ptr(image.cast()).to_bytes()
            }
        };
        let text = std::str::from_utf8(text).map_err(|_| CUDA_ERROR_INVALID_PTX)?;
        let mut code = Code::parse(text).map_err(|_| CUDA_ERROR_INVALID_PTX)?;
        let mut globals = Vec::new();
        let mut places = Vec::new();
        for global in &code.globals {
            let base = memory::allocate(global.bytes.len().max(1), Kind::Device, device)?;
            globals.push((global.name.clone(), base as u64, global.bytes.len()));
            places.push(base as u64);
        }
        for ((_, base, _), bytes) in globals.iter().zip(code.place(places)) {
            if let Some(own) = memory::of_kernel(*base, bytes.len()) {
                // SAFETY: new memory of this size.
                unsafe { own.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            }
        }
        let code = Arc::new(code);
        let own = crate::setting("FAKE_CUDA_REGISTERS", 16) as u32;
        let registers = match most_registers {
            0 => own,
            most => own.min(most),
        };
        let function = |(entry, of): (usize, &Entry)| Function {
            name: CString::new(of.name.clone()).unwrap_or_default(),
            code: code.clone(),
            entry,
            dynamic: AtomicU32::new((48 << 10) - code.static_shared.min(48 << 10) as u32),
            registers,
        };
        Ok(Self {
            functions: code.entries.iter().enumerate().map(function).collect(),
            code: code.clone(),
            globals,
        })
    }

    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions
            .iter()
            .find(|function| function.name.to_bytes() == name.as_bytes())
    }

    pub fn global(&self, name: &str) -> Option<(u64, usize)> {
        self.globals
            .iter()
            .find(|global| global.0 == name)
            .map(|global| (global.1, global.2))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        _ = &self.code;
        for &(_, base, _) in &self.globals {
            memory::free(base as usize, |kind| kind == Kind::Device);
        }
    }
}

/// What is being linked.
pub struct Link {
    text: String,
    cubin: Vec<u8>,
    /// Where the client wants what is wrong, and how many bytes there are.
    log: (usize, usize),
    /// The most registers of a thread.
    registers: Option<u32>,
}

impl Link {
    pub fn new(log: usize, size: usize, registers: Option<u32>) -> Self {
        Self {
            text: String::new(),
            cubin: Vec::new(),
            log: (log, size),
            registers,
        }
    }

    fn complain(&self, what: &str) {
        let (place, size) = self.log;
        if place != 0 && size != 0 {
            let length = what.len().min(size - 1);
            // SAFETY: the client vouches for the buffer until the state is destroyed.
            unsafe {
                (place as *mut u8).copy_from_nonoverlapping(what.as_ptr(), length);
                (place as *mut u8).add(length).write(0);
            }
        }
    }

    pub fn add(&mut self, kind: CUjitInputType, data: &[u8]) -> Result<(), CUresult> {
        if kind != CU_JIT_INPUT_PTX {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        let text = CStr::from_bytes_until_nul(data).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        let text = text.to_str().map_err(|_| CUDA_ERROR_INVALID_PTX)?;
        Code::parse(text).map_err(|wrong| {
            self.complain(&format!("ptxas fake; error : {wrong}"));
            CUDA_ERROR_INVALID_PTX
        })?;
        self.text.push_str(text);
        self.text.push('\n');
        Ok(())
    }

    pub fn complete(&mut self) -> Result<&[u8], CUresult> {
        self.cubin = HEADER.to_vec();
        self.cubin.extend(self.registers.unwrap_or(0).to_le_bytes());
        self.cubin.extend((self.text.len() as u64).to_le_bytes());
        self.cubin.extend(self.text.as_bytes());
        Ok(&self.cubin)
    }
}
