// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Checks a shared object before the dynamic linker loads it: the linker maps a truncated file, and then crashes with a bus
//! error in the missing pages.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Why a file cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotLoadable {
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("it is not a shared object")]
    NoSharedObject,
    #[error("it was built for another kind of processor")]
    OtherMachine,
    #[error("it is truncated: it has {have} bytes, but needs at least {need}. Install it again")]
    Truncated { have: u64, need: u64 },
}

#[cfg(target_arch = "x86_64")]
const MACHINE: u16 = 62;
#[cfg(target_arch = "aarch64")]
const MACHINE: u16 = 183;

const SHARED_OBJECT: u16 = 3;
const LOADED_SEGMENT: u32 = 1;

/// Checks that the file is a shared object for this machine, and contains all bytes that loading it touches.
pub(crate) fn check(path: &Path) -> Result<(), NotLoadable> {
    let file = File::open(path)?;
    let have = file.metadata()?.len();
    let mut header = [0; 64];
    file.read_exact_at(&mut header, 0)
        .map_err(|_| NotLoadable::NoSharedObject)?;
    // 64 bits, little endian.
    if !header.starts_with(b"\x7fELF\x02\x01") || number::<2>(&header, 16) as u16 != SHARED_OBJECT {
        return Err(NotLoadable::NoSharedObject);
    }
    if number::<2>(&header, 18) as u16 != MACHINE {
        return Err(NotLoadable::OtherMachine);
    }
    let (table, entry_size, entries) = (
        number::<8>(&header, 32),
        number::<2>(&header, 54),
        number::<2>(&header, 56),
    );
    let truncated = |need| NotLoadable::Truncated { have, need };
    for index in 0..entries {
        let at = table.saturating_add(index * entry_size);
        let mut entry = [0; 56];
        file.read_exact_at(&mut entry, at)
            .map_err(|_| truncated(at.saturating_add(56)))?;
        let end = number::<8>(&entry, 8).saturating_add(number::<8>(&entry, 32));
        if number::<4>(&entry, 0) as u32 == LOADED_SEGMENT && end > have {
            return Err(truncated(end));
        }
    }
    Ok(())
}

/// The unsigned number in the `N` bytes at `offset`.
fn number<const N: usize>(bytes: &[u8], offset: usize) -> u64 {
    bytes[offset..offset + N]
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_whole_and_cut() {
        let program = std::env::current_exe().unwrap();
        check(&program).unwrap();

        let bytes = std::fs::read(&program).unwrap();
        let path = std::env::temp_dir().join(format!("oxur-elf-{}", std::process::id()));
        for length in [100, 5_000, 200_000] {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(
                matches!(check(&path), Err(NotLoadable::Truncated { .. })),
                "{length} bytes"
            );
        }
        let mut other = bytes[..64].to_vec();
        other[18] ^= 1;
        for (content, reason) in [
            (&b"text\n"[..], "not a shared object"),
            (&b""[..], "not a shared object"),
            (&other, "processor"),
        ] {
            std::fs::write(&path, content).unwrap();
            assert!(check(&path).unwrap_err().to_string().contains(reason));
        }
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(check(&path), Err(NotLoadable::Unreadable(_))));
    }
}
