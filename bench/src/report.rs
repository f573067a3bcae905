// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From samples to figures, and from figures to text.

use std::fmt::Write;

use crate::measure::{INTEL, Median, OURS, RAW, Samples, sorted};
use crate::rows::Goal;

/// Whether a goal is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Pass,
    /// No.
    Fail,
    /// The noise is larger than the difference.
    Unclear,
}

impl Verdict {
    /// Whether a quantity that shall not be above zero is.
    fn of(excess: Median) -> Self {
        match excess {
            Median { high, .. } if high <= 0.0 => Self::Pass,
            Median { low, .. } if low > 0.0 => Self::Fail,
            _ => Self::Unclear,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "FAIL",
            Self::Unclear => "unclear",
        }
    }
}

/// The figures of a row. All differences and ratios are medians over rounds of what was measured in the same round.
pub struct Figures {
    /// Names it.
    pub name: String,
    /// What it shall show.
    pub goal: Goal,
    /// Median and minimum of each subject, in nanoseconds.
    pub subjects: [Option<(Median, f64)>; 3],
    /// Ours by Intel's.
    pub ratio: Option<Median>,
    /// What Intel's and our stack add to the layer below.
    pub overhead: [Option<Median>; 2],
    /// What is left to say about the goal; `None` where a figure is missing.
    pub verdict: Option<Verdict>,
}

impl Figures {
    /// Works them out.
    pub fn new(name: String, goal: Goal, samples: &Samples) -> Self {
        let over_rounds = |value: &dyn Fn(&[f64; 3]) -> f64| Median::of(samples.iter().map(value));
        let subjects = std::array::from_fn(|column| {
            let least = *sorted(samples.iter().map(|s| s[column])).first()?;
            over_rounds(&|s| s[column]).map(|median| (median, least))
        });
        let excess = match goal {
            Goal::None => None,
            // One per cent is what the position of code in memory can make.
            Goal::NotSlower => over_rounds(&|s| s[OURS] - 1.01 * s[INTEL]),
            Goal::Ratio(part) => over_rounds(&|s| s[OURS] - part * s[INTEL]),
            Goal::Overhead(part) => over_rounds(&|s| (s[OURS] - s[RAW]) - part * (s[INTEL] - s[RAW])),
            Goal::OverheadAndAtMost(part, limit) => {
                over_rounds(&|s| (s[OURS] - s[RAW]) - limit.min(part * (s[INTEL] - s[RAW])))
            }
            Goal::NotSlowerThanBelow => over_rounds(&|s| s[OURS] - 1.01 * s[RAW]),
            Goal::AtMost(limit) => over_rounds(&|s| s[OURS] - limit),
        };
        Self {
            subjects,
            ratio: over_rounds(&|s| s[OURS] / s[INTEL]),
            overhead: [INTEL, OURS].map(|column| over_rounds(&|s| s[column] - s[RAW])),
            verdict: excess.map(Verdict::of),
            name,
            goal,
        }
    }

    /// Our overhead as a part of Intel's.
    pub fn share(&self) -> Option<f64> {
        Some(self.overhead[1]?.value / self.overhead[0]?.value)
    }

    /// A line of the table.
    pub fn line(&self) -> String {
        let mut line = format!("{:56}", self.name);
        let missing = "-";
        for subject in &self.subjects {
            match subject {
                Some((median, least)) => {
                    let least = format!("({})", time(*least));
                    _ = write!(line, " {:>8} {least:<10}", time(median.value));
                }
                None => _ = write!(line, " {missing:>8} {missing:10}"),
            }
        }
        match self.ratio {
            Some(ratio) => _ = write!(line, " {:5.2} ±{:.2}", ratio.value, (ratio.high - ratio.low) / 2.0),
            None => _ = write!(line, " {missing:>11}"),
        }
        for overhead in &self.overhead {
            match overhead {
                Some(Median { low, value, high }) => {
                    let spread = format!("±{}", time((high - low) / 2.0));
                    _ = write!(line, " {:>9} {spread:8}", time(*value));
                }
                None => _ = write!(line, " {missing:>9} {missing:8}"),
            }
        }
        match self.share() {
            Some(share) => _ = write!(line, " {share:5.2}"),
            None => _ = write!(line, " {missing:>5}"),
        }
        _ = write!(line, "  {}", self.verdict.map_or("", Verdict::word));
        line.truncate(line.trim_end().len());
        line
    }

    /// A line of JSON.
    pub fn json(&self) -> String {
        let number = |value: Option<f64>| match value {
            Some(value) if value.is_finite() => format!("{value:.3}"),
            _ => "null".to_owned(),
        };
        let median = |median: Option<Median>| match median {
            Some(m) => format!(
                "[{}, {}, {}]",
                number(Some(m.low)),
                number(Some(m.value)),
                number(Some(m.high))
            ),
            None => "null".to_owned(),
        };
        let mut json = format!("{{\"row\": \"{}\"", self.name);
        for (name, subject) in ["raw", "intel", "ours"].iter().zip(self.subjects) {
            _ = write!(json, ", \"{name}_ns\": {}", median(subject.map(|s| s.0)));
            _ = write!(json, ", \"{name}_min_ns\": {}", number(subject.map(|s| s.1)));
        }
        _ = write!(json, ", \"ours_by_intel\": {}", median(self.ratio));
        for (name, overhead) in ["intel", "ours"].iter().zip(self.overhead) {
            _ = write!(json, ", \"{name}_overhead_ns\": {}", median(overhead));
        }
        let verdict = self
            .verdict
            .map_or("null".to_owned(), |v| format!("\"{}\"", v.word().to_lowercase()));
        _ = write!(
            json,
            ", \"goal\": \"{}\", \"verdict\": {verdict}}}",
            describe(self.goal)
        );
        json
    }
}

/// The head of the table.
pub fn head() -> String {
    format!(
        "{:56} {:>8} {:10} {:>8} {:10} {:>8} {:10} {:>11} {:>9} {:8} {:>9} {:8} {:>5}  {}\n",
        "median (minimum)",
        "raw",
        "",
        "Intel",
        "",
        "ours",
        "",
        "ours/Intel",
        "Intel-raw",
        "",
        "ours-raw",
        "",
        "share",
        "goal"
    )
}

/// What a goal says.
pub fn describe(goal: Goal) -> String {
    match goal {
        Goal::None => "none".into(),
        Goal::NotSlower => "not slower than Intel's".into(),
        Goal::Ratio(part) => format!("at most {part} of Intel's"),
        Goal::Overhead(part) => format!("at most {part} of what Intel's adds to the layer below"),
        Goal::OverheadAndAtMost(part, limit) => {
            format!(
                "at most {part} of what Intel's adds to the layer below, and {}",
                time(limit)
            )
        }
        Goal::NotSlowerThanBelow => "not slower than the layer below".into(),
        Goal::AtMost(limit) => format!("at most {}", time(limit)),
    }
}

/// The last lines: each goal with its rows, and those that miss it.
pub fn summary(figures: &[Figures]) -> String {
    let mut text = String::from("\n");
    let mut goals: Vec<Goal> = Vec::new();
    for row in figures {
        if row.goal != Goal::None && !goals.contains(&row.goal) {
            goals.push(row.goal);
        }
    }
    for goal in goals {
        let with = |verdict| {
            figures
                .iter()
                .filter(move |row| row.goal == goal && row.verdict == verdict)
        };
        let count = |verdict| with(verdict).count();
        _ = writeln!(
            text,
            "{}: {} pass, {} FAIL, {} unclear (the noise is larger than the difference), {} not measured",
            describe(goal),
            count(Some(Verdict::Pass)),
            count(Some(Verdict::Fail)),
            count(Some(Verdict::Unclear)),
            count(None)
        );
        with(Some(Verdict::Fail)).for_each(|row| _ = writeln!(text, "  FAIL {}", row.name));
        with(Some(Verdict::Unclear)).for_each(|row| _ = writeln!(text, "  unclear {}", row.name));
    }
    text
}

/// A time with three digits.
fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds.abs() {
        n if n < 999.5 => (nanoseconds, "ns"),
        n if n < 999.5e3 => (nanoseconds / 1e3, "µs"),
        n if n < 999.5e6 => (nanoseconds / 1e6, "ms"),
        _ => (nanoseconds / 1e9, "s"),
    };
    let digits = match value.abs() {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(time(1.234), "1.23 ns");
        assert_eq!(time(99.96), "100 ns");
        assert_eq!(time(-1234.0), "-1.23 µs");
        assert_eq!(time(12.34e6), "12.3 ms");
    }

    #[test]
    fn verdicts() {
        let row = |goal, samples: Samples| Figures::new("row".into(), goal, &samples);
        let half = row(
            Goal::Overhead(0.5),
            vec![[10.0, 30.0, 19.0], [20.0, 40.0, 29.0], [10.0, 30.0, 19.0]],
        );
        assert_eq!(half.verdict, Some(Verdict::Pass));
        assert_eq!(half.share(), Some(0.45));
        assert_eq!(
            row(Goal::Overhead(0.5), vec![[10.0, 30.0, 21.0]; 3]).verdict,
            Some(Verdict::Fail)
        );
        assert_eq!(
            row(Goal::NotSlower, vec![[0.0, 1.0, 1.0]; 3]).verdict,
            Some(Verdict::Pass)
        );
        let below = |ours| row(Goal::NotSlowerThanBelow, vec![[100.0, f64::NAN, ours]; 3]).verdict;
        assert_eq!([100.0, 102.0].map(below), [Some(Verdict::Pass), Some(Verdict::Fail)]);
        let noise = (0..100).map(|i| [0.0, 10.0, f64::from(5 + i % 11)]).collect();
        assert_eq!(row(Goal::NotSlower, noise).verdict, Some(Verdict::Unclear));
        assert_eq!(row(Goal::AtMost(9.0), vec![[0.0, 1.0, f64::NAN]; 3]).verdict, None);
    }
}
