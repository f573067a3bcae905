// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Finds the libsycl that a command loads, and what it imports.

use std::fs;
use std::path::{Path, PathBuf};

use crate::elf::Elf;
use crate::{Failure, search};

/// The oldest `libsycl.so.N` that runs on our loader, unless it imports [`BEFORE_2025_2`].
const OLDEST: u32 = 8;
/// A function that only releases before 2025.2 import.
const BEFORE_2025_2: &str = "urCommandBufferReleaseCommandExp";

/// How a libsycl loads oxur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// 2026.1 and before: libsycl imports functions from libur_loader.so.0, so oxur's loader replaces that library.
    Loader,
    /// 2026.2: the loader is inside libsycl, which loads oxur's adapters.
    Adapters,
}

/// A libsycl.
#[derive(Debug)]
pub struct Sycl {
    /// The file.
    pub path: PathBuf,
    /// Its soname, which identifies its generation.
    pub soname: String,
    /// How it loads oxur.
    pub entry: Entry,
    /// Its imports from a loader.
    pub imports: Vec<String>,
}

impl Sycl {
    /// Reads a libsycl. `None` if the file is not one.
    pub fn read(path: &Path) -> Option<Self> {
        let elf = Elf::read(path)?;
        let soname = elf.soname.clone().filter(|name| name.starts_with("libsycl"))?;
        let imports: Vec<_> = elf.ur_imports().into_iter().map(String::from).collect();
        let entry = if imports.is_empty() {
            Entry::Adapters
        } else {
            Entry::Loader
        };
        // The folder is made canonical. The name is kept, because the link's name is the soname.
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        let path = folder
            .zip(path.file_name())
            .map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name));
        Some(Self {
            path,
            soname,
            entry,
            imports,
        })
    }

    /// Rejects a libsycl that does not run on our loader: releases before 2025.2 import functions that the loader lacks.
    pub fn check(&self) -> Result<(), Failure> {
        let number = self.soname.rsplit_once(".so.").map(|(_, number)| number.parse::<u32>());
        let older = matches!(number, Some(Ok(number)) if number < OLDEST);
        if !older && !self.imports.iter().any(|name| name == BEFORE_2025_2) {
            return Ok(());
        }
        Err(Failure::new(
            format!(
                "{} is {}, of release 2025.1 or older, which imports functions of the Unified Runtime that oxur does not \
                 have",
                self.path.display(),
                self.soname
            ),
            "use intel-sycl-rt 2025.2 or newer (`oxur run --libsycl PATH` names its libsycl if the command does not \
             find it)",
        ))
    }

    /// Whether the loader that comes with it loads our CPU adapter: that of 2025 (`libsycl.so.8`) has other tables.
    pub fn loader_accepts_us(&self) -> bool {
        self.soname != format!("libsycl.so.{OLDEST}")
    }

    /// Its folder, which also contains the libraries that belong to it.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// A description for the user.
    pub fn describe(&self) -> String {
        match self.entry {
            Entry::Loader => {
                format!(
                    "{} (2026.1 or before: imports {} functions from the loader)",
                    self.path.display(),
                    self.imports.len()
                )
            }
            Entry::Adapters => format!(
                "{} (2026.2: has its own loader, which loads adapters)",
                self.path.display()
            ),
        }
    }
}

/// The libsycl that a command loads, as far as its files show.
pub fn of_command(program: &Path) -> Option<Sycl> {
    let interpreter = interpreter(program);
    let program = interpreter.as_deref().unwrap_or(program);
    if let Some(path) = Elf::read(program).and_then(|elf| search::dependency(&elf, "libsycl.so")) {
        return Sycl::read(&path);
    }
    let python = program
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("python"));
    if python && let Some(path) = of_python(program) {
        return Sycl::read(&path);
    }
    search::library_path()
        .into_iter()
        .chain(search::system())
        .find_map(|folder| newest(&folder))
        .and_then(|p| Sycl::read(&p))
}

/// The program that runs a script, by its first line.
fn interpreter(script: &Path) -> Option<PathBuf> {
    use std::io::{BufRead, Read};
    let file = fs::File::open(script).ok()?;
    let mut line = Vec::new();
    std::io::BufReader::new(file.take(512))
        .read_until(b'\n', &mut line)
        .ok()?;
    let line = String::from_utf8_lossy(line.strip_prefix(b"#!")?).into_owned();
    let mut words = line.split_whitespace();
    let first = Path::new(words.next()?).to_owned();
    if first.file_name()? != "env" {
        return search::program(&first);
    }
    // env itself may have options.
    search::program(Path::new(
        words.find(|word| !word.starts_with('-') && !word.contains('='))?,
    ))
}

/// The libsycl of a Python: what dpctl's modules need, else the one in the environment's lib folder.
fn of_python(python: &Path) -> Option<PathBuf> {
    // Not canonical: the python of an environment is a link out of it.
    let lib = python.parent()?.parent()?.join("lib");
    let packages = search::entries(&lib)
        .into_iter()
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("python3"))
        })
        .map(|folder| folder.join("site-packages"));
    for folder in packages {
        for module in search::entries(&folder.join("dpctl")) {
            let is_module = module.extension().is_some_and(|extension| extension == "so");
            if let Some(elf) = is_module.then(|| Elf::read(&module)).flatten()
                && let Some(path) = search::dependency(&elf, "libsycl.so")
            {
                return Some(path);
            }
        }
    }
    newest(&lib)
}

/// The newest libsycl of a folder.
pub fn in_folder(folder: &Path) -> Option<Sycl> {
    Sycl::read(&newest(folder)?)
}

/// The newest libsycl.so.N of a folder.
fn newest(folder: &Path) -> Option<PathBuf> {
    let number = |path: &Path| {
        path.file_name()?
            .to_str()?
            .strip_prefix("libsycl.so.")?
            .parse::<u32>()
            .ok()
    };
    search::entries(folder)
        .into_iter()
        .filter(|path| number(path).is_some())
        .max_by_key(|path| number(path))
}
