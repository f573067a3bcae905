// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Types, with the sizes and alignments that OpenCL gives them.

use spirv::{Op, StorageClass};

use crate::fault::{Result, malformed, unsupported};

/// A type, whose components are named by the ids of their types.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    Void,
    Bool,
    Int(u32),
    Float(u32),
    Vector(u32, u32),
    Array(u32, u64),
    Struct {
        members: Vec<u32>,
        offsets: Vec<u64>,
    },
    /// What it points to may be declared later, or never.
    Pointer {
        class: StorageClass,
        pointee: Option<u32>,
    },
    Function {
        result: u32,
        parameters: Vec<u32>,
    },
    Event,
    /// There is nothing to be done with values of it.
    Other(Op),
}

/// A type with what memory needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub ty: Type,
    pub size: u64,
    pub align: u64,
    /// How many scalars it has.
    pub scalars: u64,
    /// How deep it is nested.
    pub depth: u32,
}

/// The most scalars of a value.
const MAX_SCALARS: u64 = 1 << 22;
/// The largest type in bytes.
const MAX_SIZE: u64 = 1 << 32;
const MAX_DEPTH: u32 = 40;

/// The types of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    /// By the ids of types.
    all: Vec<Option<Layout>>,
}

fn scalar(ty: Type, size: u64) -> Layout {
    Layout {
        ty,
        size,
        align: size.max(1),
        scalars: 1,
        depth: 0,
    }
}

impl Types {
    /// A type with its layout.
    pub fn layout(&self, id: u32) -> Result<&Layout> {
        match self.all.get(id as usize) {
            Some(Some(layout)) => Ok(layout),
            _ => malformed(format!("%{id} is no type")),
        }
    }

    pub fn get(&self, id: u32) -> Result<&Type> {
        self.layout(id).map(|layout| &layout.ty)
    }

    /// The type that a vector consists of, or the type itself.
    pub fn element(&self, id: u32) -> Result<&Type> {
        match self.get(id)? {
            Type::Vector(element, _) => self.get(*element),
            other => Ok(other),
        }
    }

    /// How many components a vector has; 1 for others.
    pub fn components(&self, id: u32) -> Result<u32> {
        Ok(match self.get(id)? {
            Type::Vector(_, count) => *count,
            _ => 1,
        })
    }

    /// How many bits the scalars of a type have.
    pub fn width(&self, id: u32) -> Result<u32> {
        match self.element(id)? {
            Type::Bool => Ok(1),
            Type::Int(width) | Type::Float(width) => Ok(*width),
            Type::Pointer { .. } | Type::Event => Ok(64),
            other => malformed(format!("%{id} is no type of numbers or pointers but {other:?}")),
        }
    }

    pub fn is_float(&self, id: u32) -> Result<bool> {
        Ok(matches!(self.element(id)?, Type::Float(_)))
    }

    /// The type that a pointer leads to.
    pub fn pointee(&self, id: u32) -> Result<u32> {
        match self.get(id)? {
            Type::Pointer {
                pointee: Some(pointee), ..
            } => Ok(*pointee),
            Type::Pointer { pointee: None, .. } => unsupported("untyped pointers"),
            other => malformed(format!("%{id} is no pointer but {other:?}")),
        }
    }

    /// The type of a member, and where it is in memory.
    pub fn member(&self, id: u32, index: u64) -> Result<(u32, u64)> {
        match self.get(id)? {
            Type::Vector(element, count) if index < u64::from(*count) => {
                Ok((*element, index * self.layout(*element)?.size))
            }
            Type::Array(element, count) if index < *count => Ok((*element, index * self.layout(*element)?.size)),
            Type::Struct { members, offsets } if index < members.len() as u64 => {
                Ok((members[index as usize], offsets[index as usize]))
            }
            other => malformed(format!("there is no member {index} in {other:?}")),
        }
    }

    /// Adds the type that an instruction declares, with its operands behind the result.
    pub fn declare(
        &mut self,
        op: Op,
        id: u32,
        operands: &[u32],
        is_packed: bool,
        length: impl Fn(u32) -> Result<u64>,
    ) -> Result<()> {
        let operand = |index: usize| match operands.get(index) {
            Some(word) => Ok(*word),
            None => malformed(format!("{op:?} has too few operands")),
        };
        let layout = match op {
            Op::TypeVoid => scalar(Type::Void, 0),
            Op::TypeBool => scalar(Type::Bool, 1),
            Op::TypeInt => match operand(0)? {
                width @ (8 | 16 | 32 | 64) => scalar(Type::Int(width), u64::from(width) / 8),
                width => return unsupported(format!("integers of {width} bits")),
            },
            Op::TypeFloat => match operand(0)? {
                _ if operands.len() > 1 => return unsupported("floating-point numbers of another encoding"),
                width @ (16 | 32 | 64) => scalar(Type::Float(width), u64::from(width) / 8),
                width => return unsupported(format!("floating-point numbers of {width} bits")),
            },
            Op::TypeVector => {
                let (element, count) = (self.layout(operand(0)?)?, operand(1)?);
                if !matches!(
                    element.ty,
                    Type::Bool | Type::Int(_) | Type::Float(_) | Type::Pointer { .. }
                ) {
                    return malformed("a vector of something that is no scalar");
                }
                if !matches!(count, 2 | 3 | 4 | 8 | 16) {
                    return unsupported(format!("vectors of {count}"));
                }
                // A vector of three takes the room of four.
                let size = element.size * u64::from(count.next_power_of_two());
                Layout {
                    ty: Type::Vector(operand(0)?, count),
                    size,
                    align: size,
                    scalars: count.into(),
                    depth: 1,
                }
            }
            Op::TypeArray => {
                let (element, count) = (self.layout(operand(0)?)?, length(operand(1)?)?);
                Layout {
                    ty: Type::Array(operand(0)?, count),
                    size: element.size.saturating_mul(count),
                    align: element.align,
                    scalars: element.scalars.saturating_mul(count),
                    depth: element.depth + 1,
                }
            }
            Op::TypeStruct => self.structure(operands, is_packed)?,
            // A structure may have a pointer to itself as a member.
            Op::TypeForwardPointer | Op::TypePointer | Op::TypeUntypedPointerKHR => {
                let Some(class) = StorageClass::from_u32(operand(0)?) else {
                    return malformed(format!("there is no storage class {}", operand(0)?));
                };
                let pointee = (op == Op::TypePointer).then(|| operand(1)).transpose()?;
                scalar(Type::Pointer { class, pointee }, 8)
            }
            Op::TypeFunction => scalar(
                Type::Function {
                    result: operand(0)?,
                    parameters: operands[1..].to_vec(),
                },
                0,
            ),
            Op::TypeEvent => scalar(Type::Event, 8),
            _ => scalar(Type::Other(op), 0),
        };
        if layout.depth > MAX_DEPTH || layout.scalars > MAX_SCALARS || layout.size > MAX_SIZE {
            return unsupported("a type as large or as deeply nested");
        }
        if self.all.len() <= id as usize {
            self.all.resize(id as usize + 1, None);
        }
        let is_pointer = op == Op::TypePointer;
        match self.all[id as usize].replace(layout) {
            Some(Layout {
                ty: Type::Pointer { pointee: None, .. },
                ..
            }) if is_pointer => Ok(()),
            Some(_) => malformed(format!("%{id} is declared twice")),
            None => Ok(()),
        }
    }

    fn structure(&self, members: &[u32], is_packed: bool) -> Result<Layout> {
        let (mut size, mut align, mut scalars, mut depth) = (0u64, 1, 0u64, 0);
        let mut offsets = Vec::new();
        for member in members {
            let member = self.layout(*member)?;
            if !is_packed {
                size = size.next_multiple_of(member.align);
                align = align.max(member.align);
            }
            offsets.push(size);
            size = size.saturating_add(member.size).min(1 << 40);
            scalars = scalars.saturating_add(member.scalars);
            depth = depth.max(member.depth + 1);
        }
        Ok(Layout {
            ty: Type::Struct {
                members: members.to_vec(),
                offsets,
            },
            size: size.next_multiple_of(align),
            align,
            scalars,
            depth,
        })
    }
}
