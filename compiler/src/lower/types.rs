// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Conversion of types from SPIR-V to LLVM.

use spirv::Decoration;

use super::ModuleLowering;
use crate::Error;
use crate::llvm::{self, Kind};
use crate::spirv::{Id, Type};

/// The most members of a structure or array that is used as a value: loaded, passed, returned. LLVM splits such a value
/// into its members, in more than linear time. In memory it may be of any size.
const MOST_PARTS: u32 = 4096;

/// Checks that a value does not have too many members. The error says how many it has.
pub(super) fn check_parts(ty: llvm::Type<'_>) -> Result<(), Error> {
    fn count(ty: llvm::Type<'_>, so_far: &mut u32) -> bool {
        *so_far += 1;
        *so_far <= MOST_PARTS
            && match ty.kind() {
                Kind::Array(n) => (0..n).all(|_| count(ty.scalar(), so_far)),
                Kind::Struct => ty.members().into_iter().all(|member| count(member, so_far)),
                _ => true,
            }
    }
    if count(ty, &mut 0) {
        return Ok(());
    }
    Err(Error::Unsupported {
        feature: format!("a value of more than {MOST_PARTS} parts"),
        what: "in memory a structure or array may be as large".into(),
    })
}

impl<'c> ModuleLowering<'c> {
    /// LLVM's type for a type of a module.
    pub(super) fn ty(&mut self, part: usize, id: Id) -> Result<llvm::Type<'c>, Error> {
        if let Some(&ty) = self.types.get(&(part, id)) {
            return Ok(ty);
        }
        let cx = self.context;
        let linked = self.linked;
        let module = linked.module(part);
        let ty = match module.ty(id) {
            Some(Type::Void) => cx.void(),
            Some(Type::Bool) => cx.int(1),
            Some(Type::Int(bits)) => cx.int(*bits),
            Some(Type::Float(bits)) => cx.float(*bits),
            Some(Type::BFloat16) => cx.int(16),
            Some(Type::Vector(element, count)) => self.ty(part, *element)?.vector(*count),
            Some(Type::Array(element, length)) => {
                // `layout` checks the limits.
                crate::link::layout(linked, part, id)?;
                let length = linked.constant(part, *length).expect("layout found it");
                self.ty(part, *element)?.array(length)
            }
            Some(Type::Struct(members)) => {
                let members = members
                    .iter()
                    .map(|&m| self.ty(part, m))
                    .collect::<Result<Vec<_>, _>>()?;
                cx.structure(&members, module.decoration(id, Decoration::CPacked).is_some())
            }
            Some(Type::Pointer(..) | Type::Image(..)) => cx.ptr(),
            Some(Type::Sampler) => cx.int(32),
            Some(Type::SampledImage(_)) => cx.structure(&[cx.ptr(), cx.int(32)], false),
            Some(Type::Event) => cx.int(64),
            Some(Type::Function(result, params)) => {
                // After the item.
                let mut all = vec![cx.ptr()];
                for &param in params {
                    all.push(self.ty(part, param)?);
                }
                self.ty(part, *result)?.function(&all)
            }
            Some(Type::Unsupported(feature)) => {
                return Err(Error::Unsupported {
                    feature: feature.clone(),
                    what: String::new(),
                });
            }
            None => {
                return Err(Error::Malformed {
                    offset: 0,
                    what: format!("{id} is used as a type, but is none"),
                });
            }
        };
        self.types.insert((part, id), ty);
        Ok(ty)
    }
}
