// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The SPIR-V modules of a program, with their specialization constants.

use std::sync::Arc;

use oxur_compiler::{Error, Module, Part};

use super::binary::Stored;
use crate::disabled;

/// Specialization constants: ids and values.
pub type Constants = Vec<(u32, Vec<u8>)>;

/// A module of a program.
#[derive(Clone)]
pub struct SpirvModule {
    il: Arc<[u8]>,
    /// The result of parsing. A module that needs an unsupported feature fails the build.
    module: Result<Arc<Module>, Error>,
    /// The specialization constants for the next build or compilation.
    set: Constants,
    /// Those of the last build or compilation.
    constants: Constants,
}

/// A specialization constant that a module does not have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConstantError {
    /// No constant has this id.
    #[error("the program has no specialization constant {0}")]
    UnknownId(u32),
    /// The value is too long or too short.
    #[error("the specialization constant {id} has {size} bytes, not {given}")]
    WrongSize {
        /// The id.
        id: u32,
        /// The size of the constant in bytes.
        size: usize,
        /// The size of the value in bytes.
        given: usize,
    },
}

impl SpirvModule {
    /// Parses a module. A module that violates the rules of SPIR-V is an error at once; one that needs what the device does not
    /// have is an error when it is built.
    pub fn parse(il: Arc<[u8]>, constants: Constants) -> Result<Self, Error> {
        let module = match Module::parse(&il) {
            Err(error @ Error::Malformed { .. }) => return Err(error),
            module => module.and_then(|module| disabled::check(&module).map(|()| module)),
        };
        Ok(Self {
            il,
            module,
            set: constants.clone(),
            constants,
        })
    }

    /// The SPIR-V.
    pub fn il(&self) -> &[u8] {
        &self.il
    }

    /// The module with the constants that it was compiled with.
    pub fn compiled(&self) -> Self {
        Self {
            set: self.constants.clone(),
            ..self.clone()
        }
    }

    /// What the linker takes.
    pub fn part(&self) -> Result<Part, Error> {
        Ok(Part {
            module: self.module.clone()?,
            constants: self.constants.clone(),
        })
    }

    /// The specialization constants that it has, and their sizes in bytes. None if it cannot be built.
    pub fn constant_sizes(&self) -> Vec<(u32, usize)> {
        self.module
            .as_ref()
            .map_or_else(|_| Vec::new(), |module| module.specialization_constants().to_vec())
    }

    /// Sets constants for the next build. Nothing changes if one of them is wrong.
    pub fn set_constants(&mut self, constants: &[(u32, &[u8])]) -> Result<(), ConstantError> {
        if let Ok(module) = &self.module {
            let known = module.specialization_constants();
            for (id, value) in constants {
                match known.iter().find(|(known, _)| known == id) {
                    None => return Err(ConstantError::UnknownId(*id)),
                    Some((_, size)) if *size != value.len() => {
                        return Err(ConstantError::WrongSize {
                            id: *id,
                            size: *size,
                            given: value.len(),
                        });
                    }
                    Some(_) => {}
                }
            }
        }
        for (id, value) in constants {
            match self.set.iter_mut().find(|(known, _)| known == id) {
                Some((_, known)) => *known = value.to_vec(),
                None => self.set.push((*id, value.to_vec())),
            }
        }
        Ok(())
    }

    /// Uses the constants that were set from now on.
    pub fn take_constants(&mut self) {
        self.constants.clone_from(&self.set);
    }

    /// Whether no constant was set since the last build.
    pub fn is_unchanged(&self) -> bool {
        self.set == self.constants
    }

    /// The module, for a binary.
    pub fn stored(&self) -> Stored {
        Stored {
            il: self.il.clone(),
            constants: self.constants.clone(),
        }
    }
}
