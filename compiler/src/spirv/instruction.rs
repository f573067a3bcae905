// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Instructions: views of a module's words.

use oxur_fork::OnceLock;

use rspirv::grammar::{INSTRUCTION_TABLE, Instruction, LogicalOperand, OperandKind, OperandQuantifier};
use spirv::Op;

use super::Id;
use crate::Error;

/// An instruction.
#[derive(Clone, Copy)]
pub struct Inst<'m> {
    /// Its opcode.
    pub op: Op,
    /// Its opcode as a number. For unknown opcodes `op` is `OpNop`.
    pub code: u16,
    /// Its offset, in words.
    pub offset: usize,
    /// Its words, with the first.
    pub words: &'m [u32],
}

/// What the grammar says of an instruction, as far as the compiler uses it.
struct OperandLayout {
    grammar: &'static Instruction<'static>,
    has_type: bool,
    has_result: bool,
}

impl OperandLayout {
    fn new(grammar: &'static Instruction<'static>) -> Self {
        let has = |wanted| grammar.operands.iter().take(2).any(|operand| operand.kind == wanted);
        Self {
            grammar,
            has_type: has(OperandKind::IdResultType),
            has_result: has(OperandKind::IdResult),
        }
    }

    /// Its operands, without result type and result, which come first.
    fn operands(&self) -> &'static [LogicalOperand] {
        &self.grammar.operands[usize::from(self.has_type) + usize::from(self.has_result)..]
    }
}

/// The layouts of all instructions.
struct Layouts {
    /// By opcode, the index in `all` plus one. Opcodes have large gaps, and each process that uses a kernel makes this table.
    by_opcode: Box<[u16]>,
    all: Box<[OperandLayout]>,
}

impl Layouts {
    fn get(&self, opcode: u16) -> Option<&OperandLayout> {
        let place = *self.by_opcode.get(usize::from(opcode))?;
        self.all.get(usize::from(place).checked_sub(1)?)
    }
}

fn layouts() -> &'static Layouts {
    static LAYOUTS: OnceLock<Layouts> = OnceLock::new();
    LAYOUTS.get_or_init(|| {
        let all: Box<[_]> = INSTRUCTION_TABLE.iter().map(OperandLayout::new).collect();
        let opcode = |layout: &OperandLayout| layout.grammar.opcode as usize;
        let mut by_opcode = vec![0; all.iter().map(opcode).max().map_or(0, |last| last + 1)];
        for (place, layout) in (1..).zip(&all) {
            by_opcode[opcode(layout)] = place;
        }
        Layouts {
            by_opcode: by_opcode.into(),
            all,
        }
    })
}

impl<'m> Inst<'m> {
    /// The instruction at an offset, unless its words exceed the module.
    pub(super) fn new(words: &'m [u32], offset: usize) -> Option<Self> {
        let first = *words.get(offset)?;
        let count = (first >> 16) as usize;
        let code = first as u16;
        let words = words
            .get(offset..offset.checked_add(count)?)
            .filter(|w| !w.is_empty())?;
        Some(Self {
            op: Op::from_u32(code.into()).unwrap_or(Op::Nop),
            code,
            offset,
            words,
        })
    }

    fn layout(&self) -> Option<&'static OperandLayout> {
        layouts().get(self.code)
    }

    /// Its name in the grammar; empty for unknown instructions.
    pub fn grammar_name(&self) -> &'static str {
        self.layout().map_or("", |s| s.grammar.opname)
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.layout().map_or_else(
            || format!("instruction {}", self.code),
            |s| format!("Op{}", s.grammar.opname),
        )
    }

    /// Whether the grammar knows it.
    pub fn is_known(&self) -> bool {
        self.layout().is_some()
    }

    /// Whether it needs a feature that the compiler does not have.
    pub fn is_unsupported(&self) -> bool {
        let name = self.grammar_name();
        [
            "CooperativeMatrix",
            "Asm",
            "Enqueue",
            "GetKernel",
            "SubgroupAvc",
            "SubgroupBlockPrefetch",
            "Subgroup2D",
            "SubgroupMatrix",
        ]
        .into_iter()
        .any(|prefix| name.starts_with(prefix))
            || name.contains("Pipe")
            || matches!(self.op, Op::GetDefaultQueue | Op::BuildNDRange)
    }

    /// The type of its result, if it has one.
    pub fn result_type(&self) -> Option<Id> {
        self.layout()
            .filter(|s| s.has_type)
            .and_then(|_| self.words.get(1).copied())
    }

    /// The id that it defines, if any.
    pub fn result(&self) -> Option<Id> {
        self.layout()
            .filter(|s| s.has_result)
            .and_then(|s| self.words.get(1 + usize::from(s.has_type)).copied())
    }

    /// The operands, without result type and result.
    pub fn operands(&self) -> &'m [u32] {
        let skip = self
            .layout()
            .map_or(1, |s| 1 + usize::from(s.has_type) + usize::from(s.has_result));
        self.words.get(skip..).unwrap_or(&[])
    }

    /// An operand, counted without result type and result.
    pub fn operand(&self, index: usize) -> Result<u32, Error> {
        self.operands()
            .get(index)
            .copied()
            .ok_or_else(|| self.malformed("an operand is missing"))
    }

    /// The ids among the operands, as far as the grammar identifies them without the meaning of masks.
    pub fn ids(&self) -> impl Iterator<Item = Id> + use<'m> {
        let words = self.operands();
        let kinds = self.layout().map_or(&[][..], OperandLayout::operands);
        let mut at = 0;
        let mut kind = 0;
        // Pairs of a literal and an id repeat: the targets of a switch.
        let mut in_pair = false;
        std::iter::from_fn(move || {
            while at < words.len() && kind < kinds.len() {
                let word = words[at];
                let LogicalOperand { kind: what, quantifier } = &kinds[kind];
                let mut next = || {
                    if *quantifier != OperandQuantifier::ZeroOrMore {
                        kind += 1;
                    }
                };
                match what {
                    OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => {
                        next();
                        at += 1;
                        return Some(word);
                    }
                    OperandKind::PairIdRefIdRef => {
                        at += 1;
                        return Some(word);
                    }
                    OperandKind::PairIdRefLiteralInteger => {
                        in_pair = !in_pair;
                        at += 1;
                        if in_pair {
                            return Some(word);
                        }
                    }
                    OperandKind::LiteralString => {
                        next();
                        at += string(&words[at..]).map_or(words.len(), |s| s.1);
                    }
                    OperandKind::LiteralInteger
                    | OperandKind::LiteralExtInstInteger
                    | OperandKind::StorageClass
                    | OperandKind::GroupOperation
                    | OperandKind::FunctionControl
                    | OperandKind::SelectionControl
                    | OperandKind::LiteralSpecConstantOpInteger => {
                        next();
                        at += 1;
                    }
                    // Masks with operands of their own, literals of unknown width, decorations: the rest is unknown.
                    _ => return None,
                }
            }
            None
        })
    }

    /// An error at this instruction.
    pub fn malformed(&self, what: impl std::fmt::Display) -> Error {
        Error::Malformed {
            offset: self.offset * 4,
            what: format!("{}: {what}", self.name()),
        }
    }

    /// The error for an unsupported instruction, with its capability, and where or how it is used.
    pub fn unsupported(&self, what: &str) -> Error {
        let capability = self.capability();
        let separator = if capability.is_empty() || what.is_empty() {
            ""
        } else {
            ", "
        };
        Error::Unsupported {
            feature: self.name(),
            what: format!("{capability}{separator}{what}"),
        }
    }

    /// The name of the capability that it needs; empty if there is none.
    pub fn capability(&self) -> String {
        let capability = self.layout().and_then(|s| s.grammar.capabilities.first());
        capability.map_or_else(String::new, |c| format!("capability {c:?}"))
    }
}

/// A string, and the number of its words.
pub fn string(words: &[u32]) -> Option<(String, usize)> {
    let mut bytes = Vec::new();
    for (i, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                return Some((String::from_utf8_lossy(&bytes).into_owned(), i + 1));
            }
            bytes.push(byte);
        }
    }
    None
}
