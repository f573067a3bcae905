// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_LAYER_PARAMETER_VALIDATION`: what can be seen to be wrong with a call before it is made, by what the table says
//! of the parameters. What it finds is the call's result, and told in the log of the component `validation`.

use oxur_api::ResultCode;
use oxur_api::meta::{Attributes, Direction, Field, Function, Kind, Property, Sibling, Ty, Type, Variant};

use super::{Arguments, print};

const TARGET: &str = "validation";

/// Something to check of a function's arguments.
#[derive(Debug)]
pub(crate) struct Check {
    /// The parameter that it is about.
    parameter: usize,
    what: What,
}

#[derive(Debug)]
enum What {
    /// A pointer or function that must be there.
    Pointer,
    /// A handle that must be there.
    Handle,
    /// A value, or a member at this offset of the structure that the parameter points to, with names for all it may be.
    Named {
        member: Option<usize>,
        flags: bool,
        variants: &'static [Variant],
    },
    /// The place of a query's answer, of as many bytes as another parameter says.
    Answer { size: Sibling },
    /// A list with as many elements as another parameter says.
    List {
        count: Sibling,
        handles: bool,
        wait_list: bool,
        out: bool,
    },
}

/// The checks of a function, in the order in which their results win.
pub(super) fn checks(function: &'static Function) -> Vec<Check> {
    let mut checks: Vec<_> = (0..)
        .zip(function.params)
        .flat_map(|(at, parameter)| checks_of(at, parameter))
        .collect();
    checks.sort_by_key(|check| match check.what {
        What::Pointer => 0,
        What::Handle => 1,
        What::Named { .. } => 2,
        What::Answer { .. } | What::List { .. } => 3,
    });
    checks
}

fn checks_of(at: usize, parameter: &'static Field) -> Vec<Check> {
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
            kind => found.extend(named(kind, None).map(|what| Check { parameter: at, what })),
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
            wait_list: parameter.name == "phEventWaitList",
            out: parameter.attributes.is_out(),
        });
    } else if let (true, Some(Property { size, .. })) = (parameter.attributes.is_out(), property) {
        add(What::Answer { size });
    } else if let (
        Direction::In,
        Ty::Named(Type {
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
                .filter_map(|(field, offset)| named(field.ty.kind(), Some(*offset)))
                .map(|what| Check { parameter: at, what }),
        );
    }
    found
}

/// The check of a value, or of a member at an offset, if it is an enumeration or flags.
fn named(kind: Option<Kind>, member: Option<usize>) -> Option<What> {
    let (flags, variants) = match kind? {
        Kind::Enum { variants, .. } => (false, variants),
        Kind::Flags { variants, .. } => (true, variants),
        _ => return None,
    };
    Some(What::Named {
        member,
        flags,
        variants,
    })
}

/// What is wrong with a call, if anything.
///
/// # Safety
/// `checks` and `arguments` are those of `function`; what the arguments point to is what they claim.
pub(super) unsafe fn verdict(function: &Function, checks: &[Check], arguments: &Arguments<'_>) -> Option<ResultCode> {
    checks.iter().find_map(|check| {
        // SAFETY: passed on.
        let (code, problem) = unsafe { check.verdict(function, arguments) }?;
        log::error!(target: TARGET, "{}: {} {problem}: {code:?}", function.name, function.params[check.parameter].c_name());
        Some(code)
    })
}

impl Check {
    /// # Safety
    /// As for [`verdict`].
    unsafe fn verdict(&self, function: &Function, arguments: &Arguments<'_>) -> Option<(ResultCode, &'static str)> {
        let wrong = |is_wrong: bool, code, problem| is_wrong.then_some((code, problem));
        // SAFETY: only asked where the parameter is a pointer, a function or a handle.
        let pointer = || unsafe { arguments.read::<*const u8>(self.parameter) };
        let number = |parameter| print::number(function, arguments, parameter).unwrap_or(0);
        match self.what {
            What::Pointer => wrong(pointer().is_null(), ResultCode::ERROR_INVALID_NULL_POINTER, "is null"),
            What::Handle => wrong(pointer().is_null(), ResultCode::ERROR_INVALID_NULL_HANDLE, "is null"),
            What::Named {
                member,
                flags,
                variants,
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
                wrong(!known, ResultCode::ERROR_INVALID_ENUMERATION, "has an unknown value")
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
                wait_list,
                out,
            } => {
                let (null, count) = (pointer().is_null(), number(count));
                let (none, hole) = if wait_list && function.name != "urEventWait" {
                    (
                        ResultCode::ERROR_INVALID_EVENT_WAIT_LIST,
                        ResultCode::ERROR_INVALID_EVENT_WAIT_LIST,
                    )
                } else {
                    (
                        ResultCode::ERROR_INVALID_NULL_POINTER,
                        ResultCode::ERROR_INVALID_NULL_HANDLE,
                    )
                };
                if null {
                    return wrong(count != 0, none, "is null, but its count is not 0");
                }
                if out || (wait_list && count == 0) {
                    let code = if out { ResultCode::ERROR_INVALID_SIZE } else { none };
                    return wrong(count == 0, code, "is there, but its count is 0");
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

    macro_rules! verdict {
        ($table:ident.$function:ident($($value:expr),*)) => {{
            let function =
                $table::META.functions.iter().find(|known| known.name == stringify!($function)).unwrap();
            let arguments = [$((&raw const $value).cast::<c_void>()),*];
            assert_eq!(function.params.len(), arguments.len());
            // SAFETY: these are arguments of the function.
            unsafe { super::verdict(function, &checks(function), &Arguments(&arguments)) }
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
            verdict!(ContextDdiTable.urContextGetInfo(context, property, size, null, out)),
            None
        );
        let none = ContextHandle::default();
        let code = verdict!(ContextDdiTable.urContextGetInfo(none, property, size, null, out));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_NULL_HANDLE));
        let wrong = ContextInfo(0x7777);
        let code = verdict!(ContextDdiTable.urContextGetInfo(context, wrong, size, null, out));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_ENUMERATION));
        let code = verdict!(ContextDdiTable.urContextGetInfo(context, property, size, null, null));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_NULL_POINTER));
        let place = HANDLE;
        let code = verdict!(ContextDdiTable.urContextGetInfo(context, property, size, place, out));
        assert_eq!(code, Some(ResultCode::ERROR_INVALID_SIZE));
        let code = verdict!(ContextDdiTable.urContextSetExtendedDeleter(context, null, null));
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
                verdict!(EnqueueDdiTable.urEnqueueEventsWait(queue, count, list, event)),
                code,
                "{count} {list:?}"
            );
        }
    }

    #[test]
    fn members_of_structures() {
        let mut properties = ContextProperties::default();
        let (count, devices, context) = (1u32, [HANDLE].as_ptr(), &mut HANDLE.clone() as *mut *mut c_void);
        for (flags, code) in [(0, None), (1 << 30, Some(ResultCode::ERROR_INVALID_ENUMERATION))] {
            properties.flags = ContextFlags::from_bits_retain(flags);
            let place = &raw const properties;
            assert_eq!(
                verdict!(ContextDdiTable.urContextCreate(count, devices, place, context)),
                code
            );
        }
    }
}
