// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_GRAPH_DUMP`: a folder for dumps of each finalized command buffer and each executable graph.
//!
//! A dump is written when the object is made, and again, with times, when it is destroyed or the process ends. A file that
//! cannot be written is an error in the log, and the program goes on.

use std::ffi::c_void;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use oxur_fork::{LazyLock, Mutex};

use super::{CommandTimings, NodeLabel, text};
use crate::at_exit::at_exit;
use crate::{Backend, Node};

/// The folder; `None` if the user wants no dumps.
static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folder = std::env::var_os("UR_GRAPH_DUMP").filter(|folder| !folder.is_empty())?;
    // The program may change its working directory.
    let folder = std::path::absolute(folder).ok()?;
    if let Err(error) = fs::create_dir_all(&folder) {
        log::error!("UR_GRAPH_DUMP: the folder {}: {error}", folder.display());
        return None;
    }
    Some(folder)
});

/// Whether the user wants dumps.
pub(crate) fn wanted() -> bool {
    FOLDER.is_some()
}

/// A dump in a file, which is written again when this is dropped.
pub(crate) struct GraphDump(Arc<Drawn>);

struct Drawn {
    path: PathBuf,
    /// The process that writes the file. Children of `fork` do not.
    process: u32,
    commands: Mutex<Vec<NodeLabel>>,
    times: Arc<CommandTimings>,
}

impl GraphDump {
    /// The dump of these commands, if the user wants dumps.
    pub(crate) fn new<B: Backend>(nodes: &[Node<B>], times: &Arc<CommandTimings>) -> Option<Self> {
        let folder = FOLDER.as_ref()?;
        let drawn = Drawn::new(folder, nodes.iter().map(NodeLabel::new).collect(), times);
        let drawn = Arc::new(
            drawn
                .inspect_err(|error| log::error!("UR_GRAPH_DUMP: a file in {}: {error}", folder.display()))
                .ok()?,
        );
        drawn.write();
        let mut living = LIVING.lock();
        living.retain(|known| known.strong_count() != 0);
        living.push(Arc::downgrade(&drawn));
        Some(Self(drawn))
    }

    /// Commands at these places have changed.
    pub(crate) fn change<B: Backend>(&self, nodes: &[Node<B>], changed: impl Iterator<Item = usize>) {
        // A child of `fork` leaves the file to its parent.
        if self.0.process == process::id() {
            let mut commands = self.0.commands.lock();
            changed.for_each(|place| commands[place] = NodeLabel::new(&nodes[place]));
        }
    }
}

impl Drawn {
    /// Takes a name that no file has yet. Other adapters and processes use the same folder.
    fn new(folder: &Path, commands: Vec<NodeLabel>, times: &Arc<CommandTimings>) -> io::Result<Self> {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let process = process::id();
        loop {
            let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
            let path = folder.join(format!("graph-{process}-{number}.dot"));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                result => {
                    return result.map(|_| Self {
                        path,
                        process,
                        commands: Mutex::new(commands),
                        times: times.clone(),
                    });
                }
            }
        }
    }

    fn write(&self) {
        if self.process != process::id() {
            return;
        }
        let title = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let text = text(&title, &self.commands.lock(), Some(&self.times.last()));
        if let Err(error) = fs::write(&self.path, text) {
            log::error!("UR_GRAPH_DUMP: {}: {error}", self.path.display());
        }
    }
}

impl Drop for Drawn {
    fn drop(&mut self) {
        // At the end of the process all dumps have been written, and drivers may be gone.
        if !ENDING.load(Ordering::Relaxed) {
            self.write();
        }
    }
}

/// The dumps of objects that are alive.
static LIVING: LazyLock<Mutex<Vec<Weak<Drawn>>>> = LazyLock::new(|| {
    if !at_exit(end) {
        log::warn!("UR_GRAPH_DUMP: dumps of objects that are never destroyed have no times");
    }
    Mutex::default()
});

static ENDING: AtomicBool = AtomicBool::new(false);

extern "C" fn end(_: *mut c_void) {
    let living: Vec<_> = LIVING.lock().iter().filter_map(Weak::upgrade).collect();
    living.iter().for_each(|drawn| drawn.write());
    ENDING.store(true, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_for_each_process() {
        let folder = std::env::temp_dir().join(format!("oxur-dumps-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let times = Arc::new(CommandTimings::new(0));
        let new = || Drawn::new(&folder, Vec::new(), &times).unwrap();
        let first = new();
        let taken = folder.join(format!("graph-{}-2.dot", process::id()));
        fs::write(&taken, "another's").unwrap();
        let mut child = new();
        assert_ne!(first.path, child.path);
        // As in a child of `fork`.
        child.process += 1;
        let path = child.path.clone();
        drop(child);
        assert_eq!(fs::read(path).unwrap(), []);
        let path = first.path.clone();
        drop(first);
        assert!(fs::read_to_string(path).unwrap().starts_with("digraph"));
        assert_eq!(fs::read(taken).unwrap(), b"another's");
        fs::remove_dir_all(folder).unwrap();
    }
}
