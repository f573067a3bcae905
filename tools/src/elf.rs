// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reads ELF files: the libraries that they need, their search paths, imports and exports.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::Endianness;
use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_SONAME, FileHeader64, SHN_UNDEF};
use object::read::elf::{Dyn, FileHeader, ProgramHeader, Sym};

/// The facts about one file.
#[derive(Debug, Default)]
pub struct Elf {
    /// Its path.
    pub path: PathBuf,
    /// Its soname.
    pub soname: Option<String>,
    /// The libraries that it needs.
    pub needed: Vec<String>,
    /// The folders that are searched for them before `LD_LIBRARY_PATH`.
    pub rpath: Vec<PathBuf>,
    /// The folders that are searched for them after `LD_LIBRARY_PATH`.
    pub runpath: Vec<PathBuf>,
    /// The symbols that it imports, with their version if they have one.
    pub imports: Vec<(String, Option<String>)>,
    /// The symbols that it exports.
    pub exports: Vec<String>,
    /// The version of oxur, if it is one of oxur's adapters.
    pub oxur_version: Option<String>,
}

impl Elf {
    /// Reads a file. `None` if it is not a 64-bit ELF file.
    pub fn read(path: &Path) -> Option<Self> {
        let mut file = std::fs::File::open(path).ok()?;
        let mut magic = [0; 4];
        file.read_exact(&mut magic).ok()?;
        if &magic != b"\x7fELF" {
            return None;
        }
        Self::parse(path, std::fs::read(path).ok()?.as_slice()).ok().flatten()
    }

    fn parse(path: &Path, data: &[u8]) -> object::Result<Option<Self>> {
        let header = FileHeader64::<Endianness>::parse(data)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, data)?;
        let mut elf = Self {
            path: path.to_owned(),
            ..Self::default()
        };
        // Without a dynamic section it is a static program.
        let Some((entries, link)) = sections.dynamic(endian, data)? else {
            return Ok(Some(elf));
        };
        let strings = sections.strings(endian, data, link)?;
        let text = |entry: &object::elf::Dyn64<Endianness>| {
            entry
                .string(endian, strings)
                .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        for entry in entries {
            match entry.tag32(endian) {
                Some(DT_NEEDED) => elf.needed.push(text(entry)?),
                Some(DT_SONAME) => elf.soname = Some(text(entry)?),
                Some(DT_RPATH) => elf.rpath = elf.folders(&text(entry)?),
                Some(DT_RUNPATH) => elf.runpath = elf.folders(&text(entry)?),
                _ => {}
            }
        }
        // The linker ignores the old form if the new one is present.
        if !elf.runpath.is_empty() {
            elf.rpath.clear();
        }
        let versions = sections.versions(endian, data)?;
        let symbols = sections.symbols(endian, data, object::elf::SHT_DYNSYM)?;
        for (index, symbol) in symbols.enumerate() {
            let name = String::from_utf8_lossy(symbol.name(endian, symbols.strings())?).into_owned();
            if name.is_empty() {
                continue;
            }
            if symbol.st_shndx(endian) != SHN_UNDEF {
                if name == "oxurVersion" {
                    elf.oxur_version = Self::text_at(header, data, symbol.st_value(endian));
                }
                elf.exports.push(name);
                continue;
            }
            let version = match &versions {
                Some(table) => table.version(table.version_index(endian, index))?,
                None => None,
            };
            elf.imports
                .push((name, version.map(|v| String::from_utf8_lossy(v.name()).into_owned())));
        }
        Ok(Some(elf))
    }

    /// The C string at an address.
    fn text_at(header: &FileHeader64<Endianness>, data: &[u8], address: u64) -> Option<String> {
        let endian = header.endian().ok()?;
        let segments = header.program_headers(endian, data).ok()?;
        let rest = segments
            .iter()
            .find_map(|segment| {
                segment
                    .data_range(endian, data, address, 1)
                    .ok()
                    .flatten()
                    .map(|_| segment)
            })
            .and_then(|segment| {
                let from = address - segment.p_vaddr(endian);
                segment.data(endian, data).ok()?.get(usize::try_from(from).ok()?..)
            })?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(&rest[..end]).into_owned())
    }

    /// The folders of a search path, with `$ORIGIN` filled in.
    fn folders(&self, path: &str) -> Vec<PathBuf> {
        let real = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let origin = real.parent().unwrap_or(Path::new("/")).as_os_str().as_bytes();
        let origin = String::from_utf8_lossy(origin);
        path.split(':')
            .filter(|folder| !folder.is_empty())
            .map(|folder| folder.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin))
            .map(|folder| PathBuf::from(OsStr::new(&folder)))
            .collect()
    }

    /// Whether it exports a symbol.
    pub fn exports(&self, name: &str) -> bool {
        self.exports.iter().any(|export| export == name)
    }

    /// The Unified Runtime functions that it imports from a loader.
    pub fn ur_imports(&self) -> Vec<&str> {
        let of_loader = |version: &Option<String>| version.as_deref().is_none_or(|v| v.starts_with("LIBUR_LOADER"));
        let is_ur = |name: &str| {
            name.strip_prefix("ur")
                .is_some_and(|rest| rest.starts_with(char::is_uppercase))
        };
        self.imports
            .iter()
            .filter(|(name, v)| is_ur(name) && of_loader(v))
            .map(|(name, _)| name.as_str())
            .collect()
    }
}
