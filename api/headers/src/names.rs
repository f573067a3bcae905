// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The C names of the items in the tables, and names that are derived from other names.

use oxur_api::meta::Ty;

/// A type with C names, still in Rust notation: `*const DeviceHandle` is `*const ur_device_handle_t`.
pub fn rename(ty: &Ty) -> String {
    match ty {
        Ty::Pointer { mutable, target } => format!("*{} {}", if *mutable { "mut" } else { "const" }, rename(target)),
        Ty::Array { element, length } => format!("[{}; {length}]", rename(element)),
        Ty::Slice { element } => format!("[{}]", rename(element)),
        Ty::Named(named) => named.c_name.to_owned(),
        primitive => primitive_names(primitive).0.to_owned(),
    }
}

/// A type in C notation: `*const DeviceHandle` is `const ur_device_handle_t *`. A slice is an array of unknown length.
pub fn c_type(ty: &Ty) -> String {
    match ty {
        Ty::Pointer { mutable: true, target } => format!("{} *", c_type(target)).replace("* *", "**"),
        Ty::Pointer { mutable: false, target } => match c_type(target) {
            pointer if pointer.ends_with('*') => format!("{pointer}const *"),
            value => format!("const {value} *"),
        },
        Ty::Array { element, length } => format!("{}[{length}]", c_type(element)),
        Ty::Slice { element } => format!("{}[]", c_type(element)),
        Ty::Named(named) => named.c_name.to_owned(),
        primitive => primitive_names(primitive).1.to_owned(),
    }
}

/// The names of a primitive type, for cbindgen and in C.
fn primitive_names(ty: &Ty) -> (&'static str, &'static str) {
    match ty {
        Ty::Void => ("c_void", "void"),
        Ty::Bool => ("bool", "bool"),
        Ty::Char => ("c_char", "char"),
        Ty::Int => ("c_int", "int"),
        Ty::U8 => ("u8", "uint8_t"),
        Ty::U16 => ("u16", "uint16_t"),
        Ty::U32 => ("u32", "uint32_t"),
        Ty::I32 => ("i32", "int32_t"),
        Ty::U64 => ("u64", "uint64_t"),
        Ty::Usize => ("size_t", "size_t"),
        Ty::F32 => ("f32", "float"),
        Ty::Pointer { .. } | Ty::Array { .. } | Ty::Slice { .. } | Ty::Named(_) => {
            unreachable!("{ty:?} is no primitive type")
        }
    }
}

/// The enumeration of the single bits of a flags type: `ur_mem_flag_t` of `ur_mem_flags_t`.
pub fn bits(flags: &str) -> String {
    flags.replace("_flags_t", "_flag_t")
}

/// The macro with the bits that a flags type does not define: `UR_MEM_FLAGS_MASK` of the prefix `UR_MEM_FLAG_`.
pub fn mask(prefix: &str) -> String {
    format!("{}S_MASK", prefix.trim_end_matches('_'))
}

/// The words of a function's name, joined by underscores: `usm_p2p_enable_peer_access_exp` of
/// `urUsmP2PEnablePeerAccessExp`. Some names of the ABI are derived from it.
pub fn snake(function: &str) -> String {
    let name = function.strip_prefix("ur").unwrap_or(function);
    let name: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (i, &c) in name.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| name[i]);
        let after = name.get(i + 1);
        // A word starts at a capital after a lower-case letter or a digit, at the last of several capitals if a lower-case
        // letter follows, and at a digit after a capitalised word. It does not start at a capital between digits, as in
        // 2D or P2P.
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
        use oxur_api::described;
        const fn pointer(mutable: bool, target: &'static Ty) -> Ty {
            Ty::Pointer { mutable, target }
        }
        static DEVICE: Ty = Ty::Named(&described::DeviceHandle);
        static TO_MUT_DEVICE: Ty = pointer(true, &DEVICE);
        static TEXT: Ty = pointer(false, &Ty::Char);
        assert_eq!(
            rename(&pointer(false, &TO_MUT_DEVICE)),
            "*const *mut ur_device_handle_t"
        );
        assert_eq!(c_type(&pointer(false, &DEVICE)), "const ur_device_handle_t *");
        assert_eq!(c_type(&pointer(true, &TEXT)), "const char **");
        assert_eq!(c_type(&pointer(false, &TEXT)), "const char *const *");
        let array = Ty::Array {
            element: &Ty::U32,
            length: 3,
        };
        assert_eq!(
            (rename(&array), c_type(&array)),
            ("[u32; 3]".to_owned(), "uint32_t[3]".to_owned())
        );
        assert_eq!(c_type(&Ty::Slice { element: &Ty::Char }), "char[]");
    }
}
