// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The rules that every `ur…GetInfo` obeys, checked for every enumerator of its table.

use oxur_client::api::meta::{Answer, Kind, Ty, Variant};
use oxur_client::api::{ResultCode, TYPES, c_void};

use crate::{Stack, stack};

/// A `ur…GetInfo` with its object: property, size, place of the value, place of the size.
pub type GetInfo<'a> = &'a dyn Fn(u32, usize, *mut c_void, *mut usize) -> ResultCode;

/// What a run over all enumerators allows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowed<'a> {
    /// Enumerators that are asked for elsewhere or make no sense for this object.
    pub skip: &'a [&'a str],
    /// Result codes that stand for "this object has no such property", beside the optional ones.
    pub absent: &'a [(&'a str, ResultCode)],
    /// What Intel's stack is known to do otherwise: a part of the problem's text, and why.
    pub intel: &'a [(&'a str, &'a str)],
}

/// Asks for everything that the enumeration `type_name` lists and reports what breaks the rules:
///
/// - the size alone, then the value; the value is as long as its type;
/// - a size that is too small is `INVALID_SIZE`, one that is larger is fine, and nothing is written behind the value;
/// - an enumerator may be `UNSUPPORTED_ENUMERATION` where the table calls it optional;
/// - a string ends with its only NUL;
/// - a number that is no enumerator is `INVALID_ENUMERATION` or `UNSUPPORTED_ENUMERATION`.
pub fn check_infos(type_name: &str, get: GetInfo, allowed: Allowed) {
    let mut problems = Vec::new();
    for variant in variants(type_name) {
        let Some(answer) = variant.answer else { continue };
        if allowed.skip.iter().any(|name| variant.name.ends_with(name)) {
            continue;
        }
        let absent = allowed
            .absent
            .iter()
            .find(|(name, _)| variant.name.ends_with(name))
            .map(|(_, code)| *code);
        if let Err(problem) = check_info(variant.name, variant.value, answer, absent, get) {
            problems.push(format!("{}: {problem}", variant.name));
        }
    }
    let code = get(0x7fff_fff0, 8, [0u64; 1].as_mut_ptr().cast(), std::ptr::null_mut());
    if ![
        ResultCode::ERROR_INVALID_ENUMERATION,
        ResultCode::ERROR_UNSUPPORTED_ENUMERATION,
    ]
    .contains(&code)
    {
        problems.push(format!("an unknown enumerator: {code:?}"));
    }
    if stack() == Stack::Intel {
        for (text, reason) in allowed.intel {
            let before = problems.len();
            problems.retain(|problem| !problem.contains(text));
            assert_ne!(
                before,
                problems.len(),
                "{type_name}: the known deviation `{text}` is gone: {reason}"
            );
            println!(
                "known deviation: {type_name}: {text}, {} times: {reason}",
                before - problems.len()
            );
        }
    }
    assert!(problems.is_empty(), "{type_name}:\n  {}", problems.join("\n  "));
}

/// The enumerators of a type.
pub fn variants(type_name: &str) -> &'static [Variant] {
    let types = TYPES.iter().copied().flatten();
    match types.filter(|t| t.name == type_name).map(|t| t.kind).next() {
        Some(Kind::Enum { variants, .. } | Kind::Flags { variants, .. }) => variants,
        _ => panic!("no enumeration {type_name}"),
    }
}

fn check_info(
    name: &str,
    property: u32,
    answer: Answer,
    absent: Option<ResultCode>,
    get: GetInfo,
) -> Result<(), String> {
    let (nowhere, null) = (std::ptr::null_mut(), std::ptr::null_mut());
    let mut size = usize::MAX;
    let code = get(property, 0, nowhere, &mut size);
    if code == ResultCode::ERROR_UNSUPPORTED_ENUMERATION && answer.optional || Some(code) == absent {
        return Ok(());
    }
    if code != ResultCode::SUCCESS {
        return Err(format!("asked for the size: {code:?}"));
    }
    let (element, slice) = element_size(answer.ty);
    if if slice { size % element != 0 } else { size != element } {
        return Err(format!("{size} bytes for {:?}", answer.ty));
    }
    let guard = 0xa5u8;
    let mut buffer = vec![u64::from_ne_bytes([guard; 8]); size.div_ceil(8) + 2];
    let at = buffer.as_mut_ptr().cast::<c_void>();
    if size > 0 {
        let code = get(property, size - 1, at, null);
        if code != ResultCode::ERROR_INVALID_SIZE {
            return Err(format!("a size that is one too small: {code:?}"));
        }
        let mut again = 0;
        let code = get(property, size, at, &mut again);
        if code != ResultCode::SUCCESS || again != size {
            return Err(format!("asked for the value: {code:?}, size {again} and not {size}"));
        }
        let code = get(property, size + 8, at, null);
        if code != ResultCode::SUCCESS {
            return Err(format!("a size that is larger: {code:?}"));
        }
    }
    let bytes: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
    if bytes[size..].iter().any(|byte| *byte != guard) {
        return Err(format!("wrote beyond its {size} bytes"));
    }
    // Code is in bytes, which have no better type in the table.
    let is_text = matches!(answer.ty, Ty::Slice { element: Ty::Char }) && name != "UR_PROGRAM_INFO_IL";
    if is_text && size > 0 && bytes[..size].iter().position(|byte| *byte == 0) != Some(size - 1) {
        return Err("a string whose only NUL is not at its end".into());
    }
    Ok(())
}

/// The size of an answer's type, or of its elements, and whether these may be several.
fn element_size(ty: Ty) -> (usize, bool) {
    let (ty, several) = match ty {
        Ty::Slice { element } => (*element, true),
        ty => (ty, false),
    };
    (ty.size().unwrap_or_else(|| panic!("{ty:?} has no size")), several)
}
