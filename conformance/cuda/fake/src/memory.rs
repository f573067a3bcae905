// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory. That of a device is mapped twice: at its address the host can do nothing with it, and elsewhere the device
//! can. [`crate::virtual_mem`] maps physical memory, and what other processes share.

use std::collections::{BTreeMap, BTreeSet};
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
    /// Physical memory of a device that is mapped.
    Mapped,
    /// Another process's.
    Imported,
}

/// A piece of memory.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub base: usize,
    pub size: usize,
    pub kind: Kind,
    pub device: i32,
    /// Where the device's threads find it.
    pub own: usize,
    /// What the device may do with it: `CU_MEM_ACCESS_FLAGS_PROT_*`.
    pub access: i32,
    /// Whether it is a pool's, of which other devices may use nothing until they are told so.
    pooled: bool,
    /// The file that it is of, if other processes may open it.
    file: i32,
}

/// By base.
static PIECES: RwLock<BTreeMap<usize, Piece>> = RwLock::new(BTreeMap::new());

/// The bytes of physical memory, by device.
static PHYSICAL: RwLock<BTreeMap<i32, usize>> = RwLock::new(BTreeMap::new());

/// Which devices may use the memory of another's pool, and of another's context: who, and whose.
static PEERS: RwLock<[BTreeSet<(i32, i32)>; 2]> = RwLock::new([BTreeSet::new(), BTreeSet::new()]);

pub const PAGE: usize = 4096;

const ALL: i32 = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

pub fn map(size: usize, protection: i32, flags: i32, file: i32) -> Option<usize> {
    // SAFETY: a new mapping, where the system chooses.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), size, protection, flags, file, 0) };
    (address != libc::MAP_FAILED).then_some(address as usize)
}

/// How many bytes of a device are used.
pub fn used(device: i32) -> usize {
    let physical = PHYSICAL.read().unwrap_or_else(PoisonError::into_inner);
    let physical = physical.get(&device).copied().unwrap_or(0);
    physical + pieces(|piece| piece.kind == Kind::Device && piece.device == device)
}

/// A file in memory of this size, which the caller closes.
pub fn file(size: usize) -> Option<i32> {
    // SAFETY: a name that ends with zero; the file is grown to its size, or closed.
    unsafe {
        let file = libc::memfd_create(c"fake cuda".as_ptr(), libc::MFD_CLOEXEC);
        if file < 0 || libc::ftruncate(file, size as i64) == 0 {
            return (file >= 0).then_some(file);
        }
        libc::close(file);
        None
    }
}

/// Takes physical memory: a file, and where the device's threads find it.
pub fn take_physical(size: usize, device: i32) -> Result<(i32, usize), CUresult> {
    if used(device) + size > crate::setting("FAKE_CUDA_MEMORY", 1 << 30) as usize {
        return Err(CUDA_ERROR_OUT_OF_MEMORY);
    }
    let file = file(size).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    let own = map(size, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, file).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    // SAFETY: new memory of this size.
    unsafe { (own as *mut u8).write_bytes(0xcd, size) };
    let mut physical = PHYSICAL.write().unwrap_or_else(PoisonError::into_inner);
    *physical.entry(device).or_default() += size;
    Ok((file, own))
}

/// Gives it back.
pub fn give_physical(file: i32, own: usize, size: usize, device: i32) {
    // SAFETY: from `take_physical`; nobody uses it any more.
    unsafe {
        libc::munmap(own as *mut _, size);
        libc::close(file);
    }
    let mut physical = PHYSICAL.write().unwrap_or_else(PoisonError::into_inner);
    *physical.entry(device).or_default() -= size;
}

/// Takes memory.
pub fn allocate(size: usize, kind: Kind, device: i32) -> Result<usize, CUresult> {
    take(size, kind, device, false, false)
}

/// Takes memory of a device that other processes may open.
pub fn allocate_shared(size: usize, device: i32) -> Result<usize, CUresult> {
    take(size, Kind::Device, device, true, false)
}

/// Takes memory of a device's pool.
pub fn allocate_pooled(size: usize, device: i32) -> Result<usize, CUresult> {
    take(size, Kind::Device, device, false, true)
}

fn take(size: usize, kind: Kind, device: i32, shared_file: bool, pooled: bool) -> Result<usize, CUresult> {
    let used = used(device);
    let limit = crate::setting("FAKE_CUDA_MEMORY", 1 << 30) as usize;
    if size == 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if size > limit || kind == Kind::Device && used + size > limit {
        return Err(CUDA_ERROR_OUT_OF_MEMORY);
    }
    let whole = size.next_multiple_of(PAGE);
    let (both, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
    let mut kept = -1;
    let (base, own) = match kind {
        Kind::Device => {
            let file = file(whole).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
            let own = map(whole, both, shared, file);
            let base = map(whole, libc::PROT_NONE, shared, file);
            match shared_file {
                true => kept = file,
                // SAFETY: the file of this function, which is mapped.
                false => _ = unsafe { libc::close(file) },
            }
            (
                base.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?,
                own.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?,
            )
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
        access: ALL,
        pooled,
        file: kept,
    });
    Ok(base)
}

/// The file of memory of a device that begins at this address, if other processes may open it.
pub fn file_of(base: usize) -> Option<(i32, usize)> {
    let piece = find(base).filter(|piece| piece.base == base && piece.file >= 0)?;
    Some((piece.file, piece.size))
}

/// Takes memory of another process, whose file this is.
pub fn import(file: i32, size: usize, device: i32) -> Option<usize> {
    let (both, whole) = (libc::PROT_READ | libc::PROT_WRITE, size.next_multiple_of(PAGE));
    let own = map(whole, both, libc::MAP_SHARED, file)?;
    let base = map(whole, libc::PROT_NONE, libc::MAP_SHARED, file)?;
    add(Piece {
        base,
        size,
        kind: Kind::Imported,
        device,
        own,
        access: ALL,
        pooled: false,
        file: -1,
    });
    Some(base)
}

/// Notes a part of physical memory that is mapped at reserved addresses. Nobody may use it yet.
pub fn add_mapped(base: usize, size: usize, device: i32, own: usize) {
    add(Piece {
        base,
        size,
        kind: Kind::Mapped,
        device,
        own,
        access: CU_MEM_ACCESS_FLAGS_PROT_NONE,
        pooled: false,
        file: -1,
    });
}

/// Forgets it.
pub fn remove_mapped(base: usize) {
    let mut pieces = PIECES.write().unwrap_or_else(PoisonError::into_inner);
    pieces.remove(&base);
}

/// Changes what the device may do with a mapped part.
pub fn set_access(base: usize, access: i32) {
    let mut pieces = PIECES.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(piece) = pieces.get_mut(&base) {
        piece.access = access;
    }
}

/// Whether the device may write to memory that it may use.
pub fn may_write(address: u64) -> bool {
    find(address as usize).is_none_or(|piece| piece.access == ALL)
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

/// How many pieces there are of each kind.
pub fn counts() -> Vec<(&'static str, i64)> {
    let all = [
        ("device memory", Kind::Device),
        ("host memory", Kind::Host),
        ("managed memory", Kind::Managed),
        ("registered memory", Kind::Registered),
        ("mapped memory", Kind::Mapped),
        ("imported memory", Kind::Imported),
    ];
    let pieces = PIECES.read().unwrap_or_else(PoisonError::into_inner);
    let count = |kind| pieces.values().filter(|piece| piece.kind == kind).count() as i64;
    all.map(|(name, kind)| (name, count(kind))).to_vec()
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
            if piece.file >= 0 {
                libc::close(piece.file);
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
        access: ALL,
        pooled: false,
        file: -1,
    });
    CUDA_SUCCESS
}

/// The piece that an address is in.
pub fn find(address: usize) -> Option<Piece> {
    let pieces = PIECES.read().unwrap_or_else(PoisonError::into_inner);
    let (_, piece) = pieces.range(..=address).next_back()?;
    (address - piece.base < piece.size).then_some(*piece)
}

/// Lets a device use the memory of another's pool, or of its context, or no longer.
pub fn set_peer(device: i32, of: i32, pool: bool, may: bool) {
    let mut peers = PEERS.write().unwrap_or_else(PoisonError::into_inner);
    match may {
        true => peers[usize::from(pool)].insert((device, of)),
        false => peers[usize::from(pool)].remove(&(device, of)),
    };
}

/// Whether copies and fills of a device take an address. CUDA brings memory of no pool from device to device by itself.
pub fn is_in_reach(address: u64, device: i32) -> bool {
    find(address as usize).is_none_or(|piece| !piece.pooled || is_of_peer(&piece, device))
}

fn is_of_peer(piece: &Piece, device: i32) -> bool {
    let own = piece.kind != Kind::Device || piece.device == device;
    own || PEERS.read().unwrap_or_else(PoisonError::into_inner)[usize::from(piece.pooled)]
        .contains(&(device, piece.device))
}

/// As [`of_kernel`], for a kernel of a device.
pub fn of_kernel_on(device: i32, address: u64, size: usize) -> Option<*mut u8> {
    find(address as usize).filter(|piece| is_of_peer(piece, device))?;
    of_kernel(address, size)
}

/// Where the device's threads find some bytes that a kernel uses; `None` if they are in no memory of CUDA's.
pub fn of_kernel(address: u64, size: usize) -> Option<*mut u8> {
    let address = address as usize;
    let first = find(address)?;
    let (mut piece, end) = (first, address.checked_add(size)?);
    // What is mapped behind each other is one for who uses it.
    loop {
        if piece.access == CU_MEM_ACCESS_FLAGS_PROT_NONE {
            return None;
        }
        let next = piece.base + piece.size;
        if end <= next {
            return Some((first.own + (address - first.base)) as *mut u8);
        }
        let follows = |behind: &Piece| behind.base == next && behind.own == piece.own + piece.size;
        piece = find(next).filter(|behind| piece.kind == Kind::Mapped && follows(behind))?;
    }
}

/// The same for copies, which use the host's memory, too.
pub fn of_copy(address: u64, size: usize) -> Option<*mut u8> {
    match find(address as usize) {
        Some(_) => of_kernel(address, size),
        None => Some(address as *mut u8),
    }
}
