// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Property chains: structures that start with a tag and a pointer to the next one.
//!
//! Each C function that takes a chain says in a [`decode!`] what may be in it, and makes of the members a plain structure
//! for the trait of the object. What else is in the chain is refused, by one rule for all functions: with the first of
//! [`FITTING`] that the function documents. A function that documents none of them must not fail for it: there is a warning
//! in the log, and the call goes on without that member. The same holds for a member that is there twice, and for a chain
//! that leads back into itself.

use std::ffi::c_void;

use oxur_api::{BaseProperties, LegacyDdiTable, ResultCode, StructureType, TABLE_OUTLINES};

use crate::{UrError, UrResult};

/// The errors for what must not be in a chain.
const FITTING: [ResultCode; 3] = [
    ResultCode::ERROR_INVALID_VALUE,
    ResultCode::ERROR_INVALID_QUEUE_PROPERTIES,
    ResultCode::ERROR_UNSUPPORTED_FEATURE,
];

/// Functions whose specification has another error for it: a launch answers so if the device does not support a property.
const OTHERS: [(&str, ResultCode); 1] = [("urEnqueueKernelLaunchWithArgsExp", ResultCode::ERROR_INVALID_OPERATION)];

/// Reads the chain that starts at `$next`: for each member of a type that is listed, the block behind it runs with a
/// reference to the member. Its value is a `UrResult<()>`. The code around it must be `unsafe`, as for [`walk`].
macro_rules! decode {
    ($function:expr, $next:expr $(, $member:ident: $ty:ty => $block:block)* $(,)?) => {
        $crate::chain::walk($function, $next, |stype, _at| {
            #[allow(clippy::match_single_binding, reason = "some chains have no members")]
            match stype {
                $( <$ty as oxur_api::Tagged>::STYPE => {
                    let $member = &*_at.cast::<$ty>();
                    $block
                } )*
                _ => return Ok(false),
            }
            #[allow(unreachable_code, reason = "as above")]
            Ok(true)
        })
    };
}
pub(crate) use decode;

/// Gives each member of a chain to `take`, which returns whether it knows that type of structure.
///
/// # Safety
/// `next` must be null or point to a structure that starts with `stype` and `pNext`, and so on to the chain's end.
#[inline]
pub(crate) unsafe fn walk(
    function: &'static str,
    next: *const c_void,
    take: impl FnMut(StructureType, *const c_void) -> UrResult<bool>,
) -> UrResult<()> {
    if next.is_null() {
        return Ok(());
    }
    // SAFETY: passed on to the caller.
    unsafe { walk_members(function, next.cast(), take) }
}

/// # Safety
/// As [`walk`].
#[inline(never)]
unsafe fn walk_members(
    function: &'static str,
    first: *const BaseProperties,
    mut take: impl FnMut(StructureType, *const c_void) -> UrResult<bool>,
) -> UrResult<()> {
    let mut at = first;
    let mut count = 0;
    // SAFETY: passed on to the caller.
    while let Some(member) = unsafe { at.as_ref() } {
        // SAFETY: these members have been read before.
        let (cyclic, repeated) = unsafe { compare(first, count, at) };
        if cyclic {
            return refuse(function, || {
                format!("the property chain leads back to its {:?}", member.stype)
            });
        }
        if repeated {
            refuse(function, || format!("the property chain has {:?} twice", member.stype))?;
        } else if !take(member.stype, at.cast())? {
            refuse(function, || {
                format!("the property chain has {:?}, which is not known here", member.stype)
            })?;
        }
        at = member.pNext.cast_const().cast();
        count += 1;
    }
    Ok(())
}

/// Whether a member is one of the `count` before it, and whether it has the type of one of them. Chains are short: this
/// allocates nothing.
///
/// # Safety
/// As [`walk`], for `count` members from `first` on.
unsafe fn compare(first: *const BaseProperties, count: usize, at: *const BaseProperties) -> (bool, bool) {
    let (mut earlier, mut repeated) = (first, false);
    for _ in 0..count {
        if earlier == at {
            return (true, true);
        }
        // SAFETY: passed on to the caller.
        unsafe {
            repeated |= (*earlier).stype == (*at).stype;
            earlier = (*earlier).pNext.cast_const().cast();
        }
    }
    (false, repeated)
}

/// Answers what a chain must not have: with an error, or with a warning if the function documents none that fits.
#[cold]
#[inline(never)]
fn refuse(function: &'static str, message: impl FnOnce() -> String) -> UrResult<()> {
    let other = OTHERS.iter().find(|(name, _)| *name == function).map(|(_, code)| code);
    let fitting = || FITTING.iter().find(|error| documents(function, **error));
    match other.or_else(fitting) {
        Some(error) => Err(UrError::with_message(*error, message())),
        None => {
            log::warn!("{function}: {}; it is ignored", message());
            Ok(())
        }
    }
}

/// Whether the specification lets a function answer `code`.
fn documents(function: &'static str, code: ResultCode) -> bool {
    let tables = TABLE_OUTLINES.iter().copied().chain([LegacyDdiTable::OUTLINE]);
    let mut all = tables.flat_map(|table| table.functions);
    let known = all.find(|known| known.name == function);
    debug_assert!(known.is_some(), "there is no function {function}");
    known.is_some_and(|known| known.documents(code))
}

#[cfg(test)]
mod tests {
    use std::ptr::{from_mut, from_ref, null_mut};

    use oxur_api::{QueueIndexProperties, QueueProperties};

    use super::*;

    fn base(stype: StructureType) -> BaseProperties {
        BaseProperties {
            stype,
            pNext: null_mut(),
        }
    }

    /// The types of the members that are taken of a chain, where `known` are.
    fn taken(function: &'static str, first: &BaseProperties, known: &[u32]) -> (ResultCode, Vec<u32>) {
        let mut taken = Vec::new();
        // SAFETY: the tests pass live structures.
        let walked = unsafe {
            walk(function, from_ref(first).cast(), |stype, _| {
                let is_known = known.contains(&stype.0);
                if is_known {
                    taken.push(stype.0);
                }
                Ok(is_known)
            })
        };
        (
            walked.map_or_else(|error| error.code(), |()| ResultCode::SUCCESS),
            taken,
        )
    }

    #[test]
    fn members_arrive_by_their_types() {
        let mut index = QueueIndexProperties {
            computeIndex: 7,
            ..Default::default()
        };
        let head = QueueProperties {
            pNext: from_mut(&mut index).cast(),
            ..Default::default()
        };
        let mut found = None;
        // SAFETY: live structures.
        let decoded = unsafe {
            decode!("urQueueCreate", head.pNext, index: QueueIndexProperties => { found = Some(index.computeIndex) })
        };
        assert!(decoded.is_ok());
        assert_eq!(found, Some(7));
        // SAFETY: an empty chain.
        let empty = unsafe { decode!("urQueueCreate", null_mut::<c_void>()) };
        assert!(empty.is_ok());
    }

    #[test]
    fn the_function_decides_what_an_unknown_member_is() {
        let (mut last, mut unknown) = (base(StructureType(2)), base(StructureType(0x7777)));
        unknown.pNext = from_mut(&mut last).cast();
        let mut first = base(StructureType(1));
        first.pNext = from_mut(&mut unknown).cast();
        for (function, code, all) in [
            ("urUSMHostAlloc", ResultCode::ERROR_INVALID_VALUE, false),
            (
                "urEnqueueKernelLaunchWithArgsExp",
                ResultCode::ERROR_INVALID_OPERATION,
                false,
            ),
            (
                "urDeviceCreateWithNativeHandle",
                ResultCode::ERROR_UNSUPPORTED_FEATURE,
                false,
            ),
            ("urQueueCreate", ResultCode::ERROR_INVALID_QUEUE_PROPERTIES, false),
            ("urMemBufferCreate", ResultCode::ERROR_INVALID_VALUE, false),
            // It documents none of them.
            ("urContextCreate", ResultCode::SUCCESS, true),
            ("urKernelSetArgLocal", ResultCode::SUCCESS, true),
        ] {
            let expected: &[u32] = if all { &[1, 2] } else { &[1] };
            assert_eq!(
                taken(function, &first, &[1, 2]),
                (code, expected.to_vec()),
                "{function}"
            );
        }
    }

    #[test]
    fn no_member_is_there_twice() {
        let mut second = base(StructureType(1));
        let mut first = base(StructureType(1));
        first.pNext = from_mut(&mut second).cast();
        assert_eq!(
            taken("urUSMHostAlloc", &first, &[1]),
            (ResultCode::ERROR_INVALID_VALUE, vec![1])
        );
        assert_eq!(taken("urContextCreate", &first, &[1]), (ResultCode::SUCCESS, vec![1]));
    }

    #[test]
    fn a_cycle_ends() {
        for known in [&[1, 2, 3][..], &[2]] {
            let mut members = [1, 2, 3].map(|stype| base(StructureType(stype)));
            // One pointer to them all: each `&mut` of a member would end what the pointers to it may do.
            let first = members.as_mut_ptr();
            // SAFETY: each member is there, and nothing else refers to it.
            let first = unsafe {
                let (second, third) = (first.add(1), first.add(2));
                (*first).pNext = second.cast();
                (*second).pNext = third.cast();
                (*third).pNext = second.cast();
                &*first
            };
            assert_eq!(
                taken("urContextCreate", first, known),
                (ResultCode::SUCCESS, known.to_vec())
            );
        }
        let mut alone = base(StructureType(1));
        let member = &raw mut alone;
        // SAFETY: it is there, and nothing else refers to it.
        let member = unsafe {
            (*member).pNext = member.cast();
            &*member
        };
        assert_eq!(
            taken("urMemBufferCreate", member, &[1]),
            (ResultCode::ERROR_INVALID_VALUE, vec![1])
        );
    }
}
