// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The report of the kernels: speeds in the units of each, and ours relative to Intel's and to native code's.

use super::cases::Case;
use super::compile::{Built, Compiled};
use super::side::{INTEL, NATIVE, OURS, SIDES, Took};
use crate::measure::{Median, sorted};

/// The rows so far.
pub struct Table {
    json: bool,
    native: bool,
    ratios: Vec<f64>,
    wall: Vec<f64>,
    /// By native code's, with the names.
    by_native: Vec<(f64, String)>,
    cold: Vec<f64>,
    cached: Vec<f64>,
    wrong: Vec<String>,
}

/// The goals: speed by Intel's on geometric average; times to the first kernel by Intel's.
const SPEED: f64 = 0.5;
/// By native code's on geometric average, and each.
const BY_NATIVE: f64 = 0.9;
const LEAST_BY_NATIVE: f64 = 0.7;
const COLD: f64 = 4.0;
const CACHED: f64 = 20.0;

impl Table {
    /// An empty one, with or without the columns of native code.
    pub fn new(json: bool, native: bool) -> Self {
        Self {
            json,
            native,
            ratios: Vec::new(),
            wall: Vec::new(),
            by_native: Vec::new(),
            cold: Vec::new(),
            cached: Vec::new(),
            wrong: Vec::new(),
        }
    }

    /// The first lines.
    pub fn head(&self, devices: &str) {
        if !self.json {
            println!("\nIntel's / ours: {devices}");
            println!("Figures by processor time of all cores, median (best); ratios of speed: above 1 we are faster.");
            print!(
                "{:36} {:9} {:>20} {:>20} {:>12} {:>6}",
                "", "unit", "Intel", "ours", "ours/Intel", "wall"
            );
            if self.native {
                print!(" {:>20} {:>12} {:>6}", "native", "ours/native", "wall");
            }
            println!();
        }
    }

    /// A row.
    pub fn kernel(&mut self, case: &Case, rounds: &[[Took; SIDES]], right: Result<(), String>) {
        let over = |value: &dyn Fn(&[Took; SIDES]) -> f64| median(rounds.iter().map(value));
        let figure = |nanoseconds| case.unit.figure(case.amount, nanoseconds);
        // The median and the best.
        let figures = |side: usize| {
            let times = sorted(rounds.iter().map(|round| round[side].processor));
            (figure(over(&|round| round[side].processor).value), figure(times[0]))
        };
        let ratio = |side: usize| over(&|round| round[side].processor / round[OURS].processor);
        let wall = |side: usize| over(&|round| round[side].wall / round[OURS].wall).value;
        let result = right.as_ref().err().map_or("", String::as_str);
        if self.json {
            let member = |name, side| {
                let (median, best) = figures(side);
                format!("\"{name}\": {median:.4}, \"{name}_best\": {best:.4}")
            };
            let speed = |by, side| {
                let Median { low, value, high } = ratio(side);
                format!(
                    "\"speed{by}\": [{low:.4}, {value:.4}, {high:.4}], \"wall_speed{by}\": {:.4}",
                    wall(side)
                )
            };
            let mut members = vec![member("intel", INTEL), member("ours", OURS), speed("", INTEL)];
            if self.native {
                members.extend([member("native", NATIVE), speed("_by_native", NATIVE)]);
            }
            println!(
                "{{\"row\": \"{}\", \"unit\": \"{}\", {}, \"wrong\": \"{result}\"}}",
                case.name,
                case.unit.name(),
                members.join(", ")
            );
        } else {
            let column = |side| {
                let (median, best) = figures(side);
                format!("{:>20}", format!("{} ({})", digits(median), digits(best)))
            };
            let ratios = |side| {
                let Median { low, value, high } = ratio(side);
                let ratio = format!("{value:.2} ±{:.2}", (high - low) / 2.0);
                format!("{ratio:>12} {:6.2}", wall(side))
            };
            let mut columns = vec![column(INTEL), column(OURS), ratios(INTEL)];
            if self.native {
                columns.extend([column(NATIVE), ratios(NATIVE)]);
            }
            let wrong = if result.is_empty() {
                String::new()
            } else {
                format!("  WRONG: {result}")
            };
            println!("{:36} {:9} {}{wrong}", case.name, case.unit.name(), columns.join(" "));
        }
        if let Err(error) = right {
            self.wrong.push(format!("{}: {error}", case.name));
        } else {
            self.ratios.push(ratio(INTEL).value);
            self.wall.push(wall(INTEL));
            if self.native {
                self.by_native.push((ratio(NATIVE).value, case.name.clone()));
            }
        }
    }

    /// The rows of modules that were compiled.
    pub fn compiled(&mut self, rows: &[Compiled]) {
        if !self.json && !rows.is_empty() {
            println!(
                "\nUntil the first kernel is ready: milliseconds by the clock (of processors); ratios are of the latter"
            );
            println!(
                "{:36} {:>14} {:>14} {:>14} {:>11} {:>12}",
                "", "Intel", "ours", "cached", "Intel/ours", "Intel/cached"
            );
        }
        for row in rows {
            let over = |value: &dyn Fn(&[Built; 3]) -> f64| median(row.rounds.iter().map(value)).value;
            let [wall, processor] = [|built: Built| built.wall, |built: Built| built.processor]
                .map(|which| [0, 1, 2].map(|column| over(&|round| which(round[column]))));
            let (cold, warm) = (processor[0] / processor[1], processor[0] / processor[2]);
            if self.json {
                println!(
                    "{{\"row\": \"{}\", \"unit\": \"ns\", \"columns\": [\"intel\", \"ours\", \"cached\"], \
                     \"wall\": {wall:?}, \"processor\": {processor:?}}}",
                    row.name
                );
            } else {
                let [intel, ours, cached] = [0, 1, 2]
                    .map(|column| format!("{} ({})", digits(wall[column] / 1e6), digits(processor[column] / 1e6)));
                println!(
                    "{:36} {intel:>14} {ours:>14} {cached:>14} {cold:>11.1} {warm:>12.1}",
                    row.name
                );
            }
            self.cold.push(cold);
            self.cached.push(warm);
        }
    }

    /// The last lines.
    pub fn end(&self) {
        if self.json {
            return;
        }
        println!();
        let summary = |what: &str, ratios: &[f64], goal: f64| {
            if let Some(mean) = geometric_mean(ratios) {
                let verdict = if mean >= goal { "pass" } else { "FAIL" };
                println!(
                    "{what}: {mean:.2} on geometric average of {}; at least {goal}: {verdict}",
                    ratios.len()
                );
            }
        };
        summary("speed of kernels by Intel's", &self.ratios, SPEED);
        if let Some(mean) = geometric_mean(&self.wall) {
            println!("the same by the clock: {mean:.2}");
        }
        summary("speed of kernels by native code's", &self.speeds_by_native(), BY_NATIVE);
        for (ratio, name) in self.by_native.iter().filter(|(ratio, _)| *ratio < LEAST_BY_NATIVE) {
            println!("below {LEAST_BY_NATIVE} of native code: {name}, {ratio:.2}");
        }
        summary("Intel's processor time to the first kernel by ours", &self.cold, COLD);
        summary("the same from our cache", &self.cached, CACHED);
        self.wrong.iter().for_each(|wrong| println!("WRONG {wrong}"));
    }

    /// Whether all results are right and all goals met.
    pub fn good(&self) -> bool {
        let met = |ratios: &[f64], goal| geometric_mean(ratios).is_none_or(|mean| mean >= goal);
        self.wrong.is_empty()
            && met(&self.ratios, SPEED)
            && met(&self.speeds_by_native(), BY_NATIVE)
            && self.by_native.iter().all(|(ratio, _)| *ratio >= LEAST_BY_NATIVE)
            && met(&self.cold, COLD)
            && met(&self.cached, CACHED)
    }

    fn speeds_by_native(&self) -> Vec<f64> {
        self.by_native.iter().map(|(ratio, _)| *ratio).collect()
    }
}

fn median(values: impl Iterator<Item = f64>) -> Median {
    Median::of(values).expect("rounds")
}

fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (logarithms / values.len() as f64).exp())
}

/// A number with three digits.
fn digits(value: f64) -> String {
    let digits = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means() {
        assert_eq!(geometric_mean(&[]), None);
        assert!((geometric_mean(&[0.5, 2.0]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(digits(1.234), "1.23");
        assert_eq!(digits(123.4), "123");
    }
}
