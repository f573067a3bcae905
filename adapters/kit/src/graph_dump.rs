// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Dumps of command buffers and graphs as text in the language DOT, which Graphviz and `oxur graph` draw.
//!
//! A box is a command with its kernel, its size, and when it ran in the last complete run, if [`CommandTimings`] were kept.
//! Darker boxes took longer. An edge goes from a command to one that waits for it. Dashed ellipses are events outside of the
//! graph that a command waits for or signals.
//!
//! [`files`] writes dumps without a call, if the user sets `UR_GRAPH_DUMP`.

mod files;
mod times;

use std::fmt::{self, Write as _};

use smallvec::SmallVec;

pub(crate) use self::files::{GraphDump, wanted};
pub(crate) use self::times::TimingQuery;
pub use self::times::{CommandTimings, Span};
use crate::{Backend, Node};

/// What a dump shows of a command, without its times.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeLabel {
    command: String,
    /// The name of the kernel or variable that it uses.
    name: Option<String>,
    /// Its size: bytes, or work-items.
    extent: Option<String>,
    after: SmallVec<[u32; 2]>,
    /// The number of events outside of the graph that it waits for.
    events: usize,
    signals: bool,
}

impl NodeLabel {
    pub(crate) fn new<B: Backend>(node: &Node<B>) -> Self {
        let command = node.command.outline();
        Self {
            command: if node.is_native() {
                "NATIVE".to_owned()
            } else {
                command.title()
            },
            name: command.name(),
            extent: command.extent(),
            after: node.dependencies().into(),
            events: node.events().len(),
            signals: node.signal().is_some(),
        }
    }
}

/// The dump of these commands. `run` is when they ran, if that was recorded.
pub(crate) fn text(title: &str, commands: &[NodeLabel], run: Option<&[Option<Span>]>) -> String {
    let run = Run::new(run);
    let mut text = String::new();
    _ = writeln!(text, "digraph {} {{", Quoted(title));
    let count = match commands.len() {
        1 => "1 command".to_owned(),
        count => format!("{count} commands"),
    };
    let heading = Quoted(format!("{title}: {count}, {}", run.words()));
    _ = writeln!(text, "  graph [label={heading}, labelloc=t];");
    _ = writeln!(
        text,
        "  node [shape=box, style=\"filled,rounded\", fillcolor=\"#ffffff\", fontname=\"sans-serif\"];"
    );
    for (place, command) in commands.iter().enumerate() {
        box_of(&mut text, place, command, &run);
    }
    for (place, command) in commands.iter().enumerate() {
        for before in &command.after {
            _ = writeln!(text, "  {before} -> {place};");
        }
        if command.events != 0 {
            let words = match command.events {
                1 => "an event".to_owned(),
                count => format!("{count} events"),
            };
            outside(&mut text, &format!("before{place}"), &words);
            _ = writeln!(text, "  before{place} -> {place} [style=dashed];");
        }
        if command.signals {
            outside(&mut text, &format!("signal{place}"), "its event");
            _ = writeln!(text, "  {place} -> signal{place} [style=dashed];");
        }
    }
    text + "}\n"
}

/// Longer names are cut in the box; the whole is a tooltip.
const LONG: usize = 60;

fn box_of(text: &mut String, place: usize, command: &NodeLabel, run: &Run<'_>) {
    let mut words = command.command.clone();
    let mut more = String::new();
    if let Some(name) = &command.name {
        let length = name.chars().count();
        if length > LONG {
            let head: String = name.chars().take(LONG / 2).collect();
            let tail: String = name.chars().skip(length - LONG / 2).collect();
            _ = write!(words, "\n{head}...{tail}");
            _ = write!(more, ", tooltip={}", Quoted(name));
        } else {
            _ = write!(words, "\n{name}");
        }
    }
    if let Some(extent) = &command.extent {
        _ = write!(words, "\n{extent}");
    }
    if let Some(span) = run.of(place) {
        _ = write!(words, "\n{}", run.place(span));
        _ = write!(more, ", fillcolor=\"{}\"", run.colour(span));
    }
    _ = writeln!(text, "  {place} [label={}{more}];", Quoted(words));
}

fn outside(text: &mut String, id: &str, words: &str) {
    _ = writeln!(text, "  {id} [label={}, shape=ellipse, style=dashed];", Quoted(words));
}

/// A string of DOT.
struct Quoted<T>(T);

impl<T: AsRef<str>> fmt::Display for Quoted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.as_ref().chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                c if c.is_control() => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

/// When the commands of a run ran.
struct Run<'a> {
    /// Whether that was noted at all.
    noted: bool,
    spans: &'a [Option<Span>],
    whole: Span,
    /// What the longest command took.
    longest: u64,
}

impl<'a> Run<'a> {
    fn new(spans: Option<&'a [Option<Span>]>) -> Self {
        let noted = spans.is_some();
        let spans = spans.unwrap_or_default();
        let known = || spans.iter().flatten();
        let whole = Span {
            began: known().map(|span| span.began).min().unwrap_or_default(),
            ended: known().map(|span| span.ended).max().unwrap_or_default(),
        };
        let longest = known().map(Span::took).max().unwrap_or_default();
        Self {
            noted,
            spans,
            whole,
            longest,
        }
    }

    fn of(&self, place: usize) -> Option<Span> {
        *self.spans.get(place)?
    }

    /// What there is to say of all commands together.
    fn words(&self) -> String {
        match (self.noted, self.spans.iter().flatten().next()) {
            (_, Some(_)) => format!("last run took {}", Time(self.whole.took())),
            (true, None) => "no times: no run is complete, or the driver gives none".to_owned(),
            (false, None) => "no times: it is not made for profiling".to_owned(),
        }
    }

    /// When a command began and what it took.
    fn place(&self, span: Span) -> String {
        let share = span.took() as f64 * 100.0 / self.whole.took().max(1) as f64;
        let (began, took) = (Time(span.began - self.whole.began), Time(span.took()));
        format!("at {began}: {took} ({share:.0} %)")
    }

    /// White for no time, orange for that of the longest.
    fn colour(&self, span: Span) -> String {
        let heat = span.took() as f64 / self.longest.max(1) as f64;
        let mixed = |least: f64| (255.0 - (255.0 - least) * heat).round() as u8;
        format!("#ff{:02x}{:02x}", mixed(165.0), mixed(80.0))
    }
}

/// Nanoseconds, for people.
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ns @ 0..1_000 => write!(f, "{ns} ns"),
            ns @ 1_000..1_000_000 => write!(f, "{:.1} us", ns as f64 / 1e3),
            ns @ 1_000_000..1_000_000_000 => write!(f, "{:.2} ms", ns as f64 / 1e6),
            ns => write!(f, "{:.3} s", ns as f64 / 1e9),
        }
    }
}

#[cfg(test)]
mod tests;
