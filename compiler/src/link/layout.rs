// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The layout of types in memory.

use spirv::Decoration;

use super::Linked;
use crate::Error;
use crate::spirv::{Id, Type};

/// The size and alignment of a type, in bytes. Structures have the layout of C, unless they are packed.
pub fn layout(linked: &Linked, part: usize, id: Id) -> Result<(u64, u64), Error> {
    let module = linked.module(part);
    let too_large = || Error::Unsupported {
        feature: "a type of more than 2^40 bytes".into(),
        what: String::new(),
    };
    let limit = |size: Option<u64>| size.filter(|&s| s <= 1 << 40).ok_or_else(too_large);
    let keep = |found| {
        linked.layouts.lock().insert((part, id), found);
        found
    };
    if let Some(&known) = linked.layouts.lock().get(&(part, id)) {
        return Ok(known);
    }
    Ok(match module.ty(id) {
        Some(Type::Bool) => (1, 1),
        Some(Type::Int(bits) | Type::Float(bits)) => {
            let size = u64::from(bits.div_ceil(8)).next_power_of_two();
            (size, size)
        }
        Some(Type::BFloat16) => (2, 2),
        Some(Type::Vector(element, count)) => {
            let (size, _) = layout(linked, part, *element)?;
            let size = (size * u64::from(*count)).next_power_of_two();
            (size, size)
        }
        Some(Type::Array(element, length)) => {
            let (size, align) = layout(linked, part, *element)?;
            let length = linked.constant(part, *length).ok_or_else(|| Error::Unsupported {
                feature: "an array whose length is computed".into(),
                what: format!("type {id}"),
            })?;
            keep((limit(size.checked_mul(length))?, align))
        }
        Some(Type::Struct(members)) => {
            let packed = module.decoration(id, Decoration::CPacked).is_some();
            let (mut end, mut most) = (0u64, 1);
            for &member in members {
                let (size, align) = layout(linked, part, member)?;
                let align = if packed { 1 } else { align };
                end = limit(end.next_multiple_of(align).checked_add(size))?;
                most = most.max(align);
            }
            keep((end.next_multiple_of(most), most))
        }
        Some(Type::SampledImage(_)) => (16, 8),
        Some(Type::Sampler) => (4, 4),
        Some(Type::Pointer(..) | Type::Image(..) | Type::Event) => (8, 8),
        Some(Type::Unsupported(feature)) => {
            return Err(Error::Unsupported {
                feature: feature.clone(),
                what: String::new(),
            });
        }
        other => {
            return Err(Error::Malformed {
                offset: 0,
                what: format!("{id} has no size: it is {other:?}"),
            });
        }
    })
}
