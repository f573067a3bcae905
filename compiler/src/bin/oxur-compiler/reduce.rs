// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur-compiler reduce`: makes a module smaller as long as a kernel's results are not the interpreter's.
//!
//! spirv-reduce of SPIRV-Tools does it, which is told by a script whether a module still shows that.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::launch::Launch;
use crate::pass_log::command_line;
use crate::run::DIFFERS;

/// Seconds that a module may take.
const TIMEOUT: u32 = 20;

/// A folder for the script and for modules on the way, which goes at the end.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn reduce(launch: &Launch, output: &Path) -> Result<(), String> {
    let scratch = Scratch(std::env::temp_dir().join(format!("oxur-compiler-{}", std::process::id())));
    let folder = &scratch.0;
    let error = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(error)?;
    let script = folder.join("differs");
    std::fs::write(&script, test(launch, output)?).map_err(error)?;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o700)).map_err(error)?;

    let first = Command::new(&script).arg(&launch.module).status().map_err(error)?;
    if !first.success() {
        return Err("nothing to reduce: oxur-compiler run --check finds no difference in the module".into());
    }
    let status = Command::new("spirv-reduce")
        .arg(&launch.module)
        .arg("-o")
        .arg(output)
        .arg(format!("--temp-file-prefix={}/", folder.display()))
        .arg("--")
        .arg(&script)
        .stdout(Stdio::null())
        .status();
    let status = status.map_err(|error| match error.kind() {
        ErrorKind::NotFound => "spirv-reduce is not there (Debian: spirv-tools)".to_string(),
        _ => format!("spirv-reduce: {error}"),
    })?;
    if !status.success() {
        return Err(format!("spirv-reduce: {status}"));
    }
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    let (before, after) = (size(&launch.module), size(output));
    println!("{}: {after} bytes of {before}", output.display());
    Ok(())
}

/// A script that succeeds if the results of the module's kernel are not the interpreter's, or it crashes or hangs.
fn test(launch: &Launch, output: &Path) -> Result<String, String> {
    let command = command_line("reduce", &["run", "--check", "--launches=2"])?;
    let mut args: Vec<String> = vec![quoted(command.get_program())];
    let mut rest = command.get_args().peekable();
    while let Some(arg) = rest.next() {
        let text = arg.to_string_lossy();
        match arg {
            _ if arg == launch.module.as_os_str() => args.push("\"$1\"".into()),
            _ if ["-o", "--output"].contains(&&*text) => _ = rest.next(),
            _ if text == format!("--output={}", output.display()) || text == format!("-o{}", output.display()) => {}
            _ => args.push(quoted(arg)),
        }
    }
    let run = args.join(" ");
    // A signal gives 128 and more, `timeout` 124.
    Ok(format!(
        "#!/bin/sh\ntimeout {TIMEOUT} {run} >/dev/null 2>&1\nstatus=$?\n[ $status = {DIFFERS} ] || [ $status -ge 124 ]\n"
    ))
}

fn quoted(text: &OsStr) -> String {
    format!("'{}'", text.to_string_lossy().replace('\'', r"'\''"))
}
