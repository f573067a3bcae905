// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! C's names of the things that the tables name in Rust's way, and the names that follow from other names.

use std::collections::HashMap;
use std::sync::LazyLock;

/// C names by Rust names of all types.
static C_NAMES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    oxur_api::TYPES
        .iter()
        .copied()
        .flatten()
        .map(|t| (t.name, t.c_name))
        .collect()
});

/// The type `ty` with C's names, still in Rust's notation: `*const DeviceHandle` is `*const ur_device_handle_t`.
pub fn rename(ty: &str) -> String {
    let mut renamed = String::new();
    let mut rest = ty;
    while let Some(first) = rest.chars().next() {
        let end = rest
            .find(|c: char| !is_word(c))
            .unwrap_or(rest.len())
            .max(first.len_utf8());
        let (word, tail) = rest.split_at(end);
        renamed.push_str(match word {
            "usize" => "size_t",
            word => C_NAMES.get(word).unwrap_or(&word),
        });
        rest = tail;
    }
    renamed
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The type `ty` in C's notation: `*const DeviceHandle` is `const ur_device_handle_t *`. A slice is an array of
/// unknown length.
pub fn c_type(ty: &str) -> String {
    // The compiler chooses how it spells out a macro's tokens: a blank may follow the asterisk.
    let pointer = ty.strip_prefix('*').map(str::trim_start);
    if let Some(target) = pointer.and_then(|ty| ty.strip_prefix("mut ")) {
        return format!("{} *", c_type(target)).replace("* *", "**");
    }
    if let Some(target) = pointer.and_then(|ty| ty.strip_prefix("const ")) {
        return match c_type(target) {
            pointer if pointer.ends_with('*') => format!("{pointer}const *"),
            value => format!("const {value} *"),
        };
    }
    if let Some(array) = ty.strip_prefix('[').and_then(|ty| ty.strip_suffix(']')) {
        let (element, length) = array.split_once(';').unwrap_or((array, ""));
        return format!("{}[{}]", c_type(element), length.trim());
    }
    match ty {
        "u8" | "u16" | "u32" | "u64" => format!("uint{}_t", &ty[1..]),
        "i8" | "i16" | "i32" | "i64" => format!("int{}_t", &ty[1..]),
        "f32" => "float".to_owned(),
        "f64" => "double".to_owned(),
        "c_char" => "char".to_owned(),
        "c_int" => "int".to_owned(),
        "c_void" => "void".to_owned(),
        other => rename(other),
    }
}

/// The enumeration of the single bits of a type of flags: `ur_mem_flag_t` of `ur_mem_flags_t`.
pub fn bits(flags: &str) -> String {
    flags.replace("_flags_t", "_flag_t")
}

/// The macro with the bits that a type of flags leaves undefined: `UR_MEM_FLAGS_MASK` of the prefix `UR_MEM_FLAG_`.
pub fn mask(prefix: &str) -> String {
    format!("{}S_MASK", prefix.trim_end_matches('_'))
}

/// The words of a function's name, joined by underscores: `usm_p2p_enable_peer_access_exp` of
/// `urUsmP2PEnablePeerAccessExp`. Some names of the ABI are made of it.
pub fn snake(function: &str) -> String {
    let name = function.strip_prefix("ur").unwrap_or(function);
    let name: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (i, &c) in name.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| name[i]);
        let after = name.get(i + 1);
        // A word starts at a capital after a small letter or a digit, at the last capital of several when a small
        // letter follows, and at a digit after a capitalised word. A capital between digits, as in 2D or P2P, does not.
        let starts = before.is_some_and(|before| {
            if c.is_ascii_uppercase() {
                before.is_ascii_lowercase()
                    || before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase)
            } else {
                c.is_ascii_digit() && before.is_ascii_lowercase()
            }
        });
        if starts {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// The structure of pointers to a function's parameters, `ur_device_get_params_t` of `urDeviceGet`.
pub fn params(function: &str) -> String {
    format!("ur_{}_params_t", snake(function))
}

/// The function's enumerator in `ur_function_t`.
pub fn id(function: &str) -> String {
    format!("UR_FUNCTION_{}", snake(function).to_uppercase())
}

/// The type of a pointer to the function, `ur_pfnDeviceGet_t` of `urDeviceGet`.
pub fn pointer(function: &str) -> String {
    match function.strip_prefix("oxur") {
        Some(name) => format!("oxur_pfn{name}_t"),
        None => format!("ur_pfn{}_t", function.trim_start_matches("ur")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (function, words) in [
            ("urDeviceGet", "device_get"),
            ("urEnqueueUSMFill2D", "enqueue_usm_fill_2d"),
            ("urEnqueueUSMMemcpy2D", "enqueue_usm_memcpy_2d"),
            ("urUsmP2PEnablePeerAccessExp", "usm_p2p_enable_peer_access_exp"),
            ("urIPCGetMemHandleExp", "ipc_get_mem_handle_exp"),
            ("urProgramCreateWithIL", "program_create_with_il"),
            ("urUSMHostAlloc", "usm_host_alloc"),
        ] {
            assert_eq!(snake(function), words);
        }
    }

    #[test]
    fn types() {
        assert_eq!(rename("*const *mut DeviceHandle"), "*const *mut ur_device_handle_t");
        assert_eq!(c_type("*const DeviceHandle"), "const ur_device_handle_t *");
        assert_eq!(c_type("*mut *const c_char"), "const char **");
        assert_eq!(c_type("* mut * const c_char"), "const char **");
        assert_eq!(c_type("*const *const c_char"), "const char *const *");
        assert_eq!(c_type("[u32; 3]"), "uint32_t[3]");
        assert_eq!(c_type("[c_char]"), "char[]");
    }
}
