// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What another process of this command says of its passes: see [`oxur_compiler::passes`].

use std::fmt;
use std::process::Command;

/// A pass that ran.
pub struct Pass {
    /// Whether it is ours, and not LLVM's.
    pub is_ours: bool,
    /// Its name.
    pub name: String,
    /// What it ran on, and the code that this is part of.
    pub place: String,
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = if self.is_ours { "ours" } else { "LLVM's" };
        write!(f, "{} ({whose}), {}", self.name, self.place)
    }
}

/// Reads the lines of a process.
#[derive(Default)]
pub struct Log {
    code: String,
}

impl Log {
    /// The pass that a line says is running.
    pub fn read(&mut self, line: &str) -> Option<Pass> {
        let line = line.strip_prefix("BISECT: ")?;
        if let Some(name) = line.strip_prefix("code ") {
            self.code = name.to_string();
            return None;
        }
        let (what, name) = line.split_once(") ")?;
        let is_ours = what.starts_with("running our pass");
        let (name, place) = name.split_once(" on ").unwrap_or((name, "the kernel"));
        (is_ours || what.starts_with("running pass")).then(|| Pass {
            is_ours,
            name: name.to_string(),
            place: format!("{place}, in the code {}", self.code),
        })
    }
}

/// This command line with other arguments in place of one.
pub fn command_line(instead_of: &str, others: &[&str]) -> Result<Command, String> {
    let mut args: Vec<_> = std::env::args_os().skip(1).collect();
    let at = args
        .iter()
        .position(|arg| arg == instead_of)
        .ok_or("the command line has changed")?;
    args.splice(at..=at, others.iter().map(Into::into));
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(args);
    Ok(command)
}
