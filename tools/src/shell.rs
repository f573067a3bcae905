// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Shell completions and man pages, generated from the command's definition.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::{Command, CommandFactory as _, ValueEnum};
use clap_complete::shells;

use crate::{Cli, Failure};

/// A shell with completions.
#[derive(Clone, Copy, ValueEnum)]
pub enum Shell {
    /// GNU Bash
    Bash,
    /// Z shell
    Zsh,
    /// fish
    Fish,
}

/// The command without its hidden parts, which the generators would show, too.
fn visible(full: &Command) -> Command {
    let mut command = Command::new(full.get_name().to_owned())
        .subcommand_required(full.is_subcommand_required_set())
        .args(full.get_arguments().filter(|argument| !argument.is_hide_set()))
        .subcommands(
            full.get_subcommands()
                .filter(|command| !command.is_hide_set())
                .map(visible),
        );
    if let Some(about) = full.get_about() {
        command = command.about(about.clone());
    }
    if let Some(help) = full.get_after_help() {
        command = command.after_help(help.clone());
    }
    if let Some(version) = full.get_version() {
        command = command.version(version.to_owned());
    }
    command
}

/// Prints the completions for a shell.
pub fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let (mut command, mut text) = (visible(&Cli::command()), Vec::new());
    match shell {
        Shell::Bash => clap_complete::generate(shells::Bash, &mut command, "oxur", &mut text),
        Shell::Zsh => clap_complete::generate(shells::Zsh, &mut command, "oxur", &mut text),
        Shell::Fish => clap_complete::generate(shells::Fish, &mut command, "oxur", &mut text),
    }
    io::stdout()
        .write_all(&text)
        .map_err(|error| Failure::new(format!("stdout: {error}"), ""))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a man page for the command and one for each of its subcommands.
pub fn man_pages(folder: &Path) -> Result<ExitCode, Failure> {
    let failed = |error| Failure::new(format!("{}: {error}", folder.display()), "name a folder to write to");
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(visible(&Cli::command()).disable_help_subcommand(true), folder).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}
