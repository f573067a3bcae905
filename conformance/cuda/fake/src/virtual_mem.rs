// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Addresses that are reserved, physical memory that is mapped there, and memory of other processes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxur_cuda_sys::*;

use crate::memory::{self, Kind};

/// What sizes and addresses are multiples of, as on an H100.
pub const GRANULARITY: usize = 2 << 20;

/// Physical memory. It goes when its handle is released and it is mapped nowhere.
struct Physical {
    file: i32,
    own: usize,
    size: usize,
    device: i32,
}

impl Drop for Physical {
    fn drop(&mut self) {
        memory::give_physical(self.file, self.own, self.size, self.device);
    }
}

#[derive(Default)]
struct State {
    /// Sizes of reserved ranges, by their addresses, and where the device's threads find what is mapped there.
    reserved: BTreeMap<usize, (usize, usize)>,
    handles: BTreeMap<u64, Arc<Physical>>,
    /// What is mapped, by address: how many bytes, and of what.
    mapped: BTreeMap<usize, (usize, Arc<Physical>)>,
    next: u64,
    /// Memory of other processes, by its handle: where it is, and how often it was opened.
    opened: BTreeMap<[u8; 64], (usize, usize)>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

fn with<T>(call: impl FnOnce(&mut State) -> T) -> T {
    let mut state: MutexGuard<'_, Option<State>> = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    call(state.get_or_insert_default())
}

/// How many ranges and handles there are.
pub fn counts() -> [(&'static str, i64); 2] {
    with(|state| {
        [
            ("reserved ranges", state.reserved.len() as i64),
            ("physical memory", state.handles.len() as i64),
        ]
    })
}

fn fits(address: usize, size: usize) -> Result<(), CUresult> {
    let is_multiple = address.is_multiple_of(GRANULARITY) && size.is_multiple_of(GRANULARITY);
    match is_multiple && size != 0 {
        true => Ok(()),
        false => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// Reserves addresses: at `start` if they are free.
pub fn reserve(start: usize, size: usize, alignment: usize) -> Result<usize, CUresult> {
    fits(start, size)?;
    let alignment = alignment.max(GRANULARITY);
    if !alignment.is_power_of_two() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    if start != 0 {
        let fixed = flags | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: a new mapping, which replaces none.
        let at = unsafe { libc::mmap(start as *mut _, size, libc::PROT_NONE, fixed, -1, 0) };
        if at as usize == start {
            return keep(start, size);
        }
    }
    let whole = size.checked_add(alignment).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let base = memory::map(whole, libc::PROT_NONE, flags, -1).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    let aligned = base.next_multiple_of(alignment);
    // SAFETY: parts of the new mapping, before and behind what is kept.
    unsafe {
        if aligned != base {
            libc::munmap(base as *mut _, aligned - base);
        }
        let rest = base + whole - (aligned + size);
        if rest != 0 {
            libc::munmap((aligned + size) as *mut _, rest);
        }
    }
    keep(aligned, size)
}

fn keep(start: usize, size: usize) -> Result<usize, CUresult> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let own = memory::map(size, libc::PROT_NONE, flags, -1).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    with(|state| state.reserved.insert(start, (size, own)));
    Ok(start)
}

/// Gives reserved addresses back, where nothing is mapped.
pub fn free(start: usize, size: usize) -> Result<(), CUresult> {
    with(|state| {
        let is_used = state.mapped.range(start..start.saturating_add(size)).next().is_some();
        let own = match state.reserved.get(&start) {
            Some(&(length, own)) if length == size && !is_used => own,
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        };
        state.reserved.remove(&start);
        // SAFETY: mapped by `reserve`, and nothing else is there.
        unsafe {
            libc::munmap(start as *mut _, size);
            libc::munmap(own as *mut _, size);
        }
        Ok(())
    })
}

/// Takes physical memory.
pub fn create(size: usize, device: i32) -> Result<u64, CUresult> {
    fits(0, size)?;
    let (file, own) = memory::take_physical(size, device)?;
    let physical = Physical {
        file,
        own,
        size,
        device,
    };
    Ok(with(|state| {
        state.next += 1;
        state.handles.insert(state.next, Arc::new(physical));
        state.next
    }))
}

/// Gives a handle back.
pub fn release(handle: u64) -> Result<(), CUresult> {
    with(|state| state.handles.remove(&handle))
        .map(drop)
        .ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// Maps physical memory from its beginning, as CUDA does: it takes no other offset than 0.
pub fn map(start: usize, size: usize, offset: usize, handle: u64) -> Result<(), CUresult> {
    fits(start, size)?;
    with(|state| {
        let physical = state.handles.get(&handle).ok_or(CUDA_ERROR_INVALID_VALUE)?.clone();
        let found = state.reserved.range(..=start).next_back();
        let (&base, &(length, own)) = found.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let own = own + (start - base);
        let is_reserved = start + size <= base + length;
        let before = state.mapped.range(..start + size).next_back();
        let is_free = before.is_none_or(|(at, (length, _))| at + length <= start);
        if offset != 0 || size > physical.size || !is_reserved || !is_free {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        // SAFETY: reserved addresses where nothing is mapped, and a live file of that size.
        let put = |at: usize, protection: i32| unsafe {
            libc::mmap(at as *mut _, size, protection, flags, physical.file, 0) as usize == at
        };
        if !put(start, libc::PROT_NONE) || !put(own, libc::PROT_READ | libc::PROT_WRITE) {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        memory::add_mapped(start, size, physical.device, own);
        state.mapped.insert(start, (size, physical));
        Ok(())
    })
}

/// The parts that are mapped in a range, which they cover.
fn parts(state: &State, start: usize, size: usize) -> Result<Vec<(usize, usize)>, CUresult> {
    let (mut at, end) = (start, start.checked_add(size).ok_or(CUDA_ERROR_INVALID_VALUE)?);
    let mut all = Vec::new();
    while at < end {
        let (length, _) = state.mapped.get(&at).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        all.push((at, *length));
        at += length;
    }
    match at == end && !all.is_empty() {
        true => Ok(all),
        false => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// Takes mappings away: all that are in a range, whole.
pub fn unmap(start: usize, size: usize) -> Result<(), CUresult> {
    with(|state| {
        for (at, length) in parts(state, start, size)? {
            let own = memory::find(at).map(|piece| piece.own);
            memory::remove_mapped(at);
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
            for place in [Some(at), own].into_iter().flatten() {
                // SAFETY: mappings of `map`; the addresses stay reserved.
                unsafe { libc::mmap(place as *mut _, length, libc::PROT_NONE, flags, -1, 0) };
            }
            state.mapped.remove(&at);
        }
        Ok(())
    })
}

/// Says what devices may do with mapped memory.
pub fn set_access(start: usize, size: usize, access: i32) -> Result<(), CUresult> {
    with(|state| {
        let parts = parts(state, start, size)?;
        parts.iter().for_each(|(at, _)| memory::set_access(*at, access));
        Ok(())
    })
}

/// What devices may do with what is mapped at an address.
pub fn access(address: usize) -> Result<i32, CUresult> {
    let found = memory::find(address).filter(|piece| piece.kind == Kind::Mapped);
    found.map(|piece| piece.access).ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// The bytes for another process: this process, the file and the size.
pub fn export(address: usize) -> Result<[u8; 64], CUresult> {
    let (file, size) = memory::file_of(address).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let mut handle = [0; 64];
    let numbers = [u64::from(std::process::id()), file as u64, size as u64];
    for (place, number) in handle.chunks_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    Ok(handle)
}

/// Opens memory of another process, once; more often it counts.
pub fn open(handle: [u8; 64], device: i32) -> Result<usize, CUresult> {
    let number = |at: usize| {
        let bytes = handle[8 * at..][..8].try_into();
        bytes.map_or(0, u64::from_le_bytes)
    };
    let (process, file, size) = (number(0), number(1), number(2) as usize);
    // As CUDA has it: not in the process that shares it.
    if process == u64::from(std::process::id()) {
        return Err(CUDA_ERROR_INVALID_CONTEXT);
    }
    with(|state| {
        if let Some((base, count)) = state.opened.get_mut(&handle) {
            *count += 1;
            return Ok(*base);
        }
        let path =
            std::ffi::CString::new(format!("/proc/{process}/fd/{file}")).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        // SAFETY: a path that ends with zero; the file is closed when it is mapped.
        let base = unsafe {
            let file = libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
            if file < 0 {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            let base = memory::import(file, size, device);
            libc::close(file);
            base.ok_or(CUDA_ERROR_MAP_FAILED)?
        };
        state.opened.insert(handle, (base, 1));
        Ok(base)
    })
}

/// Closes memory of another process, as often as it was opened.
pub fn close(address: usize) -> Result<(), CUresult> {
    with(|state| {
        let found = state.opened.iter_mut().find(|(_, (base, _))| *base == address);
        let (&handle, (_, count)) = found.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        *count -= 1;
        if *count == 0 {
            state.opened.remove(&handle);
            return match memory::free(address, |kind| kind == Kind::Imported) {
                CUDA_SUCCESS => Ok(()),
                other => Err(other),
            };
        }
        Ok(())
    })
}
