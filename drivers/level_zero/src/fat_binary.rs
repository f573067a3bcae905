// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What Intel's compiler makes ahead of time (`ocloc`, DPC++'s target `spir64_gen`): an archive with a file for each kind of GPU, and one with
//! the SPIR-V that it was made of, for those that are newer than the compiler.

use object::read::archive::ArchiveFile;
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _};

/// The file with SPIR-V, and its section.
const FILE: &[u8] = b"generic_ir";
const SECTION: &str = "SPIRV Object";

/// The SPIR-V in such an archive, if it has some.
pub(crate) fn spirv(archive: &[u8]) -> Option<&[u8]> {
    let files = ArchiveFile::parse(archive).ok()?;
    let file = files
        .members()
        .filter_map(Result::ok)
        .find(|member| member.name() == FILE)?;
    let elf = ElfFile64::<object::Endianness>::parse(file.data(archive).ok()?).ok()?;
    let spirv = elf.section_by_name(SECTION)?.data().ok()?;
    (!spirv.is_empty()).then_some(spirv)
}
