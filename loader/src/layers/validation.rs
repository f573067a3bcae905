// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_LAYER_PARAMETER_VALIDATION`: checks the arguments of a call before it is made, based on the parameters in the
//! table. A violation is the result of the call, and goes to the log of the component `validation`.

use oxur_api::ResultCode;
use oxur_api::meta::{Attributes, Direction, Field, Function, Kind, Property, Sibling, Ty, Type, Variant};

use super::{Arguments, print};

const TARGET: &str = "validation";

/// A check of a function's arguments.
#[derive(Debug)]
pub(crate) struct Check {
    /// The parameter to check.
    parameter: usize,
    what: What,
}

#[derive(Debug)]
enum What {
    /// A pointer or function that must not be null.
    Pointer,
    /// A handle that must not be null.
    Handle,
    /// A value, or a member at this offset of the structure that the parameter points to, with the names of all valid
    /// values, and the error for any other value.
    Named {
        member: Option<usize>,
        flags: bool,
        variants: &'static [Variant],
        code: ResultCode,
    },
    /// The output of a query. Its size is in another parameter.
    Answer { size: Sibling },
    /// An array. Its length is in another parameter.
    List {
        count: Sibling,
        handles: bool,
        /// The error if only one of the list and its count is given. `None` if a list may have a count of 0.
        apart: Option<ResultCode>,
        /// The error of a null handle in the list.
        hole: ResultCode,
        out: bool,
    },
}

/// The checks of a function, in the order of precedence.
pub(super) fn checks(function: &'static Function) -> Vec<Check> {
    let mut checks: Vec<_> = (0..)
        .zip(function.params)
        .flat_map(|(at, parameter)| checks_of(function, at, parameter))
        .collect();
    checks.sort_by_key(|check| match check.what {
        What::Pointer => 0,
        What::Handle => 1,
        What::Named { .. } => 2,
        What::Answer { .. } | What::List { .. } => 3,
    });
    checks
}

fn checks_of(function: &'static Function, at: usize, parameter: &'static Field) -> Vec<Check> {
    let mut found = Vec::new();
    let mut add = |what| found.push(Check { parameter: at, what });
    let Attributes {
        optional,
        nocheck,
        count,
        property,
        ..
    } = parameter.attributes;
    let Some(target) = parameter.ty.pointee() else {
        match parameter.ty.kind() {
            Some(Kind::Handle) if !optional && !nocheck => add(What::Handle),
            Some(Kind::Callback { .. }) if !optional => add(What::Pointer),
            kind => found.extend(
                named(kind, None, ResultCode::ERROR_INVALID_ENUMERATION).map(|what| Check { parameter: at, what }),
            ),
        }
        return found;
    };
    if !optional {
        add(What::Pointer);
    }
    if let Some(count) = count {
        add(What::List {
            count,
            handles: target.is_handle(),
            apart: apart(function, parameter),
            hole: match apart(function, parameter) {
                Some(code @ ResultCode::ERROR_INVALID_EVENT_WAIT_LIST) => code,
                _ => ResultCode::ERROR_INVALID_NULL_HANDLE,
            },
            out: parameter.attributes.is_out(),
        });
    } else if let (true, Some(Property { size, .. })) = (parameter.attributes.is_out(), property) {
        // Whether the query is supported takes precedence over the rules of its output, and the adapter knows it.
        if !function
            .errors
            .contains(&ResultCode::ERROR_PROFILING_INFO_NOT_AVAILABLE)
        {
            add(What::Answer { size });
        }
    } else if let (
        Direction::In,
        Ty::Named(Type {
            name,
            kind: Kind::Struct { fields },
            layout: Some(layout),
            ..
        }),
    ) = (parameter.attributes.direction, target)
    {
        let members = fields
            .iter()
            .zip(layout.offsets)
            .filter(|(field, _)| field.name != "stype");
        found.extend(
            members
                .filter_map(|(field, offset)| named(field.ty.kind(), Some(*offset), code_of(name)))
                .map(|what| Check { parameter: at, what }),
        );
    }
    found
}

/// The check of a value, or of a member at an offset, if it is an enumeration or flags. `code` is the error of an unknown
/// enumerator.
fn named(kind: Option<Kind>, member: Option<usize>, code: ResultCode) -> Option<What> {
    let (flags, variants, code) = match kind? {
        Kind::Enum { variants, .. } => (false, variants, code),
        Kind::Flags { variants, .. } => (true, variants, ResultCode::ERROR_INVALID_ENUMERATION),
        _ => return None,
    };
    Some(What::Named {
        member,
        flags,
        variants,
        code,
    })
}

/// The error for an array without a length or a length without an array, for functions with both.
fn apart(function: &Function, list: &Field) -> Option<ResultCode> {
    match list.name {
        // This function has a separate rule for each of the two.
        "phEventWaitList" if function.name == "urEventWait" => None,
        "phEventWaitList" => Some(ResultCode::ERROR_INVALID_EVENT_WAIT_LIST),
        "pSyncPointWaitList" => Some(ResultCode::ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP),
        "phKernelAlternatives" => Some(ResultCode::ERROR_INVALID_VALUE),
        _ => None,
    }
}

/// The error of an unknown enumerator in a structure: images have their own.
fn code_of(structure: &str) -> ResultCode {
    match structure {
        "ImageDesc" => ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        "ImageFormat" => ResultCode::ERROR_UNSUPPORTED_IMAGE_FORMAT,
        _ => ResultCode::ERROR_INVALID_ENUMERATION,
    }
}

/// The violation of a call, if there is one.
///
/// # Safety
/// `checks` and `arguments` are those of `function`. Pointers in the arguments are valid for their types.
pub(super) unsafe fn validate(function: &Function, checks: &[Check], arguments: &Arguments<'_>) -> Option<ResultCode> {
    checks.iter().find_map(|check| {
        // SAFETY: passed on.
        let (code, problem) = unsafe { check.validate(function, arguments) }?;
        log::error!(target: TARGET, "{}: {} {problem}: {code:?}", function.name, function.params[check.parameter].c_name());
        Some(code)
    })
}

impl Check {
    /// # Safety
    /// As for [`validate`].
    unsafe fn validate(&self, function: &Function, arguments: &Arguments<'_>) -> Option<(ResultCode, &'static str)> {
        let wrong = |is_wrong: bool, code, problem| is_wrong.then_some((code, problem));
        // SAFETY: evaluated only if the parameter is a pointer, a function or a handle.
        let pointer = || unsafe { arguments.read::<*const u8>(self.parameter) };
        let number = |parameter| print::number(function, arguments, parameter).unwrap_or(0);
        match self.what {
            What::Pointer => wrong(pointer().is_null(), ResultCode::ERROR_INVALID_NULL_POINTER, "is null"),
            What::Handle => wrong(pointer().is_null(), ResultCode::ERROR_INVALID_NULL_HANDLE, "is null"),
            What::Named {
                member,
                flags,
                variants,
                code,
            } => {
                let value = match member {
                    // SAFETY: the parameter is a `u32`.
                    None => unsafe { arguments.read::<u32>(self.parameter) },
                    Some(_) if pointer().is_null() => return None,
                    // SAFETY: the parameter points to a structure that has a `u32` there.
                    Some(offset) => unsafe { pointer().add(offset).cast::<u32>().read_unaligned() },
                };
                let known = if flags {
                    value & !variants.iter().fold(0, |all, variant| all | variant.value) == 0
                } else {
                    variants.iter().any(|variant| variant.value == value)
                };
                wrong(!known, code, "has an unknown value")
            }
            What::Answer { size } => {
                let (null, size) = (pointer().is_null(), number(size));
                let size_ret = function.param("pPropSizeRet");
                // SAFETY: this parameter is a pointer.
                let no_size_ret =
                    size_ret.is_none_or(|(index, _)| unsafe { arguments.read::<*const usize>(index) }.is_null());
                wrong(
                    null && size != 0,
                    ResultCode::ERROR_INVALID_NULL_POINTER,
                    "is null, but propSize is not 0",
                )
                .or(wrong(
                    null && no_size_ret,
                    ResultCode::ERROR_INVALID_NULL_POINTER,
                    "and pPropSizeRet are null",
                ))
                .or(wrong(
                    !null && size == 0,
                    ResultCode::ERROR_INVALID_SIZE,
                    "has room for 0 bytes",
                ))
            }
            What::List {
                count,
                handles,
                apart,
                hole,
                out,
            } => {
                let (null, count) = (pointer().is_null(), number(count));
                if null {
                    let code = apart.unwrap_or(ResultCode::ERROR_INVALID_NULL_POINTER);
                    return wrong(count != 0, code, "is null, but its count is not 0");
                }
                let empty = match apart {
                    _ if out => Some(ResultCode::ERROR_INVALID_SIZE),
                    None if function.name == "urEventWait" => Some(ResultCode::ERROR_INVALID_VALUE),
                    code => code,
                };
                if let Some(code) = empty.filter(|_| count == 0) {
                    return wrong(true, code, "is there, but its count is 0");
                }
                if out {
                    return None;
                }
                // SAFETY: the parameter points to this many handles.
                let mut list =
                    (0..if handles { count } else { 0 }).map(|at| unsafe { *pointer().cast::<usize>().add(at) });
                wrong(list.any(|handle| handle == 0), hole, "has a null element")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use oxur_api::*;

    use super::*;

    macro_rules! validate {
        ($table:ident.$function:ident($($value:expr),*)) => {{
            let function =
                $table::META.functions.iter().find(|known| known.name == stringify!($function)).unwrap();
            assert_eq!(function.params.len(), [$(stringify!($value)),*].len());
            // SAFETY: these are arguments of the function.
            unsafe {
                super::validate(
                    function,
                    &checks(function),
                    &Arguments(&[$(std::ptr::from_ref(&$value).cast::<c_void>()),*]),
                )
            }
        }};
    }

    const HANDLE: *mut c_void = 0x10 as *mut c_void;

    #[test]
    fn handles_pointers_enumerators() {
        let (context, null, out, property, size) = (
            ContextHandle(HANDLE),
            null_mut::<c_void>(),
            &mut 0usize as *mut usize,
            ContextInfo::NUM_DEVICES,
            0usize,
        );
        assert_eq!(
            validate!(ContextDdiTable.urContextGetInfo(context, property, size, null, out)),
            None
        );
        let none = ContextHandle::default();
        let code = validate!(ContextDdiTable.urContextGetInfo(none, property, size, null, out));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_NULL_HANDLE));
        let wrong = ContextInfo(0x7777);
        let code = validate!(ContextDdiTable.urContextGetInfo(context, wrong, size, null, out));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_ENUMERATION));
        let code = validate!(ContextDdiTable.urContextGetInfo(context, property, size, null, null));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_NULL_POINTER));
        let place = HANDLE;
        let code = validate!(ContextDdiTable.urContextGetInfo(context, property, size, place, out));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_SIZE));
        let code = validate!(ContextDdiTable.urContextSetExtendedDeleter(context, null, null));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_NULL_POINTER));
    }

    #[test]
    fn lists() {
        let queue = QueueHandle(HANDLE);
        let events = [HANDLE, null_mut()];
        let list = events.as_ptr();
        let (none, event) = (null_mut::<c_void>(), null_mut::<EventHandle>());
        for (count, list, code) in [
            (0u32, none.cast_const().cast(), None),
            (1, list, None),
            (2, list, Some(ResultCode::ERROR_INVALID_EVENT_WAIT_LIST)),
            (0, list, Some(ResultCode::ERROR_INVALID_EVENT_WAIT_LIST)),
            (
                1,
                none.cast_const().cast(),
                Some(ResultCode::ERROR_INVALID_EVENT_WAIT_LIST),
            ),
        ] {
            assert_eq!(
                validate!(EnqueueDdiTable.urEnqueueEventsWait(queue, count, list, event)),
                code,
                "{count} {list:?}"
            );
        }
    }

    #[test]
    fn lists_with_codes_of_their_own() {
        let codes = |name: &str| {
            let functions = CommandBufferExpDdiTable::META.functions;
            let function = functions.iter().find(|known| known.name == name).unwrap();
            let codes = function.params.iter().map(|parameter| apart(function, parameter));
            codes.flatten().collect::<Vec<_>>()
        };
        assert_eq!(
            codes("urCommandBufferAppendKernelLaunchExp"),
            [
                ResultCode::ERROR_INVALID_VALUE,
                ResultCode::ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP,
                ResultCode::ERROR_INVALID_EVENT_WAIT_LIST
            ]
        );
    }

    #[test]
    fn functions_with_rules_of_their_own() {
        let (event, null, size) = (EventHandle(HANDLE), null_mut::<c_void>(), 8usize);
        let code = validate!(EventDdiTable.urEventWait(0u32, (&raw const event)));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_VALUE));
        let code = validate!(EventDdiTable.urEventWait(1u32, null));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_NULL_POINTER));
        // A queue without profiling takes precedence over the rules of the output.
        let (what, nothing) = (ProfilingInfo::COMMAND_END, 0usize);
        for (size, place) in [(size, null), (nothing, null), (nothing, HANDLE)] {
            let code = validate!(EventDdiTable.urEventGetProfilingInfo(event, what, size, place, null));
            assert_eq!(code, None);
        }
        let (context, flags, format) = (ContextHandle(HANDLE), 0u32, ImageFormat::default());
        let desc = ImageDesc {
            r#type: MemType(0x77),
            ..Default::default()
        };
        let code = validate!(MemDdiTable.urMemImageCreate(
            context,
            flags,
            (&raw const format),
            (&raw const desc),
            null,
            HANDLE
        ));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR));
    }

    #[test]
    fn places_for_handles() {
        let (mut places, count, none) = ([null_mut::<c_void>(); 2], 2u32, 0u32);
        let (places, total) = (places.as_mut_ptr(), null_mut::<u32>());
        assert_eq!(validate!(AdapterDdiTable.urAdapterGet(count, places, total)), None);
        let code = validate!(AdapterDdiTable.urAdapterGet(none, places, total));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_SIZE));
    }

    #[test]
    fn members_of_structures() {
        let mut properties = ContextProperties::default();
        let (count, devices, context) = (1u32, [HANDLE].as_ptr(), &mut HANDLE.clone() as *mut *mut c_void);
        for (flags, code) in [(0, None), (1 << 30, Some(ResultCode::ERROR_INVALID_ENUMERATION))] {
            properties.flags = ContextFlags::from_bits_retain(flags);
            let place = &raw const properties;
            assert_eq!(
                validate!(ContextDdiTable.urContextCreate(count, devices, place, context)),
                code
            );
        }
    }
}
