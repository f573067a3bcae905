// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Values in the form of C initialisers, by the descriptions of their types.
//!
//! Pointers are followed once, from a parameter to what it points to; those inside structures are addresses, for their
//! lifetime is not the call's.

use std::collections::HashMap;
use std::ffi::CStr;
use std::fmt::{Display, Write};

use oxur_api::meta::{Function, Kind, Layout, Type};
use oxur_api::{TYPES, c_char};
use oxur_fork::LazyLock;

use super::Arguments;

/// How many elements of a list are printed.
const MOST_ELEMENTS: usize = 64;

/// The description of a named type.
pub(super) fn description(name: &str) -> Option<&'static Type> {
    static BY_NAME: LazyLock<HashMap<&str, &Type>> = LazyLock::new(|| {
        TYPES
            .iter()
            .copied()
            .flatten()
            .map(|described| (described.name, described))
            .collect()
    });
    BY_NAME.get(name).copied()
}

/// What a pointer type points to. Descriptions of parameters have a blank after the star, others have none.
pub(super) fn pointee(ty: &str) -> Option<&str> {
    let target = ty.strip_prefix('*')?.trim_start();
    target.strip_prefix("mut ").or(target.strip_prefix("const "))
}

/// The bytes of a type that is not described by itself.
fn bytes_of(ty: &str) -> Option<usize> {
    if pointee(ty).is_some() {
        return Some(size_of::<usize>());
    }
    if let Some((element, count)) = array(ty) {
        return Some(bytes_of(element)? * count);
    }
    Some(match ty {
        "u8" | "bool" | "c_char" => 1,
        "u32" | "i32" | "c_int" | "f32" => 4,
        "u64" | "usize" => 8,
        _ => description(ty)?.layout?.size,
    })
}

/// Element and length of an array type.
fn array(ty: &str) -> Option<(&str, usize)> {
    let (element, count) = ty.strip_prefix('[')?.strip_suffix(']')?.split_once(';')?;
    Some((element.trim(), count.trim().parse().ok()?))
}

/// Appends a parameter's argument, and what it points to.
///
/// # Safety
/// `arguments` are those of `function`, which was called with them. It succeeded if `success` says so; then its results
/// are there. Otherwise only its inputs of a size that their type tells are read: a list may be why it failed.
pub(super) unsafe fn parameter(
    out: &mut String,
    function: &Function,
    arguments: &Arguments<'_>,
    index: usize,
    success: bool,
) {
    let field = &function.params[index];
    let Some(target) = pointee(field.ty) else {
        // SAFETY: the argument has this type.
        return unsafe { value(out, field.ty, arguments.0[index].cast()) };
    };
    // SAFETY: the argument is a pointer.
    let pointer: *const u8 = unsafe { arguments.read(index) };
    address(out, pointer);
    let sized = ["typename", "range"].map(|name| attribute(field.attributes, name));
    let readable = success || !(field.has("out") || sized.iter().any(Option::is_some));
    if pointer.is_null() || !readable {
        return;
    }
    let [typename, range] = sized;
    if let Some((property, size)) = typename.and_then(|pair| pair.split_once(',')) {
        // SAFETY: the function succeeded with this many bytes at the pointer.
        unsafe { answer(out, function, arguments, property.trim(), size.trim(), pointer) };
    } else if let Some(name) = range {
        let count = if field.has("out") {
            given(function, arguments, Some(name))
        } else {
            number(function, arguments, name).unwrap_or(0)
        };
        // SAFETY: the function succeeded: it read all elements of an input, and wrote as many of a result as it says.
        // Where the client did not ask how many, it at least owns places for them.
        unsafe { elements(out, target, pointer, count) };
    } else if target == "c_char" {
        // SAFETY: a parameter of this type is a C string.
        let text = unsafe { CStr::from_ptr(pointer.cast()) };
        let _ = write!(out, " ({})", text.to_string_lossy());
    } else if bytes_of(target).is_some() {
        out.push_str(" (");
        // SAFETY: the function was called with one value of this type at the pointer.
        unsafe { value(out, target, pointer) };
        out.push(')');
    }
}

/// The argument of an attribute, as `count` of `range(count)`.
fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let start = attributes.find(&format!("{name}("))? + name.len() + 1;
    Some(attributes[start..].split_once(')')?.0.trim())
}

/// The parameter of a name.
fn named<'f>(function: &'f Function, name: &str) -> Option<(usize, &'f str)> {
    let index = function.params.iter().position(|parameter| parameter.name == name)?;
    Some((index, function.params[index].ty))
}

/// The value of a parameter that is a number.
pub(super) fn number(function: &Function, arguments: &Arguments<'_>, name: &str) -> Option<usize> {
    let (index, ty) = named(function, name)?;
    match bytes_of(ty)? {
        // SAFETY: the arguments are the function's, and this one has four bytes.
        4 => Some(unsafe { arguments.read::<u32>(index) } as usize),
        // SAFETY: as above, with eight.
        8 => Some(unsafe { arguments.read::<usize>(index) }),
        _ => None,
    }
}

/// How many elements a successful call has written to a list of at most `room` elements, or to a single place.
pub(super) fn given(function: &Function, arguments: &Arguments<'_>, room: Option<&str>) -> usize {
    let Some(room) = room.and_then(|name| number(function, arguments, name)) else {
        return 1;
    };
    // A list comes with a place for the number of all elements.
    let total = function
        .params
        .iter()
        .position(|parameter| parameter.name.starts_with("pNum"));
    // SAFETY: this parameter is a pointer to a `u32`, null or filled by the call.
    let total = total.and_then(|index| unsafe { arguments.read::<*const u32>(index).as_ref() });
    total.map_or(room, |total| room.min(*total as usize))
}

/// Appends the answer to a query, whose type depends on the property.
///
/// # Safety
/// `pointer` leads to as many bytes as the parameter `size` says, filled.
unsafe fn answer(
    out: &mut String,
    function: &Function,
    arguments: &Arguments<'_>,
    property: &str,
    size: &str,
    pointer: *const u8,
) {
    let (Some((index, ty)), Some(mut bytes)) = (named(function, property), number(function, arguments, size)) else {
        return;
    };
    if let Some((index, _)) = named(function, "pPropSizeRet").filter(|(_, ty)| pointee(ty) == Some("usize")) {
        // SAFETY: the argument is a pointer, null or filled by the call.
        let written = unsafe { arguments.read::<*const usize>(index).as_ref() };
        bytes = bytes.min(written.copied().unwrap_or(bytes));
    }
    // SAFETY: a property is a `u32`.
    let wanted = unsafe { arguments.read::<u32>(index) };
    let Some(Type {
        kind: Kind::Enum { variants, .. },
        ..
    }) = description(ty)
    else {
        return;
    };
    let Some(answer) = variants
        .iter()
        .find(|variant| variant.value == wanted)
        .and_then(|variant| variant.answer)
    else {
        return;
    };
    match answer
        .ty
        .strip_prefix('[')
        .and_then(|ty| ty.strip_suffix(']'))
        .filter(|ty| !ty.contains(';'))
    {
        Some("c_char") => {
            // SAFETY: there are `bytes` bytes.
            let text = unsafe { std::slice::from_raw_parts(pointer, bytes) };
            let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
            let _ = write!(out, " ({})", String::from_utf8_lossy(text));
        }
        Some(element) => {
            let count = bytes_of(element).map_or(0, |size| bytes / size);
            // SAFETY: that many fit into the bytes.
            unsafe { elements(out, element, pointer, count) };
        }
        None if bytes_of(answer.ty).is_some_and(|size| size <= bytes) => {
            out.push_str(" (");
            // SAFETY: there are enough bytes for a value of this type.
            unsafe { value(out, answer.ty, pointer) };
            out.push(')');
        }
        None => {}
    }
}

/// Appends ` {a, b}`.
///
/// # Safety
/// `pointer` leads to `count` values of the type.
unsafe fn elements(out: &mut String, ty: &str, pointer: *const u8, count: usize) {
    let Some(size) = bytes_of(ty) else { return };
    out.push_str(" {");
    for index in 0..count.min(MOST_ELEMENTS) {
        out.push_str(if index == 0 { "" } else { ", " });
        // SAFETY: the index is below the count.
        unsafe { value(out, ty, pointer.add(index * size)) };
    }
    out.push_str(if count > MOST_ELEMENTS { ", ...}" } else { "}" });
}

/// Appends a value.
///
/// # Safety
/// `at` leads to a value of the type, aligned or not.
unsafe fn value(out: &mut String, ty: &str, at: *const u8) {
    /// # Safety
    /// `at` leads to a `T`.
    unsafe fn show<T: Copy + Display>(out: &mut String, at: *const u8) {
        // SAFETY: the caller's promise.
        let _ = write!(out, "{}", unsafe { at.cast::<T>().read_unaligned() });
    }
    if pointee(ty).is_some() {
        // SAFETY: the value is a pointer.
        return address(out, unsafe { at.cast::<*const u8>().read_unaligned() });
    }
    if let Some((element, count)) = array(ty) {
        // SAFETY: an array has its elements in a row.
        return unsafe { elements(out, element, at, count) };
    }
    // SAFETY: the value has the type that its name says.
    unsafe {
        match ty {
            "u8" => show::<u8>(out, at),
            "c_char" => show::<c_char>(out, at),
            "bool" => out.push_str(if at.read() == 0 { "false" } else { "true" }),
            "u32" => show::<u32>(out, at),
            "i32" | "c_int" => show::<i32>(out, at),
            "f32" => show::<f32>(out, at),
            "u64" => show::<u64>(out, at),
            "usize" => show::<usize>(out, at),
            _ => match description(ty) {
                Some(described) => described_value(out, described, at),
                None => out.push('?'),
            },
        }
    }
}

/// Appends a value of a type of the ABI.
///
/// # Safety
/// `at` leads to a value of the type, aligned or not.
unsafe fn described_value(out: &mut String, described: &Type, at: *const u8) {
    // SAFETY: enumerations and flags are `u32`s.
    let bits = || unsafe { at.cast::<u32>().read_unaligned() };
    match described.kind {
        Kind::Enum { variants, .. } => match variants.iter().find(|variant| variant.value == bits()) {
            Some(variant) => out.push_str(variant.name),
            None => {
                let _ = write!(out, "({}){:#x}", described.c_name, bits());
            }
        },
        Kind::Flags { variants, .. } => {
            let (all, mut rest, mut separator) = (bits(), bits(), "");
            for variant in variants
                .iter()
                .filter(|variant| variant.value != 0 && all & variant.value == variant.value)
            {
                let _ = write!(out, "{separator}{}", variant.name);
                rest &= !variant.value;
                separator = " | ";
            }
            if rest != 0 || all == 0 {
                let _ = write!(out, "{separator}{rest:#x}");
            }
        }
        Kind::Struct { fields } => {
            let _ = write!(out, "(struct {}){{", described.c_name);
            let offsets = described
                .layout
                .as_ref()
                .map_or(&[][..], |layout: &Layout| layout.offsets);
            for (index, (field, offset)) in fields.iter().zip(offsets).enumerate() {
                let separator = if index == 0 { "" } else { ", " };
                let _ = write!(out, "{separator}.{} = ", field.c_name());
                // SAFETY: the field is there in the structure.
                unsafe { value(out, field.ty, at.add(*offset)) };
            }
            out.push('}');
        }
        Kind::Union { .. } => {
            let _ = write!(out, "(union {}){{}}", described.c_name);
        }
        // SAFETY: handles and callbacks are pointers.
        Kind::Handle | Kind::Callback { .. } => address(out, unsafe { at.cast::<*const u8>().read_unaligned() }),
        // SAFETY: an alias has the other type's values.
        Kind::Alias { ty } => unsafe { value(out, ty, at) },
        Kind::String { value } => {
            let _ = write!(out, "{value:?}");
        }
    }
}

fn address(out: &mut String, pointer: *const u8) {
    let _ = if pointer.is_null() {
        write!(out, "nullptr")
    } else {
        write!(out, "{pointer:?}")
    };
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use oxur_api::*;

    use super::*;

    fn print(table: &meta::Table, function: &str, arguments: &[*const c_void], success: bool) -> String {
        let function = table.functions.iter().find(|known| known.name == function).unwrap();
        assert_eq!(function.params.len(), arguments.len());
        let mut out = String::new();
        for (index, parameter) in function.params.iter().enumerate() {
            let _ = write!(out, "{}.{}=", if index == 0 { "" } else { " " }, parameter.c_name());
            // SAFETY: the tests give the arguments of the function.
            unsafe { super::parameter(&mut out, function, &Arguments(arguments), index, success) };
        }
        out
    }

    macro_rules! arguments {
        ($($value:expr),*) => { [$((&raw const $value).cast::<c_void>()),*] };
    }

    #[test]
    fn lists_and_results() {
        let platform = PlatformHandle(0x10 as *mut c_void);
        let (kind, entries, mut count) = (DeviceType::ALL, 2u32, 1u32);
        let mut devices = [DeviceHandle(0x20 as *mut c_void), DeviceHandle(null_mut())];
        let (list, count_place) = (devices.as_mut_ptr(), &raw mut count);
        let arguments = arguments![platform, kind, entries, list, count_place];
        let done = print(&DeviceDdiTable::META, "urDeviceGet", &arguments, true);
        let wanted = format!(
            ".hPlatform=0x10 .DeviceType=UR_DEVICE_TYPE_ALL .NumEntries=2 .phDevices={list:?} {{0x20}} \
             .pNumDevices={count_place:?} (1)"
        );
        assert_eq!(done, wanted);
        let failed = print(&DeviceDdiTable::META, "urDeviceGet", &arguments, false);
        assert!(
            failed.ends_with(&format!(".phDevices={list:?} .pNumDevices={count_place:?}")),
            "{failed}"
        );
    }

    #[test]
    fn lists_of_a_failed_call_are_addresses() {
        let (count, events) = (1u32 << 30, std::ptr::dangling::<EventHandle>());
        let arguments = arguments![count, events];
        let failed = print(&EventDdiTable::META, "urEventWait", &arguments, false);
        assert_eq!(failed, format!(".numEvents={count} .phEventWaitList={events:?}"));
        let event = EventHandle(0x30 as *mut c_void);
        let (count, events) = (1u32, &raw const event);
        let done = print(&EventDdiTable::META, "urEventWait", &arguments![count, events], true);
        assert_eq!(done, format!(".numEvents=1 .phEventWaitList={events:?} {{0x30}}"));
    }

    #[test]
    fn answers_have_the_type_of_the_property() {
        let (device, size, no_size) = (DeviceHandle(0x20 as *mut c_void), 16usize, null_mut::<usize>());
        let show = |property: DeviceInfo, value: *const c_void| {
            let arguments = arguments![device, property, size, value, no_size];
            print(&DeviceDdiTable::META, "urDeviceGetInfo", &arguments, true)
        };
        let text = *b"a name\0garbage..";
        assert!(show(DeviceInfo::NAME, text.as_ptr().cast()).contains(" (a name) "));
        let kind = [DeviceType::CPU.0, 0, 0, 0];
        assert!(show(DeviceInfo::TYPE, kind.as_ptr().cast()).contains(" (UR_DEVICE_TYPE_CPU) "));
        assert!(show(DeviceInfo(0x7777), kind.as_ptr().cast()).contains(".propName=(ur_device_info_t)0x7777 "));
    }

    #[test]
    fn structures() {
        let properties = ContextProperties::default();
        let (count, devices) = (0u32, null_mut::<DeviceHandle>());
        let (properties, context) = (&raw const properties, null_mut::<ContextHandle>());
        let text = print(
            &ContextDdiTable::META,
            "urContextCreate",
            &arguments![count, devices, properties, context],
            true,
        );
        let wanted = "((struct ur_context_properties_t){.stype = UR_STRUCTURE_TYPE_CONTEXT_PROPERTIES, \
                      .pNext = nullptr, .flags = 0x0})";
        assert!(text.contains(wanted), "{text}");
    }
}
