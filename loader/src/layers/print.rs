// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Prints values as C initializers, from the descriptions of their types.
//!
//! Pointers are followed once, from a parameter to its target. Pointers in structures are printed as addresses, because
//! their targets may not outlive the call.

use std::ffi::CStr;
use std::fmt::{Display, Write};

use oxur_api::c_char;
use oxur_api::meta::{Attributes, Function, Kind, Layout, Property, Sibling, Ty, Type, fmt_enum, fmt_flags};

use super::Arguments;

/// How many elements of an array are printed.
const MOST_ELEMENTS: usize = 64;

/// Appends a parameter's argument, and its target if it is a pointer.
///
/// # Safety
/// `arguments` are those of `function`, which was called with them. `success` says whether it succeeded, so that its results
/// are valid. Otherwise only inputs whose type determines their size are read, because a list may be why it failed.
pub(super) unsafe fn parameter(
    out: &mut String,
    function: &Function,
    arguments: &Arguments<'_>,
    index: usize,
    success: bool,
) {
    let field = &function.params[index];
    let Some(target) = field.ty.pointee() else {
        // SAFETY: the argument has this type.
        return unsafe { value(out, &field.ty, arguments.0[index].cast()) };
    };
    // SAFETY: the argument is a pointer.
    let pointer: *const u8 = unsafe { arguments.read(index) };
    address(out, pointer);
    let Attributes { count, property, .. } = field.attributes;
    let readable = success || !(field.attributes.is_out() || count.is_some() || property.is_some());
    if pointer.is_null() || !readable {
        return;
    }
    if let Some(property) = property {
        // SAFETY: the function succeeded with this many bytes at the pointer.
        unsafe { answer(out, function, arguments, property, pointer) };
    } else if let Some(count) = count {
        let count = if field.attributes.is_out() {
            element_count(function, arguments, Some(count))
        } else {
            number(function, arguments, count).unwrap_or(0)
        };
        // SAFETY: the function succeeded: it read all elements of an input, and wrote as many of a result as it says.
        // If the client did not ask for the number, it at least owns the elements.
        unsafe { elements(out, target, pointer, count) };
    } else if matches!(target, Ty::Char) {
        // SAFETY: a parameter of this type is a C string.
        let text = unsafe { CStr::from_ptr(pointer.cast()) };
        let _ = write!(out, " ({})", text.to_string_lossy());
    } else if target.size().is_some() {
        out.push_str(" (");
        // SAFETY: the function was called with one value of this type at the pointer.
        unsafe { value(out, target, pointer) };
        out.push(')');
    }
}

/// The value of a parameter that is a number.
pub(super) fn number(function: &Function, arguments: &Arguments<'_>, parameter: Sibling) -> Option<usize> {
    match function.params[parameter.index()].ty.size()? {
        // SAFETY: the arguments are the function's, and this one has four bytes.
        4 => Some(unsafe { arguments.read::<u32>(parameter.index()) } as usize),
        // SAFETY: as above, with eight.
        8 => Some(unsafe { arguments.read::<usize>(parameter.index()) }),
        _ => None,
    }
}

/// How many elements a successful call has written to a list of at most `room` elements, or to a single one.
pub(super) fn element_count(function: &Function, arguments: &Arguments<'_>, room: Option<Sibling>) -> usize {
    let Some(room) = room.and_then(|room| number(function, arguments, room)) else {
        return 1;
    };
    // A list comes with an output for the total number of elements.
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
/// `pointer` leads to as many bytes as the parameter `property.size` says, filled.
unsafe fn answer(
    out: &mut String,
    function: &Function,
    arguments: &Arguments<'_>,
    property: Property,
    pointer: *const u8,
) {
    let Some(mut bytes) = number(function, arguments, property.size) else {
        return;
    };
    if let Some((index, _)) = function.param("pPropSizeRet") {
        // SAFETY: the argument is a pointer to a `usize`, null or filled by the call.
        let written = unsafe { arguments.read::<*const usize>(index).as_ref() };
        bytes = bytes.min(written.copied().unwrap_or(bytes));
    }
    // SAFETY: a property is a `u32`.
    let wanted = unsafe { arguments.read::<u32>(property.name.index()) };
    let Some(Kind::Enum { variants, .. }) = function.params[property.name.index()].ty.kind() else {
        return;
    };
    let Some(answer) = variants
        .iter()
        .find(|variant| variant.value == wanted)
        .and_then(|variant| variant.answer)
    else {
        return;
    };
    match answer.ty {
        Ty::Slice { element: Ty::Char } => {
            // SAFETY: there are `bytes` bytes.
            let text = unsafe { std::slice::from_raw_parts(pointer, bytes) };
            let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
            let _ = write!(out, " ({})", String::from_utf8_lossy(text));
        }
        Ty::Slice { element } => {
            let count = element.size().map_or(0, |size| bytes / size);
            // SAFETY: that many fit into the bytes.
            unsafe { elements(out, element, pointer, count) };
        }
        ty if ty.size().is_some_and(|size| size <= bytes) => {
            out.push_str(" (");
            // SAFETY: there are enough bytes for a value of this type.
            unsafe { value(out, &ty, pointer) };
            out.push(')');
        }
        _ => {}
    }
}

/// Appends ` {a, b}`.
///
/// # Safety
/// `pointer` leads to `count` values of the type.
unsafe fn elements(out: &mut String, ty: &Ty, pointer: *const u8, count: usize) {
    let Some(size) = ty.size() else { return };
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
unsafe fn value(out: &mut String, ty: &Ty, at: *const u8) {
    /// # Safety
    /// `at` leads to a `T`.
    unsafe fn show<T: Copy + Display>(out: &mut String, at: *const u8) {
        // SAFETY: the caller's promise.
        let _ = write!(out, "{}", unsafe { at.cast::<T>().read_unaligned() });
    }
    // SAFETY: the value has this type.
    unsafe {
        match ty {
            Ty::Pointer { .. } => address(out, at.cast::<*const u8>().read_unaligned()),
            Ty::Array { element, length } => elements(out, element, at, *length),
            Ty::U8 => show::<u8>(out, at),
            Ty::U16 => show::<u16>(out, at),
            Ty::Char => show::<c_char>(out, at),
            Ty::Bool => out.push_str(if at.read() == 0 { "false" } else { "true" }),
            Ty::U32 => show::<u32>(out, at),
            Ty::I32 | Ty::Int => show::<i32>(out, at),
            Ty::F32 => show::<f32>(out, at),
            Ty::U64 => show::<u64>(out, at),
            Ty::Usize => show::<usize>(out, at),
            Ty::Named(named) => named_value(out, named, at),
            Ty::Void | Ty::Slice { .. } => out.push('?'),
        }
    }
}

/// Appends a value of a type of the ABI.
///
/// # Safety
/// `at` leads to a value of the type, aligned or not.
unsafe fn named_value(out: &mut String, described: &Type, at: *const u8) {
    // SAFETY: enumerations and flags are `u32`s.
    let bits = || unsafe { at.cast::<u32>().read_unaligned() };
    match described.kind {
        Kind::Enum { variants, .. } => {
            let _ = fmt_enum(bits(), variants, described.c_name, out);
        }
        Kind::Flags { variants, .. } => {
            let _ = fmt_flags(bits(), variants, out);
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
                unsafe { value(out, &field.ty, at.add(*offset)) };
            }
            out.push('}');
        }
        Kind::Union { .. } => {
            let _ = write!(out, "(union {}){{}}", described.c_name);
        }
        // SAFETY: handles and callbacks are pointers.
        Kind::Handle | Kind::Callback { .. } => address(out, unsafe { at.cast::<*const u8>().read_unaligned() }),
        // SAFETY: an alias has the other type's values.
        Kind::Alias { ty } => unsafe { value(out, &ty, at) },
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
        let done = print(DeviceDdiTable::META, "urDeviceGet", &arguments, true);
        let wanted = format!(
            ".hPlatform=0x10 .DeviceType=UR_DEVICE_TYPE_ALL .NumEntries=2 .phDevices={list:?} {{0x20}} \
             .pNumDevices={count_place:?} (1)"
        );
        assert_eq!(done, wanted);
        let failed = print(DeviceDdiTable::META, "urDeviceGet", &arguments, false);
        assert!(
            failed.ends_with(&format!(".phDevices={list:?} .pNumDevices={count_place:?}")),
            "{failed}"
        );
    }

    #[test]
    fn lists_of_a_failed_call_are_addresses() {
        let (count, events) = (1u32 << 30, std::ptr::dangling::<EventHandle>());
        let arguments = arguments![count, events];
        let failed = print(EventDdiTable::META, "urEventWait", &arguments, false);
        assert_eq!(failed, format!(".numEvents={count} .phEventWaitList={events:?}"));
        let event = EventHandle(0x30 as *mut c_void);
        let (count, events) = (1u32, &raw const event);
        let done = print(EventDdiTable::META, "urEventWait", &arguments![count, events], true);
        assert_eq!(done, format!(".numEvents=1 .phEventWaitList={events:?} {{0x30}}"));
    }

    #[test]
    fn answers_have_the_type_of_the_property() {
        let (device, size, no_size) = (DeviceHandle(0x20 as *mut c_void), 16usize, null_mut::<usize>());
        let show = |property: DeviceInfo, value: *const c_void| {
            let arguments = arguments![device, property, size, value, no_size];
            print(DeviceDdiTable::META, "urDeviceGetInfo", &arguments, true)
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
            ContextDdiTable::META,
            "urContextCreate",
            &arguments![count, devices, properties, context],
            true,
        );
        let wanted = "((struct ur_context_properties_t){.stype = UR_STRUCTURE_TYPE_CONTEXT_PROPERTIES, \
                      .pNext = nullptr, .flags = 0x0})";
        assert!(text.contains(wanted), "{text}");
    }
}
