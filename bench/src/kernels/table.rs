// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The report of the kernels: speeds in the units of each, and ours relative to Intel's.

use super::cases::Case;
use super::compile::{Built, Compiled};
use super::side::Took;
use crate::measure::{Median, sorted};

/// The rows so far.
pub struct Table {
    json: bool,
    ratios: Vec<f64>,
    wall: Vec<f64>,
    cold: Vec<f64>,
    cached: Vec<f64>,
    wrong: Vec<String>,
}

/// The goals: speed by Intel's on geometric average; times to the first kernel by Intel's.
const SPEED: f64 = 0.5;
const COLD: f64 = 4.0;
const CACHED: f64 = 20.0;

impl Table {
    /// An empty one.
    pub fn new(json: bool) -> Self {
        Self {
            json,
            ratios: Vec::new(),
            wall: Vec::new(),
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
            println!(
                "{:36} {:9} {:>20} {:>20} {:>12} {:>6}",
                "", "unit", "Intel", "ours", "ours/Intel", "wall"
            );
        }
    }

    /// A row.
    pub fn kernel(&mut self, case: &Case, rounds: &[[Took; 2]], right: Result<(), String>) {
        let over = |value: &dyn Fn(&[Took; 2]) -> f64| median(rounds.iter().map(value));
        let figure = |nanoseconds| case.unit.figure(case.amount, nanoseconds);
        let figures = [0, 1].map(|side| {
            let times = sorted(rounds.iter().map(|round| round[side].processor));
            (figure(over(&|round| round[side].processor).value), figure(times[0]))
        });
        let ratio = over(&|round| round[0].processor / round[1].processor);
        let wall = over(&|round| round[0].wall / round[1].wall).value;
        let result = right.as_ref().err().map_or("", String::as_str);
        if self.json {
            println!(
                "{{\"row\": \"{}\", \"unit\": \"{}\", \"intel\": {:.4}, \"intel_best\": {:.4}, \"ours\": {:.4}, \
                 \"ours_best\": {:.4}, \"speed\": [{:.4}, {:.4}, {:.4}], \"wall_speed\": {wall:.4}, \"wrong\": \"{result}\"}}",
                case.name,
                case.unit.name(),
                figures[0].0,
                figures[0].1,
                figures[1].0,
                figures[1].1,
                ratio.low,
                ratio.value,
                ratio.high
            );
        } else {
            let [intel, ours] = figures.map(|(median, best)| format!("{} ({})", digits(median), digits(best)));
            let ratio = format!("{:.2} ±{:.2}", ratio.value, (ratio.high - ratio.low) / 2.0);
            let wrong = if result.is_empty() {
                String::new()
            } else {
                format!("  WRONG: {result}")
            };
            let unit = case.unit.name();
            println!(
                "{:36} {unit:9} {intel:>20} {ours:>20} {ratio:>12} {wall:6.2}{wrong}",
                case.name
            );
        }
        if let Err(error) = right {
            self.wrong.push(format!("{}: {error}", case.name));
        } else {
            self.ratios.push(ratio.value);
            self.wall.push(wall);
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
        summary("Intel's processor time to the first kernel by ours", &self.cold, COLD);
        summary("the same from our cache", &self.cached, CACHED);
        self.wrong.iter().for_each(|wrong| println!("WRONG {wrong}"));
    }

    /// Whether all results are right and all goals met.
    pub fn good(&self) -> bool {
        let met = |ratios: &[f64], goal| geometric_mean(ratios).is_none_or(|mean| mean >= goal);
        self.wrong.is_empty() && met(&self.ratios, SPEED) && met(&self.cold, COLD) && met(&self.cached, CACHED)
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
