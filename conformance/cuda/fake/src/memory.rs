// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory. That of a device is mapped twice: at its address the host can do nothing with it, and elsewhere the device
//! can.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use oxur_cuda_sys::*;

/// Kinds of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Device,
    Host,
    Managed,
    /// The client's, which it has registered.
    Registered,
}

/// A piece of memory.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub base: usize,
    pub size: usize,
    pub kind: Kind,
    pub device: i32,
    /// Where the device's threads find it.
    own: usize,
}

/// By base.
static PIECES: RwLock<BTreeMap<usize, Piece>> = RwLock::new(BTreeMap::new());

const PAGE: usize = 4096;

fn map(size: usize, protection: i32, flags: i32, file: i32) -> Option<usize> {
    // SAFETY: a new mapping, where the system chooses.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), size, protection, flags, file, 0) };
    (address != libc::MAP_FAILED).then_some(address as usize)
}

/// Takes memory.
pub fn allocate(size: usize, kind: Kind, device: i32) -> Result<usize, CUresult> {
    let used: usize = pieces(|piece| piece.kind == Kind::Device && piece.device == device);
    let limit = crate::setting("FAKE_CUDA_MEMORY", 1 << 30) as usize;
    if size == 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if size > limit || kind == Kind::Device && used + size > limit {
        return Err(CUDA_ERROR_OUT_OF_MEMORY);
    }
    let whole = size.next_multiple_of(PAGE);
    let (both, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
    let (base, own) = match kind {
        Kind::Device => {
            // SAFETY: a name that ends with zero; the file is grown to its size, and closed when it is mapped.
            unsafe {
                let file = libc::memfd_create(c"fake cuda".as_ptr(), 0);
                let grown = libc::ftruncate(file, whole as i64) == 0;
                let own = map(whole, both, shared, file).filter(|_| grown);
                let base = map(whole, libc::PROT_NONE, shared, file);
                libc::close(file);
                (
                    base.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?,
                    own.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?,
                )
            }
        }
        _ => {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let base = map(whole, both, flags, -1).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
            (base, base)
        }
    };
    if kind == Kind::Device {
        // What was not written is not zero.
        // SAFETY: new memory of this size.
        unsafe { (own as *mut u8).write_bytes(0xcd, whole) };
    }
    add(Piece {
        base,
        size,
        kind,
        device,
        own,
    });
    Ok(base)
}

fn add(piece: Piece) {
    let mut pieces = PIECES.write().unwrap_or_else(PoisonError::into_inner);
    pieces.insert(piece.base, piece);
}

/// How many bytes the pieces have that `is` says.
pub fn pieces(is: impl Fn(&Piece) -> bool) -> usize {
    let pieces = PIECES.read().unwrap_or_else(PoisonError::into_inner);
    pieces.values().filter(|piece| is(piece)).map(|piece| piece.size).sum()
}

/// Gives memory back that `is` says.
pub fn free(base: usize, is: impl Fn(Kind) -> bool) -> CUresult {
    let mut pieces = PIECES.write().unwrap_or_else(PoisonError::into_inner);
    if pieces.get(&base).is_none_or(|piece| !is(piece.kind)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if let Some(piece) = pieces.remove(&base)
        && piece.kind != Kind::Registered
    {
        let whole = piece.size.next_multiple_of(PAGE);
        // SAFETY: mapped by `allocate`; who frees it uses it no more.
        unsafe {
            libc::munmap(piece.base as *mut _, whole);
            if piece.own != piece.base {
                libc::munmap(piece.own as *mut _, whole);
            }
        }
    }
    CUDA_SUCCESS
}

/// Notes memory of the client's.
pub fn register(base: usize, size: usize) -> CUresult {
    if size == 0 {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if find(base).is_some() {
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    add(Piece {
        base,
        size,
        kind: Kind::Registered,
        device: 0,
        own: base,
    });
    CUDA_SUCCESS
}

/// The piece that an address is in.
pub fn find(address: usize) -> Option<Piece> {
    let pieces = PIECES.read().unwrap_or_else(PoisonError::into_inner);
    let (_, piece) = pieces.range(..=address).next_back()?;
    (address - piece.base < piece.size).then_some(*piece)
}

/// Where the device's threads find some bytes that a kernel uses; `None` if they are in no memory of CUDA's.
pub fn of_kernel(address: u64, size: usize) -> Option<*mut u8> {
    let address = address as usize;
    let piece = find(address)?;
    let offset = address - piece.base;
    (offset + size <= piece.size).then_some((piece.own + offset) as *mut u8)
}

/// The same for copies, which use the host's memory, too.
pub fn of_copy(address: u64, size: usize) -> Option<*mut u8> {
    match find(address as usize) {
        Some(_) => of_kernel(address, size),
        None => Some(address as *mut u8),
    }
}
