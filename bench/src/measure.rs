// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Measuring: subjects take turns in short batches, so that whatever else the machine does slows all of them alike.

use std::time::{Duration, Instant};

/// What is measured, in the order of the report's columns.
pub const SUBJECTS: usize = 3;
/// The column of the layer below: OpenCL itself, or a call without a loader.
pub const RAW: usize = 0;
/// The column of Intel's stack.
pub const INTEL: usize = 1;
/// The column of ours.
pub const OURS: usize = 2;

/// Runs a number of repetitions and tells how long they took. What it checks, it checks after it has read the clock.
pub type Subject = Box<dyn FnMut(u32) -> Duration>;

/// How long a batch takes: short enough that few are interrupted, long enough for the clock.
const BATCH: Duration = Duration::from_micros(100);
/// How many rounds make a result.
const LEAST_ROUNDS: usize = 11;
const MOST_ROUNDS: usize = 20_000;

/// Nanoseconds per repetition: a line a round, a column a subject; NaN where a subject is missing.
pub type Samples = Vec<[f64; SUBJECTS]>;

/// Lets the subjects take turns for about `seconds`, in batches of `most` repetitions at most.
pub fn measure(subjects: &mut [Option<Subject>; SUBJECTS], seconds: f64, most: u32) -> Samples {
    // Each has batches of its own length: a fast one must not be measured by the few repetitions of a slow one.
    let repetitions = subjects
        .each_mut()
        .map(|subject| subject.as_mut().map_or(1, |subject| calibrate(subject, most)));
    let mut samples = Samples::new();
    let start = Instant::now();
    while samples.len() < LEAST_ROUNDS || start.elapsed().as_secs_f64() < seconds && samples.len() < MOST_ROUNDS {
        let mut round = [f64::NAN; SUBJECTS];
        for turn in order(samples.len()) {
            if let Some(subject) = &mut subjects[turn] {
                round[turn] = subject(repetitions[turn]).as_nanos() as f64 / f64::from(repetitions[turn]);
            }
        }
        samples.push(round);
    }
    samples
}

/// Each order of three in turn: nobody always comes after the same neighbour.
pub fn order(round: usize) -> [usize; SUBJECTS] {
    [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1], [1, 0, 2]][round % 6]
}

/// How many repetitions fill a batch. Warms the subject up, too.
fn calibrate(subject: &mut Subject, most: u32) -> u32 {
    let mut repetitions = 1;
    loop {
        // The faster of two: one interruption must not end the search.
        let took = subject(repetitions).min(subject(repetitions));
        if took >= BATCH || repetitions >= most {
            return repetitions;
        }
        repetitions = repetitions.saturating_mul(2).min(most);
    }
}

/// A median with the interval that holds the true one with 95 % confidence, whatever the distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The lower end.
    pub low: f64,
    /// The median of the values.
    pub value: f64,
    /// The upper end.
    pub high: f64,
}

impl Median {
    /// The median of the values that are numbers; `None` where there is none.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let sorted = sorted(values);
        let last = sorted.len().checked_sub(1)?;
        // The number of values below the true median is binomial.
        let reach = 0.98 * (sorted.len() as f64).sqrt();
        let at = |place: f64| sorted[(place.round().max(0.0) as usize).min(last)];
        let middle = last as f64 / 2.0;
        Some(Self {
            low: at(middle - reach),
            value: at(middle),
            high: at(middle + reach),
        })
    }
}

/// The values that are numbers, in order.
pub fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(Median::of([f64::NAN].into_iter()), None);
        let one = Median {
            low: 7.0,
            value: 7.0,
            high: 7.0,
        };
        assert_eq!(Median::of([7.0].into_iter()), Some(one));
        let hundred = Median::of((0..=100).rev().map(f64::from)).unwrap();
        assert_eq!(
            hundred,
            Median {
                low: 40.0,
                value: 50.0,
                high: 60.0
            }
        );
    }

    #[test]
    fn turns() {
        for first in 0..SUBJECTS {
            assert_eq!((0..6).filter(|round| order(*round)[0] == first).count(), 2);
        }
    }

    #[test]
    fn batches() {
        let slow: Subject = Box::new(|_| BATCH);
        let fast: Subject = Box::new(|n| Duration::from_nanos(10) * n);
        let mut subjects = [Some(slow), Some(fast), None];
        let samples = measure(&mut subjects, 0.0, 1000);
        assert_eq!(samples.len(), LEAST_ROUNDS);
        assert!(
            samples
                .iter()
                .all(|s| s[0] == 100_000.0 && s[1] == 10.0 && s[2].is_nan())
        );
    }
}
