// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A file of the cache: an object file, and a trailer that shows whether the file is complete and has the right key,
//! and which compiler made it.
//!
//! The object comes first so that it is aligned in memory, and so that objdump can read files of the cache.

use super::{Compiler, Key, Origin};

/// The start of the trailer. A digit follows, the format's version.
const MAGIC: [u8; 7] = *b"oxurobj";

/// The present version of the format.
const VERSION: u8 = b'2';

/// Magic and version, size of the object, compiler, key, checksum. The checksum covers the compiler, the key and the
/// object.
pub const TRAILER: usize = 8 + 8 + 32 + 32 + 32;

/// The largest object, a limit of the loader.
pub const LARGEST: u64 = 1 << 30;

fn checksum(object: &[u8], compiler: &[u8], key: &Key) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("oxur: file of the cache 2");
    hasher.update(compiler);
    hasher.update(&key.0);
    hasher.update(object);
    hasher.finalize().into()
}

/// The trailer of an object.
pub fn trailer(object: &[u8], compiler: &Compiler, key: &Key) -> [u8; TRAILER] {
    let mut trailer = [0; TRAILER];
    trailer[..7].copy_from_slice(&MAGIC);
    trailer[7] = VERSION;
    trailer[8..16].copy_from_slice(&(object.len() as u64).to_le_bytes());
    trailer[16..48].copy_from_slice(&compiler.0);
    trailer[48..80].copy_from_slice(&key.0);
    trailer[80..].copy_from_slice(&checksum(object, &compiler.0, key));
    trailer
}

/// Cuts a file back to its object, or returns what is wrong with it.
pub fn open(mut file: Vec<u8>, key: &Key) -> Result<Vec<u8>, &'static str> {
    let Some(end) = file.len().checked_sub(TRAILER) else {
        return Err("it is too short");
    };
    let (object, trailer) = file.split_at(end);
    if trailer[..7] != MAGIC || trailer[7] != VERSION {
        return Err("it is no file of the cache, or is cut off");
    }
    if trailer[8..16] != (object.len() as u64).to_le_bytes() {
        return Err("its size is wrong");
    }
    if trailer[48..80] != key.0 {
        return Err("it is another kernel's");
    }
    if trailer[80..] != checksum(object, &trailer[16..48], key) {
        return Err("its checksum is wrong");
    }
    file.truncate(end);
    Ok(file)
}

/// What the end of a file says of its origin. `end` is at most [`TRAILER`] bytes, and `size` the file's size.
pub fn origin(end: &[u8], size: u64) -> Origin {
    // The first format had no compiler.
    const FIRST: usize = TRAILER - 32;
    let of = |trailer: usize, version| {
        let trailer = end.len().checked_sub(trailer).map(|at| &end[at..])?;
        let object = size.checked_sub(trailer.len() as u64)?;
        let fits = trailer[..7] == MAGIC && trailer[7] == version && trailer[8..16] == object.to_le_bytes();
        fits.then_some(trailer)
    };
    if let Some(trailer) = of(TRAILER, VERSION) {
        return Compiler::read(&trailer[16..48]).map_or(Origin::Unknown, Origin::Compiler);
    }
    of(FIRST, b'1').map_or(Origin::Unknown, |_| Origin::FirstFormat)
}
