// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Loads an object file into memory: sections, a table of addresses and jumps for external symbols, relocations.

use std::collections::HashMap;
use std::ptr;

use object::elf::*;
use object::read::elf::{ElfFile64, ElfSection64, ElfSymbol64, FileHeader as _, SectionHeader as _, Sym as _};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget, SymbolSection};

use crate::Error;
use crate::target::host::relocations::{self, Refers};

/// An object file, parsed.
pub struct Object<'d> {
    file: ElfFile64<'d>,
    /// The table of the names of symbols.
    names: &'d [u8],
}

/// Code and data in memory, which are unmapped when this is dropped.
#[derive(Debug)]
pub struct Loaded {
    base: *mut u8,
    size: usize,
    symbols: HashMap<String, *const u8>,
}

// SAFETY: the code does not change. Callers vouch for calling it and for writing to its variables.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

const PAGE: usize = 4096;

/// What a section that is loaded holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Data,
    /// Data that is not in the file.
    Zeros,
}

fn bad(what: impl std::fmt::Display) -> Error {
    Error::Codegen(format!("the object cannot be loaded: {what}"))
}

impl<'d> Object<'d> {
    /// Parses an object.
    pub fn parse(bytes: &'d [u8]) -> Result<Self, Error> {
        let file = ElfFile64::parse(bytes).map_err(bad)?;
        let header = file.elf_header();
        if header.e_machine(file.endian()) != relocations::MACHINE || header.e_type(file.endian()) != ET_REL {
            return Err(bad("it is no relocatable object for this CPU"));
        }
        let sections = file.elf_section_table();
        let names = sections
            .section(file.elf_symbol_table().string_section())
            .map_err(bad)?;
        let names = names.data(file.endian(), bytes).map_err(bad)?;
        Ok(Self { file, names })
    }

    /// The name of a symbol. The crate's own function searches for the end with the widest vectors, and asks the CPU for them first,
    /// which takes longer than all else that is done with an object (`target/x86_64/cpu_id.rs`).
    fn name(&self, symbol: &ElfSymbol64<'d, '_>) -> Result<&'d str, Error> {
        let start = symbol.elf_symbol().st_name(self.file.endian()) as usize;
        let name = self.names.get(start..).ok_or_else(|| bad("a symbol's name"))?;
        let end = name.iter().position(|byte| *byte == 0);
        std::str::from_utf8(&name[..end.ok_or_else(|| bad("a symbol's name"))?]).map_err(bad)
    }

    /// Its undefined symbols.
    pub fn undefined(&self) -> impl Iterator<Item = &str> {
        self.file
            .symbols()
            .filter(|s| s.is_undefined())
            .filter_map(|s| self.name(&s).ok())
            .filter(|n| !n.is_empty())
    }

    /// What becomes of a section; `None` if it is left out. By its type and its flags, as for a linker: names say nothing more.
    fn kind(&self, section: &ElfSection64<'d, '_>) -> Option<Kind> {
        let (header, endian) = (section.elf_section_header(), self.file.endian());
        let flags = header.sh_flags(endian);
        let has = |flag: u32| flags & u64::from(flag) != 0;
        match header.sh_type(endian) {
            _ if !has(SHF_ALLOC) || has(SHF_TLS) => None,
            SHT_PROGBITS if has(SHF_EXECINSTR) => Some(Kind::Code),
            SHT_PROGBITS => Some(Kind::Data),
            SHT_NOBITS => Some(Kind::Zeros),
            _ => None,
        }
    }

    /// Loads the object. `resolve` returns the addresses of undefined symbols.
    pub fn load(&self, resolve: impl Fn(&str) -> Option<*const u8>) -> Result<Loaded, Error> {
        let file = &self.file;
        // The layout: sections with code first, then a page boundary, then data.
        let mut places: HashMap<usize, usize> = HashMap::new();
        let mut end = 0usize;
        let mut place = |code: bool, end: &mut usize| -> Result<(), Error> {
            for section in file.sections() {
                if self.kind(&section).is_none_or(|kind| (kind == Kind::Code) != code) {
                    continue;
                }
                let align = usize::try_from(section.align().max(1)).unwrap_or(PAGE);
                let size = usize::try_from(section.size()).map_err(bad)?;
                if !align.is_power_of_two() || align > PAGE {
                    return Err(bad("a section's alignment"));
                }
                *end = end.next_multiple_of(align);
                places.insert(section.index().0, *end);
                *end = end
                    .checked_add(size)
                    .filter(|&e| e < 1 << 30)
                    .ok_or_else(|| bad("it is too large"))?;
            }
            Ok(())
        };
        place(true, &mut end)?;
        let stubs = end.next_multiple_of(16);
        // A table entry with an address and a jump for each external symbol.
        let outside: Vec<(object::SymbolIndex, *const u8)> = file
            .symbols()
            .filter(|s| s.is_undefined() && self.name(s).is_ok_and(|n| !n.is_empty()))
            .map(|s| {
                let name = self.name(&s)?;
                let address = resolve(name).ok_or_else(|| bad(format!("nothing defines {name}")))?;
                Ok((s.index(), address))
            })
            .collect::<Result<_, Error>>()?;
        let code_end = (stubs + outside.len() * relocations::JUMP).next_multiple_of(PAGE);
        end = code_end;
        place(false, &mut end)?;
        let table = end.next_multiple_of(16);
        // Entries for symbols of the object that are accessed through the table.
        let entries = outside.len() + file.symbols().count() + 1;
        let size = (table + entries * 8).next_multiple_of(PAGE);
        // SAFETY: fresh memory.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(Error::OutOfMemory("a kernel".into()));
        }
        let mut loaded = Loaded {
            base: base.cast(),
            size,
            symbols: HashMap::new(),
        };
        let base = loaded.base;
        // SAFETY: this is the only reference to the memory, which is `size` bytes long.
        let memory = unsafe { std::slice::from_raw_parts_mut(base, size) };
        for section in file.sections() {
            if let Some(&at) = places.get(&section.index().0)
                && self.kind(&section) != Some(Kind::Zeros)
            {
                let data = section.data().map_err(bad)?;
                memory
                    .get_mut(at..at + data.len())
                    .ok_or_else(|| bad("a section's size"))?
                    .copy_from_slice(data);
            }
        }
        let mut table_of: HashMap<object::SymbolIndex, usize> = HashMap::new();
        let mut stub_of: HashMap<object::SymbolIndex, usize> = HashMap::new();
        let mut next_entry = table;
        for (i, &(symbol, address)) in outside.iter().enumerate() {
            let entry = next_entry;
            next_entry += 8;
            memory[entry..entry + 8].copy_from_slice(&(address as u64).to_le_bytes());
            table_of.insert(symbol, entry);
            let stub = stubs + i * relocations::JUMP;
            let jump = relocations::jump(entry as i64 - stub as i64);
            memory[stub..stub + jump.len()].copy_from_slice(&jump);
            stub_of.insert(symbol, stub);
        }
        let outside: HashMap<_, _> = outside.into_iter().collect();
        // The address of a symbol, internal or external.
        let address_of = |index: object::SymbolIndex| -> Result<u64, Error> {
            if let Some(&address) = outside.get(&index) {
                return Ok(address as u64);
            }
            let symbol = file.symbol_by_index(index).map_err(bad)?;
            match symbol.section() {
                SymbolSection::Section(section) => {
                    let at = places
                        .get(&section.0)
                        .ok_or_else(|| bad("a symbol of a section that is left out"))?;
                    let size = file.section_by_index(section).map_err(bad)?.size();
                    // A symbol may be at the end of a section.
                    if symbol.address() > size || symbol.size() > size - symbol.address() {
                        return Err(bad("a symbol outside of its section"));
                    }
                    Ok(base as u64 + *at as u64 + symbol.address())
                }
                SymbolSection::Absolute => Ok(symbol.address()),
                _ => Err(bad(format!("symbol {:?}", symbol.name()))),
            }
        };
        for section in file.sections() {
            let Some(&start) = places.get(&section.index().0) else {
                continue;
            };
            for (offset, relocation) in section.relocations() {
                let RelocationFlags::Elf { r_type } = relocation.flags() else {
                    return Err(bad("a relocation"));
                };
                let RelocationTarget::Symbol(symbol) = relocation.target() else {
                    return Err(bad("a relocation"));
                };
                if offset >= section.size() {
                    return Err(bad("a relocation outside of its section"));
                }
                let at = start + usize::try_from(offset).map_err(bad)?;
                let place = base as i64 + at as i64;
                let addend = relocation.addend();
                let target: i64 = match relocations::refers(r_type) {
                    Refers::Entry => {
                        let entry = match table_of.get(&symbol) {
                            Some(&entry) => entry,
                            None => {
                                let entry = next_entry;
                                next_entry += 8;
                                memory[entry..entry + 8].copy_from_slice(&address_of(symbol)?.to_le_bytes());
                                table_of.insert(symbol, entry);
                                entry
                            }
                        };
                        base as i64 + entry as i64
                    }
                    Refers::Jump if stub_of.contains_key(&symbol) => base as i64 + stub_of[&symbol] as i64,
                    _ => address_of(symbol)? as i64,
                };
                let (bytes, count) = relocations::relocated(r_type, target.wrapping_add(addend), place)?;
                memory
                    .get_mut(at..at + count)
                    .ok_or_else(|| bad("a relocation's place"))?
                    .copy_from_slice(&bytes[..count]);
            }
        }
        for symbol in file.symbols().filter(|s| s.is_global() && s.is_definition()) {
            let name = self.name(&symbol)?.to_string();
            loaded.symbols.insert(name, address_of(symbol.index())? as *const u8);
        }
        // SAFETY: the first part of the memory above, in whole pages.
        let protected =
            code_end == 0 || unsafe { libc::mprotect(base.cast(), code_end, libc::PROT_READ | libc::PROT_EXEC) } == 0;
        if protected {
            Ok(loaded)
        } else {
            Err(bad("its code cannot be made executable"))
        }
    }
}

impl Loaded {
    /// The address of a symbol that it defines.
    pub fn symbol(&self, name: &str) -> Option<*const u8> {
        self.symbols.get(name).copied()
    }

    /// The numbers at a symbol.
    pub fn numbers<const N: usize>(&self, name: &str) -> Option<[u64; N]> {
        let at = self.symbol(name)?;
        let offset = (at as usize).checked_sub(self.base as usize)?;
        if offset.checked_add(size_of::<[u64; N]>())? > self.size {
            return None;
        }
        // SAFETY: within the loaded memory, which is readable.
        Some(unsafe { at.cast::<[u64; N]>().read_unaligned() })
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: our own mapping, with this size.
        unsafe { libc::munmap(self.base.cast(), self.size) };
    }
}
