// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The value of a `UR_LOG_*` variable: `level:info;flush:warning;output:file,PATH`, every part optional.

use std::path::PathBuf;

use log::LevelFilter;

/// The settings of a variable; `None` means the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) level: Option<LevelFilter>,
    pub(crate) flush: Option<LevelFilter>,
    pub(crate) output: Option<Output>,
}

/// Where messages go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Stdout,
    Stderr,
    File(PathBuf),
}

/// An error in a value, as a message for the user.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Malformed {
    #[error("`{0}` has no colon: each part is a name, a colon and a value, as in `level:info`")]
    NoColon(String),
    #[error("there is no setting `{0}`: the settings are level, flush and output")]
    Setting(String),
    #[error("`{0}` is given twice")]
    Twice(String),
    #[error("there is no level `{0}`: the levels are quiet, error, warning, info, debug and trace")]
    Level(String),
    #[error("there is no output `{0}`: the outputs are stdout, stderr and file,PATH")]
    Output(String),
    #[error("`output:file` needs a path, as in `output:file,/tmp/ur.log`")]
    NoPath,
}

/// Parses the value of a variable.
pub(crate) fn parse(text: &str) -> Result<Options, Malformed> {
    let mut options = Options::default();
    for part in text.split(';').filter(|part| !part.trim().is_empty()) {
        let (name, value) = part
            .split_once(':')
            .ok_or_else(|| Malformed::NoColon(part.to_owned()))?;
        let (name, value) = (name.trim(), unquote(value.trim()));
        match name {
            "level" => put(&mut options.level, name, level(value)?)?,
            "flush" => put(&mut options.flush, name, level(value)?)?,
            "output" => put(&mut options.output, name, output(value)?)?,
            _ => return Err(Malformed::Setting(name.to_owned())),
        }
    }
    Ok(options)
}

fn put<T>(place: &mut Option<T>, name: &str, value: T) -> Result<(), Malformed> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(Malformed::Twice(name.to_owned())),
    }
}

fn level(name: &str) -> Result<LevelFilter, Malformed> {
    Ok(match name {
        "quiet" => LevelFilter::Off,
        "error" => LevelFilter::Error,
        "warning" => LevelFilter::Warn,
        "info" => LevelFilter::Info,
        "debug" => LevelFilter::Debug,
        "trace" => LevelFilter::Trace,
        _ => return Err(Malformed::Level(name.to_owned())),
    })
}

fn output(value: &str) -> Result<Output, Malformed> {
    let (kind, path) = value.split_once(',').unwrap_or((value, ""));
    let path = unquote(path.trim());
    match (kind.trim(), path) {
        ("stdout", "") => Ok(Output::Stdout),
        ("stderr", "") => Ok(Output::Stderr),
        ("file", "") => Err(Malformed::NoPath),
        ("file", path) => Ok(Output::File(path.into())),
        _ => Err(Malformed::Output(value.to_owned())),
    }
}

/// Removes one pair of quotes around all of `text`.
fn unquote(text: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts() {
        let wanted = Options {
            level: Some(LevelFilter::Info),
            flush: Some(LevelFilter::Warn),
            output: Some(Output::File("/tmp/a:b.log".into())),
        };
        assert_eq!(
            parse("level:info;flush:warning;output:file,/tmp/a:b.log"),
            Ok(wanted.clone())
        );
        assert_eq!(
            parse("output:\"file,/tmp/a:b.log\" ; flush:warning ;level:info;"),
            Ok(wanted)
        );
    }

    #[test]
    fn parts_may_be_missing() {
        assert_eq!(parse(""), Ok(Options::default()));
        assert_eq!(
            parse("output:stdout"),
            Ok(Options {
                output: Some(Output::Stdout),
                ..Options::default()
            })
        );
        for (name, level) in [
            ("quiet", LevelFilter::Off),
            ("error", LevelFilter::Error),
            ("debug", LevelFilter::Debug),
            ("trace", LevelFilter::Trace),
        ] {
            assert_eq!(
                parse(&format!("level:{name}")),
                Ok(Options {
                    level: Some(level),
                    ..Options::default()
                })
            );
        }
    }

    #[test]
    fn malformed_values_are_named() {
        assert_eq!(parse("foo"), Err(Malformed::NoColon("foo".into())));
        assert_eq!(parse("format:x"), Err(Malformed::Setting("format".into())));
        assert_eq!(parse("level:info;level:debug"), Err(Malformed::Twice("level".into())));
        assert_eq!(parse("level:loud"), Err(Malformed::Level("loud".into())));
        assert_eq!(parse("flush:loud"), Err(Malformed::Level("loud".into())));
        assert_eq!(parse("output:printer"), Err(Malformed::Output("printer".into())));
        assert_eq!(
            parse("output:stderr,/tmp/x"),
            Err(Malformed::Output("stderr,/tmp/x".into()))
        );
        assert_eq!(parse("output:file"), Err(Malformed::NoPath));
    }
}
