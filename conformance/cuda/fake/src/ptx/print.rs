// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `vprintf` of kernels. The text is on standard output at once; CUDA's is there when the host waits.

use std::ffi::{CString, c_char, c_int};
use std::io::Write;

use oxur_cuda_sys::*;

/// Prints by a format. `word` reads so many bytes of the arguments, which are aligned by their sizes, at an offset; `text` the
/// characters at an address.
pub fn print(
    format: &[u8],
    mut word: impl FnMut(usize, usize) -> Result<u64, CUresult>,
    mut text: impl FnMut(u64) -> Result<Vec<u8>, CUresult>,
) -> Result<(), CUresult> {
    let (mut out, mut rest, mut at) = (Vec::new(), format, 0_usize);
    let mut next = |size: usize| {
        at = at.next_multiple_of(size);
        at += size;
        word(at - size, size)
    };
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        if first != b'%' {
            out.push(first);
            continue;
        }
        let length = rest.iter().position(u8::is_ascii_alphabetic).unwrap_or(rest.len());
        if rest.first() == Some(&b'%') {
            out.push(b'%');
            rest = &rest[1..];
            continue;
        }
        let letters = rest[length..].iter().take_while(|byte| b"hljzt".contains(byte)).count();
        let Some(&conversion) = rest.get(length + letters) else {
            break;
        };
        let spec = [b"%", &rest[..length + letters + 1]].concat();
        let is_long = rest[length..length + letters].iter().any(|byte| b"ljzt".contains(byte));
        rest = &rest[length + letters + 1..];
        match conversion {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' if is_long => out.extend(formatted(&spec, next(8)?)),
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' => out.extend(formatted(&spec, next(4)? as c_int)),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                out.extend(formatted(&spec, f64::from_bits(next(8)?)));
            }
            b'p' => out.extend(formatted(&spec, next(8)?)),
            b's' => {
                let string = CString::new(text(next(8)?)?).map_err(|_| CUDA_ERROR_ILLEGAL_ADDRESS)?;
                out.extend(formatted(&spec, string.as_ptr()));
            }
            _ => return Err(CUDA_ERROR_ILLEGAL_INSTRUCTION),
        }
    }
    _ = std::io::stdout().write_all(&out);
    _ = std::io::stdout().flush();
    Ok(())
}

/// A value as C's library prints it by a conversion for its type.
fn formatted<T: Copy>(spec: &[u8], value: T) -> Vec<u8> {
    let Ok(spec) = CString::new(spec) else {
        return Vec::new();
    };
    let mut out = vec![0_u8; 4096];
    // SAFETY: room for as many bytes as it says, and a value of the conversion's type.
    let length = unsafe { libc::snprintf(out.as_mut_ptr().cast::<c_char>(), out.len(), spec.as_ptr(), value) };
    out.truncate(usize::try_from(length).unwrap_or(0).min(out.len() - 1));
    out
}
