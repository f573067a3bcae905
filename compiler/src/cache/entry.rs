// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A file of the cache: an object file, and a trailer that shows whether the file is complete and has the right key.
//!
//! The object comes first so that it is aligned in memory, and so that objdump can read files of the cache.

use super::Key;

/// The start of the trailer. The digit is the format's version.
const MAGIC: [u8; 8] = *b"oxurobj1";

/// Magic, size of the object, key, checksum.
pub const TRAILER: usize = 8 + 8 + 32 + 32;

/// The largest object, a limit of the loader.
pub const LARGEST: u64 = 1 << 30;

fn checksum(object: &[u8], key: &Key) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("oxur: file of the cache 1");
    hasher.update(&key.0);
    hasher.update(object);
    hasher.finalize().into()
}

/// The trailer of an object.
pub fn trailer(object: &[u8], key: &Key) -> [u8; TRAILER] {
    let mut trailer = [0; TRAILER];
    trailer[..8].copy_from_slice(&MAGIC);
    trailer[8..16].copy_from_slice(&(object.len() as u64).to_le_bytes());
    trailer[16..48].copy_from_slice(&key.0);
    trailer[48..].copy_from_slice(&checksum(object, key));
    trailer
}

/// Cuts a file back to its object, or returns what is wrong with it.
pub fn open(mut file: Vec<u8>, key: &Key) -> Result<Vec<u8>, &'static str> {
    let Some(end) = file.len().checked_sub(TRAILER) else {
        return Err("it is too short");
    };
    let (object, trailer) = file.split_at(end);
    if trailer[..8] != MAGIC {
        return Err("it is no file of the cache, or is cut off");
    }
    if trailer[8..16] != (object.len() as u64).to_le_bytes() {
        return Err("its size is wrong");
    }
    if trailer[16..48] != key.0 {
        return Err("it is another kernel's");
    }
    if trailer[48..] != checksum(object, key) {
        return Err("its checksum is wrong");
    }
    file.truncate(end);
    Ok(file)
}
