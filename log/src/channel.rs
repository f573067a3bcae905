// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A component's stream of messages: its threshold and where they go.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use log::{Level, LevelFilter};
use oxur_fork::Mutex;

use crate::Component;
use crate::options::{self, Options, Output};

/// A component with its settings.
pub(crate) struct Channel {
    pub(crate) component: Component,
    pub(crate) level: LevelFilter,
    sink: Sink,
}

enum Sink {
    Stdout,
    Stderr,
    File(Mutex<File>),
}

impl Channel {
    /// Reads the component's variable. Errors in it go to stderr, and leave the defaults.
    pub(crate) fn from_environment(component: Component) -> Self {
        let variable = match component.variable {
            Some(name) => name.to_owned(),
            None => format!("UR_LOG_{}", component.name.to_uppercase()),
        };
        let value = std::env::var_os(&variable).unwrap_or_default();
        Self::new(component, &value.to_string_lossy()).unwrap_or_else(|(default, problem)| {
            // If stderr is closed, the error cannot be reported.
            let _ = writeln!(
                io::stderr(),
                "oxur: {variable}: {problem}. The defaults hold; an example is {variable}='level:info;output:stderr'"
            );
            default
        })
    }

    fn new(component: Component, value: &str) -> Result<Self, (Self, String)> {
        let default = || Self {
            component,
            level: component.level,
            sink: Sink::Stderr,
        };
        let Options { level, output, .. } = options::parse(value).map_err(|e| (default(), e.to_string()))?;
        let sink = match output {
            None | Some(Output::Stderr) => Sink::Stderr,
            Some(Output::Stdout) => Sink::Stdout,
            Some(Output::File(path)) => match open(&path) {
                Ok(file) => Sink::File(Mutex::new(file)),
                Err(error) => return Err((default(), format!("cannot write {}: {error}", path.display()))),
            },
        };
        Ok(Self {
            component,
            level: level.unwrap_or(component.level),
            sink,
        })
    }

    /// Writes a message as one line, if the threshold lets it pass.
    ///
    /// Every line is flushed immediately, regardless of `flush`, so that a crash loses nothing.
    pub(crate) fn write(&self, level: Level, message: &str) {
        if level > self.level {
            return;
        }
        let line = if self.component.prefix {
            format!(
                "<{}>[{}]: {message}\n",
                self.component.name.to_uppercase(),
                label(level)
            )
        } else {
            format!("{message}\n")
        };
        // The standard library's streams have their own locks.
        let _section = oxur_fork::section();
        // A log that cannot be written must not stop the program.
        let _ = match &self.sink {
            Sink::Stderr => io::stderr().write_all(line.as_bytes()),
            Sink::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush())
            }
            Sink::File(file) => file.lock().write_all(line.as_bytes()),
        };
    }
}

/// Opens a log for appending: the loader and every adapter may write to the same one.
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

fn label(level: Level) -> &'static str {
    match level {
        Level::Error => "ERROR",
        Level::Warn => "WARNING",
        Level::Info => "INFO",
        Level::Debug => "DEBUG",
        Level::Trace => "TRACE",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_whole_lines_from_the_level_on() {
        let path = std::env::temp_dir().join(format!("oxur-log-{}.log", std::process::id()));
        let value = format!("level:warning;output:file,{}", path.display());
        for prefix in [true, false] {
            let component = if prefix {
                Component::new("opencl")
            } else {
                Component::new("opencl").bare()
            };
            let channel = Channel::new(component, &value).unwrap_or_else(|_| panic!("{value} is well-formed"));
            channel.write(Level::Info, "not this");
            channel.write(Level::Warn, "this");
        }
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "<OPENCL>[WARNING]: this\nthis\n"
        );
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_problem_leaves_the_defaults() {
        let component = Component::new("x").level(LevelFilter::Error);
        for value in ["level:loud", "level:debug;output:file,/nonexistent/folder/x.log"] {
            let (channel, problem) = Channel::new(component, value).err().unwrap();
            assert_eq!(channel.level, LevelFilter::Error);
            assert!(
                problem.contains("loud") || problem.contains("/nonexistent/folder/x.log"),
                "{problem}"
            );
        }
    }
}
